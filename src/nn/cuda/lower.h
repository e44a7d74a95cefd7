/* lower.h - a model as launches of kernels
 *
 * Inside nn/cuda only. A frame is what one member needs for one batch: values
 * and gradients of tensors, what operations keep, labels. All members have
 * frames of the same layout. */
#ifndef THRONG_NN_CUDA_LOWER_H
#define THRONG_NN_CUDA_LOWER_H

#include "nn/cuda/gpu.h"
#include "nn/program.h"

/* Offsets in a frame, in numbers; -1: there is none. */
struct layout {
    int64_t *value, *slope; /* by tensor */
    int64_t *kept, *spare;  /* by operation */
    int64_t *labels;        /* by head */
    int64_t rows;           /* of the batch, in the table */
    int64_t numbers;        /* of a frame */
};

struct lowered {
    const struct nn_model *like;
    struct nn_program program;
    struct layout layout;
    int64_t *class_weights; /* by head: where they begin; -1: there are none */
    bool *strips;           /* by parameter: its state lies in strips */
    int metric_count;       /* that the device judges; the caller's */
    struct gpu_list train, masked; /* a step; the same with masks */
    struct gpu_list judge, blind;  /* a batch; the same without labels */
    struct gpu_list prepare;       /* before the first step of an epoch */
    struct gpu_list small;         /* some steps; empty: it is too large */
    struct gpu_list small_judge;   /* some batches, with labels or without */
    struct gpu_list finite;        /* looks at all weights */
    struct gpu_list tell;          /* results of a round, or of judging */
};

/* Why such a model cannot be lowered, in words; NULL: it can. */
const char *lower_refuses(const struct nn_model *like);
void lower_open(struct lowered *l, const struct nn_model *like);
/* As many as the model has. */
void lower_metrics(const struct lowered *l, struct gpu_metric *to);
/* After metric_count is set. */
void lower_lists(struct lowered *l);
void lower_close(struct lowered *l);
/* chain.c: batches that one launch of l->small trains. */
enum { SMALL_BATCHES = 64 };
/* Adds that launch and the one that judges, where the model is small enough. */
void lower_small(struct lowered *l);
/* In numbers; nothing is opened. */
int64_t lower_frame(const struct nn_model *like);

#endif
