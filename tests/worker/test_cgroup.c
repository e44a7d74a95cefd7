/* test_cgroup.c - the order in which cgroups are made and left
 *
 * The kernel's folders are played by plain ones. Files that are written in
 * turn are links to one file, so that it tells the order. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>
#include <cmocka.h>
#include "worker/worker.h"

#define CONDUCTOR 4242

struct tree {
    struct arena *arena;
    char root[64];
    const char *leaf; /* of the worker */
    const char *task; /* of the attempt */
    struct worker worker;
    struct attempt attempt;
};

static const char *in(struct tree *t, const char *folder, const char *name)
{
    return path_join(t->arena, folder, name);
}

static void make(struct tree *t, const char *folder, const char *name,
                 const char *text)
{
    const char *path = in(t, folder, name);
    assert_int_equal(file_write(path, str_of(text), false, NULL), 0);
}

/* What is written into this file is told by the journal. */
static void make_told(struct tree *t, const char *folder, const char *name)
{
    assert_int_equal(symlink(in(t, t->root, "journal"), in(t, folder, name)),
                     0);
}

static const char *text_of(struct tree *t, const char *name)
{
    struct buf b;
    buf_init(&b);
    assert_int_equal(file_read(in(t, t->root, name), 0, &b, NULL), 0);
    const char *text = arena_cstr(t->arena, buf_str(&b));
    buf_done(&b);
    return text;
}

static int setup(void **state)
{
    struct tree *t = xcalloc(1, sizeof *t);
    snprintf(t->root, sizeof t->root, "/tmp/throng-cgroup-XXXXXX");
    t->arena = arena_new();
    if (!mkdtemp(t->root))
        return -1;
    t->leaf = in(t, t->root,
                 arena_printf(t->arena, "throng-worker-%d", (int)getpid()));
    t->task =
        in(t, t->root, arena_printf(t->arena, "throng-%d-17", (int)getpid()));
    mkdir(t->leaf, 0755);
    mkdir(t->task, 0755);
    make(t, t->root, "journal", "");
    make(t, t->root, "cgroup.controllers", "cpu memory pids\n");
    make(t, t->root, "cgroup.procs", "");
    make_told(t, t->leaf, "cgroup.procs");
    make_told(t, t->task, "memory.max");
    make_told(t, t->task, "cgroup.procs");
    t->attempt = (struct attempt){.worker = &t->worker,
                                  .arena = t->arena,
                                  .serial = 17,
                                  .process.pid = 99,
                                  .task.needs.memory_bytes = 1000};
    *state = t;
    return 0;
}

static int teardown(void **state)
{
    struct tree *t = *state;
    dir_remove(t->root, NULL);
    arena_free(t->arena);
    free(t);
    return 0;
}

static const char *self(struct tree *t, const char *before, const char *after)
{
    return arena_printf(t->arena, "%s%d%s", before, (int)getpid(), after);
}

static void the_worker_moves_before_it_hands_on_the_controller(void **state)
{
    struct tree *t = *state;
    struct cgroups *c = &t->worker.cgroups;
    make_told(t, t->root, "cgroup.subtree_control");
    assert_true(cgroups_open(c, t->root, 0, NULL));
    assert_string_equal(text_of(t, "journal"), self(t, "", "+memory"));
    cgroup_begin(&t->attempt);
    assert_string_equal(t->attempt.cgroup.path, t->task);
    cgroup_enter(&t->attempt);
    assert_string_equal(text_of(t, "journal"), self(t, "", "+memory100099"));
    /* Back in the other order. */
    cgroups_done(c);
    assert_string_equal(text_of(t, "journal"),
                        self(t, "", "+memory100099-memory"));
    assert_string_equal(text_of(t, "cgroup.procs"), self(t, "", ""));
}

static void a_refused_controller_leaves_all_as_it_was(void **state)
{
    struct tree *t = *state;
    struct cgroups *c = &t->worker.cgroups;
    /* There is no cgroup.subtree_control to write. */
    assert_false(cgroups_open(c, t->root, 0, NULL));
    assert_string_equal(text_of(t, "journal"), self(t, "", ""));
    assert_string_equal(text_of(t, "cgroup.procs"), self(t, "", ""));
    cgroup_begin(&t->attempt);
    assert_null(t->attempt.cgroup.path);
    cgroups_done(c);
    assert_string_equal(text_of(t, "cgroup.procs"), self(t, "", ""));
}

static void without_the_memory_controller_nothing_is_touched(void **state)
{
    struct tree *t = *state;
    make(t, t->root, "cgroup.controllers", "hugetlb\n");
    make_told(t, t->root, "cgroup.subtree_control");
    assert_false(cgroups_open(&t->worker.cgroups, t->root, 0, NULL));
    cgroups_done(&t->worker.cgroups);
    assert_string_equal(text_of(t, "journal"), "");
    assert_string_equal(text_of(t, "cgroup.procs"), "");
}

static void the_conductor_comes_along_when_it_is_alone(void **state)
{
    struct tree *t = *state;
    struct cgroups *c = &t->worker.cgroups;
    make(t, t->root, "cgroup.procs", "4242\n");
    make_told(t, t->root, "cgroup.subtree_control");
    assert_true(cgroups_open(c, t->root, CONDUCTOR, NULL));
    assert_string_equal(text_of(t, "journal"), self(t, "", "4242+memory"));
    cgroups_done(c);
    assert_string_equal(text_of(t, "cgroup.procs"), self(t, "4242\n4242", ""));
}

static void the_conductor_stays_where_others_are(void **state)
{
    struct tree *t = *state;
    make(t, t->root, "cgroup.procs", "4242\n5000\n");
    assert_false(cgroups_open(&t->worker.cgroups, t->root, CONDUCTOR, NULL));
    cgroups_done(&t->worker.cgroups);
    assert_string_equal(text_of(t, "journal"), self(t, "", ""));
    assert_string_equal(text_of(t, "cgroup.procs"),
                        self(t, "4242\n5000\n", ""));
}

#define with_tree(f) cmocka_unit_test_setup_teardown(f, setup, teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        with_tree(the_worker_moves_before_it_hands_on_the_controller),
        with_tree(a_refused_controller_leaves_all_as_it_was),
        with_tree(without_the_memory_controller_nothing_is_touched),
        with_tree(the_conductor_comes_along_when_it_is_alone),
        with_tree(the_conductor_stays_where_others_are),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
