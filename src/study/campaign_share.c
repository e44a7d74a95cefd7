/* campaign_share.c - one `parallel` for all stages that run at the same time
 *
 * Studies share equally in it, a command needs one. Whenever a stage begins or
 * ends, the parts are made anew and said to the stages' conductors, on the pipe
 * that tells them that we live. A part that becomes smaller is free only when
 * the trials that are too many have ended: until then they count, so that
 * there are not more trials at once than `parallel` says. */
#include <stdio.h>
#include <unistd.h>
#include "study/campaign.h"

/* A study whose part may be any; a command is one trial. */
static bool shares(const struct stage *s)
{
    return s->plan->study && (s->plan->study_file.len ||
                              value_get(s->plan->study, STR("predict")));
}

static uint32_t used_by(const struct stage *s)
{
    if (s->state != STAGE_RUNS)
        return 0;
    return s->out > s->share ? s->out : s->share;
}

static uint32_t room(const struct campaign *c)
{
    uint32_t used = 0;
    for (size_t i = 0; i < c->count; i++)
        used += used_by(&c->stages[i]);
    return used < c->plan->parallel ? c->plan->parallel - used : 0;
}

/* An equal part for each study that runs or could. */
static uint32_t part(const struct campaign *c)
{
    uint32_t commands = 0, studies = 0;
    for (size_t i = 0; i < c->count; i++) {
        const struct stage *s = &c->stages[i];
        if (!s->plan->study ||
            (s->state != STAGE_RUNS && !stage_is_ready(c, s)))
            continue;
        commands += !shares(s);
        studies += shares(s);
    }
    if (!studies || c->plan->parallel <= commands)
        return 1;
    uint32_t each = (c->plan->parallel - commands) / studies;
    return each ? each : 1;
}

uint32_t share_to_begin(const struct campaign *c, const struct stage *s)
{
    uint32_t left = room(c), wanted = shares(s) ? part(c) : 1;
    if (!c->plan->parallel || !s->plan->study)
        return 0;
    return left < wanted ? left : wanted;
}

/* Trials of a stage that run now. */
static uint32_t running(const struct stage *s)
{
    struct counts n = {0};
    struct store *store = store_open(s->folder, false, NULL);
    bool known = store && !store_counts(store, &n, NULL);
    store_close(store);
    return known ? (uint32_t)n.by_state[STATE_RUNNING] : s->out;
}

/* A conductor that is just ending does not hear it, and need not. */
static void say(struct stage *s, uint32_t share)
{
    char text[32];
    int n = snprintf(text, sizeof(text), "%u\n", share);
    if (s->out < s->share)
        s->out = s->share;
    s->share = share;
    if (write(s->control, text, (size_t)n) != n)
        return;
}

void share_out(struct campaign *c)
{
    uint32_t each = part(c), left;
    if (!c->plan->parallel)
        return;
    for (size_t i = 0; i < c->count; i++) {
        struct stage *s = &c->stages[i];
        if (s->state == STAGE_RUNS && s->out > s->share)
            s->out = running(s); /* it has heard of its part by now */
        if (s->state == STAGE_RUNS && shares(s) && each < s->share)
            say(s, each);
    }
    left = room(c);
    for (size_t i = 0; i < c->count; i++) {
        struct stage *s = &c->stages[i];
        if (s->state != STAGE_RUNS || !shares(s) || s->share >= each || !left)
            continue;
        uint32_t more = each - s->share < left ? each - s->share : left;
        uint32_t before = used_by(s);
        say(s, s->share + more);
        s->out = 0;
        left -= used_by(s) - before;
    }
}
