/* test_points.c - lists of points */
#include "plan_test.h"

struct points_test {
    struct arena *arena;
    struct problems problems;
    struct plan_points *points;
    struct buf said;
};

static void open_str(struct points_test *t, struct str text, const char *file)
{
    t->arena = arena_new();
    problems_init(&t->problems, t->arena);
    t->points = plan_points_text(text, file, t->arena, &t->problems);
    buf_init(&t->said);
    problems_print(&t->said, &t->problems);
    assert_true((t->points == NULL) == (t->problems.errors > 0));
}

static void open_text(struct points_test *t, const char *text, const char *file)
{
    open_str(t, str_of(text), file);
}

static void open_done(struct points_test *t)
{
    plan_points_close(t->points);
    buf_done(&t->said);
    arena_free(t->arena);
}

static void point_is(struct plan_points *p, struct arena *a, uint64_t i,
                     const char *json)
{
    struct value *point = NULL;
    struct str run_id = STR("x");
    struct err err = {0};
    struct buf b, expected;

    if (plan_points_get(p, i, a, &point, &run_id, &err))
        fail_msg("%s", err.text);
    buf_init(&b);
    buf_init(&expected);
    json_print_sorted(&b, point);
    json_print_sorted(&expected, test_json(a, json));
    assert_string_equal(b.p, expected.p);
    assert_int_equal(run_id.len, 0);
    buf_done(&b);
    buf_done(&expected);
}

static void says(const char *text, const char *file, const char *expected)
{
    struct points_test t;

    open_text(&t, text, file);
    assert_null(t.points);
    if (!strstr(t.said.p, expected))
        fail_msg("expected\n%s\nsaid\n%s", expected, t.said.p);
    open_done(&t);
}

static void lines_of_json_are_points(void **state)
{
    struct points_test t;

    (void)state;
    open_text(&t,
              "{\"lr\": 0.1, \"id\": \"a\"}\r\n\n  {\"lr\": 1e-3}  \n"
              "{\"o\": {\"x\": [1, null]}}",
              "p.jsonl");
    assert_int_equal(plan_points_count(t.points), 3);
    point_is(t.points, t.arena, 0, "{\"lr\": 0.1, \"id\": \"a\"}");
    point_is(t.points, t.arena, 2, "{\"o\": {\"x\": [1, null]}}");
    point_is(t.points, t.arena, 1, "{\"lr\": 0.001}");
    open_done(&t);
}

static void rows_of_csv_are_points(void **state)
{
    struct points_test t;

    (void)state;
    open_text(&t,
              "\xef\xbb\xbf"
              "a, b ,c,d\r\n1,2.5,true,x y\r\n-3,,False,\"q,\n"
              "\"\"r\"\"\"\n007,1e-3,nan,' s '\n",
              "p.csv");
    assert_int_equal(plan_points_count(t.points), 3);
    point_is(t.points, t.arena, 0,
             "{\"a\": 1, \"b\": 2.5, \"c\": true, \"d\": \"x y\"}");
    point_is(t.points, t.arena, 1,
             "{\"a\": -3, \"c\": false, \"d\": \"q,\\n\\\"r\\\"\"}");
    point_is(t.points, t.arena, 2,
             "{\"a\": \"007\", \"b\": 0.001, \"c\": NaN, \"d\": \"' s '\"}");
    open_done(&t);
}

static void the_header_shows_the_separator(void **state)
{
    struct points_test t;

    (void)state;
    open_text(&t, "a;b\n1;2\n", "p.csv");
    point_is(t.points, t.arena, 0, "{\"a\": 1, \"b\": 2}");
    open_done(&t);
    open_text(&t, "a\tb\n1\t2\n", "p.tsv");
    point_is(t.points, t.arena, 0, "{\"a\": 1, \"b\": 2}");
    open_done(&t);
}

static void a_json_list_is_taken_too(void **state)
{
    struct points_test t;

    (void)state;
    open_text(&t, " [{\"a\": 1},\n {\"a\": 2}]\n", "p.json");
    assert_int_equal(plan_points_count(t.points), 2);
    point_is(t.points, t.arena, 1, "{\"a\": 2}");
    open_done(&t);
    says("[1,\n 2", "p.json", "p.json:2:3: error: ");
}

static void points_are_reached_in_any_order(void **state)
{
    struct points_test t;
    struct buf b;
    char json[64];

    (void)state;
    for (int csv = 0; csv < 2; csv++) {
        buf_init(&b);
        if (csv)
            buf_adds(&b, "i,s\n");
        for (int i = 0; i < 2000; i++)
            buf_addf(&b,
                     csv ? "%d,\"x\n%d\"\n"
                         : "{\"i\": %d, \"s\": "
                           "\"x\\n%d\"}\n\n",
                     i, i);
        open_str(&t, buf_str(&b), csv ? "p.csv" : "p.jsonl");
        assert_int_equal(plan_points_count(t.points), 2000);
        for (uint64_t k = 0; k < 2000; k++) {
            uint64_t i = k < 600 ? k : k * 7919 % 2000;

            snprintf(json, sizeof(json), "{\"i\":%d,\"s\":\"x\\n%d\"}", (int)i,
                     (int)i);
            point_is(t.points, t.arena, i, json);
        }
        open_done(&t);
        buf_done(&b);
    }
}

static void a_point_past_the_end_is_missing(void **state)
{
    struct points_test t;
    struct value *point = NULL;
    struct str run_id;
    struct err err = {0};

    (void)state;
    open_text(&t, "a\n1\n", "p.csv");
    assert_int_equal(
        plan_points_get(t.points, 1, t.arena, &point, &run_id, &err), -1);
    assert_true(err.kind == ERR_MISSING);
    assert_null(point);
    open_done(&t);
}

static void mistakes_have_their_line(void **state)
{
    (void)state;
    says("{\"a\": 1}\n{\"a\": }\n", "p.jsonl", "p.jsonl:2:7: error: expected");
    says("{\"a\": 1}\n\n5\n", "p.jsonl",
         "p.jsonl:3:1: error: a line must be a JSON object, not '5'");
    says("{\"a\": 1} x\n", "p.jsonl", "p.jsonl:1:");
    says("{\"a\": 1, \"a\": 2}\n", "p.jsonl",
         "1:10: error: the key 'a' stands in this line twice");
    says("{\"a b\": 1}\n", "p.jsonl",
         "'a b' cannot be the name of a parameter");
    says("{\"a\": 01}\n", "p.jsonl", "p.jsonl:1:");
    says("a,b\n1,2\n3\n", "p.csv",
         "p.csv:3:1: error: 1 fields, but the header has 2");
    says("a,a\n1,2\n", "p.csv", "1:3: error: the column 'a' is there twice");
    says("\xEF\xBB\xBFlong,b b\n1,2\n", "p.csv", "1:6: error: 'b b' cannot");
    says("\"long\",\xC3\xA4\n1,2\n", "p.csv", "1:8: error: ");
    says("a,\n1,2\n", "p.csv", "'' cannot be the name of a parameter");
    says("a\n\"x\n", "p.csv", "p.csv: error: line 2: ");
    says("a\nx\xff\n", "p.csv", "p.csv:2:1: error: the byte 0xff is not");
    says("", "p.jsonl", "p.jsonl: error: the list of points is empty");
    says("a,b\n", "p.csv", "the list of points is empty");
}

static void at_most_twenty_mistakes_are_listed(void **state)
{
    struct points_test t;
    struct buf b;

    (void)state;
    buf_init(&b);
    for (int i = 0; i < 100; i++)
        buf_adds(&b, "{\"a\": x}\n");
    open_str(&t, buf_str(&b), "p.jsonl");
    assert_int_equal(t.problems.list.len, 21);
    assert_non_null(strstr(t.said.p, "p.jsonl:20:7: error"));
    assert_non_null(
        strstr(t.said.p, "p.jsonl: error: and 80 more mistakes in this list"));
    open_done(&t);
    buf_done(&b);
}

static void a_study_takes_points_and_fills_in_constants(void **state)
{
    static const struct test_file disk[] = {
        {"p.csv", "lr,opt.name\n0.1,sgd\n5,adam\n"}, {NULL, NULL}};
    struct reading_test t;

    (void)state;
    test_read_str(&t,
                  STR("program: a\npoints: p.csv\nparameters:\n"
                      "  lr: {min: 0.0, max: 1.0}\n"
                      "  k: {value: 7}\n"
                      "  opt: {parameters: {name: {values: [sgd, adam]}, m: "
                      "{value: 0.9}}}\n"),
                  "study.yaml", disk);
    assert_non_null(t.plan);
    assert_true(str_is(t.plan->method, "points"));
    assert_false(t.plan->method_said);
    point_is(t.plan->points, t.arena, 0,
             "{\"lr\": 0.1, \"k\": 7, \"opt\": {\"name\": \"sgd\", \"m\": "
             "0.9}}");
    assert_string_equal(t.said.p,
                        "study.yaml:4:7: warning: point 2 of the list has 5 "
                        "for parameter 'lr', which is outside of it\n");
    test_argv_is(&t, "{\"lr\": 1}",
                 "[\"/usr/bin/env\",{\"interpreter\":\"python\"},\"a\","
                 "\"--lr=1\"]");
    test_done(&t);
}

static void a_flat_name_finds_its_nested_place(void **state)
{
    struct reading_test t;

    (void)state;
    test_read_well(&t, "program: a\npoints: [{o.lr: 1, z: 2}, {o: {lr: 3}}]\n"
                       "parameters: {o: {parameters: {lr: {min: 1, max: 5},"
                       " k: {value: 7}}}}\n");
    point_is(t.plan->points, t.arena, 0,
             "{\"o\": {\"lr\": 1, \"k\": 7}, \"z\": 2}");
    point_is(t.plan->points, t.arena, 1, "{\"o\": {\"lr\": 3, \"k\": 7}}");
    test_done(&t);
}

static void members_of_points_are_declared(void **state)
{
    struct reading_test t;

    (void)state;
    test_read_well(&t, "command: run {a} {b} {c}\n"
                       "points: [{a: 1, b: x}, {a: 2}]\n");
    assert_true(plan_declares(t.plan, STR("a")));
    test_argv_is(&t, "{\"a\": 2}", "[\"run\",\"2\",\"\",\"{c}\"]");
    point_is(t.plan->points, t.arena, 1, "{\"a\": 2}");
    test_done(&t);
}

static void wrong_points_of_a_study_are_named(void **state)
{
    (void)state;
    test_says("program: a\npoints: none.csv\n",
              "2:9: error: cannot read none.csv: no such file");
    test_says("program: a\npoints: [{a: 1}, 5]\n",
              "2:18: error: points: a point must be an object");
    test_says("program: a\npoints: []\n", "the list of points is empty");
    test_says("program: a\npoints: [{'a b': 1}]\n",
              "2:11: error: 'a b' cannot be the name of a parameter");
    test_says("program: a\nmethod: points\nparameters: {a: {value: 1}}\n",
              "2:9: error: method points needs points");
    test_says("program: a\nmethod: random\npoints: [{a: 1}]\n",
              "3:9: error: points are given, but the method is random");
    test_says("program: a\npoints: [{a: 1}]\nparameters_file: x\n",
              "give points or parameters_file, not both");
    test_says("program: a\npoints: [{a-b: 1, a_b: 2}]\n",
              "parameters 'a-b' and 'a_b' would both be THRONG_P_a_b");
    test_says("program: a\npoints: [{a-b: 1}]\nparameters: {a_b: {value: "
              "1}}\n",
              "would both be THRONG_P_a_b");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lines_of_json_are_points),
        cmocka_unit_test(rows_of_csv_are_points),
        cmocka_unit_test(the_header_shows_the_separator),
        cmocka_unit_test(a_json_list_is_taken_too),
        cmocka_unit_test(points_are_reached_in_any_order),
        cmocka_unit_test(a_point_past_the_end_is_missing),
        cmocka_unit_test(mistakes_have_their_line),
        cmocka_unit_test(at_most_twenty_mistakes_are_listed),
        cmocka_unit_test(a_study_takes_points_and_fills_in_constants),
        cmocka_unit_test(a_flat_name_finds_its_nested_place),
        cmocka_unit_test(members_of_points_are_declared),
        cmocka_unit_test(wrong_points_of_a_study_are_named),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
