/* torch_weights.c - the weights of a state_dict
 *
 * A state_dict names modules, not layers. They are those of the model's layers
 * where each layer that has weights finds its name among them; else they are
 * taken in their order, which is that of the network in most programs: what
 * does not fit is named. */
#include "nn/foreign/foreign.h"

struct taking {
    const struct nn_graph *graph;
    struct tensors *from;
    double *numbers;
    struct err *err;
    const int64_t *const *orders;
    VEC(struct str) modules; /* in their order */
    VEC(int) layers;         /* that have weights, in their order */
    bool by_name;
};

/* `fc.weight` is of the module fc, `attn.out_proj.weight` of attn. */
static struct str module_of(struct str name)
{
    static const char inside[] = ".out_proj";
    size_t len = name.len;
    while (len && name.p[len - 1] != '.')
        len--;
    struct str module = str_n(name.p, len ? len - 1 : 0);
    if (str_ends(module, STR(".out_proj")))
        module.len -= sizeof(inside) - 1;
    return module;
}

static void find_modules(struct taking *t)
{
    for (size_t i = 0; i < t->from->list.len; i++) {
        struct str module = module_of(t->from->list.p[i].name);
        bool known = false;
        for (size_t k = 0; k < t->modules.len; k++)
            known = known || str_eq(t->modules.p[k], module);
        if (!known)
            vec_push(&t->modules, module);
    }
    for (size_t i = 0; i < t->graph->layers.len; i++)
        if (t->graph->layers.p[i].params)
            vec_push(&t->layers, (int)i);
}

static bool is_module(const struct taking *t, struct str name)
{
    for (size_t i = 0; i < t->modules.len; i++)
        if (str_eq(t->modules.p[i], name))
            return true;
    return false;
}

static int match_modules(struct taking *t)
{
    t->by_name = true;
    for (size_t i = 0; i < t->layers.len; i++)
        t->by_name =
            t->by_name && is_module(t, t->graph->layers.p[t->layers.p[i]].name);
    if (t->modules.len == t->layers.len)
        return 0;
    return err_set(t->err, ERR_INPUT,
                   "%s: has weights of %zu modules, the model has %zu layers "
                   "with weights",
                   t->from->path, t->modules.len, t->layers.len);
}

static struct str module_for(const struct taking *t, int layer)
{
    if (t->by_name)
        return t->graph->layers.p[layer].name;
    for (size_t i = 0; i < t->layers.len; i++)
        if (t->layers.p[i] == layer)
            return t->modules.p[i];
    return STR("");
}

static struct tensor *find(const struct taking *t, int layer,
                           const char *suffix)
{
    struct str module = module_for(t, layer);
    for (size_t i = 0; i < t->from->list.len; i++) {
        struct tensor *one = &t->from->list.p[i];
        size_t skip = module.len ? module.len + 1 : 0;
        if (str_eq(module_of(one->name), module) && one->name.len > skip &&
            str_is(str_n(one->name.p + skip, one->name.len - skip), suffix))
            return one;
    }
    return NULL;
}

static bool fits(const struct tensor *t, const struct nn_shape *wanted)
{
    bool same = t->rank == wanted->rank;
    for (int i = 0; same && i < wanted->rank; i++)
        same = t->dim[i] == wanted->dim[i];
    return same;
}

/* Adds the numbers of one of theirs to those of a parameter. */
static int add_numbers(struct taking *t, size_t param,
                       const struct torch_place *place, const char *suffix)
{
    const struct nn_param *p = &t->graph->params.p[param];
    struct nn_shape wanted = torch_shape(p, place);
    struct tensor *from = find(t, p->layer, suffix);
    if (!from)
        return err_set(t->err, ERR_INPUT,
                       "%s: the module %.*s has no %s, which the layer %.*s "
                       "takes",
                       t->from->path, STRF(module_for(t, p->layer)), suffix,
                       STRF(t->graph->layers.p[p->layer].name));
    if (!fits(from, &wanted))
        return tensor_misfit(t->from, from, p->name, &wanted, t->err);
    const int64_t *order = torch_order_of(t->graph, t->orders, (int)param);
    const double *numbers = from->numbers + place->piece * p->count;
    double *to = t->numbers + p->offset;
    for (int64_t i = 0; i < p->count; i++)
        to[i] += numbers[torch_index(p, place, order, i)];
    from->taken = true;
    return 0;
}

static int take_param(struct taking *t, size_t param)
{
    const struct nn_param *p = &t->graph->params.p[param];
    const struct torch_place *place = torch_place_of(t->graph, p);
    if (!place)
        return err_set(t->err, ERR_INPUT,
                       "%s: %.*s has no counterpart in PyTorch", t->from->path,
                       STRF(p->name));
    if (add_numbers(t, param, place, place->theirs))
        return -1;
    return place->second ? add_numbers(t, param, place, place->second) : 0;
}

static int check_taken(const struct taking *t)
{
    for (size_t i = 0; i < t->from->list.len; i++) {
        const struct tensor *one = &t->from->list.p[i];
        if (!one->taken && !str_ends(one->name, STR("num_batches_tracked")))
            return err_set(t->err, ERR_INPUT,
                           "%s: has %.*s, which no layer of the model takes",
                           t->from->path, STRF(one->name));
    }
    return 0;
}

int torch_take(const struct nn_graph *g, struct tensors *t, double *numbers,
               struct err *err)
{
    struct taking k = {.graph = g, .from = t, .numbers = numbers, .err = err};
    k.orders = torch_orders(g, t->arena, t->path, err);
    find_modules(&k);
    int rc = k.orders ? match_modules(&k) : -1;
    for (size_t i = 0; !rc && i < g->params.len; i++)
        rc = take_param(&k, i);
    if (!rc)
        rc = check_taken(&k);
    vec_done(&k.modules);
    vec_done(&k.layers);
    return rc;
}
