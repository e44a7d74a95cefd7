/* lower_window.c - convolutions, pooling, up-sampling as launches of kernels
 *
 * Which of several kernels a convolution is depends on its channels, and on how
 * many numbers lie under a window. */
#include "nn/cuda/lowering.h"

/* Three by three taps of one channel each, channels in fours. */
static bool is_depthwise(const struct lowered *l, const struct nn_op *op)
{
    const struct nn_window *w = &op->window;
    bool fits = w->groups > 1 && w->groups == last_axis(l, op->in[0]) &&
                w->groups == last_axis(l, op->out) && w->groups % 4 == 0 &&
                w->stride[0] == w->stride[1];
    for (int i = 0; i < 2; i++)
        fits = fits && w->kernel[i] == DEPTH_SIDE && w->dilation[i] == 1 &&
               w->stride[i] <= 2;
    return fits;
}

/* So many places side by side are taken at once. */
static int64_t runs_of(int64_t beside)
{
    return (beside + DEPTH_BESIDE - 1) / DEPTH_BESIDE;
}

static int depthwise_parts(const struct lowered *l, const struct nn_op *op)
{
    const struct nn_shape *out = shape_of(l, op->out);
    int64_t lines = (int64_t)l->program.batch * out->dim[0];
    int64_t most = lines * runs_of(out->dim[1]) / DEPTH_PART_RUNS;
    int64_t across = (out->dim[2] + DEPTH_COLUMNS - 1) / DEPTH_COLUMNS;
    int64_t parts = DEPTH_BLOCKS / across;
    parts = parts > most ? most : parts;
    return parts < 1 ? 1 : (int)parts;
}

/* How many there must be where weights are few, so that one model alone keeps
 * a GPU busy. */
static int64_t parts_alone(const struct lowered *l, const struct nn_op *op,
                           int64_t places)
{
    int64_t out = last_axis(l, op->out), channels = last_axis(l, op->in[0]);
    int64_t in = op->window.kernel[0] * op->window.kernel[1] * channels;
    bool deep = channels % 4 == 0 && channels >= TALL_LEAST;
    int64_t down = deep ? DEEP_ROWS : UNDER_TILE;
    int64_t across = deep ? DEEP_COLUMNS : UNDER_TILE;
    int64_t tiles = (in + down - 1) / down * ((out + across - 1) / across);
    int64_t parts = (deep ? PART_BLOCKS : UNDER_BLOCKS) / tiles;
    if (in < FEW_UNDER)
        return 1;
    return parts < places / PART_LEAST ? parts : places / PART_LEAST;
}

int lower_parts(const struct lowered *l, const struct nn_op *op)
{
    if (is_depthwise(l, op))
        return depthwise_parts(l, op);
    int64_t out = last_axis(l, op->out);
    int64_t places = (int64_t)l->program.batch * count_of(l, op->out) / out;
    int64_t parts = places / PART_PLACES;
    if (op->kind != NN_OP_CONV || op->window.groups > 1)
        return 1;
    parts = parts < 1 ? 1 : parts > MOST_PARTS ? MOST_PARTS : parts;
    int64_t more = parts_alone(l, op, places);
    return (int)(more > parts ? more : parts);
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

static void launch_tall(const struct at *a, enum gpu_kernel kernel,
                        int64_t rows, int64_t columns, int tile,
                        const struct gpu_op *o)
{
    launch_tiles(a->list, kernel, rows, TALL_TILE, columns, tile, o);
}

/* And no more taps than a thread has bits for. */
static bool is_deep(const struct at *a, const struct gpu_op *o)
{
    const struct gpu_window *w = &o->window;
    return is_tall(a, o) && w->kernel[0] * w->kernel[1] <= MOST_TOUCHED;
}

/* A thread for four channels of some places of a line, which begins `early`
 * places before its first. */
static void launch_beside(const struct at *a, enum gpu_kernel kernel,
                          const int size[2], int early, const struct gpu_op *o)
{
    int64_t threads =
        a->batch * size[0] * runs_of(size[1] + early) * (o->out / 4);
    launch(a->list, kernel, (threads + GPU_THREADS - 1) / GPU_THREADS, o);
}

/* Few channels, and outputs in fours. */
static bool is_under(const struct at *a, const struct gpu_op *o)
{
    return o->window.groups == 1 && !is_tall(a, o) && o->out % 4 == 0 &&
           o->in <= UNDER_MOST;
}

static void launch_under(const struct at *a, const struct gpu_op *o)
{
    int64_t windows = a->batch * places(o->window.small_size);
    launch(a->list, GPU_under_forward,
           (windows + UNDER_WINDOWS - 1) / UNDER_WINDOWS *
               ((o->out + UNDER_TILE - 1) / UNDER_TILE),
           o);
}

void lower_conv_forward(const struct at *a, struct gpu_op *o)
{
    set_window(a, o, a->op->out, a->op->in[0]);
    const struct gpu_window *w = &o->window;
    o->in = w->kernel[0] * w->kernel[1] * w->large_channels;
    if (is_depthwise(a->l, a->op))
        launch_beside(a, GPU_depthwise_forward, w->small_size, 0, o);
    else if (w->groups > 1)
        launch_each(a->list, GPU_group_forward, a->batch * o->count, o);
    else if (is_deep(a, o))
        launch_tensor(a->list, GPU_tensor_conv_forward,
                      a->batch * places(w->small_size), o->out, TENSOR_TILE, o);
    else if (o->in <= FEW_UNDER && o->out % 4 == 0 && o->out <= 4 * GPU_THREADS)
        launch_each(a->list, GPU_few_forward,
                    a->batch * o->count / 4 / FEW_EACH, o);
    else if (is_under(a, o))
        launch_under(a, o);
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
    if (is_depthwise(a->l, a->op))
        launch_beside(a, GPU_depthwise_inputs, w->large_size,
                      w->before[1] % w->stride[1], o);
    else if (w->groups > 1)
        launch_each(a->list, GPU_group_inputs, large * w->large_channels, o);
    else if (is_deep(a, o) && w->stride[0] == 1 && w->stride[1] == 1)
        launch_tensor(a->list, GPU_tensor_conv_inputs, large, w->large_channels,
                      TENSOR_FEW, o);
    else if (is_tall(a, o))
        launch_tall(a, GPU_tall_inputs, large, w->large_channels, TALL_FEW, o);
    else
        launch_product(a->list, GPU_conv_inputs, large, w->large_channels, o);
}

static void launch_sum_parts(const struct at *a, const struct gpu_op *o)
{
    int64_t numbers = (int64_t)(o->in + 1) * o->out;
    if (o->steps <= MOST_PARTS)
        launch_each(a->list, GPU_sum_parts, numbers, o);
    else
        launch(a->list, GPU_sum_many_parts,
               (numbers + DEPTH_COLUMNS - 1) / DEPTH_COLUMNS, o);
}

static void launch_deep_weights(const struct at *a, const struct gpu_op *o)
{
    int64_t tiles = (int64_t)((o->in + DEEP_ROWS - 1) / DEEP_ROWS) *
                    ((o->out + DEEP_COLUMNS - 1) / DEEP_COLUMNS);
    launch(a->list, o->precision ? GPU_rough_weights : GPU_deep_weights,
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

static void launch_depthwise_weights(const struct at *a, struct gpu_op *o)
{
    o->in = DEPTH_SIDE * DEPTH_SIDE;
    launch(a->list, GPU_depthwise_weights,
           (int64_t)(o->out + DEPTH_COLUMNS - 1) / DEPTH_COLUMNS * o->steps, o);
    launch_sum_parts(a, o);
}

static void launch_under_weights(const struct at *a, const struct gpu_op *o)
{
    int64_t tiles = (int64_t)((o->in + UNDER_TILE - 1) / UNDER_TILE) *
                    ((o->out + UNDER_TILE - 1) / UNDER_TILE);
    launch(a->list, GPU_under_weights, tiles * o->steps, o);
    launch_sum_parts(a, o);
}

/* Weights and bias, by parts of the places; false: another way is better. */
static bool lower_by_parts(const struct at *a, struct gpu_op *weights)
{
    bool few = weights->in < FEW_UNDER && weights->out % 4 == 0;
    bool one_group = weights->window.groups == 1;
    weights->steps = lower_parts(a->l, a->op);
    weights->bias_flag = weights->b >= 0 && lower_stepping(a, weights, 1).flag;
    if (is_depthwise(a->l, a->op))
        launch_depthwise_weights(a, weights);
    else if (is_tall(a, weights))
        launch_deep_weights(a, weights);
    else if (few && one_group)
        launch_few_parts(a, weights);
    else if (is_under(a, weights))
        launch_under_weights(a, weights);
    else
        return false;
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
static bool is_max_by_fours(const struct lowered *l, const struct nn_op *op)
{
    const struct nn_window *w = &op->window;
    bool fits = op->kind == NN_OP_POOL && !op->average &&
                last_axis(l, op->out) % 4 == 0 &&
                w->kernel[0] * w->kernel[1] <= MOST_TAPS;
    for (int i = 0; i < 2; i++)
        fits = fits && w->kernel[i] == w->stride[i] && w->dilation[i] == 1 &&
               w->before[i] == 0;
    return fits;
}

/* Backward knows of a window's largest number what dropout has left of it,
 * which is enough for relu: whether it is more than 0. */
const struct nn_op *lower_pool_dropout(const struct lowered *l,
                                       const struct nn_op *op)
{
    if (!is_max_by_fours(l, op))
        return NULL;
    const struct nn_op *taker = lower_only_taker(l, op->out);
    const struct nn_op *undone = lower_undone(l, op);
    return taker && taker->kind == NN_OP_DROPOUT &&
                   (!undone || undone->activation == NN_RELU)
               ? taker
               : NULL;
}

static void set_pool(const struct at *a, struct gpu_op *o)
{
    const struct nn_op *dropout = lower_pool_dropout(a->l, a->op);
    set_window(a, o, a->op->out, a->op->in[0]);
    o->average = a->op->average;
    if (!dropout)
        return;
    o->rate = dropout->rate.index;
    o->draw = dropout->draw;
    o->permanent = dropout->permanent;
}

void lower_pool_forward(const struct at *a, struct gpu_op *o)
{
    set_pool(a, o);
    o->flag = is_max_by_fours(a->l, a->op);
    if (!o->average && o->out % 4 == 0)
        launch_each(a->list, GPU_max_forward, a->batch * o->count / 4, o);
    else
        launch_each(a->list, GPU_pool_forward, a->batch * o->count, o);
}

void lower_pool_backward(const struct at *a, struct gpu_op *o)
{
    set_pool(a, o);
    if (o->dx[0] >= 0 && is_max_by_fours(a->l, a->op))
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
