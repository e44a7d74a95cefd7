/* facts.c - what a model may know of its data: shapes and classes */
#include "data/data.h"
#include "nn/nn.h"

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
