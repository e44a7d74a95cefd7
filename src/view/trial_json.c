/* trial_json.c - one trial as JSON */
#include "view/view.h"

#include <math.h>
#include "base/json.h"
#include "base/strict_json.h"

void summary_values(const struct value *summary, struct str name,
                    const struct goal *goal, double *last, double *best)
{
    const struct value *m = value_get(summary, name);
    bool minimize = goal_minimizes(goal, name);
    *last = value_number(value_get(m, STR("last")));
    *best = value_number(value_get(m, minimize ? STR("min") : STR("max")));
}

static void add_metrics(struct buf *b, const struct trial *t,
                        const struct goal *goal, struct arena *a)
{
    struct value *summary =
        t->summary.len ? json_parse(a, t->summary, "summary", false, NULL)
                       : NULL;
    buf_adds(b, ",\"metrics\":{");
    for (size_t i = 0; summary && i < summary->count; i++) {
        double last, best;
        summary_values(summary, summary->keys[i], goal, &last, &best);
        if (i)
            buf_addc(b, ',');
        json_string(b, summary->keys[i]);
        buf_adds(b, ":{\"last\":");
        strict_number(b, last);
        buf_adds(b, ",\"best\":");
        strict_number(b, best);
        buf_addc(b, '}');
    }
    buf_addc(b, '}');
}

static void add_time(struct buf *b, const char *name, double wall)
{
    buf_adds(b, ",\"");
    buf_adds(b, name);
    buf_adds(b, "\":");
    /* In whole milliseconds: printf takes its time over a double. */
    long long ms = wall > 0 && wall < 1e15 ? llround(wall * 1000) : 0;
    if (ms)
        buf_addf(b, "%lld.%03lld", ms / 1000, ms % 1000);
    else
        buf_adds(b, "null");
}

static void add_tags(struct buf *b, const struct trial *t)
{
    buf_adds(b, ",\"tags\":[");
    for (size_t i = 0; i < t->tag_count; i++) {
        if (i)
            buf_addc(b, ',');
        json_string(b, t->tags[i]);
    }
    buf_addc(b, ']');
}

void trial_json(struct buf *b, const struct trial *t, const struct goal *goal,
                struct str commit, struct arena *a)
{
    buf_addf(b, "{\"id\":%lld,\"state\":\"%s\",\"value\":", (long long)t->id,
             state_name(t->state));
    strict_number_or_null(b, t->value);
    buf_adds(b, ",\"params\":");
    strict_text(b, t->point);
    add_metrics(b, t, goal, a);
    buf_addf(b, ",\"attempts\":%u,\"seconds\":", t->attempts);
    strict_seconds(b, t->seconds);
    add_time(b, "created", t->created);
    add_time(b, "started", t->started);
    add_time(b, "ended", t->ended);
    buf_adds(b, ",\"reason\":");
    json_string(b, t->reason);
    if (t->run_id.len) {
        buf_adds(b, ",\"run_id\":");
        json_string(b, t->run_id);
    }
    if (t->parent > 0)
        buf_addf(b, ",\"parent\":%lld", (long long)t->parent);
    if (t->budget > 0)
        buf_addf(b, ",\"budget\":%lld", (long long)t->budget);
    if (t->note.len) {
        buf_adds(b, ",\"note\":");
        json_string(b, t->note);
    }
    if (t->tag_count)
        add_tags(b, t);
    if (t->about.len) {
        buf_adds(b, ",\"about\":");
        strict_text(b, t->about);
    }
    if (commit.len) {
        buf_adds(b, ",\"commit\":");
        json_string(b, commit);
    }
    buf_addc(b, '}');
}
