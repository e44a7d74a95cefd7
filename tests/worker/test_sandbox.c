/* test_sandbox.c - a bundle on a machine that shares no disk: what comes back,
 * and when a job is begun again for it */
#include "job.h"

#include <sys/stat.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include "terms/bundle.h"

#define OUT "out"
#define RAN "echo $THRONG_TRIAL >> ../../../ran;"
#define SAVES                                                                  \
    "if test -e $THRONG_CHECKPOINT/c; then exit 0; fi;"                        \
    "echo 1 > $THRONG_CHECKPOINT/c;"

static int sandbox_setup(void **state)
{
    int rc = bench_setup(state);
    struct bench *b = *state;
    if (rc == 0)
        b->answers_in = OUT;
    return rc;
}

#define in_sandbox(f)                                                          \
    cmocka_unit_test_setup_teardown(f, sandbox_setup, bench_teardown)

/* A task whose paths are those of the sandbox. */
static struct task shell(struct bench *b, uint64_t id, const char *script)
{
    struct task t = bench_shell(b, id, script);
    t.folder = str_of(
        arena_printf(b->arena, OUT "/trials/%llu", (unsigned long long)id));
    t.workdir = STR("");
    return t;
}

static void start(struct bench *b, const char *every)
{
    const char *options[] = {"--sandbox",
                             OUT,
                             "--room",
                             "cpus=1;parallel=1",
                             "--kill-wait",
                             "20",
                             every ? "--checkpoint-every" : NULL,
                             every,
                             NULL};
    job_start(b, 0, options, NULL);
}

static int run(struct bench *b, const char *every)
{
    start(b, every);
    return job_wait(b);
}

static char *back(struct bench *b, const char *name)
{
    return job_file(b, path_join(b->arena, OUT, name));
}

/* As who finds it does. */
static void unpack(struct bench *b)
{
    assert_int_equal(dir_unflatten(job_file(b, OUT), NULL), 0);
}

static size_t folders(struct bench *b)
{
    size_t count = 0;
    const char **names = dir_list(back(b, "trials"), b->arena, NULL);
    while (names && names[count])
        count++;
    return count;
}

static bool is_asked(struct bench *b)
{
    return file_exists(back(b, "trials/1/stop"));
}

/* ---- what comes back --------------------------------------------------- */

static void all_that_comes_back_is_in_one_folder(void **state)
{
    struct bench *b = *state;
    const char *none[] = {NULL};
    const char *options[] = {"--sandbox", OUT, "--room", JOB_ROOM, NULL};
    struct task t = shell(b, 1, "ls -d $THRONG_OUTPUT; pwd");
    t.workdir = STR(".");
    job_write(b, &t, 1);
    job_start(b, 0, options, none);
    assert_int_equal(job_wait(b), WORKER_EXIT_DONE);
    job_hear(b, 0);
    assert_int_equal(job_outcome(b, 1), OUTCOME_DONE);
    assert_string_equal(bench_file(b, back(b, SANDBOX_LAYOUT_FILE)),
                        SANDBOX_LAYOUT "\n");
    unpack(b);
    const char *log = bench_file(b, back(b, "trials/1/log"));
    assert_contains(log, back(b, "trials/1/output"));
    assert_contains(log, b->folder);
}

/* It carries no links to folders, and not everyone folders in folders. */
static void what_comes_back_are_plain_files_alone(void **state)
{
    struct bench *b = *state;
    struct task t =
        shell(b, 1,
              "cd $THRONG_OUTPUT; mkdir -p runs/1; echo 5 >runs/1/x;"
              "ln -s 1 runs/latest; ln -s nowhere gone");
    job_write(b, &t, 1);
    assert_int_equal(run(b, NULL), WORKER_EXIT_DONE);
    const char **names = dir_list(job_file(b, OUT), b->arena, NULL);
    for (; *names; names++) {
        struct stat st;
        assert_int_equal(lstat(back(b, *names), &st), 0);
        assert_true(S_ISREG(st.st_mode));
    }
    unpack(b);
    assert_string_equal(bench_file(b, back(b, "trials/1/output/runs/latest/x")),
                        "5\n");
}

/* The bundle is not there: what a scheduler looks for is. */
static void what_comes_back_is_there_whatever_happens(void **state)
{
    struct bench *b = *state;
    file_write(job_file(b, "7.tasks"), STR("no tasks, and not torn: garbage"),
               false, NULL);
    assert_int_equal(run(b, NULL), WORKER_EXIT_DAMAGED);
    assert_true(file_exists(back(b, SANDBOX_LAYOUT_FILE)));
}

/* ---- ended before its time --------------------------------------------- */

static void what_was_ended_goes_on_in_the_next_start(void **state)
{
    struct bench *b = *state;
    struct task tasks[] = {
        shell(b, 1,
              RAN SAVES "while ! test -e $THRONG_STOP; do sleep 0.01; done"),
        shell(b, 2, RAN)};
    job_write(b, tasks, 2);
    start(b, NULL);
    bench_await_file(b, back(b, "trials/1/checkpoint/c"));
    job_await(b, 0, RECORD_STARTED, 1);
    kill(b->pid, SIGTERM);
    assert_int_equal(job_wait(b), WORKER_EXIT_AGAIN);
    job_hear(b, 0);
    assert_int_equal(job_outcome(b, 1), OUTCOME_NONE);
    assert_int_equal(job_outcome(b, 2), OUTCOME_NONE);
    assert_int_equal(run(b, NULL), WORKER_EXIT_DONE);
    job_hear(b, 1);
    assert_int_equal(job_outcome(b, 1), OUTCOME_DONE);
    assert_int_equal(job_outcome(b, 2), OUTCOME_DONE);
    assert_string_equal(bench_file(b, job_file(b, "ran")), "1\n1\n2\n");
    unpack(b);
    assert_true(file_exists(back(b, "trials/1.1r1/checkpoint/c")));
    assert_int_equal(folders(b), 1);
}

static void
who_was_ended_without_a_checkpoint_says_that_it_begins_anew(void **state)
{
    struct bench *b = *state;
    struct task t = shell(b, 1,
                          RAN "echo ::throng step=5 x=1;"
                              "if test -e ../../../again; then exit 0; fi;"
                              "echo > ../../../again;"
                              "while ! test -e $THRONG_STOP; do sleep 0.01; "
                              "done");
    job_write(b, &t, 1);
    start(b, NULL);
    bench_await_file(b, job_file(b, "again"));
    kill(b->pid, SIGTERM);
    assert_int_equal(job_wait(b), WORKER_EXIT_AGAIN);
    assert_int_equal(run(b, NULL), WORKER_EXIT_DONE);
    job_hear(b, 1);
    assert_int_equal(bench_count(b, RECORD_ANEW, 1), 1);
    assert_int_equal(job_outcome(b, 1), OUTCOME_DONE);
}

/* ---- begun again, so that work is kept ----------------------------------- */

static void a_job_is_begun_again_between_tasks(void **state)
{
    struct bench *b = *state;
    enum { TASKS = 30 };
    struct task tasks[TASKS];
    struct buf each;
    int code, starts = 0;
    buf_init(&each);
    for (uint64_t i = 0; i < TASKS; i++) {
        tasks[i] = shell(b, i, RAN "sleep 0.05");
        buf_addf(&each, "%d\n", (int)i);
    }
    job_write(b, tasks, TASKS);
    /* It waits for a quarter of a second that none runs: long beside a task. */
    while ((code = run(b, "1")) == WORKER_EXIT_AGAIN)
        starts++;
    assert_int_equal(code, WORKER_EXIT_DONE);
    assert_in_range(starts, 1, TASKS - 1);
    assert_string_equal(bench_file(b, job_file(b, "ran")), each.p);
    buf_done(&each);
}

static void who_cannot_save_is_not_interrupted(void **state)
{
    struct bench *b = *state;
    struct task tasks[] = {shell(b, 1, RAN "sleep 1"), shell(b, 2, RAN)};
    uint32_t starts = 0;
    int code;
    job_write(b, tasks, 2);
    /* On a busy machine 0.2 s may be over before the first task has begun. */
    while ((code = run(b, "0.2")) == WORKER_EXIT_AGAIN)
        starts++;
    assert_int_equal(code, WORKER_EXIT_DONE);
    for (uint32_t i = 0; i <= starts; i++) {
        job_hear(b, i);
        if (job_outcome(b, 1) != OUTCOME_NONE)
            break;
    }
    assert_int_equal(job_outcome(b, 1), OUTCOME_DONE);
    assert_string_equal(bench_file(b, job_file(b, "ran")), "1\n2\n");
    assert_contains(bench_file(b, job_file(b, "7.log")),
                    "what runs cannot be interrupted");
}

static void answer(struct bench *b, const char *code)
{
    struct task t = shell(
        b, 1,
        arena_printf(b->arena,
                     RAN SAVES "while ! test -e $THRONG_STOP; do sleep 0.01; "
                               "done; exit %s",
                     code));
    t.grace_s = 30;
    job_write(b, &t, 1);
    assert_int_equal(run(b, "0.2"), WORKER_EXIT_AGAIN);
    job_hear(b, 0);
    assert_int_equal(job_outcome(b, 1), OUTCOME_NONE);
    assert_int_equal(run(b, "30"), WORKER_EXIT_DONE);
    job_hear(b, 1);
    assert_int_equal(job_outcome(b, 1), OUTCOME_DONE);
}

static void who_answers_goes_on_in_the_next_start(void **state)
{
    answer(*state, "85");
}

static void who_ends_when_asked_has_answered(void **state)
{
    answer(*state, "0");
}

static void one_that_fails_when_asked_has_failed(void **state)
{
    struct bench *b = *state;
    struct task t = shell(
        b, 1,
        SAVES "while ! test -e $THRONG_STOP; do sleep 0.01; done; exit 3");
    job_write(b, &t, 1);
    assert_int_equal(run(b, "0.2"), WORKER_EXIT_DONE);
    job_hear(b, 0);
    assert_int_equal(job_outcome(b, 1), OUTCOME_FAILED);
}

/* It sees the question come and go, and ends when it likes. */
static void who_does_not_answer_is_left_alone(void **state)
{
    struct bench *b = *state;
    struct task t = shell(
        b, 1,
        RAN SAVES "while ! test -e $THRONG_STOP; do sleep 0.01; done;"
                  "while test -e $THRONG_STOP; do sleep 0.01; done; sleep 1;"
                  "test -e $THRONG_STOP || echo alone > ../../../alone");
    t.grace_s = 0.3;
    job_write(b, &t, 1);
    assert_int_equal(run(b, "0.2"), WORKER_EXIT_DONE);
    job_hear(b, 0);
    assert_int_equal(job_outcome(b, 1), OUTCOME_DONE);
    assert_string_equal(bench_file(b, job_file(b, "alone")), "alone\n");
    assert_false(is_asked(b));
    assert_contains(bench_file(b, job_file(b, "7.log")), "it is left alone");
}

/* Reports that travel with a checkpoint are heard with it: it is gone on from.
 */
static void training_goes_on_in_the_next_start(void **state)
{
    struct bench *b = *state;
    struct task t = bench_training(b, 1, 1000000);
    t.folder = STR(OUT "/trials/1");
    t.unheard = 1;
    job_write(b, &t, 1);
    assert_int_equal(run(b, "0.5"), WORKER_EXIT_AGAIN);
    job_hear(b, 0);
    assert_int_equal(job_outcome(b, 1), OUTCOME_NONE);
    assert_true(bench_count(b, RECORD_METRICS, 1) > 0);
    assert_int_equal(run(b, "0.5"), WORKER_EXIT_AGAIN);
    job_hear(b, 1);
    assert_int_equal(bench_count(b, RECORD_ANEW, 1), 0);
    assert_true(bench_count(b, RECORD_METRICS, 1) > 0);
    int64_t first = strtoll(bench_metric(b, 1, "loss"), NULL, 10);
    assert_true(first > 1);
    unpack(b);
    assert_int_equal(folders(b), 1);
}

/* ---- its time ----------------------------------------------------------- */

/* Begins the job again as often as it asks for that; each start uses some of
 * the trial's time. */
static int run_out(struct bench *b, const char *every, int *starts)
{
    int code = WORKER_EXIT_AGAIN;
    for (*starts = 0; code == WORKER_EXIT_AGAIN && *starts < 30; ++*starts)
        code = run(b, every);
    job_hear(b, (uint32_t)*starts - 1);
    return code;
}

static struct task saves_for_ever(struct bench *b)
{
    struct task t =
        shell(b, 1,
              RAN "echo 1 > $THRONG_CHECKPOINT/c;"
                  "while ! test -e $THRONG_STOP; do sleep 0.01; done; exit 85");
    t.grace_s = 30;
    return t;
}

static void the_time_of_a_trial_adds_over_its_starts(void **state)
{
    struct bench *b = *state;
    struct task t = saves_for_ever(b);
    int starts;
    t.needs.time_s = 1;
    job_write(b, &t, 1);
    assert_int_equal(run_out(b, "0.3", &starts), WORKER_EXIT_DONE);
    assert_int_equal(job_outcome(b, 1), OUTCOME_TIMED_OUT);
    assert_in_range(starts, 1, 4);
}

static void a_rule_of_time_adds_over_starts(void **state)
{
    struct bench *b = *state;
    struct task t = saves_for_ever(b);
    int starts;
    t.rule.kind = STOPRULE_TIME;
    t.rule.seconds = 1;
    job_write(b, &t, 1);
    assert_int_equal(run_out(b, "0.3", &starts), WORKER_EXIT_DONE);
    assert_int_equal(job_outcome(b, 1), OUTCOME_STOPPED);
    assert_in_range(starts, 1, 4);
}

static void the_time_of_a_training_adds_over_starts(void **state)
{
    struct bench *b = *state;
    struct task t = bench_training(b, 1, 1000000);
    int starts;
    t.folder = STR(OUT "/trials/1");
    t.needs.time_s = 1;
    job_write(b, &t, 1);
    assert_int_equal(run_out(b, "0.3", &starts), WORKER_EXIT_DONE);
    assert_int_equal(job_outcome(b, 1), OUTCOME_TIMED_OUT);
    assert_in_range(starts, 1, 4);
}

/* ---- a rule that travels ------------------------------------------------ */

#define COUNTS                                                                 \
    "n=$(cat $THRONG_CHECKPOINT/n 2>/dev/null || echo 0);"                     \
    "while ! test -e $THRONG_STOP; do n=$((n + 1));"                           \
    "echo \"::throng step=$n x=$n\"; echo $n > $THRONG_CHECKPOINT/n;"          \
    "if test $n = 3 && ! test -e ../../../three; then "                        \
    "echo 3 > ../../../three; sleep 60; fi; sleep 0.02; done"

static struct task ruled(struct bench *b)
{
    struct task t = shell(b, 1, COUNTS);
    t.metric_name = STR("x");
    t.rule.kind = STOPRULE_PATIENCE;
    t.rule.patience = 5; /* the first is the best */
    t.grace_s = 30;
    return t;
}

static void a_rule_stops_a_task_that_nobody_hears(void **state)
{
    struct bench *b = *state;
    struct task t = ruled(b);
    file_write(job_file(b, "three"), STR("3\n"), false, NULL);
    job_write(b, &t, 1);
    assert_int_equal(run(b, NULL), WORKER_EXIT_DONE);
    job_hear(b, 0);
    assert_int_equal(job_outcome(b, 1), OUTCOME_STOPPED);
    assert_contains(bench_metric(b, 1, "x"), "6:6");
}

/* It dies behind its third report: the rule counts that with those to come. */
static void a_rule_knows_what_earlier_starts_reported(void **state)
{
    struct bench *b = *state;
    struct task t = ruled(b);
    job_write(b, &t, 1);
    start(b, NULL);
    bench_await_file(b, job_file(b, "three"));
    for (int i = 0; i < 12000 && !strstr(bench_metric(b, 1, "x"), "3:3"); i++) {
        clock_pause_ms(5);
        job_hear(b, 0);
    }
    kill(b->pid, SIGKILL);
    job_wait(b);
    assert_int_equal(run(b, NULL), WORKER_EXIT_DONE);
    job_hear(b, 1);
    assert_int_equal(job_outcome(b, 1), OUTCOME_STOPPED);
    assert_contains(bench_metric(b, 1, "x"), "6:6");
    assert_null(strstr(bench_metric(b, 1, "x"), "12:"));
}

/* A trainer waits where the rule may stop it, and hears that it goes on. */
static void a_rule_answers_training_that_awaits_it(void **state)
{
    struct bench *b = *state;
    struct task t = bench_training(b, 1, 1000000);
    t.folder = STR(OUT "/trials/1");
    t.metric_name = STR("loss");
    t.maximize = 1; /* so that the first loss stays the best for a while */
    t.rule.kind = STOPRULE_PATIENCE;
    t.rule.patience = 3;
    t.awaits = 1;
    job_write(b, &t, 1);
    assert_int_equal(run(b, NULL), WORKER_EXIT_DONE);
    job_hear(b, 0);
    assert_int_equal(job_outcome(b, 1), OUTCOME_STOPPED);
}

static void a_rule_of_time_needs_no_report(void **state)
{
    struct bench *b = *state;
    struct task t =
        shell(b, 1, "while ! test -e $THRONG_STOP; do sleep 0.01; done");
    t.rule.kind = STOPRULE_TIME;
    t.rule.seconds = 0.2;
    t.grace_s = 30;
    job_write(b, &t, 1);
    assert_int_equal(run(b, NULL), WORKER_EXIT_DONE);
    job_hear(b, 0);
    assert_int_equal(job_outcome(b, 1), OUTCOME_STOPPED);
}

/* ---- the job's time ------------------------------------------------------ */

static void what_its_time_ends_is_handed_back(void **state)
{
    struct bench *b = *state;
    const char *options[] = {"--sandbox", OUT,  "--room", JOB_ROOM,
                             "--time",    "30", "--lead", "29.5",
                             "--slots",   "1",  NULL};
    struct task tasks[] = {
        shell(b, 1, "while ! test -e $THRONG_STOP; do sleep 0.01; done"),
        shell(b, 2, "true")};
    tasks[0].grace_s = 29.5; /* so that it is asked at once */
    job_write(b, tasks, 2);
    job_start(b, 0, options, NULL);
    assert_int_equal(job_wait(b), WORKER_EXIT_DONE);
    job_hear(b, 0);
    assert_int_equal(job_outcome(b, 1), OUTCOME_INTERRUPTED);
    assert_contains(bench_ended(b, 1).reason.p, BUNDLE_TIME_UP);
    assert_int_equal(job_outcome(b, 2), OUTCOME_UNSTARTED);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        in_sandbox(all_that_comes_back_is_in_one_folder),
        in_sandbox(what_comes_back_are_plain_files_alone),
        in_sandbox(what_comes_back_is_there_whatever_happens),
        in_sandbox(what_was_ended_goes_on_in_the_next_start),
        in_sandbox(who_was_ended_without_a_checkpoint_says_that_it_begins_anew),
        in_sandbox(a_job_is_begun_again_between_tasks),
        in_sandbox(who_cannot_save_is_not_interrupted),
        in_sandbox(who_answers_goes_on_in_the_next_start),
        in_sandbox(who_ends_when_asked_has_answered),
        in_sandbox(one_that_fails_when_asked_has_failed),
        in_sandbox(who_does_not_answer_is_left_alone),
        in_sandbox(training_goes_on_in_the_next_start),
        in_sandbox(the_time_of_a_trial_adds_over_its_starts),
        in_sandbox(a_rule_of_time_adds_over_starts),
        in_sandbox(the_time_of_a_training_adds_over_starts),
        in_sandbox(a_rule_stops_a_task_that_nobody_hears),
        in_sandbox(a_rule_knows_what_earlier_starts_reported),
        in_sandbox(a_rule_answers_training_that_awaits_it),
        in_sandbox(a_rule_of_time_needs_no_report),
        in_sandbox(what_its_time_ends_is_handed_back),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
