/* strategy.h - what one strategy is made of
 *
 * Inside search only: one file per strategy, one const struct of functions and
 * facts, one row in the list below. A strategy counts points from 1 and knows
 * nothing of run_cap and repeat: search.c cuts and repeats, and tells each
 * point once. */
#ifndef THRONG_SEARCH_STRATEGY_H
#define THRONG_SEARCH_STRATEGY_H

#include "search/search.h"

struct strategy {
    struct method method;
    /* The strategy's own state (never NULL when it worked). */
    void *(*open)(const struct search_setup *setup, struct err *err);
    void (*free)(void *state);
    /* Points in all; -1, or no function: there is no end. */
    int64_t (*total)(const void *state);
    /* Point k, from 1; out is cleared before (no parent, no budget). */
    enum search_answer (*ask)(void *state, int64_t k, struct arena *a,
                              struct suggestion *out, struct err *err);
    /* NULL: the strategy does not look at results. result->trial is the
     * point's number, or below 0: foreign, see suggestion.h. */
    void (*tell)(void *state, const struct result *r);
    /* True: of trials that early stopping ends at different levels it wants
     * to hear what they had at the same one, see levels.h. */
    bool rungs;
    /* NULL: it makes its points itself. Else the one that does so first, which
     * decides `rungs`. */
    const struct strategy *(*first)(const void *state);
    /* True: of a trial of an earlier run it hears the last state alone. */
    bool told_once;
    /* True: it says how far each trial goes, which promotion would too. */
    bool budgets;
    /* NULL: it takes no paused trial up again. See search_outside. */
    enum search_answer (*promote)(void *state, int64_t next,
                                  struct suggestion *out);
    /* NULL: every trial goes on. */
    enum decision (*report)(void *state, int64_t k, int64_t step, double value);
    /* NULL: the method's name says it all. See search_why. */
    const char *(*why)(const void *state);
    /* NULL: it makes no generations. See search_batches. */
    bool (*batches)(const void *state, int64_t *first, int64_t *size);
    /* NULL: the strategy has no model of values. See search_mean. */
    int (*mean)(void *state, int64_t k, double *mean);
};

/* Every strategy has a row here, in the order in which help lists them, and
 * is defined by STRATEGY(name) = {…}, which does not compile without it. */
/* clang-format off */
#define STRATEGIES(row) \
    row(auto) \
    row(grid) \
    row(random) \
    row(points) \
    row(sobol) \
    row(lhs) \
    row(ablate) \
    row(tpe) \
    row(gp) \
    row(bayes) \
    row(forest) \
    row(cmaes) \
    row(ga) \
    row(nsga2) \
    row(pbt) \
    row(hyperspace) \
    row(external)
/* clang-format on */

#define STRATEGY_ROW(name) STRATEGY_ROW_##name,
enum { STRATEGIES(STRATEGY_ROW) STRATEGY_COUNT };
#define STRATEGY(name)                                                         \
    _Static_assert(STRATEGY_ROW_##name < STRATEGY_COUNT, "");                  \
    const struct strategy strategy_##name
#define STRATEGY_EXTERN(name) extern const struct strategy strategy_##name;
STRATEGIES(STRATEGY_EXTERN)

static inline int64_t strategy_total(const struct strategy *s,
                                     const void *state)
{
    return s->total ? s->total(state) : -1;
}
/* The strategy of the table that has this name, or NULL. */
const struct strategy *strategy_find(const char *name);
/* As search_open, of a strategy that is not in the table (tests). */
struct search *search_open_strategy(const struct strategy *strategy,
                                    const struct search_setup *setup,
                                    struct err *err);

#endif
