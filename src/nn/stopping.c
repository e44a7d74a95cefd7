/* stopping.c - early stopping, and the weights of the best epoch
 *
 * The device keeps the best epoch's weights beside those of the last, from
 * when the first member needs it. */
#include <math.h>

#include "nn/trainer.h"

/* The value that early stopping watches; NaN: this epoch has none. */
static double watched(const struct nn_model *m, const struct nn_report *r)
{
    struct str name = m->stopping.watch;
    if (str_is(name, "loss"))
        return r->loss;
    if (str_is(name, "val_loss"))
        return r->validation_loss;
    for (size_t i = 0; i < m->metrics.len; i++) /* "val_" and its name */
        if (str_eq(str_n(name.p + 4, name.len - 4), m->metrics.p[i].name))
            return r->metrics[i];
    return NAN;
}

static bool is_better(const struct nn_stopping *s, double value, double best)
{
    if (isnan(best))
        return true;
    return s->larger ? value > best + s->min_delta
                     : value < best - s->min_delta;
}

bool nn_stopping_over(const struct nn_place *m)
{
    const struct nn_stopping *s = &m->model->stopping;
    return s->watch.len && s->patience > 0 && m->standing.since >= s->patience;
}

int nn_stopping_epoch(struct nn_trainer *t, int member, struct nn_report *r,
                      struct err *err)
{
    struct nn_place *p = &t->members[member];
    const struct nn_stopping *s = &p->model->stopping;
    if (!s->watch.len)
        return 0;
    double value = watched(p->model, r);
    if (isnan(value)) /* an epoch without a value is no worse */
        return 0;
    if (!is_better(s, value, p->standing.best)) {
        p->standing.since++;
        r->finished |= nn_stopping_over(p);
        return 0;
    }
    p->standing.best = value;
    p->standing.since = 0;
    if (!s->best_weights)
        return 0;
    if (t->runner->reserve(t->run, NN_BEST, err))
        return -1;
    t->runner->copy(t->run, member, NN_BEST, NN_WEIGHTS);
    p->has_best = true;
    return 0;
}

void nn_trainer_take_best(struct nn_trainer *t, int member)
{
    if (t->members[member].has_best)
        t->runner->copy(t->run, member, NN_WEIGHTS, NN_BEST);
}
