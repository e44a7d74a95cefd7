/* test_folder.c - what stays of a trial's folder when an attempt is over */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#include <cmocka.h>
#include "sys/sys.h"
#include "worker/census.h"
#include "worker/folder.h"

#define ROUNDS 60 /* about one in ten goes wrong where names are read once */

static struct arena *arena;
static struct pool pool;
static char home[] = "/tmp/throng-folder.XXXXXX";

/* No process is left of anybody here. */
bool census_may_have(const struct census *c, uint64_t serial)
{
    (void)c;
    (void)serial;
    return false;
}

static int setup(void **state)
{
    (void)state;
    arena = arena_new();
    if (!mkdtemp(home))
        return -1;
    pool_init(&pool, path_join(arena, home, "pool"));
    return 0;
}

static int teardown(void **state)
{
    (void)state;
    pool_done(&pool);
    arena_free(arena);
    return dir_remove(home, NULL);
}

static void nothing(int signum)
{
    (void)signum;
}

/* A child that sends us signals without a pause. */
static pid_t send_signals(void)
{
    pid_t us = getpid(), child = fork();
    if (child != 0)
        return child;
    while (kill(us, SIGUSR1) == 0)
        ;
    _exit(0);
}

/* One attempt that reports nothing and leaves a checkpoint. */
static void run_attempt(const struct task *t, const char *checkpoint)
{
    struct folder f;
    folder_init(&f);
    assert_int_equal(folder_open(&f, t, &pool, arena, NULL), 0);
    assert_int_equal(file_write(checkpoint, STR("7\n"), false, NULL), 0);
    folder_close(&f, true, &pool, 1);
}

/* A read of a folder ends early when a signal arrives, as one does whenever
 * another task of the worker ends. */
static void signals_do_not_make_a_checkpoint_vanish(void **state)
{
    (void)state;
    struct task t = {.attempt = 1, .params = STR("{}")};
    t.folder = str_of(path_join(arena, home, "1"));
    t.workdir = str_of(home);
    char *checkpoint = path_join(arena, home, "1/checkpoint/step");
    signal(SIGUSR1, nothing);
    pid_t child = send_signals();
    assert_true(child > 0);
    int lost = 0;
    for (int i = 0; i < ROUNDS; i++) {
        run_attempt(&t, checkpoint);
        lost += !file_exists(checkpoint);
    }
    kill(child, SIGKILL);
    waitpid(child, NULL, 0);
    assert_int_equal(lost, 0);
}

/* ---- what one trial passes on to the next ----------------------------- */

/* Opens the folder of trial `name`; the task ends when it is closed. */
static void begin(struct folder *f, const char *name)
{
    struct task t = {.attempt = 1, .params = STR("{}")};
    t.folder = str_of(path_join(arena, home, name));
    t.workdir = str_of(home);
    folder_init(f);
    assert_int_equal(folder_open(f, &t, &pool, arena, NULL), 0);
}

static struct stat part_of(const struct folder *f, const char *name)
{
    struct stat st;
    assert_int_equal(lstat(path_join(arena, f->path, name), &st), 0);
    return st;
}

/* What a task did to its folder `first`, done by `spoil`, is not to be seen in
 * the folder that the next one gets. */
static void check_not_passed_on(void (*spoil)(const struct folder *f))
{
    struct folder f;
    begin(&f, "clean");
    struct stat before[2] = {part_of(&f, "output"), part_of(&f, "log")};
    folder_close(&f, true, NULL, 1);
    begin(&f, "first");
    spoil(&f);
    folder_close(&f, true, &pool, 1);
    begin(&f, "second");
    struct stat after[2] = {part_of(&f, "output"), part_of(&f, "log")};
    struct stat checkpoint = part_of(&f, "checkpoint"),
                params = part_of(&f, "params.json"), own = part_of(&f, "");
    assert_int_equal(after[0].st_mode, before[0].st_mode);
    assert_int_equal(after[1].st_mode, before[1].st_mode);
    assert_int_equal(checkpoint.st_mode, before[0].st_mode);
    assert_int_equal(own.st_mode, before[0].st_mode);
    assert_int_equal(params.st_mode, before[1].st_mode);
    assert_int_equal(params.st_nlink, 1);
    folder_close(&f, true, NULL, 1);
    assert_int_equal(dir_remove(path_join(arena, home, "first"), NULL), 0);
}

static char *inside(const struct folder *f, const char *name)
{
    return path_join(arena, f->path, name);
}

static void link_output(const struct folder *f)
{
    assert_int_equal(rmdir(inside(f, "output")), 0);
    assert_int_equal(symlink(home, inside(f, "output")), 0);
}

static void link_output_to_an_empty_folder(const struct folder *f)
{
    char *empty = path_join(arena, home, "empty");
    dir_make(empty, NULL);
    assert_int_equal(rmdir(inside(f, "output")), 0);
    assert_int_equal(symlink(empty, inside(f, "output")), 0);
}

static void close_output(const struct folder *f)
{
    assert_int_equal(chmod(inside(f, "output"), 0500), 0);
}

static void close_checkpoint(const struct folder *f)
{
    assert_int_equal(chmod(inside(f, "checkpoint"), 0500), 0);
}

static void close_log(const struct folder *f)
{
    assert_int_equal(chmod(inside(f, "log"), 0400), 0);
}

static void close_folder(const struct folder *f)
{
    assert_int_equal(chmod(f->path, 0500), 0);
}

static void replace_params(const struct folder *f)
{
    assert_int_equal(unlink(inside(f, "params.json")), 0);
    assert_int_equal(symlink("/dev/null", inside(f, "params.json")), 0);
}

static void links_and_modes_do_not_pass_to_the_next_trial(void **state)
{
    (void)state;
    check_not_passed_on(link_output);
    check_not_passed_on(link_output_to_an_empty_folder);
    check_not_passed_on(close_output);
    check_not_passed_on(close_checkpoint);
    check_not_passed_on(close_log);
    check_not_passed_on(close_folder);
    check_not_passed_on(replace_params);
}

static void a_folder_that_nobody_touched_is_used_again(void **state)
{
    (void)state;
    struct folder f;
    begin(&f, "first");
    ino_t inode = part_of(&f, "").st_ino;
    folder_close(&f, true, &pool, 1);
    for (int i = 0; i < 3; i++) {
        begin(&f, "next");
        assert_int_equal(part_of(&f, "").st_ino, inode);
        folder_close(&f, true, &pool, 1);
    }
}

static void a_line_that_was_torn_off_is_ended(void **state)
{
    (void)state;
    static const struct {
        const char *before, *after;
    } rows[] = {{"", ""}, {"whole\n", "whole\n"}, {"torn", "torn\n"}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct folder f;
        struct buf b;
        begin(&f, "torn");
        const char *path = path_join(arena, f.path, "metrics.jsonl");
        assert_int_equal(file_write(path, str_of(rows[i].before), false, NULL),
                         0);
        folder_end_line(&f, "metrics.jsonl");
        folder_end_line(&f, "not there");
        buf_init(&b);
        assert_int_equal(file_read(path, 100, &b, NULL), 0);
        assert_string_equal(b.p, rows[i].after);
        buf_done(&b);
        folder_close(&f, true, &pool, 1);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(links_and_modes_do_not_pass_to_the_next_trial),
        cmocka_unit_test(a_folder_that_nobody_touched_is_used_again),
        cmocka_unit_test(a_line_that_was_torn_off_is_ended),
        cmocka_unit_test(signals_do_not_make_a_checkpoint_vanish),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}
