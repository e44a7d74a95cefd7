/* vec.c - the growing behind vec.h's macros */
#include "base/vec.h"

#include <string.h>
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

void *vec_move(struct arena *a, void **p, size_t *len, size_t *cap, size_t item)
{
    void *to = arena_array(a, *len + 1, item);
    if (*len)
        memcpy(to, *p, *len * item);
    free(*p);
    *p = NULL;
    *len = *cap = 0;
    return to;
}
