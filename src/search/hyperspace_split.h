/* hyperspace_split.h - halves of a parameter that overlap
 *
 * Inside search only. With L half of the range and an overlap of phi L, the
 * low half of a number is [min, min + L + phi L], the high one
 * [max - L - phi L, max]; whole numbers inside of these. Of n choices the low
 * half is the first m + ceil(phi m), the high one as many last, with m half of
 * n rounded down; where that leaves the middle one out, it is the low half's.
 */
#ifndef THRONG_SEARCH_HYPERSPACE_SPLIT_H
#define THRONG_SEARCH_HYPERSPACE_SPLIT_H

#include "search/search.h"

/* False for what has no bounds (normal and beta numbers), constants, and
 * single values. */
bool split_possible(const struct param *p);
/* The half of a parameter. own_scale: logarithmic kinds are halved on their
 * logarithms, else on their values as HyperSpace does. What it needs lives in
 * the arena. */
struct param split_half(const struct param *p, double phi, bool low,
                        bool own_scale, struct arena *a);

#endif
