/* test_folder.c - what stays of a trial's folder when an attempt is over */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
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
    folder_init(&f, NULL);
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

/* ---- a folder that is a copy of another ------------------------------- */

static void put(const char *name, const char *text)
{
    char *path = path_join(arena, home, name);
    assert_int_equal(dir_make(path_folder(arena, path), NULL), 0);
    assert_int_equal(file_write(path, str_of(text), false, NULL), 0);
}

static const char *text_of(const char *name)
{
    struct buf b;
    buf_init(&b);
    assert_int_equal(file_read(path_join(arena, home, name), 0, &b, NULL), 0);
    const char *text = arena_cstr(arena, buf_str(&b));
    buf_done(&b);
    return text;
}

/* Opens folder `name`, which begins as a copy of `from`. */
static int open_copy(struct folder *f, const char *name, const char *from,
                     uint64_t metrics_at, struct err *err)
{
    struct task t = {
        .attempt = 2, .params = STR("{}"), .metrics_at = metrics_at};
    t.folder = str_of(path_join(arena, home, name));
    t.copy_of = str_of(path_join(arena, home, from));
    t.workdir = str_of(home);
    folder_init(f, NULL);
    return folder_open(f, &t, &pool, arena, err);
}

static void a_copy_has_the_checkpoint_and_whole_lines_only(void **state)
{
    (void)state;
    struct folder f;
    put("c/checkpoint/d/n", "3");
    put("c/output/model", "m");
    put("c/stop", "");
    put("c/metrics.jsonl", "{\"a\":1}\n{\"a\":2}\n{\"a\":");
    put("c/log", "one\ntw");
    assert_int_equal(open_copy(&f, "c.2", "c", 8, NULL), 0);
    assert_true(f.goes_on);
    assert_string_equal(text_of("c.2/checkpoint/d/n"), "3");
    assert_string_equal(text_of("c.2/output/model"), "m");
    assert_string_equal(text_of("c.2/metrics.jsonl"), "{\"a\":1}\n{\"a\":2}\n");
    assert_string_equal(text_of("c.2/log"), "one\n[throng: attempt 2]\n");
    assert_false(file_exists(path_join(arena, home, "c.2/stop")));
    assert_true(file_exists(path_join(arena, home, "c/stop")));
    assert_false(file_exists(path_join(arena, home, "c.2.copy")));
    folder_close(&f, true, &pool, 1);
    /* What is written there later does not get into it. */
    put("c/checkpoint/d/n", "99");
    assert_int_equal(open_copy(&f, "c.2", "c", 8, NULL), 0);
    assert_string_equal(text_of("c.2/checkpoint/d/n"), "3");
    folder_close(&f, true, &pool, 1);
}

/* A last line without an end, which the store has: nothing is read twice. */
static void what_the_store_knows_of_a_copy_stays_where_it_was(void **state)
{
    (void)state;
    struct folder f;
    put("k/checkpoint/n", "1");
    put("k/metrics.jsonl", "{\"a\":1}\n{\"a\":2}");
    assert_int_equal(open_copy(&f, "k.2", "k", 15, NULL), 0);
    assert_string_equal(text_of("k.2/metrics.jsonl"), "{\"a\":1}\n{\"a\":2}\n");
    folder_close(&f, true, &pool, 1);
}

static void without_a_folder_to_copy_it_begins_anew(void **state)
{
    (void)state;
    struct folder f;
    assert_int_equal(open_copy(&f, "n.2", "none", 0, NULL), 0);
    assert_false(f.goes_on);
    folder_close(&f, true, &pool, 1);
}

/* Writes the same new number into two files of a checkpoint, one after the
 * other, again and again. */
static pid_t keep_changing(const char *checkpoint)
{
    const char *first = path_join(arena, checkpoint, "z");
    const char *second = path_join(arena, checkpoint, "a");
    pid_t child = fork();
    if (child != 0)
        return child;
    char text[64];
    for (unsigned i = 1;; i++) {
        snprintf(text, sizeof text, "%u", i);
        file_write(first, str_of(text), false, NULL);
        file_write(second, str_of(text), false, NULL);
    }
}

/* As it was at one moment: the second is never ahead of the first. */
static void check_is_one_state(const char *copy)
{
    long first = atol(text_of(path_join(arena, copy, "checkpoint/z")));
    long second = atol(text_of(path_join(arena, copy, "checkpoint/a")));
    assert_true(first == second || first == second + 1);
}

/* As in a sandbox, where nothing is before the first trial. */
static void a_copy_makes_the_folders_around_it(void **state)
{
    (void)state;
    struct folder f;
    struct err err = {0};
    put("was/checkpoint/n", "7");
    assert_int_equal(open_copy(&f, "out/trials/0/7", "was", 0, &err), 0);
    assert_string_equal(
        text_of(path_join(arena, home, "out/trials/0/7/checkpoint/n")), "7");
    folder_close(&f, false, &pool, 0);
}

static void a_copy_of_what_changes_is_whole_or_not_made(void **state)
{
    (void)state;
    struct folder f;
    put("b/checkpoint/a", "0");
    put("b/checkpoint/z", "0");
    pid_t child = keep_changing(path_join(arena, home, "b/checkpoint"));
    assert_true(child > 0);
    for (int i = 0; i < ROUNDS; i++) {
        struct err err = {0};
        const char *name = arena_printf(arena, "b.%d", i + 2);
        if (open_copy(&f, name, "b", 0, &err) == 0) {
            check_is_one_state(name);
        } else {
            assert_int_equal(err.kind, ERR_BUSY);
            assert_false(file_exists(path_join(arena, home, name)));
        }
        folder_close(&f, true, NULL, 1);
    }
    kill(child, SIGKILL);
    waitpid(child, NULL, 0);
    assert_int_equal(open_copy(&f, "b.last", "b", 0, NULL), 0);
    check_is_one_state("b.last");
    folder_close(&f, true, &pool, 1);
}

/* ---- what one trial passes on to the next ----------------------------- */

/* Opens the folder of trial `name`; the task ends when it is closed. */
static void begin(struct folder *f, const char *name)
{
    struct task t = {.attempt = 1, .params = STR("{}")};
    t.folder = str_of(path_join(arena, home, name));
    t.workdir = str_of(home);
    folder_init(f, NULL);
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

static void put_a_link_in_its_place(const struct folder *f)
{
    const char *away = path_join(arena, home, "moved away");
    assert_int_equal(rename(f->path, away), 0);
    assert_int_equal(symlink(home, f->path), 0);
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
    check_not_passed_on(put_a_link_in_its_place);
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
        cmocka_unit_test(a_copy_has_the_checkpoint_and_whole_lines_only),
        cmocka_unit_test(what_the_store_knows_of_a_copy_stays_where_it_was),
        cmocka_unit_test(without_a_folder_to_copy_it_begins_anew),
        cmocka_unit_test(a_copy_makes_the_folders_around_it),
        cmocka_unit_test(a_copy_of_what_changes_is_whole_or_not_made),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}
