/* test_snapshot.c - copies, and readers on a network file system
 *
 * THRONG_ASSUME_NETWORK makes any folder count as one. The holder is a child
 * process, because locks do not tell apart two stores of one process. */
#include "made_store.h"
#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <utime.h>

static char *snapshot_path(struct made *m)
{
    return path_join(m->a, m->folder, "snapshot.db");
}

static int64_t trials_in(struct made *m, struct store *s)
{
    struct counts c;
    assert_ok(m, store_counts(s, &c, &m->err));
    return c.total;
}

static void a_snapshot_is_a_store_of_its_own(void **state)
{
    struct made *m = *state;
    char *other = path_join(m->a, m->folder, "copy");
    assert_ok(m, dir_make(other, &m->err));
    made_trial(m, 1, "{}", STATE_DONE, 1);
    made_commit(m);
    /* What is collected is committed first: a copy is never half. */
    made_trial(m, 2, "{}", STATE_DONE, 1);
    assert_ok(
        m, store_snapshot(m->s, path_join(m->a, other, "study.db"), &m->err));
    made_trial(m, 3, "{}", STATE_DONE, 1);
    made_commit(m);
    struct store *copy = store_open(other, false, &m->err);
    assert_non_null(copy);
    assert_int_equal(trials_in(m, copy), 2);
    assert_ok(m, store_integrity(copy, &m->err));
    store_close(copy);
    const char **names = dir_list(other, m->a, &m->err);
    assert_string_equal(names[0], "study.db");
}

static void a_snapshot_that_cannot_be_written_says_so(void **state)
{
    struct made *m = *state;
    assert_int_equal(store_snapshot(m->s, "/nowhere/x.db", &m->err), -1);
    assert_non_null(strstr(m->err.text, "/nowhere/x.db"));
    made_trial(m, 1, "{}", STATE_DONE, 1);
    made_commit(m);
}

static int network_setup(void **state)
{
    setenv("THRONG_ASSUME_NETWORK", "1", 1);
    struct made *m = malloc(sizeof *m);
    made_folder(m);
    assert_ok(m, store_create(m->folder, &m->err));
    *state = m;
    return 0;
}

static int network_teardown(void **state)
{
    unsetenv("THRONG_ASSUME_NETWORK");
    return made_teardown(state);
}

/* The holder: writes a trial, answers snapshot requests until killed. */
static void hold(struct made *m, int ready, bool answers)
{
    made_open(m);
    made_trial(m, store_last_trial(m->s) + 1, "{}", STATE_DONE, 1);
    made_commit(m);
    if (write(ready, "x", 1) != 1)
        _exit(1);
    for (;;) {
        struct timespec pause = {0, 5000000};
        nanosleep(&pause, NULL);
        struct request *list;
        size_t count;
        if (!answers || store_requests(m->s, m->a, &list, &count, NULL) ||
            count == 0)
            continue;
        if (store_snapshot(m->s, snapshot_path(m), NULL))
            _exit(2);
        for (size_t i = 0; i < count; i++)
            store_request_done(m->s, &list[i]);
    }
}

static pid_t start_holder(struct made *m, bool answers)
{
    int fds[2];
    char c;
    assert_int_equal(pipe(fds), 0);
    pid_t pid = fork();
    if (pid == 0)
        hold(m, fds[1], answers);
    close(fds[1]);
    assert_int_equal(read(fds[0], &c, 1), 1);
    close(fds[0]);
    return pid;
}

static void end_holder(pid_t pid)
{
    kill(pid, SIGKILL);
    assert_int_equal(waitpid(pid, NULL, 0), pid);
}

static void a_network_store_uses_no_shared_memory(void **state)
{
    struct made *m = *state;
    made_open(m);
    made_trial(m, 1, "{}", STATE_DONE, 1);
    made_commit(m);
    assert_false(file_exists(path_join(m->a, m->folder, "study.db-shm")));
    assert_false(file_exists(path_join(m->a, m->folder, "study.db-wal")));
    made_again(m);
    assert_int_equal(trials_in(m, m->s), 1);
}

static void a_reader_asks_the_holder_for_a_snapshot(void **state)
{
    struct made *m = *state;
    pid_t pid = start_holder(m, true);
    struct store *s = store_open(m->folder, false, &m->err);
    if (!s)
        fail_msg("%s", m->err.text);
    assert_true(store_as_of(s) > 0);
    assert_int_equal(trials_in(m, s), 1);
    struct lease l;
    assert_ok(m, store_lease_read(s, &l, &m->err));
    assert_int_equal(l.process.pid, pid);
    assert_true(l.live);
    store_close(s);
    /* A young one is used again, without another request. */
    struct stat before, after;
    assert_int_equal(stat(snapshot_path(m), &before), 0);
    s = store_open(m->folder, false, &m->err);
    assert_non_null(s);
    store_close(s);
    assert_int_equal(stat(snapshot_path(m), &after), 0);
    assert_int_equal(before.st_ino, after.st_ino);
    /* An old one is made anew. */
    struct utimbuf old = {time(NULL) - 100, time(NULL) - 100};
    assert_int_equal(utime(snapshot_path(m), &old), 0);
    s = store_open(m->folder, false, &m->err);
    assert_non_null(s);
    assert_true(store_as_of(s) > (double)old.modtime + 50);
    store_close(s);
    end_holder(pid);
}

static void a_silent_holder_is_an_error_or_an_old_snapshot(void **state)
{
    struct made *m = *state;
    pid_t pid = start_holder(m, false);
    assert_null(store_open(m->folder, false, &m->err));
    assert_int_equal(m->err.kind, ERR_BUSY);
    assert_non_null(strstr(m->err.text, "snapshot"));
    end_holder(pid);
    made_open(m);
    assert_ok(m, store_snapshot(m->s, snapshot_path(m), &m->err));
    store_close(m->s);
    m->s = NULL;
    struct utimbuf old = {time(NULL) - 100, time(NULL) - 100};
    assert_int_equal(utime(snapshot_path(m), &old), 0);
    pid = start_holder(m, false);
    struct store *s = store_open(m->folder, false, &m->err);
    assert_non_null(s);
    assert_true(fabs(store_as_of(s) - (double)old.modtime) < 1);
    store_close(s);
    end_holder(pid);
}

static void without_a_live_holder_the_file_itself_is_read(void **state)
{
    struct made *m = *state;
    end_holder(start_holder(m, true));
    struct store *s = store_open(m->folder, false, &m->err);
    if (!s)
        fail_msg("%s", m->err.text);
    assert_true(store_as_of(s) == 0);
    assert_int_equal(trials_in(m, s), 1);
    store_close(s);
}

static void a_second_writer_is_refused_by_name(void **state)
{
    struct made *m = *state;
    char pid_text[32];
    pid_t pid = start_holder(m, true);
    snprintf(pid_text, sizeof pid_text, "process %d", (int)pid);
    struct store *s = store_open(m->folder, true, &m->err);
    if (s)
        assert_int_equal(store_lease_take(s, false, &m->err), -1);
    assert_int_equal(m->err.kind, ERR_BUSY);
    assert_non_null(strstr(m->err.text, pid_text));
    store_close(s);
    end_holder(pid);
    made_open(m);
    made_trial(m, 2, "{}", STATE_DONE, 1);
    made_commit(m);
    assert_int_equal(trials_in(m, m->s), 2);
}

static void a_store_moves_between_file_systems(void **state)
{
    struct made *m = *state;
    unsetenv("THRONG_ASSUME_NETWORK");
    made_open(m);
    made_trial(m, 1, "{}", STATE_DONE, 1);
    made_commit(m);
    store_close(m->s);
    setenv("THRONG_ASSUME_NETWORK", "1", 1);
    m->s = store_open(m->folder, false, &m->err);
    assert_int_equal(trials_in(m, m->s), 1);
    made_again(m);
    made_trial(m, 2, "{}", STATE_DONE, 1);
    made_commit(m);
    unsetenv("THRONG_ASSUME_NETWORK");
    made_again(m);
    assert_int_equal(trials_in(m, m->s), 2);
}

#define with_store(f)                                                          \
    cmocka_unit_test_setup_teardown(f, made_setup, made_teardown)
#define on_network(f)                                                          \
    cmocka_unit_test_setup_teardown(f, network_setup, network_teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        with_store(a_snapshot_is_a_store_of_its_own),
        with_store(a_snapshot_that_cannot_be_written_says_so),
        on_network(a_network_store_uses_no_shared_memory),
        on_network(a_reader_asks_the_holder_for_a_snapshot),
        on_network(a_silent_holder_is_an_error_or_an_old_snapshot),
        on_network(without_a_live_holder_the_file_itself_is_read),
        on_network(a_second_writer_is_refused_by_name),
        on_network(a_store_moves_between_file_systems),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
