/* ranks.h - whether two lists of numbers rise together */
#ifndef THRONG_BASE_RANKS_H
#define THRONG_BASE_RANKS_H

#include <stddef.h>

/* Spearman's; equal numbers share the mean of their ranks. NaN where one of the
 * lists does not vary. */
double rank_correlation(const double *x, const double *y, size_t count);

#endif
