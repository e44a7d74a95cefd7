/* surrogate.c - a Gaussian process: what is believed of points not tried
 *
 * The factor of the covariances grows row by row; the first `factored` rows
 * of it are right for the rows and the kernel at hand. */
#include "search/surrogate.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "base/exact.h"
#include "search/fit.h"
#include "base/linear.h"

/* Noise of a value that is in doubt, as a part of the variance of values. */
#define DOUBT 0.25

struct surrogate {
    struct samples samples;
    struct kernel kernel;
    double noise; /* that the kernel came with */
    size_t cap, factored, told;
    bool *doubted;
    double *factor; /* cap x cap */
    double *alpha;  /* 0 for rows without a value */
    double *means;  /* of rows with a value */
    double *covariances, *slopes, *solved;
    double lowest; /* mean over all rows */
    size_t incumbent;
};

struct surrogate *surrogate_new(size_t axes, const bool *unordered)
{
    struct surrogate *s = xcalloc(1, sizeof(*s));
    s->samples = (struct samples){
        .axes = axes,
        .unordered = unordered,
        .columns = xcalloc(axes + 1, sizeof(*s->samples.columns))};
    s->kernel = (struct kernel){
        .axes = axes, .weights = xcalloc(axes + 1, sizeof(*s->kernel.weights))};
    return s;
}

void surrogate_free(struct surrogate *s)
{
    if (!s)
        return;
    for (size_t i = 0; i < s->samples.axes; i++)
        free(s->samples.columns[i]);
    free(s->samples.columns);
    free(s->kernel.weights);
    free(s->doubted);
    free(s->factor);
    free(s->alpha);
    free(s->means);
    free(s->covariances);
    free(s->slopes);
    free(s->solved);
    free(s);
}

void surrogate_kernel(struct surrogate *s, const double *theta)
{
    fit_kernel(&s->kernel, theta);
    s->noise = s->kernel.noise;
    s->factored = 0;
}

void surrogate_keep(struct surrogate *s, size_t rows)
{
    require(rows <= s->samples.count);
    s->samples.count = rows;
    if (s->factored > rows)
        s->factored = rows;
    /* Noise that was raised for rows that may be gone is not kept. */
    if (s->kernel.noise != s->noise) {
        s->kernel.noise = s->noise;
        s->factored = 0;
    }
}

static void grow(struct surrogate *s)
{
    size_t cap = s->cap ? 2 * s->cap : 64, lanes = cap * LINEAR_LANES;
    for (size_t i = 0; i < s->samples.axes; i++)
        s->samples.columns[i] =
            xrealloc(s->samples.columns[i], cap * sizeof(double));
    double *factor = xcalloc(cap * cap, sizeof(*factor));
    for (size_t i = 0; i < s->factored; i++)
        memcpy(factor + i * cap, s->factor + i * s->cap,
               (i + 1) * sizeof(*factor));
    free(s->factor);
    s->factor = factor;
    s->doubted = xrealloc(s->doubted, cap * sizeof(bool));
    s->alpha = xrealloc(s->alpha, cap * sizeof(double));
    s->means = xrealloc(s->means, cap * sizeof(double));
    s->covariances = xrealloc(s->covariances, lanes * sizeof(double));
    s->slopes = xrealloc(s->slopes, lanes * sizeof(double));
    s->solved = xrealloc(s->solved, lanes * sizeof(double));
    s->cap = cap;
}

void surrogate_add(struct surrogate *s, const double *x, bool doubted)
{
    if (s->samples.count == s->cap)
        grow(s);
    for (size_t i = 0; i < s->samples.axes; i++)
        s->samples.columns[i][s->samples.count] = x[i];
    s->doubted[s->samples.count++] = doubted;
}

static double noise_of(const struct surrogate *s, size_t row)
{
    return s->kernel.noise + (s->doubted[row] ? DOUBT * s->kernel.scale : 0);
}

static int factorise(struct surrogate *s)
{
    size_t count = s->samples.count;
    for (size_t i = s->factored; i < count; i++) {
        double *row = s->factor + i * s->cap;
        kernel_row(&s->kernel, &s->samples, i, row);
        kernel_apply(&s->kernel, row, i, NULL);
        row[i] = s->kernel.scale + noise_of(s, i);
    }
    int failed = cholesky_extend(s->factor, s->cap, s->factored, count);
    s->factored = failed ? 0 : count;
    return failed;
}

/* The mean at a row is its value less the noise's share of it; of pending
 * rows it takes their covariances with those that have a value. */
static void find_lowest(struct surrogate *s, const double *y)
{
    s->lowest = INFINITY;
    s->incumbent = 0;
    for (size_t i = 0; i < s->told; i++) {
        double mean = s->means[i] = y[i] - noise_of(s, i) * s->alpha[i];
        if (!s->doubted[i] && mean < s->lowest) {
            s->lowest = mean;
            s->incumbent = i;
        }
    }
    for (size_t i = s->told; i < s->samples.count; i++) {
        kernel_row(&s->kernel, &s->samples, i, s->covariances);
        kernel_apply(&s->kernel, s->covariances, s->told, NULL);
        double mean = dot(s->covariances, s->alpha, s->told);
        s->lowest = fmin(s->lowest, mean);
    }
}

void surrogate_finish(struct surrogate *s, const double *y, size_t told)
{
    require(told && told <= s->samples.count);
    while (factorise(s)) {
        require(s->kernel.noise < 1e6);
        s->kernel.noise *= 10;
    }
    s->told = told;
    memset(s->alpha, 0, s->samples.count * sizeof(*s->alpha));
    memcpy(s->alpha, y, told * sizeof(*y));
    solve_lower_one(s->factor, s->cap, told, s->alpha);
    solve_upper_one(s->factor, s->cap, told, s->alpha);
    find_lowest(s, y);
}

/* Leaves covariances, and the solution of L v = k in `solved`. */
void surrogate_posterior(struct surrogate *s, const double *at, double *mean,
                         double *variance)
{
    size_t n = s->samples.count;
    kernel_distances(&s->kernel, &s->samples, 0, n, at, s->covariances);
    kernel_apply(&s->kernel, s->covariances, n * LINEAR_LANES, s->slopes);
    memcpy(s->solved, s->covariances, n * LINEAR_LANES * sizeof(*s->solved));
    solve_lower(s->factor, s->cap, 0, n, s->solved);
    for (int r = 0; r < LINEAR_LANES; r++) {
        mean[r] = 0;
        variance[r] = s->kernel.scale;
    }
    for (size_t i = 0; i < n; i++)
        for (int r = 0; r < LINEAR_LANES; r++) {
            double v = s->solved[i * LINEAR_LANES + r];
            mean[r] += s->alpha[i] * s->covariances[i * LINEAR_LANES + r];
            variance[r] -= v * v;
        }
    for (int r = 0; r < LINEAR_LANES; r++)
        variance[r] = fmax(variance[r], 1e-12 * s->kernel.scale);
}

/* The gradient, from what the improvement gains by mean and by variance. */
static void add_slopes(struct surrogate *s, const double *at,
                       const double *by_mean, const double *by_variance,
                       double *gradient)
{
    size_t n = s->samples.count;
    solve_upper(s->factor, s->cap, 0, n, s->solved);
    for (size_t i = 0; i < n; i++)
        for (int r = 0; r < LINEAR_LANES; r++) {
            double *v = &s->solved[i * LINEAR_LANES + r];
            *v = s->slopes[i * LINEAR_LANES + r] *
                 (by_mean[r] * s->alpha[i] - 2 * by_variance[r] * *v);
        }
    for (size_t a = 0; a < s->samples.axes; a++) {
        const double *column = s->samples.columns[a];
        const double *here = at + a * LINEAR_LANES;
        double sum[LINEAR_LANES] = {0};
        for (size_t i = 0; i < n && !s->samples.unordered[a]; i++)
            for (int r = 0; r < LINEAR_LANES; r++)
                sum[r] +=
                    s->solved[i * LINEAR_LANES + r] * (here[r] - column[i]);
        for (int r = 0; r < LINEAR_LANES; r++)
            gradient[a * LINEAR_LANES + r] = 2 * s->kernel.weights[a] * sum[r];
    }
}

void surrogate_improvement(struct surrogate *s, const double *at,
                           double *improvement, double *gradient)
{
    double mean[LINEAR_LANES], variance[LINEAR_LANES];
    double by_mean[LINEAR_LANES], by_variance[LINEAR_LANES];
    surrogate_posterior(s, at, mean, variance);
    for (int r = 0; r < LINEAR_LANES; r++) {
        double sigma = sqrt(variance[r]), slope;
        double z = (s->lowest - mean[r]) / sigma;
        improvement[r] = exact_log_improvement(z, &slope) + exact_log(sigma);
        by_mean[r] = -slope / sigma;
        by_variance[r] = (1 - z * slope) / (2 * variance[r]);
    }
    if (gradient)
        add_slopes(s, at, by_mean, by_variance, gradient);
}

size_t surrogate_incumbent(const struct surrogate *s)
{
    return s->incumbent;
}

double surrogate_mean(const struct surrogate *s, size_t row)
{
    require(row < s->told);
    return s->means[row];
}

void surrogate_aim(struct surrogate *s, double lowest)
{
    s->lowest = lowest;
}

const double *surrogate_weights(const struct surrogate *s)
{
    return s->kernel.weights;
}
