/* kernel.h - how alike two points are: Matern 5/2 with a length for each axis
 *
 * Inside search only. With r^2 = sum of w_i (x_i - y_i)^2 over numeric axes
 * and of w_i where the choices differ over the others, the covariance is
 * scale (1 + t + t^2 / 3) exp(-t), t = sqrt(5) r. Differing choices are as
 * far apart as corners of a simplex, so the matrix stays positive definite. */
#ifndef THRONG_SEARCH_KERNEL_H
#define THRONG_SEARCH_KERNEL_H

#include <stdbool.h>
#include <stddef.h>

/* Rows of coded points, one column for each axis: u in [0,1] of a number, the
 * index of a choice; what is not active has a fixed code. */
struct samples {
    size_t axes, count;
    const bool *unordered; /* axes of choices */
    double **columns;
};

struct kernel {
    size_t axes;
    double *weights; /* 1 / length^2 */
    double scale, noise;
};

/* Squared distances of LINEAR_LANES points to rows from..to-1: point r has
 * at[axis * LINEAR_LANES + r]; the result stands at row * LINEAR_LANES + r. */
void kernel_distances(const struct kernel *k, const struct samples *s,
                      size_t from, size_t to, const double *at, double *out);
/* Squared distances of row i to rows 0..i-1. */
void kernel_row(const struct kernel *k, const struct samples *s, size_t i,
                double *out);
/* Replaces squared distances by covariances; slopes (or NULL) get their
 * derivatives by the squared distance. */
void kernel_apply(const struct kernel *k, double *r2, size_t count,
                  double *slopes);

#endif
