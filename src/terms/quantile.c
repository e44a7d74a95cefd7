/* quantile.c - normal and beta distributions, there and back
 *
 * The normal quantile is Acklam's rational approximation (relative error
 * 1e-9) and one step of Halley's method against erfc, which leaves rounding
 * errors only. The beta distribution function is the usual continued fraction
 * (Lentz's method); its quantile is Newton's method on log x inside a
 * bracket, so that tiny shape parameters, whose quantiles span hundreds of
 * orders of magnitude, work like others. */
#include "terms/quantile.h"

#include <math.h>
#include <stddef.h>

#include "base/exact.h"

static double poly(const double *c, size_t n, double x)
{
    double sum = c[0];
    for (size_t i = 1; i < n; i++)
        sum = sum * x + c[i];
    return sum;
}

double normal_cdf(double x)
{
    return exact_normal_cdf(x);
}

static double normal_guess(double p)
{
    static const double a[] = {-3.969683028665376e+01, 2.209460984245205e+02,
                               -2.759285104469687e+02, 1.383577518672690e+02,
                               -3.066479806614716e+01, 2.506628277459239e+00};
    static const double b[] = {-5.447609879822406e+01, 1.615858368580409e+02,
                               -1.556989798598866e+02, 6.680131188771972e+01,
                               -1.328068155288572e+01, 1.0};
    static const double c[] = {-7.784894002430293e-03, -3.223964580411365e-01,
                               -2.400758277161838e+00, -2.549732539343734e+00,
                               4.374664141464968e+00,  2.938163982698783e+00};
    static const double d[] = {7.784695709041462e-03, 3.224671290700398e-01,
                               2.445134137142996e+00, 3.754408661907416e+00,
                               1.0};
    if (p < 0.02425) {
        double q = sqrt(-2 * exact_log(p));
        return poly(c, 6, q) / poly(d, 5, q);
    }
    double q = p - 0.5, r = q * q;
    return poly(a, 6, r) * q / poly(b, 6, r);
}

double normal_quantile(double p)
{
    /* 1 - p is exact in the upper half, so the lower half serves both. */
    if (p > 0.5)
        return -normal_quantile(1 - p);
    if (!(p > 0x1p-54))
        p = 0x1p-54;
    double x = normal_guess(p);
    double sqrt_tau = 2.50662827463100050242;
    double step = (normal_cdf(x) - p) * sqrt_tau * exact_exp_any(x * x / 2);
    return x - step / (1 + x * step / 2);
}

/* The continued fraction of the incomplete beta function; converges fast for
 * x < (a + 1) / (a + b + 2). */
static double beta_fraction(double x, double a, double b)
{
    const double tiny = 1e-300;
    double c = 1, d = 1 - (a + b) * x / (a + 1);
    d = 1 / (fabs(d) < tiny ? tiny : d);
    double sum = d;
    for (int m = 1; m <= 10000; m++) {
        double even = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m));
        double odd =
            -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1));
        double terms[2] = {even, odd}, change = 1;
        for (int i = 0; i < 2; i++) {
            d = 1 + terms[i] * d;
            d = 1 / (fabs(d) < tiny ? tiny : d);
            c = 1 + terms[i] / c;
            c = fabs(c) < tiny ? tiny : c;
            change = c * d;
            sum *= change;
        }
        if (fabs(change - 1) < 1e-16)
            break;
    }
    return sum;
}

/* log of x^a (1-x)^b / B(a, b), given both x and 1 - x. */
static double beta_log_power(double x, double y, double a, double b)
{
    double log_b =
        exact_log_gamma(a) + exact_log_gamma(b) - exact_log_gamma(a + b);
    return a * exact_log(x) + b * exact_log(y) - log_b;
}

/* The distribution function at x, where y is 1 - x. */
static double beta_lower(double x, double y, double a, double b)
{
    if (x <= 0)
        return 0;
    if (y <= 0)
        return 1;
    double power = exact_exp_any(beta_log_power(x, y, a, b));
    if (x < (a + 1) / (a + b + 2))
        return power * beta_fraction(x, a, b) / a;
    return 1 - power * beta_fraction(y, b, a) / b;
}

double beta_cdf(double x, double a, double b)
{
    return beta_lower(x, 1 - x, a, b);
}

/* The x in (0, 1/2] whose distribution function is p. */
static double beta_half(double p, double a, double b)
{
    double low = -745, high = -M_LN2, t = high;
    for (int i = 0; i < 200 && high - low > 1e-16 * fabs(high); i++) {
        double x = exact_exp_any(t);
        double f = beta_lower(x, 1 - x, a, b) - p;
        if (f == 0)
            break;
        if (f < 0)
            low = t;
        else
            high = t;
        /* The derivative by log x is the density times x. */
        double slope = exact_exp_any(beta_log_power(x, 1 - x, a, b)) / (1 - x);
        double next = t - f / slope;
        if (fabs(next - t) <= 1e-16 * fabs(t))
            break;
        t = next > low && next < high ? next : low + (high - low) / 2;
    }
    return exact_exp_any(t);
}

double beta_quantile(double p, double a, double b)
{
    if (!(p > 0))
        return 0;
    if (p >= 1)
        return 1;
    if (p <= beta_lower(0.5, 0.5, a, b))
        return beta_half(p, a, b);
    return 1 - beta_half(1 - p, b, a);
}
