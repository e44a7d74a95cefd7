/* chain.c - models that fit into the fast memory of a multiprocessor
 *
 * Dense layers one behind the other and one loss: a member's epoch is then one
 * block (kernels_small.inc). What decides is the model alone, so that a member
 * is trained the same way in any company. */
#include "nn/cuda/lowering.h"

/* Several blocks share a multiprocessor's 228 KiB, or one has nearly all. */
#define FAST_BYTES ((size_t)160 << 10)
#define SMALL_ROWS 256 /* of a batch */
/* A thread's part of a layer's weights: kernels_moments.inc. */
enum { TILE_COLUMNS = 8, TILE_NUMBERS = 4 * TILE_COLUMNS };

static int in_fours(int64_t numbers)
{
    return (int)((numbers + 3) / 4 * 4);
}

/* The dense layers that the loss needs, in order; 0: it is no such chain. */
static int find_layers(const struct lowered *l,
                       const struct nn_op *ops[GPU_LAYERS])
{
    const struct nn_graph *g = l->program.graph;
    int count = 0, tensor = g->inputs.len == 1 ? g->inputs.p[0].tensor : -1;
    for (size_t i = 0; i < l->program.op_count; i++) {
        const struct nn_op *op = &l->program.ops[i];
        if (!l->program.needed[i])
            continue;
        if (op->kind != NN_OP_DENSE || op->in[0] != tensor ||
            g->tensors.p[tensor].shape.rank != 1 || count == GPU_LAYERS)
            return 0;
        ops[count++] = op;
        tensor = op->out;
    }
    return g->heads.len == 1 && g->heads.p[0].logits == tensor ? count : 0;
}

static bool optimizer_fits(const struct nn_model *m)
{
    const struct nn_optimizer *o = &m->optimizer;
    return (o->kind == NN_ADAM || o->kind == NN_ADAMW) &&
           o->clip_value.index < 0 && o->clip_norm.index < 0;
}

static bool params_fit(const struct nn_graph *g)
{
    for (size_t i = 0; i < g->params.len; i++)
        if (g->params.p[i].l1.index >= 0 || g->params.p[i].l2.index >= 0)
            return false;
    return true;
}

static struct gpu_layer layer_of(const struct lowered *l,
                                 const struct nn_op *op)
{
    const struct nn_graph *g = l->program.graph;
    const struct nn_param *w = &g->params.p[op->param[0]];
    int lines = in_fours(w->shape.dim[0]) / 4;
    int across = (in_fours(w->shape.dim[1]) + TILE_COLUMNS - 1) / TILE_COLUMNS;
    return (struct gpu_layer){
        .in = (int)w->shape.dim[0],
        .out = (int)w->shape.dim[1],
        .line = in_fours(w->shape.dim[1]),
        .tiles = lines * across,
        .across = across,
        .activation = op->activation,
        .rate = op->rate.index,
        .draw = op->draw,
        .permanent = op->permanent,
        .a = (float)op->a,
        .w = w->offset,
        .b = op->param[1] < 0 ? -1 : g->params.p[op->param[1]].offset};
}

/* From one row to the next: an odd number of fours, so that the same number of
 * neighbouring rows lies in as many banks as can be. */
static int apart(int64_t numbers)
{
    int fours = in_fours(numbers) / 4 + 1;
    return 4 * (fours | 1);
}

/* A thread for each tile, up to so many: a warp at least. */
static int threads_of(const struct gpu_chain *c)
{
    int warps = c->tiles / WARP;
    return WARP * (warps < 1                    ? 1
                   : warps > GPU_THREADS / WARP ? GPU_THREADS / WARP
                                                : warps);
}

/* Weights, and the moments that no thread keeps for itself. */
static int place_numbers(struct gpu_chain *c)
{
    int at = 0;
    for (int i = 0; i < c->count; i++) {
        struct gpu_layer *l = &c->layer[i];
        l->weights = at;
        at += (in_fours(l->in) + 1) * l->line;
        l->before = apart(l->in);
        c->tiles += l->tiles;
        c->bias_fours += l->line / 4;
    }
    c->further = at;
    if (c->tiles > threads_of(c))
        at += (c->tiles - threads_of(c)) * 2 * TILE_NUMBERS;
    c->biases = at;
    return at + c->bias_fours * 2 * 4;
}

static void place(struct gpu_chain *c, int rows)
{
    int at = place_numbers(c);
    c->layer[c->count].before = apart(c->layer[c->count - 1].line);
    for (int i = 0; i <= c->count; i++) {
        c->layer[i].value = at;
        at += rows * c->layer[i].before;
    }
    for (int i = 0; i < c->count; i++) {
        c->layer[i].slope = at;
        at += rows * c->layer[i + 1].before;
    }
    c->labels = at;
    at += in_fours((int64_t)rows * c->label_width);
    c->rows = at;
    c->all = at + in_fours(rows);
}

static int label_width(const struct nn_head *h, int outputs)
{
    if (h->label < 0)
        return 0;
    return h->loss == NN_LOSS_SPARSE_CROSS_ENTROPY ? 1
           : h->loss == NN_LOSS_HETEROSCEDASTIC    ? outputs / 2
                                                   : outputs;
}

void lower_small(struct lowered *l)
{
    const struct nn_graph *g = l->program.graph;
    const struct nn_op *ops[GPU_LAYERS];
    int count = find_layers(l, ops);
    if (count == 0 || !optimizer_fits(l->like) || !params_fit(g) ||
        l->like->batch_size > SMALL_ROWS)
        return;
    const struct nn_head *h = &g->heads.p[0];
    struct gpu_op o = {.kind = (int)h->loss,
                       .places = in_fours(l->like->batch_size),
                       .field = g->inputs.p[0].field,
                       .count = SMALL_BATCHES,
                       .soft = h->weight.index,
                       .epsilon = h->a,
                       .class_weights = l->class_weights[0],
                       .classes = (int)h->class_count,
                       .flag = h->output != h->logits,
                       .metric_count = l->metric_count,
                       .chain = {.count = count}};
    for (int i = 0; i < count; i++)
        o.chain.layer[i] = layer_of(l, ops[i]);
    o.chain.label_width = label_width(h, o.chain.layer[count - 1].out);
    place(&o.chain, o.places);
    struct gpu_launch one = {.kernel = GPU_small_epoch,
                             .blocks = 1,
                             .threads = threads_of(&o.chain),
                             .fast_bytes = (size_t)o.chain.all * sizeof(float),
                             .op = o};
    if (one.fast_bytes > FAST_BYTES || one.fast_bytes > gpu_fast_bytes())
        return;
    vec_push(&l->small, one);
    one.kernel = GPU_small_judge;
    one.threads = GPU_FEW;
    vec_push(&l->small_judge, one);
}
