/* arms.h - combinations of choices, and which of them is due
 *
 * Inside search only. A point of a space with choices is in one arm: the
 * choices that it makes, all of them together. */
#ifndef THRONG_SEARCH_ARMS_H
#define THRONG_SEARCH_ARMS_H

#include <stdbool.h>
#include <stddef.h>

struct arms;

struct arms *arms_new(size_t axes, const bool *unordered);
void arms_free(struct arms *a);
/* The arm of a point, by its number; one that was not there has no tries. */
size_t arms_find(struct arms *a, const double *x);
/* Counts a point of an arm, and what is believed of it (low is good;
 * INFINITY: nothing yet). */
void arms_note(struct arms *a, const double *x, double mean);
/* The arm that has been tried least for how good it is, but not `besides`;
 * `besides` when there is no other. */
size_t arms_due(const struct arms *a, size_t besides);
/* A point of the arm (only its choices count), and the best mean there. */
const double *arms_point(const struct arms *a, size_t arm);
double arms_best(const struct arms *a, size_t arm);

#endif
