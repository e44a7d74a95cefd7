/* test_wal.c - a log that is damaged after a crash */
#include "made_store.h"

static void add_trials(struct made *m, int64_t count)
{
    for (int64_t id = 1; id <= count; id++) {
        struct trial t = {.id = id, .point = STR("{\"x\":1}"), .parent = -1};
        assert_ok(m, store_begin(m->s, &m->err));
        assert_ok(m, store_trial_add(m->s, &t, &m->err));
        assert_ok(m, store_commit(m->s, &m->err));
    }
}

static char *log_path(struct made *m)
{
    return path_join(m->a, m->folder, "study.db-wal");
}

/* The log as it would be after a crash; *m's store stays open. */
static void leave_log(struct made *m, struct buf *log)
{
    buf_init(log);
    add_trials(m, 20);
    assert_int_equal(file_read(log_path(m), 64 << 20, log, NULL), 0);
}

static size_t lost_of(struct made *m, struct buf *log)
{
    char folder[] = "/tmp/throng-wal-XXXXXX";
    assert_non_null(mkdtemp(folder));
    const char *path = path_join(m->a, folder, "study.db-wal");
    assert_int_equal(file_write(path, buf_str(log), false, NULL), 0);
    size_t lost = store_log_lost(folder);
    assert_int_equal(dir_remove(folder, NULL), 0);
    return lost;
}

static void a_sound_log_has_lost_nothing(void **state)
{
    struct made *m = *state;
    struct buf log;
    leave_log(m, &log);
    assert_int_equal(lost_of(m, &log), 0);
    buf_done(&log);
}

static void commits_behind_the_damage_are_counted(void **state)
{
    struct made *m = *state;
    struct buf log;
    leave_log(m, &log);
    log.p[log.len / 3] ^= 4;
    size_t some = lost_of(m, &log);
    assert_true(some > 5);
    log.p[log.len / 3] ^= 4;
    log.p[2 * log.len / 3] ^= 4;
    size_t fewer = lost_of(m, &log);
    assert_true(fewer > 0 && fewer < some);
    buf_done(&log);
}

static void a_torn_last_commit_is_no_damage(void **state)
{
    struct made *m = *state;
    struct buf log;
    leave_log(m, &log);
    log.p[log.len - 9] ^= 1;
    assert_int_equal(lost_of(m, &log), 0);
    log.len -= 100;
    assert_int_equal(lost_of(m, &log), 0);
    buf_done(&log);
}

static void what_is_no_log_has_lost_nothing(void **state)
{
    struct made *m = *state;
    struct buf log;
    buf_init(&log);
    assert_int_equal(store_log_lost("/nowhere"), 0);
    assert_int_equal(lost_of(m, &log), 0);
    for (int i = 0; i < 5000; i++)
        buf_addc(&log, (char)(i * 37));
    assert_int_equal(lost_of(m, &log), 0);
    buf_done(&log);
}

#define on_made(f) cmocka_unit_test_setup_teardown(f, made_setup, made_teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        on_made(a_sound_log_has_lost_nothing),
        on_made(commits_behind_the_damage_are_counted),
        on_made(a_torn_last_commit_is_no_damage),
        on_made(what_is_no_log_has_lost_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
