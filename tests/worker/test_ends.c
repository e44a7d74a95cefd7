/* test_ends.c - how attempts end, and what the worker says of it */
#include "harness.h"

#include <signal.h>
#include <stdio.h>
#include <sys/resource.h>
#include <sys/stat.h>

static void exit_code_0_is_done(void **state)
{
    struct bench *b = *state;
    bench_start(b, NULL);
    struct task t = bench_shell(b, 1, "exit 0");
    struct record_ended e = bench_run(b, &t);
    assert_int_equal(e.outcome, OUTCOME_DONE);
    assert_int_equal(e.exit_code, 0);
    assert_int_equal(e.signum, 0);
    assert_int_equal(e.reason.len, 0);
    assert_true(e.seconds > 0 && e.seconds < 10);
    assert_true(e.max_rss_bytes > 0);
    assert_true(e.wall > 1e9);
}

static void records_come_in_their_order(void **state)
{
    struct bench *b = *state;
    bench_start(b, NULL);
    struct task t = bench_shell(b, 1, "echo '::throng loss=1'");
    bench_run(b, &t);
    const enum record_type order[] = {RECORD_HELLO, RECORD_STARTING,
                                      RECORD_STARTED, RECORD_POINTS,
                                      RECORD_ENDED};
    assert_int_equal(b->records.len, 5);
    for (size_t i = 0; i < 5; i++)
        assert_int_equal(b->records.p[i].type, order[i]);
    assert_int_equal(b->records.p[1].attempt, 1);
}

static void started_names_the_process(void **state)
{
    struct bench *b = *state;
    struct record_started s;
    bench_start(b, NULL);
    struct task t = bench_shell(b, 1, "echo $$; sleep 0.1");
    bench_run(b, &t);
    struct got *g = bench_await(b, RECORD_STARTED, 1);
    assert_int_equal(record_started_parse(g->payload, &s, NULL), 0);
    long pid = strtol(bench_file(b, bench_path(b, 1, "log")), NULL, 10);
    assert_int_equal(s.pid, pid);
    assert_true(s.pid_start > 0);
    assert_true(str_is(s.boot_id, process_boot_id()));
}

static void exit_code_85_is_checkpointed_with_a_digest(void **state)
{
    struct bench *b = *state;
    bench_start(b, NULL);
    struct task t =
        bench_shell(b, 1, "echo 3 > $THRONG_CHECKPOINT/step; exit 85");
    struct record_ended e = bench_run(b, &t);
    assert_int_equal(e.outcome, OUTCOME_CHECKPOINTED);
    assert_int_equal(e.exit_code, 85);
    assert_true(e.checkpoint_digest != 0);
    assert_int_equal(e.tail.len, 0);
    assert_string_equal(bench_file(b, bench_path(b, 1, "checkpoint/step")),
                        "3\n");
}

static void exit_code_78_is_invalid(void **state)
{
    struct bench *b = *state;
    bench_start(b, NULL);
    struct task t = bench_shell(b, 1, "exit 78");
    struct record_ended e = bench_run(b, &t);
    assert_int_equal(e.outcome, OUTCOME_INVALID);
    assert_contains(e.reason.p, "78");
}

static void other_exit_codes_fail_with_the_last_lines(void **state)
{
    struct bench *b = *state;
    bench_start(b, NULL);
    struct task t = bench_shell(b, 1,
                                "for i in $(seq 1 30); do echo line $i; done; "
                                "echo oops >&2; exit 3");
    struct record_ended e = bench_run(b, &t);
    assert_int_equal(e.outcome, OUTCOME_FAILED);
    assert_int_equal(e.exit_code, 3);
    assert_string_equal(e.reason.p, "exit code 3");
    assert_true(strncmp(e.tail.p, "line 12\n", 8) == 0);
    assert_contains(e.tail.p, "line 30\noops\n");
}

static void a_progress_bar_leaves_its_last_state_in_the_tail(void **state)
{
    struct bench *b = *state;
    bench_start(b, NULL);
    struct task t = bench_shell(
        b, 1,
        "echo first; for i in $(seq 1 2000); do printf '\\r%d of 2000 done' "
        "$i; "
        "done; printf '\\n'; printf 'dos\\r\\n'; echo oops; exit 3");
    struct record_ended e = bench_run(b, &t);
    assert_string_equal(e.tail.p, "first\n2000 of 2000 done\ndos\noops\n");
}

static void a_signal_is_named(void **state)
{
    struct bench *b = *state;
    bench_start(b, NULL);
    struct task t = bench_shell(b, 1, "kill -SEGV $$");
    struct record_ended e = bench_run(b, &t);
    assert_int_equal(e.outcome, OUTCOME_FAILED);
    assert_int_equal(e.signum, SIGSEGV);
    assert_int_equal(e.exit_code, -1);
    assert_string_equal(e.reason.p, "signal 11 (Segmentation fault)");
}

/* ---- what cannot be started ------------------------------------------ */

static struct record_ended refused(struct bench *b, struct task t)
{
    bench_start(b, NULL);
    struct record_ended e = bench_run(b, &t);
    assert_int_equal(e.outcome, OUTCOME_SPAWN);
    assert_int_equal(e.exit_code, -1);
    assert_int_equal(bench_count(b, RECORD_STARTING, t.id), 1);
    assert_int_equal(bench_count(b, RECORD_STARTED, t.id), 0);
    return e;
}

static void a_missing_program_is_named(void **state)
{
    struct bench *b = *state;
    const char *argv[] = {"no-such-program-at-all", NULL};
    struct record_ended e = refused(b, bench_command(b, 1, argv));
    assert_contains(e.reason.p, "no-such-program-at-all");
    assert_false(file_exists(bench_path(b, 1, "")));
}

static char *script_file(struct bench *b, const char *text, mode_t mode)
{
    char *path = path_join(b->arena, b->folder, "script");
    assert_int_equal(file_write(path, str_of(text), false, NULL), 0);
    assert_int_equal(chmod(path, mode), 0);
    return path;
}

static void a_program_without_the_right_to_run_is_named(void **state)
{
    struct bench *b = *state;
    const char *argv[] = {script_file(b, "#!/bin/sh\n", 0644), NULL};
    struct record_ended e = refused(b, bench_command(b, 1, argv));
    assert_contains(e.reason.p, "script");
    assert_contains(e.reason.p, "executable");
}

static void a_missing_interpreter_is_named(void **state)
{
    struct bench *b = *state;
    const char *argv[] = {script_file(b, "#!/no/such/python\n", 0755), NULL};
    struct record_ended e = refused(b, bench_command(b, 1, argv));
    assert_contains(e.reason.p, "/no/such/python");
}

static void a_missing_workdir_is_named(void **state)
{
    struct bench *b = *state;
    struct task t = bench_shell(b, 1, "true");
    t.workdir = STR("/no/such/folder");
    struct record_ended e = refused(b, t);
    assert_contains(e.reason.p, "/no/such/folder");
}

static void an_unknown_kind_is_named(void **state)
{
    struct bench *b = *state;
    struct task t = bench_shell(b, 1, "true");
    t.kind = STR("dance");
    assert_contains(refused(b, t).reason.p, "`dance`");
}

static void an_unset_variable_of_the_command_is_named(void **state)
{
    struct bench *b = *state;
    struct task t = bench_shell(b, 1, "true");
    struct arg argv[] = {{ARG_TEXT, STR("/bin/echo")},
                         {ARG_EXPAND, STR("--data=${envvar:NOT_SET_HERE}")}};
    t.argv = argv;
    t.argc = 2;
    assert_contains(refused(b, t).reason.p, "NOT_SET_HERE");
}

static void a_folder_that_cannot_be_made_is_named(void **state)
{
    struct bench *b = *state;
    struct task t = bench_shell(b, 1, "true");
    char *file = path_join(b->arena, b->folder, "file");
    assert_int_equal(file_write(file, STR("x"), false, NULL), 0);
    t.folder = str_of(path_join(b->arena, file, "17"));
    assert_contains(refused(b, t).reason.p, "file");
}

static void a_need_that_can_never_be_met_is_refused(void **state)
{
    struct bench *b = *state;
    bench_start(b, NULL);
    struct task t = bench_shell(b, 1, "true");
    t.needs.cpus = 64;
    struct record_ended e = bench_run(b, &t);
    assert_int_equal(e.outcome, OUTCOME_SPAWN);
    assert_contains(e.reason.p, "64");
    assert_int_equal(bench_count(b, RECORD_STARTING, 1), 0);
}

static void a_task_that_cannot_be_read_ends_at_once(void **state)
{
    struct bench *b = *state;
    bench_start(b, NULL);
    struct task t = {.id = 9, .attempt = 4};
    bench_send(b, RECORD_TASK, &t, STR("{\"nonsense\": tru"));
    struct record_ended e = bench_ended(b, 9);
    assert_int_equal(e.outcome, OUTCOME_SPAWN);
    assert_contains(e.reason.p, "cannot read the task");
    struct task after = bench_shell(b, 10, "true");
    assert_int_equal(bench_run(b, &after).outcome, OUTCOME_DONE);
}

/* The machine is short of something, not the task wrong: it waits again. */
static void a_task_that_finds_no_descriptor_is_unstarted(void **state)
{
    struct bench *b = *state;
    struct rlimit few = {4, 4096}, before;
    bench_start(b, NULL);
    bench_await(b, RECORD_HELLO, UINT64_MAX);
    assert_int_equal(prlimit(b->pid, RLIMIT_NOFILE, NULL, &before), 0);
    few.rlim_max = before.rlim_max;
    assert_int_equal(prlimit(b->pid, RLIMIT_NOFILE, &few, NULL), 0);
    struct task t = bench_shell(b, 1, "exit 0");
    struct record_ended e = bench_run(b, &t);
    assert_int_equal(e.outcome, OUTCOME_UNSTARTED);
    assert_contains(e.reason.p, "Too many open files");
    assert_int_equal(prlimit(b->pid, RLIMIT_NOFILE, &before, NULL), 0);
    struct task again = bench_shell(b, 2, "exit 0");
    assert_int_equal(bench_run(b, &again).outcome, OUTCOME_DONE);
}

static void a_task_that_finds_a_full_disk_is_unstarted(void **state)
{
    struct bench *b = *state;
    if (!file_exists("/dev/full")) {
        print_message("there is no /dev/full here\n");
        skip();
    }
    bench_start(b, NULL);
    struct task t = bench_shell(b, 1, "exit 0");
    assert_int_equal(dir_make(bench_path(b, 1, "output"), NULL), 0);
    assert_int_equal(symlink("/dev/full", bench_path(b, 1, "params.json")), 0);
    struct record_ended e = bench_run(b, &t);
    assert_int_equal(e.outcome, OUTCOME_UNSTARTED);
    assert_contains(e.reason.p, "No space left");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        with_bench(exit_code_0_is_done),
        with_bench(records_come_in_their_order),
        with_bench(started_names_the_process),
        with_bench(exit_code_85_is_checkpointed_with_a_digest),
        with_bench(exit_code_78_is_invalid),
        with_bench(other_exit_codes_fail_with_the_last_lines),
        with_bench(a_progress_bar_leaves_its_last_state_in_the_tail),
        with_bench(a_signal_is_named),
        with_bench(a_missing_program_is_named),
        with_bench(a_program_without_the_right_to_run_is_named),
        with_bench(a_missing_interpreter_is_named),
        with_bench(a_missing_workdir_is_named),
        with_bench(an_unknown_kind_is_named),
        with_bench(an_unset_variable_of_the_command_is_named),
        with_bench(a_folder_that_cannot_be_made_is_named),
        with_bench(a_task_that_finds_no_descriptor_is_unstarted),
        with_bench(a_task_that_finds_a_full_disk_is_unstarted),
        with_bench(a_need_that_can_never_be_met_is_refused),
        with_bench(a_task_that_cannot_be_read_ends_at_once),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
