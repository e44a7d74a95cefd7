/* devices.c - which device `auto` is
 *
 * Where this machine has a GPU, the models of each cohort key are trained where
 * that should be over first (terms/device_cost.h), by how fast both devices
 * are, how many trials of the key there will be, and how many of them may run
 * at once; the same of models that are asked. It is decided when the first
 * trial of a key is made, and stored: whoever goes on with the study does the
 * same. A trial that goes on stays on the device that it was on. */
#include "study/devices.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include "base/json.h"
#include "data/data.h"
#include "nn/nn.h"
#include "study/conductor.h"

#define SAMPLES 16 /* points by which it is seen how many keys there are */
#define NO_END_TRIALS 1000 /* of a study without an end */
#define FORWARD_AND_BACKWARD 3
#define LEARNING_AT_ONCE 4 /* trials for each cpu, of a method that learns */
#define KEY_OF_ALL 0       /* STORE_DEVICE_OF_ALL */
#define KEY_OF_ASKED 1     /* all that are asked, or nobody knows which */
/* Of the conductor's time, for a trial: what it was for small networks of 20
 * epochs on several machines (docs/explanation/gpu-cohorts.md). */
#define CONDUCT_S 3e-4

struct known_data {
    uint64_t key; /* data_reading_key */
    struct nn_data_facts facts;
    size_t rows; /* to train on */
};

struct study_devices {
    struct study *study;
    struct device_pace cpu, gpu;
    struct arena *arena; /* facts, for as long as it lives */
    VEC(struct known_data) data;
    struct idmap *choices; /* key -> struct device_choice, in the arena */
    uint64_t samples[SAMPLES];
    size_t sample_count;
    bool in_jobs; /* of a cluster: then all of them have `job` */
    struct device_choice job;
};

/* ---- models ---------------------------------------------------------------
 */

/* As they stay when the set is closed. */
static struct nn_data_facts facts_of(const struct data_view *v, struct arena *a)
{
    struct nn_data_facts f = nn_data_facts_of(v->table, a);
    struct nn_data_field *inputs =
        arena_array(a, f.input_count + 1, sizeof(*inputs));
    struct nn_data_field *labels =
        arena_array(a, f.label_count + 1, sizeof(*labels));
    for (size_t i = 0; i < f.input_count; i++) {
        inputs[i] = f.inputs[i];
        inputs[i].name = arena_str(a, inputs[i].name);
    }
    for (size_t i = 0; i < f.label_count; i++) {
        labels[i] = f.labels[i];
        labels[i].name = arena_str(a, labels[i].name);
    }
    f.inputs = inputs;
    f.labels = labels;
    f.no_validation = !v->validation.count;
    return f;
}

static const struct known_data *data_of(struct study_devices *d,
                                        const struct value *spec)
{
    uint64_t key = data_reading_key(spec);
    for (size_t i = 0; i < d->data.len; i++)
        if (d->data.p[i].key == key)
            return &d->data.p[i];
    const struct study *s = d->study;
    struct data_choice choice = {.seed = s->plan->seed};
    struct data_view view;
    const char *folder =
        path_folder(d->arena, path_join(d->arena, s->setup.home,
                                        arena_cstr(d->arena, s->plan->model)));
    struct data_set *set = data_open(spec, folder, NULL, NULL);
    struct known_data known = {.key = key};
    if (set && data_view_make(&view, set, spec, &choice, d->arena, NULL) == 0) {
        known.facts = facts_of(&view, d->arena);
        known.rows = view.train.count;
    }
    data_close(set);
    vec_push(&d->data, known);
    return &vec_last(&d->data);
}

/* NULL: it cannot be read, which its trainer will say. Yours to free. */
static struct nn_model *model_of(struct study_devices *d,
                                 const struct value *model, struct arena *a,
                                 size_t *rows)
{
    struct problems faults = {.arena = a};
    const struct value *spec = value_get(model, STR("data"));
    const struct known_data *data = spec ? data_of(d, spec) : NULL;
    if (!data || !data->rows)
        return NULL;
    *rows = data->rows;
    return nn_model_read(model, &data->facts, &faults);
}

/* ---- how many of them there will be ---------------------------------------
 */

static struct value *sample_point(const struct plan *p, size_t i, struct rng *r,
                                  struct arena *a)
{
    struct value *point = NULL;
    struct str run_id;
    if (!p->points)
        return space_sample(&p->space, r, a);
    uint64_t count = plan_points_count(p->points);
    if (!count || plan_points_get(p->points, i * count / SAMPLES, a, &point,
                                  &run_id, NULL))
        return NULL;
    return point;
}

static void look_at_samples(struct study_devices *d)
{
    const struct plan *p = d->study->plan;
    struct arena *a = arena_new();
    struct rng r;
    rng_init(&r, p->seed, 0, "points to count cohorts with");
    for (size_t i = 0; i < SAMPLES; i++) {
        size_t rows;
        arena_reset(a);
        struct value *point = sample_point(p, i, &r, a);
        struct value *model = point ? plan_model(p, point, a, NULL) : NULL;
        struct nn_model *m = model ? model_of(d, model, a, &rows) : NULL;
        if (m)
            d->samples[d->sample_count++] = nn_model_key(m);
        nn_model_free(m);
    }
    arena_free(a);
}

static int64_t total_of(const struct study *s)
{
    int64_t total = study_total(s, &s->run.counts);
    return total < 0 ? NO_END_TRIALS : total;
}

static int64_t trials_of(const struct study_devices *d, uint64_t key)
{
    size_t same = 0;
    for (size_t i = 0; i < d->sample_count; i++)
        same += d->samples[i] == key;
    double part =
        d->sample_count ? fmax((double)same, 0.5) / (double)d->sample_count : 1;
    double trials = ceil((double)total_of(d->study) * part);
    return trials < 1 ? 1 : (int64_t)trials;
}

/* ---- choosing --------------------------------------------------------------
 */

/* That the device cuda can use; 0: nobody knows, there may be one. */
static size_t gpus_of(const struct study *s)
{
    const struct machine *m = s->setup.machine;
    size_t count = 0;
    for (size_t i = 0; i < m->gpu_count; i++)
        count +=
            m->gpus[i].capability_major + m->gpus[i].capability_minor / 10.0 >=
            DEVICE_CUDA_CAPABILITY;
    return count;
}

struct device_work device_work_of(const struct nn_model *m, size_t rows,
                                  int64_t epochs)
{
    double batch = fmin((double)nn_model_batch(m), (double)rows);
    return (struct device_work){
        .depth = (double)nn_model_depth(m),
        .flops = FORWARD_AND_BACKWARD * nn_model_flops(m) * batch,
        .steps = ceil((double)rows / batch) * (double)epochs,
        .numbers = nn_model_member_numbers(m),
        .refused = nn_model_gpu_refuses(m)};
}

/* So many trials of it on this machine. */
static void place_work(const struct study *s, int64_t trials,
                       struct device_work *w)
{
    w->trials = trials;
    w->conduct_s = CONDUCT_S;
    w->gpus = (unsigned)gpus_of(s);
    w->cpus = study_cpus(s) ? study_cpus(s) : 1;
}

static struct device_work work_of(const struct study_devices *d,
                                  const struct nn_model *m, size_t rows)
{
    const struct study *s = d->study;
    const struct plan *p = s->plan;
    bool learns = p->strategy->learns != LEARNS_NOT;
    struct device_work w = device_work_of(m, rows, nn_model_epochs(m));
    place_work(s, trials_of(d, nn_model_key(m)), &w);
    w.at_once = learns ? LEARNING_AT_ONCE * w.cpus : 0;
    if (p->parallel && (!w.at_once || p->parallel < w.at_once))
        w.at_once = p->parallel;
    return w;
}

static const char *fact_of(uint64_t key, char name[32])
{
    snprintf(name, 32, STORE_DEVICE_FACT "%016llx", (unsigned long long)key);
    return name;
}

static void remember(struct study_devices *d, uint64_t key,
                     const struct device_choice *c)
{
    struct study *s = d->study;
    struct err err = {0};
    struct buf b;
    char name[32];
    buf_init(&b);
    device_choice_print(&b, c);
    run_dirty(&s->run);
    if (store_fact_set(s->store, fact_of(key, name), buf_str(&b), &err))
        run_break(&s->run, &err);
    buf_reset(&b);
    device_choice_words(&b, c);
    if (idmap_count(d->choices) == 1)
        log_to(s->setup.log, LOG_NOTICE, "device %s", b.p);
    buf_done(&b);
}

/* What an earlier run decided holds, also where it would now be another. */
static bool recall(struct study_devices *d, uint64_t key,
                   struct device_choice *c)
{
    struct arena *a = arena_new();
    struct str text;
    char name[32];
    bool known =
        !store_fact(d->study->store, fact_of(key, name), a, &text, NULL) &&
        text.p && device_choice_parse(text, c);
    arena_free(a);
    return known;
}

/* In this run or an earlier one; NULL: not yet. */
static const struct device_choice *decided(struct study_devices *d,
                                           uint64_t key)
{
    struct device_choice *c = idmap_get(d->choices, key), known;
    if (c || !recall(d, key, &known))
        return c;
    c = arena_alloc(d->arena, sizeof(*c));
    *c = known;
    idmap_set(d->choices, key, c);
    return c;
}

static const struct device_choice *decide(struct study_devices *d, uint64_t key,
                                          const struct device_work *w)
{
    struct device_choice *c = arena_alloc(d->arena, sizeof(*c));
    *c = device_choose(w, &d->cpu, &d->gpu);
    idmap_set(d->choices, key, c);
    remember(d, key, c);
    return c;
}

static const struct device_choice *
choice_of(struct study_devices *d, const struct nn_model *m, size_t rows)
{
    uint64_t key = nn_model_key(m);
    const struct device_choice *c = decided(d, key);
    if (c)
        return c;
    struct device_work w = work_of(d, m, rows);
    return decide(d, key, &w);
}

/* ---- for tasks --------------------------------------------------------------
 */

/* Jobs that ask for no GPU have none, whatever was asked for before. */
static bool lacks_gpu(const struct study_devices *d, const char *device)
{
    const struct device *was = device_find(str_of(device), NULL);
    return d->in_jobs && was && was->gpu && !d->job.device->gpu;
}

struct str study_device(const struct study *s, const struct live *l,
                        const struct value *model)
{
    struct study_devices *d = s->devices;
    const struct device_choice *c = NULL;
    size_t rows;
    if (!d)
        return s->plan->device;
    if (l->earlier && l->a.use.device[0] && job_device_is_auto(s->plan) &&
        !lacks_gpu(d, l->a.use.device))
        return str_of(l->a.use.device);
    if (d->in_jobs)
        return str_of(d->job.device->name);
    struct arena *a = arena_new();
    struct nn_model *m = model_of(d, model, a, &rows);
    if (m)
        c = choice_of(d, m, rows);
    nn_model_free(m);
    arena_free(a);
    return str_of(c ? c->device->name : devices[0].name);
}

/* ---- for tasks that ask models ----------------------------------------------
 */

static uint64_t asked_key(const struct study *s, const struct task *t)
{
    if (s->bulk)
        return KEY_OF_ASKED;
    struct arena *a = arena_new();
    struct nn_model *m =
        weights_model(arena_cstr(a, t->weights), NULL, NULL, a, NULL);
    uint64_t key = m ? nn_model_key(m) : KEY_OF_ASKED;
    nn_model_free(m);
    arena_free(a);
    return key;
}

/* Which models other trials ask nobody knows yet: it is decided as if all asked
 * this one. */
struct str study_asked_device(const struct study *s, const struct task *t)
{
    struct study_devices *d = s->devices;
    struct task like = *t;
    struct device_work w;
    if (!d)
        return s->plan->device;
    if (d->in_jobs)
        return str_of(d->job.device->name);
    uint64_t key = asked_key(s, t);
    const struct device_choice *c = decided(d, key);
    if (s->bulk)
        like.shard.count = bulk_shard_rows(s->bulk);
    if (!c && task_work(&like, &w)) {
        place_work(s, total_of(s), &w);
        c = decide(d, key, &w);
    }
    return str_of(c ? c->device->name : devices[0].name);
}

/* ---- what they need ---------------------------------------------------------
 */

/* Of those that are on a GPU the one that most trials have; NULL: there is
 * none. */
static const struct device_choice *best_on_gpu(const struct study_devices *d)
{
    const struct device_choice *best = NULL;
    uint64_t key;
    void *at;
    for (size_t i = 0; idmap_next(d->choices, &i, &key, &at);) {
        const struct device_choice *c = at;
        if (c->device->gpu && (!best || c->work.trials > best->work.trials))
            best = c;
    }
    return best;
}

void device_share_here(const struct device_slots *d, struct needs *n)
{
    double most = d->at_once;
    if (d->total >= 0)
        most = fmin(most, (double)d->total);
    if (n->gpus >= 1 && d->gpus)
        n->gpus = 1 / fmax(ceil(most / d->gpus), 1);
}

static void share_gpus_here(const struct study *s, struct needs *n)
{
    struct needs one = *n, none = *n;
    one.gpus = 1;
    none.gpus = 0;
    struct device_slots slots = {.at_once = engine_slots(s->engine, &none),
                                 .gpus = engine_slots(s->engine, &one),
                                 .total = study_total(s, &s->run.counts)};
    device_share_here(&slots, n);
}

/* Where GPUs train most of them, as many are out as they train together, and as
 * many again, so that they need not wait for them. */
static void share_chosen(const struct study *s, struct needs *n)
{
    const struct device_choice *best = best_on_gpu(s->devices);
    if (!best && idmap_count(s->devices->choices)) {
        n->gpus = 0;
        return;
    }
    size_t gpus = best && best->work.gpus > 1 ? best->work.gpus : 1;
    if (best && best->members && !s->plan->cpus_said && !s->plan->parallel)
        n->cpus = (double)study_cpus(s) / (double)(2 * best->members * gpus);
    share_gpus_here(s, n);
}

void study_device_share(const struct study *s, struct needs *n)
{
    const struct study_devices *d = s->devices;
    if (d && d->in_jobs && d->job.device->gpu)
        job_device_share(s->plan, d->job.members, n);
    if (d && !d->in_jobs)
        share_chosen(s, n);
    else if (!d && device_is_named_gpu(s->plan))
        share_gpus_here(s, n);
}

/* Also of the first task of all, by which it was decided, and where others of
 * the study are on GPUs. */
void study_device_needs(const struct study *s, struct task *t)
{
    const struct study_devices *d = s->devices;
    const struct device *device = device_find(t->device, NULL);
    if (d && !d->in_jobs && device && !device->gpu)
        t->needs.gpus = 0;
}

/* ---- opening ----------------------------------------------------------------
 */

/* By its file, since a static program can ask nobody; THRONG_GPUS describes
 * GPUs that are not there. */
bool device_may_be_there(const struct machine *m)
{
    return m->gpu_count || file_exists("/dev/nvidiactl") ||
           file_exists("/dev/dxg");
}

static bool is_asked(const struct study *s)
{
    return job_device_is_auto(s->plan) && !job_device_is_barred(s->plan) &&
           device_may_be_there(s->setup.machine);
}

/* The key that most samples have is decided first: what trials need depends on
 * it. */
static void choose_first(struct study_devices *d)
{
    struct arena *a = arena_new();
    const struct plan *p = d->study->plan;
    struct rng r;
    rng_init(&r, p->seed, 0, "points to count cohorts with");
    for (size_t i = 0; i < SAMPLES && !idmap_count(d->choices); i++) {
        size_t rows;
        struct value *point = sample_point(p, i, &r, a);
        struct value *model = point ? plan_model(p, point, a, NULL) : NULL;
        struct nn_model *m = model ? model_of(d, model, a, &rows) : NULL;
        if (m)
            choice_of(d, m, rows);
        nn_model_free(m);
    }
    arena_free(a);
}

static struct study_devices *devices_new(struct study *s)
{
    struct study_devices *d = xcalloc(1, sizeof(*d));
    d->study = s;
    d->arena = arena_new();
    d->choices = idmap_new();
    s->devices = d;
    return d;
}

static const char *study_cuda_worker(const struct study *s)
{
    return arena_printf(s->arena, "%s-cuda", s->setup.worker);
}

const char *study_worker_beside(const struct study *s)
{
    if (!plan_runs_models(s->plan) || !s->setup.worker)
        return NULL;
    const char *path = study_cuda_worker(s);
    return file_exists(path) && job_device(s->plan, path).device->gpu ? path
                                                                      : NULL;
}

static size_t gpus_there(const struct study *s)
{
    struct needs one;
    needs_init(&one);
    one.gpus = 1;
    return engine_slots(s->engine, &one);
}

/* What the study file says decides, so that another file may decide otherwise;
 * what was begun goes on where it was. */
static void open_in_jobs(struct study *s)
{
    struct study_devices *d = devices_new(s);
    const char *cuda_worker = study_cuda_worker(s);
    d->in_jobs = true;
    d->job = job_device(s->plan, cuda_worker);
    d->job.members = job_device_members(s->plan, gpus_there(s),
                                        study_total(s, &s->run.counts));
}

struct device_choice device_unusable(const struct err *err)
{
    struct device_choice c = {.device = &devices[DEVICE_cpu],
                              .why = DEVICE_UNUSABLE};
    snprintf(c.refused, sizeof(c.refused), "%.*s", (int)sizeof(c.refused) - 1,
             err->text);
    return c;
}

/* Of this run; it goes before what is stored for a key. */
static void decide_for_all(struct study_devices *d, struct device_choice c)
{
    struct device_choice *kept = arena_alloc(d->arena, sizeof(*kept));
    *kept = c;
    idmap_set(d->choices, KEY_OF_ALL, kept);
    remember(d, KEY_OF_ALL, kept);
}

/* What an earlier run decided so. */
static void forget_for_all(struct study *s)
{
    struct device_choice c;
    struct err err = {0};
    if (!recall(s->devices, KEY_OF_ALL, &c))
        return;
    run_dirty(&s->run);
    if (store_fact_set(s->store, STORE_DEVICE_OF_ALL, (struct str){0}, &err))
        run_break(&s->run, &err);
}

static void open_here(struct study *s, struct device_asked *q)
{
    q->scratch = path_join(s->arena, s->setup.folder, "paces");
    struct study_devices *d = devices_new(s);
    struct err err = {0};
    if (device_paces(q, &d->cpu, &d->gpu, &err)) {
        decide_for_all(d, device_unusable(&err));
        study_devices_close(s);
        return;
    }
    forget_for_all(s);
    if (!s->plan->model_root) /* that they ask is said by their tasks */
        return;
    look_at_samples(d);
    choose_first(d);
}

void study_devices_open(struct study *s)
{
    struct device_asked q = {.machine = s->setup.machine,
                             .worker = s->setup.worker,
                             .wait_s = DEVICE_WAIT_S};
    bool here = place_is_here(str_of(study_place_name(s)));
    if (!plan_runs_models(s->plan) || !q.worker)
        return;
    q.cuda_worker = study_cuda_worker(s);
    if (here && is_asked(s))
        open_here(s, &q);
    if (here)
        return;
    open_in_jobs(s);
    if (!job_device_is_auto(s->plan))
        return;
    decide_for_all(s->devices, s->devices->job);
}

void study_devices_foresee(struct study *s)
{
    if (plan_runs_models(s->plan) && s->setup.worker &&
        !place_is_here(str_of(study_place_name(s))))
        open_in_jobs(s);
}

void study_devices_close(struct study *s)
{
    struct study_devices *d = s->devices;
    if (!d)
        return;
    s->devices = NULL;
    vec_done(&d->data);
    idmap_free(d->choices);
    arena_free(d->arena);
    free(d);
}
