/* program.h - a graph made ready to run
 *
 * Inside nn only. The operations, with activations and dropout taken into the
 * layer before where that is possible, and the memory of one frame. All
 * members of a cohort run in the same frame, one after another. */
#ifndef THRONG_NN_PROGRAM_H
#define THRONG_NN_PROGRAM_H

#include "nn/kernels.h"

struct nn_program {
    const struct nn_kernels *kernels;
    const struct nn_graph *graph;
    struct nn_op *ops;
    struct nn_back *backs; /* by operation */
    bool *live;            /* by operation: a gradient comes back to it */
    bool *needed;          /* by operation: some loss is computed from it */
    bool *drawn;           /* by operation: it draws, or is behind one that does
                              while predicting */
    size_t op_count;
    bool *sloped;        /* by parameter: backward makes its gradient */
    bool *descends;      /* by parameter: backward may change it by itself */
    unsigned *head_adds; /* by head: NN_ADD_FIRST, NN_ADD_SECOND */
    void **value, **slope, **kept;
    void **owned; /* buffers that are ours to free */
    size_t owned_count;
    void *scratch;
    void *weight_slopes;
    size_t batch;   /* rows that fit */
    uint64_t bytes; /* of all buffers */
    bool counting;  /* nothing is allocated, only counted */
    bool forward;   /* it only predicts: there are no gradients */
    int apart;      /* of such: nothing is taken into the operation that reads
                       this tensor; -1: of all it may be */
};

/* Makes memory for batches of up to `batch` rows. */
int nn_program_open(struct nn_program *p, const struct nn_kernels *kernels,
                    const struct nn_graph *graph, size_t batch,
                    struct err *err);
/* The same for predictions alone. What is not drawn is apart from what is; to
 * the operation that reads the tensor `apart` (-1: none) nothing is added, so
 * that others can compute it. */
int nn_program_open_forward(struct nn_program *p,
                            const struct nn_kernels *kernels,
                            const struct nn_graph *graph, size_t batch,
                            int apart, struct err *err);
void nn_program_close(struct nn_program *p);
/* The same without the memory, for who has its own: what is not NULL in value,
 * slope and kept is wanted, and nobody may look there. */
void nn_program_plan(struct nn_program *p, const struct nn_kernels *kernels,
                     const struct nn_graph *graph, size_t batch);
/* The memory that nn_program_open would take. */
uint64_t nn_program_bytes(const struct nn_kernels *kernels,
                          const struct nn_graph *graph, size_t batch);

/* The frame of one member; the caller sets batch, training and key. */
struct nn_frame nn_program_frame(const struct nn_program *p, void *weights,
                                 const double *soft);
/* While training, what only predictions need is left out: the softmax behind
 * the logits of a cross-entropy. */
void nn_program_forward(const struct nn_program *p, const struct nn_frame *f);
/* Of a program that only predicts: what is drawn, or what is not, but for the
 * operation that reads the tensor `but` (-1: all). */
void nn_program_predict(const struct nn_program *p, const struct nn_frame *f,
                        bool drawn, int but);
/* After the heads' losses have written their gradients. */
void nn_program_backward(const struct nn_program *p, const struct nn_frame *f);

#endif
