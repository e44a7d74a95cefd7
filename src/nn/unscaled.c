/* unscaled.c - numbers so large that a network hardly learns from them
 *
 * First weights are made for inputs around 1. A column of incomes beside one of
 * ages drowns it, and the loss jumps: nearly always the scaling was forgotten.
 * What goes to a layer that scales by itself, or stands for words, is left
 * alone. */
#include <math.h>

#include "base/buf.h"
#include "base/num.h"
#include "data/data.h"
#include "nn/model.h"

#define LARGE                                                                  \
    100 /* two orders of magnitude above what weights are made for             \
         */

/* The largest number of training rows, and how many columns are large. */
struct found {
    size_t input, row, column;
    float size;
    size_t columns;
};

static bool takes_any_size(enum nn_op_kind kind)
{
    return kind == NN_OP_EMBEDDING || kind == NN_OP_BATCH_NORM ||
           kind == NN_OP_LAYER_NORM;
}

/* Some layer computes with the input's numbers as they are. */
static bool is_taken_raw(const struct nn_graph *g, int input)
{
    for (size_t k = 0; k < g->ops.len; k++) {
        const struct nn_op *op = &g->ops.p[k];
        if (op->kind == NN_OP_RESHAPE || op->kind == NN_OP_CONCAT ||
            takes_any_size(op->kind))
            continue;
        for (int i = 0; i < op->in_count; i++)
            if (nn_comes_from(g, op->in[i], input))
                return true;
    }
    return false;
}

static void take(struct found *found, size_t input, size_t row, size_t column,
                 float size)
{
    if (size <= found->size)
        return;
    found->input = input;
    found->row = row;
    found->column = column;
    found->size = size;
}

static void look_at(const struct data_view *v, size_t input,
                    struct found *found, struct arena *a)
{
    const struct data_field *f = &v->table->inputs[input];
    bool *large = arena_array(a, (size_t)f->columns + 1, sizeof(*large));
    struct data_piece whole;
    size_t count;
    const struct data_piece *p = data_pieces(f, v->table->rows, &whole, &count);
    for (size_t i = 0; i < v->train.count * count; i++) {
        size_t row = v->train.rows[i / count], k = i % count;
        const float *x = data_piece_row(&p[k], row);
        for (size_t c = p[k].at; c < p[k].at + p[k].columns; c++) {
            float size = fabsf(x[c - p[k].at]);
            if (!(size >= LARGE))
                continue;
            found->columns += !large[c];
            large[c] = true;
            take(found, input, row, c, size);
        }
    }
}

static const char *text_of(const struct data_view *v, const struct found *found,
                           struct arena *a)
{
    const struct data_field *f = &v->table->inputs[found->input];
    struct buf b;
    buf_init(&b);
    buf_adds(&b, "data: ");
    data_place(&b, v, found->input, found->row, found->column);
    buf_adds(&b, " is ");
    num_print_short(&b, (double)data_number(f, found->row, found->column), 6);
    if (found->columns > 1)
        buf_addf(&b, " (%zu columns go beyond %d)", found->columns, LARGE);
    buf_adds(&b,
             ", and nothing is scaled: networks learn from numbers around 1; "
             "say `scale: std` under `data:`, or `scale: none` if this is "
             "meant");
    const char *text = arena_cstr(a, buf_str(&b));
    buf_done(&b);
    return text;
}

const char *nn_unscaled(const struct nn_model *m, const struct data_view *v,
                        struct arena *a)
{
    const struct nn_graph *g = &m->graph;
    struct found found = {0};
    if (v->scaling_said)
        return NULL;
    for (size_t i = 0; i < g->inputs.len; i++)
        if (is_taken_raw(g, g->inputs.p[i].tensor))
            look_at(v, (size_t)g->inputs.p[i].field, &found, a);
    return found.columns ? text_of(v, &found, a) : NULL;
}
