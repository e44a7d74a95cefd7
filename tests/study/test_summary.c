/* test_summary.c - what is remembered of each metric of one trial */
#include "study/summary.h"
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

static void last_least_and_greatest_are_kept(void **state)
{
    (void)state;
    struct summary s = {0};
    struct summary_entry *e =
        summary_entry(&s, STR("loss"), METRIC_FROM_METRICS);
    summary_point(e, 0, 3);
    summary_point(e, 1, 1);
    summary_point(e, 2, 2);
    assert_true(e->last == 2 && e->min == 1 && e->max == 3);
    assert_int_equal(e->step, 2);
    assert_int_equal(e->count, 3);
    summary_done(&s);
}

static void steps_out_of_order_are_noticed(void **state)
{
    (void)state;
    struct summary s = {0};
    struct summary_entry *e =
        summary_entry(&s, STR("loss"), METRIC_FROM_METRICS);
    summary_point(e, 5, 3);
    summary_point(e, 6, 1);
    assert_false(summary_tangled(&s));
    summary_point(e, 6, 2);
    assert_true(summary_tangled(&s));
    summary_done(&s);
}

static void what_is_not_finite_is_last_but_no_least_or_greatest(void **state)
{
    (void)state;
    struct summary s = {0};
    struct summary_entry *e =
        summary_entry(&s, STR("loss"), METRIC_FROM_METRICS);
    summary_point(e, 0, NAN);
    summary_point(e, 1, 5);
    summary_point(e, 2, -INFINITY);
    summary_point(e, 3, INFINITY);
    assert_true(e->last == INFINITY);
    assert_true(e->min == 5 && e->max == 5);
    summary_done(&s);
}

static void a_better_source_replaces_a_worse_one(void **state)
{
    (void)state;
    struct summary s = {0};
    summary_point(summary_entry(&s, STR("loss"), METRIC_FROM_PATTERN), 0, 9);
    struct summary_entry *e =
        summary_entry(&s, STR("loss"), METRIC_FROM_METRICS);
    assert_int_equal(e->count, 0);
    summary_point(e, 0, 1);
    assert_null(summary_entry(&s, STR("loss"), METRIC_FROM_OUTPUT));
    assert_true(summary_find(&s, STR("loss"))->max == 1);
    summary_done(&s);
}

static void it_prints_as_json_by_name(void **state)
{
    (void)state;
    struct summary s = {0};
    struct buf b;
    buf_init(&b);
    summary_point(summary_entry(&s, STR("z"), METRIC_FROM_METRICS), 4, 0.5);
    summary_point(summary_entry(&s, STR("a b"), METRIC_FROM_METRICS), 1, 2);
    summary_print(&b, &s);
    assert_string_equal(
        b.p, "{\"a b\":{\"last\":2.0,\"min\":2.0,\"max\":2.0,\"step\":1,"
             "\"count\":1},\"z\":{\"last\":0.5,\"min\":0.5,\"max\":0.5,"
             "\"step\":4,\"count\":1}}");
    buf_done(&b);
    summary_done(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(last_least_and_greatest_are_kept),
        cmocka_unit_test(steps_out_of_order_are_noticed),
        cmocka_unit_test(what_is_not_finite_is_last_but_no_least_or_greatest),
        cmocka_unit_test(a_better_source_replaces_a_worse_one),
        cmocka_unit_test(it_prints_as_json_by_name),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
