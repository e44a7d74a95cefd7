/* nsga2.c - NSGA-II for several objectives (Deb et al., IEEE Transactions on
 * Evolutionary Computation 2002)
 *
 * Generations follow each other as in generations.h, and nobody waits: the
 * parents of a point are the best of the newest population and of what has
 * ended since. A population is kept in the order of front, then crowding, so
 * that of two rows the earlier one is the better.
 *
 * A result that breaks constraints is worse than any that does not; of two
 * such the one that breaks them less is better. What ended without all of its
 * values is in no population. */
#include "search/strategy.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "search/generations.h"
#include "search/genes.h"
#include "search/options.h"
#include "search/roll.h"

enum {
    NEW_TRIES = 16,
    REFRESHED = 24 /* so often in a generation parents are chosen anew */
};

struct nsga2 {
    struct roll roll;
    struct genes genes;
    size_t width; /* objectives */
    bool *minimize;
    double population, crossover, mutation;
    struct generations generations;
    struct population parents; /* as of the last point … */
    struct population since;   /* … made of the newest population and these */
    size_t closed;             /* generations, when they were chosen */
    bool stale;                /* populations have changed since */
    double *losses;            /* by row: low is good */
    double *broken;            /* by row: how far constraints are, in all */
    size_t cap;
    double *other;
};

/* ---- order ------------------------------------------------------------ */

static const double *losses_of(const struct nsga2 *n, size_t row)
{
    return n->losses + row * n->width;
}

static bool dominates(const struct nsga2 *n, size_t a, size_t b)
{
    const double *x = losses_of(n, a), *y = losses_of(n, b);
    bool better = false;
    if (n->broken[a] != n->broken[b])
        return n->broken[a] < n->broken[b];
    for (size_t i = 0; i < n->width; i++) {
        if (x[i] > y[i])
            return false;
        better |= x[i] < y[i];
    }
    return better;
}

/* A row of the union that is being sorted. */
struct rival {
    size_t row, front, worse_than;
    double crowding, key;
    int64_t trial;
};

static int by_key(const void *a, const void *b)
{
    const struct rival *x = a, *y = b;
    if (x->key != y->key)
        return x->key < y->key ? -1 : 1;
    return x->trial < y->trial ? -1 : x->trial > y->trial;
}

static int by_front(const void *a, const void *b)
{
    const struct rival *x = a, *y = b;
    if (x->front != y->front)
        return x->front < y->front ? -1 : 1;
    if (x->crowding != y->crowding)
        return x->crowding > y->crowding ? -1 : 1;
    return x->trial < y->trial ? -1 : x->trial > y->trial;
}

/* Fronts of the rivals, by taking those away that nobody dominates. */
static void set_fronts(const struct nsga2 *n, struct rival *rivals,
                       size_t count)
{
    size_t left = count;
    for (size_t i = 0; i < count; i++)
        for (size_t j = 0; j < i; j++) {
            if (dominates(n, rivals[j].row, rivals[i].row))
                rivals[i].worse_than++;
            else
                rivals[j].worse_than +=
                    dominates(n, rivals[i].row, rivals[j].row);
        }
    for (size_t front = 1; left; front++) {
        for (size_t i = 0; i < count; i++)
            if (!rivals[i].front && !rivals[i].worse_than)
                rivals[i].front = front;
        for (size_t i = 0; i < count; i++) {
            if (rivals[i].front != front)
                continue;
            left--;
            for (size_t j = 0; j < count; j++)
                if (!rivals[j].front)
                    rivals[j].worse_than -=
                        dominates(n, rivals[i].row, rivals[j].row);
        }
    }
}

/* How far the neighbours of each are, objective by objective, in one front.
 * The order of the rivals changes. */
static void set_crowding(const struct nsga2 *n, struct rival *front,
                         size_t count)
{
    for (size_t m = 0; m < n->width; m++) {
        for (size_t i = 0; i < count; i++)
            front[i].key = losses_of(n, front[i].row)[m];
        qsort(front, count, sizeof(*front), by_key);
        double range = front[count - 1].key - front[0].key;
        front[0].crowding = front[count - 1].crowding = INFINITY;
        for (size_t i = 1; i + 1 < count && range > 0; i++)
            front[i].crowding += (front[i + 1].key - front[i - 1].key) / range;
    }
}

static void sort_rivals(const struct nsga2 *n, struct rival *rivals,
                        size_t count)
{
    set_fronts(n, rivals, count);
    qsort(rivals, count, sizeof(*rivals), by_front);
    for (size_t from = 0, to; from < count; from = to) {
        to = from;
        while (to < count && rivals[to].front == rivals[from].front)
            to++;
        set_crowding(n, rivals + from, to - from);
    }
    qsort(rivals, count, sizeof(*rivals), by_front);
}

static void close_generation(void *context, size_t number,
                             const struct population *before,
                             const struct population *fresh,
                             struct population *after)
{
    struct nsga2 *n = context;
    const struct history *h = &n->roll.history;
    size_t count = 0, most = (size_t)n->population;
    struct rival *rivals =
        xcalloc(before->count + fresh->count + 1, sizeof(*rivals));
    (void)number;
    for (size_t i = 0; i < before->count + fresh->count; i++) {
        size_t row = i < before->count ? before->rows[i]
                                       : fresh->rows[i - before->count];
        if (h->marks[row] != MARK_VALUE)
            continue;
        rivals[count].row = row;
        rivals[count++].trial = h->trials[row];
    }
    if (count)
        sort_rivals(n, rivals, count);
    for (size_t i = 0; i < count && i < most; i++)
        after->rows[after->count++] = rivals[i].row;
    free(rivals);
}

/* ---- asking ----------------------------------------------------------- */

static void take_parent(const struct nsga2 *n, const struct population *p,
                        struct rng *rng, double *u)
{
    size_t a = rng_below(rng, p->count), b = rng_below(rng, p->count);
    history_get(&n->roll.history, p->rows[a < b ? a : b], u);
    roll_fill(&n->roll, rng, u);
}

static void breed(struct nsga2 *n, const struct population *p, struct rng *rng)
{
    size_t genes = n->genes.axes.count;
    double chance =
        n->mutation > 0 ? n->mutation : 1 / (double)(genes + !genes);
    take_parent(n, p, rng, n->roll.u);
    take_parent(n, p, rng, n->other);
    if (rng_uniform(rng) < n->crossover)
        genes_blend(&n->genes, rng, n->roll.u, n->other);
    genes_bend(&n->genes, rng, chance, n->roll.u);
    for (int i = 0; i < NEW_TRIES; i++) {
        if (roll_is_new(&n->roll))
            return;
        genes_mutate_some(&n->genes, rng, chance, n->roll.u);
    }
    roll_fresh(&n->roll, rng);
}

static bool same_rows(const struct population *a, const struct population *b)
{
    if (a->count != b->count)
        return false;
    return a->count == 0 ||
           memcmp(a->rows, b->rows, a->count * sizeof(*a->rows)) == 0;
}

/* Makes n->parents those of the next point; none while there are too few
 * results for a population. A large population is not sorted again for each
 * result. */
static void choose_parents(struct nsga2 *n)
{
    const struct history *h = &n->roll.history;
    generations_advance(&n->generations, h, close_generation, n);
    struct population now = generations_now(&n->generations);
    struct population since = generations_since(&n->generations, h);
    since.count -= since.count % (1 + (size_t)n->population / (REFRESHED + 1));
    if (!n->stale && n->closed == n->generations.closed &&
        same_rows(&n->since, &since)) {
        free(since.rows);
        return;
    }
    free(n->since.rows);
    n->since = since;
    n->stale = false;
    n->closed = n->generations.closed;
    n->parents.count = 0;
    n->parents.rows = xrealloc(n->parents.rows, (now.count + since.count + 1) *
                                                    sizeof(*n->parents.rows));
    close_generation(n, 0, &now, &since, &n->parents);
    /* As many results from elsewhere are as good as a first generation. */
    if (!n->closed && n->parents.count < (size_t)n->population)
        n->parents.count = 0;
}

static enum search_answer nsga2_ask(void *state, int64_t k, struct arena *a,
                                    struct suggestion *out, struct err *err)
{
    struct nsga2 *n = state;
    long row = history_find(&n->roll.history, k);
    (void)err;
    if (row < 0) {
        struct rng rng;
        rng_init(&rng, n->roll.seed, (uint64_t)k, "nsga2");
        choose_parents(n);
        if (n->parents.count)
            breed(n, &n->parents, &rng);
        else
            roll_sobol(&n->roll, k, &rng);
        row = (long)roll_ask(&n->roll, k);
    }
    out->point = roll_point(&n->roll, (size_t)row, a);
    return SEARCH_HERE;
}

/* ---- telling ---------------------------------------------------------- */

static double objective_at(const struct result *r, size_t i)
{
    if (!r->values)
        return i ? NAN : r->value;
    return i < r->value_count ? r->values[i] : NAN;
}

/* Keeps the values of a row; false when one is missing. */
static bool keep(struct nsga2 *n, size_t row, const struct result *r)
{
    bool whole = true;
    if (n->cap < n->roll.history.cap) {
        n->cap = n->roll.history.cap;
        n->losses = xrealloc(n->losses, n->cap * n->width * sizeof(*n->losses));
        n->broken = xrealloc(n->broken, n->cap * sizeof(*n->broken));
    }
    for (size_t i = 0; i < n->width; i++) {
        double x = objective_at(r, i);
        n->losses[row * n->width + i] = n->minimize[i] ? x : -x;
        whole &= isfinite(x);
    }
    n->broken[row] = 0;
    for (size_t i = 0; i < r->constraint_count && r->constraints; i++)
        if (!(r->constraints[i] <= 0))
            n->broken[row] +=
                isnan(r->constraints[i]) ? INFINITY : r->constraints[i];
    return whole;
}

/* `value` may be missing where there are several: they are what counts. */
static void nsga2_tell(void *state, const struct result *r)
{
    struct nsga2 *n = state;
    struct result as_one = *r;
    as_one.value = objective_at(r, 0);
    long row = roll_tell(&n->roll, &as_one, n->minimize[0]);
    if (row < 0)
        return;
    unsigned char *mark = &n->roll.history.marks[row];
    if (!keep(n, (size_t)row, r) && *mark == MARK_VALUE)
        *mark = MARK_BAD;
    /* A late result changes populations that were made without it. */
    if (r->trial < 1 ||
        generations_of(&n->generations, r->trial) < n->generations.closed)
        n->stale = true;
    generations_end(&n->generations, &n->roll.history, (size_t)row);
}

/* ---- life ------------------------------------------------------------- */

static int read_options(struct nsga2 *n, const struct value *said,
                        struct err *err)
{
    const struct option table[] = {{"population", true, 4, 1e5, &n->population},
                                   {"crossover", false, 0, 1, &n->crossover},
                                   {"mutation", false, 0, 1, &n->mutation}};
    return options_read(said, "nsga2", table, sizeof(table) / sizeof(*table),
                        err);
}

static void *nsga2_open(const struct search_setup *setup, struct err *err)
{
    struct nsga2 given = {.population = 24, .crossover = 0.9};
    if (read_options(&given, setup->options, err) ||
        roll_init(&given.roll, setup->space, setup->seed, err))
        return NULL;
    if (genes_init(&given.genes, setup->space, NULL, "nsga2", err)) {
        roll_done(&given.roll);
        return NULL;
    }
    struct nsga2 *n = xmalloc(sizeof(*n));
    *n = given;
    n->width = setup->objective_count ? setup->objective_count : 1;
    n->minimize = xcalloc(n->width, sizeof(*n->minimize));
    for (size_t i = 0; i < n->width; i++)
        n->minimize[i] =
            setup->objective_count ? setup->minimize_each[i] : setup->minimize;
    n->other = xcalloc(setup->space->count + 1, sizeof(*n->other));
    generations_init(&n->generations, (int64_t)n->population,
                     (int64_t)n->population, false);
    return n;
}

static void nsga2_free(void *state)
{
    struct nsga2 *n = state;
    generations_done(&n->generations);
    free(n->parents.rows);
    free(n->since.rows);
    genes_done(&n->genes);
    roll_done(&n->roll);
    free(n->minimize);
    free(n->losses);
    free(n->broken);
    free(n->other);
    free(n);
}

static bool batches(const void *state, int64_t *first, int64_t *size)
{
    const struct nsga2 *n = state;
    *first = *size = (int64_t)n->population;
    return true;
}

STRATEGY(nsga2) = {
    .method =
        {.name = "nsga2",
         .text =
             "several metrics: the points that no other beats in all of them",
         .learns = LEARNS,
         .objectives = true,
         .options = METHOD_OPTIONS({"population", "of a generation (24)"},
                                   {"crossover", "its probability (0.9)"},
                                   {"mutation",
                                    "of each parameter (one in d)"})},
    .open = nsga2_open,
    .free = nsga2_free,
    .ask = nsga2_ask,
    .tell = nsga2_tell,
    .batches = batches};
