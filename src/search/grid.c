/* grid.c - every point of the space's grid, once
 *
 * In an order whose beginning already covers the space, so that a grid that
 * is cut short has said something about all of it; or as the values are
 * written, the last parameter fastest.
 *
 * Where points are listed beside the space, each of them is combined with each
 * point of the grid: a listed point with all of its grid, then the next, so
 * that a list that grows at its end changes no trial that is there. Nothing is
 * written out: a trial's point is made from its number. */
#include "search/strategy.h"

#include <stdlib.h>

#include "search/options.h"

enum grid_order { COVERING, WRITTEN };
static const char *const orders[] = {"covering", "written", NULL};

#define COUNT_MOST ((uint64_t)1 << 62)

struct grid {
    const struct space *space;
    const struct point_source *listed; /* or NULL */
    uint64_t count;                    /* of the space alone */
    size_t order;
};

static int check_count(uint64_t count, const struct point_source *listed,
                       struct err *err)
{
    if (!listed || listed->count == 0 || count <= COUNT_MOST / listed->count)
        return 0;
    return err_set(err, ERR_LIMIT,
                   "the grid with the listed points has more than 2^62 points");
}

static void *grid_open(const struct search_setup *setup, struct err *err)
{
    size_t order = setup->version == 1 ? WRITTEN : COVERING;
    const struct word_option words[] = {{"order", orders, &order}};
    const struct options known = {.words = words, .word_count = 1};
    if (options_read_all(setup->options, "grid", &known, err))
        return NULL;
    uint64_t count = space_grid_count(setup->space, err);
    if (!count || check_count(count, setup->points, err))
        return NULL;
    struct grid *g = xmalloc(sizeof(*g));
    *g = (struct grid){setup->space, setup->points, count, order};
    return g;
}

static int64_t grid_total(const void *state)
{
    const struct grid *g = state;
    return (int64_t)(g->count * (g->listed ? g->listed->count : 1));
}

static struct value *point_at(const struct grid *g, uint64_t at,
                              struct arena *a)
{
    return g->order == WRITTEN ? space_grid_point(g->space, at, a)
                               : space_grid_spread(g->space, at, a);
}

static enum search_answer grid_ask(void *state, int64_t k, struct arena *a,
                                   struct suggestion *out, struct err *err)
{
    const struct grid *g = state;
    uint64_t at = (uint64_t)k - 1;
    struct value *listed;
    struct str unused; /* one id of the person's would name many trials */
    struct value *own = point_at(g, at % g->count, a);
    out->point = own;
    if (!g->listed)
        return SEARCH_HERE;
    if (g->listed->get(g->listed->context, at / g->count, a, &listed, &unused,
                       err))
        return SEARCH_ERROR;
    out->point = value_copy(a, listed);
    value_join(a, out->point, own);
    return SEARCH_HERE;
}

STRATEGY(grid) = {
    .method = {.name = "grid",
               .text = "every combination, once; early ones cover the space",
               .exhausts = true,
               .listing = LIST_COMBINED,
               .options = METHOD_OPTIONS({"order",
                                          "covering or written (covering)"})},
    .open = grid_open,
    .free = free,
    .total = grid_total,
    .ask = grid_ask};
