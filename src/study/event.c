/* event.c - what a study tells the person's own commands
 *
 * Looked at a few times a second: a best trial is told when its result is
 * committed, and the newest only. */
#include "base/json.h"
#include "study/conductor.h"

#define END_WAIT_S 10.0

static void add_best(struct study *s, struct buf *b)
{
    struct arena *a = arena_new();
    struct trial t;
    buf_adds(b, ",\"best\":");
    if (s->run.best && !store_trial(s->store, s->run.best, a, &t, NULL)) {
        buf_addf(b, "{\"trial\":%lld,\"metric\":", (long long)t.id);
        json_string(b, s->plan->metric.name);
        buf_adds(b, ",\"value\":");
        json_number(b, t.value);
        buf_addf(b, ",\"params\":%.*s}", STRF(t.point));
    } else {
        buf_adds(b, "null");
    }
    arena_free(a);
}

static void add_incumbent(struct study *s, struct buf *b)
{
    struct trial_mean likely;
    if (!study_likely(s, &likely))
        return;
    buf_addf(b, ",\"incumbent\":{\"trial\":%lld,\"expected\":",
             (long long)likely.trial);
    json_number(b, likely.mean);
    buf_addc(b, '}');
}

static void begin_event(struct study *s, struct buf *b, const char *event)
{
    struct study_progress p;
    study_progress(s, &p);
    buf_addf(
        b, "{\"schema\":\"throng.event/1\",\"event\":\"%s\",\"study\":", event);
    json_string(b, s->plan->name);
    buf_adds(b, ",\"folder\":");
    json_string(b, str_of(s->setup.folder));
    buf_adds(b, ",\"total\":");
    if (p.total >= 0)
        buf_addf(b, "%lld", (long long)p.total);
    else
        buf_adds(b, "null");
    buf_adds(b, ",\"states\":{");
    for (int i = 0; i < STATE_COUNT; i++)
        buf_addf(b, "%s\"%s\":%lld", i ? "," : "", state_name((enum state)i),
                 (long long)p.counts.by_state[i]);
    buf_addf(b, "},\"seconds\":%.3f", p.elapsed_s);
    add_best(s, b);
    add_incumbent(s, b);
}

void study_events_open(struct study *s)
{
    s->hooks = (struct hooks){
        .commands = {[HOOK_BEST] = s->plan->on_best,
                     [HOOK_FINISH] = s->plan->on_finish},
        .home = s->setup.home,
        .log_path = path_join(s->arena, s->setup.folder, "hooks.log"),
        .mask = s->setup.mask,
        .log = s->setup.log,
    };
    s->told_best = s->new_best = s->run.best;
}

/* True when the transaction that made it the best is committed. */
static bool best_is_written(struct study *s)
{
    if (s->run.best != s->new_best) {
        s->new_best = s->run.best;
        s->new_ns = clock_mono_ns();
    }
    return !s->run.dirty || s->run.dirty_ns > s->new_ns;
}

void study_events_look(struct study *s)
{
    struct buf b;
    hooks_look(&s->hooks);
    if (s->run.best == s->told_best || !best_is_written(s) ||
        !hook_free(&s->hooks, HOOK_BEST))
        return;
    s->told_best = s->run.best;
    buf_init(&b);
    begin_event(s, &b, "best");
    buf_adds(&b, "}\n");
    hook_call(&s->hooks, HOOK_BEST, buf_str(&b));
    buf_done(&b);
}

/* A person who ends a run knows that it ended. */
static bool is_news(const struct study *s)
{
    return s->run.ended_here && s->run.end != STUDY_DRAINED &&
           s->run.end != STUDY_INTERRUPTED && s->run.end != STUDY_BROKEN;
}

void study_events_end(struct study *s, const char *end)
{
    struct buf b;
    if (s->run.best != s->told_best)
        hooks_wait(&s->hooks, END_WAIT_S);
    study_events_look(s);
    /* The end is told last. */
    hooks_wait(&s->hooks, END_WAIT_S);
    if (is_news(s) && hook_free(&s->hooks, HOOK_FINISH)) {
        buf_init(&b);
        begin_event(s, &b, "finish");
        buf_adds(&b, ",\"end\":");
        json_string(&b, str_of(end));
        buf_adds(&b, "}\n");
        hook_call(&s->hooks, HOOK_FINISH, buf_str(&b));
        buf_done(&b);
    }
    hooks_end(&s->hooks, END_WAIT_S);
}
