/* export_torch.c - a state_dict as torch.save writes it
 *
 * Modules are called as the layers are. Numbers are float32, each tensor in a
 * storage of its own. */
#include <stdlib.h>

#include "data/data.h"
#include "nn/foreign/export.h"
#include "nn/weights.h"

double *export_numbers(const struct nn_graph *g, const char *path,
                       struct err *err)
{
    struct weights_file *f = weights_open(path, err);
    double *numbers =
        f ? calloc((size_t)g->weights + 1, sizeof(*numbers)) : NULL;
    int rc = numbers ? 0 : -1;
    if (f && !numbers)
        err_set(err, ERR_LIMIT, "no memory for the weights of a model");
    for (size_t i = 0; !rc && i < g->params.len; i++)
        rc = weights_get(f, g->params.p[i].name, &g->params.p[i].shape,
                         numbers + g->params.p[i].offset, err);
    weights_close(f);
    if (!rc)
        return numbers;
    free(numbers);
    return NULL;
}

struct module_tensor {
    struct str name;
    struct nn_shape shape;
    float *numbers;
};

struct exporting {
    const struct nn_graph *graph;
    const double *numbers;
    const int64_t *const *orders;
    struct arena *arena;
    VEC(struct module_tensor) list;
};

static struct module_tensor *tensor_named(struct exporting *e, struct str name,
                                          const struct nn_shape *shape)
{
    for (size_t i = 0; i < e->list.len; i++)
        if (str_eq(e->list.p[i].name, name))
            return &e->list.p[i];
    struct module_tensor one = {.name = name, .shape = *shape};
    one.numbers = xcalloc((size_t)nn_shape_count(shape) + 1, sizeof(float));
    vec_push(&e->list, one);
    return &vec_last(&e->list);
}

static int add_param(struct exporting *e, size_t param,
                     const struct torch_place *place, const char *path,
                     struct err *err)
{
    const struct nn_param *p = &e->graph->params.p[param];
    struct str layer = e->graph->layers.p[p->layer].name;
    struct nn_shape shape = torch_shape(p, place);
    struct str name =
        str_of(arena_printf(e->arena, "%.*s.%s", STRF(layer), place->theirs));
    const int64_t *order = torch_order_of(e->graph, e->orders, (int)param);
    struct module_tensor *to = tensor_named(e, name, &shape);
    if (!nn_shape_eq(&to->shape, &shape)) /* keys of another width */
        return err_set(err, ERR_INPUT,
                       "%s: the layer %.*s looks at steps of another width, "
                       "which a state_dict does not have in one piece",
                       path, STRF(layer));
    for (int64_t i = 0; i < p->count; i++)
        to->numbers[place->piece * p->count + torch_index(p, place, order, i)] =
            (float)e->numbers[p->offset + i];
    if (place->second) /* the other one of two that are added: zeros */
        tensor_named(e,
                     str_of(arena_printf(e->arena, "%.*s.%s", STRF(layer),
                                         place->second)),
                     &shape);
    return 0;
}

/* ---- the pickle ---------------------------------------------------------- */

static void add_text(struct buf *b, struct str text)
{
    buf_addc(b, 'X');
    buf_add_u32(b, (uint32_t)text.len);
    buf_addstr(b, text);
}

static void add_int(struct buf *b, int64_t i)
{
    if (i <= INT32_MAX) {
        buf_addc(b, 'J');
        buf_add_u32(b, (uint32_t)i);
        return;
    }
    buf_adds(b, "\x8a\x08");
    buf_add_u64(b, (uint64_t)i);
}

static void add_tuple(struct buf *b, const int64_t *numbers, int count)
{
    buf_addc(b, '(');
    for (int i = 0; i < count; i++)
        add_int(b, numbers[i]);
    buf_addc(b, 't');
}

static void add_tensor(struct buf *b, const struct module_tensor *t,
                       size_t number)
{
    int64_t stride[NN_RANK_MAX], count = 1;
    struct buf digits;
    for (int i = t->shape.rank - 1; i >= 0; i--) {
        stride[i] = count;
        count *= t->shape.dim[i];
    }
    buf_init(&digits);
    buf_addf(&digits, "%zu", number);
    add_text(b, t->name);
    buf_adds(b, "ctorch._utils\n_rebuild_tensor_v2\n((");
    add_text(b, STR("storage"));
    buf_adds(b, "ctorch\nFloatStorage\n");
    add_text(b, buf_str(&digits));
    add_text(b, STR("cpu"));
    add_int(b, count);
    buf_adds(b, "tQ");
    add_int(b, 0);
    add_tuple(b, t->shape.dim, t->shape.rank);
    add_tuple(b, stride, t->shape.rank);
    buf_adds(b, "\x89"
                "ccollections\nOrderedDict\n)RtR");
    buf_done(&digits);
}

static void write_archive(const struct exporting *e, struct buf *file)
{
    struct data_zip zip;
    struct buf pickle, name;
    buf_init(&pickle);
    buf_init(&name);
    data_zip_begin(&zip, file);
    buf_adds(&pickle, "\x80\x02"
                      "ccollections\nOrderedDict\n)R(");
    for (size_t i = 0; i < e->list.len; i++)
        add_tensor(&pickle, &e->list.p[i], i);
    buf_adds(&pickle, "u.");
    data_zip_add(&zip, STR("weights/data.pkl"), buf_str(&pickle));
    for (size_t i = 0; i < e->list.len; i++) {
        size_t count = (size_t)nn_shape_count(&e->list.p[i].shape);
        buf_reset(&name);
        buf_addf(&name, "weights/data/%zu", i);
        data_zip_add(
            &zip, buf_str(&name),
            str_n((const char *)e->list.p[i].numbers, count * sizeof(float)));
    }
    data_zip_add(&zip, STR("weights/version"), STR("3\n"));
    data_zip_end(&zip);
    buf_done(&pickle);
    buf_done(&name);
}

int nn_export_torch(const struct nn_model *m, const char *path,
                    struct buf *file, struct err *err)
{
    struct exporting e = {.graph = &m->graph, .arena = arena_new()};
    double *numbers = export_numbers(&m->graph, path, err);
    e.numbers = numbers;
    e.orders = numbers ? torch_orders(&m->graph, e.arena, path, err) : NULL;
    int rc = e.orders ? 0 : -1;
    for (size_t i = 0; !rc && i < m->graph.params.len; i++) {
        const struct nn_param *p = &m->graph.params.p[i];
        const struct torch_place *place = torch_place_of(&m->graph, p);
        if (place)
            rc = add_param(&e, i, place, path, err);
        else
            rc = err_set(err, ERR_INPUT,
                         "%s: %.*s has no counterpart in "
                         "PyTorch",
                         path, STRF(p->name));
    }
    if (!rc)
        write_archive(&e, file);
    for (size_t i = 0; i < e.list.len; i++)
        free(e.list.p[i].numbers);
    vec_done(&e.list);
    free(numbers);
    arena_free(e.arena);
    return rc;
}
