/* keras_weights.c - the weights of a Keras model
 *
 * Two layouts. Keras 2 has LAYER/…/kernel:0 (in model_weights/ where the model
 * was saved as a whole), Keras 3 layers/CLASS_N/…/vars/I: the N-th layer of its
 * class, and the number of the variable. */
#include "base/num.h"
#include "nn/foreign/foreign.h"

enum turn { SAME, TURNED, GATES, GATES_FIRST, GATES_SECOND };

struct row {
    const char *kind, *ours; /* the layer's and the parameter's name here */
    const char *class_name;  /* as Keras 3 writes it */
    const char *theirs;      /* the variable, and its number */
    int number;
    enum turn turn;
};

static const struct row rows[] = {
    {"dense", "weight", "dense", "kernel", 0, SAME},
    {"dense", "bias", "dense", "bias", 1, SAME},
    {"conv1d", "weight", "conv1d", "kernel", 0, SAME},
    {"conv1d", "bias", "conv1d", "bias", 1, SAME},
    {"conv2d", "weight", "conv2d", "kernel", 0, SAME},
    {"conv2d", "bias", "conv2d", "bias", 1, SAME},
    {"depthwise_conv1d", "weight", "depthwise_conv1d", "depthwise_kernel", 0,
     SAME},
    {"depthwise_conv1d", "bias", "depthwise_conv1d", "bias", 1, SAME},
    {"depthwise_conv2d", "weight", "depthwise_conv2d", "depthwise_kernel", 0,
     SAME},
    {"depthwise_conv2d", "bias", "depthwise_conv2d", "bias", 1, SAME},
    {"conv2d_transpose", "weight", "conv2d_transpose", "kernel", 0, TURNED},
    {"conv2d_transpose", "bias", "conv2d_transpose", "bias", 1, SAME},
    {"batch_norm", "gamma", "batch_normalization", "gamma", 0, SAME},
    {"batch_norm", "beta", "batch_normalization", "beta", 1, SAME},
    {"batch_norm", "mean", "batch_normalization", "moving_mean", 2, SAME},
    {"batch_norm", "variance", "batch_normalization", "moving_variance", 3,
     SAME},
    {"layer_norm", "gamma", "layer_normalization", "gamma", 0, SAME},
    {"layer_norm", "beta", "layer_normalization", "beta", 1, SAME},
    {"embedding", "weight", "embedding", "embeddings", 0, SAME},
    {"lstm", "weight", "lstm", "kernel", 0, SAME},
    {"lstm", "recurrent", "lstm", "recurrent_kernel", 1, SAME},
    {"lstm", "bias", "lstm", "bias", 2, SAME},
    {"gru", "weight", "gru", "kernel", 0, GATES},
    {"gru", "recurrent", "gru", "recurrent_kernel", 1, GATES},
    {"gru", "bias", "gru", "bias", 2, GATES_FIRST},
    {"gru", "recurrent_bias", "gru", "bias", 2, GATES_SECOND},
};

struct taking {
    const struct nn_graph *graph;
    struct tensors *from;
    double *numbers;
    struct err *err;
};

/* One parameter that is looked for. */
struct wanted {
    const struct nn_param *param;
    const struct nn_layer *layer;
    const struct row *row;
    bool both, back;    /* its layer has two directions; it is of the second */
    struct str in_list; /* Keras 3's name of the layer: dense_1 */
};

/* ---- finding it ---------------------------------------------------------- */

static bool is_both(const struct nn_graph *g, int layer)
{
    for (size_t i = 0; i < g->params.len; i++)
        if (g->params.p[i].layer == layer &&
            str_ends(g->params.p[i].name, STR("_back")))
            return true;
    return false;
}

static const struct row *row_of(const char *kind, struct str suffix)
{
    for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++)
        if (strcmp(rows[i].kind, kind) == 0 && str_is(suffix, rows[i].ours))
            return &rows[i];
    return NULL;
}

static const char *class_of(const struct nn_graph *g, size_t layer)
{
    for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++)
        if (strcmp(rows[i].kind, g->layers.p[layer].kind) == 0)
            return is_both(g, (int)layer) ? "bidirectional"
                                          : rows[i].class_name;
    return "";
}

static struct str name_in_list(const struct taking *t, size_t layer)
{
    const char *class_name = class_of(t->graph, layer);
    size_t before = 0;
    for (size_t i = 0; i < layer; i++)
        before += strcmp(class_of(t->graph, i), class_name) == 0;
    return str_of(
        before ? arena_printf(t->from->arena, "%s_%zu", class_name, before)
               : arena_printf(t->from->arena, "%s", class_name));
}

static bool describe(const struct taking *t, size_t param, struct wanted *w)
{
    const struct nn_param *p = &t->graph->params.p[param];
    *w = (struct wanted){.param = p, .layer = &t->graph->layers.p[p->layer]};
    struct str suffix = str_n(p->name.p + w->layer->name.len + 1,
                              p->name.len - w->layer->name.len - 1);
    w->both = is_both(t->graph, p->layer);
    w->back = str_ends(suffix, STR("_back"));
    if (w->back)
        suffix.len -= strlen("_back");
    w->row = row_of(w->layer->kind, suffix);
    w->in_list = name_in_list(t, (size_t)p->layer);
    return w->row;
}

/* Takes a first part of the path where it is this one. */
static void skip_part(struct str *path, const char *part)
{
    size_t len = strlen(part);
    if (str_starts(*path, str_of(part)) && path->len > len &&
        path->p[len] == '/')
        *path = str_n(path->p + len + 1, path->len - len - 1);
}

static struct str last_part(struct str path)
{
    for (size_t i = path.len; i > 0; i--)
        if (path.p[i - 1] == '/')
            return str_n(path.p + i, path.len - i);
    return path;
}

static bool has_part(struct str path, const char *beginning)
{
    struct str part;
    while (str_split(&path, '/', &part))
        if (str_starts(part, str_of(beginning)))
            return true;
    return false;
}

static bool is_wanted(const struct wanted *w, struct str path)
{
    uint64_t number;
    bool listed = str_starts(path, STR("layers/")) ||
                  str_starts(path, STR("_layer_checkpoint_dependencies/"));
    struct str name = listed ? w->in_list : w->layer->name;
    struct str last = last_part(path), first;
    skip_part(&path, "layers");
    skip_part(&path, "_layer_checkpoint_dependencies");
    skip_part(&path, "model_weights");
    /* The name of a layer may have slashes, as Keras 2 lets it. */
    if (!str_starts(path, name) || path.len <= name.len ||
        path.p[name.len] != '/')
        return false;
    first = str_n(path.p + name.len + 1, path.len - name.len - 1);
    if (w->both && has_part(first, "backward_") != w->back)
        return false;
    if (listed)
        return has_part(first, "vars") && num_uint(last, &number) &&
               number == (uint64_t)w->row->number;
    if (str_ends(last, STR(":0")))
        last.len -= 2;
    return str_is(last, w->row->theirs);
}

static struct tensor *find(const struct taking *t, const struct wanted *w)
{
    for (size_t i = 0; i < t->from->list.len; i++)
        if (is_wanted(w, t->from->list.p[i].name))
            return &t->from->list.p[i];
    return NULL;
}

/* ---- taking it ----------------------------------------------------------- */

/* Keras has update, reset, new; here it is reset, update, new. */
static int64_t gate_from(int64_t units, int64_t column)
{
    int64_t gate = column / units;
    return gate == 0 ? column + units : gate == 1 ? column - units : column;
}

static void copy(const struct wanted *w, const struct tensor *from, double *to)
{
    const struct nn_shape *s = &w->param->shape;
    int64_t columns = s->dim[s->rank - 1], units = columns / 3;
    int64_t inputs = s->rank > 1 ? s->dim[s->rank - 2] : 1;
    int64_t skip = w->row->turn == GATES_SECOND ? columns : 0;
    for (int64_t i = 0; i < w->param->count; i++) {
        int64_t row = i / columns, column = i % columns;
        switch (w->row->turn) {
        case SAME:
            to[i] = from->numbers[i];
            break;
        case TURNED: /* [rows, columns, outputs, inputs] */
            to[i] = from->numbers[(row / inputs * columns + column) * inputs +
                                  row % inputs];
            break;
        case GATES:
        case GATES_FIRST:
        case GATES_SECOND:
            to[i] =
                from->numbers[skip + row * columns + gate_from(units, column)];
            break;
        }
    }
}

/* Shapes agree, or say the same in other words. */
static bool fits(const struct wanted *w, const struct tensor *t)
{
    const struct nn_shape *s = &w->param->shape;
    bool halves = w->row->turn == GATES_FIRST || w->row->turn == GATES_SECOND;
    bool same = t->rank == s->rank;
    if (halves)
        return t->rank == 2 && t->dim[0] == 2 && t->dim[1] == s->dim[0];
    if (w->row->turn == TURNED ||
        str_is(STR("depthwise_kernel"), w->row->theirs))
        return t->count == w->param->count && same && t->dim[0] == s->dim[0];
    for (int i = 0; same && i < s->rank; i++)
        same = t->dim[i] == s->dim[i];
    return same;
}

/* Of a norm that was told to have no scale, or no center. */
static bool may_lack(const struct wanted *w, double *to)
{
    bool gamma = strcmp(w->row->ours, "gamma") == 0;
    if (!gamma && strcmp(w->row->ours, "beta") != 0)
        return false;
    for (int64_t i = 0; i < w->param->count; i++)
        to[i] = gamma ? 1 : 0;
    return true;
}

static int take_param(struct taking *t, size_t param)
{
    struct wanted w;
    double *to = t->numbers + t->graph->params.p[param].offset;
    if (!describe(t, param, &w))
        return err_set(t->err, ERR_INPUT,
                       "%s: Keras has no %.*s: weights of a layer %s are not "
                       "taken from it",
                       t->from->path, STRF(w.param->name), w.layer->kind);
    struct tensor *found = find(t, &w);
    if (!found && may_lack(&w, to))
        return 0;
    if (!found)
        return err_set(t->err, ERR_INPUT,
                       "%s: has no %s of the layer %.*s; are model and weights "
                       "of one training?",
                       t->from->path, w.row->theirs, STRF(w.layer->name));
    if (!fits(&w, found))
        return tensor_misfit(t->from, found, w.param->name, &w.param->shape,
                             t->err);
    found->taken = true;
    copy(&w, found, to);
    return 0;
}

/* Beside weights a file may have what training goes on from. */
static bool is_weight(struct str path)
{
    return !str_starts(path, STR("optimizer")) &&
           !has_part(path, "seed_generator");
}

int keras_take(const struct nn_graph *g, struct tensors *t, double *numbers,
               struct err *err)
{
    struct taking k = {g, t, numbers, err};
    for (size_t i = 0; i < g->params.len; i++)
        if (take_param(&k, i))
            return -1;
    for (size_t i = 0; i < t->list.len; i++)
        if (!t->list.p[i].taken && is_weight(t->list.p[i].name))
            return err_set(err, ERR_INPUT,
                           "%s: has %.*s, which no layer of the model takes; "
                           "are model and weights of one training?",
                           t->path, STRF(t->list.p[i].name));
    return 0;
}
