/* test_limits.c - stop, kill, time, memory, output, and processes left */
#include "harness.h"

#include <signal.h>
#include <stdio.h>
#include <sys/stat.h>

static pid_t pid_in(struct bench *b, uint64_t id, const char *name)
{
    const char *text = bench_await_file(b, bench_path(b, id, name));
    return (pid_t)strtol(text, NULL, 10);
}

/* What is not ended lives for ever, and a worker that a flood keeps from its
 * work does it never. Other programs may keep it from its work, too, and for
 * longer than it needs by itself. */
#define SOON_S 15.0

/* ---- stop and kill --------------------------------------------------- */

static void a_stop_file_lets_a_program_finish(void **state)
{
    struct bench *b = *state;
    bench_start(b, NULL);
    struct task t =
        bench_shell(b, 1,
                    "trap 'echo terminated' TERM; echo up > up; "
                    "while test ! -e $THRONG_STOP; do sleep 0.01; done; "
                    "echo finished; rm up; exit 4");
    t.grace_s = 15;
    bench_submit(b, &t);
    pid_in(b, 1, "up");
    bench_send(b, RECORD_STOP, &t, STR(""));
    struct record_ended e = bench_ended(b, 1);
    assert_int_equal(e.outcome, OUTCOME_STOPPED);
    assert_int_equal(e.exit_code, 4);
    assert_string_equal(bench_file(b, bench_path(b, 1, "log")), "finished\n");
    assert_false(file_exists(bench_path(b, 1, "stop")));
}

static void a_program_that_ignores_everything_is_killed(void **state)
{
    struct bench *b = *state;
    bench_start(b, NULL);
    struct task t = bench_shell(b, 1,
                                "trap '' TERM; echo up > up; "
                                "while :; do sleep 0.02; done");
    t.grace_s = 0.2;
    bench_submit(b, &t);
    pid_in(b, 1, "up");
    bench_send(b, RECORD_STOP, &t, STR(""));
    struct record_ended e = bench_ended(b, 1);
    assert_int_equal(e.outcome, OUTCOME_STOPPED);
    assert_int_equal(e.signum, SIGKILL);
    assert_true(e.seconds >= 0.4);
}

static void a_kill_ends_with_its_outcome(void **state)
{
    struct bench *b = *state;
    bench_start(b, NULL);
    struct task t = bench_shell(b, 1, "echo up > up; exec sleep 300");
    t.grace_s = 15;
    bench_submit(b, &t);
    pid_in(b, 1, "up");
    char outcome = OUTCOME_DIVERGED;
    bench_send(b, RECORD_KILL, &t, str_n(&outcome, 1));
    struct record_ended e = bench_ended(b, 1);
    assert_int_equal(e.outcome, OUTCOME_DIVERGED);
    assert_int_equal(e.signum, SIGTERM);
}

static void a_stop_for_another_attempt_is_ignored(void **state)
{
    struct bench *b = *state;
    bench_start(b, NULL);
    struct task t = bench_shell(b, 1, "echo up > up; sleep 0.3; rm up; exit 0");
    t.attempt = 2;
    bench_submit(b, &t);
    pid_in(b, 1, "up");
    char outcome = OUTCOME_KILLED;
    struct task old = t;
    old.attempt = 1;
    bench_send(b, RECORD_KILL, &old, str_n(&outcome, 1));
    assert_int_equal(bench_ended(b, 1).outcome, OUTCOME_DONE);
}

static void a_time_limit_ends_a_task(void **state)
{
    struct bench *b = *state;
    bench_start(b, NULL);
    struct task t = bench_shell(b, 1, "sleep 300");
    t.needs.time_s = 0.3;
    struct record_ended e = bench_run(b, &t);
    assert_int_equal(e.outcome, OUTCOME_TIMED_OUT);
    assert_contains(e.reason.p, "ran longer than its limit of ");
    assert_true(e.seconds >= 0.3);
}

/* What an attempt before it has left. */
static struct task used(struct bench *b, const char *script, bool checkpoint)
{
    struct task t = bench_shell(b, 1, script);
    dir_make(bench_path(b, 1, "checkpoint"), NULL);
    file_write(bench_path(b, 1, TASK_USED), STR("1000\n"), false, NULL);
    if (checkpoint)
        file_write(bench_path(b, 1, "checkpoint/c"), STR("1"), false, NULL);
    t.needs.time_s = 900;
    t.attempt = 2;
    return t;
}

static void who_goes_on_has_the_time_that_is_left(void **state)
{
    struct bench *b = *state;
    bench_start(b, NULL);
    struct task t = used(b, "sleep 300", true);
    assert_int_equal(bench_run(b, &t).outcome, OUTCOME_TIMED_OUT);
}

static void who_begins_anew_has_all_of_its_time(void **state)
{
    struct bench *b = *state;
    bench_start(b, NULL);
    struct task t = used(b, "test ! -e .used", false);
    assert_int_equal(bench_run(b, &t).outcome, OUTCOME_DONE);
}

/* The next try is not made to pay for this one. */
static void who_fails_leaves_no_time_behind(void **state)
{
    struct bench *b = *state;
    bench_start(b, NULL);
    struct task t = used(b, "exit 3", true);
    t.needs.time_s = 2000;
    assert_int_equal(bench_run(b, &t).outcome, OUTCOME_FAILED);
    assert_false(file_exists(bench_path(b, 1, TASK_USED)));
}

static void who_is_interrupted_says_what_it_has_used(void **state)
{
    struct bench *b = *state;
    bench_start(b, NULL);
    struct task t = used(b, "echo up > up; sleep 300", true);
    t.needs.time_s = 2000;
    bench_submit(b, &t);
    pid_in(b, 1, "up");
    char outcome = OUTCOME_INTERRUPTED;
    bench_send(b, RECORD_KILL, &t, str_n(&outcome, 1));
    assert_int_equal(bench_ended(b, 1).outcome, OUTCOME_INTERRUPTED);
    assert_true(strtod(bench_file(b, bench_path(b, 1, TASK_USED)), NULL) >
                1000);
}

/* The worker is held up past the limit of a task that ended long before. */
static void a_late_worker_blames_no_task_for_it(void **state)
{
    struct bench *b = *state;
    bench_start(b, NULL);
    struct task t = bench_shell(b, 1, "echo $$ > up; sleep 0.2; exit 0");
    t.needs.time_s = 2;
    bench_submit(b, &t);
    bench_await(b, RECORD_STARTED, 1);
    pid_t main = pid_in(b, 1, "up");
    kill(b->pid, SIGSTOP);
    assert_true(bench_gone(main, SOON_S));
    usleep(2300000);
    kill(b->pid, SIGCONT);
    struct record_ended e = bench_ended(b, 1);
    assert_int_equal(e.outcome, OUTCOME_DONE);
    assert_int_equal(e.exit_code, 0);
}

/* ---- processes left behind ------------------------------------------- */

/* Starts a process in a session of its own whose parent is gone, and writes
 * its pid into a file. */
#define DAEMON(before)                                                         \
    "setsid sh -c '" before "sh -c \"echo \\$\\$ > pid.new; mv pid.new pid; "  \
    "trap \\\"\\\" TERM HUP; while :; do sleep 1; done\" &' & "                \
    "while test ! -e pid; do sleep 0.01; done; "

static void a_daemon_is_gone_soon_after_the_end(void **state)
{
    struct bench *b = *state;
    bench_start(b, NULL);
    struct task t = bench_shell(b, 1, DAEMON("") "exit 0");
    assert_int_equal(bench_run(b, &t).outcome, OUTCOME_DONE);
    assert_true(bench_gone(pid_in(b, 1, "pid"), SOON_S));
}

static void a_daemon_of_a_running_task_lives(void **state)
{
    struct bench *b = *state;
    bench_start(b, NULL);
    struct task t = bench_shell(
        b, 1,
        DAEMON("") "echo up > up; while test ! -e go; do sleep 0.01; "
                   "done; kill -0 $(cat pid) && echo alive");
    bench_submit(b, &t);
    pid_in(b, 1, "up");
    /* Others end meanwhile, and their leftovers are looked for. */
    for (uint64_t i = 2; i < 6; i++) {
        struct task other = bench_shell(b, i, DAEMON("") "exit 0");
        bench_run(b, &other);
        assert_true(bench_gone(pid_in(b, i, "pid"), SOON_S));
    }
    file_write(bench_path(b, 1, "go"), STR("x"), false, NULL);
    assert_int_equal(bench_ended(b, 1).outcome, OUTCOME_DONE);
    assert_string_equal(bench_file(b, bench_path(b, 1, "log")), "alive\n");
    assert_true(bench_gone(pid_in(b, 1, "pid"), SOON_S));
}

static void a_daemon_without_its_environment_goes_too(void **state)
{
    struct bench *b = *state;
    bench_start(b, NULL);
    struct task t = bench_shell(
        b, 1, DAEMON("exec env -i PATH=$PATH ") "sleep 0.1; exit 0");
    bench_run(b, &t);
    assert_true(bench_gone(pid_in(b, 1, "pid"), SOON_S));
}

static void background_processes_end_with_their_group(void **state)
{
    struct bench *b = *state;
    bench_start(b, NULL);
    struct task t = bench_shell(b, 1, "sleep 300 & echo $! > pid; exit 0");
    bench_run(b, &t);
    assert_true(bench_gone(pid_in(b, 1, "pid"), SOON_S));
}

static void a_next_attempt_never_meets_the_last(void **state)
{
    struct bench *b = *state;
    bench_start(b, NULL);
    struct task t = bench_shell(b, 1, DAEMON("") "exit 1");
    bench_run(b, &t);
    /* What has been killed but not waited for yet (Z) is gone. */
    struct task next =
        bench_shell(b, 1,
                    "state=$(cut -d ' ' -f 3 /proc/$(cat pid)/stat 2>&1); "
                    "case $state in [RSDT]) echo it is in state $state;; esac; "
                    "exit 0");
    next.attempt = 2;
    b->records.len = 0;
    assert_int_equal(bench_run(b, &next).outcome, OUTCOME_DONE);
    if (file_exists(bench_path(b, 1, "log")))
        fail_msg("%s", bench_file(b, bench_path(b, 1, "log")));
}

/* ---- memory ---------------------------------------------------------- */

static void a_grandchild_that_takes_too_much_is_named(void **state)
{
    struct bench *b = *state;
    bench_start(b, NULL);
    const char *eat = given("WORKER_EAT");
    struct task t = bench_shell(
        b, 1,
        arena_printf(b->arena, "sh -c '%s 150 eaten; true'; exit 0", eat));
    t.needs.memory_bytes = 64 << 20;
    struct record_ended e = bench_run(b, &t);
    assert_int_equal(e.outcome, OUTCOME_MEMORY);
    assert_contains(e.reason.p, "its grant is 64");
    assert_contains(e.reason.p, eat);
    assert_true(e.max_rss_bytes > 64 << 20);
}

static void a_daemon_counts_for_the_memory_of_its_task(void **state)
{
    struct bench *b = *state;
    bench_start(b, NULL);
    const char *eat = given("WORKER_EAT");
    struct task t =
        bench_shell(b, 1,
                    arena_printf(b->arena,
                                 "setsid sh -c 'setsid %s 150 eaten & exit' & "
                                 "sleep 300",
                                 eat));
    t.needs.memory_bytes = 64 << 20;
    struct record_ended e = bench_run(b, &t);
    assert_int_equal(e.outcome, OUTCOME_MEMORY);
    assert_true(bench_gone(pid_in(b, 1, "eaten"), SOON_S));
}

static void a_task_within_its_grant_is_left_alone(void **state)
{
    struct bench *b = *state;
    bench_start(b, NULL);
    const char *eat = given("WORKER_EAT");
    struct task t = bench_shell(
        b, 1,
        arena_printf(b->arena,
                     "%s 40 eaten & while test ! -e eaten; do sleep "
                     "0.01; done; sleep 0.4; exit 0",
                     eat));
    t.needs.memory_bytes = 200 << 20;
    assert_int_equal(bench_run(b, &t).outcome, OUTCOME_DONE);
}

/* ---- CPU time -------------------------------------------------------- */

static struct task burning(struct bench *b, const char *script)
{
    return bench_shell(
        b, 1,
        arena_printf(b->arena, "burn=%s; %s", given("WORKER_BURN"), script));
}

static double cpu_of_killed(struct bench *b, const char *script)
{
    bench_start(b, NULL);
    struct task t = burning(b, script);
    bench_submit(b, &t);
    pid_in(b, 1, "up");
    char outcome = OUTCOME_KILLED;
    bench_send(b, RECORD_KILL, &t, str_n(&outcome, 1));
    struct record_ended e = bench_ended(b, 1);
    assert_int_equal(e.outcome, OUTCOME_KILLED);
    return e.cpu_seconds;
}

static void the_children_of_a_killed_task_used_cpu_time(void **state)
{
    assert_true(cpu_of_killed(*state, "$burn 0.4 up; exit 1") >= 0.35);
}

static void so_did_those_in_another_session(void **state)
{
    double cpu_s = cpu_of_killed(*state, "setsid $burn 0.4 up; exit 1");
    assert_true(cpu_s >= 0.35 && cpu_s < 10);
}

static void an_orphan_used_the_cpu_time_of_its_task(void **state)
{
    struct bench *b = *state;
    bench_start(b, NULL);
    struct task t =
        burning(b, "($burn 0.3 up end &); while test ! -e up; do sleep 0.01; "
                   "done; sleep 0.2; exit 0");
    struct record_ended e = bench_run(b, &t);
    assert_int_equal(e.outcome, OUTCOME_DONE);
    assert_true(e.cpu_seconds >= 0.3);
}

/* ---- output ---------------------------------------------------------- */

static void a_flood_is_cut_in_its_middle(void **state)
{
    struct bench *b = *state;
    struct stat st;
    bench_start(b, NULL);
    struct task t = bench_shell(
        b, 1,
        "echo first line; echo '::throng step=1 x=1'; "
        "awk 'BEGIN { for (i = 0; i < 400000; i++) { "
        "print \"line number\", i, \"of a very long output\"; "
        "if (i % 40000 == 0) print \"::throng step=\" i \" y=1\" } }'; "
        "echo last line; exit 3");
    t.output_max_bytes = 256 << 10;
    struct record_ended e = bench_run(b, &t);
    assert_int_equal(stat(bench_path(b, 1, "log"), &st), 0);
    assert_true(st.st_size < 300 << 10);
    assert_true(e.output_bytes > 10 << 20);
    char *text = bench_file(b, bench_path(b, 1, "log"));
    assert_true(strncmp(text, "first line\n", 11) == 0);
    assert_contains(text, "bytes of output were dropped here; the limit is");
    assert_contains(text, "last line\n");
    assert_contains(e.tail.p, "last line\n");
    assert_string_equal(bench_metric(b, 1, "y"),
                        "0:1 40000:1 80000:1 120000:1 160000:1 200000:1 "
                        "240000:1 280000:1 320000:1 360000:1");
    unsigned long long dropped = 0;
    sscanf(strstr(text, "[throng: "), "[throng: %llu", &dropped);
    const char *notice = strstr(text, "\n[throng: ");
    size_t notice_len = (size_t)(strstr(notice + 1, "]\n") + 2 - notice);
    assert_int_equal(dropped + (unsigned long long)st.st_size - notice_len,
                     e.output_bytes);
}

static void an_endless_flood_stays_small_while_it_runs(void **state)
{
    struct bench *b = *state;
    bench_start(b, NULL);
    struct task t = bench_shell(b, 1, "exec yes some output");
    t.output_max_bytes = 1 << 20;
    t.needs.time_s = 1;
    struct record_ended e = bench_run(b, &t);
    struct stat st;
    assert_int_equal(e.outcome, OUTCOME_TIMED_OUT);
    assert_int_equal(stat(bench_path(b, 1, "log"), &st), 0);
    assert_true(st.st_size < 2 << 20);
    assert_true(e.output_bytes > 2 << 20);
}

static uint64_t size_of(const char *path)
{
    struct stat st;
    return stat(path, &st) == 0 ? (uint64_t)st.st_size : 0;
}

/* Runs a flood that only its time limit ends, and a neighbour. */
static void check_endless_flood(struct bench *b, const char *script)
{
    const char *log = bench_path(b, 1, "log");
    bench_start(b, NULL);
    struct task t = bench_shell(b, 1, script);
    t.output_max_bytes = 1 << 20;
    t.needs.time_s = 1.5;
    struct task neighbour = bench_shell(b, 2, "sleep 300");
    neighbour.needs.time_s = 0.5;
    bench_submit(b, &t);
    bench_submit(b, &neighbour);
    struct record_ended e = bench_ended(b, 2);
    assert_int_equal(e.outcome, OUTCOME_TIMED_OUT);
    assert_true(e.seconds < SOON_S);
    assert_true(size_of(log) < 512u << 20);
    e = bench_ended(b, 1);
    assert_int_equal(e.outcome, OUTCOME_TIMED_OUT);
    assert_true(e.seconds < SOON_S);
    assert_true(size_of(log) < 2 << 20);
    assert_true(e.output_bytes > 2 << 20);
    assert_contains(bench_file(b, log), "bytes of output were dropped here");
}

static void a_flood_of_another_session_harms_nobody(void **state)
{
    check_endless_flood(*state, "setsid yes; exit 1");
}

static void a_flood_of_another_group_harms_nobody(void **state)
{
    check_endless_flood(*state, "timeout 100 yes; exit 1");
}

static void a_flood_of_the_same_group_harms_nobody(void **state)
{
    check_endless_flood(*state, "yes; exit 1");
}

static void many_floods_harm_nobody(void **state)
{
    enum { FLOODS = 6, NEIGHBOUR = 7 };
    struct bench *b = *state;
    uint64_t held = 0;
    bench_start(b, "cpus=8;memory=1073741824;parallel=10");
    for (uint64_t i = 1; i <= NEIGHBOUR; i++) {
        struct task t = bench_shell(b, i, i % 2 ? "yes; exit 1" : "setsid yes");
        if (i == NEIGHBOUR)
            t = bench_shell(b, i, "sleep 300");
        t.output_max_bytes = 1 << 20;
        t.needs.time_s = i == NEIGHBOUR ? 2.5 : 3;
        t.grace_s = 0.5;
        bench_submit(b, &t);
    }
    struct record_ended e = bench_ended(b, NEIGHBOUR);
    assert_int_equal(e.outcome, OUTCOME_TIMED_OUT);
    assert_true(e.seconds < SOON_S);
    for (uint64_t i = 1; i <= FLOODS; i++)
        held += size_of(bench_path(b, i, "log"));
    assert_true(held < 1024u << 20);
    for (uint64_t i = 1; i <= FLOODS; i++) {
        e = bench_ended(b, i);
        assert_int_equal(e.outcome, OUTCOME_TIMED_OUT);
        assert_true(e.seconds < SOON_S);
        assert_true(size_of(bench_path(b, i, "log")) < 2 << 20);
    }
}

static void a_flood_can_be_killed(void **state)
{
    struct bench *b = *state;
    bench_start(b, NULL);
    struct task t = bench_shell(b, 1, "echo up > up; setsid yes; exit 1");
    t.output_max_bytes = 1 << 20;
    bench_submit(b, &t);
    pid_in(b, 1, "up");
    while (size_of(bench_path(b, 1, "log")) < 100000)
        usleep(1000);
    int64_t asked = clock_mono_ns();
    char outcome = OUTCOME_KILLED;
    bench_send(b, RECORD_KILL, &t, str_n(&outcome, 1));
    assert_int_equal(bench_ended(b, 1).outcome, OUTCOME_KILLED);
    assert_true((double)(clock_mono_ns() - asked) < SOON_S * 1e9);
    assert_true(size_of(bench_path(b, 1, "log")) < 2 << 20);
}

/* What can be read along is read, whichever group prints it. */
static void a_flood_of_another_group_loses_no_metrics(void **state)
{
    struct bench *b = *state;
    bench_start(b, NULL);
    struct task t = bench_shell(
        b, 1,
        "timeout 100 awk 'BEGIN { for (i = 0; i < 200000; i++) { "
        "print \"line number\", i, \"of a very long output\"; "
        "if (i % 1000 == 0) print \"::throng step=\" i \" y=1\" } }'; exit 3");
    t.output_max_bytes = 256 << 10;
    struct record_ended e = bench_run(b, &t);
    assert_null(strstr(bench_file(b, bench_path(b, 1, "log")), "not looked"));
    assert_int_equal(e.metric_points, 200);
    assert_true(size_of(bench_path(b, 1, "log")) < 300 << 10);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        with_bench(a_stop_file_lets_a_program_finish),
        with_bench(a_program_that_ignores_everything_is_killed),
        with_bench(a_kill_ends_with_its_outcome),
        with_bench(a_stop_for_another_attempt_is_ignored),
        with_bench(a_time_limit_ends_a_task),
        with_bench(who_goes_on_has_the_time_that_is_left),
        with_bench(who_begins_anew_has_all_of_its_time),
        with_bench(who_fails_leaves_no_time_behind),
        with_bench(who_is_interrupted_says_what_it_has_used),
        with_bench(a_late_worker_blames_no_task_for_it),
        with_bench(a_daemon_is_gone_soon_after_the_end),
        with_bench(a_daemon_of_a_running_task_lives),
        with_bench(a_daemon_without_its_environment_goes_too),
        with_bench(background_processes_end_with_their_group),
        with_bench(a_next_attempt_never_meets_the_last),
        with_bench(a_grandchild_that_takes_too_much_is_named),
        with_bench(a_daemon_counts_for_the_memory_of_its_task),
        with_bench(a_task_within_its_grant_is_left_alone),
        with_bench(the_children_of_a_killed_task_used_cpu_time),
        with_bench(so_did_those_in_another_session),
        with_bench(an_orphan_used_the_cpu_time_of_its_task),
        with_bench(a_flood_is_cut_in_its_middle),
        with_bench(an_endless_flood_stays_small_while_it_runs),
        with_bench(a_flood_of_another_session_harms_nobody),
        with_bench(a_flood_of_another_group_harms_nobody),
        with_bench(a_flood_of_the_same_group_harms_nobody),
        with_bench(many_floods_harm_nobody),
        with_bench(a_flood_can_be_killed),
        with_bench(a_flood_of_another_group_loses_no_metrics),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
