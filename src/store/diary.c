/* diary.c - what happened to the study as a whole, and what trials left */
#include "store/change.h"

struct left {
    int64_t trial;
    struct artifact artifact;
};

static int apply_artifact(struct store *s, const void *what, struct err *err)
{
    static const char sql[] =
        "INSERT OR REPLACE INTO artifacts VALUES (?, ?, ?, ?)";
    const struct left *l = what;
    sqlite3_stmt *st = db_stmt(s, sql, err);
    if (!st)
        return -1;
    sqlite3_bind_int64(st, 1, l->trial);
    db_bind_str(st, 2, l->artifact.path);
    sqlite3_bind_int64(st, 3, (int64_t)l->artifact.bytes);
    db_bind_str(st, 4, l->artifact.sha256);
    return db_run(s, st, "write an artifact into", err);
}

int store_artifact_add(struct store *s, int64_t trial, struct str path,
                       uint64_t bytes, struct str sha256, struct err *err)
{
    struct left l = {trial, {.bytes = bytes}}, *c;
    if (!(c = change_start(s, &l, sizeof l, err)))
        return -1;
    c->artifact.path = arena_str(s->redo_room, path);
    c->artifact.sha256 = arena_str(s->redo_room, sha256);
    return change_end(s, apply_artifact, c, err);
}

static int apply_drop(struct store *s, const void *what, struct err *err)
{
    sqlite3_stmt *st = db_stmt(s, "DELETE FROM artifacts WHERE trial = ?", err);
    if (!st)
        return -1;
    sqlite3_bind_int64(st, 1, *(const int64_t *)what);
    return db_run(s, st, "remove artifacts from", err);
}

int store_artifacts_drop(struct store *s, int64_t trial, struct err *err)
{
    int64_t *c = change_start(s, &trial, sizeof trial, err);
    return c ? change_end(s, apply_drop, c, err) : -1;
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

static int apply_event(struct store *s, const void *what, struct err *err)
{
    static const char sql[] =
        "INSERT INTO events (wall, what, text) VALUES (?, ?, ?)";
    const struct event *e = what;
    sqlite3_stmt *st = db_stmt(s, sql, err);
    if (!st)
        return -1;
    sqlite3_bind_double(st, 1, e->wall);
    db_bind_str(st, 2, e->what);
    db_bind_str(st, 3, e->text);
    return db_run(s, st, "write the diary of", err);
}

int store_event_add(struct store *s, double wall, const char *what,
                    struct str text, struct err *err)
{
    struct event *c =
        change_start(s, &(struct event){.wall = wall}, sizeof *c, err);
    if (!c)
        return -1;
    c->what = arena_str(s->redo_room, str_of(what));
    c->text = arena_str(s->redo_room, text);
    return change_end(s, apply_event, c, err);
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
