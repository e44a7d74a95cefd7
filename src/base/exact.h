/* exact.h - transcendental functions that are the same on every machine
 *
 * The C library's exp and log take other paths on other processors. These
 * are made of +, -, *, / and bits, which IEEE 754 defines; they are right to
 * about 2 units in the last place. Whatever makes a point or a decision uses
 * these. */
#ifndef THRONG_BASE_EXACT_H
#define THRONG_BASE_EXACT_H

#include <stddef.h>

double exact_exp(double x); /* x is cut to [-700, 700] */
double exact_log(double x); /* of a positive x */
/* exp(x) of any x: 0 and infinity far out. */
double exact_exp_any(double x);
double exact_normal_cdf(double z);
/* The same in a tenth of the time; of small ones only 4e-16 is right, not the
 * last digits. */
double exact_normal_quick(double z);
double exact_log_gamma(double x); /* of a positive x */
/* x[i] = exp(x[i]). */
void exact_exp_many(double *x, size_t n);
/* log(phi(z) + z Phi(z)), the logarithm of expected improvement in units of
 * sigma, right also where the improvement itself underflows. *slope is its
 * derivative. */
double exact_log_improvement(double z, double *slope);

#endif
