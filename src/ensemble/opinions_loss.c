/* opinions_loss.c - how wrong members are together
 *
 * What chooses among them is what `evaluate` says of the choice: the loss that
 * the models were trained by, not one of our own. */
#include <float.h>
#include <math.h>
#include <stdlib.h>

#include "ensemble/ensemble.h"

/* One output of one row, as all members say it. */
struct said {
    const double *first; /* of the first member */
    size_t members, wide;
    const double *weights;
};

static double mean_of(const struct said *s, size_t k)
{
    double sum = 0;
    for (size_t m = 0; m < s->members; m++)
        if (s->weights[m] > 0)
            sum += s->weights[m] * s->first[m * s->wide + k];
    return sum;
}

/* Of a yes or no, by what is true of it: all that say 1 leave 0 for no, and not
 * what rounding has left. */
static double chance_of(const struct said *s, size_t k, bool yes)
{
    double sum = 0;
    for (size_t m = 0; m < s->members; m++) {
        double p = s->first[m * s->wide + k];
        if (s->weights[m] > 0)
            sum += s->weights[m] * (yes ? p : 1 - p);
    }
    return sum;
}

/* What is not a number stays such. */
static double surprise(double p)
{
    return isnan(p) ? p : -log(fmax(p, (double)FLT_MIN));
}

static double class_weight(const struct combine_loss *l, size_t class)
{
    return class < l->class_count ? l->class_weights[class] : 1;
}

static double choice_loss(const struct said *s, const struct combine_head *h,
                          const double *truth)
{
    double all = 0, p = 0, w = class_weight(&h->loss, (size_t)*truth);
    if (h->width == 1)
        return w * surprise(chance_of(s, 0, *truth > 0.5));
    for (size_t k = 0; k < h->width; k++) {
        double one = mean_of(s, k);
        all += one;
        p = k == (size_t)*truth ? one : p;
    }
    return w * surprise(p / all);
}

/* What members differ by and what they say, together. */
static double variance_of(const struct said *s, const struct combine_head *h,
                          size_t k, double mean)
{
    double sum = 0;
    for (size_t m = 0; m < s->members; m++) {
        const double *own = s->first + m * s->wide;
        double d = own[k] - mean;
        if (s->weights[m] > 0)
            sum += s->weights[m] * (d * d + exp(own[h->width / 2 + k]));
    }
    return sum;
}

static double yes_or_no(const struct said *s, const struct combine_head *h,
                        size_t k, double truth)
{
    bool yes = truth > 0.5;
    return class_weight(&h->loss, yes) * surprise(chance_of(s, k, yes));
}

/* Of one number that is wrong by d. */
static double error_of(const struct combine_loss *l, double d)
{
    if (str_is(l->name, "mae"))
        return fabs(d);
    if (str_is(l->name, "quantile"))
        return fmax(-l->a * d, (1 - l->a) * d);
    if (str_is(l->name, "huber"))
        return fabs(d) > l->a ? l->a * (fabs(d) - 0.5 * l->a) : 0.5 * d * d;
    return d * d;
}

static double number_loss(const struct said *s, const struct combine_head *h,
                          const double *truth)
{
    double sum = 0;
    for (size_t k = 0; k < combine_told(h); k++) {
        double mean = mean_of(s, k), d = mean - truth[k];
        double v = h->spreads ? variance_of(s, h, k, mean) : 1;
        sum += h->each      ? yes_or_no(s, h, k, truth[k])
               : h->spreads ? 0.5 * (d * d / v + log(v))
                            : error_of(&h->loss, d);
    }
    return sum / (double)combine_told(h);
}

/* Of what is said of all numbers of a row together. */
static double dice_loss(const struct said *s, const struct combine_head *h,
                        const double *truth)
{
    double both = 0, all = 0;
    for (size_t k = 0; k < h->width; k++) {
        double mean = mean_of(s, k);
        both += mean * truth[k];
        all += mean + truth[k];
    }
    return 1 - (2 * both + 1) / (all + 1);
}

static double head_loss(const struct said *s, const struct combine_head *h,
                        const double *truth)
{
    double weight = h->loss.name.len ? h->loss.weight : 1;
    if (str_is(h->loss.name, "dice"))
        return weight * dice_loss(s, h, truth);
    return weight * (h->classes && !h->each ? choice_loss(s, h, truth)
                                            : number_loss(s, h, truth));
}

static double row_loss(const struct opinions *o, size_t row,
                       const double *weights)
{
    const double *truth = opinions_truth(o, row);
    struct said s = {opinions_said(o, row), o->members, o->wide, weights};
    double sum = 0;
    for (size_t i = 0; i < o->head_count; i++) {
        const struct combine_head *h = &o->heads[i];
        sum += head_loss(&s, h, truth);
        truth += opinions_truths(h);
        s.first += h->width;
    }
    return sum;
}

double opinions_loss(const struct opinions *o, const double *weights)
{
    double sum = 0, rows = 0;
    double *scratch = xcalloc(o->members, sizeof(*scratch));
    for (size_t r = 0; r < o->rows; r++) {
        const double *own = opinions_weights(o, r, weights, 1, scratch);
        sum += own ? row_loss(o, r, own) : 0;
        rows += own != NULL;
    }
    free(scratch);
    return sum / rows;
}
