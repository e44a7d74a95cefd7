/* campaign_status.c - how a campaign stands, as a tree of its stages */
#include "base/num.h"
#include "cli/campaign.h"

/* How deep a stage stands below the first ones. */
static unsigned depth_of(const struct campaign_standing *s, size_t i)
{
    unsigned deepest = 0;
    for (size_t n = 0; n < s->stages[i].told.need_count; n++)
        for (size_t k = 0; k < i; k++)
            if (str_eq(s->stages[k].told.name, s->stages[i].told.needs[n])) {
                unsigned d = depth_of(s, k) + 1;
                deepest = d > deepest ? d : deepest;
            }
    return deepest;
}

static void print_best(struct buf *b, const struct campaign_stage *s)
{
    if (!s->now.best.id)
        return;
    buf_addf(b, "  %.*s=", STRF(s->now.goal.name));
    num_print_short(b, s->now.best.value, 5);
    buf_addf(b, " (trial %lld)", (long long)s->now.best.id);
}

static void print_stage(struct buf *b, const struct campaign_standing *c,
                        size_t i)
{
    const struct campaign_stage *s = &c->stages[i];
    unsigned indent = 2 * depth_of(c, i);
    struct buf name;
    buf_init(&name);
    buf_addf(&name, "%*s%.*s", indent > 20 ? 20 : (int)indent, "",
             STRF(s->told.name));
    buf_addf(b, "  %-22s %-11s ", name.p, stage_state_name(s->told.state));
    buf_reset(&name);
    campaign_stage_progress(&name, s);
    buf_addf(b, "%s", name.p);
    if (s->has_study && s->now.bad)
        buf_addf(b, "  %lld failed", (long long)s->now.bad);
    if (s->left_s >= 0) {
        buf_adds(b, "  ");
        num_print_seconds(b, s->left_s);
        buf_adds(b, " left");
    }
    if (s->has_study)
        print_best(b, s);
    if (s->told.state != STAGE_DONE && s->told.why.len &&
        s->told.state != STAGE_RUNS)
        buf_addf(b, "  %.*s", STRF(s->told.why));
    buf_addc(b, '\n');
    buf_done(&name);
}

void campaign_print(struct buf *b, const struct campaign_standing *s)
{
    buf_addf(b, "campaign %s\nnow      ", s->where->name);
    if (s->lease.live)
        buf_addf(b, "running as process %lld on %s\n",
                 (long long)s->lease.process.pid, s->lease.host);
    else
        buf_addf(b, "%s\n", campaign_state(s));
    buf_adds(b, "stages\n");
    for (size_t i = 0; i < s->count; i++)
        print_stage(b, s, i);
}

int campaign_status(struct call *c, struct store *store,
                    const struct place_of_study *where)
{
    struct campaign_standing s;
    struct buf b;
    if (campaign_read(&s, store, where, c->arena, &c->err))
        return call_fail(c);
    buf_init(&b);
    if (call_flag(c, "json")) {
        campaign_json(&b, &s);
        put(buf_str(&b));
    } else {
        campaign_print(&b, &s);
        put_report(c, buf_str(&b));
    }
    buf_done(&b);
    return EXIT_OK;
}
