/* init.c - the first weights of a member
 *
 * Keras's initializers. Each parameter has its own stream of random numbers,
 * so that a layer that is added changes nothing about the others. */
#include "nn/init.h"

#include <math.h>
#include <stdlib.h>

#include "base/err.h"
#include "base/rng.h"

/* Glorot's, He's and LeCun's are cases of variance_scaling. */
static struct nn_init scaling_of(const struct nn_init *init)
{
    switch (init->kind) {
    case NN_INIT_GLOROT_UNIFORM:
        return (struct nn_init){
            .a = 1, .fan = NN_FAN_MEAN, .drawn = NN_DRAWN_UNIFORM};
    case NN_INIT_GLOROT_NORMAL:
        return (struct nn_init){.a = 1, .fan = NN_FAN_MEAN};
    case NN_INIT_HE_UNIFORM:
        return (struct nn_init){.a = 2, .drawn = NN_DRAWN_UNIFORM};
    case NN_INIT_HE_NORMAL:
        return (struct nn_init){.a = 2};
    case NN_INIT_LECUN_UNIFORM:
        return (struct nn_init){.a = 1, .drawn = NN_DRAWN_UNIFORM};
    case NN_INIT_LECUN_NORMAL:
        return (struct nn_init){.a = 1};
    default:
        return *init;
    }
}

static double variance(const struct nn_param *p, const struct nn_init *scaling)
{
    int64_t fan = scaling->fan == NN_FAN_IN    ? p->fan_in
                  : scaling->fan == NN_FAN_OUT ? p->fan_out
                                               : p->fan_in + p->fan_out;
    double mean = scaling->fan == NN_FAN_MEAN ? 0.5 : 1;
    return scaling->a / fmax(1, mean * (double)fan);
}

static void fill(double *w, int64_t count, double value)
{
    for (int64_t i = 0; i < count; i++)
        w[i] = value;
}

static void uniform(double *w, int64_t count, struct rng *r, double low,
                    double high)
{
    for (int64_t i = 0; i < count; i++)
        w[i] = low + (high - low) * rng_uniform(r);
}

static void normal(double *w, int64_t count, struct rng *r, double mean,
                   double spread)
{
    for (int64_t i = 0; i < count; i++)
        w[i] = mean + spread * rng_normal(r);
}

/* Beyond two spreads is drawn again. */
static void truncated(double *w, int64_t count, struct rng *r, double mean,
                      double spread)
{
    for (int64_t i = 0; i < count; i++) {
        double z;
        do
            z = rng_normal(r);
        while (fabs(z) > 2);
        w[i] = mean + spread * z;
    }
}

/* Rows of a random matrix made orthonormal, in the smaller direction. */
static void orthogonal(double *w, const struct nn_param *p, struct rng *r)
{
    int64_t columns = p->shape.dim[p->shape.rank - 1];
    int64_t rows = p->count / columns;
    bool tall = rows > columns;
    int64_t vectors = tall ? columns : rows, length = tall ? rows : columns;
    double *v = xmalloc((size_t)(vectors * length) * sizeof(double));
    normal(v, vectors * length, r, 0, 1);
    for (int64_t i = 0; i < vectors; i++) {
        double *a = v + i * length, norm = 0;
        for (int64_t k = 0; k < i; k++) {
            double dot = 0, *b = v + k * length;
            for (int64_t j = 0; j < length; j++)
                dot += a[j] * b[j];
            for (int64_t j = 0; j < length; j++)
                a[j] -= dot * b[j];
        }
        for (int64_t j = 0; j < length; j++)
            norm += a[j] * a[j];
        for (int64_t j = 0; j < length; j++)
            a[j] /= sqrt(norm);
    }
    for (int64_t i = 0; i < rows; i++)
        for (int64_t j = 0; j < columns; j++)
            w[i * columns + j] = tall ? v[j * length + i] : v[i * length + j];
    free(v);
}

static void identity(double *w, const struct nn_param *p)
{
    int64_t columns = p->shape.dim[p->shape.rank - 1];
    for (int64_t i = 0; i < p->count; i++)
        w[i] = i / columns == i % columns ? 1 : 0;
}

static void scaled(const struct nn_param *p, struct rng *r, double *w)
{
    struct nn_init scaling = scaling_of(&p->init);
    double square = variance(p, &scaling);
    double spread = sqrt(square), limit = sqrt(3 * square);
    if (scaling.drawn == NN_DRAWN_UNIFORM)
        uniform(w, p->count, r, -limit, limit);
    else if (scaling.drawn == NN_DRAWN_NORMAL)
        normal(w, p->count, r, 0, spread);
    else /* A normal cut at two spreads is narrower: Keras widens it again. */
        truncated(w, p->count, r, 0, spread / 0.87962566103423978);
}

static void init_param(const struct nn_param *p, struct rng *r, double *w)
{
    switch (p->init.kind) {
    case NN_INIT_ONES:
        fill(w, p->count, 1);
        break;
    case NN_INIT_CONSTANT:
        fill(w, p->count, p->init.a);
        break;
    case NN_INIT_UNIFORM:
        uniform(w, p->count, r, p->init.a, p->init.b);
        break;
    case NN_INIT_NORMAL:
        normal(w, p->count, r, p->init.a, p->init.b);
        break;
    case NN_INIT_TRUNCATED_NORMAL:
        truncated(w, p->count, r, p->init.a, p->init.b);
        break;
    case NN_INIT_GLOROT_UNIFORM:
    case NN_INIT_GLOROT_NORMAL:
    case NN_INIT_HE_UNIFORM:
    case NN_INIT_HE_NORMAL:
    case NN_INIT_LECUN_UNIFORM:
    case NN_INIT_LECUN_NORMAL:
    case NN_INIT_VARIANCE_SCALING:
        scaled(p, r, w);
        break;
    case NN_INIT_ORTHOGONAL:
        orthogonal(w, p, r);
        break;
    case NN_INIT_IDENTITY:
        identity(w, p);
        break;
    default:
        fill(w, p->count, 0);
    }
}

void nn_init_weights(const struct nn_graph *g, uint64_t seed, double *weights)
{
    memset(weights, 0, (size_t)g->weights * sizeof(double));
    for (size_t i = 0; i < g->params.len; i++) {
        struct rng r;
        rng_init(&r, seed, i, "weights");
        const struct nn_param *p = &g->params.p[i];
        init_param(p, &r, weights + p->offset);
        fill(weights + p->offset + p->ones_at, p->ones, 1);
    }
}
