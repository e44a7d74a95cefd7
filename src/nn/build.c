/* build.c - the graph being built, and the readers of a model file's values */
#include "nn/build.h"

#include <math.h>
#include <stdarg.h>

#include "base/num.h"
#include "terms/wanted.h"

__attribute__((format(printf, 4, 0))) static void
add_fault(struct nn_build *b, const char *key, const char *hint,
          const char *fmt, va_list ap)
{
    const char *dot = b->at.len && key ? "." : "";
    char *path = arena_printf(b->faults->arena, "%.*s%s%s", STRF(b->at), dot,
                              key ? key : "");
    problems_vadd(b->faults,
                  (struct problem){.path = str_of(path), .hint = str_of(hint)},
                  fmt, ap);
}

void nn_fault(struct nn_build *b, const char *key, const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    add_fault(b, key, NULL, fmt, ap);
    va_end(ap);
}

void nn_fault_hint(struct nn_build *b, const char *key, const char *hint,
                   const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    add_fault(b, key, hint, fmt, ap);
    va_end(ap);
}

static const struct value *member(const struct value *o, const char *key)
{
    const struct value *v = value_get(o, str_of(key));
    return v && v->kind != VALUE_NULL ? v : NULL;
}

int64_t nn_read_int(struct nn_build *b, const struct value *o, const char *key,
                    int64_t low, int64_t high, int64_t otherwise)
{
    const struct value *v = member(o, key);
    int64_t got = otherwise;
    struct err why;
    if (v && !want_int(v, low, high, &got, &why))
        nn_fault(b, key, "%s", why.text);
    return got;
}

double nn_read_real(struct nn_build *b, const struct value *o, const char *key,
                    double low, double high, double otherwise)
{
    const struct value *v = member(o, key);
    double got = otherwise;
    struct err why;
    if (v && !want_number(v, low, high, &got, &why))
        nn_fault(b, key, "%s", why.text);
    return got;
}

bool nn_read_bool(struct nn_build *b, const struct value *o, const char *key,
                  bool otherwise)
{
    const struct value *v = member(o, key);
    bool got = otherwise;
    struct err why;
    if (v && !want_bool(v, &got, &why))
        nn_fault(b, key, "%s", why.text);
    return got;
}

struct str nn_read_text(struct nn_build *b, const struct value *o,
                        const char *key, struct str otherwise)
{
    const struct value *v = member(o, key);
    struct str got = otherwise;
    struct err why;
    if (v && v->kind == VALUE_STRING)
        return v->s;
    if (v && !want_text(v, &got, &why))
        nn_fault(b, key, "%s", why.text);
    return got;
}

static void list_names(struct buf *out, const char *const *names,
                       const char *last)
{
    for (size_t i = 0; names[i]; i++)
        buf_addf(out, "%s%s",
                 i == 0         ? ""
                 : names[i + 1] ? ", "
                                : last,
                 names[i]);
}

void nn_fault_choice(struct nn_build *b, const char *key, struct str got,
                     const char *const *names)
{
    const char *near = nn_meant(got, names, NULL);
    struct buf hint;
    buf_init(&hint);
    if (near) {
        buf_addf(&hint, "did you mean %s?", near);
    } else {
        buf_adds(&hint, "use ");
        list_names(&hint, names, " or ");
    }
    nn_fault_hint(b, key, hint.p, "cannot be %.*s", STRF(got));
    buf_done(&hint);
}

int nn_read_choice(struct nn_build *b, const struct value *o, const char *key,
                   const char *const *names, int otherwise)
{
    struct str got = nn_read_text(b, o, key, STR(""));
    if (!got.len)
        return otherwise;
    int found = str_index(got, names);
    if (found >= 0)
        return found;
    nn_fault_choice(b, key, got, names);
    return otherwise;
}

void nn_read_pair(struct nn_build *b, const struct value *o, const char *key,
                  int64_t low, int64_t high, int64_t out[2])
{
    const struct value *v = member(o, key);
    struct err why;
    if (!v)
        return;
    size_t count = v->kind == VALUE_LIST ? v->count : 1;
    if (count < 1 || count > 2) {
        nn_fault(b, key, "must be one whole number or two, not %zu", count);
        return;
    }
    for (size_t i = 0; i < count; i++)
        if (!want_int(v->kind == VALUE_LIST ? v->items[i] : v, low, high,
                      &out[i], &why))
            nn_fault(b, key, "%s", why.text);
    if (count == 1)
        out[1] = out[0];
}

struct nn_soft nn_read_soft(struct nn_build *b, const struct value *o,
                            const char *key, double low, double high,
                            double otherwise)
{
    double got = nn_read_real(b, o, key, low, high, otherwise);
    if (isnan(got) && !member(o, key))
        return (struct nn_soft){-1};
    struct nn_model *m = b->model;
    const char *dot = b->at.len ? "." : "";
    vec_push(&m->soft, got);
    vec_push(&m->soft_names,
             str_of(arena_printf(m->arena, "%.*s%s%s", STRF(b->at), dot, key)));
    return (struct nn_soft){(int)m->soft.len - 1};
}

static void list_keys(struct buf *out, const char *const *keys,
                      const char *const *more)
{
    bool both = more && *more && *keys;
    buf_adds(out, "the keys are ");
    list_names(out, keys, both ? ", " : " and ");
    buf_adds(out, both ? ", " : "");
    if (more)
        list_names(out, more, " and ");
}

void nn_known_keys(struct nn_build *b, const struct value *o,
                   const char *const *keys, const char *const *more)
{
    if (!o || o->kind != VALUE_OBJECT)
        return;
    for (size_t i = 0; i < o->count; i++) {
        struct str key = o->keys[i];
        if (str_among(key, keys) || str_among(key, more))
            continue;
        const char *near = nn_meant(key, keys, more);
        struct buf hint;
        buf_init(&hint);
        if (near)
            buf_addf(&hint, "did you mean %s?", near);
        else
            list_keys(&hint, keys, more);
        nn_fault_hint(b, arena_cstr(b->faults->arena, key), hint.p,
                      "is not a key that is known here");
        buf_done(&hint);
    }
}

int64_t nn_shape_count(const struct nn_shape *s)
{
    int64_t count = 1;
    for (int i = 0; i < s->rank; i++)
        if (__builtin_mul_overflow(count, s->dim[i], &count))
            return INT64_MAX;
    return count;
}

bool nn_shape_eq(const struct nn_shape *a, const struct nn_shape *b)
{
    if (a->rank != b->rank)
        return false;
    for (int i = 0; i < a->rank; i++)
        if (a->dim[i] != b->dim[i])
            return false;
    return true;
}

void nn_shape_print(struct buf *b, const struct nn_shape *s)
{
    for (int i = 0; i < s->rank; i++)
        buf_addf(b, "%s%lld", i ? "×" : "", (long long)s->dim[i]);
    if (!s->rank)
        buf_adds(b, "1");
}

struct nn_shape nn_shape1(int64_t a)
{
    return (struct nn_shape){1, {a}};
}

struct nn_shape nn_shape2(int64_t a, int64_t b)
{
    return (struct nn_shape){2, {a, b}};
}

/* Sizes come from a file: what no machine holds is a fault, and 1 in its
 * place, so that nothing that is computed from it wraps around. */
static struct nn_shape held(struct nn_build *b, const struct nn_shape *shape)
{
    struct nn_shape s = *shape;
    if (nn_shape_count(shape) < 10000000000000)
        return s;
    struct buf text;
    buf_init(&text);
    nn_shape_print(&text, shape);
    nn_fault(b, NULL, "%s numbers are more than any machine holds", text.p);
    buf_done(&text);
    for (int i = 0; i < s.rank; i++)
        s.dim[i] = 1;
    return s;
}

int nn_add_tensor(struct nn_build *b, const struct nn_shape *shape)
{
    struct nn_tensor t = {.shape = held(b, shape), .op = -1, .lengths = -1};
    vec_push(&b->graph->tensors, t);
    return (int)b->graph->tensors.len - 1;
}

const struct nn_shape *nn_shape_of(const struct nn_build *b, int tensor)
{
    return &b->graph->tensors.p[tensor].shape;
}

int nn_add_param(struct nn_build *b, const char *suffix,
                 const struct nn_shape *shape, struct nn_init init)
{
    struct nn_layer *layer = &b->graph->layers.p[b->layer];
    struct nn_param p = {
        .name = str_of(arena_printf(b->model->arena, "%.*s.%s",
                                    STRF(layer->name), suffix)),
        .shape = held(b, shape),
        .init = init,
        .l1 = {-1},
        .l2 = {-1},
        .trained = true,
        .layer = b->layer,
    };
    p.fan_in = p.fan_out = p.count = nn_shape_count(&p.shape);
    layer->params += p.count;
    vec_push(&b->graph->params, p);
    return (int)b->graph->params.len - 1;
}

struct nn_param *nn_param_at(struct nn_build *b, int param)
{
    return &b->graph->params.p[param];
}

struct nn_op nn_op_of(enum nn_op_kind kind)
{
    struct nn_op op = {.kind = kind, .out = -1, .draw = -1, .rate = {-1}};
    for (int i = 0; i < NN_OP_PARAMS_MAX; i++)
        op.param[i] = -1;
    return op;
}

static bool draws(const struct nn_op *op)
{
    return nn_op_facts[op->kind].draws || op->rate.index >= 0;
}

static void inherit_lengths(struct nn_graph *g, int from, int to)
{
    const struct nn_tensor *a = &g->tensors.p[from];
    if (a->shape.rank == 2 && a->shape.dim[0] == g->tensors.p[to].shape.dim[0])
        g->tensors.p[to].lengths = a->lengths;
}

int nn_add_op(struct nn_build *b, struct nn_op op, const struct nn_shape *shape)
{
    struct nn_graph *g = b->graph;
    op.out = nn_add_tensor(b, shape);
    op.layer = b->layer;
    if (draws(&op))
        op.draw = g->draws++;
    g->tensors.p[op.out].op = (int)g->ops.len;
    if (op.in_count && shape->rank == 2) /* steps stay steps */
        inherit_lengths(g, op.in[0], op.out);
    vec_push(&g->ops, op);
    return op.out;
}

int nn_find(const struct nn_build *b, struct str name)
{
    const struct nn_graph *g = b->graph;
    for (size_t i = 0; i < g->layers.len; i++)
        if (str_eq(g->layers.p[i].name, name) && (int)i != b->layer)
            return (int)i;
    for (size_t i = 0; i < g->inputs.len; i++)
        if (str_eq(g->inputs.p[i].name, name))
            return -1 - (int)i;
    return INT32_MIN;
}

int nn_tensor_of(const struct nn_build *b, int found)
{
    return found < 0 ? b->graph->inputs.p[-1 - found].tensor
                     : b->graph->layers.p[found].tensor;
}
