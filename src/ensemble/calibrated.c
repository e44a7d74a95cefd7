/* calibrated.c - predictions with what a calibration has found
 *
 * Of a number the two ends of its interval: a multiple of the row's own sd
 * where there is one for all rows that were looked at, else as wide for every
 * row. Where the model says the ends of an interval itself, as quantiles, these
 * are moved. Of a choice which classes are in its set; its probabilities are
 * those of the temperature, and so is how sure they are: the entropy is of just
 * these, and what members disagree in is of what each of them says at the
 * temperature. The set is of probabilities as they were before, since its
 * threshold was found for those, by rows that the temperature was fitted on. */
#include <math.h>

#include "ensemble/ensemble.h"

static bool is_choice(const struct combine_head *h)
{
    return h->classes && !h->each;
}

static size_t classes_of(const struct combine_head *h)
{
    return h->width == 1 ? 2 : h->width;
}

/* What is not there is too large to be said. */
static double metric_of(const struct value *v, const char *name)
{
    const struct value *x =
        value_get(value_get(v, STR("metrics")), str_of(name));
    return x ? value_number(x) : INFINITY;
}

static long whole_of(const struct value *v, const char *key)
{
    const struct value *x = value_get(v, str_of(key));
    return x && x->kind == VALUE_INT && x->i >= 0 && x->i < 1 << 20 ? (long)x->i
                                                                    : -1;
}

/* False: it says nothing that can be used. */
static bool read_output(const struct value *v, const struct combine_head *h,
                        struct calibrated_output *to)
{
    to->interval = metric_of(v, "interval");
    to->interval_sd = metric_of(v, "interval_sd");
    to->widening = metric_of(v, "widening");
    to->temperature = metric_of(v, "temperature");
    to->threshold = metric_of(v, "threshold");
    if (h->classes || h->each)
        return to->temperature > 0 && isfinite(to->temperature) &&
               to->threshold >= 0 && to->threshold <= 1;
    return to->interval >= 0 && to->interval_sd >= 0 && !isnan(to->widening);
}

const struct calibrated_output *calibrated_read(const struct value *list,
                                                size_t head,
                                                const struct combine_head *h,
                                                struct arena *a)
{
    size_t wanted = is_choice(h) ? 1 : combine_told(h), found = 0;
    struct calibrated_output *to = arena_array(a, wanted, sizeof(*to));
    for (size_t i = 0; list && i < list->count; i++) {
        const struct value *v = list->items[i];
        long output = whole_of(v, "output");
        if (whole_of(v, "head") != (long)head)
            continue;
        if (output != (long)found || found == wanted ||
            !read_output(v, h, &to[found]))
            return NULL;
        found++;
    }
    return found == wanted ? to : NULL;
}

size_t calibrated_columns(const struct combine_head *h)
{
    if (h->bound != END_NONE)
        return h->bound != END_INSIDE;
    return is_choice(h) ? classes_of(h) : h->each ? 0 : 2 * combine_told(h);
}

const char *calibrated_column(const struct combine_head *h, size_t i,
                              size_t *output)
{
    *output = is_choice(h) ? i : i / 2;
    if (h->bound != END_NONE)
        return h->bound == END_LOW ? "low" : "high";
    return is_choice(h) ? "in" : i % 2 ? "high" : "low";
}

static double tempered(double p, double temperature)
{
    double two[2] = {1 - p, p}, to[2];
    calibrate_scale(two, 2, 1 / temperature, to);
    return to[1];
}

/* The probabilities of a choice. */
static void temper(const struct combine_head *h,
                   const struct calibrated_output *c, double *p)
{
    if (h->width > 1)
        calibrate_scale(p, h->width, 1 / c->temperature, p);
    else
        p[0] = tempered(p[0], c->temperature);
}

static void make_set(const struct combine_head *h,
                     const struct calibrated_output *c, const double *outputs,
                     double *to)
{
    for (size_t k = 0; k < classes_of(h); k++) {
        double p = h->width > 1 ? outputs[k] : k ? outputs[0] : 1 - outputs[0];
        to[k] = 1 - p <= 1 - c->threshold;
    }
}

void calibrated_apply(const struct combine_head *h,
                      const struct calibrated_output *c, const double *sd,
                      size_t apart, double *outputs, double *to)
{
    if (is_choice(h)) {
        make_set(h, c, outputs, to);
        temper(h, c, outputs);
        return;
    }
    if (h->bound != END_NONE) {
        if (h->bound != END_INSIDE)
            to[0] = outputs[0] + (h->bound == END_LOW ? -1 : 1) * c->widening;
        return;
    }
    for (size_t k = 0; k < combine_told(h); k++) {
        double half = isfinite(c[k].interval_sd)
                          ? c[k].interval_sd * sd[k * apart]
                          : c[k].interval;
        if (h->each) {
            outputs[k] = tempered(outputs[k], c[k].temperature);
            continue;
        }
        to[2 * k] = outputs[k] - half;
        to[2 * k + 1] = outputs[k] + half;
    }
}

void calibrated_sureness(const struct combine_rule *r,
                         const struct combine_head *h,
                         const struct calibrated_output *c,
                         const double *outputs, double *passes, double *scratch,
                         double *to)
{
    if (!is_choice(h) && !h->each)
        return;
    for (size_t p = 0; p < combine_passes(r); p++) {
        double *own = passes + p * h->width;
        if (is_choice(h))
            temper(h, c, own);
        for (size_t k = 0; h->each && k < h->width; k++)
            own[k] = tempered(own[k], c[k].temperature);
    }
    combine_sureness(r, h, passes, scratch, to);
    if (is_choice(h))
        to[0] = combine_entropy(outputs, h->width);
}
