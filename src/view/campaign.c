/* campaign.c - how a campaign stands: its stages with their studies */
#include "base/json.h"
#include "base/num.h"
#include "base/strict_json.h"
#include "view/view.h"

/* ---- reading ----------------------------------------------------------- */

/* A stage that has not begun has no study yet. */
static void read_stage(struct campaign_stage *s, const char *folder,
                       struct arena *a)
{
    struct study_pace pace;
    struct store *store = store_open(
        path_join(a, folder, arena_cstr(a, s->told.name)), false, NULL);
    s->left_s = -1;
    s->now.total = -1;
    s->has_study = store && !standing_read(&s->now, store, a, NULL);
    if (s->has_study && s->now.total >= 0 && s->now.lease.live &&
        !study_pace_read(store, a, &pace, NULL))
        s->left_s = study_pace_left(&pace, s->now.total - s->now.finished);
    /* Whoever ran the campaign may have ended without a word. */
    if (s->told.state == STAGE_RUNS && !(s->has_study && s->now.lease.live) &&
        !s->conducted) {
        s->told.state = STAGE_ENDED;
        s->told.why = STR(""); /* it says why it had begun */
    }
    store_close(store);
}

int campaign_read(struct campaign_standing *c, struct store *store,
                  const struct place_of_study *where, struct arena *a,
                  struct err *err)
{
    struct stage_told *list;
    size_t count;
    *c = (struct campaign_standing){.where = where};
    if (campaign_told(store, a, &list, &count, err) ||
        store_lease_read(store, &c->lease, err))
        return -1;
    c->stages = arena_array(a, count + 1, sizeof(*c->stages));
    for (size_t i = 0; i < count; i++) {
        struct campaign_stage *s = &c->stages[c->count++];
        s->told = list[i];
        s->conducted = c->lease.live;
        read_stage(s, where->folder, a);
    }
    return 0;
}

const char *campaign_state(const struct campaign_standing *c)
{
    bool failed = false, open = false;
    for (size_t i = 0; i < c->count; i++) {
        enum stage_state s = c->stages[i].told.state;
        failed = failed || s == STAGE_FAILED;
        open = open || s == STAGE_WAITS || s == STAGE_ENDED || s == STAGE_RUNS;
    }
    return c->lease.live          ? "running"
           : c->lease.process.pid ? "broken off"
           : failed               ? "failed"
           : open                 ? "stopped"
                                  : "finished";
}

/* ---- for people -------------------------------------------------------- */

void campaign_stage_progress(struct buf *b, const struct campaign_stage *s)
{
    if (!s->has_study)
        return;
    buf_addf(b, "%lld", (long long)s->now.finished);
    if (s->now.total >= 0)
        buf_addf(b, "/%lld", (long long)s->now.total);
}

/* ---- JSON -------------------------------------------------------------- */

static void print_text(struct buf *b, const char *key, struct str text)
{
    buf_addf(b, ",\"%s\":", key);
    json_string(b, text);
}

static void print_time(struct buf *b, const char *key, double seconds)
{
    buf_addf(b, ",\"%s\":", key);
    if (seconds > 0)
        buf_addf(b, "%.3f", seconds);
    else
        buf_adds(b, "null");
}

static void print_study(struct buf *b, const struct campaign_stage *s)
{
    buf_addf(b, ",\"trials\":%lld,\"finished\":%lld,\"failed\":%lld,\"total\":",
             (long long)s->now.counts.total, (long long)s->now.finished,
             (long long)s->now.bad);
    if (s->now.total >= 0)
        buf_addf(b, "%lld", (long long)s->now.total);
    else
        buf_adds(b, "null");
    buf_adds(b, ",\"states\":{");
    for (int i = 0; i < STATE_COUNT; i++)
        buf_addf(b, "%s\"%s\":%lld", i ? "," : "", state_name((enum state)i),
                 (long long)s->now.counts.by_state[i]);
    buf_adds(b, "},\"left_s\":");
    if (s->left_s >= 0)
        strict_number(b, s->left_s);
    else
        buf_adds(b, "null");
    standing_best_json(b, &s->now);
}

static void print_stage(struct buf *b, const struct campaign_standing *c,
                        const struct campaign_stage *s)
{
    buf_adds(b, "{\"stage\":");
    json_string(b, s->told.name);
    print_text(b, "kind", s->told.kind);
    print_text(b, "state", str_of(stage_state_name(s->told.state)));
    print_text(b, "why", s->told.why);
    buf_adds(b, ",\"needs\":[");
    for (size_t i = 0; i < s->told.need_count; i++) {
        buf_adds(b, i ? "," : "");
        json_string(b, s->told.needs[i]);
    }
    buf_addc(b, ']');
    print_time(b, "started", s->told.started);
    print_time(b, "ended", s->told.ended);
    buf_adds(b, ",\"study\":");
    if (s->has_study) {
        struct buf name;
        buf_init(&name);
        buf_addf(&name, "%s/%.*s", c->where->name, STRF(s->told.name));
        json_string(b, buf_str(&name));
        buf_done(&name);
        print_study(b, s);
    } else
        buf_adds(b, "null");
    buf_addc(b, '}');
}

void campaign_json(struct buf *b, const struct campaign_standing *c)
{
    buf_adds(b, "{\"schema\":\"throng.campaign/1\",\"campaign\":");
    json_string(b, str_of(c->where->name));
    buf_addf(b, ",\"state\":\"%s\",\"running\":%s,\"stages\":[",
             campaign_state(c), c->lease.live ? "true" : "false");
    for (size_t i = 0; i < c->count; i++) {
        buf_adds(b, i ? "," : "");
        print_stage(b, c, &c->stages[i]);
    }
    buf_adds(b, "]}\n");
}
