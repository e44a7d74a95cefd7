/* wish.c - what people want of trials that have not ended */
#include "store/change.h"

struct wished {
    int64_t trial;
    enum wish wish;
};

static int apply_wish(struct store *s, const void *what, struct err *err)
{
    static const char put[] = "INSERT OR REPLACE INTO wishes VALUES (?1, ?2)";
    static const char drop[] = "DELETE FROM wishes WHERE trial = ?1";
    const struct wished *w = what;
    sqlite3_stmt *st = db_stmt(s, w->wish ? put : drop, err);
    if (!st)
        return -1;
    sqlite3_bind_int64(st, 1, w->trial);
    if (w->wish)
        sqlite3_bind_int(st, 2, (int)w->wish);
    return db_run(s, st, "write a wish into", err);
}

int store_wish_set(struct store *s, int64_t trial, enum wish wish,
                   struct err *err)
{
    struct wished w = {trial, wish}, *c = change_start(s, &w, sizeof w, err);
    return c ? change_end(s, apply_wish, c, err) : -1;
}

int store_wish(struct store *s, int64_t trial, enum wish *wish, struct err *err)
{
    static const char sql[] = "SELECT wish FROM wishes WHERE trial = ?";
    sqlite3_stmt *st = db_stmt(s, sql, err);
    if (!st)
        return -1;
    sqlite3_bind_int64(st, 1, trial);
    int row = db_row(s, st, "read a wish of", err);
    if (row < 0)
        return -1;
    *wish = row ? (enum wish)sqlite3_column_int(st, 0) : WISH_NONE;
    if (row)
        sqlite3_reset(st);
    return 0;
}
