/* calibrate_choice.c - whether probabilities of classes are what they should be
 *
 * The temperature divides logits, here the logarithms of the probabilities: the
 * slope of the loss by its inverse rises everywhere, so that where it is 0 is
 * found by halving. */
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "ensemble/ensemble.h"

#define BINS CALIBRATED_BINS /* of the expected calibration error */
#define HALVINGS 200
#define INVERSE_MOST CALIBRATED_HOTTEST /* of the temperature */

/* ---- scaling ---------------------------------------------------------------
 */

/* What is not a number stays such. */
static double logit_of(double p)
{
    return isnan(p) ? p : log(fmax(p, (double)FLT_MIN));
}

void calibrate_scale(const double *p, size_t classes, double inverse,
                     double *to)
{
    double top = -INFINITY, sum = 0;
    for (size_t k = 0; k < classes; k++) {
        to[k] = inverse * logit_of(p[k]);
        top = fmax(top, to[k]);
    }
    for (size_t k = 0; k < classes; k++) {
        to[k] = exp(to[k] - top);
        sum += to[k];
    }
    for (size_t k = 0; k < classes; k++)
        to[k] /= sum;
}

/* Of the mean loss by the inverse temperature. */
static double slope_at(const double *p, const size_t *truth, size_t classes,
                       size_t count, double inverse, double *row)
{
    double sum = 0;
    for (size_t i = 0; i < count; i++) {
        const double *own = p + i * classes;
        calibrate_scale(own, classes, inverse, row);
        sum -= logit_of(own[truth[i]]);
        for (size_t k = 0; k < classes; k++)
            sum += row[k] * logit_of(own[k]);
    }
    return sum;
}

/* Where all rows are right nothing is sure enough: the most there is. */
static double best_inverse(const double *p, const size_t *truth, size_t classes,
                           size_t count, double *row)
{
    double low = 1 / INVERSE_MOST, high = INVERSE_MOST;
    for (int i = 0; i < HALVINGS; i++) {
        double middle = (low + high) / 2;
        if (slope_at(p, truth, classes, count, middle, row) < 0)
            low = middle;
        else
            high = middle;
    }
    return (low + high) / 2;
}

/* ---- how good they are ------------------------------------------------------
 */

static size_t largest(const double *p, size_t classes)
{
    size_t best = 0;
    for (size_t k = 1; k < classes; k++)
        best = p[k] > p[best] ? k : best;
    return best;
}

static void add_to_bin(struct calibrated_bin *bins, double sure, bool right)
{
    double at = ceil(sure * BINS) - 1; /* the upper end belongs to a bin */
    struct calibrated_bin *b = &bins[at < 0       ? 0
                                     : at >= BINS ? BINS - 1
                                                  : (size_t)at];
    b->rows++;
    b->sure += sure;
    b->right += right;
}

static double error_of(const struct calibrated_bin *bins, double rows)
{
    double sum = 0;
    for (size_t i = 0; i < BINS; i++)
        sum += fabs(bins[i].sure - bins[i].right);
    return sum / rows;
}

static void judge(const double *p, const size_t *truth, size_t classes,
                  size_t count, double inverse, double *row, double *nll,
                  double *ece, struct calibrated_bin *bins)
{
    memset(bins, 0, BINS * sizeof(*bins));
    *nll = 0;
    for (size_t i = 0; i < count; i++) {
        calibrate_scale(p + i * classes, classes, inverse, row);
        size_t best = largest(row, classes);
        *nll -= logit_of(row[truth[i]]) / (double)count;
        add_to_bin(bins, row[best], best == truth[i]);
    }
    *ece = error_of(bins, (double)count);
}

/* A class is in the set where its score, 1 - p, is at most that of the
 * calibration. */
static void make_sets(const double *p, const size_t *truth, size_t classes,
                      size_t count, double alpha, struct calibrated_choice *to)
{
    double *scores = xcalloc(count + 1, sizeof(*scores));
    for (size_t i = 0; i < count; i++)
        scores[i] = 1 - p[i * classes + truth[i]];
    double most = conformal_score(scores, count, alpha);
    size_t members = 0;
    for (size_t i = 0; i < count * classes; i++)
        members += 1 - p[i] <= most;
    to->set_size = (double)members / (double)count;
    to->threshold = isinf(most) ? 0 : 1 - most;
    free(scores);
}

void calibrate_choice(const double *p, const size_t *truth, size_t classes,
                      size_t count, double alpha, struct calibrated_choice *to)
{
    double *row = xcalloc(classes + 1, sizeof(*row));
    *to = (struct calibrated_choice){0};
    size_t right = 0;
    for (size_t i = 0; i < count; i++)
        right += largest(p + i * classes, classes) == truth[i];
    to->accuracy = (double)right / (double)count;
    double inverse = best_inverse(p, truth, classes, count, row);
    to->temperature = 1 / inverse;
    judge(p, truth, classes, count, inverse, row, &to->nll_scaled,
          &to->ece_scaled, to->bins);
    judge(p, truth, classes, count, 1, row, &to->nll, &to->ece, to->bins);
    make_sets(p, truth, classes, count, alpha, to);
    free(row);
}
