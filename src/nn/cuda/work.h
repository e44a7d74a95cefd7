/* work.h - what a kernel of the device cuda is told
 *
 * Plain structs that the runner (C), the kernels (CUDA C++) and the machine
 * that runs kernels without a GPU (C) all see. Every kernel has the same two
 * arguments: which numbers it works on (struct gpu_op, the same for all
 * members) and whose they are (struct gpu_slot, one for each member that is
 * trained at the same time; the second axis of a grid). */
#ifndef THRONG_NN_CUDA_WORK_H
#define THRONG_NN_CUDA_WORK_H

#include <stdint.h>
#include "nn/chance.h"

enum {
    GPU_INPUTS = 16,
    GPU_LAYERS = 4,
    GPU_THREADS = 256,
    GPU_FEW = 128,
    GPU_MOST = 384,
    GPU_PARTS = 192,
    GPU_MANY = 512
};

/* A metric, which is judged where predictions are. */
struct gpu_metric {
    int kind, k, head;
    int width;     /* of the predictions of a row */
    int classes;   /* that it counts */
    int64_t x, at; /* predictions in a frame; its sums among the member's */
    uint8_t each, spreads, takes_classes;
};

/* What follows has no holes, whose bits nobody sets: a kernel that is compiled
 * for one model has an op in its text, word by word (special_source.c). */
#ifndef __CUDACC__
#pragma GCC diagnostic push
#pragma GCC diagnostic error "-Wpadded"
#endif

/* A window, as nn_window: rows, then columns. */
struct gpu_window {
    int kernel[2], stride[2], dilation[2], before[2];
    int groups;
    int small_size[2], large_size[2]; /* places of both sides */
    int small_channels, large_channels;
    float small_inverse[2], large_inverse[2]; /* 1 / size: see spot_of */
};

/* Dense layers one behind the other, small enough for the fast memory of one
 * multiprocessor; see kernels_small.inc. Lines have `line` numbers, whose last
 * are none. */
struct gpu_layer {
    int in, out, line; /* of weights */
    int before;        /* numbers from one row of its input to the next */
    int activation, rate, draw;
    int permanent; /* dropout, while judging, too */
    float a;
    int weights, value, slope; /* where they lie in the fast memory */
    int64_t w, b;              /* among the member's weights; b -1: none */
    int tiles, across;         /* of its weights; those side by side */
};
struct gpu_chain {
    int count;
    int tiles;                              /* of all layers */
    struct gpu_layer layer[GPU_LAYERS + 1]; /* behind the last: its output */
    int bias_fours;                         /* of all layers */
    int further, biases;                    /* where their moments lie */
    int labels, rows;                       /* those of a batch */
    int label_width;
    int64_t all; /* of fast memory */
};

/* How an operation's output ends: activation, then dropout. */
struct gpu_finish {
    int activation, rate, draw; /* rate: index of a soft number; -1: none */
    float a;
    int permanent;
    int on; /* there is something to undo */
};

/* Offsets are of numbers in a member's frame (values, gradients, what is kept)
 * or among its weights; -1: there is none. Which fields count depends on the
 * kernel. All of it follows from the model: no address stands in it. */
struct gpu_op {
    int64_t x[GPU_INPUTS], dx[GPU_INPUTS]; /* inputs, and their gradients */
    int64_t y, dy;                         /* the output */
    int64_t kept, spare;
    int64_t w, b, w2, b2;  /* weights; their gradients have the same places */
    int64_t tokens;        /* that say how long a row is */
    int64_t class_weights; /* among those of all heads */
    int64_t metric_count;  /* of the model, where they are judged here */
    int widths[GPU_INPUTS];
    uint8_t add[GPU_INPUTS]; /* to a gradient that is begun */
    int inputs;              /* how many x there are */
    int places;              /* rows of a matrix in a row of the batch */
    int in, out;             /* columns */
    int line;                /* from a row of x[0], or of y where rows are
                                gathered, to the next */
    int count;               /* numbers in a row of the batch, or in all */
    int steps, units;
    int held; /* rows of recurrent weights that fast memory has room for */
    int kind; /* loss, optimizer */
    int activation;
    int precision; /* of products */
    float a;
    int classes;
    double epsilon, momentum;
    int rate, draw;  /* index of a soft number; number of the drawing op */
    int soft, soft2; /* further soft numbers; -1: not said */
    int field;       /* of the data; head; parameter */
    uint8_t training, permanent, average, causal, backwards, sequence, flag;
    uint8_t bias_flag; /* flag, of the bias */
    struct gpu_window window;
    struct gpu_finish before; /* of who made x[0]: who takes it alone undoes
                                 that in the gradient, too */
    struct gpu_chain chain;
};

#ifndef __CUDACC__
#pragma GCC diagnostic pop
#endif

/* The optimizer's state of weights that are stepped in tiles (tensor_steps)
 * does not lie as they do: strip by strip of so many columns, so that the state
 * of a tile is one piece of memory, not one for each of its rows. */
enum { GPU_STRIP = 64 };
/* Of the strip that begins at column `first` of `out`. */
NN_ANYWHERE int gpu_strip_columns(int out, int first)
{
    return out - first < GPU_STRIP ? out - first : GPU_STRIP;
}
/* Where that of row m, column n lies, of a matrix of `in` rows. */
NN_ANYWHERE int64_t gpu_in_strips(int in, int out, int m, int n)
{
    const int first = n - n % GPU_STRIP;
    return (int64_t)first * in + (int64_t)m * gpu_strip_columns(out, first) +
           n - first;
}

/* What an optimizer needs at one step, from the host. */
struct gpu_rates {
    double lr, mu, mu_next, mu_product;
};
/* The same made ready for one step. */
struct gpu_step {
    float lr, keep, momentum, rho, decay, b1, b2, d1, d2, epsilon, root, now,
        next;
};
/* Numbers of an optimizer that do not change. */
struct gpu_constants {
    double momentum, rho, beta1, beta2, epsilon, weight_decay;
    double clip_value, clip_norm;
    int nesterov, centered;
};

/* In which form the loss of a head takes its labels. */
enum gpu_labels {
    GPU_LABELS_CATEGORIES,
    GPU_LABELS_ONE_HOT,
    GPU_LABELS_CLASSES, /* as numbers */
    GPU_LABELS_NUMBERS
};
/* Columns of a field that lie in a table of their own (data_piece). */
struct gpu_piece {
    const float *numbers;
    const uint32_t *row_of; /* NULL: the same row */
    int at, columns;
};
/* A field of the data on the device. */
struct gpu_field {
    const float *numbers;
    const struct gpu_piece *pieces; /* NULL: they are `numbers` */
    const int32_t *categories;
    const float *shift, *scale; /* by column, or NULL */
    int columns;
    enum gpu_labels form;
};

/* What the host asks for when a round is over. */
struct gpu_result {
    double sum;
    uint32_t done;
    int not_finite;
};

struct gpu_slot {
    float *frame, *weights, *slopes, *state;
    const float *mask; /* NULL: nothing is masked */
    const double *soft;
    const struct gpu_field *inputs;   /* by the data's number */
    const struct gpu_field *labels;   /* by head */
    const float *row_weights;         /* by row of the table; NULL: all 1 */
    const uint32_t *rows;             /* of the part */
    const struct gpu_rates *rates;    /* by step, where they are not steady */
    struct gpu_rates rate;            /* of all steps, where they are */
    struct gpu_result *result;        /* where that of a round goes */
    struct gpu_step *plan;            /* the same, made ready */
    uint32_t planned;                 /* how many */
    const double *class_weights;      /* of all heads */
    const struct gpu_metric *metrics; /* all of the model; NULL: not here */
    double *tallies;                  /* of all metrics; NULL: nobody asks */
    float *outputs; /* predictions, by row of the part; NULL */
    uint64_t seed;
    struct nn_order order; /* made when a round begins */
    int64_t epoch;         /* from which */
    uint32_t row_count;
    uint32_t batch_size;
    uint32_t first;   /* batch that the slot begins with */
    uint64_t steps;   /* of the optimizer before the first batch */
    uint64_t trained; /* numbers */
    uint8_t training, in_order;
    uint8_t steady;   /* the rates of all steps are the same */
    uint8_t labelled; /* there is a loss */
    struct gpu_constants constants;
    /* What begin_step sets. */
    uint32_t done;  /* batches, since the first */
    uint32_t from;  /* row of the part that the batch begins with */
    uint32_t batch; /* its rows; 0: there are no more */
    uint64_t key;
    struct gpu_step now;
    double loss;    /* of the batch */
    double sum;     /* of losses times rows */
    double scale;   /* of gradients, to clip their norm */
    int not_finite; /* first parameter that has such a number; -1: none */
};

/* Every kernel; whether its threads wait for each other; whether it is worth
 * compiling for the shapes of one model (special.h). */
#define GPU_KERNELS(X)                                                         \
    X(begin_step, 0, 0)                                                        \
    X(gather_numbers, 0, 1)                                                    \
    X(gather_labels, 0, 0)                                                     \
    X(end_step, 0, 0)                                                          \
    X(dense_forward, 1, 1)                                                     \
    X(dense_weights, 1, 1)                                                     \
    X(dense_inputs, 1, 1)                                                      \
    X(units_forward, 1, 1)                                                     \
    X(units_backward, 1, 1)                                                    \
    X(sum_outputs, 0, 1)                                                       \
    X(tensor_parts, 1, 1)                                                      \
    X(wide_weights, 1, 1)                                                      \
    X(tensor_forward, 1, 1)                                                    \
    X(tensor_inputs, 1, 1)                                                     \
    X(tensor_conv_forward, 1, 1)                                               \
    X(tensor_conv_inputs, 1, 1)                                                \
    X(tensor_steps, 1, 1)                                                      \
    X(prepare_steps, 0, 0)                                                     \
    X(finish_back, 0, 0)                                                       \
    X(activation_forward, 0, 0)                                                \
    X(activation_backward, 0, 0)                                               \
    X(softmax_forward, 0, 0)                                                   \
    X(softmax_backward, 0, 0)                                                  \
    X(dropout_forward, 0, 1)                                                   \
    X(dropout_backward, 0, 1)                                                  \
    X(sample_forward, 0, 0)                                                    \
    X(sample_backward, 0, 0)                                                   \
    X(add_forward, 0, 0)                                                       \
    X(add_backward, 0, 0)                                                      \
    X(multiply_forward, 0, 0)                                                  \
    X(multiply_backward, 0, 0)                                                 \
    X(concat_forward, 0, 0)                                                    \
    X(concat_backward, 0, 0)                                                   \
    X(conv_forward, 1, 1)                                                      \
    X(conv_weights, 1, 1)                                                      \
    X(conv_inputs, 1, 1)                                                       \
    X(tall_forward, 1, 1)                                                      \
    X(few_weights, 1, 1)                                                       \
    X(tall_inputs, 1, 1)                                                       \
    X(deep_weights, 1, 1)                                                      \
    X(rough_weights, 1, 1)                                                     \
    X(few_forward, 0, 1)                                                       \
    X(few_parts, 1, 1)                                                         \
    X(sum_parts, 0, 1)                                                         \
    X(group_forward, 0, 0)                                                     \
    X(group_weights, 1, 0)                                                     \
    X(group_inputs, 0, 0)                                                      \
    X(depthwise_forward, 0, 1)                                                 \
    X(depthwise_weights, 1, 1)                                                 \
    X(depthwise_inputs, 0, 1)                                                  \
    X(sum_many_parts, 1, 1)                                                    \
    X(under_forward, 1, 1)                                                     \
    X(under_weights, 1, 1)                                                     \
    X(deconv_forward, 0, 0)                                                    \
    X(deconv_weights, 1, 0)                                                    \
    X(deconv_inputs, 0, 0)                                                     \
    X(sum_columns, 1, 0)                                                       \
    X(pool_forward, 0, 1)                                                      \
    X(pool_backward, 0, 1)                                                     \
    X(max_forward, 0, 1)                                                       \
    X(max_backward, 0, 1)                                                      \
    X(pool_all_forward, 0, 0)                                                  \
    X(pool_all_backward, 0, 0)                                                 \
    X(upsample_forward, 0, 0)                                                  \
    X(upsample_backward, 0, 0)                                                 \
    X(batch_norm_moments, 1, 0)                                                \
    X(batch_norm_forward, 0, 0)                                                \
    X(batch_norm_sums, 1, 0)                                                   \
    X(batch_norm_backward, 0, 0)                                               \
    X(batch_norm_parts, 1, 0)                                                  \
    X(batch_norm_means, 1, 0)                                                  \
    X(batch_norm_slope_parts, 1, 0)                                            \
    X(batch_norm_slopes, 1, 0)                                                 \
    X(layer_norm_forward, 0, 0)                                                \
    X(layer_norm_inputs, 0, 0)                                                 \
    X(layer_norm_weights, 1, 0)                                                \
    X(embedding_forward, 0, 0)                                                 \
    X(embedding_backward, 0, 0)                                                \
    X(recurrent_turn, 0, 0)                                                    \
    X(recurrent_products, 1, 1)                                                \
    X(recurrent_slopes, 1, 0)                                                  \
    X(recurrent_weights, 1, 1)                                                 \
    X(recurrent_inputs, 1, 1)                                                  \
    X(wide_products, 1, 1)                                                     \
    X(wide_gate_slopes, 1, 1)                                                  \
    X(wide_gate_weights, 1, 1)                                                 \
    X(wide_gate_inputs, 1, 1)                                                  \
    X(recurrent_bias, 1, 0)                                                    \
    X(lstm_forward, 1, 1)                                                      \
    X(lstm_backward, 1, 1)                                                     \
    X(gru_forward, 1, 1)                                                       \
    X(gru_backward, 1, 1)                                                      \
    X(attention_forward, 0, 0)                                                 \
    X(attention_queries, 0, 0)                                                 \
    X(attention_keys, 0, 0)                                                    \
    X(head_loss, 1, 0)                                                         \
    X(judge_metrics, 1, 0)                                                     \
    X(head_outputs, 0, 0)                                                      \
    X(regularize, 1, 0)                                                        \
    X(mask_slopes, 0, 0)                                                       \
    X(clip_values, 0, 0)                                                       \
    X(clip_norm, 1, 0)                                                         \
    X(update, 0, 0)                                                            \
    X(look_finite, 0, 0)                                                       \
    X(small_epoch, 1, 1)                                                       \
    X(small_judge, 1, 1)                                                       \
    X(tell_result, 0, 0)

#define GPU_KERNEL_NUMBER(name, waits, special) GPU_##name,
enum gpu_kernel { GPU_KERNELS(GPU_KERNEL_NUMBER) GPU_KERNEL_COUNT };

#endif
