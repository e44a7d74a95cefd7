/* ranking_fronts.c - the table of the best trials of several objectives
 *
 * The Pareto set comes first, then what only that dominates, and so on; what
 * breaks a constraint comes last. */
#include "cli/ranking.h"

#include <math.h>
#include "base/json.h"

#define VALUE_DIGITS 6

struct board {
    struct call *call;
    struct ranked_fronts ranked;
};

/* ---- for people ------------------------------------------------------- */

static void add_titles(struct board *k, struct table *t,
                       struct point_columns *columns)
{
    struct arena *a = k->call->arena;
    table_column(t, "rank", true);
    table_column(t, "trial", true);
    if (k->ranked.fronts.width > 1)
        table_column(t, "pareto", false);
    for (size_t i = 0; i < k->ranked.goal->objective_count; i++)
        table_column(t, arena_cstr(a, k->ranked.goal->objectives[i].name),
                     true);
    if (k->ranked.goal->bound_count)
        table_column(t, "broken", true);
    for (size_t i = 0; i < k->ranked.ranks->chosen.names.len; i++)
        table_column(t, k->ranked.ranks->chosen.names.p[i], true);
    if (k->ranked.ranks->chosen.names.len)
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
    for (size_t i = 0; i < k->ranked.ranks->chosen.names.len; i++) {
        const char *name = k->ranked.ranks->chosen.names.p[i];
        table_chosen(t, k->call, name,
                     trial_column(k->ranked.ranks->store, trial, point, name,
                                  k->call->arena));
    }
}

static void add_row(struct board *k, struct table *t, size_t i,
                    const struct trial *trial, const struct value *point,
                    struct point_columns *columns)
{
    size_t at = fronts_at(&k->ranked, i);
    const struct contender *s = &k->ranked.fronts.list.p[at];
    int digits = k->call->terminal ? VALUE_DIGITS : 0;
    table_cell(t, "%zu", i + 1);
    table_cell(t, "%lld", (long long)s->id);
    if (k->ranked.fronts.width > 1)
        table_cell(t, "%s", !s->front && !(s->broken > 0) ? "*" : "");
    for (size_t m = 0; m < k->ranked.fronts.width; m++)
        table_number(t, fronts_values(&k->ranked, at)[m], digits);
    if (k->ranked.goal->bound_count)
        table_number(t, s->broken > 0 ? s->broken : NAN, digits);
    if (k->ranked.ranks->chosen.names.len)
        add_chosen(k, t, trial, point);
    else
        add_own(k, t, trial, point, columns);
    table_row(t);
}

static int print_table(struct board *k)
{
    struct arena *a = k->call->arena;
    struct trial *trials = arena_array(a, k->ranked.rows + 1, sizeof(*trials));
    struct value **points = arena_array(a, k->ranked.rows + 1, sizeof(*points));
    struct point_columns columns;
    const struct ranks *ranks = k->ranked.ranks;
    int rc = 0;
    point_columns_init(&columns, a);
    for (size_t i = 0; i < k->ranked.rows && !rc; i++) {
        int64_t id = k->ranked.fronts.list.p[fronts_at(&k->ranked, i)].id;
        rc = store_trial(ranks->store, id, a, &trials[i], &k->call->err);
        if (rc)
            break;
        points[i] = json_parse(a, trials[i].point, "point", true, NULL);
        point_columns_add(&columns, points[i]);
    }
    if (!rc) {
        struct table *t = table_new();
        point_columns_order(&columns, ranks->written, ranks->written_count);
        add_titles(k, t, &columns);
        for (size_t i = 0; i < k->ranked.rows; i++)
            add_row(k, t, i, &trials[i], points[i], &columns);
        table_print(t, k->call);
        table_free(t);
    }
    point_columns_done(&columns);
    return rc;
}

static int print_json(struct board *k)
{
    struct call *c = k->call;
    struct buf b;
    buf_init(&b);
    int rc = fronts_json(&b, &k->ranked, c->as_of, c->arena, &c->err);
    if (!rc)
        put(buf_str(&b));
    buf_done(&b);
    return rc;
}

/* What the table leaves open: how many stand first, and how many last. */
static void say_fronts(const struct board *k)
{
    const struct store_fronts *f = &k->ranked.fronts;
    size_t all = f->list.len, broken = f->infeasible;
    if (f->width > 1 && f->pareto)
        say("throng: %zu trial%s (*) %s the Pareto set: no other beats %s in "
            "every metric\n",
            f->pareto, f->pareto == 1 ? "" : "s", f->pareto == 1 ? "is" : "are",
            f->pareto == 1 ? "it" : "one of them");
    if (broken && broken == all)
        say("throng: all %zu trials break a constraint: the one that is "
            "nearest to keeping it ranks first\n",
            all);
    else if (broken)
        say("throng: %zu of %zu trials break%s a constraint, and rank%s last\n",
            broken, all, broken == 1 ? "s" : "", broken == 1 ? "s" : "");
}

int ranking_fronts(struct call *c, struct ranks *ranks, bool json)
{
    struct board k = {.call = c};
    int rc = fronts_open(&k.ranked, ranks, &c->err);
    if (!rc)
        rc = json ? print_json(&k) : print_table(&k);
    if (!rc && !json)
        say_fronts(&k);
    fronts_done(&k.ranked);
    return rc;
}
