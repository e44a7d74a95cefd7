/* chance.c - random numbers of training */
#include "nn/chance.h"

#include <math.h>

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
