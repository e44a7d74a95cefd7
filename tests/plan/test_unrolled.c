/* test_unrolled.c - CANDLE's unrolled parameter files as lists of points */
#include "plan_test.h"

struct list_test {
    struct arena *arena;
    struct problems problems;
    struct plan_points *points;
    struct buf said;
};

static void open_text(struct list_test *t, const char *text, const char *file)
{
    t->arena = arena_new();
    problems_init(&t->problems, t->arena);
    t->points = plan_points_text(str_of(text), file, t->arena, &t->problems);
    buf_init(&t->said);
    problems_print(&t->said, &t->problems);
    assert_true((t->points == NULL) == (t->problems.errors > 0));
}

static void open_done(struct list_test *t)
{
    plan_points_close(t->points);
    buf_done(&t->said);
    arena_free(t->arena);
}

static void point_is(struct list_test *t, uint64_t i, const char *json,
                     const char *id)
{
    struct value *point = NULL;
    struct str run_id;
    struct buf b;

    assert_int_equal(
        plan_points_get(t->points, i, t->arena, &point, &run_id, NULL), 0);
    buf_init(&b);
    json_print_sorted(&b, point);
    assert_string_equal(b.p, json);
    assert_true(str_is(run_id, id));
    buf_done(&b);
}

static void refused(const char *text, const char *said)
{
    struct list_test t;

    open_text(&t, text, "upf.txt");
    assert_null(t.points);
    assert_string_equal(t.said.p, said);
    open_done(&t);
}

static void comments_and_blank_lines_say_nothing(void **state)
{
    struct list_test t;

    (void)state;
    open_text(&t,
              "# the runs\n\n{\"id\": \"a\", \"n\": \"# 1\"} # first\n"
              "\n   # between\n{\"id\": \"b\", \"n\": \"\\\"#\"}\n#end",
              "upf.txt");
    assert_string_equal(t.said.p, "");
    assert_int_equal(plan_points_count(t.points), 2);
    point_is(&t, 0, "{\"n\":\"# 1\",\"run_id\":\"a\"}", "a");
    point_is(&t, 1, "{\"n\":\"\\\"#\",\"run_id\":\"b\"}", "b");
    open_done(&t);
    open_text(&t, "# spread\n{\"id\": 1, # here\n \"n\": 2}\n", "upf.txt");
    point_is(&t, 0, "{\"n\":2,\"run_id\":\"1\"}", "1");
    open_done(&t);
    refused("# x\n{\"n\": 1}\n{\"n\" 2}\n",
            "upf.txt:3:6: error: expected ':' in '{\"n\" 2}'\n");
}

static void the_id_of_a_line_is_the_run_id(void **state)
{
    struct list_test t;

    (void)state;
    open_text(&t,
              "{\"id\": \"RUN000\", \"epochs\": 1}\n"
              "{\"epochs\": 2, \"id\": 7}\n\n",
              "upf-1.txt");
    assert_int_equal(plan_points_count(t.points), 2);
    point_is(&t, 0, "{\"epochs\":1,\"run_id\":\"RUN000\"}", "RUN000");
    point_is(&t, 1, "{\"epochs\":2,\"run_id\":\"7\"}", "7");
    open_done(&t);
}

static void a_missing_id_is_the_number(void **state)
{
    struct list_test t;

    (void)state;
    open_text(&t, "{\"a\": 1}\n{\"a\": 2, \"run_id\": \"x\"}\n", "upf.txt");
    point_is(&t, 0, "{\"a\":1,\"run_id\":\"1\"}", "1");
    point_is(&t, 1, "{\"a\":2,\"run_id\":\"x\"}", "x");
    open_done(&t);
    open_text(&t, "a,id\n1,r1\n2,\n", "upf.txt");
    point_is(&t, 0, "{\"a\":1,\"run_id\":\"r1\"}", "r1");
    point_is(&t, 1, "{\"a\":2,\"run_id\":\"2\"}", "2");
    open_done(&t);
}

static void objects_may_be_spread_over_lines(void **state)
{
    struct list_test t;

    (void)state;
    open_text(&t,
              "{  \n    \"id\": \"dropout1\",  \n    \"file\": \"a\"  \n}  \n"
              "{  \n    \"id\": \"dropout2\",  \n    \"file\": \"b\"  \n}\n",
              "upf.json");
    assert_int_equal(plan_points_count(t.points), 2);
    point_is(&t, 1, "{\"file\":\"b\",\"run_id\":\"dropout2\"}", "dropout2");
    point_is(&t, 0, "{\"file\":\"a\",\"run_id\":\"dropout1\"}", "dropout1");
    open_done(&t);
    open_text(&t, "{\"id\": \"x\",\n \"a\": 1} {\"a\": 2}\n{\"a\": 3}",
              "u.txt");
    assert_int_equal(plan_points_count(t.points), 3);
    point_is(&t, 2, "{\"a\":3,\"run_id\":\"3\"}", "3");
    open_done(&t);
    open_text(&t, "{\"a\": 1}\n{\"a\": 2}\n{\n\"a\":\n3\n}\n", "u.txt");
    assert_int_equal(plan_points_count(t.points), 3);
    point_is(&t, 2, "{\"a\":3,\"run_id\":\"3\"}", "3");
    open_done(&t);
}

static void mistakes_in_spread_objects_have_their_place(void **state)
{
    (void)state;
    refused("{\n\"a\": 1\n}\n{\n\"a\": x\n}\n",
            "upf.txt:5:6: error: expected a value, found 'x'\n");
    refused("{\n\"a\": 1\n} {\"a b\": 1}\n",
            "upf.txt:3:4: error: 'a b' cannot be the name of a parameter\n");
    refused("{\n\"a\": 1\n",
            "upf.txt:2:7: error: expected the '}' of an object, found the "
            "end\n");
    refused("{\n\"a\": 1\n}\n7\n",
            "upf.txt:4:1: error: points: a point must be an object, as in "
            "{lr: 0.1}, not an integer\n");
}

static void other_lists_keep_their_id(void **state)
{
    struct list_test t;

    (void)state;
    open_text(&t, "{\"id\": \"a\"}\n", "points.jsonl");
    point_is(&t, 0, "{\"id\":\"a\"}", "");
    open_done(&t);
}

static void a_parameters_file_of_any_name_is_unrolled(void **state)
{
    const struct test_file files[] = {{"runs.jsonl", "{\"id\": \"r\"}\n"},
                                      {NULL, NULL}};
    struct reading_test t;
    struct value *point;
    struct str run_id;

    (void)state;
    test_read_str(&t,
                  STR("command: [./m, --run_id, '{run_id}']\n"
                      "parameters_file: runs.jsonl\n"),
                  "study.yaml", files);
    if (!t.plan)
        fail_msg("%s", t.said.p);
    assert_int_equal(
        plan_points_get(t.plan->points, 0, t.arena, &point, &run_id, NULL), 0);
    assert_true(str_is(run_id, "r"));
    assert_true(plan_declares(t.plan, STR("run_id")));
    assert_false(plan_declares(t.plan, STR("id")));
    test_done(&t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(comments_and_blank_lines_say_nothing),
        cmocka_unit_test(the_id_of_a_line_is_the_run_id),
        cmocka_unit_test(a_missing_id_is_the_number),
        cmocka_unit_test(objects_may_be_spread_over_lines),
        cmocka_unit_test(mistakes_in_spread_objects_have_their_place),
        cmocka_unit_test(other_lists_keep_their_id),
        cmocka_unit_test(a_parameters_file_of_any_name_is_unrolled),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
