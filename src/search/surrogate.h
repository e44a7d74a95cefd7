/* surrogate.h - a Gaussian process: what is believed of points not tried
 *
 * Inside search only. Its rows are points with a value (low is good), then
 * points whose value is pending. A pending point counts as if its value were
 * what is believed of it (kriging believer): that leaves the mean as it is
 * and takes away the variance around it. A value may be in doubt: it then has
 * much noise, so that it says little against others next to it. */
#ifndef THRONG_SEARCH_SURROGATE_H
#define THRONG_SEARCH_SURROGATE_H

#include "search/kernel.h"

struct surrogate;

struct surrogate *surrogate_new(size_t axes, const bool *unordered);
void surrogate_free(struct surrogate *s);
/* Takes another kernel, by its logarithms (see fit.h). */
void surrogate_kernel(struct surrogate *s, const double *theta);
/* Keeps the first `rows` rows, adds others, and makes the model of them. A
 * kept row costs nothing but its part of the solves. */
void surrogate_keep(struct surrogate *s, size_t rows);
void surrogate_add(struct surrogate *s, const double *x, bool doubted);
void surrogate_finish(struct surrogate *s, const double *y, size_t told);

/* The rest is of LINEAR_LANES points at once: point r is
 * at[axis * LINEAR_LANES + r]. */
void surrogate_posterior(struct surrogate *s, const double *at, double *mean,
                         double *variance);
/* The logarithm of the expected improvement on the lowest mean of the rows,
 * and, unless NULL, its gradient, laid out as `at` (0 on axes of choices). */
void surrogate_improvement(struct surrogate *s, const double *at,
                           double *improvement, double *gradient);
/* Row (with a value that is not in doubt) of the lowest mean: the incumbent
 * under noise. */
size_t surrogate_incumbent(const struct surrogate *s);
/* What is believed of a row (with a value), noise taken off. */
double surrogate_mean(const struct surrogate *s, size_t row);
/* Improvement from here on is on this, until the next surrogate_finish. */
void surrogate_aim(struct surrogate *s, double lowest);
/* 1 / length^2 of each axis. */
const double *surrogate_weights(const struct surrogate *s);

#endif
