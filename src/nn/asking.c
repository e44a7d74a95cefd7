/* asking.c - what members predict, on the CPU devices
 *
 * A batch of a size that hangs on the model alone is always full: what is
 * missing at its end is filled up with its last row again. So each row goes the
 * same way through the same kernels, whatever it is asked for with, and its
 * bits are its own. Samples of a row share all that is before the first draw;
 * members whose inputs are the same share those.
 *
 * Where an input is made of rows of several tables, as a product of tables or
 * one that is joined has them, and one dense layer reads it, each row of each
 * table goes through the layer once, and for a row of the input those are added
 * up: a sum of three rows instead of a product of matrices. */
#include <stdlib.h>

#include "base/err.h"
#include "nn/nn.h"
#include "nn/stepwise.h"

#define ROWS_MOST 256
#define ROWS_LEAST 16
#define NUMBERS_AT_ONCE (1 << 18)       /* of the widest tensor */
#define TABLE_NUMBERS ((size_t)1 << 26) /* that a split layer may keep */

/* What the rows of each table come to in the split layer, by member. */
struct split {
    const struct data_piece *pieces; /* that they were made of */
    void **tables;                   /* NULL: not made */
    size_t count;
};

struct nn_asker {
    struct nn_program program;
    struct nn_frame frame;
    uint32_t *rows, *joined;
    uint32_t **found; /* by table: which of its rows each row has */
    size_t found_count;
    uint64_t *keys;
    double *numbers;
    const struct nn_op *split; /* the layer; NULL: none */
    struct split *splits;      /* by member */
};

size_t stepwise_ask_rows(const struct nn_model *like)
{
    const struct nn_graph *g = &like->graph;
    size_t widest = 1, rows = ROWS_MOST;
    for (size_t i = 0; i < g->tensors.len; i++) {
        size_t count = (size_t)nn_shape_count(&g->tensors.p[i].shape);
        widest = count > widest ? count : widest;
    }
    while (rows > ROWS_LEAST && rows * widest > NUMBERS_AT_ONCE)
        rows /= 2;
    return rows;
}

/* ---- the split layer ----------------------------------------------------- */

static const struct data_field *input_of(const struct nn_graph *g,
                                         const struct data_view *v)
{
    return &v->table->inputs[g->inputs.p[0].field];
}

static size_t units_of(const struct nn_graph *g, const struct nn_op *op)
{
    return (size_t)nn_shape_count(&g->tensors.p[op->out].shape);
}

/* Each piece has rows of its own, fewer than would fill the memory. */
static bool splits(const struct stepwise *s, const struct data_view *v)
{
    const struct nn_asker *a = s->asker;
    const struct data_field *f = a->split ? input_of(s->graph, v) : NULL;
    size_t numbers = 0;
    if (!f || !f->pieces || f->piece_count > a->found_count)
        return false;
    for (size_t i = 0; i < f->piece_count; i++) {
        if (!f->pieces[i].row_of)
            return false;
        numbers += f->pieces[i].rows * units_of(s->graph, a->split);
    }
    return numbers <= TABLE_NUMBERS;
}

static void forget_split(const struct stepwise *s, struct split *x)
{
    for (size_t i = 0; x->tables && i < x->count; i++)
        s->kernels->free(x->tables[i]);
    free(x->tables);
    *x = (struct split){0};
}

void stepwise_forget(struct stepwise *s)
{
    for (size_t i = 0; s->asker && s->asker->splits && i < s->run.capacity; i++)
        forget_split(s, &s->asker->splits[i]);
}

/* The columns of one piece, all others being 0, through the layer without its
 * bias. */
static void make_table(struct stepwise *s, const struct data_view *v,
                       const struct data_piece *piece, void *to)
{
    struct nn_asker *a = s->asker;
    int tensor = a->split->in[0], field = s->graph->inputs.p[0].field;
    size_t units = units_of(s->graph, a->split), batch = a->program.batch;
    const struct data_field *f = input_of(s->graph, v);
    struct nn_op layer = *a->split;
    bool scaled = v->shift && v->shift[field];
    layer.param[1] = -1;
    for (size_t from = 0; from < piece->rows; from += batch) {
        size_t count = piece->rows - from < batch ? piece->rows - from : batch;
        for (size_t i = 0; i < batch; i++)
            a->joined[i] = (uint32_t)(from + (i < count ? i : count - 1));
        s->kernels->gather(a->program.value[tensor], piece->at,
                           (size_t)f->columns, piece->numbers, piece->columns,
                           a->joined, batch,
                           scaled ? v->shift[field] + piece->at : NULL,
                           scaled ? v->scale[field] + piece->at : NULL);
        s->kernels->ops[layer.kind].forward(&layer, &a->frame);
        s->kernels->copy(to, from * units, a->program.value[layer.out], 0,
                         count * units);
    }
}

/* With an empty input each time, where the others' columns are 0. */
static int make_split(struct stepwise *s, const struct data_view *v,
                      struct split *x, struct err *err)
{
    struct nn_asker *a = s->asker;
    const struct data_field *f = input_of(s->graph, v);
    size_t real = s->kernels->real_bytes, units = units_of(s->graph, a->split);
    void **input = &a->program.value[a->split->in[0]], *own = *input;
    int rc = 0;
    x->pieces = f->pieces;
    x->count = f->piece_count;
    x->tables = xcalloc(x->count, sizeof(*x->tables));
    for (size_t i = 0; !rc && i < x->count; i++) {
        size_t bytes = a->program.batch * (size_t)f->columns * real;
        x->tables[i] = s->kernels->alloc(f->pieces[i].rows * units * real, err);
        *input = x->tables[i] ? s->kernels->alloc(bytes, err) : NULL;
        rc = *input ? 0 : -1;
        if (!rc)
            make_table(s, v, &f->pieces[i], x->tables[i]);
        s->kernels->free(*input);
    }
    *input = own;
    if (rc)
        forget_split(s, x);
    return rc;
}

static void add_up(struct stepwise *s, const struct split *x,
                   const struct nn_param *bias)
{
    struct nn_asker *a = s->asker;
    const void *from = bias ? (const char *)a->frame.weights +
                                  (size_t)bias->offset * s->kernels->real_bytes
                            : NULL;
    for (size_t i = 0; i < x->count; i++)
        for (size_t r = 0; r < a->program.batch; r++)
            a->found[i][r] = x->pieces[i].row_of[a->rows[r]];
    s->kernels->add_up(
        a->program.value[a->split->out], units_of(s->graph, a->split), from,
        (const void *const *)x->tables, (const uint32_t *const *)a->found,
        x->count, a->program.batch);
}

/* ---- life ---------------------------------------------------------------- */

void stepwise_asker_close(struct stepwise *s)
{
    struct nn_asker *a = s->asker;
    if (!a)
        return;
    stepwise_forget(s);
    for (size_t i = 0; i < a->found_count; i++)
        free(a->found[i]);
    nn_program_close(&a->program);
    free(a->rows);
    free(a->joined);
    free(a->found);
    free(a->keys);
    free(a->numbers);
    free(a->splits);
    free(a);
    s->asker = NULL;
}

static void open_split(struct stepwise *s, const struct data_field *f,
                       int tensor)
{
    struct nn_asker *a = s->asker;
    for (size_t i = 0; i < a->program.op_count; i++)
        if (a->program.ops[i].in[0] == tensor)
            a->split = &a->program.ops[i];
    a->splits = xcalloc(s->run.capacity, sizeof(*a->splits));
    a->found = xcalloc(f->piece_count, sizeof(*a->found));
    a->found_count = f->piece_count;
    for (size_t i = 0; i < f->piece_count; i++)
        a->found[i] = xcalloc(a->program.batch, sizeof(**a->found));
}

/* Opened for the first who asks; whether a layer is split hangs on the data,
 * which is alike for all of a cohort. */
static int open_asker(struct stepwise *s, const struct data_view *v,
                      struct err *err)
{
    size_t batch = stepwise_ask_rows(s->run.like);
    size_t wide = (size_t)nn_model_outputs(s->run.like);
    int tensor = nn_split_tensor(s->graph);
    struct nn_asker *a = s->asker = xcalloc(1, sizeof(*a));
    if (tensor >= 0 && !input_of(s->graph, v)->pieces)
        tensor = -1;
    a->rows = xcalloc(batch, sizeof(*a->rows));
    a->joined = xcalloc(batch, sizeof(*a->joined));
    a->keys = xcalloc(batch, sizeof(*a->keys));
    a->numbers = malloc(batch * wide * sizeof(*a->numbers) + 1);
    if (!a->numbers)
        err_set(err, ERR_LIMIT, "no memory for predictions of %zu rows", batch);
    if (!a->numbers || nn_program_open_forward(&a->program, s->kernels,
                                               s->graph, batch, tensor, err)) {
        stepwise_asker_close(s);
        return -1;
    }
    if (tensor >= 0)
        open_split(s, input_of(s->graph, v), tensor);
    return 0;
}

/* ---- asking -------------------------------------------------------------- */

struct batch {
    const struct nn_question *q;
    size_t from, count; /* of the rows that are asked for */
};

/* Always full. */
static void set_rows(struct nn_asker *a, const struct batch *b, size_t at)
{
    const uint32_t *rows = b->q->parts[at]->rows + b->q->from + b->from;
    for (size_t i = 0; i < a->program.batch; i++)
        a->rows[i] = rows[i < b->count ? i : b->count - 1];
}

static void set_keys(struct nn_asker *a, const struct nn_place *m,
                     uint64_t first, size_t sample)
{
    uint64_t key = nn_draw_key(nn_sample_seed(m->seed, sample), 2);
    for (size_t i = 0; i < a->program.batch; i++)
        a->keys[i] = nn_row_key(
            key, first + data_row_in_file(m->view->table, a->rows[i]));
}

static void take_outputs(struct stepwise *s, size_t count, float *to)
{
    struct nn_asker *a = s->asker;
    size_t all = (size_t)nn_model_outputs(s->run.like), at = 0;
    for (size_t i = 0; i < s->graph->heads.len; i++) {
        int tensor = s->graph->heads.p[i].output;
        size_t width =
            (size_t)nn_shape_count(&s->graph->tensors.p[tensor].shape);
        s->kernels->take(a->numbers, a->frame.value[tensor], 0, count * width);
        for (size_t r = 0; r < count; r++)
            for (size_t k = 0; k < width; k++)
                to[r * all + at + k] = (float)a->numbers[r * width + k];
        at += width;
    }
}

static bool same_inputs(const struct stepwise *s, const struct nn_question *q,
                        size_t i, size_t k)
{
    const struct data_view *v = s->run.places[q->members[i]].view;
    const struct data_view *w = s->run.places[q->members[k]].view;
    return v->table == w->table && v->shift == w->shift &&
           v->scale == w->scale && q->parts[i]->rows == q->parts[k]->rows;
}

static int begin_split(struct stepwise *s, int member, struct err *err)
{
    struct nn_asker *a = s->asker;
    const struct nn_op *layer = a->split;
    const struct data_view *v = s->run.places[member].view;
    struct split *x = &a->splits[member];
    if (x->pieces != input_of(s->graph, v)->pieces)
        forget_split(s, x);
    if (!x->tables && make_split(s, v, x, err))
        return -1;
    add_up(s, x,
           layer->param[1] < 0 ? NULL : &s->graph->params.p[layer->param[1]]);
    nn_program_predict(&a->program, &a->frame, false, layer->in[0]);
    return 0;
}

/* All that is not drawn. */
static int begin_batch(struct stepwise *s, const struct batch *b, size_t at,
                       struct err *err)
{
    struct nn_asker *a = s->asker;
    int member = b->q->members[at];
    const struct nn_place *m = &s->run.places[member];
    a->frame = nn_program_frame(
        &a->program, stepwise_numbers(s, member, NN_WEIGHTS), m->model->soft.p);
    a->frame.batch = a->program.batch;
    a->frame.row_keys = a->keys;
    set_rows(a, b, at);
    if (splits(s, m->view))
        return begin_split(s, member, err);
    if (at == 0 || !same_inputs(s, b->q, at, at - 1))
        stepwise_load(&a->program, m->view, a->rows, a->program.batch,
                      a->joined);
    nn_program_predict(&a->program, &a->frame, false, -1);
    return 0;
}

static int ask_member(struct stepwise *s, const struct batch *b, size_t at,
                      struct err *err)
{
    const struct nn_question *q = b->q;
    size_t wide = (size_t)nn_model_outputs(s->run.like);
    struct nn_asker *a = s->asker;
    if (begin_batch(s, b, at, err))
        return -1;
    for (size_t k = 0; k < q->samples; k++) {
        set_keys(a, &s->run.places[q->members[at]], q->first, k);
        nn_program_predict(&a->program, &a->frame, true, -1);
        take_outputs(s, b->count,
                     q->outputs +
                         ((at * q->samples + k) * q->room + b->from) * wide);
    }
    return 0;
}

int stepwise_ask(struct nn_run *r, const struct nn_question *q, struct err *err)
{
    struct stepwise *s = (struct stepwise *)r;
    if (!q->count || !q->rows)
        return 0;
    if (!s->asker && open_asker(s, r->places[q->members[0]].view, err))
        return -1;
    size_t batch = s->asker->program.batch;
    for (size_t from = 0; from < q->rows; from += batch) {
        struct batch b = {q, from,
                          q->rows - from < batch ? q->rows - from : batch};
        for (size_t i = 0; i < q->count; i++)
            if (ask_member(s, &b, i, err))
                return -1;
        if (stepwise_broken_off(s))
            return 1;
    }
    return 0;
}
