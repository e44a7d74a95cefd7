/* tensors.h - arrays with names, as other programs keep weights
 *
 * Inside nn only. A file is read as a whole; what its arrays mean to a model
 * is said elsewhere (keras_weights.c, torch_weights.c). */
#ifndef THRONG_NN_FOREIGN_TENSORS_H
#define THRONG_NN_FOREIGN_TENSORS_H

#include "base/buf.h"
#include "base/err.h"
#include "base/vec.h"
#include "nn/graph.h"

enum { TENSOR_RANK_MAX = 8 };

struct tensor {
    struct str name;
    int rank;
    int64_t dim[TENSOR_RANK_MAX];
    int64_t count;
    double *numbers;
    bool taken; /* by a model */
};

struct tensors {
    struct arena *arena;
    const char *path; /* for errors */
    VEC(struct tensor) list;
};
void tensors_init(struct tensors *t, const char *path);
void tensors_done(struct tensors *t);
/* Room for one more of this shape, whose numbers the caller fills in; valid
 * until the next. NULL and err: no memory, or no shape. */
struct tensor *tensors_add(struct tensors *t, struct str name, int rank,
                           const int64_t *dim, struct err *err);
void tensor_shape_print(struct buf *b, const struct tensor *t);
/* An error that names both shapes, of which the model wants the other. */
int tensor_misfit(const struct tensors *t, const struct tensor *one,
                  struct str what, const struct nn_shape *wanted,
                  struct err *err);

/* hdf5_file.c: all arrays of numbers of an HDF5 file by their paths in it. */
bool hdf5_is(struct str bytes);
int hdf5_read(struct tensors *t, struct err *err);
/* torch_file.c: what torch.save wrote of a state_dict. */
int torch_read(struct tensors *t, struct str bytes, struct err *err);

#endif
