/* cma.c - a search distribution that learns from ranked points */
#include "search/cma.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "base/exact.h"
#include "base/linear.h"

enum { REDRAWS = 10 };

/* The step sizes of one update, which follow from the number of points. */
struct rates {
    double mu_eff, c_c, c_sigma, c_1, c_mu, damping;
    double *weights; /* positive ones sum to 1, the rest is negative */
};

static size_t matrix_size(const struct cma_shape *s)
{
    return s->separable ? s->numbers : s->numbers * s->numbers;
}

struct cma *cma_new(const struct cma_shape *s)
{
    size_t n = s->numbers, m = matrix_size(s);
    size_t total = 5 * n + m + (s->separable ? 0 : m) + s->choice_count;
    struct cma *c = xcalloc(1, sizeof(*c) + (total + 1) * sizeof(double));
    c->shape = s;
    c->bytes = total * sizeof(double);
    c->mean = (double *)(c + 1);
    c->path_sigma = c->mean + n;
    c->path_c = c->path_sigma + n;
    c->floor = c->path_c + n;
    c->scale = c->floor + n;
    c->c = c->scale + n;
    c->basis = c->c + m;
    c->probabilities = c->basis + (s->separable ? 0 : m);
    return c;
}

void cma_free(struct cma *c)
{
    free(c);
}

void cma_copy(struct cma *to, const struct cma *from)
{
    require(to->bytes == from->bytes);
    to->sigma = from->sigma;
    to->generation = from->generation;
    to->eigen_at = from->eigen_at;
    memcpy(to->mean, from->mean, from->bytes);
}

void cma_reset(struct cma *c, const double *mean, double sigma)
{
    const struct cma_shape *s = c->shape;
    size_t n = s->numbers;
    memset(c->mean, 0, c->bytes);
    c->sigma = sigma;
    c->generation = c->eigen_at = 0;
    for (size_t i = 0; i < n; i++) {
        c->mean[i] = mean[i];
        c->scale[i] = 1;
        c->c[s->separable ? i : i * n + i] = 1;
        if (!s->separable)
            c->basis[i * n + i] = 1;
    }
    for (size_t i = 0; i < s->choice_count; i++)
        c->probabilities[i] = s->shares[i];
}

static void draw_choices(const struct cma *c, struct rng *rng, size_t *choice)
{
    const struct cma_shape *s = c->shape;
    for (size_t g = 0; g < s->groups; g++) {
        const double *p = c->probabilities + s->offsets[g];
        double u = rng_uniform(rng), sum = p[0];
        size_t at = 0;
        while (at + 1 < s->choices[g] && u >= sum)
            sum += p[++at];
        choice[g] = at;
    }
}

static double variance_of(const struct cma *c, size_t i)
{
    return c->c[c->shape->separable ? i : i * c->shape->numbers + i];
}

/* x = mean + sigma B D z, and a push of its own on coordinates whose cells
 * are wider than the distribution. True when x is in the cube. */
static bool draw_numbers(const struct cma *c, struct rng *rng, double *x)
{
    size_t n = c->shape->numbers;
    bool inside = true;
    for (size_t i = 0; i < n; i++)
        x[i] = c->shape->separable ? 0 : c->mean[i];
    for (size_t k = 0; k < n; k++) {
        double z = rng_normal(rng) * c->scale[k] * c->sigma;
        if (c->shape->separable)
            x[k] = c->mean[k] + z;
        for (size_t i = 0; !c->shape->separable && i < n; i++)
            x[i] += c->basis[i * n + k] * z;
    }
    for (size_t i = 0; i < n; i++) {
        double variance = c->sigma * c->sigma * variance_of(c, i);
        double lacking = c->floor[i] * c->floor[i] - variance;
        if (lacking > 0)
            x[i] += sqrt(lacking) * rng_normal(rng);
        inside = inside && x[i] >= 0 && x[i] <= 1;
    }
    return inside;
}

static void cut_numbers(const struct cma *c, double *x)
{
    for (size_t i = 0; i < c->shape->numbers; i++)
        x[i] = fmin(fmax(x[i], 0), 1);
}

void cma_draw(const struct cma *c, struct rng *rng, struct cma_point *out)
{
    draw_choices(c, rng, out->choice);
    for (int i = 0; i < REDRAWS; i++)
        if (draw_numbers(c, rng, out->x))
            return;
    cut_numbers(c, out->x);
}

/* Coordinates that get a push of their own hide what the others were. */
static bool pushes(const struct cma *c)
{
    for (size_t i = 0; i < c->shape->numbers; i++)
        if (c->floor[i] > 0)
            return true;
    return false;
}

/* The last z that would have given x. */
static double last_z(const struct cma *c, const double *x)
{
    size_t n = c->shape->numbers, k = n - 1;
    double along = 0;
    if (c->shape->separable)
        return (x[k] - c->mean[k]) / (c->sigma * c->scale[k]);
    for (size_t i = 0; i < n; i++)
        along += c->basis[i * n + k] * (x[i] - c->mean[i]);
    return along / (c->sigma * c->scale[k]);
}

void cma_draw_again(const struct cma *c, struct rng *rng, double room,
                    struct cma_point *out)
{
    size_t n = c->shape->numbers;
    if (!n || pushes(c)) {
        cma_draw(c, rng, out);
        return;
    }
    double wanted = last_z(c, out->x);
    room *= 2 * sqrt((double)n) / (c->sigma * c->scale[n - 1]);
    room += ROUGHLY;
    draw_choices(c, rng, out->choice);
    /* The last draw is taken wherever it is, cut to the cube. */
    for (int i = 0; i + 1 < REDRAWS; i++) {
        struct rng all = *rng;
        rng_skip(rng, 2 * (n - 1));
        if (fabs(rng_normal_roughly(rng) - wanted) > room)
            continue;
        if (draw_numbers(c, &all, out->x))
            return;
    }
    if (!draw_numbers(c, rng, out->x))
        cut_numbers(c, out->x);
}

/* Raw weights fall with the logarithm of the rank. */
static void raw_weights(struct rates *r, size_t count, double *mu_eff_minus)
{
    double half = exact_log(((double)count + 1) / 2);
    double sum = 0, squares = 0, minus = 0, minus_squares = 0;
    for (size_t i = 0; i < count; i++) {
        double w = half - exact_log((double)(i + 1));
        r->weights[i] = w;
        if (w > 0) {
            sum += w;
            squares += w * w;
        } else {
            minus += w;
            minus_squares += w * w;
        }
    }
    r->mu_eff = squares > 0 ? sum * sum / squares : 1;
    *mu_eff_minus = minus_squares > 0 ? minus * minus / minus_squares : 0;
}

static void scale_weights(struct rates *r, size_t count, double least)
{
    double plus = 0, minus = 0;
    for (size_t i = 0; i < count; i++)
        *(r->weights[i] > 0 ? &plus : &minus) += r->weights[i];
    for (size_t i = 0; i < count; i++) {
        if (r->weights[i] > 0)
            r->weights[i] /= plus;
        else if (minus < 0)
            r->weights[i] *= least / -minus;
    }
    if (plus <= 0)
        r->weights[0] = 1;
}

static void rates_init(struct rates *r, const struct cma_shape *s, size_t count)
{
    double n = (double)(s->numbers ? s->numbers : 1), mu_eff_minus;
    r->weights = xcalloc(count, sizeof(*r->weights));
    raw_weights(r, count, &mu_eff_minus);
    double mu = r->mu_eff;
    r->c_c = (4 + mu / n) / (n + 4 + 2 * mu / n);
    r->c_sigma = (mu + 2) / (n + mu + 5);
    r->damping = 1 + 2 * fmax(0, sqrt((mu - 1) / (n + 1)) - 1) + r->c_sigma;
    r->c_1 = 2 / ((n + 1.3) * (n + 1.3) + mu);
    r->c_mu = 2 * (0.25 + mu + 1 / mu - 2) / ((n + 2) * (n + 2) + mu);
    if (s->separable) {
        r->c_1 = fmin(0.5, r->c_1 * (n + 2) / 3);
        r->c_mu *= (n + 2) / 3;
    }
    r->c_mu = fmin(1 - r->c_1, r->c_mu);
    /* Negative weights may take no more than keeps C positive definite. */
    double least = fmin(1 + r->c_1 / r->c_mu, 1 + 2 * mu_eff_minus / (mu + 2));
    least = fmin(least, (1 - r->c_1 - r->c_mu) / (n * r->c_mu));
    scale_weights(r, count, s->separable ? 0 : fmax(least, 0));
}

/* out = C^(-1/2) y; returns the square of its length. */
static double whiten(const struct cma *c, const double *y, double *out)
{
    size_t n = c->shape->numbers;
    if (c->shape->separable) {
        for (size_t i = 0; i < n; i++)
            out[i] = y[i] / c->scale[i];
        return dot(out, out, n);
    }
    memset(out, 0, n * sizeof(*out));
    for (size_t k = 0; k < n; k++) {
        double along = 0;
        for (size_t i = 0; i < n; i++)
            along += c->basis[i * n + k] * y[i];
        along /= c->scale[k];
        for (size_t i = 0; i < n; i++)
            out[i] += c->basis[i * n + k] * along;
    }
    return dot(out, out, n);
}

/* The step from the mean in units of sigma. A foreign one is cut to a length
 * that this distribution could have given (Hansen, arXiv 1110.4181). */
static double step_to(const struct cma *c, const double *x, bool foreign,
                      double *y, double *white)
{
    size_t n = c->shape->numbers;
    for (size_t i = 0; i < n; i++)
        y[i] = (x[i] - c->mean[i]) / c->sigma;
    double square = whiten(c, y, white);
    double longest = sqrt((double)n) + 2 * (double)n / ((double)n + 2);
    if (!foreign || square <= longest * longest)
        return square;
    for (size_t i = 0; i < n; i++)
        y[i] *= longest / sqrt(square);
    return longest * longest;
}

static void move_paths(struct cma *c, const struct rates *r, const double *step,
                       double *white, double *stalled)
{
    size_t n = c->shape->numbers;
    double keep = 1 - r->c_sigma;
    double push = sqrt(r->c_sigma * (2 - r->c_sigma) * r->mu_eff);
    whiten(c, step, white);
    for (size_t i = 0; i < n; i++)
        c->path_sigma[i] = keep * c->path_sigma[i] + push * white[i];
    double m = (double)n;
    double expected = sqrt(m) * (1 - 1 / (4 * m) + 1 / (21 * m * m));
    double length = sqrt(dot(c->path_sigma, c->path_sigma, n));
    double left =
        1 - exact_exp(2 * (double)(c->generation + 1) * exact_log(keep));
    bool steady = length / sqrt(left) < (1.4 + 2 / (m + 1)) * expected;
    push = steady ? sqrt(r->c_c * (2 - r->c_c) * r->mu_eff) : 0;
    for (size_t i = 0; i < n; i++)
        c->path_c[i] = (1 - r->c_c) * c->path_c[i] + push * step[i];
    *stalled = steady ? 0 : r->c_c * (2 - r->c_c);
    c->sigma *=
        exact_exp(fmin(1, r->c_sigma / r->damping * (length / expected - 1)));
}

/* C += weight y y' */
static void add_outer(struct cma *c, const double *y, double weight)
{
    size_t n = c->shape->numbers;
    if (c->shape->separable) {
        for (size_t i = 0; i < n; i++)
            c->c[i] += weight * y[i] * y[i];
        return;
    }
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < n; j++)
            c->c[i * n + j] += weight * (y[i] * y[j]);
}

static void decompose(struct cma *c)
{
    size_t n = c->shape->numbers;
    c->eigen_at = c->generation;
    if (c->shape->separable) {
        for (size_t i = 0; i < n; i++)
            c->scale[i] = sqrt(c->c[i] = fmax(c->c[i], 1e-30));
        return;
    }
    double *work = xmalloc((n * n + 1) * sizeof(*work));
    memcpy(work, c->c, n * n * sizeof(*work));
    symmetric_eigen(work, n, c->scale, c->basis);
    free(work);
    double least = fmax(1e-30, 1e-15 * c->scale[n - 1]);
    for (size_t k = 0; k < n; k++)
        c->scale[k] = sqrt(fmax(c->scale[k], least));
}

/* Large matrices are decomposed only when they have changed enough. */
static bool decomposition_due(const struct cma *c, const struct rates *r)
{
    double n = (double)c->shape->numbers;
    double wait = 1 / ((r->c_1 + r->c_mu) * n * 10);
    return (double)(c->generation - c->eigen_at) >= fmax(1, wait);
}

static void update_numbers(struct cma *c, const struct rates *r,
                           const struct cma_point *points, const bool *foreign,
                           size_t count)
{
    size_t n = c->shape->numbers;
    double *y = xcalloc((count + 2) * n, sizeof(*y));
    double *squares = xcalloc(count, sizeof(*squares));
    double *step = y + count * n, *white = step + n;
    double total = 0, stalled;
    for (size_t i = 0; i < count; i++) {
        double w = r->weights[i];
        squares[i] = step_to(c, points[i].x, foreign[i], y + i * n, white);
        total += w;
        for (size_t k = 0; w > 0 && k < n; k++)
            step[k] += w * y[i * n + k];
    }
    for (size_t k = 0; k < n; k++)
        c->mean[k] = fmin(fmax(c->mean[k] + c->sigma * step[k], 0), 1);
    move_paths(c, r, step, white, &stalled);
    double keep = 1 - r->c_1 - r->c_mu * total + r->c_1 * stalled;
    size_t cells = matrix_size(c->shape);
    for (size_t i = 0; i < cells; i++)
        c->c[i] *= keep;
    add_outer(c, c->path_c, r->c_1);
    for (size_t i = 0; i < count; i++) {
        double w = r->weights[i];
        if (w < 0)
            w *= (double)n / fmax(squares[i], 1e-12);
        add_outer(c, y + i * n, r->c_mu * w);
    }
    free(y);
    free(squares);
}

/* Each choice keeps some chance, so that none is lost for good. */
static void keep_margin(double *p, size_t count, double least)
{
    double spare = 0, total = 0;
    for (size_t i = 0; i < count; i++)
        p[i] = fmax(p[i], least);
    for (size_t i = 0; i < count; i++) {
        spare += p[i] - least;
        total += p[i];
    }
    for (size_t i = 0; spare > 0 && i < count; i++)
        p[i] -= (total - 1) * (p[i] - least) / spare;
}

static void update_choices(struct cma *c, const struct rates *r,
                           const struct cma_point *points, size_t count)
{
    const struct cma_shape *s = c->shape;
    for (size_t g = 0; g < s->groups; g++) {
        double *p = c->probabilities + s->offsets[g];
        double k = (double)s->choices[g];
        double rate = r->mu_eff / (r->mu_eff + 2 * k + 4);
        if (k < 2)
            continue;
        for (size_t i = 0; i < s->choices[g]; i++)
            p[i] *= 1 - rate;
        for (size_t i = 0; i < count && r->weights[i] > 0; i++)
            p[points[i].choice[g]] += rate * r->weights[i];
        keep_margin(p, s->choices[g], 0.25 / ((double)s->groups + 1) / k);
    }
}

void cma_update(struct cma *c, const struct cma_point *points,
                const bool *foreign, size_t count)
{
    struct rates r;
    if (!count)
        return;
    rates_init(&r, c->shape, count);
    if (c->shape->numbers)
        update_numbers(c, &r, points, foreign, count);
    update_choices(c, &r, points, count);
    c->generation++;
    if (c->shape->numbers && decomposition_due(c, &r))
        decompose(c);
    free(r.weights);
}

void cma_extent(const struct cma *c, double *widest, double *narrowest)
{
    *widest = 0;
    *narrowest = INFINITY;
    for (size_t k = 0; k < c->shape->numbers; k++) {
        *widest = fmax(*widest, c->sigma * c->scale[k]);
        *narrowest = fmin(*narrowest, c->sigma * c->scale[k]);
    }
}
