/* Commands of a scheduler: real programs, small ones. */
#include "engine/command.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>
#include <cmocka.h>

struct bench {
    struct loop *loop;
    struct commands *commands;
    char folder[64];
    size_t ends;
    int code;
    char printed[4][4096], said[4096], why[1024];
    size_t printed_len;
    size_t stop_at;
};

static void on_end(void *context, const struct command_end *end)
{
    struct bench *b = context;
    b->code = end->code;
    b->printed_len = end->printed.len;
    snprintf(b->printed[b->ends % 4], sizeof b->printed[0], "%.*s",
             STRF(end->printed));
    snprintf(b->said, sizeof b->said, "%.*s", STRF(end->said));
    snprintf(b->why, sizeof b->why, "%s", end->why.text);
    if (++b->ends == b->stop_at)
        loop_stop(b->loop);
}

static int open_bench(void **state)
{
    struct bench *b = xcalloc(1, sizeof *b);
    snprintf(b->folder, sizeof b->folder, "/tmp/throng-command-XXXXXX");
    assert_non_null(mkdtemp(b->folder));
    b->loop = loop_new(NULL);
    struct commands_setup setup = {.loop = b->loop, .limit_s = 60};
    b->commands = commands_new(&setup);
    *state = b;
    return 0;
}

static int close_bench(void **state)
{
    struct bench *b = *state;
    commands_free(b->commands);
    loop_free(b->loop);
    dir_remove(b->folder, NULL);
    free(b);
    return 0;
}

static void run_until(struct bench *b, size_t ends)
{
    b->stop_at = ends;
    assert_int_equal(loop_run(b->loop, NULL), 0);
}

/* A program of ours that is not called through a shell. */
static const char *script(struct bench *b, const char *text)
{
    static char path[96];
    snprintf(path, sizeof path, "%s/script", b->folder);
    assert_int_equal(file_write(path, str_of(text), false, NULL), 0);
    assert_int_equal(chmod(path, 0755), 0);
    return path;
}

static void what_a_command_prints_is_kept_whole(void **state)
{
    struct bench *b = *state;
    const char *argv[] = {
        script(b, "#!/bin/sh\necho \"$1\"; echo oops >&2; seq 1 100000\n"),
        "a b;$HOME", NULL};
    commands_add(b->commands, argv, on_end, b);
    assert_int_equal(b->ends, 0);
    run_until(b, 1);
    assert_int_equal(b->code, 0);
    assert_memory_equal(b->printed[0], "a b;$HOME\n1\n2\n", 14);
    assert_int_equal(b->printed_len, 588895 + 10);
    assert_string_equal(b->said, "oops");
    assert_string_equal(b->why, "");
}

static void a_failure_says_which_command_and_what_it_said(void **state)
{
    struct bench *b = *state;
    const char *argv[] = {
        script(b, "#!/bin/sh\necho 'error: no such\npartition' >&2; exit 7\n"),
        NULL};
    commands_add(b->commands, argv, on_end, b);
    run_until(b, 1);
    assert_int_equal(b->code, 7);
    assert_non_null(strstr(b->why, "/script failed (exit code 7): error: no "
                                   "such partition"));
}

static void a_command_that_is_not_there_is_a_failure_from_the_loop(void **state)
{
    struct bench *b = *state;
    const char *argv[] = {"there-is-no-such-program", NULL};
    commands_add(b->commands, argv, on_end, b);
    assert_int_equal(b->ends, 0);
    run_until(b, 1);
    assert_int_equal(b->code, -1);
    assert_non_null(strstr(b->why, "there-is-no-such-program"));
}

static void commands_run_one_after_the_other(void **state)
{
    struct bench *b = *state;
    const char *program = script(
        b, "#!/bin/sh\ncd \"${0%/*}\"; mkdir lock || exit 9; sleep 0.05; "
           "rmdir lock; echo \"$1\"\n");
    const char *first[] = {program, "1", NULL};
    const char *second[] = {program, "2", NULL};
    const char *third[] = {program, "3", NULL};
    commands_add(b->commands, first, on_end, b);
    commands_add(b->commands, second, on_end, b);
    commands_wait(b->commands, third, on_end, b);
    assert_int_equal(b->ends, 1);
    assert_string_equal(b->printed[0], "3\n");
    run_until(b, 3);
    assert_int_equal(b->code, 0);
    assert_string_equal(b->printed[1], "1\n");
    assert_string_equal(b->printed[2], "2\n");
}

static void what_waits_finds_the_one_that_runs_ended(void **state)
{
    struct bench *b = *state;
    const char *program = script(b, "#!/bin/sh\necho \"$1\"\n");
    const char *first[] = {program, "1", NULL};
    const char *second[] = {program, "2", NULL};
    commands_wait(b->commands, first, on_end, b);
    commands_add(b->commands, first, on_end, b);
    commands_wait(b->commands, second, on_end, b);
    assert_int_equal(b->ends, 2);
    assert_string_equal(b->printed[1], "2\n");
    run_until(b, 3);
}

static void a_command_that_takes_too_long_is_ended(void **state)
{
    struct bench *b = *state;
    commands_free(b->commands);
    struct commands_setup setup = {.loop = b->loop, .limit_s = 0.2};
    b->commands = commands_new(&setup);
    const char *argv[] = {script(b, "#!/bin/sh\nsleep 600\n"), NULL};
    commands_add(b->commands, argv, on_end, b);
    run_until(b, 1);
    assert_int_equal(b->code, -1);
    assert_non_null(strstr(b->why, "did not end within 0.2 s"));
    commands_wait(b->commands, argv, on_end, b);
    assert_int_equal(b->code, -1);
}

static void what_it_leaves_behind_is_not_waited_for(void **state)
{
    struct bench *b = *state;
    const char *argv[] = {script(b, "#!/bin/sh\nsleep 30 &\necho $!\n"), NULL};
    commands_add(b->commands, argv, on_end, b);
    run_until(b, 1);
    assert_int_equal(b->code, 0);
    pid_t left = (pid_t)strtol(b->printed[0], NULL, 10);
    assert_true(left > 1);
    assert_int_equal(kill(left, SIGKILL), 0); /* it was still there */
}

static void stop_loop(void *context)
{
    struct bench *b = context;
    loop_stop(b->loop);
}

static void closing_ends_what_runs_and_calls_nobody(void **state)
{
    struct bench *b = *state;
    const char *program = script(b, "#!/bin/sh\necho $$ >\"$1\"; sleep 600\n");
    char path[96];
    snprintf(path, sizeof path, "%s/pid", b->folder);
    const char *argv[] = {program, path, NULL};
    const char *next[] = {program, "/dev/null", NULL};
    struct buf pid;
    commands_add(b->commands, argv, on_end, b);
    commands_add(b->commands, next, on_end, b);
    struct loop_source *stop = loop_timer(b->loop, stop_loop, b);
    buf_init(&pid);
    while (file_read(path, 0, &pid, NULL) || pid.len < 2) {
        buf_reset(&pid);
        loop_timer_in(stop, 0.01);
        assert_int_equal(loop_run(b->loop, NULL), 0);
    }
    commands_free(b->commands);
    b->commands = NULL;
    assert_int_equal(b->ends, 0);
    assert_int_equal(kill((pid_t)strtol(pid.p, NULL, 10), 0), -1);
    buf_done(&pid);
}

#define on_bench(test)                                                         \
    cmocka_unit_test_setup_teardown(test, open_bench, close_bench)

int main(void)
{
    const struct CMUnitTest tests[] = {
        on_bench(what_a_command_prints_is_kept_whole),
        on_bench(a_failure_says_which_command_and_what_it_said),
        on_bench(a_command_that_is_not_there_is_a_failure_from_the_loop),
        on_bench(commands_run_one_after_the_other),
        on_bench(what_waits_finds_the_one_that_runs_ended),
        on_bench(a_command_that_takes_too_long_is_ended),
        on_bench(what_it_leaves_behind_is_not_waited_for),
        on_bench(closing_ends_what_runs_and_calls_nobody),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
