/* test_crash.c - killed at any instant, the store is whole
 *
 * A child writes as a conductor does and says, through a pipe, how many
 * trials are committed. It is killed at a random moment, again and again on
 * the same store. */
#include "made_store.h"
#include <signal.h>
#include <sqlite3.h>
#include <sys/wait.h>
#include <time.h>
#include "base/rng.h"

#define KILLS 50

static void write_forever(struct made *m, int fd)
{
    struct rng r;
    rng_init(&r, (uint64_t)getpid(), 1, "crash");
    made_open(m);
    for (int64_t id = store_last_trial(m->s) + 1;; id++) {
        made_trial(m, id, "{\"lr\":0.5}",
                   rng_below(&r, 4) ? STATE_DONE : STATE_FAILED, 1);
        struct attempt a = {.trial = id, .number = 1, .host = "h"};
        store_attempt_put(m->s, &a, NULL);
        int64_t steps[] = {0, 1, 2};
        double values[] = {(double)id, 1, 2};
        made_points(m, id, 1, "loss", METRIC_FROM_METRICS, steps, values, 3);
        if (rng_below(&r, 5))
            continue;
        if (store_commit(m->s, &m->err))
            _exit(3);
        if (write(fd, &id, sizeof id) != sizeof id)
            _exit(4);
    }
}

/* Kills the writer after some microseconds; the last number it gave. */
static int64_t one_life(struct made *m, uint64_t wait_us)
{
    int fds[2];
    assert_int_equal(pipe(fds), 0);
    pid_t pid = fork();
    if (pid == 0) {
        close(fds[0]);
        write_forever(m, fds[1]);
    }
    close(fds[1]);
    struct timespec pause = {0, (long)wait_us * 1000};
    nanosleep(&pause, NULL);
    kill(pid, SIGKILL);
    int status;
    assert_int_equal(waitpid(pid, &status, 0), pid);
    assert_true(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL);
    int64_t last = 0, id;
    while (read(fds[0], &id, sizeof id) == sizeof id)
        last = id;
    close(fds[0]);
    return last;
}

static int64_t ask(sqlite3 *db, const char *sql)
{
    sqlite3_stmt *st;
    assert_int_equal(sqlite3_prepare_v2(db, sql, -1, &st, NULL), SQLITE_OK);
    assert_int_equal(sqlite3_step(st), SQLITE_ROW);
    int64_t v = sqlite3_column_int64(st, 0);
    sqlite3_finalize(st);
    return v;
}

static void check_whole(struct made *m, int64_t promised)
{
    struct store *s = store_open(m->folder, false, &m->err);
    if (!s)
        fail_msg("%s", m->err.text);
    assert_ok(m, store_integrity(s, &m->err));
    int64_t last = store_last_trial(s);
    assert_true(last >= promised);
    struct counts c;
    assert_ok(m, store_counts(s, &c, &m->err));
    assert_int_equal(c.total, last);
    char path[256];
    sqlite3 *db;
    snprintf(path, sizeof path, "%s/study.db", m->folder);
    assert_int_equal(sqlite3_open(path, &db), SQLITE_OK);
    assert_int_equal(ask(db, "SELECT count(*) FROM trials"), last);
    assert_int_equal(ask(db, "SELECT count(*) FROM trials WHERE state = 3"),
                     c.by_state[STATE_DONE]);
    assert_int_equal(ask(db, "SELECT count(*) FROM trials WHERE state = 4"),
                     c.by_state[STATE_FAILED]);
    /* A trial and all that belongs to it came in the same commit. */
    assert_int_equal(ask(db, "SELECT count(*) FROM attempts"), last);
    assert_int_equal(ask(db, "SELECT count(*) FROM metrics"), last);
    sqlite3_close(db);
    if (last > 0) {
        struct series series;
        assert_ok(m, store_series(s, last, "loss", m->a, &series, &m->err));
        assert_int_equal(series.count, 3);
        assert_true(series.values[0] == (double)last);
    }
    store_close(s);
}

static void a_killed_writer_leaves_a_whole_store(void **state)
{
    struct made *m = *state;
    store_close(m->s);
    m->s = NULL;
    struct rng r;
    rng_init(&r, (uint64_t)clock_mono_ns(), 1, "kill");
    int64_t promised = 0;
    /* Lives become longer until one was long enough for a commit, however
     * slow the machine is. */
    for (int i = 0; i < KILLS || promised == 0; i++) {
        int64_t last = one_life(m, 500 + rng_below(&r, 40000 + 1000 * i));
        if (last > promised)
            promised = last;
        check_whole(m, promised);
    }
    assert_true(promised > 0);
    made_open(m);
    struct lease l;
    assert_ok(m, store_lease_read(m->s, &l, &m->err));
    assert_true(l.epoch > 2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(a_killed_writer_leaves_a_whole_store,
                                        made_setup, made_teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
