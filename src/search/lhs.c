/* lhs.c - Latin hypercubes
 *
 * A design of n points has, in every parameter, one point in each n-th of its
 * range. n is what run_cap allows. Points beyond it belong to further designs
 * of the same size. Point k depends on seed, n and k only. */
#include "search/strategy.h"

#include <stdlib.h>

#include "search/options.h"
#include "search/unit.h"

struct lhs {
    struct unit unit;
    uint64_t seed, size;
};

static uint64_t size_of(const struct search_setup *setup)
{
    uint64_t repeat = setup->repeat ? setup->repeat : 1;
    uint64_t cap = setup->run_cap > 0 ? (uint64_t)setup->run_cap : 0;
    return cap / repeat + (cap % repeat != 0);
}

static void *lhs_open(const struct search_setup *setup, struct err *err)
{
    double size = (double)size_of(setup);
    const struct option table[] = {{"size", true, 1, 0x1p53, &size}};
    if (options_read(setup->options, "lhs", table, 1, err))
        return NULL;
    if (size < 1) {
        err_set(err, ERR_INPUT,
                "method lhs needs run_cap, or lhs: {size: N}: it spreads that "
                "many points");
        return NULL;
    }
    struct lhs *l = xmalloc(sizeof(*l));
    l->seed = setup->seed;
    l->size = (uint64_t)size;
    if (unit_init(&l->unit, setup->space, err)) {
        free(l);
        return NULL;
    }
    return l;
}

static void lhs_free(void *state)
{
    struct lhs *l = state;
    unit_done(&l->unit);
    free(l);
}

static enum search_answer lhs_ask(void *state, int64_t k, struct arena *a,
                                  struct suggestion *out, struct err *err)
{
    const struct lhs *l = state;
    size_t count = l->unit.space->count;
    uint64_t design = ((uint64_t)k - 1) / l->size;
    uint64_t at = ((uint64_t)k - 1) % l->size;
    double *u = arena_array(a, count + 1, sizeof(*u));
    struct rng keys, places;
    (void)err;
    rng_init(&keys, l->seed, design, "lhs order");
    rng_init(&places, l->seed, (uint64_t)k, "lhs place");
    for (size_t i = 0; i < count; i++) {
        uint64_t cell = rng_permute(rng_u64(&keys), at, l->size);
        u[i] = ((double)cell + rng_uniform(&places)) / (double)l->size;
    }
    out->point = unit_point(&l->unit, u, a);
    return SEARCH_HERE;
}

STRATEGY(lhs) = {
    .method = {.name = "lhs",
               .text = "a Latin hypercube of run_cap points",
               .options = METHOD_OPTIONS({"size",
                                          "of a design, instead of run_cap"})},
    .open = lhs_open,
    .free = lhs_free,
    .ask = lhs_ask};
