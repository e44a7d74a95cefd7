/* cma.h - a search distribution that learns from ranked points
 *
 * Inside search only. A normal distribution over the numeric coordinates
 * (active CMA-ES, Hansen, arXiv 1604.00772) and, beside it, a probability for
 * each choice of each categorical coordinate, moved by the same ranks. All of
 * it is plain data in one block, so that a copy is a snapshot. */
#ifndef THRONG_SEARCH_CMA_H
#define THRONG_SEARCH_CMA_H

#include <stdbool.h>
#include <stddef.h>
#include "base/rng.h"

/* What does not change during a search. */
struct cma_shape {
    size_t numbers;        /* numeric coordinates */
    size_t groups;         /* categorical coordinates */
    const size_t *choices; /* of each group */
    const size_t *offsets; /* of each group in the probabilities */
    const double *shares;  /* the space's own probabilities */
    size_t choice_count;   /* of all groups */
    bool separable;        /* only variances are learnt */
};

struct cma {
    const struct cma_shape *shape;
    size_t bytes; /* of the block behind the pointers */
    double sigma;
    size_t generation, eigen_at; /* when C was last decomposed */
    double *mean, *path_sigma, *path_c;
    double *floor; /* the least deviation at which a coordinate is drawn */
    double *scale; /* square roots of C's eigenvalues */
    double *basis; /* eigenvectors; none when separable */
    double *c;     /* the matrix, or its diagonal */
    double *probabilities;
};

/* One drawn or told point: numbers, then the choice of each group. */
struct cma_point {
    double *x;
    size_t *choice;
};

struct cma *cma_new(const struct cma_shape *shape);
void cma_free(struct cma *c);
void cma_copy(struct cma *to, const struct cma *from);
/* At the start: mean as given, C = 1, the space's own probabilities. */
void cma_reset(struct cma *c, const double *mean, double sigma);
/* A point in the unit cube: drawn again while it is outside, then cut. */
void cma_draw(const struct cma *c, struct rng *rng, struct cma_point *out);
/* As cma_draw, where the numbers in out->x are what that gave, up to `room`
 * each. Were they not, out becomes some other point: draws that cannot lead
 * there are passed over, which is cheaper. */
void cma_draw_again(const struct cma *c, struct rng *rng, double room,
                    struct cma_point *out);
/* `points` are from good to bad; `foreign` says which of them were not drawn
 * from this very distribution: they are cut to a plausible length. */
void cma_update(struct cma *c, const struct cma_point *points,
                const bool *foreign, size_t count);
/* The widest and the narrowest deviation of the distribution. */
void cma_extent(const struct cma *c, double *widest, double *narrowest);

#endif
