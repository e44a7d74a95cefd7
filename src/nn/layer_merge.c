/* layer_merge.c - layers that make one tensor of several */
#include "nn/build.h"

/* `to` is as the other one but for the last axis, where that is free. */
static bool fits(const struct nn_shape *one, const struct nn_shape *other,
                 bool last_free)
{
    int axes = one->rank - (last_free ? 1 : 0);
    if (one->rank != other->rank || one->rank < 1)
        return false;
    for (int i = 0; i < axes; i++)
        if (one->dim[i] != other->dim[i])
            return false;
    return true;
}

/* The name of the layer or input that the i-th input comes from. */
static struct str source_name(const struct nn_build *b, int i)
{
    int from = b->graph->layers.p[b->layer].from[i];
    return from < 0 ? b->graph->inputs.p[-1 - from].name
                    : b->graph->layers.p[from].name;
}

static void fault_shapes(struct nn_build *b, const int *in, int i,
                         const char *verb)
{
    struct str first = source_name(b, 0), other = source_name(b, i);
    struct buf one, two;
    buf_init(&one);
    buf_init(&two);
    nn_shape_print(&one, nn_shape_of(b, in[0]));
    nn_shape_print(&two, nn_shape_of(b, in[i]));
    nn_fault(b, "from", "%.*s cannot %s %.*s of shape %s and %.*s of shape %s",
             STRF(b->graph->layers.p[b->layer].name), verb, STRF(first), one.p,
             STRF(other), two.p);
    buf_done(&one);
    buf_done(&two);
}

static int build_merge(struct nn_build *b, const int *in, int in_count,
                       enum nn_op_kind kind, const char *verb)
{
    struct nn_op op = nn_op_of(kind);
    struct nn_shape shape = *nn_shape_of(b, in[0]);
    bool concat = kind == NN_OP_CONCAT;
    for (int i = 0; i < in_count; i++) {
        const struct nn_shape *other = nn_shape_of(b, in[i]);
        if (!fits(&shape, other, concat)) {
            fault_shapes(b, in, i, verb);
            return -1;
        }
        if (b->graph->tensors.p[in[i]].integers) {
            nn_fault(b, "from", "%.*s takes numbers, not category numbers",
                     STRF(b->graph->layers.p[b->layer].name));
            return -1;
        }
        if (concat && i > 0)
            shape.dim[shape.rank - 1] += other->dim[other->rank - 1];
        op.in[i] = in[i];
    }
    op.in_count = in_count;
    return nn_add_op(b, op, &shape);
}

static int build_add(struct nn_build *b, const struct value *o, const int *in,
                     int in_count)
{
    (void)o;
    return build_merge(b, in, in_count, NN_OP_ADD, "add");
}

static int build_multiply(struct nn_build *b, const struct value *o,
                          const int *in, int in_count)
{
    (void)o;
    return build_merge(b, in, in_count, NN_OP_MULTIPLY, "multiply");
}

static int build_concat(struct nn_build *b, const struct value *o,
                        const int *in, int in_count)
{
    (void)o;
    return build_merge(b, in, in_count, NN_OP_CONCAT, "join");
}

static const char *const no_keys[] = {NULL};

const struct nn_layer_kind nn_layers_merge[] = {
    {"add", NULL, no_keys, 2, NN_INPUTS_MAX, build_add,
     "the sum of layers of one shape"},
    {"multiply", NULL, no_keys, 2, NN_INPUTS_MAX, build_multiply,
     "the product of layers of one shape"},
    {"concat", NULL, no_keys, 2, NN_INPUTS_MAX, build_concat,
     "layers side by side on the last axis"},
    {NULL, NULL, NULL, 0, 0, NULL, NULL},
};
