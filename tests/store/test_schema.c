/* test_schema.c - older stores are brought up to date */
#include "made_store.h"
#include "store/lease.h"
#include "store/schema.h"

static int count_rows(struct store *s, const char *sql, int64_t *count)
{
    return db_number(s, sql, -1, count, NULL);
}

static int fill_extra(struct store *s, struct err *err)
{
    return db_exec(s, "UPDATE trials SET extra = id * 10", "fill", err);
}

static int step_that_fails(struct store *s, struct err *err)
{
    (void)s;
    return err_set(err, ERR_SYSTEM, "no luck");
}

/* A later program's table of steps; this store is its older one. */
static const struct schema_step later[] = {
    {.to = STORE_SCHEMA, .sql = "THIS STEP IS NOT TAKEN AGAIN"},
    {.to = STORE_SCHEMA + 1,
     .sql = "ALTER TABLE trials ADD COLUMN extra",
     .fn = fill_extra},
    {.to = STORE_SCHEMA + 2,
     .sql = "CREATE TABLE more (x); INSERT INTO more VALUES (1)"},
};
static const struct schema_step broken[] = {
    {.to = STORE_SCHEMA + 1, .sql = "ALTER TABLE trials ADD COLUMN extra"},
    {.to = STORE_SCHEMA + 2, .fn = step_that_fails},
};

static void an_older_store_takes_all_missing_steps(void **state)
{
    struct made *m = *state;
    made_trial(m, 1, "{}", STATE_DONE, 1);
    made_trial(m, 2, "{}", STATE_DONE, 2);
    made_commit(m);
    assert_ok(m, schema_migrate(m->s, later, 3, &m->err));
    int version;
    int64_t sum, more;
    assert_ok(m, schema_version(m->s, &version, &m->err));
    assert_int_equal(version, STORE_SCHEMA + 2);
    assert_ok(m, count_rows(m->s, "SELECT sum(extra) FROM trials", &sum));
    assert_int_equal(sum, 30);
    /* A second time nothing is left to do. */
    assert_ok(m, schema_migrate(m->s, later, 3, &m->err));
    assert_ok(m, count_rows(m->s, "SELECT count(*) FROM more", &more));
    assert_int_equal(more, 1);
    struct trial t;
    assert_ok(m, store_trial(m->s, 2, m->a, &t, &m->err));
    assert_true(t.value == 2);
}

static void a_step_that_fails_leaves_the_store_as_it_was(void **state)
{
    struct made *m = *state;
    int version;
    int64_t extra;
    char step[64];
    snprintf(step, sizeof step, "from version %d to %d", STORE_SCHEMA + 1,
             STORE_SCHEMA + 2);
    assert_int_equal(schema_migrate(m->s, broken, 2, &m->err), -1);
    assert_non_null(strstr(m->err.text, step));
    assert_non_null(strstr(m->err.text, "no luck"));
    assert_ok(m, schema_version(m->s, &version, &m->err));
    assert_int_equal(version, STORE_SCHEMA);
    assert_int_equal(
        count_rows(m->s, "SELECT count(extra) FROM trials", &extra), -1);
    made_trial(m, 1, "{}", STATE_DONE, 1);
    made_commit(m);
}

/* A file from before the first step: throng's mark, no tables yet. */
static void make_version_0(struct made *m)
{
    char path[256];
    sqlite3 *db;
    snprintf(path, sizeof path, "%s/study.db", m->folder);
    unlink(path);
    assert_int_equal(sqlite3_open(path, &db), SQLITE_OK);
    char sql[128];
    snprintf(sql, sizeof sql, "PRAGMA application_id = %d; VACUUM",
             DB_APPLICATION);
    assert_int_equal(sqlite3_exec(db, sql, NULL, NULL, NULL), SQLITE_OK);
    sqlite3_close(db);
}

static void opening_an_older_store_migrates_it(void **state)
{
    struct made *m = *state;
    for (int write = 0; write < 2; write++) {
        store_close(m->s);
        make_version_0(m);
        m->s = store_open(m->folder, write, &m->err);
        if (!m->s)
            fail_msg("%s", m->err.text);
        struct counts c;
        assert_ok(m, store_counts(m->s, &c, &m->err));
        assert_int_equal(c.total, 0);
        int version;
        assert_ok(m, schema_version(m->s, &version, &m->err));
        assert_int_equal(version, STORE_SCHEMA);
    }
    assert_ok(m, store_lease_take(m->s, false, &m->err));
    made_trial(m, 1, "{}", STATE_DONE, 1);
    made_commit(m);
}

static void an_older_store_in_use_is_left_alone(void **state)
{
    struct made *m = *state;
    char path[256], host[256];
    /* lease.json names this process, which lives, in the older form. */
    snprintf(path, sizeof path, "%s/lease.json", m->folder);
    struct process_id self = process_self();
    struct buf mirror;
    buf_init(&mirror);
    buf_adds(&mirror, "{\"epoch\":1,\"host\":\"");
    machine_name(host, sizeof host);
    buf_addf(&mirror, "%s\",\"pid\":%d,\"pid_start\":%llu,\"boot_id\":\"%s\"}",
             host, (int)self.pid, (unsigned long long)self.start,
             process_boot_id());
    store_close(m->s);
    m->s = NULL;
    make_version_0(m);
    assert_ok(m, file_write(path, buf_str(&mirror), false, &m->err));
    buf_done(&mirror);
    assert_null(store_open(m->folder, true, &m->err));
    assert_int_equal(m->err.kind, ERR_BUSY);
    assert_non_null(strstr(m->err.text, "older form"));
}

#define with_store(f)                                                          \
    cmocka_unit_test_setup_teardown(f, made_setup, made_teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        with_store(an_older_store_takes_all_missing_steps),
        with_store(a_step_that_fails_leaves_the_store_as_it_was),
        with_store(opening_an_older_store_migrates_it),
        with_store(an_older_store_in_use_is_left_alone),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
