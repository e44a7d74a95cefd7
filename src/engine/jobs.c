/* jobs.c - a place that stands on a scheduler: opening, room, what it is told
 *
 * A task that it was sent is in exactly one of: `waiting` (or `in_order`,
 * while the scheduler is asked), or a bundle that the scheduler has. All of
 * the second kind stand in files, so that another conductor finds them; those
 * of the first kind are nobody's when we are gone.
 *
 * Everything happens in the tick, which comes soon after something did and
 * less and less often while nothing does. */
#include "engine/jobs.h"

#include "base/chars.h"
#include "engine/mark.h"
#include <math.h>
#include <stdio.h>
#include <unistd.h>

#define TICK_SECONDS 0.02
#define TICK_MAX_SECONDS 1.0
/* Looking at files may take this part of our time. */
#define TICK_SHARE 0.1
#define BUNDLE_SECONDS 1800.0
/* How long before the end of its time a job is told. */
#define LEAD_SECONDS 60.0
/* Between two questions to the scheduler, at most. */
#define LOOK_MAX_SECONDS 30.0
/* Of a scheduler that tells by files of its own, which cost nothing. */
#define LOOK_LATE_SECONDS 1.0
/* Where nobody knows what the scheduler has. */
#define SLOTS_UNKNOWN 1000u
/* Work for so many turns of all slots is taken ahead, … */
#define AHEAD_TURNS 2
#define AHEAD_MAX 20000.0
/* … and this much while nobody knows how long a task takes. */
#define AHEAD_BLIND 256
/* A job whose tasks are all to be ended has so much longer than they. */
#define KILL_SECONDS 10.0
#define SOON_SECONDS 3.0
#define NAME_MAX_LENGTH 40

/* ---- finding tasks
 * ------------------------------------------------------------ */

void jobs_list(struct jobs *j, struct submission *s)
{
    vec_push(&j->list, s);
    for (uint32_t k = 0; k < s->count; k++)
        for (size_t i = 0; i < s->bundles[k].count; i++) {
            struct out_task *t = &s->bundles[k].tasks[i];
            t->same = idmap_set(j->tasks, t->id, t);
        }
}

static void forget_task(struct jobs *j, struct out_task *t)
{
    struct out_task *first = idmap_get(j->tasks, t->id), *at = first;
    if (first == t && t->same) {
        idmap_set(j->tasks, t->id, t->same);
    } else if (first == t) {
        idmap_del(j->tasks, t->id);
    } else {
        while (at && at->same != t)
            at = at->same;
        if (at)
            at->same = t->same;
    }
}

void jobs_forget(struct jobs *j, struct submission *s)
{
    for (uint32_t k = 0; k < s->count; k++)
        for (size_t i = 0; i < s->bundles[k].count; i++)
            forget_task(j, &s->bundles[k].tasks[i]);
}

struct out_task *jobs_find(const struct jobs *j, uint64_t task,
                           uint32_t attempt)
{
    struct out_task *t = idmap_get(j->tasks, task);
    while (t && (!t->held || t->attempt != attempt))
        t = t->same;
    return t;
}

void jobs_answered(struct out_task *t)
{
    require(t->held && t->bundle->open > 0);
    t->held = false;
    t->bundle->open--;
    t->bundle->killed -= t->kill;
}

void jobs_answer(struct jobs *j, uint64_t task, uint32_t attempt,
                 const struct job_answer *a)
{
    struct record_ended ended = {.outcome = a->outcome,
                                 .exit_code = -1,
                                 .wall = clock_wall(),
                                 .seconds = a->seconds,
                                 .reason = str_of(a->reason)};
    struct buf payload;
    buf_init(&payload);
    record_ended_print(&payload, &ended);
    struct record r = {.type = RECORD_ENDED,
                       .attempt = attempt,
                       .task = task,
                       .payload = buf_str(&payload)};
    require(engine_place_record(j->engine, &r, NULL) == 0);
    buf_done(&payload);
}

/* ---- room
 * ----------------------------------------------------------------------- */

int jobs_check(const void *place, const struct needs *n, struct err *err)
{
    const struct jobs *j = place;
    const struct nodes *nodes = j->scheduler->nodes(j->at);
    uint32_t slots = (uint32_t)jobs_job_slots(j, n);
    if (needs_spread_check(n, err) || nodes_check(nodes, n, err))
        return -1;
    struct needs all = needs_times(n, slots);
    if (slots == 1 || !j->job_slots || nodes_check(nodes, &all, err) == 0)
        return 0;
    return err_wrap(err, "a job of %u slots (job_slots)", slots);
}

uint32_t jobs_slots(const void *place, const struct needs *n)
{
    const struct jobs *j = place;
    const struct nodes *nodes = j->scheduler->nodes(j->at);
    uint32_t slots = nodes->list.len ? nodes_slots(nodes, n) : SLOTS_UNKNOWN;
    double jobs =
        (double)j->scheduler->jobs_max(j->at) * (double)jobs_job_slots(j, n);
    slots = slots ? slots : 1;
    slots = (uint32_t)fmin(slots, jobs);
    if (j->given->parallel && j->given->parallel < slots)
        slots = j->given->parallel;
    return slots;
}

int64_t jobs_want(const void *place, const struct needs *n,
                  const struct load *held)
{
    return (int64_t)jobs_slots(place, n) - (int64_t)held->count;
}

int64_t jobs_ahead(const void *place, const struct needs *n)
{
    const struct jobs *j = place;
    struct sizes s;
    if (j->task_s < 0)
        return AHEAD_BLIND;
    jobs_sizes(j, n, NULL, &s);
    double jobs = ceil((double)s.slots / (double)s.job_slots);
    return (int64_t)fmin(AHEAD_TURNS * jobs * (double)sizes_full(&s),
                         AHEAD_MAX);
}

/* ---- what it is told
 * --------------------------------------------------------------- */

void jobs_soon(struct jobs *j)
{
    j->tick_s = TICK_SECONDS;
    if (j->started)
        loop_timer_in(j->tick, TICK_SECONDS);
}

static void take_task(struct jobs *j, const struct record *r)
{
    struct waiting *w = xcalloc(1, sizeof *w);
    struct arena *a = arena_new();
    struct task t;
    w->id = r->task;
    w->attempt = r->attempt;
    buf_init(&w->text);
    buf_addstr(&w->text, r->payload);
    require(task_parse(&t, buf_str(&w->text), a, NULL) == 0);
    w->needs = t.needs;
    w->saves = j->classes.list.len && pieces_saves(&t);
    arena_free(a);
    vec_push(&j->waiting, w);
    idmap_set(j->waits, w->id, w);
    j->sent_ns = clock_mono_ns();
}

/* Nothing is left for the job to do: it need not begin, or go on. */
static void end_job_too(struct jobs *j, struct bundle *b)
{
    if (b->killed < b->open)
        return;
    bool again, waits = bundle_waits(b, &again);
    bool hears = !waits && !j->scheduler->late;
    if (waits || !b->back)
        jobs_doom(j, b, hears ? b->grace_s + KILL_SECONDS : 0);
}

static void take_wish(struct jobs *j, struct out_task *t,
                      const struct record *r)
{
    struct bundle *b = t->bundle;
    struct wanted w = {.bundle = b, .record = *r};
    if (r->payload.len > sizeof w.bytes)
        return;
    memcpy(w.bytes, r->payload.p, r->payload.len);
    w.record.attempt = t->as; /* as the bundle has it */
    vec_push(&j->wishes, w);
    t->stop |= r->type == RECORD_STOP;
    if (r->type == RECORD_STOP)
        jobs_wish(b);
    if (r->type != RECORD_KILL || r->payload.len != 1)
        return;
    b->killed += !t->kill;
    t->kill = true;
    t->end_as = (enum outcome)r->payload.p[0];
    b->back |= t->end_as == OUTCOME_UNSTARTED;
    if (t->end_as == OUTCOME_KILLED)
        jobs_wish(b);
    end_job_too(j, b);
}

void jobs_send(void *place, const struct record *r)
{
    struct jobs *j = place;
    struct waiting *w = idmap_get(j->waits, r->task);
    struct out_task *t;
    if (r->type == RECORD_TASK)
        take_task(j, r);
    else if (w && w->attempt == r->attempt)
        w->dropped |= r->type != RECORD_GO;
    else if ((t = jobs_find(j, r->task, r->attempt)))
        take_wish(j, t, r);
    jobs_soon(j);
}

/* Those that could not be written are tried again. */
static void write_wishes(struct jobs *j)
{
    struct err err = {0};
    size_t done = 0;
    for (; done < j->wishes.len; done++) {
        struct wanted *w = &j->wishes.p[done];
        w->record.payload.p = w->bytes;
        if (!w->bundle->over && asked_add(&w->bundle->asked, &w->record, &err))
            break;
    }
    if (done < j->wishes.len && !j->wish_told)
        log_to(j->given->log, LOG_WARN,
               "what was asked of tasks cannot be told to their jobs: %s",
               err.text);
    j->wish_told = done < j->wishes.len;
    j->wishes.len -= done;
    if (done)
        memmove(j->wishes.p, j->wishes.p + done,
                j->wishes.len * sizeof *j->wishes.p);
}

/* Tasks that were taken back before they were in a job. */
static void answer_dropped(struct jobs *j)
{
    VEC(struct waiting *) dropped = {0};
    size_t kept = 0;
    for (size_t i = 0; i < j->waiting.len; i++)
        if (j->waiting.p[i]->dropped)
            vec_push(&dropped, j->waiting.p[i]);
        else
            j->waiting.p[kept++] = j->waiting.p[i];
    j->waiting.len = kept;
    for (size_t i = 0; i < dropped.len; i++)
        idmap_del(j->waits, dropped.p[i]->id);
    for (size_t i = 0; i < dropped.len; i++) {
        struct waiting *w = dropped.p[i];
        jobs_answer(j, w->id, w->attempt,
                    &(struct job_answer){OUTCOME_UNSTARTED, 0, ""});
        waiting_free(w);
    }
    vec_done(&dropped);
}

void jobs_ack(void *place)
{
    struct jobs *j = place;
    if (j->unacked)
        jobs_soon(j);
    j->unacked = false;
}

static void on_tick(void *context)
{
    struct jobs *j = context;
    int64_t begin = clock_mono_ns();
    if (!j->unacked)
        jobs_tidy(j);
    answer_dropped(j);
    write_wishes(j);
    jobs_remind(j);
    size_t heard = jobs_follow(j);
    jobs_cancel_due(j);
    jobs_hand_out(j);
    double took_s = (double)(clock_mono_ns() - begin) / 1e9;
    j->tick_s = heard ? TICK_SECONDS : fmin(j->tick_s * 1.5, TICK_MAX_SECONDS);
    if (j->list.len || j->waiting.len || j->ordered)
        loop_timer_in(j->tick, fmax(j->tick_s, took_s / TICK_SHARE));
}

static void on_look_timer(void *context)
{
    jobs_look(context);
}

void jobs_hurry(void *place, enum haste haste)
{
    struct jobs *j = place;
    for (size_t i = 0; i < j->list.len; i++)
        for (uint32_t k = 0; k < j->list.p[i]->count; k++) {
            struct bundle *b = &j->list.p[i]->bundles[k];
            if (b->open && haste != HASTE_ANSWER) {
                b->back = false;
                jobs_doom(j, b, haste == HASTE_SOON ? SOON_SECONDS : 0);
            }
        }
    if (haste != HASTE_NOW)
        return;
    jobs_cancel_due(j);
    engine_place_down(j->engine);
    for (size_t i = 0; i < j->list.len; i++)
        for (uint32_t k = 0; k < j->list.p[i]->count; k++)
            for (size_t t = 0; t < j->list.p[i]->bundles[k].count; t++)
                if (j->list.p[i]->bundles[k].tasks[t].held)
                    jobs_answered(&j->list.p[i]->bundles[k].tasks[t]);
    for (size_t i = 0; i < j->waiting.len; i++)
        waiting_free(j->waiting.p[i]);
    j->waiting.len = 0;
    engine_place_lost(j->engine, "its job was ended at once");
    engine_place_up(j->engine);
}

/* ---- what an earlier conductor left
 * ----------------------------------------------- */

/* The attempt as it was handed out, or as a start of the job that was heard
 * to begin it again. */
bool jobs_adopt(void *place, const struct engine_out *out)
{
    struct jobs *j = place;
    struct out_task *t = idmap_get(j->tasks, out->task);
    uint32_t as = out->start ? out->as : out->attempt;
    while (t && (t->as != as || t->held))
        t = t->same;
    if (!t)
        return false;
    t->held = true;
    t->attempt = out->attempt;
    t->start = out->start;
    t->begun = out->begun;
    t->bundle->open++;
    return true;
}

static void end_unadopted(struct jobs *j, struct bundle *b)
{
    char outcome = (char)OUTCOME_INTERRUPTED;
    if (!b->open) {
        jobs_doom(j, b, 0);
        return;
    }
    for (size_t i = 0; i < b->count; i++) {
        struct wanted w = {.bundle = b};
        if (b->tasks[i].held)
            continue;
        w.record = (struct record){.type = RECORD_KILL,
                                   .task = b->tasks[i].id,
                                   .attempt = b->tasks[i].as,
                                   .payload = {.len = 1}};
        w.bytes[0] = outcome;
        vec_push(&j->wishes, w);
    }
}

void jobs_set_mark(struct jobs *j, uint64_t epoch)
{
    struct mark mark = {j->given->folder, epoch};
    j->mark = mark_text(j->arena, &mark, MARK_JOB);
}

int jobs_start(void *place, uint64_t epoch, struct err *err)
{
    struct jobs *j = place;
    (void)err;
    jobs_set_mark(j, epoch);
    j->started = true;
    for (size_t i = 0; i < j->list.len; i++)
        for (uint32_t k = 0; k < j->list.p[i]->count; k++)
            end_unadopted(j, &j->list.p[i]->bundles[k]);
    if (j->list.len) {
        jobs_soon(j);
        loop_timer_in(j->look_timer, 0);
    }
    return 0;
}

/* ---- opening and closing
 * ------------------------------------------------------------ */

/* A name that no other folder of jobs has, kept in it. */
static int read_label(struct jobs *j, struct err *err)
{
    const char *path = path_join(j->arena, j->root, "mark");
    const char *study = j->given->name ? j->given->name : "study";
    struct buf b;
    buf_init(&b);
    if (file_read(path, 64, &b, NULL) || str_trim(buf_str(&b)).len == 0) {
        uint32_t random = 0;
        if (getentropy(&random, sizeof random))
            random = (uint32_t)clock_mono_ns();
        buf_reset(&b);
        buf_addf(&b, "%08x", j->given->preview ? 0 : random);
        if (!j->given->preview &&
            (dir_make_below(j->given->folder, j->root, err) ||
             file_write(path, buf_str(&b), true, err))) {
            buf_done(&b);
            return -1;
        }
    }
    char *name = arena_printf(j->arena, "throng-%.*s-%.*s", NAME_MAX_LENGTH,
                              study, STRF(str_trim(buf_str(&b))));
    for (char *c = name; *c; c++)
        if (!is_word(*c) && !strchr(".-", *c))
            *c = '_';
    j->label = name;
    buf_done(&b);
    return 0;
}

static int load_all(struct jobs *j, struct err *err)
{
    size_t count;
    uint32_t *numbers = submission_numbers(j->root, j->arena, &count);
    for (size_t i = 0; i < count; i++) {
        struct err why = {0};
        const char *name =
            arena_printf(j->arena, "%s.%u", j->label, numbers[i]);
        struct submission *s = submission_load(j->root, numbers[i], name, &why);
        j->last_n = numbers[i];
        if (why.kind)
            return err_set(err, why.kind, "%s", why.text);
        if (s) {
            s->jobs = j;
            jobs_list(j, s);
        }
    }
    return 0;
}

static void jobs_free(struct jobs *j)
{
    for (size_t i = 0; i < j->waiting.len; i++)
        waiting_free(j->waiting.p[i]);
    for (size_t i = 0; i < j->in_order.len; i++)
        waiting_free(j->in_order.p[i]);
    for (size_t i = 0; i < j->list.len; i++)
        submission_free(j->list.p[i]);
    if (j->at)
        j->scheduler->close(j->at);
    vec_done(&j->waiting);
    vec_done(&j->in_order);
    vec_done(&j->list);
    vec_done(&j->wishes);
    vec_done(&j->asked_jobs);
    idmap_free(j->waits);
    idmap_free(j->tasks);
    idmap_free(j->removed);
    idmap_free(j->cut);
    idmap_free(j->checkpoints);
    classes_done(&j->classes);
    streaks_done(&j->streaks);
    loop_remove(j->tick);
    loop_remove(j->look_timer);
    arena_free(j->arena);
    free(j);
}

void *jobs_open(const struct scheduler *scheduler,
                const struct place_setup *setup, struct err *err)
{
    struct jobs *j = xcalloc(1, sizeof *j);
    j->scheduler = scheduler;
    j->engine = setup->engine;
    j->given = setup->given;
    j->arena = arena_new();
    j->root = submission_root(j->arena, setup->given->folder);
    j->waits = idmap_new();
    j->tasks = idmap_new();
    j->removed = idmap_new();
    j->cut = idmap_new();
    j->checkpoints = idmap_new();
    j->task_s = j->longest_s = j->need_s = -1;
    j->tick = loop_timer(setup->given->loop, on_tick, j);
    j->look_timer = loop_timer(setup->given->loop, on_look_timer, j);
    j->bundle_time_s =
        site_number(setup->given->site, "bundle_time", BUNDLE_SECONDS);
    j->time_s = site_number(setup->given->site, "time", 0);
    j->look_max_s =
        site_number(setup->given->site, "look",
                    scheduler->late ? LOOK_LATE_SECONDS : LOOK_MAX_SECONDS);
    j->lead_s = site_number(setup->given->site, "lead", LEAD_SECONDS);
    j->job_slots = (uint32_t)site_number(setup->given->site, "job_slots", 1);
    j->throttle = (uint32_t)site_number(setup->given->site, "throttle", 0);
    j->packs = !value_get(setup->given->site, STR("job_slots"));
    struct scheduler_setup given = {setup->given, j->arena};
    j->at = scheduler->open(&given, err);
    if (j->at && pieces_open(j, err) == 0 && read_label(j, err) == 0 &&
        load_all(j, err) == 0)
        return j;
    jobs_free(j);
    return NULL;
}

/* What the scheduler was asked is heard first: an array that it takes now must
 * not be forgotten. Who never started may have found that another conductor has
 * the study: the files are that one's. */
void jobs_close(void *place, bool leave)
{
    struct jobs *j = place;
    j->closing = true;
    j->scheduler->drain(j->at);
    if (!j->started) {
        jobs_free(j);
        return;
    }
    pieces_keep(j);
    for (size_t i = 0; !leave && i < j->list.len; i++)
        for (uint32_t k = 0; k < j->list.p[i]->count; k++)
            if (j->list.p[i]->bundles[k].open) {
                j->list.p[i]->bundles[k].back = false;
                jobs_doom(j, &j->list.p[i]->bundles[k], 0);
            }
    write_wishes(j);
    if (!leave)
        jobs_cancel_due(j);
    if (!j->look_failed)
        jobs_settle(j);
    if (!j->unacked)
        jobs_tidy(j);
    jobs_free(j);
}
