/* schema.c - the tables, their version, and the way from older ones
 *
 * SQLite's user_version is the schema's version; a new file is at 0 and
 * takes the same steps as an old one. A step is never changed once it was
 * released: a change of the tables is a new step.
 *
 * What a scan over a million trials does not need stands in other tables:
 * summaries, reasons and notes in `texts`, the names of machines and metrics
 * in their own. trials_value holds the ranking, trials_open the trials that
 * a resume must look at; both leave out what they are not asked for. */
#include "store/schema.h"

#include <stdio.h>

static const char tables_1[] =
    "CREATE TABLE facts (key TEXT PRIMARY KEY, text BLOB) WITHOUT ROWID;"
    "CREATE TABLE lease (one INTEGER PRIMARY KEY CHECK (one = 1),"
    " epoch INTEGER NOT NULL, host TEXT, pid INTEGER NOT NULL,"
    " pid_start INTEGER NOT NULL, boot_id TEXT, touched REAL NOT NULL);"
    "INSERT INTO lease VALUES (1, 0, '', 0, 0, '', 0);"
    "CREATE TABLE counters (state INTEGER PRIMARY KEY,"
    " trials INTEGER NOT NULL);"
    "CREATE TABLE trials (id INTEGER PRIMARY KEY, state INTEGER NOT NULL,"
    " value REAL, attempts INTEGER NOT NULL DEFAULT 0,"
    " failures INTEGER NOT NULL DEFAULT 0, created REAL, started REAL,"
    " ended REAL, seconds REAL, parent INTEGER, parent_step INTEGER,"
    " budget INTEGER, repeat INTEGER, member INTEGER, run_id TEXT,"
    " point TEXT NOT NULL);"
    "CREATE INDEX trials_value ON trials (value) WHERE value IS NOT NULL;"
    "CREATE INDEX trials_open ON trials (state) WHERE state < 3;"
    "CREATE INDEX trials_run_id ON trials (run_id) WHERE run_id IS NOT NULL;"
    "CREATE TABLE texts (id INTEGER PRIMARY KEY, reason TEXT, summary TEXT,"
    " note TEXT);"
    "CREATE TABLE tags (trial INTEGER, tag TEXT, PRIMARY KEY (trial, tag))"
    " WITHOUT ROWID;"
    "CREATE TABLE machines (id INTEGER PRIMARY KEY, host TEXT NOT NULL,"
    " boot_id TEXT NOT NULL, UNIQUE (host, boot_id));"
    "CREATE TABLE attempts (trial INTEGER, number INTEGER,"
    " outcome INTEGER NOT NULL, machine INTEGER, pid INTEGER,"
    " pid_start INTEGER, placed REAL, started REAL, ended REAL,"
    " seconds REAL, cpu_seconds REAL, max_rss_bytes INTEGER,"
    " output_bytes INTEGER, checkpoint_digest INTEGER,"
    " metric_points INTEGER, exit_code INTEGER, signum INTEGER,"
    " reason TEXT, tail TEXT, PRIMARY KEY (trial, number)) WITHOUT ROWID;"
    "CREATE TABLE names (id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE);"
    "CREATE TABLE metrics (trial INTEGER, name INTEGER, attempt INTEGER,"
    " source INTEGER, chunk INTEGER, points BLOB NOT NULL,"
    " PRIMARY KEY (trial, name, attempt, source, chunk)) WITHOUT ROWID;"
    "CREATE TABLE artifacts (trial INTEGER, path TEXT, bytes INTEGER,"
    " sha256 TEXT, PRIMARY KEY (trial, path)) WITHOUT ROWID;"
    "CREATE TABLE events (id INTEGER PRIMARY KEY, wall REAL, what TEXT,"
    " text TEXT);";

static const char tables_2[] =
    "CREATE TABLE heard (id INTEGER PRIMARY KEY, kind INTEGER NOT NULL,"
    " trial INTEGER NOT NULL, step INTEGER NOT NULL, state INTEGER NOT NULL,"
    " value REAL);";

/* What people want of trials that have not ended; and with how many others an
 * attempt was lost. */
static const char tables_3[] =
    "CREATE TABLE wishes (trial INTEGER PRIMARY KEY, wish INTEGER NOT NULL);"
    "ALTER TABLE attempts ADD COLUMN company INTEGER;";

/* Where the holder of the lease can be seen from, and what the holders before
 * it have left; lease.c. */
static const char tables_4[] =
    "ALTER TABLE lease ADD COLUMN pid_space INTEGER NOT NULL DEFAULT 0;"
    "ALTER TABLE lease ADD COLUMN lock INTEGER NOT NULL DEFAULT 0;"
    "ALTER TABLE lease ADD COLUMN touches INTEGER NOT NULL DEFAULT 0;"
    "ALTER TABLE lease ADD COLUMN left INTEGER NOT NULL DEFAULT 0;"
    "ALTER TABLE lease ADD COLUMN left_space INTEGER NOT NULL DEFAULT 0;"
    "ALTER TABLE lease ADD COLUMN left_forks INTEGER NOT NULL DEFAULT 0;"
    "ALTER TABLE lease ADD COLUMN left_ticks INTEGER NOT NULL DEFAULT 0;";

/* How far the store has got with what is said of an attempt, and where it
 * runs. */
static const char tables_5[] =
    "ALTER TABLE attempts ADD COLUMN sequence INTEGER;"
    "ALTER TABLE attempts ADD COLUMN metrics_at INTEGER;"
    "ALTER TABLE attempts ADD COLUMN log_at INTEGER;"
    "ALTER TABLE attempts ADD COLUMN folder INTEGER;";

/* Whether an attempt is only presumed to have ended. */
static const char tables_6[] =
    "ALTER TABLE attempts ADD COLUMN presumed INTEGER;";

/* What a task says of itself. */
static const char tables_8[] = "ALTER TABLE texts ADD COLUMN about TEXT;";

/* Which attempts began anew, and at which step. */
static const char tables_10[] =
    "ALTER TABLE attempts ADD COLUMN anew INTEGER;"
    "ALTER TABLE attempts ADD COLUMN first_step INTEGER;";

/* What an attempt had of a device, and how its time went (terms/use.h). */
static const char tables_11[] =
    "ALTER TABLE attempts ADD COLUMN device TEXT;"
    "ALTER TABLE attempts ADD COLUMN input_seconds REAL;"
    "ALTER TABLE attempts ADD COLUMN computing_seconds REAL;"
    "ALTER TABLE attempts ADD COLUMN synchronising_seconds REAL;"
    "ALTER TABLE attempts ADD COLUMN idle_seconds REAL;"
    "ALTER TABLE attempts ADD COLUMN gpu_bytes INTEGER;"
    "ALTER TABLE attempts ADD COLUMN joules REAL;"
    "ALTER TABLE attempts ADD COLUMN gpu_busy_seconds REAL;"
    "ALTER TABLE attempts ADD COLUMN gpu_seen_seconds REAL;"
    "ALTER TABLE attempts ADD COLUMN blocked_seconds REAL;";

/* In step 7 metric points may have times (pack.h), which older ones cannot
 * read. From step 9 on pages may have checksums (seal.h), which older ones
 * would not write. The tables stay as they are. */
const struct schema_step schema_steps[STORE_SCHEMA] = {
    {.to = 1, .sql = tables_1},
    {.to = 2, .sql = tables_2},
    {.to = 3, .sql = tables_3},
    {.to = 4, .sql = tables_4},
    {.to = 5, .sql = tables_5},
    {.to = 6, .sql = tables_6},
    {.to = 7},
    {.to = 8, .sql = tables_8},
    {.to = 9},
    {.to = 10, .sql = tables_10},
    {.to = 11, .sql = tables_11},
};

int schema_version(struct store *s, int *version, struct err *err)
{
    int64_t application, number;
    if (db_number(s, "PRAGMA application_id", 0, &application, err) ||
        db_number(s, "PRAGMA user_version", 0, &number, err))
        return -1;
    if (application != DB_APPLICATION)
        return err_set(err, ERR_CORRUPT,
                       "%s is an SQLite file, but no store of throng's; "
                       "throng leaves it as it is",
                       s->path);
    *version = (int)number;
    return 0;
}

static int take_step(struct store *s, const struct schema_step *step,
                     struct err *err)
{
    if (step->sql && db_exec(s, step->sql, "migrate", err))
        return -1;
    if (step->fn && step->fn(s, err))
        return -1;
    char sql[64];
    snprintf(sql, sizeof sql, "PRAGMA user_version = %d", step->to);
    return db_exec(s, sql, "migrate", err);
}

static int take_missing(struct store *s, const struct schema_step *steps,
                        size_t count, struct err *err)
{
    /* Read again inside the transaction: another may have been faster. */
    int64_t version;
    if (db_number(s, "PRAGMA user_version", 0, &version, err))
        return -1;
    for (size_t i = 0; i < count; i++)
        if (steps[i].to > version && take_step(s, &steps[i], err))
            return err_wrap(err, "from version %d to %d", steps[i].to - 1,
                            steps[i].to);
    return 0;
}

int schema_migrate(struct store *s, const struct schema_step *steps,
                   size_t count, struct err *err)
{
    if (db_exec(s, "BEGIN EXCLUSIVE", "migrate", err))
        return -1;
    if (take_missing(s, steps, count, err) ||
        db_exec(s, "COMMIT", "migrate", err)) {
        db_exec(s, "ROLLBACK", "migrate", NULL);
        return -1;
    }
    return 0;
}
