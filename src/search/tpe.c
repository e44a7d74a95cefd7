/* tpe.c - tree-structured Parzen estimators
 *
 * The best sqrt(n) of n results, at most 25, make one density, all others
 * and the points whose results are not known yet another (Bergstra et al.,
 * NIPS 2011; over all parameters at once as in Falkner et al., ICML 2018).
 * Of the points drawn from the first, the one where it exceeds the second
 * most is asked for; now and then each parameter is settled by itself instead.
 * The first points are Sobol's. Where a quadratic foretells results near the
 * best, every second point is its lowest place instead, see bowl.h.
 *
 * A suggestion depends on the seed, its number, what was told and what is
 * pending, never on the order of telling: all lists are sorted by trial. Cost
 * is bounded: the second density has the newest 256 results and, for all
 * older ones, 256 of them that a hash of the trial's number picks. */
#include "search/strategy.h"

#include <math.h>
#include <stdlib.h>

#include "base/exact.h"
#include "base/hash.h"
#include "search/bowl.h"
#include "search/mixture.h"
#include "search/options.h"
#include "search/roll.h"

enum {
    MOST_GOOD = 64,   /* the largest `good` */
    NEWEST = 25,      /* results that keep their full weight */
    WINDOW = 256,     /* the newest results */
    RESERVOIR = 256,  /* of the older ones */
    LEAST_VALUES = 5, /* before the model is used, whatever is pending */
};

/* How wide the kernels of good points are: see draw_width. What these numbers
 * were chosen on, and which of them held: bench/README.md. */
#define NEAR_SHARE 0.3
#define NEAR_SCALE 0.5
#define NARROWEST 0.5
#define WIDEST 1.5

/* What the quadratic must foretell in studies of version 4. */
#define FORETOLD_IN_4 (-0.5)

/* Suggestions that take each parameter by itself. */
#define APART_SHARE 0.05

/* A pending point may turn out good: with more weight, each or together, they
 * drive others out of the region that is being looked at. */
#define PENDING_WEIGHT 0.3
#define PENDING_TOGETHER 4.0

/* Rows in the order of their trials. */
struct ordered {
    size_t *rows;
    size_t count, cap;
};

struct tpe {
    struct roll roll;
    struct mixture_axis *axes;
    bool minimize;
    double candidates, startup, gamma, most_good;
    size_t quadratic;    /* whether it is asked */
    size_t values, told; /* rows with a value; rows in the model */
    size_t best[MOST_GOOD], best_count;
    struct ordered window, reservoir, pending;
    uint64_t lots[RESERVOIR + 1]; /* of the reservoir's rows … */
    uint64_t high_lot;            /* … the highest */
    size_t old;                   /* rows that the reservoir stands for */
    struct bowl bowl;
    struct mixture good, bad; /* while a point is asked for: a study may have
                                 a thousand such searches, see hyperspace */
    size_t *rows;
    double *weights;
    size_t rows_cap;
    double *draws, *scores, *under; /* of candidates */
};

/* ---- what was told ---------------------------------------------------- */

static size_t place_of(const struct tpe *t, const struct ordered *o, size_t row)
{
    const int64_t *trials = t->roll.history.trials;
    size_t low = 0, high = o->count;
    /* Nearly always it is the newest. */
    if (high && trials[o->rows[high - 1]] <= trials[row])
        return high;
    while (low < high) {
        size_t middle = (low + high) / 2;
        if (trials[o->rows[middle]] > trials[row])
            high = middle;
        else
            low = middle + 1;
    }
    return low;
}

static void ordered_add(const struct tpe *t, struct ordered *o, size_t row)
{
    size_t at = place_of(t, o, row);
    if (o->count == o->cap) {
        o->cap = o->cap ? o->cap * 2 : 64;
        o->rows = xrealloc(o->rows, o->cap * sizeof(*o->rows));
    }
    memmove(o->rows + at + 1, o->rows + at, (o->count - at) * sizeof(*o->rows));
    o->rows[at] = row;
    o->count++;
}

static void ordered_drop(struct ordered *o, size_t at)
{
    o->count--;
    memmove(o->rows + at, o->rows + at + 1, (o->count - at) * sizeof(*o->rows));
}

static void ordered_remove(const struct tpe *t, struct ordered *o, size_t row)
{
    size_t at = place_of(t, o, row);
    if (at > 0 && o->rows[at - 1] == row)
        ordered_drop(o, at - 1);
}

static uint64_t lot_of(const struct tpe *t, size_t row)
{
    int64_t trial = t->roll.history.trials[row];
    return hash64(str_n((const char *)&trial, sizeof(trial)), t->roll.seed);
}

/* Those with the lowest lots stay, whatever came first. */
static void reservoir_offer(struct tpe *t, size_t row)
{
    struct ordered *o = &t->reservoir;
    size_t worst = 0, at = place_of(t, o, row), after = o->count - at;
    uint64_t lot = lot_of(t, row);
    t->old++;
    if (o->count == RESERVOIR && lot >= t->high_lot)
        return;
    memmove(t->lots + at + 1, t->lots + at, after * sizeof(*t->lots));
    t->lots[at] = lot;
    if (o->count == 0 || lot > t->high_lot)
        t->high_lot = lot;
    ordered_add(t, o, row);
    if (o->count <= RESERVOIR)
        return;
    for (size_t i = 0; i < o->count; i++)
        if (t->lots[i] >= t->lots[worst])
            worst = i;
    ordered_drop(o, worst);
    memmove(t->lots + worst, t->lots + worst + 1,
            (o->count - worst) * sizeof(*t->lots));
    t->high_lot = 0;
    for (size_t i = 0; i < o->count; i++)
        if (t->lots[i] > t->high_lot)
            t->high_lot = t->lots[i];
}

static void window_add(struct tpe *t, size_t row)
{
    ordered_add(t, &t->window, row);
    if (t->window.count <= WINDOW)
        return;
    size_t oldest = t->window.rows[0];
    ordered_drop(&t->window, 0);
    reservoir_offer(t, oldest);
}

static void best_add(struct tpe *t, size_t row)
{
    size_t at = t->best_count;
    if (at == MOST_GOOD &&
        !history_better(&t->roll.history, row, t->best[at - 1]))
        return;
    at -= at == MOST_GOOD;
    t->best_count = at + 1;
    while (at > 0 && history_better(&t->roll.history, row, t->best[at - 1])) {
        t->best[at] = t->best[at - 1];
        at--;
    }
    t->best[at] = row;
}

static void tpe_tell(void *state, const struct result *r)
{
    struct tpe *t = state;
    struct history *h = &t->roll.history;
    size_t rows = h->count;
    long row = roll_tell(&t->roll, r, t->minimize);
    if (h->count > rows)
        ordered_add(t, &t->pending, rows);
    if (row < 0)
        return;
    ordered_remove(t, &t->pending, (size_t)row);
    if (h->marks[row] == MARK_LEFT)
        return;
    t->told++;
    window_add(t, (size_t)row);
    bowl_tell(&t->bowl, (size_t)row);
    if (h->marks[row] != MARK_VALUE)
        return;
    t->values++;
    best_add(t, (size_t)row);
}

/* ---- the two densities ------------------------------------------------ */

static size_t good_count(const struct tpe *t)
{
    double count = ceil(t->gamma * sqrt((double)t->told));
    count = fmin(count, t->most_good);
    return (size_t)fmin(fmax(count, 1), (double)t->best_count);
}

/* Older results count less, linearly with their place among all. */
static double weight_at(const struct tpe *t, double place)
{
    double all = (double)t->told, old = all - NEWEST;
    if (old <= 1 || place >= old)
        return 1;
    return 1 / all + (1 - 1 / all) * place / (old - 1);
}

static bool is_good(const struct tpe *t, size_t row, size_t good)
{
    for (size_t i = 0; i < good; i++)
        if (t->best[i] == row)
            return true;
    return false;
}

static void reserve_rows(struct tpe *t)
{
    size_t need = RESERVOIR + WINDOW + t->pending.count + MOST_GOOD;
    if (need <= t->rows_cap)
        return;
    t->rows_cap = need * 2;
    t->rows = xrealloc(t->rows, t->rows_cap * sizeof(*t->rows));
    t->weights = xrealloc(t->weights, t->rows_cap * sizeof(*t->weights));
}

/* Everything that is not good, oldest first, the pending points last. */
static size_t gather_bad(struct tpe *t, size_t good)
{
    size_t count = 0;
    double share = (double)t->old / fmax((double)t->reservoir.count, 1);
    double pending = PENDING_TOGETHER / fmax((double)t->pending.count, 1);
    for (size_t i = 0; i < t->reservoir.count; i++) {
        if (is_good(t, t->reservoir.rows[i], good))
            continue;
        t->rows[count] = t->reservoir.rows[i];
        t->weights[count++] = share * weight_at(t, ((double)i + 0.5) * share);
    }
    for (size_t i = 0; i < t->window.count; i++) {
        if (is_good(t, t->window.rows[i], good))
            continue;
        t->rows[count] = t->window.rows[i];
        t->weights[count++] = weight_at(t, (double)(t->old + i));
    }
    for (size_t i = 0; i < t->pending.count; i++) {
        t->rows[count] = t->pending.rows[i];
        t->weights[count++] = fmin(PENDING_WEIGHT, pending);
    }
    return count;
}

/* The better a result, the more it weighs; the mean weight is 1. */
static void weigh_good(struct tpe *t, size_t good)
{
    double sum = 0;
    for (size_t i = 0; i < good; i++) {
        t->weights[i] = exact_log((double)good + 1) - exact_log((double)i + 1);
        sum += t->weights[i];
    }
    for (size_t i = 0; i < good; i++)
        t->weights[i] *= (double)good / sum;
}

/* No one width is right: a wide one finds other valleys, a narrow one the
 * bottom of this one. So each suggestion has its own. */
static struct width draw_width(struct rng *r)
{
    double rule = rng_uniform(r), scale = rng_uniform(r);
    if (rule < NEAR_SHARE)
        return (struct width){WIDTH_NEAR, NEAR_SCALE};
    return (struct width){WIDTH_SPREAD,
                          NARROWEST *
                              exact_exp(scale * exact_log(WIDEST / NARROWEST))};
}

static void fit(struct tpe *t, struct rng *r)
{
    size_t good = good_count(t);
    reserve_rows(t);
    weigh_good(t, good);
    mixture_fit(&t->good, &t->roll.history, t->best, t->weights, good,
                draw_width(r));
    size_t bad = gather_bad(t, good);
    mixture_fit(&t->bad, &t->roll.history, t->rows, t->weights, bad,
                (struct width){.rule = WIDTH_COUNT});
}

/* ---- asking ----------------------------------------------------------- */

/* The candidate of the highest score whose point is new; false when none
 * is. */
static bool choose(struct tpe *t, size_t count)
{
    size_t width = t->roll.history.width;
    for (size_t tries = 0; tries < count; tries++) {
        size_t best = 0;
        for (size_t i = 1; i < count; i++)
            if (t->scores[i] > t->scores[best])
                best = i;
        memcpy(t->roll.u, t->draws + best * width, width * sizeof(*t->draws));
        if (roll_is_new(&t->roll))
            return true;
        t->scores[best] = -INFINITY;
    }
    return false;
}

/* Points drawn from the model of all parameters together. */
static bool ask_together(struct tpe *t, struct rng *r)
{
    size_t width = t->roll.history.width, count = (size_t)t->candidates;
    for (size_t i = 0; i < count; i++) {
        double *draw = t->draws + i * width;
        mixture_draw(&t->good, r, draw);
        unit_mask(&t->roll.unit, draw, t->roll.scratch);
    }
    mixture_log(&t->good, t->draws, count, t->scores);
    mixture_log(&t->bad, t->draws, count, t->under);
    for (size_t i = 0; i < count; i++)
        t->scores[i] -= t->under[i];
    return choose(t, count);
}

/* Each parameter by itself: the best of its own draws. That puts together
 * what was good in different points. */
static bool ask_apart(struct tpe *t, struct rng *r)
{
    double *u = t->roll.u;
    size_t width = t->roll.history.width, count = (size_t)t->candidates;
    for (size_t axis = 0; axis < width; axis++) {
        size_t best = 0;
        u[axis] = 0.5;
        if (t->axes[axis].kind == AXIS_FIXED)
            continue;
        for (size_t i = 0; i < count; i++)
            t->draws[i] = mixture_draw_axis(&t->good, axis, r);
        mixture_log_axis(&t->good, axis, t->draws, count, t->scores);
        mixture_log_axis(&t->bad, axis, t->draws, count, t->under);
        for (size_t i = 0; i < count; i++)
            if (t->scores[i] - t->under[i] > t->scores[best] - t->under[best])
                best = i;
        u[axis] = t->draws[best];
    }
    return roll_is_new(&t->roll);
}

static bool ask_model(struct tpe *t, struct rng *r)
{
    bool apart = rng_uniform(r) < APART_SHARE;
    mixture_init(&t->good, t->axes, t->roll.history.width);
    mixture_init(&t->bad, t->axes, t->roll.history.width);
    fit(t, r);
    bool found = (apart && ask_apart(t, r)) || ask_together(t, r);
    mixture_done(&t->good);
    mixture_done(&t->bad);
    return found;
}

static bool ask_bowl(struct tpe *t, int64_t k)
{
    return t->quadratic && bowl_ask(&t->bowl, k, t->pending.count, t->roll.u) &&
           roll_is_new(&t->roll);
}

/* With many out at once the model is used earlier: what is out will cover the
 * space as well as what is known. */
static bool starting(const struct tpe *t)
{
    double least = fmin(t->startup, LEAST_VALUES);
    return (double)t->values < least ||
           (double)(t->values + t->pending.count) < t->startup;
}

static enum search_answer tpe_ask(void *state, int64_t k, struct arena *a,
                                  struct suggestion *out, struct err *err)
{
    struct tpe *t = state;
    long row = history_find(&t->roll.history, k);
    (void)err;
    if (row < 0) {
        struct rng r;
        rng_init(&r, t->roll.seed, (uint64_t)k, "tpe");
        if (starting(t))
            roll_sobol(&t->roll, k, &r);
        else if (!ask_bowl(t, k) && !ask_model(t, &r))
            roll_fresh(&t->roll, &r);
        row = (long)roll_ask(&t->roll, k);
        ordered_add(t, &t->pending, (size_t)row);
    }
    out->point = roll_point(&t->roll, (size_t)row, a);
    return SEARCH_HERE;
}

/* ---- life ------------------------------------------------------------- */

static int read_options(struct tpe *t, const struct value *said,
                        struct err *err)
{
    const struct option table[] = {
        {"candidates", true, 1, 10000, &t->candidates},
        {"startup", true, 1, 1e6, &t->startup},
        {"gamma", false, 0.01, 10, &t->gamma},
        {"good", true, 1, MOST_GOOD, &t->most_good}};
    const struct word_option word = {"quadratic", no_or_yes, &t->quadratic};
    const struct options known = {.numbers = table,
                                  .number_count =
                                      sizeof(table) / sizeof(*table),
                                  .words = &word,
                                  .word_count = 1};
    return options_read_all(said, "tpe", &known, err);
}

/* Every choice has to be seen some times. */
static double startup_of(const struct space *space)
{
    double startup = 10;
    for (size_t i = 0; i < space->count; i++)
        if (space->params[i].dist == DIST_CATEGORICAL)
            startup += 2 * (double)(space->params[i].values->count - 1);
    return fmin(startup, 30);
}

static void *tpe_open(const struct search_setup *setup, struct err *err)
{
    size_t width = setup->space->count;
    struct tpe given = {.minimize = setup->minimize,
                        .candidates = 32,
                        .startup = startup_of(setup->space),
                        .gamma = 1,
                        .quadratic = true,
                        .most_good = 25};
    if (read_options(&given, setup->options, err) ||
        roll_init(&given.roll, setup->space, setup->seed, err))
        return NULL;
    struct tpe *t = xmalloc(sizeof(*t));
    *t = given;
    t->axes = mixture_axes_new(setup->space);
    bowl_init(&t->bowl, setup, &t->roll.history);
    if (setup->version == 4)
        t->bowl.least_foretold = FORETOLD_IN_4;
    size_t candidates = (size_t)t->candidates;
    t->draws = xcalloc(candidates * (width + 1), sizeof(*t->draws));
    t->scores = xcalloc(candidates, sizeof(*t->scores));
    t->under = xcalloc(candidates, sizeof(*t->under));
    return t;
}

static void tpe_free(void *state)
{
    struct tpe *t = state;
    mixture_axes_free(t->axes, t->roll.history.width);
    bowl_done(&t->bowl);
    roll_done(&t->roll);
    free(t->window.rows);
    free(t->reservoir.rows);
    free(t->pending.rows);
    free(t->rows);
    free(t->weights);
    free(t->draws);
    free(t->scores);
    free(t->under);
    free(t);
}

STRATEGY(tpe) = {
    .method = {.name = "tpe",
               .text = "Parzen estimators: any space, conditions and "
                       "categories too, many trials, many at once",
               .learns = LEARNS,
               .options = METHOD_OPTIONS(
                   {"startup", "results before the model is used (10)"},
                   {"candidates",
                    "points drawn for each that is asked for (32)"},
                   {"gamma", "of n results gamma sqrt(n) are the best (1)"},
                   {"good", "at most so many of them (25)"},
                   {"quadratic", "half of the points from one (true)"})},
    .open = tpe_open,
    .free = tpe_free,
    .ask = tpe_ask,
    .tell = tpe_tell,
    .rungs = true};
