/* layers.c - the list of layers of a model file
 *
 * An entry is `- dense: 32` (kind: its main value, or an object of its keys),
 * `- {type: dense, units: 32}`, or a bare word `- flatten`. `name`, `from`,
 * `repeat` and `widths` go with any kind. Without `from` a layer takes the
 * output of the one before it. */
#include <stdlib.h>

#include "nn/build.h"

static const char *const every[] = {"type",   "name",   "from",
                                    "repeat", "widths", NULL};

static const struct nn_layer_kind *const tables[] = {
    nn_layers_plain, nn_layers_window,   nn_layers_norm,
    nn_layers_merge, nn_layers_sequence,
};
enum {
    TABLES = sizeof(tables) / sizeof(*tables),
    LAYERS_MAX = 10000,
    KINDS_MAX = 128
};

static const struct nn_layer_kind *kind_find(struct str name)
{
    for (size_t t = 0; t < TABLES; t++)
        for (size_t i = 0; tables[t][i].name; i++)
            if (str_is(name, tables[t][i].name))
                return &tables[t][i];
    return NULL;
}

static size_t kind_names(const char **names)
{
    size_t count = 0;
    for (size_t t = 0; t < TABLES; t++)
        for (size_t i = 0; tables[t][i].name && count < KINDS_MAX - 1; i++)
            names[count++] = tables[t][i].name;
    names[count] = NULL;
    return count;
}

static void fault_kind(struct nn_build *b, struct str name)
{
    const char *names[KINDS_MAX];
    size_t count = kind_names(names);
    const char *near = nn_meant(name, names, NULL);
    struct buf hint;
    buf_init(&hint);
    if (near)
        buf_addf(&hint, "did you mean %s?", near);
    else
        for (size_t i = 0; i < count; i++)
            buf_addf(&hint, "%s%s", i ? ", " : "the kinds are ", names[i]);
    nn_fault_hint(b, NULL, hint.p, "cannot be %.*s", STRF(name));
    buf_done(&hint);
}

/* The one key of the entry that is a kind of layer. */
static const struct nn_layer_kind *kind_key(const struct value *v, size_t *at)
{
    for (size_t i = 0; i < v->count; i++) {
        const struct nn_layer_kind *kind = kind_find(v->keys[i]);
        if (kind) {
            *at = i;
            return kind;
        }
    }
    return NULL;
}

/* `dens: 16` in front of `activation: relu`, which is a kind of layer as well:
 * a key that nothing knows and that is much like a kind is what was meant. */
static bool misspelt_kind(const struct value *v,
                          const struct nn_layer_kind *kind, size_t *at)
{
    const char *names[KINDS_MAX];
    kind_names(names);
    for (size_t i = 0; i < *at; i++) {
        struct str key = v->keys[i];
        if (!str_among(key, kind->keys) && !str_among(key, every) &&
            str_nearest(key, names)) {
            *at = i;
            return true;
        }
    }
    return false;
}

/* `dense: {units: 3}` or `dense: 3` beside other keys, as one object of the
 * layer's keys. */
static struct value *flat_entry(struct nn_build *b, const struct value *v,
                                const struct nn_layer_kind *kind, size_t at)
{
    struct arena *a = b->model->arena;
    struct value *o = value_object(a);
    const struct value *body = v->items[at];
    for (size_t i = 0; i < v->count; i++)
        if (i != at)
            value_set_at(a, o, v->keys[i], v->items[i], v->items[i]->line,
                         v->items[i]->column);
    if (body->kind == VALUE_OBJECT)
        for (size_t i = 0; i < body->count; i++)
            value_set(a, o, body->keys[i], body->items[i]);
    else if (body->kind != VALUE_NULL && kind->main)
        value_set(a, o, str_of(kind->main), v->items[at]);
    else if (body->kind != VALUE_NULL)
        nn_fault(b, kind->name, "takes no value");
    return o;
}

/* The entry as an object of keys, and its kind; NULL after a fault. */
static struct value *entry(struct nn_build *b, const struct value *v,
                           const struct nn_layer_kind **kind)
{
    struct arena *a = b->model->arena;
    size_t at;
    struct str type = v->kind == VALUE_STRING ? v->s : STR("");
    if (v->kind == VALUE_OBJECT)
        type = nn_read_text(b, v, "type", STR(""));
    if (type.len) {
        *kind = kind_find(type);
        if (!*kind) {
            fault_kind(b, type);
            return NULL;
        }
        return v->kind == VALUE_STRING ? value_object(a) : value_copy(a, v);
    }
    *kind = v->kind == VALUE_OBJECT ? kind_key(v, &at) : NULL;
    if (*kind && misspelt_kind(v, *kind, &at)) {
        fault_kind(b, v->keys[at]);
        return NULL;
    }
    if (*kind)
        return flat_entry(b, v, *kind, at);
    if (v->kind == VALUE_OBJECT && v->count)
        fault_kind(b, v->keys[0]);
    else
        nn_fault(b, NULL, "must be a layer, such as `dense: 32`");
    return NULL;
}

/* Of a name that is none: the layer or input that is most like it. */
static void fault_from(struct nn_build *b, struct str name)
{
    const struct nn_graph *g = b->graph;
    struct arena *a = b->faults->arena;
    size_t count = 0;
    const char **names =
        arena_array(a, g->layers.len + g->inputs.len + 1, sizeof(*names));
    for (size_t i = 0; i < g->layers.len; i++)
        names[count++] = arena_cstr(a, g->layers.p[i].name);
    for (size_t i = 0; i < g->inputs.len; i++)
        names[count++] = arena_cstr(a, g->inputs.p[i].name);
    names[count] = NULL;
    const char *near = str_nearest(name, names);
    nn_fault_hint(
        b, "from", near ? arena_printf(a, "did you mean %s?", near) : NULL,
        "names %.*s, which is no layer or input before this one", STRF(name));
}

static int input_named(struct nn_build *b, const struct value *v)
{
    if (v->kind != VALUE_STRING) {
        nn_fault(b, "from", "must name a layer or an input, or a list of them");
        return INT32_MIN;
    }
    int found = nn_find(b, v->s);
    if (found == INT32_MIN)
        fault_from(b, v->s);
    return found;
}

/* What the layer takes: `from`, or the layer before it, or the first input. */
static int inputs_of(struct nn_build *b, const struct value *o, int *from)
{
    const struct value *v = value_get(o, STR("from"));
    int count = 0;
    if (!v) {
        from[0] = b->layer > 0 ? b->layer - 1 : -1;
        return 1;
    }
    if (v->kind != VALUE_LIST) {
        from[0] = input_named(b, v);
        return from[0] == INT32_MIN ? -1 : 1;
    }
    if (v->count < 1 || v->count > NN_INPUTS_MAX) {
        nn_fault(b, "from", "must name 1 to %d layers", NN_INPUTS_MAX);
        return -1;
    }
    for (size_t i = 0; i < v->count; i++) {
        from[count] = input_named(b, v->items[i]);
        if (from[count++] == INT32_MIN)
            return -1;
    }
    return count;
}

static struct str name_layer(struct nn_build *b, const struct value *o,
                             const struct nn_layer_kind *kind, int copy)
{
    struct str name = nn_read_text(b, o, "name", STR(""));
    struct arena *a = b->model->arena;
    if (!name.len)
        return str_of(arena_printf(a, "%s_%d", kind->name, b->layer + 1));
    if (copy > 0)
        name = str_of(arena_printf(a, "%.*s_%d", STRF(name), copy + 1));
    if (nn_find(b, name) != INT32_MIN)
        nn_fault(b, "name", "%.*s is the name of another layer or input",
                 STRF(name));
    return name;
}

/* False: nothing can follow, since its output has no shape. */
static bool add_layer(struct nn_build *b, const struct value *o,
                      const struct nn_layer_kind *kind, int copy)
{
    int in[NN_INPUTS_MAX];
    struct nn_layer layer = {
        .kind = kind->name, .tensor = -1, .entry = b->entry};
    b->layer = (int)b->graph->layers.len;
    if (b->layer == LAYERS_MAX) {
        nn_fault(b, NULL, "is one layer more than %d", LAYERS_MAX);
        return false;
    }
    layer.name = name_layer(b, o, kind, copy);
    layer.from_count = inputs_of(b, o, layer.from);
    if (layer.from_count < 0)
        return false;
    if (layer.from_count < kind->least || layer.from_count > kind->most) {
        nn_fault(b, "from", "%s takes %d to %d inputs, not %d", kind->name,
                 kind->least, kind->most, layer.from_count);
        return false;
    }
    for (int i = 0; i < layer.from_count; i++)
        in[i] = nn_tensor_of(b, layer.from[i]);
    vec_push(&b->graph->layers, layer);
    int out = kind->build(b, o, in, layer.from_count);
    if (out < 0)
        return false;
    b->graph->layers.p[b->layer].tensor = out;
    b->graph->layers.p[b->layer].out = *nn_shape_of(b, out);
    return true;
}

/* `widths: [64, 32]`: a layer of each size, one after another. */
static bool add_widths(struct nn_build *b, struct value *o,
                       const struct nn_layer_kind *kind,
                       const struct value *widths)
{
    if (widths->kind != VALUE_LIST || !kind->main) {
        nn_fault(b, "widths",
                 "must be a list of sizes, for a layer that has "
                 "one");
        return false;
    }
    for (size_t i = 0; i < widths->count; i++) {
        struct value *one = value_copy(b->model->arena, o);
        value_set(b->model->arena, one, str_of(kind->main), widths->items[i]);
        if (i > 0)
            value_set(b->model->arena, one, STR("from"),
                      value_string(b->model->arena,
                                   b->graph->layers.p[b->layer].name));
        if (!add_layer(b, one, kind, (int)i))
            return false;
    }
    return true;
}

/* `bias_initialization` is another name for `bias_initializer`. */
static void one_name(struct value *o, const struct nn_layer_kind *kind)
{
    bool has = false;
    for (size_t i = 0; kind->keys[i]; i++)
        has = has || strcmp(kind->keys[i], "bias_initializer") == 0;
    for (size_t i = 0; has && i < o->count; i++)
        if (str_is(o->keys[i], "bias_initialization") &&
            !value_get(o, STR("bias_initializer")))
            o->keys[i] = STR("bias_initializer");
}

/* The last layer of a model of several quantiles: one for each, side by side.
 */
static bool add_quantiles(struct nn_build *b, const struct value *o,
                          const struct nn_layer_kind *kind)
{
    const struct nn_graph *g = b->graph;
    const struct value *list = nn_quantiles(b->root);
    if (strcmp(kind->name, "dense") != 0) {
        nn_fault(b, NULL,
                 "must be dense: of several quantiles the last layer has an "
                 "output for each");
        return false;
    }
    if (!nn_check_quantiles(b, o, kind->main))
        return false;
    struct str before = g->layers.len ? g->layers.p[g->layers.len - 1].name
                                      : g->inputs.p[0].name;
    for (size_t i = 0; i < list->count; i++) {
        struct value *one = nn_quantile_layer(b, o, kind->main, i);
        if (!value_get(one, STR("from")))
            value_set(b->model->arena, one, STR("from"),
                      value_string(b->model->arena, before));
        if (!add_layer(b, one, kind, 0))
            return false;
    }
    return true;
}

static bool is_last(const struct nn_build *b)
{
    const struct value *all = value_get(b->root, STR("layers"));
    return all && (size_t)b->entry + 1 == all->count;
}

static bool add_entry(struct nn_build *b, const struct value *v)
{
    const struct nn_layer_kind *kind;
    struct value *o = entry(b, v, &kind);
    if (!o)
        return false;
    one_name(o, kind);
    nn_known_keys(b, o, kind->keys, every);
    if (nn_quantiles(b->root) && is_last(b))
        return add_quantiles(b, o, kind);
    const struct value *widths = value_get(o, STR("widths"));
    if (widths)
        return add_widths(b, o, kind, widths);
    int64_t repeat = nn_read_int(b, o, "repeat", 0, 10000, 1);
    for (int64_t i = 0; i < repeat; i++) {
        if (i > 0)
            value_set(b->model->arena, o, STR("from"),
                      value_string(b->model->arena,
                                   b->graph->layers.p[b->layer].name));
        if (!add_layer(b, o, kind, (int)i))
            return false;
    }
    return true;
}

void nn_read_layers(struct nn_build *b, const struct value *v)
{
    if (!v || v->kind != VALUE_LIST || !v->count) {
        nn_fault(b, "layers", "must be a list of layers");
        return;
    }
    b->layer = -1;
    for (size_t i = 0; i < v->count; i++) {
        b->at = str_of(arena_printf(b->faults->arena, "layers[%zu]", i));
        b->layer = (int)b->graph->layers.len;
        b->entry = (int)i;
        if (!add_entry(b, v->items[i]))
            break; /* what follows has no shape to stand on */
    }
    b->at = STR("");
}
