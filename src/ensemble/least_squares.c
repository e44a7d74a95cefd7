/* least_squares.c - least squares by numbers that are not below 0
 *
 * After Lawson and Hanson (1974), "Solving least squares problems", chapter 23,
 * on sums of products: x is 0 but for some of its numbers, which are as least
 * squares say; the one that promises most joins them, and those that would go
 * below 0 leave. Ends at the one answer there is. What is a sum of others
 * already (two members that say the same) is left at 0. */
#include <float.h>
#include <math.h>
#include <stdlib.h>

#include "base/err.h"
#include "base/linear.h"
#include "ensemble/ensemble.h"

struct solving {
    const double *products, *wanted;
    size_t count;
    bool *in, *useless;
    size_t *list; /* those that are in */
    size_t used;
    double *factor, *trial;
};

static void list_those_in(struct solving *s)
{
    s->used = 0;
    for (size_t i = 0; i < s->count; i++)
        if (s->in[i])
            s->list[s->used++] = i;
}

/* Cholesky's factor of the products of those that are in; false: one of them
 * is a sum of the others. */
static bool factorise(struct solving *s)
{
    size_t n = s->used;
    for (size_t i = 0; i < n; i++)
        for (size_t k = 0; k <= i; k++)
            s->factor[i * n + k] =
                s->products[s->list[i] * s->count + s->list[k]];
    if (cholesky_extend(s->factor, n, 0, n))
        return false;
    for (size_t i = 0; i < n; i++) {
        double own = s->factor[i * n + i];
        size_t at = s->list[i];
        if (!(own * own > 1e-13 * s->products[at * s->count + at]))
            return false;
    }
    return true;
}

static bool solve(struct solving *s)
{
    list_those_in(s);
    if (!factorise(s))
        return false;
    for (size_t i = 0; i < s->used; i++)
        s->trial[i] = s->wanted[s->list[i]];
    solve_lower_one(s->factor, s->used, s->used, s->trial);
    solve_upper_one(s->factor, s->used, s->used, s->trial);
    return true;
}

/* How far x may go to what was solved without a number below 0; whoever is 0
 * then leaves. True: all the way. */
static bool step(struct solving *s, double *x)
{
    double most = 1;
    size_t first = s->used;
    for (size_t i = 0; i < s->used; i++) {
        double from = x[s->list[i]], to = s->trial[i];
        double part = to > 0 ? 1 : from / (from - to);
        if (to <= 0 && (first == s->used || part < most)) {
            most = part;
            first = i;
        }
    }
    for (size_t i = 0; i < s->used; i++) {
        size_t at = s->list[i];
        x[at] = first == s->used ? s->trial[i]
                                 : x[at] + most * (s->trial[i] - x[at]);
        if (first < s->used && (i == first || x[at] <= 0)) {
            x[at] = 0;
            s->in[at] = false;
        }
    }
    return first == s->used;
}

/* The slope of the number whose growth would help most; none: -1. */
static long next_of(const struct solving *s, const double *x)
{
    double best = 0;
    long found = -1;
    for (size_t i = 0; i < s->count; i++) {
        double slope = s->wanted[i], size = fabs(slope);
        for (size_t k = 0; k < s->count; k++) {
            slope -= s->products[i * s->count + k] * x[k];
            size += fabs(s->products[i * s->count + k] * x[k]);
        }
        if (!s->in[i] && !s->useless[i] && slope > 16 * DBL_EPSILON * size &&
            slope > best) {
            best = slope;
            found = (long)i;
        }
    }
    return found;
}

static void take_in(struct solving *s, size_t which, double *x)
{
    s->in[which] = true;
    if (!solve(s)) {
        s->in[which] = false;
        s->useless[which] = true;
        return;
    }
    while (!step(s, x) && solve(s))
        ;
}

void least_squares(const double *products, const double *wanted, size_t count,
                   double *x)
{
    struct solving s = {.products = products, .wanted = wanted, .count = count};
    long which;
    s.in = xcalloc(2 * count + 1, sizeof(*s.in));
    s.useless = s.in + count;
    s.list = xcalloc(count + 1, sizeof(*s.list));
    s.factor = xcalloc(count * count + count + 1, sizeof(*s.factor));
    s.trial = s.factor + count * count;
    for (size_t i = 0; i < count; i++)
        x[i] = 0;
    for (size_t turn = 0; turn < 30 * count + 30; turn++) {
        if ((which = next_of(&s, x)) < 0)
            break;
        take_in(&s, (size_t)which, x);
    }
    free(s.in);
    free(s.list);
    free(s.factor);
}
