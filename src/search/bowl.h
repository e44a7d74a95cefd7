/* bowl.h - the lowest place of a quadratic through results near the best
 *
 * Inside search only; for tpe and cmaes, and for gp the more trials are out.
 * Points that are drawn at random learn little from few results; a quadratic
 * learns a slope and a bend from each of them. */
#ifndef THRONG_SEARCH_BOWL_H
#define THRONG_SEARCH_BOWL_H

#include "search/axes.h"
#include "search/unit.h"

enum {
    BOWL_BEST = 128,  /* results that are looked at … */
    BOWL_FAILED = 64, /* … and failures */
};

struct bowl {
    const struct history *history;
    struct axes axes;
    uint64_t seed;
    bool only_beside_others; /* while they have no result: version 3 */
    bool learns_noise;       /* how far values are off: version 5 */
    double least_foretold;   /* of how results differ; see bowl_init */
    size_t numbers;          /* axes without choices */
    size_t told;             /* results so far */
    size_t best[BOWL_BEST], best_count; /* rows with a value, the best first */
    size_t failed[BOWL_FAILED], failed_count; /* the newest trial first */
};

/* The history must outlive it. No point comes from a quadratic that foretells
 * results near the best, when it has not seen them, no better than their mean
 * does: less than `least_foretold` (1 is all of how they differ) of it. */
void bowl_init(struct bowl *b, const struct search_setup *setup,
               const struct history *h);
void bowl_done(struct bowl *b);
/* A row of the history has got its mark, loss and constraints. Rows may come
 * in any order. */
void bowl_tell(struct bowl *b, size_t row);
/* Half of the trials, of many fewer: writes a point for trial k, coded, to u.
 * False for the others, and where results are no quadratic; u may then have
 * been written to. out: how many others have no result yet. */
bool bowl_ask(const struct bowl *b, int64_t k, size_t out, double *u);

#endif
