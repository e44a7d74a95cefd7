/* look_at.c - a model whose predictions are the numbers of one of its layers
 *
 * What stands behind the layer is cut off, and the only head is the layer
 * itself, with a loss that needs no label: nobody looks at it. */
#include "base/json.h"
#include "data/data.h"
#include "nn/nn.h"
#include "study/study.h"

/* So many layers an entry of the list becomes. */
static int64_t count_of(const struct value *entry)
{
    const struct value *widths = value_get(entry, STR("widths"));
    const struct value *repeat = value_get(entry, STR("repeat"));
    if (widths && widths->kind == VALUE_LIST)
        return (int64_t)widths->count;
    return repeat && repeat->kind == VALUE_INT ? repeat->i : 1;
}

/* Number of the layer in the model's order, or -1 and all of their names. */
static int64_t find(const struct value *all, struct str layer,
                    struct buf *names)
{
    for (size_t i = 0; all && i < all->count; i++) {
        struct str name = value_text(value_get(all->items[i], STR("name")));
        if (str_eq(name, layer))
            return (int64_t)i;
        buf_addf(names, "%s%.*s", i ? ", " : "", STRF(name));
    }
    return -1;
}

static void cut_entry(struct value *entry, int64_t count, struct arena *a)
{
    struct value *widths = value_get(entry, STR("widths"));
    if (widths && widths->kind == VALUE_LIST)
        widths->count = (size_t)count;
    else if (value_get(entry, STR("repeat")))
        value_set(a, entry, STR("repeat"), value_int(a, count));
}

/* `dense: outputs` is as wide as a label makes it, of which nothing is left. */
static void say_width(struct value *entry, const struct value *shape,
                      struct arena *a)
{
    static const char *const keys[] = {"units", "dense"};
    const struct value *last = value_at(shape, shape ? shape->count - 1 : 0);
    struct value *body = value_get(entry, STR("dense"));
    struct value *of = body && body->kind == VALUE_OBJECT ? body : entry;
    for (size_t i = 0; last && i < sizeof(keys) / sizeof(*keys); i++)
        if (str_is(value_text(value_get(of, str_of(keys[i]))), "outputs"))
            value_set(a, of, str_of(keys[i]), value_int(a, last->i));
}

static void cut_layers(struct value *layers, int64_t at, struct arena *a)
{
    for (size_t i = 0; i < layers->count; i++) {
        int64_t count = count_of(layers->items[i]);
        if (at < count) {
            cut_entry(layers->items[i], at + 1, a);
            layers->count = i + 1;
            return;
        }
        at -= count;
    }
}

static struct value *head_on(struct str layer, struct arena *a)
{
    struct value *head = value_object(a), *heads = value_list(a);
    value_set(a, head, STR("name"), value_string(a, layer));
    value_set(a, head, STR("from"), value_string(a, layer));
    value_set(a, head, STR("log_variance"), value_string(a, layer));
    value_set(a, head, STR("loss"), value_string(a, STR("gaussian_kl")));
    value_list_add(a, heads, head);
    return heads;
}

/* ---- which one --------------------------------------------------------------
 */

static const struct value *layer_of(const struct value *all, struct str name)
{
    for (size_t i = 0; all && i < all->count; i++)
        if (str_eq(value_text(value_get(all->items[i], STR("name"))), name))
            return all->items[i];
    return NULL;
}

static struct str first_from(const struct value *layer)
{
    return value_text(value_at(value_get(layer, STR("from")), 0));
}

static bool learns(const struct value *layer)
{
    const struct value *n = value_get(layer, STR("parameters"));
    return n && value_number(n) > 0;
}

/* Goes back from the output over what has nothing learnt, such as a softmax,
 * and the one layer that has; dropout says the same as what it reads. */
static struct str hidden_of(const struct value *model)
{
    const struct value *all = value_get(model, STR("layers"));
    const struct value *head = value_at(value_get(model, STR("heads")), 0);
    const struct value *l =
        layer_of(all, value_text(value_get(head, STR("from"))));
    while (l && !learns(l))
        l = layer_of(all, first_from(l));
    l = l ? layer_of(all, first_from(l)) : NULL;
    while (l && str_is(value_text(value_get(l, STR("kind"))), "dropout"))
        l = layer_of(all, first_from(l));
    return value_text(value_get(l, STR("name")));
}

const char *last_hidden_layer(const char *weights, struct arena *a,
                              struct err *err)
{
    struct nn_model *m = weights_model(weights, NULL, NULL, a, err);
    if (!m)
        return NULL;
    struct str name = arena_str(a, hidden_of(nn_model_to_value(a, m)));
    nn_model_free(m);
    if (name.len)
        return arena_cstr(a, name);
    err_set(err, ERR_INPUT,
            "%s has no hidden layer before its first output; name one by "
            "--layer",
            weights);
    return NULL;
}

/* The object without some of its keys. */
static void drop(struct value *v, const char *const *keys)
{
    size_t kept = 0;
    for (size_t i = 0; i < v->count; i++)
        if (!str_among(v->keys[i], keys)) {
            v->keys[kept] = v->keys[i];
            v->items[kept++] = v->items[i];
        }
    v->count = kept;
    v->key_lines = v->key_columns = NULL;
}

int look_at_layer(struct value *model, const char *weights, const char *layer,
                  struct arena *a, struct err *err)
{
    static const char *const of_heads[] = {
        "loss",  "heads",    "metrics",       "weight",         "label",
        "delta", "quantile", "class_weights", "early_stopping", NULL};
    struct nn_model *m = weights_model(weights, NULL, NULL, a, err);
    struct buf names;
    if (!m)
        return -1;
    buf_init(&names);
    const struct value *all = value_get(nn_model_to_value(a, m), STR("layers"));
    struct value *layers = value_get(model, STR("layers"));
    int64_t at = find(all, str_of(layer), &names);
    nn_model_free(m);
    if (at < 0) {
        err_set(err, ERR_INPUT, "%s has no layer %s; it has %s", weights, layer,
                names.p);
    } else {
        cut_layers(layers, at, a);
        say_width(layers->items[layers->count - 1],
                  value_get(all->items[at], STR("output")), a);
        drop(model, of_heads);
        value_set(a, model, STR("heads"), head_on(str_of(layer), a));
    }
    buf_done(&names);
    return at < 0 ? -1 : 0;
}

int layer_is_of_one(const struct models *m, struct err *err)
{
    if (m->count < 2)
        return 0;
    bool there = file_exists(m->list[0].name);
    return err_set(
        err, ERR_INPUT,
        "%s has %zu members, whose units have learnt each their own: "
        "a layer is of one model; name the weights of one of them%s%s",
        m->path, m->count, there ? ", as " : "", there ? m->list[0].name : "");
}

struct nn_model *layer_model(const char *weights, const char *layer,
                             struct data_view *view, struct arena *a,
                             struct err *err)
{
    struct nn_about about;
    struct problems faults;
    struct nn_model *whole = weights_model(weights, view, NULL, a, err);
    nn_model_free(whole);
    if (!whole || nn_weights_about(weights, a, &about, err))
        return NULL;
    struct value *v = json_parse(a, about.model, "model", false, err);
    if (!v || look_at_layer(v, weights, layer, a, err))
        return NULL;
    problems_init(&faults, a);
    struct nn_data_facts facts = {0};
    if (view->table)
        facts = nn_data_facts_of(view->table, a);
    struct nn_model *m = nn_model_read(v, view->table ? &facts : NULL, &faults);
    if (!m)
        err_set(err, ERR_INPUT, "%s: its layer %s cannot be looked at", weights,
                layer);
    return m;
}
