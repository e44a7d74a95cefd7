/* Tests of src/terms/use.c: what an attempt had of a device. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdio.h>
#include <string.h>

#include "terms/record.h"
#include "terms/use.h"

static const char *verdict(const struct use *u, double seconds, double cpu)
{
    static char text[512];
    struct buf b;
    buf_init(&b);
    use_verdict(&b, u, seconds, cpu);
    snprintf(text, sizeof(text), "%s", b.p);
    buf_done(&b);
    return text;
}

static void an_end_brings_what_was_used(void **state)
{
    struct record_ended e = {.outcome = OUTCOME_DONE,
                             .reason = STR(""),
                             .tail = STR(""),
                             .use = {.device = "cuda",
                                     .spent = {1, 2, 3, 4},
                                     .gpu_bytes = 5,
                                     .joules = 6,
                                     .blocked_s = 7}};
    struct record_ended read;
    struct buf b;
    (void)state;
    buf_init(&b);
    record_ended_print(&b, &e);
    assert_int_equal(record_ended_parse(buf_str(&b), &read, NULL), 0);
    assert_string_equal(read.use.device, "cuda");
    assert_true(read.use.spent[SPENT_IDLE] == 4);
    assert_true(read.use.gpu_bytes == 5 && read.use.joules == 6);
    assert_true(read.use.blocked_s == 7);
    for (size_t cut = 1; cut < 60; cut++) /* a torn one is no other */
        assert_int_equal(
            record_ended_parse(str_n(b.p, b.len - cut), &read, NULL), -1);
    buf_done(&b);
}

static void an_end_without_it_is_as_it_was(void **state)
{
    struct record_ended e = {
        .outcome = OUTCOME_DONE, .reason = STR(""), .tail = STR("")};
    struct record_ended read;
    struct buf b;
    (void)state;
    buf_init(&b);
    record_ended_print(&b, &e);
    assert_int_equal(record_ended_parse(buf_str(&b), &read, NULL), 0);
    assert_false(use_is_known(&read.use));
    buf_done(&b);
}

static void a_trainer_says_what_its_gpu_waits_for(void **state)
{
    struct use u = {.device = "cuda", .spent = {71, 20, 5, 4}};
    (void)state;
    assert_string_equal(verdict(&u, 100, 100),
                        "the GPU waits for input 71 % of the time: prepare "
                        "the data once, in files that need no scaling or "
                        "joining");
    u.spent[SPENT_INPUT] = 1;
    u.spent[SPENT_IDLE] = 40;
    assert_non_null(strstr(verdict(&u, 100, 100), "has nothing to train 61 %"));
    u.spent[SPENT_SYNCHRONISING] = 100;
    assert_non_null(strstr(verdict(&u, 100, 100), "is held up 62 %"));
    u.spent[SPENT_COMPUTING] = 10000;
    assert_string_equal(verdict(&u, 100, 100),
                        "the GPU is given work 99 % of the time");
}

static void of_a_program_processes_and_gpu_are_compared(void **state)
{
    struct use u = {.gpu_seen_s = 100, .gpu_busy_s = 20, .blocked_s = 50};
    (void)state;
    assert_non_null(strstr(verdict(&u, 100, 10), "waits for disks 50 %"));
    u.blocked_s = 0;
    assert_non_null(strstr(verdict(&u, 100, 200), "keeps 2.0 cpus busy"));
    assert_non_null(strstr(verdict(&u, 100, 20), "several trials on one GPU"));
    u.gpu_busy_s = 95;
    assert_string_equal(verdict(&u, 100, 20),
                        "the GPU is busy 95 % of the time");
}

static void where_there_is_no_gpu_nothing_is_said(void **state)
{
    struct use cpu = {.device = "cpu", .spent = {9, 1, 0, 0}}, none = {0};
    (void)state;
    assert_string_equal(verdict(&cpu, 10, 10), "");
    assert_string_equal(verdict(&none, 10, 10), "");
}

static void a_few_looks_at_processes_prove_nothing(void **state)
{
    struct use u = {.gpu_seen_s = 2, .gpu_busy_s = 0.2, .blocked_s = 2};
    (void)state;
    assert_null(strstr(verdict(&u, 4, 1), "disks"));
    u = (struct use){.blocked_s = 2};
    assert_string_equal(verdict(&u, 4, 1), "");
}

static void a_program_that_mostly_waits_for_disks_hears_it(void **state)
{
    struct use u = {.blocked_s = 64};
    (void)state;
    assert_string_equal(verdict(&u, 100, 10),
                        "the program waits for disks 64 % of the time: read "
                        "the data once, or from a faster disk");
    u.blocked_s = 40; /* it has other things to do, too */
    assert_string_equal(verdict(&u, 100, 10), "");
}

static const char *of_cpus(double seconds, double cpu, double cpus)
{
    static char text[512];
    struct buf b;
    buf_init(&b);
    use_cpus_verdict(&b, seconds, cpu, cpus);
    snprintf(text, sizeof(text), "%s", b.p);
    buf_done(&b);
    return text;
}

static void cpus_that_are_not_used_are_said(void **state)
{
    (void)state;
    assert_string_equal(of_cpus(100, 100, 4),
                        "the program keeps 1.0 of its 4 cpus busy: with fewer "
                        "(`cpus`) more trials run at once");
    assert_string_equal(of_cpus(100, 290, 4), ""); /* most of them are */
    assert_string_equal(of_cpus(5, 5, 4), "");     /* it may have begun */
    assert_string_equal(of_cpus(100, 2, 1), "");   /* nobody needs less */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_end_brings_what_was_used),
        cmocka_unit_test(an_end_without_it_is_as_it_was),
        cmocka_unit_test(a_trainer_says_what_its_gpu_waits_for),
        cmocka_unit_test(of_a_program_processes_and_gpu_are_compared),
        cmocka_unit_test(where_there_is_no_gpu_nothing_is_said),
        cmocka_unit_test(a_few_looks_at_processes_prove_nothing),
        cmocka_unit_test(a_program_that_mostly_waits_for_disks_hears_it),
        cmocka_unit_test(cpus_that_are_not_used_are_said),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
