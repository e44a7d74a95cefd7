/* ranks.h - whether two lists of numbers rise together */
#ifndef THRONG_BASE_RANKS_H
#define THRONG_BASE_RANKS_H

#include <stddef.h>

/* Spearman's; equal numbers share the mean of their ranks. NaN where one of the
 * lists does not vary, or holds what is not a number. */
double rank_correlation(const double *x, const double *y, size_t count);

/* For qsort of doubles: they rise, and what is not a number comes last. */
int number_order(const void *a, const void *b);

#endif
