/* pareto.c - two metrics, and the trials that no other beats in both */
#include <math.h>
#include <stdlib.h>
#include "figure/trials.h"
#include "view/view.h"

struct sheet {
    const char *names[2];
    bool minimize[2];
    VEC(double) ids;
    VEC(double) values[2];
    struct goal goal;
    int64_t left;   /* trials without both */
    int64_t broken; /* that break a bound */
    int64_t bad, open;
};

static int choose(struct sheet *s, const struct figure_asked *asked,
                  struct arena *a, struct err *err)
{
    struct study_goal goal;
    const char *said[2] = {asked->x, asked->y};
    if (study_goal_read(asked->store, a, &goal, err))
        return -1;
    s->goal = goal.all;
    for (size_t i = 0; i < 2; i++) {
        if (!said[i] && goal.all.objective_count < 2)
            return err_set(err, ERR_INPUT,
                           "this study has no two objectives; name two "
                           "metrics: --x NAME --y NAME");
        s->names[i] =
            said[i] ? said[i] : arena_cstr(a, goal.all.objectives[i].name);
        s->minimize[i] = goal_minimizes(&goal.all, str_of(s->names[i]));
        if (metric_check(asked->store, s->names[i], a, err))
            return -1;
    }
    return 0;
}

static void take(struct sheet *s, const struct trial *t, struct arena *work)
{
    double v[2];
    if (!state_final(t->state) || state_bad(t->state)) {
        *(state_final(t->state) ? &s->bad : &s->open) += 1;
        return;
    }
    for (int i = 0; i < 2; i++)
        v[i] = trials_number(t, s->names[i]);
    if (!isfinite(v[0]) || !isfinite(v[1])) {
        s->left++;
        return;
    }
    arena_reset(work);
    if (trials_break(&s->goal, t, work)) {
        s->broken++;
        return;
    }
    vec_push(&s->ids, (double)t->id);
    vec_push(&s->values[0], v[0]);
    vec_push(&s->values[1], v[1]);
}

static int read_all(struct sheet *s, const struct figure_asked *asked,
                    struct err *err)
{
    bool times =
        !strcmp(s->names[0], "seconds") || !strcmp(s->names[1], "seconds");
    struct query q = {.selector = asked->trials,
                      .where = asked->where,
                      .results = !times,
                      .with_texts = true};
    struct rows *rows = store_rows(asked->store, &q, err);
    struct arena *work = arena_new();
    struct trial t;
    int got = rows ? 1 : -1;
    while (got > 0 && (got = rows_next(rows, &t, err)) > 0)
        take(s, &t, work);
    rows_close(rows);
    arena_free(work);
    if (!got && !s->ids.len)
        return err_set(err, ERR_MISSING,
                       "no trial has a finite value of both `%s` and `%s`",
                       s->names[0], s->names[1]);
    return got;
}

/* ---- the front ------------------------------------------------------------
 */

struct corner {
    double x, y; /* low is good */
    size_t row;
};

static int by_x(const void *a, const void *b)
{
    const struct corner *p = a, *q = b;
    if (p->x != q->x)
        return p->x < q->x ? -1 : 1;
    if (p->y != q->y)
        return p->y < q->y ? -1 : 1;
    return p->row < q->row ? -1 : p->row > q->row;
}

/* After sorting by the first, each that is better in the second than all
 * before it; equal ones are all in it. */
static size_t find_front(const struct sheet *s, double *in, size_t *rows)
{
    size_t n = s->ids.len, count = 0;
    struct corner *list = xmalloc((n + 1) * sizeof(*list)), last = {0};
    for (size_t i = 0; i < n; i++)
        list[i] = (struct corner){
            s->minimize[0] ? s->values[0].p[i] : -s->values[0].p[i],
            s->minimize[1] ? s->values[1].p[i] : -s->values[1].p[i], i};
    qsort(list, n, sizeof(*list), by_x);
    for (size_t i = 0; i < n; i++) {
        bool equal = count && list[i].x == last.x && list[i].y == last.y;
        if (count && !equal && list[i].y >= last.y)
            continue;
        in[list[i].row] = 1;
        rows[count++] = list[i].row;
        last = list[i];
    }
    free(list);
    return count;
}

static void draw(const struct sheet *s, const size_t *rows, size_t front,
                 struct plot *p)
{
    struct plot_panel *panel = plot_panel_add(p, NULL);
    double *x = plot_room(p, front), *y = plot_room(p, front);
    for (size_t i = 0; i < front; i++) {
        x[i] = s->values[0].p[rows[i]];
        y[i] = s->values[1].p[rows[i]];
    }
    for (int i = 0; i < 2; i++) {
        struct plot_axis *a = i ? &panel->y : &panel->x;
        a->label = arena_printf(p->arena, "%s (%s)", s->names[i],
                                s->minimize[i] ? "minimize" : "maximize");
        a->scale = trials_want_log(s->values[i].p, s->values[i].len)
                       ? PLOT_LOG
                       : PLOT_LINEAR;
    }
    size_t n = s->ids.len;
    plot_mark_add(panel, &(struct plot_mark){
                             .kind = PLOT_POINTS,
                             .count = n,
                             .x = p->columns.p[1].numbers,
                             .y = p->columns.p[2].numbers,
                             .colour = PLOT_FAINT,
                             .opacity = n > 2000 ? 0.35 : 0.6,
                             .name = "trial",
                             .crowd = arena_printf(p->arena, "%s trials",
                                                   plot_count(p->arena, n))});
    struct plot_mark best = {.kind = PLOT_STEPS,
                             .count = front,
                             .x = x,
                             .y = y,
                             .colour = PLOT_CATEGORY,
                             .category = 1,
                             .opacity = 0.7};
    plot_mark_add(panel, &best);
    best.kind = PLOT_POINTS;
    best.width = 1.3;
    best.opacity = 1;
    best.name = arena_printf(p->arena, "no other beats it in both: %zu", front);
    plot_mark_add(panel, &best);
}

static void fill(struct sheet *s, struct plot *p)
{
    size_t n = s->ids.len;
    double *in = plot_room(p, n);
    size_t *rows = arena_array(p->arena, n + 1, sizeof(*rows));
    size_t front = find_front(s, in, rows);
    p->rows = n;
    double *columns[] = {s->ids.p, s->values[0].p, s->values[1].p};
    const char *names[] = {"trial", s->names[0], s->names[1]};
    for (int i = 0; i < 3; i++) {
        double *list = plot_room(p, n);
        memcpy(list, columns[i], n * sizeof(*list));
        plot_numbers(p, names[i], list);
    }
    plot_numbers(p, "front", in);
    draw(s, rows, front, p);
}

static void say(const struct sheet *s, const struct figure_asked *asked,
                struct plot *p)
{
    struct arena *a = p->arena;
    p->title = arena_printf(a, "%s: %s against %s", asked->study, s->names[1],
                            s->names[0]);
    p->subtitle =
        arena_printf(a, "%s trial%s%s", plot_count(a, s->ids.len),
                     s->ids.len == 1 ? "" : "s", trials_chosen(asked, a));
    trials_say_left(p, s->bad, 0, s->open);
    if (s->left)
        plot_note(p, "not drawn: %s without a finite value of both",
                  plot_count(a, (uint64_t)s->left));
    if (s->broken)
        plot_note(p, "not drawn: %s that break a bound",
                  plot_count(a, (uint64_t)s->broken));
}

static int make(const struct figure_asked *asked, struct plot *p,
                struct err *err)
{
    struct sheet s = {0};
    int rc =
        choose(&s, asked, p->arena, err) ||
                names_check_filter(asked->store, asked->where, p->arena, err) ||
                read_all(&s, asked, err)
            ? -1
            : 0;
    if (!rc) {
        say(&s, asked, p);
        fill(&s, p);
    }
    vec_done(&s.ids);
    vec_done(&s.values[0]);
    vec_done(&s.values[1]);
    return rc;
}

FIGURE(pareto) = {
    .name = "pareto",
    .summary = "two metrics, and the trials that no other beats",
    .takes = "where trials x y",
    .make = make,
    .in_summary = true,
    .if_any = true,
};
