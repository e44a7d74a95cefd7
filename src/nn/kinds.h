/* kinds.h - kinds of activations, losses and optimizers
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

#endif
