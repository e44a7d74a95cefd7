/* layer_norm.c - layers that bring numbers to mean 0 and spread 1 */
#include "nn/build.h"

static bool has_channels(struct nn_build *b, int tensor)
{
    const struct nn_tensor *t = &b->graph->tensors.p[tensor];
    if (t->shape.rank > 0 && !t->integers)
        return true;
    nn_fault_hint(b, NULL, "put an embedding before it",
                  "%.*s needs numbers, not category numbers",
                  STRF(b->graph->layers.p[b->layer].name));
    return false;
}

static int add_channel_param(struct nn_build *b, const char *suffix,
                             int64_t channels, enum nn_init_kind kind)
{
    struct nn_shape shape = nn_shape1(channels);
    return nn_add_param(b, suffix, &shape, (struct nn_init){.kind = kind});
}

/* While training by the batch's own mean and spread, which also move the
 * running ones; else by the running ones. Those are no parameters that an
 * optimizer changes. */
static int build_batch_norm(struct nn_build *b, const struct value *o,
                            const int *in, int in_count)
{
    struct nn_op op = nn_op_of(NN_OP_BATCH_NORM);
    struct nn_shape shape = *nn_shape_of(b, in[0]);
    (void)in_count;
    if (!has_channels(b, in[0]))
        return -1;
    int64_t channels = shape.dim[shape.rank - 1];
    op.in[0] = in[0];
    op.in_count = 1;
    op.momentum = nn_read_real(b, o, "momentum", 0, 1, 0.99);
    op.epsilon = nn_read_real(b, o, "epsilon", 0, 1, 1e-3);
    op.param[0] = add_channel_param(b, "gamma", channels, NN_INIT_ONES);
    op.param[1] = add_channel_param(b, "beta", channels, NN_INIT_ZEROS);
    op.param[2] = add_channel_param(b, "mean", channels, NN_INIT_ZEROS);
    op.param[3] = add_channel_param(b, "variance", channels, NN_INIT_ONES);
    nn_param_at(b, op.param[2])->trained = false;
    nn_param_at(b, op.param[3])->trained = false;
    return nn_add_op(b, op, &shape);
}

static int build_layer_norm(struct nn_build *b, const struct value *o,
                            const int *in, int in_count)
{
    struct nn_op op = nn_op_of(NN_OP_LAYER_NORM);
    struct nn_shape shape = *nn_shape_of(b, in[0]);
    (void)in_count;
    if (!has_channels(b, in[0]))
        return -1;
    int64_t channels = shape.dim[shape.rank - 1];
    op.in[0] = in[0];
    op.in_count = 1;
    op.epsilon = nn_read_real(b, o, "epsilon", 0, 1, 1e-3);
    op.param[0] = add_channel_param(b, "gamma", channels, NN_INIT_ONES);
    op.param[1] = add_channel_param(b, "beta", channels, NN_INIT_ZEROS);
    return nn_add_op(b, op, &shape);
}

static const char *const batch_keys[] = {"momentum", "epsilon", NULL};
static const char *const layer_keys[] = {"epsilon", NULL};

const struct nn_layer_kind nn_layers_norm[] = {
    {"batch_norm", NULL, batch_keys, 1, 1, build_batch_norm,
     "each channel to mean 0 and spread 1 over the batch"},
    {"layer_norm", NULL, layer_keys, 1, 1, build_layer_norm,
     "the numbers of the last axis to mean 0 and spread 1"},
    {NULL, NULL, NULL, 0, 0, NULL, NULL},
};
