/* hyperspace_first.c - which sub-spaces come first */
#include "search/hyperspace_first.h"

#include <stdlib.h>

#include "base/err.h"

void firsts_add(struct firsts *f, double loss, uint32_t low, uint32_t high)
{
    if (f->count == f->cap) {
        f->cap = f->cap ? f->cap * 2 : 64;
        f->results = xrealloc(f->results, f->cap * sizeof(*f->results));
    }
    f->results[f->count].loss = loss;
    f->results[f->count].low = low;
    f->results[f->count].high = high;
    f->count++;
}

/* The loss is the first member. */
static int by_loss(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Equal losses have equal ranks, so that the order of adding does not count:
 * the rank of a result is the share of all that are better, or as good. */
void firsts_ranks(struct firsts *f, double (*ranks)[2], size_t split_count)
{
    double counts[MOST_SPLIT][2] = {{0}}, sums[MOST_SPLIT][2] = {{0}};
    size_t behind = 0;
    if (f->count)
        qsort(f->results, f->count, sizeof(*f->results), by_loss);
    for (size_t k = 0; k < f->count; k++) {
        while (behind < f->count &&
               f->results[behind].loss <= f->results[k].loss)
            behind++;
        double rank = (double)behind / (double)f->count;
        for (size_t i = 0; i < split_count; i++) {
            unsigned in[2] = {f->results[k].high >> i & 1,
                              f->results[k].low >> i & 1};
            for (int low = 0; low < 2; low++) {
                counts[i][low] += in[low];
                sums[i][low] += in[low] * rank;
            }
        }
    }
    for (size_t i = 0; i < split_count; i++)
        for (int low = 0; low < 2; low++)
            ranks[i][low] =
                counts[i][low] > 0 ? sums[i][low] / counts[i][low] : 0.5;
}

void firsts_done(struct firsts *f)
{
    free(f->results);
    *f = (struct firsts){0};
}
