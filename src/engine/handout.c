/* handout.c - from tasks that wait to jobs
 *
 * One array at a time is on its way to the scheduler (`ordered`). Its files
 * are written before it is asked; once it has taken the array, its number
 * stands in the file `job`. Who dies between the two finds the array by its
 * name, and so do we when nobody knows whether it was taken. */
#include "engine/jobs.h"

#include <math.h>

/* Tasks that come one after the other are waited for, so much after the
 * last. */
#define QUIET_SECONDS 0.03
#define RETRY_SECONDS 5.0
#define RETRY_MAX_SECONDS 120.0
#define REFUSED_SECONDS 60.0
/* For the start of a job and the worker's last words. */
#define MARGIN_SECONDS 60.0
#define KINDS_MAX 16

void waiting_free(struct waiting *w)
{
    buf_done(&w->text);
    free(w);
}

/* ---- how much -------------------------------------------------------------
 */

size_t jobs_job_slots(const struct jobs *j, const struct needs *n)
{
    struct spread ranks;
    if (needs_spread(n, &ranks))
        return 1;
    if (j->job_slots && !j->packs)
        return j->job_slots;
    size_t most = nodes_most(j->scheduler->nodes(j->at), n);
    if (j->packs && most > needs_per_gpu(n))
        most = needs_per_gpu(n);
    return most ? most : 1;
}

static bool has_begun(const struct bundle *b)
{
    return (b->starts.len && b->starts.p[0].at) || b->stage != JOB_WAITS;
}

static void count_out(const struct jobs *j, struct sizes *s)
{
    double first = INFINITY;
    for (size_t i = 0; i < j->list.len; i++)
        for (uint32_t k = 0; k < j->list.p[i]->count; k++) {
            const struct bundle *b = &j->list.p[i]->bundles[k];
            if (!b->open)
                continue;
            s->out++;
            s->queued += !has_begun(b);
            first = fmin(first, b->began_wall > 0 ? b->began_wall : INFINITY);
        }
    if (!isinf(first))
        s->longest_s = clock_wall() - first;
}

static bool is_like(const struct jobs *j, const struct waiting *w,
                    const struct needs *n, const struct job_class *class)
{
    return !w->dropped && needs_eq(&w->needs, n) &&
           (!class || pieces_class(j, w) == class);
}

void jobs_sizes(const struct jobs *j, const struct needs *n,
                const struct job_class *class, struct sizes *s)
{
    size_t job_slots = jobs_job_slots(j, n);
    *s = (struct sizes){.slots = jobs_slots(j, n),
                        .job_slots = (uint32_t)job_slots,
                        .out_max = j->scheduler->jobs_max(j->at),
                        .task_s = j->task_s,
                        .bundle_time_s = j->bundle_time_s,
                        .job_time_s = j->time_s > 0 ? j->time_s
                                      : class       ? class->time_s
                                                    : 0};
    if (class)
        s->slots = (uint32_t)fmin(
            s->slots, (double)classes_jobs(class, n->gpus * (double)job_slots) *
                          (double)job_slots);
    size_t parallel = j->given->parallel;
    if (parallel) {
        size_t at_once = parallel > job_slots ? parallel / job_slots : 1;
        s->out_max = at_once < s->out_max ? at_once : s->out_max;
    }
    for (size_t i = 0; i < j->waiting.len; i++)
        s->waiting += is_like(j, j->waiting.p[i], n, class);
}

/* ---- the order ------------------------------------------------------------
 */

static double job_time(const struct jobs *j, const struct submission *s,
                       const struct job_class *class)
{
    if (j->time_s > 0 || (!class && s->needs.time_s <= 0))
        return j->time_s;
    if (class)
        return class->time_s;
    size_t slots = jobs_job_slots(j, &s->needs);
    size_t turns = (s->bundles[0].count + slots - 1) / slots;
    return (double)turns * s->needs.time_s + j->lead_s + MARGIN_SECONDS;
}

/* A job that is warned as it begins would run nothing. */
static double warned_before(const struct jobs *j, double time_s)
{
    return time_s > 0 ? fmin(j->lead_s, time_s / 2) : j->lead_s;
}

/* How many jobs of an array run at once: no more than run `parallel` tasks, nor
 * than the site says. 0: any number. */
static uint32_t at_once(const struct jobs *j, uint32_t job_slots)
{
    uint32_t parallel = j->given->parallel, most = j->throttle;
    uint32_t jobs = parallel > job_slots ? parallel / job_slots
                    : parallel           ? 1
                                         : 0;
    if (!most || !jobs)
        return most + jobs;
    return jobs < most ? jobs : most;
}

static void describe(const struct jobs *j, const struct submission *s,
                     struct job_order *o)
{
    const struct job_class *class = classes_find(&j->classes, s->class);
    struct buf out;
    size_t slots = jobs_job_slots(j, &s->needs);
    buf_init(&out);
    streaks_print(&j->streaks, &out);
    *o = (struct job_order){
        .folder = s->folder,
        .name = s->name,
        .count = s->count,
        .at_once = at_once(j, (uint32_t)slots),
        .needs = s->needs,
        .slots = j->job_slots ? (uint32_t)slots : 0,
        .time_s = s->time_s,
        .class = class ? class->options : NULL,
        .lead_s = warned_before(j, s->time_s),
        .exclude = arena_cstr(s->arena, buf_str(&out)),
        .mark = j->mark,
    };
    buf_done(&out);
}

static int write_script(const struct jobs *j, const struct submission *s,
                        const struct job_order *o, struct err *err)
{
    struct buf text;
    buf_init(&text);
    j->scheduler->print(j->at, o, &text);
    int rc = file_write(path_join(s->arena, s->folder, j->scheduler->file),
                        buf_str(&text), false, err);
    buf_done(&text);
    return rc;
}

static struct record record_of(const struct waiting *w)
{
    return (struct record){.type = RECORD_TASK,
                           .task = w->id,
                           .attempt = w->attempt,
                           .payload = buf_str(&w->text)};
}

/* What is submitted together. */
struct kind {
    struct needs needs;
    const struct job_class *class; /* NULL: there are none */
};

/* Takes up to `most` tasks of the kind out of those that wait. */
static void take_waiting(struct jobs *j, const struct kind *kind, size_t most)
{
    size_t kept = 0;
    for (size_t i = 0; i < j->waiting.len; i++) {
        struct waiting *w = j->waiting.p[i];
        if (j->in_order.len == most ||
            !is_like(j, w, &kind->needs, kind->class)) {
            j->waiting.p[kept++] = w;
            continue;
        }
        idmap_del(j->waits, w->id);
        vec_push(&j->in_order, w);
    }
    j->waiting.len = kept;
}

/* They are first again, but for those that are wanted back by now. */
static void put_back(struct jobs *j)
{
    VEC(struct waiting *) all = {0};
    for (size_t i = 0; i < j->in_order.len; i++) {
        struct waiting *w = j->in_order.p[i];
        struct out_task *t = jobs_find(j, w->id, w->attempt);
        w->dropped = t && (t->kill || t->stop);
        idmap_set(j->waits, w->id, w);
        vec_push(&all, w);
    }
    for (size_t i = 0; i < j->waiting.len; i++)
        vec_push(&all, j->waiting.p[i]);
    vec_done(&j->waiting);
    j->waiting.p = all.p;
    j->waiting.len = all.len;
    j->waiting.cap = all.cap;
    j->in_order.len = 0;
}

static int check_ready(const struct jobs *j, struct err *err)
{
    return j->scheduler->ready ? j->scheduler->ready(j->at, err) : 0;
}

/* The tasks of the order, as evenly as they go. */
static int fill(struct jobs *j, struct submission *s, struct err *err)
{
    size_t all = j->in_order.len, at = 0;
    VEC(struct record) tasks = {0};
    int rc = check_ready(j, err);
    for (uint32_t i = 0; !rc && i < s->count; i++) {
        size_t size = all / s->count + (i < all % s->count);
        tasks.len = 0;
        for (size_t k = 0; k < size; k++)
            vec_push(&tasks, record_of(j->in_order.p[at + k]));
        at += size;
        struct job_bundle b = {s->bundles[i].stem, tasks.p, size};
        rc = submission_fill(s, i, tasks.p, size, err);
        if (!rc && j->scheduler->pack)
            rc = j->scheduler->pack(j->at, &b, err);
    }
    vec_done(&tasks);
    return rc;
}

static void on_receipt(void *context, const struct job_receipt *r);
static void on_search(void *context, const struct job_receipt *r);

static int submit(struct jobs *j, struct err *err)
{
    struct job_order order;
    describe(j, j->ordered, &order);
    j->order_out = j->streaks.out;
    if (write_script(j, j->ordered, &order, err))
        return -1;
    j->in_flight = true;
    j->scheduler->submit(j->at, &order, on_receipt, j);
    return 0;
}

static void hold(struct jobs *j, double seconds)
{
    j->hold_ns = clock_mono_ns() + (int64_t)(seconds * 1e9);
}

/* Nothing of the array is left; its tasks wait again. */
static void withdraw(struct jobs *j)
{
    struct submission *s = j->ordered;
    j->ordered = NULL;
    put_back(j);
    jobs_forget(j, s);
    for (size_t i = 0; i < j->list.len; i++)
        if (j->list.p[i] == s)
            j->list.p[i] = j->list.p[--j->list.len];
    submission_remove(s);
    submission_free(s);
}

static void complain(struct jobs *j, const char *text)
{
    if (!j->refused)
        log_to(j->given->log, LOG_WARN, "%s", text);
    j->refused = true;
}

static bool any_out(const struct jobs *j)
{
    for (size_t i = 0; i < j->list.len; i++)
        for (uint32_t k = 0; k < j->list.p[i]->count; k++)
            if (j->list.p[i]->bundles[k].open)
                return true;
    return false;
}

/* What runs goes on; when nothing does, nothing will ever change by itself. */
static void give_up(struct jobs *j, const struct err *why)
{
    hold(j, REFUSED_SECONDS);
    if (any_out(j)) {
        complain(j, why->text);
        jobs_soon(j);
    } else {
        engine_place_fault(j->engine, why);
    }
}

static void hold_tasks(struct bundle *b)
{
    for (size_t i = 0; i < b->count; i++)
        b->tasks[i].held = true;
    b->open = b->count;
}

static void order(struct jobs *j, const struct kind *kind, struct cut cut)
{
    struct err err = {0};
    uint32_t most = j->scheduler->array_max(j->at);
    uint32_t jobs = cut.jobs < most ? (uint32_t)cut.jobs : most;
    take_waiting(j, kind, jobs * cut.tasks);
    if (kind->class)
        pieces_warn(j, j->in_order.p[0]);
    if (jobs > j->in_order.len)
        jobs = (uint32_t)j->in_order.len;
    uint32_t number = ++j->last_n;
    struct arena *a = arena_new();
    const char *name = arena_printf(a, "%s.%u", j->label, number);
    struct submission *s = submission_new(j->root, number, name, jobs, &err);
    arena_free(a);
    if (!s) {
        put_back(j);
    } else {
        s->jobs = j;
        j->ordered = s;
        j->doubtful = false;
        int rc = fill(j, s, &err);
        s->needs = kind->needs;
        s->class = kind->class ? kind->class->name : "";
        s->time_s = job_time(j, s, kind->class);
        jobs_list(j, s);
        for (uint32_t i = 0; i < s->count; i++)
            hold_tasks(&s->bundles[i]);
        if (!rc && submit(j, &err) == 0)
            return;
        withdraw(j);
    }
    if (err.kind == ERR_INPUT) { /* a disk may have room again, a name stays */
        give_up(j, &err);
        return;
    }
    complain(j, err.text);
    hold(j, RETRY_SECONDS);
}

/* ---- what the scheduler answers -------------------------------------------
 */

static void exclude(struct jobs *j, const struct submission *s)
{
    const struct job_class *class = classes_find(&j->classes, s->class);
    struct buf out;
    buf_init(&out);
    streaks_print(&j->streaks, &out);
    struct job_order order = {.exclude = out.p,
                              .class = class ? class->options : NULL};
    if (j->scheduler->exclude)
        j->scheduler->exclude(j->at, s->job, &order);
    buf_done(&out);
}

void jobs_exclude(struct jobs *j)
{
    for (size_t i = 0; i < j->list.len; i++) {
        const struct submission *s = j->list.p[i];
        bool waits = false;
        for (uint32_t k = 0; k < s->count; k++)
            waits |= s->bundles[k].open && !has_begun(&s->bundles[k]);
        if (s->job && waits)
            exclude(j, s);
    }
}

static void taken(struct jobs *j, uint64_t job)
{
    struct submission *s = j->ordered;
    struct err err = {0};
    j->ordered = NULL;
    j->refused = false;
    j->again_s = 0;
    j->hold_ns = 0;
    if (submission_taken(s, job, &err))
        log_to(j->given->log, LOG_WARN,
               "%s; should throng end now, it finds job %llu again by its name",
               err.text, (unsigned long long)job);
    for (size_t i = 0; i < j->in_order.len; i++)
        waiting_free(j->in_order.p[i]);
    j->in_order.len = 0;
    log_to(j->given->log, LOG_INFO, "%s job %llu: %u bundle%s",
           j->scheduler->name, (unsigned long long)job, s->count,
           s->count == 1 ? "" : "s");
    s->changed = true;
    submission_write_state(s, j->scheduler->name);
    if (j->streaks.out > j->order_out)
        exclude(j, s);
    pieces_keep(j);
    jobs_look_soon(j);
    jobs_soon(j);
}

/* One refusal, however many tasks it was about. */
static void refused(struct jobs *j, const struct err *why)
{
    struct err err = {0};
    size_t tasks = j->in_order.len;
    withdraw(j);
    err_set(&err, ERR_INPUT, "%s refused a job with %zu task%s: %.800s",
            j->scheduler->name, tasks, tasks == 1 ? "" : "s", why->text);
    give_up(j, &err);
}

static void later(struct jobs *j, const struct err *why)
{
    struct err err = {0};
    err_set(&err, ERR_SYSTEM, "%.900s; it is tried again", why->text);
    complain(j, err.text);
    j->again_s = fmin(fmax(2 * j->again_s, RETRY_SECONDS), RETRY_MAX_SECONDS);
    hold(j, j->again_s);
    jobs_soon(j);
}

static void on_receipt(void *context, const struct job_receipt *r)
{
    struct jobs *j = context;
    j->in_flight = false;
    if (r->job) {
        taken(j, r->job);
    } else if (r->passing) {
        j->doubtful = true;
        later(j, &r->why);
    } else {
        refused(j, &r->why);
    }
}

static void on_search(void *context, const struct job_receipt *r)
{
    struct jobs *j = context;
    struct err err = {0};
    j->in_flight = false;
    if (r->job) {
        taken(j, r->job);
    } else if (r->why.kind) {
        later(j, &r->why);
    } else {
        j->doubtful = false;
        if (submit(j, &err))
            later(j, &err);
    }
}

/* ---- when -----------------------------------------------------------------
 */

static struct cut cut_kind(const struct jobs *j, const struct kind *kind)
{
    struct sizes sizes;
    jobs_sizes(j, &kind->needs, kind->class, &sizes);
    count_out(j, &sizes);
    struct cut cut = sizes_cut(&sizes);
    uint32_t room =
        kind->class ? pieces_room(j, kind->class, &kind->needs) : UINT32_MAX;
    cut.jobs = cut.jobs < room ? cut.jobs : room;
    return cut;
}

/* The first kind of which something shall be submitted now. */
static bool choose(const struct jobs *j, struct kind *kind, struct cut *cut)
{
    struct kind tried[KINDS_MAX];
    size_t count = 0;
    for (size_t i = 0; i < j->waiting.len && count < KINDS_MAX; i++) {
        const struct waiting *w = j->waiting.p[i];
        bool known = w->dropped;
        for (size_t k = 0; k < count && !known; k++)
            known = is_like(j, w, &tried[k].needs, tried[k].class);
        if (known)
            continue;
        *kind = (struct kind){w->needs, pieces_class(j, w)};
        tried[count++] = *kind;
        *cut = cut_kind(j, kind);
        if (cut->jobs)
            return true;
    }
    return false;
}

void jobs_hand_out(struct jobs *j)
{
    int64_t now = clock_mono_ns();
    struct kind kind;
    struct cut cut;
    struct err err = {0};
    if (j->closing || j->in_flight || now < j->hold_ns)
        return;
    if (j->ordered && j->doubtful) {
        j->in_flight = true;
        j->scheduler->find(j->at, j->ordered->name, on_search, j);
        return;
    }
    if (j->ordered) {
        if (submit(j, &err))
            later(j, &err);
        return;
    }
    if (now - j->sent_ns < (int64_t)(QUIET_SECONDS * 1e9))
        return;
    pieces_look(j);
    if (j->waiting.len && usage_known(j) && choose(j, &kind, &cut))
        order(j, &kind, cut);
}

/* ---- what would be submitted ------------------------------------------------
 */

static void add_pretended(struct jobs *j, const struct engine_preview *p)
{
    for (size_t i = 0; i < p->count; i++) {
        struct waiting *w = xcalloc(1, sizeof *w);
        buf_init(&w->text);
        w->needs = p->needs;
        w->saves = p->saves;
        vec_push(&j->waiting, w);
    }
}

int jobs_preview(void *place, const struct engine_preview *p, struct buf *b,
                 struct err *err)
{
    struct jobs *j = place;
    struct kind kind;
    struct cut cut;
    struct job_order order;
    if (check_ready(j, err))
        return -1;
    jobs_set_mark(j, p->epoch);
    add_pretended(j, p);
    pieces_look(j);
    if (!choose(j, &kind, &cut))
        return err_set(err, ERR_INPUT, "nothing would be submitted now: %s",
                       p->count ? "as many jobs are out as may be"
                                : "no trial waits");
    uint32_t most = j->scheduler->array_max(j->at), n = j->last_n + 1;
    struct bundle first = {.count = cut.tasks};
    struct submission s = {
        .arena = j->arena,
        .folder = arena_printf(j->arena, "%s/%u", j->root, n),
        .name = arena_printf(j->arena, "%s.%u", j->label, n),
        .class = kind.class ? kind.class->name : "",
        .needs = kind.needs,
        .bundles = &first,
        .count = cut.jobs < most ? (uint32_t)cut.jobs : most};
    s.time_s = job_time(j, &s, kind.class);
    describe(j, &s, &order);
    j->scheduler->print(j->at, &order, b);
    return 0;
}
