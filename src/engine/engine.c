/* engine.c - tasks in, attempt records out
 *
 * Every task that was submitted and has not ended is held: it is in `held`
 * by its number and in exactly one of three states (`where`): in the queue,
 * at the place, or dropped (it will be answered as unstarted from the loop).
 * Only the queued ones own the text of their task; it is gone once sent.
 *
 * Hooks are called with the engine in a consistent state and may call back
 * into it, except for engine_close. A task is forgotten before the hook that
 * reports its end, so that the hook can submit the next attempt. */
#include "engine/engine.h"
#include "engine/load.h"
#include "engine/place.h"
#include "engine/recover.h"
#include "base/map.h"
#include <inttypes.h>
#include <sys/queue.h>

/* How much work shall wait at the place behind what runs there. */
#define AHEAD_SECONDS 0.05
#define AHEAD_MAX 64
/* Tasks longer than this gain nothing from a waiting successor. */
#define AHEAD_TASK_SECONDS 1.0
/* The moving average of task durations follows one task by this much. */
#define AVERAGE_WEIGHT (1.0 / 16)
/* When held tasks differ in their needs, so many more go to the place, for
 * the worker to choose from: the first in the queue may wait for a GPU while
 * CPUs are idle. */
#define CHOICE 8
/* The frame and the numbers around a task's text. */
#define RECORD_OVERHEAD 64

#define PLACE_AT(name, ...) &place_##name,
static const struct place *const places[PLACE_COUNT] = {
    PLACES(PLACE_AT) PLACES_APART(PLACE_AT)};

enum where { IN_QUEUE, AT_PLACE, DROPPED };

/* What was asked of a task, the weaker before the stronger. It is remembered
 * until the task is answered: a place that is down hears of it when it is up
 * again. */
enum asked {
    ASKED_NOTHING,
    ASKED_BACK, /* unless it has begun */
    ASKED_STOP,
    ASKED_KILL,
};

struct held {
    TAILQ_ENTRY(held) queued; /* while it is IN_QUEUE */
    uint64_t age;             /* how many came before it */
    uint64_t id;
    uint32_t attempt;
    enum where where;
    bool begun; /* STARTING has come: a process may exist */
    enum asked asked;
    enum outcome end_as; /* of ASKED_BACK and ASKED_KILL */
    bool goes_on;        /* it was told to, … */
    int64_t awaits;      /* … and where to wait again */
    struct needs needs;
    char *text; /* the task, while it is IN_QUEUE */
    size_t text_len;
};

struct engine {
    struct arena *arena; /* copies of the setup's texts */
    struct engine_setup setup;
    struct engine_hooks hooks;
    const struct place *place;
    void *at; /* the open place */
    struct idmap *held;
    TAILQ_HEAD(, held) queue;       /* the oldest first */
    uint64_t submitted;             /* tasks, ever */
    struct load all, out;           /* held tasks; those AT_PLACE */
    VEC(struct held *) dropped;     /* to be answered by `later` */
    struct buf scratch;             /* a task's text in the making */
    struct loop_source *later;      /* armed when something is to be said */
    double average_s;               /* of task durations; below 0: unknown */
    bool down, quitting, idle_said; /* down: nothing can be sent */
    bool parting; /* quitting, and what is at the place stays there */
    struct leader_lines ran; /* of earlier conductors, when they were killed */
};

/* ---- opening and closing --------------------------------------------- */

static const struct place *place_of(const char *name)
{
    for (size_t i = 0; i < PLACE_COUNT; i++)
        if (strcmp(places[i]->name, name) == 0)
            return places[i];
    return NULL;
}

static const struct place *find_place(const char *name, struct err *err)
{
    const struct place *found = place_of(name);
    if (found)
        return found;
    struct buf known;
    buf_init(&known);
    for (size_t i = 0; i < PLACE_COUNT; i++)
        buf_addf(&known, "%s%s", i ? ", " : "", places[i]->name);
    err_set(err, ERR_INPUT, "there is no place called \"%s\" (%s)", name,
            known.p);
    buf_done(&known);
    return NULL;
}

static char *copy(struct arena *a, const char *s)
{
    return s ? arena_cstr(a, str_of(s)) : NULL;
}

static void copy_setup(struct engine *e, const struct engine_setup *from)
{
    e->setup = *from;
    e->setup.place = copy(e->arena, from->place);
    e->setup.name = copy(e->arena, from->name);
    if (from->site)
        e->setup.site = value_copy(e->arena, from->site);
    e->setup.worker = copy(e->arena, from->worker);
    e->setup.folder = copy(e->arena, from->folder);
}

static void answer_later(void *context);

struct engine *engine_open(const struct engine_setup *setup,
                           const struct engine_hooks *hooks, struct err *err)
{
    const struct place *place = find_place(setup->place, err);
    if (!place)
        return NULL;
    struct engine *e = xcalloc(1, sizeof *e);
    e->arena = arena_new();
    copy_setup(e, setup);
    e->hooks = *hooks;
    e->place = place;
    e->held = idmap_new();
    TAILQ_INIT(&e->queue);
    buf_init(&e->scratch);
    load_init(&e->all);
    load_init(&e->out);
    e->average_s = -1;
    e->down = true; /* until it is started */
    e->later = loop_timer(setup->loop, answer_later, e);
    struct place_setup ps = {e, &e->setup};
    e->at = place->open(&ps, err);
    e->setup.machine = NULL; /* may be gone after this call */
    if (!e->at) {
        engine_close(e);
        return NULL;
    }
    return e;
}

bool engine_outlives(const struct engine *e)
{
    return e->place->outlives;
}

bool engine_place_outlives(const char *name)
{
    const struct place *place = place_of(name);
    return place && place->outlives;
}

bool engine_place_has_gpu_tasks(const struct engine *e)
{
    return e->out.gpus > 1e-6; /* parts that were added and taken away */
}

bool engine_is_live(const struct engine *e)
{
    return !e->place->late;
}

bool engine_place_is_live(const char *name)
{
    const struct place *place = place_of(name);
    return !place || !place->late;
}

int engine_place_takes(const char *name, const char *file, struct err *err)
{
    const struct place *place = place_of(name);
    return place && place->takes ? place->takes(file, err) : 0;
}

int engine_preview(struct engine *e, const struct engine_preview *p,
                   struct buf *b, struct err *err)
{
    if (e->place->preview)
        return e->place->preview(e->at, p, b, err);
    return err_set(err, ERR_INPUT,
                   "engine %s submits nothing to a scheduler: it starts tasks "
                   "by itself",
                   e->setup.place);
}

static int no_scheduler(const struct engine *e, struct err *err)
{
    return err_set(err, ERR_INPUT,
                   "engine %s has no scheduler that a job could be given to",
                   e->setup.place);
}

int engine_alone(struct engine *e, const struct engine_alone *o, uint64_t *job,
                 struct err *err)
{
    return e->place->alone ? e->place->alone(e->at, o, job, err)
                           : no_scheduler(e, err);
}

int engine_alone_look(struct engine *e, uint64_t job,
                      struct engine_alone_state *state, struct err *err)
{
    return e->place->alone_look ? e->place->alone_look(e->at, job, state, err)
                                : no_scheduler(e, err);
}

void engine_alone_cancel(struct engine *e, uint64_t job)
{
    if (e->place->alone_cancel)
        e->place->alone_cancel(e->at, job);
}

int engine_start(struct engine *e, uint64_t epoch, struct err *err)
{
    if (e->place->start(e->at, epoch, err))
        return -1;
    engine_place_up(e);
    return 0;
}

static void held_free(struct held *h)
{
    free(h->text);
    free(h);
}

void engine_close(struct engine *e)
{
    if (!e)
        return;
    if (e->at)
        e->place->close(e->at, e->parting);
    uint64_t id;
    void *h;
    for (size_t at = 0; idmap_next(e->held, &at, &id, &h);)
        held_free(h);
    idmap_free(e->held);
    load_done(&e->all);
    load_done(&e->out);
    vec_done(&e->dropped);
    vec_done(&e->ran.list);
    buf_done(&e->scratch);
    loop_remove(e->later);
    arena_free(e->arena);
    free(e);
}

int engine_recover(struct engine *e, const struct engine_left *left,
                   engine_record_fn *apply, int (*commit)(void *context),
                   void *context, struct err *err)
{
    struct recovery to = {apply, commit, context, &e->ran};
    return recover_here(e->setup.folder, left, &to, err);
}

bool engine_may_have_run(const struct engine *e, uint64_t task,
                         uint32_t attempt)
{
    for (size_t i = 0; i < e->ran.list.len; i++)
        if (e->ran.list.p[i].task == task &&
            e->ran.list.p[i].attempt == attempt)
            return true;
    return !e->ran.known;
}

/* ---- room ------------------------------------------------------------ */

int engine_check(const struct engine *e, const struct needs *n, struct err *err)
{
    return e->place->check(e->at, n, err);
}

void engine_set_parallel(struct engine *e, uint32_t parallel)
{
    e->setup.parallel = parallel;
    if (e->place->resize)
        e->place->resize(e->at);
}

uint32_t engine_slots(const struct engine *e, const struct needs *n)
{
    return e->place->slots(e->at, n);
}

size_t engine_gpus(const struct engine *e)
{
    return e->place->gpus ? e->place->gpus(e->at) : 0;
}

void engine_gpu_look(struct engine *e, size_t gpu, struct gpu_use *use)
{
    e->place->look(e->at, gpu, use);
}

/* How many tasks shall wait at the place, so that a slot which falls free is
 * filled without asking us. */
static int64_t ahead_count(const struct engine *e, const struct needs *n)
{
    if (e->place->ahead)
        return e->place->ahead(e->at, n);
    if (e->average_s < 0 || e->average_s > AHEAD_TASK_SECONDS)
        return 0;
    double slots = engine_slots(e, n);
    double least_s = AHEAD_SECONDS * slots / AHEAD_MAX;
    if (e->average_s <= least_s)
        return AHEAD_MAX;
    return 1 + (int64_t)(AHEAD_SECONDS * slots / e->average_s);
}

size_t engine_room(const struct engine *e, const struct needs *n, bool ahead)
{
    if (e->quitting)
        return 0;
    int64_t room = e->place->want(e->at, n, &e->all);
    if (ahead)
        room += ahead_count(e, n);
    return room > 0 ? (size_t)room : 0;
}

static void learn_duration(struct engine *e, double seconds)
{
    if (!(seconds >= 0))
        return;
    if (e->average_s < 0)
        e->average_s = seconds;
    else
        e->average_s += (seconds - e->average_s) * AVERAGE_WEIGHT;
}

/* ---- from the queue to the place -------------------------------------- */

static bool wanted_now(const struct engine *e, const struct needs *n)
{
    int64_t free = e->place->want(e->at, n, &e->out) + ahead_count(e, n);
    if (free <= 0 && load_mixed(&e->all, n))
        free += CHOICE;
    return free > 0;
}

static void send_task(struct engine *e, struct held *h)
{
    struct record r = {.type = RECORD_TASK,
                       .attempt = h->attempt,
                       .task = h->id,
                       .payload = str_n(h->text, h->text_len)};
    TAILQ_REMOVE(&e->queue, h, queued);
    h->where = AT_PLACE;
    load_add(&e->out, &h->needs);
    e->place->send(e->at, &r);
    free(h->text);
    h->text = NULL;
}

static void forward(struct engine *e)
{
    for (struct held *h; !e->down && (h = TAILQ_FIRST(&e->queue));) {
        if (!wanted_now(e, &h->needs))
            return;
        send_task(e, h);
    }
}

static int check_task(const struct engine *e, const struct task *t,
                      struct err *err)
{
    if (e->quitting)
        return err_set(err, ERR_BUSY, "the run is ending: no more tasks");
    if (idmap_get(e->held, t->id))
        return err_set(err, ERR_BUSY,
                       "task %" PRIu64 " has an attempt that has not ended",
                       t->id);
    return engine_check(e, &t->needs, err);
}

int engine_submit(struct engine *e, const struct task *t, struct err *err)
{
    if (check_task(e, t, err))
        return -1;
    buf_reset(&e->scratch);
    task_print(&e->scratch, t);
    if (e->scratch.len > RECORD_MAX - RECORD_OVERHEAD)
        return err_set(err, ERR_LIMIT,
                       "task %" PRIu64 " is larger than %u MiB as text", t->id,
                       RECORD_MAX >> 20);
    struct held *h = xcalloc(1, sizeof *h);
    h->id = t->id;
    h->attempt = t->attempt;
    h->where = IN_QUEUE;
    h->needs = t->needs;
    h->text_len = e->scratch.len;
    h->text = xmalloc(h->text_len);
    memcpy(h->text, e->scratch.p, h->text_len);
    idmap_set(e->held, h->id, h);
    load_add(&e->all, &h->needs);
    h->age = e->submitted++;
    TAILQ_INSERT_TAIL(&e->queue, h, queued);
    forward(e);
    return 0;
}

/* A task at the place that this engine has not sent. */
bool engine_adopt(struct engine *e, const struct engine_out *out,
                  const struct needs *n)
{
    require(!idmap_get(e->held, out->task));
    if (!e->place->adopt || !e->place->adopt(e->at, out))
        return false;
    struct held *h = xcalloc(1, sizeof *h);
    h->id = out->task;
    h->attempt = out->attempt;
    h->where = AT_PLACE;
    h->begun = out->begun;
    h->needs = *n;
    idmap_set(e->held, h->id, h);
    load_add(&e->all, n);
    load_add(&e->out, n);
    return true;
}

/* ---- the end of tasks -------------------------------------------------- */

/* True when nothing is left to wait for before `idle`. */
static bool is_idle(const struct engine *e)
{
    size_t left = idmap_count(e->held) - (e->parting ? e->out.count : 0);
    return e->quitting && left == 0;
}

/* After this only the caller knows the task; it must free it. */
static void forget(struct engine *e, struct held *h)
{
    idmap_del(e->held, h->id);
    load_remove(&e->all, &h->needs);
    if (h->where == AT_PLACE)
        load_remove(&e->out, &h->needs);
    if (h->where == IN_QUEUE)
        TAILQ_REMOVE(&e->queue, h, queued);
    if (is_idle(e))
        loop_timer_in(e->later, 0);
}

/* The task has not left the engine: it is answered from the loop. */
static void drop(struct engine *e, struct held *h)
{
    TAILQ_REMOVE(&e->queue, h, queued);
    h->where = DROPPED;
    vec_push(&e->dropped, h);
    loop_timer_in(e->later, 0);
}

static void answer_unstarted(struct engine *e, struct held *h)
{
    struct record_ended ended = {
        .outcome = OUTCOME_UNSTARTED, .exit_code = -1, .wall = clock_wall()};
    struct buf payload;
    buf_init(&payload);
    record_ended_print(&payload, &ended);
    struct record r = {.type = RECORD_ENDED,
                       .attempt = h->attempt,
                       .task = h->id,
                       .payload = buf_str(&payload)};
    forget(e, h);
    e->hooks.record(e->hooks.context, &r);
    held_free(h);
    buf_done(&payload);
}

static void answer_later(void *context)
{
    struct engine *e = context;
    for (size_t i = 0; i < e->dropped.len; i++) /* hooks may drop more */
        answer_unstarted(e, e->dropped.p[i]);
    e->dropped.len = 0;
    if (is_idle(e) && !e->idle_said) {
        e->idle_said = true;
        if (e->hooks.idle)
            e->hooks.idle(e->hooks.context);
    }
}

static void tell(struct engine *e, const struct held *h)
{
    char outcome = (char)h->end_as;
    bool stop = h->asked == ASKED_STOP;
    struct record r = {.type = stop ? RECORD_STOP : RECORD_KILL,
                       .attempt = h->attempt,
                       .task = h->id,
                       .payload = str_n(&outcome, stop ? 0 : 1)};
    e->place->send(e->at, &r);
}

static void ask(struct engine *e, struct held *h, enum asked asked,
                enum outcome end_as)
{
    if (asked <= h->asked)
        return;
    h->asked = asked;
    h->end_as = end_as;
    if (h->where == IN_QUEUE)
        drop(e, h);
    else if (h->where == AT_PLACE && !e->down)
        tell(e, h);
}

void engine_stop_task(struct engine *e, uint64_t task)
{
    struct held *h = idmap_get(e->held, task);
    if (h)
        ask(e, h, ASKED_STOP, OUTCOME_STOPPED);
}

void engine_kill_task(struct engine *e, uint64_t task, enum outcome outcome)
{
    struct held *h = idmap_get(e->held, task);
    if (h)
        ask(e, h, ASKED_KILL, outcome);
}

static void tell_go(struct engine *e, const struct held *h)
{
    struct buf awaits;
    buf_init(&awaits);
    buf_add_u64(&awaits, (uint64_t)h->awaits);
    struct record r = {.type = RECORD_GO,
                       .attempt = h->attempt,
                       .task = h->id,
                       .payload = buf_str(&awaits)};
    e->place->send(e->at, &r);
    buf_done(&awaits);
}

void engine_go_on(struct engine *e, uint64_t task, int64_t awaits)
{
    struct held *h = idmap_get(e->held, task);
    if (!h || h->where != AT_PLACE)
        return;
    h->goes_on = true;
    h->awaits = awaits;
    if (!e->down)
        tell_go(e, h);
}

/* While we believe that a task waits at the place it may begin there. This
 * outcome takes it back if it has not, and means nothing if it has. */
static void take_back(struct engine *e, struct held *h)
{
    if (!h->begun)
        ask(e, h, ASKED_BACK, OUTCOME_UNSTARTED);
}

void engine_take_back(struct engine *e, uint64_t task)
{
    struct held *h = idmap_get(e->held, task);
    if (h)
        take_back(e, h);
}

void engine_quit(struct engine *e, bool kill)
{
    uint64_t id;
    void *h;
    e->quitting = true;
    for (size_t at = 0; idmap_next(e->held, &at, &id, &h);)
        if (kill)
            ask(e, h, ASKED_KILL, OUTCOME_INTERRUPTED);
        else
            take_back(e, h);
    if (idmap_count(e->held) == 0)
        loop_timer_in(e->later, 0);
    else if (kill)
        e->place->hurry(e->at, HASTE_ANSWER);
}

void engine_hurry(struct engine *e)
{
    e->place->hurry(e->at, HASTE_SOON);
}

void engine_part(struct engine *e)
{
    uint64_t id;
    void *at;
    e->quitting = e->parting = true;
    for (size_t i = 0; idmap_next(e->held, &i, &id, &at);)
        if (((struct held *)at)->where == IN_QUEUE)
            take_back(e, at);
    if (is_idle(e))
        loop_timer_in(e->later, 0);
}

void engine_abandon(struct engine *e)
{
    e->place->hurry(e->at, HASTE_NOW);
}

void engine_ack(struct engine *e)
{
    e->place->ack(e->at);
}

/* ---- what a place says ------------------------------------------------- */

static int note_end(struct engine *e, const struct record *r, struct err *err)
{
    struct record_ended ended = {0};
    if (record_ended_parse(r->payload, &ended, err))
        return -1;
    if (ended.outcome != OUTCOME_UNSTARTED && ended.outcome != OUTCOME_SPAWN)
        learn_duration(e, ended.seconds);
    return 0;
}

/* NULL: it is not at the place, or not this attempt of it. */
static struct held *find_out(const struct engine *e, uint64_t task,
                             uint32_t attempt)
{
    struct held *h = idmap_get(e->held, task);
    return h && h->attempt == attempt && h->where == AT_PLACE ? h : NULL;
}

int engine_place_record(struct engine *e, const struct record *r,
                        struct err *err)
{
    struct held *h = find_out(e, r->task, r->attempt);
    if (!h) {
        log_to(e->setup.log, LOG_DEBUG,
               "a record of task %" PRIu64 " attempt %u, which is not here, "
               "was dropped",
               r->task, (unsigned)r->attempt);
        return 0;
    }
    if (r->type == RECORD_STARTING || r->type == RECORD_STARTED)
        h->begun = true;
    if (r->type != RECORD_ENDED) {
        e->hooks.record(e->hooks.context, r);
        return 0;
    }
    if (note_end(e, r, err))
        return -1;
    forget(e, h);
    held_free(h);
    e->hooks.record(e->hooks.context, r);
    forward(e);
    return 0;
}

void engine_place_down(struct engine *e)
{
    e->down = true;
}

static int by_age(const void *a, const void *b)
{
    const struct held *const *x = a, *const *y = b;
    return ((*x)->age > (*y)->age) - ((*x)->age < (*y)->age);
}

void engine_place_lost(struct engine *e, const char *reason)
{
    VEC(struct held *) lost = {0};
    uint64_t id;
    void *h;
    for (size_t at = 0; idmap_next(e->held, &at, &id, &h);)
        if (((struct held *)h)->where == AT_PLACE)
            vec_push(&lost, h);
    if (lost.len)
        qsort(lost.p, lost.len, sizeof *lost.p, by_age);
    uint32_t company = 0;
    for (size_t i = 0; i < lost.len; i++) {
        forget(e, lost.p[i]);
        company += lost.p[i]->begun;
    }
    for (size_t i = 0; i < lost.len; i++) {
        struct held *l = lost.p[i];
        e->hooks.lost(e->hooks.context, l->id, l->attempt, LOSS_GONE,
                      l->begun ? company : 0, reason);
        held_free(l);
    }
    vec_done(&lost);
}

void engine_place_lost_one(struct engine *e, uint64_t task, uint32_t attempt,
                           const struct place_loss *how)
{
    struct held *h = find_out(e, task, attempt);
    if (!h)
        return;
    forget(e, h);
    e->hooks.lost(e->hooks.context, task, attempt, how->loss,
                  h->begun ? how->company : 0, how->reason);
    held_free(h);
    forward(e);
}

uint32_t engine_place_again(struct engine *e, uint64_t task, uint32_t attempt,
                            const struct again *how)
{
    struct held *h = find_out(e, task, attempt);
    if (!h)
        return 0;
    if (!e->hooks.again) {
        struct place_loss lost = {how->loss, 1, how->reason};
        engine_place_lost_one(e, task, attempt, &lost);
        return 0;
    }
    uint32_t number = e->hooks.again(e->hooks.context, task, attempt, how);
    if (number) {
        h->attempt = number;
        h->begun = h->goes_on = false;
        return number;
    }
    forget(e, h);
    held_free(h);
    forward(e);
    return 0;
}

void engine_place_up(struct engine *e)
{
    uint64_t id;
    void *at;
    e->down = false;
    for (size_t i = 0; idmap_next(e->held, &i, &id, &at);) {
        const struct held *h = at;
        if (h->where == AT_PLACE && h->goes_on)
            tell_go(e, h);
        if (h->where == AT_PLACE && h->asked != ASKED_NOTHING)
            tell(e, h);
    }
    forward(e);
}

void engine_place_fault(struct engine *e, const struct err *err)
{
    e->down = true;
    if (e->hooks.fault)
        e->hooks.fault(e->hooks.context, err);
}
