/* What Slurm says of why it has ended a job, or a start of it: in the queue, in
 * the job's log, in its accounts */
#include "slurm_bench.h"

/* One job, one task; how the attempt ended is in the words. */
static void ends_as(void **state, const char *line, enum outcome outcome,
                    const char *words)
{
    struct bench *b = *state;
    submit(b, 1);
    say_starting(b, "1/0", 0, 1);
    run(b, one_started);
    put(b, "queue", line);
    run(b, one_over);
    const struct seen *seen =
        rig_find(&b->rig, outcome == OUTCOME_LOST ? RIG_LOST : RECORD_ENDED, 1);
    assert_non_null(seen);
    if (outcome != OUTCOME_LOST)
        assert_int_equal(seen->ended.outcome, outcome);
    assert_string_equal(seen->text, words);
}

static void a_job_out_of_time_says_so(void **state)
{
    ends_as(state, "7|0|TIMEOUT|TimeLimit|n1|0|0|\n", OUTCOME_LOST,
            "Slurm job 7_0 on n1 ended as TIMEOUT (TimeLimit), its time was "
            "up");
}

static void a_job_out_of_memory_says_so(void **state)
{
    ends_as(state, "7|0|OUT_OF_MEMORY|OutOfMemory|n1|0|0|\n", OUTCOME_MEMORY,
            "Slurm job 7_0 on n1 ended as OUT_OF_MEMORY (OutOfMemory), it took "
            "more memory than it asked for");
}

static void a_job_that_others_displaced_says_so(void **state)
{
    ends_as(state, "7|0|PREEMPTED|None|n1|0|0|\n", OUTCOME_INTERRUPTED,
            "Slurm job 7_0 on n1 ended as PREEMPTED, its room was wanted for "
            "others");
}

static void a_job_that_a_person_cancelled_says_so(void **state)
{
    ends_as(state, "7|0|CANCELLED|None|n1|0|0|\n", OUTCOME_INTERRUPTED,
            "Slurm job 7_0 on n1 ended as CANCELLED, it was cancelled");
}

static void say_interrupted(struct bench *b, const char *bundle, uint32_t k,
                            uint64_t task, const char *reason)
{
    struct record_ended e = {
        .outcome = OUTCOME_INTERRUPTED, .seconds = 1, .reason = str_of(reason)};
    struct buf payload;
    buf_init(&payload);
    record_ended_print(&payload, &e);
    struct record r = {.type = RECORD_ENDED,
                       .task = task,
                       .attempt = 1,
                       .sequence = 2,
                       .payload = buf_str(&payload)};
    say(b, bundle, k, &r);
    buf_done(&payload);
}

#define STEPD "slurmstepd: error: *** JOB 9 ON n1 CANCELLED AT 2026-01-02T03"

/* What Slurm writes into its log before it ends a job. */
static void handed_back(struct bench *b, const char *log)
{
    submit(b, 1);
    put(b, "queue", "7|0|RUNNING|None|n1|0|0|\n");
    say_starting(b, "1/0", 0, 1);
    run(b, one_started);
    put(b, "../jobs/1/0.log", log);
    say_interrupted(b, "1/0", 0, 1, BUNDLE_ENDED);
    run(b, one_over);
}

static void who_was_ended_knows_why(void **state)
{
    struct bench *b = *state;
    handed_back(b, "a line\n" STEPD " DUE TO PREEMPTION ***\nworker: ends\n");
    static const char why[] = "Slurm job 7_0 was ended on n1 as PREEMPTED, its "
                              "room was wanted for others";
    assert_string_equal(rig_find(&b->rig, RECORD_ENDED, 1)->text, why);
    assert_non_null(strstr(b->said.p, why));
}

static bool timeout_is_told(struct bench *b)
{
    return strstr(b->said.p, "TIMEOUT") != NULL;
}

static void a_log_without_a_word_changes_nothing(void **state)
{
    struct bench *b = *state;
    handed_back(b, "the scheduler ends the job\n");
    assert_string_equal(rig_find(&b->rig, RECORD_ENDED, 1)->text, BUNDLE_ENDED);
    put(b, "queue", "7|0|TIMEOUT|TimeLimit|n1|0|15|\n");
    run(b, timeout_is_told);
    assert_non_null(strstr(b->said.p, "ended as TIMEOUT (TimeLimit), its time "
                                      "was up; what it had not finished"));
}

static void who_is_begun_again_knows_why(void **state)
{
    struct bench *b = *state;
    b->rig.numbers = next_number;
    submit(b, 1);
    say_starting(b, "1/0", 0, 1);
    run(b, one_started);
    put(b, "../jobs/1/0.log", STEPD " DUE TO JOB REQUEUE ***\n");
    say_starting(b, "1/0", 1, 1);
    run(b, begun_again);
    assert_string_equal(rig_find(&b->rig, RIG_AGAIN, 1)->text,
                        "Slurm job 7_0 was begun again by Slurm after it was "
                        "ended on n1 as REQUEUED, somebody put it back into "
                        "the queue");
}

static bool node_fail_is_told(struct bench *b)
{
    return strstr(b->said.p, "NODE_FAIL") != NULL;
}

/* A node that fails writes nothing. */
static void who_is_begun_again_knows_why_from_accounting(void **state)
{
    struct bench *b = *state;
    b->rig.numbers = next_number;
    submit(b, 1);
    say_starting(b, "1/0", 0, 1);
    run(b, one_started);
    put(b, "account", "7_0|NODE_FAIL|n1|0:0\n7_0|PENDING|None assigned|0:0\n");
    put(b, "queue", "7|0|PENDING|BeginTime||1|0|\n");
    run(b, node_fail_is_told);
    assert_non_null(strstr(b->said.p,
                           "Slurm job 7_0 was ended on n1 as NODE_FAIL, its "
                           "node failed; what it had not finished"));
    look_thrice(b);
    assert_null(strstr(strstr(b->said.p, "NODE_FAIL") + 1, "NODE_FAIL"));
    say_starting(b, "1/0", 1, 1);
    run(b, begun_again);
    assert_string_equal(rig_find(&b->rig, RIG_AGAIN, 1)->text,
                        "Slurm job 7_0 was begun again by Slurm after it was "
                        "ended on n1 as NODE_FAIL, its node failed");
}

static void who_is_begun_again_and_nobody_knows_why_is_told_that(void **state)
{
    struct bench *b = *state;
    b->rig.numbers = next_number;
    submit(b, 1);
    say_starting(b, "1/0", 0, 1);
    run(b, one_started);
    say_starting(b, "1/0", 1, 1);
    run(b, begun_again);
    assert_string_equal(rig_find(&b->rig, RIG_AGAIN, 1)->text,
                        "Slurm job 7_0 was begun again by Slurm, and nothing "
                        "wrote a reason into its log, as when a node fails");
}

#define OVER_MEMORY                                                            \
    "slurmstepd: error: StepId=9.batch exceeded memory limit (9 > 5), being "  \
    "killed\n" STEPD " ***\n"

/* Slurm's own word is that it could not be started. */
static void who_took_too_much_memory_is_told_apart(void **state)
{
    struct bench *b = *state;
    submit(b, 1);
    say_starting(b, "1/0", 0, 1);
    run(b, one_started);
    put(b, "../jobs/1/0.log", OVER_MEMORY);
    put(b, "queue", "7|0|FAILED|JobLaunchFailure|n1|0|9|\n");
    run(b, one_over);
    const struct seen *s = rig_find(&b->rig, RECORD_ENDED, 1);
    assert_int_equal(s->ended.outcome, OUTCOME_MEMORY);
    assert_string_equal(s->text,
                        "Slurm job 7_0 on n1 ended as FAILED "
                        "(JobLaunchFailure), by its log as OUT_OF_MEMORY, it "
                        "took more memory than it asked for");
}

/* It was no person who did that. */
static void who_is_cancelled_for_memory_was_not_removed(void **state)
{
    struct bench *b = *state;
    submit(b, 1);
    say_starting(b, "1/0", 0, 1);
    run(b, one_started);
    put(b, "../jobs/1/0.log", OVER_MEMORY);
    put(b, "account", "7_0|CANCELLED|n1|0:9\n");
    put(b, "queue", "7|0|CANCELLED|None|n1|0|9|\n");
    run(b, one_over);
    assert_int_equal(rig_find(&b->rig, RECORD_ENDED, 1)->ended.outcome,
                     OUTCOME_MEMORY);
}

#define on_bench(test)                                                         \
    cmocka_unit_test_setup_teardown(test, open_bench, close_bench)

int main(void)
{
    const struct CMUnitTest tests[] = {
        on_bench(a_job_out_of_time_says_so),
        on_bench(a_job_out_of_memory_says_so),
        on_bench(a_job_that_others_displaced_says_so),
        on_bench(a_job_that_a_person_cancelled_says_so),
        on_bench(who_was_ended_knows_why),
        on_bench(a_log_without_a_word_changes_nothing),
        on_bench(who_is_begun_again_knows_why),
        on_bench(who_is_begun_again_knows_why_from_accounting),
        on_bench(who_is_begun_again_and_nobody_knows_why_is_told_that),
        on_bench(who_took_too_much_memory_is_told_apart),
        on_bench(who_is_cancelled_for_memory_was_not_removed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
