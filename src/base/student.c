/* student.c - Student's t distribution
 *
 * The part beyond t is the incomplete beta function I_x(df/2, 1/2) at
 * x = df / (df + t*t), by its continued fraction (Lentz's way of going along
 * it), on the side where that converges fast. Its factor holds
 * Gamma(a + 1/2) / Gamma(a), which is taken as a ratio: the difference of two
 * logarithms of large gammas would lose the digits that are wanted.
 *
 * With many degrees of freedom the fraction, too, would lose digits: x is near
 * 1 then, and the density falls as fast as the normal one, so that it is
 * integrated. */
#include "base/student.h"

#include <float.h>
#include <math.h>

#define PI 3.14159265358979323846
#define TURNS_MOST 10000
#define MANY_DF 100 /* from here on the density is integrated */

/* Gamma(a + 1/2) / Gamma(a): a series for large a, to which smaller ones are
 * brought step by step. */
static double gamma_ratio(double a)
{
    double factor = 1;
    while (a < 30) {
        factor *= a / (a + 0.5);
        a += 1;
    }
    double y = 1 / a;
    double sum =
        1 +
        y * (-1.0 / 8 + y * (1.0 / 128 +
                             y * (5.0 / 1024 +
                                  y * (-21.0 / 32768 +
                                       y * (-399.0 / 262144 +
                                            y * (869.0 / 4194304 +
                                                 y * (39325.0 / 33554432)))))));
    return factor * sqrt(a) * sum;
}

static double away_from_zero(double x)
{
    return fabs(x) < DBL_MIN ? DBL_MIN : x;
}

/* The continued fraction of I_x(a, b) behind its factor. */
static double fraction(double a, double b, double x)
{
    double c = 1, d = 1 / away_from_zero(1 - (a + b) * x / (a + 1)), h = d;
    for (int m = 1; m < TURNS_MOST; m++) {
        double even = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m));
        double odd =
            -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1));
        d = 1 / away_from_zero(1 + even * d);
        c = away_from_zero(1 + even / c);
        h *= d * c;
        d = 1 / away_from_zero(1 + odd * d);
        c = away_from_zero(1 + odd / c);
        h *= d * c;
        if (fabs(d * c - 1) < DBL_EPSILON)
            break;
    }
    return h;
}

static double density(double t, double df)
{
    return exp(-(df + 1) / 2 * log1p(t / df * t));
}

/* The integral of the density from t on, both sides: Gauss-Legendre, ten
 * points to each quarter. */
static double integrated(double t, double df)
{
    static const double at[] = {0.1488743389816312, 0.4333953941292472,
                                0.6794095682990244, 0.8650633666889845,
                                0.9739065285171717};
    static const double weight[] = {0.2955242247147529, 0.2692667193099963,
                                    0.2190863625159821, 0.1494513491505806,
                                    0.0666713443086881};
    double sum = 0, piece = 1, half = 0.125;
    for (double from = t; piece > 0 && piece > sum * DBL_EPSILON / 8;
         from += 2 * half) {
        piece = 0;
        for (int i = 0; i < 5; i++)
            piece += half * weight[i] *
                     (density(from + half * (1 - at[i]), df) +
                      density(from + half * (1 + at[i]), df));
        sum += piece;
    }
    return 2 * sum * gamma_ratio(df / 2) / sqrt(df * PI);
}

double student_two_sided(double t, double df)
{
    if (isnan(t) || !(df > 0))
        return NAN;
    t = fabs(t);
    if (t == 0 || isinf(t))
        return t == 0;
    if (df > MANY_DF)
        return fmin(1, integrated(t, df));
    double a = df / 2, ratio = t / df * t;
    double x = 1 / (1 + ratio), rest = ratio / (1 + ratio);
    /* x^a (1-x)^(1/2) / B(a, 1/2), with log1p: x is near 1 for large df. */
    double front =
        exp(-a * log1p(ratio)) * sqrt(rest) * gamma_ratio(a) / sqrt(PI);
    if (x < (a + 1) / (a + 2.5))
        return front * fraction(a, 0.5, x) / a;
    return 1 - front * fraction(0.5, a, rest) / 0.5;
}

double student_beyond(double p, double df)
{
    if (!(p > 0 && p <= 1) || !(df > 0))
        return NAN;
    double low = 0, high = 1;
    while (high < DBL_MAX / 2 && student_two_sided(high, df) > p)
        low = high, high *= 2;
    /* Halving ends when no number lies between: it cannot miss. */
    for (;;) {
        double middle = low + (high - low) / 2;
        if (middle <= low || middle >= high)
            return middle;
        if (student_two_sided(middle, df) > p)
            low = middle;
        else
            high = middle;
    }
}
