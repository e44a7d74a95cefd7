/* warp.h - values as a model wants them
 *
 * Inside search only. Losses far above the others are cut, then all are made
 * to have mean 0 and variance 1, bent by the Yeo-Johnson power that makes
 * them most like normal numbers, and standardised again (as HEBO does). The
 * order of values that are not cut stays. */
#ifndef THRONG_SEARCH_WARP_H
#define THRONG_SEARCH_WARP_H

#include <stddef.h>

/* y in place. NaN stands for no value and becomes the worst one. */
void warp_losses(double *y, size_t count);

#endif
