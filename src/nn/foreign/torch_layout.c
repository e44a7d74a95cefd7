/* torch_layout.c - where PyTorch keeps what a layer has learnt */
#include "nn/foreign/foreign.h"

static const struct torch_place places[] = {
    {"dense", "weight", "weight", TORCH_DENSE, 0, 1, NULL},
    {"dense", "bias", "bias", TORCH_SAME, 0, 1, NULL},
    {"conv1d", "weight", "weight", TORCH_CONV, 0, 1, NULL},
    {"conv1d", "bias", "bias", TORCH_SAME, 0, 1, NULL},
    {"conv2d", "weight", "weight", TORCH_CONV, 0, 1, NULL},
    {"conv2d", "bias", "bias", TORCH_SAME, 0, 1, NULL},
    {"depthwise_conv1d", "weight", "weight", TORCH_CONV, 0, 1, NULL},
    {"depthwise_conv1d", "bias", "bias", TORCH_SAME, 0, 1, NULL},
    {"depthwise_conv2d", "weight", "weight", TORCH_CONV, 0, 1, NULL},
    {"depthwise_conv2d", "bias", "bias", TORCH_SAME, 0, 1, NULL},
    {"conv2d_transpose", "weight", "weight", TORCH_DECONV, 0, 1, NULL},
    {"conv2d_transpose", "bias", "bias", TORCH_SAME, 0, 1, NULL},
    {"batch_norm", "gamma", "weight", TORCH_SAME, 0, 1, NULL},
    {"batch_norm", "beta", "bias", TORCH_SAME, 0, 1, NULL},
    {"batch_norm", "mean", "running_mean", TORCH_SAME, 0, 1, NULL},
    {"batch_norm", "variance", "running_var", TORCH_SAME, 0, 1, NULL},
    {"layer_norm", "gamma", "weight", TORCH_SAME, 0, 1, NULL},
    {"layer_norm", "beta", "bias", TORCH_SAME, 0, 1, NULL},
    {"embedding", "weight", "weight", TORCH_SAME, 0, 1, NULL},
    {"lstm", "weight", "weight_ih_l0", TORCH_DENSE, 0, 1, NULL},
    {"lstm", "recurrent", "weight_hh_l0", TORCH_DENSE, 0, 1, NULL},
    {"lstm", "bias", "bias_ih_l0", TORCH_SAME, 0, 1, "bias_hh_l0"},
    {"lstm", "weight_back", "weight_ih_l0_reverse", TORCH_DENSE, 0, 1, NULL},
    {"lstm", "recurrent_back", "weight_hh_l0_reverse", TORCH_DENSE, 0, 1, NULL},
    {"lstm", "bias_back", "bias_ih_l0_reverse", TORCH_SAME, 0, 1,
     "bias_hh_l0_reverse"},
    {"gru", "weight", "weight_ih_l0", TORCH_DENSE, 0, 1, NULL},
    {"gru", "recurrent", "weight_hh_l0", TORCH_DENSE, 0, 1, NULL},
    {"gru", "bias", "bias_ih_l0", TORCH_SAME, 0, 1, NULL},
    {"gru", "recurrent_bias", "bias_hh_l0", TORCH_SAME, 0, 1, NULL},
    {"gru", "weight_back", "weight_ih_l0_reverse", TORCH_DENSE, 0, 1, NULL},
    {"gru", "recurrent_back", "weight_hh_l0_reverse", TORCH_DENSE, 0, 1, NULL},
    {"gru", "bias_back", "bias_ih_l0_reverse", TORCH_SAME, 0, 1, NULL},
    {"gru", "recurrent_bias_back", "bias_hh_l0_reverse", TORCH_SAME, 0, 1,
     NULL},
    {"attention", "query.weight", "in_proj_weight", TORCH_DENSE, 0, 3, NULL},
    {"attention", "key.weight", "in_proj_weight", TORCH_DENSE, 1, 3, NULL},
    {"attention", "value.weight", "in_proj_weight", TORCH_DENSE, 2, 3, NULL},
    {"attention", "query.bias", "in_proj_bias", TORCH_SAME, 0, 3, NULL},
    {"attention", "key.bias", "in_proj_bias", TORCH_SAME, 1, 3, NULL},
    {"attention", "value.bias", "in_proj_bias", TORCH_SAME, 2, 3, NULL},
    {"attention", "output.weight", "out_proj.weight", TORCH_DENSE, 0, 1, NULL},
    {"attention", "output.bias", "out_proj.bias", TORCH_SAME, 0, 1, NULL},
};

struct str torch_own_suffix(const struct nn_graph *g, const struct nn_param *p)
{
    size_t skip = g->layers.p[p->layer].name.len + 1;
    return str_n(p->name.p + skip, p->name.len - skip);
}

const struct torch_place *torch_place_of(const struct nn_graph *g,
                                         const struct nn_param *p)
{
    const char *kind = g->layers.p[p->layer].kind;
    for (size_t i = 0; i < sizeof(places) / sizeof(*places); i++)
        if (strcmp(places[i].kind, kind) == 0 &&
            str_is(torch_own_suffix(g, p), places[i].ours))
            return &places[i];
    return NULL;
}

int64_t torch_index(const struct nn_param *p, const struct torch_place *place,
                    const int64_t *order, int64_t i)
{
    const struct nn_shape *s = &p->shape;
    if (place->turn == TORCH_SAME)
        return order ? order[i] : i;
    int64_t outputs = s->dim[s->rank - 1], inputs = s->dim[s->rank - 2];
    int64_t taps = p->count / (outputs * inputs);
    int64_t out = i % outputs, in = i / outputs % inputs;
    int64_t tap = i / outputs / inputs;
    if (place->turn == TORCH_DECONV)
        return (in * outputs + out) * taps + tap;
    return (out * inputs + (order ? order[in] : in)) * taps + tap;
}

struct nn_shape torch_shape(const struct nn_param *p,
                            const struct torch_place *place)
{
    struct nn_shape s = p->shape;
    int kernel = s.rank - 2;
    if (place->turn != TORCH_SAME) {
        bool swap = place->turn == TORCH_DECONV;
        s.dim[0] = p->shape.dim[swap ? kernel : kernel + 1];
        s.dim[1] = p->shape.dim[swap ? kernel + 1 : kernel];
        for (int i = 0; i < kernel; i++)
            s.dim[2 + i] = p->shape.dim[i];
    }
    s.dim[0] *= place->pieces;
    return s;
}

/* ---- channels first ------------------------------------------------------ */

struct ordering {
    const struct nn_graph *graph;
    struct arena *arena;
    const int64_t **orders;
    const char *path;
    struct err *err;
};

static int refuse(struct ordering *o, const struct nn_op *op)
{
    struct str name = o->graph->layers.p[op->layer].name;
    return err_set(o->err, ERR_INPUT,
                   "%s: the layer %.*s takes numbers that lie in another order "
                   "where channels come first, as PyTorch has them: such a "
                   "model goes neither to nor from it",
                   o->path, STRF(name));
}

static bool is_input(const struct ordering *o, int tensor)
{
    return o->graph->tensors.p[tensor].op < 0;
}

/* Spatial places and channels of an image; false: the order is the same. */
static bool turns(const struct nn_shape *s, int64_t *places_of,
                  int64_t *channels)
{
    *channels = s->rank ? s->dim[s->rank - 1] : 1;
    *places_of = nn_shape_count(s) / (*channels ? *channels : 1);
    return s->rank > 1 && *channels > 1 && *places_of > 1;
}

static int order_reshape(struct ordering *o, const struct nn_op *op)
{
    const struct nn_shape *from = &o->graph->tensors.p[op->in[0]].shape;
    const struct nn_shape *to = &o->graph->tensors.p[op->out].shape;
    int64_t spots, channels, count = nn_shape_count(from);
    if (nn_shape_eq(from, to) || is_input(o, op->in[0])) {
        o->orders[op->out] = o->orders[op->in[0]];
        return 0;
    }
    if (turns(to, &spots, &channels) || o->orders[op->in[0]])
        return refuse(o, op);
    if (!turns(from, &spots, &channels) || to->rank != 1)
        return turns(from, &spots, &channels) ? refuse(o, op) : 0;
    int64_t *order = arena_array(o->arena, (size_t)count, sizeof(*order));
    for (int64_t j = 0; j < count; j++)
        order[j] = j % channels * spots + j / channels;
    o->orders[op->out] = order;
    return 0;
}

static int64_t width_of(const struct ordering *o, int tensor)
{
    const struct nn_shape *s = &o->graph->tensors.p[tensor].shape;
    return s->rank ? s->dim[s->rank - 1] : 1;
}

static int order_concat(struct ordering *o, const struct nn_op *op)
{
    int64_t at = 0, total = width_of(o, op->out);
    int64_t *order = arena_array(o->arena, (size_t)total, sizeof(*order));
    bool any = false;
    for (int i = 0; i < op->in_count; i++) {
        int64_t wide = width_of(o, op->in[i]);
        const int64_t *one = o->orders[op->in[i]];
        any = any || one;
        for (int64_t j = 0; j < wide; j++)
            order[at + j] = at + (one ? one[j] : j);
        at += wide;
    }
    o->orders[op->out] = any ? order : NULL;
    return 0;
}

static int order_merged(struct ordering *o, const struct nn_op *op)
{
    const int64_t *first = o->orders[op->in[0]];
    size_t bytes = (size_t)width_of(o, op->out) * sizeof(*first);
    for (int i = 1; i < op->in_count; i++) {
        const int64_t *other = o->orders[op->in[i]];
        if (!first != !other || (first && memcmp(first, other, bytes) != 0))
            return refuse(o, op);
    }
    o->orders[op->out] = first;
    return 0;
}

static int order_op(struct ordering *o, const struct nn_op *op)
{
    switch (op->kind) {
    case NN_OP_RESHAPE:
        return order_reshape(o, op);
    case NN_OP_CONCAT:
        return order_concat(o, op);
    case NN_OP_ADD:
    case NN_OP_MULTIPLY:
        return order_merged(o, op);
    case NN_OP_ACTIVATION:
    case NN_OP_DROPOUT:
    case NN_OP_BATCH_NORM:
    case NN_OP_LAYER_NORM:
        o->orders[op->out] = o->orders[op->in[0]];
        return 0;
    case NN_OP_DENSE: /* its rows follow the order, its outputs have none */
        return 0;
    default:
        return o->orders[op->in[0]] ? refuse(o, op) : 0;
    }
}

const int64_t *const *torch_orders(const struct nn_graph *g, struct arena *a,
                                   const char *path, struct err *err)
{
    struct ordering o = {.graph = g, .arena = a, .path = path, .err = err};
    o.orders = arena_array(a, g->tensors.len + 1, sizeof(*o.orders));
    for (size_t i = 0; i < g->ops.len; i++)
        if (order_op(&o, &g->ops.p[i]))
            return NULL;
    return o.orders;
}

const int64_t *torch_order_of(const struct nn_graph *g,
                              const int64_t *const *orders, int param)
{
    for (size_t i = 0; i < g->ops.len; i++) {
        const struct nn_op *op = &g->ops.p[i];
        bool norm =
            op->kind == NN_OP_BATCH_NORM || op->kind == NN_OP_LAYER_NORM;
        for (int k = 0; k < NN_OP_PARAMS_MAX; k++)
            if (op->param[k] == param)
                return norm || (op->kind == NN_OP_DENSE && k == 0)
                           ? orders[op->in[0]]
                           : NULL;
    }
    return NULL;
}
