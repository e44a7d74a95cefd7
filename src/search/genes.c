/* genes.c - how points are crossed and changed */
#include "search/genes.h"

#include <math.h>
#include <stdlib.h>

#include "base/exact.h"

/* Just below 1: the last number that is inside. */
static const double top = 1 - 0x1p-53;

/* How near children of numbers are to their parents (Deb's eta). */
static const double blend_near = 15, bend_near = 20;

static double share_of(const struct param *p, double sigma)
{
    switch (p->dist) {
    case DIST_UNIFORM:
    case DIST_Q_UNIFORM:
        return p->max > p->min ? sigma / (p->max - p->min) : 0;
    case DIST_INT_UNIFORM:
        return sigma / (p->max - p->min + 1);
    default:
        return sigma;
    }
}

static long axis_of(const struct genes *g, long param)
{
    for (size_t i = 0; i < g->axes.count; i++)
        if ((long)g->axes.axis[i].param == param)
            return (long)i;
    return -1;
}

static int read_sigma(struct genes *g, struct str name, const struct value *v,
                      const char *method, struct err *err)
{
    const struct space *space = g->axes.space;
    long param = space_find(space, name), i = axis_of(g, param);
    double sigma = value_is_number(v) ? value_number(v) : NAN;
    if (param < 0)
        return err_set(err, ERR_INPUT,
                       "%s: sigma names '%.*s', which is no parameter", method,
                       STRF(name));
    if (!(sigma > 0) || isinf(sigma))
        return err_set(err, ERR_INPUT,
                       "%s: sigma of '%.*s' must be a number above 0", method,
                       STRF(name));
    if (i < 0)
        return 0;
    g->ordered[i] = g->axes.axis[i].choices > 0;
    g->sigma[i] =
        g->ordered[i] ? sigma : share_of(&space->params[param], sigma);
    return 0;
}

int genes_init(struct genes *g, const struct space *space,
               const struct value *sigmas, const char *method, struct err *err)
{
    axes_init(&g->axes, space);
    g->sigma = xcalloc(g->axes.count + 1, sizeof(*g->sigma));
    g->ordered = xcalloc(g->axes.count + 1, sizeof(*g->ordered));
    for (size_t i = 0; i < g->axes.count; i++)
        g->sigma[i] = 0.1;
    int rc = 0;
    if (sigmas && sigmas->kind != VALUE_OBJECT)
        rc = err_set(err, ERR_INPUT,
                     "%s: sigma must be an object, as in sigma: {lr: 0.01}",
                     method);
    for (size_t i = 0; rc == 0 && sigmas && i < sigmas->count; i++)
        rc = read_sigma(g, sigmas->keys[i], sigmas->items[i], method, err);
    if (rc)
        genes_done(g);
    return rc;
}

void genes_done(struct genes *g)
{
    axes_done(&g->axes);
    free(g->sigma);
    free(g->ordered);
}

static double other_choice(const struct axis *axis, struct rng *rng, double u)
{
    size_t now = axis_choice(axis, u);
    if (axis->choices < 2)
        return u;
    size_t next = rng_below(rng, axis->choices - 1);
    return axis->at[next + (next >= now)];
}

static double near_choice(const struct axis *axis, struct rng *rng,
                          double sigma, double u)
{
    double at = (double)axis_choice(axis, u) + sigma * rng_normal(rng);
    at = fmin(fmax(round(at), 0), (double)(axis->choices - 1));
    return axis->at[(size_t)at];
}

static double change(const struct genes *g, size_t i, struct rng *rng, double u)
{
    const struct axis *axis = &g->axes.axis[i];
    if (axis->choices && g->ordered[i])
        return near_choice(axis, rng, g->sigma[i], u);
    if (axis->choices)
        return other_choice(axis, rng, u);
    return fmin(fmax(u + g->sigma[i] * rng_normal(rng), 0), top);
}

void genes_mutate(const struct genes *g, struct rng *rng, double chance,
                  double *u)
{
    for (size_t i = 0; i < g->axes.count; i++) {
        double *at = &u[g->axes.axis[i].param];
        if (rng_uniform(rng) < chance)
            *at = change(g, i, rng, *at);
    }
}

void genes_mutate_some(const struct genes *g, struct rng *rng, double chance,
                       double *u)
{
    if (!g->axes.count)
        return;
    size_t sure = rng_below(rng, g->axes.count);
    double *at = &u[g->axes.axis[sure].param];
    double kept = change(g, sure, rng, *at);
    genes_mutate(g, rng, chance, u);
    *at = kept;
}

void genes_cross(const struct genes *g, struct rng *rng, double chance,
                 double *a, double *b)
{
    for (size_t i = 0; i < g->axes.count; i++) {
        size_t p = g->axes.axis[i].param;
        if (rng_uniform(rng) >= chance)
            continue;
        double kept = a[p];
        a[p] = b[p];
        b[p] = kept;
    }
}

static double power(double x, double exponent)
{
    return x < 1e-300 ? 0 : exact_exp(exponent * exact_log(x));
}

void genes_blend(const struct genes *g, struct rng *rng, double *a, double *b)
{
    for (size_t i = 0; i < g->axes.count; i++) {
        double *x = &a[g->axes.axis[i].param], *y = &b[g->axes.axis[i].param];
        double swap = rng_uniform(rng), r = rng_uniform(rng), x0 = *x;
        double spread = r < 0.5 ? power(2 * r, 1 / (blend_near + 1))
                                : power(2 - 2 * r, -1 / (blend_near + 1));
        if (swap < 0.5) {
            *x = *y;
            *y = x0;
        }
        if (g->axes.axis[i].choices)
            continue;
        double middle = (*x + *y) / 2, half = spread * (*y - *x) / 2;
        *x = fmin(fmax(middle - half, 0), top);
        *y = fmin(fmax(middle + half, 0), top);
    }
}

void genes_bend(const struct genes *g, struct rng *rng, double chance,
                double *u)
{
    for (size_t i = 0; i < g->axes.count; i++) {
        const struct axis *axis = &g->axes.axis[i];
        double *x = &u[axis->param], r = rng_uniform(rng);
        if (rng_uniform(rng) >= chance)
            continue;
        if (axis->choices) {
            *x = other_choice(axis, rng, *x);
            continue;
        }
        double step = r < 0.5 ? power(2 * r, 1 / (bend_near + 1)) - 1
                              : 1 - power(2 - 2 * r, 1 / (bend_near + 1));
        *x = fmin(fmax(*x + step, 0), top);
    }
}
