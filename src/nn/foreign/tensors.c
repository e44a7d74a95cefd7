/* tensors.c - arrays with names */
#include "nn/foreign/tensors.h"

#include <stdlib.h>

void tensors_init(struct tensors *t, const char *path)
{
    *t = (struct tensors){.arena = arena_new()};
    t->path = arena_cstr(t->arena, str_of(path));
}

void tensors_done(struct tensors *t)
{
    for (size_t i = 0; i < t->list.len; i++)
        free(t->list.p[i].numbers);
    vec_done(&t->list);
    arena_free(t->arena);
}

static bool count_of(int rank, const int64_t *dim, int64_t *count)
{
    *count = 1;
    for (int i = 0; i < rank; i++)
        if (dim[i] < 0 || __builtin_mul_overflow(*count, dim[i], count))
            return false;
    return rank <= TENSOR_RANK_MAX && *count < INT64_MAX / 16;
}

struct tensor *tensors_add(struct tensors *t, struct str name, int rank,
                           const int64_t *dim, struct err *err)
{
    struct tensor one = {.name = arena_str(t->arena, name), .rank = rank};
    if (!count_of(rank, dim, &one.count)) {
        err_set(err, ERR_INPUT, "%s: %.*s has a shape that no array has",
                t->path, STRF(name));
        return NULL;
    }
    memcpy(one.dim, dim, (size_t)rank * sizeof(*dim));
    one.numbers = calloc((size_t)one.count + 1, sizeof(*one.numbers));
    if (!one.numbers) {
        err_set(err, ERR_LIMIT, "%s: no memory for the %lld numbers of %.*s",
                t->path, (long long)one.count, STRF(name));
        return NULL;
    }
    vec_push(&t->list, one);
    return &vec_last(&t->list);
}

void tensor_shape_print(struct buf *b, const struct tensor *t)
{
    for (int i = 0; i < t->rank; i++)
        buf_addf(b, "%s%lld", i ? "×" : "", (long long)t->dim[i]);
    if (!t->rank)
        buf_adds(b, "one number");
}

int tensor_misfit(const struct tensors *t, const struct tensor *one,
                  struct str what, const struct nn_shape *wanted,
                  struct err *err)
{
    struct buf b;
    buf_init(&b);
    tensor_shape_print(&b, one);
    buf_adds(&b, ", which does not fit ");
    nn_shape_print(&b, wanted);
    err_set(err, ERR_INPUT,
            "%s: the shape of %.*s is %s, that of the model's %.*s", t->path,
            STRF(one->name), b.p, STRF(what));
    buf_done(&b);
    return -1;
}
