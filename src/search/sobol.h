/* sobol.h - scrambled Sobol' points, without state
 *
 * Inside search only. */
#ifndef THRONG_SEARCH_SOBOL_H
#define THRONG_SEARCH_SOBOL_H

#include <stddef.h>
#include <stdint.h>

/* Coordinates 0 … count-1 of point `index` (from 0) of the sequence that
 * belongs to the seed, each in [0,1). Only the last 32 bits of the index
 * count. */
void sobol_at(uint64_t seed, uint64_t index, size_t count, double *u);

#endif
