/* fit.h - the kernel that explains the values best
 *
 * Inside search only. Maximum a posteriori: log length ~ N(log 0.5, 1),
 * scale ~ Gamma(2, 1), noise ~ Gamma(1.1, 30), by L-BFGS. */
#ifndef THRONG_SEARCH_FIT_H
#define THRONG_SEARCH_FIT_H

#include "search/kernel.h"

/* Parameters are logarithms: of the lengths, then of scale and noise. */
enum { FIT_SCALE, FIT_NOISE, FIT_MORE };

void fit_start(double *theta, size_t axes);
void fit_kernel(struct kernel *k, const double *theta);
/* Minus the log posterior (up to a constant) and its gradient; INFINITY when
 * the matrix is not positive definite. */
double fit_loss(const struct samples *s, const double *y, const double *theta,
                double *gradient);
/* Improves theta in at most so many steps. */
void fit_improve(const struct samples *s, const double *y, double *theta,
                 int steps);

#endif
