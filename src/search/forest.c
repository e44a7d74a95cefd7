/* forest.c - a model of random trees
 *
 * Extremely randomised trees predict mean and variance of a point (Hutter et
 * al., Artificial Intelligence 2014); the point of the highest expected
 * improvement, or of the lowest confidence bound, is asked for. A candidate's
 * variance counts only as far as the trees can tell it from every pending
 * point, so that many points asked for at once lie apart. One point in five is
 * random.
 *
 * Trees learn the logarithm of a result's rank, so that only the order of
 * values counts; what ended without one is as bad as the worst.
 *
 * Cost is bounded. A tree sees all results up to a number, of more a sample by
 * a hash of trial and tree, and always the best; it is fitted again only when
 * what it sees has changed. Candidates are judged once for each set of
 * results, however many points are asked for. All of it is a function of the
 * results, whatever their order: rows are kept sorted by value and trial. */
#include "search/strategy.h"

#include <math.h>
#include <stdlib.h>

#include "base/hash.h"
#include "base/exact.h"
#include "search/forest_tree.h"
#include "search/genes.h"
#include "search/options.h"
#include "search/roll.h"

enum {
    SAMPLE = 1024, /* results that a tree sees at most, and the best */
    BEST = 32,
    SPREAD = 512, /* candidates anywhere */
    AROUND = 32,  /* candidates around each of some of the best */
    CENTRES = 16,
    POOL = SPREAD + AROUND * CENTRES,
    CLIMBS = 16,  /* that may end at points that were there; then the space is
                     nearly used up, and any candidate that is new will do */
    STEPS = 3,    /* rounds of changes of the chosen candidate */
    CHANGES = 16, /* in each round */
    FEW = 50,     /* so few results make leaves of one */
};

enum acquire { ACQUIRE_EI, ACQUIRE_CB };
static const char *const acquire_names[] = {"ei", "cb", NULL};

struct candidate {
    double mean, sd;
    double near; /* the part of the trees that cannot tell it from some
                    pending point */
};

struct forest {
    struct roll roll;
    struct genes genes;
    bool minimize;
    double startup, trees, random, kappa;
    size_t acquire;
    int climbs;     /* of one ask, at most */
    size_t *sorted; /* rows that ended, the best first */
    size_t count, cap, values;
    struct forest_tree *tree;
    bool *stale;
    unsigned level; /* a tree sees one result in 2^level */
    float *x;       /* of each row */
    size_t x_cap;
    double *y; /* of each row, for the tree at hand */
    uint32_t *rows;
    size_t rows_cap;
    size_t pool_count; /* results that the pool was made from */
    bool pool_there;
    double *pool; /* coded points */
    struct candidate *judged;
    uint32_t *leaves; /* of each candidate: its leaf in each tree */
    uint32_t *out;    /* of each pending point: the same */
    size_t out_count, out_cap;
    uint32_t *trial_leaves;
    double *trial_u; /* while a candidate is changed */
    float *trial_x;
};

/* ---- what was told ---------------------------------------------------- */

static bool is_sampled(const struct forest *f, size_t row, size_t tree)
{
    uint64_t key[2] = {(uint64_t)f->roll.history.trials[row], tree};
    uint64_t mask = ((uint64_t)1 << f->level) - 1;
    if (!f->level)
        return true;
    return !(hash64(str_n((const char *)key, sizeof(key)), f->roll.seed) &
             mask);
}

static size_t place_of(const struct forest *f, size_t row)
{
    size_t low = 0, high = f->count;
    while (low < high) {
        size_t middle = (low + high) / 2;
        if (roll_better(&f->roll, f->sorted[middle], row))
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static void set_stale(struct forest *f, size_t row, size_t place)
{
    unsigned level = f->level;
    while (f->count >> level > SAMPLE)
        level++;
    bool all = level != f->level || place < BEST;
    f->level = level;
    for (size_t t = 0; t < (size_t)f->trees; t++)
        if (all || is_sampled(f, row, t))
            f->stale[t] = true;
}

static void keep_code(struct forest *f, size_t row)
{
    size_t width = f->genes.axes.count;
    if (f->x_cap < f->roll.history.cap) {
        f->x_cap = f->roll.history.cap;
        f->x = xrealloc(f->x, f->x_cap * (width + 1) * sizeof(*f->x));
        f->y = xrealloc(f->y, f->x_cap * sizeof(*f->y));
    }
    history_get(&f->roll.history, row, f->trial_u);
    forest_code(&f->genes.axes, f->trial_u, f->x + row * width);
}

static void forest_tell(void *state, const struct result *r)
{
    struct forest *f = state;
    size_t before = f->roll.history.count;
    long found = roll_tell(&f->roll, r, f->minimize);
    if (f->roll.history.count != before)
        f->pool_there = false;
    if (found < 0)
        return;
    size_t row = (size_t)found;
    f->pool_there = false;
    if (f->roll.history.marks[row] == MARK_LEFT)
        return;
    if (f->count == f->cap) {
        f->cap = f->cap ? f->cap * 2 : 64;
        f->sorted = xrealloc(f->sorted, f->cap * sizeof(*f->sorted));
    }
    size_t at = place_of(f, row);
    memmove(f->sorted + at + 1, f->sorted + at,
            (f->count - at) * sizeof(*f->sorted));
    f->sorted[at] = row;
    f->count++;
    f->values += f->roll.history.marks[row] == MARK_VALUE;
    keep_code(f, row);
    set_stale(f, row, at);
}

/* ---- the model -------------------------------------------------------- */

/* The rows that a tree sees, with the logarithms of their ranks; equal values
 * have the same. */
static size_t gather(struct forest *f, size_t tree)
{
    const double *losses = f->roll.history.losses;
    const double *broken = f->roll.history.broken;
    size_t count = 0;
    if (f->rows_cap < f->count) {
        f->rows_cap = f->count * 2;
        f->rows = xrealloc(f->rows, f->rows_cap * sizeof(*f->rows));
    }
    for (size_t i = 0; i < f->count; i++)
        if (i < BEST || is_sampled(f, f->sorted[i], tree))
            f->rows[count++] = (uint32_t)f->sorted[i];
    for (size_t i = 0; i < count; i++) {
        uint32_t row = f->rows[i], before = i ? f->rows[i - 1] : row;
        if (isnan(losses[row]))
            f->y[row] = 0;
        else if (i && losses[row] == losses[before] &&
                 broken[row] == broken[before])
            f->y[row] = f->y[before];
        else
            f->y[row] = exact_log(((double)i + 0.5) / (double)count);
    }
    return count;
}

static void fit(struct forest *f)
{
    struct forest_data data = {.axes = &f->genes.axes, .x = f->x, .y = f->y};
    size_t leaf = f->count < FEW ? 1 : 3;
    for (size_t t = 0; t < (size_t)f->trees; t++) {
        struct rng rng;
        if (!f->stale[t])
            continue;
        rng_init(&rng, f->roll.seed, t, "forest tree");
        size_t count = gather(f, t); /* may move f->rows */
        forest_tree_fit(&f->tree[t], &data, f->rows, count, leaf, &rng);
        f->stale[t] = false;
    }
}

static double near_to(const struct forest *f, const uint32_t *leaves,
                      const uint32_t *others)
{
    size_t same = 0, trees = (size_t)f->trees;
    for (size_t t = 0; t < trees; t++)
        same += leaves[t] == others[t];
    return (double)same / (double)trees;
}

/* The nearest of the pending points. */
static double nearest(const struct forest *f, const uint32_t *leaves)
{
    double near = 0;
    for (size_t i = 0; i < f->out_count; i++)
        near = fmax(near, near_to(f, leaves, f->out + i * (size_t)f->trees));
    return near;
}

static struct candidate judge(const struct forest *f, const float *x,
                              uint32_t *leaves)
{
    double sum = 0, squares = 0, inside = 0, n = f->trees;
    for (size_t t = 0; t < (size_t)f->trees; t++) {
        const struct forest_node *leaf = forest_tree_leaf(&f->tree[t], x);
        leaves[t] = (uint32_t)(leaf - f->tree[t].nodes);
        sum += leaf->mean;
        squares += leaf->mean * leaf->mean;
        inside += leaf->variance;
    }
    double mean = sum / n, variance = squares / n - mean * mean + inside / n;
    return (struct candidate){mean, sqrt(fmax(variance, 1e-12)), 0};
}

/* A point is out: candidates that are like it are wanted less. */
static void add_out(struct forest *f, size_t row)
{
    size_t trees = (size_t)f->trees;
    if (f->out_count == f->out_cap) {
        f->out_cap = f->out_cap * 2 + 16;
        f->out = xrealloc(f->out, f->out_cap * trees * sizeof(*f->out));
    }
    uint32_t *leaves = f->out + f->out_count++ * trees;
    history_get(&f->roll.history, row, f->trial_u);
    forest_code(&f->genes.axes, f->trial_u, f->trial_x);
    judge(f, f->trial_x, leaves);
    for (size_t i = 0; i < POOL; i++)
        f->judged[i].near =
            fmax(f->judged[i].near, near_to(f, leaves, f->leaves + i * trees));
}

/* ---- candidates ------------------------------------------------------- */

/* A change of a good point, far or near. */
static void change(struct forest *f, struct rng *rng, double *u)
{
    double shrink = exact_exp(-4.6 * rng_uniform(rng));
    size_t count = f->genes.axes.count, sure = rng_below(rng, count + !count);
    double chance = 2 / (double)(count + 1);
    for (size_t i = 0; i < count; i++) {
        const struct axis *axis = &f->genes.axes.axis[i];
        double *at = &u[axis->param], any = rng_uniform(rng);
        double step = 0.3 * shrink * rng_normal(rng);
        if (i != sure && rng_uniform(rng) >= chance)
            continue;
        if (axis->choices)
            *at = axis->at[(size_t)(any * (double)axis->choices)];
        else
            *at = fmin(fmax(*at + step, 0), 1 - 0x1p-53);
    }
}

static void mask_and_code(struct forest *f, double *u, float *x)
{
    unit_mask(&f->roll.unit, u, f->roll.scratch);
    forest_code(&f->genes.axes, u, x);
    arena_reset(f->roll.scratch);
}

/* Candidates by the results alone: all points that are asked for until the
 * next result choose from the same ones. */
static void make_pool(struct forest *f)
{
    size_t width = f->roll.history.width;
    struct rng rng;
    rng_init(&rng, f->roll.seed, f->count, "forest pool");
    for (size_t i = 0; i < POOL; i++) {
        double *u = f->pool + i * width;
        for (size_t j = 0; j < width; j++)
            u[j] = rng_uniform(&rng);
        if (i >= SPREAD) {
            size_t centre = (i - SPREAD) / AROUND;
            size_t most = f->values < CENTRES ? f->values : CENTRES;
            history_get(&f->roll.history, f->sorted[centre % most], u);
            roll_fill(&f->roll, &rng, u);
            change(f, &rng, u);
        }
        mask_and_code(f, u, f->trial_x);
        f->judged[i] = judge(f, f->trial_x, f->leaves + i * (size_t)f->trees);
    }
    f->out_count = 0;
    for (size_t row = 0; row < f->roll.history.count; row++)
        if (f->roll.history.marks[row] == MARK_PENDING)
            add_out(f, row);
    f->pool_there = true;
}

/* The improvement to expect, or how low it may well be, of what the pending
 * points will not tell. */
static double merit(const struct forest *f, const struct candidate *c)
{
    double slope, best = exact_log(0.5 / (double)f->count);
    double sd = c->sd * sqrt(fmax(1 - c->near, 1e-6));
    if (f->acquire == ACQUIRE_CB)
        return f->kappa * sd - c->mean;
    return exact_log(sd) + exact_log_improvement((best - c->mean) / sd, &slope);
}

/* Goes from the candidate in roll.u to better ones near it. */
static void climb(struct forest *f, struct rng *rng, double at)
{
    size_t size = f->roll.history.width * sizeof(double);
    double *kept = f->roll.coded;
    for (int step = 0; step < STEPS; step++) {
        memcpy(kept, f->roll.u, size);
        for (int i = 0; i < CHANGES; i++) {
            memcpy(f->trial_u, kept, size);
            roll_fill(&f->roll, rng, f->trial_u);
            change(f, rng, f->trial_u);
            mask_and_code(f, f->trial_u, f->trial_x);
            struct candidate c = judge(f, f->trial_x, f->trial_leaves);
            c.near = nearest(f, f->trial_leaves);
            double merits = merit(f, &c);
            if (merits <= at)
                continue;
            at = merits;
            memcpy(f->roll.u, f->trial_u, size);
        }
    }
}

/* The best candidate that is new, into roll.u; false when none is. */
static bool choose(struct forest *f, struct rng *rng)
{
    size_t width = f->roll.history.width, size = width * sizeof(double);
    double merits[POOL];
    for (size_t i = 0; i < POOL; i++)
        merits[i] = merit(f, &f->judged[i]);
    for (int tries = 0; tries < POOL; tries++) {
        bool climbs = tries < f->climbs;
        size_t best = 0;
        for (size_t i = 1; i < POOL; i++)
            if (merits[i] > merits[best])
                best = i;
        memcpy(f->roll.u, f->pool + best * width, size);
        if (climbs)
            climb(f, rng, merits[best]);
        if (climbs && roll_is_new(&f->roll))
            return true;
        memcpy(f->roll.u, f->pool + best * width, size);
        if (roll_is_new(&f->roll))
            return true;
        merits[best] = -INFINITY;
    }
    return false;
}

static void ask_new(struct forest *f, int64_t k)
{
    struct rng rng;
    rng_init(&rng, f->roll.seed, (uint64_t)k, "forest");
    bool random = rng_uniform(&rng) < f->random;
    if ((double)f->values < f->startup) {
        roll_sobol(&f->roll, k, &rng);
        return;
    }
    if (!random) {
        fit(f);
        if (!f->pool_there)
            make_pool(f);
        if (choose(f, &rng))
            return;
    }
    roll_fresh(&f->roll, &rng);
}

static enum search_answer forest_ask(void *state, int64_t k, struct arena *a,
                                     struct suggestion *out, struct err *err)
{
    struct forest *f = state;
    long row = history_find(&f->roll.history, k);
    (void)err;
    if (row < 0) {
        ask_new(f, k);
        row = (long)roll_ask(&f->roll, k);
        if (f->pool_there)
            add_out(f, (size_t)row);
    }
    out->point = roll_point(&f->roll, (size_t)row, a);
    return SEARCH_HERE;
}

/* ---- life ------------------------------------------------------------- */

static int read_options(struct forest *f, const struct value *said,
                        struct err *err)
{
    const struct option numbers[] = {{"startup", true, 2, 1e6, &f->startup},
                                     {"trees", true, 2, 1000, &f->trees},
                                     {"random", false, 0, 1, &f->random},
                                     {"kappa", false, 0, 100, &f->kappa}};
    const struct word_option words[] = {
        {"acquire", acquire_names, &f->acquire}};
    const struct options known = {
        numbers, sizeof(numbers) / sizeof(*numbers), words, 1, NULL, 0};
    return options_read_all(said, "forest", &known, err);
}

static void *forest_open(const struct search_setup *setup, struct err *err)
{
    size_t width = setup->space->count + 1;
    struct forest given = {.minimize = setup->minimize,
                           .startup = 10,
                           .trees = 64,
                           .random = 0.2,
                           .kappa = 2,
                           .climbs = setup->version < 3 ? POOL : CLIMBS};
    if (read_options(&given, setup->options, err) ||
        roll_init(&given.roll, setup->space, setup->seed, err))
        return NULL;
    if (genes_init(&given.genes, setup->space, NULL, "forest", err)) {
        roll_done(&given.roll);
        return NULL;
    }
    struct forest *f = xmalloc(sizeof(*f));
    *f = given;
    f->tree = xcalloc((size_t)f->trees, sizeof(*f->tree));
    f->stale = xcalloc((size_t)f->trees, sizeof(*f->stale));
    f->pool = xcalloc(POOL * width, sizeof(*f->pool));
    f->judged = xcalloc(POOL, sizeof(*f->judged));
    f->leaves = xcalloc(POOL * (size_t)f->trees, sizeof(*f->leaves));
    f->trial_leaves = xcalloc((size_t)f->trees, sizeof(*f->trial_leaves));
    f->trial_u = xcalloc(width, sizeof(*f->trial_u));
    f->trial_x = xcalloc(width, sizeof(*f->trial_x));
    return f;
}

static void forest_free(void *state)
{
    struct forest *f = state;
    for (size_t t = 0; t < (size_t)f->trees; t++)
        forest_tree_done(&f->tree[t]);
    genes_done(&f->genes);
    roll_done(&f->roll);
    free(f->tree);
    free(f->stale);
    free(f->sorted);
    free(f->x);
    free(f->y);
    free(f->rows);
    free(f->pool);
    free(f->judged);
    free(f->leaves);
    free(f->trial_leaves);
    free(f->out);
    free(f->trial_u);
    free(f->trial_x);
    free(f);
}

STRATEGY(forest) = {
    .method = {.name = "forest",
               .text = "a random forest with its variance: mixed spaces, and "
                       "many points at once",
               .learns = LEARNS,
               .options = METHOD_OPTIONS(
                   {"startup", "results before the model is used (10)"},
                   {"trees", "of the forest (64)"},
                   {"random", "part of the points that are random (0.2)"},
                   {"acquire",
                    "ei: expected improvement, cb: confidence bound (ei)"},
                   {"kappa", "deviations from the mean to cb's bound (2)"})},
    .open = forest_open,
    .free = forest_free,
    .ask = forest_ask,
    .tell = forest_tell,
    .rungs = true};
