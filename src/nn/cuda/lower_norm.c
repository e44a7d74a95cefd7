/* lower_norm.c - batch norm and layer norm as launches of kernels
 *
 * Sums over many rows of few channels are few blocks, which a model that is
 * trained alone would leave a GPU idle with: then blocks share the rows. */
#include "nn/cuda/lowering.h"

/* ---- batch norm ---------------------------------------------------------- */

/* Columns that a thread takes. */
static int wide_of(int64_t out)
{
    return out % 4 == 0 ? 4 : 1;
}

/* Threads side by side: a power of two, no more than there are columns for. */
static int abreast_of(int64_t out)
{
    int64_t threads = out / wide_of(out);
    int abreast = 1;
    while (abreast < NORM_ABREAST && abreast < threads)
        abreast *= 2;
    return abreast;
}

static int64_t blocks_across(int64_t out)
{
    int64_t each = abreast_of(out) * wide_of(out);
    return (out + each - 1) / each;
}

/* Blocks that share the rows, each of enough of them; 1: one has all. */
static int norm_parts(const struct lowered *l, const struct nn_op *op)
{
    int64_t out = last_axis(l, op->out);
    int64_t rows = (int64_t)l->program.batch * count_of(l, op->out) / out;
    int64_t parts = NORM_BLOCKS / blocks_across(out);
    if (parts > rows / NORM_PART_ROWS)
        parts = rows / NORM_PART_ROWS;
    return parts < 1 ? 1 : (int)parts;
}

int64_t lower_norm_spare(const struct lowered *l, const struct nn_op *op)
{
    int64_t parts = norm_parts(l, op), doubles = 2 * last_axis(l, op->out);
    return parts == 1 ? 0 : parts * doubles * 2;
}

const struct nn_op *lower_norm_activation(const struct lowered *l,
                                          const struct nn_op *op)
{
    const struct nn_op *taker =
        op->kind == NN_OP_BATCH_NORM ? lower_only_taker(l, op->out) : NULL;
    return taker && taker->kind == NN_OP_ACTIVATION &&
                   taker->activation != NN_SOFTMAX
               ? taker
               : NULL;
}

static void set_batch_norm(const struct at *a, struct gpu_op *o)
{
    const struct nn_op *act = lower_norm_activation(a->l, a->op);
    o->w2 = param_at(a, 2);
    o->b2 = param_at(a, 3);
    o->epsilon = a->op->epsilon;
    o->momentum = a->op->momentum;
    o->steps = norm_parts(a->l, a->op);
    o->units = abreast_of(o->out);
    o->activation = act ? act->activation : NN_LINEAR;
    if (!act)
        return;
    o->a = (float)act->a;
    o->y = a->l->layout.value[act->out];
    o->dy = a->l->layout.slope[act->out];
}

/* In parts, or all rows of some columns in one block. */
static void launch_norm_sums(const struct at *a, enum gpu_kernel parts,
                             enum gpu_kernel sums, enum gpu_kernel whole,
                             const struct gpu_op *o)
{
    if (o->steps > 1)
        launch(a->list, parts, blocks_across(o->out) * o->steps, o);
    launch_columns(a->list, o->steps > 1 ? sums : whole, o->out, o);
}

/* Every number by itself: blocks share rows, as many as there are. */
static void launch_norm_each(const struct at *a, enum gpu_kernel kernel,
                             struct gpu_op *o)
{
    int64_t across = blocks_across(o->out);
    int64_t steps = (a->batch * o->places + NORM_EACH_ROWS - 1) /
                    NORM_EACH_ROWS * o->units / NORM_ABREAST;
    int64_t most = 2 * MOST_BLOCKS / across;
    steps = steps > most ? most : steps;
    o->steps = steps < 1 ? 1 : (int)steps;
    launch(a->list, kernel, across * o->steps, o);
}

void lower_batch_norm_forward(const struct at *a, struct gpu_op *o)
{
    set_batch_norm(a, o);
    launch_norm_sums(a, GPU_batch_norm_parts, GPU_batch_norm_means,
                     GPU_batch_norm_moments, o);
    launch_norm_each(a, GPU_batch_norm_forward, o);
}

void lower_batch_norm_backward(const struct at *a, struct gpu_op *o)
{
    set_batch_norm(a, o);
    struct gpu_op stepping = lower_stepping(a, o, 0);
    stepping.bias_flag = lower_stepping(a, o, 1).flag;
    launch_norm_sums(a, GPU_batch_norm_slope_parts, GPU_batch_norm_slopes,
                     GPU_batch_norm_sums, &stepping);
    if (o->dx[0] >= 0)
        launch_norm_each(a, GPU_batch_norm_backward, o);
}

/* ---- layer norm ---------------------------------------------------------- */

void lower_layer_norm_forward(const struct at *a, struct gpu_op *o)
{
    o->epsilon = a->op->epsilon;
    launch_each(a->list, GPU_layer_norm_forward, a->batch * o->places, o);
}

void lower_layer_norm_backward(const struct at *a, struct gpu_op *o)
{
    launch_columns(a->list, GPU_layer_norm_weights, o->out, o);
    if (o->dx[0] >= 0)
        launch_each(a->list, GPU_layer_norm_inputs, a->batch * o->places, o);
}
