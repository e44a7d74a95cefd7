/* How tasks become jobs. */
#include "engine/sizes.h"
#include <setjmp.h>
#include <stdarg.h>
#include <cmocka.h>

static struct sizes sixteen_slots(size_t waiting, double task_s)
{
    return (struct sizes){.waiting = waiting,
                          .slots = 16,
                          .job_slots = 1,
                          .out_max = 100000,
                          .task_s = task_s,
                          .bundle_time_s = 1800};
}

static void cut_is(const struct sizes *s, size_t jobs, size_t tasks)
{
    struct cut c = sizes_cut(s);
    assert_int_equal(c.jobs, jobs);
    if (jobs)
        assert_int_equal(c.tasks, tasks);
}

static void a_few_jobs_of_one_task_measure_first(void **state)
{
    (void)state;
    struct sizes s = sixteen_slots(2000, -1);
    cut_is(&s, 16, 1);
    s.slots = 3000;
    s.waiting = 50000;
    cut_is(&s, 16, 1);
    s.out = 16;
    cut_is(&s, 0, 0); /* they are waited for … */
    s.longest_s = 11;
    cut_is(&s, 2984, 1); /* … but not for long */
}

static void what_fits_at_once_needs_no_measure(void **state)
{
    (void)state;
    struct sizes s = sixteen_slots(5, -1);
    s.slots = 3000;
    cut_is(&s, 5, 1);
    s.waiting = 2999;
    cut_is(&s, 2999, 1);
}

static void short_tasks_are_spread_over_all_slots(void **state)
{
    (void)state;
    struct sizes s = sixteen_slots(1984, 0.01);
    cut_is(&s, 16, 124);
    s.waiting = 10;
    cut_is(&s, 10, 1);
}

static void a_job_takes_no_longer_than_it_should(void **state)
{
    (void)state;
    struct sizes s = sixteen_slots(16000, 60);
    assert_int_equal(sizes_full(&s), 30);
    cut_is(&s, 534, 30);
    s.task_s = 3600; /* long tasks have jobs of their own */
    cut_is(&s, 16000, 1);
    s.task_s = 60;
    s.job_time_s = 600; /* it would be ended otherwise */
    assert_int_equal(sizes_full(&s), 7);
}

static void jobs_of_many_slots_hold_as_many_more(void **state)
{
    (void)state;
    struct sizes s = sixteen_slots(1600, 60);
    s.job_slots = 4;
    assert_int_equal(sizes_full(&s), 120);
    cut_is(&s, 14, 120);
    s.task_s = -1;
    cut_is(&s, 4, 4);
}

static void those_that_trickle_in_wait_for_each_other(void **state)
{
    (void)state;
    struct sizes s = sixteen_slots(3, 60);
    s.out = 17;
    s.queued = 1;
    cut_is(&s, 0, 0);
    s.waiting = 30; /* a job is full */
    cut_is(&s, 15, 2);
    s.waiting = 3;
    s.queued = 0; /* nothing waits for the next slot that falls free */
    cut_is(&s, 3, 1);
    s.queued = s.out = 15; /* a slot may be free */
    cut_is(&s, 3, 1);
}

static void no_more_jobs_are_out_than_may_be(void **state)
{
    (void)state;
    struct sizes s = sixteen_slots(2000, -1);
    s.out_max = 4;
    cut_is(&s, 4, 1);
    s.out = 4;
    cut_is(&s, 0, 0);
    s.out = 3;
    s.task_s = 60;
    cut_is(&s, 1, 30);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_few_jobs_of_one_task_measure_first),
        cmocka_unit_test(what_fits_at_once_needs_no_measure),
        cmocka_unit_test(short_tasks_are_spread_over_all_slots),
        cmocka_unit_test(a_job_takes_no_longer_than_it_should),
        cmocka_unit_test(jobs_of_many_slots_hold_as_many_more),
        cmocka_unit_test(those_that_trickle_in_wait_for_each_other),
        cmocka_unit_test(no_more_jobs_are_out_than_may_be),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
