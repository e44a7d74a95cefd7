/* test_pace.c - how long the rest takes, from the first end on */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <math.h>

#include "study/pace.h"

#define S 1000000000ll

static double left_after(const struct pace *p, int64_t remaining)
{
    struct study_pace now;
    pace_now(p, p->last_ns, &now);
    return study_pace_left(&now, remaining);
}

static void nothing_is_known_before_the_first_end(void **state)
{
    (void)state;
    struct pace p = {0};
    assert_true(left_after(&p, 10) == -1);
}

static void the_rest_takes_its_rounds_of_the_median(void **state)
{
    (void)state;
    struct pace p = {0};
    /* 40 trials of 6 s, four at once: after the first round 54 s are left. */
    for (int i = 0; i < 4; i++)
        pace_end(&p, 6, 4, 6 * S + i);
    assert_true(fabs(left_after(&p, 36) - 54) < 0.01);
    /* Thirty at once, of which 33 have ended within a moment. */
    p = (struct pace){0};
    for (int i = 0; i < 33; i++)
        pace_end(&p, 8, 30, 8 * S + i);
    assert_true(fabs(left_after(&p, 27) - 7.2) < 0.01);
}

static void a_trial_that_fails_at_once_moves_nothing(void **state)
{
    (void)state;
    struct pace p = {0};
    for (int i = 0; i < 9; i++)
        pace_end(&p, i == 4 ? 0.01 : 60, 2, (i + 1) * 30 * S);
    assert_true(fabs(left_after(&p, 10) - 300) < 0.01);
}

static void of_short_trials_what_was_counted_counts(void **state)
{
    (void)state;
    struct pace p = {0};
    /* Each takes a millisecond, but only a hundred end in a second. */
    for (int i = 0; i < 1000; i++)
        pace_end(&p, 0.001, 2, i * S / 100);
    assert_true(fabs(left_after(&p, 500) - 5) < 0.1);
}

/* What jobs have done comes when they end, and all of it at once. */
static void
trials_that_arrive_at_once_are_counted_from_the_beginning(void **state)
{
    (void)state;
    struct pace p = {0};
    pace_begin(&p, 100 * S);
    for (int i = 0; i < 2; i++)
        pace_end(&p, 0, 1, 110 * S + i);
    assert_true(fabs(left_after(&p, 10) - 50) < 0.1);
    for (int i = 2; i < 500; i++)
        pace_end(&p, 0.002, 1, 110 * S + i);
    assert_true(fabs(left_after(&p, 500) - 10) < 0.1);
}

/* One that hangs, or that is of another kind than all before. */
static void when_nothing_has_ended_for_long_nothing_is_known(void **state)
{
    (void)state;
    struct study_pace now;
    struct pace p = {0};
    for (int i = 0; i < 9; i++)
        pace_end(&p, i == 4 ? 600 : 60, 2, (i + 1) * 30 * S);
    pace_now(&p, p.last_ns + 1799 * S, &now);
    assert_true(fabs(study_pace_left(&now, 10) - 300) < 0.01);
    pace_now(&p, p.last_ns + 1801 * S, &now);
    assert_true(study_pace_left(&now, 10) == -1);
    assert_true(now.median_s == 60);
    /* Jobs of short trials come at once, and the next ones as late. */
    p = (struct pace){0};
    pace_begin(&p, 100 * S);
    for (int i = 0; i < 50; i++)
        pace_end(&p, 0.1, 1, 400 * S + i);
    pace_now(&p, 699 * S, &now);
    assert_true(study_pace_left(&now, 50) > 0);
    pace_now(&p, 701 * S, &now);
    assert_true(study_pace_left(&now, 50) == -1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nothing_is_known_before_the_first_end),
        cmocka_unit_test(the_rest_takes_its_rounds_of_the_median),
        cmocka_unit_test(a_trial_that_fails_at_once_moves_nothing),
        cmocka_unit_test(of_short_trials_what_was_counted_counts),
        cmocka_unit_test(
            trials_that_arrive_at_once_are_counted_from_the_beginning),
        cmocka_unit_test(when_nothing_has_ended_for_long_nothing_is_known),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
