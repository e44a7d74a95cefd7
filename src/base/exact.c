/* exact.c - transcendental functions that are the same on every machine */
#include "base/exact.h"

#include <math.h>
#include <stdint.h>
#include <string.h>

/* ln 2 in two pieces: a multiple of the first is exact. */
#define LN2_HIGH 0x1.62e42feep-1
#define LN2_LOW 0x1.a39ef35793c76p-33
#define LOG2_E 0x1.71547652b82fep0
#define LOG_SQRT_2_PI 0.91893853320467274178
#define SQRT_HALF 0.70710678118654752440
#define SQRT_2_PI 2.50662827463100050242

/* exp(x) = 2^e exp(t): adding 1.5 * 2^52 rounds to an integer and leaves e in
 * the low bits, from where it is moved to the exponent's place. No branch, so
 * that a loop over it can run in vectors. */
static inline double exp_of(double x)
{
    const double shifter = 0x1.8p52;
    x = x < -700 ? -700 : x > 700 ? 700 : x;
    double shifted = x * LOG2_E + shifter;
    double e = shifted - shifter;
    double t = (x - e * LN2_HIGH) - e * LN2_LOW;
    double sum = 1.0 / 6227020800;
    sum = sum * t + 1.0 / 479001600;
    sum = sum * t + 1.0 / 39916800;
    sum = sum * t + 1.0 / 3628800;
    sum = sum * t + 1.0 / 362880;
    sum = sum * t + 1.0 / 40320;
    sum = sum * t + 1.0 / 5040;
    sum = sum * t + 1.0 / 720;
    sum = sum * t + 1.0 / 120;
    sum = sum * t + 1.0 / 24;
    sum = sum * t + 1.0 / 6;
    sum = sum * t + 0.5;
    sum = sum * t + 1;
    sum = sum * t + 1;
    uint64_t bits;
    double scale;
    memcpy(&bits, &shifted, sizeof(bits));
    bits = (bits << 52) + (UINT64_C(1023) << 52);
    memcpy(&scale, &bits, sizeof(scale));
    return sum * scale;
}

double exact_exp(double x)
{
    return exp_of(x);
}

void exact_exp_many(double *x, size_t n)
{
    for (size_t i = 0; i < n; i++)
        x[i] = exp_of(x[i]);
}

/* x = m 2^e with m near 1, and log m = 2 atanh((m - 1) / (m + 1)) as a
 * series. */
double exact_log(double x)
{
    int e;
    double m = frexp(x, &e);
    if (m < 0.70710678118654752) {
        m *= 2;
        e--;
    }
    double s = (m - 1) / (m + 1), q = s * s;
    double sum = 1.0 / 23;
    sum = sum * q + 1.0 / 21;
    sum = sum * q + 1.0 / 19;
    sum = sum * q + 1.0 / 17;
    sum = sum * q + 1.0 / 15;
    sum = sum * q + 1.0 / 13;
    sum = sum * q + 1.0 / 11;
    sum = sum * q + 1.0 / 9;
    sum = sum * q + 1.0 / 7;
    sum = sum * q + 1.0 / 5;
    sum = sum * q + 1.0 / 3;
    double log_m = 2 * s + 2 * s * (sum * q);
    return e * LN2_HIGH + (e * LN2_LOW + log_m);
}

/* Phi for z > -1, by the series of (Phi - 1/2) / phi, whose terms all have
 * the sign of z. */
static double normal_below(double z, double density)
{
    double term = z, sum = z, square = z * z;
    if (z > 8)
        return 1;
    for (int k = 3; k < 400 && fabs(term) > 1e-17 * fabs(sum); k += 2) {
        term *= square / k;
        sum += term;
    }
    return 0.5 + density * sum;
}

/* For z <= -1, with t = -z: Phi(-t) / phi(t) = 1 / (t + c) with the continued
 * fraction c = 1 / (t + 2 / (t + 3 / …)), so that the improvement over phi is
 * 1 - t / (t + c) = c / (t + c), without cancellation. */
static double far_log_improvement(double t, double *slope)
{
    int depth = (int)(20 + 200 / (t * t));
    double c = t;
    for (int k = depth; k >= 2; k--)
        c = t + k / c;
    c = 1 / c;
    *slope = 1 / c;
    return -0.5 * t * t - LOG_SQRT_2_PI + exact_log(c / (t + c));
}

double exact_exp_any(double x)
{
    if (x > 710)
        return INFINITY;
    if (x < -746)
        return 0;
    if (fabs(x) <= 700)
        return exp_of(x);
    double root = exp_of(x / 2);
    return root * root;
}

/* Phi(-t) for t >= 1, see far_log_improvement. */
static double normal_far_below(double t)
{
    double c = t;
    for (int k = (int)(40 + 600 / (t * t)); k >= 2; k--)
        c = t + k / c;
    return exact_exp_any(-0.5 * t * t) / SQRT_2_PI / (t + 1 / c);
}

double exact_normal_cdf(double z)
{
    if (z <= -1)
        return normal_far_below(-z);
    if (z >= 1)
        return 1 - normal_far_below(z);
    return normal_below(z, exp_of(-0.5 * z * z) / SQRT_2_PI);
}

/* With x = |z| / sqrt 2: exp(x^2) erfc(x) is a polynomial of (x - 3) / (x + 3),
 * by its Chebyshev series for x up to 6, behind which nothing is left. */
double exact_normal_quick(double z)
{
    static const double c[] = {
        -4.3037150886316155e-8, -2.3075389831381784e-7, -1.7408616632883606e-7,
        1.3854621299527114e-6,  2.1641913224487908e-6,  -8.000159399390736e-6,
        -1.2881547120996433e-5, 6.4054184292970034e-5,  4.5257939479939268e-5,
        -5.9706118770385828e-4, 7.0774631015083332e-4,  4.2691362706715316e-3,
        -2.4392499316846512e-2, 7.1665837200083577e-2,  -0.15011593650075987,
        0.24560380171230475,    -0.32623356004303746,   0.17900115118139};
    double x = fabs(z) * SQRT_HALF, y = (x - 3) / (x + 3), sum = 0;
    if (x > 6)
        return z < 0 ? 0 : 1;
    for (size_t i = 0; i < sizeof(c) / sizeof(*c); i++)
        sum = sum * y + c[i];
    double below = 0.5 * exp_of(-x * x) * sum;
    return z < 0 ? below : 1 - below;
}

/* Stirling's series, which is exact enough from 10 on; before that by
 * Gamma(x) = Gamma(x + 1) / x. */
double exact_log_gamma(double x)
{
    double product = 1;
    for (; x < 10; x += 1)
        product *= x;
    double r = 1 / x, q = r * r;
    double sum = 1.0 / 156;
    sum = sum * q - 691.0 / 360360;
    sum = sum * q + 1.0 / 1188;
    sum = sum * q - 1.0 / 1680;
    sum = sum * q + 1.0 / 1260;
    sum = sum * q - 1.0 / 360;
    sum = sum * q + 1.0 / 12;
    return (x - 0.5) * exact_log(x) - x + LOG_SQRT_2_PI + sum * r -
           exact_log(product);
}

double exact_log_improvement(double z, double *slope)
{
    if (z <= -1)
        return far_log_improvement(-z, slope);
    double density = exact_exp(-0.5 * z * z) / SQRT_2_PI;
    double below = normal_below(z, density);
    double improvement = density + z * below;
    *slope = below / improvement;
    return exact_log(improvement);
}
