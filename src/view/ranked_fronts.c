/* ranked_fronts.c - the best trials of several objectives
 *
 * The Pareto set comes first, then what only that dominates, and so on; what
 * breaks a constraint comes last. */
#include <stdlib.h>
#include "base/json.h"
#include "base/strict_json.h"
#include "view/view.h"

static bool is_best(const struct ranked_fronts *k, size_t i)
{
    const struct contender *s = &k->fronts.list.p[fronts_at(k, i)];
    return s->broken <= 0 && s->front == 0;
}

static size_t count_rows(const struct ranked_fronts *k,
                         const struct ranking *asked)
{
    size_t all = k->fronts.list.len, rows = (size_t)asked->limit;
    if (!rows || rows > all)
        return all;
    while (asked->whole_front && rows < all && is_best(k, rows))
        rows++;
    return rows;
}

int fronts_open(struct ranked_fronts *k, struct ranks *ranks, struct err *err)
{
    const struct ranking *asked = ranks->asked;
    *k = (struct ranked_fronts){.ranks = ranks, .goal = &ranks->goal.all};
    if (store_fronts_read(&k->fronts, ranks->store, k->goal, asked->where, err))
        return -1;
    k->order = store_fronts_order(&k->fronts, k->goal);
    k->rows = count_rows(k, asked);
    ranks->count = k->rows;
    return 0;
}

void fronts_done(struct ranked_fronts *k)
{
    free(k->order);
    store_fronts_done(&k->fronts);
}

size_t fronts_at(const struct ranked_fronts *k, size_t i)
{
    bool reverse = k->ranks->asked->reverse;
    return k->order[reverse ? k->fronts.list.len - 1 - i : i];
}

const double *fronts_values(const struct ranked_fronts *k, size_t at)
{
    return k->fronts.values.p + at * k->fronts.width;
}

/* ---- JSON ------------------------------------------------------------- */

static void add_numbers(struct buf *b, const double *list, size_t count)
{
    buf_addc(b, '[');
    for (size_t i = 0; i < count; i++) {
        if (i)
            buf_addc(b, ',');
        strict_number_or_null(b, list[i]);
    }
    buf_addc(b, ']');
}

static void add_json_columns(struct buf *b, const struct ranked_fronts *k,
                             const struct trial *t, struct arena *a)
{
    const struct trial_columns *chosen = &k->ranks->chosen;
    size_t n = chosen->names.len;
    const struct value **values = arena_array(a, n, sizeof(*values));
    struct value *point = json_parse(a, t->point, "point", true, NULL);
    for (size_t i = 0; i < n; i++)
        values[i] =
            trial_column(k->ranks->store, t, point, chosen->names.p[i], a);
    buf_adds(b, ",\"columns\":");
    trial_columns_json(b, chosen, values);
}

static int add_json_row(struct buf *b, const struct ranked_fronts *k, size_t i,
                        struct arena *a, struct err *err)
{
    struct trial t;
    size_t at = fronts_at(k, i);
    const struct contender *s = &k->fronts.list.p[at];
    if (store_trial(k->ranks->store, s->id, a, &t, err))
        return -1;
    buf_addf(b, "%s{\"rank\":%zu,\"id\":%lld,\"state\":\"%s\",\"value\":",
             i ? "," : "", i + 1, (long long)t.id, state_name(t.state));
    strict_number_or_null(b, fronts_values(k, at)[0]);
    buf_adds(b, ",\"values\":");
    add_numbers(b, fronts_values(k, at), k->fronts.width);
    if (s->broken > 0)
        buf_adds(b, ",\"feasible\":false,\"front\":null");
    else
        buf_addf(b, ",\"feasible\":true,\"front\":%u", s->front + 1);
    buf_adds(b, ",\"params\":");
    strict_text(b, t.point);
    buf_adds(b, ",\"seconds\":");
    strict_seconds(b, t.seconds);
    if (k->ranks->chosen.names.len)
        add_json_columns(b, k, &t, a);
    buf_addc(b, '}');
    return 0;
}

int fronts_json(struct buf *b, const struct ranked_fronts *k, double as_of,
                struct arena *a, struct err *err)
{
    const struct objective *first = &k->goal->objectives[0];
    buf_adds(b, "{\"schema\":\"throng.rank/1\"");
    age_json(b, as_of);
    buf_adds(b, ",\"by\":");
    json_string(b, first->name);
    buf_addf(b, ",\"goal\":\"%s\",\"metrics\":[",
             first->minimize ? "minimize" : "maximize");
    for (size_t i = 0; i < k->goal->objective_count; i++) {
        buf_adds(b, i ? ",{\"name\":" : "{\"name\":");
        json_string(b, k->goal->objectives[i].name);
        buf_addf(b, ",\"goal\":\"%s\"}",
                 k->goal->objectives[i].minimize ? "minimize" : "maximize");
    }
    buf_adds(b, "],\"trials\":[");
    for (size_t i = 0; i < k->rows; i++)
        if (add_json_row(b, k, i, a, err))
            return -1;
    buf_adds(b, "]}\n");
    return 0;
}
