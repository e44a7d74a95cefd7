/* made.c - a model and made-up data for it, for tests of nn */
#include "made.h"

#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <setjmp.h>
#include <cmocka.h>

#include "base/json.h"
#include "base/rng.h"

static void fill(struct data_field *f, struct arena *a, size_t rows,
                 struct rng *r)
{
    size_t count = rows * (size_t)f->columns;
    if (f->classes > 0) {
        int32_t *p = arena_array(a, count, sizeof(*p));
        for (size_t i = 0; i < count; i++)
            p[i] = (int32_t)rng_below(r, (uint64_t)f->classes);
        f->categories = p;
        return;
    }
    float *p = arena_array(a, count, sizeof(*p));
    for (size_t i = 0; i < count; i++)
        p[i] = (float)rng_normal(r);
    f->numbers = p;
}

static struct data_field field_of(const struct nn_shape *s)
{
    struct data_field f = {.rank = s->rank, .columns = nn_shape_count(s)};
    for (int i = 0; i < s->rank; i++)
        f.dim[i] = s->dim[i];
    return f;
}

/* Distributions must sum to 1, yes-or-no labels be 0 or 1. */
static void tame(const struct nn_head *h, struct data_field *f, size_t rows)
{
    float *p = (float *)(uintptr_t)f->numbers;
    for (size_t r = 0; p && r < rows; r++) {
        float sum = 0, *row = p + r * (size_t)f->columns;
        for (int64_t i = 0; i < f->columns; i++) {
            if (h->loss == NN_LOSS_CROSS_ENTROPY || h->loss == NN_LOSS_KL)
                row[i] = row[i] * row[i] + 0.01f;
            if (h->loss == NN_LOSS_BINARY_CROSS_ENTROPY ||
                h->loss == NN_LOSS_DICE)
                row[i] = row[i] > 0;
            sum += row[i];
        }
        for (int64_t i = 0; i < f->columns; i++)
            if (h->loss == NN_LOSS_CROSS_ENTROPY || h->loss == NN_LOSS_KL)
                row[i] /= sum;
    }
}

static void make_labels(struct made *m, struct rng *r)
{
    const struct nn_graph *g = &m->model->graph;
    struct data_field *labels =
        arena_array(m->arena, g->heads.len + 1, sizeof(*labels));
    for (size_t i = 0; i < g->heads.len; i++) {
        const struct nn_head *h = &g->heads.p[i];
        struct nn_shape s = g->tensors.p[h->output].shape;
        int64_t width = nn_shape_count(&s);
        if (h->loss == NN_LOSS_SPARSE_CROSS_ENTROPY)
            s = (struct nn_shape){1, {1}};
        if (h->loss == NN_LOSS_HETEROSCEDASTIC)
            s = (struct nn_shape){1, {width / 2}};
        labels[i] = field_of(&s);
        if (h->loss == NN_LOSS_SPARSE_CROSS_ENTROPY)
            labels[i].classes = width;
        fill(&labels[i], m->arena, m->table.rows, r);
        tame(h, &labels[i], m->table.rows);
    }
    m->table.labels = labels;
    m->table.label_count = g->heads.len;
}

/* Tokens below 5, each row filled up with 0 from some step on. */
static void make_tokens(struct data_field *f, size_t rows, struct rng *r)
{
    float *p = (float *)(uintptr_t)f->numbers;
    size_t steps = (size_t)f->columns;
    for (size_t i = 0; i < rows; i++) {
        size_t length = 1 + (size_t)rng_below(r, steps);
        for (size_t t = 0; t < steps; t++)
            p[i * steps + t] = t < length ? (float)(1 + rng_below(r, 4)) : 0;
    }
}

static void make_data(struct made *m, size_t rows)
{
    const struct nn_graph *g = &m->model->graph;
    struct rng r;
    rng_init(&r, 1, 1, "made up");
    struct data_field *inputs =
        arena_array(m->arena, g->inputs.len + 1, sizeof(*inputs));
    for (size_t i = 0; i < g->inputs.len; i++) {
        inputs[i] = field_of(&g->tensors.p[g->inputs.p[i].tensor].shape);
        fill(&inputs[i], m->arena, rows, &r);
        if (g->tensors.p[g->inputs.p[i].tensor].integers)
            make_tokens(&inputs[i], rows, &r);
    }
    m->table.rows = rows;
    m->table.inputs = inputs;
    m->table.input_count = g->inputs.len;
    make_labels(m, &r);
    uint32_t *all = arena_array(m->arena, rows, sizeof(*all));
    for (size_t i = 0; i < rows; i++)
        all[i] = (uint32_t)i;
    size_t train = rows - rows / 4;
    m->view.table = &m->table;
    m->view.train = (struct data_part){all, train};
    m->view.validation = (struct data_part){all + train, rows - train};
}

static void open_value(struct made *m, const struct value *v, const char *name,
                       size_t rows)
{
    struct problems faults = {.arena = m->arena};
    m->model = nn_model_read(v, NULL, &faults);
    if (!m->model)
        fail_msg("%s: %.*s: %.*s", name, STRF(faults.list.p[0].path),
                 STRF(faults.list.p[0].text));
    make_data(m, rows);
}

void made_open(struct made *m, const char *json, size_t rows)
{
    struct err err = {0};
    *m = (struct made){.arena = arena_new()};
    struct value *v = json_parse(m->arena, str_of(json), "model", false, &err);
    if (!v)
        fail_msg("%s", err.text);
    open_value(m, v, "model", rows);
}

/* MODELS is the path of models.json, from the build. */
static struct value *all_models(struct arena *a)
{
    struct err err = {0};
    struct buf text;
    buf_init(&text);
    FILE *f = fopen(MODELS, "r");
    char part[4096];
    size_t got;
    assert_non_null(f);
    while ((got = fread(part, 1, sizeof(part), f)) > 0)
        buf_add(&text, part, got);
    fclose(f);
    struct value *v = json_parse(a, buf_str(&text), MODELS, true, &err);
    if (!v)
        fail_msg("%s", err.text);
    buf_done(&text);
    return v;
}

void made_named(struct made *m, const char *name, size_t rows)
{
    *m = (struct made){.arena = arena_new()};
    struct value *v = value_get(all_models(m->arena), str_of(name));
    assert_non_null(v);
    open_value(m, v, name, rows);
}

const char **made_names(struct arena *a)
{
    struct value *v = all_models(a);
    const char **names = arena_array(a, v->count + 1, sizeof(*names));
    for (size_t i = 0; i < v->count; i++)
        names[i] = arena_cstr(a, v->keys[i]);
    return names;
}

void made_close(struct made *m)
{
    nn_model_free(m->model);
    arena_free(m->arena);
}

const char *const made_large[] = {
    "{'input': [4, 100], 'layers': [{'lstm': {'units': 100,"
    " 'bidirectional': true}}, {'dense': 3}], 'loss': 'mse'}",
    "{'input': [3, 96], 'layers': [{'gru': {'units': 172, 'sequence': true}},"
    " {'lstm': 24}, {'dense': 3}], 'loss': 'mse'}",
    "{'batch_size': 96, 'input': 100, 'layers': [{'dense': 132, 'activation':"
    " 'relu'}, {'dropout': 0.2}, {'dense': 100, 'activation': 'tanh'},"
    " {'dense': 5}], 'loss': 'mse', 'optimizer': 'adam'}",
    "{'batch_size': 96, 'input': 100, 'layers': [{'dense': 132, 'activation':"
    " 'elu'}, {'dense': 5}], 'loss': 'mse', 'optimizer': 'sgd'}",
    "{'batch_size': 40, 'input': [9, 7, 16], 'layers': [{'conv2d': 48,"
    " 'activation': 'relu', 'padding': 'same'}, {'max_pool2d': 2},"
    " {'conv2d': 20, 'activation': 'tanh', 'stride': 2, 'padding': 'same'},"
    " 'flatten', {'dense': 3}], 'loss': 'mse', 'optimizer': 'adam'}",
    "{'batch_size': 40, 'input': [12, 20], 'layers': [{'conv1d': 32,"
    " 'kernel': 3, 'dilation': 2, 'activation': 'relu'}, {'dropout': 0.3},"
    " {'conv1d': 16, 'kernel': 5, 'padding': 'same'}, 'flatten',"
    " {'dense': 3}], 'loss': 'mse', 'optimizer': 'adam'}",
    "{'batch_size': 64, 'input': [14, 14, 1], 'layers': [{'conv2d': 40,"
    " 'activation': 'relu'}, {'max_pool2d': 2}, 'flatten', {'dense': 3}],"
    " 'loss': 'mse', 'optimizer': 'adam'}",
    "{'batch_size': 96, 'input': 1028, 'layers': [{'dense': 100, 'activation':"
    " 'relu'}, {'dense': 3}], 'loss': 'mse', 'optimizer': 'adam'}",
    "{'batch_size': 96, 'input': 97, 'layers': [{'dense': 96, 'activation':"
    " 'relu'}, {'dense': 3}], 'loss': 'mse', 'optimizer': 'adam'}",
    "{'batch_size': 40, 'input': [4, 100], 'layers': [{'dense': 96,"
    " 'activation': 'relu'}, 'flatten', {'dense': 3}], 'loss': 'mse',"
    " 'optimizer': 'adam'}",
    "{'batch_size': 40, 'input': [11, 13, 3], 'layers': [{'conv2d': 36,"
    " 'kernel': 5, 'stride': 2, 'padding': 'same', 'activation': 'relu'},"
    " {'conv2d': 6}, {'conv2d': 8, 'kernel': 2, 'dilation': 2, 'padding':"
    " 'same', 'bias': false}, 'flatten', {'dense': 3}], 'loss': 'mse',"
    " 'optimizer': 'adam'}",
    "{'batch_size': 40, 'input': [13, 10, 3], 'layers': [{'conv2d': 44, 'bias':"
    " false}, {'batch_norm': {'momentum': 0.9}}, {'activation': 'relu6'},"
    " {'depthwise_conv2d': 3, 'stride': 2, 'padding': 'same', 'activation':"
    " 'relu'}, {'depthwise_conv2d': 3, 'padding': 'same'}, 'flatten',"
    " {'dense': 3}], 'loss': 'mse', 'optimizer': 'adam'}",
    "{'batch_size': 40, 'input': [9, 8, 3], 'layers': [{'conv2d': 8,"
    " 'activation': 'relu'}, {'max_pool2d': 2}, {'dropout': 0.4}, {'conv2d': 8,"
    " 'kernel': 2}, {'max_pool2d': 2}, {'dropout': 0.2}, 'flatten',"
    " {'dense': 3}], 'loss': 'mse', 'optimizer': 'adam'}",
    "{'batch_size': 40, 'input': [21, 4], 'layers': [{'max_pool1d': 2},"
    " {'dropout': 0.2}, {'conv1d': 12, 'activation': 'tanh'}, {'max_pool1d':"
    " 3}, {'dropout': 0.4}, 'flatten', {'dense': 3}], 'loss': 'mse',"
    " 'optimizer': 'adam'}",
    "{'batch_size': 24, 'input': [9, 7, 16], 'layers': [{'conv2d': 20,"
    " 'kernel': 6, 'padding': 'same', 'activation': 'relu'}, {'conv2d': 16,"
    " 'kernel': 6, 'stride': 2, 'padding': 'same'}, 'flatten', {'dense': 3}],"
    " 'loss': 'mse', 'optimizer': 'adam'}",
    "{'batch_size': 64, 'input': [13, 10, 12], 'layers':"
    " [{'depthwise_conv2d': 3, 'padding': 'same', 'activation': 'relu'},"
    " 'flatten', {'dense': 3}], 'loss': 'mse', 'optimizer': 'adam'}",
    "{'input': 5, 'layers': [{'dense': 4, 'name': 'a', 'activation': 'tanh'},"
    " {'dense': 3, 'name': 'nobody', 'l2': 0.1}, {'dense': 2, 'from': 'a'}],"
    " 'loss': 'mse', 'optimizer': 'sgd'}",
    NULL,
};

void made_text(struct made *m, const char *text, size_t rows)
{
    char json[512];
    snprintf(json, sizeof(json), "%s", text);
    for (char *c = json; (c = strchr(c, '\'')) != NULL;)
        *c = '"';
    made_open(m, json, rows);
}
