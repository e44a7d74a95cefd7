/* wish.c - what people want of trials that have not ended */
#include "store/change.h"

int store_wish_set(struct store *s, int64_t trial, enum wish wish,
                   struct err *err)
{
    struct buf *b = change_start(s, CHANGE_WISH, err);
    if (!b)
        return -1;
    change_add_int(b, trial);
    buf_add_u8(b, (uint8_t)wish);
    return change_end(s, err);
}

int wish_apply(struct store *s, struct bytes *b, struct err *err)
{
    static const char put[] = "INSERT OR REPLACE INTO wishes VALUES (?1, ?2)";
    static const char drop[] = "DELETE FROM wishes WHERE trial = ?1";
    int64_t trial = change_int(b);
    uint8_t wish = bytes_u8(b);
    sqlite3_stmt *st = db_stmt(s, wish ? put : drop, err);
    if (!st)
        return -1;
    sqlite3_bind_int64(st, 1, trial);
    if (wish)
        sqlite3_bind_int(st, 2, wish);
    return db_run(s, st, "write a wish into", err);
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
