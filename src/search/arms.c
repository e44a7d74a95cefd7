/* arms.c - combinations of choices, and which of them is due
 *
 * The arm of rank r (from 1, by the best mean) is due a share of 1 / r of
 * what the best one is: the better ones are looked at more often, and none is
 * forgotten, whatever the values' scale. While trials are out, what the ranks
 * say is older than what has been chosen by them, and the share is 1 / sqrt(r).
 */
#include "search/arms.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "base/vec.h"

struct arm {
    double *point;
    double best;
    size_t tries;
};

struct arms {
    size_t axes;
    const bool *unordered;
    bool some_out; /* a point of which nothing is known yet */
    VEC(struct arm) list;
};

struct arms *arms_new(size_t axes, const bool *unordered)
{
    struct arms *a = xcalloc(1, sizeof(*a));
    a->axes = axes;
    a->unordered = unordered;
    return a;
}

void arms_free(struct arms *a)
{
    if (!a)
        return;
    for (size_t i = 0; i < a->list.len; i++)
        free(a->list.p[i].point);
    vec_done(&a->list);
    free(a);
}

static bool is_in(const struct arms *a, const struct arm *arm, const double *x)
{
    for (size_t i = 0; i < a->axes; i++)
        if (a->unordered[i] && x[i] != arm->point[i])
            return false;
    return true;
}

size_t arms_find(struct arms *a, const double *x)
{
    for (size_t i = 0; i < a->list.len; i++)
        if (is_in(a, &a->list.p[i], x))
            return i;
    struct arm arm = {.point = xcalloc(a->axes + 1, sizeof(*arm.point)),
                      .best = INFINITY};
    memcpy(arm.point, x, a->axes * sizeof(*x));
    vec_push(&a->list, arm);
    return a->list.len - 1;
}

void arms_note(struct arms *a, const double *x, double mean)
{
    size_t at = arms_find(a, x);
    struct arm *arm = &a->list.p[at];
    arm->best = fmin(arm->best, mean);
    arm->tries++;
    a->some_out = a->some_out || isinf(mean);
}

size_t arms_due(const struct arms *a, size_t besides)
{
    size_t due = besides;
    double least = INFINITY;
    for (size_t i = 0; i < a->list.len; i++) {
        const struct arm *arm = &a->list.p[i];
        size_t rank = 1;
        for (size_t j = 0; j < a->list.len; j++)
            rank += j != besides && a->list.p[j].best < arm->best;
        double weight = a->some_out ? sqrt((double)rank) : (double)rank;
        double score = (double)(arm->tries + 1) * weight;
        if (i != besides && score < least) {
            least = score;
            due = i;
        }
    }
    return due;
}

const double *arms_point(const struct arms *a, size_t arm)
{
    return a->list.p[arm].point;
}

double arms_best(const struct arms *a, size_t arm)
{
    return a->list.p[arm].best;
}
