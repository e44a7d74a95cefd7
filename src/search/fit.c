/* fit.c - the kernel that explains the values best */
#include "search/fit.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "base/exact.h"
#include "base/linear.h"

enum { MEMORY = 6, TRIES = 8 };
static const double log_half = -0.69314718055994531; /* log 0.5 */
static const double least_noise = 1e-7;

void fit_start(double *theta, size_t axes)
{
    for (size_t i = 0; i < axes; i++)
        theta[i] = log_half;
    theta[axes + FIT_SCALE] = 0;
    theta[axes + FIT_NOISE] = -6;
}

void fit_kernel(struct kernel *k, const double *theta)
{
    for (size_t i = 0; i < k->axes; i++)
        k->weights[i] = exact_exp(-2 * theta[i]);
    k->scale = exact_exp(theta[k->axes + FIT_SCALE]);
    k->noise = exact_exp(theta[k->axes + FIT_NOISE]) + least_noise;
}

/* What one evaluation needs. */
struct work {
    struct kernel kernel;
    double *factor, *slopes, *inverse, *alpha; /* n x n, and n */
};

static void work_init(struct work *w, const struct samples *s)
{
    size_t n = s->count;
    w->kernel = (struct kernel){
        .axes = s->axes,
        .weights = xcalloc(s->axes + 1, sizeof(*w->kernel.weights))};
    w->factor = xcalloc(n * n + 1, sizeof(double));
    w->slopes = xcalloc(n * n + 1, sizeof(double));
    w->inverse = xcalloc(n * n + 1, sizeof(double));
    w->alpha = xcalloc(n + 1, sizeof(double));
}

static void work_done(struct work *w)
{
    free(w->kernel.weights);
    free(w->factor);
    free(w->slopes);
    free(w->inverse);
    free(w->alpha);
}

/* The factor of the matrix and alpha = K^-1 y. */
static int factorise(struct work *w, const struct samples *s, const double *y)
{
    size_t n = s->count;
    for (size_t i = 0; i < n; i++) {
        double *row = w->factor + i * n;
        kernel_row(&w->kernel, s, i, row);
        kernel_apply(&w->kernel, row, i, w->slopes + i * n);
        row[i] = w->kernel.scale + w->kernel.noise;
    }
    if (cholesky_extend(w->factor, n, 0, n))
        return -1;
    memcpy(w->alpha, y, n * sizeof(*y));
    solve_lower_one(w->factor, n, n, w->alpha);
    solve_upper_one(w->factor, n, n, w->alpha);
    return 0;
}

/* Minus the logarithms of the priors' densities, added to the gradient. */
static double priors(const double *theta, size_t axes, double *gradient)
{
    double loss = 0;
    for (size_t i = 0; i < axes; i++) {
        double off = theta[i] - log_half;
        loss += 0.5 * off * off;
        gradient[i] += off;
    }
    double scale = exact_exp(theta[axes + FIT_SCALE]);
    double noise = exact_exp(theta[axes + FIT_NOISE]);
    loss += scale - theta[axes + FIT_SCALE];
    gradient[axes + FIT_SCALE] += scale - 1;
    loss += 30 * noise - 0.1 * theta[axes + FIT_NOISE];
    gradient[axes + FIT_NOISE] += 30 * noise - 0.1;
    return loss;
}

/* The sum over pairs of weight * (squared) distance along one axis. */
static double along(const struct samples *s, size_t axis, size_t i,
                    const double *weights)
{
    const double *column = s->columns[axis];
    double here = column[i], sums[4] = {0};
    size_t j = 0;
    bool unordered = s->unordered[axis];
    for (; j + 4 <= i; j += 4)
        for (int r = 0; r < 4; r++) {
            double apart = column[j + r] - here;
            apart = unordered ? apart != 0 : apart * apart;
            sums[r] += weights[j + r] * apart;
        }
    for (; j < i; j++) {
        double apart = column[j] - here;
        sums[0] += weights[j] * (unordered ? apart != 0 : apart * apart);
    }
    return sums[0] + sums[1] + (sums[2] + sums[3]);
}

/* The gradient of the likelihood: half the trace of (K^-1 - alpha alpha')
 * dK; the matrix is symmetric, so pairs below the diagonal count twice. */
static void slopes_of(struct work *w, const struct samples *s, const double *y,
                      double *gradient)
{
    size_t n = s->count, axes = s->axes;
    double trace = 0;
    cholesky_inverse(w->factor, n, n, w->inverse);
    for (size_t i = 0; i < n; i++) {
        double *row = w->inverse + i * n;
        const double *slopes = w->slopes + i * n;
        trace += row[i] - w->alpha[i] * w->alpha[i];
        for (size_t j = 0; j < i; j++)
            row[j] = (row[j] - w->alpha[i] * w->alpha[j]) * slopes[j];
        for (size_t a = 0; a < axes; a++)
            gradient[a] -= 2 * w->kernel.weights[a] * along(s, a, i, row);
    }
    /* K = scale R + noise 1, so scale dK/dscale = K - noise 1. */
    double noise = w->kernel.noise;
    double fitted = dot(y, w->alpha, n);
    gradient[axes + FIT_SCALE] += 0.5 * ((double)n - fitted - noise * trace);
    gradient[axes + FIT_NOISE] += 0.5 * (noise - least_noise) * trace;
}

static double loss_with(struct work *w, const struct samples *s,
                        const double *y, const double *theta, double *gradient)
{
    size_t n = s->count;
    memset(gradient, 0, (s->axes + FIT_MORE) * sizeof(*gradient));
    fit_kernel(&w->kernel, theta);
    if (factorise(w, s, y))
        return INFINITY;
    double loss = 0.5 * dot(y, w->alpha, n);
    for (size_t i = 0; i < n; i++)
        loss += exact_log(w->factor[i * n + i]);
    slopes_of(w, s, y, gradient);
    loss += priors(theta, s->axes, gradient);
    return isfinite(loss) ? loss : INFINITY;
}

double fit_loss(const struct samples *s, const double *y, const double *theta,
                double *gradient)
{
    struct work w;
    work_init(&w, s);
    double loss = loss_with(&w, s, y, theta, gradient);
    work_done(&w);
    return loss;
}

/* The last steps and what they changed in the gradient. */
struct memory {
    size_t size; /* of a vector */
    int count;   /* steps in all; the newest MEMORY are kept */
    double *steps, *turns;
};

/* Two-loop recursion: direction = - H gradient. */
static void direction_of(const struct memory *m, const double *gradient,
                         double *direction)
{
    size_t d = m->size;
    double factors[MEMORY];
    int oldest = m->count > MEMORY ? m->count - MEMORY : 0;
    for (size_t i = 0; i < d; i++)
        direction[i] = -gradient[i];
    for (int k = m->count - 1; k >= oldest; k--) {
        const double *s = m->steps + (size_t)(k % MEMORY) * d;
        const double *t = m->turns + (size_t)(k % MEMORY) * d;
        double f = dot(s, direction, d) / dot(s, t, d);
        factors[k % MEMORY] = f;
        for (size_t i = 0; i < d; i++)
            direction[i] -= f * t[i];
    }
    if (m->count) {
        const double *s = m->steps + (size_t)((m->count - 1) % MEMORY) * d;
        const double *t = m->turns + (size_t)((m->count - 1) % MEMORY) * d;
        double f = dot(s, t, d) / dot(t, t, d);
        for (size_t i = 0; i < d; i++)
            direction[i] *= f;
    }
    for (int k = oldest; k < m->count; k++) {
        const double *s = m->steps + (size_t)(k % MEMORY) * d;
        const double *t = m->turns + (size_t)(k % MEMORY) * d;
        double f = factors[k % MEMORY] - dot(t, direction, d) / dot(s, t, d);
        for (size_t i = 0; i < d; i++)
            direction[i] += f * s[i];
    }
}

static void remember(struct memory *m, const double *from, const double *to,
                     const double *before, const double *after)
{
    size_t d = m->size, at = (size_t)(m->count % MEMORY) * d;
    double curvature = 0, square = 0;
    for (size_t i = 0; i < d; i++) {
        double step = to[i] - from[i], turn = after[i] - before[i];
        curvature += step * turn;
        square += turn * turn;
    }
    if (!(curvature > 1e-10 * square))
        return;
    for (size_t i = 0; i < d; i++) {
        m->steps[at + i] = to[i] - from[i];
        m->turns[at + i] = after[i] - before[i];
    }
    m->count++;
}

/* No step changes a logarithm by more than this. */
static double cut_step(double *direction, size_t d)
{
    double longest = 0;
    for (size_t i = 0; i < d; i++)
        longest = fmax(longest, fabs(direction[i]));
    for (size_t i = 0; longest > 2 && i < d; i++)
        direction[i] *= 2 / longest;
    return longest;
}

/* Keeps all that a lengthscale or a variance could sensibly be. */
static void keep_inside(double *theta, size_t axes)
{
    for (size_t i = 0; i < axes; i++)
        theta[i] = fmin(fmax(theta[i], -5), 6);
    theta[axes + FIT_SCALE] = fmin(fmax(theta[axes + FIT_SCALE], -6), 5);
    theta[axes + FIT_NOISE] = fmin(fmax(theta[axes + FIT_NOISE], -18), 1);
}

/* Goes along the direction as far as Armijo's rule allows; false at the
 * end. `to` and `after` get the new point. */
static bool line_search(struct work *w, const struct samples *s,
                        const double *y, const double *from, double *loss,
                        const double *before, const double *direction,
                        double *to, double *after)
{
    size_t d = s->axes + FIT_MORE;
    double fall = dot(before, direction, d), step = 1;
    for (int i = 0; i < TRIES; i++, step *= 0.35) {
        for (size_t k = 0; k < d; k++)
            to[k] = from[k] + step * direction[k];
        keep_inside(to, s->axes);
        double got = loss_with(w, s, y, to, after);
        if (got <= *loss + 1e-4 * step * fall) {
            bool enough = *loss - got > 1e-5 * (1 + fabs(got));
            *loss = got;
            return enough || i == 0;
        }
    }
    memcpy(to, from, d * sizeof(*to));
    memcpy(after, before, d * sizeof(*to));
    return false;
}

void fit_improve(const struct samples *s, const double *y, double *theta,
                 int steps)
{
    struct work w;
    size_t d = s->axes + FIT_MORE;
    double *room = xcalloc((4 + 2 * MEMORY) * d, sizeof(*room));
    double *gradient = room, *direction = room + d, *to = room + 2 * d,
           *after = room + 3 * d;
    struct memory m = {.size = d, .steps = room + 4 * d};
    m.turns = m.steps + MEMORY * d;
    work_init(&w, s);
    double loss = loss_with(&w, s, y, theta, gradient), before = INFINITY;
    bool going = isfinite(loss);
    for (int i = 0; going && i < steps; i++) {
        direction_of(&m, gradient, direction);
        if (!(dot(direction, gradient, d) < 0))
            for (size_t k = 0; k < d; k++)
                direction[k] = -gradient[k];
        if (cut_step(direction, d) < 1e-4)
            break;
        before = loss;
        going =
            line_search(&w, s, y, theta, &loss, gradient, direction, to, after);
        remember(&m, theta, to, gradient, after);
        memcpy(theta, to, d * sizeof(*theta));
        memcpy(gradient, after, d * sizeof(*theta));
        going = going && before - loss > 1e-4;
    }
    work_done(&w);
    free(room);
}
