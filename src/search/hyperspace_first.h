/* hyperspace_first.h - which sub-spaces come first
 *
 * Inside search only. Of 2^D sub-spaces most hold no result from elsewhere,
 * or few. But each result says something about D halves: a sub-space promises
 * as much as the halves that it is made of. */
#ifndef THRONG_SEARCH_HYPERSPACE_FIRST_H
#define THRONG_SEARCH_HYPERSPACE_FIRST_H

#include <stddef.h>
#include <stdint.h>

enum { MOST_SPLIT = 10 };

/* Results, and in which halves they lie. */
struct firsts {
    struct {
        double loss;
        uint32_t low, high; /* bit i: in that half of split parameter i */
    } * results;
    size_t count, cap;
};

/* A result without a value has a loss of INFINITY. */
void firsts_add(struct firsts *f, double loss, uint32_t low, uint32_t high);
/* The mean rank of the results in each half, 0 the best, 1 the worst, and 0.5
 * where there are none: [i][1] is the low half of split parameter i. */
void firsts_ranks(struct firsts *f, double (*ranks)[2], size_t split_count);
void firsts_done(struct firsts *f);

#endif
