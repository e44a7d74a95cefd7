/* calibrate_number.c - whether the spread of a number is what it should be
 *
 * Sd is taken as that of a normal distribution. Conformal intervals take
 * nothing: they hold for any distribution, as long as new rows are drawn like
 * those that are looked at here. */
#include <math.h>
#include <stdlib.h>

#include "base/err.h"
#include "base/exact.h"
#include "base/ranks.h"
#include "ensemble/ensemble.h"

/* What the product is short of a whole number by rounding is no rank more. */
double conformal_score(double *scores, size_t count, double alpha)
{
    double rank = ceil((double)(count + 1) * (1 - alpha) - 1e-9);
    qsort(scores, count, sizeof(*scores), number_order);
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
    size_t inside = 0;
    double *scores = xcalloc(count + 1, sizeof(*scores));
    to->sharpness = to->nll = to->crps = 0;
    for (size_t i = 0; i < count; i++) {
        double z = errors[i] / sd[i];
        scores[i] = sd[i] > 0 ? z : errors[i] > 0 ? INFINITY : 0;
        inside += errors[i] <= wide * sd[i];
        to->sharpness += sd[i] / n;
        to->nll += (log(sd[i]) + log(2 * M_PI) / 2 + z * z / 2) / n;
        to->crps += (sd[i] > 0 ? sd[i] * crps_of(z) : errors[i]) / n;
    }
    to->coverage = (double)inside / n;
    for (size_t k = 0; k < 9; k++) {
        double part = normal_quantile(0.5 + (double)(k + 1) / 20);
        inside = 0;
        for (size_t i = 0; i < count; i++)
            inside += errors[i] <= part * sd[i];
        to->covered[k] = (double)inside / n;
    }
    to->rank_correlation = rank_correlation(sd, errors, count);
    to->interval_sd = conformal_score(scores, count, alpha);
    free(scores);
}

void calibrate_bounds(const double *low, const double *high,
                      const double *truth, size_t count, double alpha,
                      struct calibrated_bounds *to)
{
    double *scores = xcalloc(count + 1, sizeof(*scores));
    size_t within = 0;
    for (size_t i = 0; i < count; i++) {
        scores[i] = fmax(low[i] - truth[i], truth[i] - high[i]);
        within += scores[i] <= 0;
    }
    to->between = (double)within / (double)count;
    to->widening = conformal_score(scores, count, alpha);
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
