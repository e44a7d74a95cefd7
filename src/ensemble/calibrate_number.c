/* calibrate_number.c - whether the spread of a number is what it should be
 *
 * Sd is taken as that of a normal distribution. Conformal intervals take
 * nothing: they hold for any distribution, as long as new rows are drawn like
 * those that are looked at here. */
#include <math.h>
#include <stdlib.h>

#include "base/err.h"
#include "base/exact.h"
#include "ensemble/ensemble.h"

static int by_size(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* What the product is short of a whole number by rounding is no rank more. */
double conformal_score(double *scores, size_t count, double alpha)
{
    double rank = ceil((double)(count + 1) * (1 - alpha) - 1e-9);
    qsort(scores, count, sizeof(*scores), by_size);
    if (!(rank <= (double)count))
        return INFINITY;
    return rank < 1 ? -INFINITY : scores[(size_t)rank - 1];
}

/* Where a normal distribution has this much below it. */
static double normal_quantile(double p)
{
    double low = -40, high = 40;
    for (int i = 0; i < 200; i++) {
        double middle = (low + high) / 2;
        if (exact_normal_cdf(middle) < p)
            low = middle;
        else
            high = middle;
    }
    return (low + high) / 2;
}

/* ---- ranks ----------------------------------------------------------------
 */

struct placed {
    double x;
    size_t at;
};

static int by_x(const void *a, const void *b)
{
    double x = ((const struct placed *)a)->x, y = ((const struct placed *)b)->x;
    return (x > y) - (x < y);
}

/* Equal numbers share theirs. */
static void rank_all(const double *x, size_t count, double *ranks)
{
    struct placed *all = xcalloc(count + 1, sizeof(*all));
    for (size_t i = 0; i < count; i++)
        all[i] = (struct placed){x[i], i};
    qsort(all, count, sizeof(*all), by_x);
    for (size_t i = 0, end; i < count; i = end) {
        for (end = i; end < count && all[end].x == all[i].x;)
            end++;
        for (size_t k = i; k < end; k++)
            ranks[all[k].at] = ((double)i + (double)end - 1) / 2;
    }
    free(all);
}

/* Spearman's; NaN where one of them does not vary. */
static double rank_correlation(const double *x, const double *y, size_t count)
{
    double *a = xcalloc(2 * count + 1, sizeof(*a)), *b = a + count;
    double middle = ((double)count - 1) / 2, both = 0, xx = 0, yy = 0;
    rank_all(x, count, a);
    rank_all(y, count, b);
    for (size_t i = 0; i < count; i++) {
        both += (a[i] - middle) * (b[i] - middle);
        xx += (a[i] - middle) * (a[i] - middle);
        yy += (b[i] - middle) * (b[i] - middle);
    }
    free(a);
    return xx > 0 && yy > 0 ? both / sqrt(xx * yy) : NAN;
}

/* ---- spreads --------------------------------------------------------------
 */

/* The continuous ranked probability score of a normal distribution, in units
 * of its sd. */
static double crps_of(double z)
{
    double density = exp(-z * z / 2) / sqrt(2 * M_PI);
    return z * (2 * exact_normal_cdf(z) - 1) + 2 * density - 1 / sqrt(M_PI);
}

/* Where a row has no spread at all nothing but the interval can be said of
 * it. */
static void judge_spread(const double *errors, const double *sd, size_t count,
                         double alpha, struct calibrated_number *to)
{
    double n = (double)count, wide = normal_quantile(1 - alpha / 2);
    double *scores = xcalloc(count + 1, sizeof(*scores));
    to->coverage = to->sharpness = to->nll = to->crps = 0;
    for (size_t i = 0; i < count; i++) {
        double z = errors[i] / sd[i];
        scores[i] = sd[i] > 0 ? z : errors[i] > 0 ? INFINITY : 0;
        to->coverage += (errors[i] <= wide * sd[i]) / n;
        to->sharpness += sd[i] / n;
        to->nll += (log(sd[i]) + log(2 * M_PI) / 2 + z * z / 2) / n;
        to->crps += (sd[i] > 0 ? sd[i] * crps_of(z) : errors[i]) / n;
    }
    to->rank_correlation = rank_correlation(sd, errors, count);
    to->interval_sd = conformal_score(scores, count, alpha);
    free(scores);
}

void calibrate_number(const double *predicted, const double *sd,
                      const double *truth, size_t count, double alpha,
                      struct calibrated_number *to)
{
    double *errors = xcalloc(count + 1, sizeof(*errors)), squares = 0, sum = 0;
    *to = (struct calibrated_number){.interval_sd = NAN,
                                     .coverage = NAN,
                                     .sharpness = NAN,
                                     .nll = NAN,
                                     .crps = NAN,
                                     .rank_correlation = NAN};
    for (size_t i = 0; i < count; i++) {
        errors[i] = fabs(predicted[i] - truth[i]);
        sum += errors[i];
        squares += errors[i] * errors[i];
    }
    to->mae = sum / (double)count;
    to->rmse = sqrt(squares / (double)count);
    if (sd)
        judge_spread(errors, sd, count, alpha, to);
    to->interval = conformal_score(errors, count, alpha);
    free(errors);
}
