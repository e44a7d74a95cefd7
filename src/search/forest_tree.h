/* forest_tree.h - one extremely randomised regression tree
 *
 * Inside search only; a forest is many of them (Geurts et al., Machine
 * Learning 2006). A row of data has a float for each axis: a number in [0,1]
 * or the number of a choice, and -1 for a parameter that is not active. A
 * number is cut somewhere between the least and the greatest, or where, of
 * many places, two sides differ most; choices, ordered by their means,
 * always so. */
#ifndef THRONG_SEARCH_FOREST_TREE_H
#define THRONG_SEARCH_FOREST_TREE_H

#include "base/rng.h"
#include "search/axes.h"

enum { FOREST_CHOICES = 63 }; /* axes with more are cut like numbers */

struct forest_node {
    uint64_t left_choices; /* of a cut of choices: bit c + 1; bit 0: -1 */
    float cut;             /* of numbers: left if not above it */
    int axis;              /* -1: a leaf */
    uint32_t left;         /* the right one follows it */
    uint32_t count;        /* of rows */
    double mean, variance;
};

struct forest_tree {
    struct forest_node *nodes;
    size_t count, cap;
};

struct forest_data {
    const struct axes *axes;
    const float *x;  /* by row: axes->count numbers each */
    const double *y; /* by row */
    bool best_cut;   /* of numbers: the best of many, not one at random */
    size_t depth;    /* cuts above a leaf, at most; 0: as many as there are */
};

/* Fits the tree to some rows, whose order is changed. A leaf has at least
 * `leaf` rows; five sixths of the axes are tried at each cut. */
void forest_tree_fit(struct forest_tree *t, const struct forest_data *data,
                     uint32_t *rows, size_t count, size_t leaf,
                     struct rng *rng);
void forest_tree_done(struct forest_tree *t);
const struct forest_node *forest_tree_leaf(const struct forest_tree *t,
                                           const float *x);
/* Codes a point for trees. */
void forest_code(const struct axes *axes, const double *u, float *x);
/* Whether a value of the node's axis goes left. */
static inline bool forest_goes_left(const struct forest_node *n, float x)
{
    if (!n->left_choices)
        return x <= n->cut;
    return n->left_choices >> (unsigned)(x + 1) & 1;
}

#endif
