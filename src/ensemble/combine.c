/* combine.c - what several passes say of one row
 *
 * Variances add up: what members differ by (epistemic) and what each of them
 * says that its truth varies by (aleatoric). All of it is sums in the order of
 * the passes, so that the same passes are the same bits. Where a pass says what
 * is no finite number nothing is said of the row: sorted or counted with the
 * others it would look like an answer. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/num.h"
#include "base/ranks.h"
#include "ensemble/ensemble.h"

#define COMBINE_NAME(name, text, ...) text,
const char *const combine_names[COMBINE_COUNT + 1] = {COMBINES(COMBINE_NAME)
                                                          NULL};

int combine_check(enum combine how, bool classes, struct err *err)
{
    if (how != COMBINE_VOTE || classes)
        return 0;
    return err_set(err, ERR_INPUT,
                   "a vote is of classes, and these models predict numbers: "
                   "take mean or median");
}

size_t combine_passes(const struct combine_rule *r)
{
    return r->members * r->samples;
}

static double weight_of(const struct combine_rule *r, size_t pass)
{
    return r->weights[pass / r->samples] / (double)r->samples;
}

size_t combine_told(const struct combine_head *h)
{
    return h->spreads ? h->width / 2 : h->width;
}

/* One class of several: the numbers of a row are one distribution. */
static bool is_choice(const struct combine_head *h)
{
    return h->classes && !h->each;
}

static bool are_finite(const struct combine_rule *r,
                       const struct combine_head *h, const double *passes)
{
    for (size_t i = 0; i < combine_passes(r) * h->width; i++)
        if (!isfinite(passes[i]))
            return false;
    return true;
}

static void say_nothing(double *to, size_t count)
{
    for (size_t k = 0; k < count; k++)
        to[k] = NAN;
}

static double mean_of(const struct combine_rule *r, const double *passes,
                      size_t width, size_t k)
{
    double sum = 0;
    for (size_t p = 0; p < combine_passes(r); p++)
        sum += weight_of(r, p) * passes[p * width + k];
    return sum;
}

/* ---- quantiles ------------------------------------------------------------
 *
 * Of passes that weigh something: out of fold who may not speak of a row weighs
 * nothing, and is not there. */

static bool weigh_the_same(const struct combine_rule *r)
{
    double first = 0;
    for (size_t i = 0; i < r->members; i++) {
        if (first > 0 && r->weights[i] > 0 && r->weights[i] != first)
            return false;
        first = first > 0 ? first : r->weights[i];
    }
    return true;
}

/* On a straight line between two of the sorted numbers. */
static double quantile_between(const double *sorted, size_t count, double q)
{
    double place = q * (double)(count - 1);
    size_t low = (size_t)place;
    if (low + 1 >= count)
        return sorted[count - 1];
    return sorted[low] +
           (place - (double)low) * (sorted[low + 1] - sorted[low]);
}

static double weight_up_to(const struct combine_rule *r, const double *passes,
                           size_t width, size_t k, double most)
{
    double sum = 0;
    for (size_t p = 0; p < combine_passes(r); p++)
        if (passes[p * width + k] <= most)
            sum += weight_of(r, p);
    return sum;
}

/* The first of the sorted numbers up to which passes weigh this much; the last,
 * if none is. */
static double quantile_weighed(const struct combine_rule *r,
                               const double *passes, size_t width, size_t k,
                               const double *sorted, size_t count, double q)
{
    size_t low = 0, high = count - 1;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (weight_up_to(r, passes, width, k, sorted[middle]) >= q - 1e-12)
            high = middle;
        else
            low = middle + 1;
    }
    return sorted[low];
}

/* Those of one output; returns how many they are. */
static size_t sort_passes(const struct combine_rule *r, const double *passes,
                          size_t width, size_t k, double *sorted)
{
    size_t count = 0;
    for (size_t p = 0; p < combine_passes(r); p++)
        if (r->weights[p / r->samples] > 0)
            sorted[count++] = passes[p * width + k];
    qsort(sorted, count, sizeof(*sorted), number_order);
    return count;
}

static double quantile_of(const struct combine_rule *r, const double *passes,
                          size_t width, size_t k, const double *sorted,
                          size_t count, double q)
{
    if (!count)
        return NAN;
    return weigh_the_same(r)
               ? quantile_between(sorted, count, q)
               : quantile_weighed(r, passes, width, k, sorted, count, q);
}

/* ---- what is predicted --------------------------------------------------- */

static double epistemic(const struct combine_rule *r, const double *passes,
                        size_t width, size_t k)
{
    double mean = mean_of(r, passes, width, k), sum = 0;
    for (size_t p = 0; p < combine_passes(r); p++) {
        double d = passes[p * width + k] - mean;
        sum += weight_of(r, p) * d * d;
    }
    return sum;
}

static double aleatoric(const struct combine_rule *r,
                        const struct combine_head *h, const double *passes,
                        size_t k)
{
    double sum = 0;
    for (size_t p = 0; h->spreads && p < combine_passes(r); p++)
        sum += weight_of(r, p) * exp(passes[p * h->width + h->width / 2 + k]);
    return h->spreads ? sum : NAN;
}

static void take_votes(const struct combine_rule *r,
                       const struct combine_head *h, const double *passes,
                       double *to)
{
    bool choice = is_choice(h) && h->width > 1;
    for (size_t k = 0; k < h->width; k++)
        to[k] = 0;
    for (size_t p = 0; p < combine_passes(r); p++) {
        const double *x = passes + p * h->width;
        size_t best = 0;
        for (size_t k = 1; k < h->width; k++)
            best = x[k] > x[best] ? k : best;
        for (size_t k = 0; k < h->width; k++)
            if (choice ? k == best : x[k] > 0.5)
                to[k] += weight_of(r, p);
    }
    for (size_t k = 0; k < h->width; k++)
        to[k] = to[k] > 1 - 1e-12 ? 1 : to[k]; /* all of them, but rounded */
}

static void take_medians(const struct combine_rule *r,
                         const struct combine_head *h, const double *passes,
                         double *scratch, double *to)
{
    double sum = 0;
    for (size_t k = 0; k < combine_told(h); k++) {
        size_t count = sort_passes(r, passes, h->width, k, scratch);
        to[k] = quantile_of(r, passes, h->width, k, scratch, count, 0.5);
        sum += to[k];
    }
    for (size_t k = 0; is_choice(h) && h->width > 1 && k < h->width; k++)
        to[k] = sum > 0 ? to[k] / sum : mean_of(r, passes, h->width, k);
}

static double stacked(const struct combine_rule *r,
                      const struct combine_head *h, const double *passes,
                      size_t k)
{
    const double *weights = h->stack + combine_told(h) + k * r->members;
    double sum = h->stack[k];
    for (size_t p = 0; p < combine_passes(r); p++)
        sum += weights[p / r->samples] / (double)r->samples *
               passes[p * h->width + k];
    return sum;
}

/* Probabilities stay such: they are at most 1, and of a choice add up to 1. */
static void take_stacked(const struct combine_rule *r,
                         const struct combine_head *h, const double *passes,
                         double *to)
{
    double sum = 0;
    for (size_t k = 0; k < combine_told(h); k++) {
        to[k] = stacked(r, h, passes, k);
        if (h->classes || h->each)
            to[k] = fmin(to[k], 1);
        sum += to[k];
    }
    for (size_t k = 0; is_choice(h) && h->width > 1 && k < h->width; k++)
        to[k] = sum > 0 ? to[k] / sum : mean_of(r, passes, h->width, k);
}

void combine_outputs(const struct combine_rule *r, const struct combine_head *h,
                     const double *passes, double *scratch, double *to)
{
    if (!are_finite(r, h, passes)) {
        say_nothing(to, h->width);
        return;
    }
    if (r->how == COMBINE_VOTE && h->classes)
        take_votes(r, h, passes, to);
    else if (r->how == COMBINE_MEDIAN)
        take_medians(r, h, passes, scratch, to);
    else if (r->how == COMBINE_STACKING && h->stack)
        take_stacked(r, h, passes, to);
    else
        for (size_t k = 0; k < combine_told(h); k++)
            to[k] = mean_of(r, passes, h->width, k);
    for (size_t k = 0; h->spreads && k < combine_told(h); k++)
        to[combine_told(h) + k] =
            log(epistemic(r, passes, h->width, k) + aleatoric(r, h, passes, k));
}

/* ---- how sure it is ------------------------------------------------------ */

enum { SD, EPISTEMIC, ALEATORIC, SPREADS };
static const char *const spread_names[SPREADS] = {"sd", "epistemic",
                                                  "aleatoric"};
static const char *const choice_names[] = {"entropy", "mutual_information"};

size_t combine_columns(const struct combine_rule *r,
                       const struct combine_head *h)
{
    return is_choice(h) ? 2 : combine_told(h) * (SPREADS + r->quantile_count);
}

const char *combine_column(const struct combine_rule *r,
                           const struct combine_head *h, size_t i, long *output,
                           struct arena *a)
{
    size_t each = SPREADS + r->quantile_count;
    char text[40];
    *output = is_choice(h) ? -1 : (long)(i / each);
    if (is_choice(h))
        return choice_names[i];
    if (i % each < SPREADS)
        return spread_names[i % each];
    snprintf(text, sizeof text, "q%.10g", r->quantiles[i % each - SPREADS]);
    return arena_cstr(a, str_of(text));
}

static double entropy_part(double p)
{
    return p > 0 ? -p * log(p) : 0;
}

double combine_entropy(const double *p, size_t width)
{
    double sum = 0;
    if (width == 1)
        return entropy_part(p[0]) + entropy_part(1 - p[0]);
    for (size_t k = 0; k < width; k++)
        sum += entropy_part(p[k]);
    return sum;
}

/* Of the probabilities that a stack says. It is no mean of its members, so that
 * no part of it is theirs to disagree in. */
static void stacked_sureness(const struct combine_rule *r,
                             const struct combine_head *h, const double *passes,
                             double *to)
{
    double sum = 0, all = 0;
    for (size_t k = 0; k < h->width; k++)
        sum += fmin(stacked(r, h, passes, k), 1);
    for (size_t k = 0; h->width > 1 && k < h->width; k++)
        all += entropy_part(sum > 0 ? fmin(stacked(r, h, passes, k), 1) / sum
                                    : mean_of(r, passes, h->width, k));
    to[0] = h->width == 1 ? combine_entropy(&sum, 1) : all;
    to[1] = NAN;
}

static void choice_sureness(const struct combine_rule *r,
                            const struct combine_head *h, const double *passes,
                            double *to)
{
    double all = 0, each = 0;
    if (r->how == COMBINE_STACKING && h->stack) {
        stacked_sureness(r, h, passes, to);
        return;
    }
    if (h->width == 1) {
        double p = mean_of(r, passes, 1, 0);
        all = combine_entropy(&p, 1);
    }
    for (size_t k = 0; h->width > 1 && k < h->width; k++)
        all += entropy_part(mean_of(r, passes, h->width, k));
    for (size_t p = 0; p < combine_passes(r); p++)
        each +=
            weight_of(r, p) * combine_entropy(passes + p * h->width, h->width);
    to[0] = all;
    to[1] = combine_passes(r) > 1
                ? fmax(all - each, 0) /* rounding may leave less than none */
                : NAN;
}

void combine_sureness(const struct combine_rule *r,
                      const struct combine_head *h, const double *passes,
                      double *scratch, double *to)
{
    if (!are_finite(r, h, passes)) {
        say_nothing(to, combine_columns(r, h));
        return;
    }
    if (is_choice(h)) {
        choice_sureness(r, h, passes, to);
        return;
    }
    bool several = combine_passes(r) > 1;
    for (size_t k = 0; k < combine_told(h); k++) {
        double members = epistemic(r, passes, h->width, k);
        double own = aleatoric(r, h, passes, k);
        to[SD] = several || h->spreads ? sqrt(members + (h->spreads ? own : 0))
                                       : NAN;
        to[EPISTEMIC] = several ? sqrt(members) : NAN;
        to[ALEATORIC] = sqrt(own);
        size_t count = several && r->quantile_count
                           ? sort_passes(r, passes, h->width, k, scratch)
                           : 0;
        for (size_t q = 0; q < r->quantile_count; q++)
            to[SPREADS + q] = several
                                  ? quantile_of(r, passes, h->width, k, scratch,
                                                count, r->quantiles[q])
                                  : NAN;
        to += SPREADS + r->quantile_count;
    }
}
