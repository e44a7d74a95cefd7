/* schedule.c - the learning rate at each step */
#include "nn/schedule.h"

#include <math.h>

void nn_schedule_begin(struct nn_schedule_state *s)
{
    *s = (struct nn_schedule_state){.plateau = 1, .best = NAN};
}

/* Up and down between lr and maximum; the height shrinks by the mode. */
static double cyclic(const struct nn_schedule *c, const double *soft, double lr,
                     int64_t step)
{
    double half = (double)c->steps;
    double cycle = floor(1 + (double)step / (2 * half));
    double x = fabs((double)step / half - 2 * cycle + 1);
    double height = soft[c->maximum.index] - lr;
    if (c->mode == NN_TRIANGULAR2)
        height /= pow(2, cycle - 1);
    if (c->mode == NN_EXP_RANGE)
        height *= pow(soft[c->factor.index], (double)step);
    return lr + height * fmax(0, 1 - x);
}

static double of_kind(const struct nn_model *m, const double *soft,
                      const struct nn_schedule_state *s, int64_t step,
                      int64_t per_epoch)
{
    const struct nn_schedule *c = &m->schedule;
    double lr = soft[m->optimizer.lr.index];
    double factor = soft[c->factor.index], low = soft[c->minimum.index];
    int64_t epoch = step / per_epoch;
    switch (c->kind) {
    case NN_STEP:
        return lr * pow(factor, (double)(epoch / c->epochs));
    case NN_EXPONENTIAL:
        return lr * pow(factor, (double)epoch);
    case NN_COSINE: {
        double all = (double)(m->epochs * per_epoch);
        double part = fmin(1, (double)step / all);
        return low + (lr - low) * 0.5 * (1 + cos(M_PI * part));
    }
    case NN_CYCLIC:
        return cyclic(c, soft, lr, step);
    case NN_PLATEAU:
        return fmax(low, lr * s->plateau);
    default:
        return lr;
    }
}

double nn_schedule_lr(const struct nn_model *m, const double *soft,
                      const struct nn_schedule_state *s, int64_t step,
                      int64_t steps_per_epoch)
{
    double lr = of_kind(m, soft, s, step, steps_per_epoch);
    double warm = m->schedule.warmup_epochs * (double)steps_per_epoch;
    return (double)step + 1 < warm ? lr * ((double)step + 1) / warm : lr;
}

void nn_schedule_epoch(const struct nn_model *m, const double *soft,
                       struct nn_schedule_state *s, double loss)
{
    const struct nn_schedule *c = &m->schedule;
    if (c->kind != NN_PLATEAU)
        return;
    if (isnan(s->best) || loss < s->best - 1e-4) {
        s->best = loss;
        s->since = 0;
    } else if (++s->since >= c->patience) {
        s->plateau *= soft[c->factor.index];
        s->since = 0;
    }
}
