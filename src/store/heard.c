/* heard.c - what the strategy was asked and told, in that order
 *
 * Rows are only ever added. The conductor writes a row in the transaction of
 * the change that it belongs to, so that the order in the file is the one in
 * which the strategy saw things, after any crash. */
#include <math.h>
#include "store/change.h"

int store_heard_add(struct store *s, const struct heard *h, struct err *err)
{
    struct buf *b = change_start(s, CHANGE_HEARD, err);
    if (!b)
        return -1;
    buf_add_u8(b, (uint8_t)h->kind);
    change_add_int(b, h->trial);
    change_add_int(b, h->step);
    buf_add_u8(b, (uint8_t)h->state);
    buf_add_f64(b, h->value);
    return change_end(s, err);
}

int heard_apply(struct store *s, struct bytes *b, struct err *err)
{
    static const char sql[] = "INSERT INTO heard (kind, trial, step, state,"
                              " value) VALUES (?, ?, ?, ?, ?)";
    sqlite3_stmt *st = db_stmt(s, sql, err);
    if (!st)
        return -1;
    sqlite3_bind_int(st, 1, bytes_u8(b));
    sqlite3_bind_int64(st, 2, change_int(b));
    sqlite3_bind_int64(st, 3, change_int(b));
    sqlite3_bind_int(st, 4, bytes_u8(b));
    double value = bytes_f64(b);
    if (isnan(value))
        sqlite3_bind_null(st, 5);
    else
        sqlite3_bind_double(st, 5, value);
    return db_run(s, st, "write what the strategy heard into", err);
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
