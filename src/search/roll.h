/* roll.h - the points of a search: asked for, told, seen
 *
 * Inside search only. What a strategy that learns from single points needs
 * around its model: each trial has a row with its coded point; a row is added
 * when the trial is asked for, or first told. A point is coded as a store
 * would give it back, so that a resumed search has the same rows. */
#ifndef THRONG_SEARCH_ROLL_H
#define THRONG_SEARCH_ROLL_H

#include "search/unit.h"

struct roll {
    struct unit unit;
    struct history history;
    uint64_t seed;
    double *asked; /* of each row: the point as it was asked for */
    size_t asked_cap;
    size_t pending; /* rows that were not told */
    struct idmap *seen;
    struct arena *scratch;
    double *u, *coded; /* of the point that is being made */
};

int roll_init(struct roll *r, const struct space *space, uint64_t seed,
              struct err *err);
void roll_done(struct roll *r);
/* Puts a result into its trial's row, which is made if there is none. The row
 * if it ended with this, else -1. */
long roll_tell(struct roll *r, const struct result *result, bool minimize);
/* Makes r->u the point of trial k: adds its row and gives its number. */
size_t roll_ask(struct roll *r, int64_t k);
/* The point of a row, as it was asked for. */
struct value *roll_point(const struct roll *r, size_t row, struct arena *a);
/* True when r->u is a point that no row has; it is coded into r->coded. */
bool roll_is_new(struct roll *r);
/* r->u becomes Sobol's point k, or where that was seen a fresh one. */
void roll_sobol(struct roll *r, int64_t k, struct rng *rng);
/* r->u becomes any point that is new: at random, then, where the space is
 * small, by looking at all of it. When everything was seen, an old one. */
void roll_fresh(struct roll *r, struct rng *rng);
/* Parameters that are not active get a value at random, for the case that
 * they become so. */
void roll_fill(const struct roll *r, struct rng *rng, double *u);
/* a before b: by how far constraints are broken, by loss, then by trial; rows
 * without a value last. */
bool roll_better(const struct roll *r, size_t a, size_t b);

#endif
