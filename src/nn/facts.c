/* facts.c - what a model may know of its data: shapes and classes; and what it
 * wants of it */
#include "data/data.h"
#include "nn/model.h"

static struct nn_data_field field_of(const struct data_field *f)
{
    struct nn_data_field to = {
        .name = f->name, .rank = f->rank, .classes = f->classes};
    memcpy(to.dim, f->dim, sizeof(to.dim));
    return to;
}

struct nn_data_facts nn_data_facts_of(const struct data_table *t,
                                      struct arena *a)
{
    struct nn_data_field *inputs =
        arena_array(a, t->input_count + 1, sizeof(*inputs));
    struct nn_data_field *labels =
        arena_array(a, t->label_count + 1, sizeof(*labels));
    for (size_t i = 0; i < t->input_count; i++) {
        inputs[i] = field_of(&t->inputs[i]);
        if (data_has_numbers(
                &t->inputs[i])) /* of pixels too there are finitely many */
            inputs[i].classes = 0;
    }
    for (size_t i = 0; i < t->label_count; i++) {
        labels[i] = field_of(&t->labels[i]);
        labels[i].words = t->labels[i].classes && !t->labels[i].numbers;
    }
    return (struct nn_data_facts){.inputs = inputs,
                                  .labels = labels,
                                  .input_count = t->input_count,
                                  .label_count = t->label_count};
}

static struct data_field field_for(struct str name, int rank,
                                   const int64_t *dim, int64_t classes)
{
    struct data_field f = {
        .name = name, .rank = rank, .columns = 1, .classes = classes};
    for (int i = 0; i < rank; i++) {
        f.dim[i] = dim[i];
        f.columns *= dim[i];
    }
    return f;
}

/* One class is one number, and so is a yes or no. */
static struct data_field label_for(const struct nn_graph *g,
                                   const struct nn_head *h)
{
    int64_t width = nn_shape_count(&g->tensors.p[h->output].shape);
    bool one_class = h->loss == NN_LOSS_SPARSE_CROSS_ENTROPY;
    bool two = h->loss == NN_LOSS_BINARY_CROSS_ENTROPY && width == 1;
    int64_t columns = one_class                            ? 1
                      : h->loss == NN_LOSS_HETEROSCEDASTIC ? width / 2
                                                           : width;
    struct str name = g->heads.len == 1 ? STR("label") : h->name;
    return field_for(name, 1, &columns, one_class ? width : two ? 2 : 0);
}

/* Heads may share a label. */
static bool is_first_of_label(const struct nn_graph *g, size_t head)
{
    for (size_t i = 0; i < head; i++)
        if (g->heads.p[i].label == g->heads.p[head].label)
            return false;
    return g->heads.p[head].label >= 0;
}

struct data_table nn_model_fields(const struct nn_model *m, struct arena *a)
{
    const struct nn_graph *g = &m->graph;
    struct data_field *inputs =
        arena_array(a, g->inputs.len + 1, sizeof(*inputs));
    struct data_field *labels =
        arena_array(a, g->heads.len + 1, sizeof(*labels));
    struct data_table t = {.inputs = inputs, .labels = labels};
    for (size_t i = 0; i < g->inputs.len; i++) {
        const struct nn_shape *s = &g->tensors.p[g->inputs.p[i].tensor].shape;
        inputs[t.input_count++] =
            field_for(g->inputs.len == 1 ? STR("input") : g->inputs.p[i].name,
                      s->rank, s->dim, 0);
    }
    for (size_t i = 0; i < g->heads.len; i++)
        if (is_first_of_label(g, i))
            labels[t.label_count++] = label_for(g, &g->heads.p[i]);
    return t;
}
