/* chance.h - random numbers of training
 *
 * Inside nn only. All of them are hashes of (seed, epoch, step, operation,
 * index), the same on every device: there is no state to keep, and any of them
 * can be had without the ones before. */
#ifndef THRONG_NN_CHANCE_H
#define THRONG_NN_CHANCE_H

#include <math.h>
#include <stddef.h>
#include <stdint.h>

/* The same functions on a GPU. */
#ifdef __CUDACC__
#define NN_ANYWHERE static __host__ __device__ inline
#else
#define NN_ANYWHERE static inline
#endif

/* A 32-bit hash of (key, index): what dropout and sampling draw from. */
NN_ANYWHERE uint32_t nn_bits(uint64_t key, uint32_t index)
{
    uint32_t x = index * 0x9E3779B1u + (uint32_t)key;
    x ^= x >> 16;
    x *= 0x85EBCA6Bu;
    x ^= (uint32_t)(key >> 32);
    x ^= x >> 13;
    x *= 0xC2B2AE35u;
    x ^= x >> 16;
    return x;
}
/* The key of one row of many. */
NN_ANYWHERE uint64_t nn_row_key(uint64_t key, uint64_t row)
{
    uint64_t x = key + 0x9E3779B97F4A7C15u * (row + 1);
    x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9u;
    x = (x ^ (x >> 27)) * 0x94D049BB133111EBu;
    return x ^ (x >> 31);
}
/* The key of one drawing operation in one step. */
NN_ANYWHERE uint64_t nn_draw_key(uint64_t step_key, int draw)
{
    return nn_row_key(step_key, (uint64_t)draw);
}
/* The seed of one of several predictions; the first is what anybody else would
 * see. The keys are apart from those of training and judging. */
NN_ANYWHERE uint64_t nn_sample_seed(uint64_t seed, size_t sample)
{
    return sample ? nn_draw_key(seed, 16 + (int)sample) : seed;
}

/* The order of one epoch: which of `count` rows comes at each place. It is a
 * Feistel network on the pairs (i / low, i % low), whose halves are turned by
 * hashes of each other; what falls beyond the last row goes through it again
 * until it does not. So each place is known without the others. Sides of less
 * than 8 would mix few rows badly. */
enum { NN_ORDER_ROUNDS = 8, NN_ORDER_SIDE = 8 };
struct nn_order {
    uint32_t count, high, low;
    uint64_t key[NN_ORDER_ROUNDS];
};
NN_ANYWHERE struct nn_order nn_order_of(uint64_t seed, int64_t epoch,
                                        size_t count)
{
    const uint64_t key = nn_draw_key(nn_draw_key(seed, 0), (int)epoch);
    const double side = ceil(sqrt((double)count));
    struct nn_order o;
    o.count = (uint32_t)count;
    o.low = side > NN_ORDER_SIDE ? (uint32_t)side : NN_ORDER_SIDE;
    o.high = (uint32_t)((count + o.low - 1) / o.low);
    if (o.high < NN_ORDER_SIDE)
        o.high = NN_ORDER_SIDE;
    for (int i = 0; i < NN_ORDER_ROUNDS; i++)
        o.key[i] = nn_draw_key(key, i);
    return o;
}

/* One half, of 0..range-1, turned by a hash of the other; range is at most
 * 65536. */
NN_ANYWHERE uint32_t nn_order_turn(uint32_t half, uint32_t other, uint64_t key,
                                   uint32_t range)
{
    uint32_t x = (other + (uint32_t)key) * 0x9E3779B1u;
    x = (x ^ x >> 15) * ((uint32_t)(key >> 32) | 1);
    half += ((x >> 16) * range) >> 16;
    return half >= range ? half - range : half;
}

NN_ANYWHERE uint32_t nn_order_at(const struct nn_order *o, uint32_t place)
{
    do {
        uint32_t a = place / o->low, b = place % o->low;
        for (int k = 0; k < NN_ORDER_ROUNDS; k += 2) {
            a = nn_order_turn(a, b, o->key[k], o->high);
            b = nn_order_turn(b, a, o->key[k + 1], o->low);
        }
        place = a * o->low + b;
    } while (place >= o->count);
    return place;
}

#endif
