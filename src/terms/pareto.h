/* pareto.h - several objectives at once: what no other point beats
 *
 * Points are rows of `m` numbers, all of which are to be small: who wants a
 * large one turns its sign. A NaN is worse than any number. */
#ifndef THRONG_TERMS_PARETO_H
#define THRONG_TERMS_PARETO_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* a is nowhere worse than b, and somewhere better. */
bool pareto_dominates(const double *a, const double *b, size_t m);
/* The front of each of n points, from 0: those that none dominates (the
 * Pareto set), then those that only points of earlier fronts dominate. Equal
 * points are in the same front. */
void pareto_fronts(const double *points, size_t n, size_t m, uint32_t *fronts);
/* The volume between the points and the reference, which is worse than they
 * are: points that are not better than it everywhere add nothing. Exact;
 * quick for two and three objectives, and for some hundred points of four. */
double pareto_volume(const double *points, size_t n, size_t m,
                     const double *reference);

#endif
