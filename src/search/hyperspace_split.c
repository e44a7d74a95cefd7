/* hyperspace_split.c - halves of a parameter that overlap */
#include "search/hyperspace_split.h"

#include <math.h>

#include "base/exact.h"

static bool has_bounds(enum dist dist)
{
    return dist == DIST_INT_UNIFORM ||
           (dist >= DIST_UNIFORM && dist <= DIST_INV_LOG_UNIFORM_VALUES);
}

bool split_possible(const struct param *p)
{
    if (p->dist == DIST_CATEGORICAL)
        return p->values->count > 1;
    return has_bounds(p->dist) && p->max > p->min;
}

/* Bounds that are exponents, as values and back. */
static bool has_exponents(enum dist dist)
{
    return dist == DIST_LOG_UNIFORM || dist == DIST_Q_LOG_UNIFORM;
}

static bool has_log_values(enum dist dist)
{
    return dist == DIST_LOG_UNIFORM_VALUES || dist == DIST_Q_LOG_UNIFORM_VALUES;
}

static void cut(double *min, double *max, double phi, bool low)
{
    double half = (*max - *min) / 2, part = half + phi * half;
    if (low)
        *max = fmin(*max, *min + part);
    else
        *min = fmax(*min, *max - part);
}

static struct param half_number(const struct param *p, double phi, bool low,
                                bool own_scale)
{
    struct param half = *p;
    bool exponents = has_exponents(p->dist) && !own_scale;
    bool logs = has_log_values(p->dist) && own_scale;
    if (exponents || logs) {
        half.min = exponents ? exact_exp_any(p->min) : exact_log(p->min);
        half.max = exponents ? exact_exp_any(p->max) : exact_log(p->max);
    }
    cut(&half.min, &half.max, phi, low);
    if (exponents || logs) {
        half.min = exponents ? exact_log(half.min) : exact_exp_any(half.min);
        half.max = exponents ? exact_log(half.max) : exact_exp_any(half.max);
    }
    /* Only one bound has moved; the other is exactly what it was. */
    *(low ? &half.min : &half.max) = low ? p->min : p->max;
    half.min = fmax(half.min, p->min);
    half.max = fmin(half.max, p->max);
    if (p->dist == DIST_INT_UNIFORM) {
        half.min = ceil(half.min);
        half.max = floor(half.max);
    }
    return half;
}

/* Choices that are drawn, by number. */
static size_t drawn_count(const struct param *p, size_t from, size_t count)
{
    size_t drawn = 0;
    for (size_t i = from; i < from + count; i++)
        drawn += !p->probabilities || p->probabilities[i] > 0;
    return drawn;
}

static struct param half_choices(const struct param *p, double phi, bool low,
                                 struct arena *a)
{
    struct param half = *p;
    size_t n = p->values->count, m = n / 2;
    size_t size = m + (size_t)ceil(phi * (double)m);
    size = size < n ? size : n;
    size += low && 2 * size < n;
    size_t from = low ? 0 : n - size;
    if (!drawn_count(p, from, size))
        return half;
    struct value *values = value_list(a);
    for (size_t i = 0; i < size; i++)
        value_list_add(a, values, p->values->items[from + i]);
    half.values = values;
    if (p->probabilities)
        half.probabilities = p->probabilities + from;
    return half;
}

struct param split_half(const struct param *p, double phi, bool low,
                        bool own_scale, struct arena *a)
{
    if (!split_possible(p))
        return *p;
    if (p->dist == DIST_CATEGORICAL)
        return half_choices(p, phi, low, a);
    return half_number(p, phi, low, own_scale);
}
