/* failure.c - how bad trials ended, in one pass */
#include "store/db.h"

int store_failures(struct store *s, store_failure_fn *fn, void *context,
                   struct err *err)
{
    /* The states that state_bad() names; with the newest attempt of each. */
    static const char sql[] =
        "SELECT t.id, t.state, x.reason, a.outcome, a.exit_code, a.signum,"
        " a.tail, a.number, t.point FROM trials AS t"
        " LEFT JOIN texts AS x ON x.id = t.id"
        " LEFT JOIN attempts AS a ON a.trial = t.id AND a.number ="
        " (SELECT max(number) FROM attempts WHERE trial = t.id)"
        " WHERE t.state IN (4, 5, 7, 8, 9) ORDER BY t.id";
    sqlite3_stmt *st = db_stmt(s, sql, err);
    if (!st)
        return -1;
    int row;
    while ((row = db_row(s, st, "read the failures of", err)) == 1) {
        struct trial_failure f = {
            .trial = sqlite3_column_int64(st, 0),
            .state = (enum state)sqlite3_column_int(st, 1),
            .reason = db_column_str(st, 2),
            .outcome = (enum outcome)sqlite3_column_int(st, 3),
            .exit_code = sqlite3_column_int(st, 4),
            .signum = sqlite3_column_int(st, 5),
            .tail = db_column_str(st, 6),
            .attempt = (uint32_t)sqlite3_column_int64(st, 7),
            .point = db_column_str(st, 8),
        };
        fn(context, &f);
    }
    return row;
}
