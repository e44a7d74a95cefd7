/* rng.c - random numbers from a counter (Philox 4x32-10)
 *
 * Salmon, Moraes, Dror, Shaw: "Parallel random numbers: as easy as 1, 2, 3"
 * (SC 2011). The counter of the cipher is (counter, stream), its key is made
 * of seed and purpose.
 *
 * A study must come out bit-equal on every machine, and the C library's log,
 * exp and cos do not: they take other paths on other processors. So the
 * transcendental functions needed here are made of +, -, *, / and sqrt, which
 * IEEE 754 defines to the last bit: the logarithm in exact.c, the cosine here.
 */
#include "base/rng.h"

#include <math.h>

#include "base/err.h"
#include "base/exact.h"
#include "base/hash.h"

static void philox_round(uint32_t c[4], uint32_t key0, uint32_t key1)
{
    uint64_t p0 = UINT64_C(0xD2511F53) * c[0];
    uint64_t p1 = UINT64_C(0xCD9E8D57) * c[2];
    c[0] = (uint32_t)(p1 >> 32) ^ c[1] ^ key0;
    c[1] = (uint32_t)p1;
    c[2] = (uint32_t)(p0 >> 32) ^ c[3] ^ key1;
    c[3] = (uint32_t)p0;
}

static void philox(uint32_t c[4], uint64_t key)
{
    uint32_t key0 = (uint32_t)key, key1 = (uint32_t)(key >> 32);
    for (unsigned i = 0; i < 10; i++) {
        philox_round(c, key0, key1);
        key0 += 0x9E3779B9;
        key1 += 0xBB67AE85;
    }
}

void rng_init(struct rng *r, uint64_t seed, uint64_t stream,
              const char *purpose)
{
    *r = (struct rng){.key = hash64(str_of(purpose), seed), .stream = stream};
}

static void next_block(struct rng *r)
{
    r->block[0] = (uint32_t)r->counter;
    r->block[1] = (uint32_t)(r->counter >> 32);
    r->block[2] = (uint32_t)r->stream;
    r->block[3] = (uint32_t)(r->stream >> 32);
    philox(r->block, r->key);
    r->counter++;
    r->left = 4;
}

uint32_t rng_u32(struct rng *r)
{
    if (r->left == 0)
        next_block(r);
    return r->block[4 - r->left--];
}

uint64_t rng_u64(struct rng *r)
{
    if (r->left == 0)
        next_block(r);
    if (r->left >= 2) {
        const uint32_t *words = r->block + 4 - r->left;
        r->left -= 2;
        return words[0] | (uint64_t)words[1] << 32;
    }
    uint64_t low = rng_u32(r);
    return low | (uint64_t)rng_u32(r) << 32;
}

double rng_uniform(struct rng *r)
{
    return (double)(rng_u64(r) >> 11) * 0x1p-53;
}

void rng_skip(struct rng *r, uint64_t count)
{
    uint64_t words = 2 * count;
    uint64_t here = words < r->left ? words : r->left;
    r->left -= (unsigned)here;
    r->counter += (words - here) / 4;
    for (uint64_t i = (words - here) % 4; i > 0; i--)
        rng_u32(r);
}

uint64_t rng_below(struct rng *r, uint64_t n)
{
    require(n > 0);
    /* The first 2^64 mod n numbers would favour the small remainders. */
    uint64_t unfair = (0 - n) % n;
    uint64_t x;
    do
        x = rng_u64(r);
    while (x < unfair);
    return x % n;
}

/* cos(2 pi u) for u in [0, 1): folded by symmetry to an angle of at most a
 * quarter of pi, where it is the series of the cosine or of the sine. Which
 * one is as good as a toss: choosing numbers is cheaper than a branch that no
 * processor can foresee. */
static double cos_turns(double u)
{
    static const double divisors[2][9] = {
        {306, 240, 182, 132, 90, 56, 30, 12, 2},   /* k (k - 1), even k */
        {342, 272, 210, 156, 110, 72, 42, 20, 6}}; /* odd k */
    u = u > 0.5 ? 1 - u : u;
    double sign = u > 0.25 ? -1 : 1;
    u = u > 0.25 ? 0.5 - u : u;
    bool sine = u > 0.125;
    double x = 6.283185307179586477 * (sine ? 0.25 - u : u);
    double q = x * x, sum = 1;
    for (int i = 0; i < 9; i++)
        sum = 1 - sum * q / divisors[sine][i];
    return sign * (sum * (sine ? x : 1));
}

/* Box-Muller. The sine half is not kept for the next call: a normal number
 * always takes two uniform ones, whatever was drawn before. */
double rng_normal(struct rng *r)
{
    double radius = 1 - rng_uniform(r); /* (0, 1] */
    double angle = rng_uniform(r);
    return sqrt(-2 * exact_log(radius)) * cos_turns(angle);
}

/* Where the logarithm is near 0, its square root is as rough as ROUGHLY. */
double rng_normal_roughly(struct rng *r)
{
    float radius = (float)(1 - rng_uniform(r));
    float angle = (float)rng_uniform(r);
    return sqrtf(-2 * logf(radius)) * cosf(6.2831853f * angle);
}

/* The bits of x stirred well (the finalizer of splitmix64). */
static uint64_t stir(uint64_t x)
{
    x = (x ^ x >> 30) * UINT64_C(0xBF58476D1CE4E5B9);
    x = (x ^ x >> 27) * UINT64_C(0x94D049BB133111EB);
    return x ^ x >> 31;
}

/* A Feistel network permutes the numbers of 2 * half bits, of which there are
 * fewer than 4n; those that are n or more are passed on through it again until
 * they fall below n. */
uint64_t rng_permute(uint64_t key, uint64_t k, uint64_t n)
{
    require(k < n);
    unsigned half = 1;
    while (half < 32 && (n - 1) >> (2 * half))
        half++;
    uint64_t mask = (UINT64_C(1) << half) - 1;
    uint64_t stirred = stir(key + UINT64_C(0x9E3779B97F4A7C15));
    do {
        uint64_t left = k >> half, right = k & mask;
        for (uint64_t round = 1; round <= 8; round++) {
            uint64_t mixed = stir(stirred + (right << 8 | round));
            uint64_t next = left ^ (mixed >> 32 & mask);
            left = right;
            right = next;
        }
        k = left << half | right;
    } while (k >= n);
    return k;
}
