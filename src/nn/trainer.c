/* trainer.c - a cohort: many models of one shape, trained together
 *
 * All members share one program and one frame: an epoch of one member runs
 * to its end before the next one's begins, so its weights and the batch stay
 * in the cache. Weights and optimizer state of all members lie in one buffer
 * each; members come and go, their places are used again.
 *
 * What a member becomes is a function of its model, its seed and its view
 * alone: nothing here depends on who else is in the cohort. */
#include "nn/trainer.h"

#include <math.h>
#include <stdlib.h>

#include "base/rng.h"
#include "nn/device.h"
#include "nn/init.h"
#include "sys/sys.h"
#include "terms/device.h"

#define ORDER_AT_ONCE 64                   /* rows, at least */
#define COHORT_BYTES ((uint64_t)256 << 20) /* of weights and state */

size_t nn_optimizer_slots(const struct nn_optimizer *o)
{
    static const size_t slots[NN_OPTIMIZER_COUNT] = {
        [NN_SGD] = 1,  [NN_RMSPROP] = 3, [NN_ADAGRAD] = 1, [NN_ADADELTA] = 2,
        [NN_ADAM] = 2, [NN_ADAMAX] = 2,  [NN_NADAM] = 2,   [NN_ADAMW] = 2};
    return slots[o->kind];
}

const struct nn_device *nn_device_find(struct str name)
{
    if (str_is(name, "reference"))
        return &nn_device_reference;
    if (str_is(name, "portable"))
        return &nn_device_portable;
    return str_is(name, "cpu") ? nn_device_cpu() : nn_device_kind(name);
}

/* Where a member's numbers begin, in a buffer of `stride` numbers each. */
static size_t weights_at(const struct nn_trainer *t, int member)
{
    return (size_t)member * (size_t)t->graph->weights;
}

static size_t state_at(const struct nn_trainer *t, int member)
{
    return (size_t)member * t->slots * (size_t)t->graph->trained;
}

static void *weights_of(const struct nn_trainer *t, int member)
{
    return (char *)t->weights + weights_at(t, member) * t->device->real_bytes;
}

static void *state_of(const struct nn_trainer *t, int member)
{
    return (char *)t->state + state_at(t, member) * t->device->real_bytes;
}

static void *mask_of(const struct nn_trainer *t, int member)
{
    return (char *)t->masks +
           (size_t)member * (size_t)t->graph->trained * t->device->real_bytes;
}

static size_t widest_label(const struct nn_graph *g)
{
    size_t widest = 1;
    for (size_t i = 0; i < g->heads.len; i++) {
        int64_t width =
            nn_shape_count(&g->tensors.p[g->heads.p[i].logits].shape);
        if ((size_t)width > widest)
            widest = (size_t)width;
    }
    return widest;
}

static int make_buffers(struct nn_trainer *t, struct err *err)
{
    const struct nn_device *d = t->device;
    size_t batch = t->program.batch, real = d->real_bytes;
    size_t state = t->slots * (size_t)t->graph->trained;
    t->weights = d->alloc(weights_at(t, (int)t->capacity) * real, err);
    if (t->weights)
        t->state = d->alloc(t->capacity * state * real, err);
    if (t->state)
        t->targets = d->alloc(batch * widest_label(t->graph) * real, err);
    t->outputs = xcalloc(batch * widest_label(t->graph), sizeof(double));
    t->span = (ORDER_AT_ONCE + batch - 1) / batch * batch;
    t->rows = xcalloc(t->span, sizeof(*t->rows));
    t->categories = xcalloc(batch, sizeof(*t->categories));
    t->row_weights = xcalloc(batch, sizeof(*t->row_weights));
    return t->targets ? 0 : -1;
}

struct nn_trainer *nn_trainer_open(const char *device,
                                   const struct nn_model *like, size_t capacity,
                                   struct err *err)
{
    const struct nn_device *d = nn_device_find(str_of(device));
    if (!d) {
        err_set(err, ERR_INPUT,
                "there is no device %s; use cpu, portable or reference",
                device);
        return NULL;
    }
    struct nn_trainer *t = xcalloc(1, sizeof(*t));
    t->device = d;
    t->graph = &like->graph;
    t->key = nn_model_key(like);
    t->capacity = capacity;
    t->slots = nn_optimizer_slots(&like->optimizer);
    t->members = xcalloc(capacity, sizeof(*t->members));
    t->judge = nn_judge_new(like);
    if (nn_program_open(&t->program, d, t->graph, (size_t)like->batch_size,
                        err) ||
        make_buffers(t, err)) {
        nn_trainer_free(t);
        return NULL;
    }
    return t;
}

/* What each member adds to a cohort: weights, optimizer state. */
static uint64_t member_bytes(const struct nn_device *d,
                             const struct nn_model *like)
{
    const struct nn_graph *g = &like->graph;
    uint64_t weights =
        (uint64_t)g->weights * (like->stopping.best_weights ? 2 : 1);
    uint64_t state =
        nn_optimizer_slots(&like->optimizer) * (uint64_t)g->trained;
    return (weights + state) * d->real_bytes;
}

uint64_t nn_trainer_bytes(const char *device, const struct nn_model *like,
                          size_t capacity)
{
    const struct nn_device *d = nn_device_find(str_of(device));
    const struct nn_graph *g = &like->graph;
    if (!d)
        return 0;
    uint64_t batch = (uint64_t)like->batch_size * widest_label(g);
    return nn_program_bytes(d, g, (size_t)like->batch_size) +
           capacity * member_bytes(d, like) +
           batch * (d->real_bytes + sizeof(double));
}

size_t nn_trainer_capacity(const char *device, const struct nn_model *like)
{
    const struct nn_device *d = nn_device_find(str_of(device));
    const struct device *known = device_find(str_of(device), NULL);
    uint64_t fit = d ? COHORT_BYTES / (member_bytes(d, like) + 1) : 0;
    uint64_t most = known ? (uint64_t)known->members : 1;
    return fit < 1 ? 1 : fit > most ? (size_t)most : (size_t)fit;
}

uint64_t nn_trainer_room(const char *device)
{
    (void)device; /* all of them are this machine's memory */
    return machine_memory_free();
}

void nn_trainer_free(struct nn_trainer *t)
{
    if (!t)
        return;
    t->device->free(t->weights);
    t->device->free(t->best);
    t->device->free(t->masks);
    t->device->free(t->state);
    t->device->free(t->targets);
    nn_program_close(&t->program);
    free(t->rows);
    nn_judge_free(t->judge);
    free(t->outputs);
    free(t->categories);
    free(t->row_weights);
    free(t->members);
    free(t);
}

void nn_trainer_watch(struct nn_trainer *t, bool (*broken_off)(void *context),
                      void *context)
{
    t->broken_off = broken_off;
    t->context = context;
}

/* An embedding of an input that brings word vectors starts from those; words
 * without one keep the numbers of the initializer. */
static void start_embeddings(const struct nn_graph *g,
                             const struct data_view *v, double *weights)
{
    for (size_t k = 0; k < g->ops.len; k++) {
        const struct nn_op *op = &g->ops.p[k];
        for (size_t i = 0; op->kind == NN_OP_EMBEDDING && i < g->inputs.len;
             i++) {
            const struct data_field *f =
                &v->table->inputs[g->inputs.p[i].field];
            const struct nn_param *p = &g->params.p[op->param[0]];
            if (op->in[0] != g->inputs.p[i].tensor || !f->vectors ||
                f->vector_columns != p->shape.dim[1])
                continue;
            int64_t tokens =
                f->classes < p->shape.dim[0] ? f->classes : p->shape.dim[0];
            for (int64_t n = 0; n < tokens * f->vector_columns; n++)
                if (!isnan(f->vectors[n]))
                    weights[p->offset + n] = (double)f->vectors[n];
        }
    }
}

static int begin_member(struct nn_trainer *t, int at)
{
    struct nn_place *m = &t->members[at];
    size_t count = (size_t)t->graph->weights;
    double *first = malloc(count * sizeof(double) + 1);
    if (!first)
        return -1;
    m->standing =
        (struct nn_standing){.loss = NAN, .mu_product = 1, .best = NAN};
    nn_schedule_begin(&m->standing.schedule);
    nn_init_weights(t->graph, m->seed, first);
    start_embeddings(t->graph, m->view, first);
    t->device->put(t->weights, weights_at(t, at), first, count);
    t->device->clear(t->state, state_at(t, at),
                     t->slots * (size_t)t->graph->trained);
    if (m->model->optimizer.kind == NN_ADAGRAD) {
        double initial = m->model->soft.p[m->model->optimizer.initial.index];
        for (int64_t k = 0; k < t->graph->trained; k++)
            first[k] = initial;
        t->device->put(t->state, state_at(t, at), first,
                       (size_t)t->graph->trained);
    }
    free(first);
    return 0;
}

int nn_trainer_join(struct nn_trainer *t, const struct nn_member *m,
                    struct err *err)
{
    size_t at = 0;
    if (nn_model_key(m->model) != t->key)
        return err_set(err, ERR_INPUT, "the model is of another shape");
    if (nn_tokens_check(m->model, m->view, err))
        return -1;
    while (at < t->capacity && t->members[at].model)
        at++;
    if (at == t->capacity)
        return err_set(err, ERR_BUSY, "the cohort is full");
    t->members[at] = (struct nn_place){.model = m->model,
                                       .view = m->view,
                                       .seed = m->seed,
                                       .epochs = m->model->epochs};
    if (begin_member(t, (int)at)) {
        t->members[at].model = NULL;
        return err_set(err, ERR_LIMIT, "no memory for the first weights");
    }
    return (int)at;
}

void nn_trainer_epochs(struct nn_trainer *t, int member, int64_t epochs)
{
    t->members[member].epochs = epochs;
}

void nn_trainer_leave(struct nn_trainer *t, int member)
{
    t->members[member].model = NULL;
}

/* Nothing of it is left in what was there before. */
static void apply_mask(struct nn_trainer *t, int member)
{
    const struct nn_place *m = &t->members[member];
    size_t trained = (size_t)t->graph->trained, real = t->device->real_bytes;
    const void *mask = mask_of(t, member);
    t->device->mask(weights_of(t, member), mask, trained);
    if (m->has_best)
        t->device->mask((char *)t->best + weights_at(t, member) * real, mask,
                        trained);
}

int nn_trainer_mask(struct nn_trainer *t, int member, const char *path,
                    struct err *err)
{
    struct nn_place *m = &t->members[member];
    size_t trained = (size_t)t->graph->trained;
    double *mask = malloc((trained + 1) * sizeof(*mask));
    if (!mask)
        return err_set(err, ERR_LIMIT, "no memory for the masks of a model");
    int rc = nn_masks_read(m->model, path, mask, err);
    if (!rc && !t->masks)
        t->masks = t->device->alloc(
            t->capacity * trained * t->device->real_bytes, err);
    if (!rc && t->masks) {
        t->device->put(t->masks, (size_t)member * trained, mask, trained);
        m->masked = true;
        apply_mask(t, member);
    }
    free(mask);
    return m->masked ? 0 : -1;
}

void nn_trainer_copy(struct nn_trainer *t, int from, int to)
{
    struct nn_place *a = &t->members[from], *b = &t->members[to];
    t->device->copy(t->weights, weights_at(t, to), t->weights,
                    weights_at(t, from), (size_t)t->graph->weights);
    t->device->copy(t->state, state_at(t, to), t->state, state_at(t, from),
                    t->slots * (size_t)t->graph->trained);
    b->standing = a->standing;
    b->has_best = a->has_best;
    if (a->has_best)
        t->device->copy(t->best, weights_at(t, to), t->best,
                        weights_at(t, from), (size_t)t->graph->weights);
    if (b->masked)
        apply_mask(t, to);
}

/* The rows of the batch at `from` of an epoch. Several small batches are made
 * at once. */
static const uint32_t *batch_rows(struct nn_trainer *t,
                                  const struct nn_place *m,
                                  const struct nn_order *o, size_t from)
{
    const struct data_part *train = &m->view->train;
    size_t at = from % t->span;
    size_t count =
        train->count - from < t->span ? train->count - from : t->span;
    if (m->view->in_order)
        return train->rows + from;
    if (at == 0) {
        t->device->order(t->rows, o, from, count);
        for (size_t i = 0; i < count; i++)
            t->rows[i] = train->rows[t->rows[i]];
    }
    return t->rows + at;
}

static void load_inputs(const struct nn_trainer *t, const struct nn_place *m,
                        const uint32_t *rows, size_t count)
{
    const struct data_view *v = m->view;
    for (size_t i = 0; i < t->graph->inputs.len; i++) {
        const struct nn_input *in = &t->graph->inputs.p[i];
        const struct data_field *f = &v->table->inputs[in->field];
        void *to = t->program.value[in->tensor];
        bool scaled = v->shift && !t->graph->tensors.p[in->tensor].integers;
        if (f->numbers)
            t->device->gather(to, f->numbers, (size_t)f->columns, rows, count,
                              scaled ? v->shift[in->field] : NULL,
                              scaled ? v->scale[in->field] : NULL);
        else
            t->device->gather_integers(to, f->categories, (size_t)f->columns,
                                       rows, count);
    }
}

/* Which form of a label a loss takes. A label of classes may have numbers
 * too: a count of something can be either. */
enum label_form { LABEL_CATEGORIES, LABEL_ONE_HOT, LABEL_NUMBERS };

static enum label_form form_of(const struct nn_head *h,
                               const struct data_field *f, size_t width)
{
    if (h->loss == NN_LOSS_SPARSE_CROSS_ENTROPY)
        return LABEL_CATEGORIES;
    bool spread = h->loss == NN_LOSS_CROSS_ENTROPY || h->loss == NN_LOSS_KL;
    return spread && f->categories && f->columns == 1 && width > 1
               ? LABEL_ONE_HOT
               : LABEL_NUMBERS;
}

static void load_one_hot(struct nn_trainer *t, const struct data_field *f,
                         size_t width, const uint32_t *rows, size_t count)
{
    memset(t->outputs, 0, count * width * sizeof(*t->outputs));
    for (size_t i = 0; i < count; i++)
        t->outputs[i * width + (size_t)f->categories[rows[i]]] = 1;
    t->device->put(t->targets, 0, t->outputs, count * width);
}

/* Two classes are 0 and 1, whatever the data calls them. */
static void load_numbers(struct nn_trainer *t, const struct nn_head *h,
                         const struct data_field *f, const uint32_t *rows,
                         size_t count)
{
    bool classes = !f->numbers || (h->loss == NN_LOSS_BINARY_CROSS_ENTROPY &&
                                   f->categories && f->classes == 2);
    if (classes)
        t->device->gather_integers(t->targets, f->categories,
                                   (size_t)f->columns, rows, count);
    else
        t->device->gather(t->targets, f->numbers, (size_t)f->columns, rows,
                          count, NULL, NULL);
}

static struct nn_labels load_labels(struct nn_trainer *t,
                                    const struct nn_place *m,
                                    const struct nn_head *h,
                                    const uint32_t *rows, size_t count)
{
    const struct data_view *v = m->view;
    struct nn_labels labels = {0};
    if (v->row_weights) {
        for (size_t i = 0; i < count; i++)
            t->row_weights[i] = v->row_weights[rows[i]];
        labels.row_weights = t->row_weights;
    }
    if (h->label < 0)
        return labels;
    const struct data_field *f = &v->table->labels[h->label];
    size_t width =
        (size_t)nn_shape_count(&t->graph->tensors.p[h->logits].shape);
    enum label_form form = form_of(h, f, width);
    if (form == LABEL_CATEGORIES) {
        for (size_t i = 0; i < count; i++)
            t->categories[i] = f->categories[rows[i]];
        labels.categories = t->categories;
        return labels;
    }
    if (form == LABEL_ONE_HOT)
        load_one_hot(t, f, width, rows, count);
    else
        load_numbers(t, h, f, rows, count);
    labels.values = t->targets;
    return labels;
}

static double losses_of(struct nn_trainer *t, const struct nn_place *m,
                        const struct nn_frame *f, const uint32_t *rows)
{
    double total = 0;
    for (size_t i = 0; i < t->graph->heads.len; i++) {
        const struct nn_head *h = &t->graph->heads.p[i];
        struct nn_labels labels = load_labels(t, m, h, rows, f->batch);
        t->device->loss(h, f, &labels, t->program.head_adds[i], &total);
    }
    return total;
}

/* NULL: none is wanted, or it is not known. */
static const struct data_field *label_of(const struct data_view *v,
                                         const struct nn_head *h)
{
    const struct data_field *f =
        h->label < 0 ? NULL : &v->table->labels[h->label];
    return f && (f->numbers || f->categories) ? f : NULL;
}

/* Rows of another day may have no labels: then there is no loss. */
static bool has_labels(const struct nn_trainer *t, const struct data_view *v)
{
    bool all = true;
    for (size_t i = 0; i < t->graph->heads.len; i++) {
        const struct nn_head *h = &t->graph->heads.p[i];
        all &= h->label < 0 || label_of(v, h);
    }
    return all;
}

static double soft_or(const double *soft, struct nn_soft s, double otherwise)
{
    return s.index < 0 ? otherwise : soft[s.index];
}

/* NADAM's momentum warms up: 0.96^(0.004 t), as its authors have it. */
static double mu_at(double beta1, int64_t step)
{
    return beta1 * (1 - 0.5 * pow(0.96, (double)step * 0.004));
}

static struct nn_rates rates_of(struct nn_place *m, int64_t per_epoch)
{
    const struct nn_optimizer *o = &m->model->optimizer;
    const double *soft = m->model->soft.p;
    struct nn_rates r = {
        .lr = nn_schedule_lr(m->model, soft, &m->standing.schedule,
                             m->standing.step, per_epoch),
        .momentum = soft[o->momentum.index],
        .rho = soft[o->rho.index],
        .beta1 = soft[o->beta1.index],
        .beta2 = soft[o->beta2.index],
        .epsilon = soft[o->epsilon.index],
        .weight_decay = soft[o->weight_decay.index],
        .step = m->standing.step + 1,
        .nesterov = o->nesterov,
        .centered = o->centered,
    };
    if (o->kind == NN_NADAM) {
        r.mu = mu_at(r.beta1, r.step);
        r.mu_next = mu_at(r.beta1, r.step + 1);
        r.mu_product = m->standing.mu_product *= r.mu;
    }
    return r;
}

/* Whether a step is w -= lr × gradient, with nothing done to gradients
 * before: then backward may take it. */
static bool only_descends(const struct nn_trainer *t, const struct nn_place *m,
                          const struct nn_rates *r)
{
    const struct nn_optimizer *o = &m->model->optimizer;
    const double *soft = m->model->soft.p;
    if (m->masked || o->kind != NN_SGD || r->momentum != 0 ||
        r->weight_decay != 0 || soft_or(soft, o->clip_value, 0) > 0 ||
        soft_or(soft, o->clip_norm, 0) > 0)
        return false;
    for (size_t i = 0; i < t->graph->params.len; i++)
        if (soft_or(soft, t->graph->params.p[i].l1, 0) != 0 ||
            soft_or(soft, t->graph->params.p[i].l2, 0) != 0)
            return false;
    return true;
}

/* The rest of a step that backward has begun. */
static void end_descent(struct nn_trainer *t, const struct nn_frame *f,
                        const struct nn_rates *rates)
{
    size_t real = t->device->real_bytes;
    for (size_t i = 0; i < t->graph->params.len; i++) {
        const struct nn_param *p = &t->graph->params.p[i];
        size_t at = (size_t)p->offset * real;
        if (p->trained && !t->program.descends[i])
            t->device->update(NN_SGD, (char *)f->weights + at,
                              (char *)f->weight_slopes + at, NULL,
                              (size_t)p->count, rates);
    }
}

/* Gradients made fit, then the optimizer's step. */
static void take_step(struct nn_trainer *t, int member,
                      const struct nn_frame *f, const struct nn_rates *rates,
                      double *loss)
{
    const struct nn_model *m = t->members[member].model;
    double value = soft_or(m->soft.p, m->optimizer.clip_value, 0);
    double norm = soft_or(m->soft.p, m->optimizer.clip_norm, 0);
    size_t trained = (size_t)t->graph->trained;
    const void *mask = t->members[member].masked ? mask_of(t, member) : NULL;
    t->device->regularize(t->graph, f, loss);
    if (mask)
        t->device->mask(f->weight_slopes, mask, trained);
    if (value > 0 || norm > 0)
        t->device->clip(f->weight_slopes, trained, value, norm);
    t->device->update(m->optimizer.kind, f->weights, f->weight_slopes,
                      state_of(t, member), trained, rates);
    if (mask)
        t->device->mask(f->weights, mask, trained);
}

static double train_batch(struct nn_trainer *t, int member,
                          const uint32_t *rows, size_t count, int64_t per_epoch)
{
    struct nn_place *m = &t->members[member];
    struct nn_rates rates = rates_of(m, per_epoch);
    struct nn_frame f =
        nn_program_frame(&t->program, weights_of(t, member), m->model->soft.p);
    f.batch = count;
    f.training = true;
    f.descent = only_descends(t, m, &rates) ? rates.lr : 0;
    f.key = nn_draw_key(nn_draw_key(m->seed, 1), (int)m->standing.step);
    load_inputs(t, m, rows, count);
    nn_program_forward(&t->program, &f);
    double loss = losses_of(t, m, &f, rows);
    nn_program_backward(&t->program, &f);
    if (f.descent != 0)
        end_descent(t, &f, &rates);
    else
        take_step(t, member, &f, &rates, &loss);
    m->standing.step++;
    return loss;
}

/* Shows one batch's predictions to the judge, and to `outputs`. */
static void show_batch(struct nn_trainer *t, const struct nn_place *m,
                       const struct nn_frame *f, const uint32_t *rows,
                       float *outputs)
{
    size_t all = (size_t)nn_model_outputs(m->model), at = 0;
    for (size_t i = 0; i < t->graph->heads.len; i++) {
        const struct nn_head *h = &t->graph->heads.p[i];
        size_t width =
            (size_t)nn_shape_count(&t->graph->tensors.p[h->output].shape);
        t->device->take(t->outputs, f->value[h->output], 0, f->batch * width);
        nn_judge_batch(t->judge, i, t->outputs, width, label_of(m->view, h),
                       rows, f->batch);
        for (size_t r = 0; outputs && r < f->batch; r++)
            for (size_t k = 0; k < width; k++)
                outputs[r * all + at + k] = (float)t->outputs[r * width + k];
        at += width;
    }
}

int nn_trainer_judge(struct nn_trainer *t, int member,
                     const struct data_part *part, struct nn_report *r,
                     float *outputs)
{
    struct nn_place *m = &t->members[member];
    size_t batch = t->program.batch;
    size_t wide = (size_t)nn_model_outputs(m->model);
    bool shown = m->model->metrics.len > 0 || outputs;
    bool labels = has_labels(t, m->view);
    double sum = labels ? 0 : NAN;
    struct nn_frame f =
        nn_program_frame(&t->program, weights_of(t, member), m->model->soft.p);
    nn_judge_begin(t->judge);
    for (size_t from = 0; from < part->count; from += batch) {
        size_t left = part->count - from;
        f.batch = left < batch ? left : batch;
        /* Permanent dropout draws anew for every batch. */
        f.key = nn_draw_key(nn_draw_key(m->seed, 2), (int)(from / batch));
        load_inputs(t, m, part->rows + from, f.batch);
        nn_program_forward(&t->program, &f);
        if (labels)
            sum += losses_of(t, m, &f, part->rows + from) * (double)f.batch;
        if (shown)
            show_batch(t, m, &f, part->rows + from,
                       outputs ? outputs + from * wide : NULL);
        if (t->broken_off && t->broken_off(t->context))
            return 1;
    }
    r->validation_loss = part->count ? sum / (double)part->count : NAN;
    r->metrics = nn_judge_end(t->judge);
    return 0;
}

static int train_epoch(struct nn_trainer *t, int member)
{
    struct nn_place *m = &t->members[member];
    size_t rows = m->view->train.count, batch = t->program.batch;
    int64_t per_epoch = (int64_t)((rows + batch - 1) / batch);
    double sum = 0;
    struct nn_order order = nn_order_of(m->seed, m->standing.epoch, rows);
    for (size_t from = 0; from < rows; from += batch) {
        size_t count = rows - from < batch ? rows - from : batch;
        sum += (double)count * train_batch(t, member,
                                           batch_rows(t, m, &order, from),
                                           count, per_epoch);
        if (t->broken_off && t->broken_off(t->context))
            return 1;
    }
    m->standing.epoch++;
    m->standing.loss = rows ? sum / (double)rows : NAN;
    return 0;
}

/* The first tensor of a member that holds a number that is not finite; empty:
 * none. A relu makes 0 of what is not a number, so that the loss may hide it.
 * What lies between the tensors belongs to none. */
static struct str not_finite(const struct nn_trainer *t, int member)
{
    const struct nn_graph *g = t->graph;
    size_t at = weights_at(t, member);
    if (t->device->finite(t->weights, at, (size_t)g->weights))
        return STR("");
    for (size_t i = 0; i < g->params.len; i++) {
        const struct nn_param *p = &g->params.p[i];
        if (!t->device->finite(t->weights, at + (size_t)p->offset,
                               (size_t)p->count))
            return p->name;
    }
    return STR("");
}

int nn_trainer_epoch(struct nn_trainer *t, int member, struct nn_report *r,
                     struct err *err)
{
    struct nn_place *m = &t->members[member];
    bool over = m->standing.epoch >= m->epochs;
    if (!over && train_epoch(t, member))
        return 1;
    *r = (struct nn_report){
        .epoch = m->standing.epoch, .loss = m->standing.loss, .finished = over};
    if (nn_trainer_judge(t, member, &m->view->validation, r, NULL))
        return 1;
    if (over)
        return 0;
    bool judged = m->view->validation.count > 0;
    nn_schedule_epoch(m->model, m->model->soft.p, &m->standing.schedule,
                      judged ? r->validation_loss : r->loss);
    r->not_finite = not_finite(t, member);
    r->diverged = r->not_finite.len || !isfinite(r->loss) ||
                  (judged && !isfinite(r->validation_loss));
    r->finished = r->diverged || m->standing.epoch >= m->epochs;
    return r->diverged ? 0 : nn_stopping_epoch(t, member, r, err);
}

void nn_trainer_take_weights(const struct nn_trainer *t, int member, double *to)
{
    t->device->take(to, t->weights, weights_at(t, member),
                    (size_t)t->graph->weights);
}

void nn_trainer_put_weights(struct nn_trainer *t, int member,
                            const double *from)
{
    t->device->put(t->weights, weights_at(t, member), from,
                   (size_t)t->graph->weights);
}

static size_t slot_at(const struct nn_trainer *t, int member, size_t slot)
{
    return state_at(t, member) + slot * (size_t)t->graph->trained;
}

void nn_trainer_take_state(const struct nn_trainer *t, int member, size_t slot,
                           double *to)
{
    t->device->take(to, t->state, slot_at(t, member, slot),
                    (size_t)t->graph->trained);
}

void nn_trainer_put_state(struct nn_trainer *t, int member, size_t slot,
                          const double *from)
{
    t->device->put(t->state, slot_at(t, member, slot), from,
                   (size_t)t->graph->trained);
}
