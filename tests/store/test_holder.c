/* test_holder.c - whether the holder of a lease lives */
#include "made_store.h"
#include <signal.h>
#include <sqlite3.h>
#include <sys/wait.h>
#include "store/holder.h"

/* ---- judging ---------------------------------------------------------- */

/* A lease as its holder wrote it, and a judge who can see all of it. */
static const struct lease there = {.host = "here",
                                   .boot_id = "boot",
                                   .process = {.pid = 7, .start = 70},
                                   .pid_space = 5,
                                   .lock = 9,
                                   .touches = 3};
static const struct holder_view near = {
    .host = "here", .boot_id = "boot", .pid_space = 5};

static void a_lock_proves_a_life_everywhere(void **state)
{
    (void)state;
    struct holder_view v = {
        .host = "far", .boot_id = "other", .network = true, .lock = LOCK_HELD};
    assert_int_equal(holder_judge(&there, &v), HOLDER_LIVES);
}

static void a_free_lock_proves_a_death_on_a_local_disk_only(void **state)
{
    (void)state;
    struct holder_view v = {
        .host = "here", .boot_id = "boot", .pid_space = 6, .lock = LOCK_FREE};
    assert_int_equal(holder_judge(&there, &v), HOLDER_GONE);
    v.network = true;
    assert_int_equal(holder_judge(&there, &v), HOLDER_UNSEEN);
}

static void a_pid_means_something_in_its_own_namespace_only(void **state)
{
    (void)state;
    struct holder_view v = near;
    assert_int_equal(holder_judge(&there, &v), HOLDER_GONE);
    v.process_alive = true;
    assert_int_equal(holder_judge(&there, &v), HOLDER_LIVES);
    /* Dead or not: that is a process of the same number. */
    for (int alive = 0; alive < 2; alive++) {
        v.process_alive = alive;
        v.pid_space = 6;
        assert_int_equal(holder_judge(&there, &v), HOLDER_UNSEEN);
        v.pid_space = 0;
        assert_int_equal(holder_judge(&there, &v), HOLDER_UNSEEN);
    }
}

static void a_holder_of_an_older_form_is_judged_by_its_pid(void **state)
{
    (void)state;
    struct lease old = there;
    struct holder_view v = near;
    old.touches = old.pid_space = old.lock = 0;
    assert_int_equal(holder_judge(&old, &v), HOLDER_GONE);
    v.process_alive = true;
    assert_int_equal(holder_judge(&old, &v), HOLDER_LIVES);
    v.host = "far";
    assert_int_equal(holder_judge(&old, &v), HOLDER_UNSEEN);
}

static void an_earlier_boot_proves_a_death_on_a_local_disk_only(void **state)
{
    (void)state;
    struct holder_view v = near;
    v.boot_id = "later";
    assert_int_equal(holder_judge(&there, &v), HOLDER_GONE);
    v.network = true;
    assert_int_equal(holder_judge(&there, &v), HOLDER_UNSEEN);
    v.network = false;
    v.host = "far";
    assert_int_equal(holder_judge(&there, &v), HOLDER_UNSEEN);
}

/* ---- watching --------------------------------------------------------- */

#define SECOND ((int64_t)1000000000)

static void a_wrong_clock_neither_ends_a_life_nor_saves_it(void **state)
{
    (void)state;
    double clocks[] = {0, -1e9, 1e12, NAN};
    for (size_t i = 0; i < sizeof clocks / sizeof *clocks; i++) {
        struct lease l = there;
        l.touched = isnan(clocks[i]) ? clock_wall() : clocks[i];
        struct holder_watch w = {0};
        int64_t now = 1000 * SECOND;
        assert_int_equal(holder_see(&w, &l, now), SEEN_NOTHING_YET);
        now += 60 * SECOND - 1;
        assert_int_equal(holder_see(&w, &l, now), SEEN_NOTHING_YET);
        assert_int_equal(holder_see(&w, &l, now + 1), SEEN_SILENCE);
        l.touches++;
        assert_int_equal(holder_see(&w, &l, now + 1), SEEN_TOUCH);
    }
}

static struct made *watched; /* touched from the watcher's pauses */
static int64_t fake_ns;
static bool touches_come;

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

static int64_t fake_now(void)
{
    return fake_ns;
}

static void fake_pause(unsigned ms)
{
    fake_ns += (int64_t)ms * 1000000;
    if (touches_come && fake_ns > 9 * SECOND)
        forge(watched, "touches = touches + 1");
}

static const struct holder_clock fake_clock = {fake_now, fake_pause};

/* A second store whose lease is held on another host, an hour off. */
static struct store *watch_far(struct made *m, bool touches)
{
    forge(m, "host = 'elsewhere', boot_id = 'far', pid = 5, epoch = 9,"
             " pid_space = 1, lock = 0, touched = touched - 3600");
    struct store *s = store_open(m->folder, true, &m->err);
    if (!s)
        fail_msg("%s", m->err.text);
    s->clock = &fake_clock;
    watched = m;
    fake_ns = 0;
    touches_come = touches;
    return s;
}

static void a_host_whose_clock_is_off_keeps_its_study(void **state)
{
    struct made *m = *state;
    struct lease l;
    struct store *s = watch_far(m, true);
    assert_ok(m, store_lease_read(s, &l, &m->err));
    assert_true(l.unseen);
    assert_int_equal(store_lease_take(s, false, &m->err), -1);
    assert_int_equal(m->err.kind, ERR_BUSY);
    assert_non_null(strstr(m->err.text, "process 5 on elsewhere"));
    assert_true(fake_ns < 10 * SECOND); /* its first touch was enough */
    store_close(s);
}

static void a_host_that_is_silent_for_a_minute_is_presumed_dead(void **state)
{
    struct made *m = *state;
    struct store *s = watch_far(m, false);
    assert_ok(m, store_lease_take(s, false, &m->err));
    assert_true(fake_ns >= 60 * SECOND);
    assert_int_equal(store_lease_predecessor(s), PREDECESSOR_PRESUMED);
    struct lease l;
    assert_ok(m, store_lease_read(s, &l, &m->err));
    assert_int_equal(l.epoch, 10);
    store_close(s);
}

static void take_over_waits_for_nobody(void **state)
{
    struct made *m = *state;
    struct store *s = watch_far(m, true);
    assert_ok(m, store_lease_take(s, true, &m->err));
    assert_int_equal(fake_ns, 0);
    assert_int_equal(store_lease_predecessor(s), PREDECESSOR_PRESUMED);
    store_close(s);
}

/* ---- the lock --------------------------------------------------------- */

static void one_that_cannot_be_seen_is_known_by_its_lock(void **state)
{
    struct made *m = *state;
    struct lease l;
    forge(m, "host = 'a-container', pid_space = 1, pid = 1");
    struct store *s = store_open(m->folder, true, &m->err);
    assert_ok(m, store_lease_read(s, &l, &m->err));
    assert_true(l.live);
    assert_false(l.unseen);
    assert_int_equal(store_lease_take(s, false, &m->err), -1);
    assert_int_equal(m->err.kind, ERR_BUSY);
    store_close(s);
}

/* Its tasks outlive a killed conductor; the lock must not. */
static void the_lock_is_not_passed_on(void **state)
{
    struct made *m = *state;
    int told[2];
    pid_t sleeper = 0;
    store_close(m->s);
    m->s = NULL;
    assert_int_equal(pipe(told), 0);
    pid_t pid = fork();
    if (pid == 0) {
        const char *argv[] = {"sleep", "1000", NULL};
        struct spawn run = {
            .argv = argv, .in = -1, .out = -1, .err = -1, .keep_fd = -1};
        struct process_id id = {0};
        struct store *s = store_open(m->folder, true, NULL);
        if (s && store_lease_take(s, false, NULL) == 0 &&
            process_spawn(&run, &id, NULL) == 0 &&
            write(told[1], &id.pid, sizeof id.pid) == sizeof id.pid)
            raise(SIGKILL);
        _exit(1);
    }
    int status;
    assert_int_equal(waitpid(pid, &status, 0), pid);
    assert_true(WIFSIGNALED(status));
    assert_int_equal(read(told[0], &sleeper, sizeof sleeper), sizeof sleeper);
    close(told[0]);
    close(told[1]);
    forge(m, "host = 'a-container', pid_space = 1");
    made_open(m);
    assert_int_equal(store_lease_predecessor(m->s), PREDECESSOR_GONE);
    assert_int_equal(kill(sleeper, SIGKILL), 0);
}

static void a_lock_file_that_was_made_again_proves_nothing(void **state)
{
    struct made *m = *state;
    char path[256], kept[256];
    struct lease l;
    snprintf(path, sizeof path, "%s/lease.lock", m->folder);
    snprintf(kept, sizeof kept, "%s/kept", m->folder);
    assert_int_equal(rename(path, kept), 0); /* its number stays in use */
    assert_ok(m, file_write(path, STR(""), false, &m->err));
    forge(m, "pid_space = 1");
    assert_ok(m, store_lease_read(m->s, &l, &m->err));
    assert_true(l.unseen);
}

#define with_store(f)                                                          \
    cmocka_unit_test_setup_teardown(f, made_setup, made_teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_lock_proves_a_life_everywhere),
        cmocka_unit_test(a_free_lock_proves_a_death_on_a_local_disk_only),
        cmocka_unit_test(a_pid_means_something_in_its_own_namespace_only),
        cmocka_unit_test(a_holder_of_an_older_form_is_judged_by_its_pid),
        cmocka_unit_test(an_earlier_boot_proves_a_death_on_a_local_disk_only),
        cmocka_unit_test(a_wrong_clock_neither_ends_a_life_nor_saves_it),
        with_store(a_host_whose_clock_is_off_keeps_its_study),
        with_store(a_host_that_is_silent_for_a_minute_is_presumed_dead),
        with_store(take_over_waits_for_nobody),
        with_store(one_that_cannot_be_seen_is_known_by_its_lock),
        with_store(the_lock_is_not_passed_on),
        with_store(a_lock_file_that_was_made_again_proves_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
