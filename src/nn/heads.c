/* heads.c - where the model is judged: losses, labels, metrics
 *
 * One `loss:` stands for a head on the last layer; `heads:` lists several.
 * Cross-entropies are computed from the numbers before the softmax or
 * sigmoid. A last layer without one gets it here, so that predictions are
 * probabilities either way. */
#include <math.h>

#include "base/num.h"
#include "nn/build.h"

const char *const nn_loss_names[] = {"categorical_crossentropy",
                                     "sparse_categorical_crossentropy",
                                     "binary_crossentropy",
                                     "mse",
                                     "mae",
                                     "huber",
                                     "kl",
                                     "dice",
                                     "heteroscedastic",
                                     "quantile",
                                     "gaussian_kl",
                                     NULL};

const char *const nn_metric_names[] = {
    "accuracy", "top_k", "f1_micro", "f1_macro", "auc",       "r2",
    "mae",      "mse",   "iou",      "dice",     "confusion", NULL};

static const char *const head_keys[] = {
    "name",  "from",     "loss",          "weight",       "label", "metrics",
    "delta", "quantile", "class_weights", "log_variance", NULL};

static enum nn_activation activation_for(enum nn_loss loss)
{
    switch (loss) {
    case NN_LOSS_CROSS_ENTROPY:
    case NN_LOSS_SPARSE_CROSS_ENTROPY:
    case NN_LOSS_KL:
        return NN_SOFTMAX;
    case NN_LOSS_BINARY_CROSS_ENTROPY:
        return NN_SIGMOID;
    default:
        return NN_LINEAR;
    }
}

bool nn_takes_classes(const struct nn_head *h)
{
    return activation_for(h->loss) != NN_LINEAR;
}

bool nn_each_is_yes_or_no(const struct nn_head *h, size_t width)
{
    return width > 1 &&
           (h->loss == NN_LOSS_BINARY_CROSS_ENTROPY || h->loss == NN_LOSS_DICE);
}

/* Finds the numbers before the softmax; puts one behind bare numbers. */
static void find_logits(struct nn_build *b, struct nn_head *h, int tensor)
{
    enum nn_activation wanted = activation_for(h->loss);
    int made_by = b->graph->tensors.p[tensor].op;
    const struct nn_op *op = made_by < 0 ? NULL : &b->graph->ops.p[made_by];
    h->output = h->logits = tensor;
    if (wanted == NN_LINEAR)
        return;
    if (op && op->kind == NN_OP_ACTIVATION && op->activation == wanted)
        h->logits = op->in[0];
    else
        h->output = nn_add_activation(b, tensor, wanted, 0);
}

static void read_class_weights(struct nn_build *b, const struct value *o,
                               struct nn_head *h)
{
    const struct value *v = value_get(o, STR("class_weights"));
    if (!v)
        return;
    if (v->kind != VALUE_LIST) {
        nn_fault(b, "class_weights", "must be a list of numbers, one a class");
        return;
    }
    double *weights = arena_array(b->model->arena, v->count, sizeof(double));
    for (size_t i = 0; i < v->count; i++) {
        weights[i] = value_number(v->items[i]);
        if (!(weights[i] >= 0))
            nn_fault(b, "class_weights", "must be numbers from 0");
    }
    const struct nn_shape *s = nn_shape_of(b, h->output);
    int64_t classes = h->loss == NN_LOSS_BINARY_CROSS_ENTROPY
                          ? 2 /* no and yes, of every output */
                          : s->dim[s->rank - 1];
    if ((int64_t)v->count != classes)
        nn_fault(b, "class_weights", "has %zu numbers for %lld classes",
                 v->count, (long long)classes);
    h->class_weights = weights;
    h->class_count = v->count;
}

/* The label field that `label` names, or else the head's own name; where
 * neither does, the head's number. */
static int label_of(struct nn_build *b, const struct value *o, size_t number)
{
    const struct nn_data_facts *d = b->data;
    struct str said = nn_read_text(b, o, "label", STR(""));
    struct str name = said;
    if (!said.len && o != b->root)
        name = nn_read_text(b, o, "name", nn_read_text(b, o, "from", said));
    for (size_t i = 0; d && i < d->label_count; i++)
        if (str_eq(d->labels[i].name, name))
            return (int)i;
    if (d && said.len)
        nn_fault(b, "label", "the data has no label %.*s", STRF(said));
    return (int)number;
}

static int64_t label_width(const struct nn_data_field *label)
{
    int64_t width = 1;
    for (int i = 0; i < label->rank; i++)
        width *= label->dim[i];
    return width;
}

static int64_t wanted_width(enum nn_loss loss,
                            const struct nn_data_field *label)
{
    int64_t width = label_width(label);
    switch (loss) {
    case NN_LOSS_SPARSE_CROSS_ENTROPY:
        return label->classes;
    case NN_LOSS_CROSS_ENTROPY:
        return label->classes > width ? label->classes : width;
    case NN_LOSS_HETEROSCEDASTIC:
        return 2 * width;
    default:
        return width;
    }
}

/* The head on the layer that is being built, and its number. */
static const struct value *head_here(const struct nn_build *b, size_t *number)
{
    const struct value *heads = value_get(b->root, STR("heads"));
    struct str name = b->graph->layers.p[b->layer].name;
    *number = 0;
    if (!heads)
        return b->root;
    for (; *number < heads->count && heads->kind == VALUE_LIST; (*number)++) {
        const struct value *from =
            value_get(heads->items[*number], STR("from"));
        if (str_eq(value_text(from), name))
            return heads->items[*number];
    }
    return NULL;
}

int64_t nn_outputs_wanted(struct nn_build *b)
{
    size_t number;
    const struct value *o = head_here(b, &number);
    if (!o) {
        nn_fault_hint(b, "units", "a head says `from` with this layer's name",
                      "are outputs, but no head is on this layer");
        return 0;
    }
    int loss = nn_read_choice(b, o, "loss", nn_loss_names, 0);
    int label = label_of(b, o, number);
    if (!b->data || (size_t)label >= b->data->label_count) {
        nn_fault_hint(b, "units", "say their number",
                      "are outputs, which only data with a label can tell");
        return 0;
    }
    int64_t wanted = wanted_width((enum nn_loss)loss, &b->data->labels[label]);
    if (wanted < 1)
        nn_fault(b, "units",
                 "are outputs of a loss that wants classes, but the label "
                 "%.*s is numbers",
                 STRF(b->data->labels[label].name));
    return wanted;
}

/* What puts out a tensor; NULL: an input. */
static const struct nn_layer *layer_of(const struct nn_build *b, int tensor)
{
    const struct nn_graph *g = b->graph;
    for (size_t i = 0; i < g->ops.len; i++)
        if (g->ops.p[i].out == tensor && g->ops.p[i].layer >= 0)
            return &g->layers.p[g->ops.p[i].layer];
    return NULL;
}

static void fault_width(struct nn_build *b, const struct nn_head *h,
                        int64_t wanted)
{
    const struct nn_layer *layer = layer_of(b, h->output);
    const struct nn_data_field *label = &b->data->labels[h->label];
    struct arena *a = b->faults->arena;
    struct str outer = b->at, name = layer ? layer->name : h->name;
    if (layer)
        b->at = str_of(arena_printf(a, "layers[%d]", layer->entry));
    nn_fault_hint(b, NULL,
                  layer && strcmp(layer->kind, "dense") == 0
                      ? arena_printf(a, "write dense: %lld, or dense: outputs",
                                     (long long)wanted)
                      : NULL,
                  "%.*s puts out %lld number%s, the label %.*s wants %lld",
                  STRF(name),
                  (long long)nn_shape_count(nn_shape_of(b, h->output)),
                  nn_shape_count(nn_shape_of(b, h->output)) == 1 ? "" : "s",
                  STRF(label->name), (long long)wanted);
    b->at = outer;
}

/* Of words a loss on numbers gets 0, 1, 2 … */
static void note_words(struct nn_build *b, const struct nn_head *h,
                       const struct nn_data_field *label)
{
    struct str text = str_of(arena_printf(
        b->model->arena,
        "%s takes the %lld words of the label %.*s as numbers from 0, in the "
        "order of the alphabet; sparse_categorical_crossentropy, or "
        "binary_crossentropy of two, predicts which it is",
        nn_loss_names[h->loss], (long long)label->classes, STRF(label->name)));
    vec_push(&b->model->notices, text);
}

/* Its one answer would be right before it has learnt anything. */
static void check_one_class(struct nn_build *b, const struct nn_head *h,
                            const struct nn_data_field *label)
{
    bool several = h->loss == NN_LOSS_SPARSE_CROSS_ENTROPY;
    bool two = h->loss == NN_LOSS_BINARY_CROSS_ENTROPY && label->words;
    if (label->classes == 1 && (several || two))
        nn_fault_hint(b, "loss",
                      "say another label, or take rows of other classes, too",
                      "wants two classes%s, but all rows have the same %.*s",
                      several ? " or more" : "", STRF(label->name));
}

static void check_label(struct nn_build *b, const struct nn_head *h)
{
    const struct nn_data_facts *d = b->data;
    if (!d || h->label < 0)
        return;
    if ((size_t)h->label >= d->label_count) {
        nn_fault(b, NULL, "the data has %zu label%s; head %.*s wants one more",
                 d->label_count, d->label_count == 1 ? "" : "s", STRF(h->name));
        return;
    }
    const struct nn_data_field *label = &d->labels[h->label];
    int64_t wanted = wanted_width(h->loss, label);
    int64_t width = nn_shape_count(nn_shape_of(b, h->output));
    if (h->loss == NN_LOSS_SPARSE_CROSS_ENTROPY && !label->classes)
        nn_fault_hint(b, "loss",
                      "classes are whole numbers or words; of numbers use mse "
                      "or mae, of distributions categorical_crossentropy",
                      "wants classes, but the label %.*s is numbers",
                      STRF(label->name));
    check_one_class(b, h, label);
    if (h->loss == NN_LOSS_BINARY_CROSS_ENTROPY && width == 1 &&
        label->classes > 2)
        nn_fault(b, "loss", "wants two classes, but the label %.*s has %lld",
                 STRF(label->name), (long long)label->classes);
    if (wanted > 0 && wanted != width)
        fault_width(b, h, wanted);
    if (label->words && !nn_takes_classes(h))
        note_words(b, h, label);
}

/* k of `top_10`; 0: it is no such name. */
static int top_of(struct str name)
{
    uint64_t k = 0;
    bool is = name.len > 4 && str_starts(name, STR("top_")) &&
              name.p[4] != '0' && num_uint(str_n(name.p + 4, name.len - 4), &k);
    return !is ? 0 : k > INT32_MAX ? INT32_MAX : (int)k;
}

/* Among k of at most k classes every class is. */
static void check_top(struct nn_build *b, const struct nn_head *h, int k)
{
    const struct nn_shape *s = nn_shape_of(b, h->output);
    int64_t classes = s->dim[s->rank - 1];
    if (!nn_takes_classes(h) || classes < 2)
        nn_fault(b, "metrics",
                 "top_%d wants an output for each class, not one of %s", k,
                 nn_loss_names[h->loss]);
    else if (k > classes)
        nn_fault_hint(b, "metrics", classes > 2 ? "say top_2" : "say accuracy",
                      "top_%d is always 1: there are %lld classes", k,
                      (long long)classes);
}

/* One class of several outputs is no number; of r2, mae and mse there is
 * nothing to compare. */
static bool compares_numbers(const struct nn_build *b, const struct nn_head *h)
{
    bool spread = h->loss == NN_LOSS_CROSS_ENTROPY || h->loss == NN_LOSS_KL;
    const struct nn_data_facts *d = b->data;
    if (!spread || !d || h->label < 0 || (size_t)h->label >= d->label_count)
        return h->loss != NN_LOSS_SPARSE_CROSS_ENTROPY;
    const struct nn_data_field *label = &d->labels[h->label];
    int64_t width = nn_shape_count(nn_shape_of(b, h->output));
    return label_width(label) == width;
}

bool nn_metric_is_of_numbers(enum nn_metric_kind kind)
{
    return kind == NN_METRIC_R2 || kind == NN_METRIC_MAE ||
           kind == NN_METRIC_MSE;
}

static void note_left_out(struct nn_build *b, struct str name,
                          const struct nn_head *h)
{
    struct str text = str_of(
        arena_printf(b->model->arena,
                     "val_%.*s is left out: it compares numbers, and %s "
                     "predicts classes; accuracy, f1_macro or auc judge those",
                     STRF(name), nn_loss_names[h->loss]));
    vec_push(&b->model->notices, text);
}

static void add_metric(struct nn_build *b, int head, struct str name)
{
    struct nn_metric m = {.head = head, .k = 5};
    struct str base = name;
    if (top_of(name)) {
        m.k = top_of(name);
        base = STR("top_k");
    }
    const struct nn_head *h = &b->graph->heads.p[head];
    if (str_is(base, "top_k"))
        check_top(b, h, m.k);
    if (str_is(name, "confusion")) {
        if (!nn_takes_classes(h))
            nn_fault(b, "metrics", "confusion wants classes, not %s",
                     nn_loss_names[h->loss]);
        b->model->confusion = true;
        return;
    }
    bool alone = b->graph->heads.len == 1;
    for (int i = 0; nn_metric_names[i]; i++)
        if (str_is(base, nn_metric_names[i])) {
            m.kind = (enum nn_metric_kind)i;
            m.name = alone ? arena_str(b->model->arena, name)
                           : str_of(arena_printf(b->model->arena, "%.*s_%.*s",
                                                 STRF(h->name), STRF(name)));
            if (nn_metric_is_of_numbers(m.kind) && !compares_numbers(b, h))
                note_left_out(b, m.name, h);
            else
                vec_push(&b->model->metrics, m);
            return;
        }
    nn_fault_choice(b, "metrics", name, nn_metric_names);
}

static void read_metrics(struct nn_build *b, const struct value *o, int head)
{
    const struct value *v = value_get(o, STR("metrics"));
    if (!v || v->kind == VALUE_NULL)
        return;
    if (v->kind == VALUE_STRING) {
        add_metric(b, head, v->s);
        return;
    }
    for (size_t i = 0; v->kind == VALUE_LIST && i < v->count; i++)
        add_metric(b, head, value_text(v->items[i]));
    if (v->kind != VALUE_LIST)
        nn_fault(b, "metrics", "must be a list of metrics");
}

static int head_tensor(struct nn_build *b, const struct value *o,
                       const char *key, int otherwise)
{
    struct str from = nn_read_text(b, o, key, STR(""));
    if (!from.len)
        return otherwise;
    b->layer = -1; /* any layer may be named */
    int found = nn_find(b, from);
    if (found != INT32_MIN)
        return nn_tensor_of(b, found);
    nn_fault(b, key, "names the layer %.*s, which is not there", STRF(from));
    return -1;
}

static void add_head(struct nn_build *b, const struct value *o, size_t number,
                     struct str name)
{
    const struct nn_graph *g = b->graph;
    int last = g->layers.len ? g->layers.p[g->layers.len - 1].tensor : -1;
    struct nn_head h = {.name = name, .second = -1, .label = -1};
    if (!value_get(o, STR("loss"))) {
        nn_fault(b, "loss", "is missing: it says what training minimises");
        return;
    }
    h.loss = (enum nn_loss)nn_read_choice(b, o, "loss", nn_loss_names, 0);
    int tensor = head_tensor(b, o, "from", last);
    if (tensor < 0)
        return;
    b->layer = g->tensors.p[tensor].op < 0
                   ? 0
                   : g->ops.p[g->tensors.p[tensor].op].layer;
    find_logits(b, &h, tensor);
    h.weight = nn_read_soft(b, o, "weight", 0, 1e9, NAN);
    h.a = h.loss == NN_LOSS_QUANTILE ? nn_read_real(b, o, "quantile", 0, 1, 0.5)
                                     : nn_read_real(b, o, "delta", 0, 1e30, 1);
    if (h.loss == NN_LOSS_GAUSSIAN_KL)
        h.second = head_tensor(b, o, "log_variance", -1);
    else
        h.label = label_of(b, o, number);
    read_class_weights(b, o, &h);
    if (str_among(value_text(value_get(o, STR("loss"))), nn_loss_names))
        check_label(b, &h);
    vec_push(&b->graph->heads, h);
}

/* All of the same label. */
static void add_quantiles(struct nn_build *b, const struct value *root,
                          size_t count)
{
    for (size_t i = 0; i < count; i++) {
        const struct value *o = nn_quantile_head(b, root, i);
        add_head(b, o, 0, value_text(value_get(o, STR("name"))));
    }
    for (size_t i = 0; i < count && b->graph->heads.len == count; i++)
        read_metrics(b, nn_quantile_head(b, root, i), (int)i);
}

void nn_read_heads(struct nn_build *b, const struct value *root)
{
    const struct value *v = value_get(root, STR("heads"));
    const struct value *quantiles = nn_quantiles(root);
    if (quantiles) {
        add_quantiles(b, root, quantiles->count);
        return;
    }
    if (!v) {
        add_head(b, root, 0, STR("output"));
        if (b->graph->heads.len)
            read_metrics(b, root, 0);
        return;
    }
    if (v->kind != VALUE_LIST || !v->count) {
        nn_fault(b, "heads",
                 "must be a list of heads, each with from and loss");
        return;
    }
    for (size_t i = 0; i < v->count; i++) {
        b->at = str_of(arena_printf(b->faults->arena, "heads[%zu]", i));
        struct str name =
            nn_read_text(b, v->items[i], "name",
                         nn_read_text(b, v->items[i], "from",
                                      str_of(arena_printf(b->model->arena,
                                                          "head_%zu", i + 1))));
        nn_known_keys(b, v->items[i], head_keys, NULL);
        add_head(b, v->items[i], i, name);
    }
    for (size_t i = 0; i < v->count && b->graph->heads.len == v->count; i++) {
        b->at = str_of(arena_printf(b->faults->arena, "heads[%zu]", i));
        read_metrics(b, v->items[i], (int)i);
    }
    b->at = STR("");
}
