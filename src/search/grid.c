/* grid.c - every point of the space's grid, once
 *
 * In an order whose beginning already covers the space, so that a grid that
 * is cut short has said something about all of it; or as the values are
 * written, the last parameter fastest. */
#include "search/strategy.h"

#include <stdlib.h>

#include "search/options.h"

enum grid_order { COVERING, WRITTEN };
static const char *const orders[] = {"covering", "written", NULL};

struct grid {
    const struct space *space;
    uint64_t count;
    size_t order;
};

static void *grid_open(const struct search_setup *setup, struct err *err)
{
    size_t order = setup->version == 1 ? WRITTEN : COVERING;
    const struct word_option words[] = {{"order", orders, &order}};
    const struct options known = {.words = words, .word_count = 1};
    if (options_read_all(setup->options, "grid", &known, err))
        return NULL;
    uint64_t count = space_grid_count(setup->space, err);
    if (!count)
        return NULL;
    struct grid *g = xmalloc(sizeof(*g));
    *g = (struct grid){setup->space, count, order};
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
    uint64_t at = (uint64_t)k - 1;
    (void)err;
    out->point = g->order == WRITTEN ? space_grid_point(g->space, at, a)
                                     : space_grid_spread(g->space, at, a);
    return SEARCH_HERE;
}

STRATEGY(grid) = {
    .method = {.name = "grid",
               .text = "every combination, once; early ones cover the space",
               .options = METHOD_OPTIONS({"order",
                                          "covering or written (covering)"})},
    .open = grid_open,
    .free = free,
    .total = grid_total,
    .ask = grid_ask};
