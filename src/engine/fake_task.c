/* fake_task.c - a task of place fake: what it says, and how it ends */
#include "engine/fake.h"

#include <math.h>
#include <stdio.h>

void fake_pass_on(void *context, const struct record *r)
{
    struct fake *f = context;
    for (int i = 0; i < (f->stutters ? 2 : 1); i++)
        require(engine_place_record(f->engine, r, NULL) == 0);
}

void fake_say(struct fake *f, struct fake_task *t, enum record_type type,
              struct str payload)
{
    struct record r = {.type = type,
                       .attempt = t->attempt,
                       .task = t->id,
                       .sequence = ++t->sequence,
                       .payload = payload};
    if (t->cut)
        fake_words_cut(f->words, f->now_s, &r);
    else if (t->torn_s > 0)
        fake_words_torn(f->words, f->now_s, t->torn_s, &r);
    else if (t->late_s > 0)
        fake_words_late(f->words, f->now_s + t->late_s, &r);
    else
        fake_pass_on(f, &r);
}

void fake_say_started(struct fake *f, struct fake_task *t)
{
    struct buf b;
    struct record_started s = {.wall = f->wall + f->now_s,
                               .boot_id = str_of(process_boot_id()),
                               .host = STR("fake")};
    buf_init(&b);
    record_started_print(&b, &s);
    fake_say(f, t, RECORD_STARTED, buf_str(&b));
    buf_done(&b);
}

void fake_say_metrics(struct fake *f, struct fake_task *t)
{
    struct buf b;
    if (metric_batch_points(t->batch) == 0)
        return;
    buf_init(&b);
    metric_batch_print(t->batch, &b);
    fake_say(f, t, RECORD_METRICS, buf_str(&b));
    buf_done(&b);
}

void fake_task_free(struct fake_task *t)
{
    metric_batch_free(t->batch);
    arena_free(t->arena);
    free(t);
}

void fake_free_room(struct fake *f, struct fake_task *t)
{
    if (t->running && !t->vanished)
        room_give_back(&f->here.room, &t->grant);
}

void fake_forget(struct fake *f, struct fake_task *t)
{
    size_t kept = 0;
    for (size_t i = 0; i < f->tasks.len; i++)
        if (f->tasks.p[i] != t)
            f->tasks.p[kept++] = f->tasks.p[i];
    f->tasks.len = kept;
    fake_free_room(f, t);
}

/* Its job is over, and what it said last is no whole record. */
static void end_unheard(struct fake *f, struct fake_task *t)
{
    struct place_loss how = {LOSS_GONE, 1,
                             "the fake job's last words are torn"};
    uint64_t id = t->id;
    uint32_t attempt = t->attempt;
    fake_forget(f, t);
    fake_task_free(t);
    engine_place_lost_one(f->engine, id, attempt, &how);
}

/* Ends t: it is no more after this. */
void fake_finish(struct fake *f, struct fake_task *t,
                 struct record_ended *ended)
{
    struct buf b;
    fake_say_metrics(f, t);
    if (t->cut) {
        end_unheard(f, t);
        return;
    }
    ended->wall = f->wall + f->now_s;
    ended->seconds = t->running ? f->now_s - t->started_s : 0;
    ended->checkpoint_digest = t->checkpoint;
    ended->metric_points = t->points;
    buf_init(&b);
    record_ended_print(&b, ended);
    fake_forget(f, t);
    fake_say(f, t, RECORD_ENDED, buf_str(&b));
    buf_done(&b);
    fake_task_free(t);
}

void fake_finish_as(struct fake *f, struct fake_task *t, enum outcome outcome)
{
    struct record_ended e = {.outcome = outcome, .exit_code = -1};
    if (outcome == OUTCOME_DONE || outcome == OUTCOME_STOPPED)
        e.exit_code = 0;
    else if (outcome != OUTCOME_UNSTARTED)
        e.reason = STR("the fake task was told to end so");
    fake_finish(f, t, &e);
}

void fake_finish_exit(struct fake *f, struct fake_task *t, int code)
{
    char reason[32];
    struct record_ended e = {.outcome = OUTCOME_FAILED, .exit_code = code};
    snprintf(reason, sizeof reason, "exit code %d", code);
    if (code == 0)
        e.outcome = OUTCOME_DONE;
    else if (code == EXIT_CODE_CHECKPOINTED)
        e.outcome = OUTCOME_CHECKPOINTED;
    else if (code == EXIT_CODE_INVALID)
        e.outcome = OUTCOME_INVALID;
    if (e.outcome == OUTCOME_FAILED || e.outcome == OUTCOME_INVALID)
        e.reason = str_of(reason);
    fake_finish(f, t, &e);
}

void fake_finish_signal(struct fake *f, struct fake_task *t, int signum)
{
    char reason[64];
    struct record_ended e = {
        .outcome = OUTCOME_FAILED, .exit_code = -1, .signum = signum};
    snprintf(reason, sizeof reason, "signal %d (%s)", signum,
             strsignal(signum));
    e.reason = str_of(reason);
    fake_finish(f, t, &e);
}

void fake_lose_all(struct fake *f, const char *reason)
{
    engine_place_down(f->engine);
    for (size_t i = 0; i < f->tasks.len; i++) {
        fake_free_room(f, f->tasks.p[i]);
        fake_task_free(f->tasks.p[i]);
    }
    f->tasks.len = 0;
    engine_place_lost(f->engine, reason);
}

/* ---- as it was sent ---------------------------------------------------- */

/* The words before or behind `reads`. */
static struct str join_arguments(const struct task *t, struct arena *a)
{
    struct buf b;
    bool mine = !t->only_read;
    buf_init(&b);
    for (size_t i = 0; i < t->argc; i++) {
        if (str_is(t->argv[i].text, "reads")) {
            mine = !mine;
            continue;
        }
        if (mine && b.len)
            buf_addc(&b, ' ');
        if (mine)
            buf_addstr(&b, t->argv[i].text);
    }
    struct str s = arena_str(a, buf_str(&b));
    buf_done(&b);
    return s;
}

struct fake_task *fake_task_new(const struct record *r)
{
    struct fake_task *t = xcalloc(1, sizeof *t);
    t->id = r->task;
    t->attempt = r->attempt;
    t->arena = arena_new();
    t->end_s = INFINITY;
    t->batch = metric_batch_new();
    t->text = arena_str(t->arena, r->payload);
    require(task_parse(&t->task, t->text, t->arena, NULL) == 0);
    t->as = r->attempt;
    t->words = join_arguments(&t->task, t->arena);
    t->script = t->words;
    t->most = fake_script_most(t->script);
    return t;
}
