/* What a file tells of the jobs of a study. */
#include "terms/job.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <cmocka.h>

static void a_line_comes_back_as_it_was(void **state)
{
    (void)state;
    struct job_line in = {.index = 3,
                          .stage = JOB_OVER,
                          .tasks = STR("1-4,9"),
                          .state = STR("CANCELLED"),
                          .reason = STR("a\tb\nc"),
                          .node = STR("n0"),
                          .by = STR("ann"),
                          .words = STR("a person ended it"),
                          .exit_code = -1};
    struct job_line out;
    struct buf b;
    buf_init(&b);
    job_line_print(&b, &in);
    assert_true(b.len && b.p[b.len - 1] == '\n');
    assert_true(job_line_parse(str_n(b.p, b.len - 1), &out));
    assert_int_equal(out.index, 3);
    assert_int_equal(out.stage, JOB_OVER);
    assert_int_equal(out.exit_code, -1);
    assert_true(str_is(out.tasks, "1-4,9"));
    assert_true(str_is(out.state, "CANCELLED"));
    assert_true(str_is(out.reason, "a b c"));
    assert_true(str_is(out.node, "n0"));
    assert_true(str_is(out.by, "ann"));
    assert_true(str_is(out.words, "a person ended it"));
    for (size_t len = 0; len < b.len - 3; len++)
        assert_false(job_line_parse(str_n(b.p, len), &out));
    buf_done(&b);
}

static void a_job_waits_again(void **state)
{
    (void)state;
    struct job_line in = {.stage = JOB_WAITS, .again = true}, out;
    struct buf b;
    buf_init(&b);
    job_line_print(&b, &in);
    assert_true(job_line_parse(str_n(b.p, b.len - 1), &out));
    assert_int_equal(out.stage, JOB_WAITS);
    assert_true(out.again);
    buf_reset(&b);
    in.stage = JOB_RUNS;
    job_line_print(&b, &in);
    assert_true(job_line_parse(str_n(b.p, b.len - 1), &out));
    assert_int_equal(out.stage, JOB_RUNS);
    assert_false(out.again);
    buf_done(&b);
}

static void what_is_no_line_is_refused(void **state)
{
    (void)state;
    struct job_line l;
    struct job_head h;
    assert_false(job_line_parse(STR(""), &l));
    assert_false(job_line_parse(STR("0\tPENDING\tResources\t"), &l));
    assert_false(job_line_parse(STR("x\tover\t1\t\t\t\t\t\t0"), &l));
    assert_false(job_line_parse(STR("1\tnever\t1\t\t\t\t\t\t0"), &l));
    assert_false(job_line_parse(STR("1\tover\t1\t\t\t\t\t\t0\t"), &l));
    assert_false(job_line_parse(STR("1\tover\t1\t\t\t\t\t\t256"), &l));
    assert_false(job_head_parse(STR(""), &h));
    assert_false(job_head_parse(STR("Slurm\t7"), &h));
    assert_false(job_head_parse(STR("\t7\tshort\t60"), &h));
    assert_false(job_head_parse(STR("Slurm\t7\tshort\tsoon"), &h));
    assert_true(job_head_parse(STR("Slurm\t7\tshort\t60"), &h));
    assert_true(str_is(h.scheduler, "Slurm"));
    assert_true(str_is(h.class, "short"));
    assert_int_equal(h.job, 7);
    assert_true(h.time_s > 59 && h.time_s < 61);
}

static void check_tasks(const uint64_t *ids, size_t count, const char *text)
{
    struct buf b;
    buf_init(&b);
    job_tasks_print(&b, ids, count);
    assert_string_equal(b.p, text);
    for (size_t i = 0; i < count; i++)
        assert_true(job_tasks_have(buf_str(&b), ids[i]));
    assert_int_equal(job_tasks_count(buf_str(&b)), count);
    buf_done(&b);
}

static void tasks_that_follow_each_other_are_joined(void **state)
{
    (void)state;
    check_tasks((const uint64_t[]){1, 2, 3, 9, 11, 12}, 6, "1-3,9,11-12");
    check_tasks((const uint64_t[]){7}, 1, "7");
    check_tasks((const uint64_t[]){5, 4, 3}, 3, "5,4,3");
    check_tasks(NULL, 0, "");
    assert_false(job_tasks_have(STR("1-3,9"), 4));
    assert_false(job_tasks_have(STR("nonsense"), 4));
    assert_false(job_tasks_have(STR("9-1"), 4));
}

static void each_scheduler_has_its_own_way_to_write_a_job(void **state)
{
    struct buf b;
    (void)state;
    buf_init(&b);
    job_id_print(&b, STR("Slurm"), 12, 3);
    buf_addc(&b, ' ');
    job_id_print(&b, STR("HTCondor"), 12, 3);
    assert_string_equal(b.p, "12_3 12.3");
    buf_done(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_line_comes_back_as_it_was),
        cmocka_unit_test(a_job_waits_again),
        cmocka_unit_test(what_is_no_line_is_refused),
        cmocka_unit_test(tasks_that_follow_each_other_are_joined),
        cmocka_unit_test(each_scheduler_has_its_own_way_to_write_a_job),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
