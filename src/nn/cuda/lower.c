/* lower.c - a model as launches of kernels
 *
 * One function for each kind of operation says which kernels it is, forward
 * and backward; a table lists them. */
#include "nn/cuda/lowering.h"

#include <stdlib.h>

#include "nn/judge.h"

#define FRAME_UNIT 32 /* numbers: every tensor begins a line of memory */

/* ---- who makes a tensor, and who takes it ------------------------------- */

/* The tensor whose memory this one has. */
static int root_of(const struct lowered *l, int tensor)
{
    for (size_t i = l->program.op_count; i-- > 0;) {
        const struct nn_op *op = &l->program.ops[i];
        if (op->out == tensor && nn_op_facts[op->kind].same_memory)
            tensor = op->in[0];
    }
    return tensor;
}

/* NULL: it is an input. */
static const struct nn_op *maker_of(const struct lowered *l, int tensor)
{
    for (size_t i = 0; i < l->program.op_count; i++)
        if (l->program.ops[i].out == tensor)
            return &l->program.ops[i];
    return NULL;
}

static bool feeds_a_head(const struct lowered *l, int tensor)
{
    const struct nn_graph *g = l->program.graph;
    for (size_t i = 0; i < g->heads.len; i++) {
        const struct nn_head *h = &g->heads.p[i];
        if (root_of(l, h->logits) == tensor ||
            (h->second >= 0 && root_of(l, h->second) == tensor))
            return true;
    }
    return false;
}

/* The operation that alone takes a tensor and makes its gradient, or NULL. */
static const struct nn_op *taker_of(const struct lowered *l, int tensor)
{
    const struct nn_op *taker = NULL;
    int takers = 0;
    for (size_t i = 0; i < l->program.op_count; i++) {
        const struct nn_op *op = &l->program.ops[i];
        if (!l->program.live[i] || nn_op_facts[op->kind].same_memory)
            continue;
        for (int k = 0; k < op->in_count; k++)
            if (root_of(l, op->in[k]) == tensor) {
                taker = op;
                takers++;
            }
    }
    return takers == 1 && !feeds_a_head(l, tensor) ? taker : NULL;
}

/* Whether a head reads the tensor itself. */
static bool is_of_a_head(const struct lowered *l, int tensor)
{
    const struct nn_graph *g = l->program.graph;
    for (size_t i = 0; i < g->heads.len; i++) {
        const struct nn_head *h = &g->heads.p[i];
        if (h->output == tensor || h->logits == tensor || h->second == tensor)
            return true;
    }
    return false;
}

const struct nn_op *lower_only_taker(const struct lowered *l, int tensor)
{
    const struct nn_op *taker = NULL;
    int takers = 0;
    for (size_t i = 0; i < l->program.op_count; i++)
        for (int k = 0; k < l->program.ops[i].in_count; k++)
            if (l->program.ops[i].in[k] == tensor) {
                taker = &l->program.ops[i];
                takers++;
            }
    return takers == 1 && !is_of_a_head(l, tensor) ? taker : NULL;
}

/* A pooling has done it. */
static bool is_done_by_pool(const struct lowered *l, const struct nn_op *op)
{
    const struct nn_op *maker = maker_of(l, op->in[0]);
    return maker && lower_pool_dropout(l, maker) == op;
}

/* ---- where things lie ---------------------------------------------------- */

/* Whether all that take a tensor are large dense layers. */
static bool is_taken_wide(const struct lowered *l, int tensor)
{
    int takers = 0;
    for (size_t i = 0; i < l->program.op_count; i++) {
        const struct nn_op *op = &l->program.ops[i];
        for (int k = 0; k < op->in_count; k++) {
            int out = last_axis(l, op->out);
            if (op->in[k] != tensor)
                continue;
            if (op->kind != NN_OP_DENSE || out % 4 || out < WIDE_LEAST)
                return false;
            takers++;
        }
    }
    return takers > 0 && l->program.batch >= WIDE_LEAST &&
           last_axis(l, tensor) >= WIDE_LEAST;
}

static bool is_input(const struct lowered *l, int tensor)
{
    const struct nn_graph *g = l->program.graph;
    for (size_t i = 0; i < g->inputs.len; i++)
        if (g->inputs.p[i].tensor == tensor)
            return true;
    return false;
}

/* Numbers from one row of a tensor to the next. Rows that are gathered for
 * large dense layers begin in fours; what is between them stays zero. */
static int line_of(const struct lowered *l, int tensor)
{
    int columns = last_axis(l, tensor);
    if (shape_of(l, tensor)->rank != 1 || !is_input(l, tensor) ||
        !is_taken_wide(l, tensor))
        return columns;
    return (columns + 3) / 4 * 4;
}

static int64_t own(struct layout *f, int64_t numbers)
{
    int64_t at = f->numbers;
    f->numbers += (numbers + FRAME_UNIT - 1) / FRAME_UNIT * FRAME_UNIT;
    return at;
}

static void place_tensors(struct lowered *l)
{
    const struct nn_graph *g = l->program.graph;
    struct layout *f = &l->layout;
    int64_t batch = (int64_t)l->program.batch;
    for (size_t i = 0; i < g->tensors.len; i++)
        f->value[i] = f->slope[i] = -1;
    for (size_t i = 0; i < g->inputs.len; i++) {
        int t = g->inputs.p[i].tensor;
        f->value[t] =
            own(f, batch * (count_of(l, t) + line_of(l, t) - last_axis(l, t)));
    }
    for (size_t i = 0; i < l->program.op_count; i++) {
        const struct nn_op *op = &l->program.ops[i];
        if (nn_op_facts[op->kind].same_memory || is_done_by_pool(l, op)) {
            f->value[op->out] = f->value[op->in[0]];
            f->slope[op->out] = f->slope[op->in[0]];
            continue;
        }
        f->value[op->out] = own(f, batch * count_of(l, op->out));
        if (l->program.slope[op->out])
            f->slope[op->out] = own(f, batch * count_of(l, op->out));
    }
}

/* Numbers that an operation keeps, for the whole batch. */
static int64_t kept_of(const struct lowered *l, const struct nn_op *op)
{
    const struct nn_kernel *k = &l->program.kernels->ops[op->kind];
    size_t bytes =
        k->kept ? k->kept(op, l->program.graph, l->program.batch) : 0;
    int64_t numbers = (int64_t)(bytes / sizeof(float));
    return op->kind == NN_OP_BATCH_NORM ? 3 * numbers : numbers;
}

/* Few sums of a great depth: blocks share it, in one order. */
static int dense_parts(const struct lowered *l, const struct nn_op *op)
{
    int64_t in = last_axis(l, op->in[0]), out = last_axis(l, op->out);
    int64_t rows = (int64_t)l->program.batch * count_of(l, op->out) / out;
    int64_t tiles = (rows + WIDE_TILE - 1) / WIDE_TILE *
                    ((out + WIDE_TILE - 1) / WIDE_TILE);
    int64_t parts = in / PART_INPUTS;
    if (tiles > FEW_TILES || parts < 2 || rows < WIDE_LEAST ||
        out < WIDE_LEAST || line_of(l, op->in[0]) % 4 || out % 4)
        return 1;
    return parts > MOST_DENSE_PARTS ? MOST_DENSE_PARTS : (int)parts;
}

/* And what it needs in backward: as much again, weights turned over, parts of
 * sums. */
static int64_t spare_of(const struct lowered *l, const struct nn_op *op)
{
    if (op->kind == NN_OP_CONV)
        return lower_parts(l, op) *
               (l->program.graph->params.p[op->param[0]].count +
                last_axis(l, op->out)); /* the bias's */
    if (op->kind == NN_OP_BATCH_NORM)
        return lower_norm_spare(l, op);
    if (op->kind == NN_OP_DENSE && dense_parts(l, op) > 1)
        return dense_parts(l, op) * (int64_t)l->program.batch *
               count_of(l, op->out);
    if (op->kind == NN_OP_ATTENTION)
        return kept_of(l, op);
    if (op->kind == NN_OP_LSTM || op->kind == NN_OP_GRU)
        return l->program.graph->params.p[op->param[1]].count;
    return 0;
}

static void place_kept(struct lowered *l)
{
    const struct nn_graph *g = l->program.graph;
    struct layout *f = &l->layout;
    for (size_t i = 0; i < l->program.op_count; i++) {
        const struct nn_op *op = &l->program.ops[i];
        int64_t kept = kept_of(l, op);
        f->kept[i] = kept ? own(f, kept) : -1;
        f->spare[i] = spare_of(l, op) ? own(f, spare_of(l, op)) : -1;
    }
    for (size_t i = 0; i < g->heads.len; i++)
        f->labels[i] = own(f, (int64_t)l->program.batch *
                                  count_of(l, g->heads.p[i].logits));
    f->rows = own(f, (int64_t)l->program.batch);
}

static void place_class_weights(struct lowered *l)
{
    const struct nn_graph *g = l->program.graph;
    int64_t at = 0;
    for (size_t i = 0; i < g->heads.len; i++) {
        const struct nn_head *h = &g->heads.p[i];
        l->class_weights[i] = h->class_weights ? at : -1;
        at += h->class_weights ? (int64_t)h->class_count : 0;
    }
}

static void make_layout(struct lowered *l)
{
    const struct nn_graph *g = l->program.graph;
    size_t tensors = g->tensors.len + 1, ops = l->program.op_count + 1;
    l->layout.value = xcalloc(tensors, sizeof(int64_t));
    l->layout.slope = xcalloc(tensors, sizeof(int64_t));
    l->layout.kept = xcalloc(ops, sizeof(int64_t));
    l->layout.spare = xcalloc(ops, sizeof(int64_t));
    l->layout.labels = xcalloc(g->heads.len + 1, sizeof(int64_t));
    l->class_weights = xcalloc(g->heads.len + 1, sizeof(int64_t));
    l->strips = xcalloc(g->params.len + 1, sizeof(bool));
    place_class_weights(l);
    place_tensors(l);
    place_kept(l);
}

/* ---- activation and dropout, in gradients ------------------------------- */

/* What ends in an activation or dropout of its own. */
static bool is_finished(const struct nn_op *op)
{
    return (op->kind == NN_OP_DENSE || op->kind == NN_OP_CONV) &&
           (op->activation != NN_LINEAR || op->rate.index >= 0);
}

/* Whether who takes the output undoes that where it makes the gradient. */
static bool is_undone_by_taker(const struct lowered *l, const struct nn_op *op)
{
    const struct nn_op *taker = is_finished(op) ? taker_of(l, op->out) : NULL;
    return taker && (taker->kind == NN_OP_DENSE || taker->kind == NN_OP_CONV ||
                     taker->kind == NN_OP_POOL);
}

const struct nn_op *lower_undone(const struct lowered *l,
                                 const struct nn_op *op)
{
    const struct nn_op *maker = maker_of(l, root_of(l, op->in[0]));
    return maker && is_undone_by_taker(l, maker) &&
                   taker_of(l, maker->out) == op
               ? maker
               : NULL;
}

static struct gpu_finish undone_before(const struct at *a)
{
    struct gpu_finish none = {.rate = -1};
    const struct nn_op *maker = a->back ? lower_undone(a->l, a->op) : NULL;
    if (!maker)
        return none;
    return (struct gpu_finish){.activation = maker->activation,
                               .rate = maker->rate.index,
                               .draw = maker->draw,
                               .a = (float)maker->a,
                               .permanent = maker->permanent,
                               .on = 1};
}

/* ---- operations ---------------------------------------------------------- */

/* What all operations say. */
static struct gpu_op op_of(const struct at *a)
{
    const struct nn_op *op = a->op;
    const struct layout *f = &a->l->layout;
    struct gpu_op o = {.y = f->value[op->out],
                       .dy = f->slope[op->out],
                       .kept = f->kept[op->number],
                       .spare = f->spare[op->number],
                       .w = param_at(a, 0),
                       .b = param_at(a, 1),
                       .tokens = -1,
                       .inputs = op->in_count,
                       .count = (int)count_of(a->l, op->out),
                       .out = last_axis(a->l, op->out),
                       .in = last_axis(a->l, op->in[0]),
                       .line = line_of(a->l, op->in[0]),
                       .activation = op->activation,
                       .precision = a->l->like->precision,
                       .a = (float)op->a,
                       .rate = op->rate.index,
                       .draw = op->draw,
                       .permanent = op->permanent};
    o.places = o.count / (o.out ? o.out : 1);
    o.before = undone_before(a);
    for (int i = 0; i < op->in_count; i++) {
        o.x[i] = f->value[op->in[i]];
        o.dx[i] = f->slope[op->in[i]];
        o.widths[i] = last_axis(a->l, op->in[i]);
        o.add[i] = a->back ? a->back->add[i] : 0;
    }
    return o;
}

/* Whether nobody but the optimizer asks for the gradient of a parameter, so
 * that who computes it may take the step, too. */
static bool steps_alone(const struct lowered *l, int param, bool masked)
{
    const struct nn_optimizer *o = &l->like->optimizer;
    const struct nn_param *p = &l->program.graph->params.p[param];
    return !masked && o->clip_value.index < 0 && o->clip_norm.index < 0 &&
           p->l1.index < 0 && p->l2.index < 0;
}

/* Operations whose kernels can do so, for their first two parameters. */
static bool can_step(const struct nn_op *op)
{
    return op->kind == NN_OP_DENSE || op->kind == NN_OP_CONV ||
           op->kind == NN_OP_DECONV || op->kind == NN_OP_BATCH_NORM;
}

struct gpu_op lower_stepping(const struct at *a, const struct gpu_op *o,
                             int which)
{
    struct gpu_op stepping = *o;
    stepping.flag = steps_alone(a->l, a->op->param[which], a->masked);
    stepping.kind = (int)a->l->like->optimizer.kind;
    return stepping;
}

void lower_bias(const struct at *a, const struct gpu_op *o)
{
    if (o->b < 0)
        return;
    struct gpu_op bias = lower_stepping(a, o, 1);
    launch_columns(a->list, GPU_sum_columns, o->out, &bias);
}

void lower_unfinish(const struct at *a, const struct gpu_op *o)
{
    if (is_finished(a->op) && !is_undone_by_taker(a->l, a->op))
        launch_each(a->list, GPU_finish_back, a->batch * o->count, o);
}

/* Large enough for tiles of 128, and in fours. */
static bool is_wide(const struct at *a, const struct gpu_op *o)
{
    return o->line % 4 == 0 && o->out % 4 == 0 && o->in >= WIDE_LEAST &&
           o->out >= WIDE_LEAST && a->batch * o->places >= WIDE_LEAST;
}

/* A row of sums for each row that the layer takes. */
static void launch_dense_rows(const struct at *a, enum gpu_kernel kernel,
                              enum gpu_kernel wide, int64_t columns,
                              const struct gpu_op *o)
{
    int64_t rows = a->batch * o->places;
    if (is_wide(a, o))
        launch_tensor(a->list, wide, rows, columns, TENSOR_TILE, o);
    else
        launch_product(a->list, kernel, rows, columns, o);
}

/* Large dense layers with Adam, whose gradients nobody else asks for:
 * tensor_steps takes the step. Masks ask for gradients; the state of such a
 * member lies as that of the others all the same. */
static bool steps_in_strips(const struct at *a, const struct gpu_op *o)
{
    const enum nn_optimizer_kind kind = a->l->like->optimizer.kind;
    return is_wide(a, o) && (kind == NN_ADAM || kind == NN_ADAMW) &&
           a->l->small.len == 0 && steps_alone(a->l, a->op->param[0], false);
}

/* The strip stays where there is room for it beside some stages of inputs. */
static size_t share_room(struct gpu_op *o, int64_t slices)
{
    size_t room = gpu_fast_bytes() < STEPS_ROOM ? gpu_fast_bytes() : STEPS_ROOM;
    size_t strip = (size_t)slices * STEPS_B_BYTES;
    size_t stage = STEPS_A_BYTES + STEPS_GATE_BYTES;
    o->held = STEPS_OWN_BYTES + strip + STEPS_LEAST * stage <= room;
    stage += o->held ? 0 : STEPS_B_BYTES;
    strip = o->held ? strip : 0;
    size_t stages = (room - STEPS_OWN_BYTES - strip) / stage;
    o->steps = stages < STEPS_MOST ? (int)stages : STEPS_MOST;
    return STEPS_OWN_BYTES + strip + (size_t)o->steps * stage;
}

static void launch_steps(const struct at *a, struct gpu_op *o)
{
    size_t bytes = share_room(o, (a->batch * o->places + 15) / 16);
    launch_tiles(a->list, GPU_tensor_steps, o->in, STEPS_RUN * STEPS_TILE,
                 o->out, STEPS_TILE, o);
    struct gpu_launch *one = &a->list->p[a->list->len - 1];
    one->threads = GPU_FEW + WARP;
    one->fast_bytes = bytes;
}

/* Few units, and not so many rows that few blocks would be too few. */
static bool is_few_units(const struct at *a, const struct gpu_op *o)
{
    return o->out <= UNITS_MOST && o->in % 4 == 0 && o->in >= UNITS_LEAST &&
           a->batch * o->places <= UNITS_MOST_ROWS;
}

static void dense_forward(const struct at *a, struct gpu_op *o)
{
    if (is_few_units(a, o)) {
        launch(a->list, GPU_units_forward,
               (a->batch * o->places + UNITS_ROWS - 1) / UNITS_ROWS, o);
        return;
    }
    o->steps = dense_parts(a->l, a->op);
    if (o->steps == 1) {
        launch_dense_rows(a, GPU_dense_forward, GPU_tensor_forward, o->out, o);
        return;
    }
    launch_dense_rows(a, GPU_dense_forward, GPU_tensor_parts, o->out, o);
    a->list->p[a->list->len - 1].blocks *= o->steps;
    launch_each(a->list, GPU_sum_outputs, a->batch * o->count / 4, o);
}

/* The gradient of the input first: it needs the weights as they were. */
static void dense_backward(const struct at *a, struct gpu_op *o)
{
    lower_unfinish(a, o);
    if (is_few_units(a, o)) {
        struct gpu_op both = lower_stepping(a, o, 0);
        launch(a->list, GPU_units_backward,
               (o->in + UNITS_INPUTS - 1) / UNITS_INPUTS, &both);
        lower_bias(a, o);
        return;
    }
    if (o->dx[0] >= 0)
        launch_dense_rows(a, GPU_dense_inputs, GPU_tensor_inputs, o->in, o);
    struct gpu_op weights = lower_stepping(a, o, 0);
    if (weights.flag && steps_in_strips(a, o)) {
        weights.bias_flag = o->b >= 0 && lower_stepping(a, o, 1).flag;
        launch_steps(a, &weights);
        return;
    }
    int64_t tile = is_wide(a, o) ? WIDE_TILE : GEMM_TILE;
    launch_tiles(a->list, is_wide(a, o) ? GPU_wide_weights : GPU_dense_weights,
                 o->in, tile, o->out, tile, &weights);
    lower_bias(a, o);
}

/* A batch norm has done it. */
static bool is_done_by_norm(const struct at *a)
{
    const struct nn_op *maker = maker_of(a->l, a->op->in[0]);
    return maker && lower_norm_activation(a->l, maker) == a->op;
}

static void activation_forward(const struct at *a, struct gpu_op *o)
{
    if (is_done_by_norm(a))
        return;
    if (o->activation == NN_SOFTMAX)
        launch_each(a->list, GPU_softmax_forward, a->batch * o->places, o);
    else
        launch_fours(a->list, GPU_activation_forward, a->batch * o->count, o);
}

static void activation_backward(const struct at *a, struct gpu_op *o)
{
    if (o->dx[0] < 0 || is_done_by_norm(a))
        return;
    if (o->activation == NN_SOFTMAX)
        launch_each(a->list, GPU_softmax_backward, a->batch * o->places, o);
    else
        launch_fours(a->list, GPU_activation_backward, a->batch * o->count, o);
}

/* Operations that are one kernel each way, a thread for each number, or for
 * four. */
#define LOWER_EACH(name, launch_some)                                          \
    static void name##_forward(const struct at *a, struct gpu_op *o)           \
    {                                                                          \
        launch_some(a->list, GPU_##name##_forward, a->batch * o->count, o);    \
    }                                                                          \
    static void name##_backward(const struct at *a, struct gpu_op *o)          \
    {                                                                          \
        launch_some(a->list, GPU_##name##_backward, a->batch * o->count, o);   \
    }
LOWER_EACH(sample, launch_each)
LOWER_EACH(add, launch_fours)
LOWER_EACH(multiply, launch_each)
LOWER_EACH(concat, launch_each)

static void dropout_forward(const struct at *a, struct gpu_op *o)
{
    if (is_done_by_pool(a->l, a->op))
        return;
    launch_each(a->list, GPU_dropout_forward, a->batch * o->count / 4, o);
}

static void dropout_backward(const struct at *a, struct gpu_op *o)
{
    if (o->dx[0] >= 0 && !is_done_by_pool(a->l, a->op))
        launch_each(a->list, GPU_dropout_backward, a->batch * o->count / 4, o);
}

static void set_embedding(const struct at *a, struct gpu_op *o)
{
    o->steps = (int)count_of(a->l, a->op->in[0]);
    o->units = (int)a->l->program.graph->params.p[a->op->param[0]].shape.dim[0];
}

static void embedding_forward(const struct at *a, struct gpu_op *o)
{
    set_embedding(a, o);
    launch_each(a->list, GPU_embedding_forward, a->batch * o->count, o);
}

static void embedding_backward(const struct at *a, struct gpu_op *o)
{
    set_embedding(a, o);
    launch(a->list, GPU_embedding_backward, WORD_BLOCKS, o);
}

static void set_attention(const struct at *a, struct gpu_op *o)
{
    o->places = (int)shape_of(a->l, a->op->in[0])->dim[0];
    o->steps = (int)shape_of(a->l, a->op->in[1])->dim[0];
    o->units = (int)a->op->units;
    o->causal = a->op->causal;
    set_lengths(a, o, a->op->in[1]);
}

static void attention_forward(const struct at *a, struct gpu_op *o)
{
    set_attention(a, o);
    launch_each(a->list, GPU_attention_forward, a->batch * o->units * o->places,
                o);
}

static void attention_backward(const struct at *a, struct gpu_op *o)
{
    set_attention(a, o);
    launch_each(a->list, GPU_attention_queries, a->batch * o->units * o->places,
                o);
    launch_each(a->list, GPU_attention_keys, a->batch * o->units * o->steps, o);
}

/* A row for each kind, as kernels have (plain.inc); a model with a kind that
 * has none is refused. */
static const struct {
    lower_fn *forward, *backward;
} lowering[NN_OP_COUNT] = {
    [NN_OP_DENSE] = {dense_forward, dense_backward},
    [NN_OP_CONV] = {lower_conv_forward, lower_conv_backward},
    [NN_OP_DECONV] = {lower_deconv_forward, lower_deconv_backward},
    [NN_OP_POOL] = {lower_pool_forward, lower_pool_backward},
    [NN_OP_POOL_ALL] = {lower_pool_all_forward, lower_pool_all_backward},
    [NN_OP_BATCH_NORM] = {lower_batch_norm_forward, lower_batch_norm_backward},
    [NN_OP_LAYER_NORM] = {lower_layer_norm_forward, lower_layer_norm_backward},
    [NN_OP_ACTIVATION] = {activation_forward, activation_backward},
    [NN_OP_DROPOUT] = {dropout_forward, dropout_backward},
    [NN_OP_EMBEDDING] = {embedding_forward, embedding_backward},
    [NN_OP_LSTM] = {lower_recurrent_forward, lower_recurrent_backward},
    [NN_OP_GRU] = {lower_recurrent_forward, lower_recurrent_backward},
    [NN_OP_ATTENTION] = {attention_forward, attention_backward},
    [NN_OP_SAMPLE] = {sample_forward, sample_backward},
    [NN_OP_ADD] = {add_forward, add_backward},
    [NN_OP_MULTIPLY] = {multiply_forward, multiply_backward},
    [NN_OP_CONCAT] = {concat_forward, concat_backward},
    [NN_OP_UPSAMPLE] = {lower_upsample_forward, lower_upsample_backward},
};

static void lower_forward(const struct lowered *l, struct gpu_list *list,
                          bool training)
{
    size_t first = list->len;
    for (size_t i = 0; i < l->program.op_count; i++) {
        struct at a = {.l = l,
                       .op = &l->program.ops[i],
                       .list = list,
                       .batch = (int64_t)l->program.batch};
        if (nn_op_facts[a.op->kind].same_memory ||
            (training && !l->program.needed[i]))
            continue;
        struct gpu_op o = op_of(&a);
        lowering[a.op->kind].forward(&a, &o);
    }
    lower_pair_steps(list, first);
}

static void lower_backward(const struct lowered *l, struct gpu_list *list,
                           bool masked)
{
    size_t first = list->len;
    for (size_t i = l->program.op_count; i-- > 0;) {
        struct at a = {.l = l,
                       .op = &l->program.ops[i],
                       .back = &l->program.backs[i],
                       .list = list,
                       .masked = masked,
                       .batch = (int64_t)l->program.batch};
        if (!l->program.live[i])
            continue;
        struct gpu_op o = op_of(&a);
        lowering[a.op->kind].backward(&a, &o);
    }
    lower_pair_steps(list, first);
}

/* ---- the rest of a step -------------------------------------------------- */

static void lower_begin(const struct lowered *l, struct gpu_list *list)
{
    const struct nn_graph *g = l->program.graph;
    struct gpu_op o = {.spare = l->layout.rows,
                       .kind = (int)l->like->optimizer.kind};
    launch(list, GPU_begin_step, 1, &o);
    for (size_t i = 0; i < g->inputs.len; i++) {
        int t = g->inputs.p[i].tensor;
        o.y = l->layout.value[t];
        o.field = g->inputs.p[i].field;
        o.count = (int)count_of(l, t);
        o.line = o.count + line_of(l, t) - last_axis(l, t);
        o.flag = !g->tensors.p[t].integers;
        launch_each(list, GPU_gather_numbers,
                    (int64_t)l->program.batch * o.count / GATHER_EACH, &o);
    }
}

static void lower_head(const struct lowered *l, struct gpu_list *list, size_t i)
{
    const struct nn_graph *g = l->program.graph;
    const struct nn_head *h = &g->heads.p[i];
    int64_t second = h->second < 0 ? 0 : l->layout.value[h->second];
    struct gpu_op o = {
        .kind = (int)h->loss,
        .x = {l->layout.value[h->logits], l->layout.labels[i], second},
        .y = l->layout.value[h->output],
        .dx = {l->layout.slope[h->logits], -1,
               h->second < 0 ? -1 : l->layout.slope[h->second]},
        .add = {(l->program.head_adds[i] & NN_ADD_FIRST) != 0, 0,
                (l->program.head_adds[i] & NN_ADD_SECOND) != 0},
        .out = (int)count_of(l, h->logits),
        .spare = l->layout.rows,
        .epsilon = h->a,
        .soft = h->weight.index,
        .class_weights = l->class_weights[i],
        .classes = (int)h->class_count};
    launch(list, GPU_head_loss, 1, &o);
}

static void lower_labels(const struct lowered *l, struct gpu_list *list,
                         size_t i)
{
    const struct nn_head *h = &l->program.graph->heads.p[i];
    struct gpu_op o = {
        .y = l->layout.labels[i], .spare = l->layout.rows, .field = (int)i};
    if (h->label < 0)
        return;
    o.count = h->loss == NN_LOSS_SPARSE_CROSS_ENTROPY ? 1
              : h->loss == NN_LOSS_HETEROSCEDASTIC
                  ? (int)count_of(l, h->logits) / 2
                  : (int)count_of(l, h->logits);
    launch_each(list, GPU_gather_labels, (int64_t)l->program.batch * o.count,
                &o);
}

static void lower_heads(const struct lowered *l, struct gpu_list *list)
{
    for (size_t i = 0; i < l->program.graph->heads.len; i++) {
        lower_labels(l, list, i);
        lower_head(l, list, i);
    }
}

static void lower_outputs(const struct lowered *l, struct gpu_list *list)
{
    const struct nn_graph *g = l->program.graph;
    struct gpu_op o = {.units = (int)nn_model_outputs(l->like)};
    for (size_t i = 0; i < g->heads.len; i++) {
        o.x[0] = l->layout.value[g->heads.p[i].output];
        o.out = (int)count_of(l, g->heads.p[i].output);
        launch_each(list, GPU_head_outputs, (int64_t)l->program.batch * o.out,
                    &o);
        o.in += o.out;
    }
}

void lower_metrics(const struct lowered *l, struct gpu_metric *to)
{
    const struct nn_graph *g = l->program.graph;
    int64_t numbers = 0;
    for (size_t i = 0; i < l->like->metrics.len; i++) {
        const struct nn_metric *m = &l->like->metrics.p[i];
        const struct nn_head *h = &g->heads.p[m->head];
        int64_t width = count_of(l, h->output);
        to[i] =
            (struct gpu_metric){.kind = (int)m->kind,
                                .k = m->k,
                                .head = m->head,
                                .width = (int)width,
                                .classes = (int)nn_metric_classes(l->like, m),
                                .x = l->layout.value[h->output],
                                .at = numbers,
                                .each = nn_each_is_yes_or_no(h, (size_t)width),
                                .spreads = h->loss == NN_LOSS_HETEROSCEDASTIC,
                                .takes_classes = nn_takes_classes(h)};
        numbers += NN_SUMS + 3 * (int64_t)to[i].classes;
    }
}

static void lower_judged(const struct lowered *l, struct gpu_list *list)
{
    struct gpu_op o = {.spare = l->layout.rows};
    if (l->metric_count)
        launch(list, GPU_judge_metrics, l->metric_count, &o);
}

/* The step of those parameters whose gradients were kept. */
static void lower_steps(const struct lowered *l, struct gpu_list *list,
                        bool masked)
{
    const struct nn_graph *g = l->program.graph;
    bool *stepped = xcalloc(g->params.len + 1, sizeof(bool));
    for (size_t i = 0; i < l->program.op_count; i++) {
        const struct nn_op *op = &l->program.ops[i];
        for (int k = 0; k < 2 && l->program.live[i] && can_step(op); k++)
            if (op->param[k] >= 0)
                stepped[op->param[k]] = steps_alone(l, op->param[k], masked);
    }
    for (size_t i = 0; i < g->params.len; i++) {
        struct gpu_op o = {.kind = (int)l->like->optimizer.kind,
                           .w = g->params.p[i].offset,
                           .count = (int)g->params.p[i].count};
        if (l->strips[i]) {
            o.in = (int)g->params.p[i].shape.dim[0];
            o.out = (int)g->params.p[i].shape.dim[1];
        }
        if (g->params.p[i].trained && !stepped[i])
            launch_each(list, GPU_update, o.count, &o);
    }
    free(stepped);
}

/* Before the steps are lowered. */
static void find_strips(struct lowered *l)
{
    for (size_t i = 0; i < l->program.op_count; i++) {
        const struct nn_op *op = &l->program.ops[i];
        struct at a = {.l = l, .op = op, .batch = (int64_t)l->program.batch};
        if (op->kind != NN_OP_DENSE || !l->program.live[i])
            continue;
        struct gpu_op o = op_of(&a);
        l->strips[op->param[0]] = steps_in_strips(&a, &o);
    }
}

static void lower_update(const struct lowered *l, struct gpu_list *list,
                         bool masked)
{
    const struct nn_graph *g = l->program.graph;
    const struct nn_optimizer *p = &l->like->optimizer;
    struct gpu_op o = {.kind = (int)p->kind};
    for (size_t i = 0; i < g->params.len; i++) {
        o.w = g->params.p[i].offset;
        o.count = (int)g->params.p[i].count;
        o.soft = g->params.p[i].l1.index;
        o.soft2 = g->params.p[i].l2.index;
        o.flag = !l->program.sloped[i];
        if (o.soft >= 0 || o.soft2 >= 0)
            launch(list, GPU_regularize, 1, &o);
    }
    if (masked)
        launch_each(list, GPU_mask_slopes, g->trained, &o);
    if (p->clip_value.index >= 0)
        launch_each(list, GPU_clip_values, g->trained, &o);
    if (p->clip_norm.index >= 0)
        launch(list, GPU_clip_norm, 1, &o);
    lower_steps(l, list, masked);
}

static void lower_train(const struct lowered *l, struct gpu_list *list,
                        bool masked)
{
    struct gpu_op none = {0};
    lower_begin(l, list);
    lower_forward(l, list, true);
    lower_heads(l, list);
    lower_backward(l, list, masked);
    lower_update(l, list, masked);
    launch(list, GPU_end_step, 1, &none);
}

static void lower_judge(const struct lowered *l, struct gpu_list *list,
                        bool labels)
{
    struct gpu_op none = {0};
    lower_begin(l, list);
    lower_forward(l, list, false);
    if (labels)
        lower_heads(l, list);
    lower_outputs(l, list);
    lower_judged(l, list);
    launch(list, GPU_end_step, 1, &none);
}

static void lower_finite(const struct lowered *l, struct gpu_list *list)
{
    const struct nn_graph *g = l->program.graph;
    struct gpu_op o = {0};
    for (size_t i = 0; i < g->params.len; i++) {
        int k = o.inputs++, blocks = (int)(g->params.p[i].count / LOOK_EACH);
        o.x[k] = g->params.p[i].offset;
        o.widths[k] = (int)g->params.p[i].count;
        o.steps = blocks > o.steps ? blocks : o.steps;
        if (o.inputs < GPU_INPUTS && i + 1 < g->params.len)
            continue;
        o.steps = o.steps < 1 ? 1 : o.steps;
        launch(list, GPU_look_finite, (int64_t)o.inputs * o.steps, &o);
        o = (struct gpu_op){.field = (int)i + 1};
    }
}

/* ---- all of it ----------------------------------------------------------- */

void lower_open(struct lowered *l, const struct nn_model *like)
{
    *l = (struct lowered){.like = like};
    nn_program_plan(&l->program, nn_kernels_portable(), &like->graph,
                    (size_t)like->batch_size);
    make_layout(l);
}

void lower_lists(struct lowered *l)
{
    lower_small(l);
    find_strips(l);
    lower_train(l, &l->train, false);
    lower_train(l, &l->masked, true);
    lower_judge(l, &l->judge, true);
    lower_judge(l, &l->blind, false);
    lower_finite(l, &l->finite);
    struct gpu_op prepare = {.kind = (int)l->like->optimizer.kind};
    launch(&l->prepare, GPU_prepare_steps, PREPARE_BLOCKS, &prepare);
    launch(&l->tell, GPU_tell_result, 1, &prepare);
    l->tell.p[0].threads = WARP;
}

void lower_close(struct lowered *l)
{
    nn_program_close(&l->program);
    free(l->layout.value);
    free(l->layout.slope);
    free(l->layout.kept);
    free(l->layout.spare);
    free(l->layout.labels);
    free(l->class_weights);
    free(l->strips);
    vec_done(&l->train);
    vec_done(&l->masked);
    vec_done(&l->judge);
    vec_done(&l->blind);
    vec_done(&l->small);
    vec_done(&l->small_judge);
    vec_done(&l->prepare);
    vec_done(&l->finite);
    vec_done(&l->tell);
}

int64_t lower_frame(const struct nn_model *like)
{
    struct lowered l;
    lower_open(&l, like);
    int64_t numbers = l.layout.numbers;
    lower_close(&l);
    return numbers;
}

const char *lower_refuses(const struct nn_model *like)
{
    const struct nn_graph *g = &like->graph;
    const char *always = nn_model_gpu_refuses(like);
    for (size_t i = 0; !always && i < g->ops.len; i++) {
        const struct nn_op *op = &g->ops.p[i];
        bool recurrent = op->kind == NN_OP_LSTM || op->kind == NN_OP_GRU;
        if (!lowering[op->kind].forward && !nn_op_facts[op->kind].same_memory)
            return "it has no kernels for one of the layers";
        if (recurrent && lower_recurrent_bytes(op->units, 4 * op->units, true) >
                             gpu_fast_bytes())
            return "a recurrent layer has more units than the GPU has fast "
                   "memory for";
    }
    return always;
}
