/* ranks.c - ranks, of which equal numbers share theirs */
#include "base/ranks.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>

#include "base/err.h"

struct placed {
    double x;
    size_t at;
};

int number_order(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    if (isnan(x) || isnan(y))
        return isnan(x) - isnan(y);
    return (x > y) - (x < y);
}

static int by_x(const void *a, const void *b)
{
    return number_order(&((const struct placed *)a)->x,
                        &((const struct placed *)b)->x);
}

/* Equal numbers share theirs. */
static void rank_all(const double *x, size_t count, double *ranks)
{
    struct placed *all = xcalloc(count + 1, sizeof(*all));
    for (size_t i = 0; i < count; i++)
        all[i] = (struct placed){x[i], i};
    qsort(all, count, sizeof(*all), by_x);
    for (size_t i = 0, end; i < count; i = end) {
        for (end = i; end < count && by_x(&all[end], &all[i]) == 0;)
            end++;
        for (size_t k = i; k < end; k++)
            ranks[all[k].at] = ((double)i + (double)end - 1) / 2;
    }
    free(all);
}

static bool are_numbers(const double *x, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (isnan(x[i]))
            return false;
    return true;
}

double rank_correlation(const double *x, const double *y, size_t count)
{
    if (!are_numbers(x, count) || !are_numbers(y, count))
        return NAN;
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
