/* signed_ranks.h - Wilcoxon's signed-rank test
 *
 * Of differences that are symmetric around zero, if there is no effect. Zeros
 * are left out; equal sizes share the mean of their ranks. */
#ifndef THRONG_BASE_SIGNED_RANKS_H
#define THRONG_BASE_SIGNED_RANKS_H

#include <stddef.h>

#define SIGNED_RANKS_EXACT 50 /* of more differences p is the normal one */

struct signed_ranks {
    size_t count;       /* differences that are not zero */
    double plus, minus; /* sums of the ranks of those above and below zero */
    double p;           /* two-sided; NaN: there is no difference */
};
struct signed_ranks signed_ranks_of(const double *differences, size_t count);

#endif
