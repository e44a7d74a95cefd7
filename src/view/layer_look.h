/* layer_look.h - what stands out in the rows of a layer (inside of view) */
#ifndef THRONG_VIEW_LAYER_LOOK_H
#define THRONG_VIEW_LAYER_LOOK_H

#include "view/view.h"

/* principal.c */
struct principal {
    size_t count, columns; /* of directions; of a row */
    double *mean;
    double *directions; /* count × columns, each of length 1 */
    double *explained;  /* by direction: its share of the variance */
};
/* `count` and `columns` are said; the rest lives in the arena. */
void principal_fit(struct principal *p, const double *rows, size_t count,
                   struct arena *a);
double principal_at(const struct principal *p, size_t component,
                    const double *row);

/* clusters.c: the group of each row, from 0; gives the sum of squares of the
 * distances to the centres. At most as many groups as rows. */
double clusters_find(const double *rows, size_t count, size_t columns,
                     size_t groups, size_t *to);
/* How well each row lies in its group, from -1 to 1. */
void clusters_silhouettes(const double *rows, size_t count, size_t columns,
                          size_t groups, const size_t *group, double *to);

#endif
