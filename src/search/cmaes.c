/* cmaes.c - CMA-ES in the unit cube, with restarts
 *
 * Told trials, in the order of their numbers, are cut into blocks of lambda,
 * one generation each: every block that is full moves the distribution, and
 * nothing waits for a trial that is still out. So the distribution that trial
 * k is drawn from depends on the results alone and not on the order in which
 * they came: a late result takes the search back to before its block.
 *
 * A told point is used as it was drawn, before it was rounded to a cell, if
 * drawing the trial again from the block's distribution gives that point;
 * else (it was asked for while older results were missing) as it is. A block
 * of such points mostly, which say little about the distribution at hand,
 * takes the best of the run so far in as well.
 *
 * Where a quadratic foretells results near the best, every second point is its
 * lowest place instead, see bowl.h:
 * a distribution that moves block by block knows little of the newest
 * results.
 *
 * Foreign results, which no block can have, say where the first run begins.
 * Restarts follow BIPOP (Hansen, GECCO 2009): runs with ever larger blocks
 * alternate with short ones from smaller distributions. */
#include "search/strategy.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "search/axes.h"
#include "search/bowl.h"
#include "search/cma.h"
#include "base/exact.h"
#include "search/options.h"
#include "search/roll.h"

enum {
    SNAPSHOTS = 24,
    SEPARABLE_FROM = 100, /* numeric coordinates */
    REDRAWS = 16,         /* for a point that nobody has had */
    ELITE = 2,            /* the best of a run that help strange blocks */
    WARM_LEAST = 4,       /* foreign results to start from, at least */
};
static const double narrow = 1e-9;   /* a run that is so small has ended */
static const double condition = 1e7; /* of the widest to the narrowest */
static const double same = 1e-12;    /* values that differ less are equal */
static const double rounding = 1e-6; /* of a point that was written and read */
static const double floor_of_cell = 0.25;

/* What is learnt: all correlations, or each coordinate's width by itself. */
enum covariance { COVARIANCE_AUTO, COVARIANCE_FULL, COVARIANCE_SEPARABLE };

/* All that results have changed up to some block. */
struct phase {
    struct cma *dist;
    int64_t first; /* trial of the open block */
    size_t seen;   /* told trials before it */
    size_t lambda;
    size_t run; /* restarts so far */
    bool fresh; /* no block of this run is closed yet */
    bool small; /* a short run */
    size_t large_lambda, large_used, small_used;
    double anchor; /* the best value of a block, while it stays the same */
    size_t flat;   /* blocks since */
    size_t elite[ELITE], elite_count; /* told rows: the best of this run */
};

struct cmaes {
    uint64_t seed;
    bool minimize;
    double sigma, population; /* of the first run; population 0: by d */
    size_t covariance;        /* enum covariance */
    struct roll roll; /* what was asked for, to give the same again, and seen */
    struct axes axes;
    struct history told;
    size_t row_count; /* of told, without foreign ones */
    bool stale;       /* foreign results came: the start is another */
    int64_t latest;   /* the highest trial that was told */
    struct bowl bowl; /* of told */
    size_t quadratic; /* whether it is asked */
    struct cma_shape shape;
    size_t *choices, *offsets;
    double *shares;
    struct phase now;
    struct phase past[SNAPSHOTS]; /* before earlier blocks, oldest first */
    size_t past_count;
    struct arena *scratch;
    struct cma_point drawn;
    double *u;
};

/* A told trial of the block at hand. */
struct member {
    double broken, loss;
    int64_t trial;
    size_t place; /* where its point is */
};

static void phase_copy(struct phase *to, const struct phase *from)
{
    struct cma *dist = to->dist;
    cma_copy(dist, from->dist);
    *to = *from;
    to->dist = dist;
}

/* Discrete coordinates are drawn widely enough to leave the mean's cell. */
static void set_floors(struct cmaes *c, struct cma *dist)
{
    size_t number = 0;
    for (size_t i = 0; i < c->axes.count; i++) {
        if (c->axes.axis[i].choices)
            continue;
        double cell = axis_cell(&c->axes, i, dist->mean[number], c->scratch);
        dist->floor[number++] = fmin(0.3, floor_of_cell * cell);
    }
    arena_reset(c->scratch);
}

static size_t first_lambda(const struct cmaes *c)
{
    double d = (double)(c->axes.count ? c->axes.count : 1);
    if (c->population >= 2)
        return (size_t)c->population;
    return 4 + (size_t)(3 * exact_log(d));
}

static int by_merit(const void *a, const void *b, void *context)
{
    return history_better(context, *(const size_t *)a, *(const size_t *)b) ? -1
                                                                           : 1;
}

/* The best tenth of the foreign results, but enough of them to tell a width;
 * returns how many there are (0: too few to start from). */
static size_t best_foreign(struct cmaes *c, size_t *rows)
{
    size_t count = 0, least = first_lambda(c) / 2;
    for (size_t i = 0; i < c->told.count; i++)
        if (c->told.trials[i] < 0 && c->told.marks[i] == MARK_VALUE)
            rows[count++] = i;
    qsort_r(rows, count, sizeof(*rows), by_merit, &c->told);
    if (count < WARM_LEAST)
        return 0;
    size_t best = count / 10 > least ? count / 10 : least;
    return best < count ? best : count;
}

/* One numeric coordinate of the start: the middle of the rows; returns the
 * square of their spread. */
static double warm_number(const struct cmaes *c, size_t param,
                          const size_t *rows, size_t count, double *mean)
{
    double n = 0, sum = 0, square = 0;
    for (size_t i = 0; i < count; i++) {
        double u = c->told.columns[param][rows[i]];
        if (isnan(u))
            continue;
        n++;
        sum += u;
        square += u * u;
    }
    *mean = n > 0 ? sum / n : 0.5;
    return n > 0 ? fmax(square / n - *mean * *mean, 0) : 1.0 / 12;
}

/* Half of each choice's chance is what the rows chose. */
static void warm_choice(const struct cmaes *c, const struct axis *axis,
                        const size_t *rows, size_t count, double *chance)
{
    double n = 0;
    for (size_t i = 0; i < count; i++)
        n += !isnan(c->told.columns[axis->param][rows[i]]);
    for (size_t k = 0; n > 0 && k < axis->choices; k++)
        chance[k] /= 2;
    for (size_t i = 0; i < count; i++) {
        double u = c->told.columns[axis->param][rows[i]];
        if (!isnan(u))
            chance[axis_choice(axis, u)] += 0.5 / n;
    }
}

/* Foreign results say where to begin, and how widely. */
static void warm_start(struct cmaes *c, struct cma *dist)
{
    size_t *rows = xcalloc(c->told.count + 1, sizeof(*rows));
    size_t count = best_foreign(c, rows), number = 0, group = 0;
    double *mean = xcalloc(c->shape.numbers + 1, sizeof(*mean)), spread = 0;
    for (size_t i = 0; count && i < c->axes.count; i++)
        if (!c->axes.axis[i].choices)
            spread += warm_number(c, c->axes.axis[i].param, rows, count,
                                  &mean[number++]);
    if (number) {
        spread = sqrt(spread / (double)number);
        cma_reset(dist, mean, fmin(c->sigma, fmax(spread, 0.1 * c->sigma)));
    }
    for (size_t i = 0; count && i < c->axes.count; i++)
        if (c->axes.axis[i].choices) {
            double *chance = dist->probabilities + c->offsets[group++];
            warm_choice(c, &c->axes.axis[i], rows, count, chance);
        }
    free(mean);
    free(rows);
}

static void phase_start(struct cmaes *c, struct phase *p)
{
    double *mean = xcalloc(c->shape.numbers + 1, sizeof(*mean));
    for (size_t i = 0; i < c->shape.numbers; i++)
        mean[i] = 0.5;
    struct cma *dist = p->dist;
    *p = (struct phase){.dist = dist, .first = 1, .fresh = true};
    p->lambda = p->large_lambda = first_lambda(c);
    cma_reset(dist, mean, c->sigma);
    warm_start(c, dist);
    set_floors(c, dist);
    free(mean);
}

/* Chooses the next run's block size and width. */
static void phase_restart(struct cmaes *c, struct phase *p)
{
    struct rng rng;
    rng_init(&rng, c->seed, ++p->run, "cmaes restart");
    double sigma = c->sigma, u = rng_uniform(&rng);
    double narrower = rng_uniform(&rng);
    p->small = p->run > 1 && p->small_used < p->large_used;
    if (p->small) {
        double least = (double)first_lambda(c);
        double ratio = 0.5 * (double)p->large_lambda / least;
        p->lambda = (size_t)(least * exact_exp(u * u * exact_log(ratio)));
        sigma *= exact_exp(-2 * narrower * exact_log(10));
    } else {
        p->lambda = p->large_lambda *= 2;
    }
    double *mean = xcalloc(c->shape.numbers + 1, sizeof(*mean));
    for (size_t i = 0; i < c->shape.numbers; i++)
        mean[i] = rng_uniform(&rng);
    cma_reset(p->dist, mean, sigma);
    set_floors(c, p->dist);
    free(mean);
    p->fresh = true;
    p->flat = 0;
    p->elite_count = 0;
}

static void draw(const struct cmaes *c, const struct phase *p, int64_t trial,
                 struct cma_point *out)
{
    struct rng rng;
    rng_init(&rng, c->seed, (uint64_t)trial, "cmaes");
    cma_draw(p->dist, &rng, out);
}

/* True when the told point `u` is what was drawn, coded. */
static bool is_drawn(struct cmaes *c, const struct cma_point *drawn,
                     const double *u)
{
    size_t number = 0, group = 0;
    for (size_t i = 0; i < c->axes.count; i++) {
        const struct axis *axis = &c->axes.axis[i];
        double at = u[axis->param];
        if (axis->choices) {
            size_t choice = drawn->choice[group++];
            if (!isnan(at) && axis_choice(axis, at) != choice)
                return false;
            continue;
        }
        double x = drawn->x[number++];
        double room = rounding + 0.75 * axis_cell(&c->axes, i, x, c->scratch);
        if (!isnan(at) && fabs(at - x) > room)
            return false;
    }
    return true;
}

/* The told point as the distribution sees it; what is not active stands at
 * the mean, or at the likeliest choice. */
static void take_foreign(const struct cmaes *c, const struct phase *p,
                         const double *u, struct cma_point *out)
{
    size_t number = 0, group = 0;
    for (size_t i = 0; i < c->axes.count; i++) {
        const struct axis *axis = &c->axes.axis[i];
        double at = u[axis->param];
        if (!axis->choices) {
            out->x[number] = isnan(at) ? p->dist->mean[number] : at;
            number++;
            continue;
        }
        const double *chance = p->dist->probabilities + c->offsets[group];
        size_t choice = 0;
        for (size_t k = 1; k < axis->choices; k++)
            if (chance[k] > chance[choice])
                choice = k;
        out->choice[group++] = isnan(at) ? choice : axis_choice(axis, at);
    }
}

static bool all_active(const struct cmaes *c, const double *u)
{
    for (size_t i = 0; i < c->axes.count; i++)
        if (isnan(u[c->axes.axis[i].param]))
            return false;
    return true;
}

/* Puts a told trial's point into `out`; true when it is foreign. */
static bool take_point(struct cmaes *c, const struct phase *p, size_t row,
                       struct cma_point *out)
{
    struct rng rng;
    history_get(&c->told, row, c->u);
    rng_init(&rng, c->seed, (uint64_t)c->told.trials[row], "cmaes");
    take_foreign(c, p, c->u, out);
    if (all_active(c, c->u))
        cma_draw_again(p->dist, &rng, rounding, out);
    else
        cma_draw(p->dist, &rng, out);
    bool foreign = !is_drawn(c, out, c->u);
    if (foreign)
        take_foreign(c, p, c->u, out);
    arena_reset(c->scratch);
    return foreign;
}

static int by_loss(const void *a, const void *b)
{
    const struct member *x = a, *y = b;
    if (x->broken != y->broken)
        return x->broken < y->broken ? -1 : 1;
    if (x->loss != y->loss)
        return x->loss < y->loss ? -1 : 1;
    return x->trial < y->trial ? -1 : x->trial > y->trial;
}

/* The open block with the points of its told trials. */
struct block {
    size_t count, told; /* told: also those that say nothing */
    bool full;
    int64_t end; /* the trial behind it */
    struct member *members;
    struct cma_point *points;
    bool *foreign;
    double *x;
    size_t *choice;
};

static void block_init(struct block *b, const struct cmaes *c, size_t lambda)
{
    size_t n = c->shape.numbers, groups = c->shape.groups;
    *b = (struct block){.members = xcalloc(lambda, sizeof(*b->members)),
                        .points = xcalloc(2 * lambda, sizeof(*b->points)),
                        .foreign = xcalloc(2 * lambda, sizeof(*b->foreign)),
                        .x = xcalloc(lambda * n + 1, sizeof(*b->x)),
                        .choice =
                            xcalloc(lambda * groups + 1, sizeof(*b->choice))};
    for (size_t i = 0; i < lambda; i++)
        b->points[i] = (struct cma_point){b->x + i * n, b->choice + i * groups};
}

static void block_done(struct block *b)
{
    free(b->members);
    free(b->points);
    free(b->foreign);
    free(b->x);
    free(b->choice);
}

/* The cheap question first: a block needs this many results at least. */
static bool block_possible(const struct cmaes *c)
{
    const struct phase *p = &c->now;
    return c->row_count - p->seen >= p->lambda;
}

/* Fills the block. The first block of a restart takes no points that were
 * asked for before the restart: they would pull the new run back. Those in
 * front are left behind for good, so that none is looked at twice. */
static void collect(struct cmaes *c, struct block *b)
{
    struct phase *p = &c->now;
    size_t places = 0;
    int64_t trial = p->first;
    for (; places < p->lambda && trial <= c->latest; trial++) {
        long row = history_find(&c->told, trial);
        if (row < 0)
            continue;
        places++;
        b->told++;
        if (c->told.marks[row] == MARK_LEFT)
            continue;
        size_t at = b->count;
        b->foreign[at] = take_point(c, p, (size_t)row, &b->points[at]);
        if (p->fresh && p->run && b->foreign[at]) {
            places--;
            if (!places) {
                p->first = trial + 1;
                p->seen++;
                b->told--;
            }
            continue;
        }
        double loss = c->told.losses[row];
        bool bad = isnan(loss);
        b->members[b->count++] =
            (struct member){bad ? INFINITY : c->told.broken[row],
                            bad ? INFINITY : loss, trial, at};
    }
    b->full = places == p->lambda;
    b->end = trial;
}

static bool run_over(const struct cmaes *c, const struct phase *p)
{
    double widest, narrowest;
    size_t n = c->shape.numbers;
    size_t patience = 10 + 30 * (n + c->shape.groups) / p->lambda;
    if (p->flat >= patience)
        return true;
    if (!n)
        return false;
    cma_extent(p->dist, &widest, &narrowest);
    return widest < narrow || widest > condition * narrowest ||
           !isfinite(p->dist->sigma);
}

static void watch_best(struct phase *p, double best)
{
    if (isfinite(p->anchor) && !p->fresh &&
        fabs(best - p->anchor) <= same * (1 + fabs(p->anchor))) {
        p->flat++;
        return;
    }
    p->anchor = best;
    p->flat = 0;
}

static bool in_block(const struct block *b, int64_t trial)
{
    for (size_t i = 0; i < b->count; i++)
        if (b->members[i].trial == trial)
            return true;
    return false;
}

static struct member member_of(const struct cmaes *c, size_t row, size_t place)
{
    return (struct member){c->told.broken[row], c->told.losses[row],
                           c->told.trials[row], place};
}

/* Takes the best of the run into a block of strangers. */
static void invite(struct cmaes *c, struct block *b)
{
    const struct phase *p = &c->now;
    size_t strange = 0;
    for (size_t i = 0; i < b->count; i++)
        strange += b->foreign[i];
    for (size_t i = 0; 2 * strange > b->count && i < p->elite_count; i++) {
        size_t row = p->elite[i], at = b->count++;
        b->foreign[at] = take_point(c, p, row, &b->points[at]);
        b->members[at] = member_of(c, row, at);
    }
}

/* The block's members are ordered; the elite may be among them. */
static void keep_elite(const struct cmaes *c, struct phase *p,
                       const struct block *b)
{
    struct member all[2 * ELITE];
    size_t count = 0;
    for (size_t i = 0; i < p->elite_count; i++)
        if (!in_block(b, c->told.trials[p->elite[i]]))
            all[count++] = member_of(c, p->elite[i], p->elite[i]);
    for (size_t i = 0; i < b->count && i < ELITE; i++) {
        long row = history_find(&c->told, b->members[i].trial);
        if (isfinite(b->members[i].loss) && row >= 0)
            all[count++] = member_of(c, (size_t)row, (size_t)row);
    }
    qsort(all, count, sizeof(*all), by_loss);
    p->elite_count = count < ELITE ? count : ELITE;
    for (size_t i = 0; i < p->elite_count; i++)
        p->elite[i] = all[i].place;
}

/* The snapshot whose loss costs least: one among others, or an old one. So
 * their distances grow with their age, and going back costs in proportion to
 * how late a result is. */
static size_t least_useful(const struct cmaes *c)
{
    size_t found = 0;
    double least = INFINITY;
    for (size_t i = 0; i + 1 < c->past_count; i++) {
        int64_t before = i ? c->past[i - 1].first : 0;
        double gap = (double)(c->past[i + 1].first - before);
        double cost = gap / (double)(c->now.first - c->past[i].first + 1);
        if (cost < least) {
            least = cost;
            found = i;
        }
    }
    return found;
}

static void remember(struct cmaes *c)
{
    if (c->past_count == SNAPSHOTS) {
        size_t at = least_useful(c);
        struct phase gone = c->past[at];
        c->past_count--;
        memmove(c->past + at, c->past + at + 1,
                (c->past_count - at) * sizeof(*c->past));
        c->past[c->past_count] = gone;
    }
    phase_copy(&c->past[c->past_count++], &c->now);
}

/* Orders the block and moves the distribution. A block of failures only
 * teaches nothing: which of them is better is not known. */
static void close_block(struct cmaes *c, struct block *b)
{
    struct phase *p = &c->now;
    remember(c);
    invite(c, b);
    qsort(b->members, b->count, sizeof(*b->members), by_loss);
    keep_elite(c, p, b);
    if (b->count && isfinite(b->members[0].loss)) {
        struct cma_point *sorted = b->points + p->lambda + ELITE;
        bool *foreign = b->foreign + p->lambda + ELITE;
        for (size_t i = 0; i < b->count; i++) {
            sorted[i] = b->points[b->members[i].place];
            foreign[i] = b->foreign[b->members[i].place];
        }
        cma_update(p->dist, sorted, foreign, b->count);
        set_floors(c, p->dist);
        watch_best(p, b->members[0].loss);
    }
    *(p->small ? &p->small_used : &p->large_used) += p->lambda;
    p->first = b->end;
    p->seen += b->told;
    p->fresh = false;
    if (run_over(c, p))
        phase_restart(c, p);
}

static void advance(struct cmaes *c)
{
    bool closed = true;
    if (c->stale) {
        c->past_count = 0;
        phase_start(c, &c->now);
        c->stale = false;
    }
    while (closed && block_possible(c)) {
        struct block b;
        block_init(&b, c, c->now.lambda + ELITE);
        collect(c, &b);
        closed = b.full;
        if (closed)
            close_block(c, &b);
        block_done(&b);
    }
}

/* Back to before the block that holds the trial. */
static void go_back(struct cmaes *c, int64_t trial)
{
    while (c->now.first > trial && c->past_count)
        phase_copy(&c->now, &c->past[--c->past_count]);
    if (c->now.first > trial)
        phase_start(c, &c->now);
}

static void shape_init(struct cmaes *c)
{
    const struct axes *axes = &c->axes;
    size_t group = 0, total = 0;
    for (size_t i = 0; i < axes->count; i++)
        total += axes->axis[i].choices;
    c->choices = xcalloc(axes->count + 1, sizeof(*c->choices));
    c->offsets = xcalloc(axes->count + 1, sizeof(*c->offsets));
    c->shares = xcalloc(total + 1, sizeof(*c->shares));
    total = 0;
    for (size_t i = 0; i < axes->count; i++) {
        const struct axis *axis = &axes->axis[i];
        if (!axis->choices) {
            c->shape.numbers++;
            continue;
        }
        memcpy(c->shares + total, axis->share,
               axis->choices * sizeof(*axis->share));
        c->choices[group] = axis->choices;
        c->offsets[group++] = total;
        total += axis->choices;
    }
    c->shape.groups = group;
    c->shape.choices = c->choices;
    c->shape.offsets = c->offsets;
    c->shape.shares = c->shares;
    c->shape.choice_count = total;
    c->shape.separable =
        c->covariance == COVARIANCE_SEPARABLE ||
        (c->covariance == COVARIANCE_AUTO && c->shape.numbers > SEPARABLE_FROM);
}

static int read_options(struct cmaes *c, const struct value *said,
                        struct err *err)
{
    static const char *const covariances[] = {"auto", "full", "separable",
                                              NULL};
    const struct option numbers[] = {
        {"sigma", false, 1e-6, 1, &c->sigma},
        {"population", true, 4, 1e6, &c->population}};
    const struct word_option words[] = {
        {"covariance", covariances, &c->covariance},
        {"quadratic", no_or_yes, &c->quadratic}};
    const struct options known = {
        .numbers = numbers, .number_count = 2, .words = words, .word_count = 2};
    c->sigma = 1.0 / 6;
    c->quadratic = true;
    return options_read_all(said, "cmaes", &known, err);
}

static void *cmaes_open(const struct search_setup *setup, struct err *err)
{
    struct cmaes *c = xcalloc(1, sizeof(*c));
    if (read_options(c, setup->options, err) ||
        roll_init(&c->roll, setup->space, setup->seed, err)) {
        free(c);
        return NULL;
    }
    c->seed = setup->seed;
    c->minimize = setup->minimize;
    axes_init(&c->axes, setup->space);
    history_init(&c->told, setup->space->count);
    bowl_init(&c->bowl, setup, &c->told);
    shape_init(c);
    c->scratch = arena_new();
    c->u = xcalloc(setup->space->count + 1, sizeof(*c->u));
    c->drawn.x = xcalloc(c->shape.numbers + 1, sizeof(*c->drawn.x));
    c->drawn.choice = xcalloc(c->shape.groups + 1, sizeof(*c->drawn.choice));
    c->now.dist = cma_new(&c->shape);
    for (int i = 0; i < SNAPSHOTS; i++)
        c->past[i].dist = cma_new(&c->shape);
    phase_start(c, &c->now);
    return c;
}

static void cmaes_free(void *state)
{
    struct cmaes *c = state;
    cma_free(c->now.dist);
    for (int i = 0; i < SNAPSHOTS; i++)
        cma_free(c->past[i].dist);
    free(c->drawn.x);
    free(c->drawn.choice);
    free(c->u);
    arena_free(c->scratch);
    free(c->choices);
    free(c->offsets);
    free(c->shares);
    history_done(&c->told);
    bowl_done(&c->bowl);
    roll_done(&c->roll);
    axes_done(&c->axes);
    free(c);
}

static void decode(struct cmaes *c)
{
    size_t number = 0, group = 0;
    for (size_t i = 0; i < c->roll.history.width; i++)
        c->roll.u[i] = 0.5;
    for (size_t i = 0; i < c->axes.count; i++) {
        const struct axis *axis = &c->axes.axis[i];
        c->roll.u[axis->param] = axis->choices
                                     ? axis->at[c->drawn.choice[group++]]
                                     : c->drawn.x[number++];
    }
}

/* ---- asking ----------------------------------------------------------- */

/* A new point for trial k into roll.u. One that another trial has is drawn
 * again: in the block it then counts like a foreign one. */
static void ask_new(struct cmaes *c, int64_t k)
{
    struct rng rng;
    advance(c);
    if (c->quadratic && bowl_ask(&c->bowl, k, c->roll.pending, c->roll.u) &&
        roll_is_new(&c->roll))
        return;
    draw(c, &c->now, k, &c->drawn);
    rng_init(&rng, c->seed, (uint64_t)k, "cmaes again");
    decode(c);
    for (int i = 0; i < REDRAWS; i++) {
        if (roll_is_new(&c->roll))
            return;
        cma_draw(c->now.dist, &rng, &c->drawn);
        decode(c);
    }
    if (!roll_is_new(&c->roll))
        roll_fresh(&c->roll, &rng);
}

static enum search_answer cmaes_ask(void *state, int64_t k, struct arena *a,
                                    struct suggestion *out, struct err *err)
{
    struct cmaes *c = state;
    long row = history_find(&c->roll.history, k);
    (void)err;
    if (row < 0) {
        ask_new(c, k);
        row = (long)roll_ask(&c->roll, k);
    }
    out->point = roll_point(&c->roll, (size_t)row, a);
    return SEARCH_HERE;
}

static void cmaes_tell(void *state, const struct result *r)
{
    struct cmaes *c = state;
    double loss;
    enum mark mark = mark_of(r, c->minimize, &loss);
    roll_tell(&c->roll, r, c->minimize);
    long asked = history_find(&c->roll.history, r->trial);
    if (mark == MARK_PENDING || history_find(&c->told, r->trial) >= 0)
        return;
    if (!r->point)
        mark = MARK_LEFT;
    else
        history_get(&c->roll.history, (size_t)asked, c->u);
    size_t row = history_add(&c->told, r->trial, c->u);
    c->told.marks[row] = (unsigned char)mark;
    c->told.losses[row] = loss;
    c->told.broken[row] = broken_by(r);
    bowl_tell(&c->bowl, row);
    c->row_count += r->trial > 0;
    if (r->trial > c->latest)
        c->latest = r->trial;
    if (r->trial < 0)
        c->stale = true;
    else if (r->trial < c->now.first)
        go_back(c, r->trial);
}

STRATEGY(cmaes) = {
    .method = {.name = "cmaes",
               .text = "CMA-ES, which learns the shape of a valley: numbers, "
                       "some hundred trials and more",
               .learns = LEARNS,
               .options = METHOD_OPTIONS(
                   {"sigma", "width at the start, a part of the range (1/6)"},
                   {"population", "trials of a generation (4 + 3 ln d)"},
                   {"covariance", "full, separable or auto (auto)"},
                   {"quadratic", "half of the points from one (true)"})},
    .open = cmaes_open,
    .free = cmaes_free,
    .ask = cmaes_ask,
    .tell = cmaes_tell};
