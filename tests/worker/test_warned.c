/* test_warned.c - a scheduler that will end a job warns it first
 *
 * Times are such that only what is right ends within the harness's patience,
 * or that a task lives longer than it would have been left. */
#include "job.h"

#include <signal.h>
#include <stdio.h>
#include <time.h>
#include "terms/bundle.h"

#define UP "echo up > ../up.$THRONG_TRIAL;"
#define UNTIL(file) "while ! test -e " file "; do sleep 0.01; done;"
/* Long enough for one that has 0.5 s to be gone. */
#define LONGER_NS 1200000000l

static void await_up(struct bench *b, uint64_t id)
{
    bench_await_file(b, arena_printf(b->arena, "%s/trials/up.%llu", b->folder,
                                     (unsigned long long)id));
}

static void let_go(struct bench *b, const char *name)
{
    file_write(path_join(b->arena, job_file(b, "trials"), name), STR("1"),
               false, NULL);
}

static void linger(void)
{
    const struct timespec longer = {LONGER_NS / 1000000000,
                                    LONGER_NS % 1000000000};
    nanosleep(&longer, NULL);
}

static void start(struct bench *b, const char *option, const char *seconds)
{
    const char *options[] = {"--room", "cpus=1;parallel=1", option, seconds,
                             NULL};
    job_start(b, 0, options, NULL);
}

static pid_t pid_of(struct bench *b, uint64_t id)
{
    struct record_started s;
    job_await(b, 0, RECORD_STARTED, id);
    struct got *g = bench_await(b, RECORD_STARTED, id);
    assert_int_equal(record_started_parse(g->payload, &s, NULL), 0);
    return (pid_t)s.pid;
}

/* ---- what runs, what waits --------------------------------------------- */

static void warn_and_check(struct bench *b, int signum)
{
    struct task tasks[] = {
        bench_shell(b, 1,
                    "trap '' TERM; echo 1 > $THRONG_CHECKPOINT/c;" UP
                        UNTIL("$THRONG_STOP") "echo asked > ../asked;" UNTIL(
                            "../go") "echo 2 > $THRONG_CHECKPOINT/c"),
        bench_shell(b, 2, "true")};
    tasks[0].grace_s = 60;
    job_write(b, tasks, 2);
    start(b, NULL, NULL);
    await_up(b, 1);
    job_await(b, 0, RECORD_STARTED, 1);
    kill(b->pid, signum);
    bench_await_file(b, job_file(b, "trials/asked"));
    linger();
    let_go(b, "go");
    assert_int_equal(job_wait(b), WORKER_EXIT_DONE);
    job_hear(b, 0);
    assert_int_equal(job_outcome(b, 1), OUTCOME_INTERRUPTED);
    assert_int_equal(job_outcome(b, 2), OUTCOME_UNSTARTED);
    assert_string_equal(bench_file(b, bench_path(b, 1, "checkpoint/c")), "2\n");
}

static void the_warning_leaves_tasks_their_grace(void **state)
{
    warn_and_check(*state, SIGUSR1);
}

static void the_end_of_a_job_leaves_tasks_their_grace(void **state)
{
    warn_and_check(*state, SIGTERM);
}

/* Without a checkpoint all of its work would be lost. */
static void who_cannot_go_on_may_come_to_its_end(void **state)
{
    struct bench *b = *state;
    struct task t =
        bench_shell(b, 1,
                    UP UNTIL("../go") "test -e $THRONG_STOP && "
                                      "exit 9; echo '::throng x=1'");
    job_write(b, &t, 1);
    start(b, "--lead", "600");
    await_up(b, 1);
    kill(b->pid, SIGUSR1);
    bench_await_file(b, job_file(b, "7.log"));
    let_go(b, "go");
    assert_int_equal(job_wait(b), WORKER_EXIT_DONE);
    job_hear(b, 0);
    assert_int_equal(job_outcome(b, 1), OUTCOME_DONE);
    assert_string_equal(bench_metric(b, 1, "x"), "0:1");
}

/* ---- how long ---------------------------------------------------------- */

#define STUBBORN "trap '' TERM;" UP "while :; do sleep 0.05; done"

static void the_end_comes_in_time_for_the_answers(void **state)
{
    struct bench *b = *state;
    struct task t = bench_shell(b, 1, STUBBORN);
    t.grace_s = 600;
    job_write(b, &t, 1);
    start(b, "--lead", "4");
    await_up(b, 1);
    int64_t began = clock_mono_ns();
    kill(b->pid, SIGUSR1);
    assert_int_equal(job_wait(b), WORKER_EXIT_DONE);
    assert_true(clock_mono_ns() - began >= 2900000000ll);
    job_hear(b, 0);
    assert_int_equal(job_outcome(b, 1), OUTCOME_INTERRUPTED);
    assert_int_equal(bench_ended(b, 1).signum, SIGKILL);
}

static void a_signal_of_the_end_shortens_the_warning(void **state)
{
    struct bench *b = *state;
    struct task t = bench_shell(b, 1, STUBBORN);
    const char *options[] = {"--room",      JOB_ROOM, "--lead", "6000",
                             "--kill-wait", "2",      NULL};
    t.grace_s = 600;
    job_write(b, &t, 1);
    job_start(b, 0, options, NULL);
    await_up(b, 1);
    kill(b->pid, SIGUSR1);
    bench_await_file(b, job_file(b, "7.log"));
    kill(b->pid, SIGTERM);
    assert_int_equal(job_wait(b), WORKER_EXIT_DONE);
    job_hear(b, 0);
    assert_int_equal(job_outcome(b, 1), OUTCOME_INTERRUPTED);
}

/* Signals that come together are one. */
static void a_second_signal_of_the_end_hurries(void **state)
{
    struct bench *b = *state;
    struct task t = bench_shell(b, 1, STUBBORN);
    t.grace_s = 600;
    job_write(b, &t, 1);
    start(b, NULL, NULL);
    await_up(b, 1);
    kill(b->pid, SIGTERM);
    bench_await_file(b, job_file(b, "7.log"));
    kill(b->pid, SIGTERM);
    linger();
    assert_false(bench_gone(b->pid, 0));
    kill(b->pid, SIGTERM);
    assert_int_equal(job_wait(b), WORKER_EXIT_DONE);
    job_hear(b, 0);
    assert_int_equal(job_outcome(b, 1), OUTCOME_INTERRUPTED);
}

/* ---- whose signal was it ----------------------------------------------- */

/* The worker is stopped meanwhile, so that it hears of both at once. */
static void who_dies_of_the_signal_to_all_did_not_fail(void **state)
{
    struct bench *b = *state;
    struct task t = bench_shell(b, 1, UP "exec sleep 600");
    t.grace_s = 60;
    job_write(b, &t, 1);
    start(b, NULL, NULL);
    await_up(b, 1);
    pid_t task = pid_of(b, 1);
    kill(b->pid, SIGSTOP);
    kill(task, SIGTERM);
    kill(b->pid, SIGTERM);
    kill(b->pid, SIGCONT);
    assert_int_equal(job_wait(b), WORKER_EXIT_DONE);
    job_hear(b, 0);
    assert_int_equal(job_outcome(b, 1), OUTCOME_INTERRUPTED);
}

static void say_in_log(struct bench *b)
{
    FILE *log = fopen(job_file(b, "7.log"), "a");
    assert_non_null(log);
    fputs("slurmstepd: error: *** JOB 7 ON t0 CANCELLED AT now ***\n", log);
    fclose(log);
}

/* A shell goes on with the next command when the one before has died. */
static void a_shell_whose_command_dies_of_it_has_no_result(void **state)
{
    struct bench *b = *state;
    struct task t = bench_shell(b, 1, UP UNTIL("../go") "exit 0");
    t.grace_s = 60;
    job_write(b, &t, 1);
    start(b, NULL, NULL);
    await_up(b, 1);
    pid_t task = pid_of(b, 1);
    kill(b->pid, SIGSTOP);
    say_in_log(b);
    let_go(b, "go");
    assert_true(bench_gone(task, 60));
    kill(b->pid, SIGCONT);
    kill(b->pid, SIGTERM);
    assert_int_equal(job_wait(b), WORKER_EXIT_DONE);
    job_hear(b, 0);
    assert_int_equal(job_outcome(b, 1), OUTCOME_INTERRUPTED);
}

static void a_line_in_the_log_ends_nothing(void **state)
{
    struct bench *b = *state;
    struct task t = bench_shell(b, 1, UP UNTIL("../go") "exit 0");
    job_write(b, &t, 1);
    start(b, NULL, NULL);
    await_up(b, 1);
    say_in_log(b);
    let_go(b, "go");
    assert_int_equal(job_wait(b), WORKER_EXIT_DONE);
    job_hear(b, 0);
    assert_int_equal(job_outcome(b, 1), OUTCOME_DONE);
}

static void who_dies_of_a_signal_alone_has_failed(void **state)
{
    struct bench *b = *state;
    struct task tasks[] = {bench_shell(b, 1, "kill $$; sleep 600"),
                           bench_shell(b, 2, "exit 143")};
    job_write(b, tasks, 2);
    assert_int_equal(job_run(b, 0), WORKER_EXIT_DONE);
    job_hear(b, 0);
    assert_int_equal(job_outcome(b, 1), OUTCOME_FAILED);
    assert_int_equal(bench_ended(b, 1).signum, SIGTERM);
    assert_int_equal(job_outcome(b, 2), OUTCOME_FAILED);
}

/* ---- built-in training ------------------------------------------------- */

#define EPOCHS 12
#define SLICE 2

/* Runs the training as far as it waits for a decision, or to its end, and adds
 * what it said. */
static void run_slice(struct bench *b, struct task *t, int64_t until,
                      struct buf *said)
{
    const char *options[] = {"--room", JOB_ROOM, "--asked",
                             job_file(b, "7.asked"), NULL};
    const char *last = arena_printf(b->arena, "%lld:", (long long)until);
    t->awaits = until;
    t->metric_name = STR("loss");
    t->grace_s = 60;
    job_write(b, t, 1);
    job_start(b, 0, options, NULL);
    while (until && !strstr(bench_metric(b, t->id, "loss"), last))
        job_await(b, 0, RECORD_METRICS, t->id);
    if (until)
        kill(b->pid, SIGUSR1);
    assert_int_equal(job_wait(b), WORKER_EXIT_DONE);
    job_hear(b, 0);
    buf_addf(said, "%s%s", said->len ? " " : "",
             bench_metric(b, t->id, "loss"));
    unlink(job_said(b, 0));
}

static void training_goes_on_where_it_was_interrupted(void **state)
{
    struct bench *b = *state;
    struct task cut = bench_training(b, 1, EPOCHS);
    struct task whole = bench_training(b, 2, EPOCHS);
    struct buf said, uncut;
    buf_init(&said);
    buf_init(&uncut);
    for (int64_t at = SLICE; at < EPOCHS; at += SLICE) {
        run_slice(b, &cut, at, &said);
        assert_int_equal(job_outcome(b, 1), OUTCOME_INTERRUPTED);
    }
    run_slice(b, &cut, 0, &said);
    assert_int_equal(job_outcome(b, 1), OUTCOME_DONE);
    run_slice(b, &whole, 0, &uncut);
    assert_int_equal(job_outcome(b, 2), OUTCOME_DONE);
    assert_string_equal(said.p, uncut.p);
    assert_contains(said.p, "12:");
    buf_done(&said);
    buf_done(&uncut);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        with_bench(the_warning_leaves_tasks_their_grace),
        with_bench(the_end_of_a_job_leaves_tasks_their_grace),
        with_bench(who_cannot_go_on_may_come_to_its_end),
        with_bench(the_end_comes_in_time_for_the_answers),
        with_bench(a_signal_of_the_end_shortens_the_warning),
        with_bench(a_second_signal_of_the_end_hurries),
        with_bench(who_dies_of_the_signal_to_all_did_not_fail),
        with_bench(a_shell_whose_command_dies_of_it_has_no_result),
        with_bench(a_line_in_the_log_ends_nothing),
        with_bench(who_dies_of_a_signal_alone_has_failed),
        with_bench(training_goes_on_where_it_was_interrupted),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
