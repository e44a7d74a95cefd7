/* kernels.h - where tensors of the stepwise runner live, what computes on them
 *
 * Inside nn only. Nothing above the kernels touches the memory of a tensor: it
 * asks for buffers, puts numbers in, runs kernels, takes numbers out.
 * `reference` is plain code in double precision: the truth that every other
 * device must match. `portable` is the same code in single precision, bit-equal
 * on every kind of CPU; `cpu` replaces its costly kernels by fast ones.
 *
 * A kernel works on one frame: one batch of one member of a cohort. */
#ifndef THRONG_NN_KERNELS_H
#define THRONG_NN_KERNELS_H

#include "nn/device.h"

/* One step of one member. Buffers are of the device, numbers of its `real`
 * size, rows one after another. */
struct nn_frame {
    const struct nn_graph *graph;
    size_t batch; /* rows in use */
    bool training;
    /* Not 0: the optimizer's step is w -= descent × gradient and nobody else
     * looks at gradients; kernels that descend do so in backward. */
    double descent;
    uint64_t key; /* of this step's random numbers */
    /* By row, instead of it: what is drawn for a row is its own. NULL: what is
     * drawn hangs on its place in the batch. */
    const uint64_t *row_keys;
    void *const *value;  /* by tensor */
    void *const *slope;  /* by tensor; NULL: nobody asks for its gradient */
    void *weights;       /* all of the member's parameters */
    void *weight_slopes; /* the same layout; trained ones only */
    const double *soft;  /* the member's soft numbers */
    void *const *kept;   /* by operation: from forward to backward */
    void *scratch;       /* contents lost between kernels */
};

/* In a backward kernel, whether the gradient of an input is already begun by
 * a later operation (add to it) or not (write it). By op->in. */
struct nn_back {
    bool add[NN_INPUTS_MAX];
};

struct nn_kernel {
    /* Bytes that forward keeps for backward, and bytes of scratch, for
     * `batch` rows. NULL: none. */
    size_t (*kept)(const struct nn_op *op, const struct nn_graph *g,
                   size_t batch);
    size_t (*scratch)(const struct nn_op *op, const struct nn_graph *g,
                      size_t batch);
    void (*forward)(const struct nn_op *op, const struct nn_frame *f);
    void (*backward)(const struct nn_op *op, const struct nn_frame *f,
                     const struct nn_back *back);
    /* With a frame's descent, backward changes param[0] by itself. */
    bool descends;
};

/* Labels of one batch: numbers of the device's real size, or category
 * numbers, one row after another; weights of rows may be NULL. */
struct nn_labels {
    const void *values;
    const int32_t *categories;
    const float *row_weights;
};

/* Which gradients of a head are already begun by another head. */
enum { NN_ADD_FIRST = 1, NN_ADD_SECOND = 2 };

struct nn_kernels {
    size_t real_bytes;           /* bytes of a number */
    const struct nn_kernel *ops; /* by enum nn_op_kind */

    void *(*alloc)(size_t bytes, struct err *err); /* zeroed, 64-aligned */
    void (*free)(void *buffer);
    void (*put)(void *to, size_t offset, const double *from, size_t count);
    void (*take)(double *to, const void *from, size_t offset, size_t count);
    void (*copy)(void *to, size_t to_offset, const void *from,
                 size_t from_offset, size_t count);
    /* Which rows come at `count` places of an epoch, from place `from` on. */
    void (*order)(uint32_t *rows, const struct nn_order *o, size_t from,
                  size_t count);
    /* Rows of a table of floats into a tensor whose rows are `width` numbers,
     * from its column `at` on: (x - shift) * scale by column where those are
     * given. */
    void (*gather)(void *to, size_t at, size_t width, const float *table,
                   size_t columns, const uint32_t *rows, size_t count,
                   const float *shift, const float *scale);
    /* The same of a table of category or token numbers. */
    void (*gather_integers)(void *to, const int32_t *table, size_t columns,
                            const uint32_t *rows, size_t count);
    /* Rows of several tables added up: row i of `to` is the bias (NULL: 0) and
     * row rows[t][i] of each table. */
    void (*add_up)(void *to, size_t width, const void *bias,
                   const void *const *tables, const uint32_t *const *rows,
                   size_t table_count, size_t count);

    /* Adds the batch's loss (a mean over rows, times the head's weight) to
     * *total and writes, when training, the gradient of its logits (adds to
     * it, when add has NN_ADD_FIRST) and of its second tensor. */
    void (*loss)(const struct nn_head *h, const struct nn_frame *f,
                 const struct nn_labels *labels, unsigned add, double *total);
    /* Gradient of the regularizers; their loss is added to *total. */
    void (*regularize)(const struct nn_graph *g, const struct nn_frame *f,
                       double *total);
    /* Clips: each number, then the norm of all. 0: not. */
    void (*clip)(void *slopes, size_t count, double value, double norm);
    /* One step of the optimizer on `count` numbers; state has
     * nn_optimizer_slots(kind) × count numbers. */
    void (*update)(enum nn_optimizer_kind kind, void *weights, void *slopes,
                   void *state, size_t count, const struct nn_rates *rates);
    /* Zero where the mask is. */
    void (*mask)(void *numbers, const void *mask, size_t count);
    /* None of them is infinite or not a number. */
    bool (*finite)(const void *numbers, size_t offset, size_t count);
};

/* NULL: this CPU cannot run them. */
const struct nn_kernels *nn_kernels_reference(void); /* double, plain */
const struct nn_kernels *nn_kernels_portable(void);  /* float, plain */
const struct nn_kernels *nn_kernels_avx2(void);      /* float, fast */
const struct nn_kernels *nn_kernels_avx512(void);

#endif
