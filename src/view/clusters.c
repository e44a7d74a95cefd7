/* clusters.c - rows in groups by k-means, and how well each row lies in its own
 *
 * Several starts by k-means++ (Arthur and Vassilvitskii, 2007), each improved
 * until no row changes its group; the one with the least squares counts. The
 * same rows give the same groups, on every machine, the largest group first. */
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/rng.h"
#include "view/layer_look.h"

enum { STARTS = 10, TURNS = 300 };

struct grouping {
    const double *rows;
    size_t count, columns, groups;
    double *centres; /* groups × columns */
    double *nearest; /* by row: the square of the distance to its centre */
    size_t *group;   /* by row */
    size_t *size;    /* by group */
    double squares;
};

static double apart(const double *x, const double *y, size_t n)
{
    double sum = 0;
    for (size_t k = 0; k < n; k++)
        sum += (x[k] - y[k]) * (x[k] - y[k]);
    return sum;
}

/* ---- a start ---------------------------------------------------------------
 */

/* The next centre is a row, the likelier the further it is from the others. */
static size_t draw_row(const struct grouping *g, struct rng *r)
{
    double all = 0;
    for (size_t i = 0; i < g->count; i++)
        all += g->nearest[i];
    double at = rng_uniform(r) * all;
    for (size_t i = 0; i < g->count; i++)
        if (g->nearest[i] > 0 && (at -= g->nearest[i]) < 0)
            return i;
    return (size_t)rng_below(r, g->count);
}

static void start(struct grouping *g, struct rng *r)
{
    size_t d = g->columns, row = (size_t)rng_below(r, g->count);
    for (size_t i = 0; i < g->count; i++)
        g->nearest[i] = DBL_MAX;
    for (size_t c = 0; c < g->groups; c++) {
        memcpy(g->centres + c * d, g->rows + row * d, d * sizeof(*g->centres));
        for (size_t i = 0; i < g->count; i++)
            g->nearest[i] = fmin(g->nearest[i],
                                 apart(g->rows + i * d, g->centres + c * d, d));
        row = draw_row(g, r);
    }
}

/* ---- its improvement -------------------------------------------------------
 */

/* True when a row has changed its group. */
static bool assign(struct grouping *g)
{
    bool changed = false;
    g->squares = 0;
    memset(g->size, 0, g->groups * sizeof(*g->size));
    for (size_t i = 0; i < g->count; i++) {
        size_t best = 0;
        double least = DBL_MAX;
        for (size_t c = 0; c < g->groups; c++) {
            double far = apart(g->rows + i * g->columns,
                               g->centres + c * g->columns, g->columns);
            if (far < least) {
                least = far;
                best = c;
            }
        }
        changed |= g->group[i] != best;
        g->group[i] = best;
        g->nearest[i] = least;
        g->squares += least;
        g->size[best]++;
    }
    return changed;
}

/* A group that has lost all its rows gets the one that is furthest from its
 * centre. */
static void revive(struct grouping *g, size_t group)
{
    size_t furthest = 0;
    for (size_t i = 1; i < g->count; i++)
        if (g->nearest[i] > g->nearest[furthest])
            furthest = i;
    g->nearest[furthest] = 0;
    memcpy(g->centres + group * g->columns, g->rows + furthest * g->columns,
           g->columns * sizeof(*g->centres));
}

static void move(struct grouping *g)
{
    size_t d = g->columns;
    memset(g->centres, 0, g->groups * d * sizeof(*g->centres));
    for (size_t i = 0; i < g->count; i++)
        for (size_t k = 0; k < d; k++)
            g->centres[g->group[i] * d + k] += g->rows[i * d + k];
    for (size_t c = 0; c < g->groups; c++)
        for (size_t k = 0; g->size[c] && k < d; k++)
            g->centres[c * d + k] /= (double)g->size[c];
    for (size_t c = 0; c < g->groups; c++)
        if (!g->size[c])
            revive(g, c);
}

static void improve(struct grouping *g)
{
    for (size_t i = 0; i < g->count; i++)
        g->group[i] = g->groups;
    for (int turn = 0; turn < TURNS && assign(g); turn++)
        move(g);
}

/* ---- the best --------------------------------------------------------------
 */

/* By size; of equal ones the group of the earlier row. */
static void number(const struct grouping *g, size_t *to)
{
    size_t *name = xcalloc(g->groups, sizeof(*name));
    size_t *first = xcalloc(g->groups, sizeof(*first));
    for (size_t i = g->count; i-- > 0;)
        first[g->group[i]] = i;
    for (size_t c = 0; c < g->groups; c++)
        for (size_t o = 0; o < g->groups; o++)
            name[c] += g->size[o] > g->size[c] ||
                       (g->size[o] == g->size[c] && first[o] < first[c]);
    for (size_t i = 0; i < g->count; i++)
        to[i] = name[g->group[i]];
    free(name);
    free(first);
}

double clusters_find(const double *rows, size_t count, size_t columns,
                     size_t groups, size_t *to)
{
    struct grouping g = {
        .rows = rows, .count = count, .columns = columns, .groups = groups};
    double best = INFINITY;
    struct rng r;
    g.centres = xcalloc(groups * columns, sizeof(*g.centres));
    g.nearest = xcalloc(count, sizeof(*g.nearest));
    g.group = xcalloc(count, sizeof(*g.group));
    g.size = xcalloc(groups, sizeof(*g.size));
    for (uint64_t k = 0; k < STARTS; k++) {
        rng_init(&r, 0, k, "k-means");
        start(&g, &r);
        improve(&g);
        if (g.squares < best) {
            best = g.squares;
            number(&g, to);
        }
    }
    free(g.centres);
    free(g.nearest);
    free(g.group);
    free(g.size);
    return best;
}

/* ---- silhouettes -----------------------------------------------------------
 */

/* (b - a) / max(a, b): a is the mean distance to the others of the own group, b
 * the least mean distance to another. Alone in its group it is 0. */
static double silhouette(const double *sums, const size_t *size, size_t groups,
                         size_t own)
{
    double a, b = INFINITY;
    if (size[own] < 2)
        return 0;
    a = sums[own] / (double)(size[own] - 1);
    for (size_t c = 0; c < groups; c++)
        if (c != own && size[c])
            b = fmin(b, sums[c] / (double)size[c]);
    double most = fmax(a, b);
    return isfinite(b) && most > 0 ? (b - a) / most : 0;
}

void clusters_silhouettes(const double *rows, size_t count, size_t columns,
                          size_t groups, const size_t *group, double *to)
{
    double *sums = xcalloc(groups, sizeof(*sums));
    size_t *size = xcalloc(groups, sizeof(*size));
    for (size_t i = 0; i < count; i++)
        size[group[i]]++;
    for (size_t i = 0; i < count; i++) {
        memset(sums, 0, groups * sizeof(*sums));
        for (size_t o = 0; o < count; o++)
            sums[group[o]] +=
                sqrt(apart(rows + i * columns, rows + o * columns, columns));
        to[i] = silhouette(sums, size, groups, group[i]);
    }
    free(sums);
    free(size);
}
