/* cells.h - trials in the cells of two parameters: for heat and matrix */
#ifndef THRONG_FIGURE_CELLS_H
#define THRONG_FIGURE_CELLS_H

#include "figure/trials.h"

/* One side: its values, or equal parts of its range. */
struct cell_side {
    const char *const *names; /* of values; NULL: parts */
    size_t count;
    struct plot_axis axis; /* fitted */
    size_t left;           /* values that have no cell: there are too many */
    double *codes;         /* of each trial: its cell, or NaN */
};

struct cells {
    struct trials t;
    struct cell_side sides[2];
    double *n, *mean, *least, *most; /* by row (y), then column (x) */
    const double *shown;             /* the one that is asked for */
    const char *stat;                /* its name */
};

/* exact: values alone, at most so many; else parts where there are many. */
int cells_read(struct cells *c, const struct figure_asked *asked, bool exact,
               size_t most, struct plot *p, struct err *err);
/* Panel with shades, titles and table. */
struct plot_panel *cells_draw(const struct cells *c,
                              const struct figure_asked *asked, struct plot *p);

#endif
