/* rungs.c - early stopping: what trials had at each rung, and who went on
 *
 * The numbers are those that the stopping rule counted. Within a rung trials
 * stand in the order of their values, so that the cut is seen. */
#include <math.h>
#include <stdlib.h>
#include "figure/trials.h"
#include "view/view.h"

#define CHOICES_MAX 16

enum fate { WENT_ON, STOPPED, ENDED, WAITS, FAILED, FATES };
static const char *const fates[FATES] = {
    "went on", "stopped here", "reached its end", "runs or waits", "failed"};

struct report {
    int64_t trial, level;
    size_t place; /* among those that were heard */
    double value;
    enum fate fate;
};

struct sheet {
    VEC(struct report) list;
    VEC(int64_t) levels; /* ascending */
    size_t dropped;      /* without a finite value */
};

static int by_trial(const void *x, const void *y)
{
    const struct report *a = x, *b = y;
    if (a->trial != b->trial)
        return a->trial < b->trial ? -1 : 1;
    if (a->level != b->level)
        return a->level < b->level ? -1 : 1;
    return a->place < b->place ? -1 : a->place > b->place;
}

static int by_level(const void *x, const void *y)
{
    const struct report *a = x, *b = y;
    if (a->level != b->level)
        return a->level < b->level ? -1 : 1;
    if (a->value != b->value)
        return a->value < b->value ? -1 : 1;
    return a->trial < b->trial ? -1 : a->trial > b->trial;
}

/* The last report of a level counts: a trial may have begun anew. */
static int gather(struct sheet *s, const struct figure_asked *asked,
                  struct arena *a, struct err *err)
{
    struct heard *heard;
    size_t count, kept = 0;
    if (store_heard(asked->store, a, &heard, &count, err))
        return -1;
    for (size_t i = 0; i < count; i++) {
        struct report r = {.trial = heard[i].trial,
                           .level = heard[i].step,
                           .place = i,
                           .value = heard[i].value};
        if (heard[i].kind == HEARD_REPORT && heard[i].trial > 0)
            vec_push(&s->list, r);
    }
    if (!s->list.len)
        return err_set(err, ERR_MISSING,
                       "no trial of this study was judged at a rung: rungs "
                       "are of `early_terminate` with asha, hyperband or "
                       "median");
    qsort(s->list.p, s->list.len, sizeof(*s->list.p), by_trial);
    for (size_t i = 0; i < s->list.len; i++) {
        const struct report *r = &s->list.p[i];
        bool again = i + 1 < s->list.len && r[1].trial == r->trial &&
                     r[1].level == r->level;
        if (!again)
            s->list.p[kept++] = s->list.p[i];
    }
    s->list.len = kept;
    return 0;
}

/* ---- who went on ----------------------------------------------------------
 */

static int find_fates(struct sheet *s, const struct figure_asked *asked,
                      struct err *err)
{
    struct query q = {.results = true};
    struct rows *rows = store_rows(asked->store, &q, err);
    struct trial t = {0};
    int got = rows ? 1 : -1;
    size_t at = 0;
    while (at < s->list.len && got > 0 && (got = rows_next(rows, &t, err)) > 0)
        for (; at < s->list.len && s->list.p[at].trial <= t.id; at++) {
            struct report *r = &s->list.p[at];
            bool last = at + 1 == s->list.len || r[1].trial != r->trial;
            r->fate = !last                      ? WENT_ON
                      : !state_final(t.state)    ? WAITS
                      : state_bad(t.state)       ? FAILED
                      : t.state == STATE_STOPPED ? STOPPED
                                                 : ENDED;
        }
    rows_close(rows);
    return got < 0 ? -1 : 0;
}

static int sort_levels(struct sheet *s, struct err *err)
{
    size_t kept = 0;
    for (size_t i = 0; i < s->list.len; i++)
        if (isfinite(s->list.p[i].value))
            s->list.p[kept++] = s->list.p[i];
    s->dropped = s->list.len - kept;
    s->list.len = kept;
    if (kept)
        qsort(s->list.p, kept, sizeof(*s->list.p), by_level);
    for (size_t i = 0; i < kept; i++)
        if (!s->levels.len || vec_last(&s->levels) != s->list.p[i].level)
            vec_push(&s->levels, s->list.p[i].level);
    return kept ? 0
                : err_set(err, ERR_MISSING,
                          "no report at a rung is finite: %zu are not",
                          s->dropped);
}

/* ---- table and panel ------------------------------------------------------
 */

static void add_table(const struct sheet *s, const char *metric, struct plot *p)
{
    size_t n = s->list.len;
    double *level = plot_room(p, n), *trial = plot_room(p, n);
    double *value = plot_room(p, n);
    const char **fate = arena_array(p->arena, n + 1, sizeof(*fate));
    for (size_t i = 0; i < n; i++) {
        level[i] = (double)s->list.p[i].level;
        trial[i] = (double)s->list.p[i].trial;
        value[i] = s->list.p[i].value;
        fate[i] = fates[s->list.p[i].fate];
    }
    p->rows = n;
    plot_numbers(p, "rung", level);
    plot_numbers(p, "trial", trial);
    plot_numbers(p, metric, value);
    plot_texts(p, "fate", fate);
}

/* Within its rung's room, by value. */
static double *places(const struct sheet *s, bool choices, struct plot *p)
{
    double *x = plot_room(p, s->list.len);
    size_t from = 0, rung = 0;
    for (size_t i = 0; i < s->list.len; i++) {
        while (s->levels.p[rung] != s->list.p[i].level)
            rung++, from = i;
        size_t end = i;
        while (end < s->list.len && s->list.p[end].level == s->list.p[i].level)
            end++;
        for (size_t k = from; k < end; k++)
            x[k] = choices ? (double)rung - 0.4 +
                                 0.8 * ((double)(k - from) + 0.5) /
                                     (double)(end - from)
                           : (double)s->list.p[k].level;
        i = end - 1;
    }
    return x;
}

static struct plot_axis rung_axis(const struct sheet *s, bool choices,
                                  struct plot *p)
{
    const char **names =
        arena_array(p->arena, s->levels.len + 1, sizeof(*names));
    if (!choices)
        return (struct plot_axis){.label = "reports", .whole = true};
    for (size_t i = 0, at = 0; i < s->levels.len; i++) {
        size_t n = 0;
        for (; at < s->list.len && s->list.p[at].level == s->levels.p[i]; at++)
            n++;
        names[i] =
            arena_printf(p->arena, "%lld (%zu)", (long long)s->levels.p[i], n);
    }
    return (struct plot_axis){.label = "reports at the rung (trials there)",
                              .scale = PLOT_CHOICE,
                              .choices = names,
                              .choice_count = s->levels.len};
}

static void draw(const struct sheet *s, const struct figure_asked *asked,
                 const char *metric, struct plot *p)
{
    struct plot_panel *panel = plot_panel_add(p, NULL);
    bool choices = s->levels.len <= CHOICES_MAX;
    const double *values = p->columns.p[2].numbers;
    uint8_t *kinds = arena_alloc(p->arena, s->list.len + 1);
    bool log = asked->scale ? !strcmp(asked->scale, "log")
                            : trials_want_log(values, s->list.len);
    for (size_t i = 0; i < FATES; i++)
        vec_push(&p->categories, fates[i]);
    for (size_t i = 0; i < s->list.len; i++)
        kinds[i] = (uint8_t)s->list.p[i].fate;
    panel->x = rung_axis(s, choices, p);
    panel->y = (struct plot_axis){.label = metric,
                                  .scale = log ? PLOT_LOG : PLOT_LINEAR};
    plot_mark_add(panel, &(struct plot_mark){.kind = PLOT_POINTS,
                                             .count = s->list.len,
                                             .x = places(s, choices, p),
                                             .y = values,
                                             .categories = kinds,
                                             .crowd = "reports",
                                             .opacity = 0.8});
}

static void say(const struct sheet *s, const struct figure_asked *asked,
                const struct study_goal *goal, const char *metric,
                struct plot *p)
{
    p->title =
        arena_printf(p->arena, "%s: %s at each rung", asked->study, metric);
    p->subtitle = arena_printf(p->arena, "%s (%s), %s reports at %zu rung%s",
                               metric, goal->minimize ? "minimize" : "maximize",
                               plot_count(p->arena, s->list.len), s->levels.len,
                               s->levels.len == 1 ? "" : "s");
    if (s->dropped)
        plot_note(p, "not drawn: %zu reports without a finite value",
                  s->dropped);
}

static int make(const struct figure_asked *asked, struct plot *p,
                struct err *err)
{
    struct sheet s = {0};
    struct study_goal goal;
    int rc = study_goal_read(asked->store, p->arena, &goal, err) ||
                     gather(&s, asked, p->arena, err) ||
                     find_fates(&s, asked, err) || sort_levels(&s, err)
                 ? -1
                 : 0;
    if (!rc) {
        const char *metric = arena_cstr(p->arena, goal.name);
        say(&s, asked, &goal, metric, p);
        add_table(&s, metric, p);
        draw(&s, asked, metric, p);
    }
    vec_done(&s.list);
    vec_done(&s.levels);
    return rc;
}

FIGURE(rungs) = {
    .name = "rungs",
    .summary = "early stopping: who went on at each rung",
    .takes = "scale",
    .make = make,
    .in_summary = true,
    .if_any = true,
};
