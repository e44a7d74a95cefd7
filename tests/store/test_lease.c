/* test_lease.c - one writer at a time */
#include "made_store.h"
#include <signal.h>
#include <sqlite3.h>
#include <sys/wait.h>

/* Makes the lease look as if another process held it. */
static void forge(struct made *m, const char *set)
{
    char path[256], sql[512];
    sqlite3 *db;
    snprintf(path, sizeof path, "%s/study.db", m->folder);
    snprintf(sql, sizeof sql, "UPDATE lease SET %s", set);
    assert_int_equal(
        sqlite3_open_v2(path, &db, SQLITE_OPEN_READWRITE, "throng"), SQLITE_OK);
    sqlite3_busy_timeout(db, 1000);
    assert_int_equal(sqlite3_exec(db, sql, NULL, NULL, NULL), SQLITE_OK);
    sqlite3_close(db);
}

static struct store *second(struct made *m)
{
    struct store *s = store_open(m->folder, true, &m->err);
    if (!s)
        fail_msg("%s", m->err.text);
    return s;
}

static void the_holder_is_this_process(void **state)
{
    struct made *m = *state;
    struct lease l;
    assert_ok(m, store_lease_read(m->s, &l, &m->err));
    assert_int_equal(l.epoch, 1);
    assert_int_equal(l.process.pid, getpid());
    assert_true(l.live);
    assert_string_equal(l.boot_id, process_boot_id());
    assert_true(fabs(l.touched - clock_wall()) < 60);
}

static void a_live_holder_is_named_and_not_replaced(void **state)
{
    struct made *m = *state;
    struct store *other = second(m);
    char pid[32];
    snprintf(pid, sizeof pid, "process %d", (int)getpid());
    assert_int_equal(store_lease_take(other, false, &m->err), -1);
    assert_int_equal(m->err.kind, ERR_BUSY);
    assert_non_null(strstr(m->err.text, pid));
    assert_null(
        strstr(m->err.text, "--take-over")); /* not the store's to say */
    assert_false(store_lease_stuck(other));
    store_close(other);
    made_trial(m, 1, "{}", STATE_DONE, 1);
    made_commit(m);
}

static void a_holder_that_was_replaced_commits_nothing(void **state)
{
    struct made *m = *state;
    made_trial(m, 1, "{}", STATE_DONE, 1);
    made_commit(m);
    struct store *other = second(m);
    assert_ok(m, store_lease_take(other, true, &m->err));
    struct lease l;
    assert_ok(m, store_lease_read(other, &l, &m->err));
    assert_int_equal(l.epoch, 2);
    made_trial(m, 2, "{}", STATE_DONE, 2);
    assert_int_equal(store_commit(m->s, &m->err), -1);
    assert_int_equal(m->err.kind, ERR_BUSY);
    assert_non_null(strstr(m->err.text, "taken over"));
    /* And it stays so. */
    struct trial t = {.id = 3, .point = STR("{}")};
    assert_int_equal(store_begin(m->s, &m->err), -1);
    assert_int_equal(store_trial_add(m->s, &t, &m->err), -1);
    assert_int_equal(m->err.kind, ERR_BUSY);
    assert_int_equal(store_lease_touch(m->s, &m->err), -1);
    assert_int_equal(m->err.kind, ERR_BUSY);
    struct counts c;
    assert_ok(m, store_counts(other, &c, &m->err));
    assert_int_equal(c.total, 1);
    /* The new holder works, also while the old one lets go. */
    store_close(m->s);
    m->s = other;
    made_trial(m, 2, "{}", STATE_DONE, 2);
    made_commit(m);
    assert_ok(m, store_lease_read(other, &l, &m->err));
    assert_true(l.live);
}

static void a_touch_notices_the_takeover(void **state)
{
    struct made *m = *state;
    assert_ok(m, store_lease_touch(m->s, &m->err));
    forge(m, "epoch = epoch + 1");
    assert_int_equal(store_lease_touch(m->s, &m->err), -1);
    assert_int_equal(m->err.kind, ERR_BUSY);
}

static void a_successor_that_has_let_go_is_no_process(void **state)
{
    struct made *m = *state;
    forge(m, "epoch = epoch + 1, pid = 0");
    assert_int_equal(store_lease_touch(m->s, &m->err), -1);
    assert_non_null(strstr(m->err.text, "another throng, which has ended"));
}

static void a_touch_inside_a_transaction_belongs_to_it(void **state)
{
    struct made *m = *state;
    struct lease l;
    made_trial(m, 1, "{}", STATE_DONE, 1);
    assert_ok(m, store_lease_touch(m->s, &m->err));
    made_commit(m);
    made_again(m);
    assert_ok(m, store_lease_read(m->s, &l, &m->err));
    assert_int_equal(l.epoch, 2);
    struct counts c;
    assert_ok(m, store_counts(m->s, &c, &m->err));
    assert_int_equal(c.total, 1);
}

static void without_a_lease_nothing_changes(void **state)
{
    struct made *m = *state;
    store_lease_release(m->s);
    struct trial t = {.id = 1, .point = STR("{}")};
    assert_int_equal(store_trial_add(m->s, &t, &m->err), -1);
    assert_int_equal(m->err.kind, ERR_BUSY);
    assert_ok(m, store_commit(m->s, &m->err));
    struct lease l;
    assert_ok(m, store_lease_read(m->s, &l, &m->err));
    assert_int_equal(l.process.pid, 0);
    assert_int_equal(l.epoch, 1);
    assert_false(l.live);
    assert_ok(m, store_lease_take(m->s, false, &m->err));
    made_trial(m, 1, "{}", STATE_DONE, 1);
    made_commit(m);
}

static void a_dead_holder_of_this_host_is_replaced_at_once(void **state)
{
    struct made *m = *state;
    store_close(m->s);
    m->s = NULL;
    pid_t pid = fork();
    if (pid == 0) {
        struct store *s = store_open(m->folder, true, NULL);
        bool held = s && store_lease_take(s, false, NULL) == 0;
        if (held)
            raise(SIGKILL);
        _exit(1);
    }
    int status;
    assert_int_equal(waitpid(pid, &status, 0), pid);
    assert_true(WIFSIGNALED(status));
    struct store *reader = store_open(m->folder, false, &m->err);
    struct lease l;
    assert_ok(m, store_lease_read(reader, &l, &m->err));
    assert_int_equal(l.process.pid, pid);
    assert_false(l.live);
    store_close(reader);
    made_open(m);
    assert_ok(m, store_lease_read(m->s, &l, &m->err));
    assert_int_equal(l.epoch, 3);
}

static void expect_left(struct made *m, enum predecessor left)
{
    assert_int_equal(store_lease_predecessor(m->s), left);
}

static void what_a_holder_left_is_known_until_it_is_settled(void **state)
{
    struct made *m = *state;
    expect_left(m, PREDECESSOR_NONE);
    made_again(m);
    expect_left(m, PREDECESSOR_NONE); /* it let go */
    store_close(m->s);
    forge(
        m,
        "pid = 1, pid_start = 1, lock = 0"); /* one that is dead, and had not */
    made_open(m);
    expect_left(m, PREDECESSOR_GONE);
    made_again(m); /* as a verb does */
    expect_left(m, PREDECESSOR_GONE);
    assert_ok(m, store_lease_settle(m->s, &m->err));
    expect_left(m, PREDECESSOR_NONE);
    made_again(m);
    expect_left(m, PREDECESSOR_NONE);
}

static void who_may_still_run_is_only_presumed_dead(void **state)
{
    struct made *m = *state;
    struct store *other = second(m);
    assert_ok(m, store_lease_take(other, true, &m->err));
    store_close(m->s);
    m->s = other;
    expect_left(m, PREDECESSOR_PRESUMED);
    store_close(m->s);
    forge(m,
          "pid = 1, pid_start = 1, lock = 0"); /* a dead one changes nothing */
    made_open(m);
    expect_left(m, PREDECESSOR_PRESUMED);
    assert_ok(m, store_lease_settle(m->s, &m->err));
    made_again(m);
    expect_left(m, PREDECESSOR_NONE);
}

/* What a number proves, it proves of what the last holder left here. */
static void numbers_prove_nothing_of_processes_that_were_not_left(void **state)
{
    struct made *m = *state;
    struct left_processes left;
    assert_ok(m, store_left_processes(m->s, m->a, &left, &m->err));
    assert_false(left.numbers_stand);
    store_close(m->s);
    forge(m, "pid = 1, pid_start = 1, lock = 0");
    made_open(m);
    assert_ok(m, store_left_processes(m->s, m->a, &left, &m->err));
    assert_true(left.numbers_stand);
    store_close(m->s);
    forge(m, "left_space = 1"); /* another pid namespace */
    made_open(m);
    expect_left(m, PREDECESSOR_GONE);
    assert_ok(m, store_left_processes(m->s, m->a, &left, &m->err));
    assert_false(left.numbers_stand);
}

static void a_reboot_ends_the_lease_of_this_host(void **state)
{
    struct made *m = *state;
    struct lease l;
    forge(m, "boot_id = 'an-earlier-boot', lock = 0");
    assert_ok(m, store_lease_read(m->s, &l, &m->err));
    assert_false(l.live);
}

static void the_mirror_says_what_the_row_says(void **state)
{
    struct made *m = *state;
    struct buf b;
    buf_init(&b);
    char path[256], wanted[64];
    snprintf(path, sizeof path, "%s/lease.json", m->folder);
    assert_ok(m, file_read(path, 0, &b, &m->err));
    snprintf(wanted, sizeof wanted, "\"pid\":%d,", (int)getpid());
    assert_non_null(strstr(b.p, "\"epoch\":1,"));
    assert_non_null(strstr(b.p, wanted));
    store_lease_release(m->s);
    buf_reset(&b);
    assert_ok(m, file_read(path, 0, &b, &m->err));
    assert_non_null(strstr(b.p, "\"pid\":0,"));
    buf_done(&b);
}

static void two_readers_see_only_whole_commits(void **state)
{
    struct made *m = *state;
    struct store *readers[2];
    for (int i = 0; i < 2; i++) {
        readers[i] = store_open(m->folder, false, &m->err);
        assert_non_null(readers[i]);
    }
    for (int i = 1; i <= 200; i++) {
        made_trial(m, 2 * i - 1, "{}", STATE_DONE, i);
        struct counts c;
        assert_ok(m, store_counts(readers[i % 2], &c, &m->err));
        assert_int_equal(c.total, 2 * i - 2);
        made_trial(m, 2 * i, "{}", STATE_FAILED, NAN);
        made_commit(m);
        assert_ok(m, store_counts(readers[i % 2], &c, &m->err));
        assert_int_equal(c.total, 2 * i);
        assert_int_equal(c.by_state[STATE_DONE], i);
        assert_int_equal(store_last_trial(readers[i % 2]), 2 * i);
    }
    for (int i = 0; i < 2; i++)
        store_close(readers[i]);
}

/* Takes the lease, begins to write, and is stopped. */
static void stop_while_writing(const char *folder)
{
    struct err err = {0};
    struct trial t = {.id = 1, .point = STR("{}"), .value = NAN};
    struct store *s = store_open(folder, true, &err);
    if (!s || store_lease_take(s, false, &err) || store_begin(s, &err) ||
        store_trial_add(s, &t, &err))
        _exit(1);
    raise(SIGSTOP);
    _exit(2);
}

static void who_was_stopped_while_writing_is_named_with_what_to_do(void **state)
{
    struct made *m = *state;
    store_close(m->s);
    m->s = NULL;
    int status;
    pid_t pid = fork();
    if (pid == 0)
        stop_while_writing(m->folder);
    assert_int_equal(waitpid(pid, &status, WUNTRACED), pid);
    assert_true(WIFSTOPPED(status));
    struct store *other = store_open(m->folder, true, &m->err);
    assert_int_equal(store_lease_take(other, true, &m->err), -1);
    assert_int_equal(m->err.kind, ERR_BUSY);
    char cont[64], end[64];
    snprintf(cont, sizeof cont, "`kill -CONT %d`", (int)pid);
    snprintf(end, sizeof end, "`kill -KILL %d`", (int)pid);
    assert_non_null(strstr(m->err.text, "was stopped while it was writing"));
    assert_non_null(strstr(m->err.text, cont));
    assert_non_null(strstr(m->err.text, end));
    assert_true(store_lease_stuck(other));
    kill(pid, SIGKILL);
    assert_int_equal(waitpid(pid, &status, 0), pid);
    assert_ok(m, store_lease_take(other, true, &m->err));
    assert_int_equal(store_last_trial(other), 0);
    store_close(other);
}

#define with_store(f)                                                          \
    cmocka_unit_test_setup_teardown(f, made_setup, made_teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        with_store(who_was_stopped_while_writing_is_named_with_what_to_do),
        with_store(the_holder_is_this_process),
        with_store(a_live_holder_is_named_and_not_replaced),
        with_store(a_holder_that_was_replaced_commits_nothing),
        with_store(a_touch_notices_the_takeover),
        with_store(a_successor_that_has_let_go_is_no_process),
        with_store(a_touch_inside_a_transaction_belongs_to_it),
        with_store(without_a_lease_nothing_changes),
        with_store(a_dead_holder_of_this_host_is_replaced_at_once),
        with_store(what_a_holder_left_is_known_until_it_is_settled),
        with_store(who_may_still_run_is_only_presumed_dead),
        with_store(numbers_prove_nothing_of_processes_that_were_not_left),
        with_store(a_reboot_ends_the_lease_of_this_host),
        with_store(the_mirror_says_what_the_row_says),
        with_store(two_readers_see_only_whole_commits),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
