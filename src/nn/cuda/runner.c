/* runner.c - the device cuda: members side by side, a batch of each at a time
 *
 * Weights, state and masks of all members lie on the device, and the data. As
 * many members as there are frames for are trained at the same time: every
 * kernel of a step works on all of them (work.h), a slot each. A step is a list
 * of launches (lower.c) that is given as often as the longest member has
 * batches; nothing comes back before the epoch is over. */
#include <math.h>
#include <stdlib.h>

#include "nn/cuda/nvrtc.h"
#include "nn/cuda/runner.h"

#define UNIT 32 /* numbers: a member's weights begin a line of memory */
#define FRAMES_BYTES ((uint64_t)24 << 30) /* of all frames, at most */
#define STEPS_AT_ONCE 16 /* before somebody is asked whether to break off */
/* Steps whose rates lie on the device at the same time. */
enum { ROUND_STEPS = 8 * SMALL_BATCHES };

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

/* The next parameter from number *k on whose numbers of this kind lie in
 * strips; NULL: there is none. */
static const struct nn_param *next_in_strips(const struct cuda *c,
                                             enum nn_numbers which, size_t *k)
{
    while (which >= NN_STATE && *k < c->graph->params.len)
        if (c->lowered.strips[(*k)++])
            return &c->graph->params.p[*k - 1];
    return NULL;
}

static void put_in_strips(const struct nn_param *p, float *to,
                          const double *from)
{
    const int in = (int)p->shape.dim[0], out = (int)p->shape.dim[1];
    for (int m = 0; m < in; m++)
        for (int n = 0; n < out; n++)
            to[gpu_in_strips(in, out, m, n)] =
                (float)from[(int64_t)m * out + n];
}

static void take_from_strips(const struct nn_param *p, double *to,
                             const float *from)
{
    const int in = (int)p->shape.dim[0], out = (int)p->shape.dim[1];
    for (int m = 0; m < in; m++)
        for (int n = 0; n < out; n++)
            to[(int64_t)m * out + n] =
                (double)from[gpu_in_strips(in, out, m, n)];
}

static void put_numbers(const struct cuda *c, enum nn_numbers which,
                        const struct stretch *to, const double *from)
{
    float *numbers = xcalloc(to->count + 1, sizeof(*numbers));
    const struct nn_param *p;
    for (size_t i = 0; i < to->count; i++)
        numbers[i] = (float)from[i];
    for (size_t k = 0; (p = next_in_strips(c, which, &k));)
        put_in_strips(p, numbers + p->offset, from + p->offset);
    gpu_put(c->gpu, to->at, numbers, to->count * sizeof(*numbers));
    free(numbers);
}

static void put(struct nn_run *r, int member, enum nn_numbers which,
                const double *from)
{
    struct cuda *c = cuda_of(r);
    struct stretch to = stretch_of(c, member, which);
    if (from)
        put_numbers(c, which, &to, from);
    else
        gpu_zero(c->gpu, to.at, to.count * sizeof(*to.at));
    c->not_finite[member] = -2;
}

static void take(const struct nn_run *r, int member, enum nn_numbers which,
                 double *to)
{
    const struct cuda *c = (const struct cuda *)r;
    struct stretch from = stretch_of(c, member, which);
    float *numbers = xcalloc(from.count + 1, sizeof(*numbers));
    const struct nn_param *p;
    gpu_take(c->gpu, numbers, from.at, from.count * sizeof(*numbers));
    for (size_t i = 0; i < from.count; i++)
        to[i] = (double)numbers[i];
    for (size_t k = 0; (p = next_in_strips(c, which, &k));)
        take_from_strips(p, to + p->offset, numbers + p->offset);
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

/* Of the data, and of labels. */
static size_t fields_of(const struct nn_model *like)
{
    size_t inputs = 0;
    for (size_t i = 0; i < like->graph.inputs.len; i++)
        if ((size_t)like->graph.inputs.p[i].field >= inputs)
            inputs = (size_t)like->graph.inputs.p[i].field + 1;
    return inputs + like->graph.heads.len;
}

#define ROUND_BYTES                                                            \
    (ROUND_STEPS * (sizeof(struct gpu_rates) + sizeof(struct gpu_step)))

static uint64_t bytes(const struct nn_device *d, const struct nn_model *like,
                      size_t capacity)
{
    uint64_t frame =
        (uint64_t)lower_frame(like) + rounded((size_t)like->graph.trained);
    size_t wide = width_of(like, capacity);
    (void)d;
    return sizeof(float) *
               (wide * frame + capacity * nn_model_member_numbers(like)) +
           wide * (sizeof(struct gpu_slot) + sizeof(struct gpu_result) +
                   ROUND_BYTES) +
           capacity * fields_of(like) * sizeof(struct gpu_field) +
           judging_bytes(like, wide);
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
    c->results_there = make(c, c->wide, sizeof(struct gpu_result), &rc, err);
    c->rates = make(c, c->wide * ROUND_STEPS, sizeof(*c->rates), &rc, err);
    c->plan = make(c, c->wide * ROUND_STEPS, sizeof(*c->plan), &rc, err);
    c->fields = make(c, capacity * fields_of(c->run.like) + 1,
                     sizeof(*c->fields), &rc, err);
    c->here =
        rc ? NULL : gpu_alloc_here(c->gpu, c->wide * sizeof(*c->here), err);
    c->results =
        c->here ? gpu_alloc_here(c->gpu, c->wide * sizeof(*c->results), err)
                : NULL;
    rc = c->results ? rc : -1;
    c->bound = xcalloc(capacity, sizeof(*c->bound));
    c->not_finite = xcalloc(capacity, sizeof(*c->not_finite));
    return rc;
}

/* Class weights stand in the graph, the same for all members. Together they are
 * by their content: their place here is free again in a moment. */
static int put_class_weights(struct cuda *c, struct err *err)
{
    struct buf all;
    buf_init(&all);
    for (size_t i = 0; i < c->graph->heads.len; i++) {
        const struct nn_head *h = &c->graph->heads.p[i];
        if (h->class_weights)
            buf_add(&all, h->class_weights,
                    h->class_count * sizeof(*h->class_weights));
    }
    if (all.len)
        c->class_weights = uploads_share(&c->uploads, all.p, all.len, err);
    int rc = all.len && !c->class_weights ? -1 : 0;
    buf_done(&all);
    return rc;
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
    gpu_release(c->gpu, c->results_there);
    gpu_release(c->gpu, c->rates);
    gpu_release(c->gpu, c->plan);
    gpu_release(c->gpu, c->fields);
    gpu_release_here(c->gpu, c->here);
    gpu_release_here(c->gpu, c->results);
    judging_close(c);
    special_close(c->special);
    lower_close(&c->lowered);
    gpu_close(c->gpu);
    free(c->bound);
    free(c->not_finite);
    free(c);
}

static struct nn_run *open_run(const struct nn_device *d,
                               const struct nn_model *like,
                               struct nn_place *places, size_t capacity,
                               const struct nn_run *beside, struct err *err)
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
    c->gpu = gpu;
    uploads_open(&c->uploads, gpu,
                 beside ? &((const struct cuda *)beside)->uploads : NULL);
    c->graph = &like->graph;
    c->slots = nn_optimizer_slots(&like->optimizer);
    c->weight_stride = rounded((size_t)like->graph.weights);
    c->trained_stride = rounded((size_t)like->graph.trained);
    c->soft_count = like->soft.len;
    c->wide = width_of(like, capacity);
    lower_open(&c->lowered, like);
    if (make_buffers(c, err) || put_class_weights(c, err) ||
        judging_open(c, err)) {
        close_run(&c->run);
        return NULL;
    }
    lower_lists(&c->lowered);
    if (special_open(&c->special, gpu, &c->lowered, err)) {
        close_run(&c->run);
        return NULL;
    }
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
    struct bound *b = &c->bound[member];
    c->not_finite[member] = -2;
    b->inputs = c->fields + (size_t)member * fields_of(r->like);
    b->labels = b->inputs + fields_of(r->like) - c->graph->heads.len;
    gpu_put(c->gpu, c->soft + (size_t)member * c->soft_count, m->model->soft.p,
            c->soft_count * sizeof(double));
    return bound_open(b, &c->uploads, c->graph, m->view, err);
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

struct gpu_slot cuda_slot(const struct cuda *c, size_t i, int member)
{
    const struct nn_place *m = &c->run.places[member];
    const struct bound *b = &c->bound[member];
    return (struct gpu_slot){
        .frame = c->frames + i * (size_t)c->lowered.layout.numbers,
        .result = c->results_there + i,
        .slopes = c->slopes + i * c->trained_stride,
        .weights = stretch_of(c, member, NN_WEIGHTS).at,
        .state = stretch_of(c, member, NN_STATE).at,
        .mask = m->masked ? stretch_of(c, member, NN_MASK).at : NULL,
        .soft = c->soft + (size_t)member * c->soft_count,
        .inputs = b->inputs,
        .labels = b->labels,
        .row_weights = b->row_weights,
        .labelled = b->labelled,
        .class_weights = c->class_weights,
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

void cuda_put_slots(struct cuda *c, size_t count)
{
    gpu_put(c->gpu, c->there, c->here, count * sizeof(*c->here));
}

void cuda_take_results(struct cuda *c, size_t count)
{
    gpu_run(c->gpu, &c->lowered.tell, c->there, (int)count, 1);
    gpu_take(c->gpu, c->results, c->results_there, count * sizeof(*c->results));
}

bool cuda_give(struct cuda *c, const struct gpu_list *list, size_t slots,
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

/* A masked one is never trained by the kernel for small models, nor by one that
 * takes steps by itself; one that is not always is, whoever is beside it. */
static const struct gpu_list *list_of(const struct cuda *c,
                                      const struct nn_work *w)
{
    const struct lowered *l = &c->lowered;
    return c->run.places[w->member].masked ? &l->masked
           : l->small.len                  ? &l->small
                                           : &l->train;
}

/* Of SMALL_BATCHES, before the first of this round: the kernel for small models
 * goes from one multiple of them to the next. */
static int64_t batches_ahead(const struct cuda *c, const struct nn_work *w)
{
    const struct nn_standing *s = &c->run.places[w->member].standing;
    return list_of(c, w) == &c->lowered.small ? s->batches % SMALL_BATCHES : 0;
}

/* Of this round. */
static int64_t batches_now(const struct cuda *c, const struct nn_work *w)
{
    int64_t left = batches_left(c, w), room = ROUND_STEPS - batches_ahead(c, w);
    return left < room ? left : room;
}

/* How often the list is given for them. */
static int64_t times_of(const struct cuda *c, const struct nn_work *w)
{
    int64_t now = batches_now(c, w);
    return list_of(c, w) == &c->lowered.small
               ? (batches_ahead(c, w) + now + SMALL_BATCHES - 1) / SMALL_BATCHES
               : now;
}

/* The standing goes on by the steps of this round. Where all rates of a member
 * are the same the slot has the first. */
static void make_rates(struct cuda *c, const struct nn_work *work,
                       struct gpu_slot *s, struct gpu_rates *some)
{
    struct nn_place *m = &c->run.places[work->member];
    int64_t steps = batches_now(c, work), per_epoch = batches_of(c, m);
    s->planned = (uint32_t)steps;
    s->steady = nn_rates_steady(m);
    struct gpu_rates *to = s->steady ? &s->rate : some;
    for (int64_t k = 0; k < (s->steady ? steps > 0 : steps); k++) {
        struct nn_rates r = nn_rates_next(m, per_epoch);
        to[k] = (struct gpu_rates){r.lr, r.mu, r.mu_next, r.mu_product};
    }
    m->standing.step += s->steady && steps > 0 ? steps - 1 : 0;
}

/* The most steps of this round that some member needs a rate each for. */
static size_t most_rates(const struct cuda *c, const struct nn_work *work,
                         size_t count)
{
    size_t most = 0;
    for (size_t i = 0; i < count; i++) {
        size_t steps = (size_t)batches_now(c, &work[i]);
        if (steps > most && !nn_rates_steady(&c->run.places[work[i].member]))
            most = steps;
    }
    return most;
}

static void put_rates(struct cuda *c, const struct nn_work *work, size_t count)
{
    const size_t each = most_rates(c, work, count);
    struct gpu_rates *all = xcalloc(count * each + 1, sizeof(*all));
    for (size_t i = 0; i < count; i++) {
        make_rates(c, &work[i], &c->here[i], all + i * each);
        c->here[i].rates = c->rates + i * each;
        c->here[i].plan = c->plan + i * ROUND_STEPS;
    }
    if (each)
        gpu_put(c->gpu, c->rates, all, count * each * sizeof(*all));
    free(all);
}

static void begin_steps(struct cuda *c, const struct nn_work *work, size_t i)
{
    const struct nn_place *m = &c->run.places[work->member];
    const struct nn_standing *st = &m->standing;
    struct gpu_slot *s = &c->here[i];
    *s = cuda_slot(c, i, work->member);
    s->training = 1;
    s->in_order = m->view->in_order;
    s->row_count = (uint32_t)m->view->train.count;
    s->rows = c->bound[work->member].train;
    s->epoch = st->epoch;
    s->first = (uint32_t)st->batches;
    s->steps = (uint64_t)st->step;
    s->sum = st->sum;
}

/* Where a member stands that has done so many batches of those that its
 * standing was moved on by. */
static void end_steps(struct cuda *c, struct nn_work *w,
                      const struct nn_standing *before,
                      const struct gpu_result *r)
{
    struct nn_place *m = &c->run.places[w->member];
    size_t rows = m->view->train.count;
    if (before->step + r->done < m->standing.step) {
        m->standing = *before;
        for (uint32_t i = 0; i < r->done; i++)
            nn_rates_next(m, batches_of(c, m));
    }
    m->standing.batches = before->batches + r->done;
    m->standing.sum = r->sum;
    w->broken_off = batches_left(c, w) > 0;
    w->loss = rows ? r->sum / (double)rows : NAN;
    c->not_finite[w->member] = r->not_finite;
}

/* The next steps of all, as many as there is room for rates. */
static void begin_round(struct cuda *c, const struct nn_work *work)
{
    struct course *e = &c->course;
    e->list = list_of(c, work);
    e->left = 0;
    for (size_t i = 0; i < e->count; i++) {
        int64_t times = times_of(c, &work[i]);
        e->left = times > e->left ? times : e->left;
        e->before[i] = c->run.places[work[i].member].standing;
        begin_steps(c, &work[i], i);
    }
    put_rates(c, work, e->count);
    cuda_put_slots(c, e->count);
    gpu_run(c->gpu, &c->lowered.prepare, c->there, (int)e->count, 1);
    e->in_round = true;
}

/* Waits for what was given; what was not is left for later. */
static void end_round(struct cuda *c, struct nn_work *work)
{
    struct course *e = &c->course;
    gpu_run(c->gpu, &c->lowered.finite, c->there, (int)e->count, 1);
    cuda_take_results(c, e->count);
    for (size_t i = 0; i < e->count; i++)
        end_steps(c, &work[i], &e->before[i], &c->results[i]);
    e->in_round = false;
}

/* As many as there are frames for, at most. Members with masks are by
 * themselves: they are trained another way. */
static size_t alike(const struct cuda *c, const struct nn_work *work,
                    size_t count)
{
    const struct nn_place *places = c->run.places;
    size_t n = 0;
    while (n < count && n < c->wide &&
           places[work[n].member].masked == places[work[0].member].masked)
        n++;
    return n;
}

/* Whether this round leaves steps to its members. Their standings have not
 * gone on by its batches yet. */
static bool leaves_steps(const struct cuda *c, const struct nn_work *work)
{
    for (size_t i = 0; i < c->course.count; i++)
        if (batches_left(c, &work[i]) > batches_now(c, &work[i]))
            return true;
    return false;
}

static bool has_next(const struct cuda *c, const struct nn_work *work,
                     size_t count)
{
    const struct course *e = &c->course;
    return e->from + e->count < count || leaves_steps(c, work + e->from);
}

static void next_round(struct cuda *c, struct nn_work *work, size_t count)
{
    struct course *e = &c->course;
    bool same = leaves_steps(c, work + e->from);
    end_round(c, work + e->from);
    special_turn(c->special);
    if (!same) {
        e->from += e->count;
        e->count = alike(c, work + e->from, count - e->from);
    }
    begin_round(c, work + e->from);
}

static void begin(struct nn_run *r, struct nn_work *work, size_t count)
{
    struct cuda *c = cuda_of(r);
    c->course = (struct course){.count = alike(c, work, count)};
    c->course.before = xcalloc(c->wide, sizeof(*c->course.before));
    special_turn(c->special);
    if (count)
        begin_round(c, work);
}

static bool go(struct nn_run *r, struct nn_work *work, size_t count)
{
    struct cuda *c = cuda_of(r);
    struct course *e = &c->course;
    if (e->left == 0 && has_next(c, work, count))
        next_round(c, work, count);
    int64_t now = e->left < STEPS_AT_ONCE ? e->left : STEPS_AT_ONCE;
    if (now == 0)
        return has_next(c, work, count);
    gpu_keep_pace(c->gpu);
    gpu_run(c->gpu, e->list, c->there, (int)e->count, now);
    e->left -= now;
    return (e->left > 0 || has_next(c, work, count)) && !is_broken_off(c);
}

static bool is_busy(const struct nn_run *r)
{
    return gpu_is_busy(((const struct cuda *)r)->gpu);
}

static void end(struct nn_run *r, struct nn_work *work, size_t count)
{
    struct cuda *c = cuda_of(r);
    (void)count;
    if (c->course.in_round)
        end_round(c, work + c->course.from);
    free(c->course.before);
    c->course = (struct course){0};
}

static int not_finite(const struct nn_run *r, int member)
{
    const struct cuda *c = (const struct cuda *)r;
    if (c->not_finite[member] >= -1)
        return c->not_finite[member];
    c->here[0] = cuda_slot(c, 0, member);
    gpu_put(c->gpu, c->there, c->here, sizeof(*c->here));
    gpu_run(c->gpu, &c->lowered.finite, c->there, 1, 1);
    gpu_take(c->gpu, c->here, c->there, sizeof(*c->here));
    return c->not_finite[member] = c->here[0].not_finite;
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
                                        .all_bytes = gpu_all_bytes,
                                        .open = open_run,
                                        .close = close_run,
                                        .join = join,
                                        .leave = leave,
                                        .begin = begin,
                                        .go = go,
                                        .end = end,
                                        .is_busy = is_busy,
                                        .judge = judging_run,
                                        .reserve = reserve,
                                        .put = put,
                                        .take = take,
                                        .copy = copy,
                                        .not_finite = not_finite};

static void describe(struct buf *b)
{
    const char *why = gpu_absent();
    struct buf gpu, library;
    buf_init(&gpu);
    buf_init(&library);
    bool usable = !why && gpu_describe(&gpu);
    buf_addf(b, "%s %s", usable ? "ok" : "--", why ? why : gpu.p);
    bool found = nvrtc_find(&library);
    buf_addf(b, "\n%s %s: kernels are %scompiled for the shapes of a model\n",
             found ? "ok" : "--", library.p, found ? "" : "not ");
    buf_done(&gpu);
    buf_done(&library);
}

DEVICE(cuda, .runner = &runner, .absent = gpu_absent, .describe = describe);
