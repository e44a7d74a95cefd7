/* quantiles.c - several quantiles of one label
 *
 * `loss: quantile` with a list is short for a layer of one output and a head
 * for each, which share all that stands before: their pinball losses are
 * averaged. They learn beside each other, so that they may cross where rows are
 * few; nothing sorts them. Metrics are of the one nearest to the median. */
#include <math.h>

#include "base/num.h"
#include "nn/build.h"

const struct value *nn_quantiles(const struct value *root)
{
    const struct value *v = value_get(root, STR("quantile"));
    return v && v->kind == VALUE_LIST && !value_get(root, STR("heads")) &&
                   str_is(value_text(value_get(root, STR("loss"))), "quantile")
               ? v
               : NULL;
}

struct str nn_quantile_name(const struct nn_build *b, const struct value *q)
{
    return str_of(arena_printf(b->model->arena, "q%.10g", value_number(q)));
}

/* Each between 0 and 1, and more than the one before. */
static bool check_list(struct nn_build *b, const struct value *list)
{
    double before = 0;
    bool good = list->count > 0;
    for (size_t i = 0; good && i < list->count; i++) {
        const struct value *q = list->items[i];
        good = value_is_number(q) && value_number(q) > before &&
               value_number(q) < 1;
        before = good ? value_number(q) : before;
    }
    if (good)
        return true;
    b->at = STR("");
    nn_fault_hint(b, "quantile", "as in quantile: [0.05, 0.5, 0.95]",
                  "must be numbers between 0 and 1 that grow");
    return false;
}

static bool check_width(struct nn_build *b, const struct value *o,
                        const char *main, size_t count)
{
    const struct value *width = value_get(o, str_of(main));
    if (value_get(o, STR("repeat")) || value_get(o, STR("widths"))) {
        nn_fault(b, main, "is of one layer where there are several quantiles");
        return false;
    }
    if (str_is(value_text(width), "outputs") ||
        (width && width->kind == VALUE_INT && width->i == (int64_t)count))
        return true;
    nn_fault(b, main, "must be %zu, an output for each quantile", count);
    return false;
}

bool nn_check_quantiles(struct nn_build *b, const struct value *o,
                        const char *main)
{
    const struct value *list = nn_quantiles(b->root);
    return check_list(b, list) && check_width(b, o, main, list->count);
}

struct value *nn_quantile_layer(struct nn_build *b, const struct value *o,
                                const char *main, size_t i)
{
    struct arena *a = b->model->arena;
    const struct value *list = nn_quantiles(b->root);
    struct value *one = value_copy(a, o);
    value_set(a, one, str_of(main), value_int(a, 1));
    value_set(a, one, STR("name"),
              value_string(a, nn_quantile_name(b, list->items[i])));
    return one;
}

static size_t median_of(const struct value *list)
{
    size_t best = 0;
    for (size_t i = 1; i < list->count; i++)
        if (fabs(value_number(list->items[i]) - 0.5) <
            fabs(value_number(list->items[best]) - 0.5))
            best = i;
    return best;
}

struct value *nn_quantile_head(struct nn_build *b, const struct value *root,
                               size_t i)
{
    struct arena *a = b->model->arena;
    const struct value *list = nn_quantiles(root);
    const struct value *weight = value_get(root, STR("weight"));
    double share = 1 / (double)list->count;
    struct value *o = value_object(a),
                 *name = value_string(a, nn_quantile_name(b, list->items[i]));
    static const char *const kept[] = {"loss", "label", "metrics"};
    for (size_t k = 0; k < sizeof(kept) / sizeof(*kept); k++) {
        const struct value *v = value_get(root, str_of(kept[k]));
        if (v && (k < 2 || i == median_of(list)))
            value_set(a, o, str_of(kept[k]), value_copy(a, v));
    }
    value_set(a, o, STR("name"), name);
    value_set(a, o, STR("from"), name);
    value_set(a, o, STR("quantile"), value_copy(a, list->items[i]));
    value_set(a, o, STR("weight"),
              value_double(a, weight && value_is_number(weight)
                                  ? value_number(weight) * share
                                  : share));
    return o;
}
