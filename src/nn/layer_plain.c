/* layer_plain.c - layers that look at each row as it is: dense, activation,
 * dropout, flatten, reshape */
#include <math.h>

#include "nn/build.h"
#include "terms/dropout.h"

const char *const nn_activation_names[] = {
    "linear",  "relu", "relu6",    "leaky_relu", "elu",     "selu", "gelu",
    "sigmoid", "tanh", "softplus", "swish",      "softmax", NULL};

/* The last two are other names, which Keras has too. */
static const char *const init_names[] = {
    "zeros",          "ones",          "constant",
    "uniform",        "normal",        "truncated_normal",
    "glorot_uniform", "glorot_normal", "he_uniform",
    "he_normal",      "lecun_uniform", "lecun_normal",
    "orthogonal",     "identity",      "variance_scaling",
    "random_uniform", "random_normal", NULL};

/* Keras's own numbers: leaky_relu 0.3, elu 1. */
static double usual_slope(enum nn_activation activation)
{
    return activation == NN_LEAKY_RELU ? 0.3 : 1.0;
}

enum nn_activation nn_read_activation(struct nn_build *b, const struct value *o,
                                      const char *key, double *a)
{
    int got = nn_read_choice(b, o, key, nn_activation_names, NN_LINEAR);
    *a = nn_read_real(b, o, "alpha", 0, 1e6,
                      usual_slope((enum nn_activation)got));
    return (enum nn_activation)got;
}

static enum nn_init_kind read_init_kind(struct nn_build *b,
                                        const struct value *o, const char *key,
                                        enum nn_init_kind otherwise)
{
    int got = nn_read_choice(b, o, key, init_names, (int)otherwise);
    return got == NN_INIT_COUNT       ? NN_INIT_UNIFORM
           : got == NN_INIT_COUNT + 1 ? NN_INIT_NORMAL
                                      : (enum nn_init_kind)got;
}

/* The numbers of an initializer, in Keras's words where there are two. */
static void read_init_numbers(struct nn_build *b, const struct value *v,
                              struct nn_init *init)
{
    static const char *const fans[] = {"fan_in", "fan_out", "fan_avg", NULL};
    static const char *const draws[] = {"truncated_normal", "normal", "uniform",
                                        NULL};
    bool uniform = init->kind == NN_INIT_UNIFORM;
    if (init->kind == NN_INIT_VARIANCE_SCALING) {
        init->a = nn_read_real(b, v, "scale", 1e-30, 1e30, 1);
        init->fan = (enum nn_fan)nn_read_choice(b, v, "mode", fans, NN_FAN_IN);
        init->drawn = (enum nn_drawn)nn_read_choice(b, v, "distribution", draws,
                                                    NN_DRAWN_TRUNCATED);
        return;
    }
    init->a = nn_read_real(b, v,
                           uniform                          ? "from"
                           : init->kind == NN_INIT_CONSTANT ? "value"
                                                            : "mean",
                           -1e30, 1e30, uniform ? -0.05 : 0);
    init->b = nn_read_real(b, v, uniform ? "to" : "spread", -1e30, 1e30, 0.05);
}

/* Word, or {kind: uniform, from: -0.05, to: 0.05}. */
struct nn_init nn_read_init(struct nn_build *b, const struct value *o,
                            const char *key, enum nn_init_kind otherwise)
{
    static const char *const keys[] = {
        "kind",   "value", "from", "to",           "mean",
        "spread", "scale", "mode", "distribution", NULL};
    const struct value *v = value_get(o, str_of(key));
    struct nn_init init = {.kind = otherwise};
    struct str outer = b->at;
    if (v && v->kind == VALUE_OBJECT) {
        b->at =
            str_of(arena_printf(b->faults->arena, "%.*s.%s", STRF(outer), key));
        nn_known_keys(b, v, keys, NULL);
        init.kind = read_init_kind(b, v, "kind", otherwise);
    } else {
        init.kind = read_init_kind(b, o, key, otherwise);
        v = NULL;
    }
    read_init_numbers(b, v, &init);
    b->at = outer;
    return init;
}

void nn_read_regularizers(struct nn_build *b, const struct value *o, int param)
{
    struct nn_soft l1 = nn_read_soft(b, o, "l1", 0, 1e6, NAN);
    struct nn_soft l2 = nn_read_soft(b, o, "l2", 0, 1e6, NAN);
    nn_param_at(b, param)->l1 = l1;
    nn_param_at(b, param)->l2 = l2;
}

int nn_add_activation(struct nn_build *b, int tensor,
                      enum nn_activation activation, double a)
{
    if (activation == NN_LINEAR)
        return tensor;
    struct nn_op op = nn_op_of(NN_OP_ACTIVATION);
    struct nn_shape shape = *nn_shape_of(b, tensor);
    op.in[0] = tensor;
    op.in_count = 1;
    op.activation = activation;
    op.a = a;
    return nn_add_op(b, op, &shape);
}

/* `units: outputs` are as many as the label wants. */
static int64_t read_units(struct nn_build *b, const struct value *o)
{
    const struct value *v = value_get(o, STR("units"));
    if (v && str_is(value_text(v), "outputs"))
        return nn_outputs_wanted(b);
    if (!v)
        nn_fault(b, NULL, "dense needs units, its number of outputs");
    return nn_read_int(b, o, "units", 1, INT32_MAX, 0);
}

/* Works on the last axis, as Keras does: [T, C] -> [T, units]. */
static int build_dense(struct nn_build *b, const struct value *o, const int *in,
                       int in_count)
{
    struct nn_shape from = *nn_shape_of(b, in[0]), to = from;
    double a;
    (void)in_count;
    if (from.rank < 1 || b->graph->tensors.p[in[0]].integers) {
        nn_fault_hint(b, NULL, "put an embedding before it",
                      "dense needs numbers, not category numbers");
        return -1;
    }
    int64_t units = read_units(b, o);
    if (units < 1)
        return -1;
    int64_t inputs = from.dim[from.rank - 1];
    to.dim[to.rank - 1] = units;
    struct nn_op op = nn_op_of(NN_OP_DENSE);
    op.in[0] = in[0];
    op.in_count = 1;
    struct nn_shape weight = nn_shape2(inputs, units), bias = nn_shape1(units);
    op.param[0] =
        nn_add_param(b, "weight", &weight,
                     nn_read_init(b, o, "initializer", NN_INIT_GLOROT_UNIFORM));
    nn_param_at(b, op.param[0])->fan_in = inputs;
    nn_param_at(b, op.param[0])->fan_out = units;
    nn_read_regularizers(b, o, op.param[0]);
    if (nn_read_bool(b, o, "bias", true))
        op.param[1] =
            nn_add_param(b, "bias", &bias,
                         nn_read_init(b, o, "bias_initializer", NN_INIT_ZEROS));
    enum nn_activation activation = nn_read_activation(b, o, "activation", &a);
    b->graph->layers.p[b->layer].flops +=
        2.0 * (double)inputs * (double)nn_shape_count(&to);
    return nn_add_activation(b, nn_add_op(b, op, &to), activation, a);
}

static int build_activation(struct nn_build *b, const struct value *o,
                            const int *in, int in_count)
{
    double a;
    (void)in_count;
    if (!value_get(o, STR("function"))) {
        nn_fault(b, NULL, "activation needs a function, such as relu");
        return -1;
    }
    enum nn_activation activation = nn_read_activation(b, o, "function", &a);
    return nn_add_activation(b, in[0], activation, a);
}

static int build_dropout(struct nn_build *b, const struct value *o,
                         const int *in, int in_count)
{
    struct nn_op op = nn_op_of(NN_OP_DROPOUT);
    struct nn_shape shape = *nn_shape_of(b, in[0]);
    (void)in_count;
    if (!value_get(o, STR("rate"))) {
        nn_fault(b, NULL, "dropout needs a rate from 0 to 1");
        return -1;
    }
    op.in[0] = in[0];
    op.in_count = 1;
    op.rate = nn_read_soft(b, o, "rate", 0, DROPOUT_MOST, 0);
    op.permanent = nn_read_bool(b, o, "permanent", false);
    return nn_add_op(b, op, &shape);
}

/* The same numbers in another shape. */
static int reshape(struct nn_build *b, int in, const struct nn_shape *shape)
{
    struct nn_op op = nn_op_of(NN_OP_RESHAPE);
    op.in[0] = in;
    op.in_count = 1;
    return nn_add_op(b, op, shape);
}

static int build_flatten(struct nn_build *b, const struct value *o,
                         const int *in, int in_count)
{
    struct nn_shape flat = nn_shape1(nn_shape_count(nn_shape_of(b, in[0])));
    (void)o;
    (void)in_count;
    return reshape(b, in[0], &flat);
}

static void fault_reshape(struct nn_build *b, const struct nn_shape *from,
                          const struct nn_shape *to)
{
    struct buf text;
    buf_init(&text);
    nn_shape_print(&text, from);
    buf_adds(&text, " cannot become ");
    nn_shape_print(&text, to);
    nn_fault(b, "shape", "%s: %lld numbers against %lld", text.p,
             (long long)nn_shape_count(from), (long long)nn_shape_count(to));
    buf_done(&text);
}

/* One axis may be -1: what the others leave. Others below 1 are 0. */
static void fill_open(const struct nn_shape *from, struct nn_shape *to)
{
    int open = -1;
    for (int i = 0; i < to->rank; i++) {
        if (to->dim[i] == -1 && open < 0) {
            open = i;
            to->dim[i] = 1;
        }
        to->dim[i] = to->dim[i] < 1 ? 0 : to->dim[i];
    }
    int64_t others = nn_shape_count(to), all = nn_shape_count(from);
    if (open >= 0 && others > 0 && all % others == 0)
        to->dim[open] = all / others;
}

static int build_reshape(struct nn_build *b, const struct value *o,
                         const int *in, int in_count)
{
    const struct value *v = value_get(o, STR("shape"));
    struct nn_shape from = *nn_shape_of(b, in[0]), to = {0};
    (void)in_count;
    if (!v || v->kind != VALUE_LIST || v->count < 1 || v->count > NN_RANK_MAX) {
        nn_fault(b, "shape", "must be a list of one to four whole numbers");
        return -1;
    }
    to.rank = (int)v->count;
    for (size_t i = 0; i < v->count; i++)
        to.dim[i] = v->items[i]->kind == VALUE_INT ? v->items[i]->i : 0;
    fill_open(&from, &to);
    if (nn_shape_count(&to) != nn_shape_count(&from)) {
        fault_reshape(b, &from, &to);
        return -1;
    }
    return reshape(b, in[0], &to);
}

static const char *const dense_keys[] = {
    "units", "activation", "alpha", "bias", "initializer", "bias_initializer",
    "l1",    "l2",         NULL};
static const char *const activation_keys[] = {"function", "alpha", NULL};
static const char *const dropout_keys[] = {"rate", "permanent", NULL};
static const char *const reshape_keys[] = {"shape", NULL};
static const char *const no_keys[] = {NULL};

const struct nn_layer_kind nn_layers_plain[] = {
    {"dense", "units", dense_keys, 1, 1, build_dense,
     "every output looks at every number of the last axis"},
    {"activation", "function", activation_keys, 1, 1, build_activation,
     "relu, tanh, softmax, …"},
    {"dropout", "rate", dropout_keys, 1, 1, build_dropout,
     "numbers set to 0 by chance while training"},
    {"flatten", NULL, no_keys, 1, 1, build_flatten, "one long row"},
    {"reshape", "shape", reshape_keys, 1, 1, build_reshape,
     "the same numbers in another shape"},
    {NULL, NULL, NULL, 0, 0, NULL, NULL},
};
