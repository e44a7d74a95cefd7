/* test_tools.c - what tasks find on PATH, shared by the workers of a study */
#include "job.h"

#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "terms/bundle.h"
#include "worker/tools.h"

#define WHICH "command -v throng; python=${PYTHONPATH%%:*}; ls $python/throng"

static char *shared(struct bench *b)
{
    return path_join(b->arena, b->folder, "tools");
}

/* Runs the task as a job of its own. */
static void run(struct bench *b, struct task t)
{
    const char *options[] = {"--room", JOB_ROOM, "--tools", shared(b), NULL};
    job_write(b, &t, 1);
    unlink(job_said(b, 0));
    job_start(b, 0, options, NULL);
    assert_int_equal(job_wait(b), WORKER_EXIT_DONE);
}

static const char *log_of(struct bench *b, uint64_t id)
{
    return bench_file(b, bench_path(b, id, "log"));
}

/* The one folder with tools. */
static char *only_one(struct bench *b)
{
    const char **names = dir_list(shared(b), b->arena, NULL);
    assert_non_null(names);
    assert_non_null(names[0]);
    assert_null(names[1]);
    return path_join(b->arena, shared(b), names[0]);
}

static void the_first_worker_makes_them_and_they_stay(void **state)
{
    struct bench *b = *state;
    run(b, bench_shell(b, 1, WHICH));
    char *at = only_one(b);
    assert_true(
        str_starts(str_of(log_of(b, 1)),
                   str_of(arena_printf(b->arena, "%s/bin/throng\n", at))));
    assert_contains(log_of(b, 1), "__init__.py");
}

static void later_ones_take_them_as_they_are(void **state)
{
    struct bench *b = *state;
    run(b, bench_shell(b, 1, "true"));
    char *own = path_join(b->arena, only_one(b), "python/throng/own.py");
    assert_int_equal(file_write(own, STR("x"), false, NULL), 0);
    run(b, bench_shell(b, 2, WHICH));
    assert_contains(log_of(b, 2), "own.py");
    only_one(b);
}

/* Every task would execute what another has put there. */
static void those_that_others_may_change_are_not_taken(void **state)
{
    struct bench *b = *state;
    run(b, bench_shell(b, 1, "true"));
    char *at = only_one(b);
    assert_int_equal(chmod(at, 0777), 0);
    run(b, bench_shell(b, 2, WHICH));
    assert_contains(log_of(b, 2), "/throng\n");
    assert_null(strstr(log_of(b, 2), at));
}

/* Many small files, for nothing where models are trained in the worker. */
static void python_is_unpacked_when_a_program_is_started(void **state)
{
    struct bench *b = *state;
    struct tools t;
    struct err err = {0};
    const char *folder = path_join(b->arena, b->folder, "own");
    assert_int_equal(tools_make(&t, NULL, folder, b->arena, &err), 0);
    const char *package = path_join(b->arena, t.python, "throng/__init__.py");
    assert_true(file_exists(path_join(b->arena, t.bin, "throng")));
    assert_false(file_exists(t.python));
    assert_int_equal(tools_unpack(&t, &err), 0);
    assert_true(file_exists(package));
    assert_int_equal(unlink(package), 0);
    assert_int_equal(tools_unpack(&t, &err), 0);
    assert_false(file_exists(package)); /* once is enough */
    tools_done(&t);
    assert_false(file_exists(folder));
}

static void where_python_has_no_room_a_task_has_the_rest(void **state)
{
    struct bench *b = *state;
    struct tools t;
    struct err err = {0};
    const char *folder = path_join(b->arena, b->folder, "own");
    assert_int_equal(tools_make(&t, NULL, folder, b->arena, &err), 0);
    assert_int_equal(file_write(t.python, STR("in its way"), false, NULL), 0);
    assert_int_equal(tools_unpack(&t, &err), -1);
    assert_null(t.python);
    assert_non_null(t.bin);
    tools_done(&t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        with_bench(the_first_worker_makes_them_and_they_stay),
        with_bench(later_ones_take_them_as_they_are),
        with_bench(those_that_others_may_change_are_not_taken),
        with_bench(python_is_unpacked_when_a_program_is_started),
        with_bench(where_python_has_no_room_a_task_has_the_rest),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
