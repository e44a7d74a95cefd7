/* test_anew.c - attempts that find no checkpoint and begin the trial anew */
#include "bed.h"

static void run_anew(struct bed *b, const char *more, const char *command)
{
    enum study_end end;
    const char *text =
        arena_printf(b->arena,
                     "method: grid\nretries: 2\nretry_delay: 0\n"
                     "parameters: {lr: {values: [1]}}\n%s\ncommand: [x, %s]\n",
                     more, command);
    if (bed_run(b, text, &end))
        fail_msg("%s", b->err.text);
}

#define FAILS_AT_8                                                             \
    "attempt=1, metric=loss:1, metric=loss:2, metric=loss:3, metric=loss:4, "  \
    "metric=loss:5, metric=loss:6, metric=loss:7, metric=loss:8, exit=1, "

static void what_a_failed_attempt_said_is_not_the_value(void **s)
{
    struct bed *b = *s;
    run_anew(b, "metric: {name: loss}",
             FAILS_AT_8 "attempt=2, checkpoint=none, metric=loss:0.5");
    assert_true(trial(b, 1).value == 0.5);
    assert_non_null(strstr(trial(b, 1).summary.p, "\"count\":1"));
}

static void nor_is_it_the_best(void **s)
{
    struct bed *b = *s;
    run_anew(b, "metric: {name: loss, pick: best}",
             FAILS_AT_8
             "attempt=2, checkpoint=none, metric=loss:9, metric=loss:10");
    assert_true(trial(b, 1).value == 9);
}

static void nor_of_a_metric_that_was_not_reported_again(void **s)
{
    struct bed *b = *s;
    run_anew(b, "metric: {name: val}",
             "attempt=1, 'metric=loss:1@1', 'metric=val:7@2', exit=1, "
             "attempt=2, checkpoint=none, 'metric=loss:1@1'");
    assert_int_equal(trial(b, 1).state, STATE_DONE);
    assert_true(isnan(trial(b, 1).value));
}

/* The first one that finds no checkpoint counts, and those that go on from
 * what it left. */
static void
what_goes_on_from_an_attempt_that_began_anew_counts_with_it(void **s)
{
    struct bed *b = *s;
    run_anew(
        b, "metric: {name: loss, pick: best, goal: maximize}",
        FAILS_AT_8
        "attempt=2, checkpoint=none, 'metric=loss:3@0', checkpoint=1, exit=85, "
        "attempt=3, 'metric=loss:2@1'");
    assert_true(trial(b, 1).value == 3);
}

static void steps_that_go_on_show_a_checkpoint_of_its_own(void **s)
{
    struct bed *b = *s;
    run_anew(b, "metric: {name: loss, pick: best}",
             "attempt=1, 'metric=loss:1@1', 'metric=loss:5@2', exit=1, "
             "attempt=2, checkpoint=none, 'metric=loss:4@3'");
    assert_true(trial(b, 1).value == 1);
    assert_non_null(strstr(trial(b, 1).summary.p, "\"count\":3"));
}

static void
what_a_lost_attempt_said_stands_until_something_else_is_said(void **s)
{
    struct bed *b = *s;
    run_anew(b, "metric: {name: loss}",
             "attempt=1, metric=loss:7, sleep-ms=1, die, attempt=2, "
             "checkpoint=none");
    assert_true(trial(b, 1).value == 7);
}

static void
what_a_failed_attempt_said_is_no_value_of_one_that_says_nothing(void **s)
{
    struct bed *b = *s;
    run_anew(b, "metric: {name: loss}",
             FAILS_AT_8 "attempt=2, checkpoint=none");
    assert_int_equal(trial(b, 1).state, STATE_DONE);
    assert_true(isnan(trial(b, 1).value));
    assert_null(strstr(trial(b, 1).summary.p, "loss"));
}

static void nor_of_one_that_goes_on_from_it(void **s)
{
    struct bed *b = *s;
    run_anew(b, "metric: {name: loss}",
             FAILS_AT_8 "attempt=2, checkpoint=none, checkpoint=1, exit=85, "
                        "attempt=3");
    assert_int_equal(trial(b, 1).state, STATE_DONE);
    assert_true(isnan(trial(b, 1).value));
}

/* What came before the failure goes with it, what came behind it stands. */
static void what_was_lost_behind_a_failed_attempt_stands(void **s)
{
    struct bed *b = *s;
    run_anew(b, "metric: {name: loss, pick: best}",
             "attempt=1, 'metric=loss:1@1', 'metric=loss:2@2', exit=1, "
             "attempt=2, checkpoint=none, 'metric=loss:7@5', sleep-ms=1, die, "
             "attempt=3, checkpoint=none");
    assert_true(trial(b, 1).value == 7);
    assert_non_null(strstr(trial(b, 1).summary.p, "\"count\":1"));
}

static void a_checkpoint_carries_what_a_failed_attempt_said(void **s)
{
    struct bed *b = *s;
    run_anew(b, "metric: {name: loss}",
             "attempt=1, metric=loss:7, checkpoint=1, exit=1, attempt=2");
    assert_true(trial(b, 1).value == 7);
}

static void patience_begins_anew_with_the_trial(void **s)
{
    struct bed *b = *s;
    run_anew(b,
             "metric: {name: loss}\n"
             "early_terminate: {type: patience, patience: 2}",
             "attempt=1, metric=loss:1, metric=loss:2, exit=1, attempt=2, "
             "checkpoint=none, metric=loss:5, metric=loss:4, metric=loss:6, "
             "metric=loss:6,"
             " sleep-ms=100000, metric=loss:0");
    assert_int_equal(trial(b, 1).state, STATE_STOPPED);
    assert_true(trial(b, 1).value == 6);
    assert_true(str_is(trial(b, 1).reason,
                       "by early_terminate patience at 4: nothing better than "
                       "4 in 2 reports"));
}

#define on_bed(test) cmocka_unit_test_setup_teardown(test, bed_open, bed_close)

int main(void)
{
    const struct CMUnitTest tests[] = {
        on_bed(what_a_failed_attempt_said_is_not_the_value),
        on_bed(nor_is_it_the_best),
        on_bed(nor_of_a_metric_that_was_not_reported_again),
        on_bed(what_goes_on_from_an_attempt_that_began_anew_counts_with_it),
        on_bed(steps_that_go_on_show_a_checkpoint_of_its_own),
        on_bed(what_a_lost_attempt_said_stands_until_something_else_is_said),
        on_bed(what_a_failed_attempt_said_is_no_value_of_one_that_says_nothing),
        on_bed(nor_of_one_that_goes_on_from_it),
        on_bed(what_was_lost_behind_a_failed_attempt_stands),
        on_bed(a_checkpoint_carries_what_a_failed_attempt_said),
        on_bed(patience_begins_anew_with_the_trial),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
