/* test_progress.c - the line that says how far a study is */
#include "cli/progress.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

static struct study_progress halfway(void)
{
    struct study_progress p = {.total = 100,
                               .rate = 3.14,
                               .left_s = 15.9,
                               .elapsed_s = 16,
                               .best = 7,
                               .best_value = 0.2125,
                               .ended_here = 50};
    p.counts.by_state[STATE_DONE] = 47;
    p.counts.by_state[STATE_FAILED] = 1;
    p.counts.by_state[STATE_STOPPED] = 2;
    p.counts.by_state[STATE_RUNNING] = 4;
    p.counts.total = 54;
    return p;
}

static struct study_progress huge(void)
{
    struct study_progress p = {.total = 1000000000,
                               .rate = 12345.6,
                               .left_s = 1e6,
                               .best = 123456789,
                               .best_value = -1.2345678e-105,
                               .draining = false};
    p.counts.by_state[STATE_DONE] = 999999999;
    p.counts.by_state[STATE_FAILED] = 123456789;
    p.counts.by_state[STATE_STOPPED] = 123456789;
    p.counts.by_state[STATE_KILLED] = 123456789;
    p.counts.by_state[STATE_RUNNING] = 100000;
    return p;
}

static void prints(const struct study_progress *p, unsigned columns,
                   const char *expected)
{
    struct buf b;
    buf_init(&b);
    progress_print(&b, p, columns);
    assert_string_equal(b.p, expected);
    buf_done(&b);
}

static void an_ordinary_line_fits_80_columns(void **state)
{
    (void)state;
    struct study_progress p = halfway();
    prints(&p, 80,
           "50/100 done 3.1/s 16s left 4 running 1 failed 2 stopped "
           "best 0.2125 (trial 7)");
    p.counts.by_state[STATE_STOPPED] = 0;
    prints(&p, 80,
           "48/100 done  3.1/s  16s left  4 running  1 failed  "
           "best 0.2125 (trial 7)");
}

static void a_narrow_line_is_said_shorter(void **state)
{
    (void)state;
    struct study_progress p = halfway();
    prints(&p, 70,
           "50/100 3.1/s 16s left 4 running 1 failed 2 stopped best 0.2125 #7");
    prints(&p, 62,
           "50/100 16s left 4 running 1 failed 2 stopped best 0.2125 #7");
    prints(&p, 20, "50/100 16s left 4 r");
}

static void under_noise_the_best_is_still_what_was_measured(void **state)
{
    (void)state;
    struct study_progress p = halfway();
    p.likely = (struct trial_mean){12, 0.25};
    prints(&p, 100,
           "50/100 done  3.1/s  16s left  4 running  1 failed  2 stopped  "
           "best 0.2125 (trial 7)");
    prints(&p, 70,
           "50/100 3.1/s 16s left 4 running 1 failed 2 stopped best 0.2125 #7");
}

static void no_line_is_wider_than_its_columns(void **state)
{
    (void)state;
    struct study_progress p = huge();
    struct buf b;
    buf_init(&b);
    for (unsigned columns = 20; columns < 200; columns++) {
        progress_print(&b, &p, columns);
        assert_true(b.len < columns && b.p[b.len] == 0);
    }
    buf_done(&b);
}

static void what_is_not_known_is_not_said(void **state)
{
    (void)state;
    struct study_progress p = {.total = -1, .left_s = -1};
    p.counts.by_state[STATE_RUNNING] = 2;
    prints(&p, 80, "0 done  2 running");
    p.draining = true;
    prints(&p, 80, "0 done  2 running  ending");
}

static void no_time_is_left_at_the_end(void **state)
{
    (void)state;
    struct study_progress p = {.total = 2, .left_s = 0, .rate = 0.01};
    p.counts.by_state[STATE_DONE] = 2;
    prints(&p, 80, "2/2 done  0.6/min");
}

static void the_last_line_says_how_long_it_took(void **state)
{
    (void)state;
    struct study_progress p = halfway();
    struct buf b;
    buf_init(&b);
    p.counts.by_state[STATE_RUNNING] = 0;
    progress_print_end(&b, &p);
    assert_string_equal(b.p, "50/100 done in 16s  3.1/s  1 failed  2 stopped  "
                             "best 0.2125 (trial 7)");
    buf_done(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_ordinary_line_fits_80_columns),
        cmocka_unit_test(a_narrow_line_is_said_shorter),
        cmocka_unit_test(under_noise_the_best_is_still_what_was_measured),
        cmocka_unit_test(no_line_is_wider_than_its_columns),
        cmocka_unit_test(what_is_not_known_is_not_said),
        cmocka_unit_test(no_time_is_left_at_the_end),
        cmocka_unit_test(the_last_line_says_how_long_it_took),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
