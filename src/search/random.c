/* random.c - points drawn from the parameters' distributions
 *
 * Point k comes from a generator of its own, keyed by seed and k. */
#include "search/strategy.h"

#include <stdlib.h>

struct random {
    const struct space *space;
    uint64_t seed;
};

static void *random_open(const struct search_setup *setup, struct err *err)
{
    (void)err;
    struct random *r = xmalloc(sizeof(*r));
    *r = (struct random){setup->space, setup->seed};
    return r;
}

static enum search_answer random_ask(void *state, int64_t k, struct arena *a,
                                     struct suggestion *out, struct err *err)
{
    const struct random *r = state;
    struct rng rng;
    (void)err;
    rng_init(&rng, r->seed, (uint64_t)k, "point");
    out->point = space_sample(r->space, &rng, a);
    return SEARCH_HERE;
}

STRATEGY(random) = {
    .method = {.name = "random", .text = "points drawn from the distributions"},
    .open = random_open,
    .free = free,
    .ask = random_ask};
