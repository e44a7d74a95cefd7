/* span.c - when attempts ran, and where, in one pass */
#include "store/db.h"
#include "store/use_columns.h"

int store_spans(struct store *s, store_span_fn *fn, void *context,
                struct err *err)
{
    static const char sql[] =
        "SELECT a.trial, a.number, a.outcome, m.host, a.started, a.ended,"
        " a.placed, a.seconds, a.cpu_seconds, a.max_rss_bytes, " USE_COLUMNS
        " FROM attempts AS a LEFT JOIN machines AS m ON m.id = a.machine"
        " WHERE a.started > 0 ORDER BY a.trial, a.number";
    sqlite3_stmt *st = db_stmt(s, sql, err);
    if (!st)
        return -1;
    int row;
    while ((row = db_row(s, st, "read the attempts of", err)) == 1) {
        struct span span = {
            .trial = sqlite3_column_int64(st, 0),
            .number = (uint32_t)sqlite3_column_int64(st, 1),
            .outcome = (enum outcome)sqlite3_column_int(st, 2),
            .host = db_column_str(st, 3),
            .started = sqlite3_column_double(st, 4),
            .ended = sqlite3_column_double(st, 5),
            .placed = sqlite3_column_double(st, 6),
            .seconds = sqlite3_column_double(st, 7),
            .cpu_seconds = sqlite3_column_double(st, 8),
            .max_rss_bytes = (uint64_t)sqlite3_column_int64(st, 9),
        };
        use_columns_read(st, 10, &span.use);
        fn(context, &span);
    }
    return row;
}
