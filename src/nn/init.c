/* init.c - the first weights of a member
 *
 * Keras's initializers. Each parameter has its own stream of random numbers,
 * so that a layer that is added changes nothing about the others. */
#include "nn/init.h"

#include <math.h>
#include <stdlib.h>

#include "base/err.h"
#include "base/rng.h"

static double fan(const struct nn_param *p)
{
    switch (p->init.kind) {
    case NN_INIT_GLOROT_UNIFORM:
    case NN_INIT_GLOROT_NORMAL:
        return (double)(p->fan_in + p->fan_out) / 2;
    default:
        return (double)p->fan_in;
    }
}

static double variance(const struct nn_param *p)
{
    bool he =
        p->init.kind == NN_INIT_HE_UNIFORM || p->init.kind == NN_INIT_HE_NORMAL;
    return (he ? 2.0 : 1.0) / fmax(1, fan(p));
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

static void init_param(const struct nn_param *p, struct rng *r, double *w)
{
    double limit = sqrt(3 * variance(p));
    /* A normal cut at two spreads is narrower: Keras widens it again. */
    double spread = sqrt(variance(p)) / 0.87962566103423978;
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
    case NN_INIT_HE_UNIFORM:
    case NN_INIT_LECUN_UNIFORM:
        uniform(w, p->count, r, -limit, limit);
        break;
    case NN_INIT_GLOROT_NORMAL:
    case NN_INIT_HE_NORMAL:
    case NN_INIT_LECUN_NORMAL:
        truncated(w, p->count, r, 0, spread);
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
        init_param(&g->params.p[i], &r, weights + g->params.p[i].offset);
    }
}
