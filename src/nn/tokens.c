/* tokens.c - numbers that stand for words: those of the data must be those of
 * the embeddings that they go to
 *
 * Inputs may be joined or reshaped on the way; what another layer computes is
 * not looked at. */
#include <math.h>

#include "data/data.h"
#include "nn/model.h"

bool nn_comes_from(const struct nn_graph *g, int tensor, int input)
{
    int made = g->tensors.p[tensor].op;
    if (made < 0)
        return tensor == input;
    const struct nn_op *op = &g->ops.p[made];
    if (op->kind != NN_OP_RESHAPE && op->kind != NN_OP_CONCAT)
        return false;
    for (int i = 0; i < op->in_count; i++)
        if (nn_comes_from(g, op->in[i], input))
            return true;
    return false;
}

static int check_vocabulary(const struct nn_layer *layer,
                            const struct nn_shape *s,
                            const struct data_field *f, struct err *err)
{
    if (f->vectors && f->vector_columns != s->dim[1])
        return err_set(err, ERR_INPUT,
                       "layers[%d] %.*s has %lld units, the word vectors have "
                       "%lld numbers",
                       layer->entry, STRF(layer->name), (long long)s->dim[1],
                       (long long)f->vector_columns);
    if (f->classes > s->dim[0])
        return err_set(err, ERR_INPUT,
                       "layers[%d] %.*s has a vocabulary of %lld, the data has "
                       "%lld tokens; say data.text.vocabulary",
                       layer->entry, STRF(layer->name), (long long)s->dim[0],
                       (long long)f->classes);
    return 0;
}

static int check_numbers(const struct nn_layer *layer, int64_t words,
                         const struct data_view *v, size_t input,
                         struct err *err)
{
    const struct data_field *f = &v->table->inputs[input];
    size_t columns = (size_t)f->columns, i = 0;
    size_t count = data_has_numbers(f) ? v->table->rows * columns : 0;
    for (; i < count; i++) {
        float x = data_number(f, i / columns, i % columns);
        if (!(x >= 0 && x < (float)words && x == floorf(x)))
            break;
    }
    if (i == count)
        return 0;
    struct buf place;
    buf_init(&place);
    data_place(&place, v, input, i / columns, i % columns);
    err_set(err, ERR_INPUT,
            "layers[%d] %.*s has a vocabulary of %lld, tokens 0 to %lld; %s is "
            "%.9g",
            layer->entry, STRF(layer->name), (long long)words,
            (long long)words - 1, place.p,
            (double)data_number(f, i / columns, i % columns));
    buf_done(&place);
    return -1;
}

int nn_tokens_check(const struct nn_model *m, const struct data_view *v,
                    struct err *err)
{
    const struct nn_graph *g = &m->graph;
    for (size_t k = 0; k < g->ops.len; k++) {
        const struct nn_op *op = &g->ops.p[k];
        for (size_t i = 0; op->kind == NN_OP_EMBEDDING && i < g->inputs.len;
             i++) {
            const struct nn_input *in = &g->inputs.p[i];
            const struct nn_shape *s = &g->params.p[op->param[0]].shape;
            const struct nn_layer *layer = &g->layers.p[op->layer];
            if (nn_comes_from(g, op->in[0], in->tensor) &&
                (check_vocabulary(layer, s, &v->table->inputs[in->field],
                                  err) ||
                 check_numbers(layer, s->dim[0], v, (size_t)in->field, err)))
                return -1;
        }
    }
    return 0;
}
