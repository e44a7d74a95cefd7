/* axes.c - the coordinates that a model of the space works on */
#include "search/axes.h"

#include <math.h>
#include <stdlib.h>

static bool is_discrete(const struct param *p)
{
    switch (p->dist) {
    case DIST_CATEGORICAL:
        return p->ordered;
    case DIST_INT_UNIFORM:
    case DIST_Q_UNIFORM:
    case DIST_Q_LOG_UNIFORM:
    case DIST_Q_LOG_UNIFORM_VALUES:
    case DIST_Q_NORMAL:
    case DIST_Q_LOG_NORMAL:
    case DIST_Q_BETA:
        return true;
    default:
        return false;
    }
}

/* Choices that are never drawn, or stand twice in the list, are left out. */
static void add_choices(struct axis *axis, const struct param *p)
{
    double total = 0;
    axis->at = xcalloc(p->values->count, sizeof(*axis->at));
    axis->share = xcalloc(p->values->count, sizeof(*axis->share));
    for (size_t i = 0; i < p->values->count; i++) {
        double u = param_position(p, p->values->items[i]);
        double share = p->probabilities ? p->probabilities[i] : 1;
        bool known = u < 0 || share <= 0;
        for (size_t j = 0; !known && j < axis->choices; j++)
            known = axis->at[j] == u;
        if (known)
            continue;
        axis->at[axis->choices] = u;
        axis->share[axis->choices++] = share;
        total += share;
    }
    for (size_t i = 0; i < axis->choices; i++)
        axis->share[i] /= total;
}

void axes_init(struct axes *axes, const struct space *space)
{
    *axes = (struct axes){.space = space};
    axes->axis = xcalloc(space->count + 1, sizeof(*axes->axis));
    for (size_t i = 0; i < space->count; i++) {
        const struct param *p = &space->params[i];
        if (p->dist == DIST_CONSTANT)
            continue;
        struct axis *axis = &axes->axis[axes->count++];
        axis->param = i;
        axis->discrete = is_discrete(p);
        if (p->dist == DIST_CATEGORICAL && !p->ordered)
            add_choices(axis, p);
    }
}

void axes_done(struct axes *axes)
{
    for (size_t i = 0; i < axes->count; i++) {
        free(axes->axis[i].at);
        free(axes->axis[i].share);
    }
    free(axes->axis);
    *axes = (struct axes){0};
}

size_t axis_choice(const struct axis *axis, double u)
{
    size_t best = 0;
    for (size_t i = 1; i < axis->choices; i++)
        if (fabs(axis->at[i] - u) < fabs(axis->at[best] - u))
            best = i;
    return best;
}

double axis_snap(const struct axes *axes, size_t i, double u,
                 struct arena *scratch)
{
    const struct param *p = &axes->space->params[axes->axis[i].param];
    if (!axes->axis[i].discrete)
        return u;
    double snapped = param_position(p, param_at(p, u, scratch));
    return snapped < 0 ? u : snapped;
}

double axis_cell(const struct axes *axes, size_t i, double u,
                 struct arena *scratch)
{
    const struct param *p = &axes->space->params[axes->axis[i].param];
    if (!axes->axis[i].discrete)
        return 0;
    if (p->dist == DIST_INT_UNIFORM)
        return 1 / (p->max - p->min + 1);
    if (p->dist == DIST_CATEGORICAL)
        return 1 / (double)p->values->count;
    double x = value_number(param_at(p, u, scratch));
    double here = param_position(p, value_double(scratch, x));
    double up = param_position(p, value_double(scratch, x + p->q));
    double down = param_position(p, value_double(scratch, x - p->q));
    double cell = fmax(up >= 0 ? up - here : 0, down >= 0 ? here - down : 0);
    return here < 0 || cell <= 0 ? 1 : cell;
}
