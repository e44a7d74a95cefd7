/* gp.c - Bayesian optimization with a Gaussian process
 *
 * The first points are Sobol's. Then each point is where the logarithm of the
 * expected improvement is largest, believing of pending points what the model
 * says; of those that are out together one goes for the lowest mean. While
 * very many are out, half of them go down a quadratic, unless there are
 * choices. From 8 parameters or 500 results on the search is kept to a box
 * around the best point (TuRBO), and the model to the results next to it.
 *
 * What trial k gets depends on the results and the pending points alone, in
 * the order of their numbers: the kernel is fitted to the first so many
 * results, a number that rises in steps of a tenth, always from the same
 * start (first to a few results, then to more), and never from the kernel
 * that was there before. */
#include "search/strategy.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "search/acquire.h"
#include "search/arms.h"
#include "search/bowl.h"
#include "base/exact.h"
#include "search/fit.h"
#include "search/options.h"
#include "search/roll.h"
#include "search/sobol.h"
#include "search/warp.h"

enum {
    LOCAL_FROM = 500, /* results; a box beyond */
    LOCAL_AXES = 8,
    MODEL_MOST = 512,   /* results in the model */
    PENDING_MOST = 256, /* pending points in the model */
    FIT_MOST = 256,     /* results that a kernel is fitted to */
    FIT_OFTEN = 128,    /* the same while late results make many fits */
    FIT_FEW = 64,
    STARTS = 5,
    OTHERS = 32,           /* tries to find a point that is new */
    OTHERS_GRID = 1 << 16, /* a space up to this size is searched for one */
    NEIGHBOURS = 16,       /* choices of an axis that are looked at in turn */
    STRAY_EVERY = 4,  /* trials, of which one leaves the incumbent's choices */
    STRAY_OFTEN = 3,  /* the same while trials are out */
    LOWEST_EVERY = 8, /* trials at least, of which one goes for the mean */
    SURE = 10,        /* standard deviations, by which all are better */
    MANY_OUT = 32,    /* trials, too many to wait for */
};

struct gp {
    struct roll roll;
    bool minimize, conditional;
    bool counts; /* trials, instead of drawing lots: version 3 */
    bool has_choices;
    size_t initial; /* results before there is a model */
    struct axes axes;
    bool *unordered;
    size_t *told; /* rows with a result, in the order of trials */
    size_t told_count, told_cap, value_count;
    size_t holding; /* results with a value that break no constraint */
    int64_t latest; /* told trial */
    struct surrogate *model;
    size_t *ids; /* rows that are in the model */
    size_t id_count;
    size_t modelled;  /* of those, the first so many have a result */
    bool fresh;       /* the model has all results */
    struct warp warp; /* of the model's values */
    double *theta;
    size_t fit_count;   /* results the kernel was fitted to; 0: none */
    size_t fit_most;    /* of those, taken at even steps */
    int64_t fit_latest; /* trial of the last of them */
    struct bowl bowl;   /* of told rows */
    size_t bowl_from;   /* results with a value, before it is asked */
    double *x, *low, *high;
};

/* A row with its distance from the best one. */
struct near {
    double distance;
    size_t order;
};

static double code_axis(const struct axis *axis, double u)
{
    if (axis->choices)
        return isnan(u) ? -1 : (double)axis_choice(axis, u);
    return isnan(u) ? 0.5 : u;
}

/* A row's code for the model. */
static void code(const struct gp *g, size_t row, double *x)
{
    for (size_t i = 0; i < g->axes.count; i++) {
        const struct axis *axis = &g->axes.axis[i];
        x[i] = code_axis(axis, g->roll.history.columns[axis->param][row]);
    }
}

/* The same of a point. */
static void code_point(struct gp *g, const struct value *point, double *x)
{
    double *coded = g->roll.coded;
    unit_code(&g->roll.unit, point, coded);
    for (size_t i = 0; i < g->axes.count; i++)
        x[i] = code_axis(&g->axes.axis[i], coded[g->axes.axis[i].param]);
}

/* From the model's code to u, one for each parameter of the space. */
static void decode(const struct gp *g, const double *x, double *u)
{
    for (size_t i = 0; i < g->roll.history.width; i++)
        u[i] = 0.5;
    for (size_t i = 0; i < g->axes.count; i++) {
        const struct axis *axis = &g->axes.axis[i];
        size_t choice = x[i] > 0 ? (size_t)x[i] : 0;
        u[axis->param] = axis->choices ? axis->at[choice] : x[i];
    }
}

static void settle(void *context, double *x, bool *active, bool snap)
{
    struct gp *g = context;
    size_t d = g->axes.count;
    for (size_t i = 0; i < d; i++) {
        active[i] = true;
        if (snap)
            x[i] = axis_snap(&g->axes, i, x[i], g->roll.scratch);
    }
    if (g->conditional) {
        decode(g, x, g->roll.u);
        unit_mask(&g->roll.unit, g->roll.u, g->roll.scratch);
        for (size_t i = 0; i < d; i++) {
            const struct axis *axis = &g->axes.axis[i];
            active[i] = !isnan(g->roll.u[axis->param]);
            if (axis->choices)
                x[i] = active[i] ? fmax(x[i], 0) : -1;
            else if (!active[i])
                x[i] = 0.5;
        }
    }
    arena_reset(g->roll.scratch);
}

/* What breaks constraints is as bad as a failure; while everything does, how
 * far it does is what there is to learn. NaN: as bad as can be. */
static double value_of(const struct gp *g, size_t row)
{
    double broken = g->roll.history.broken[row];
    if (!(broken > 0))
        return g->roll.history.losses[row];
    return g->holding || !isfinite(broken) ? NAN : broken;
}

static double loss_of(const struct gp *g, size_t row)
{
    double loss = value_of(g, row);
    return isnan(loss) ? INFINITY : loss;
}

/* Why a trial failed is not known: perhaps its point is to blame, perhaps the
 * machine. It counts as bad, but in doubt, and is no part of the fit. */
static bool is_failure(const struct gp *g, size_t row)
{
    return g->roll.history.marks[row] == MARK_BAD;
}

/* The rows' values as the model wants them; a failure gets the worst. */
static void model_values(struct gp *g, const size_t *ids, size_t count,
                         double *y)
{
    size_t n = 0;
    double worst = 0;
    for (size_t i = 0; i < count; i++)
        if (!is_failure(g, ids[i]))
            y[n++] = value_of(g, ids[i]);
    warp_losses(y, n, &g->warp);
    for (size_t i = 0; i < n; i++)
        worst = fmax(worst, y[i]);
    for (size_t i = count; i-- > 0;)
        y[i] = is_failure(g, ids[i]) ? worst : y[--n];
}

static size_t best_of(const struct gp *g, const size_t *ids, size_t count)
{
    size_t best = 0;
    for (size_t i = 1; i < count; i++)
        if (loss_of(g, ids[i]) < loss_of(g, ids[best]))
            best = i;
    return best;
}

static int by_distance(const void *a, const void *b)
{
    const struct near *x = a, *y = b;
    if (x->distance != y->distance)
        return x->distance < y->distance ? -1 : 1;
    return x->order < y->order ? -1 : x->order > y->order;
}

static int by_order(const void *a, const void *b)
{
    const struct near *x = a, *y = b;
    return x->order < y->order ? -1 : x->order > y->order;
}

/* Copies the `most` rows next to the best one, in their order; returns how
 * many there are. */
static size_t nearest(const struct gp *g, const size_t *ids, size_t count,
                      size_t most, size_t *out)
{
    size_t d = g->axes.count;
    if (count <= most) {
        memcpy(out, ids, count * sizeof(*out));
        return count;
    }
    struct near *near = xcalloc(count, sizeof(*near));
    double *x = xcalloc(2 * d + 1, sizeof(*x)), *centre = x + d;
    code(g, ids[best_of(g, ids, count)], centre);
    for (size_t i = 0; i < count; i++) {
        near[i].order = i;
        code(g, ids[i], x);
        for (size_t k = 0; k < d; k++) {
            double apart = x[k] - centre[k];
            near[i].distance += g->unordered[k] ? apart != 0 : apart * apart;
        }
    }
    qsort(near, count, sizeof(*near), by_distance);
    qsort(near, most, sizeof(*near), by_order);
    for (size_t i = 0; i < most; i++)
        out[i] = ids[near[i].order];
    free(near);
    free(x);
    return most;
}

/* Fits theta to at most `most` of the rows, taken at even steps. */
static void fit_to(struct gp *g, const size_t *ids, size_t count, size_t most,
                   int steps)
{
    size_t d = g->axes.count, n = count < most ? count : most;
    double *room = xcalloc(n * (d + 1) + d + 1, sizeof(*room));
    double **columns = xcalloc(d + 1, sizeof(*columns));
    double *y = room, *x = room + n;
    for (size_t k = 0; k < d; k++)
        columns[k] = room + n + d + k * n;
    for (size_t i = 0; i < n; i++) {
        size_t row = ids[i * count / n];
        y[i] = value_of(g, row);
        code(g, row, x);
        for (size_t k = 0; k < d; k++)
            columns[k][i] = x[k];
    }
    warp_losses(y, n, NULL);
    struct samples s = {d, n, g->unordered, columns};
    fit_improve(&s, y, g->theta, steps);
    free(columns);
    free(room);
}

/* The largest number of the steps up to n. */
static size_t stepped(size_t n)
{
    size_t step = 4;
    while (step + (step < 20 ? 1 : step / 10) <= n)
        step += step < 20 ? 1 : step / 10;
    return step < n ? step : n;
}

/* Late results come near the end, so the kernel is fitted to the results
 * before those, and a result that comes even later makes a new fit. Where that
 * would leave out more than a quarter, all are worth a new fit for nearly every
 * result. */
static void refit(struct gp *g)
{
    size_t n = g->told_count;
    size_t holes = (size_t)g->latest > n ? (size_t)g->latest - n : 0;
    bool often = holes > n / 4;
    size_t count = stepped(often ? n : n - holes);
    size_t most = often ? FIT_OFTEN : FIT_MOST;
    if (count == g->fit_count && most == g->fit_most)
        return;
    size_t *ids = xcalloc(count, sizeof(*ids)), local = 0;
    size_t near = nearest(g, g->told, count, MODEL_MOST, ids);
    for (size_t i = 0; i < near; i++)
        if (!is_failure(g, ids[i]))
            ids[local++] = ids[i];
    fit_start(g->theta, g->axes.count);
    if (local)
        fit_to(g, ids, local, FIT_FEW, 40);
    if (local > FIT_FEW)
        fit_to(g, ids, local, most, 12);
    free(ids);
    surrogate_kernel(g->model, g->theta);
    g->fit_count = count;
    g->fit_most = most;
    g->fit_latest = g->roll.history.trials[g->told[count - 1]];
}

static int by_trial(const void *a, const void *b, void *context)
{
    const struct history *h = context;
    int64_t x = h->trials[*(const size_t *)a],
            y = h->trials[*(const size_t *)b];
    return x < y ? -1 : x > y;
}

/* The pending points, the newest, in order. */
static size_t pending(struct gp *g, size_t *out)
{
    size_t count = 0;
    size_t *all = xcalloc(g->roll.history.count + 1, sizeof(*all));
    for (size_t i = 0; i < g->roll.history.count; i++)
        if (g->roll.history.marks[i] == MARK_PENDING)
            all[count++] = i;
    qsort_r(all, count, sizeof(*all), by_trial, &g->roll.history);
    size_t kept = count < PENDING_MOST ? count : PENDING_MOST;
    memcpy(out, all + count - kept, kept * sizeof(*out));
    free(all);
    return kept;
}

/* Brings the model up to date; rows that it has already, from the first on,
 * are kept. */
static void update_model(struct gp *g)
{
    size_t fitted = g->fit_count;
    refit(g);
    size_t *ids = xcalloc(MODEL_MOST + PENDING_MOST, sizeof(*ids));
    size_t told = nearest(g, g->told, g->told_count, MODEL_MOST, ids);
    size_t count = told + pending(g, ids + told), same = 0;
    if (fitted == g->fit_count)
        while (same < count && same < g->id_count && ids[same] == g->ids[same])
            same++;
    surrogate_keep(g->model, same);
    for (size_t i = same; i < count; i++) {
        code(g, ids[i], g->x);
        surrogate_add(g->model, g->x, is_failure(g, ids[i]));
    }
    double *y = xcalloc(told + 1, sizeof(*y));
    model_values(g, ids, told, y);
    surrogate_finish(g->model, y, told);
    free(y);
    free(g->ids);
    g->ids = ids;
    g->id_count = count;
    g->modelled = told;
    g->fresh = true;
}

/* TuRBO's side length: it doubles after three results in a row that are
 * better than all before, and halves after many that are not. Trials that were
 * out when it changed were looked for in the old box: that they are no better
 * says nothing about the new one. */
static double side_of(const struct gp *g, size_t from)
{
    double side = 0.8, best = INFINITY;
    int64_t out = (int64_t)(g->id_count - g->modelled), known = 0;
    size_t good = 0, bad = 0, patience = 4;
    if (g->axes.count > patience)
        patience = g->axes.count;
    for (size_t i = 0; i < g->told_count; i++) {
        int64_t trial = g->roll.history.trials[g->told[i]];
        double loss = loss_of(g, g->told[i]);
        bool better = loss < best - 1e-3 * fabs(best) || !isfinite(best);
        best = fmin(best, loss);
        if (i < from)
            continue;
        good = better ? good + 1 : 0;
        bad = better ? 0 : bad + (trial > known);
        if (good < 3 && bad < patience)
            continue;
        side = good == 3 ? fmin(1.6, 2 * side) : side / 2;
        good = bad = 0;
        known = trial + out;
        if (side < 0x1p-7)
            side = 0.8;
    }
    return side;
}

/* Where to look: everywhere, or in a box around the incumbent whose sides go
 * with the kernel's lengths. */
static void set_box(struct gp *g)
{
    size_t d = g->axes.count;
    bool wide = d >= LOCAL_AXES;
    for (size_t i = 0; i < d; i++) {
        g->low[i] = 0;
        g->high[i] = 1;
    }
    if (!wide && g->told_count <= LOCAL_FROM)
        return;
    double side = side_of(g, wide ? g->initial : LOCAL_FROM), mean = 0;
    code(g, g->ids[surrogate_incumbent(g->model)], g->x);
    for (size_t i = 0; i < d; i++)
        mean += g->theta[i] / (double)d;
    for (size_t i = 0; i < d; i++) {
        double half = 0.5 * side * exact_exp(g->theta[i] - mean);
        g->low[i] = fmax(0, g->x[i] - half);
        g->high[i] = fmin(1, g->x[i] + half);
    }
}

static bool same_choices(const struct gp *g, const double *x, const double *y)
{
    for (size_t i = 0; i < g->axes.count; i++)
        if (g->unordered[i] && x[i] != y[i])
            return false;
    return true;
}

/* The incumbent, then the best rows of the model, unless `fixed` is NULL only
 * those with its choices; returns how many. */
static size_t good_points(struct gp *g, const double *fixed, double *starts)
{
    size_t chosen[STARTS] = {surrogate_incumbent(g->model)}, count = 1;
    for (; count < STARTS; count++) {
        size_t best = g->modelled;
        for (size_t i = 0; i < g->modelled; i++) {
            bool taken = false;
            for (size_t j = 0; j < count; j++)
                taken = taken || chosen[j] == i;
            if (taken || (best < g->modelled &&
                          loss_of(g, g->ids[i]) >= loss_of(g, g->ids[best])))
                continue;
            code(g, g->ids[i], g->x);
            if (!fixed || same_choices(g, g->x, fixed))
                best = i;
        }
        if (best == g->modelled)
            break;
        chosen[count] = best;
    }
    for (size_t i = 0; i < count; i++)
        code(g, g->ids[chosen[i]], starts + i * g->axes.count);
    return count;
}

/* True when no trial has this point. */
static bool is_new(const struct gp *g, const double *x, double *y)
{
    for (size_t row = 0; row < g->roll.history.count; row++) {
        bool same = true;
        code(g, row, y);
        for (size_t i = 0; same && i < g->axes.count; i++)
            same = fabs(x[i] - y[i]) < 1e-9;
        if (same)
            return false;
    }
    return true;
}

/* Any point that is new, or, in a space that is used up, any at all. */
static void other_point(struct gp *g, int64_t k, double *x, double *room)
{
    struct rng rng;
    size_t d = g->axes.count;
    bool *active = xcalloc(d + 1, sizeof(*active));
    bool found = false;
    rng_init(&rng, g->roll.seed, (uint64_t)k, "gp other");
    for (int i = 0; !found && i < OTHERS; i++) {
        for (size_t a = 0; a < d; a++) {
            size_t choices = g->axes.axis[a].choices;
            double u = rng_uniform(&rng);
            x[a] = choices ? floor(u * (double)choices) : u;
        }
        settle(g, x, active, true);
        found = is_new(g, x, room);
    }
    free(active);
    uint64_t all = space_grid_count(g->roll.unit.space, NULL),
             key = rng_u64(&rng);
    for (uint64_t i = 0; !found && all <= OTHERS_GRID && i < all; i++) {
        struct value *point = space_grid_point(
            g->roll.unit.space, rng_permute(key, i, all), g->roll.scratch);
        code_point(g, point, x);
        found = is_new(g, x, room);
        arena_reset(g->roll.scratch);
    }
}

/* True when roll.u is no trial's point; x has room for two codes. */
static bool is_new_point(struct gp *g, double *x)
{
    struct arena *scratch = g->roll.scratch;
    code_point(g, unit_point(&g->roll.unit, g->roll.u, scratch), x);
    arena_reset(scratch);
    return is_new(g, x, x + g->axes.count);
}

/* Sobol's point k, or another where that is taken, into roll.u. */
static void ask_start(struct gp *g, int64_t k)
{
    double *x = xcalloc(2 * g->axes.count + 1, sizeof(*x));
    sobol_at(g->roll.seed, (uint64_t)k - 1, g->roll.history.width, g->roll.u);
    if (g->axes.count && !is_new_point(g, x)) {
        other_point(g, k, x, x + g->axes.count);
        decode(g, x, g->roll.u);
    }
    free(x);
}

/* Adds arms that are one choice away from x; of many choices a few, trial k
 * its own. */
static void add_neighbours(struct gp *g, struct arms *arms, const double *x,
                           uint64_t k)
{
    size_t d = g->axes.count;
    double *y = xcalloc(d + 1, sizeof(*y));
    bool *active = xcalloc(d + 1, sizeof(*active));
    for (size_t i = 0; i < d; i++) {
        size_t choices = g->axes.axis[i].choices;
        for (size_t j = 0; x[i] >= 0 && j < choices && j < NEIGHBOURS; j++) {
            memcpy(y, x, d * sizeof(*y));
            y[i] = (double)((k + j) % choices);
            settle(g, y, active, true);
            arms_find(arms, y);
        }
    }
    free(active);
    free(y);
}

/* Now and then the search leaves the choices of the incumbent, and looks for
 * what is better than the best that others have given: else a choice whose
 * numbers are well set hides a better one whose are not yet. Which others is
 * their turn, pending points counted, so that many asked for at once spread.
 * Their choices go into `fixed`; false when there are no others. */
static bool stray(struct gp *g, int64_t k, double *fixed)
{
    size_t d = g->axes.count;
    struct arms *arms = arms_new(d, g->unordered);
    code(g, g->ids[surrogate_incumbent(g->model)], fixed);
    size_t home = arms_find(arms, fixed);
    add_neighbours(g, arms, fixed, (uint64_t)k);
    for (size_t i = 0; i < g->id_count; i++) {
        code(g, g->ids[i], g->x);
        arms_note(arms, g->x,
                  i < g->modelled ? surrogate_mean(g->model, i) : INFINITY);
    }
    size_t due = arms_due(arms, home);
    memcpy(fixed, arms_point(arms, due), d * sizeof(*fixed));
    if (isfinite(arms_best(arms, due)))
        surrogate_aim(g->model, arms_best(arms, due));
    arms_free(arms);
    return due != home;
}

/* True of one trial in so many, drawn by lot: whoever counted would meet the
 * same worker, or the same sub-space of hyperspace, every time. */
static bool draws_lot(const struct gp *g, int64_t k, const char *what,
                      double every)
{
    struct rng rng;
    rng_init(&rng, g->roll.seed, (uint64_t)k, what);
    return rng_uniform(&rng) * every < 1;
}

/* What a stray finds comes too late for those that are asked for meanwhile. */
static bool is_stray(const struct gp *g, int64_t k)
{
    int every = g->id_count > g->modelled ? STRAY_OFTEN : STRAY_EVERY;
    return g->counts ? k % every == 0 : draws_lot(g, k, "stray", every);
}

/* Points that are out together keep away from each other, and so from where
 * the model expects the lowest value. One of them goes there; the next one
 * when there has been time for its result. */
static bool goes_for_lowest(const struct gp *g, int64_t k)
{
    int64_t out = (int64_t)(g->id_count - g->modelled), every = LOWEST_EVERY;
    while (g->counts && every <= out)
        every *= 2;
    if (g->counts)
        return out > 0 && k % every == 1;
    return out > 0 &&
           draws_lot(g, k, "lowest", fmax(LOWEST_EVERY, 1.5 * (double)out));
}

/* Improvement on what every point is better than is the mean alone. */
static void aim_at_mean(struct gp *g)
{
    size_t row = surrogate_incumbent(g->model);
    surrogate_aim(g->model, surrogate_mean(g->model, row) + SURE);
}

/* Trial k's point by the model, as u, into roll.u. */
static void ask_model(struct gp *g, int64_t k)
{
    size_t d = g->axes.count, at = 0;
    double *room = xcalloc((STARTS + ACQUIRE_FOUND + 2) * d, sizeof(*room));
    double *found = room + STARTS * d, *spare = found + ACQUIRE_FOUND * d;
    double *fixed = spare + d;
    update_model(g);
    set_box(g);
    bool strays = g->has_choices && is_stray(g, k) && stray(g, k, fixed);
    if (!strays && goes_for_lowest(g, k))
        aim_at_mean(g);
    struct acquire a = {.model = g->model,
                        .axes = &g->axes,
                        .low = g->low,
                        .high = g->high,
                        .starts = room,
                        .start_count =
                            good_points(g, strays ? fixed : NULL, room),
                        .candidates = g->id_count <= 150 ? 384 : 256,
                        .fixed = strays ? fixed : NULL,
                        .seed = g->roll.seed,
                        .trial = (uint64_t)k,
                        .settle = settle,
                        .context = g};
    acquire_best(&a, found);
    while (at < ACQUIRE_FOUND && !is_new(g, found + at * d, spare))
        at++;
    if (at == ACQUIRE_FOUND)
        other_point(g, k, found + --at * d, spare);
    decode(g, found + at * d, g->roll.u);
    free(room);
}

/* The more trials are out, the more likely; at MANY_OUT every second time. */
static bool is_crowd(const struct gp *g, int64_t k, size_t out)
{
    if (g->counts)
        return out >= MANY_OUT;
    double share =
        (double)(out * out) / (double)(out * out + MANY_OUT * MANY_OUT);
    return out && draws_lot(g, k, "crowd", 1 / share);
}

/* Many trials that are out keep each other away from where the best value is
 * expected, and each waits long for what it could learn. A quadratic needs few
 * results to lead on, so half of them follow one, into roll.u. It hardly leaves
 * the choices of the best result, as many must: where there are choices, the
 * model does better. */
static bool ask_bowl(struct gp *g, int64_t k)
{
    size_t out = g->roll.pending;
    if (g->has_choices || g->value_count < g->bowl_from || !is_crowd(g, k, out))
        return false;
    double *x = xcalloc(2 * g->axes.count + 1, sizeof(*x));
    bool found = bowl_ask(&g->bowl, k, out, g->roll.u) && is_new_point(g, x);
    free(x);
    return found;
}

/* One more than there are coordinates, with one for each further choice. */
static size_t initial_count(const struct axes *axes)
{
    size_t count = axes->count + 1;
    for (size_t i = 0; i < axes->count; i++)
        if (axes->axis[i].choices > 1)
            count += axes->axis[i].choices - 1;
    return count < 5 ? 5 : count > 20 ? 20 : count;
}

static void *gp_open(const struct search_setup *setup, struct err *err)
{
    double initial = 0;
    const struct option table[] = {{"initial", true, 1, 1e6, &initial}};
    if (options_read(setup->options, "gp", table, 1, err))
        return NULL;
    struct gp *g = xcalloc(1, sizeof(*g));
    if (roll_init(&g->roll, setup->space, setup->seed, err)) {
        free(g);
        return NULL;
    }
    g->minimize = setup->minimize;
    axes_init(&g->axes, setup->space);
    size_t d = g->axes.count;
    g->initial = initial > 0 ? (size_t)initial : initial_count(&g->axes);
    g->bowl_from = initial > 0 ? (size_t)initial : 0;
    bowl_init(&g->bowl, setup, &g->roll.history);
    g->counts = setup->version < 4;
    g->unordered = xcalloc(d + 1, sizeof(*g->unordered));
    for (size_t i = 0; i < d; i++) {
        g->unordered[i] = g->axes.axis[i].choices > 0;
        g->has_choices = g->has_choices || g->axes.axis[i].choices > 1;
    }
    for (size_t i = 0; i < setup->space->count; i++)
        g->conditional =
            g->conditional || setup->space->params[i].condition_count;
    g->model = surrogate_new(d, g->unordered);
    g->theta = xcalloc(d + FIT_MORE, sizeof(*g->theta));
    g->x = xcalloc(3 * d + 1, sizeof(*g->x));
    g->low = g->x + d;
    g->high = g->low + d;
    return g;
}

static void gp_free(void *state)
{
    struct gp *g = state;
    surrogate_free(g->model);
    bowl_done(&g->bowl);
    axes_done(&g->axes);
    roll_done(&g->roll);
    free(g->unordered);
    free(g->told);
    free(g->ids);
    free(g->theta);
    free(g->x);
    free(g);
}

static enum search_answer gp_ask(void *state, int64_t k, struct arena *a,
                                 struct suggestion *out, struct err *err)
{
    struct gp *g = state;
    long row = history_find(&g->roll.history, k);
    (void)err;
    if (row < 0) {
        bool starts = g->value_count < g->initial || !g->axes.count;
        if (!ask_bowl(g, k))
            (starts ? ask_start : ask_model)(g, k);
        row = (long)roll_ask(&g->roll, k);
    }
    out->point = roll_point(&g->roll, (size_t)row, a);
    return SEARCH_HERE;
}

/* Puts a row among those with a result, in the order of trials. */
static void insert_told(struct gp *g, size_t row)
{
    if (g->told_count == g->told_cap) {
        g->told_cap = g->told_cap ? 2 * g->told_cap : 64;
        g->told = xrealloc(g->told, g->told_cap * sizeof(*g->told));
    }
    size_t at = g->told_count++;
    int64_t trial = g->roll.history.trials[row];
    for (; at > 0 && g->roll.history.trials[g->told[at - 1]] > trial; at--)
        g->told[at] = g->told[at - 1];
    g->told[at] = row;
    if (trial < g->fit_latest)
        g->fit_count = 0;
}

static void gp_tell(void *state, const struct result *r)
{
    struct gp *g = state;
    struct history *h = &g->roll.history;
    long row = roll_tell(&g->roll, r, g->minimize);
    if (row < 0 || h->marks[row] == MARK_LEFT)
        return;
    if (r->trial > g->latest)
        g->latest = r->trial;
    bool has_value = h->marks[row] == MARK_VALUE;
    h->broken[row] = broken_by(r);
    g->value_count += has_value;
    if (has_value && !(h->broken[row] > 0) && !g->holding++)
        g->fit_count = 0; /* from now on other values are looked at */
    g->fresh = false;
    if (!has_value)
        g->id_count = 0; /* the model took the pending point for certain */
    insert_told(g, (size_t)row);
    bowl_tell(&g->bowl, (size_t)row);
}

static int gp_mean(void *state, int64_t k, double *mean)
{
    struct gp *g = state;
    long row = history_find(&g->roll.history, k);
    if (row < 0 || g->roll.history.marks[row] != MARK_VALUE ||
        g->roll.history.broken[row] > 0 || !g->axes.count ||
        g->value_count < g->initial)
        return -1;
    if (!g->fresh)
        update_model(g);
    for (size_t i = 0; i < g->modelled; i++)
        if (g->ids[i] == (size_t)row) {
            double loss = warp_back(&g->warp, surrogate_mean(g->model, i));
            *mean = g->minimize ? loss : -loss;
            return 0;
        }
    return -1;
}

/* One strategy under two names. */
#define GAUSSIAN_PROCESS(called, says, picks)                                  \
    {                                                                          \
        .method = {.name = called,                                             \
                   .text = says,                                               \
                   .learns = LEARNS,                                           \
                   .picks_best = picks,                                        \
                   .options = METHOD_OPTIONS(                                  \
                       {"initial",                                             \
                        "results before it models them (parameters + 1)"})},   \
        .open = gp_open, .free = gp_free, .ask = gp_ask, .tell = gp_tell,      \
        .mean = gp_mean, .rungs = true                                         \
    }

STRATEGY(gp) = GAUSSIAN_PROCESS("gp",
                                "a Gaussian process: the fewest trials, up to "
                                "some hundred; every kind of parameter",
                                false);
STRATEGY(bayes) = GAUSSIAN_PROCESS("bayes", "W&B's name for gp", true);
