/* test_scratch.c - folders of a moment go with the program that made them */
#include "scratch.h"

#include <signal.h>
#include <stdlib.h>
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
    setenv("TMPDIR", s->root, 1);
    pid_t child = fork();
    if (child == 0)
        make_and_end(how, signum);
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, expected);
    unsetenv("TMPDIR");
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

int main(void)
{
    const struct CMUnitTest tests[] = {
        scratch_test(an_exit_removes_it),
        scratch_test(so_does_a_signal_which_ends_the_program_all_the_same),
        scratch_test(a_signal_that_is_ignored_stays_so),
        scratch_test(a_child_leaves_that_of_its_parent_alone),
        scratch_test(a_folder_that_cannot_be_made_is_an_error),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
