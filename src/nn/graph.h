/* graph.h - a model as the trainer sees it: tensors, parameters, operations
 *
 * Inside nn only. Layers of a model file are lowered to operations in an
 * order in which each one's inputs come first. A tensor is what one row of a
 * batch has there; the batch is its first axis and no part of its shape.
 *
 * Numbers that may differ between the members of a cohort (learning rate,
 * dropout, weight decay, …) are not in the graph: it holds their index into
 * the member's list of soft numbers. Two models with equal graphs, whatever
 * their soft numbers, can be trained together. */
#ifndef THRONG_NN_GRAPH_H
#define THRONG_NN_GRAPH_H

#include <stdbool.h>
#include <stdint.h>
#include "base/str.h"
#include "base/vec.h"
#include "nn/kinds.h"

enum { NN_RANK_MAX = 4, NN_INPUTS_MAX = 16, NN_OP_PARAMS_MAX = 6 };

/* Channels come last: [C], [T, C], [H, W, C]. */
struct nn_shape {
    int rank;
    int64_t dim[NN_RANK_MAX];
};

/* An index into a member's soft numbers; -1: not said. */
struct nn_soft {
    int index;
};

struct nn_tensor {
    struct nn_shape shape;
    int op;        /* that makes it; -1: an input of the model */
    int lengths;   /* tensor with how many steps of each row count; -1: all */
    bool integers; /* category numbers, token numbers: never has a gradient */
};

enum nn_init_kind {
    NN_INIT_ZEROS,
    NN_INIT_ONES,
    NN_INIT_CONSTANT,
    NN_INIT_UNIFORM,
    NN_INIT_NORMAL,
    NN_INIT_TRUNCATED_NORMAL,
    NN_INIT_GLOROT_UNIFORM,
    NN_INIT_GLOROT_NORMAL,
    NN_INIT_HE_UNIFORM,
    NN_INIT_HE_NORMAL,
    NN_INIT_LECUN_UNIFORM,
    NN_INIT_LECUN_NORMAL,
    NN_INIT_ORTHOGONAL,
    NN_INIT_IDENTITY,
    NN_INIT_VARIANCE_SCALING,
    NN_INIT_COUNT,
};
/* What a variance is divided by, and how numbers of that variance are drawn. */
enum nn_fan { NN_FAN_IN, NN_FAN_OUT, NN_FAN_MEAN };
enum nn_drawn { NN_DRAWN_TRUNCATED, NN_DRAWN_NORMAL, NN_DRAWN_UNIFORM };

struct nn_init {
    enum nn_init_kind kind;
    double a, b; /* constant: a; uniform: from a to b; normal: mean, spread;
                    variance_scaling: scale, and the next two */
    enum nn_fan fan;
    enum nn_drawn drawn;
};

struct nn_param {
    struct str name; /* "dense_1.weight" */
    struct nn_shape shape;
    int64_t count;
    int64_t offset; /* in a member's weights */
    int64_t fan_in, fan_out;
    struct nn_init init;
    int64_t ones_at, ones; /* so many numbers begin at 1, whatever init says:
                              the forget gates of an LSTM */
    struct nn_soft l1, l2;
    bool trained; /* false: running means of batch norm */
    int layer;
};

/* Every kind of operation. Each has a row of kernels (plain.inc), without
 * which nothing compiles, and may have one of facts (ops.c). */
#define NN_OPS(X)                                                              \
    X(DENSE)      /* weight [in][out], bias [out] */                           \
    X(CONV)       /* weight [kh][kw][in/groups][out], bias [out] */            \
    X(DECONV)     /* transposed; weight [kh][kw][in][out], bias */             \
    X(POOL)       /* max or average over windows */                            \
    X(POOL_ALL)   /* max or average over everything but channels */            \
    X(BATCH_NORM) /* gamma, beta, mean, variance */                            \
    X(LAYER_NORM) /* gamma, beta; over the last axis */                        \
    X(ACTIVATION)                                                              \
    X(DROPOUT)                                                                 \
    X(EMBEDDING) /* table [vocabulary][out] */                                 \
    X(LSTM)      /* input [in][4h], recurrent [h][4h], bias [4h]: ifgo */      \
    X(GRU)       /* input [in][3h], recurrent [h][3h], bias [3h] twice: rzn,   \
                    reset after the product */                                 \
    X(ATTENTION) /* query, key, value; projections are dense ops */            \
    X(SAMPLE)    /* mean, log variance -> mean + e^(lv/2) * normal */          \
    X(ADD)                                                                     \
    X(MULTIPLY)                                                                \
    X(CONCAT) /* over the last axis */                                         \
    X(RESHAPE)                                                                 \
    X(UPSAMPLE) /* nearest */

#define NN_OP_KIND(kind) NN_OP_##kind,
enum nn_op_kind { NN_OPS(NN_OP_KIND) NN_OP_COUNT };

/* Rows, then columns. A sequence [T, C] is an image of one row: T columns. */
struct nn_window {
    int64_t kernel[2], stride[2], dilation[2];
    int64_t before[2], after[2]; /* padding: rows, columns */
    int64_t groups;
};

/* What an operation is: type, name, dimensions, and the numbers that it is
 * made of. All of it goes into the key of a cohort (key.c). Which of the fields
 * count depends on the kind. */
#define NN_OP_FIELDS(X)                                                        \
    X(enum nn_op_kind, kind, , enum nn_op_kind)                                \
    X(int, in, [NN_INPUTS_MAX], int)                                           \
    X(int, in_count, , int)                                                    \
    X(int, out, , int)                                                         \
    X(int, param, [NN_OP_PARAMS_MAX], int) /* -1: none (no bias) */            \
    X(int, draw, , int) /* numbers the operations that draw random numbers;    \
                           -1 */                                               \
    /* Of ACTIVATION; DENSE and CONV: applied to their own output, NN_LINEAR:  \
     * none. Its number is a. */                                               \
    X(enum nn_activation, activation, , enum nn_activation)                    \
    X(double, a, , double)                                                     \
    X(struct nn_soft, rate, , int) /* DROPOUT; DENSE: last, -1: none */        \
    X(bool, permanent, , bool)     /* DROPOUT: also when not training */       \
    X(struct nn_window, window, , int64_t) /* CONV, DECONV, POOL; UPSAMPLE:    \
                                              stride */                        \
    X(bool, average, , bool)     /* POOL, POOL_ALL; else the maximum */        \
    X(double, epsilon, , double) /* BATCH_NORM, LAYER_NORM */                  \
    X(double, momentum, , double)                                              \
    X(int64_t, units, , int64_t) /* LSTM, GRU: h; ATTENTION: heads */          \
    X(bool, backwards, , bool)   /* LSTM, GRU: from the last step */           \
    X(bool, sequence, , bool)    /* LSTM, GRU: every step's output */          \
    X(bool, causal, , bool)      /* ATTENTION */

#define NN_OP_FIELD(type, name, dimensions, number) type name dimensions;
struct nn_op {
    NN_OP_FIELDS(NN_OP_FIELD)
    /* These say where it stands, not what it is. */
    int layer;
    int number; /* in its program: what it keeps is frame->kept[number] */
};

/* What is true of all operations of a kind; by kind. */
struct nn_op_facts {
    /* An activation, a dropout behind it can be part of it (program.c). */
    bool takes_activation, takes_dropout;
    bool draws;       /* random numbers */
    bool same_memory; /* its output is its input: there is nothing to compute */
    /* Numbers that it keeps of a row from forward to backward, beside its
     * output; NULL: few. */
    uint64_t (*kept)(const struct nn_op *op, const struct nn_shape *in,
                     const struct nn_shape *second);
};
extern const struct nn_op_facts nn_op_facts[NN_OP_COUNT];

/* Where a loss is taken. `logits` is the tensor before the softmax or
 * sigmoid that makes `output`, for the losses that are computed from it; else
 * the same tensor. */
struct nn_head {
    struct str name;
    int output, logits;
    int second; /* GAUSSIAN_KL: log variance, output is the mean; else -1 */
    enum nn_loss loss;
    double a;                    /* huber's delta, the quantile */
    struct nn_soft weight;       /* -1: 1 */
    int label;                   /* number of the label field; -1: none */
    const double *class_weights; /* or NULL */
    size_t class_count;
};

struct nn_layer {
    struct str name;
    const char *kind;
    struct nn_shape out;
    int tensor;              /* its output */
    int from[NN_INPUTS_MAX]; /* layers; -1-i: input i */
    int from_count;
    int64_t params; /* numbers that belong to it */
    double flops;   /* of one row, forward */
    int entry;      /* of the file's list that it comes from */
};

struct nn_input {
    struct str name;
    int tensor;
    int field; /* number of the data's input that it is */
};

struct nn_graph {
    VEC(struct nn_tensor) tensors;
    VEC(struct nn_param) params;
    VEC(struct nn_op) ops;
    VEC(struct nn_layer) layers;
    VEC(struct nn_input) inputs;
    VEC(struct nn_head) heads;
    int64_t trained; /* numbers that an optimizer changes: the first ones */
    int64_t weights; /* all numbers of a member */
    int draws;       /* operations that draw random numbers */
};

/* tokens.c: true when a tensor is this input, or holds it reshaped or joined
 * with others: the same numbers. */
bool nn_comes_from(const struct nn_graph *g, int tensor, int input);

/* model.c: the input that no layer but one reads, which is dense, so that rows
 * of several tables may go through it one by one; -1: there is none. */
int nn_split_tensor(const struct nn_graph *g);

int64_t nn_shape_count(const struct nn_shape *s); /* numbers in one row */
bool nn_shape_eq(const struct nn_shape *a, const struct nn_shape *b);
struct buf;
void nn_shape_print(struct buf *b, const struct nn_shape *s); /* 28×28×1 */

#endif
