/* model.c - a whole model file: inputs, layers, heads, training */
#include "nn/model.h"

#include <limits.h>
#include <stdlib.h>

#include "base/buf.h"
#include "base/hash.h"
#include "nn/build.h"

/* defaults: they are in their places already. device, kernels: whoever asks for
 * training has heard it. */
static const char *const root_keys[] = {"name",      "input",
                                        "inputs",    "layers",
                                        "loss",      "heads",
                                        "metrics",   "optimizer",
                                        "schedule",  "batch_size",
                                        "epochs",    "precision",
                                        "seed",      "data",
                                        "weight",    "delta",
                                        "quantile",  "class_weights",
                                        "label",     "early_stopping",
                                        "snapshots", "initial_weights",
                                        "masks",     "description",
                                        "defaults",  "device",
                                        "kernels",   NULL};

static const struct nn_data_field *data_input(const struct nn_build *b,
                                              int field)
{
    return b->data && field >= 0 && (size_t)field < b->data->input_count
               ? &b->data->inputs[field]
               : NULL;
}

/* -1 stands for what the data leaves of it. */
static bool fill_shape(struct nn_build *b, const char *key,
                       const struct nn_data_field *field,
                       struct nn_shape *shape)
{
    struct nn_shape has = {.rank = field ? field->rank : 0};
    int at = -1;
    for (int i = 0; i < shape->rank; i++)
        if (shape->dim[i] < 0) {
            at = i;
            shape->dim[i] = 1;
        }
    if (at < 0)
        return true;
    if (!field) {
        nn_fault_hint(b, key, "say the shape of a row",
                      "has a -1, which only data can fill");
        return false;
    }
    memcpy(has.dim, field->dim, sizeof(has.dim));
    shape->dim[at] = nn_shape_count(&has) / nn_shape_count(shape);
    if (shape->dim[at] < 1)
        shape->dim[at] = 1; /* the fault is told with both shapes */
    return true;
}

static bool good_size(const struct value *v)
{
    return v->kind == VALUE_INT && (v->i > 0 || v->i == -1) && v->i < INT32_MAX;
}

static bool read_shape(struct nn_build *b, const char *key,
                       const struct value *v, const struct nn_data_field *field,
                       struct nn_shape *shape)
{
    bool list = v->kind == VALUE_LIST;
    size_t count = list ? v->count : 1;
    bool good = count >= 1 && count <= NN_RANK_MAX;
    int open = 0;
    *shape = (struct nn_shape){.rank = (int)count};
    for (size_t i = 0; good && i < count; i++) {
        const struct value *item = list ? v->items[i] : v;
        good = good_size(item);
        shape->dim[i] = good ? item->i : 1;
        open += shape->dim[i] < 0;
    }
    if (!good || open > 1) {
        nn_fault(b, key,
                 "must be a size, or a list of one to four: 64 or "
                 "[28, 28, 1]");
        return false;
    }
    return fill_shape(b, key, field, shape);
}

static void add_input(struct nn_build *b, struct str name,
                      const struct nn_shape *shape, int field)
{
    const struct nn_data_field *f = data_input(b, field);
    struct nn_input in = {.name = arena_str(b->model->arena, name),
                          .field = field};
    in.tensor = nn_add_tensor(b, shape);
    b->graph->tensors.p[in.tensor].integers = f && f->classes > 0;
    vec_push(&b->graph->inputs, in);
}

/* What the file says must fit what the data has: as many numbers. */
static void check_input(struct nn_build *b, const char *key,
                        const struct nn_shape *said,
                        const struct nn_data_field *field)
{
    struct nn_shape has = {.rank = field->rank};
    memcpy(has.dim, field->dim, sizeof(has.dim));
    if (nn_shape_count(said) == nn_shape_count(&has))
        return;
    struct buf a, c;
    buf_init(&a);
    buf_init(&c);
    nn_shape_print(&a, said);
    nn_shape_print(&c, &has);
    nn_fault(b, key, "says %s, but a row of the data is %s", a.p, c.p);
    buf_done(&a);
    buf_done(&c);
}

static void inputs_from_data(struct nn_build *b)
{
    for (size_t i = 0; i < b->data->input_count; i++) {
        const struct nn_data_field *f = &b->data->inputs[i];
        struct nn_shape shape = {.rank = f->rank};
        memcpy(shape.dim, f->dim, sizeof(shape.dim));
        add_input(b, f->name, &shape, (int)i);
    }
}

/* The names of the data's inputs, NULL-terminated. */
static const char **data_names(const struct nn_build *b)
{
    struct arena *a = b->faults->arena;
    const char **names =
        arena_array(a, b->data->input_count + 1, sizeof(*names));
    for (size_t i = 0; i < b->data->input_count; i++)
        names[i] = arena_cstr(a, b->data->inputs[i].name);
    names[b->data->input_count] = NULL;
    return names;
}

/* Which input of the data is meant: the one of this name, whatever the order
 * of either list. An only one that the data gave no name of its own may have
 * any. -1 after a fault. */
static int field_named(struct nn_build *b, const char *key, struct str name,
                       size_t named)
{
    const struct nn_data_facts *d = b->data;
    for (size_t i = 0; i < d->input_count; i++)
        if (str_eq(d->inputs[i].name, name))
            return (int)i;
    if (named == 1 && d->input_count == 1 && str_is(d->inputs[0].name, "input"))
        return 0;
    const char **names = data_names(b), *near = str_nearest(name, names);
    struct buf hint;
    buf_init(&hint);
    if (near)
        buf_addf(&hint, "did you mean %s?", near);
    else
        for (size_t i = 0; names[i]; i++)
            buf_addf(&hint, "%s%s", i ? ", " : "it has ", names[i]);
    nn_fault_hint(b, key, hint.p, "is no input of the data");
    buf_done(&hint);
    return -1;
}

/* What the data has and the model leaves out would be left out unsaid. */
static void check_all_named(struct nn_build *b, const char *key)
{
    for (size_t i = 0; b->data && i < b->data->input_count; i++) {
        struct str name = b->data->inputs[i].name;
        bool found = false;
        for (size_t k = 0; k < b->graph->inputs.len; k++)
            found = found || b->graph->inputs.p[k].field == (int)i;
        if (!found)
            nn_fault_hint(
                b, key,
                arena_printf(b->faults->arena,
                             "write inputs: {%.*s: …} with all of them, or "
                             "leave `%s` out: the data says their shapes",
                             STRF(name), key),
                "lacks %.*s, an input of the data", STRF(name));
    }
}

static void read_one_input(struct nn_build *b, const struct value *v)
{
    const struct nn_data_field *f = data_input(b, 0);
    struct nn_shape shape;
    if (!read_shape(b, "input", v, f, &shape))
        return;
    if (f)
        check_input(b, "input", &shape, f);
    add_input(b, f ? f->name : STR("input"), &shape, 0);
    check_all_named(b, "input");
}

static void read_named_inputs(struct nn_build *b, const struct value *many)
{
    size_t before = b->faults->errors;
    for (size_t i = 0; i < many->count; i++) {
        struct nn_shape shape;
        char *key =
            arena_printf(b->faults->arena, "inputs.%.*s", STRF(many->keys[i]));
        int field =
            b->data ? field_named(b, key, many->keys[i], many->count) : (int)i;
        const struct nn_data_field *f = data_input(b, field);
        if (field < 0 || !read_shape(b, key, many->items[i], f, &shape))
            continue;
        if (f)
            check_input(b, key, &shape, f);
        add_input(b, many->keys[i], &shape, field);
    }
    if (b->faults->errors == before)
        check_all_named(b, "inputs");
}

static void read_inputs(struct nn_build *b, const struct value *root)
{
    const struct value *one = value_get(root, STR("input"));
    const struct value *many = value_get(root, STR("inputs"));
    if (one && many)
        nn_fault(b, "inputs", "stands beside `input`: one of them is enough");
    else if (one)
        read_one_input(b, one);
    else if (many && many->kind == VALUE_OBJECT && many->count)
        read_named_inputs(b, many);
    else if (many)
        nn_fault(b, "inputs",
                 "must be an object, the shape of each input by its name: "
                 "{image: [28, 28, 1], age: 1}");
    else if (b->data)
        inputs_from_data(b);
    if (!b->graph->inputs.len && !one && !many)
        nn_fault(b, "input",
                 "is missing: the shape of one row, such as 64 or "
                 "[28, 28, 1]");
}

/* Trained numbers first, so that an optimizer sees one stretch. Each
 * parameter starts at a multiple of 16 numbers: a cache line. */
static void place_params(struct nn_graph *g)
{
    int64_t at = 0;
    for (int pass = 0; pass < 2; pass++) {
        for (size_t i = 0; i < g->params.len; i++) {
            struct nn_param *p = &g->params.p[i];
            if (p->trained != (pass == 0))
                continue;
            p->offset = at;
            at += (p->count + 15) / 16 * 16;
        }
        if (pass == 0)
            g->trained = at;
    }
    g->weights = at;
}

static bool is_taken(const struct nn_graph *g, int tensor)
{
    for (size_t i = 0; i < g->ops.len; i++)
        for (int k = 0; k < g->ops.p[i].in_count; k++)
            if (g->ops.p[i].in[k] == tensor)
                return true;
    for (size_t i = 0; i < g->heads.len; i++)
        if (g->heads.p[i].output == tensor || g->heads.p[i].second == tensor)
            return true;
    return false;
}

static bool has_head(const struct nn_graph *g, size_t label)
{
    for (size_t i = 0; i < g->heads.len; i++)
        if (g->heads.p[i].label == (int)label)
            return true;
    return false;
}

/* What the data has and training never looks at. */
static void note_unused(struct nn_build *b)
{
    struct nn_model *m = b->model;
    const struct nn_graph *g = &m->graph;
    for (size_t i = 0; i < g->inputs.len; i++)
        if (!is_taken(g, g->inputs.p[i].tensor))
            vec_push(&m->notices,
                     str_of(arena_printf(m->arena,
                                         "no layer takes the input %.*s; one "
                                         "does that says `from: %.*s`",
                                         STRF(g->inputs.p[i].name),
                                         STRF(g->inputs.p[i].name))));
    for (size_t i = 0; b->data && i < b->data->label_count; i++)
        if (!has_head(g, i))
            vec_push(&m->notices,
                     str_of(arena_printf(
                         m->arena,
                         "nothing predicts the label %.*s: the model has %zu "
                         "head%s, the data %zu labels",
                         STRF(b->data->labels[i].name), g->heads.len,
                         g->heads.len == 1 ? "" : "s", b->data->label_count)));
}

struct nn_model *nn_model_read(const struct value *v,
                               const struct nn_data_facts *data,
                               struct problems *faults)
{
    struct nn_model *m = xcalloc(1, sizeof(*m));
    struct nn_build b = {.model = m,
                         .graph = &m->graph,
                         .faults = faults,
                         .data = data,
                         .root = v,
                         .at = STR("")};
    size_t before = faults->errors;
    m->arena = arena_new();
    m->data = value_get(v, STR("data"));
    if (!v || v->kind != VALUE_OBJECT)
        nn_fault(&b, NULL, "a model file must be an object with layers");
    nn_known_keys(&b, v, root_keys, NULL);
    nn_read_training(&b, v);
    nn_read_optimizer(&b, value_get(v, STR("optimizer")));
    nn_read_schedule(&b, value_get(v, STR("schedule")));
    read_inputs(&b, v);
    if (m->graph.inputs.len)
        nn_read_layers(&b, value_get(v, STR("layers")));
    if (faults->errors == before)
        nn_read_heads(&b, v);
    if (faults->errors == before)
        nn_check_stopping(&b);
    if (faults->errors == before)
        note_unused(&b);
    if (faults->errors > before) {
        nn_model_free(m);
        return NULL;
    }
    place_params(&m->graph);
    return m;
}

void nn_model_free(struct nn_model *m)
{
    if (!m)
        return;
    vec_done(&m->graph.tensors);
    vec_done(&m->graph.params);
    vec_done(&m->graph.ops);
    vec_done(&m->graph.layers);
    vec_done(&m->graph.inputs);
    vec_done(&m->graph.heads);
    vec_done(&m->soft);
    vec_done(&m->soft_names);
    vec_done(&m->metrics);
    vec_done(&m->snapshots);
    vec_done(&m->notices);
    arena_free(m->arena);
    free(m);
}

static int64_t real_count(const struct nn_model *m, bool trained_only)
{
    int64_t count = 0;
    for (size_t i = 0; i < m->graph.params.len; i++)
        if (!trained_only || m->graph.params.p[i].trained)
            count += m->graph.params.p[i].count;
    return count;
}

int64_t nn_model_parameters(const struct nn_model *m)
{
    return real_count(m, false);
}

int64_t nn_model_trained(const struct nn_model *m)
{
    return real_count(m, true);
}

double nn_model_flops(const struct nn_model *m)
{
    double flops = 0;
    for (size_t i = 0; i < m->graph.layers.len; i++)
        flops += m->graph.layers.p[i].flops;
    return flops;
}

int nn_split_tensor(const struct nn_graph *g)
{
    int found = -1;
    if (g->inputs.len != 1 || g->tensors.p[g->inputs.p[0].tensor].integers ||
        g->tensors.p[g->inputs.p[0].tensor].shape.rank != 1)
        return -1;
    for (size_t i = 0; i < g->ops.len; i++)
        for (int k = 0; k < g->ops.p[i].in_count; k++)
            if (g->ops.p[i].in[k] == g->inputs.p[0].tensor) {
                if (found >= 0 || g->ops.p[i].kind != NN_OP_DENSE)
                    return -1;
                found = g->inputs.p[0].tensor;
            }
    return found;
}

double nn_model_flops_split(const struct nn_model *m, size_t tables,
                            double *added)
{
    const struct nn_graph *g = &m->graph;
    int tensor = nn_split_tensor(g);
    double wide =
        tensor < 0 ? 0 : (double)nn_shape_count(&g->tensors.p[tensor].shape);
    *added = 0;
    for (size_t i = 0; tensor >= 0 && i < g->ops.len; i++)
        if (g->ops.p[i].in[0] == tensor)
            *added =
                (double)nn_shape_count(&g->tensors.p[g->ops.p[i].out].shape);
    double rest = nn_model_flops(m) - 2 * wide * *added;
    *added *= (double)tables;
    return rest;
}

int64_t nn_model_depth(const struct nn_model *m)
{
    int64_t depth = 0;
    for (size_t i = 0; i < m->graph.ops.len; i++) {
        const struct nn_op *op = &m->graph.ops.p[i];
        bool recurs = op->kind == NN_OP_LSTM || op->kind == NN_OP_GRU;
        depth += recurs ? m->graph.tensors.p[op->in[0]].shape.dim[0] : 1;
    }
    return depth;
}

int64_t nn_model_epochs(const struct nn_model *m)
{
    return m->epochs;
}

const struct value *nn_model_data(const struct nn_model *m)
{
    return m->data;
}

static uint64_t kept_of(const struct nn_graph *g, const struct nn_op *op)
{
    const struct nn_op_facts *facts = &nn_op_facts[op->kind];
    return facts->kept ? facts->kept(op, &g->tensors.p[op->in[0]].shape,
                                     &g->tensors.p[op->in[1]].shape)
                       : 0;
}

size_t nn_optimizer_slots(const struct nn_optimizer *o)
{
    static const size_t slots[NN_OPTIMIZER_COUNT] = {
        [NN_SGD] = 1,  [NN_RMSPROP] = 3, [NN_ADAGRAD] = 1, [NN_ADADELTA] = 2,
        [NN_ADAM] = 2, [NN_ADAMAX] = 2,  [NN_NADAM] = 2,   [NN_ADAMW] = 2};
    return slots[o->kind];
}

uint64_t nn_model_member_numbers(const struct nn_model *m)
{
    uint64_t weights =
        (uint64_t)m->graph.weights * (m->stopping.best_weights ? 2 : 1);
    return weights +
           nn_optimizer_slots(&m->optimizer) * (uint64_t)m->graph.trained;
}

/* Weights, gradients and optimizer state; values and gradients of tensors.
 * The trainer counts what its device takes. */
uint64_t nn_model_memory_bytes(const struct nn_model *m)
{
    uint64_t numbers = 4 * (uint64_t)m->graph.weights;
    for (size_t i = 0; i < m->graph.tensors.len; i++)
        numbers += 2 * (uint64_t)m->batch_size *
                   (uint64_t)nn_shape_count(&m->graph.tensors.p[i].shape);
    for (size_t i = 0; i < m->graph.ops.len; i++)
        numbers +=
            (uint64_t)m->batch_size * kept_of(&m->graph, &m->graph.ops.p[i]);
    return 4 * numbers;
}

size_t nn_model_metric_count(const struct nn_model *m)
{
    return m->metrics.len;
}

struct str nn_model_metric_name(const struct nn_model *m, size_t i)
{
    return m->metrics.p[i].name;
}

const char **nn_model_reported(const struct nn_model *m, bool validation,
                               struct arena *a)
{
    size_t n = 0;
    const char **names = arena_array(a, m->metrics.len + 3, sizeof(*names));
    names[n++] = "loss";
    if (validation)
        names[n++] = "val_loss";
    for (size_t i = 0; validation && i < m->metrics.len; i++)
        names[n++] = arena_printf(a, "val_%.*s", STRF(m->metrics.p[i].name));
    names[n] = NULL;
    return names;
}

int64_t nn_model_outputs(const struct nn_model *m)
{
    int64_t count = 0;
    for (size_t i = 0; i < m->graph.heads.len; i++)
        count += nn_shape_count(
            &m->graph.tensors.p[m->graph.heads.p[i].output].shape);
    return count;
}

bool nn_model_takes_classes(const struct nn_model *m, size_t label)
{
    for (size_t i = 0; i < m->graph.heads.len; i++)
        if (m->graph.heads.p[i].label == (int)label &&
            nn_takes_classes(&m->graph.heads.p[i]))
            return true;
    return false;
}

const char *nn_model_notice(const struct nn_model *m, size_t i)
{
    return i < m->notices.len ? m->notices.p[i].p : NULL;
}

bool nn_model_confusion(const struct nn_model *m)
{
    return m->confusion;
}

size_t nn_model_head_count(const struct nn_model *m)
{
    return m->graph.heads.len;
}

struct nn_head_facts nn_model_head(const struct nn_model *m, size_t i)
{
    const struct nn_head *h = &m->graph.heads.p[i];
    size_t width = (size_t)nn_shape_count(&m->graph.tensors.p[h->output].shape);
    return (struct nn_head_facts){
        .name = h->name,
        .width = width,
        .label = h->label,
        .classes = nn_takes_classes(h),
        .each = nn_each_is_yes_or_no(h, width),
        .spreads = h->loss == NN_LOSS_HETEROSCEDASTIC,
        .loss = nn_loss_names[h->loss],
        .a = h->a,
        .weight = h->weight.index < 0 ? 1 : m->soft.p[h->weight.index],
        .class_weights = h->class_weights,
        .class_count = h->class_count};
}

bool nn_model_draw_always(struct nn_model *m)
{
    for (size_t i = 0; i < m->graph.ops.len; i++)
        if (nn_op_facts[m->graph.ops.p[i].kind].draws)
            m->graph.ops.p[i].permanent = true;
    return m->graph.draws > 0;
}

int64_t nn_model_batch(const struct nn_model *m)
{
    return m->batch_size;
}

bool nn_model_snapshot(const struct nn_model *m, int64_t epoch)
{
    for (size_t i = 0; i < m->snapshots.len; i++)
        if (m->snapshots.p[i] == epoch)
            return true;
    return false;
}

struct str nn_model_initial_weights(const struct nn_model *m)
{
    return m->initial_weights;
}
