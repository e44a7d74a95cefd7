/* mixture.h - densities over coded points: a sum of kernels
 *
 * Inside search only. A kernel is a point and a product of one-dimensional
 * densities around it: normal ones cut to [0,1] for parameters that are
 * numbers, probabilities of cells for those with few values. Where the
 * kernel's point has no value (the parameter was not active) the density is
 * that of the prior, so that points with different active parameters can be
 * compared. The last kernel is the prior itself. */
#ifndef THRONG_SEARCH_MIXTURE_H
#define THRONG_SEARCH_MIXTURE_H

#include "base/rng.h"
#include "search/unit.h"

enum axis_kind {
    AXIS_FIXED,  /* has one value: no part of the model */
    AXIS_REAL,   /* a number, or very many cells */
    AXIS_CELLS,  /* a few ordered values */
    AXIS_CHOICE, /* values without an order */
};

struct mixture_axis {
    enum axis_kind kind;
    size_t cells;
    double *edges; /* of CELLS and CHOICE: cells + 1, from 0 to 1 */
    double least;  /* the least bandwidth that makes sense; REAL */
};

/* The axes of a space, one for each parameter; yours to free. */
struct mixture_axis *mixture_axes_new(const struct space *space);
void mixture_axes_free(struct mixture_axis *axes, size_t count);
/* The cell that u is in; NaN gives the number of cells. */
size_t mixture_axis_cell(const struct mixture_axis *axis, double u);

struct kernels; /* one axis of a mixture */

struct mixture {
    const struct mixture_axis *axes;
    size_t width, count; /* count: the prior too */
    size_t cap;
    double *weights; /* they add up to 1 */
    double *scratch;
    struct kernels *kernels;
};

void mixture_init(struct mixture *m, const struct mixture_axis *axes,
                  size_t width);
void mixture_done(struct mixture *m);
/* How wide kernels are. */
struct width {
    enum {
        WIDTH_COUNT,  /* alike, by how many there are */
        WIDTH_SPREAD, /* alike, by how far apart they are, times `scale` */
        WIDTH_NEAR,   /* each by the distance to its neighbours, times
                         `scale`; of up to 64 */
    } rule;
    double scale;
};

/* One kernel for each row, with its weight, and the prior with weight 1. */
void mixture_fit(struct mixture *m, const struct history *h, const size_t *rows,
                 const double *weights, size_t count, struct width width);
/* Draws a point from the prior, or from a kernel; every parameter gets a
 * number, also those that will turn out not to be active. */
void mixture_draw(const struct mixture *m, struct rng *r, double *u);
/* The same of one axis by itself, whatever kernel the others come from. */
double mixture_draw_axis(const struct mixture *m, size_t axis, struct rng *r);
/* The logarithms of one axis' own density at `count` places. */
void mixture_log_axis(const struct mixture *m, size_t axis, const double *u,
                      size_t count, double *logs);
/* The logarithms of the density at `count` points, one behind the other in
 * u; parameters that are NaN do not count. */
void mixture_log(const struct mixture *m, const double *u, size_t count,
                 double *logs);

#endif
