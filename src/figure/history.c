/* history.c - results in the order of trials, and the best so far
 *
 * Where a method works in batches (generations), the minimum and the mean of
 * each batch are drawn, too: they show whether it still learns. */
#include <math.h>
#include "figure/trials.h"
#include "search/search.h"

struct batches {
    int64_t first, size; /* size 0: there are none */
    size_t count;
    double *at, *least, *mean;         /* of each batch */
    double *of, *row_least, *row_mean; /* of each trial, for the table */
};

/* Best so far among those that keep the bounds. */
static double *best_so_far(const struct trials *t, struct plot *p)
{
    double *best = plot_room(p, t->count), now = NAN;
    for (size_t i = 0; i < t->count; i++) {
        double v = t->values[i];
        bool better = isnan(now) || (t->minimize ? v < now : v > now);
        if (better && !(t->broken && t->broken[i]))
            now = v;
        best[i] = now;
    }
    return best;
}

static void find_batches(struct batches *b, const struct figure_asked *asked,
                         struct arena *a)
{
    struct err ignored = {0};
    struct point_source points;
    struct plan *plan =
        study_stored_plan(asked->store, asked->home, asked->study, a, &ignored);
    struct search *s = plan ? plan_search(plan, 0, &points, a, &ignored) : NULL;
    if (s && !search_batches(s, &b->first, &b->size))
        b->size = 0;
    if (plan && !b->size && str_is(plan->order, "batch"))
        b->first = b->size = plan->batch; /* whoever looks has no order */
    search_free(s);
    plan_close(plan);
}

static size_t batch_of(const struct batches *b, double trial)
{
    int64_t k = (int64_t)trial;
    return k <= b->first ? 0 : (size_t)((k - b->first - 1) / b->size + 1);
}

static void fill_batches(struct batches *b, const struct trials *t,
                         struct plot *p)
{
    size_t most = batch_of(b, t->ids[t->count - 1]) + 1;
    double *count = plot_room(p, most), *sum = plot_room(p, most);
    b->least = plot_room(p, most);
    b->mean = plot_room(p, most);
    b->at = plot_room(p, most);
    b->of = plot_room(p, t->count);
    b->row_least = plot_room(p, t->count);
    b->row_mean = plot_room(p, t->count);
    b->count = most;
    for (size_t i = 0; i < t->count; i++) {
        size_t k = batch_of(b, t->ids[i]);
        double v = t->values[i];
        b->least[k] =
            count[k] > 0 && (t->minimize ? v > b->least[k] : v < b->least[k])
                ? b->least[k]
                : v;
        count[k]++;
        sum[k] += v;
        b->of[i] = (double)k + 1;
    }
    for (size_t k = 0; k < most; k++) {
        double from = k ? (double)(b->first + (int64_t)(k - 1) * b->size) : 0;
        b->at[k] = from + (double)((k ? b->size : b->first) + 1) / 2;
        b->mean[k] = count[k] > 0 ? sum[k] / count[k] : NAN;
        b->least[k] = count[k] > 0 ? b->least[k] : NAN;
    }
    for (size_t i = 0; i < t->count; i++) {
        b->row_least[i] = b->least[(size_t)b->of[i] - 1];
        b->row_mean[i] = b->mean[(size_t)b->of[i] - 1];
    }
}

static void draw_batches(const struct batches *b, const struct trials *t,
                         struct plot *p, struct plot_panel *panel)
{
    const char *least =
        t->minimize ? "minimum of each batch" : "maximum of each batch";
    plot_mark_add(panel, &(struct plot_mark){.kind = PLOT_LINES,
                                             .count = b->count,
                                             .x = b->at,
                                             .y = b->least,
                                             .colour = PLOT_CATEGORY,
                                             .category = 1,
                                             .lettered = true,
                                             .name = least});
    plot_mark_add(panel, &(struct plot_mark){.kind = PLOT_LINES,
                                             .count = b->count,
                                             .x = b->at,
                                             .y = b->mean,
                                             .colour = PLOT_CATEGORY,
                                             .category = 2,
                                             .dashes = 1,
                                             .lettered = true,
                                             .name = "mean of each batch"});
    plot_numbers(p, "batch", b->of);
    plot_numbers(p, t->minimize ? "batch_min" : "batch_max", b->row_least);
    plot_numbers(p, "batch_mean", b->row_mean);
}

/* Those that break a bound are crosses of their own. */
static void draw_trials(const struct trials *t, struct plot *p,
                        struct plot_panel *panel)
{
    const char *name =
        arena_printf(p->arena, "%s trials", plot_count(p->arena, t->count));
    struct plot_mark m = {.kind = PLOT_POINTS,
                          .count = t->count,
                          .x = t->ids,
                          .y = t->values,
                          .colour = PLOT_FAINT,
                          .name = "trial",
                          .crowd = name,
                          .opacity = t->count > 2000 ? 0.35 : 0.6};
    if (t->broken && t->count <= PLOT_MARKS_MAX) {
        uint8_t *kinds = arena_alloc(p->arena, t->count + 1);
        for (size_t i = 0; i < t->count; i++)
            kinds[i] = t->broken[i] ? 3 : 6;
        vec_reserve(&p->categories, 7);
        for (size_t i = 0; i < 7; i++)
            vec_push(&p->categories, i == 3 ? "breaks a bound" : "trial");
        m.categories = kinds;
    }
    plot_mark_add(panel, &m);
}

/* A line needs the places where it changes, and its end. */
static void draw_best(const struct trials *t, const double *best,
                      struct plot *p, struct plot_panel *panel)
{
    double *x = plot_room(p, t->count), *y = plot_room(p, t->count);
    size_t n = 0;
    for (size_t i = 0; i < t->count; i++) {
        bool changed = n == 0 || best[i] != y[n - 1];
        if (isnan(best[i]) || (!changed && i + 1 < t->count))
            continue;
        x[n] = t->ids[i];
        y[n++] = best[i];
    }
    plot_mark_add(panel, &(struct plot_mark){.kind = PLOT_STEPS,
                                             .count = n,
                                             .x = x,
                                             .y = y,
                                             .colour = PLOT_CATEGORY,
                                             .width = 1.3,
                                             .name = "best so far"});
}

static int make(const struct figure_asked *asked, struct plot *p,
                struct err *err)
{
    struct trials t;
    struct batches b = {0};
    if (trials_read(&t, asked, NULL, 0, p, err))
        return -1;
    trials_title(&t, asked, p, arena_printf(p->arena, "%s by trial", t.metric));
    trials_table(&t, p);
    double *best = best_so_far(&t, p);
    plot_numbers(p, "best", best);
    struct plot_panel *panel = plot_panel_add(p, NULL);
    panel->x = (struct plot_axis){.label = "trial", .whole = true};
    panel->y = trials_metric_axis(&t, asked);
    draw_trials(&t, p, panel);
    if (!asked->where && !asked->trials)
        find_batches(&b, asked, p->arena);
    if (b.size) {
        fill_batches(&b, &t, p);
        draw_batches(&b, &t, p, panel);
    }
    draw_best(&t, best, p, panel);
    return 0;
}

FIGURE(history) = {
    .name = "history",
    .summary = "results by trial, the best so far; batches of a method",
    .takes = "metric where trials scale",
    .make = make,
    .in_summary = true,
};
