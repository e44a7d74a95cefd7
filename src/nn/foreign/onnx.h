/* onnx.h - an ONNX graph being written, as protobuf has it
 *
 * Inside nn only. Numbers are float32, shapes int64. Names of tensors are made
 * here; each function returns the number of a tensor. Parts are kept as bytes
 * and put together at the end. */
#ifndef THRONG_NN_FOREIGN_ONNX_H
#define THRONG_NN_FOREIGN_ONNX_H

#include "base/buf.h"
#include "nn/graph.h"

struct onnx {
    struct buf nodes, constants, inputs, outputs;
    int tensors;
};
void onnx_init(struct onnx *o);
void onnx_done(struct onnx *o);
/* The whole file. */
void onnx_print(const struct onnx *o, struct buf *file);

/* One row of the graph's input: [batch, shape…]. */
int onnx_input(struct onnx *o, struct str name, const struct nn_shape *row);
void onnx_output(struct onnx *o, int tensor, struct str name,
                 const struct nn_shape *row);
int onnx_floats(struct onnx *o, int rank, const int64_t *dim,
                const double *numbers);
int onnx_float(struct onnx *o, double number);
int onnx_ints(struct onnx *o, const int64_t *numbers, int count);

/* A node: its operator, what it takes, what is said of it. An input of -1 is
 * left out. */
struct onnx_node {
    const char *op;
    int in[NN_INPUTS_MAX];
    int in_count;
    int outputs;     /* 0: one */
    struct buf said; /* by onnx_say_…; freed by onnx_add */
};
struct onnx_node onnx_node_of(const char *op);
void onnx_say_int(struct onnx_node *n, const char *name, int64_t i);
void onnx_say_ints(struct onnx_node *n, const char *name,
                   const int64_t *numbers, int count);
void onnx_say_float(struct onnx_node *n, const char *name, double x);
void onnx_say_text(struct onnx_node *n, const char *name, const char *text);
/* Its first output; the others follow. */
int onnx_add(struct onnx *o, struct onnx_node *n);
/* Of one or two inputs, with nothing to say. */
int onnx_one(struct onnx *o, const char *op, int in);
int onnx_two(struct onnx *o, const char *op, int a, int b);

#endif
