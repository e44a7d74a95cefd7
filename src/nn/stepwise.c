/* stepwise.c - the runner of the CPU devices: batch by batch, by kernels
 *
 * All members share one program and one frame: an epoch of one member runs
 * to its end before the next one's begins, so its weights and the batch stay
 * in the cache. Weights and optimizer state of all members lie in one buffer
 * each. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "nn/judge.h"
#include "nn/stepwise.h"
#include "sys/sys.h"

#define ORDER_AT_ONCE 64 /* rows, at least */

static struct stepwise *stepwise_of(struct nn_run *r)
{
    return (struct stepwise *)r;
}

/* ---- numbers of members ------------------------------------------------ */

/* A buffer of numbers of all members, and where those of one begin. */
struct stretch {
    void *buffer;
    size_t at, count;
};

static struct stretch stretch_of(const struct stepwise *s, int member,
                                 enum nn_numbers which)
{
    size_t m = (size_t)member, weights = (size_t)s->graph->weights;
    size_t trained = (size_t)s->graph->trained;
    if (which == NN_WEIGHTS)
        return (struct stretch){s->weights, m * weights, weights};
    if (which == NN_BEST)
        return (struct stretch){s->best, m * weights, weights};
    if (which == NN_MASK)
        return (struct stretch){s->masks, m * trained, trained};
    return (struct stretch){
        s->state, (m * s->slots + (size_t)(which - NN_STATE)) * trained,
        trained};
}

void *stepwise_numbers(const struct stepwise *s, int member,
                       enum nn_numbers which)
{
    struct stretch x = stretch_of(s, member, which);
    return (char *)x.buffer + x.at * s->kernels->real_bytes;
}

static void put(struct nn_run *r, int member, enum nn_numbers which,
                const double *from)
{
    struct stepwise *s = stepwise_of(r);
    struct stretch x = stretch_of(s, member, which);
    if (from)
        s->kernels->put(x.buffer, x.at, from, x.count);
    else
        memset(stepwise_numbers(s, member, which), 0,
               x.count * s->kernels->real_bytes);
    stepwise_forget(s);
}

static void take(const struct nn_run *r, int member, enum nn_numbers which,
                 double *to)
{
    const struct stepwise *s = (const struct stepwise *)r;
    struct stretch x = stretch_of(s, member, which);
    s->kernels->take(to, x.buffer, x.at, x.count);
}

static void copy(struct nn_run *r, int member, enum nn_numbers to,
                 enum nn_numbers from)
{
    struct stepwise *s = stepwise_of(r);
    struct stretch x = stretch_of(s, member, to);
    struct stretch y = stretch_of(s, member, from);
    s->kernels->copy(x.buffer, x.at, y.buffer, y.at, y.count);
    stepwise_forget(s);
}

static int reserve(struct nn_run *r, enum nn_numbers which, struct err *err)
{
    struct stepwise *s = stepwise_of(r);
    void **buffer = which == NN_BEST ? &s->best : &s->masks;
    size_t count = r->capacity * stretch_of(s, 0, which).count;
    if (!*buffer)
        *buffer = s->kernels->alloc(count * s->kernels->real_bytes, err);
    return *buffer ? 0 : -1;
}

/* What lies between the tensors belongs to none. */
static int not_finite(const struct nn_run *r, int member)
{
    const struct stepwise *s = (const struct stepwise *)r;
    const struct nn_graph *g = s->graph;
    struct stretch x = stretch_of(s, member, NN_WEIGHTS);
    if (s->kernels->finite(x.buffer, x.at, x.count))
        return -1;
    for (size_t i = 0; i < g->params.len; i++)
        if (!s->kernels->finite(x.buffer, x.at + (size_t)g->params.p[i].offset,
                                (size_t)g->params.p[i].count))
            return (int)i;
    return -1;
}

/* ---- memory ------------------------------------------------------------- */

static uint64_t bytes(const struct nn_device *d, const struct nn_model *like,
                      size_t capacity)
{
    const struct nn_kernels *k = d->kernels();
    const struct nn_graph *g = &like->graph;
    uint64_t batch = (uint64_t)like->batch_size * nn_widest_label(g);
    return nn_program_bytes(k, g, (size_t)like->batch_size) +
           capacity * nn_model_member_numbers(like) * k->real_bytes +
           batch * (k->real_bytes + sizeof(double));
}

static int make_buffers(struct stepwise *s, struct err *err)
{
    const struct nn_kernels *k = s->kernels;
    size_t batch = s->program.batch, real = k->real_bytes;
    size_t state = s->slots * (size_t)s->graph->trained;
    size_t weights = (size_t)s->graph->weights;
    s->weights = k->alloc(s->run.capacity * weights * real, err);
    if (s->weights)
        s->state = k->alloc(s->run.capacity * state * real, err);
    s->span = (ORDER_AT_ONCE + batch - 1) / batch * batch;
    s->rows = xcalloc(s->span, sizeof(*s->rows));
    s->joined = xcalloc(batch, sizeof(*s->joined));
    return s->state ? nn_label_room_open(&s->labels, k, s->graph, batch, err)
                    : -1;
}

static void close_run(struct nn_run *r)
{
    struct stepwise *s = stepwise_of(r);
    if (!s)
        return;
    s->kernels->free(s->weights);
    s->kernels->free(s->best);
    s->kernels->free(s->masks);
    s->kernels->free(s->state);
    nn_program_close(&s->program);
    stepwise_asker_close(s);
    free(s->rows);
    nn_label_room_done(&s->labels);
    free(s->joined);
    free(s);
}

static struct nn_run *open_run(const struct nn_device *d,
                               const struct nn_model *like,
                               struct nn_place *places, size_t capacity,
                               const struct nn_run *beside, struct err *err)
{
    (void)beside; /* data is where it was mapped, for all of them */
    struct stepwise *s = xcalloc(1, sizeof(*s));
    s->run = (struct nn_run){
        .device = d, .like = like, .places = places, .capacity = capacity};
    s->kernels = d->kernels();
    s->run.real_bytes = s->kernels->real_bytes;
    s->graph = &like->graph;
    s->slots = nn_optimizer_slots(&like->optimizer);
    if (nn_program_open(&s->program, s->kernels, s->graph,
                        (size_t)like->batch_size, err) ||
        make_buffers(s, err)) {
        close_run(&s->run);
        return NULL;
    }
    return &s->run;
}

/* ---- batches ------------------------------------------------------------ */

/* The rows of the batch at `from` of an epoch. Several small batches are made
 * at once: with the first of them, or with the `first` that this call trains
 * of an epoch that goes on. */
static const uint32_t *batch_rows(struct stepwise *s, const struct nn_place *m,
                                  const struct nn_order *o, size_t from,
                                  size_t first)
{
    const struct data_part *train = &m->view->train;
    size_t at = from % s->span, begin = from - at;
    size_t count =
        train->count - begin < s->span ? train->count - begin : s->span;
    if (m->view->in_order)
        return train->rows + from;
    if (at == 0 || from == first) {
        s->kernels->order(s->rows, o, begin, count);
        for (size_t i = 0; i < count; i++)
            s->rows[i] = train->rows[s->rows[i]];
    }
    return s->rows + at;
}

/* Rows of numbers, each piece from its own table. */
static void load_pieces(const struct nn_program *p, void *to,
                        const struct data_view *v, size_t field, bool scaled,
                        const uint32_t *rows, size_t count, uint32_t *joined)
{
    const struct data_field *f = &v->table->inputs[field];
    const float *shift = scaled ? v->shift[field] : NULL;
    const float *scale = scaled ? v->scale[field] : NULL;
    struct data_piece whole;
    size_t pieces;
    const struct data_piece *from =
        data_pieces(f, v->table->rows, &whole, &pieces);
    for (; pieces-- > 0; from++) {
        for (size_t i = 0; from->row_of && i < count; i++)
            joined[i] = from->row_of[rows[i]];
        p->kernels->gather(to, from->at, (size_t)f->columns, from->numbers,
                           from->columns, from->row_of ? joined : rows, count,
                           shift ? shift + from->at : NULL,
                           shift ? scale + from->at : NULL);
    }
}

void stepwise_load(const struct nn_program *p, const struct data_view *v,
                   const uint32_t *rows, size_t count, uint32_t *joined)
{
    for (size_t i = 0; i < p->graph->inputs.len; i++) {
        const struct nn_input *in = &p->graph->inputs.p[i];
        const struct data_field *f = &v->table->inputs[in->field];
        void *to = p->value[in->tensor];
        bool scaled = v->shift && !p->graph->tensors.p[in->tensor].integers;
        if (data_has_numbers(f))
            load_pieces(p, to, v, (size_t)in->field, scaled, rows, count,
                        joined);
        else
            p->kernels->gather_integers(to, f->categories, (size_t)f->columns,
                                        rows, count);
    }
}

static void load_inputs(const struct stepwise *s, const struct nn_place *m,
                        const uint32_t *rows, size_t count)
{
    stepwise_load(&s->program, m->view, rows, count, s->joined);
}

/* Whether a step is w -= lr × gradient, with nothing done to gradients
 * before: then backward may take it. */
static bool only_descends(const struct stepwise *s, const struct nn_place *m,
                          const struct nn_rates *r)
{
    const struct nn_optimizer *o = &m->model->optimizer;
    const double *soft = m->model->soft.p;
    if (m->masked || o->kind != NN_SGD || r->momentum != 0 ||
        r->weight_decay != 0 || nn_soft_or(soft, o->clip_value, 0) > 0 ||
        nn_soft_or(soft, o->clip_norm, 0) > 0)
        return false;
    for (size_t i = 0; i < s->graph->params.len; i++)
        if (nn_soft_or(soft, s->graph->params.p[i].l1, 0) != 0 ||
            nn_soft_or(soft, s->graph->params.p[i].l2, 0) != 0)
            return false;
    return true;
}

/* The rest of a step that backward has begun. */
static void end_descent(struct stepwise *s, const struct nn_frame *f,
                        const struct nn_rates *rates)
{
    size_t real = s->kernels->real_bytes;
    for (size_t i = 0; i < s->graph->params.len; i++) {
        const struct nn_param *p = &s->graph->params.p[i];
        size_t at = (size_t)p->offset * real;
        if (p->trained && !s->program.descends[i])
            s->kernels->update(NN_SGD, (char *)f->weights + at,
                               (char *)f->weight_slopes + at, NULL,
                               (size_t)p->count, rates);
    }
}

/* Gradients made fit, then the optimizer's step. */
static void take_step(struct stepwise *s, int member, const struct nn_frame *f,
                      const struct nn_rates *rates, double *loss)
{
    const struct nn_model *m = s->run.places[member].model;
    double value = nn_soft_or(m->soft.p, m->optimizer.clip_value, 0);
    double norm = nn_soft_or(m->soft.p, m->optimizer.clip_norm, 0);
    size_t trained = (size_t)s->graph->trained;
    const void *mask = s->run.places[member].masked
                           ? stepwise_numbers(s, member, NN_MASK)
                           : NULL;
    s->kernels->regularize(s->graph, f, loss);
    if (mask)
        s->kernels->mask(f->weight_slopes, mask, trained);
    if (value > 0 || norm > 0)
        s->kernels->clip(f->weight_slopes, trained, value, norm);
    s->kernels->update(m->optimizer.kind, f->weights, f->weight_slopes,
                       stepwise_numbers(s, member, NN_STATE), trained, rates);
    if (mask)
        s->kernels->mask(f->weights, mask, trained);
}

static double train_batch(struct stepwise *s, int member, const uint32_t *rows,
                          size_t count, int64_t per_epoch)
{
    struct nn_place *m = &s->run.places[member];
    struct nn_rates rates = nn_rates_next(m, per_epoch);
    struct nn_frame f = nn_program_frame(
        &s->program, stepwise_numbers(s, member, NN_WEIGHTS), m->model->soft.p);
    f.batch = count;
    f.training = true;
    f.descent = only_descends(s, m, &rates) ? rates.lr : 0;
    f.key = nn_draw_key(nn_draw_key(m->seed, 1), (int)(rates.step - 1));
    load_inputs(s, m, rows, count);
    nn_program_forward(&s->program, &f);
    double loss =
        nn_labels_loss(&s->labels, m->view, &f, s->program.head_adds, rows);
    nn_program_backward(&s->program, &f);
    if (f.descent != 0)
        end_descent(s, &f, &rates);
    else
        take_step(s, member, &f, &rates, &loss);
    return loss;
}

/* Shows the predictions of the batch at `from` to the judge, and to whoever
 * asks for them. */
static void show_batch(struct stepwise *s, const struct nn_judging *j,
                       const struct nn_frame *f, size_t from)
{
    const struct nn_place *m = &s->run.places[j->member];
    size_t all = (size_t)nn_model_outputs(m->model), at = 0;
    float *to = j->outputs ? j->outputs + (from - j->from) * all : NULL;
    for (size_t i = 0; i < s->graph->heads.len; i++) {
        const struct nn_head *h = &s->graph->heads.p[i];
        size_t width =
            (size_t)nn_shape_count(&s->graph->tensors.p[h->output].shape);
        s->kernels->take(s->labels.numbers, f->value[h->output], 0,
                         f->batch * width);
        nn_judge_batch(j->judge, i, s->labels.numbers, width,
                       nn_label_of(m->view, h), j->part->rows + from, f->batch);
        for (size_t r = 0; to && r < f->batch; r++)
            for (size_t k = 0; k < width; k++)
                to[r * all + at + k] = (float)s->labels.numbers[r * width + k];
        at += width;
    }
}

/* ---- the runner --------------------------------------------------------- */

bool stepwise_broken_off(const struct stepwise *s)
{
    return s->run.broken_off && s->run.broken_off(s->run.context);
}

static void judge_one(struct stepwise *s, struct nn_judging *j)
{
    const struct nn_place *m = &s->run.places[j->member];
    size_t batch = s->program.batch, end = j->from + j->count;
    bool shown = m->model->metrics.len > 0 || j->outputs;
    bool labels = nn_labels_there(s->graph, m->view);
    struct nn_frame f = nn_program_frame(
        &s->program, stepwise_numbers(s, j->member, NN_WEIGHTS),
        m->model->soft.p);
    if (!labels)
        j->loss_sum = NAN;
    for (size_t from = j->from; from < end && !j->broken_off; from += batch) {
        const uint32_t *rows = j->part->rows + from;
        f.batch = end - from < batch ? end - from : batch;
        /* Permanent dropout draws anew for every batch. */
        f.key = nn_draw_key(nn_draw_key(m->seed, 2), (int)(from / batch));
        load_inputs(s, m, rows, f.batch);
        nn_program_forward(&s->program, &f);
        if (labels)
            j->loss_sum += nn_labels_loss(&s->labels, m->view, &f,
                                          s->program.head_adds, rows) *
                           (double)f.batch;
        if (shown)
            show_batch(s, j, &f, from);
        j->broken_off = stepwise_broken_off(s);
    }
}

static void train_one(struct stepwise *s, struct nn_work *w)
{
    struct nn_place *m = &s->run.places[w->member];
    size_t rows = m->view->train.count, batch = s->program.batch;
    int64_t per_epoch = (int64_t)((rows + batch - 1) / batch);
    struct nn_standing *st = &m->standing;
    struct nn_order order = nn_order_of(m->seed, st->epoch, rows);
    size_t first = (size_t)st->batches * batch;
    w->broken_off = false;
    for (size_t from = first; from < rows; from += batch) {
        size_t count = rows - from < batch ? rows - from : batch;
        st->sum +=
            (double)count * train_batch(s, w->member,
                                        batch_rows(s, m, &order, from, first),
                                        count, per_epoch);
        st->batches++;
        w->broken_off = stepwise_broken_off(s);
        if (w->broken_off)
            return;
    }
    w->loss = rows ? st->sum / (double)rows : NAN;
}

static bool go(struct nn_run *r, struct nn_work *work, size_t count)
{
    stepwise_forget(stepwise_of(r));
    for (size_t i = 0; i < count; i++)
        train_one(stepwise_of(r), &work[i]);
    return false;
}

static void judge(struct nn_run *r, struct nn_judging *judged, size_t count)
{
    for (size_t i = 0; i < count; i++)
        judge_one(stepwise_of(r), &judged[i]);
}

const struct nn_runner nn_stepwise = {.bytes = bytes,
                                      .free_bytes = machine_memory_free,
                                      .open = open_run,
                                      .close = close_run,
                                      .go = go,
                                      .judge = judge,
                                      .ask = stepwise_ask,
                                      .ask_rows = stepwise_ask_rows,
                                      .reserve = reserve,
                                      .put = put,
                                      .take = take,
                                      .copy = copy,
                                      .not_finite = not_finite};
