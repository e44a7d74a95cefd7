/* gpu_limits.c - what the device cuda can train, as far as a model says it
 *
 * Known to whoever chooses a device, too, which has no GPU at hand. What also
 * depends on the GPU only its trainer knows (cuda/lower.c). */
#include "nn/model.h"

#define MOST_UNITS 1024 /* of a recurrent layer: cuda/kernels_sequence.inc */
/* Kernels count in int, and go on by steps: of the numbers of a tensor by at
 * most 2^18, of weights by at most a sixteenth of them. */
#define MOST_NUMBERS ((1ll << 31) - (1 << 18)) /* of one tensor */
#define MOST_WEIGHTS 2000000000ll              /* of one parameter */

const char *nn_model_gpu_refuses(const struct nn_model *m)
{
    const struct nn_graph *g = &m->graph;
    for (size_t i = 0; i < g->ops.len; i++) {
        const struct nn_op *op = &g->ops.p[i];
        if ((op->kind == NN_OP_LSTM || op->kind == NN_OP_GRU) &&
            op->units > MOST_UNITS)
            return "a recurrent layer has more than 1,024 units";
    }
    for (size_t i = 0; i < g->tensors.len; i++)
        if (nn_shape_count(&g->tensors.p[i].shape) >=
            (MOST_NUMBERS + m->batch_size - 1) / m->batch_size)
            return "a batch of one tensor has about 2^31 numbers or more; take "
                   "a smaller batch_size";
    for (size_t i = 0; i < g->params.len; i++)
        if (g->params.p[i].count >= MOST_WEIGHTS)
            return "a layer has 2,000,000,000 weights or more";
    return NULL;
}
