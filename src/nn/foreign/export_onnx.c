/* export_onnx.c - a model with its weights as an ONNX graph
 *
 * Tensors keep throng's order, channels last, so that inputs and outputs are
 * those of `predict`; around the operators that want channels first stands a
 * Transpose. Dropout and noise are left out: a graph predicts. */
#include <math.h>
#include <stdlib.h>

#include "data/data.h"
#include "nn/foreign/export.h"
#include "nn/foreign/onnx.h"

struct exporting {
    const struct nn_graph *graph;
    const double *numbers;
    struct onnx onnx;
    int *of; /* by tensor of the graph */
    const char *path;
    struct err *err;
};

static int lacks(struct exporting *e, const struct nn_op *op, const char *what)
{
    struct str name = e->graph->layers.p[op->layer].name;
    return err_set(e->err, ERR_INPUT, "%s: the layer %.*s %s", e->path,
                   STRF(name), what);
}

static const struct nn_shape *shape_of(const struct exporting *e, int tensor)
{
    return &e->graph->tensors.p[tensor].shape;
}

static const struct nn_param *param_of(const struct exporting *e,
                                       const struct nn_op *op, int k)
{
    return op->param[k] < 0 ? NULL : &e->graph->params.p[op->param[k]];
}

static int constant(struct exporting *e, const struct nn_param *p)
{
    return onnx_floats(&e->onnx, p->shape.rank, p->shape.dim,
                       e->numbers + p->offset);
}

/* x + the parameter, where there is one. */
static int plus(struct exporting *e, int x, const struct nn_param *p)
{
    return p ? onnx_two(&e->onnx, "Add", x, constant(e, p)) : x;
}

/* ---- channels first and back --------------------------------------------- */

static int transpose(struct exporting *e, int x, const int64_t *axes, int rank)
{
    struct onnx_node n = onnx_node_of("Transpose");
    n.in[0] = x;
    n.in_count = 1;
    onnx_say_ints(&n, "perm", axes, rank);
    return onnx_add(&e->onnx, &n);
}

/* rank is that of a row: 2 for a sequence, 3 for an image. */
static int to_first(struct exporting *e, int x, int rank)
{
    static const int64_t steps[] = {0, 2, 1}, image[] = {0, 3, 1, 2};
    return transpose(e, x, rank == 2 ? steps : image, rank + 1);
}

static int to_last(struct exporting *e, int x, int rank)
{
    static const int64_t steps[] = {0, 2, 1}, image[] = {0, 2, 3, 1};
    return transpose(e, x, rank == 2 ? steps : image, rank + 1);
}

/* Sizes of a window by axis: a sequence has the second alone. */
static void say_sizes(struct onnx_node *n, const char *name,
                      const int64_t sizes[2], int axes)
{
    onnx_say_ints(n, name, sizes + 2 - axes, axes);
}

static void say_pads(struct onnx_node *n, const struct nn_window *w, int axes)
{
    int64_t pads[4];
    for (int i = 0; i < axes; i++) {
        pads[i] = w->before[2 - axes + i];
        pads[axes + i] = w->after[2 - axes + i];
    }
    onnx_say_ints(n, "pads", pads, 2 * axes);
}

/* The weight as ONNX has it: as PyTorch. */
static int turned_weight(struct exporting *e, const struct nn_param *p,
                         enum torch_turn turn)
{
    const struct torch_place place = {.turn = turn, .pieces = 1};
    struct nn_shape shape = torch_shape(p, &place);
    double *to = xcalloc((size_t)p->count + 1, sizeof(*to));
    for (int64_t i = 0; i < p->count; i++)
        to[torch_index(p, &place, NULL, i)] = e->numbers[p->offset + i];
    int made = onnx_floats(&e->onnx, shape.rank, shape.dim, to);
    free(to);
    return made;
}

static int add_window(struct exporting *e, const struct nn_op *op,
                      struct onnx_node *n, bool weights)
{
    int rank = shape_of(e, op->in[0])->rank, axes = rank - 1;
    const struct nn_window *w = &op->window;
    n->in[0] = to_first(e, e->of[op->in[0]], rank);
    n->in_count = 1;
    say_sizes(n, "kernel_shape", w->kernel, axes);
    say_sizes(n, "strides", w->stride, axes);
    say_pads(n, w, axes);
    if (weights) {
        bool turned = op->kind == NN_OP_DECONV;
        n->in[n->in_count++] = turned_weight(
            e, param_of(e, op, 0), turned ? TORCH_DECONV : TORCH_CONV);
        if (param_of(e, op, 1))
            n->in[n->in_count++] = constant(e, param_of(e, op, 1));
        say_sizes(n, "dilations", w->dilation, axes);
        onnx_say_int(n, "group", w->groups);
    }
    return to_last(e, onnx_add(&e->onnx, n), rank);
}

static int put_conv(struct exporting *e, const struct nn_op *op)
{
    struct onnx_node n =
        onnx_node_of(op->kind == NN_OP_CONV ? "Conv" : "ConvTranspose");
    if (op->kind == NN_OP_DECONV) { /* a stride that is longer: bias behind */
        int64_t more[2];
        for (int i = 0; i < 2; i++)
            more[i] = op->window.stride[i] > op->window.kernel[i]
                          ? op->window.stride[i] - op->window.kernel[i]
                          : 0;
        onnx_say_ints(&n, "output_padding", more, 2);
    }
    e->of[op->out] = add_window(e, op, &n, true);
    return 0;
}

static int put_pool(struct exporting *e, const struct nn_op *op)
{
    struct onnx_node n = onnx_node_of(op->average ? "AveragePool" : "MaxPool");
    e->of[op->out] = add_window(e, op, &n, false);
    return 0;
}

static int put_pool_all(struct exporting *e, const struct nn_op *op)
{
    static const int64_t axes[] = {1, 2};
    if (e->graph->tensors.p[op->in[0]].lengths >= 0)
        return lacks(e, op, "leaves padding out, which a graph does not know");
    struct onnx_node n = onnx_node_of(op->average ? "ReduceMean" : "ReduceMax");
    n.in[0] = e->of[op->in[0]];
    n.in_count = 1;
    onnx_say_ints(&n, "axes", axes, shape_of(e, op->in[0])->rank - 1);
    onnx_say_int(&n, "keepdims", 0);
    e->of[op->out] = onnx_add(&e->onnx, &n);
    return 0;
}

/* ---- numbers as they are ------------------------------------------------- */

static int put_dense(struct exporting *e, const struct nn_op *op)
{
    int x = onnx_two(&e->onnx, "MatMul", e->of[op->in[0]],
                     constant(e, param_of(e, op, 0)));
    e->of[op->out] = plus(e, x, param_of(e, op, 1));
    return 0;
}

/* By the running mean and variance: one product and one sum. */
static int put_batch_norm(struct exporting *e, const struct nn_op *op)
{
    const struct nn_param *gamma = param_of(e, op, 0);
    int64_t count = gamma->count;
    double *by = xcalloc((size_t)count, sizeof(*by));
    double *plus_it = xcalloc((size_t)count, sizeof(*plus_it));
    const double *mean = e->numbers + param_of(e, op, 2)->offset;
    const double *variance = e->numbers + param_of(e, op, 3)->offset;
    for (int64_t i = 0; i < count; i++) {
        by[i] = e->numbers[gamma->offset + i] / sqrt(variance[i] + op->epsilon);
        plus_it[i] =
            e->numbers[param_of(e, op, 1)->offset + i] - mean[i] * by[i];
    }
    int x = onnx_two(&e->onnx, "Mul", e->of[op->in[0]],
                     onnx_floats(&e->onnx, 1, &count, by));
    e->of[op->out] =
        onnx_two(&e->onnx, "Add", x, onnx_floats(&e->onnx, 1, &count, plus_it));
    free(by);
    free(plus_it);
    return 0;
}

static int mean_of_last(struct exporting *e, int x)
{
    static const int64_t last = -1;
    struct onnx_node n = onnx_node_of("ReduceMean");
    n.in[0] = x;
    n.in_count = 1;
    onnx_say_ints(&n, "axes", &last, 1);
    onnx_say_int(&n, "keepdims", 1);
    return onnx_add(&e->onnx, &n);
}

static int put_layer_norm(struct exporting *e, const struct nn_op *op)
{
    struct onnx *o = &e->onnx;
    int x = e->of[op->in[0]];
    int off = onnx_two(o, "Sub", x, mean_of_last(e, x));
    int variance = mean_of_last(e, onnx_two(o, "Mul", off, off));
    int spread = onnx_one(
        o, "Sqrt", onnx_two(o, "Add", variance, onnx_float(o, op->epsilon)));
    int scaled = onnx_two(o, "Mul", onnx_two(o, "Div", off, spread),
                          constant(e, param_of(e, op, 0)));
    e->of[op->out] = plus(e, scaled, param_of(e, op, 1));
    return 0;
}

static int with_alpha(struct exporting *e, const char *op, int x, double alpha)
{
    struct onnx_node n = onnx_node_of(op);
    n.in[0] = x;
    n.in_count = 1;
    onnx_say_float(&n, "alpha", alpha);
    return onnx_add(&e->onnx, &n);
}

static int softmax(struct exporting *e, int x)
{
    struct onnx_node n = onnx_node_of("Softmax");
    n.in[0] = x;
    n.in_count = 1;
    onnx_say_int(&n, "axis", -1);
    return onnx_add(&e->onnx, &n);
}

static int clipped(struct exporting *e, int x)
{
    struct onnx_node n = onnx_node_of("Clip");
    n.in[0] = x;
    n.in[1] = onnx_float(&e->onnx, 0);
    n.in[2] = onnx_float(&e->onnx, 6);
    n.in_count = 3;
    return onnx_add(&e->onnx, &n);
}

/* x/2 · (1 + erf(x/√2)) */
static int gelu(struct exporting *e, int x)
{
    struct onnx *o = &e->onnx;
    int part =
        onnx_one(o, "Erf", onnx_two(o, "Mul", x, onnx_float(o, sqrt(0.5))));
    int half = onnx_two(o, "Mul", x, onnx_float(o, 0.5));
    return onnx_two(o, "Mul", half, onnx_two(o, "Add", part, onnx_float(o, 1)));
}

static int activated(struct exporting *e, const struct nn_op *op, int x)
{
    static const char *const plain[NN_ACTIVATION_COUNT] = {
        [NN_LINEAR] = "Identity", [NN_RELU] = "Relu",
        [NN_SELU] = "Selu",       [NN_SIGMOID] = "Sigmoid",
        [NN_TANH] = "Tanh",       [NN_SOFTPLUS] = "Softplus"};
    switch (op->activation) {
    case NN_RELU6:
        return clipped(e, x);
    case NN_LEAKY_RELU:
        return with_alpha(e, "LeakyRelu", x, op->a);
    case NN_ELU:
        return with_alpha(e, "Elu", x, op->a);
    case NN_GELU:
        return gelu(e, x);
    case NN_SWISH:
        return onnx_two(&e->onnx, "Mul", x, onnx_one(&e->onnx, "Sigmoid", x));
    case NN_SOFTMAX:
        return softmax(e, x);
    default:
        return onnx_one(&e->onnx, plain[op->activation], x);
    }
}

static int put_activation(struct exporting *e, const struct nn_op *op)
{
    e->of[op->out] = activated(e, op, e->of[op->in[0]]);
    return 0;
}

/* Dropout, and the mean of a draw. */
static int put_nothing(struct exporting *e, const struct nn_op *op)
{
    if (op->permanent)
        return lacks(e, op, "draws when it predicts: a graph does not");
    e->of[op->out] = e->of[op->in[0]];
    return 0;
}

/* ---- shapes and several inputs ------------------------------------------- */

static int reshape_to(struct exporting *e, int x, const int64_t *dims,
                      int count)
{
    return onnx_two(&e->onnx, "Reshape", x, onnx_ints(&e->onnx, dims, count));
}

static int put_reshape(struct exporting *e, const struct nn_op *op)
{
    const struct nn_shape *to = shape_of(e, op->out);
    int64_t dims[NN_RANK_MAX + 1] = {-1};
    memcpy(dims + 1, to->dim, (size_t)to->rank * sizeof(*dims));
    e->of[op->out] = reshape_to(e, e->of[op->in[0]], dims, to->rank + 1);
    return 0;
}

static int put_merged(struct exporting *e, const struct nn_op *op)
{
    const char *name = op->kind == NN_OP_ADD ? "Add" : "Mul";
    int x = e->of[op->in[0]];
    for (int i = 1; i < op->in_count; i++)
        x = onnx_two(&e->onnx, name, x, e->of[op->in[i]]);
    e->of[op->out] = x;
    return 0;
}

static int put_concat(struct exporting *e, const struct nn_op *op)
{
    struct onnx_node n = onnx_node_of("Concat");
    for (int i = 0; i < op->in_count; i++)
        n.in[n.in_count++] = e->of[op->in[i]];
    onnx_say_int(&n, "axis", -1);
    e->of[op->out] = onnx_add(&e->onnx, &n);
    return 0;
}

/* Each step or pixel several times, by an axis of its own behind it. */
static int put_upsample(struct exporting *e, const struct nn_op *op)
{
    const struct nn_shape *s = shape_of(e, op->in[0]);
    const struct nn_shape *to = shape_of(e, op->out);
    int axes = s->rank - 1, x = e->of[op->in[0]];
    int64_t split[8] = {-1}, wide[8] = {1}, whole[5] = {-1};
    int at = 1;
    for (int i = 0; i < axes; i++) {
        split[at] = wide[at] = s->dim[i];
        split[at + 1] = 1;
        wide[at + 1] = op->window.stride[2 - axes + i];
        whole[i + 1] = to->dim[i];
        at += 2;
    }
    split[at] = wide[at] = whole[axes + 1] = s->dim[axes];
    x = reshape_to(e, x, split, at + 1);
    x = onnx_two(&e->onnx, "Expand", x, onnx_ints(&e->onnx, wide, at + 1));
    e->of[op->out] = reshape_to(e, x, whole, axes + 2);
    return 0;
}

static int put_embedding(struct exporting *e, const struct nn_op *op)
{
    enum { INT64 = 7 };
    struct onnx_node n = onnx_node_of("Cast");
    n.in[0] = e->of[op->in[0]];
    n.in_count = 1;
    onnx_say_int(&n, "to", INT64);
    e->of[op->out] =
        onnx_two(&e->onnx, "Gather", constant(e, param_of(e, op, 0)),
                 onnx_add(&e->onnx, &n));
    return 0;
}

/* ---- steps --------------------------------------------------------------- */

/* Which of ours each gate of ONNX is: input, output, forget, cell; update,
 * reset, new. */
static const int lstm_gates[] = {0, 3, 1, 2}, gru_gates[] = {1, 0, 2};

/* [rows, gates × units] as [1, gates × units, rows], gates in that order. */
static int gated_weight(struct exporting *e, const struct nn_param *p,
                        const int *gates, int64_t units)
{
    int64_t rows = p->shape.dim[0], columns = p->shape.dim[1];
    int64_t dim[] = {1, columns, rows};
    double *to = xcalloc((size_t)p->count, sizeof(*to));
    for (int64_t c = 0; c < columns; c++)
        for (int64_t r = 0; r < rows; r++)
            to[c * rows + r] = e->numbers[p->offset + r * columns +
                                          gates[c / units] * units + c % units];
    int made = onnx_floats(&e->onnx, 3, dim, to);
    free(to);
    return made;
}

static int gated_bias(struct exporting *e, const struct nn_op *op,
                      const int *gates)
{
    const struct nn_param *one = param_of(e, op, 2), *two = param_of(e, op, 3);
    int64_t half = one->count, dim[] = {1, 2 * half};
    double *to = xcalloc((size_t)dim[1], sizeof(*to));
    for (int64_t i = 0; i < half; i++) {
        int64_t from = gates[i / op->units] * op->units + i % op->units;
        to[i] = e->numbers[one->offset + from];
        to[half + i] = two ? e->numbers[two->offset + from] : 0;
    }
    int made = onnx_floats(&e->onnx, 2, dim, to);
    free(to);
    return made;
}

/* Steps come first there: [steps, batch, features]. */
static int put_recurrent(struct exporting *e, const struct nn_op *op)
{
    static const int64_t turned[] = {1, 0, 2}, back[] = {2, 0, 1, 3};
    bool lstm = op->kind == NN_OP_LSTM;
    const int *gates = lstm ? lstm_gates : gru_gates;
    const struct nn_shape *s = shape_of(e, op->in[0]);
    if (e->graph->tensors.p[op->in[0]].lengths >= 0)
        return lacks(e, op, "leaves padding out, which a graph does not know");
    struct onnx_node n = onnx_node_of(lstm ? "LSTM" : "GRU");
    n.in[0] = transpose(e, e->of[op->in[0]], turned, 3);
    n.in[1] = gated_weight(e, param_of(e, op, 0), gates, op->units);
    n.in[2] = gated_weight(e, param_of(e, op, 1), gates, op->units);
    n.in[3] = gated_bias(e, op, gates);
    n.in_count = 4;
    n.outputs = 2;
    onnx_say_int(&n, "hidden_size", op->units);
    onnx_say_text(&n, "direction", op->backwards ? "reverse" : "forward");
    if (!lstm)
        onnx_say_int(&n, "linear_before_reset", 1);
    int all = onnx_add(&e->onnx, &n);
    int64_t steps[] = {-1, s->dim[0], op->units}, last[] = {-1, op->units};
    e->of[op->out] = op->sequence
                         ? reshape_to(e, transpose(e, all, back, 4), steps, 3)
                         : reshape_to(e, all + 1, last, 2);
    return 0;
}

/* [batch, steps, units] as [batch, heads, steps, units / heads]. */
static int by_heads(struct exporting *e, int tensor, int64_t heads, bool turned)
{
    static const int64_t ahead[] = {0, 2, 1, 3}, across[] = {0, 2, 3, 1};
    const struct nn_shape *s = shape_of(e, tensor);
    int64_t dims[] = {-1, s->dim[0], heads, s->dim[1] / heads};
    return transpose(e, reshape_to(e, e->of[tensor], dims, 4),
                     turned ? across : ahead, 4);
}

static int hidden_steps(struct exporting *e, int64_t steps, int64_t others)
{
    int64_t dim[] = {steps, others};
    double *hide = xcalloc((size_t)(steps * others), sizeof(*hide));
    for (int64_t i = 0; i < steps; i++)
        for (int64_t k = i + 1; k < others; k++)
            hide[i * others + k] = -1e30;
    int made = onnx_floats(&e->onnx, 2, dim, hide);
    free(hide);
    return made;
}

static int put_attention(struct exporting *e, const struct nn_op *op)
{
    static const int64_t back[] = {0, 2, 1, 3};
    struct onnx *o = &e->onnx;
    const struct nn_shape *to = shape_of(e, op->out);
    int64_t heads = op->units, others = shape_of(e, op->in[1])->dim[0];
    int64_t dims[] = {-1, to->dim[0], to->dim[1]};
    double scale = 1 / sqrt((double)(to->dim[1] / heads));
    if (e->graph->tensors.p[op->in[1]].lengths >= 0)
        return lacks(e, op, "leaves padding out, which a graph does not know");
    int scores = onnx_two(o, "MatMul", by_heads(e, op->in[0], heads, false),
                          by_heads(e, op->in[1], heads, true));
    scores = onnx_two(o, "Mul", scores, onnx_float(o, scale));
    if (op->causal)
        scores =
            onnx_two(o, "Add", scores, hidden_steps(e, to->dim[0], others));
    int seen = onnx_two(o, "MatMul", softmax(e, scores),
                        by_heads(e, op->in[2], heads, false));
    e->of[op->out] = reshape_to(e, transpose(e, seen, back, 4), dims, 3);
    return 0;
}

/* ---- the graph ----------------------------------------------------------- */

static int (*const put[NN_OP_COUNT])(struct exporting *e,
                                     const struct nn_op *op) = {
    [NN_OP_DENSE] = put_dense,
    [NN_OP_CONV] = put_conv,
    [NN_OP_DECONV] = put_conv,
    [NN_OP_POOL] = put_pool,
    [NN_OP_POOL_ALL] = put_pool_all,
    [NN_OP_BATCH_NORM] = put_batch_norm,
    [NN_OP_LAYER_NORM] = put_layer_norm,
    [NN_OP_ACTIVATION] = put_activation,
    [NN_OP_DROPOUT] = put_nothing,
    [NN_OP_EMBEDDING] = put_embedding,
    [NN_OP_LSTM] = put_recurrent,
    [NN_OP_GRU] = put_recurrent,
    [NN_OP_ATTENTION] = put_attention,
    [NN_OP_SAMPLE] = put_nothing,
    [NN_OP_ADD] = put_merged,
    [NN_OP_MULTIPLY] = put_merged,
    [NN_OP_CONCAT] = put_concat,
    [NN_OP_RESHAPE] = put_reshape,
    [NN_OP_UPSAMPLE] = put_upsample,
};

static int from_floats(struct exporting *e, const struct nn_shape *row,
                       const float *numbers)
{
    int64_t count = nn_shape_count(row);
    double *wide = xcalloc((size_t)count + 1, sizeof(*wide));
    for (int64_t i = 0; i < count; i++)
        wide[i] = (double)numbers[i];
    int made = onnx_floats(&e->onnx, row->rank, row->dim, wide);
    free(wide);
    return made;
}

/* (x - shift) × scale, as the training rows had it. */
static int scaled(struct exporting *e, int x, const struct nn_input *in,
                  const struct data_view *v)
{
    const struct nn_shape *row = shape_of(e, in->tensor);
    if (!v || !v->shift || !v->shift[in->field])
        return x;
    int shift = from_floats(e, row, v->shift[in->field]);
    int scale = from_floats(e, row, v->scale[in->field]);
    return onnx_two(&e->onnx, "Mul", onnx_two(&e->onnx, "Sub", x, shift),
                    scale);
}

static int put_graph(struct exporting *e, const struct data_view *view)
{
    const struct nn_graph *g = e->graph;
    int rc = 0;
    for (size_t i = 0; i < g->inputs.len; i++) {
        const struct nn_input *in = &g->inputs.p[i];
        int x = onnx_input(&e->onnx, in->name, shape_of(e, in->tensor));
        e->of[in->tensor] = scaled(e, x, in, view);
    }
    for (size_t i = 0; !rc && i < g->ops.len; i++)
        rc = put[g->ops.p[i].kind](e, &g->ops.p[i]);
    for (size_t i = 0; !rc && i < g->heads.len; i++)
        onnx_output(&e->onnx, e->of[g->heads.p[i].output], g->heads.p[i].name,
                    shape_of(e, g->heads.p[i].output));
    return rc;
}

int nn_export_onnx(const struct nn_model *m, const char *path,
                   const struct data_view *view, struct buf *file,
                   struct err *err)
{
    struct exporting e = {.graph = &m->graph, .path = path, .err = err};
    double *numbers = export_numbers(&m->graph, path, err);
    int rc = -1;
    if (!numbers)
        return -1;
    e.numbers = numbers;
    e.of = xcalloc(m->graph.tensors.len + 1, sizeof(*e.of));
    onnx_init(&e.onnx);
    rc = put_graph(&e, view);
    if (!rc)
        onnx_print(&e.onnx, file);
    onnx_done(&e.onnx);
    free(e.of);
    free(numbers);
    return rc;
}
