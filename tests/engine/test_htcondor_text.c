/* What HTCondor's commands print, in the exact form of HTCondor 25.0; what a
 * real pool printed is read as well, where THRONG_TEST_CONDOR names a folder of
 * it. */
#include "engine/htcondor_text.h"
#include "sys/sys.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <cmocka.h>

/* ---- condor_submit ----------------------------------------------------------
 */

static void a_terse_answer_has_cluster_and_count(void **state)
{
    (void)state;
    uint32_t count = 0;
    assert_int_equal(condor_submitted(STR("186.0 - 186.2\n"), &count), 186);
    assert_int_equal(count, 3);
    assert_int_equal(condor_submitted(STR("12.0 - 12.0\n"), &count), 12);
    assert_int_equal(count, 1);
    assert_int_equal(
        condor_submitted(STR("Welcome to ap40\n12.0 - 12.1\n"), &count), 12);
    static const char *const bad[] = {
        "",          "186.0",         "186.0 - 187.2",  "186.1 - 186.2",
        "a.0 - a.1", "186.0 - 186.x", "Submitting job", "0.0 - 0.99999999999"};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        assert_int_equal(condor_submitted(str_of(bad[i]), &count), 0);
}

static void warnings_are_found(void **state)
{
    (void)state;
    static const char said[] =
        "\nWARNING: more\nWARNING: the line 'rnk = 1' was unused by "
        "condor_submit. Is it a typo?\nWARNING: last\n";
    struct str w = condor_unused(str_of(said));
    assert_true(str_starts(w, STR("WARNING: the line 'rnk = 1'")));
    assert_true(str_ends(w, STR("a typo?")));
    assert_true(str_is(condor_warning(str_of(said)), "WARNING: more"));
    assert_int_equal(condor_unused(STR("WARNING: more")).len, 0);
    assert_int_equal(condor_warning(STR("")).len, 0);
    assert_int_equal(condor_warning(STR("a WARNING: inside")).len, 0);
}

static void what_passes_by_itself_is_tried_again(void **state)
{
    (void)state;
    assert_true(
        condor_passes(STR("ERROR: Failed to connect to local queue manager")));
    assert_true(
        condor_passes(STR("ERROR: Can't find address of local schedd")));
    assert_false(condor_passes(STR("ERROR: Parse error in expression")));
    assert_false(condor_passes(STR("Can't access executable file w")));
}

static void jobs_that_are_gone_are_no_fault(void **state)
{
    (void)state;
    assert_true(condor_gone(STR("\nJob 40.0 not found\n")));
    assert_true(
        condor_gone(STR("Couldn't find/remove all jobs in cluster 99999")));
    assert_true(condor_gone(STR("Job 40.0 already marked for removal")));
    assert_true(condor_gone(STR("\nJob 41.0 not running to be vacated\n")));
    assert_false(condor_gone(STR("")));
    assert_false(condor_gone(STR("SECMAN:2007:Failed to end classad message.\n"
                                 "No result found for job 117.0")));
}

/* ---- condor_q, condor_history
 * ------------------------------------------------- */

static const char queue[] =
    "[\n{\n  \"ClusterId\": 24,\n  \"JobStatus\": 2,\n  \"NumJobStarts\": 0,\n"
    "  \"ProcId\": 0,\n  \"RemoteHost\": \"slot1_1@e7.example.net\"\n}\n,\n"
    "{\n  \"ClusterId\": 26,\n"
    "  \"HoldReason\": \"submitted on hold at user's request\",\n"
    "  \"HoldReasonCode\": 15,\n  \"JobStatus\": 5,\n  \"ProcId\": 3,\n"
    "  \"LastRemoteHost\": \"slot1_2@glidein_7_81@e8.example.net\"\n}\n,\n"
    "{\n  \"ClusterId\": 27,\n  \"JobStatus\": 4,\n  \"ExitBySignal\": true,\n"
    "  \"ExitCode\": 85,\n  \"ExitSignal\": 9,\n  \"ProcId\": 0,\n"
    "  \"MemoryUsage\": \"\\/Expr(((ResidentSetSize + 1023) / 1024))\\/\"\n}\n,"
    "\n{\n  \"ClusterId\": 28,\n  \"JobStatus\": 4,\n  \"ExitBySignal\": "
    "false,\n  \"ExitCode\": 3,\n  \"ProcId\": 0\n}\n]\n";

static void jobs_of_the_queue_are_read(void **state)
{
    (void)state;
    struct condor_ads ads = {0};
    assert_int_equal(condor_read_jobs(str_of(queue), &ads, NULL), 0);
    assert_int_equal(ads.list.len, 4);
    assert_int_equal(ads.list.p[0].job.state, CONDOR_JOB_RUNS);
    assert_string_equal(ads.list.p[0].job.node, "e7.example.net");
    assert_int_equal(ads.list.p[1].proc, 3);
    assert_int_equal(ads.list.p[1].job.state, CONDOR_JOB_HOLDS);
    assert_int_equal(ads.list.p[1].job.code, 15);
    assert_string_equal(ads.list.p[1].job.node, "e8.example.net");
    assert_int_equal(ads.list.p[2].job.exit_signal, 9);
    assert_int_equal(ads.list.p[2].job.exit_code, -1);
    assert_int_equal(ads.list.p[3].job.exit_code, 3);
    vec_done(&ads.list);
}

static void who_removed_a_job_is_read_where_its_log_is_silent(void **state)
{
    struct condor_ads ads = {0};
    (void)state;
    assert_int_equal(
        condor_read_jobs(
            STR("[{\"ClusterId\": 3, \"ProcId\": 0, \"JobStatus\": 3, "
                "\"RemoveReason\": \"via condor_rm (by user ada)\"}]"),
            &ads, NULL),
        0);
    assert_int_equal(ads.list.len, 1);
    assert_string_equal(ads.list.p[0].job.by, "ada");
    vec_done(&ads.list);
}

static void nothing_is_no_job_and_half_is_no_answer(void **state)
{
    (void)state;
    struct condor_ads ads = {0};
    assert_int_equal(condor_read_jobs(STR(""), &ads, NULL), 0);
    assert_int_equal(condor_read_jobs(STR("[\n]\n"), &ads, NULL), 0);
    assert_int_equal(ads.list.len, 0);
    assert_int_equal(condor_read_jobs(STR("{}"), &ads, NULL), -1);
    for (size_t len = 1; len < sizeof queue - 3; len++) {
        struct err err = {0};
        assert_int_equal(condor_read_jobs(str_n(queue, len), &ads, &err), -1);
        assert_int_equal(ads.list.len, 0);
    }
    vec_done(&ads.list);
}

/* ---- condor_status
 * -------------------------------------------------------------- */

static void machines_have_what_their_slots_have_in_all(void **state)
{
    struct arena *a = arena_new();
    struct nodes nodes = {0};
    struct needs n;
    (void)state;
    assert_int_equal(
        condor_read_nodes(
            STR("[\n{\n  \"Cpus\": 7,\n  \"Machine\": \"e1.example.net\",\n"
                "  \"Memory\": 16256,\n  \"SlotType\": \"Partitionable\",\n"
                "  \"TotalSlotCpus\": 8,\n  \"TotalSlotGPUs\": 2,\n"
                "  \"TotalSlotMemory\": 16384\n}\n,\n{\n  \"Cpus\": 1,\n"
                "  \"Machine\": \"e2.example.net\",\n  \"Memory\": 512\n}\n]"),
            a, &nodes, NULL),
        0);
    assert_int_equal(nodes.list.len, 2);
    needs_init(&n);
    assert_int_equal(nodes_slots(&nodes, &n), 9);
    n.gpus = 1;
    assert_int_equal(nodes_slots(&nodes, &n), 2);
    n.gpus = 3;
    assert_int_equal(nodes_check(&nodes, &n, NULL), -1);
    vec_done(&nodes.list);
    arena_free(a);
}

static void every_hold_says_what_to_do(void **state)
{
    (void)state;
    for (int code = 0; code < 60; code++)
        assert_true(strlen(condor_hold_find(code)->words) > 10);
    assert_true(condor_hold_find(12)->machine);
    assert_false(condor_hold_find(1)->machine);
    assert_non_null(strstr(condor_hold_find(34)->words, "memory"));
}

/* ---- what a real pool printed
 * ----------------------------------------------------- */

/* What follows "--- stdout" of the n-th command of a transcript. */
static struct str printed(const char *name, size_t n, struct arena *a)
{
    struct buf text;
    buf_init(&text);
    assert_int_equal(file_read(path_join(a, getenv("THRONG_TEST_CONDOR"), name),
                               0, &text, NULL),
                     0);
    const char *at = arena_cstr(a, buf_str(&text));
    buf_done(&text);
    for (size_t i = 0; i <= n; i++) {
        at = strstr(at, "--- stdout\n");
        assert_non_null(at);
        at += strlen("--- stdout\n");
    }
    const char *end = strstr(at, "--- ");
    assert_non_null(end);
    return str_n(at, (size_t)(end - at));
}

static void answers_of_a_real_pool_are_read(void **state)
{
    (void)state;
    if (!getenv("THRONG_TEST_CONDOR"))
        skip(); /* THRONG_TEST_CONDOR names no folder of them */
    struct arena *a = arena_new();
    struct condor_ads ads = {0};
    struct nodes nodes = {0};
    uint32_t count;
    assert_int_equal(
        condor_submitted(printed("01-submit-ok.txt", 1, a), &count), 186);
    assert_int_equal(count, 3);
    assert_int_equal(
        condor_read_jobs(printed("02-q-json.txt", 0, a), &ads, NULL), 0);
    assert_int_equal(ads.list.len, 4);
    assert_int_equal(ads.list.p[3].job.state, CONDOR_JOB_HOLDS);
    ads.list.len = 0;
    assert_int_equal(
        condor_read_jobs(printed("06-history.txt", 0, a), &ads, NULL), 0);
    assert_int_equal(ads.list.len, 2);
    assert_int_equal(ads.list.p[0].job.state, CONDOR_JOB_DONE);
    assert_int_equal(
        condor_read_nodes(printed("06-status.txt", 1, a), a, &nodes, NULL), 0);
    vec_done(&ads.list);
    vec_done(&nodes.list);
    arena_free(a);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_terse_answer_has_cluster_and_count),
        cmocka_unit_test(warnings_are_found),
        cmocka_unit_test(what_passes_by_itself_is_tried_again),
        cmocka_unit_test(jobs_that_are_gone_are_no_fault),
        cmocka_unit_test(jobs_of_the_queue_are_read),
        cmocka_unit_test(who_removed_a_job_is_read_where_its_log_is_silent),
        cmocka_unit_test(nothing_is_no_job_and_half_is_no_answer),
        cmocka_unit_test(machines_have_what_their_slots_have_in_all),
        cmocka_unit_test(every_hold_says_what_to_do),
        cmocka_unit_test(answers_of_a_real_pool_are_read),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
