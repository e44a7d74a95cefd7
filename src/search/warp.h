/* warp.h - values as a model wants them
 *
 * Inside search only. Losses far above the others are cut, then all are made
 * to have mean 0 and variance 1, bent by the Yeo-Johnson power that makes
 * them most like normal numbers, and standardised again (as HEBO does). The
 * order of values that are not cut stays. */
#ifndef THRONG_SEARCH_WARP_H
#define THRONG_SEARCH_WARP_H

#include <stddef.h>

/* What was done to the values, to undo it. */
struct warp {
    double scale; /* of large numbers */
    double mean, deviation, power, bent_mean, bent_deviation;
};

/* y in place. NaN stands for no value and becomes the worst one. *warp (or
 * NULL) gets what was done. */
void warp_losses(double *y, size_t count, struct warp *warp);
/* The value that a warped one stands for. */
double warp_back(const struct warp *warp, double y);

#endif
