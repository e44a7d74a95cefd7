/* test_asked.c - what is asked of the tasks of a bundle, in a file that grows
 */
#include "job.h"

#include <stdio.h>
#include "terms/bundle.h"

static void start(struct bench *b, const char *room)
{
    const char *options[] = {"--room", room, "--asked", job_file(b, "7.asked"),
                             NULL};
    job_start(b, 0, options, NULL);
}

#define WAITS                                                                  \
    "echo up > ../up.$THRONG_TRIAL;"                                           \
    "while ! test -e \"$THRONG_STOP\"; do sleep 0.01; done; echo '::throng "   \
    "x=3'"

static void await_up(struct bench *b, uint64_t id)
{
    bench_await_file(b, arena_printf(b->arena, "%s/trials/up.%llu", b->folder,
                                     (unsigned long long)id));
}

static void what_runs_is_stopped_and_killed(void **state)
{
    struct bench *b = *state;
    struct task tasks[] = {bench_shell(b, 1, WAITS), bench_shell(b, 2, WAITS)};
    struct buf outcome;
    buf_init(&outcome);
    buf_add_u8(&outcome, OUTCOME_KILLED);
    tasks[0].grace_s = tasks[1].grace_s = 60;
    job_write(b, tasks, 2);
    start(b, JOB_ROOM);
    await_up(b, 1);
    await_up(b, 2);
    job_ask(b, RECORD_STOP, 99, STR(""));
    job_ask(b, RECORD_STOP, 1, STR(""));
    job_ask(b, RECORD_KILL, 2, buf_str(&outcome));
    assert_int_equal(job_wait(b), WORKER_EXIT_DONE);
    job_hear(b, 0);
    assert_int_equal(job_outcome(b, 1), OUTCOME_STOPPED);
    assert_string_equal(bench_metric(b, 1, "x"), "0:3");
    assert_int_equal(job_outcome(b, 2), OUTCOME_KILLED);
    assert_int_equal(job_outcome(b, 99), OUTCOME_NONE);
    buf_done(&outcome);
}

static void what_waits_is_handed_back(void **state)
{
    struct bench *b = *state;
    struct task tasks[] = {bench_shell(b, 1, WAITS), bench_shell(b, 2, "true"),
                           bench_shell(b, 3, "true")};
    tasks[0].grace_s = 60;
    job_write(b, tasks, 3);
    start(b, "cpus=1;parallel=1");
    await_up(b, 1);
    job_ask(b, RECORD_STOP, 2, STR(""));
    job_ask(b, RECORD_STOP, 1, STR(""));
    assert_int_equal(job_wait(b), WORKER_EXIT_DONE);
    job_hear(b, 0);
    assert_int_equal(job_outcome(b, 2), OUTCOME_UNSTARTED);
    assert_int_equal(bench_count(b, RECORD_STARTING, 2), 0);
    assert_int_equal(job_outcome(b, 3), OUTCOME_DONE);
}

static void what_was_asked_before_the_start_is_done(void **state)
{
    struct bench *b = *state;
    struct task tasks[] = {bench_shell(b, 1, "true"),
                           bench_shell(b, 2, "true")};
    job_write(b, tasks, 2);
    job_ask(b, RECORD_KILL, 1, STR("\x06"));
    start(b, JOB_ROOM);
    assert_int_equal(job_wait(b), WORKER_EXIT_DONE);
    job_hear(b, 0);
    assert_int_equal(job_outcome(b, 1), OUTCOME_UNSTARTED);
    assert_int_equal(job_outcome(b, 2), OUTCOME_DONE);
}

/* The second record is there as far as its last byte, then wholly. */
static void a_torn_end_waits_for_its_rest(void **state)
{
    struct bench *b = *state;
    const char *asked = job_file(b, "7.asked");
    struct task tasks[] = {bench_shell(b, 1, WAITS), bench_shell(b, 2, WAITS)};
    struct record stop = {.type = RECORD_STOP, .task = 2, .attempt = 1};
    tasks[0].grace_s = tasks[1].grace_s = 60;
    job_write(b, tasks, 2);
    start(b, JOB_ROOM);
    await_up(b, 2);
    job_ask(b, RECORD_STOP, 1, STR(""));
    struct str whole = job_append(b, asked, &stop, 1);
    job_await(b, 0, RECORD_ENDED, 1);
    assert_int_equal(job_outcome(b, 2), OUTCOME_NONE);
    FILE *f = fopen(asked, "a");
    fwrite(whole.p + whole.len - 1, 1, 1, f);
    fclose(f);
    assert_int_equal(job_wait(b), WORKER_EXIT_DONE);
    job_hear(b, 0);
    assert_int_equal(job_outcome(b, 2), OUTCOME_STOPPED);
}

static void damage_is_told_and_what_is_behind_it_not_done(void **state)
{
    struct bench *b = *state;
    struct task t = bench_shell(b, 1, "true");
    job_write(b, &t, 1);
    file_write(job_file(b, "7.asked"), STR("nobody asks in this manner"), false,
               NULL);
    job_ask(b, RECORD_STOP, 1, STR(""));
    start(b, JOB_ROOM);
    assert_int_equal(job_wait(b), WORKER_EXIT_DONE);
    job_hear(b, 0);
    assert_int_equal(job_outcome(b, 1), OUTCOME_DONE);
    assert_contains(bench_file(b, job_file(b, "7.log")),
                    "7.asked: a record is damaged");
}

static void ask_go(struct bench *b, uint64_t task)
{
    struct buf payload;
    buf_init(&payload);
    buf_add_u64(&payload, 0);
    job_ask(b, RECORD_GO, task, buf_str(&payload));
    buf_done(&payload);
}

/* One hears of its decision before it begins, the other while it waits. */
static void decisions_are_heard(void **state)
{
    struct bench *b = *state;
    struct task tasks[] = {bench_training(b, 1, 4), bench_training(b, 2, 4)};
    for (size_t i = 0; i < 2; i++) {
        tasks[i].awaits = 2;
        tasks[i].metric_name = STR("loss");
    }
    job_write(b, tasks, 2);
    ask_go(b, 1);
    start(b, JOB_ROOM);
    job_await(b, 0, RECORD_ENDED, 1);
    while (!strstr(bench_metric(b, 2, "loss"), "2:"))
        job_await(b, 0, RECORD_METRICS, 2);
    assert_int_equal(job_outcome(b, 2), OUTCOME_NONE);
    ask_go(b, 2);
    assert_int_equal(job_wait(b), WORKER_EXIT_DONE);
    job_hear(b, 0);
    assert_int_equal(job_outcome(b, 1), OUTCOME_DONE);
    assert_int_equal(job_outcome(b, 2), OUTCOME_DONE);
    assert_contains(bench_metric(b, 2, "loss"), "4:");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        with_bench(what_runs_is_stopped_and_killed),
        with_bench(what_waits_is_handed_back),
        with_bench(what_was_asked_before_the_start_is_done),
        with_bench(a_torn_end_waits_for_its_rest),
        with_bench(decisions_are_heard),
        with_bench(damage_is_told_and_what_is_behind_it_not_done),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
