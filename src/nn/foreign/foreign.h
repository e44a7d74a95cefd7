/* foreign.h - weights of other programs, and a model's numbers
 *
 * Inside nn only. `numbers` are all of a model's in the graph's order. */
#ifndef THRONG_NN_FOREIGN_FOREIGN_H
#define THRONG_NN_FOREIGN_FOREIGN_H

#include "nn/foreign/tensors.h"
#include "nn/model.h"

/* keras_weights.c, torch_weights.c: fill in the numbers of a model from a file
 * of that program. */
int keras_take(const struct nn_graph *g, struct tensors *t, double *numbers,
               struct err *err);
int torch_take(const struct nn_graph *g, struct tensors *t, double *numbers,
               struct err *err);

/* ---- torch_layout.c: where a parameter lies in PyTorch ------------------- */

enum torch_turn {
    TORCH_SAME,   /* the same numbers */
    TORCH_DENSE,  /* [outputs, inputs] */
    TORCH_CONV,   /* [outputs, inputs, kernel…] */
    TORCH_DECONV, /* [inputs, outputs, kernel…] */
};
struct torch_place {
    const char *kind, *ours; /* of the layer, of the parameter */
    const char *theirs;      /* behind the module's name */
    enum torch_turn turn;
    int piece, pieces;  /* which part of theirs along its first axis */
    const char *second; /* whose numbers are added to theirs; or NULL */
};
/* NULL: PyTorch has no such parameter. */
const struct torch_place *torch_place_of(const struct nn_graph *g,
                                         const struct nn_param *p);
/* The parameter's name behind its layer's. */
struct str torch_own_suffix(const struct nn_graph *g, const struct nn_param *p);
/* Number i of the parameter is that one of theirs, in its piece. */
int64_t torch_index(const struct nn_param *p, const struct torch_place *place,
                    const int64_t *order, int64_t i);
/* Its shape there, all pieces together. */
struct nn_shape torch_shape(const struct nn_param *p,
                            const struct torch_place *place);

/* PyTorch has channels first, so that what is flattened there lies in another
 * order: number j of the last axis is number order[j] there; NULL: the same.
 * By tensor; in the arena. NULL and err: there is no such order. */
const int64_t *const *torch_orders(const struct nn_graph *g, struct arena *a,
                                   const char *path, struct err *err);
/* The order that a parameter of the layer goes by. */
const int64_t *torch_order_of(const struct nn_graph *g,
                              const int64_t *const *orders, int param);

#endif
