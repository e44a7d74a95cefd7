/* acquire.h - the points where the expected improvement is largest
 *
 * Inside search only. */
#ifndef THRONG_SEARCH_ACQUIRE_H
#define THRONG_SEARCH_ACQUIRE_H

#include "search/axes.h"
#include "search/surrogate.h"

/* Points found, best first. */
enum { ACQUIRE_FOUND = 8 };

struct acquire {
    struct surrogate *model;
    const struct axes *axes;
    const double *low, *high; /* of each numeric axis: where to look */
    const double *starts;     /* good points, `start_count` rows */
    size_t start_count;
    size_t candidates;   /* to begin with */
    const double *fixed; /* NULL, or a point whose choices are kept */
    uint64_t seed, trial;
    /* Gives axes that are not active their fixed code (and says which are
     * active); with `snap`, puts discrete ones into the middle of a cell. */
    void (*settle)(void *context, double *x, bool *active, bool snap);
    void *context;
};

/* `found` gets ACQUIRE_FOUND rows. */
void acquire_best(const struct acquire *a, double *found);

#endif
