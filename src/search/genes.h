/* genes.h - how points are crossed and changed
 *
 * Inside search only; for ga, nsga2 and pbt. A gene is an axis of the space;
 * points are coded, with a number for every gene (roll_fill). */
#ifndef THRONG_SEARCH_GENES_H
#define THRONG_SEARCH_GENES_H

#include "base/err.h"
#include "search/axes.h"

struct genes {
    struct axes axes;
    double *sigma; /* of each axis, as a part of its range; or in places */
    bool *ordered; /* a category whose choices have neighbours */
};

/* `sigmas` (or NULL) is {parameter: number}: in the parameter's own units
 * for the uniform kinds, in places of the list for a category, which is then
 * taken as ordered, else as a part of the range. A tenth where not said. */
int genes_init(struct genes *g, const struct space *space,
               const struct value *sigmas, const char *method, struct err *err);
void genes_done(struct genes *g);
/* Each gene changes with this probability: numbers by a normal step of
 * sigma, cut at the bounds; ordered categories by such a step of places; others
 * to another choice. */
void genes_mutate(const struct genes *g, struct rng *rng, double chance,
                  double *u);
/* One gene at least changes, else as genes_mutate. */
void genes_mutate_some(const struct genes *g, struct rng *rng, double chance,
                       double *u);
/* Uniform crossover: each gene of a and b is swapped with this probability. */
void genes_cross(const struct genes *g, struct rng *rng, double chance,
                 double *a, double *b);
/* As Deb's NSGA-II does: numbers by simulated binary crossover, categories
 * swapped half of the time; a is one child, b the other. */
void genes_blend(const struct genes *g, struct rng *rng, double *a, double *b);
/* Each gene with this probability: numbers by polynomial mutation, categories
 * to another choice. */
void genes_bend(const struct genes *g, struct rng *rng, double chance,
                double *u);

#endif
