/* fronts.c - how trials stand to each other where a study has several
 * objectives, or bounds
 *
 * Only numbers are kept of each trial, so that large studies fit. */
#include <math.h>
#include <stdlib.h>
#include "base/json.h"
#include "base/num.h"
#include "store/selector.h"
#include "terms/pareto.h"

/* Beyond these the exact volume takes too long. */
#define VOLUME_POINTS_2 100000
#define VOLUME_POINTS_3 300
#define VOLUME_POINTS_MORE 60

static int read_trials(struct store_fronts *f, struct store *store,
                       const struct goal *g, const char *where, struct err *err)
{
    struct query q = {
        .selector = "done,stopped", .where = where, .with_texts = true};
    struct rows *rows = store_rows(store, &q, err);
    if (!rows)
        return -1;
    struct arena *a = arena_new();
    struct trial t;
    int got;
    while ((got = rows_next(rows, &t, err)) > 0) {
        arena_reset(a);
        struct contender s = {.id = t.id};
        const struct value *summary =
            t.summary.len ? json_parse(a, t.summary, "summary", false, NULL)
                          : NULL;
        s.broken = goal_broken(g, summary, NULL);
        vec_reserve(&f->values, f->values.len + f->width);
        goal_values(g, summary, f->values.p + f->values.len);
        if (!isfinite(f->values.p[f->values.len]))
            continue;
        f->values.len += f->width;
        vec_push(&f->list, s);
    }
    arena_free(a);
    rows_close(rows);
    return got;
}

static bool volume_is_quick(size_t m, size_t n)
{
    return n <= (m == 2   ? VOLUME_POINTS_2
                 : m == 3 ? VOLUME_POINTS_3
                          : VOLUME_POINTS_MORE);
}

/* Of those that keep the bounds, against the worst that any of them had in
 * each objective. */
static double volume_of(const struct store_fronts *f, const struct goal *g)
{
    size_t m = f->width, count = 0;
    double *worst = xcalloc(m, sizeof(*worst));
    double *front = xcalloc((f->pareto + 1) * m, sizeof(*front));
    for (size_t k = 0; k < m; k++)
        worst[k] = -INFINITY;
    for (size_t i = 0; i < f->list.len; i++) {
        const struct contender *c = &f->list.p[i];
        double *small = front + count * m;
        if (c->broken > 0)
            continue;
        rank_small(g, f->values.p + i * m, small);
        for (size_t k = 0; k < m; k++)
            if (isfinite(small[k]) && small[k] > worst[k])
                worst[k] = small[k];
        count += c->front == 0;
    }
    double volume =
        volume_is_quick(m, count) ? pareto_volume(front, count, m, worst) : NAN;
    free(worst);
    free(front);
    return volume;
}

int store_fronts_read(struct store_fronts *f, struct store *store,
                      const struct goal *g, const char *where, struct err *err)
{
    *f = (struct store_fronts){.width = g->objective_count, .volume = NAN};
    require(f->width > 0);
    if (read_trials(f, store, g, where, err))
        return -1;
    rank_fronts(g, f->list.p, f->values.p, f->list.len);
    for (size_t i = 0; i < f->list.len; i++) {
        bool kept = !(f->list.p[i].broken > 0);
        f->infeasible += !kept;
        f->pareto += kept && f->list.p[i].front == 0;
    }
    if (f->width > 1)
        f->volume = volume_of(f, g);
    return 0;
}

void store_fronts_done(struct store_fronts *f)
{
    vec_done(&f->list);
    vec_done(&f->values);
}

size_t *store_fronts_order(const struct store_fronts *f, const struct goal *g)
{
    return rank_order(g, f->list.p, f->values.p, f->list.len);
}

int64_t store_fronts_first(struct store *s, const struct goal *g, double value)
{
    struct store_fronts f;
    struct buf same;
    buf_init(&same);
    buf_adds(&same, "value = ");
    num_print(&same, value);
    int64_t id = 0;
    if (!store_fronts_read(&f, s, g, same.p, NULL) && f.list.len) {
        size_t *order = store_fronts_order(&f, g);
        id = f.list.p[order[0]].id;
        free(order);
    }
    store_fronts_done(&f);
    buf_done(&same);
    return id;
}

/* ---- what the study wants --------------------------------------------- */

int store_goal(struct store *s, struct arena *a, struct goal *g,
               struct err *err)
{
    struct str text;
    *g = (struct goal){0};
    if (store_fact(s, "goals", a, &text, err))
        return -1;
    struct err why = {0};
    if (text.len && goal_read(g, text, a, &why))
        return store_damaged(s, why.text, err);
    return 0;
}
