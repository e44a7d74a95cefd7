/* importance.c - what results say about parameters
 *
 * PED-ANOVA (Watanabe et al., IJCAI 2023) compares two densities of each
 * parameter, that of the best tenth and that of all results, on a grid of
 * cells. Functional ANOVA (Hutter et al., ICML 2014) takes the trees of a
 * forest apart: each leaf is a box, so that a tree's mean along one
 * axis, over all values of the others, is a sum over leaves. These means are
 * taken over all trees before their variance is: what one tree has by chance
 * is no effect of anything. Deep trees flatten what they learn, valleys most
 * of all, so these are small ones, each of what those before it leave over
 * (stochastic gradient boosting; Friedman 2002). */
#include "search/search.h"

#include <math.h>
#include <stdlib.h>

#include "base/exact.h"
#include "search/forest_tree.h"
#include "base/linear.h"
#include "search/sobol.h"
#include "search/unit.h"

/* How much of what is left over a tree takes. */
static const double rate = 0.1;

enum {
    CELLS = 32,        /* of a number's range */
    FINE = 16 * CELLS, /* what lies in the same one has the same kernel */
    TREES = 64,        /* of the forest of curves */
    FITTED = 1024, /* results that one of them sees; of more, evenly taken */
    LEAF = 3,
    STEPS = 400,      /* trees of functional ANOVA … */
    DEPTH = 4,        /* … and how many parameters meet in a leaf, at most */
    LEARNT = 8192,    /* results that functional ANOVA sees, likewise */
    AVERAGED = 128,   /* results that a curve is averaged over */
    SAMPLES = 1 << 13 /* points that the variance is found with */
};

struct importance {
    bool minimize;
    struct unit unit;
    struct axes axes;
    struct arena *scratch;
    size_t count, cap;
    double *u;             /* by result: a number for each parameter */
    double *losses;        /* low is good */
    struct fitted *fitted; /* the forest of the last question */
};

static struct fitted *fitted_new(void);
static void fitted_free(struct fitted *f);

/* ---- life ------------------------------------------------------------- */

struct importance *importance_new(const struct space *space, bool minimize,
                                  struct err *err)
{
    struct importance *i = xcalloc(1, sizeof(*i));
    if (unit_init(&i->unit, space, err)) {
        free(i);
        return NULL;
    }
    i->minimize = minimize;
    axes_init(&i->axes, space);
    i->scratch = arena_new();
    i->fitted = fitted_new();
    return i;
}

void importance_free(struct importance *i)
{
    if (!i)
        return;
    axes_done(&i->axes);
    unit_done(&i->unit);
    arena_free(i->scratch);
    free(i->u);
    free(i->losses);
    fitted_free(i->fitted);
    free(i);
}

void importance_add(struct importance *i, const struct value *point,
                    double value)
{
    size_t width = i->unit.space->count;
    if (!isfinite(value))
        return;
    if (i->count == i->cap) {
        i->cap = i->cap ? i->cap * 2 : 64;
        i->u = xrealloc(i->u, i->cap * (width + 1) * sizeof(*i->u));
        i->losses = xrealloc(i->losses, i->cap * sizeof(*i->losses));
    }
    unit_code(&i->unit, point, i->u + i->count * width);
    i->losses[i->count++] = i->minimize ? value : -value;
}

size_t importance_count(const struct importance *i)
{
    return i->count;
}

static int check_count(const struct importance *i, struct err *err)
{
    if (i->count >= IMPORTANCE_LEAST)
        return 0;
    return err_set(err, ERR_INPUT,
                   "%zu result%s a value; %d are needed to say which "
                   "parameters matter",
                   i->count, i->count == 1 ? " has" : "s have",
                   IMPORTANCE_LEAST);
}

static double at_of(const struct importance *i, size_t row, size_t axis)
{
    size_t width = i->unit.space->count;
    return i->u[row * width + i->axes.axis[axis].param];
}

static size_t cells_of(const struct axis *axis)
{
    return axis->choices ? axis->choices : CELLS;
}

/* ---- densities -------------------------------------------------------- */

static double *sorted_losses(const struct importance *i)
{
    double *sorted = xcalloc(i->count + 1, sizeof(*sorted));
    memcpy(sorted, i->losses, i->count * sizeof(*sorted));
    qsort(sorted, i->count, sizeof(*sorted), ascending);
    return sorted;
}

/* The loss up to which a result is one of the best tenth. */
static double best_tenth(const struct importance *i)
{
    double *sorted = sorted_losses(i);
    size_t best = (i->count + 9) / 10;
    best = best < 5 ? 5 : best;
    double bound = sorted[best - 1];
    free(sorted);
    return bound;
}

/* Chances of the cells of an axis among the results up to a loss; what is not
 * active does not count. The number of results comes back. */
static size_t choice_masses(const struct importance *i, size_t axis,
                            double bound, double *mass)
{
    const struct axis *x = &i->axes.axis[axis];
    size_t count = 0;
    for (size_t c = 0; c < x->choices; c++)
        mass[c] = x->share[c];
    for (size_t row = 0; row < i->count; row++) {
        double at = at_of(i, row, axis);
        if (isnan(at) || i->losses[row] > bound)
            continue;
        mass[axis_choice(x, at)] += 1;
        count++;
    }
    for (size_t c = 0; c < x->choices; c++)
        mass[c] /= (double)count + 1;
    return count;
}

static double kernel_width(const struct importance *i, size_t axis,
                           double bound, size_t *count)
{
    double sum = 0, squares = 0;
    *count = 0;
    for (size_t row = 0; row < i->count; row++) {
        double at = at_of(i, row, axis);
        if (isnan(at) || i->losses[row] > bound)
            continue;
        sum += at;
        squares += at * at;
        ++*count;
    }
    double n = (double)*count, mean = n > 0 ? sum / n : 0;
    double sd = n > 0 ? sqrt(fmax(squares / n - mean * mean, 0)) : 0;
    double scott = 1.059 * sd * exact_exp(-0.2 * exact_log(fmax(n, 1)));
    return fmin(fmax(scott, 1.0 / CELLS), 1);
}

/* How many of the results up to a loss lie in each fine cell. */
static void count_fine(const struct importance *i, size_t axis, double bound,
                       double *fine)
{
    memset(fine, 0, FINE * sizeof(*fine));
    for (size_t row = 0; row < i->count; row++) {
        double at = at_of(i, row, axis);
        if (!isnan(at) && i->losses[row] <= bound)
            fine[(size_t)fmin(fmax(at * FINE, 0), FINE - 1)] += 1;
    }
}

/* A kernel for each result, cut to the range, and one that is everywhere. */
static size_t number_masses(const struct importance *i, size_t axis,
                            double bound, double *mass)
{
    size_t count;
    double width = kernel_width(i, axis, bound, &count);
    double kernel[CELLS], fine[FINE];
    count_fine(i, axis, bound, fine);
    for (size_t c = 0; c < CELLS; c++)
        mass[c] = 1.0 / CELLS;
    for (size_t f = 0; f < FINE; f++) {
        double at = ((double)f + 0.5) / FINE, sum = 0;
        if (!(fine[f] > 0))
            continue;
        for (size_t c = 0; c < CELLS; c++) {
            double z = (((double)c + 0.5) / CELLS - at) / width;
            kernel[c] = exact_exp(-0.5 * z * z);
            sum += kernel[c];
        }
        for (size_t c = 0; c < CELLS; c++)
            mass[c] += fine[f] * kernel[c] / sum;
    }
    for (size_t c = 0; c < CELLS; c++)
        mass[c] /= (double)count + 1;
    return count;
}

static size_t masses(const struct importance *i, size_t axis, double bound,
                     double *mass)
{
    return i->axes.axis[axis].choices ? choice_masses(i, axis, bound, mass)
                                      : number_masses(i, axis, bound, mass);
}

/* Pearson's divergence of the best from all, as far as the parameter is
 * active among the best. */
static double divergence(const struct importance *i, size_t axis, double bound,
                         double *best, double *all)
{
    size_t cells = cells_of(&i->axes.axis[axis]), active;
    double sum = 0, good = 0;
    if (!masses(i, axis, INFINITY, all))
        return 0;
    active = masses(i, axis, bound, best);
    for (size_t row = 0; row < i->count; row++)
        good += i->losses[row] <= bound;
    for (size_t c = 0; c < cells; c++) {
        double ratio = best[c] / all[c] - 1;
        sum += all[c] * ratio * ratio;
    }
    return sum * (double)active / good;
}

static size_t most_cells(const struct importance *i)
{
    size_t most = CELLS;
    for (size_t a = 0; a < i->axes.count; a++)
        if (i->axes.axis[a].choices > most)
            most = i->axes.axis[a].choices;
    return most + 1;
}

int importance_ped(const struct importance *i, double *shares, struct err *err)
{
    if (check_count(i, err))
        return -1;
    size_t most = most_cells(i);
    double bound = best_tenth(i), sum = 0;
    double *best = xcalloc(2 * most, sizeof(*best));
    memset(shares, 0, i->unit.space->count * sizeof(*shares));
    for (size_t a = 0; a < i->axes.count; a++) {
        double share = divergence(i, a, bound, best, best + most);
        shares[i->axes.axis[a].param] = share;
        sum += share;
    }
    for (size_t p = 0; p < i->unit.space->count && sum > 0; p++)
        shares[p] /= sum;
    free(best);
    return 0;
}

/* ---- the forest ------------------------------------------------------- */

struct model {
    struct forest_tree *trees;
    size_t count; /* of trees */
    float *x;
    double *y;
};

/* Losses far above the others would be all that the trees see. */
static double upper_bound(const struct importance *i)
{
    double *sorted = sorted_losses(i);
    double low = sorted[i->count / 4], high = sorted[3 * i->count / 4];
    free(sorted);
    double bound = high + 3 * (high - low);
    return isfinite(bound) ? bound : high;
}

static void model_init(struct model *m, const struct importance *i,
                       size_t trees)
{
    size_t width = i->axes.count, params = i->unit.space->count;
    double bound = upper_bound(i);
    *m = (struct model){.trees = xcalloc(trees, sizeof(*m->trees)),
                        .count = trees,
                        .x = xcalloc(i->count * width + 1, sizeof(*m->x)),
                        .y = xcalloc(i->count + 1, sizeof(*m->y))};
    for (size_t row = 0; row < i->count; row++) {
        forest_code(&i->axes, i->u + row * params, m->x + row * width);
        m->y[row] = fmin(i->losses[row], bound);
    }
}

static void fit_forest(struct model *m, const struct importance *i,
                       uint64_t seed)
{
    uint32_t *rows = xcalloc(i->count + 1, sizeof(*rows));
    model_init(m, i, TREES);
    struct forest_data data = {.axes = &i->axes, .x = m->x, .y = m->y};
    for (size_t t = 0; t < TREES; t++) {
        struct rng rng;
        rng_init(&rng, seed, t, "importance");
        size_t step = (i->count + FITTED - 1) / FITTED, count = 0;
        for (size_t row = t % step; row < i->count; row += step)
            rows[count++] = (uint32_t)row;
        forest_tree_fit(&m->trees[t], &data, rows, count, LEAF, &rng);
    }
    free(rows);
}

/* The trees' means, times the rate, add up. Each tree sees a random half of
 * the results. */
static void fit_steps(struct model *m, const struct importance *i,
                      uint64_t seed)
{
    size_t width = i->axes.count, every = (i->count + LEARNT - 1) / LEARNT;
    uint32_t *rows = xcalloc(i->count + 1, sizeof(*rows));
    model_init(m, i, STEPS);
    struct forest_data data = {&i->axes, m->x, m->y, true, DEPTH};
    for (size_t t = 0; t < STEPS; t++) {
        const struct forest_tree *tree = &m->trees[t];
        struct rng rng;
        size_t count = 1; /* the first one: there is always one */
        rng_init(&rng, seed, t, "steps");
        rows[0] = 0;
        for (size_t row = every; row < i->count; row += every)
            if (rng_uniform(&rng) < 0.5)
                rows[count++] = (uint32_t)row;
        forest_tree_fit(&m->trees[t], &data, rows, count, LEAF, &rng);
        for (size_t row = 0; row < i->count; row += every)
            m->y[row] -=
                rate * forest_tree_leaf(tree, m->x + row * width)->mean;
    }
    free(rows);
}

static void model_done(struct model *m)
{
    for (size_t t = 0; t < m->count; t++)
        forest_tree_done(&m->trees[t]);
    free(m->trees);
    free(m->x);
    free(m->y);
}

/* Curves of all parameters ask the same forest: it is fitted once. */
struct fitted {
    struct model model;
    bool there;
    uint64_t seed;
    size_t count; /* of results */
};

static struct fitted *fitted_new(void)
{
    return xcalloc(1, sizeof(struct fitted));
}

static void fitted_free(struct fitted *f)
{
    if (f->there)
        model_done(&f->model);
    free(f);
}

static const struct model *model_of(const struct importance *i, uint64_t seed)
{
    struct fitted *f = i->fitted;
    if (f->there && f->seed == seed && f->count == i->count)
        return &f->model;
    if (f->there)
        model_done(&f->model);
    fit_forest(&f->model, i, seed);
    f->there = true;
    f->seed = seed;
    f->count = i->count;
    return &f->model;
}

/* ---- functional ANOVA ------------------------------------------------- */

/* The values of one axis inside of a box. Cell 0 is "not active". */
struct side {
    double low, high; /* of numbers: those in (low, high] */
    uint64_t choices; /* of choices: a bit each, as in forest_tree.h */
};

struct anova {
    const struct importance *from;
    const struct forest_tree *tree;
    size_t most;      /* cells of an axis, with cell 0 */
    double *off;      /* of each axis: the chance that it is not active */
    struct side *box; /* of each axis */
    double *chance;   /* of each axis: that a point is inside of the box */
    double *along;    /* of each axis and cell: what they say there */
    double mean;      /* of all together */
};

static bool has_bits(const struct axis *x)
{
    return x->choices && x->choices <= FOREST_CHOICES;
}

/* How much of a cell is inside of the box, from 0 to 1. */
static double cover(const struct anova *n, size_t axis, size_t cell)
{
    const struct axis *x = &n->from->axes.axis[axis];
    const struct side *s = &n->box[axis];
    if (has_bits(x))
        return (double)(s->choices >> cell & 1);
    if (!cell)
        return s->low < -1 && s->high >= -1;
    double from = (double)(cell - 1), to = from;
    if (x->choices)
        return s->low < from && from <= s->high;
    from /= CELLS;
    to = (double)cell / CELLS;
    return fmax(fmin(to, s->high) - fmax(from, s->low), 0) * CELLS;
}

static double cell_chance(const struct anova *n, size_t axis, size_t cell)
{
    const struct axis *x = &n->from->axes.axis[axis];
    if (!cell)
        return n->off[axis];
    return (1 - n->off[axis]) * (x->choices ? x->share[cell - 1] : 1.0 / CELLS);
}

static void add_leaf(struct anova *n, double mean)
{
    size_t width = n->from->axes.count;
    double volume = rate;
    for (size_t a = 0; a < width; a++) {
        size_t cells = cells_of(&n->from->axes.axis[a]);
        n->chance[a] = 0;
        for (size_t c = 0; c <= cells; c++)
            n->chance[a] += cover(n, a, c) * cell_chance(n, a, c);
        volume *= n->chance[a];
    }
    if (!(volume > 0))
        return;
    n->mean += volume * mean;
    for (size_t a = 0; a < width; a++) {
        size_t cells = cells_of(&n->from->axes.axis[a]);
        double others = volume / n->chance[a] * mean;
        for (size_t c = 0; c <= cells; c++)
            n->along[a * n->most + c] += others * cover(n, a, c);
    }
}

static void walk(struct anova *n, const struct forest_node *node)
{
    if (node->axis < 0) {
        add_leaf(n, node->mean);
        return;
    }
    struct side *side = &n->box[node->axis], whole = *side;
    const struct forest_node *left = &n->tree->nodes[node->left];
    if (node->left_choices) {
        side->choices = whole.choices & node->left_choices;
        walk(n, left);
        side->choices = whole.choices & ~node->left_choices;
    } else {
        side->high = fmin(whole.high, (double)node->cut);
        walk(n, left);
        side->high = whole.high;
        side->low = fmax(whole.low, (double)node->cut);
    }
    walk(n, left + 1);
    *side = whole;
}

static void add_tree(struct anova *n, const struct forest_tree *tree)
{
    for (size_t a = 0; a < n->from->axes.count; a++)
        n->box[a] = (struct side){-INFINITY, INFINITY, ~(uint64_t)0};
    n->tree = tree;
    walk(n, tree->nodes);
}

/* The variance of the trees' mean along one axis. */
static double variance_along(const struct anova *n, size_t axis)
{
    double sum = 0;
    for (size_t c = 0; c <= cells_of(&n->from->axes.axis[axis]); c++) {
        double d = n->along[axis * n->most + c] - n->mean;
        sum += cell_chance(n, axis, c) * d * d;
    }
    return sum;
}

/* The value of an axis, coded for trees, at u of its distribution. */
static float coded_at(const struct anova *n, size_t axis, double u)
{
    const struct axis *x = &n->from->axes.axis[axis];
    double off = n->off[axis], at = (u - off) / (1 - off);
    size_t choice = 0;
    if (u < off)
        return -1;
    if (!x->choices)
        return (float)at;
    while (choice + 1 < x->choices && at >= x->share[choice])
        at -= x->share[choice++];
    return (float)choice;
}

/* The variance of what the trees say, over the whole space. */
static double variance_of(const struct anova *n, const struct model *m,
                          uint64_t seed)
{
    size_t width = n->from->axes.count;
    double *u = xcalloc(width + 1, sizeof(*u)), sum = 0, squares = 0;
    float *x = xcalloc(width + 1, sizeof(*x));
    for (uint64_t s = 0; s < SAMPLES; s++) {
        double mean = 0;
        sobol_at(seed, s, width, u);
        for (size_t a = 0; a < width; a++)
            x[a] = coded_at(n, a, u[a]);
        for (size_t t = 0; t < m->count; t++)
            mean += rate * forest_tree_leaf(&m->trees[t], x)->mean;
        mean -= n->mean;
        sum += mean / SAMPLES;
        squares += mean * mean / SAMPLES;
    }
    free(u);
    free(x);
    return squares - sum * sum;
}

static void anova_init(struct anova *n, const struct importance *i)
{
    size_t width = i->axes.count + 1;
    *n = (struct anova){.from = i,
                        .most = most_cells(i) + 1,
                        .off = xcalloc(width, sizeof(*n->off)),
                        .box = xcalloc(width, sizeof(*n->box)),
                        .chance = xcalloc(width, sizeof(*n->chance))};
    n->along = xcalloc(width * n->most, sizeof(*n->along));
    for (size_t a = 0; a < i->axes.count; a++) {
        for (size_t row = 0; row < i->count; row++)
            n->off[a] += isnan(at_of(i, row, a));
        n->off[a] /= (double)i->count;
    }
}

int importance_fanova(const struct importance *i, uint64_t seed, double *shares,
                      struct err *err)
{
    if (check_count(i, err))
        return -1;
    struct anova n;
    struct model m;
    memset(shares, 0, i->unit.space->count * sizeof(*shares));
    fit_steps(&m, i, seed);
    anova_init(&n, i);
    for (size_t t = 0; t < m.count; t++)
        add_tree(&n, &m.trees[t]);
    double variance = variance_of(&n, &m, seed);
    for (size_t a = 0; a < i->axes.count && variance > 0; a++)
        shares[i->axes.axis[a].param] =
            fmin(variance_along(&n, a) / variance, 1);
    free(n.off);
    free(n.box);
    free(n.chance);
    free(n.along);
    model_done(&m);
    return 0;
}

/* ---- partial dependence ----------------------------------------------- */

/* Mean and spread over the trees, each averaged over some of the results with
 * the axis set to x. */
static void predict(const struct model *m, const struct importance *i,
                    size_t axis, float x, struct importance_cell *cell)
{
    size_t width = i->axes.count, count = 0;
    size_t step = (i->count + AVERAGED - 1) / AVERAGED;
    double of_tree[TREES] = {0}, sum = 0, squares = 0;
    for (size_t row = 0; row < i->count; row += step)
        count += m->x[row * width + axis] >= 0;
    /* Tree by tree: one fits into the cache, all of them do not. */
    for (size_t t = 0; t < TREES; t++)
        for (size_t row = 0; row < i->count; row += step) {
            float *at = &m->x[row * width + axis], kept = *at;
            if (kept < 0)
                continue;
            *at = x;
            of_tree[t] +=
                forest_tree_leaf(&m->trees[t], m->x + row * width)->mean;
            *at = kept;
        }
    for (size_t t = 0; t < TREES && count; t++) {
        double mean = of_tree[t] / (double)count;
        sum += mean / TREES;
        squares += mean * mean / TREES;
    }
    cell->mean = !count ? NAN : i->minimize ? sum : -sum;
    cell->spread = sqrt(fmax(squares - sum * sum, 0));
}

static enum region region_of(double crowd)
{
    if (crowd >= 1.5)
        return REGION_GOOD;
    return crowd <= 0.5 ? REGION_BAD : REGION_NEITHER;
}

/* Where a value is wider than a cell, as that of an integer with few of them,
 * a cell is of the value in its middle: else the value at the border of a good
 * and a bad region would be in both. */
static void set_bounds(const struct param *p, size_t c, struct arena *a,
                       struct importance_cell *cell)
{
    double to = fmin((double)(c + 1) / CELLS, 1 - 0x1p-53);
    struct value *middle = param_at(p, ((double)c + 0.5) / CELLS, a);
    cell->from = param_at(p, (double)c / CELLS, a);
    cell->to = param_at(p, to, a);
    if (value_eq(middle, cell->from) || value_eq(middle, cell->to))
        cell->from = cell->to = middle;
}

static void fill_cell(const struct importance *i, size_t axis, size_t c,
                      struct arena *a, struct importance_cell *cell)
{
    const struct axis *x = &i->axes.axis[axis];
    const struct param *p = &i->unit.space->params[x->param];
    if (x->choices)
        cell->from = cell->to = param_at(p, x->at[c], a);
    else
        set_bounds(p, c, a, cell);
    cell->region = region_of(cell->crowd);
}

int importance_curve(const struct importance *i, size_t param, uint64_t seed,
                     struct arena *a, struct importance_cell **cells,
                     size_t *count, struct err *err)
{
    size_t axis = 0, most = most_cells(i);
    while (axis < i->axes.count && i->axes.axis[axis].param != param)
        axis++;
    if (check_count(i, err))
        return -1;
    *count = axis < i->axes.count ? cells_of(&i->axes.axis[axis]) : 0;
    *cells = arena_array(a, *count + 1, sizeof(**cells));
    if (!*count)
        return 0;
    double *best = xcalloc(2 * most, sizeof(*best)), *all = best + most;
    divergence(i, axis, best_tenth(i), best, all);
    const struct model *m = model_of(i, seed);
    for (size_t c = 0; c < *count; c++) {
        float x =
            i->axes.axis[axis].choices ? (float)c : ((float)c + 0.5f) / CELLS;
        (*cells)[c].crowd = all[c] > 0 ? best[c] / all[c] : 0;
        predict(m, i, axis, x, &(*cells)[c]);
        fill_cell(i, axis, c, a, &(*cells)[c]);
    }
    free(best);
    return 0;
}
