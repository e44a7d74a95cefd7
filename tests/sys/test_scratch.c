/* test_scratch.c - folders of a moment go with the program that made them */
#include "scratch.h"

#include <signal.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/wait.h>

enum end { BY_EXIT, BY_SIGNAL, BY_CHILD };

/* Makes a folder with something in it and ends so. */
static void make_and_end(enum end how, int signum)
{
    const char *path = scratch_make("moment", NULL);
    const char *second = path ? scratch_make("moment", NULL) : NULL;
    char inside[4096];
    if (!second)
        _exit(9);
    snprintf(inside, sizeof(inside), "%s/a/b", path);
    if (dir_make(inside, NULL))
        _exit(9);
    if (how == BY_SIGNAL)
        raise(signum);
    if (how == BY_CHILD && fork() == 0)
        exit(3);
    if (how == BY_CHILD) {
        wait(NULL);
        _exit(file_is_dir(inside) ? 0 : 8);
    }
    exit(7);
}

/* How it ended, and whether folders are left. */
static void end_so(struct scratch *s, enum end how, int signum, int expected,
                   bool left)
{
    int status;
    const char *run = arena_printf(s->arena, "%s-run", s->root);
    setenv("TMPDIR", s->root, 1);
    setenv("THRONG_RUNTIME_DIR", run, 1);
    pid_t child = fork();
    if (child == 0)
        make_and_end(how, signum);
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, expected);
    unsetenv("TMPDIR");
    assert_int_equal(rmdir(run) ? -1 : 0, left ? -1 : 0);
    dir_remove(run, NULL);
    /* A folder that is empty can be removed. */
    assert_int_equal(rmdir(s->root) ? -1 : 0, left ? -1 : 0);
}

static void an_exit_removes_it(void **state)
{
    end_so(*state, BY_EXIT, 0, 7 << 8, false);
}

static void so_does_a_signal_which_ends_the_program_all_the_same(void **state)
{
    static const int signals[] = {SIGINT, SIGTERM, SIGHUP};
    struct scratch *s = *state;
    for (size_t i = 0; i < 3; i++) {
        signal(signals[i], SIG_DFL); /* by nohup HUP is ignored */
        end_so(s, BY_SIGNAL, signals[i], signals[i], false);
        assert_int_equal(mkdir(s->root, 0700), 0);
    }
}

static void a_signal_that_is_ignored_stays_so(void **state)
{
    signal(SIGHUP, SIG_IGN);
    end_so(*state, BY_SIGNAL, SIGHUP, 7 << 8, false);
    signal(SIGHUP, SIG_DFL);
}

static void a_child_leaves_that_of_its_parent_alone(void **state)
{
    end_so(*state, BY_CHILD, 0, 0, true);
}

static void a_folder_that_cannot_be_made_is_an_error(void **state)
{
    struct scratch *s = *state;
    struct err err = {0};
    setenv("TMPDIR", scratch_path(s, "none"), 1);
    assert_null(scratch_make("moment", &err));
    assert_non_null(strstr(err.text, "/none"));
    unsetenv("TMPDIR");
}

/* ---- what is left behind ---------------------------------------------------
 */

static void meet_in(struct scratch *s)
{
    setenv("TMPDIR", s->root, 1);
    setenv("THRONG_RUNTIME_DIR", scratch_path(s, "run"), 1);
}

/* A child that has made a folder, whose path is in *path; it waits to be
 * killed. */
static pid_t make_and_wait(struct scratch *s, const char **path)
{
    int ends[2];
    char text[4096];
    assert_int_equal(pipe(ends), 0);
    pid_t child = fork();
    if (child == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        const char *made = scratch_make("moment", NULL);
        if (!made ||
            file_write(path_join(s->arena, made, "a"), STR("x"), false, NULL))
            _exit(9);
        if (write(ends[1], made, strlen(made)) > 0)
            pause();
        _exit(9);
    }
    close(ends[1]);
    ssize_t len = read(ends[0], text, sizeof text);
    assert_true(len > 0);
    *path = arena_cstr(s->arena, str_n(text, (size_t)len));
    close(ends[0]);
    return child;
}

static void kill_child(pid_t child)
{
    kill(child, SIGKILL);
    waitpid(child, NULL, 0);
}

static void what_a_killed_program_left_goes_with_the_next(void **state)
{
    struct scratch *s = *state;
    const char *left, *used;
    meet_in(s);
    pid_t killed = make_and_wait(s, &left), lives = make_and_wait(s, &used);
    kill_child(killed);
    assert_true(file_is_dir(left));
    const char *own = scratch_make("moment", NULL);
    assert_non_null(own);
    assert_false(file_is_dir(left));
    assert_true(file_is_dir(used));
    assert_int_equal(scratch_sweep(), 0);
    assert_true(file_is_dir(own));
    scratch_remove(own);
    kill_child(lives);
    assert_int_equal(scratch_sweep(), 1);
    assert_false(file_is_dir(used));
    assert_null(*dir_list(scratch_path(s, "run"), s->arena, NULL));
    unsetenv("TMPDIR");
}

/* As a note that is nobody's, about this folder. */
static void note(struct scratch *s, const char *name, const char *path)
{
    scratch_file(s, arena_printf(s->arena, "run/scratch-%s", name), path);
}

static void what_is_no_folder_of_ours_stays(void **state)
{
    struct scratch *s = *state;
    meet_in(s);
    assert_int_equal(dir_make(scratch_path(s, "run"), NULL), 0);
    chmod(scratch_path(s, "run"), 0700);
    const char *other = scratch_file(s, "throng-a/file", "x"),
               *link = scratch_path(s, "throng-b"),
               *mine = scratch_file(s, "thesis/file", "x");
    assert_int_equal(symlink(scratch_path(s, "thesis"), link), 0);
    note(s, "throng-x", path_folder(s->arena, other)); /* another's name */
    note(s, "throng-b", link);
    note(s, "thesis", path_folder(s->arena, mine));
    note(s, "throng-c", "throng-a");
    note(s, "throng-d", "");
    assert_int_equal(scratch_sweep(), 0);
    assert_true(file_exists(other));
    assert_true(file_exists(mine));
    assert_true(file_exists(link));
    assert_null(*dir_list(scratch_path(s, "run"), s->arena, NULL));
    unsetenv("TMPDIR");
}

static void what_is_no_file_is_no_note(void **state)
{
    struct scratch *s = *state;
    meet_in(s);
    assert_int_equal(dir_make(scratch_path(s, "run"), NULL), 0);
    chmod(scratch_path(s, "run"), 0700);
    const char *pipe = scratch_path(s, "run/scratch-throng-pipe");
    assert_int_equal(mkfifo(pipe, 0600), 0);
    assert_int_equal(scratch_sweep(), 0);
    assert_true(file_exists(pipe));
    unsetenv("TMPDIR");
}

static void without_a_place_for_notes_it_is_made_all_the_same(void **state)
{
    struct scratch *s = *state;
    meet_in(s);
    setenv("THRONG_RUNTIME_DIR", scratch_file(s, "no-folder", ""), 1);
    const char *own = scratch_make("moment", NULL);
    assert_non_null(own);
    scratch_remove(own);
    assert_false(file_is_dir(own));
    unsetenv("TMPDIR");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        scratch_test(an_exit_removes_it),
        scratch_test(so_does_a_signal_which_ends_the_program_all_the_same),
        scratch_test(a_signal_that_is_ignored_stays_so),
        scratch_test(a_child_leaves_that_of_its_parent_alone),
        scratch_test(a_folder_that_cannot_be_made_is_an_error),
        scratch_test(what_a_killed_program_left_goes_with_the_next),
        scratch_test(what_is_no_folder_of_ours_stays),
        scratch_test(what_is_no_file_is_no_note),
        scratch_test(without_a_place_for_notes_it_is_made_all_the_same),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
