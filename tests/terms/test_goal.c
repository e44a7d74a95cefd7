/* test_goal.c - objectives and bounds */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <math.h>

#include "base/json.h"
#include "terms/goal.h"

static const struct objective objectives[] = {{{"loss", 4}, true},
                                              {{"acc", 3}, false}};
static const struct bound bounds[] = {{{"ms", 2}, true, 5},
                                      {{"acc", 3}, false, 0.5}};
static const struct goal goal = {objectives, 2, false, bounds, 2};

static struct value *read_text(struct arena *a, const char *text)
{
    struct value *v = json_parse(a, str_of(text), "summary", true, NULL);
    assert_non_null(v);
    return v;
}

static void values_are_the_last_or_the_best(void **state)
{
    (void)state;
    struct arena *a = arena_new();
    struct value *s =
        read_text(a, "{\"loss\":{\"last\":3,\"min\":1,\"max\":4},"
                     "\"acc\":{\"last\":0.5,\"min\":0.1,\"max\":0.9}}");
    double v[2];
    goal_values(&goal, s, v);
    assert_true(v[0] == 3 && v[1] == 0.5);
    struct goal best = goal;
    best.pick_best = true;
    goal_values(&best, s, v);
    assert_true(v[0] == 1 && v[1] == 0.9);
    goal_values(&goal, read_text(a, "{\"loss\":{\"last\":3}}"), v);
    assert_true(v[0] == 3 && isnan(v[1]));
    arena_free(a);
}

static void a_metric_is_better_as_it_or_its_name_says(void **state)
{
    static const struct {
        const char *name;
        bool minimizes;
    } cases[] = {
        {"loss", true},
        {"acc", false},
        {"val_accuracy", false},
        {"val/Accuracy", false},
        {"f1_micro", false},
        {"top_5_error", true},
        {"train_mse", true},
        {"acc.max", false},
        {"seconds", true},
        {"error.auc", false},
        {"neg_acc", true},
        {"accent", true},
        {"", true},
        {"_", true},
        {"r2", false},
        {"mean_per_class_accuracy", false},
        {"accuracy_per_class", false},
    };
    static const struct objective reward = {{"loss", 4}, false};
    static const struct goal other = {.objectives = &reward,
                                      .objective_count = 1};
    static const struct goal none = {.objective_count = 0};
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct str name = str_of(cases[i].name);
        if (goal_minimizes(&goal, name) != cases[i].minimizes)
            fail_msg("%s", cases[i].name);
    }
    assert_false(goal_minimizes(&other, STR("loss")));
    assert_true(goal_minimizes(&other, STR("val_loss")));
    assert_true(goal_minimizes(&other, STR("seconds")));
    assert_true(goal_minimizes(&other, STR("cpu_seconds")));
    assert_true(goal_minimizes(&other, STR("memory")));
    assert_true(goal_minimizes(&other, STR("mean_per_class_error")));
    assert_false(goal_minimizes(&other, STR("images_per_seconds")));
    assert_true(goal_minimizes(&other, STR("loss_per_token")));
    assert_false(goal_minimizes(&other, STR("width")));
    assert_true(goal_minimizes(&none, STR("seconds")));
    assert_false(goal_minimizes(&none, STR("acc")));
}

static void a_bound_is_kept_or_broken_by_so_much(void **state)
{
    (void)state;
    struct arena *a = arena_new();
    double each[2];
    struct value *s =
        read_text(a, "{\"ms\":{\"last\":7},\"acc\":{\"last\":0.75}}");
    assert_true(goal_broken(&goal, s, each) == 2);
    assert_true(each[0] == 2 && each[1] == -0.25);
    s = read_text(a, "{\"ms\":{\"last\":5},\"acc\":{\"last\":0.5}}");
    assert_true(goal_broken(&goal, s, NULL) == 0);
    s = read_text(a, "{\"acc\":{\"last\":0.5}}");
    assert_true(isinf(goal_broken(&goal, s, each)) && isinf(each[0]));
    arena_free(a);
}

static void assert_says(struct value *s, const char *want)
{
    struct buf b;
    buf_init(&b);
    goal_broken_print(&b, &goal, s);
    assert_string_equal(b.p, want);
    buf_done(&b);
}

static void the_bound_that_is_broken_is_named(void **state)
{
    (void)state;
    struct arena *a = arena_new();
    assert_says(read_text(a, "{\"ms\":{\"last\":7.25},\"acc\":{\"last\":1}}"),
                "ms is 7.25, above its max 5");
    assert_says(read_text(a, "{\"ms\":{\"last\":1},\"acc\":{\"last\":0}}"),
                "acc is 0, below its min 0.5");
    assert_says(read_text(a, "{\"acc\":{\"last\":1}}"),
                "ms, which has a bound, was not reported");
    assert_says(read_text(a, "{\"ms\":{\"last\":null},\"acc\":{\"last\":1}}"),
                "ms, which has a bound, is not a number");
    assert_says(read_text(a, "{\"ms\":{\"last\":1},\"acc\":{\"last\":1}}"), "");
    arena_free(a);
}

static void a_goal_comes_back_from_its_text(void **state)
{
    (void)state;
    struct arena *a = arena_new();
    struct buf one, two;
    struct goal again;
    buf_init(&one);
    buf_init(&two);
    goal_print(&one, &goal);
    assert_int_equal(goal_read(&again, buf_str(&one), a, NULL), 0);
    goal_print(&two, &again);
    assert_string_equal(one.p, two.p);
    assert_int_equal(again.objective_count, 2);
    assert_true(again.bounds[0].is_max && !again.bounds[1].is_max);
    assert_int_equal(goal_read(&again, STR("{}"), a, NULL), 0);
    assert_int_equal(again.objective_count + again.bound_count, 0);
    assert_int_equal(goal_read(&again, STR("{"), a, NULL), -1);
    buf_done(&one);
    buf_done(&two);
    arena_free(a);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(values_are_the_last_or_the_best),
        cmocka_unit_test(a_metric_is_better_as_it_or_its_name_says),
        cmocka_unit_test(a_bound_is_kept_or_broken_by_so_much),
        cmocka_unit_test(the_bound_that_is_broken_is_named),
        cmocka_unit_test(a_goal_comes_back_from_its_text),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
