/* rank.h - which trial is better
 *
 * One order for whoever asks for the best: `rank`, `best:N`, `keep`, on_best,
 * `ask`. What breaks no bound comes before what does, the least broken of
 * those first; then by Pareto fronts, by the first objective, by number. */
#ifndef THRONG_TERMS_RANK_H
#define THRONG_TERMS_RANK_H

#include "terms/goal.h"

struct contender {
    int64_t id;
    double broken;  /* goal_broken: how far bounds are, in all; 0: none is */
    uint32_t front; /* 0: in the Pareto set; of those that keep the bounds */
};

/* The values of one trial as numbers that are all to be small. */
void rank_small(const struct goal *g, const double *values, double *small);
/* Fills in the fronts; `values` has one number of each contender for every
 * objective, of which there is at least one. */
void rank_fronts(const struct goal *g, struct contender *list,
                 const double *values, size_t count);
/* Places in a list that has its fronts, best first; yours to free. */
size_t *rank_order(const struct goal *g, const struct contender *list,
                   const double *values, size_t count);

#endif
