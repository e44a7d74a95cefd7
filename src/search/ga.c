/* ga.c - a genetic algorithm
 *
 * `simple` and `mu_plus_lambda` are DEAP's algorithms as CANDLE runs them: a
 * generation is asked for when all of the one before have ended, and always
 * has the same number of trials: a child that would come out like its parent
 * is changed once more instead of being left out. A result without a value
 * counts as the mean of its generation. Survivors are chosen in tournaments.
 *
 * `steady` has no generations: each point has parents out of the best results
 * of all, so that no worker waits.
 *
 * The first population is the list of points of the study, then Sobol's. */
#include "search/strategy.h"

#include <math.h>
#include <stdlib.h>

#include "search/generations.h"
#include "search/genes.h"
#include "search/options.h"
#include "search/roll.h"

enum way { STEADY, SIMPLE, MU_PLUS_LAMBDA };
static const char *const ways[] = {"steady", "simple", "mu_plus_lambda", NULL};

enum { NEW_TRIES = 16 }; /* changes of a child until it is new */

struct ga {
    struct roll roll;
    struct genes genes;
    const struct point_source *points;
    bool minimize;
    size_t way;
    double population, offspring, crossover, mutation, gene_crossover,
        gene_mutation, tournament;
    struct generations generations;
    double *fitness; /* of each row, low is good; of closed generations */
    size_t fitness_cap;
    size_t *best; /* steady: rows with a value, the best first */
    size_t best_count;
    double *other; /* the second child */
};

/* ---- selection -------------------------------------------------------- */

/* In generations a failure has the mean fitness, as in CANDLE. */
static bool is_fitter(const struct ga *g, size_t a, size_t b)
{
    const double *broken = g->roll.history.broken;
    if (g->way == STEADY)
        return roll_better(&g->roll, a, b);
    return broken[a] != broken[b] ? broken[a] < broken[b]
                                  : g->fitness[a] < g->fitness[b];
}

/* The first best of `tournament` rows drawn with replacement. */
static size_t tournament(const struct ga *g, const struct population *from,
                         struct rng *rng)
{
    size_t best = from->rows[rng_below(rng, from->count)];
    for (int i = 1; i < (int)g->tournament; i++) {
        size_t row = from->rows[rng_below(rng, from->count)];
        if (is_fitter(g, row, best))
            best = row;
    }
    return best;
}

static size_t any_of(const struct population *from, struct rng *rng)
{
    return from->rows[rng_below(rng, from->count)];
}

/* ---- children --------------------------------------------------------- */

static void take(const struct ga *g, size_t row, struct rng *rng, double *u)
{
    history_get(&g->roll.history, row, u);
    roll_fill(&g->roll, rng, u);
}

/* Makes one child of the population in roll.u: crossed, or changed. */
static void vary_or(struct ga *g, const struct population *from,
                    struct rng *rng, bool by_tournament)
{
    double *u = g->roll.u, what = rng_uniform(rng);
    size_t a = by_tournament ? tournament(g, from, rng) : any_of(from, rng);
    size_t b = by_tournament ? tournament(g, from, rng) : any_of(from, rng);
    take(g, a, rng, u);
    take(g, b, rng, g->other);
    if (what < g->crossover)
        genes_cross(&g->genes, rng, g->gene_crossover, u, g->other);
    else if (what < g->crossover + g->mutation)
        genes_mutate(&g->genes, rng, g->gene_mutation, u);
}

/* DEAP's varAnd: chosen ones are crossed in pairs, then each is changed. Both
 * of a pair are made by the same numbers, each takes its own. */
static void vary_and(struct ga *g, const struct population *from, int64_t k,
                     int64_t start)
{
    struct rng rng;
    double *u = g->roll.u, *v = g->other;
    bool second = (k - start) % 2;
    bool alone = !second && k - start + 1 == (int64_t)g->population;
    rng_init(&rng, g->roll.seed, (uint64_t)(k - second), "ga pair");
    take(g, tournament(g, from, &rng), &rng, second ? v : u);
    take(g, tournament(g, from, &rng), &rng, second ? u : v);
    if (rng_uniform(&rng) < g->crossover && !alone)
        genes_cross(&g->genes, &rng, g->gene_crossover, second ? v : u,
                    second ? u : v);
    rng_init(&rng, g->roll.seed, (uint64_t)k, "ga change");
    if (rng_uniform(&rng) < g->mutation)
        genes_mutate(&g->genes, &rng, g->gene_mutation, u);
}

/* Nothing is gained by a point that is there already. */
static void make_new(struct ga *g, struct rng *rng)
{
    for (int i = 0; i < NEW_TRIES; i++) {
        if (roll_is_new(&g->roll))
            return;
        genes_mutate_some(&g->genes, rng, g->gene_mutation, g->roll.u);
    }
    roll_fresh(&g->roll, rng);
}

/* ---- generations ------------------------------------------------------ */

static double fitness_mean(const struct ga *g, const struct population *p)
{
    double sum = 0;
    for (size_t i = 0; i < p->count; i++)
        sum += g->fitness[p->rows[i]];
    return p->count ? sum / (double)p->count : INFINITY;
}

static void set_fitness(struct ga *g, const struct population *before,
                        const struct population *fresh)
{
    const struct history *h = &g->roll.history;
    double sum = 0;
    size_t values = 0;
    if (g->fitness_cap < h->cap) {
        g->fitness_cap = h->cap;
        g->fitness = xrealloc(g->fitness, h->cap * sizeof(*g->fitness));
    }
    for (size_t i = 0; i < fresh->count; i++) {
        if (h->marks[fresh->rows[i]] != MARK_VALUE)
            continue;
        sum += h->losses[fresh->rows[i]];
        values++;
    }
    double mean = values ? sum / (double)values : fitness_mean(g, before);
    for (size_t i = 0; i < fresh->count; i++) {
        size_t row = fresh->rows[i];
        g->fitness[row] = h->marks[row] == MARK_VALUE ? h->losses[row] : mean;
    }
}

static void close_generation(void *context, size_t number,
                             const struct population *before,
                             const struct population *fresh,
                             struct population *after)
{
    struct ga *g = context;
    struct rng rng;
    set_fitness(g, before, fresh);
    if (g->way == SIMPLE || !number) {
        memcpy(after->rows, fresh->rows, fresh->count * sizeof(*fresh->rows));
        after->count = fresh->count;
        return;
    }
    struct population all = {
        .rows = xcalloc(before->count + fresh->count, sizeof(*all.rows))};
    for (size_t i = 0; i < before->count; i++)
        all.rows[all.count++] = before->rows[i];
    for (size_t i = 0; i < fresh->count; i++)
        all.rows[all.count++] = fresh->rows[i];
    rng_init(&rng, g->roll.seed, number, "ga survivors");
    size_t survivors = (size_t)(g->population) - (size_t)g->generations.size;
    for (size_t i = 0; i < survivors && i < all.count; i++)
        after->rows[after->count++] = tournament(g, &all, &rng);
    free(all.rows);
}

/* ---- asking ----------------------------------------------------------- */

/* A listed point, or one of Sobol's. */
static int ask_first(struct ga *g, int64_t k, struct rng *rng, struct err *err)
{
    struct value *point;
    struct str run_id;
    if (!g->points || (uint64_t)k > g->points->count) {
        roll_sobol(&g->roll, k, rng);
        return 0;
    }
    arena_reset(g->roll.scratch);
    if (g->points->get(g->points->context, (uint64_t)k - 1, g->roll.scratch,
                       &point, &run_id, err))
        return -1;
    unit_code(&g->roll.unit, point, g->roll.u);
    roll_fill(&g->roll, rng, g->roll.u);
    return 0;
}

/* Numbers lose their last digit in the code: a listed point is run with those
 * that stand in the list. */
static int as_listed(const struct ga *g, int64_t k, struct arena *a,
                     struct value **point, struct err *err)
{
    const struct space *s = g->roll.unit.space;
    struct value *listed, **values;
    struct str run_id;
    if (!g->points || (uint64_t)k > g->points->count ||
        (g->way != STEADY && generations_of(&g->generations, k)))
        return 0;
    if (g->points->get(g->points->context, (uint64_t)k - 1, a, &listed, &run_id,
                       err))
        return -1;
    values = arena_array(a, s->count + 1, sizeof(*values));
    for (size_t i = 0; i < s->count; i++) {
        struct value *v = point_get(listed, &s->params[i]);
        values[i] = point_get(*point, &s->params[i]);
        if (values[i] && v && param_position(&s->params[i], v) >= 0)
            values[i] = v;
    }
    *point = space_point(s, values, a);
    return 0;
}

static int ask_steady(struct ga *g, int64_t k, struct rng *rng, struct err *err)
{
    struct population best = {g->best, g->best_count};
    bool listed = g->points && (uint64_t)k <= g->points->count;
    if (listed || (double)best.count < g->population)
        return ask_first(g, k, rng, err);
    vary_or(g, &best, rng, true);
    make_new(g, rng);
    return 0;
}

static enum search_answer ask_generation(struct ga *g, int64_t k,
                                         struct rng *rng, struct err *err)
{
    size_t number = generations_of(&g->generations, k);
    if (!number)
        return ask_first(g, k, rng, err) ? SEARCH_ERROR : SEARCH_HERE;
    generations_advance(&g->generations, &g->roll.history, close_generation, g);
    if (g->generations.closed < number)
        return SEARCH_WAIT;
    struct population from = g->generations.past[number - 1];
    int64_t start =
        g->generations.first + (int64_t)(number - 1) * g->generations.size + 1;
    if (isinf(fitness_mean(g, &from)))
        roll_fresh(&g->roll, rng);
    else if (g->way == SIMPLE)
        vary_and(g, &from, k, start);
    else
        vary_or(g, &from, rng, false);
    make_new(g, rng);
    return SEARCH_HERE;
}

static enum search_answer ga_ask(void *state, int64_t k, struct arena *a,
                                 struct suggestion *out, struct err *err)
{
    struct ga *g = state;
    long row = history_find(&g->roll.history, k);
    enum search_answer answer = SEARCH_HERE;
    struct rng rng;
    if (row < 0) {
        rng_init(&rng, g->roll.seed, (uint64_t)k, "ga");
        if (g->way != STEADY)
            answer = ask_generation(g, k, &rng, err);
        else if (ask_steady(g, k, &rng, err))
            answer = SEARCH_ERROR;
        if (answer != SEARCH_HERE)
            return answer;
        row = (long)roll_ask(&g->roll, k);
    }
    out->point = roll_point(&g->roll, (size_t)row, a);
    return as_listed(g, k, a, &out->point, err) ? SEARCH_ERROR : SEARCH_HERE;
}

static void best_add(struct ga *g, size_t row)
{
    size_t most = (size_t)g->population, at = g->best_count;
    if (at == most && !roll_better(&g->roll, row, g->best[at - 1]))
        return;
    at -= at == most;
    g->best_count = at + 1;
    for (; at > 0 && roll_better(&g->roll, row, g->best[at - 1]); at--)
        g->best[at] = g->best[at - 1];
    g->best[at] = row;
}

static void ga_tell(void *state, const struct result *r)
{
    struct ga *g = state;
    long row = roll_tell(&g->roll, r, g->minimize);
    if (row < 0)
        return;
    if (g->way != STEADY)
        generations_end(&g->generations, &g->roll.history, (size_t)row);
    else if (g->roll.history.marks[row] == MARK_VALUE)
        best_add(g, (size_t)row);
}

/* ---- life ------------------------------------------------------------- */

static int read_options(struct ga *g, const struct value *said,
                        const struct value **sigmas, struct err *err)
{
    const struct option numbers[] = {
        {"population", true, 2, 1e6, &g->population},
        {"offspring", false, 0, 1, &g->offspring},
        {"crossover", false, 0, 1, &g->crossover},
        {"mutation", false, 0, 1, &g->mutation},
        {"gene_crossover", false, 0, 1, &g->gene_crossover},
        {"gene_mutation", false, 0, 1, &g->gene_mutation},
        {"tournament", true, 1, 1000, &g->tournament}};
    const struct word_option words[] = {{"strategy", ways, &g->way}};
    const struct tree_option trees[] = {{"sigma", sigmas}};
    const struct options known = {
        numbers, sizeof(numbers) / sizeof(*numbers), words, 1, trees, 1};
    if (options_read_all(said, "ga", &known, err))
        return -1;
    if (g->way != SIMPLE && g->crossover + g->mutation > 1)
        return err_set(err, ERR_INPUT,
                       "ga: crossover and mutation are %g together; with %s "
                       "a child has one of them, so they must not pass 1",
                       g->crossover + g->mutation, ways[g->way]);
    return 0;
}

static int64_t generation_size(const struct ga *g)
{
    if (g->way != MU_PLUS_LAMBDA)
        return (int64_t)g->population;
    return (int64_t)fmin(fmax(floor(g->population * g->offspring), 1),
                         g->population - 1);
}

static bool batches(const void *state, int64_t *first, int64_t *size)
{
    const struct ga *g = state;
    *first = (int64_t)g->population;
    *size = generation_size(g);
    return g->way != STEADY;
}

static int check_points(const struct ga *g, struct err *err)
{
    if (g->way == STEADY || !g->points ||
        (double)g->points->count >= g->population)
        return 0;
    return err_set(err, ERR_INPUT,
                   "ga: the list has %llu points, but the population is %g; "
                   "list as many, or set ga: {population: %llu}",
                   (unsigned long long)g->points->count, g->population,
                   (unsigned long long)g->points->count);
}

/* Whoever waits for all results of a generation must be told them. */
static int check_order(const struct ga *g, enum search_order order,
                       struct err *err)
{
    if (g->way == STEADY || order == SEARCH_FREE)
        return 0;
    return err_set(err, ERR_INPUT,
                   "ga: strategy %s waits for the results of a generation, "
                   "which this order holds back; leave order out, as its "
                   "points do not depend on who ends first, or use strategy "
                   "steady",
                   ways[g->way]);
}

static void *ga_open(const struct search_setup *setup, struct err *err)
{
    const struct value *sigmas = NULL;
    struct ga given = {.minimize = setup->minimize,
                       .points = setup->points,
                       .population = 16,
                       .offspring = 0.5,
                       .crossover = 0.2,
                       .mutation = 0.8,
                       .gene_crossover = 0.5,
                       .gene_mutation = 0.5,
                       .tournament = 4};
    if (read_options(&given, setup->options, &sigmas, err) ||
        check_points(&given, err) || check_order(&given, setup->order, err) ||
        genes_init(&given.genes, setup->space, sigmas, "ga", err))
        return NULL;
    if (roll_init(&given.roll, setup->space, setup->seed, err)) {
        genes_done(&given.genes);
        return NULL;
    }
    struct ga *g = xmalloc(sizeof(*g));
    *g = given;
    generations_init(&g->generations, (int64_t)g->population,
                     generation_size(g), true);
    g->best = xcalloc((size_t)g->population, sizeof(*g->best));
    g->other = xcalloc(setup->space->count + 1, sizeof(*g->other));
    return g;
}

static void ga_free(void *state)
{
    struct ga *g = state;
    generations_done(&g->generations);
    genes_done(&g->genes);
    roll_done(&g->roll);
    free(g->fitness);
    free(g->best);
    free(g->other);
    free(g);
}

STRATEGY(ga) = {
    .method = {.name = "ga",
               .text = "a genetic algorithm with CANDLE's operators",
               .learns = LEARNS,
               .listing = LIST_BEGINS,
               .widths = "sigma",
               .options = METHOD_OPTIONS(
                   {"strategy", "steady, simple or mu_plus_lambda (steady)"},
                   {"population", "of a generation (16)"},
                   {"offspring", "of mu_plus_lambda, a part of it (0.5)"},
                   {"crossover", "its probability (0.2)"},
                   {"mutation", "its probability (0.8)"},
                   {"gene_crossover", "of each parameter then (0.5)"},
                   {"gene_mutation", "of each parameter then (0.5)"},
                   {"tournament", "of how many the best is taken (4)"},
                   {"sigma", "{parameter: width} of a change (a tenth)"})},
    .open = ga_open,
    .free = ga_free,
    .ask = ga_ask,
    .tell = ga_tell,
    .batches = batches};
