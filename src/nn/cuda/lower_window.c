/* lower_window.c - convolutions, pooling, up-sampling as launches of kernels
 *
 * Which of several kernels a convolution is depends on its channels, and on how
 * many numbers lie under a window. */
#include "nn/cuda/lowering.h"

int lower_parts(const struct lowered *l, const struct nn_op *op)
{
    int64_t places = (int64_t)l->program.batch * count_of(l, op->out) /
                     last_axis(l, op->out);
    int64_t parts = places / PART_PLACES;
    if (op->kind != NN_OP_CONV || op->window.groups > 1)
        return 1;
    return parts < 1 ? 1 : parts > MOST_PARTS ? MOST_PARTS : (int)parts;
}

/* A sequence is an image of one row. */
static void image_size(const struct nn_shape *s, int size[2], int *channels)
{
    size[0] = s->rank == 3 ? (int)s->dim[0] : 1;
    size[1] = (int)s->dim[s->rank - 2];
    *channels = (int)s->dim[s->rank - 1];
}

static void set_window(const struct at *a, struct gpu_op *o, int small,
                       int large)
{
    const struct nn_window *from = &a->op->window;
    struct gpu_window *w = &o->window;
    for (int i = 0; i < 2; i++) {
        w->kernel[i] = (int)from->kernel[i];
        w->stride[i] = (int)from->stride[i];
        w->dilation[i] = (int)from->dilation[i];
        w->before[i] = (int)from->before[i];
    }
    w->groups = (int)from->groups;
    image_size(shape_of(a->l, small), w->small_size, &w->small_channels);
    image_size(shape_of(a->l, large), w->large_size, &w->large_channels);
    for (int i = 0; i < 2; i++) {
        w->small_inverse[i] = 1 / (float)w->small_size[i];
        w->large_inverse[i] = 1 / (float)w->large_size[i];
    }
}

static int64_t places(const int size[2])
{
    return (int64_t)size[0] * size[1];
}

/* Channels in fours, and enough of everything for tiles of 128 × 64. */
static bool is_tall(const struct at *a, const struct gpu_op *o)
{
    const struct gpu_window *w = &o->window;
    return w->groups == 1 && w->large_channels % 4 == 0 && o->out % 4 == 0 &&
           w->large_channels >= TALL_LEAST && o->out >= TALL_LEAST &&
           a->batch * places(w->small_size) >= WIDE_LEAST;
}

static void launch_tiles(const struct at *a, enum gpu_kernel kernel,
                         int64_t rows, int down, int64_t columns, int across,
                         const struct gpu_op *o)
{
    launch(a->list, kernel,
           (rows + down - 1) / down * ((columns + across - 1) / across), o);
}

static void launch_tall(const struct at *a, enum gpu_kernel kernel,
                        int64_t rows, int64_t columns, int tile,
                        const struct gpu_op *o)
{
    launch_tiles(a, kernel, rows, TALL_TILE, columns, tile, o);
}

/* Channels that are taken in, in sixteens, and the others in fours. */
static bool is_deep(const struct at *a, const struct gpu_op *o, int channels)
{
    return is_tall(a, o) && channels % 16 == 0;
}

static bool is_tensor(const struct at *a, const struct gpu_op *o)
{
    const struct gpu_window *w = &o->window;
    return o->precision && is_tall(a, o) &&
           w->kernel[0] * w->kernel[1] <= MOST_TOUCHED;
}

void lower_conv_forward(const struct at *a, struct gpu_op *o)
{
    set_window(a, o, a->op->out, a->op->in[0]);
    const struct gpu_window *w = &o->window;
    o->in = w->kernel[0] * w->kernel[1] * w->large_channels;
    if (w->groups > 1)
        launch_each(a->list, GPU_group_forward, a->batch * o->count, o);
    else if (is_tensor(a, o))
        launch_tensor(a->list, GPU_tensor_conv_forward,
                      a->batch * places(w->small_size), o->out, TENSOR_TILE, o);
    else if (is_deep(a, o, w->large_channels))
        launch_tiles(a, GPU_deep_forward, a->batch * places(w->small_size),
                     DEEP_TILE, o->out, TALL_COLUMNS, o);
    else if (o->in <= FEW_UNDER && o->out % 4 == 0 && o->out <= 4 * GPU_THREADS)
        launch_each(a->list, GPU_few_forward,
                    a->batch * o->count / 4 / FEW_EACH, o);
    else if (is_tall(a, o))
        launch_tall(a, GPU_tall_forward, a->batch * places(w->small_size),
                    o->out, TALL_COLUMNS, o);
    else
        launch_product(a->list, GPU_conv_forward,
                       a->batch * places(w->small_size), o->out, o);
}

static void conv_inputs(const struct at *a, const struct gpu_op *o)
{
    const struct gpu_window *w = &o->window;
    int64_t large = a->batch * places(w->large_size);
    if (o->dx[0] < 0)
        return;
    if (w->groups > 1)
        launch_each(a->list, GPU_group_inputs, large * w->large_channels, o);
    else if (is_tensor(a, o) && w->stride[0] == 1 && w->stride[1] == 1)
        launch_tensor(a->list, GPU_tensor_conv_inputs, large, w->large_channels,
                      TENSOR_FEW, o);
    else if (is_deep(a, o, o->out) && w->stride[0] == 1 && w->stride[1] == 1)
        launch_tiles(a, GPU_deep_inputs, large, DEEP_TILE, w->large_channels,
                     TALL_FEW, o);
    else if (is_tall(a, o))
        launch_tall(a, GPU_tall_inputs, large, w->large_channels, TALL_FEW, o);
    else
        launch_product(a->list, GPU_conv_inputs, large, w->large_channels, o);
}

static void launch_sum_parts(const struct at *a, const struct gpu_op *o)
{
    launch_each(a->list, GPU_sum_parts, (int64_t)(o->in + 1) * o->out, o);
}

static void launch_deep_weights(const struct at *a, const struct gpu_op *o)
{
    int rows = o->precision ? TENSOR_ROWS : DEEP_ROWS;
    int64_t tiles = (int64_t)((o->in + rows - 1) / rows) *
                    ((o->out + DEEP_COLUMNS - 1) / DEEP_COLUMNS);
    launch(a->list, o->precision ? GPU_tensor_weights : GPU_deep_weights,
           tiles * o->steps, o);
    a->list->p[a->list->len - 1].threads = GPU_PARTS;
    launch_sum_parts(a, o);
}

static void launch_few_parts(const struct at *a, const struct gpu_op *o)
{
    launch(a->list, GPU_few_parts,
           (int64_t)(o->out + FEW_COLUMNS - 1) / FEW_COLUMNS * o->steps, o);
    launch_sum_parts(a, o);
}

/* Weights and bias, by parts of the places; false: another way is better. */
static bool lower_by_parts(const struct at *a, struct gpu_op *weights)
{
    bool few = weights->in < FEW_UNDER && weights->out % 4 == 0;
    if (weights->window.groups > 1 || (!is_tall(a, weights) && !few))
        return false;
    weights->steps = lower_parts(a->l, a->op);
    weights->bias_flag = weights->b >= 0 && lower_stepping(a, weights, 1).flag;
    if (is_tall(a, weights))
        launch_deep_weights(a, weights);
    else
        launch_few_parts(a, weights);
    return true;
}

void lower_conv_backward(const struct at *a, struct gpu_op *o)
{
    set_window(a, o, a->op->out, a->op->in[0]);
    const struct gpu_window *w = &o->window;
    o->in = w->kernel[0] * w->kernel[1] * w->large_channels;
    lower_unfinish(a, o);
    conv_inputs(a, o);
    struct gpu_op weights = lower_stepping(a, o, 0);
    if (lower_by_parts(a, &weights))
        return;
    if (w->groups > 1)
        launch(a->list, GPU_group_weights, (int64_t)o->in / w->groups * o->out,
               &weights);
    else if (o->in <= FEW_TAPS)
        launch(a->list, GPU_few_weights,
               o->in * ((o->out + COLUMNS - 1) / COLUMNS), &weights);
    else
        launch_product(a->list, GPU_conv_weights, o->in, o->out, &weights);
    lower_bias(a, o);
}

void lower_deconv_forward(const struct at *a, struct gpu_op *o)
{
    set_window(a, o, a->op->in[0], a->op->out);
    launch_each(a->list, GPU_deconv_forward, a->batch * o->count, o);
}

void lower_deconv_backward(const struct at *a, struct gpu_op *o)
{
    set_window(a, o, a->op->in[0], a->op->out);
    const struct gpu_window *w = &o->window;
    if (o->dx[0] >= 0)
        launch_each(a->list, GPU_deconv_inputs,
                    a->batch * places(w->small_size) * o->in, o);
    struct gpu_op weights = lower_stepping(a, o, 0);
    launch(a->list, GPU_deconv_weights,
           (int64_t)w->kernel[0] * w->kernel[1] * o->in * o->out, &weights);
    lower_bias(a, o);
}

/* Windows side by side from the first place on, channels in fours, and taps
 * whose numbers are bytes. */
static bool is_max_by_fours(const struct gpu_op *o)
{
    const struct gpu_window *w = &o->window;
    bool fits = !o->average && o->out % 4 == 0 &&
                w->kernel[0] * w->kernel[1] <= MOST_TAPS;
    for (int i = 0; i < 2; i++)
        fits = fits && w->kernel[i] == w->stride[i] && w->dilation[i] == 1 &&
               w->before[i] == 0;
    return fits;
}

void lower_pool_forward(const struct at *a, struct gpu_op *o)
{
    set_window(a, o, a->op->out, a->op->in[0]);
    o->average = a->op->average;
    o->flag = is_max_by_fours(o);
    if (!o->average && o->out % 4 == 0)
        launch_each(a->list, GPU_max_forward, a->batch * o->count / 4, o);
    else
        launch_each(a->list, GPU_pool_forward, a->batch * o->count, o);
}

void lower_pool_backward(const struct at *a, struct gpu_op *o)
{
    set_window(a, o, a->op->out, a->op->in[0]);
    o->average = a->op->average;
    if (o->dx[0] >= 0 && is_max_by_fours(o))
        launch_each(a->list, GPU_max_backward, a->batch * o->count / 4, o);
    else if (o->dx[0] >= 0)
        launch_each(a->list, GPU_pool_backward,
                    a->batch * count_of(a->l, a->op->in[0]), o);
}

static void set_pool_all(const struct at *a, struct gpu_op *o)
{
    o->average = a->op->average;
    o->steps = (int)(count_of(a->l, a->op->in[0]) / o->count);
    set_lengths(a, o, a->op->in[0]);
}

void lower_pool_all_forward(const struct at *a, struct gpu_op *o)
{
    set_pool_all(a, o);
    launch_each(a->list, GPU_pool_all_forward, a->batch * o->out, o);
}

void lower_pool_all_backward(const struct at *a, struct gpu_op *o)
{
    set_pool_all(a, o);
    if (o->dx[0] >= 0)
        launch_each(a->list, GPU_pool_all_backward, a->batch * o->out, o);
}

void lower_upsample_forward(const struct at *a, struct gpu_op *o)
{
    set_window(a, o, a->op->in[0], a->op->out);
    launch_each(a->list, GPU_upsample_forward, a->batch * o->count, o);
}

void lower_upsample_backward(const struct at *a, struct gpu_op *o)
{
    set_window(a, o, a->op->in[0], a->op->out);
    if (o->dx[0] >= 0)
        launch_each(a->list, GPU_upsample_backward,
                    a->batch * count_of(a->l, a->op->in[0]), o);
}
