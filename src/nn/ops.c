/* ops.c - what is true of all operations of a kind */
#include "nn/graph.h"

/* Gates and cells of every step. */
static uint64_t lstm_keeps(const struct nn_op *op, const struct nn_shape *in,
                           const struct nn_shape *second)
{
    (void)second;
    return 6 * (uint64_t)in->dim[0] * (uint64_t)op->units;
}

static uint64_t gru_keeps(const struct nn_op *op, const struct nn_shape *in,
                          const struct nn_shape *second)
{
    (void)second;
    return 5 * (uint64_t)in->dim[0] * (uint64_t)op->units;
}

/* Weights of every pair. */
static uint64_t attention_keeps(const struct nn_op *op,
                                const struct nn_shape *in,
                                const struct nn_shape *second)
{
    return (uint64_t)in->dim[0] * (uint64_t)op->units *
           (uint64_t)second->dim[0];
}

const struct nn_op_facts nn_op_facts[NN_OP_COUNT] = {
    [NN_OP_DENSE] = {.takes_activation = true, .takes_dropout = true},
    [NN_OP_CONV] = {.takes_activation = true},
    [NN_OP_DROPOUT] = {.draws = true},
    [NN_OP_SAMPLE] = {.draws = true},
    [NN_OP_RESHAPE] = {.same_memory = true},
    [NN_OP_LSTM] = {.kept = lstm_keeps},
    [NN_OP_GRU] = {.kept = gru_keeps},
    [NN_OP_ATTENTION] = {.kept = attention_keeps},
};
