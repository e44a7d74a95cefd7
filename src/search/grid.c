/* grid.c - every point of the space's grid, once */
#include "search/strategy.h"

#include <stdlib.h>

struct grid {
    const struct space *space;
    uint64_t count;
};

static void *grid_open(const struct search_setup *setup, struct err *err)
{
    uint64_t count = space_grid_count(setup->space, err);
    if (!count)
        return NULL;
    struct grid *g = xmalloc(sizeof(*g));
    *g = (struct grid){setup->space, count};
    return g;
}

static int64_t grid_total(const void *state)
{
    const struct grid *g = state;
    return (int64_t)g->count;
}

static enum search_answer grid_ask(void *state, int64_t k, struct arena *a,
                                   struct suggestion *out, struct err *err)
{
    const struct grid *g = state;
    (void)err;
    out->point = space_grid_point(g->space, (uint64_t)k - 1, a);
    return SEARCH_HERE;
}

const struct strategy strategy_grid = {.name = "grid",
                                       .open = grid_open,
                                       .free = free,
                                       .total = grid_total,
                                       .ask = grid_ask};
