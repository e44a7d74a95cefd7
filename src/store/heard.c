/* heard.c - what the strategy was asked and told, in that order
 *
 * Rows are only ever added. The conductor writes a row in the transaction of
 * the change that it belongs to, so that the order in the file is the one in
 * which the strategy saw things, after any crash. */
#include <math.h>
#include "store/change.h"

static int apply_heard(struct store *s, const void *what, struct err *err)
{
    static const char sql[] = "INSERT INTO heard (kind, trial, step, state,"
                              " value) VALUES (?, ?, ?, ?, ?)";
    const struct heard *h = what;
    sqlite3_stmt *st = db_stmt(s, sql, err);
    if (!st)
        return -1;
    sqlite3_bind_int(st, 1, (int)h->kind);
    sqlite3_bind_int64(st, 2, h->trial);
    sqlite3_bind_int64(st, 3, h->step);
    sqlite3_bind_int(st, 4, (int)h->state);
    db_bind_value(st, 5, h->value);
    return db_run(s, st, "write what the strategy heard into", err);
}

int store_heard_add(struct store *s, const struct heard *h, struct err *err)
{
    struct heard *c = change_start(s, h, sizeof *h, err);
    return c ? change_end(s, apply_heard, c, err) : -1;
}

int store_heard(struct store *s, struct arena *a, struct heard **list,
                size_t *count, struct err *err)
{
    static const char sql[] =
        "SELECT kind, trial, step, state, value FROM heard ORDER BY id";
    sqlite3_stmt *st = db_stmt(s, sql, err);
    if (!st)
        return -1;
    VEC(struct heard) found = {0};
    int row;
    while ((row = db_row(s, st, "read what the strategy heard in", err)) == 1) {
        bool none = sqlite3_column_type(st, 4) == SQLITE_NULL;
        struct heard heard = {
            .kind = (enum heard_kind)sqlite3_column_int(st, 0),
            .trial = sqlite3_column_int64(st, 1),
            .step = sqlite3_column_int64(st, 2),
            .state = (enum state)sqlite3_column_int(st, 3),
            .value = none ? NAN : sqlite3_column_double(st, 4),
        };
        vec_push(&found, heard);
    }
    if (row == 0) {
        *count = found.len;
        *list = vec_to_arena(a, &found);
    }
    vec_done(&found);
    return row;
}
