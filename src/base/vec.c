/* vec.c - the growing behind vec.h's macros */
#include "base/vec.h"

#include "base/err.h"

void vec_grow(void **p, size_t *cap, size_t need, size_t item)
{
    size_t next = *cap < 8 ? 8 : *cap + *cap / 2;
    if (next < need)
        next = need;
    size_t bytes;
    require(!__builtin_mul_overflow(next, item, &bytes));
    *p = xrealloc(*p, bytes);
    *cap = next;
}
