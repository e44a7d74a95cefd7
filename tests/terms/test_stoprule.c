/* test_stoprule.c - when one trial has seen enough */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <math.h>

#include "terms/stoprule.h"

/* Number of the report that stops, from 1; 0 when none does. */
static int stops_at(const struct stoprule *rule, bool minimize,
                    const double *values, int count)
{
    struct stoprule_state s;
    stoprule_begin(&s);
    for (int i = 0; i < count; i++)
        if (stoprule_report(rule, &s, minimize, values[i], i) == DECISION_STOP)
            return i + 1;
    return 0;
}

static void no_rule_never_stops(void **state)
{
    (void)state;
    struct stoprule rule = {.kind = STOPRULE_NONE};
    const double values[] = {1, 2, NAN, INFINITY};
    assert_int_equal(stops_at(&rule, true, values, 4), 0);
}

static void patience_ends_after_reports_without_a_better_value(void **state)
{
    (void)state;
    struct stoprule rule = {.kind = STOPRULE_PATIENCE, .patience = 2};
    const double values[] = {5, 4, 4.5, 3, 3, 3};
    assert_int_equal(stops_at(&rule, true, values, 6), 6);
    const double rising[] = {1, 2, 3, 3, 2.9};
    assert_int_equal(stops_at(&rule, false, rising, 5), 5);
    assert_int_equal(stops_at(&rule, true, rising, 5), 3);
}

static void patience_wants_more_than_min_delta(void **state)
{
    (void)state;
    struct stoprule rule = {
        .kind = STOPRULE_PATIENCE, .patience = 2, .min_delta = 0.5};
    const double values[] = {5, 4.8, 4.6, 4.4};
    assert_int_equal(stops_at(&rule, true, values, 4), 3);
}

static void what_is_not_finite_is_never_better(void **state)
{
    (void)state;
    struct stoprule rule = {.kind = STOPRULE_PATIENCE, .patience = 3};
    const double values[] = {NAN, NAN, 7, NAN, -INFINITY, NAN};
    assert_int_equal(stops_at(&rule, true, values, 6), 6);
    const double nothing[] = {NAN, -INFINITY, INFINITY};
    assert_int_equal(stops_at(&rule, true, nothing, 3), 3);
}

static void threshold_judges_from_the_given_report_on(void **state)
{
    (void)state;
    struct stoprule rule = {
        .kind = STOPRULE_THRESHOLD, .threshold = 1, .from = 3};
    const double values[] = {9, 9, 1, 0.5, 1.01};
    assert_int_equal(stops_at(&rule, true, values, 5), 5);
    assert_int_equal(stops_at(&rule, false, values, 5), 4);
}

static void what_is_not_finite_is_worse_than_a_threshold(void **state)
{
    (void)state;
    struct stoprule rule = {.kind = STOPRULE_THRESHOLD, .threshold = 1};
    const double values[] = {0.5, NAN};
    assert_int_equal(stops_at(&rule, true, values, 2), 2);
    const double large[] = {2, INFINITY};
    assert_int_equal(stops_at(&rule, false, large, 2), 2);
    const double endless[] = {0.5, -INFINITY};
    assert_int_equal(stops_at(&rule, true, endless, 2), 2);
}

static void time_ends_after_its_seconds(void **state)
{
    (void)state;
    struct stoprule rule = {.kind = STOPRULE_TIME, .seconds = 2.5};
    const double values[] = {1, 1, 1, 1, 1};
    assert_int_equal(stops_at(&rule, true, values, 5), 4);
}

/* Values that fall, rise and stand still. */
static void no_rule_ends_a_trial_sooner_than_it_says(void **state)
{
    (void)state;
    const struct stoprule rules[] = {
        {.kind = STOPRULE_PATIENCE, .patience = 3},
        {.kind = STOPRULE_PATIENCE, .patience = 3, .from = 9},
        {.kind = STOPRULE_THRESHOLD, .threshold = 5, .from = 4},
        {.kind = STOPRULE_THRESHOLD, .threshold = 8},
    };
    for (size_t i = 0; i < sizeof rules / sizeof *rules; i++) {
        struct stoprule_state s;
        int64_t reports = 0, next, stops = 0;
        stoprule_begin(&s);
        for (; reports<50; stops += next> 0) {
            next = reports + stoprule_more(&rules[i], &s);
            double value = (double)(reports * reports % 11) + 1;
            reports++;
            next = stoprule_report(&rules[i], &s, true, value, 0) ==
                           DECISION_CONTINUE
                       ? 0
                       : next;
            assert_true(!next || reports >= next);
        }
        assert_true(stops > 0);
    }
}

static void no_report_ends_a_trial_by_its_time(void **state)
{
    (void)state;
    struct stoprule time = {.kind = STOPRULE_TIME, .seconds = 1}, none = {0};
    struct stoprule_state s;
    stoprule_begin(&s);
    assert_int_equal(stoprule_more(&time, &s), 0);
    assert_int_equal(stoprule_more(&none, &s), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(no_rule_never_stops),
        cmocka_unit_test(patience_ends_after_reports_without_a_better_value),
        cmocka_unit_test(patience_wants_more_than_min_delta),
        cmocka_unit_test(what_is_not_finite_is_never_better),
        cmocka_unit_test(threshold_judges_from_the_given_report_on),
        cmocka_unit_test(what_is_not_finite_is_worse_than_a_threshold),
        cmocka_unit_test(time_ends_after_its_seconds),
        cmocka_unit_test(no_rule_ends_a_trial_sooner_than_it_says),
        cmocka_unit_test(no_report_ends_a_trial_by_its_time),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
