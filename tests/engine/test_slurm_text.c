/* What Slurm's commands print; the texts are those of Slurm 22.05. */
#include "engine/slurm_text.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <cmocka.h>
#include <math.h>

static int open_arena(void **state)
{
    *state = arena_new();
    return 0;
}

static int close_arena(void **state)
{
    arena_free(*state);
    return 0;
}

static const char queue[] = "9|N/A|CANCELLED|PartitionConfig||0|0|\n"
                            "10|2|CANCELLED|None|n0|0|15|\n"
                            "10|1|PENDING|BeginTime||1|0|\n"
                            "10|0|RUNNING|None|n0|0|0|\n"
                            "14|0|FAILED|NonZeroExitCode|n3|0|16896|\n"
                            "15|7|NODE_FAIL|None|n1|2|0|\n"
                            "15|8|SIGNALING|None|n1|0|0|\n";

static void the_queue_tells_of_elements_of_arrays(void **state)
{
    (void)state;
    struct job_words w = {0};
    assert_int_equal(slurm_read_queue(str_of(queue), &w, NULL), 0);
    assert_int_equal(w.list.len, 6);
    assert_int_equal(w.list.p[0].job, 10);
    assert_int_equal(w.list.p[0].index, 2);
    assert_int_equal(w.list.p[0].stage, JOB_OVER);
    assert_int_equal(w.list.p[0].end, JOB_REMOVED);
    assert_int_equal(w.list.p[0].exit_code, -1);
    assert_int_equal(w.list.p[0].reason.len, 0);
    assert_int_equal(w.list.p[1].stage, JOB_WAITS);
    assert_int_equal(w.list.p[1].starts, 1);
    assert_true(str_is(w.list.p[1].reason, "BeginTime"));
    assert_int_equal(w.list.p[2].stage, JOB_RUNS);
    assert_true(str_is(w.list.p[2].node, "n0"));
    assert_int_equal(w.list.p[3].end, JOB_ENDED);
    assert_int_equal(w.list.p[3].exit_code, 66);
    assert_int_equal(w.list.p[4].end, JOB_VANISHED);
    assert_int_equal(w.list.p[5].stage, JOB_RUNS); /* a word we do not know */
    vec_done(&w.list);
}

static void an_answer_that_was_cut_off_is_none(void **state)
{
    (void)state;
    struct err err = {0};
    for (size_t len = 1; len < sizeof queue - 1; len++) {
        struct job_words w = {0};
        bool whole = queue[len - 1] == '\n';
        assert_int_equal(slurm_read_queue(str_n(queue, len), &w, &err),
                         whole ? 0 : -1);
        vec_done(&w.list);
    }
    struct job_words w = {0};
    assert_int_equal(slurm_read_queue(STR("10|2|RUN\n"), &w, &err), -1);
    vec_done(&w.list);
    assert_int_equal(slurm_read_queue(STR(""), &w, &err), 0);
    assert_int_equal(w.list.len, 0);
}

static void accounting_tells_what_the_queue_has_forgotten(void **state)
{
    struct job_words w = {0};
    assert_int_equal(slurm_read_queue(str_of(queue), &w, NULL), 0);
    slurm_read_account(STR("10_2|CANCELLED by 0|n0|0:15\n"
                           "10_[4-9]|PENDING|None assigned|0:0\n"
                           "12_3|OUT_OF_MEMORY|n2|0:125\n"
                           "12_4|FAILED|n2|69:0\n"
                           "12_5\n12_6|FAILED|n"),
                       *state, &w);
    assert_int_equal(w.list.len, 8);
    assert_true(str_starts(w.list.p[0].by, STR("root")));
    assert_int_equal(w.list.p[6].job, 12);
    assert_int_equal(w.list.p[6].index, 3);
    assert_true(str_is(w.list.p[6].state, "OUT_OF_MEMORY"));
    assert_int_equal(w.list.p[7].exit_code, 69);
    vec_done(&w.list);
}

/* As `sacct --duplicates` has them. */
static void accounting_tells_how_the_start_before_ended(void **state)
{
    struct job_words w = {0};
    assert_int_equal(slurm_read_queue(STR("1|0|PENDING|BeginTime||1|0|\n"
                                          "1|1|COMPLETED|None|n0|1|0|\n"),
                                      &w, NULL),
                     0);
    slurm_read_account(STR("1_0|COMPLETED|n7|0:0\n1_0|NODE_FAIL|n0|0:0\n"
                           "1_1|NODE_FAIL|n0|0:0\n2_0|PREEMPTED|n1|0:0\n"
                           "1_0|PENDING|None assigned|0:0\n"
                           "1_1|COMPLETED|n0|0:0\n2_0|COMPLETED|n2|0:0\n"),
                       *state, &w);
    assert_int_equal(w.list.len, 3);
    assert_true(str_is(w.list.p[0].before.state, "NODE_FAIL"));
    assert_true(str_is(w.list.p[0].before.node, "n0"));
    assert_true(str_is(w.list.p[0].state, "PENDING"));
    assert_int_equal(w.list.p[1].before.state.len, 0);
    assert_true(str_is(w.list.p[2].state, "COMPLETED"));
    assert_true(str_is(w.list.p[2].before.state, "PREEMPTED"));
    vec_done(&w.list);
}

/* ---- nodes ------------------------------------------------------------------
 */

static const char sinfo[] =
    "n0|4|4000|gpu:2|idle|low\n"
    "n0|4|4000|gpu:2|idle|main*\n"
    "n1|4|4000|gpu:2|mixed|main*\n"
    "n2|8|16000|(null)|down*|main*\n"
    "g0|64|512000|gpu:a100:4(S:0-1),gpu:V100:2|idle|gpu\n";

static struct needs needs_of(double cpus, uint64_t megabytes, double gpus,
                             const char *type)
{
    struct needs n;
    needs_init(&n);
    n.cpus = cpus;
    n.memory_bytes = megabytes << 20;
    n.gpus = gpus;
    strncpy(n.gpu_name, type, sizeof n.gpu_name - 1);
    return n;
}

static uint32_t slots(const char *partitions, struct arena *a, double cpus,
                      uint64_t megabytes, double gpus)
{
    struct nodes nodes = {0};
    struct needs n = needs_of(cpus, megabytes, gpus, "");
    slurm_read_nodes(str_of(sinfo), partitions, a, &nodes);
    uint32_t count = nodes_slots(&nodes, &n);
    vec_done(&nodes.list);
    return count;
}

static void nodes_that_are_up_hold_tasks(void **state)
{
    assert_int_equal(slots(NULL, *state, 1, 0, 0), 8); /* of main */
    assert_int_equal(slots("low", *state, 1, 0, 0), 4);
    assert_int_equal(slots("low,gpu", *state, 1, 0, 0), 68);
    assert_int_equal(slots(NULL, *state, 3, 0, 0), 2);
    assert_int_equal(slots(NULL, *state, 1, 1500, 0), 4);
    assert_int_equal(slots(NULL, *state, 1, 0, 1), 4);
    assert_int_equal(slots(NULL, *state, 0.1, 0, 0.4), 8);
    assert_int_equal(slots("nope", *state, 1, 0, 0), 0);
}

static void a_need_no_node_can_meet_names_the_largest(void **state)
{
    struct nodes nodes = {0};
    struct err err = {0};
    slurm_read_nodes(str_of(sinfo), "main,gpu", *state, &nodes);
    struct needs n = needs_of(6, 0, 0, "");
    assert_int_equal(nodes_check(&nodes, &n, &err), 0); /* n2, once it is up */
    n = needs_of(100, 0, 0, "");
    assert_int_equal(nodes_check(&nodes, &n, &err), -1);
    assert_non_null(strstr(err.text, "g0: 64 cpus, 500 GiB"));
    n = needs_of(1, 0, 8, "a100");
    assert_int_equal(nodes_check(&nodes, &n, &err), -1);
    assert_non_null(strstr(err.text, "4 gpus a100"));
    n = needs_of(1, 0, 2, "v100");
    assert_int_equal(nodes_check(&nodes, &n, &err), 0);
    assert_true(str_is(nodes_gpu_type(&nodes, &n), "V100"));
    n = needs_of(1, 0, 1, "h100"); /* those of unknown type may be such */
    assert_int_equal(nodes_check(&nodes, &n, &err), 0);
    assert_int_equal(nodes_gpu_type(&nodes, &n).len, 0);
    vec_done(&nodes.list);
}

/* ---- the rest
 * ---------------------------------------------------------------- */

static void numbers_and_words_are_read(void **state)
{
    (void)state;
    struct str config =
        STR("MaxArraySize            = 1001\n"
            "AccountingStorageType   = accounting_storage/none\n"
            "\n");
    assert_true(str_is(slurm_config(config, "MaxArraySize"), "1001"));
    assert_int_equal(slurm_config(config, "MaxArray").len, 0);
    assert_int_equal(slurm_job_id(STR("17\n")), 17);
    assert_int_equal(slurm_job_id(STR("17;other\n")), 17);
    assert_int_equal(slurm_job_id(STR("error\n")), 0);
    assert_true(
        slurm_passes(STR("sbatch failed (exit code 1): sbatch: error: "
                         "Batch job submission failed: Unable to "
                         "contact slurm controller (connect failure)")));
    assert_false(slurm_passes(STR("sbatch: error: Batch job submission failed: "
                                  "Invalid partition name specified")));
}

static void ended_as(const char *line, const char *state, const char *node)
{
    struct job_word w = {0};
    assert_true(slurm_read_log(str_of(line), &w));
    assert_true(str_is(w.state, state));
    assert_true(str_is(w.node, node));
    assert_true(w.words.len > 0);
}

static void a_job_s_log_says_why_it_was_ended(void **state)
{
    (void)state;
    struct job_word w = {0};
    ended_as("x\nslurmstepd-t0: error: *** JOB 19 ON t0 CANCELLED AT "
             "2026-11-17T20:02:03 DUE TO PREEMPTION ***\n",
             "PREEMPTED", "t0");
    ended_as("slurmstepd: error: *** JOB 3 ON n CANCELLED AT 2026-11-17T20:02 "
             "DUE TO TIME LIMIT ***",
             "TIMEOUT", "n");
    ended_as("slurmstepd: error: *** JOB 3 ON n CANCELLED AT 2026-11-17T20:02 "
             "DUE TO NODE FAILURE, SEE SLURMCTLD LOG FOR DETAILS ***",
             "NODE_FAIL", "n");
    ended_as("slurmstepd: error: *** JOB 3 ON n CANCELLED AT 2026-11-17T20:02 "
             "DUE TO JOB REQUEUE ***",
             "REQUEUED", "n");
    ended_as("slurmstepd: error: *** JOB 3 ON n CANCELLED AT 2026-11-17 ***\n",
             "CANCELLED", "n");
    ended_as("slurmstepd-t0: error: StepId=1.batch exceeded memory limit "
             "(224890880 > 52428800), being killed\n"
             "slurmstepd-t0: error: Exceeded job memory limit\n"
             "slurmstepd-t0: error: *** JOB 1 ON t0 CANCELLED AT 2026-11-17T23 "
             "***\n",
             "OUT_OF_MEMORY", "");
    ended_as("slurmstepd: error: Detected 1 oom_kill event in StepId=7.batch. "
             "Some of the step tasks have been OOM Killed.\n",
             "OUT_OF_MEMORY", "");
    ended_as("slurmstepd: error: *** JOB 3 ON n CANCELLED AT 2026-11-17T20:02 "
             "DUE TO PREEMPTION ***\n"
             "slurmstepd: error: Detected 1 oom_kill event in StepId=3.batch. "
             "Some of the step tasks have been OOM Killed.\n",
             "PREEMPTED", "n");
    assert_false(slurm_read_log(STR("a task exceeded memory limit\n"), &w));
    assert_false(slurm_read_log(STR("*** STEP 3.0 ON n CANCELLED AT 1 ***\n"
                                    "DUE TO PREEMPTION\n"),
                                &w));
    assert_false(slurm_read_log(STR(""), &w));
}

static void the_queue_tells_what_a_person_has(void **state)
{
    (void)state;
    struct queued_jobs jobs = {0};
    struct err err = {0};
    struct str text =
        STR("7|main|normal|1-02:00:00|2|cpu=8,mem=1G,gres/gpu=4|gres:gpu:2||\n"
            "8|a,b|gold|30:00|2||gres:gpu:a100:2||\n"
            "9|a||UNLIMITED|1|||gres/gpu:3|\n"
            "10|a||5|1||gres:gpu||\n");
    assert_int_equal(slurm_read_usage(text, &jobs, &err), 0);
    assert_int_equal(jobs.list.len, 4);
    const struct queued_job *q = jobs.list.p;
    assert_true(q[0].job == 7 && q[0].time_s == 93600 && q[0].gpus == 4);
    assert_true(q[1].time_s == 1800 && q[1].gpus == 4);
    assert_true(str_is(q[1].partition, "a,b") && str_is(q[1].qos, "gold"));
    assert_true(isinf(q[2].time_s) && q[2].gpus == 3);
    assert_true(q[3].gpus == 1);
    assert_int_equal(slurm_read_usage(STR("7|main|nor"), &jobs, &err), -1);
    vec_done(&jobs.list);
}

#define with_arena(test)                                                       \
    cmocka_unit_test_setup_teardown(test, open_arena, close_arena)

int main(void)
{
    const struct CMUnitTest tests[] = {
        with_arena(the_queue_tells_of_elements_of_arrays),
        with_arena(an_answer_that_was_cut_off_is_none),
        with_arena(accounting_tells_what_the_queue_has_forgotten),
        with_arena(accounting_tells_how_the_start_before_ended),
        with_arena(nodes_that_are_up_hold_tasks),
        with_arena(a_need_no_node_can_meet_names_the_largest),
        with_arena(numbers_and_words_are_read),
        with_arena(a_job_s_log_says_why_it_was_ended),
        with_arena(the_queue_tells_what_a_person_has),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
