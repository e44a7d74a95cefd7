/* points.c - points that somebody listed, in their order */
#include "search/strategy.h"

#include <stdlib.h>

struct points {
    const struct point_source *source;
};

static void *points_open(const struct search_setup *setup, struct err *err)
{
    if (!setup->points) {
        err_set(err, ERR_INPUT,
                "method points needs a list of points: give points or "
                "parameters_file");
        return NULL;
    }
    struct points *p = xmalloc(sizeof(*p));
    p->source = setup->points;
    return p;
}

static int64_t points_total(const void *state)
{
    const struct points *p = state;
    return (int64_t)p->source->count;
}

static enum search_answer points_ask(void *state, int64_t k, struct arena *a,
                                     struct suggestion *out, struct err *err)
{
    const struct points *p = state;
    if (p->source->get(p->source->context, (uint64_t)k - 1, a, &out->point,
                       &out->run_id, err))
        return SEARCH_ERROR;
    return SEARCH_HERE;
}

STRATEGY(points) = {.method = {.name = "points",
                               .text = "the points that the study lists",
                               .listing = LIST_IS},
                    .open = points_open,
                    .free = free,
                    .total = points_total,
                    .ask = points_ask};
