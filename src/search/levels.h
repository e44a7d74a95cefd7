/* levels.h - a sampler that knows the rungs of early stopping
 *
 * Inside search only. Values of trials that ran for different times cannot be
 * compared, so the strategy hears, of all trials, the value at one level: the
 * highest that enough trials have reached (as BOHB does; Falkner et al., ICML
 * 2018). When that level rises the strategy is opened anew and told again.
 * Trials that ended below it say nothing; those that wait there are pending. */
#ifndef THRONG_SEARCH_LEVELS_H
#define THRONG_SEARCH_LEVELS_H

#include "search/strategy.h"
#include "terms/state.h"

/* A strategy with what opens it. */
struct sampler {
    const struct strategy *strategy;
    const struct search_setup *setup;
    void *state;
};

struct levels;

/* NULL and err when the space cannot be coded. */
struct levels *levels_new(struct sampler *s, struct err *err);
void levels_free(struct levels *l);
/* Suggestion k is out with this point. */
void levels_asked(struct levels *l, int64_t k, const struct value *point);
/* What a result says of constraints goes with whatever its trial has reached:
 * call this first. */
void levels_constraints(struct levels *l, const struct result *r);
/* Suggestion k has reached level `level`, from 1. */
void levels_reached(struct levels *l, int64_t k, size_t level, double value);
/* It has ended for good. */
void levels_ended(struct levels *l, int64_t k, enum state state);
/* A result that is no suggestion. */
void levels_foreign(struct levels *l, const struct result *r);

#endif
