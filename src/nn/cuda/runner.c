/* runner.c - the device cuda: members side by side, a batch of each at a time
 *
 * Weights, state and masks of all members lie on the device, and the data. As
 * many members as there are frames for are trained at the same time: every
 * kernel of a step works on all of them (work.h), a slot each. A step is a list
 * of launches (lower.c) that is given as often as the longest member has
 * batches; nothing comes back before the epoch is over. */
#include <math.h>
#include <stdlib.h>

#include "nn/cuda/lower.h"
#include "nn/cuda/uploads.h"
#include "nn/judge.h"

#define UNIT 32 /* numbers: a member's weights begin a line of memory */
#define FRAMES_BYTES ((uint64_t)24 << 30) /* of all frames, at most */
#define STEPS_AT_ONCE 16 /* before somebody is asked whether to break off */

struct cuda {
    struct nn_run run; /* first: one is the other */
    struct gpu_machine *gpu;
    struct lowered lowered;
    struct uploads uploads;
    const struct nn_graph *graph;
    size_t slots; /* of the optimizer's state */
    size_t wide;  /* members at the same time */
    size_t weight_stride, trained_stride;
    float *weights, *best, *masks, *state; /* capacity × … */
    float *frames, *slopes;                /* wide × … */
    double *soft;                          /* capacity × soft_count */
    size_t soft_count;
    struct gpu_slot *here, *there; /* wide: on the host, on the device */
    struct gpu_rates *rates;       /* wide × rates_steps */
    struct gpu_step *plan;         /* the same */
    size_t rates_steps;
    struct bound *bound; /* capacity */
    int *not_finite;     /* capacity; -2: nobody has looked */
};

static struct cuda *cuda_of(struct nn_run *r)
{
    return (struct cuda *)r;
}

static size_t rounded(size_t numbers)
{
    return (numbers + UNIT - 1) / UNIT * UNIT;
}

/* ---- numbers of members -------------------------------------------------- */

struct stretch {
    float *at;
    size_t count;
};

static struct stretch stretch_of(const struct cuda *c, int member,
                                 enum nn_numbers which)
{
    size_t m = (size_t)member, trained = (size_t)c->graph->trained;
    size_t weights = (size_t)c->graph->weights;
    if (which == NN_WEIGHTS)
        return (struct stretch){c->weights + m * c->weight_stride, weights};
    if (which == NN_BEST)
        return (struct stretch){c->best + m * c->weight_stride, weights};
    if (which == NN_MASK)
        return (struct stretch){c->masks + m * c->trained_stride, trained};
    return (struct stretch){c->state + m * c->slots * c->trained_stride +
                                (size_t)(which - NN_STATE) * trained,
                            trained};
}

static void put(struct nn_run *r, int member, enum nn_numbers which,
                const double *from)
{
    struct cuda *c = cuda_of(r);
    struct stretch to = stretch_of(c, member, which);
    float *numbers = xcalloc(to.count + 1, sizeof(*numbers));
    for (size_t i = 0; i < to.count; i++)
        numbers[i] = (float)from[i];
    gpu_put(c->gpu, to.at, numbers, to.count * sizeof(*numbers));
    free(numbers);
    c->not_finite[member] = -2;
}

static void take(const struct nn_run *r, int member, enum nn_numbers which,
                 double *to)
{
    const struct cuda *c = (const struct cuda *)r;
    struct stretch from = stretch_of(c, member, which);
    float *numbers = xcalloc(from.count + 1, sizeof(*numbers));
    gpu_take(c->gpu, numbers, from.at, from.count * sizeof(*numbers));
    for (size_t i = 0; i < from.count; i++)
        to[i] = (double)numbers[i];
    free(numbers);
}

static void copy(struct nn_run *r, int member, enum nn_numbers to,
                 enum nn_numbers from)
{
    struct cuda *c = cuda_of(r);
    struct stretch x = stretch_of(c, member, to);
    struct stretch y = stretch_of(c, member, from);
    gpu_copy(c->gpu, x.at, y.at, y.count * sizeof(float));
    if (to == NN_WEIGHTS)
        c->not_finite[member] = -2;
}

static int reserve(struct nn_run *r, enum nn_numbers which, struct err *err)
{
    struct cuda *c = cuda_of(r);
    float **buffer = which == NN_BEST ? &c->best : &c->masks;
    size_t stride = which == NN_BEST ? c->weight_stride : c->trained_stride;
    if (!*buffer)
        *buffer = gpu_alloc(c->gpu, r->capacity * stride * sizeof(float), err);
    return *buffer ? 0 : -1;
}

/* ---- memory -------------------------------------------------------------- */

/* Members that are trained at the same time. */
static size_t width_of(const struct nn_model *like, size_t capacity)
{
    uint64_t one =
        ((uint64_t)lower_frame(like) + (uint64_t)like->graph.trained) *
        sizeof(float);
    uint64_t fit = FRAMES_BYTES / (one + 1);
    return fit < 1 ? 1 : fit < capacity ? (size_t)fit : capacity;
}

static uint64_t bytes(const struct nn_device *d, const struct nn_model *like,
                      size_t capacity)
{
    uint64_t frame =
        (uint64_t)lower_frame(like) + rounded((size_t)like->graph.trained);
    (void)d;
    return sizeof(float) * (width_of(like, capacity) * frame +
                            capacity * nn_model_member_numbers(like));
}

static void *make(struct cuda *c, size_t count, size_t each, int *rc,
                  struct err *err)
{
    void *p = *rc ? NULL : gpu_alloc(c->gpu, count * each, err);
    if (!p)
        *rc = -1;
    return p;
}

static int make_buffers(struct cuda *c, struct err *err)
{
    size_t capacity = c->run.capacity;
    size_t frame = (size_t)c->lowered.layout.numbers;
    int rc = 0;
    c->weights = make(c, capacity * c->weight_stride, sizeof(float), &rc, err);
    c->state = make(c, capacity * c->slots * c->trained_stride, sizeof(float),
                    &rc, err);
    c->frames = make(c, c->wide * frame, sizeof(float), &rc, err);
    c->slopes = make(c, c->wide * c->trained_stride, sizeof(float), &rc, err);
    c->soft = make(c, capacity * c->soft_count + 1, sizeof(double), &rc, err);
    c->there = make(c, c->wide, sizeof(struct gpu_slot), &rc, err);
    c->here = xcalloc(c->wide, sizeof(*c->here));
    c->bound = xcalloc(capacity, sizeof(*c->bound));
    c->not_finite = xcalloc(capacity, sizeof(*c->not_finite));
    return rc;
}

/* Class weights stand in the graph, the same for all members. */
static int put_class_weights(struct cuda *c, struct err *err)
{
    for (size_t i = 0; i < c->graph->heads.len; i++) {
        const struct nn_head *h = &c->graph->heads.p[i];
        if (!h->class_weights)
            continue;
        c->lowered.class_weights[i] =
            uploads_add(&c->uploads, h->class_weights,
                        h->class_count * sizeof(double), err);
        if (!c->lowered.class_weights[i])
            return -1;
    }
    return 0;
}

static void close_run(struct nn_run *r)
{
    struct cuda *c = cuda_of(r);
    if (!c)
        return;
    for (size_t i = 0; c->bound && i < r->capacity; i++)
        bound_close(&c->bound[i], &c->uploads);
    uploads_done(&c->uploads);
    gpu_release(c->gpu, c->weights);
    gpu_release(c->gpu, c->best);
    gpu_release(c->gpu, c->masks);
    gpu_release(c->gpu, c->state);
    gpu_release(c->gpu, c->frames);
    gpu_release(c->gpu, c->slopes);
    gpu_release(c->gpu, c->soft);
    gpu_release(c->gpu, c->there);
    gpu_release(c->gpu, c->rates);
    gpu_release(c->gpu, c->plan);
    lower_close(&c->lowered);
    gpu_close(c->gpu);
    free(c->here);
    free(c->bound);
    free(c->not_finite);
    free(c);
}

static struct nn_run *open_run(const struct nn_device *d,
                               const struct nn_model *like,
                               struct nn_place *places, size_t capacity,
                               struct err *err)
{
    struct gpu_machine *gpu = gpu_open(err);
    if (!gpu)
        return NULL;
    struct cuda *c = xcalloc(1, sizeof(*c));
    c->run = (struct nn_run){.device = d,
                             .like = like,
                             .places = places,
                             .capacity = capacity,
                             .real_bytes = sizeof(float)};
    c->gpu = c->uploads.gpu = gpu;
    c->graph = &like->graph;
    c->slots = nn_optimizer_slots(&like->optimizer);
    c->weight_stride = rounded((size_t)like->graph.weights);
    c->trained_stride = rounded((size_t)like->graph.trained);
    c->soft_count = like->soft.len;
    c->wide = width_of(like, capacity);
    lower_open(&c->lowered, like);
    if (make_buffers(c, err) || put_class_weights(c, err)) {
        close_run(&c->run);
        return NULL;
    }
    lower_lists(&c->lowered);
    return &c->run;
}

static void leave(struct nn_run *r, int member)
{
    struct cuda *c = cuda_of(r);
    bound_close(&c->bound[member], &c->uploads);
}

static int join(struct nn_run *r, int member, struct err *err)
{
    struct cuda *c = cuda_of(r);
    const struct nn_place *m = &r->places[member];
    c->not_finite[member] = -2;
    gpu_put(c->gpu, c->soft + (size_t)member * c->soft_count, m->model->soft.p,
            c->soft_count * sizeof(double));
    return bound_open(&c->bound[member], &c->uploads, c->graph, m->view, err);
}

/* ---- slots --------------------------------------------------------------- */

static struct gpu_constants constants_of(const struct nn_model *m)
{
    const struct nn_optimizer *o = &m->optimizer;
    const double *soft = m->soft.p;
    return (struct gpu_constants){
        .momentum = soft[o->momentum.index],
        .rho = soft[o->rho.index],
        .beta1 = soft[o->beta1.index],
        .beta2 = soft[o->beta2.index],
        .epsilon = soft[o->epsilon.index],
        .weight_decay = soft[o->weight_decay.index],
        .clip_value = nn_soft_or(soft, o->clip_value, 0),
        .clip_norm = nn_soft_or(soft, o->clip_norm, 0),
        .nesterov = o->nesterov,
        .centered = o->centered};
}

/* What all slots of a member say. */
static struct gpu_slot slot_of(const struct cuda *c, size_t i, int member)
{
    const struct nn_place *m = &c->run.places[member];
    const struct bound *b = &c->bound[member];
    return (struct gpu_slot){
        .frame = c->frames + i * (size_t)c->lowered.layout.numbers,
        .slopes = c->slopes + i * c->trained_stride,
        .weights = stretch_of(c, member, NN_WEIGHTS).at,
        .state = stretch_of(c, member, NN_STATE).at,
        .mask = m->masked ? stretch_of(c, member, NN_MASK).at : NULL,
        .soft = c->soft + (size_t)member * c->soft_count,
        .inputs = b->inputs,
        .labels = b->labels,
        .row_weights = b->row_weights,
        .seed = m->seed,
        .batch_size = (uint32_t)c->run.like->batch_size,
        .trained = (uint64_t)c->graph->trained,
        .constants = constants_of(m->model),
        .not_finite = -1};
}

static bool is_broken_off(const struct cuda *c)
{
    return c->run.broken_off && c->run.broken_off(c->run.context);
}

static void put_slots(struct cuda *c, size_t count)
{
    gpu_put(c->gpu, c->there, c->here, count * sizeof(*c->here));
}

static void take_slots(struct cuda *c, size_t count)
{
    gpu_take(c->gpu, c->here, c->there, count * sizeof(*c->here));
}

/* Gives the list so many times; true: broken off before. */
static bool give(struct cuda *c, const struct gpu_list *list, size_t slots,
                 int64_t times)
{
    for (int64_t done = 0; done < times;) {
        int64_t now =
            times - done < STEPS_AT_ONCE ? times - done : STEPS_AT_ONCE;
        gpu_run(c->gpu, list, c->there, (int)slots, now);
        done += now;
        gpu_keep_pace(c->gpu);
        if (done < times && is_broken_off(c))
            return true;
    }
    return false;
}

/* ---- an epoch ------------------------------------------------------------ */

static int64_t batches_of(const struct cuda *c, const struct nn_place *m)
{
    int64_t batch = c->run.like->batch_size;
    return ((int64_t)m->view->train.count + batch - 1) / batch;
}

static int64_t batches_left(const struct cuda *c, const struct nn_work *w)
{
    const struct nn_place *m = &c->run.places[w->member];
    int64_t left = batches_of(c, m) - m->standing.batches;
    return left > 0 ? left : 0;
}

/* Makes room for the rates of so many steps of every slot. */
static int reserve_rates(struct cuda *c, size_t steps)
{
    struct err err = {0};
    if (steps <= c->rates_steps)
        return 0;
    gpu_release(c->gpu, c->rates);
    gpu_release(c->gpu, c->plan);
    c->rates = gpu_alloc(c->gpu, c->wide * steps * sizeof(*c->rates), &err);
    c->plan = gpu_alloc(c->gpu, c->wide * steps * sizeof(*c->plan), &err);
    c->rates_steps = c->rates && c->plan ? steps : 0;
    return c->rates_steps ? 0 : -1;
}

/* The standing goes on by those steps. */
static void put_rates(struct cuda *c, const struct nn_work *work, size_t count)
{
    size_t steps = c->rates_steps;
    struct gpu_rates *all = xcalloc(count * steps + 1, sizeof(*all));
    for (size_t i = 0; i < count; i++) {
        struct nn_place *m = &c->run.places[work[i].member];
        int64_t left = batches_left(c, &work[i]), per_epoch = batches_of(c, m);
        for (int64_t k = 0; k < left; k++) {
            struct nn_rates r = nn_rates_next(m, per_epoch);
            all[i * steps + (size_t)k] =
                (struct gpu_rates){r.lr, r.mu, r.mu_next, r.mu_product};
        }
    }
    gpu_put(c->gpu, c->rates, all, count * steps * sizeof(*all));
    free(all);
}

static void begin_epoch(struct cuda *c, const struct nn_work *work, size_t i)
{
    const struct nn_place *m = &c->run.places[work->member];
    const struct nn_standing *st = &m->standing;
    struct gpu_slot *s = &c->here[i];
    struct err err = {0};
    *s = slot_of(c, i, work->member);
    s->training = 1;
    s->in_order = m->view->in_order;
    s->row_count = (uint32_t)m->view->train.count;
    s->rows = uploads_add(&c->uploads, m->view->train.rows,
                          m->view->train.count * sizeof(uint32_t), &err);
    uploads_drop(&c->uploads, s->rows); /* the member holds it */
    s->order = nn_order_of(m->seed, st->epoch, m->view->train.count);
    s->first = (uint32_t)st->batches;
    s->steps = (uint64_t)st->step;
    s->sum = st->sum;
    s->rates = c->rates + i * c->rates_steps;
    s->plan = c->plan + i * c->rates_steps;
    s->planned = (uint32_t)batches_left(c, work);
}

/* Where a member stands that has done so many batches of those that its
 * standing was moved on by. */
static void end_epoch(struct cuda *c, struct nn_work *w,
                      const struct nn_standing *before,
                      const struct gpu_slot *s)
{
    struct nn_place *m = &c->run.places[w->member];
    int64_t left = batches_of(c, m) - before->batches;
    w->broken_off = s->done < left;
    if (w->broken_off) {
        m->standing = *before;
        for (uint32_t i = 0; i < s->done; i++)
            nn_rates_next(m, batches_of(c, m));
    }
    m->standing.batches = before->batches + s->done;
    m->standing.sum = s->sum;
    w->loss = s->row_count ? s->sum / (double)s->row_count : NAN;
    c->not_finite[w->member] = s->not_finite;
}

static bool any_masked(const struct cuda *c, const struct nn_work *work,
                       size_t count)
{
    bool any = false;
    for (size_t i = 0; i < count; i++)
        any |= c->run.places[work[i].member].masked;
    return any;
}

/* A masked one is never trained by the kernel for small models, nor by one that
 * takes steps by itself; one that is not always is, whoever is beside it. */
static void give_steps(struct cuda *c, const struct nn_work *work, size_t count,
                       int64_t steps)
{
    const struct lowered *l = &c->lowered;
    if (any_masked(c, work, count))
        give(c, &l->masked, count, steps);
    else if (l->small.len)
        give(c, &l->small, count, steps / SMALL_BATCHES + 1);
    else
        give(c, &l->train, count, steps);
}

/* At most as many as there are frames. */
static void train(struct cuda *c, struct nn_work *work, size_t count)
{
    struct nn_standing *before = xcalloc(count, sizeof(*before));
    int64_t steps = 0;
    for (size_t i = 0; i < count; i++) {
        int64_t left = batches_left(c, &work[i]);
        steps = left > steps ? left : steps;
        before[i] = c->run.places[work[i].member].standing;
    }
    require(reserve_rates(c, (size_t)steps + 1) == 0);
    for (size_t i = 0; i < count; i++)
        begin_epoch(c, &work[i], i);
    put_slots(c, count);
    put_rates(c, work, count);
    gpu_run(c->gpu, &c->lowered.prepare, c->there, (int)count, 1);
    give_steps(c, work, count, steps);
    gpu_run(c->gpu, &c->lowered.finite, c->there, (int)count, 1);
    take_slots(c, count);
    for (size_t i = 0; i < count; i++)
        end_epoch(c, &work[i], &before[i], &c->here[i]);
    free(before);
}

/* Members with masks by themselves: they are trained another way. */
static void epoch(struct nn_run *r, struct nn_work *work, size_t count)
{
    struct cuda *c = cuda_of(r);
    for (size_t i = 0, n; i < count; i += n) {
        bool masked = r->places[work[i].member].masked;
        for (n = 1; i + n < count && n < c->wide &&
                    r->places[work[i + n].member].masked == masked;)
            n++;
        train(c, work + i, n);
    }
}

static int not_finite(const struct nn_run *r, int member)
{
    const struct cuda *c = (const struct cuda *)r;
    if (c->not_finite[member] >= -1)
        return c->not_finite[member];
    c->here[0] = slot_of(c, 0, member);
    gpu_put(c->gpu, c->there, c->here, sizeof(*c->here));
    gpu_run(c->gpu, &c->lowered.finite, c->there, 1, 1);
    gpu_take(c->gpu, c->here, c->there, sizeof(*c->here));
    return c->not_finite[member] = c->here[0].not_finite;
}

/* ---- judging ------------------------------------------------------------- */

/* Rows that are judged, their predictions wanted or not. */
struct judged {
    struct nn_judging *j;
    const uint32_t *rows; /* on the device */
    float *outputs;       /* on the device; NULL: nobody asks */
    bool labelled;
};

static size_t outputs_of(const struct cuda *c)
{
    return (size_t)nn_model_outputs(c->run.like);
}

static int begin_judging(struct cuda *c, struct judged *o, size_t i)
{
    const struct nn_judging *j = o->j;
    struct gpu_slot *s = &c->here[i];
    struct err err = {0};
    bool shown = c->run.places[j->member].model->metrics.len > 0 || j->outputs;
    size_t numbers = j->count * outputs_of(c);
    o->labelled = c->bound[j->member].labelled;
    o->rows = uploads_add(&c->uploads, j->part->rows,
                          j->part->count * sizeof(uint32_t), &err);
    o->outputs =
        shown ? gpu_alloc(c->gpu, numbers * sizeof(float), &err) : NULL;
    if (!o->rows || (shown && !o->outputs))
        return -1;
    *s = slot_of(c, i, j->member);
    s->in_order = 1;
    s->rows = o->rows;
    s->first = (uint32_t)(j->from / s->batch_size);
    s->row_count = (uint32_t)(j->from + j->count);
    s->sum = j->loss_sum;
    s->outputs = o->outputs ? o->outputs - j->from * outputs_of(c) : NULL;
    return 0;
}

/* Shows the predictions to the judge, a batch after the other, as they would
 * come from a cpu. */
static void show(struct cuda *c, struct nn_judging *j, const float *outputs)
{
    const struct nn_place *m = &c->run.places[j->member];
    size_t all = outputs_of(c), batch = (size_t)c->run.like->batch_size;
    double *numbers = xcalloc(batch * all + 1, sizeof(*numbers));
    for (size_t from = 0; from < j->count; from += batch) {
        size_t rows = j->count - from < batch ? j->count - from : batch, at = 0;
        for (size_t i = 0; i < c->graph->heads.len; i++) {
            const struct nn_head *h = &c->graph->heads.p[i];
            const struct data_field *f =
                h->label < 0 ? NULL : &m->view->table->labels[h->label];
            size_t width =
                (size_t)nn_shape_count(&c->graph->tensors.p[h->output].shape);
            for (size_t k = 0; k < rows * width; k++)
                numbers[k] =
                    (double)outputs[(from + k / width) * all + at + k % width];
            nn_judge_batch(j->judge, i, numbers, width,
                           f && (f->numbers || f->categories) ? f : NULL,
                           j->part->rows + j->from + from, rows);
            at += width;
        }
    }
    free(numbers);
}

static void end_judging(struct cuda *c, struct judged *o, size_t i, bool broken)
{
    struct nn_judging *j = o->j;
    size_t numbers = j->count * outputs_of(c);
    j->broken_off |= broken;
    j->loss_sum = o->labelled ? c->here[i].sum : NAN;
    if (o->outputs && !j->broken_off) {
        float *outputs = xcalloc(numbers + 1, sizeof(*outputs));
        gpu_take(c->gpu, outputs, o->outputs, numbers * sizeof(*outputs));
        show(c, j, outputs);
        if (j->outputs)
            memcpy(j->outputs, outputs, numbers * sizeof(*outputs));
        free(outputs);
    }
    gpu_release(c->gpu, o->outputs);
    uploads_drop(&c->uploads, o->rows);
}

static void judge_some(struct cuda *c, struct nn_judging *judged, size_t count)
{
    struct judged *all = xcalloc(count, sizeof(*all));
    size_t batch = (size_t)c->run.like->batch_size, rows = 0;
    bool labelled = true;
    for (size_t i = 0; i < count; i++) {
        all[i].j = &judged[i];
        require(begin_judging(c, &all[i], i) == 0);
        rows = judged[i].count > rows ? judged[i].count : rows;
        labelled &= all[i].labelled;
    }
    put_slots(c, count);
    bool broken = give(c, labelled ? &c->lowered.judge : &c->lowered.blind,
                       count, (int64_t)((rows + batch - 1) / batch));
    take_slots(c, count);
    for (size_t i = 0; i < count; i++)
        end_judging(c, &all[i], i, broken);
    free(all);
}

/* Those without rows have nothing to wait for. Members that have labels are
 * not judged together with those that have none. */
static void judge(struct nn_run *r, struct nn_judging *judged, size_t count)
{
    struct cuda *c = cuda_of(r);
    for (size_t i = 0, n; i < count; i += n) {
        bool labelled = c->bound[judged[i].member].labelled;
        bool rows = judged[i].count > 0;
        for (n = 1; i + n < count && n < c->wide &&
                    c->bound[judged[i + n].member].labelled == labelled &&
                    (judged[i + n].count > 0) == rows;)
            n++;
        if (rows)
            judge_some(c, judged + i, n);
        else
            for (size_t k = 0; !labelled && k < n; k++)
                judged[i + k].loss_sum = NAN;
    }
}

static const char *refuses(const struct nn_device *d,
                           const struct nn_model *like)
{
    (void)d;
    return lower_refuses(like);
}

static const struct nn_runner runner = {.together = true,
                                        .refuses = refuses,
                                        .bytes = bytes,
                                        .free_bytes = gpu_free_bytes,
                                        .open = open_run,
                                        .close = close_run,
                                        .join = join,
                                        .leave = leave,
                                        .epoch = epoch,
                                        .judge = judge,
                                        .reserve = reserve,
                                        .put = put,
                                        .take = take,
                                        .copy = copy,
                                        .not_finite = not_finite};

DEVICE(cuda, .runner = &runner, .absent = gpu_absent);
