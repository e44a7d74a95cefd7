/* fronts.c - how trials stand to each other where a study has several
 * objectives, or bounds
 *
 * Only numbers are kept of each trial, so that large studies fit. */
#include <math.h>
#include <stdlib.h>
#include "base/json.h"
#include "store/store.h"
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
        struct trial_standing s = {.id = t.id};
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

/* Feasible trials as points whose numbers are all to be small, with the
 * place of each in the list. */
struct points {
    double *p;
    size_t *at, count;
};

static struct points feasible(const struct store_fronts *f,
                              const struct goal *g)
{
    struct points x = {.p = xcalloc(f->values.len + 1, sizeof(double)),
                       .at = xcalloc(f->list.len + 1, sizeof(size_t))};
    for (size_t i = 0; i < f->list.len; i++) {
        if (f->list.p[i].broken > 0)
            continue;
        for (size_t k = 0; k < f->width; k++) {
            double v = f->values.p[i * f->width + k];
            x.p[x.count * f->width + k] = g->objectives[k].minimize ? v : -v;
        }
        x.at[x.count++] = i;
    }
    return x;
}

static bool volume_is_quick(size_t m, size_t n)
{
    return n <= (m == 2   ? VOLUME_POINTS_2
                 : m == 3 ? VOLUME_POINTS_3
                          : VOLUME_POINTS_MORE);
}

/* Against the worst that any trial had in each objective. */
static double volume_of(const struct store_fronts *f, const struct points *x)
{
    size_t m = f->width;
    double *worst = xcalloc(m, sizeof(*worst));
    double *front = xcalloc(x->count * m + 1, sizeof(*front));
    size_t count = 0;
    for (size_t k = 0; k < m; k++)
        worst[k] = -INFINITY;
    for (size_t i = 0; i < x->count; i++) {
        for (size_t k = 0; k < m; k++)
            if (isfinite(x->p[i * m + k]) && x->p[i * m + k] > worst[k])
                worst[k] = x->p[i * m + k];
        if (f->list.p[x->at[i]].front == 0)
            memcpy(front + count++ * m, x->p + i * m, m * sizeof(*front));
    }
    double volume = NAN;
    if (m > 1 && volume_is_quick(m, count))
        volume = pareto_volume(front, count, m, worst);
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
    struct points x = feasible(f, g);
    uint32_t *fronts = xcalloc(x.count + 1, sizeof(*fronts));
    pareto_fronts(x.p, x.count, f->width, fronts);
    for (size_t i = 0; i < x.count; i++) {
        f->list.p[x.at[i]].front = fronts[i];
        f->pareto += fronts[i] == 0;
    }
    f->infeasible = f->list.len - x.count;
    f->volume = volume_of(f, &x);
    free(fronts);
    free(x.p);
    free(x.at);
    return 0;
}

void store_fronts_done(struct store_fronts *f)
{
    vec_done(&f->list);
    vec_done(&f->values);
}

/* ---- order ------------------------------------------------------------ */

struct place_in_order {
    struct trial_standing s;
    double value; /* of the first objective, to be small */
    size_t at;
};

static int compare(double a, double b)
{
    if (isnan(a) || isnan(b))
        return isnan(a) - isnan(b);
    return (a > b) - (a < b);
}

/* Those that break a bound come last, the least broken of them first. */
static int by_rank(const void *x, const void *y)
{
    const struct place_in_order *a = x, *b = y;
    int c = compare(a->s.broken, b->s.broken);
    if (!c)
        c = (a->s.front > b->s.front) - (a->s.front < b->s.front);
    if (!c)
        c = compare(a->value, b->value);
    return c ? c : (a->s.id > b->s.id) - (a->s.id < b->s.id);
}

size_t *store_fronts_order(const struct store_fronts *f, const struct goal *g)
{
    size_t n = f->list.len;
    struct place_in_order *all = xcalloc(n + 1, sizeof(*all));
    size_t *order = xcalloc(n + 1, sizeof(*order));
    for (size_t i = 0; i < n; i++) {
        double v = f->values.p[i * f->width];
        all[i] = (struct place_in_order){f->list.p[i],
                                         g->objectives[0].minimize ? v : -v, i};
    }
    qsort(all, n, sizeof(*all), by_rank);
    for (size_t i = 0; i < n; i++)
        order[i] = all[i].at;
    free(all);
    return order;
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
