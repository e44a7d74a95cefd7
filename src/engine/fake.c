/* fake.c - place fake: tasks that only pretend, for tests of the conductor
 *
 * No process is started and no time passes: the clock is virtual and jumps to
 * the next thing that happens. One step of one task is done per turn of the
 * loop, so that others can act in between. Equal tasks give equal records.
 *
 * A task does what its script says (fake_script.c). Tasks wait for room as they
 * do at a real worker. They are freed only by the step that ends them. */
#include "engine/fake.h"

#include <math.h>
#include <unistd.h>

/* ---- steps ------------------------------------------------------------ */

static void come_back(struct fake *f)
{
    f->now_s = f->back_s;
    f->away = false;
    if (f->losing)
        fake_lose_all(f, f->losing);
    engine_place_up(f->engine);
}

/* False: it is nobody's any more, and gone. */
static bool number_anew(struct fake *f, struct fake_task *t)
{
    struct again how = {.as = t->as,
                        .start = t->start + 1,
                        .loss = t->loss,
                        .reason = "the fake node failed"};
    uint32_t number = engine_place_again(f->engine, t->id, t->attempt, &how);
    if (!number) {
        t->running = true; /* it has its room */
        fake_forget(f, t);
        fake_task_free(t);
        return false;
    }
    t->anew = false;
    t->start++;
    t->attempt = number;
    t->sequence = 0;
    t->points = 0;
    return true;
}

static void start(struct fake *f, struct fake_task *t)
{
    if (t->anew && !number_anew(f, t))
        return;
    t->running = true;
    t->started_s = t->wake_s = f->now_s;
    if (t->task.needs.time_s > 0) {
        t->end_s = f->now_s + t->task.needs.time_s;
        t->end_as = OUTCOME_TIMED_OUT;
    }
    fake_say(f, t, RECORD_STARTING, (struct str){0});
    fake_say_started(f, t);
}

static size_t count_running(const struct fake *f)
{
    size_t count = 0;
    for (size_t i = 0; i < f->tasks.len; i++)
        count += f->tasks.p[i]->running && !f->tasks.p[i]->vanished;
    return count;
}

static void refuse(struct fake *f, struct fake_task *t)
{
    struct record_ended e = {.outcome = OUTCOME_UNSTARTED,
                             .exit_code = -1,
                             .reason = STR("the fake machine is short")};
    fake_finish(f, t, &e);
}

/* Starts the oldest task that fits. */
static bool start_one(struct fake *f)
{
    for (size_t i = 0; i < f->tasks.len; i++) {
        struct fake_task *t = f->tasks.p[i];
        if (!t->running && t->most < SIZE_MAX && count_running(f) >= t->most) {
            refuse(f, t);
            return true;
        }
        if (!t->running && isinf(t->end_s) && t->due_s <= f->now_s &&
            room_take(&f->here.room, &t->task.needs, &t->grant)) {
            start(f, t);
            return true;
        }
    }
    return false;
}

static double next_s(const struct fake *f, const struct fake_task *t)
{
    double wake = t->running            ? t->wake_s
                  : t->due_s > f->now_s ? t->due_s
                                        : INFINITY;
    return t->end_s < wake ? t->end_s : wake;
}

/* The task to which something happens first, or NULL. */
static struct fake_task *find_next(const struct fake *f)
{
    struct fake_task *next = NULL;
    for (size_t i = 0; i < f->tasks.len; i++) {
        struct fake_task *t = f->tasks.p[i];
        if (!isinf(next_s(f, t)) && (!next || next_s(f, t) < next_s(f, next)))
            next = t;
    }
    return next;
}

/* True when words come through before anything else happens. */
static bool comes_through(const struct fake *f, const struct fake_task *next)
{
    double due_s = fake_words_due(f->words);
    return !isinf(due_s) && (!next || due_s <= next_s(f, next));
}

static void hear_words(struct fake *f)
{
    f->now_s = fmax(f->now_s, fake_words_due(f->words));
    fake_words_step(f->words);
}

static void on_step(void *context)
{
    struct fake *f = context;
    struct fake_task *t;
    if (f->away) {
        come_back(f);
    } else if (start_one(f)) {
    } else if (comes_through(f, find_next(f))) {
        hear_words(f);
    } else if ((t = find_next(f))) {
        if (next_s(f, t) > f->now_s)
            f->now_s = next_s(f, t);
        if (t->end_s <= f->now_s)
            fake_finish_as(f, t, t->end_as);
        else if (t->running)
            fake_script_run(f, t);
    }
    if (f->tasks.len || !isinf(fake_words_due(f->words)))
        loop_timer_in(f->step, 0);
}

/* ---- what it is told -------------------------------------------------- */

static struct fake_task *find(const struct fake *f, const struct record *r)
{
    for (size_t i = 0; i < f->tasks.len; i++)
        if (f->tasks.p[i]->id == r->task &&
            f->tasks.p[i]->attempt == r->attempt)
            return f->tasks.p[i];
    return NULL;
}

static void end_at(struct fake_task *t, double at_s, enum outcome outcome)
{
    if (at_s > t->end_s)
        return;
    t->end_s = at_s;
    t->end_as = t->running ? outcome : OUTCOME_UNSTARTED;
}

static void fake_send(void *place, const struct record *r)
{
    struct fake *f = place;
    struct fake_task *t = find(f, r);
    loop_timer_in(f->step, 0);
    if (t && t->deaf)
        return;
    if (r->type == RECORD_TASK) {
        vec_push(&f->tasks, fake_task_new(r));
    } else if (t && r->type == RECORD_STOP) {
        double wait_s = t->ignore_stop ? 2 * t->task.grace_s : 0;
        end_at(t, f->now_s + wait_s, OUTCOME_STOPPED);
    } else if (t && r->type == RECORD_KILL && r->payload.len == 1) {
        enum outcome outcome = (enum outcome)r->payload.p[0];
        if (outcome != OUTCOME_UNSTARTED || !t->running)
            end_at(t, f->now_s, outcome);
    }
}

static void fake_ack(void *place)
{
    (void)place;
}

static void fake_hurry(void *place, enum haste haste)
{
    struct fake *f = place;
    if (haste != HASTE_NOW || f->away)
        return;
    fake_lose_all(f, "the fake worker was ended");
    engine_place_up(f->engine);
}

/* ---- opening and closing ---------------------------------------------- */

static void *fake_open(const struct place_setup *setup, struct err *err)
{
    struct fake *f = xcalloc(1, sizeof *f);
    (void)err;
    f->engine = setup->engine;
    f->trained = idmap_new();
    f->words = fake_words_new(setup->given->folder, fake_pass_on, f);
    here_open(&f->here, setup->given);
    f->wall = clock_wall();
    f->step = loop_timer(setup->given->loop, on_step, f);
    return f;
}

static void *cluster_open(const struct place_setup *setup, struct err *err)
{
    struct fake *f = fake_open(setup, err);
    f->stutters = true;
    f->left_path = path_join(f->here.arena, setup->given->folder, "fake-left");
    fake_left_read(f);
    return f;
}

static int fake_start(void *place, uint64_t epoch, struct err *err)
{
    struct fake *f = place;
    (void)epoch;
    (void)err;
    for (size_t i = 0; i < f->left.len; i++)
        fake_task_free(f->left.p[i]);
    f->left.len = 0;
    if (f->left_path)
        unlink(f->left_path);
    return 0;
}

static void fake_close(void *place, bool leave)
{
    struct fake *f = place;
    if (leave && f->left_path)
        fake_left_write(f);
    for (size_t i = 0; i < f->left.len; i++)
        fake_task_free(f->left.p[i]);
    vec_done(&f->left);
    for (size_t i = 0; i < f->tasks.len; i++)
        fake_task_free(f->tasks.p[i]);
    vec_done(&f->tasks);
    fake_words_free(f->words);
    loop_remove(f->step);
    idmap_free(f->trained);
    here_close(&f->here);
    free(f);
}

PLACE(fake) = {
    .name = "fake",
    .open = fake_open,
    .start = fake_start,
    .close = fake_close,
    .check = here_check,
    .slots = here_slots,
    .want = here_want,
    .gpus = here_gpus,
    .look = here_look,
    .send = fake_send,
    .ack = fake_ack,
    .hurry = fake_hurry,
};

/* Its tasks outlive their conductor, and it says everything twice. */
PLACE(fake_cluster) = {
    .name = "fake-cluster",
    .outlives = true,
    .open = cluster_open,
    .start = fake_start,
    .adopt = fake_adopt,
    .close = fake_close,
    .check = here_check,
    .slots = here_slots,
    .want = here_want,
    .send = fake_send,
    .ack = fake_ack,
    .hurry = fake_hurry,
};
