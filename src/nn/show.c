/* show.c - a model for people, and as a value
 *
 * Nodes are the inputs, then the layers, then the heads. FLOPs are the
 * products and sums of layers that have weights, for one row, forward. */
#include <stdio.h>

#include "base/buf.h"
#include "base/num.h"
#include "nn/build.h"
#include "nn/drawing.h"

enum { COLUMNS = 6, COLUMN_KIND = 2 };
static const char *const titles[COLUMNS] = {"",       "layer",      "kind",
                                            "output", "parameters", "FLOPs"};
static const bool to_the_right[COLUMNS] = {false, false, false,
                                           true,  true,  true};

struct table {
    struct arena *arena;
    VEC(struct str) cells; /* COLUMNS a row */
};

static void add_cell(struct table *t, struct buf *text)
{
    vec_push(&t->cells, arena_str(t->arena, buf_str(text)));
    buf_reset(text);
}

/* Characters, not bytes. */
static size_t width_of(struct str s)
{
    size_t width = 0;
    for (size_t i = 0; i < s.len; i++)
        width += ((unsigned char)s.p[i] & 0xC0) != 0x80;
    return width;
}

static void print_table(struct buf *b, const struct table *t)
{
    size_t widths[COLUMNS] = {0}, rows = t->cells.len / COLUMNS;
    for (size_t i = 0; i < t->cells.len; i++) {
        size_t width = width_of(t->cells.p[i]);
        if (width > widths[i % COLUMNS])
            widths[i % COLUMNS] = width;
    }
    for (size_t r = 0; r < rows; r++) {
        for (size_t c = 0; c < COLUMNS; c++) {
            struct str cell = t->cells.p[r * COLUMNS + c];
            int pad = (int)(widths[c] - width_of(cell));
            if (to_the_right[c])
                buf_addf(b, "%*s", pad, "");
            buf_addstr(b, cell);
            if (!to_the_right[c])
                buf_addf(b, "%*s", pad, "");
            buf_adds(b, c + 1 < COLUMNS ? "  " : "");
        }
        while (b->len && b->p[b->len - 1] == ' ')
            b->len--;
        buf_addc(b, '\n');
    }
}

/* 1199882 as 1,199,882 */
static void print_count(struct buf *b, int64_t count)
{
    char digits[32];
    int len = snprintf(digits, sizeof digits, "%lld", (long long)count);
    for (int i = 0; i < len; i++) {
        if (i > 0 && (len - i) % 3 == 0)
            buf_addc(b, ',');
        buf_addc(b, digits[i]);
    }
}

static void print_flops(struct buf *b, double flops)
{
    static const char *const units[] = {"", " k", " M", " G", " T", " P"};
    size_t unit = 0;
    while (flops >= 999.5 && unit < 5) {
        flops /= 1000;
        unit++;
    }
    buf_addf(b, "%.3g%s", flops, units[unit]);
}

/* A layer or input (as -1-i) as a node. */
static int node_of(const struct nn_graph *g, int from)
{
    return from < 0 ? -1 - from : (int)g->inputs.len + from;
}

/* The layer or input that a head looks at. */
static int head_source(const struct nn_graph *g, const struct nn_head *h)
{
    int op = g->tensors.p[h->logits].op;
    if (op >= 0)
        return g->ops.p[op].layer;
    for (size_t i = 0; i < g->inputs.len; i++)
        if (g->inputs.p[i].tensor == h->logits)
            return -1 - (int)i;
    return 0;
}

static const char *activation_in(const struct nn_graph *g, int layer)
{
    for (size_t i = 0; i < g->ops.len; i++)
        if (g->ops.p[i].layer == layer && g->ops.p[i].kind == NN_OP_ACTIVATION)
            return nn_activation_names[g->ops.p[i].activation];
    return NULL;
}

static struct str source_name(const struct nn_graph *g, int from)
{
    return from < 0 ? g->inputs.p[-1 - from].name : g->layers.p[from].name;
}

static void count_uses(struct drawing *d, const struct nn_graph *g)
{
    for (size_t i = 0; i < g->layers.len; i++)
        for (int k = 0; k < g->layers.p[i].from_count; k++)
            drawing_use(d, node_of(g, g->layers.p[i].from[k]));
    for (size_t i = 0; i < g->heads.len; i++)
        drawing_use(d, node_of(g, head_source(g, &g->heads.p[i])));
}

static void add_titles(struct table *t, struct buf *b)
{
    for (size_t i = 0; i < COLUMNS; i++) {
        buf_adds(b, titles[i]);
        add_cell(t, b);
    }
}

static void add_inputs(struct table *t, struct buf *b, struct drawing *d,
                       const struct nn_graph *g)
{
    for (size_t i = 0; i < g->inputs.len; i++) {
        const struct nn_tensor *in = &g->tensors.p[g->inputs.p[i].tensor];
        drawing_node(d, b, (int)i, NULL, 0, "○");
        add_cell(t, b);
        buf_addstr(b, g->inputs.p[i].name);
        add_cell(t, b);
        buf_adds(b, in->integers ? "tokens" : "input");
        add_cell(t, b);
        nn_shape_print(b, &in->shape);
        add_cell(t, b);
        add_cell(t, b);
        add_cell(t, b);
    }
}

static void add_layer(struct table *t, struct buf *b, struct drawing *d,
                      const struct nn_graph *g, int number)
{
    const struct nn_layer *layer = &g->layers.p[number];
    const char *activation = activation_in(g, number);
    int from[NN_INPUTS_MAX];
    for (int i = 0; i < layer->from_count; i++)
        from[i] = node_of(g, layer->from[i]);
    drawing_node(d, b, node_of(g, number), from, layer->from_count, "●");
    add_cell(t, b);
    buf_addstr(b, layer->name);
    add_cell(t, b);
    buf_addf(b, "%s%s%s", layer->kind, activation ? " " : "",
             activation ? activation : "");
    add_cell(t, b);
    nn_shape_print(b, &layer->out);
    add_cell(t, b);
    if (layer->params)
        print_count(b, layer->params);
    add_cell(t, b);
    if (layer->flops > 0)
        print_flops(b, layer->flops);
    add_cell(t, b);
}

static void add_heads(struct table *t, struct buf *b, struct drawing *d,
                      const struct nn_graph *g)
{
    int nodes = (int)(g->inputs.len + g->layers.len);
    for (size_t i = 0; i < g->heads.len; i++) {
        const struct nn_head *h = &g->heads.p[i];
        int from = node_of(g, head_source(g, h));
        drawing_node(d, b, nodes + (int)i, &from, 1, "◆");
        add_cell(t, b);
        buf_addstr(b, h->name);
        add_cell(t, b);
        buf_adds(b, nn_loss_names[h->loss]);
        for (int c = COLUMN_KIND; c < COLUMNS; c++)
            add_cell(t, b);
    }
}

static void print_totals(struct buf *b, const struct nn_model *m)
{
    int64_t all = nn_model_parameters(m), trained = nn_model_trained(m);
    buf_adds(b, "parameters  ");
    print_count(b, all);
    if (trained < all) {
        buf_adds(b, ", of them trained ");
        print_count(b, trained);
    }
    buf_adds(b, "\nFLOPs       ");
    print_flops(b, nn_model_flops(m));
    buf_adds(b, " forward, for one row\nmemory      ");
    num_print_bytes(b, nn_model_memory_bytes(m));
    buf_addf(b, " to train one, in batches of %lld\n",
             (long long)m->batch_size);
}

void nn_model_show(struct buf *b, const struct nn_model *m)
{
    const struct nn_graph *g = &m->graph;
    struct table t = {.arena = arena_new()};
    struct drawing d;
    struct buf text;
    buf_init(&text);
    drawing_init(&d, g->inputs.len + g->layers.len + g->heads.len);
    count_uses(&d, g);
    add_titles(&t, &text);
    add_inputs(&t, &text, &d, g);
    for (size_t i = 0; i < g->layers.len; i++)
        add_layer(&t, &text, &d, g, (int)i);
    add_heads(&t, &text, &d, g);
    print_table(b, &t);
    buf_addc(b, '\n');
    print_totals(b, m);
    drawing_done(&d);
    buf_done(&text);
    vec_done(&t.cells);
    arena_free(t.arena);
}

/* ---- as a value --------------------------------------------------------- */

static struct value *shape_value(struct arena *a, const struct nn_shape *s)
{
    struct value *v = value_list(a);
    for (int i = 0; i < s->rank; i++)
        value_list_add(a, v, value_int(a, s->dim[i]));
    return v;
}

static struct value *inputs_value(struct arena *a, const struct nn_graph *g)
{
    struct value *list = value_list(a);
    for (size_t i = 0; i < g->inputs.len; i++) {
        const struct nn_tensor *in = &g->tensors.p[g->inputs.p[i].tensor];
        struct value *o = value_object(a);
        value_set(a, o, STR("name"), value_string(a, g->inputs.p[i].name));
        value_set(a, o, STR("shape"), shape_value(a, &in->shape));
        value_set(a, o, STR("tokens"), value_bool(a, in->integers));
        value_list_add(a, list, o);
    }
    return list;
}

static struct value *layer_value(struct arena *a, const struct nn_graph *g,
                                 int number)
{
    const struct nn_layer *layer = &g->layers.p[number];
    const char *activation = activation_in(g, number);
    struct value *o = value_object(a), *from = value_list(a);
    for (int i = 0; i < layer->from_count; i++)
        value_list_add(a, from,
                       value_string(a, source_name(g, layer->from[i])));
    value_set(a, o, STR("name"), value_string(a, layer->name));
    value_set(a, o, STR("kind"), value_string(a, str_of(layer->kind)));
    if (activation)
        value_set(a, o, STR("activation"), value_string(a, str_of(activation)));
    value_set(a, o, STR("from"), from);
    value_set(a, o, STR("output"), shape_value(a, &layer->out));
    value_set(a, o, STR("parameters"), value_int(a, layer->params));
    value_set(a, o, STR("flops"), value_double(a, layer->flops));
    return o;
}

static struct value *head_value(struct arena *a, const struct nn_graph *g,
                                const struct nn_head *h)
{
    struct value *o = value_object(a);
    value_set(a, o, STR("name"), value_string(a, h->name));
    value_set(a, o, STR("from"),
              value_string(a, source_name(g, head_source(g, h))));
    value_set(a, o, STR("loss"),
              value_string(a, str_of(nn_loss_names[h->loss])));
    return o;
}

struct value *nn_model_to_value(struct arena *a, const struct nn_model *m)
{
    const struct nn_graph *g = &m->graph;
    struct value *o = value_object(a), *layers = value_list(a);
    struct value *heads = value_list(a);
    for (size_t i = 0; i < g->layers.len; i++)
        value_list_add(a, layers, layer_value(a, g, (int)i));
    for (size_t i = 0; i < g->heads.len; i++)
        value_list_add(a, heads, head_value(a, g, &g->heads.p[i]));
    value_set(a, o, STR("inputs"), inputs_value(a, g));
    value_set(a, o, STR("layers"), layers);
    value_set(a, o, STR("heads"), heads);
    value_set(a, o, STR("parameters"), value_int(a, nn_model_parameters(m)));
    value_set(a, o, STR("trained"), value_int(a, nn_model_trained(m)));
    value_set(a, o, STR("flops"), value_double(a, nn_model_flops(m)));
    value_set(a, o, STR("memory_bytes"),
              value_int(a, (int64_t)nn_model_memory_bytes(m)));
    value_set(a, o, STR("batch_size"), value_int(a, m->batch_size));
    value_set(a, o, STR("epochs"), value_int(a, m->epochs));
    return o;
}
