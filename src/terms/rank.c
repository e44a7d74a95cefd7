/* rank.c - which trial is better */
#include "terms/rank.h"
#include <math.h>
#include <stdlib.h>
#include "terms/pareto.h"

void rank_small(const struct goal *g, const double *values, double *small)
{
    for (size_t k = 0; k < g->objective_count; k++)
        small[k] = g->objectives[k].minimize ? values[k] : -values[k];
}

void rank_fronts(const struct goal *g, struct contender *list,
                 const double *values, size_t count)
{
    size_t m = g->objective_count, kept = 0;
    double *points = xcalloc(count * m + 1, sizeof(*points));
    uint32_t *fronts = xcalloc(count + 1, sizeof(*fronts));
    for (size_t i = 0; i < count; i++)
        if (!(list[i].broken > 0))
            rank_small(g, values + i * m, points + kept++ * m);
    pareto_fronts(points, kept, m, fronts);
    kept = 0;
    for (size_t i = 0; i < count; i++)
        list[i].front = list[i].broken > 0 ? 0 : fronts[kept++];
    free(fronts);
    free(points);
}

/* ---- order ------------------------------------------------------------ */

struct place_in_order {
    struct contender c;
    double value; /* of the first objective, to be small */
    size_t at;
};

static int compare(double a, double b)
{
    if (isnan(a) || isnan(b))
        return isnan(a) - isnan(b);
    return (a > b) - (a < b);
}

static int by_rank(const void *x, const void *y)
{
    const struct place_in_order *a = x, *b = y;
    int c = compare(a->c.broken, b->c.broken);
    if (!c)
        c = (a->c.front > b->c.front) - (a->c.front < b->c.front);
    if (!c)
        c = compare(a->value, b->value);
    return c ? c : (a->c.id > b->c.id) - (a->c.id < b->c.id);
}

size_t *rank_order(const struct goal *g, const struct contender *list,
                   const double *values, size_t count)
{
    struct place_in_order *all = xcalloc(count + 1, sizeof(*all));
    size_t *order = xcalloc(count + 1, sizeof(*order));
    for (size_t i = 0; i < count; i++) {
        double v = values[i * g->objective_count];
        all[i] = (struct place_in_order){list[i],
                                         g->objectives[0].minimize ? v : -v, i};
    }
    qsort(all, count, sizeof(*all), by_rank);
    for (size_t i = 0; i < count; i++)
        order[i] = all[i].at;
    free(all);
    return order;
}
