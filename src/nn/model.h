/* model.h - a checked model: its graph and how it is trained
 *
 * Inside nn only. */
#ifndef THRONG_NN_MODEL_H
#define THRONG_NN_MODEL_H

#include "nn/graph.h"
#include "nn/nn.h"

struct nn_optimizer {
    enum nn_optimizer_kind kind;
    struct nn_soft lr, momentum, rho, beta1, beta2, epsilon, weight_decay;
    struct nn_soft initial;               /* ADAGRAD's accumulator */
    struct nn_soft clip_value, clip_norm; /* -1: no clipping */
    bool nesterov;
    bool centered; /* RMSPROP */
};

enum nn_schedule_kind {
    NN_CONSTANT,
    NN_STEP,        /* × factor every `epochs` */
    NN_EXPONENTIAL, /* × factor each epoch */
    NN_COSINE,      /* from lr to minimum over all epochs */
    NN_CYCLIC,      /* between lr and maximum; mode */
    NN_PLATEAU,     /* × factor when the watched metric stands still */
    NN_SCHEDULE_COUNT,
};
enum nn_cycle { NN_TRIANGULAR, NN_TRIANGULAR2, NN_EXP_RANGE };
struct nn_schedule {
    enum nn_schedule_kind kind;
    struct nn_soft factor, minimum, maximum;
    int64_t epochs;   /* STEP */
    int64_t steps;    /* CYCLIC: half a cycle */
    int64_t patience; /* PLATEAU */
    enum nn_cycle mode;
    double warmup_epochs; /* linear from 0, with any kind */
};

/* Its label is a class, or the share of each. */
bool nn_takes_classes(const struct nn_head *h);
/* Every one of its outputs is a yes or no of its own, as those of several
 * labels or of pixels. */
bool nn_each_is_yes_or_no(const struct nn_head *h, size_t width);

struct nn_metric {
    enum nn_metric_kind kind;
    int head;
    int k;
    struct str name; /* "accuracy", "site_accuracy" with several heads */
};

bool nn_metric_is_of_numbers(enum nn_metric_kind kind); /* not of classes */
/* Row `row` has no class that a metric of classes could count: the head
 * predicts one number, and the label is neither 0 nor 1. */
struct data_field;
bool nn_has_no_class(const struct nn_head *h, size_t width,
                     const struct data_field *label, size_t row);

/* When training ends before its last epoch, and which weights are kept. */
struct nn_stopping {
    struct str watch; /* "val_loss"; empty: no early stopping */
    bool larger;      /* is better */
    int64_t patience; /* epochs without a better value; 0: none */
    double min_delta;
    bool best_weights; /* those of the best epoch are the result */
};

struct nn_model {
    struct arena *arena;
    struct nn_graph graph;
    VEC(double) soft; /* this member's soft numbers */
    VEC(struct str) soft_names;
    struct nn_optimizer optimizer;
    struct nn_schedule schedule;
    struct nn_stopping stopping;
    VEC(struct nn_metric) metrics;
    bool confusion;         /* is a table, and told at the end */
    VEC(int64_t) snapshots; /* epochs whose weights are kept */
    VEC(struct str) notices;
    int64_t batch_size, epochs;
    enum nn_precision precision;
    struct str initial_weights; /* a safetensors file to start from; empty */
    struct str masks;           /* one of zeros and ones; empty: none */
    const struct value *data;
};

/* Numbers of an optimizer's state for each that is trained. */
size_t nn_optimizer_slots(const struct nn_optimizer *o);

#endif
