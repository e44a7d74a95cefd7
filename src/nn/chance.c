/* chance.c - random numbers of training */
#include "nn/chance.h"

#include <math.h>

uint64_t nn_draw_key(uint64_t step_key, int draw)
{
    uint64_t x = step_key + 0x9E3779B97F4A7C15u * (uint64_t)(draw + 1);
    x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9u;
    x = (x ^ (x >> 27)) * 0x94D049BB133111EBu;
    return x ^ (x >> 31);
}

struct nn_order nn_order_of(uint64_t seed, int64_t epoch, size_t count)
{
    uint64_t key = nn_draw_key(nn_draw_key(seed, 0), (int)epoch);
    struct nn_order o = {.count = (uint32_t)count};
    o.low = (uint32_t)fmax(NN_ORDER_SIDE, ceil(sqrt((double)count)));
    o.high = (uint32_t)((count + o.low - 1) / o.low);
    if (o.high < NN_ORDER_SIDE)
        o.high = NN_ORDER_SIDE;
    for (int i = 0; i < NN_ORDER_ROUNDS; i++)
        o.key[i] = nn_draw_key(key, i);
    return o;
}
