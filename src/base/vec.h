/* vec.h - a growing array of anything
 *
 *     VEC(int) v = {0};
 *     vec_push(&v, 7);
 *     for (size_t i = 0; i < v.len; i++) use(v.p[i]);
 *     vec_done(&v);
 */
#ifndef THRONG_BASE_VEC_H
#define THRONG_BASE_VEC_H

#include <stddef.h>
#include <stdlib.h>
#include "base/arena.h"

#define VEC(type)                                                              \
    struct {                                                                   \
        type *p;                                                               \
        size_t len, cap;                                                       \
    }

void vec_grow(void **p, size_t *cap, size_t need, size_t item);

#define vec_reserve(v, n)                                                      \
    ((n) > (v)->cap                                                            \
         ? vec_grow((void **)&(v)->p, &(v)->cap, (n), sizeof(*(v)->p))         \
         : (void)0)
#define vec_push(v, item)                                                      \
    (vec_reserve((v), (v)->len + 1), (v)->p[(v)->len++] = (item))
#define vec_last(v) ((v)->p[(v)->len - 1])
#define vec_done(v) (free((v)->p), (v)->p = NULL, (v)->len = (v)->cap = 0)

/* A copy of the items in the arena, with one of zeros behind them; the vec is
 * empty after this. */
#define vec_to_arena(a, v)                                                     \
    vec_move((a), (void **)&(v)->p, &(v)->len, &(v)->cap, sizeof(*(v)->p))
void *vec_move(struct arena *a, void **p, size_t *len, size_t *cap,
               size_t item);

#endif
