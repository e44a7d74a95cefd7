/* signed_ranks.c - Wilcoxon's signed-rank test
 *
 * Up to 50 differences every one of the 2^n ways to give the ranks signs is
 * counted, ties included: ways[s] is how many have the doubled sum s (doubled,
 * so that shared ranks are whole). The counts stay below 2^53: all are exact.
 */
#include "base/signed_ranks.h"

#include <math.h>
#include <stdlib.h>
#include "base/err.h"

struct ranked_size {
    double size;
    size_t doubled; /* twice its rank */
    int sign;
};

static int by_size(const void *a, const void *b)
{
    double x = ((const struct ranked_size *)a)->size;
    double y = ((const struct ranked_size *)b)->size;
    return (x > y) - (x < y);
}

/* Gives the ranks; returns the sum of t^3 - t over the ties. */
static double give_ranks(struct ranked_size *list, size_t n)
{
    double ties = 0;
    qsort(list, n, sizeof(*list), by_size);
    for (size_t from = 0, to; from < n; from = to) {
        for (to = from + 1; to < n && list[to].size == list[from].size;)
            to++;
        double t = (double)(to - from);
        ties += t * t * t - t;
        for (size_t i = from; i < to; i++)
            list[i].doubled = from + to + 1;
    }
    return ties;
}

static double exact_p(const struct ranked_size *list, size_t n, size_t least)
{
    size_t all = n * (n + 1);
    double *ways = xcalloc(all + 1, sizeof(*ways)), below = 0;
    ways[0] = 1;
    for (size_t i = 0; i < n; i++)
        for (size_t s = all; s >= list[i].doubled; s--)
            ways[s] += ways[s - list[i].doubled];
    for (size_t s = 0; s <= least; s++)
        below += ways[s];
    free(ways);
    return fmin(1, 2 * ldexp(below, -(int)n));
}

static double normal_p(size_t n, double least, double ties)
{
    double k = (double)n;
    double middle = k * (k + 1) / 4;
    double spread = sqrt((k * (k + 1) * (2 * k + 1) - ties / 2) / 24);
    return erfc(fabs(least - middle) / spread / sqrt(2));
}

struct signed_ranks signed_ranks_of(const double *differences, size_t count)
{
    struct signed_ranks r = {.p = NAN};
    struct ranked_size *list = xcalloc(count + 1, sizeof(*list));
    for (size_t i = 0; i < count; i++)
        if (differences[i] != 0)
            list[r.count++] =
                (struct ranked_size){.size = fabs(differences[i]),
                                     .sign = differences[i] > 0 ? 1 : -1};
    double ties = give_ranks(list, r.count);
    for (size_t i = 0; i < r.count; i++)
        *(list[i].sign > 0 ? &r.plus : &r.minus) += (double)list[i].doubled / 2;
    double least = fmin(r.plus, r.minus);
    if (r.count > SIGNED_RANKS_EXACT)
        r.p = normal_p(r.count, least, ties);
    else if (r.count)
        r.p = exact_p(list, r.count, (size_t)(2 * least));
    free(list);
    return r;
}
