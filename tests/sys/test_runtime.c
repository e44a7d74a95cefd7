/* test_runtime.c - what programs of one user share while they run */
#include "scratch.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/wait.h>

static void the_folder_is_the_one_that_was_said(void **state)
{
    struct scratch *s = *state;
    struct err err = {0};
    char *path = scratch_path(s, "run");
    setenv("THRONG_RUNTIME_DIR", path, 1);
    assert_string_equal(runtime_folder(s->arena, NULL), path);
    assert_true(file_is_dir(path));
    assert_int_equal(chmod(path, 0777), 0);
    assert_null(runtime_folder(s->arena, &err));
    assert_non_null(strstr(err.text, path));
    unsetenv("THRONG_RUNTIME_DIR");
}

static void a_lock_is_held_by_one_and_falls_free_with_it(void **state)
{
    struct scratch *s = *state;
    char *path = scratch_path(s, "lock");
    int fd = lock_take(path, 0600);
    assert_true(fd >= 0);
    assert_int_equal(lock_take(path, 0600), -1);
    assert_int_equal(errno, EWOULDBLOCK);
    lock_drop(fd, path);
    assert_false(file_exists(path));
    pid_t child = fork();
    if (child == 0)
        _exit(lock_take(path, 0600) < 0);
    int status;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
    assert_true(file_exists(path));
    fd = lock_take(path, 0600);
    assert_true(fd >= 0);
    lock_drop(fd, path);
}

static void a_common_lock_stays_and_is_open_to_all(void **state)
{
    struct scratch *s = *state;
    struct stat st;
    char *path = scratch_path(s, "common");
    int fd = lock_common(path, false);
    assert_true(fd >= 0);
    assert_int_equal(lock_common(path, false), -1);
    assert_int_equal(errno, EWOULDBLOCK);
    close(fd);
    assert_int_equal(stat(path, &st), 0);
    assert_int_equal(st.st_mode & 0777, 0644);
    fd = lock_common(path, false);
    assert_true(fd >= 0);
    close(fd);
}

static void several_have_a_common_lock_that_they_share(void **state)
{
    char *path = scratch_path(*state, "common");
    int one = lock_common(path, true), two = lock_common(path, true);
    assert_true(one >= 0 && two >= 0);
    assert_int_equal(lock_common(path, false), -1);
    assert_int_equal(errno, EWOULDBLOCK);
    close(one);
    assert_int_equal(lock_common(path, false), -1);
    close(two);
    one = lock_common(path, false);
    assert_true(one >= 0);
    assert_int_equal(lock_common(path, true), -1);
    assert_int_equal(errno, EWOULDBLOCK);
    close(one);
}

/* What another user gets: 0 the lock, 1 that somebody has it, 2 a refusal. */
static int try_as(uid_t user, const char *path)
{
    int status;
    pid_t child = fork();
    if (child == 0) {
        if (setresuid(user, user, user) != 0)
            _exit(3);
        _exit(lock_common(path, false) >= 0 ? 0 : errno == EWOULDBLOCK ? 1 : 2);
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFEXITED(status));
    return WEXITSTATUS(status);
}

static void users_share_a_common_lock(void **state)
{
    struct scratch *s = *state;
    if (geteuid() != 0) {
        print_message("only root can be several users\n");
        skip();
    }
    char *folder = scratch_path(s, "all"), *path = scratch_path(s, "all/gpu");
    assert_int_equal(chmod(s->root, 0755), 0);
    assert_int_equal(dir_make(folder, NULL), 0);
    assert_int_equal(chmod(folder, 01777), 0);
    assert_int_equal(try_as(12001, path), 0); /* makes it, and ends */
    assert_int_equal(try_as(12002, path), 0);
    int fd = lock_common(path, false);
    assert_true(fd >= 0);
    assert_int_equal(try_as(12001, path), 1);
    assert_int_equal(try_as(12002, path), 1);
    close(fd);
    assert_int_equal(try_as(12002, path), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        scratch_test(the_folder_is_the_one_that_was_said),
        scratch_test(a_lock_is_held_by_one_and_falls_free_with_it),
        scratch_test(a_common_lock_stays_and_is_open_to_all),
        scratch_test(several_have_a_common_lock_that_they_share),
        scratch_test(users_share_a_common_lock),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
