/* test_life.c - the worker's own life: the queue, acknowledgements, the end */
#include "harness.h"

#include <signal.h>
#include <stdio.h>
#include <sys/socket.h>

static pid_t pid_in(struct bench *b, uint64_t id, const char *name)
{
    const char *text = bench_await_file(b, bench_path(b, id, name));
    return (pid_t)strtol(text, NULL, 10);
}

#define HOLD "echo $$ > up; while test ! -e go; do sleep 0.01; done; rm up go"

static void let_go(struct bench *b, uint64_t id)
{
    file_write(bench_path(b, id, "go"), STR("x"), false, NULL);
}

/* ---- the queue ------------------------------------------------------- */

static void tasks_run_at_once_within_the_room(void **state)
{
    struct bench *b = *state;
    bench_start(b, NULL);
    for (uint64_t i = 1; i <= 3; i++) {
        struct task t = bench_shell(b, i, HOLD);
        bench_submit(b, &t);
    }
    pid_in(b, 1, "up");
    pid_in(b, 2, "up");
    assert_int_equal(bench_count(b, RECORD_STARTING, 3), 0);
    let_go(b, 2);
    bench_ended(b, 2);
    pid_in(b, 3, "up");
    let_go(b, 1);
    let_go(b, 3);
    bench_ended(b, 1);
    bench_ended(b, 3);
}

static void a_small_task_passes_a_large_one_at_most_100_times(void **state)
{
    struct bench *b = *state;
    bench_start(b, "cpus=2;memory=1073741824;parallel=2");
    struct task hold = bench_shell(b, 1, HOLD);
    bench_submit(b, &hold);
    pid_in(b, 1, "up");
    struct task large = bench_shell(b, 2, "exit 0");
    large.needs.cpus = 2;
    bench_submit(b, &large);
    for (uint64_t i = 3; i < 113; i++) {
        struct task small = bench_shell(b, i, "exit 0");
        bench_submit(b, &small);
    }
    bench_ended(b, 102);
    let_go(b, 1);
    bench_ended(b, 112);
    /* In the order of their beginnings, the large one stands 102nd. */
    size_t before = 0;
    for (size_t i = 0; i < b->records.len; i++) {
        if (b->records.p[i].type != RECORD_STARTING)
            continue;
        if (b->records.p[i].task == 2)
            break;
        before++;
    }
    assert_int_equal(before, 101);
}

static void a_waiting_task_that_is_stopped_ends_unstarted(void **state)
{
    struct bench *b = *state;
    bench_start(b, "cpus=1;memory=1073741824;parallel=1");
    struct task hold = bench_shell(b, 1, HOLD), t = bench_shell(b, 2, "true"),
                u = bench_shell(b, 3, "true");
    bench_submit(b, &hold);
    bench_submit(b, &t);
    bench_submit(b, &u);
    pid_in(b, 1, "up");
    bench_send(b, RECORD_STOP, &t, STR(""));
    char outcome = OUTCOME_KILLED;
    bench_send(b, RECORD_KILL, &u, str_n(&outcome, 1));
    assert_int_equal(bench_ended(b, 2).outcome, OUTCOME_UNSTARTED);
    assert_int_equal(bench_ended(b, 3).outcome, OUTCOME_UNSTARTED);
    assert_int_equal(bench_count(b, RECORD_STARTING, 2), 0);
    let_go(b, 1);
    bench_ended(b, 1);
}

static void a_thousand_tasks_all_end(void **state)
{
    struct bench *b = *state;
    const char *argv[] = {"/bin/true", NULL};
    bench_start(b, NULL);
    for (uint64_t i = 0; i < 1000; i++) {
        struct task t = bench_command(b, i, argv);
        bench_submit(b, &t);
    }
    for (uint64_t i = 0; i < 1000; i++)
        assert_int_equal(bench_ended(b, i).outcome, OUTCOME_DONE);
    assert_false(file_exists(bench_path(b, 999, "")));
}

/* ---- the end --------------------------------------------------------- */

static void a_worker_whose_conductor_dies_leaves_last_words(void **state)
{
    struct bench *b = *state;
    bench_start(b, NULL);
    struct task ended = bench_shell(b, 1, "exit 3");
    bench_run(b, &ended);
    struct task runs = bench_shell(
        b, 2, "trap '' TERM; setsid sleep 300 & echo $! > pid; " HOLD);
    struct task polite = bench_shell(
        b, 3, "trap 'echo 1 > $THRONG_CHECKPOINT/saved; exit 85' TERM; " HOLD);
    struct task waits = bench_shell(b, 4, "true");
    bench_submit(b, &runs);
    bench_submit(b, &polite);
    bench_submit(b, &waits);
    pid_t main = pid_in(b, 2, "up"), child = pid_in(b, 2, "pid");
    pid_in(b, 3, "up");
    bench_hang_up(b);
    assert_int_equal(bench_wait(b), 0);
    assert_true(bench_gone(main, 0));
    assert_true(bench_gone(child, 0));
    bench_read_last_words(b);
    assert_int_equal(b->records.p[0].type, RECORD_HELLO);
    assert_int_equal(bench_ended(b, 1).outcome, OUTCOME_FAILED);
    assert_int_equal(bench_ended(b, 2).outcome, OUTCOME_INTERRUPTED);
    struct record_ended e = bench_ended(b, 3);
    assert_int_equal(e.outcome, OUTCOME_INTERRUPTED);
    assert_true(e.checkpoint_digest != 0);
    assert_int_equal(bench_ended(b, 4).outcome, OUTCOME_UNSTARTED);
    assert_int_equal(bench_count(b, RECORD_STARTING, 4), 0);
}

static void acknowledged_records_are_not_said_again(void **state)
{
    struct bench *b = *state;
    bench_start(b, NULL);
    struct task first = bench_shell(b, 1, "true"),
                second = bench_shell(b, 2, "true"),
                third = bench_shell(b, 3, "true");
    bench_run(b, &first);
    bench_run(b, &second);
    assert_int_equal(b->records.len, 7);
    bench_ack(b, 4); /* HELLO and all of the first task */
    bench_run(b, &third);
    bench_hang_up(b);
    bench_wait(b);
    bench_read_last_words(b);
    assert_int_equal(b->records.len, 6);
    assert_int_equal(bench_count(b, RECORD_ENDED, 1), 0);
    assert_int_equal(bench_count(b, RECORD_ENDED, 2), 1);
    assert_int_equal(bench_count(b, RECORD_STARTING, 2), 1);
}

static void a_worker_with_nothing_to_say_leaves_no_file(void **state)
{
    struct bench *b = *state;
    bench_start(b, NULL);
    struct task t = bench_shell(b, 1, "true"), u = bench_shell(b, 2, "true");
    bench_run(b, &t);
    bench_ack(b, b->records.len);
    bench_run(b, &u);
    bench_ack(b, b->records.len);
    shutdown(b->fd, SHUT_WR);
    assert_int_equal(bench_wait(b), 0);
    assert_false(file_exists(b->last_words));
}

static void sigterm_to_the_worker_is_as_if_the_conductor_died(void **state)
{
    struct bench *b = *state;
    bench_start(b, NULL);
    struct task t = bench_shell(b, 1, HOLD);
    bench_submit(b, &t);
    pid_t main = pid_in(b, 1, "up");
    kill(b->pid, SIGINT);
    kill(b->pid, SIGHUP);
    kill(b->pid, SIGTERM);
    assert_int_equal(bench_wait(b), 0);
    assert_true(bench_gone(main, 0));
    bench_read_last_words(b);
    assert_int_equal(bench_ended(b, 1).outcome, OUTCOME_INTERRUPTED);
}

static void quit_ends_everything_and_says_so(void **state)
{
    struct bench *b = *state;
    bench_start(b, NULL);
    struct task t = bench_shell(b, 1, HOLD), u = bench_shell(b, 2, HOLD),
                v = bench_shell(b, 3, "true");
    bench_submit(b, &t);
    bench_submit(b, &u);
    bench_submit(b, &v);
    pid_in(b, 1, "up");
    pid_in(b, 2, "up");
    bench_send(b, RECORD_QUIT, NULL, STR(""));
    assert_int_equal(bench_ended(b, 1).outcome, OUTCOME_INTERRUPTED);
    assert_int_equal(bench_ended(b, 2).outcome, OUTCOME_INTERRUPTED);
    assert_int_equal(bench_ended(b, 3).outcome, OUTCOME_UNSTARTED);
    bench_ack(b, b->records.len);
    assert_int_equal(bench_wait(b), 0);
    assert_false(file_exists(b->last_words));
}

static void a_killed_worker_takes_its_main_processes_along(void **state)
{
    struct bench *b = *state;
    bench_start(b, NULL);
    struct task t = bench_shell(b, 1, HOLD);
    bench_submit(b, &t);
    pid_t main = pid_in(b, 1, "up");
    kill(b->pid, SIGKILL);
    bench_wait(b);
    assert_true(bench_gone(main, 20));
}

static void the_tools_folder_is_removed_at_the_end(void **state)
{
    struct bench *b = *state;
    bench_start(b, NULL);
    char *tools =
        arena_printf(b->arena, "%s/words/tools-%d", b->folder, (int)b->pid);
    assert_true(file_exists(path_join(b->arena, tools, "bin/throng")));
    bench_hang_up(b);
    bench_wait(b);
    assert_false(file_exists(tools));
}

/* ---- a conductor that does not read ---------------------------------- */

/* Records pile up in the worker, and the metrics wait in the file: nothing
 * blocks and nothing is lost. */
static void a_slow_conductor_loses_nothing(void **state)
{
    struct bench *b = *state;
    bench_start(b, NULL);
    struct task t =
        bench_shell(b, 1,
                    "awk 'BEGIN { for (i = 0; i < 900000; i++) "
                    "printf \"{\\\"step\\\":%d,\\\"x\\\":%d}\\n\", i, i }' "
                    ">> $THRONG_METRICS; echo done > $THRONG_OUTPUT/done");
    bench_submit(b, &t);
    bench_await_file(b, bench_path(b, 1, "output/done"));
    /* Meanwhile other tasks go on: their files show it. */
    struct task u = bench_shell(b, 2, "echo up > up");
    bench_submit(b, &u);
    bench_await(b, RECORD_STARTING, 1);
    struct record_ended e = bench_ended(b, 1);
    assert_int_equal(e.metric_points, 900000);
    bench_ended(b, 2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        with_bench(tasks_run_at_once_within_the_room),
        with_bench(a_small_task_passes_a_large_one_at_most_100_times),
        with_bench(a_waiting_task_that_is_stopped_ends_unstarted),
        with_bench(a_thousand_tasks_all_end),
        with_bench(a_worker_whose_conductor_dies_leaves_last_words),
        with_bench(acknowledged_records_are_not_said_again),
        with_bench(a_worker_with_nothing_to_say_leaves_no_file),
        with_bench(sigterm_to_the_worker_is_as_if_the_conductor_died),
        with_bench(quit_ends_everything_and_says_so),
        with_bench(a_killed_worker_takes_its_main_processes_along),
        with_bench(the_tools_folder_is_removed_at_the_end),
        with_bench(a_slow_conductor_loses_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
