/* ranks.c - ranks, of which equal numbers share theirs */
#include "base/ranks.h"

#include <math.h>
#include <stdlib.h>

#include "base/err.h"

struct placed {
    double x;
    size_t at;
};

static int by_x(const void *a, const void *b)
{
    double x = ((const struct placed *)a)->x, y = ((const struct placed *)b)->x;
    return (x > y) - (x < y);
}

/* Equal numbers share theirs. */
static void rank_all(const double *x, size_t count, double *ranks)
{
    struct placed *all = xcalloc(count + 1, sizeof(*all));
    for (size_t i = 0; i < count; i++)
        all[i] = (struct placed){x[i], i};
    qsort(all, count, sizeof(*all), by_x);
    for (size_t i = 0, end; i < count; i = end) {
        for (end = i; end < count && all[end].x == all[i].x;)
            end++;
        for (size_t k = i; k < end; k++)
            ranks[all[k].at] = ((double)i + (double)end - 1) / 2;
    }
    free(all);
}

double rank_correlation(const double *x, const double *y, size_t count)
{
    double *a = xcalloc(2 * count + 1, sizeof(*a)), *b = a + count;
    double middle = ((double)count - 1) / 2, both = 0, xx = 0, yy = 0;
    rank_all(x, count, a);
    rank_all(y, count, b);
    for (size_t i = 0; i < count; i++) {
        both += (a[i] - middle) * (b[i] - middle);
        xx += (a[i] - middle) * (a[i] - middle);
        yy += (b[i] - middle) * (b[i] - middle);
    }
    free(a);
    return xx > 0 && yy > 0 ? both / sqrt(xx * yy) : NAN;
}
