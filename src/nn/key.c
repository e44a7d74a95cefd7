/* key.c - which models can be trained together
 *
 * A cohort's graph is that of its first member: whatever is read from it goes
 * into the key. Soft numbers, seeds and the number of epochs are each
 * member's own and do not. Fields are added one by one, so
 * that padding never counts; those of operations are all in NN_OP_FIELDS. */
#include "base/buf.h"
#include "base/hash.h"
#include "nn/model.h"

static void add_shape(struct buf *b, const struct nn_shape *s)
{
    buf_add_varint(b, (uint64_t)s->rank);
    for (int i = 0; i < s->rank; i++)
        buf_add_varint(b, (uint64_t)s->dim[i]);
}

static void add_text(struct buf *b, struct str s)
{
    buf_add_varint(b, s.len);
    buf_addstr(b, s);
}

static void add_tensor(struct buf *b, const struct nn_tensor *t)
{
    add_shape(b, &t->shape);
    buf_add_u8(b, t->integers);
    buf_add_u32(b, (uint32_t)t->lengths);
}

static void add_param(struct buf *b, const struct nn_param *p)
{
    add_text(b, p->name);
    add_shape(b, &p->shape);
    buf_add_u8(b, (uint8_t)p->init.kind);
    buf_add_f64(b, p->init.a);
    buf_add_f64(b, p->init.b);
    buf_add_u8(b, (uint8_t)p->init.fan);
    buf_add_u8(b, (uint8_t)p->init.drawn);
    buf_add_varint(b, (uint64_t)p->ones_at);
    buf_add_varint(b, (uint64_t)p->ones);
    buf_add_u32(b, (uint32_t)p->l1.index);
    buf_add_u32(b, (uint32_t)p->l2.index);
}

#define ADD_FIELD(type, name, dimensions, number)                              \
    for (size_t i = 0; i < sizeof(op->name) / sizeof(number); i++)             \
        buf_add_f64(b, (double)((const number *)&op->name)[i]);

static void add_op(struct buf *b, const struct nn_op *op)
{
    NN_OP_FIELDS(ADD_FIELD)
}

static void add_head(struct buf *b, const struct nn_head *h)
{
    buf_add_varint(b, (uint64_t)h->output);
    buf_add_u32(b, (uint32_t)h->second);
    buf_add_u8(b, (uint8_t)h->loss);
    buf_add_f64(b, h->a);
    buf_add_u32(b, (uint32_t)h->weight.index);
    buf_add_u32(b, (uint32_t)h->label);
    buf_add_varint(b, h->class_count);
    for (size_t i = 0; i < h->class_count; i++)
        buf_add_f64(b, h->class_weights[i]);
}

static void add_metric(struct buf *b, const struct nn_metric *m)
{
    buf_add_u8(b, (uint8_t)m->kind);
    buf_add_varint(b, (uint64_t)m->head);
    buf_add_varint(b, (uint64_t)m->k);
}

static void add_training(struct buf *b, const struct nn_model *m)
{
    const struct nn_optimizer *o = &m->optimizer;
    buf_add_u8(b, (uint8_t)o->kind);
    buf_add_u8(b, (uint8_t)(o->nesterov | o->centered << 1));
    buf_add_u32(b, (uint32_t)o->clip_value.index);
    buf_add_u32(b, (uint32_t)o->clip_norm.index);
    buf_add_u8(b, (uint8_t)m->schedule.kind);
    buf_add_u8(b, (uint8_t)m->schedule.mode);
    buf_add_varint(b, (uint64_t)m->batch_size);
    buf_add_u8(b, (uint8_t)m->precision);
}

uint64_t nn_model_key(const struct nn_model *m)
{
    const struct nn_graph *g = &m->graph;
    struct buf b;
    buf_init(&b);
    for (size_t i = 0; i < g->tensors.len; i++)
        add_tensor(&b, &g->tensors.p[i]);
    for (size_t i = 0; i < g->inputs.len; i++) {
        buf_add_varint(&b, (uint64_t)g->inputs.p[i].tensor);
        buf_add_varint(&b, (uint64_t)g->inputs.p[i].field);
    }
    for (size_t i = 0; i < g->params.len; i++)
        add_param(&b, &g->params.p[i]);
    for (size_t i = 0; i < g->ops.len; i++)
        add_op(&b, &g->ops.p[i]);
    for (size_t i = 0; i < g->heads.len; i++)
        add_head(&b, &g->heads.p[i]);
    for (size_t i = 0; i < m->metrics.len; i++)
        add_metric(&b, &m->metrics.p[i]);
    add_training(&b, m);
    uint64_t key = hash64(buf_str(&b), 1);
    buf_done(&b);
    return key;
}
