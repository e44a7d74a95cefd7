/* sobol.c - scrambled Sobol' points
 *
 * Direction numbers are those of Joe and Kuo (new-joe-kuo-6; SIAM J. Sci.
 * Comput. 30, 2008) for 32 dimensions. More dimensions come in blocks of 32,
 * each with the order of its points shuffled by a hash of its own (padding, as
 * in Burley, JCGT 9, 2020): within a block the points are as even as Sobol's,
 * between blocks as independent ones. Every coordinate is scrambled as Owen
 * proposed, by the hash of Laine and Karras. Point k depends on the seed and k
 * only. */
#include "search/sobol.h"

#include <stdlib.h>

#include "base/rng.h"
#include "search/options.h"
#include "search/strategy.h"
#include "search/unit.h"

enum { DIMENSIONS = 32, BITS = 32 };

/* Of each dimension but the first: the degree of its primitive polynomial,
 * the polynomial's inner coefficients, and the first direction numbers. */
static const struct {
    unsigned char degree, inner;
    unsigned char m[7];
} joe_kuo[DIMENSIONS - 1] = {
    {1, 0, {1}},
    {2, 1, {1, 3}},
    {3, 1, {1, 3, 1}},
    {3, 2, {1, 1, 1}},
    {4, 1, {1, 1, 3, 3}},
    {4, 4, {1, 3, 5, 13}},
    {5, 2, {1, 1, 5, 5, 17}},
    {5, 4, {1, 1, 5, 5, 5}},
    {5, 7, {1, 1, 7, 11, 19}},
    {5, 11, {1, 1, 5, 1, 1}},
    {5, 13, {1, 1, 1, 3, 11}},
    {5, 14, {1, 3, 5, 5, 31}},
    {6, 1, {1, 3, 3, 9, 7, 49}},
    {6, 13, {1, 1, 1, 15, 21, 21}},
    {6, 16, {1, 3, 1, 13, 27, 49}},
    {6, 19, {1, 1, 1, 15, 7, 5}},
    {6, 22, {1, 3, 1, 15, 13, 25}},
    {6, 25, {1, 1, 5, 5, 19, 61}},
    {7, 1, {1, 3, 7, 11, 23, 15, 103}},
    {7, 4, {1, 3, 7, 13, 13, 15, 69}},
    {7, 7, {1, 1, 3, 13, 7, 35, 63}},
    {7, 8, {1, 3, 5, 9, 1, 25, 53}},
    {7, 14, {1, 3, 1, 13, 9, 35, 107}},
    {7, 19, {1, 3, 1, 5, 27, 61, 31}},
    {7, 21, {1, 1, 5, 11, 19, 41, 61}},
    {7, 28, {1, 3, 5, 3, 3, 13, 69}},
    {7, 31, {1, 1, 7, 13, 1, 19, 1}},
    {7, 32, {1, 3, 7, 5, 13, 19, 59}},
    {7, 37, {1, 1, 3, 9, 25, 29, 41}},
    {7, 41, {1, 3, 5, 13, 23, 1, 55}},
    {7, 42, {1, 3, 7, 3, 13, 59, 17}},
};

static uint32_t reverse_bits(uint32_t x)
{
    x = (x & 0x55555555u) << 1 | (x >> 1 & 0x55555555u);
    x = (x & 0x33333333u) << 2 | (x >> 2 & 0x33333333u);
    x = (x & 0x0f0f0f0fu) << 4 | (x >> 4 & 0x0f0f0f0fu);
    return __builtin_bswap32(x);
}

/* Laine and Karras: a bit is changed only by the bits below it. */
static uint32_t hash_upwards(uint32_t x, uint32_t key)
{
    x += key;
    x ^= x * 0x6c50b47cu;
    x ^= x * 0xb82f1e52u;
    x ^= x * 0xc7afe638u;
    x ^= x * 0x8d22f6e6u;
    return x;
}

static uint32_t owen(uint32_t x, uint32_t key)
{
    return reverse_bits(hash_upwards(reverse_bits(x), key));
}

/* The bits of index, times the dimension's matrix. The directions v[i] are
 * made on the way, as the recurrence of the polynomial has them. */
static uint32_t coordinate(size_t dimension, uint32_t index)
{
    if (dimension == 0)
        return reverse_bits(index);
    unsigned degree = joe_kuo[dimension - 1].degree;
    unsigned inner = joe_kuo[dimension - 1].inner;
    uint32_t v[BITS], x = 0;
    for (unsigned i = 0; i < BITS && index >> i; i++) {
        if (i < degree) {
            v[i] = (uint32_t)joe_kuo[dimension - 1].m[i] << (BITS - 1 - i);
        } else {
            v[i] = v[i - degree] ^ v[i - degree] >> degree;
            for (unsigned k = 1; k < degree; k++)
                if (inner >> (degree - 1 - k) & 1)
                    v[i] ^= v[i - k];
        }
        if (index >> i & 1)
            x ^= v[i];
    }
    return x;
}

void sobol_at(uint64_t seed, uint64_t index, size_t count, double *u)
{
    struct rng keys;
    uint32_t at = (uint32_t)index;
    rng_init(&keys, seed, 0, "sobol");
    for (size_t i = 0; i < count; i++) {
        if (i % DIMENSIONS == 0 && i > 0) {
            /* Scrambling the index as if it were a coordinate keeps every
             * aligned power of two of points together. */
            at = owen((uint32_t)index, rng_u32(&keys));
        }
        uint32_t x = owen(coordinate(i % DIMENSIONS, at), rng_u32(&keys));
        u[i] = (double)x * 0x1p-32;
    }
}

struct sobol {
    struct unit unit;
    uint64_t seed;
};

static void *sobol_open(const struct search_setup *setup, struct err *err)
{
    if (options_read(setup->options, "sobol", NULL, 0, err))
        return NULL;
    struct sobol *s = xmalloc(sizeof(*s));
    s->seed = setup->seed;
    if (unit_init(&s->unit, setup->space, err)) {
        free(s);
        return NULL;
    }
    return s;
}

static void sobol_free(void *state)
{
    struct sobol *s = state;
    unit_done(&s->unit);
    free(s);
}

static enum search_answer sobol_ask(void *state, int64_t k, struct arena *a,
                                    struct suggestion *out, struct err *err)
{
    const struct sobol *s = state;
    size_t count = s->unit.space->count;
    double *u = arena_array(a, count + 1, sizeof(*u));
    (void)err;
    sobol_at(s->seed, (uint64_t)k - 1, count, u);
    out->point = unit_point(&s->unit, u, a);
    return SEARCH_HERE;
}

STRATEGY(sobol) = {
    .method = {.name = "sobol",
               .text =
                   "scrambled Sobol' points: even for any number of trials"},
    .open = sobol_open,
    .free = sobol_free,
    .ask = sobol_ask};
