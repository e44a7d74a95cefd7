/* change.c - changes on their way into the file: begin, apply, commit
 *
 * What must stay true:
 * - redo holds every change since store_begin, in order, until the commit
 *   has succeeded or the caller rolls back.
 * - !suspended: SQLite's transaction (if in_sql) holds exactly what redo
 *   holds, but for metric points that metrics.c still has in memory.
 * - suspended: SQLite has no transaction; nothing in memory but redo counts.
 *   The next commit applies redo from its beginning.
 * SQLite's transaction begins with the first change, not with store_begin,
 * so that a round without changes costs nothing. */
#include "store/change.h"

#define SYNC_EVERY_NS 1000000000

int change_counts_load(struct store *s, struct err *err)
{
    static const char sql[] = "SELECT state, trials FROM counters";
    sqlite3_stmt *st = db_stmt(s, sql, err);
    if (!st)
        return -1;
    struct counts c = {0};
    int row;
    while ((row = db_row(s, st, "read", err)) == 1) {
        int64_t state = sqlite3_column_int64(st, 0);
        int64_t trials = sqlite3_column_int64(st, 1);
        if (state < 0 || state >= STATE_COUNT)
            continue;
        c.by_state[state] = trials;
        c.total += trials;
    }
    if (row < 0)
        return -1;
    static const char last[] = "SELECT max(id) FROM trials";
    if (db_number(s, last, 0, &s->last_trial, err))
        return -1;
    s->counts = s->counts_saved = c;
    return 0;
}

static int counts_save(struct store *s, struct err *err)
{
    static const char sql[] = "INSERT OR REPLACE INTO counters VALUES (?, ?)";
    for (int i = 0; i < STATE_COUNT; i++) {
        if (s->counts.by_state[i] == s->counts_saved.by_state[i])
            continue;
        sqlite3_stmt *st = db_stmt(s, sql, err);
        if (!st)
            return -1;
        sqlite3_bind_int(st, 1, i);
        sqlite3_bind_int64(st, 2, s->counts.by_state[i]);
        if (db_run(s, st, "write", err))
            return -1;
    }
    return 0;
}

/* ---- beginning and taking back ---------------------------------------- */

static void sql_rollback(struct store *s)
{
    if (!sqlite3_get_autocommit(s->db))
        db_exec(s, "ROLLBACK", "roll back", NULL);
    s->in_sql = false;
    s->machine = 0;
    metrics_forget(s);
    stowed_forget(s);
    trial_forget(s);
    if (change_counts_load(s, NULL)) {
        /* Not even reading works; the next replay loads them again. */
        s->counts = s->counts_saved;
    }
}

static void suspend(struct store *s)
{
    s->suspended = true;
    sql_rollback(s);
}

void change_look_again(struct store *s)
{
    if (s->in_sql && sqlite3_get_autocommit(s->db))
        suspend(s);
}

static int sql_begin(struct store *s, struct err *err)
{
    static const char sql[] = "BEGIN IMMEDIATE";
    if (s->in_sql)
        return 0;
    sqlite3_stmt *st = db_stmt(s, sql, err);
    if (!st || db_run(s, st, "write", err)) {
        /* A lock is no takeover: the caller may simply try again. */
        if (err && err->kind == ERR_BUSY)
            err->kind = ERR_SYSTEM;
        return -1;
    }
    s->in_sql = true;
    return 0;
}

int store_begin(struct store *s, struct err *err)
{
    if (s->begun)
        return 0;
    if (s->taken_over)
        return err_set(err, ERR_BUSY, "%s was taken over by another throng",
                       s->folder);
    if (s->epoch == 0)
        return err_set(err, ERR_BUSY,
                       "%s is open without its lease: nothing can be changed",
                       s->folder);
    s->begun = true;
    return 0;
}

static void redo_clear(struct store *s)
{
    s->redo.len = 0;
    arena_reset(s->redo_room);
}

void store_rollback(struct store *s)
{
    if (s->in_sql || s->redo.len > 0)
        sql_rollback(s);
    redo_clear(s);
    s->begun = s->suspended = false;
}

bool store_waits(const struct store *s)
{
    return s->suspended;
}

/* ---- one change ------------------------------------------------------- */

void *change_start(struct store *s, const void *what, size_t size,
                   struct err *err)
{
    if (store_begin(s, err))
        return NULL;
    return memcpy(arena_alloc(s->redo_room, size), what, size);
}

static bool is_trouble(struct store *s, const struct err *err)
{
    return err->kind == ERR_FULL || err->kind == ERR_SYSTEM ||
           (s->in_sql && sqlite3_get_autocommit(s->db));
}

int change_end(struct store *s, change_fn *apply, const void *what,
               struct err *err)
{
    struct err why = {0};
    vec_push(&s->redo, ((struct redo){apply, what}));
    if (s->suspended || (!sql_begin(s, &why) && !apply(s, what, &why)))
        return 0;
    if (is_trouble(s, &why)) {
        suspend(s);
        return 0;
    }
    s->redo.len--;
    return err_set(err, why.kind, "%s", why.text);
}

int change_flush(struct store *s, struct err *err)
{
    struct err why = {0};
    if (!s->in_sql || !metrics_flush(s, &why))
        return 0;
    if (!is_trouble(s, &why))
        return err_set(err, why.kind, "%s", why.text);
    suspend(s);
    return 0;
}

/* ---- commit ----------------------------------------------------------- */

/* Applies all of redo in a new transaction. What is refused now was refused
 * for a reason that the disk has no part in; it is passed over. */
static int replay(struct store *s, struct err *err)
{
    metrics_forget(s);
    stowed_forget(s);
    if (change_counts_load(s, err) || sql_begin(s, err))
        return -1;
    for (size_t i = 0; i < s->redo.len; i++) {
        struct err why = {0};
        if (s->redo.p[i].apply(s, s->redo.p[i].what, &why) &&
            is_trouble(s, &why))
            return err_set(err, why.kind, "%s", why.text);
    }
    s->suspended = false;
    return 0;
}

/* With synchronous=NORMAL a commit in WAL mode is in the page cache only;
 * this puts the log on the disk, behind the files that it counts on. */
static int sync_log(struct store *s, struct err *err)
{
    sqlite3_file *log = NULL;
    if (stowed_sync(s, err))
        return -1;
    sqlite3_file_control(s->db, "main", SQLITE_FCNTL_JOURNAL_POINTER, &log);
    if (log && log->pMethods &&
        log->pMethods->xSync(log, SQLITE_SYNC_NORMAL) != SQLITE_OK)
        return err_errno(err, "write %s-wal to the disk", s->path);
    s->unsynced = false;
    s->synced_ns = clock_mono_ns();
    return 0;
}

int change_sync(struct store *s, struct err *err)
{
    if (!s->unsynced || clock_mono_ns() - s->synced_ns < SYNC_EVERY_NS)
        return 0;
    return sync_log(s, err);
}

bool store_on_disk(struct store *s, bool now)
{
    if (s->unsynced && now)
        sync_log(s, NULL);
    return !s->unsynced;
}

static int sql_commit(struct store *s, struct err *err)
{
    static const char sql[] = "COMMIT";
    if (lease_check(s, err) || metrics_flush(s, err) || counts_save(s, err) ||
        stowed_flush(s, err) || (s->network && stowed_sync(s, err)))
        return -1;
    sqlite3_stmt *st = db_stmt(s, sql, err);
    if (!st || db_run(s, st, "write", err)) {
        if (err && err->kind == ERR_BUSY)
            err->kind = ERR_SYSTEM;
        return -1;
    }
    return 0;
}

static int commit_all(struct store *s, struct err *err)
{
    if (s->suspended && replay(s, err))
        return -1;
    return sql_commit(s, err);
}

int store_commit(struct store *s, struct err *err)
{
    struct err why = {0};
    if (s->damage.kind)
        return err_set(err, s->damage.kind, "%s", s->damage.text);
    if (!s->begun || s->redo.len == 0) {
        s->begun = false;
        return change_sync(s, err);
    }
    if (commit_all(s, &why)) {
        if (s->taken_over)
            store_rollback(s);
        else
            suspend(s);
        return err_set(err, why.kind, "%s", why.text);
    }
    s->counts_saved = s->counts;
    s->begun = s->in_sql = false;
    stowed_forget(s);
    redo_clear(s);
    s->unsynced = !s->network;
    return change_sync(s, err);
}
