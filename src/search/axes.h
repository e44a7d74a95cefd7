/* axes.h - the coordinates that a model of the space works on
 *
 * Inside search only. Constants are no coordinates. A categorical parameter
 * is an axis of unordered choices unless its values stand in an order; every
 * other one is a number in [0,1], with cells where it is discrete. */
#ifndef THRONG_SEARCH_AXES_H
#define THRONG_SEARCH_AXES_H

#include "search/search.h"

struct axis {
    size_t param;   /* index in the space */
    size_t choices; /* 0: a number */
    double *at;     /* u of each choice, the middle of its share */
    double *share;  /* of each choice under the space's distribution */
    bool discrete;  /* a number with cells */
};

struct axes {
    const struct space *space;
    struct axis *axis;
    size_t count;
};

void axes_init(struct axes *axes, const struct space *space);
void axes_done(struct axes *axes);
/* The choice that u stands for. */
size_t axis_choice(const struct axis *axis, double u);
/* The middle of u's cell; u itself on a continuous axis. */
double axis_snap(const struct axes *axes, size_t i, double u,
                 struct arena *scratch);
/* The width of u's cell, about; 0 on a continuous axis. */
double axis_cell(const struct axes *axes, size_t i, double u,
                 struct arena *scratch);

#endif
