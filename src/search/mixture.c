/* mixture.c - densities over coded points: a sum of kernels
 *
 * What is evaluated most is laid out for it: an array for each axis, padded to
 * whole blocks that stay in the nearest cache while all points are evaluated
 * on them, in loops that the compiler can turn into vector instructions. The
 * prior keeps every density above its weight, so that sums need no care. */
#include "search/mixture.h"

#include <math.h>
#include <stdlib.h>

#include "base/exact.h"
#include "base/linear.h"

enum {
    MOST_CELLS = 24, /* more are a REAL axis */
    BLOCK = 64,
    MOST_NEAR = 64,
    STEPS = 64, /* of the table of normalisers */
};

#define LEAST_SPREAD 0.01
#define SQRT_HALF 0.70710678118654752440

struct kernels {
    double *mu, *inverse, *level; /* REAL: of each kernel; inverse is
                                     sqrt(1/2) / sigma */
    unsigned char *cell;          /* others: its cell */
    /* Others: log-probability of cell c under a kernel of cell k, at
     * c (cells + 1) + k. */
    double *table;
};

/* ---- axes ------------------------------------------------------------- */

/* The cells' middles are known, and that they fill [0,1]. */
static void cells_of(struct mixture_axis *axis, const struct param *p,
                     size_t count, struct arena *a)
{
    axis->edges = xcalloc(count + 1, sizeof(*axis->edges));
    for (size_t i = 0; i < count; i++) {
        const struct value *v = p->dist == DIST_CATEGORICAL
                                    ? p->values->items[i]
                                    : param_grid_at(p, i, a);
        double middle = param_position(p, v);
        double before = axis->edges[i];
        axis->edges[i + 1] = middle < 0 ? before : 2 * middle - before;
    }
    axis->cells = count;
}

static double least_bandwidth(const struct param *p, uint64_t count)
{
    double q = p->dist == DIST_INT_UNIFORM ? 1 : p->q;
    if (count)
        return fmin(0.5 / (double)count, 0.25);
    return q > 0 && p->max > p->min ? fmin(0.5 * q / (p->max - p->min), 0.25)
                                    : 0;
}

static void axis_init(struct mixture_axis *axis, const struct param *p,
                      struct arena *a)
{
    const char *why;
    bool choice = p->dist == DIST_CATEGORICAL;
    uint64_t count = choice ? p->values->count : param_grid_count(p, &why);
    *axis = (struct mixture_axis){.kind = AXIS_REAL};
    if (p->dist == DIST_CONSTANT || count == 1) {
        axis->kind = AXIS_FIXED;
    } else if (count >= 2 && count <= MOST_CELLS &&
               (choice || p->dist == DIST_INT_UNIFORM)) {
        axis->kind = choice && !p->ordered ? AXIS_CHOICE : AXIS_CELLS;
        cells_of(axis, p, count, a);
    } else {
        axis->least = least_bandwidth(p, count);
    }
}

struct mixture_axis *mixture_axes_new(const struct space *space)
{
    struct mixture_axis *axes = xcalloc(space->count + 1, sizeof(*axes));
    struct arena *a = arena_new();
    for (size_t i = 0; i < space->count; i++)
        axis_init(&axes[i], &space->params[i], a);
    arena_free(a);
    return axes;
}

void mixture_axes_free(struct mixture_axis *axes, size_t count)
{
    for (size_t i = 0; axes && i < count; i++)
        free(axes[i].edges);
    free(axes);
}

size_t mixture_axis_cell(const struct mixture_axis *axis, double u)
{
    size_t cell = 0;
    if (isnan(u))
        return axis->cells;
    while (cell + 1 < axis->cells && u >= axis->edges[cell + 1])
        cell++;
    return cell;
}

/* ---- fitting ---------------------------------------------------------- */

void mixture_init(struct mixture *m, const struct mixture_axis *axes,
                  size_t width)
{
    *m = (struct mixture){.axes = axes, .width = width};
    m->kernels = xcalloc(width + 1, sizeof(*m->kernels));
    for (size_t i = 0; i < width; i++)
        if (axes[i].cells)
            m->kernels[i].table =
                xcalloc(axes[i].cells * (axes[i].cells + 1), sizeof(double));
}

void mixture_done(struct mixture *m)
{
    for (size_t i = 0; i < m->width; i++) {
        free(m->kernels[i].mu);
        free(m->kernels[i].inverse);
        free(m->kernels[i].level);
        free(m->kernels[i].cell);
        free(m->kernels[i].table);
    }
    free(m->kernels);
    free(m->weights);
    free(m->scratch);
}

/* Whole blocks for `count` kernels and the prior. */
static size_t padded(size_t count)
{
    return (count + BLOCK) / BLOCK * BLOCK;
}

static void reserve(struct mixture *m, size_t count)
{
    size_t cap = padded(count);
    if (cap <= m->cap)
        return;
    m->weights = xrealloc(m->weights, cap * sizeof(double));
    m->scratch = xrealloc(m->scratch, cap * sizeof(double));
    for (size_t i = 0; i < m->width; i++) {
        struct kernels *k = &m->kernels[i];
        if (m->axes[i].kind == AXIS_REAL) {
            k->mu = xrealloc(k->mu, cap * sizeof(double));
            k->inverse = xrealloc(k->inverse, cap * sizeof(double));
            k->level = xrealloc(k->level, cap * sizeof(double));
        } else {
            k->cell = xrealloc(k->cell, cap);
        }
    }
    m->cap = cap;
}

/* Of the normal distribution. */
static double mass_between(double low, double high)
{
    return exact_normal_quick(high) - exact_normal_quick(low);
}

/* log of (1/sigma) / sqrt(2 pi) / the mass of the normal inside [0,1]. */
static double level_of(double mu, double sigma)
{
    double mass = mass_between(-mu / sigma, (1 - mu) / sigma);
    return -0.91893853320467274178 - exact_log(sigma * mass);
}

static size_t active_axes(const struct mixture *m)
{
    size_t active = 0;
    for (size_t i = 0; i < m->width; i++)
        active += m->axes[i].kind != AXIS_FIXED;
    return active;
}

/* Bergstra's clip, which keeps kernels of a small set wide. */
static double least_sigma(size_t count)
{
    return 1 / fmin(100, (double)count + 2);
}

/* What n points leave of a bandwidth (Scott's rule). */
static double shrink(const struct mixture *m, double n)
{
    return exact_exp(-exact_log(fmax(n, 1)) / ((double)active_axes(m) + 4));
}

/* The standard deviation, with one observation's worth of the prior's, so
 * that few points are not taken for a narrow set. */
static double spread_sigma(const struct mixture *m, const double *mus,
                           size_t count, double scale)
{
    double n = 0, mean = 0, sum = 1.0 / 12;
    for (size_t i = 0; i < count; i++) {
        if (isnan(mus[i]))
            continue;
        n++;
        mean += (mus[i] - mean) / n;
    }
    for (size_t i = 0; i < count; i++)
        sum += isnan(mus[i]) ? 0 : (mus[i] - mean) * (mus[i] - mean);
    return fmax(scale * sqrt(sum / (n + 1)) * shrink(m, n), LEAST_SPREAD);
}

/* The one width of all kernels of an axis. */
static double shared_sigma(const struct mixture *m, const double *mus,
                           size_t count, struct width width)
{
    if (width.rule == WIDTH_SPREAD)
        return spread_sigma(m, mus, count, width.scale);
    return fmax(0.2 * shrink(m, (double)count), least_sigma(count));
}

/* The larger of the distances to the neighbours on both sides. */
static double distance_near(const double *sorted, size_t count, double mu)
{
    double left = 0, right = 1;
    size_t same = 0;
    for (size_t i = 0; i < count; i++) {
        same += sorted[i] == mu;
        if (sorted[i] < mu)
            left = sorted[i];
        if (sorted[i] > mu) {
            right = sorted[i];
            break;
        }
    }
    if (same > 1)
        return fmax(mu - left, right - mu) / 2;
    return fmax(mu - left, right - mu);
}

static void set_kernel(struct kernels *k, size_t i, double mu, double sigma,
                       double level)
{
    bool active = !isnan(mu);
    k->mu[i] = active ? mu : 0;
    k->inverse[i] = active ? SQRT_HALF / sigma : 0;
    k->level[i] = active ? level : 0;
}

static void fit_near(struct mixture *m, size_t axis, const double *mus,
                     size_t count, double scale)
{
    double sorted[MOST_NEAR];
    size_t active = 0;
    for (size_t i = 0; i < count; i++)
        if (!isnan(mus[i]) && active < MOST_NEAR)
            sorted[active++] = mus[i];
    qsort(sorted, active, sizeof(*sorted), ascending);
    double least = fmax(least_sigma(active), m->axes[axis].least);
    for (size_t i = 0; i < count; i++) {
        double sigma = scale;
        if (!isnan(mus[i]))
            sigma *= distance_near(sorted, active, mus[i]);
        sigma = fmin(fmax(sigma, least), 1);
        double level = isnan(mus[i]) ? 0 : level_of(mus[i], sigma);
        set_kernel(&m->kernels[axis], i, mus[i], sigma, level);
    }
}

/* All kernels are equally wide: their levels come from a table. */
static void fit_shared(struct mixture *m, size_t axis, const double *mus,
                       size_t count, struct width width)
{
    double levels[STEPS + 2];
    double sigma = shared_sigma(m, mus, count, width);
    sigma = fmax(sigma, m->axes[axis].least);
    for (int i = 0; i <= STEPS; i++)
        levels[i] = level_of((double)i / STEPS, sigma);
    levels[STEPS + 1] = levels[STEPS];
    for (size_t i = 0; i < count; i++) {
        double at = isnan(mus[i]) ? 0 : mus[i] * STEPS;
        size_t step = (size_t)at;
        double part = at - (double)step;
        double level = levels[step] + part * (levels[step + 1] - levels[step]);
        set_kernel(&m->kernels[axis], i, mus[i], sigma, level);
    }
}

/* Probabilities of an unordered parameter's cells: the kernel's own, and the
 * prior's with the weight of one observation. */
static double choice_mass(const struct mixture_axis *axis, size_t cell,
                          size_t kernel, size_t count)
{
    double prior = axis->edges[cell + 1] - axis->edges[cell];
    double n = (double)count;
    double blur = (double)axis->cells / (n + (double)axis->cells);
    return (cell == kernel ? 1 - blur : 0) + blur * prior;
}

static double cell_mass(const struct mixture_axis *axis, size_t cell,
                        size_t kernel, double sigma)
{
    double mu = (axis->edges[kernel] + axis->edges[kernel + 1]) / 2;
    double low = axis->edges[cell] - mu, high = axis->edges[cell + 1] - mu;
    return mass_between(low / sigma, high / sigma) /
           mass_between(-mu / sigma, (1 - mu) / sigma);
}

/* Densities are relative to the prior: a cell's mass over its own. */
static void fit_table(struct mixture *m, size_t axis, const double *mus,
                      size_t count, struct width width)
{
    const struct mixture_axis *a = &m->axes[axis];
    double sigma = shared_sigma(m, mus, count, width);
    for (size_t cell = 0; cell < a->cells; cell++) {
        double prior = a->edges[cell + 1] - a->edges[cell];
        double *row = &m->kernels[axis].table[cell * (a->cells + 1)];
        for (size_t k = 0; k < a->cells; k++) {
            double mass = a->kind == AXIS_CHOICE
                              ? choice_mass(a, cell, k, count)
                              : cell_mass(a, cell, k, sigma);
            row[k] = prior > 0 ? exact_log(fmax(mass / prior, 1e-30)) : 0;
        }
        row[a->cells] = 0;
    }
}

static void fit_axis(struct mixture *m, size_t axis, const double *mus,
                     size_t count, struct width width)
{
    struct kernels *k = &m->kernels[axis];
    if (m->axes[axis].kind == AXIS_FIXED)
        return;
    if (m->axes[axis].kind != AXIS_REAL) {
        fit_table(m, axis, mus, count, width);
        for (size_t i = 0; i < count; i++)
            k->cell[i] =
                (unsigned char)mixture_axis_cell(&m->axes[axis], mus[i]);
        for (size_t i = count; i < padded(count); i++)
            k->cell[i] = (unsigned char)m->axes[axis].cells;
        return;
    }
    if (width.rule == WIDTH_NEAR && count <= MOST_NEAR)
        fit_near(m, axis, mus, count, width.scale);
    else
        fit_shared(m, axis, mus, count, width);
    for (size_t i = count; i < padded(count); i++)
        set_kernel(k, i, NAN, 1, 0);
}

void mixture_fit(struct mixture *m, const struct history *h, const size_t *rows,
                 const double *weights, size_t count, struct width width)
{
    double sum = 1;
    reserve(m, count);
    m->count = count + 1;
    for (size_t axis = 0; axis < m->width; axis++) {
        for (size_t i = 0; i < count; i++)
            m->scratch[i] = h->columns[axis][rows[i]];
        fit_axis(m, axis, m->scratch, count, width);
    }
    for (size_t i = 0; i < count; i++)
        sum += weights[i];
    for (size_t i = 0; i < count; i++)
        m->weights[i] = weights[i] / sum;
    m->weights[count] = 1 / sum;
    for (size_t i = count + 1; i < padded(count); i++)
        m->weights[i] = 0;
}

/* ---- drawing and evaluating ------------------------------------------- */

static double draw_real(const struct kernels *k, size_t i, struct rng *r)
{
    /* The middle is inside, so at least about a third are accepted. */
    for (int tries = 0; k->inverse[i] > 0 && tries < 32; tries++) {
        double u = k->mu[i] + rng_normal(r) * SQRT_HALF / k->inverse[i];
        if (u >= 0 && u < 1)
            return u;
    }
    return rng_uniform(r);
}

static double draw_cell(const struct mixture_axis *axis,
                        const struct kernels *k, size_t i, struct rng *r)
{
    double left = rng_uniform(r);
    size_t last = 0;
    for (size_t cell = 0; cell < axis->cells; cell++) {
        double prior = axis->edges[cell + 1] - axis->edges[cell];
        size_t at = cell * (axis->cells + 1) + k->cell[i];
        if (prior <= 0)
            continue;
        last = cell;
        left -= prior * exact_exp(k->table[at]);
        if (left < 0)
            break;
    }
    return (axis->edges[last] + axis->edges[last + 1]) / 2;
}

static size_t draw_kernel(const struct mixture *m, struct rng *r)
{
    double left = rng_uniform(r);
    size_t i = 0;
    while (i + 1 < m->count && (left -= m->weights[i]) >= 0)
        i++;
    return i;
}

static double draw_from(const struct mixture *m, size_t axis, size_t kernel,
                        struct rng *r)
{
    const struct mixture_axis *a = &m->axes[axis];
    if (a->kind == AXIS_FIXED)
        return 0.5;
    if (a->kind == AXIS_REAL)
        return draw_real(&m->kernels[axis], kernel, r);
    return draw_cell(a, &m->kernels[axis], kernel, r);
}

void mixture_draw(const struct mixture *m, struct rng *r, double *u)
{
    size_t kernel = draw_kernel(m, r);
    for (size_t axis = 0; axis < m->width; axis++)
        u[axis] = draw_from(m, axis, kernel, r);
}

double mixture_draw_axis(const struct mixture *m, size_t axis, struct rng *r)
{
    return draw_from(m, axis, draw_kernel(m, r), r);
}

static void add_real(double *sum, const struct kernels *k, double u,
                     size_t first)
{
    const double *mu = k->mu + first;
    const double *inverse = k->inverse + first;
    const double *level = k->level + first;
    for (size_t i = 0; i < BLOCK; i++) {
        double t = (u - mu[i]) * inverse[i];
        sum[i] += level[i] - t * t;
    }
}

static void add_cells(double *sum, const struct mixture_axis *axis,
                      const struct kernels *k, double u, size_t first)
{
    size_t cell = mixture_axis_cell(axis, u);
    const double *row = &k->table[cell * (axis->cells + 1)];
    for (size_t i = 0; i < BLOCK; i++)
        sum[i] += row[k->cell[first + i]];
}

/* exp to eight digits, which is more than a density needs; as exact_exp it
 * has no branch and is the same on every machine. */
static inline double quick_exp(double x)
{
    const double shifter = 0x1.8p52;
    x = x < -700 ? -700 : x;
    x = x > 700 ? 700 : x;
    double shifted = x * 0x1.71547652b82fep0 + shifter;
    double t = x - (shifted - shifter) * 0x1.62e42fefa39efp-1;
    double sum = 1.0 / 5040;
    sum = sum * t + 1.0 / 720;
    sum = sum * t + 1.0 / 120;
    sum = sum * t + 1.0 / 24;
    sum = sum * t + 1.0 / 6;
    sum = sum * t + 0.5;
    sum = sum * t + 1;
    sum = sum * t + 1;
    uint64_t bits;
    double scale;
    memcpy(&bits, &shifted, sizeof(bits));
    bits = (bits << 52) + (UINT64_C(1023) << 52);
    memcpy(&scale, &bits, sizeof(scale));
    return sum * scale;
}

static void add_axis(double *sum, const struct mixture *m, size_t axis,
                     double u, size_t first)
{
    const struct mixture_axis *a = &m->axes[axis];
    if (a->kind == AXIS_FIXED || isnan(u))
        return;
    if (a->kind == AXIS_REAL)
        add_real(sum, &m->kernels[axis], u, first);
    else
        add_cells(sum, a, &m->kernels[axis], u, first);
}

/* What a block's kernels add to the density, from their logarithms. */
static double block_total(const struct mixture *m, double *sum, size_t first)
{
    double total = 0;
    for (size_t i = 0; i < BLOCK; i++)
        sum[i] = quick_exp(sum[i]) * m->weights[first + i];
    for (size_t i = 0; i < BLOCK; i++)
        total += sum[i];
    return total;
}

/* What the block of kernels that starts at `first` adds to the density. */
static double block_density(const struct mixture *m, const double *u,
                            size_t first)
{
    double sum[BLOCK] = {0};
    for (size_t axis = 0; axis < m->width; axis++)
        add_axis(sum, m, axis, u[axis], first);
    return block_total(m, sum, first);
}

void mixture_log_axis(const struct mixture *m, size_t axis, const double *u,
                      size_t count, double *logs)
{
    for (size_t i = 0; i < count; i++)
        logs[i] = 0;
    for (size_t first = 0; first < m->count; first += BLOCK)
        for (size_t i = 0; i < count; i++) {
            double sum[BLOCK] = {0};
            add_axis(sum, m, axis, u[i], first);
            logs[i] += block_total(m, sum, first);
        }
    for (size_t i = 0; i < count; i++)
        logs[i] = exact_log(logs[i]);
}

void mixture_log(const struct mixture *m, const double *u, size_t count,
                 double *logs)
{
    for (size_t i = 0; i < count; i++)
        logs[i] = 0;
    for (size_t first = 0; first < m->count; first += BLOCK)
        for (size_t i = 0; i < count; i++)
            logs[i] += block_density(m, u + i * m->width, first);
    for (size_t i = 0; i < count; i++)
        logs[i] = exact_log(logs[i]);
}
