/* db.c - statements, and SQLite's failures in words */
#include "store/db.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include "store/seal.h"
#include "sys/sys.h"

sqlite3_stmt *db_stmt(struct store *s, const char *sql, struct err *err)
{
    if (!s->statements)
        s->statements = idmap_new();
    sqlite3_stmt *st = idmap_get(s->statements, (uintptr_t)sql);
    if (st)
        return st;
    if (sqlite3_prepare_v3(s->db, sql, -1, SQLITE_PREPARE_PERSISTENT, &st,
                           NULL) != SQLITE_OK) {
        db_err(s, "prepare", err);
        return NULL;
    }
    idmap_set(s->statements, (uintptr_t)sql, st);
    return st;
}

void db_finalize_all(struct store *s)
{
    uint64_t text;
    void *st;
    for (size_t at = 0;
         s->statements && idmap_next(s->statements, &at, &text, &st);)
        sqlite3_finalize(st);
    idmap_free(s->statements);
    s->statements = NULL;
    sqlite3_finalize(s->trial_st);
    s->trial_st = NULL;
}

int db_row(struct store *s, sqlite3_stmt *st, const char *what, struct err *err)
{
    int rc = sqlite3_step(st);
    if (rc == SQLITE_ROW)
        return 1;
    if (rc != SQLITE_DONE)
        db_err(s, what, err);
    sqlite3_reset(st);
    return rc == SQLITE_DONE ? 0 : -1;
}

int db_run(struct store *s, sqlite3_stmt *st, const char *what, struct err *err)
{
    int row = db_row(s, st, what, err);
    if (row == 1)
        sqlite3_reset(st);
    return row < 0 ? -1 : 0;
}

int db_exec(struct store *s, const char *sql, const char *what, struct err *err)
{
    if (sqlite3_exec(s->db, sql, NULL, NULL, NULL) != SQLITE_OK)
        return db_err(s, what, err);
    return 0;
}

int db_number(struct store *s, const char *sql, int64_t otherwise,
              int64_t *number, struct err *err)
{
    sqlite3_stmt *st = db_stmt(s, sql, err);
    if (!st)
        return -1;
    int row = db_row(s, st, "read", err);
    if (row < 0)
        return -1;
    bool none = row == 0 || sqlite3_column_type(st, 0) == SQLITE_NULL;
    *number = none ? otherwise : sqlite3_column_int64(st, 0);
    sqlite3_reset(st);
    return 0;
}

/* What the person may do about it, by SQLite's primary result. */
static const struct failure {
    int code;
    enum err_kind kind;
    const char *text;
} failures[] = {
    {SQLITE_FULL, ERR_FULL, "the disk is full"},
    {SQLITE_NOTADB, ERR_CORRUPT, "this is no store of throng's"},
    {SQLITE_BUSY, ERR_BUSY, "another program is using the file"},
    {SQLITE_LOCKED, ERR_BUSY, "another program is using the file"},
    {SQLITE_READONLY, ERR_SYSTEM, "the file or its folder is read-only"},
    {SQLITE_PERM, ERR_SYSTEM, "no permission"},
    {SQLITE_AUTH, ERR_SYSTEM, "no permission"},
    {SQLITE_CANTOPEN, ERR_SYSTEM, "the file cannot be opened"},
    {SQLITE_IOERR, ERR_SYSTEM, "reading or writing failed"},
};

/* SQLite forgets the system's reason while it rolls back; its files know. */
static int last_errno(sqlite3 *db)
{
    sqlite3_file *log = NULL;
    int number = 0;
    sqlite3_file_control(db, "main", SQLITE_FCNTL_JOURNAL_POINTER, &log);
    if (log && log->pMethods)
        log->pMethods->xFileControl(log, SQLITE_FCNTL_LAST_ERRNO, &number);
    if (!number)
        sqlite3_file_control(db, "main", SQLITE_FCNTL_LAST_ERRNO, &number);
    return number;
}

/* Not every sqlite3 has .recover, which would keep the two numbers. */
int db_damaged(const char *path, const char *how, struct err *err)
{
    struct str name = path_name(path);
    return err_set(err, ERR_CORRUPT,
                   "%s is damaged (%s); keep a copy of it: a backup can take "
                   "its place, or what, in its folder, `sqlite3 %.*s .dump | "
                   "sed 's/^ROLLBACK.*/COMMIT;/' | sqlite3 -cmd 'PRAGMA "
                   "application_id=%d; PRAGMA user_version=%d' %.*s.new` can "
                   "still read",
                   path, how, STRF(name), DB_APPLICATION, STORE_SCHEMA,
                   STRF(name));
}

int db_damaged_page(sqlite3 *db, const char *path, struct err *err)
{
    char how[160];
    snprintf(how, sizeof how,
             "page %lld is not as throng wrote it: a disk that fails, or "
             "another program that changed it",
             (long long)seal_broken(db));
    struct err why = {0};
    db_damaged(path, how, &why);
    return err_set(err, why.kind,
                   "%s. Who changed it on purpose lets throng believe what "
                   "is there by `sqlite3 %.*s VACUUM` there",
                   why.text, STRF(path_name(path)));
}

int db_err_of(sqlite3 *db, const char *path, const char *what, struct err *err)
{
    int code = sqlite3_errcode(db) & 0xff;
    int number = sqlite3_system_errno(db);
    if (sqlite3_extended_errcode(db) == SQLITE_IOERR_DATA)
        return db_damaged_page(db, path, err);
    if (code == SQLITE_IOERR && !number)
        number = last_errno(db);
    bool full = number == ENOSPC || number == EDQUOT;
    if (code == SQLITE_IOERR && full)
        code = SQLITE_FULL;
    if (code == SQLITE_CORRUPT)
        return db_damaged(path, sqlite3_errmsg(db), err);
    for (size_t i = 0; i < sizeof failures / sizeof *failures; i++) {
        const struct failure *f = &failures[i];
        if (f->code != code)
            continue;
        bool system = f->kind == ERR_SYSTEM && number != 0;
        return err_set(err, f->kind, "%s %s: %s%s%s", what, path, f->text,
                       system ? ": " : "", system ? strerror(number) : "");
    }
    return err_set(err, ERR_SYSTEM, "%s %s: %s", what, path,
                   sqlite3_errmsg(db));
}

/* A reader finds the log by its name, so that it may meet what belongs to
 * another file that stands there now; whatever came of it says nothing of
 * either. A copy (as_of) is replaced by newer ones. */
static bool is_elsewhere(struct store *s)
{
    int moved = 0;
    return s->db && !s->write && !(s->as_of > 0) &&
           sqlite3_file_control(s->db, "main", SQLITE_FCNTL_HAS_MOVED,
                                &moved) == SQLITE_OK &&
           moved;
}

int db_err(struct store *s, const char *what, struct err *err)
{
    struct err why = {0};
    db_err_of(s->db, s->path, what, &why);
    if (is_elsewhere(s))
        return err_set(err, ERR_MISSING,
                       "%s was removed, or moved, while it was read",
                       s->folder);
    if (why.kind == ERR_CORRUPT && !s->damage.kind)
        s->damage = why;
    return err_set(err, why.kind, "%s", why.text);
}

void db_bind_value(sqlite3_stmt *st, int at, double v)
{
    if (isnan(v))
        sqlite3_bind_null(st, at);
    else
        sqlite3_bind_double(st, at, v);
}

void db_bind_str(sqlite3_stmt *st, int at, struct str text)
{
    if (text.len == 0)
        sqlite3_bind_null(st, at);
    else
        sqlite3_bind_text64(st, at, text.p, text.len, SQLITE_STATIC,
                            SQLITE_UTF8);
}

struct str db_column_raw(sqlite3_stmt *st, int at)
{
    const void *p = sqlite3_column_blob(st, at);
    return p ? str_n(p, (size_t)sqlite3_column_bytes(st, at)) : STR("");
}

struct str db_column_str(sqlite3_stmt *st, int at)
{
    const void *p = sqlite3_column_text(st, at);
    return p ? str_n(p, (size_t)sqlite3_column_bytes(st, at)) : STR("");
}
