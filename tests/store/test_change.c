/* test_change.c - a failing disk loses nothing that was collected */
#include "made_store.h"
#include <signal.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <fcntl.h>
#include "base/rng.h"
#include "store/db.h"

/* No file of this process may grow past so many bytes. */
static void limit_files(rlim_t bytes)
{
    struct rlimit r;
    getrlimit(RLIMIT_FSIZE, &r);
    r.rlim_cur = bytes;
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &r), 0);
}

static void add_trials(struct made *m, int first, int last)
{
    for (int i = first; i <= last; i++) {
        made_trial(m, i, "{\"lr\":0.1,\"text\":\"................\"}",
                   i % 3 ? STATE_DONE : STATE_RUNNING, i);
        int64_t steps[50];
        double values[50];
        for (int k = 0; k < 50; k++) {
            steps[k] = k;
            values[k] = sin(i * 50 + k);
        }
        assert_ok(m, made_points(m, i, 1, "loss", METRIC_FROM_METRICS, steps,
                                 values, 50));
    }
}

static void assert_trials(struct made *m, struct store *s, int last)
{
    struct counts c;
    assert_ok(m, store_counts(s, &c, &m->err));
    assert_int_equal(c.total, last);
    assert_int_equal(c.by_state[STATE_RUNNING], last / 3);
    for (int i = 1; i <= last; i += 37) {
        struct series series;
        assert_ok(m, store_series(s, i, "loss", m->a, &series, &m->err));
        assert_int_equal(series.count, 50);
        assert_true(series.values[49] == sin(i * 50 + 49));
    }
}

static void a_commit_that_failed_is_done_by_the_next(void **state)
{
    struct made *m = *state;
    signal(SIGXFSZ, SIG_IGN);
    add_trials(m, 1, 10);
    made_commit(m);
    limit_files(300000);
    add_trials(m, 11, 2000);
    assert_int_equal(store_commit(m->s, &m->err), -1);
    assert_int_equal(m->err.kind, ERR_SYSTEM);
    assert_non_null(strstr(m->err.text, "study.db"));
    /* Readers see the last good state. */
    struct store *reader = store_open(m->folder, false, &m->err);
    assert_non_null(reader);
    assert_trials(m, reader, 10);
    /* It fails again and again; more changes are taken meanwhile. */
    assert_int_equal(store_commit(m->s, &m->err), -1);
    add_trials(m, 2001, 2100);
    assert_int_equal(store_commit(m->s, &m->err), -1);
    limit_files(RLIM_INFINITY);
    made_commit(m);
    assert_trials(m, m->s, 2100);
    assert_trials(m, reader, 2100);
    assert_ok(m, store_integrity(reader, &m->err));
    store_close(reader);
    add_trials(m, 2101, 2200);
    made_commit(m);
    assert_trials(m, m->s, 2200);
}

/* Points of trial 1 by a number of chance: of three attempts, three names and
 * all sources, here and there with the attempt's word that it begins anew. */
static void add_by_chance(struct made *m, struct rng *rng)
{
    static const char *const names[] = {"loss", "acc", "lr"};
    int64_t steps[4];
    double values[4];
    size_t count = 1 + (size_t)rng_below(rng, 4);
    uint32_t attempt = 1 + (uint32_t)rng_below(rng, 3);
    for (size_t i = 0; i < count; i++) {
        steps[i] = (int64_t)rng_below(rng, 12);
        values[i] = rng_uniform(rng);
    }
    assert_ok(m, made_points(m, 1, attempt, names[rng_below(rng, 3)],
                             (enum metric_source)rng_below(rng, 4), steps,
                             values, count));
    if (rng_below(rng, 4))
        return;
    struct attempt a = {.trial = 1,
                        .number = attempt,
                        .anew = attempt,
                        .first_step = (int64_t)rng_below(rng, 12)};
    assert_ok(m, store_attempt_put(m->s, &a, &m->err));
}

/* All that a reader is told of the points of trial 1. */
static const char *told(struct made *m)
{
    struct buf b;
    const char **names = store_metric_names(m->s, 1, m->a, &m->err);
    buf_init(&b);
    assert_non_null(names);
    for (; *names; names++)
        for (uint32_t attempt = 0; attempt <= 3; attempt++) {
            struct series s;
            assert_ok(
                m, attempt ? store_attempt_series(m->s, 1, attempt, *names,
                                                  m->a, &s, &m->err)
                           : store_series(m->s, 1, *names, m->a, &s, &m->err));
            buf_addf(&b, "%s %u:", *names, attempt);
            for (size_t i = 0; i < s.count; i++)
                buf_addf(&b, " %lld=%.17g@%lld", (long long)s.steps[i],
                         s.values[i], (long long)s.times_ms[i]);
            buf_addf(&b, "\n");
        }
    const char *text = arena_cstr(m->a, buf_str(&b));
    buf_done(&b);
    return text;
}

static void read_what_waits(struct made *m, uint64_t seed)
{
    struct rng rng;
    signal(SIGXFSZ, SIG_IGN);
    rng_init(&rng, seed, 0, "points");
    made_trial(m, 1, "{}", STATE_RUNNING, NAN);
    made_commit(m);
    for (int round = 0; round < 100; round++) {
        for (int i = 0; i < 4; i++)
            add_by_chance(m, &rng);
        if (round % 2)
            made_commit(m);
        for (int i = 0; i < 4; i++)
            add_by_chance(m, &rng);
        limit_files(1);
        assert_int_equal(store_commit(m->s, &m->err), -1);
        for (int i = 0; i < 4; i++)
            add_by_chance(m, &rng);
        const char *waiting = told(m);
        limit_files(RLIM_INFINITY);
        made_commit(m);
        assert_string_equal(waiting, told(m));
    }
}

static void points_that_wait_for_the_disk_are_read_with_the_others(void **state)
{
    read_what_waits(*state, 12);
}

/* There a change needs the disk before its commit does. */
static void and_so_are_those_that_wait_for_a_network_s(void **state)
{
    struct made *m = *state;
    setenv("THRONG_ASSUME_NETWORK", "1", 1);
    made_again(m);
    unsetenv("THRONG_ASSUME_NETWORK");
    assert_true(m->s->network);
    read_what_waits(m, 13);
}

static void a_rollback_ends_the_trouble(void **state)
{
    struct made *m = *state;
    signal(SIGXFSZ, SIG_IGN);
    add_trials(m, 1, 10);
    made_commit(m);
    limit_files(300000);
    add_trials(m, 11, 2000);
    assert_int_equal(store_commit(m->s, &m->err), -1);
    limit_files(RLIM_INFINITY);
    store_rollback(m->s);
    assert_trials(m, m->s, 10);
    add_trials(m, 11, 20);
    made_commit(m);
    assert_trials(m, m->s, 20);
}

static void fill_disk(const char *folder, char *path, size_t size)
{
    static char block[65536];
    snprintf(path, size, "%s/ballast", folder);
    int fd = open(path, O_WRONLY | O_CREAT, 0600);
    assert_true(fd >= 0);
    while (write(fd, block, sizeof block) > 0)
        ;
    while (write(fd, block, 1) > 0)
        ;
    close(fd);
}

static void a_full_disk_is_named_and_got_over(void **state)
{
    (void)state;
    struct made m;
    char ballast[256];
    made_folder(&m);
    if (mount("none", m.folder, "tmpfs", 0, "size=4m")) {
        print_message("skipped: no permission to mount a small tmpfs\n");
        rmdir(m.folder);
        arena_free(m.a);
        skip();
    }
    assert_ok(&m, store_create(m.folder, &m.err));
    made_open(&m);
    add_trials(&m, 1, 10);
    made_commit(&m);
    fill_disk(m.folder, ballast, sizeof ballast);
    add_trials(&m, 11, 1000);
    assert_int_equal(store_commit(m.s, &m.err), -1);
    assert_int_equal(m.err.kind, ERR_FULL);
    assert_non_null(strstr(m.err.text, "full"));
    /* The lease cannot be written either, but nothing breaks. */
    store_lease_touch(m.s, &m.err);
    assert_int_equal(unlink(ballast), 0);
    made_commit(&m);
    assert_trials(&m, m.s, 1000);
    assert_ok(&m, store_integrity(m.s, &m.err));
    store_close(m.s);
    assert_int_equal(umount(m.folder), 0);
    rmdir(m.folder);
    arena_free(m.a);
}

/* As it does by itself when a disk is full in a journal's midst. */
static void
a_touch_that_ends_the_transaction_loses_and_doubles_nothing(void **state)
{
    struct made *m = *state;
    static const char refuse[] =
        "CREATE TEMP TRIGGER refuse BEFORE UPDATE ON lease"
        " BEGIN SELECT RAISE(ROLLBACK, 'no room'); END";
    if (sqlite3_exec(m->s->db, refuse, NULL, NULL, NULL))
        fail_msg("%s", sqlite3_errmsg(m->s->db));
    add_trials(m, 1, 5);
    assert_int_equal(store_lease_touch(m->s, &m->err), -1);
    add_trials(m, 6, 10);
    assert_int_equal(
        sqlite3_exec(m->s->db, "DROP TRIGGER refuse", NULL, NULL, NULL), 0);
    assert_ok(m, store_event_add(m->s, 1, "once", STR(""), &m->err));
    made_commit(m);
    assert_trials(m, m->s, 10);
    struct event *list;
    size_t count;
    assert_ok(m, store_events(m->s, 0, m->a, &list, &count, &m->err));
    assert_int_equal(count, 1);
}

static void an_empty_round_costs_no_commit(void **state)
{
    struct made *m = *state;
    made_trial(m, 1, "{}", STATE_DONE, 1);
    made_commit(m);
    struct stat before, after;
    char path[256];
    snprintf(path, sizeof path, "%s/study.db-wal", m->folder);
    assert_int_equal(stat(path, &before), 0);
    for (int i = 0; i < 100; i++) {
        assert_ok(m, store_begin(m->s, &m->err));
        made_commit(m);
    }
    assert_int_equal(stat(path, &after), 0);
    assert_int_equal(before.st_size, after.st_size);
    assert_int_equal(before.st_mtim.tv_nsec, after.st_mtim.tv_nsec);
}

static void the_log_stays_small(void **state)
{
    struct made *m = *state;
    char path[256];
    snprintf(path, sizeof path, "%s/study.db-wal", m->folder);
    off_t most = 0;
    for (int i = 0; i < 400; i++) {
        add_trials(m, i * 50 + 1, i * 50 + 50);
        made_commit(m);
        struct stat st;
        assert_int_equal(stat(path, &st), 0);
        if (st.st_size > most)
            most = st.st_size;
    }
    assert_true(most < 16 << 20);
}

#define with_store(f)                                                          \
    cmocka_unit_test_setup_teardown(f, made_setup, made_teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        with_store(a_commit_that_failed_is_done_by_the_next),
        with_store(points_that_wait_for_the_disk_are_read_with_the_others),
        with_store(and_so_are_those_that_wait_for_a_network_s),
        with_store(a_rollback_ends_the_trouble),
        cmocka_unit_test(a_full_disk_is_named_and_got_over),
        with_store(a_touch_that_ends_the_transaction_loses_and_doubles_nothing),
        with_store(an_empty_round_costs_no_commit),
        with_store(the_log_stays_small),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
