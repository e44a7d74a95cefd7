/* heat.c - a metric in the cells of two parameters */
#include "figure/cells.h"

#define VALUES_MAX 60

static int make(const struct figure_asked *asked, struct plot *p,
                struct err *err)
{
    struct cells *c = arena_new_of(p->arena, struct cells);
    if (cells_read(c, asked, false, VALUES_MAX, p, err))
        return -1;
    cells_draw(c, asked, p);
    return 0;
}

FIGURE(heat) = {
    .name = "heat",
    .summary = "a metric in the cells of two parameters",
    .takes = "metric where trials x y stat",
    .make = make,
};
