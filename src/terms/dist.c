/* dist.c - one parameter: its distribution as a function of u, and back
 *
 * The table `dists` says of each distribution what it is made of: a shape
 * (how u becomes a real number) and whether the number is then rounded to a
 * multiple of q. param_at rises with u everywhere, and param_position is its
 * inverse. */
#include "terms/space.h"

#include <float.h>
#include <math.h>

#include "base/num.h"
#include "base/exact.h"
#include "terms/quantile.h"

enum shape {
    SHAPE_LIST, /* constant, categorical, int_uniform: no real number */
    SHAPE_UNIFORM,
    SHAPE_LOG,        /* bounds are exponents */
    SHAPE_LOG_VALUES, /* bounds are values */
    SHAPE_INV_LOG,    /* log(1/x) is uniform between the bounds */
    SHAPE_NORMAL,
    SHAPE_LOG_NORMAL,
    SHAPE_BETA,
};

static const struct {
    enum shape shape;
    bool rounded;
} dists[DIST_COUNT] = {
    [DIST_UNIFORM] = {SHAPE_UNIFORM, false},
    [DIST_Q_UNIFORM] = {SHAPE_UNIFORM, true},
    [DIST_LOG_UNIFORM] = {SHAPE_LOG, false},
    [DIST_Q_LOG_UNIFORM] = {SHAPE_LOG, true},
    [DIST_LOG_UNIFORM_VALUES] = {SHAPE_LOG_VALUES, false},
    [DIST_Q_LOG_UNIFORM_VALUES] = {SHAPE_LOG_VALUES, true},
    [DIST_INV_LOG_UNIFORM] = {SHAPE_INV_LOG, false},
    /* log(1/x) uniform between log(1/max) and log(1/min) is log x uniform
     * between log(min) and log(max). */
    [DIST_INV_LOG_UNIFORM_VALUES] = {SHAPE_LOG_VALUES, false},
    [DIST_NORMAL] = {SHAPE_NORMAL, false},
    [DIST_Q_NORMAL] = {SHAPE_NORMAL, true},
    [DIST_LOG_NORMAL] = {SHAPE_LOG_NORMAL, false},
    [DIST_Q_LOG_NORMAL] = {SHAPE_LOG_NORMAL, true},
    [DIST_BETA] = {SHAPE_BETA, false},
    [DIST_Q_BETA] = {SHAPE_BETA, true},
};

const char *const dist_names[] = {
    [DIST_CONSTANT] = "constant",
    [DIST_CATEGORICAL] = "categorical",
    [DIST_INT_UNIFORM] = "int_uniform",
    [DIST_UNIFORM] = "uniform",
    [DIST_Q_UNIFORM] = "q_uniform",
    [DIST_LOG_UNIFORM] = "log_uniform",
    [DIST_Q_LOG_UNIFORM] = "q_log_uniform",
    [DIST_LOG_UNIFORM_VALUES] = "log_uniform_values",
    [DIST_Q_LOG_UNIFORM_VALUES] = "q_log_uniform_values",
    [DIST_INV_LOG_UNIFORM] = "inv_log_uniform",
    [DIST_INV_LOG_UNIFORM_VALUES] = "inv_log_uniform_values",
    [DIST_NORMAL] = "normal",
    [DIST_Q_NORMAL] = "q_normal",
    [DIST_LOG_NORMAL] = "log_normal",
    [DIST_Q_LOG_NORMAL] = "q_log_normal",
    [DIST_BETA] = "beta",
    [DIST_Q_BETA] = "q_beta",
    [DIST_COUNT] = NULL,
};

const char *dist_name(enum dist d)
{
    return (unsigned)d < DIST_COUNT ? dist_names[d] : "unknown";
}

bool dist_parse(struct str s, enum dist *d)
{
    for (int i = 0; i < DIST_COUNT; i++) {
        if (str_is(s, dist_names[i])) {
            *d = (enum dist)i;
            return true;
        }
    }
    if (!str_is(s, "categorical_w_probabilities"))
        return false;
    *d = DIST_CATEGORICAL;
    return true;
}

static double clamp(double x, double low, double high)
{
    return x < low ? low : x > high ? high : x;
}

/* min + u (max - min), also where max - min passes the largest double. */
static double between(double min, double max, double u)
{
    double range = max - min;
    double x = isfinite(range) ? min + u * range
                               : 2 * (min / 2 + u * (max / 2 - min / 2));
    return clamp(x, min, max);
}

/* exp that stays finite. */
static double finite_exp(double x)
{
    return fmin(exact_exp_any(x), DBL_MAX);
}

/* The smallest and the largest real number before rounding. */
static void bounds(const struct param *p, double *low, double *high)
{
    *low = p->min;
    *high = p->max;
    switch (dists[p->dist].shape) {
    case SHAPE_LIST:
    case SHAPE_UNIFORM:
    case SHAPE_LOG_VALUES:
        break;
    case SHAPE_LOG:
        *low = finite_exp(p->min);
        *high = finite_exp(p->max);
        break;
    case SHAPE_INV_LOG:
        *low = finite_exp(-p->max);
        *high = finite_exp(-p->min);
        break;
    case SHAPE_NORMAL:
        *low = -DBL_MAX;
        *high = DBL_MAX;
        break;
    case SHAPE_LOG_NORMAL:
        *low = 0;
        *high = DBL_MAX;
        break;
    case SHAPE_BETA:
        *low = 0;
        *high = 1;
        break;
    }
}

/* The real number at u, before rounding. */
static double real_at(const struct param *p, double u)
{
    double x = 0;
    switch (dists[p->dist].shape) {
    case SHAPE_LIST:
    case SHAPE_UNIFORM:
        x = between(p->min, p->max, u);
        break;
    case SHAPE_LOG:
        x = finite_exp(between(p->min, p->max, u));
        break;
    case SHAPE_LOG_VALUES:
        x = finite_exp(between(exact_log(p->min), exact_log(p->max), u));
        break;
    case SHAPE_INV_LOG:
        x = finite_exp(-between(p->min, p->max, 1 - u));
        break;
    case SHAPE_NORMAL:
        x = p->mu + p->sigma * normal_quantile(u);
        break;
    case SHAPE_LOG_NORMAL:
        x = finite_exp(p->mu + p->sigma * normal_quantile(u));
        break;
    case SHAPE_BETA:
        x = beta_quantile(u, p->a, p->b);
        break;
    }
    double low, high;
    bounds(p, &low, &high);
    return clamp(x, low, high);
}

/* The u of a real number: the distribution function. */
static double position_of_real(const struct param *p, double x)
{
    double low, high;
    bounds(p, &low, &high);
    if (x <= low)
        return 0;
    if (x >= high)
        return 1;
    switch (dists[p->dist].shape) {
    case SHAPE_LIST:
    case SHAPE_UNIFORM:
        return (x / 2 - low / 2) / (high / 2 - low / 2);
    case SHAPE_LOG:
        return (exact_log(x) - p->min) / (p->max - p->min);
    case SHAPE_LOG_VALUES:
        return (exact_log(x) - exact_log(low)) /
               (exact_log(high) - exact_log(low));
    case SHAPE_INV_LOG:
        return (exact_log(x) + p->max) / (p->max - p->min);
    case SHAPE_NORMAL:
        return normal_cdf((x - p->mu) / p->sigma);
    case SHAPE_LOG_NORMAL:
        return normal_cdf((exact_log(x) - p->mu) / p->sigma);
    case SHAPE_BETA:
        return beta_cdf(x, p->a, p->b);
    }
    return 0;
}

/* Rounds half to even, as numpy does; -0 becomes 0. Three times 0.1 is 0.3, as
 * a person would write it and a task's command line has it. */
static double round_to(double x, double q)
{
    double rounded = num_round(rint(x / q) * q, num_decimals(q));
    return isfinite(rounded) ? rounded + 0.0 : x;
}

static struct value *rounded_value(const struct param *p, double x,
                                   struct arena *a)
{
    double rounded = round_to(x, p->q);
    if (!p->q_integer)
        return value_double(a, rounded);
    const double most = 0x1p63 - 1024; /* the largest double in an int64_t */
    return value_int(a, (int64_t)clamp(rounded, -most, most));
}

static double total_probability(const struct param *p)
{
    double total = 0;
    for (size_t i = 0; i < p->values->count; i++)
        total += p->probabilities[i];
    return total;
}

/* Index of the list's item at u. Items of probability 0 are never drawn. */
static size_t index_at(const struct param *p, double u)
{
    size_t count = p->values->count;
    if (!p->probabilities) {
        size_t i = (size_t)(u * (double)count);
        return i < count ? i : count - 1;
    }
    double at = u * total_probability(p), sum = 0;
    size_t last = 0;
    for (size_t i = 0; i < count; i++) {
        if (p->probabilities[i] <= 0)
            continue;
        sum += p->probabilities[i];
        last = i;
        if (at < sum)
            break;
    }
    return last;
}

static double int_count(const struct param *p)
{
    return p->max - p->min + 1;
}

struct value *param_at(const struct param *p, double u, struct arena *a)
{
    u = clamp(u, 0, 1 - 0x1p-53);
    switch (p->dist) {
    case DIST_CONSTANT:
        return value_copy(a, p->constant);
    case DIST_CATEGORICAL:
        return value_copy(a, p->values->items[index_at(p, u)]);
    case DIST_INT_UNIFORM: {
        double step = fmin(floor(u * int_count(p)), p->max - p->min);
        return value_int(a, (int64_t)(p->min + step));
    }
    default:
        break;
    }
    double x = real_at(p, u);
    return dists[p->dist].rounded ? rounded_value(p, x, a) : value_double(a, x);
}

static double position_in_list(const struct param *p, const struct value *v)
{
    size_t count = p->values->count, i = 0;
    while (i < count && !value_eq(p->values->items[i], v))
        i++;
    if (i == count)
        return -1;
    if (!p->probabilities)
        return ((double)i + 0.5) / (double)count;
    double before = 0;
    for (size_t j = 0; j < i; j++)
        before += p->probabilities[j];
    return p->probabilities[i] > 0
               ? (before + p->probabilities[i] / 2) / total_probability(p)
               : -1;
}

static double position_of_int(const struct param *p, double x)
{
    if (x < p->min || x > p->max || x != floor(x))
        return -1;
    return (x - p->min + 0.5) / int_count(p);
}

static bool is_multiple(double x, double q)
{
    return fabs(x - rint(x / q) * q) <= 1e-9 * fmax(q, fabs(x));
}

/* The middle of the cell of numbers that round to x. A grid starts q_uniform
 * at min, whether or not that is a multiple of q: such values count too. */
static double position_of_rounded(const struct param *p, double x)
{
    double low, high;
    bounds(p, &low, &high);
    bool on_grid = p->dist == DIST_Q_UNIFORM && x >= low && x <= high &&
                   is_multiple(x - low, p->q);
    if (!is_multiple(x, p->q))
        return on_grid ? position_of_real(p, x) : -1;
    if (low == high)
        return fabs(round_to(low, p->q) - x) <= 1e-9 * p->q ? 0.5 : -1;
    double from = fmax(x - p->q / 2, low), to = fmin(x + p->q / 2, high);
    if (from >= to)
        return -1;
    return (position_of_real(p, from) + position_of_real(p, to)) / 2;
}

double param_position(const struct param *p, const struct value *v)
{
    if (p->dist == DIST_CONSTANT)
        return value_eq(p->constant, v) ? 0.5 : -1;
    if (p->dist == DIST_CATEGORICAL)
        return position_in_list(p, v);
    double x = value_is_number(v) ? value_number(v) : NAN;
    if (!isfinite(x))
        return -1;
    if (p->dist == DIST_INT_UNIFORM)
        return position_of_int(p, x);
    double low, high, u;
    bounds(p, &low, &high);
    if (dists[p->dist].rounded)
        u = position_of_rounded(p, x);
    else
        u = x < low || x > high ? -1 : position_of_real(p, x);
    return fmin(u, 1 - 0x1p-53);
}
