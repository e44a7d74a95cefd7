/* lower_recurrent.c - recurrent layers as launches of kernels
 *
 * Products of all steps, then the steps, a block for some rows. */
#include "nn/cuda/lowering.h"

#include <string.h>

/* Gates of a step side by side, and numbers that are kept of it, in units. */
static void set_recurrent(const struct at *a, struct gpu_op *o)
{
    bool lstm = a->op->kind == NN_OP_LSTM;
    o->units = (int)a->op->units;
    o->steps = (int)shape_of(a->l, a->op->in[0])->dim[0];
    o->out = (lstm ? 4 : 3) * o->units;
    o->count = (lstm ? 6 : 5) * o->units;
    o->w2 = param_at(a, 1);
    o->b = param_at(a, 2);
    o->b2 = lstm ? -1 : param_at(a, 3);
    o->flag = !lstm;
    o->backwards = a->op->backwards;
    o->sequence = a->op->sequence;
    set_lengths(a, o, a->op->in[0]);
}

static int64_t row_groups(const struct at *a)
{
    return (a->batch + RECURRENT_ROWS - 1) / RECURRENT_ROWS;
}

/* Threads of a block: one for each gate. */
static int recurrent_threads(int64_t gates)
{
    int64_t threads = (gates + WARP - 1) / WARP * WARP;
    return threads < GPU_MANY ? (int)threads : GPU_MANY;
}

/* As kernels_sequence.inc lays it out. */
size_t lower_recurrent_bytes(int64_t units, int64_t gates, bool back)
{
    int64_t parts = recurrent_threads(gates) / units;
    int64_t fours =
        back ? gates + units + (parts > 1 ? parts : 1) * units : 6 * units;
    return (size_t)fours * 4 * sizeof(float);
}

/* The steps: a block for some rows, with as many weights as there is room for.
 * Backward they are turned over. */
static void launch_steps(const struct at *a, enum gpu_kernel kernel,
                         const struct gpu_op *o, bool back)
{
    size_t line = (size_t)(back ? o->units : o->out) * sizeof(float);
    int lines = back ? o->out : o->units;
    size_t needed = lower_recurrent_bytes(o->units, o->out, back);
    size_t room = gpu_fast_bytes() - needed;
    struct gpu_launch one = {.kernel = kernel,
                             .blocks = (int)row_groups(a),
                             .threads = recurrent_threads(o->out),
                             .op = *o};
    one.op.held = room / line < (size_t)lines ? (int)(room / line) : lines;
    one.fast_bytes = needed + (size_t)one.op.held * line;
    vec_push(a->list, one);
}

/* Products of all steps at once, in fours where they lie so. */
static void launch_gates(const struct at *a, enum gpu_kernel kernel,
                         enum gpu_kernel wide, int64_t rows, int64_t columns,
                         const struct gpu_op *o)
{
    bool fours = o->in % 4 == 0 && o->units % 4 == 0 && rows >= WIDE_LEAST &&
                 columns >= WIDE_LEAST && a->batch * o->steps >= WIDE_LEAST;
    int64_t tile = fours ? WIDE_TILE : GEMM_TILE;
    launch(a->list, fours ? wide : kernel,
           (rows + tile - 1) / tile * ((columns + tile - 1) / tile), o);
}

void lower_recurrent_forward(const struct at *a, struct gpu_op *o)
{
    set_recurrent(a, o);
    launch_gates(a, GPU_recurrent_products, GPU_wide_products,
                 a->batch * o->steps, o->out, o);
    launch_steps(a,
                 a->op->kind == NN_OP_LSTM ? GPU_lstm_forward : GPU_gru_forward,
                 o, false);
}

void lower_recurrent_backward(const struct at *a, struct gpu_op *o)
{
    bool lstm = a->op->kind == NN_OP_LSTM;
    set_recurrent(a, o);
    launch_each(a->list, GPU_recurrent_turn, (int64_t)o->units * o->out, o);
    launch_steps(a, lstm ? GPU_lstm_backward : GPU_gru_backward, o, true);
    launch_gates(a, GPU_recurrent_slopes, GPU_wide_gate_slopes, o->in, o->out,
                 o);
    if (lstm)
        launch_gates(a, GPU_recurrent_weights, GPU_wide_gate_weights, o->units,
                     o->out, o);
    else
        launch_product(a->list, GPU_recurrent_weights, o->units, o->out, o);
    vec_last(a->list).beside = true;
    launch_columns(a->list, GPU_recurrent_bias, o->out, o);
    if (o->dx[0] >= 0)
        launch_gates(a, GPU_recurrent_inputs, GPU_wide_gate_inputs,
                     a->batch * o->steps, o->in, o);
}

static bool is_steps(enum gpu_kernel k)
{
    return k == GPU_lstm_forward || k == GPU_lstm_backward ||
           k == GPU_gru_forward || k == GPU_gru_backward;
}

/* Makes number `from` of a list number `to`, before it. */
static void move_launch(struct gpu_list *list, size_t from, size_t to)
{
    struct gpu_launch one = list->p[from];
    memmove(list->p + to + 1, list->p + to, (from - to) * sizeof(one));
    list->p[to] = one;
}

/* What the second's steps need goes before those of the first. */
void lower_pair_steps(struct gpu_list *list, size_t first)
{
    for (size_t i = first, k; i < list->len; i++) {
        const struct gpu_launch *a = &list->p[i];
        if (!is_steps(a->kernel))
            continue;
        for (k = i + 1; k < list->len && !is_steps(list->p[k].kernel) &&
                        list->p[k].op.x[0] == a->op.x[0] &&
                        list->p[k].op.steps == a->op.steps;)
            k++;
        if (k >= list->len || list->p[k].kernel != a->kernel ||
            list->p[k].op.x[0] != a->op.x[0])
            continue;
        move_launch(list, k, i + 1);
        list->p[i + 1].beside = true;
        move_launch(list, k, i); /* the product, or the turned weights */
        i += 2;
    }
}
