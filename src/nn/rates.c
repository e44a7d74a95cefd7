/* rates.c - what an optimizer needs at each step */
#include <math.h>

#include "nn/device.h"

double nn_soft_or(const double *soft, struct nn_soft s, double otherwise)
{
    return s.index < 0 ? otherwise : soft[s.index];
}

/* NADAM's momentum warms up: 0.96^(0.004 t), as its authors have it. */
static double mu_at(double beta1, int64_t step)
{
    return beta1 * (1 - 0.5 * pow(0.96, (double)step * 0.004));
}

struct nn_rates nn_rates_next(struct nn_place *m, int64_t per_epoch)
{
    const struct nn_optimizer *o = &m->model->optimizer;
    const double *soft = m->model->soft.p;
    struct nn_rates r = {
        .lr = nn_schedule_lr(m->model, soft, &m->standing.schedule,
                             m->standing.step, per_epoch),
        .momentum = soft[o->momentum.index],
        .rho = soft[o->rho.index],
        .beta1 = soft[o->beta1.index],
        .beta2 = soft[o->beta2.index],
        .epsilon = soft[o->epsilon.index],
        .weight_decay = soft[o->weight_decay.index],
        .step = m->standing.step + 1,
        .nesterov = o->nesterov,
        .centered = o->centered,
    };
    if (o->kind == NN_NADAM) {
        r.mu = mu_at(r.beta1, r.step);
        r.mu_next = mu_at(r.beta1, r.step + 1);
        r.mu_product = m->standing.mu_product *= r.mu;
    }
    m->standing.step++;
    return r;
}

bool nn_rates_steady(const struct nn_place *m)
{
    const struct nn_schedule *s = &m->model->schedule;
    bool by_step = s->kind == NN_COSINE || s->kind == NN_CYCLIC;
    return m->model->optimizer.kind != NN_NADAM && !by_step &&
           !(s->warmup_epochs > 0);
}
