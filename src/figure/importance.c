/* importance.c - how much each parameter decides */
#include <math.h>
#include "figure/trials.h"
#include "view/view.h"

struct bars {
    const char **names;
    double *shares, *from, *low, *high;
    size_t count;
};

/* Those that vary, the most important first. */
static void fill(struct bars *b, const struct inquiry *q, struct plot *p)
{
    size_t n = q->space.count;
    b->names = arena_array(p->arena, n + 1, sizeof(*b->names));
    b->shares = plot_room(p, n);
    b->from = plot_room(p, n);
    b->low = plot_room(p, n);
    b->high = plot_room(p, n);
    for (size_t k = 0; k < n; k++) {
        size_t i = q->order[k];
        if (q->space.params[i].dist == DIST_CONSTANT)
            continue;
        b->names[b->count] = arena_cstr(p->arena, q->space.params[i].name);
        b->shares[b->count] = q->shares[i];
        b->from[b->count] = q->shares[i] > 0 ? 0 : NAN; /* no bar */
        b->low[b->count] = (double)b->count - 0.38;
        b->high[b->count] = (double)b->count + 0.38;
        b->count++;
    }
}

static void label(const struct bars *b, struct plot *p,
                  struct plot_panel *panel)
{
    size_t shown = b->count;
    const char **texts = arena_array(p->arena, shown + 1, sizeof(*texts));
    double *y = plot_room(p, shown);
    for (size_t i = 0; i < shown; i++) {
        texts[i] = arena_printf(p->arena, "%.1f %%", 100 * b->shares[i]);
        y[i] = (double)i;
    }
    plot_mark_add(panel, &(struct plot_mark){.kind = PLOT_TEXTS,
                                             .count = shown,
                                             .x = b->shares,
                                             .y = y,
                                             .texts = texts,
                                             .side = true});
}

static void draw(const struct bars *b, struct plot *p)
{
    struct plot_panel *panel = plot_panel_add(p, NULL);
    double most = b->count ? b->shares[0] : 1;
    panel->x = (struct plot_axis){.label = "share",
                                  .percent = true,
                                  .low = 0,
                                  .high = most > 0 ? most * 1.15 : 1};
    panel->y = (struct plot_axis){.scale = PLOT_CHOICE,
                                  .choices = b->names,
                                  .choice_count = b->count,
                                  .spare = "less important",
                                  .down = true};
    plot_mark_add(panel, &(struct plot_mark){.kind = PLOT_RECTS,
                                             .count = b->count,
                                             .x = b->from,
                                             .x2 = b->shares,
                                             .y = b->low,
                                             .y2 = b->high,
                                             .colour = PLOT_CATEGORY});
    label(b, p, panel);
    p->rows = b->count;
    plot_texts(p, "parameter", b->names);
    plot_numbers(p, "share", b->shares);
}

static int make(const struct figure_asked *asked, struct plot *p,
                struct err *err)
{
    struct study_goal goal;
    struct inquiry q = {.method = "ped-anova"};
    struct bars b = {0};
    if (study_goal_read(asked->store, p->arena, &goal, err))
        return -1;
    if (!asked->metric && !goal.name.len)
        return err_set(err, ERR_INPUT,
                       "this study names no metric; use --metric NAME");
    bool other = asked->metric && !str_is(goal.name, asked->metric);
    q.metric = other ? str_of(asked->metric) : goal.name;
    q.minimize = other ? goal_minimizes(&goal.all, q.metric) : goal.minimize;
    int rc = other && metric_check(asked->store, asked->metric, p->arena, err)
                 ? -1
                 : inquiry_shares(&q, asked->store, other, p->arena, err);
    if (!rc) {
        fill(&b, &q, p);
        p->title = arena_printf(p->arena, "%s: which parameters decide %.*s",
                                asked->study, STRF(q.metric));
        p->subtitle =
            arena_printf(p->arena, "PED-ANOVA of %s results",
                         plot_count(p->arena, importance_count(q.importance)));
        draw(&b, p);
    }
    inquiry_done(&q);
    return rc;
}

FIGURE(importance) = {
    .name = "importance",
    .summary = "how much each parameter decides",
    .takes = "metric",
    .make = make,
    .in_summary = true,
};
