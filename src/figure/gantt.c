/* gantt.c - when each attempt ran, and how it ended
 *
 * A row is a lane: a place for one attempt at a time on a host. */
#include "base/num.h"
#include "figure/figure.h"
#include "view/view.h"

/* Outcomes that look alike are one. */
enum fate { DONE, FAILED, STOPPED, LOST, RUNNING };
static const char *const fates[] = {"done", "failed", "stopped early",
                                    "lost or cut off", "running"};

static enum fate fate_of(enum outcome o)
{
    switch (o) {
    case OUTCOME_DONE:
        return DONE;
    case OUTCOME_STOPPED:
        return STOPPED;
    case OUTCOME_LOST:
    case OUTCOME_CHECKPOINTED:
    case OUTCOME_INTERRUPTED:
    case OUTCOME_UNSTARTED:
    case OUTCOME_KILLED:
        return LOST;
    case OUTCOME_NONE:
        return RUNNING;
    default:
        return FAILED;
    }
}

struct bars {
    double *trial, *attempt, *lane, *from, *to, *low, *high;
    const char **host, **outcome;
    uint8_t *looks;
};

static struct bars bars_of(const struct load_spans *l, struct plot *p)
{
    size_t n = l->spans.len;
    struct bars b = {.host = arena_array(p->arena, n + 1, sizeof(*b.host)),
                     .outcome =
                         arena_array(p->arena, n + 1, sizeof(*b.outcome)),
                     .looks = arena_alloc(p->arena, n + 1)};
    double **columns[] = {&b.trial, &b.attempt, &b.lane, &b.from,
                          &b.to,    &b.low,     &b.high};
    for (size_t i = 0; i < 7; i++)
        *columns[i] = plot_room(p, n);
    for (size_t i = 0; i < n; i++) {
        const struct load_span *s = &l->spans.p[i];
        b.trial[i] = (double)s->trial;
        b.attempt[i] = s->number;
        b.lane[i] = (double)s->lane + 1;
        b.from[i] = num_round(s->from - l->from, 6);
        b.to[i] = num_round(s->to - l->from, 6);
        b.low[i] = (double)s->lane + 0.6;
        b.high[i] = (double)s->lane + 1.4;
        b.host[i] = l->hosts.p[s->host];
        b.outcome[i] = outcome_name(s->outcome);
        b.looks[i] = (uint8_t)fate_of(s->outcome);
    }
    return b;
}

static void fill(const struct load_spans *l, struct plot *p)
{
    struct bars b = bars_of(l, p);
    struct plot_panel *panel = plot_panel_add(p, NULL);
    p->rows = l->spans.len;
    plot_numbers(p, "trial", b.trial);
    plot_numbers(p, "attempt", b.attempt);
    plot_texts(p, "host", b.host);
    plot_numbers(p, "lane", b.lane);
    plot_numbers(p, "from", b.from);
    plot_numbers(p, "to", b.to);
    plot_texts(p, "outcome", b.outcome);
    for (size_t i = 0; i < 5; i++)
        vec_push(&p->categories, fates[i]);
    panel->x = (struct plot_axis){.label = "since the first start",
                                  .scale = PLOT_SECONDS,
                                  .low = 0,
                                  .high = num_round(l->to - l->from, 6)};
    panel->y = (struct plot_axis){.label = "lane",
                                  .low = 0.4,
                                  .high = (double)l->lanes + 0.6,
                                  .whole = true};
    plot_mark_add(
        panel, &(struct plot_mark){
                   .kind = PLOT_RECTS,
                   .count = l->spans.len,
                   .x = b.from,
                   .x2 = b.to,
                   .y = b.low,
                   .y2 = b.high,
                   .categories = b.looks,
                   .crowd = arena_printf(p->arena, "%s attempts",
                                         plot_count(p->arena, l->spans.len))});
}

static int make(const struct figure_asked *asked, struct plot *p,
                struct err *err)
{
    struct load_spans l;
    int rc = load_spans_read(&l, asked->store, p->arena, err);
    if (!rc && !l.spans.len)
        rc = err_set(err, ERR_MISSING, "no trial has begun yet");
    if (!rc) {
        load_spans_set_lanes(&l);
        p->title =
            arena_printf(p->arena, "%s: when attempts ran", asked->study);
        p->subtitle = arena_printf(p->arena, "%s attempt%s on %zu host%s",
                                   plot_count(p->arena, l.spans.len),
                                   l.spans.len == 1 ? "" : "s", l.hosts.len,
                                   l.hosts.len == 1 ? "" : "s");
        fill(&l, p);
    }
    load_spans_done(&l);
    return rc;
}

FIGURE(gantt) = {
    .name = "gantt",
    .summary = "when each attempt ran, and how it ended",
    .takes = "",
    .make = make,
};
