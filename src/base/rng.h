/* rng.h - random numbers from a counter (Philox 4x32-10)
 *
 * Everything random in throng is a pure function of (seed, stream, purpose,
 * index): no hidden state, so nothing depends on order or workers. */
#ifndef THRONG_BASE_RNG_H
#define THRONG_BASE_RNG_H

#include <stdint.h>
#include "base/str.h"

struct rng {
    uint64_t key;    /* from seed and purpose */
    uint64_t stream; /* a trial number, usually */
    uint64_t counter;
    uint32_t block[4];
    unsigned left; /* words of block not used yet */
};

void rng_init(struct rng *r, uint64_t seed, uint64_t stream,
              const char *purpose);
uint32_t rng_u32(struct rng *r);
uint64_t rng_u64(struct rng *r);
double rng_uniform(struct rng *r);             /* [0, 1), 53 bits */
uint64_t rng_below(struct rng *r, uint64_t n); /* [0, n), unbiased, n > 0 */
double rng_normal(struct rng *r);              /* takes two uniforms */
/* What rng_normal would give, up to ROUGHLY and not the same on every machine:
 * cheap, for asking whether that can be some number. */
#define ROUGHLY 1e-3
double rng_normal_roughly(struct rng *r);
void rng_skip(struct rng *r, uint64_t count); /* as so many uniforms */
/* Position k of a pseudo-random permutation of 0..n-1, without storing it. */
uint64_t rng_permute(uint64_t key, uint64_t k, uint64_t n);

#endif
