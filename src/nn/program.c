/* program.c - a graph made ready to run */
#include "nn/program.h"

#include <stdlib.h>
#include <string.h>

/* How many operations and heads read each tensor. */
static int *count_readers(const struct nn_graph *g)
{
    int *readers = xcalloc(g->tensors.len + 1, sizeof(int));
    for (size_t i = 0; i < g->ops.len; i++)
        for (int k = 0; k < g->ops.p[i].in_count; k++)
            readers[g->ops.p[i].in[k]]++;
    for (size_t i = 0; i < g->heads.len; i++) {
        readers[g->heads.p[i].output]++;
        readers[g->heads.p[i].logits]++;
        if (g->heads.p[i].second >= 0)
            readers[g->heads.p[i].second]++;
    }
    return readers;
}

/* Functions whose derivative can be told from their output. */
static bool told_by_output(enum nn_activation a)
{
    return a != NN_GELU && a != NN_SWISH && a != NN_SOFTMAX;
}

static bool takes_activation(const struct nn_op *op)
{
    return nn_op_facts[op->kind].takes_activation &&
           op->activation == NN_LINEAR && op->rate.index < 0;
}

static bool takes_dropout(const struct nn_op *op)
{
    return nn_op_facts[op->kind].takes_dropout && op->rate.index < 0;
}

/* Takes `op` into `last`, which makes its only input for nobody else. */
static bool fuse(struct nn_op *last, const struct nn_op *op)
{
    if (op->kind == NN_OP_ACTIVATION && takes_activation(last) &&
        told_by_output(op->activation)) {
        last->activation = op->activation;
        last->a = op->a;
    } else if (op->kind == NN_OP_DROPOUT && takes_dropout(last)) {
        last->rate = op->rate;
        last->draw = op->draw;
        last->permanent = op->permanent;
    } else {
        return false;
    }
    last->out = op->out;
    return true;
}

/* What predicts several times computes once what is not drawn. */
static bool stays_apart(const struct nn_program *p, const bool *drawn,
                        const struct nn_op *last, const struct nn_op *op)
{
    bool begins = op->permanent && !drawn[last->out];
    return p->forward && (begins || last->in[0] == p->apart);
}

static bool is_drawn(const struct nn_op *op, const bool *drawn)
{
    bool any = op->permanent;
    for (int k = 0; k < op->in_count; k++)
        any |= drawn[op->in[k]];
    return any;
}

static void fuse_all(struct nn_program *p)
{
    const struct nn_graph *g = p->graph;
    int *readers = count_readers(g);
    bool *drawn = xcalloc(g->tensors.len + 1, sizeof(bool)); /* by tensor */
    p->ops = xcalloc(g->ops.len + 1, sizeof(*p->ops));
    p->drawn = xcalloc(g->ops.len + 1, sizeof(bool));
    for (size_t i = 0; i < g->ops.len; i++) {
        const struct nn_op *op = &g->ops.p[i];
        struct nn_op *last = p->op_count ? &p->ops[p->op_count - 1] : NULL;
        drawn[op->out] = is_drawn(op, drawn);
        if (last && op->in_count == 1 && op->in[0] == last->out &&
            readers[op->in[0]] == 1 && !stays_apart(p, drawn, last, op) &&
            fuse(last, op))
            continue;
        p->ops[p->op_count] = *op;
        p->ops[p->op_count].number = (int)p->op_count;
        p->drawn[p->op_count] = drawn[op->out];
        p->op_count++;
    }
    free(readers);
    free(drawn);
}

/* Tensors whose gradient somebody asks for: made by an operation below which
 * there is something to train, or through which such a gradient passes. */
static bool *find_wanted(const struct nn_program *p)
{
    bool *wanted = xcalloc(p->graph->tensors.len + 1, sizeof(bool));
    for (size_t i = 0; i < p->op_count; i++) {
        const struct nn_op *op = &p->ops[i];
        bool any = op->param[0] >= 0;
        for (int k = 0; k < op->in_count; k++)
            any |= wanted[op->in[k]];
        wanted[op->out] = any;
    }
    return wanted;
}

static void *own(struct nn_program *p, size_t bytes, struct err *err)
{
    static char nothing;
    p->bytes += bytes;
    void *buffer = p->counting ? &nothing : p->kernels->alloc(bytes, err);
    if (buffer && !p->counting)
        p->owned[p->owned_count++] = buffer;
    return buffer;
}

static int make_tensors(struct nn_program *p, const bool *wanted,
                        struct err *err)
{
    const struct nn_graph *g = p->graph;
    for (size_t i = 0; i < g->inputs.len; i++) {
        int t = g->inputs.p[i].tensor;
        size_t bytes = p->batch * p->kernels->real_bytes *
                       (size_t)nn_shape_count(&g->tensors.p[t].shape);
        if (!(p->value[t] = own(p, bytes, err)))
            return -1;
    }
    for (size_t i = 0; i < p->op_count; i++) {
        const struct nn_op *op = &p->ops[i];
        size_t bytes = p->batch * p->kernels->real_bytes *
                       (size_t)nn_shape_count(&g->tensors.p[op->out].shape);
        if (nn_op_facts[op->kind].same_memory) { /* the same memory */
            p->value[op->out] = p->value[op->in[0]];
            p->slope[op->out] = p->slope[op->in[0]];
            continue;
        }
        if (!(p->value[op->out] = own(p, bytes, err)))
            return -1;
        if (!p->forward && wanted[op->out] &&
            !(p->slope[op->out] = own(p, bytes, err)))
            return -1;
    }
    return 0;
}

static int make_kept(struct nn_program *p, struct err *err)
{
    size_t scratch = 0;
    for (size_t i = 0; i < p->op_count; i++) {
        const struct nn_kernel *k = &p->kernels->ops[p->ops[i].kind];
        size_t need =
            k->scratch ? k->scratch(&p->ops[i], p->graph, p->batch) : 0;
        if (need > scratch)
            scratch = need;
        if (k->kept && !(p->kept[i] = own(
                             p, k->kept(&p->ops[i], p->graph, p->batch), err)))
            return -1;
    }
    if (!(p->scratch = own(p, scratch, err)))
        return -1;
    if (p->forward)
        return 0;
    p->weight_slopes =
        own(p, p->kernels->real_bytes * (size_t)p->graph->trained, err);
    return p->weight_slopes ? 0 : -1;
}

/* Walks backwards to see whose gradient comes first to each buffer. Heads
 * come before all operations. */
static void find_adds(struct nn_program *p)
{
    const struct nn_graph *g = p->graph;
    bool *begun = xcalloc(g->tensors.len + 1, sizeof(bool));
    int *root = xcalloc(g->tensors.len + 1, sizeof(int));
    for (size_t i = 0; i < g->tensors.len; i++)
        root[i] = (int)i;
    for (size_t i = 0; i < p->op_count; i++)
        if (nn_op_facts[p->ops[i].kind].same_memory)
            root[p->ops[i].out] = root[p->ops[i].in[0]];
    for (size_t i = 0; i < g->heads.len; i++) {
        const struct nn_head *h = &g->heads.p[i];
        if (begun[root[h->logits]])
            p->head_adds[i] |= NN_ADD_FIRST;
        begun[root[h->logits]] = true;
        if (h->second < 0)
            continue;
        if (begun[root[h->second]])
            p->head_adds[i] |= NN_ADD_SECOND;
        begun[root[h->second]] = true;
    }
    for (size_t i = p->op_count; i-- > 0;) {
        const struct nn_op *op = &p->ops[i];
        p->live[i] = !nn_op_facts[op->kind].same_memory &&
                     begun[root[op->out]] && p->slope[op->out];
        for (int k = 0; k < op->in_count && p->live[i]; k++) {
            p->backs[i].add[k] = begun[root[op->in[k]]];
            begun[root[op->in[k]]] = true;
        }
    }
    free(begun);
    free(root);
}

/* Walks backwards from the heads to what their losses are computed from. */
static void find_needed(struct nn_program *p)
{
    const struct nn_graph *g = p->graph;
    bool *read = xcalloc(g->tensors.len + 1, sizeof(bool));
    for (size_t i = 0; i < g->heads.len; i++) {
        read[g->heads.p[i].logits] = true;
        if (g->heads.p[i].second >= 0)
            read[g->heads.p[i].second] = true;
    }
    for (size_t i = p->op_count; i-- > 0;) {
        p->needed[i] = read[p->ops[i].out];
        for (int k = 0; k < p->ops[i].in_count && p->needed[i]; k++)
            read[p->ops[i].in[k]] = true;
    }
    free(read);
}

static void find_sloped(struct nn_program *p)
{
    for (size_t i = 0; i < p->op_count; i++)
        for (int k = 0; k < NN_OP_PARAMS_MAX && p->live[i]; k++)
            if (p->ops[i].param[k] >= 0)
                p->sloped[p->ops[i].param[k]] = true;
}

static void find_descending(struct nn_program *p)
{
    for (size_t i = 0; i < p->op_count; i++)
        if (p->live[i] && p->kernels->ops[p->ops[i].kind].descends)
            p->descends[p->ops[i].param[0]] = true;
}

static int open_program(struct nn_program *p, struct err *err)
{
    const struct nn_graph *graph = p->graph;
    size_t tensors = graph->tensors.len + 1;
    fuse_all(p);
    p->backs = xcalloc(p->op_count + 1, sizeof(*p->backs));
    p->live = xcalloc(p->op_count + 1, sizeof(bool));
    p->needed = xcalloc(p->op_count + 1, sizeof(bool));
    p->sloped = xcalloc(graph->params.len + 1, sizeof(bool));
    p->descends = xcalloc(graph->params.len + 1, sizeof(bool));
    p->head_adds = xcalloc(graph->heads.len + 1, sizeof(unsigned));
    p->value = xcalloc(tensors, sizeof(void *));
    p->slope = xcalloc(tensors, sizeof(void *));
    p->kept = xcalloc(p->op_count + 1, sizeof(void *));
    p->owned = xcalloc(2 * tensors + p->op_count + 4, sizeof(void *));
    bool *wanted = find_wanted(p);
    int rc = make_tensors(p, wanted, err);
    free(wanted);
    if (rc || make_kept(p, err)) {
        nn_program_close(p);
        return -1;
    }
    find_adds(p);
    find_needed(p);
    find_sloped(p);
    find_descending(p);
    return 0;
}

int nn_program_open(struct nn_program *p, const struct nn_kernels *kernels,
                    const struct nn_graph *graph, size_t batch, struct err *err)
{
    *p =
        (struct nn_program){.kernels = kernels, .graph = graph, .batch = batch};
    return open_program(p, err);
}

int nn_program_open_forward(struct nn_program *p,
                            const struct nn_kernels *kernels,
                            const struct nn_graph *graph, size_t batch,
                            int apart, struct err *err)
{
    *p = (struct nn_program){.kernels = kernels,
                             .graph = graph,
                             .batch = batch,
                             .forward = true,
                             .apart = apart};
    return open_program(p, err);
}

void nn_program_plan(struct nn_program *p, const struct nn_kernels *kernels,
                     const struct nn_graph *graph, size_t batch)
{
    *p = (struct nn_program){
        .kernels = kernels, .graph = graph, .batch = batch, .counting = true};
    open_program(p, NULL);
}

uint64_t nn_program_bytes(const struct nn_kernels *kernels,
                          const struct nn_graph *graph, size_t batch)
{
    struct nn_program p;
    nn_program_plan(&p, kernels, graph, batch);
    uint64_t bytes = p.bytes;
    nn_program_close(&p);
    return bytes;
}

void nn_program_close(struct nn_program *p)
{
    for (size_t i = 0; i < p->owned_count; i++)
        p->kernels->free(p->owned[i]);
    free(p->ops);
    free(p->backs);
    free(p->live);
    free(p->needed);
    free(p->drawn);
    free(p->sloped);
    free(p->descends);
    free(p->head_adds);
    free(p->value);
    free(p->slope);
    free(p->kept);
    free(p->owned);
    *p = (struct nn_program){0};
}

struct nn_frame nn_program_frame(const struct nn_program *p, void *weights,
                                 const double *soft)
{
    return (struct nn_frame){.graph = p->graph,
                             .value = p->value,
                             .slope = p->slope,
                             .weights = weights,
                             .weight_slopes = p->weight_slopes,
                             .soft = soft,
                             .kept = p->kept,
                             .scratch = p->scratch};
}

void nn_program_forward(const struct nn_program *p, const struct nn_frame *f)
{
    for (size_t i = 0; i < p->op_count; i++)
        if (!nn_op_facts[p->ops[i].kind].same_memory &&
            (p->needed[i] || !f->training))
            p->kernels->ops[p->ops[i].kind].forward(&p->ops[i], f);
}

void nn_program_predict(const struct nn_program *p, const struct nn_frame *f,
                        bool drawn, int but)
{
    for (size_t i = 0; i < p->op_count; i++) {
        const struct nn_op *op = &p->ops[i];
        if (!nn_op_facts[op->kind].same_memory && p->drawn[i] == drawn &&
            (but < 0 || op->in[0] != but))
            p->kernels->ops[op->kind].forward(op, f);
    }
}

/* What no loss hangs on has no gradient but its regularizer's, which is added
 * to what is there. */
static void clear_others(const struct nn_program *p, const struct nn_frame *f)
{
    size_t real = p->kernels->real_bytes;
    for (size_t i = 0; i < p->graph->params.len; i++) {
        const struct nn_param *one = &p->graph->params.p[i];
        if (one->trained && !p->sloped[i])
            memset((char *)f->weight_slopes + (size_t)one->offset * real, 0,
                   (size_t)one->count * real);
    }
}

void nn_program_backward(const struct nn_program *p, const struct nn_frame *f)
{
    clear_others(p, f);
    for (size_t i = p->op_count; i-- > 0;) {
        const struct nn_op *op = &p->ops[i];
        if (p->live[i])
            p->kernels->ops[op->kind].backward(op, f, &p->backs[i]);
    }
}
