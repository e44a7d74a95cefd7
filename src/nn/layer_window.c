/* layer_window.c - layers that slide a window: convolutions, pooling, and
 * up-sampling, their opposite
 *
 * A sequence [T, C] is an image of one row: its window is 1×k. `same` is
 * Keras's: as many outputs as inputs over the stride, the odd number of
 * padding behind. */
#include "nn/build.h"

enum { SIZE_MAX_WINDOW = 1 << 16, CHANNELS_MAX = 1 << 20 };

enum padding { PAD_VALID, PAD_SAME, PAD_CAUSAL };
static const char *const image_paddings[] = {"valid", "same", NULL};
static const char *const sequence_paddings[] = {"valid", "same", "causal",
                                                NULL};

/* What a layer slides over. */
struct image {
    int axes; /* 1 or 2 */
    int64_t size[2], channels;
};

static struct str layer_name(const struct nn_build *b)
{
    return b->graph->layers.p[b->layer].name;
}

static bool image_of(struct nn_build *b, int tensor, int axes,
                     struct image *image)
{
    const struct nn_tensor *t = &b->graph->tensors.p[tensor];
    const struct nn_shape *s = &t->shape;
    if (s->rank == axes + 1 && !t->integers) {
        image->axes = axes;
        image->size[0] = axes == 1 ? 1 : s->dim[0];
        image->size[1] = s->dim[axes - 1];
        image->channels = s->dim[axes];
        return true;
    }
    struct buf has;
    buf_init(&has);
    nn_shape_print(&has, s);
    nn_fault_hint(b, NULL,
                  t->integers ? "put an embedding before it"
                              : "put a reshape before it",
                  "%.*s needs %s, its input is %s%s", STRF(layer_name(b)),
                  axes == 1 ? "steps×channels" : "rows×columns×channels", has.p,
                  t->integers ? " category numbers" : "");
    buf_done(&has);
    return false;
}

static struct nn_shape shape_of(const struct image *i)
{
    if (i->axes == 1)
        return nn_shape2(i->size[1], i->channels);
    return (struct nn_shape){3, {i->size[0], i->size[1], i->channels}};
}

/* One number for each axis that there is; 1 for the row of a sequence. */
static void read_sizes(struct nn_build *b, const struct value *o,
                       const char *key, int axes, const int64_t otherwise[2],
                       int64_t out[2])
{
    if (axes == 1) {
        out[0] = 1;
        out[1] = nn_read_int(b, o, key, 1, SIZE_MAX_WINDOW, otherwise[1]);
        return;
    }
    out[0] = otherwise[0];
    out[1] = otherwise[1];
    nn_read_pair(b, o, key, 1, SIZE_MAX_WINDOW, out);
}

static enum padding read_padding(struct nn_build *b, const struct value *o,
                                 int axes)
{
    return (enum padding)nn_read_choice(
        b, o, "padding", axes == 1 ? sequence_paddings : image_paddings,
        PAD_VALID);
}

static void fault_window(struct nn_build *b, const struct image *in,
                         const struct nn_window *w)
{
    bool one = in->axes == 1;
    struct nn_shape window = {2, {w->kernel[0], w->kernel[1]}};
    struct nn_shape size = {2, {in->size[0], in->size[1]}};
    struct buf text;
    for (int i = 0; i < 2; i++)
        window.dim[i] = (window.dim[i] - 1) * w->dilation[i] + 1;
    if (one) {
        window = nn_shape1(window.dim[1]);
        size = nn_shape1(size.dim[1]);
    }
    buf_init(&text);
    buf_adds(&text, "a window of ");
    nn_shape_print(&text, &window);
    buf_adds(&text, " does not fit into ");
    nn_shape_print(&text, &size);
    nn_fault_hint(b, NULL, "use a smaller one, or padding: same", "%.*s: %s",
                  STRF(layer_name(b)), text.p);
    buf_done(&text);
}

/* Padding, and how many windows there are on each axis. */
static bool place_window(struct nn_build *b, const struct image *in,
                         enum padding padding, struct nn_window *w,
                         struct image *out)
{
    *out = *in;
    for (int i = 0; i < 2; i++) {
        int64_t size = in->size[i], stride = w->stride[i];
        int64_t reach = (w->kernel[i] - 1) * w->dilation[i] + 1, total = 0;
        if (padding == PAD_SAME) {
            total = ((size + stride - 1) / stride - 1) * stride + reach - size;
            total = total < 0 ? 0 : total;
            w->before[i] = total / 2;
        } else if (padding == PAD_CAUSAL && i == 1) {
            w->before[i] = total = reach - 1;
        }
        w->after[i] = total - w->before[i];
        if (size + total < reach) {
            fault_window(b, in, w);
            return false;
        }
        out->size[i] = (size + total - reach) / stride + 1;
    }
    return true;
}

static struct nn_shape weight_shape(const struct image *in,
                                    const struct nn_window *w, int64_t inputs,
                                    int64_t outputs)
{
    if (in->axes == 1)
        return (struct nn_shape){3, {w->kernel[1], inputs, outputs}};
    return (struct nn_shape){4, {w->kernel[0], w->kernel[1], inputs, outputs}};
}

/* The fans that an initializer goes by. */
struct fans {
    int64_t in, out;
};

/* Weight, bias and activation around an operation whose window is placed. */
static int finish_conv(struct nn_build *b, const struct value *o,
                       struct nn_op op, const struct nn_shape *weight,
                       struct fans fans, const struct nn_shape *to)
{
    double a, taps = (double)(op.window.kernel[0] * op.window.kernel[1]);
    struct nn_shape bias = nn_shape1(to->dim[to->rank - 1]);
    op.param[0] =
        nn_add_param(b, "weight", weight,
                     nn_read_init(b, o, "initializer", NN_INIT_GLOROT_UNIFORM));
    nn_param_at(b, op.param[0])->fan_in = (int64_t)taps * fans.in;
    nn_param_at(b, op.param[0])->fan_out = (int64_t)taps * fans.out;
    nn_read_regularizers(b, o, op.param[0]);
    if (nn_read_bool(b, o, "bias", true))
        op.param[1] =
            nn_add_param(b, "bias", &bias,
                         nn_read_init(b, o, "bias_initializer", NN_INIT_ZEROS));
    enum nn_activation activation = nn_read_activation(b, o, "activation", &a);
    return nn_add_activation(b, nn_add_op(b, op, to), activation, a);
}

static const int64_t ones[2] = {1, 1}, twos[2] = {2, 2}, threes[2] = {3, 3};

static void read_window(struct nn_build *b, const struct value *o, int axes,
                        struct nn_window *w)
{
    read_sizes(b, o, "kernel", axes, threes, w->kernel);
    read_sizes(b, o, "stride", axes, ones, w->stride);
    read_sizes(b, o, "dilation", axes, ones, w->dilation);
}

/* The number of filters, or 0 after a fault. */
static int64_t read_filters(struct nn_build *b, const struct value *o)
{
    if (!value_get(o, STR("filters")))
        nn_fault(b, NULL, "%.*s needs filters, its number of output channels",
                 STRF(layer_name(b)));
    return nn_read_int(b, o, "filters", 1, CHANNELS_MAX, 0);
}

static bool groups_fit(struct nn_build *b, const struct image *in,
                       int64_t filters, int64_t groups)
{
    if (in->channels % groups == 0 && filters % groups == 0)
        return true;
    nn_fault(
        b, "groups",
        "%.*s: %lld groups must divide both %lld channels and %lld filters",
        STRF(layer_name(b)), (long long)groups, (long long)in->channels,
        (long long)filters);
    return false;
}

static int build_conv(struct nn_build *b, const struct value *o, int in,
                      int axes)
{
    struct nn_op op = nn_op_of(NN_OP_CONV);
    struct image from, to;
    struct nn_window *w = &op.window;
    int64_t filters = read_filters(b, o);
    if (!filters || !image_of(b, in, axes, &from))
        return -1;
    read_window(b, o, axes, w);
    w->groups = nn_read_int(b, o, "groups", 1, CHANNELS_MAX, 1);
    if (!groups_fit(b, &from, filters, w->groups) ||
        !place_window(b, &from, read_padding(b, o, axes), w, &to))
        return -1;
    to.channels = filters;
    op.in[0] = in;
    op.in_count = 1;
    int64_t each = from.channels / w->groups;
    struct nn_shape weight = weight_shape(&from, w, each, filters);
    struct nn_shape shape = shape_of(&to);
    b->graph->layers.p[b->layer].flops +=
        2.0 * (double)(w->kernel[0] * w->kernel[1]) * (double)each *
        (double)to.size[0] * (double)to.size[1] * (double)filters;
    return finish_conv(b, o, op, &weight, (struct fans){each, filters}, &shape);
}

static int build_conv1d(struct nn_build *b, const struct value *o,
                        const int *in, int in_count)
{
    (void)in_count;
    return build_conv(b, o, in[0], 1);
}

static int build_conv2d(struct nn_build *b, const struct value *o,
                        const int *in, int in_count)
{
    (void)in_count;
    return build_conv(b, o, in[0], 2);
}

/* Every channel by itself, `multiplier` outputs each: as many groups as
 * channels. */
static int build_depthwise(struct nn_build *b, const struct value *o, int in,
                           int axes)
{
    struct nn_op op = nn_op_of(NN_OP_CONV);
    struct image from, to;
    struct nn_window *w = &op.window;
    if (!image_of(b, in, axes, &from))
        return -1;
    int64_t times = nn_read_int(b, o, "multiplier", 1, 1024, 1);
    read_window(b, o, axes, w);
    w->groups = from.channels;
    if (!place_window(b, &from, read_padding(b, o, axes), w, &to))
        return -1;
    to.channels = from.channels * times;
    op.in[0] = in;
    op.in_count = 1;
    struct nn_shape weight = weight_shape(&from, w, 1, to.channels);
    struct nn_shape shape = shape_of(&to);
    b->graph->layers.p[b->layer].flops +=
        2.0 * (double)(w->kernel[0] * w->kernel[1]) * (double)to.size[0] *
        (double)to.size[1] * (double)to.channels;
    return finish_conv(b, o, op, &weight, (struct fans){from.channels, times},
                       &shape);
}

static int build_depthwise1d(struct nn_build *b, const struct value *o,
                             const int *in, int in_count)
{
    (void)in_count;
    return build_depthwise(b, o, in[0], 1);
}

static int build_depthwise2d(struct nn_build *b, const struct value *o,
                             const int *in, int in_count)
{
    (void)in_count;
    return build_depthwise(b, o, in[0], 2);
}

/* The window slides over the output: its padding is what of it is cut off.
 * Where the stride is longer than the window, the last numbers are bias. */
static void place_transposed(const struct image *in, enum padding padding,
                             struct nn_window *w, struct image *out)
{
    *out = *in;
    for (int i = 0; i < 2; i++) {
        int64_t more = w->kernel[i] - w->stride[i];
        more = more < 0 ? 0 : more;
        out->size[i] = in->size[i] * w->stride[i];
        if (padding == PAD_SAME) {
            w->before[i] = more / 2;
            w->after[i] = more - more / 2;
        } else {
            out->size[i] += more;
        }
    }
}

static int build_transposed(struct nn_build *b, const struct value *o,
                            const int *in, int in_count)
{
    struct nn_op op = nn_op_of(NN_OP_DECONV);
    struct image from, to;
    struct nn_window *w = &op.window;
    int64_t filters = read_filters(b, o);
    (void)in_count;
    if (!filters || !image_of(b, in[0], 2, &from))
        return -1;
    read_sizes(b, o, "kernel", 2, threes, w->kernel);
    read_sizes(b, o, "stride", 2, ones, w->stride);
    w->dilation[0] = w->dilation[1] = w->groups = 1;
    place_transposed(&from, read_padding(b, o, 2), w, &to);
    to.channels = filters;
    op.in[0] = in[0];
    op.in_count = 1;
    struct nn_shape weight = weight_shape(&from, w, from.channels, filters);
    struct nn_shape shape = shape_of(&to);
    b->graph->layers.p[b->layer].flops +=
        2.0 * (double)(w->kernel[0] * w->kernel[1]) * (double)from.size[0] *
        (double)from.size[1] * (double)from.channels * (double)filters;
    return finish_conv(b, o, op, &weight, (struct fans){from.channels, filters},
                       &shape);
}

static int build_pool(struct nn_build *b, const struct value *o, int in,
                      int axes, bool average)
{
    struct nn_op op = nn_op_of(NN_OP_POOL);
    struct image from, to;
    struct nn_window *w = &op.window;
    if (!image_of(b, in, axes, &from))
        return -1;
    read_sizes(b, o, "size", axes, twos, w->kernel);
    read_sizes(b, o, "stride", axes, w->kernel, w->stride);
    w->dilation[0] = w->dilation[1] = w->groups = 1;
    int padding = nn_read_choice(b, o, "padding", image_paddings, PAD_VALID);
    if (!place_window(b, &from, (enum padding)padding, w, &to))
        return -1;
    op.in[0] = in;
    op.in_count = 1;
    op.average = average;
    struct nn_shape shape = shape_of(&to);
    return nn_add_op(b, op, &shape);
}

static int build_max1d(struct nn_build *b, const struct value *o, const int *in,
                       int in_count)
{
    (void)in_count;
    return build_pool(b, o, in[0], 1, false);
}

static int build_max2d(struct nn_build *b, const struct value *o, const int *in,
                       int in_count)
{
    (void)in_count;
    return build_pool(b, o, in[0], 2, false);
}

static int build_average1d(struct nn_build *b, const struct value *o,
                           const int *in, int in_count)
{
    (void)in_count;
    return build_pool(b, o, in[0], 1, true);
}

static int build_average2d(struct nn_build *b, const struct value *o,
                           const int *in, int in_count)
{
    (void)in_count;
    return build_pool(b, o, in[0], 2, true);
}

static int build_pool_all(struct nn_build *b, int in, bool average)
{
    struct nn_op op = nn_op_of(NN_OP_POOL_ALL);
    struct image from;
    int axes = nn_shape_of(b, in)->rank == 2 ? 1 : 2;
    if (!image_of(b, in, axes, &from))
        return -1;
    op.in[0] = in;
    op.in_count = 1;
    op.average = average;
    struct nn_shape shape = nn_shape1(from.channels);
    return nn_add_op(b, op, &shape);
}

static int build_max_all(struct nn_build *b, const struct value *o,
                         const int *in, int in_count)
{
    (void)o;
    (void)in_count;
    return build_pool_all(b, in[0], false);
}

static int build_average_all(struct nn_build *b, const struct value *o,
                             const int *in, int in_count)
{
    (void)o;
    (void)in_count;
    return build_pool_all(b, in[0], true);
}

static int build_upsample(struct nn_build *b, const struct value *o, int in,
                          int axes)
{
    struct nn_op op = nn_op_of(NN_OP_UPSAMPLE);
    struct image image;
    if (!image_of(b, in, axes, &image))
        return -1;
    read_sizes(b, o, "size", axes, twos, op.window.stride);
    image.size[0] *= op.window.stride[0];
    image.size[1] *= op.window.stride[1];
    op.in[0] = in;
    op.in_count = 1;
    struct nn_shape shape = shape_of(&image);
    return nn_add_op(b, op, &shape);
}

static int build_upsample1d(struct nn_build *b, const struct value *o,
                            const int *in, int in_count)
{
    (void)in_count;
    return build_upsample(b, o, in[0], 1);
}

static int build_upsample2d(struct nn_build *b, const struct value *o,
                            const int *in, int in_count)
{
    (void)in_count;
    return build_upsample(b, o, in[0], 2);
}

#define CONV_KEYS                                                              \
    "kernel", "stride", "padding", "activation", "alpha", "bias",              \
        "initializer", "bias_initializer", "l1", "l2"
static const char *const conv_keys[] = {"filters", "dilation", "groups",
                                        CONV_KEYS, NULL};
static const char *const depthwise_keys[] = {"multiplier", "dilation",
                                             CONV_KEYS, NULL};
static const char *const transposed_keys[] = {"filters", CONV_KEYS, NULL};
static const char *const pool_keys[] = {"size", "stride", "padding", NULL};
static const char *const upsample_keys[] = {"size", NULL};
static const char *const no_keys[] = {NULL};

const struct nn_layer_kind nn_layers_window[] = {
    {"conv1d", "filters", conv_keys, 1, 1, build_conv1d,
     "a window along the steps of a sequence"},
    {"conv2d", "filters", conv_keys, 1, 1, build_conv2d,
     "a window over the rows and columns of an image"},
    {"depthwise_conv1d", "kernel", depthwise_keys, 1, 1, build_depthwise1d,
     "conv1d of each channel by itself"},
    {"depthwise_conv2d", "kernel", depthwise_keys, 1, 1, build_depthwise2d,
     "conv2d of each channel by itself"},
    {"conv2d_transpose", "filters", transposed_keys, 1, 1, build_transposed,
     "conv2d turned around: makes images larger"},
    {"max_pool1d", "size", pool_keys, 1, 1, build_max1d,
     "the largest number of each window"},
    {"max_pool2d", "size", pool_keys, 1, 1, build_max2d,
     "the largest number of each window"},
    {"average_pool1d", "size", pool_keys, 1, 1, build_average1d,
     "the mean of each window"},
    {"average_pool2d", "size", pool_keys, 1, 1, build_average2d,
     "the mean of each window"},
    {"global_max_pool", NULL, no_keys, 1, 1, build_max_all,
     "the largest number of each channel"},
    {"global_average_pool", NULL, no_keys, 1, 1, build_average_all,
     "the mean of each channel"},
    {"upsample1d", "size", upsample_keys, 1, 1, build_upsample1d,
     "each step several times"},
    {"upsample2d", "size", upsample_keys, 1, 1, build_upsample2d,
     "each pixel several times"},
    {NULL, NULL, NULL, 0, 0, NULL, NULL},
};
