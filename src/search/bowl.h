/* bowl.h - the lowest place of a quadratic through results near the best
 *
 * Inside search only; for tpe and cmaes while trials are out, and for gp while
 * many are. Points that are drawn at random learn little from few results; a
 * quadratic learns a slope and a bend from each of them, so that being told
 * late costs it less. */
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
    size_t numbers;                     /* axes without choices */
    size_t best[BOWL_BEST], best_count; /* rows with a value, the best first */
    size_t failed[BOWL_FAILED], failed_count; /* the newest trial first */
};

/* The history must outlive it. */
void bowl_init(struct bowl *b, const struct space *space, uint64_t seed,
               const struct history *h);
void bowl_done(struct bowl *b);
/* A row of the history has got its mark, loss and constraints. Rows may come
 * in any order. */
void bowl_tell(struct bowl *b, size_t row);
/* While others are out, half of the trials: writes a point for trial k, coded,
 * to u. False for the other half, with none out, and where results do not make
 * a quadratic; u may then have been written to. */
bool bowl_ask(const struct bowl *b, int64_t k, size_t out, double *u);

#endif
