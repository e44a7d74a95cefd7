/* kinds.h - kinds of activations, losses, optimizers and metrics
 *
 * Inside nn only; also for compilers that know nothing else of it. */
#ifndef THRONG_NN_KINDS_H
#define THRONG_NN_KINDS_H

enum nn_activation {
    NN_LINEAR,
    NN_RELU,
    NN_RELU6,
    NN_LEAKY_RELU, /* slope: a */
    NN_ELU,        /* alpha: a */
    NN_SELU,
    NN_GELU, /* by erf */
    NN_SIGMOID,
    NN_TANH,
    NN_SOFTPLUS,
    NN_SWISH,
    NN_SOFTMAX, /* over the last axis */
    NN_ACTIVATION_COUNT,
};

enum nn_loss {
    NN_LOSS_CROSS_ENTROPY,        /* labels are distributions */
    NN_LOSS_SPARSE_CROSS_ENTROPY, /* labels are category numbers */
    NN_LOSS_BINARY_CROSS_ENTROPY,
    NN_LOSS_MSE,
    NN_LOSS_MAE,
    NN_LOSS_HUBER,
    NN_LOSS_KL, /* distributions; for NN_OP_SAMPLE see nn_head */
    NN_LOSS_DICE,
    NN_LOSS_HETEROSCEDASTIC, /* outputs: mean, log variance */
    NN_LOSS_QUANTILE,
    NN_LOSS_GAUSSIAN_KL, /* of a VAE: needs no labels */
    NN_LOSS_COUNT,
};

enum nn_optimizer_kind {
    NN_SGD,
    NN_RMSPROP,
    NN_ADAGRAD,
    NN_ADADELTA,
    NN_ADAM,
    NN_ADAMAX,
    NN_NADAM,
    NN_ADAMW,
    NN_OPTIMIZER_COUNT,
};

/* To how many bits numbers may be rounded before they are multiplied; sums and
 * weights are float32 all the same. */
enum nn_precision {
    NN_FLOAT32,
    NN_TF32,
    NN_BFLOAT16,
};

enum nn_metric_kind {
    NN_METRIC_ACCURACY,
    NN_METRIC_TOP_K,
    NN_METRIC_F1_MICRO,
    NN_METRIC_F1_MACRO,
    NN_METRIC_AUC,
    NN_METRIC_R2,
    NN_METRIC_MAE,
    NN_METRIC_MSE,
    NN_METRIC_IOU,
    NN_METRIC_DICE,
    NN_METRIC_COUNT,
};

/* What a metric that is no AUC comes from: sums over rows, and behind them,
 * where it counts classes, three counts of each. */
struct nn_sums {
    double rows;
    double unranked;          /* 1: a prediction, or a class, is none */
    double hits;              /* ACCURACY, TOP_K */
    double absolute, squares; /* of errors */
    double sum, sum_squares;  /* of truths, for R2 */
    double numbers;           /* compared */
};
struct nn_counted { /* rows of one class */
    double truth, got, both;
};

#endif
