/* test_stands.c - a store that is removed, moved or damaged in use */
#include "made_store.h"
#include <fcntl.h>
#include <sqlite3.h>
#include <sys/stat.h>
#include "store/db.h"

static void expect_trials(struct made *m, const char *folder, int64_t count)
{
    struct store *s = store_open(folder, false, &m->err);
    struct counts c;
    if (!s)
        fail_msg("%s", m->err.text);
    assert_ok(m, store_counts(s, &c, &m->err));
    assert_int_equal(c.total, count);
    assert_ok(m, store_integrity(s, &m->err));
    store_close(s);
}

static void a_store_in_its_place_stands(void **state)
{
    struct made *m = *state;
    assert_ok(m, store_stands(m->s, &m->err));
    assert_false(store_is_removed(m->s));
    made_trial(m, 1, "{}", STATE_DONE, 1);
    made_commit(m);
    assert_ok(m, store_stands(m->s, &m->err));
    assert_ok(m, store_lease_touch(m->s, &m->err));
}

static void a_removed_store_is_noticed_and_can_be_saved(void **state)
{
    struct made *m = *state;
    char saved[256], again[256];
    made_trial(m, 1, "{}", STATE_DONE, 1);
    made_commit(m);
    assert_ok(m, dir_remove(m->folder, &m->err));
    made_trial(m, 2, "{}", STATE_DONE, 2);
    assert_int_equal(store_lease_touch(m->s, &m->err), -1);
    assert_int_equal(m->err.kind, ERR_MISSING);
    assert_non_null(strstr(m->err.text, "study.db was removed"));
    assert_true(store_is_removed(m->s));
    snprintf(saved, sizeof saved, "%s.saved", m->folder);
    assert_ok(m, store_save(m->s, saved, &m->err));
    store_close(m->s);
    m->s = NULL;
    assert_false(file_exists(m->folder));
    assert_ok(m, dir_make(m->folder, &m->err));
    snprintf(again, sizeof again, "%s/study.db", m->folder);
    assert_int_equal(rename(saved, again), 0);
    expect_trials(m, m->folder, 2);
}

static void a_store_that_another_took_the_place_of_is_removed(void **state)
{
    struct made *m = *state;
    char mirror[256];
    struct lease l;
    assert_ok(m, dir_remove(m->folder, &m->err));
    assert_ok(m, store_create(m->folder, &m->err));
    struct store *next = store_open(m->folder, true, &m->err);
    assert_non_null(next);
    assert_ok(m, store_lease_take(next, false, &m->err));
    assert_int_equal(store_stands(m->s, &m->err), -1);
    store_close(m->s);
    m->s = next;
    /* Its end says nothing in the other's name. */
    snprintf(mirror, sizeof mirror, "%s/lease.json", m->folder);
    struct buf b;
    buf_init(&b);
    assert_ok(m, file_read(mirror, 0, &b, &m->err));
    assert_null(strstr(b.p, "\"pid\":0,"));
    buf_done(&b);
    assert_ok(m, store_lease_read(m->s, &l, &m->err));
    assert_true(l.live);
}

static void a_moved_store_says_where_it_is(void **state)
{
    struct made *m = *state;
    char moved[256];
    snprintf(moved, sizeof moved, "%s.moved", m->folder);
    assert_int_equal(rename(m->folder, moved), 0);
    assert_int_equal(store_lease_touch(m->s, &m->err), -1);
    assert_int_equal(m->err.kind, ERR_MISSING);
    assert_non_null(strstr(m->err.text, moved));
    assert_false(store_is_removed(m->s));
    made_trial(m, 1, "{}", STATE_DONE, 1);
    made_commit(m);
    store_close(m->s);
    m->s = NULL;
    expect_trials(m, moved, 1);
    assert_int_equal(rename(moved, m->folder), 0);
}

/* Overwrites the root page of a table. */
static void damage(struct made *m, const char *table)
{
    char path[256], sql[128];
    sqlite3 *db;
    sqlite3_stmt *st;
    snprintf(path, sizeof path, "%s/study.db", m->folder);
    assert_int_equal(sqlite3_open(path, &db), SQLITE_OK);
    snprintf(sql, sizeof sql,
             "SELECT rootpage FROM sqlite_schema WHERE name = '%s'", table);
    assert_int_equal(sqlite3_prepare_v2(db, sql, -1, &st, NULL), SQLITE_OK);
    assert_int_equal(sqlite3_step(st), SQLITE_ROW);
    off_t at = (off_t)(sqlite3_column_int64(st, 0) - 1) * 4096;
    sqlite3_finalize(st);
    sqlite3_close(db);
    char junk[64];
    memset(junk, 0x5a, sizeof junk);
    int fd = open(path, O_WRONLY);
    assert_int_equal(pwrite(fd, junk, sizeof junk, at), sizeof junk);
    close(fd);
}

static void
a_damaged_page_fails_the_quick_check_and_says_what_to_do(void **state)
{
    struct made *m = *state;
    made_trial(m, 1, "{}", STATE_DONE, 1);
    made_commit(m);
    assert_ok(m, store_quick_check(m->s, &m->err));
    store_close(m->s);
    damage(m, "events");
    made_open(m);
    assert_int_equal(store_quick_check(m->s, &m->err), -1);
    assert_int_equal(m->err.kind, ERR_CORRUPT);
    assert_non_null(strstr(m->err.text, "is damaged"));
    assert_non_null(strstr(m->err.text, " .dump | "));
}

static void a_damaged_page_that_was_met_ends_all_writing(void **state)
{
    struct made *m = *state;
    struct event *list;
    size_t count;
    store_close(m->s);
    damage(m, "events");
    made_open(m);
    made_trial(m, 1, "{}", STATE_DONE, 1);
    made_commit(m); /* which does not meet it */
    assert_ok(m, store_stands(m->s, &m->err));
    /* Nobody looks at this answer. */
    assert_int_equal(store_events(m->s, 0, m->a, &list, &count, NULL), -1);
    assert_int_equal(store_stands(m->s, &m->err), -1);
    assert_int_equal(m->err.kind, ERR_CORRUPT);
    made_trial(m, 2, "{}", STATE_DONE, 1);
    assert_int_equal(store_commit(m->s, &m->err), -1);
    assert_int_equal(m->err.kind, ERR_CORRUPT);
}

/* ---- litter ----------------------------------------------------------- */

static char *lay(struct made *m, const char *name)
{
    char *path = path_join(m->a, m->folder, name);
    assert_ok(m, dir_make(path_folder(m->a, path), &m->err));
    assert_ok(m, file_write(path, STR("half"), false, &m->err));
    return path;
}

static void make_old(const char *path)
{
    struct timespec times[2] = {{.tv_nsec = UTIME_OMIT}, {.tv_sec = 1000}};
    assert_int_equal(utimensat(AT_FDCWD, path, times, 0), 0);
}

static void what_the_dead_left_half_made_is_removed(void **state)
{
    struct made *m = *state;
    const char *gone[] = {"study.db.new-2147483646",
                          "study.db.new-2147483646-journal",
                          "snapshot.db.new-2147483646",
                          ".throng-2147483646-00ff00ff.tmp",
                          "last-words/.throng-2147483646-00ff00ff.tmp",
                          "trials/.throng-2147483646-12.tmp"};
    for (size_t i = 0; i < sizeof gone / sizeof *gone; i++)
        gone[i] = lay(m, gone[i]);
    char *old = lay(m, "requests/.throng-2147483646-00000001.tmp");
    char *young = lay(m, "requests/.throng-2147483646-00000002.tmp");
    make_old(old);
    store_tidy(m->s);
    for (size_t i = 0; i < sizeof gone / sizeof *gone; i++)
        assert_false(file_exists(gone[i]));
    assert_false(file_exists(old));
    assert_true(file_exists(young)); /* of somebody who is not seen, perhaps */
}

static void what_the_living_make_stays(void **state)
{
    struct made *m = *state;
    char name[64];
    const char *all[] = {"study.db",      "lease.json",    "lease.lock",
                         "study.db.new-", ".throng-x.tmp", "notes.new-1"};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        all[i] = i < 3 ? path_join(m->a, m->folder, all[i]) : lay(m, all[i]);
    snprintf(name, sizeof name, "study.db.new-%d", (int)getpid());
    char *made = lay(m, name);
    snprintf(name, sizeof name, "requests/.throng-%d-01.tmp", (int)getppid());
    char *request = lay(m, name);
    make_old(request);
    store_tidy(m->s);
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        assert_true(file_exists(all[i]));
    assert_true(file_exists(made));
    assert_true(file_exists(request));
}

#define with_store(f)                                                          \
    cmocka_unit_test_setup_teardown(f, made_setup, made_teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        with_store(a_store_in_its_place_stands),
        with_store(a_removed_store_is_noticed_and_can_be_saved),
        with_store(a_store_that_another_took_the_place_of_is_removed),
        with_store(a_moved_store_says_where_it_is),
        with_store(a_damaged_page_fails_the_quick_check_and_says_what_to_do),
        with_store(a_damaged_page_that_was_met_ends_all_writing),
        with_store(what_the_dead_left_half_made_is_removed),
        with_store(what_the_living_make_stays),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
