/* means.c - what a model of the results expects of the best trials
 *
 * Kept as the fact "expected". Trials that were removed or run again since do
 * not count any more. (The fact "means" of earlier versions was a guess.) */
#include <math.h>
#include "base/json.h"
#include "store/db.h"

int store_means_set(struct store *s, const struct trial_mean *list,
                    size_t count, struct err *err)
{
    struct str none = {0};
    struct buf b;
    buf_init(&b);
    for (size_t i = 0; i < count; i++) {
        buf_addf(&b, "%c{\"id\":%lld,\"mean\":", i ? ',' : '[',
                 (long long)list[i].trial);
        json_number(&b, list[i].mean);
        buf_addc(&b, '}');
    }
    buf_addc(&b, ']');
    int rc = store_fact_set(s, "expected", count ? buf_str(&b) : none, err);
    buf_done(&b);
    return rc;
}

/* 1: the trial has its value; 0: not (any more); -1. */
static int has_value(struct store *s, int64_t trial, struct err *err)
{
    static const char sql[] = "SELECT 1 FROM trials WHERE id = ?"
                              " AND value IS NOT NULL AND state >= 3";
    sqlite3_stmt *st = db_stmt(s, sql, err);
    if (!st)
        return -1;
    sqlite3_bind_int64(st, 1, trial);
    int row = db_row(s, st, "read", err);
    sqlite3_reset(st);
    return row;
}

int store_means(struct store *s, struct arena *a, struct trial_mean **list,
                size_t *count, struct err *err)
{
    struct str text;
    *list = NULL;
    *count = 0;
    if (store_fact(s, "expected", a, &text, err))
        return -1;
    struct err why = {0};
    const struct value *v =
        text.len ? json_parse(a, text, "expected", true, &why) : NULL;
    if (!v)
        return text.len ? store_damaged(s, why.text, err) : 0;
    *list = arena_array(a, v->count + 1, sizeof(**list));
    for (size_t i = 0; i < v->count; i++) {
        const struct value *id = value_get(v->items[i], STR("id"));
        double mean = value_number(value_get(v->items[i], STR("mean")));
        if (!id || id->kind != VALUE_INT || !isfinite(mean))
            continue;
        int there = has_value(s, id->i, err);
        if (there < 0)
            return -1;
        if (there)
            (*list)[(*count)++] = (struct trial_mean){id->i, mean};
    }
    return 0;
}
