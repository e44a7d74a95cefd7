/* exact.h - transcendental functions that are the same on every machine
 *
 * The C library's exp and log take other paths on other processors. These
 * are made of +, -, *, / and bits, which IEEE 754 defines; they are right to
 * about 2 units in the last place. Inside search only. */
#ifndef THRONG_SEARCH_EXACT_H
#define THRONG_SEARCH_EXACT_H

#include <stddef.h>

double exact_exp(double x); /* x is cut to [-700, 700] */
double exact_log(double x); /* of a positive, normal x */
/* x[i] = exp(x[i]). */
void exact_exp_many(double *x, size_t n);
/* log(phi(z) + z Phi(z)), the logarithm of expected improvement in units of
 * sigma, right also where the improvement itself underflows. *slope is its
 * derivative. */
double exact_log_improvement(double z, double *slope);

#endif
