/* ranking_fronts.c - the table of the best trials of several objectives
 *
 * The Pareto set comes first, then what only that dominates, and so on; what
 * breaks a constraint comes last. */
#include <math.h>
#include <stdlib.h>
#include "base/json.h"
#include "base/strict_json.h"
#include "cli/ranking.h"
#include "view/view.h"

#define VALUE_DIGITS 6

struct board {
    struct call *call;
    struct store *store;
    const struct ranking *ranking;
    const struct goal *goal;
    const struct trial_columns *chosen; /* instead of the parameters */
    struct store_fronts fronts;
    size_t *order;
    size_t rows;
    struct buf out;
};

static size_t row_at(const struct board *k, size_t i)
{
    return k->order[k->ranking->reverse ? k->fronts.list.len - 1 - i : i];
}

static const double *values_at(const struct board *k, size_t at)
{
    return k->fronts.values.p + at * k->fronts.width;
}

/* ---- for people ------------------------------------------------------- */

static void add_titles(struct board *k, struct table *t,
                       struct point_columns *columns)
{
    struct arena *a = k->call->arena;
    table_column(t, "rank", true);
    table_column(t, "trial", true);
    if (k->fronts.width > 1)
        table_column(t, "pareto", false);
    for (size_t i = 0; i < k->goal->objective_count; i++)
        table_column(t, arena_cstr(a, k->goal->objectives[i].name), true);
    if (k->goal->bound_count)
        table_column(t, "broken", true);
    for (size_t i = 0; i < k->chosen->names.len; i++)
        table_column(t, k->chosen->names.p[i], true);
    if (k->chosen->names.len)
        return;
    for (size_t i = 0; i < columns->names.len; i++)
        table_column(t, columns->names.p[i].p, true);
    table_column(t, "state", false);
    table_column(t, "seconds", true);
}

static void add_own(struct board *k, struct table *t, const struct trial *trial,
                    const struct value *point, struct point_columns *columns)
{
    for (size_t m = 0; m < columns->names.len; m++)
        table_value(t, k->call, point_flat_get(point, columns->names.p[m]));
    table_cell(t, "%s", state_name(trial->state));
    table_seconds(t, k->call, trial->seconds);
}

static void add_chosen(struct board *k, struct table *t,
                       const struct trial *trial, const struct value *point)
{
    for (size_t i = 0; i < k->chosen->names.len; i++) {
        const char *name = k->chosen->names.p[i];
        table_chosen(
            t, k->call, name,
            trial_column(k->store, trial, point, name, k->call->arena));
    }
}

static void add_row(struct board *k, struct table *t, size_t i,
                    const struct trial *trial, const struct value *point,
                    struct point_columns *columns)
{
    size_t at = row_at(k, i);
    const struct trial_standing *s = &k->fronts.list.p[at];
    int digits = k->call->terminal ? VALUE_DIGITS : 0;
    table_cell(t, "%zu", i + 1);
    table_cell(t, "%lld", (long long)s->id);
    if (k->fronts.width > 1)
        table_cell(t, "%s", !s->front && !(s->broken > 0) ? "*" : "");
    for (size_t m = 0; m < k->fronts.width; m++)
        table_number(t, values_at(k, at)[m], digits);
    if (k->goal->bound_count)
        table_number(t, s->broken > 0 ? s->broken : NAN, digits);
    if (k->chosen->names.len)
        add_chosen(k, t, trial, point);
    else
        add_own(k, t, trial, point, columns);
    table_row(t);
}

static int print_table(struct board *k)
{
    struct arena *a = k->call->arena;
    struct trial *trials = arena_array(a, k->rows + 1, sizeof(*trials));
    struct value **points = arena_array(a, k->rows + 1, sizeof(*points));
    struct point_columns columns;
    struct str *written;
    size_t written_count;
    int rc = point_columns_written(k->store, a, &written, &written_count,
                                   &k->call->err);
    point_columns_init(&columns, a);
    for (size_t i = 0; i < k->rows && !rc; i++) {
        int64_t id = k->fronts.list.p[row_at(k, i)].id;
        rc = store_trial(k->store, id, a, &trials[i], &k->call->err);
        if (rc)
            break;
        points[i] = json_parse(a, trials[i].point, "point", true, NULL);
        point_columns_add(&columns, points[i]);
    }
    if (!rc) {
        struct table *t = table_new();
        point_columns_order(&columns, written, written_count);
        add_titles(k, t, &columns);
        for (size_t i = 0; i < k->rows; i++)
            add_row(k, t, i, &trials[i], points[i], &columns);
        table_print(t, k->call);
        table_free(t);
    }
    point_columns_done(&columns);
    return rc;
}

/* ---- for programs ----------------------------------------------------- */

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

static void add_json_columns(struct board *k, const struct trial *t)
{
    struct arena *a = k->call->arena;
    size_t n = k->chosen->names.len;
    const struct value **values = arena_array(a, n, sizeof(*values));
    struct value *point = json_parse(a, t->point, "point", true, NULL);
    for (size_t i = 0; i < n; i++)
        values[i] = trial_column(k->store, t, point, k->chosen->names.p[i], a);
    buf_adds(&k->out, ",\"columns\":");
    trial_columns_json(&k->out, k->chosen, values);
}

static int add_json_row(struct board *k, size_t i)
{
    struct buf *b = &k->out;
    struct trial t;
    size_t at = row_at(k, i);
    const struct trial_standing *s = &k->fronts.list.p[at];
    if (store_trial(k->store, s->id, k->call->arena, &t, &k->call->err))
        return -1;
    buf_addf(b, "%s{\"rank\":%zu,\"id\":%lld,\"state\":\"%s\",\"value\":",
             i ? "," : "", i + 1, (long long)t.id, state_name(t.state));
    strict_number_or_null(b, values_at(k, at)[0]);
    buf_adds(b, ",\"values\":");
    add_numbers(b, values_at(k, at), k->fronts.width);
    if (s->broken > 0)
        buf_adds(b, ",\"feasible\":false,\"front\":null");
    else
        buf_addf(b, ",\"feasible\":true,\"front\":%u", s->front + 1);
    buf_adds(b, ",\"params\":");
    strict_text(b, t.point);
    buf_adds(b, ",\"seconds\":");
    strict_seconds(b, t.seconds);
    if (k->chosen->names.len)
        add_json_columns(k, &t);
    buf_addc(b, '}');
    return 0;
}

static int print_json(struct board *k)
{
    struct buf *b = &k->out;
    const struct objective *first = &k->goal->objectives[0];
    buf_adds(b, "{\"schema\":\"throng.rank/1\"");
    age_json(b, k->call->as_of);
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
        if (add_json_row(k, i))
            return -1;
    buf_adds(b, "]}\n");
    put(buf_str(b));
    return 0;
}

int ranking_fronts(struct call *c, struct store *store, const struct ranking *r,
                   const struct goal *goal, const struct trial_columns *chosen,
                   size_t *rows)
{
    struct board k = {.call = c,
                      .store = store,
                      .ranking = r,
                      .goal = goal,
                      .chosen = chosen};
    int rc = store_fronts_read(&k.fronts, store, goal, r->where, &c->err);
    if (!rc) {
        k.order = store_fronts_order(&k.fronts, goal);
        k.rows = k.fronts.list.len;
        if (r->limit && k.rows > (size_t)r->limit)
            k.rows = (size_t)r->limit;
        *rows = k.rows;
        buf_init(&k.out);
        rc = r->json ? print_json(&k) : print_table(&k);
        buf_done(&k.out);
    }
    free(k.order);
    store_fronts_done(&k.fronts);
    return rc;
}
