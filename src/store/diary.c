/* diary.c - what happened to the study as a whole, and what trials left */
#include "store/change.h"

int store_artifact_add(struct store *s, int64_t trial, struct str path,
                       uint64_t bytes, struct str sha256, struct err *err)
{
    struct buf *b = change_start(s, CHANGE_ARTIFACT, err);
    if (!b)
        return -1;
    change_add_int(b, trial);
    buf_add_bytes(b, path);
    buf_add_varint(b, bytes);
    buf_add_bytes(b, sha256);
    return change_end(s, err);
}

int artifact_apply(struct store *s, struct bytes *b, struct err *err)
{
    static const char sql[] =
        "INSERT OR REPLACE INTO artifacts VALUES (?, ?, ?, ?)";
    sqlite3_stmt *st = db_stmt(s, sql, err);
    if (!st)
        return -1;
    sqlite3_bind_int64(st, 1, change_int(b));
    db_bind_str(st, 2, bytes_str(b));
    sqlite3_bind_int64(st, 3, (int64_t)bytes_varint(b));
    db_bind_str(st, 4, bytes_str(b));
    return db_run(s, st, "write an artifact into", err);
}

int store_artifacts_drop(struct store *s, int64_t trial, struct err *err)
{
    struct buf *b = change_start(s, CHANGE_ARTIFACTS_DROP, err);
    if (!b)
        return -1;
    change_add_int(b, trial);
    return change_end(s, err);
}

int artifacts_apply_drop(struct store *s, struct bytes *b, struct err *err)
{
    sqlite3_stmt *st = db_stmt(s, "DELETE FROM artifacts WHERE trial = ?", err);
    if (!st)
        return -1;
    sqlite3_bind_int64(st, 1, change_int(b));
    return db_run(s, st, "remove artifacts from", err);
}

int store_artifacts(struct store *s, int64_t trial, struct arena *a,
                    struct artifact **list, size_t *count, struct err *err)
{
    static const char sql[] = "SELECT path, bytes, sha256 FROM artifacts"
                              " WHERE trial = ? ORDER BY path";
    sqlite3_stmt *st = db_stmt(s, sql, err);
    if (!st)
        return -1;
    sqlite3_bind_int64(st, 1, trial);
    VEC(struct artifact) found = {0};
    int row;
    while ((row = db_row(s, st, "read the artifacts of", err)) == 1) {
        struct artifact artifact = {
            .path = arena_str(a, db_column_str(st, 0)),
            .bytes = (uint64_t)sqlite3_column_int64(st, 1),
            .sha256 = arena_str(a, db_column_str(st, 2)),
        };
        vec_push(&found, artifact);
    }
    if (row == 0) {
        *count = found.len;
        *list = vec_to_arena(a, &found);
    }
    vec_done(&found);
    return row;
}

int store_event_add(struct store *s, double wall, const char *what,
                    struct str text, struct err *err)
{
    struct buf *b = change_start(s, CHANGE_EVENT, err);
    if (!b)
        return -1;
    buf_add_f64(b, wall);
    buf_add_bytes(b, str_of(what));
    buf_add_bytes(b, text);
    return change_end(s, err);
}

int event_apply(struct store *s, struct bytes *b, struct err *err)
{
    static const char sql[] =
        "INSERT INTO events (wall, what, text) VALUES (?, ?, ?)";
    sqlite3_stmt *st = db_stmt(s, sql, err);
    if (!st)
        return -1;
    sqlite3_bind_double(st, 1, bytes_f64(b));
    db_bind_str(st, 2, bytes_str(b));
    db_bind_str(st, 3, bytes_str(b));
    return db_run(s, st, "write the diary of", err);
}

int store_events(struct store *s, int64_t last, struct arena *a,
                 struct event **list, size_t *count, struct err *err)
{
    static const char sql[] =
        "SELECT wall, what, text FROM (SELECT * FROM events"
        " ORDER BY id DESC LIMIT ?) ORDER BY id";
    sqlite3_stmt *st = db_stmt(s, sql, err);
    if (!st)
        return -1;
    sqlite3_bind_int64(st, 1, last > 0 ? last : -1);
    VEC(struct event) found = {0};
    int row;
    while ((row = db_row(s, st, "read the diary of", err)) == 1) {
        struct event event = {
            .wall = sqlite3_column_double(st, 0),
            .what = arena_str(a, db_column_str(st, 1)),
            .text = arena_str(a, db_column_str(st, 2)),
        };
        vec_push(&found, event);
    }
    if (row == 0) {
        *count = found.len;
        *list = vec_to_arena(a, &found);
    }
    vec_done(&found);
    return row;
}
