/* quantile.c - numbers as the part of the training rows that lie below them
 *
 * `scale: quantile` makes every column even between 0 and 1, whatever its
 * shape: between LANDMARKS points that divide its training rows into equal
 * parts a number goes on a straight line. Equal points stand for a value that
 * many rows have: it becomes the middle of them. */
#include <math.h>

#include "data/set.h"

/* Where x would come in a list that rises: the first that is not below it, or
 * the first that is above it. */
static size_t first_from(const float *points, float x, bool above)
{
    size_t low = 0, high = DATA_LANDMARKS;
    while (low < high) {
        size_t middle = (low + high) / 2;
        if (points[middle] < x || (above && points[middle] == x))
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

float data_quantile_of(const float *points, float x)
{
    const double parts = DATA_LANDMARKS - 1;
    if (isnan(x) || x <= points[0])
        return isnan(x) ? x : 0;
    if (x >= points[DATA_LANDMARKS - 1])
        return 1;
    size_t from = first_from(points, x, false),
           to = first_from(points, x, true);
    if (from < to) /* one or several points are x */
        return (float)((double)(from + to - 1) / 2 / parts);
    double low = (double)points[from - 1], high = (double)points[from];
    return (float)(((double)(from - 1) + ((double)x - low) / (high - low)) /
                   parts);
}

const float *data_landmarks(const struct data_view *v,
                            const struct data_field *f, struct arena *a)
{
    size_t columns = (size_t)f->columns;
    struct arena *scratch = arena_new();
    float *sorted = arena_array(scratch, v->train.count + 1, sizeof(*sorted));
    float *to = arena_array(a, columns * DATA_LANDMARKS, sizeof(*to));
    for (size_t c = 0; c < columns; c++) {
        size_t count = data_sorted(f, c, &v->train, sorted);
        for (size_t k = 0; count && k < DATA_LANDMARKS; k++)
            to[c * DATA_LANDMARKS + k] = (float)data_quantile(
                sorted, count, (double)k / (DATA_LANDMARKS - 1));
    }
    arena_free(scratch);
    return to;
}
