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
#include "search/sobol.h"
#include "search/unit.h"

enum {
    MOST_GOOD = 64,      /* the largest `good` */
    NEWEST = 25,         /* results that keep their full weight */
    WINDOW = 256,        /* the newest results */
    RESERVOIR = 256,     /* of the older ones */
    LEAST_VALUES = 5,    /* before the model is used, whatever is pending */
    FRESH_TRIES = 64,    /* random draws for a point that is new */
    FRESH_GRID = 1 << 16 /* a space up to this size is searched for one */
};

/* How wide the kernels of good points are: see draw_width. */
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
    struct unit unit;
    struct mixture_axis *axes;
    uint64_t seed;
    bool minimize;
    double candidates, startup, gamma, most_good;
    size_t quadratic; /* whether it is asked */
    struct history history;
    double *asked; /* of each row: the point as it was asked for */
    size_t asked_cap;
    size_t values, told; /* rows with a value; rows in the model */
    size_t best[MOST_GOOD], best_count;
    struct ordered window, reservoir, pending;
    uint64_t lots[RESERVOIR + 1]; /* of the reservoir's rows … */
    uint64_t high_lot;            /* … the highest */
    size_t old;                   /* rows that the reservoir stands for */
    struct idmap *seen;
    struct bowl bowl;
    struct mixture good, bad; /* while a point is asked for: a study may have
                                 a thousand such searches, see hyperspace */
    size_t *rows;
    double *weights;
    size_t rows_cap;
    double *draws, *scores, *under; /* of candidates */
    struct arena *scratch;
};

/* ---- what was told ---------------------------------------------------- */

static size_t place_of(const struct tpe *t, const struct ordered *o, size_t row)
{
    const int64_t *trials = t->history.trials;
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
    int64_t trial = t->history.trials[row];
    return hash64(str_n((const char *)&trial, sizeof(trial)), t->seed);
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
    if (at == MOST_GOOD && !history_better(&t->history, row, t->best[at - 1]))
        return;
    at -= at == MOST_GOOD;
    t->best_count = at + 1;
    while (at > 0 && history_better(&t->history, row, t->best[at - 1])) {
        t->best[at] = t->best[at - 1];
        at--;
    }
    t->best[at] = row;
}

static uint64_t key_of(const struct tpe *t, const double *u)
{
    size_t size = t->history.width * sizeof(*u);
    return hash64(str_n((const char *)u, size), 0);
}

static bool is_seen(const struct tpe *t, const double *coded)
{
    return idmap_get(t->seen, key_of(t, coded)) != NULL;
}

/* A pending row for a trial, which was asked as `asked`. */
static size_t row_add(struct tpe *t, int64_t trial, const double *coded,
                      const double *asked)
{
    size_t width = t->history.width;
    size_t row = history_add(&t->history, trial, coded);
    if (t->asked_cap < t->history.cap) {
        t->asked_cap = t->history.cap;
        t->asked =
            xrealloc(t->asked, t->asked_cap * (width + 1) * sizeof(*t->asked));
    }
    memcpy(t->asked + row * width, asked, width * sizeof(*asked));
    ordered_add(t, &t->pending, row);
    idmap_set(t->seen, key_of(t, coded), t);
    return row;
}

static void tpe_tell(void *state, const struct result *r)
{
    struct tpe *t = state;
    long found = history_find(&t->history, r->trial);
    double loss, *u;
    arena_reset(t->scratch);
    u = arena_array(t->scratch, t->history.width + 1, sizeof(*u));
    if (found < 0 && !r->point)
        return;
    if (found < 0)
        unit_code(&t->unit, r->point, u);
    size_t row = found < 0 ? row_add(t, r->trial, u, u) : (size_t)found;
    enum mark mark = mark_of(r, t->minimize, &loss);
    if (t->history.marks[row] != MARK_PENDING || mark == MARK_PENDING)
        return;
    ordered_remove(t, &t->pending, row);
    t->history.marks[row] = (unsigned char)mark;
    t->history.losses[row] = loss;
    t->history.broken[row] = broken_by(r);
    if (mark == MARK_LEFT)
        return;
    t->told++;
    window_add(t, row);
    bowl_tell(&t->bowl, row);
    if (mark != MARK_VALUE)
        return;
    t->values++;
    best_add(t, row);
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
    mixture_fit(&t->good, &t->history, t->best, t->weights, good,
                draw_width(r));
    size_t bad = gather_bad(t, good);
    mixture_fit(&t->bad, &t->history, t->rows, t->weights, bad,
                (struct width){.rule = WIDTH_COUNT});
}

/* ---- asking ----------------------------------------------------------- */

/* The code that u's point has: what a store would give back. */
static void recode(const struct tpe *t, const double *u, double *coded)
{
    unit_code(&t->unit, unit_point(&t->unit, u, t->scratch), coded);
}

/* The candidate of the highest score whose point is new; false when none
 * is. */
static bool choose(struct tpe *t, size_t count, double *u, double *coded)
{
    size_t width = t->history.width;
    for (size_t tries = 0; tries < count; tries++) {
        size_t best = 0;
        for (size_t i = 1; i < count; i++)
            if (t->scores[i] > t->scores[best])
                best = i;
        memcpy(u, t->draws + best * width, width * sizeof(*u));
        recode(t, u, coded);
        if (!is_seen(t, coded))
            return true;
        t->scores[best] = -INFINITY;
    }
    return false;
}

/* Points drawn from the model of all parameters together. */
static bool ask_together(struct tpe *t, struct rng *r, double *u, double *coded)
{
    size_t width = t->history.width, count = (size_t)t->candidates;
    for (size_t i = 0; i < count; i++) {
        double *draw = t->draws + i * width;
        mixture_draw(&t->good, r, draw);
        unit_mask(&t->unit, draw, t->scratch);
    }
    mixture_log(&t->good, t->draws, count, t->scores);
    mixture_log(&t->bad, t->draws, count, t->under);
    for (size_t i = 0; i < count; i++)
        t->scores[i] -= t->under[i];
    return choose(t, count, u, coded);
}

/* Each parameter by itself: the best of its own draws. That puts together
 * what was good in different points. */
static bool ask_apart(struct tpe *t, struct rng *r, double *u, double *coded)
{
    size_t width = t->history.width, count = (size_t)t->candidates;
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
    recode(t, u, coded);
    return !is_seen(t, coded);
}

static bool ask_model(struct tpe *t, struct rng *r, double *u, double *coded)
{
    bool apart = rng_uniform(r) < APART_SHARE;
    mixture_init(&t->good, t->axes, t->history.width);
    mixture_init(&t->bad, t->axes, t->history.width);
    fit(t, r);
    bool found =
        (apart && ask_apart(t, r, u, coded)) || ask_together(t, r, u, coded);
    mixture_done(&t->good);
    mixture_done(&t->bad);
    return found;
}

static bool ask_bowl(struct tpe *t, int64_t k, double *u, double *coded)
{
    if (!t->quadratic || !bowl_ask(&t->bowl, k, t->pending.count, u))
        return false;
    recode(t, u, coded);
    return !is_seen(t, coded);
}

static bool ask_start(struct tpe *t, int64_t k, double *u, double *coded)
{
    sobol_at(t->seed, (uint64_t)k - 1, t->history.width, u);
    recode(t, u, coded);
    return !is_seen(t, coded);
}

/* Any point that is new: at random, then, where the space is small, by
 * looking at all of it. What is found last stays when everything was seen. */
static void ask_fresh(struct tpe *t, struct rng *r, double *u, double *coded)
{
    for (int tries = 0; tries < FRESH_TRIES; tries++) {
        for (size_t i = 0; i < t->history.width; i++)
            u[i] = rng_uniform(r);
        recode(t, u, coded);
        if (!is_seen(t, coded))
            return;
    }
    uint64_t all = space_grid_count(t->unit.space, NULL), key = rng_u64(r);
    for (uint64_t i = 0; all <= FRESH_GRID && i < all; i++) {
        struct value *point = space_grid_point(
            t->unit.space, rng_permute(key, i, all), t->scratch);
        unit_code(&t->unit, point, coded);
        memcpy(u, coded, t->history.width * sizeof(*u));
        if (!is_seen(t, coded))
            return;
    }
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
    long row = history_find(&t->history, k);
    (void)err;
    if (row < 0) {
        struct rng r;
        bool found;
        arena_reset(t->scratch);
        size_t size = t->history.width + 1;
        double *u = arena_array(t->scratch, size, sizeof(*u));
        double *coded = arena_array(t->scratch, size, sizeof(*coded));
        rng_init(&r, t->seed, (uint64_t)k, "tpe");
        if (starting(t))
            found = ask_start(t, k, u, coded);
        else
            found = ask_bowl(t, k, u, coded) || ask_model(t, &r, u, coded);
        if (!found)
            ask_fresh(t, &r, u, coded);
        row = (long)row_add(t, k, coded, u);
    }
    out->point =
        unit_point(&t->unit, t->asked + (size_t)row * t->history.width, a);
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
    struct tpe given = {.seed = setup->seed,
                        .minimize = setup->minimize,
                        .candidates = 32,
                        .startup = startup_of(setup->space),
                        .gamma = 1,
                        .quadratic = true,
                        .most_good = 25};
    if (read_options(&given, setup->options, err) ||
        unit_init(&given.unit, setup->space, err))
        return NULL;
    struct tpe *t = xmalloc(sizeof(*t));
    *t = given;
    t->axes = mixture_axes_new(setup->space);
    history_init(&t->history, width);
    t->seen = idmap_new();
    bowl_init(&t->bowl, setup, &t->history);
    if (setup->version == 4)
        t->bowl.least_foretold = FORETOLD_IN_4;
    t->scratch = arena_new();
    size_t candidates = (size_t)t->candidates;
    t->draws = xcalloc(candidates * (width + 1), sizeof(*t->draws));
    t->scores = xcalloc(candidates, sizeof(*t->scores));
    t->under = xcalloc(candidates, sizeof(*t->under));
    return t;
}

static void tpe_free(void *state)
{
    struct tpe *t = state;
    history_done(&t->history);
    unit_done(&t->unit);
    mixture_axes_free(t->axes, t->unit.space->count);
    idmap_free(t->seen);
    bowl_done(&t->bowl);
    arena_free(t->scratch);
    free(t->window.rows);
    free(t->reservoir.rows);
    free(t->pending.rows);
    free(t->asked);
    free(t->rows);
    free(t->weights);
    free(t->draws);
    free(t->scores);
    free(t->under);
    free(t);
}

static int64_t tpe_total(const void *state)
{
    (void)state;
    return -1;
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
    .total = tpe_total,
    .ask = tpe_ask,
    .tell = tpe_tell,
    .rungs = true};
