/* parallel.c - a line for each trial across all its parameters
 *
 * Every parameter has an upright axis with a scale of its own, the metric the
 * last one. The best tenth is drawn on top, so that where it gathers is seen
 * whatever the crowd. */
#include <math.h>
#include "figure/trials.h"

#define AXES_MAX 12
#define TOP_MAX 50
#define CHOICE_LABELS 8

struct sheet {
    struct trials t;
    struct plot_axis axes[AXES_MAX + 1]; /* the metric's last */
    const double *numbers[AXES_MAX + 1];
    size_t count;
};

static void open_axes(struct sheet *s, const struct figure_asked *asked)
{
    for (size_t i = 0; i < s->t.param_count; i++) {
        s->axes[i] = trials_param_axis(&s->t.params[i]);
        s->numbers[i] = s->t.params[i].numbers;
    }
    s->count = s->t.param_count + 1;
    s->axes[s->count - 1] = trials_metric_axis(&s->t, asked);
    s->numbers[s->count - 1] = s->t.values;
    for (size_t i = 0; i < s->count; i++) {
        s->axes[i].exact = s->axes[i].scale != PLOT_CHOICE;
        plot_axis_fit(&s->axes[i], s->numbers[i], s->t.count);
    }
}

/* A trial that lacks a parameter has a gap there. What will be a density has no
 * shades of its own. */
static struct plot_mark lines_of(const struct sheet *s, struct plot *p,
                                 const size_t *rows, size_t count)
{
    size_t n = count * (s->count + 1), at = 0;
    double *x = plot_room(p, n), *y = plot_room(p, n);
    double *shades = n <= PLOT_MARKS_MAX ? plot_room(p, n) : NULL;
    for (size_t i = 0; i < count; i++) {
        size_t row = rows ? rows[i] : i;
        for (size_t k = 0; k <= s->count; k++, at++) {
            x[at] = (double)k;
            y[at] = k < s->count ? plot_axis_at(&s->axes[k], s->numbers[k][row])
                                 : NAN;
            if (shades)
                shades[at] = s->t.values[row];
        }
    }
    return (struct plot_mark){
        .kind = PLOT_LINES, .count = n, .x = x, .y = y, .shades = shades};
}

/* The rows of the best tenth, at most so many, the best first; of equal ones
 * the first. */
static size_t *best_rows(const struct trials *t, size_t most, size_t *count,
                         struct arena *a)
{
    size_t n = (t->count + 9) / 10, have = 0;
    *count = n < most ? n : most;
    size_t *rows = arena_array(a, *count + 1, sizeof(*rows));
    for (size_t i = 0; i < t->count; i++) {
        size_t at = have;
        while (at > 0 && (t->minimize ? t->values[i] < t->values[rows[at - 1]]
                                      : t->values[i] > t->values[rows[at - 1]]))
            at--;
        if (at == *count)
            continue;
        have += have < *count;
        memmove(rows + at + 1, rows + at, (have - at - 1) * sizeof(*rows));
        rows[at] = i;
    }
    return rows;
}

static const char *end_text(struct plot *p, double v)
{
    struct buf b;
    buf_init(&b);
    plot_number(&b, v, 3);
    const char *text = arena_cstr(p->arena, buf_str(&b));
    buf_done(&b);
    return text;
}

static void add_axis_line(struct plot *p, struct plot_panel *panel, double x)
{
    double *line = plot_room(p, 4);
    line[0] = line[1] = x;
    line[2] = 0;
    line[3] = 1;
    plot_mark_add(panel, &(struct plot_mark){.kind = PLOT_LINES,
                                             .count = 2,
                                             .x = line,
                                             .y = line + 2,
                                             .colour = PLOT_INK,
                                             .width = 0.8});
}

/* The ends of an axis, or its choices. Behind the last one is half the room. */
static void label_axis(const struct sheet *s, struct plot *p,
                       struct plot_panel *panel, size_t k)
{
    const struct plot_axis *a = &s->axes[k];
    bool choices = a->scale == PLOT_CHOICE;
    size_t every = choices ? a->choice_count / (CHOICE_LABELS + 1) + 1 : 1;
    size_t count = choices ? (a->choice_count + every - 1) / every : 2;
    double *x = plot_room(p, count), *y = plot_room(p, count);
    const char **texts = arena_array(p->arena, count + 1, sizeof(*texts));
    add_axis_line(p, panel, (double)k);
    for (size_t i = 0; i < count; i++) {
        x[i] = (double)k;
        y[i] = choices ? plot_axis_at(a, (double)(i * every)) : (double)i;
        texts[i] =
            choices ? a->choices[i * every] : end_text(p, i ? a->high : a->low);
    }
    plot_mark_add(panel,
                  &(struct plot_mark){.kind = PLOT_TEXTS,
                                      .count = count,
                                      .x = x,
                                      .y = y,
                                      .texts = texts,
                                      .side = true,
                                      .uncut = !choices,
                                      .room = k + 1 < s->count ? 1 : 0.5});
}

static void draw(const struct sheet *s, struct plot *p)
{
    struct plot_panel *panel = plot_panel_add(p, NULL);
    const char **names = arena_array(p->arena, s->count, sizeof(*names));
    size_t best;
    size_t *rows = best_rows(&s->t, TOP_MAX, &best, p->arena);
    for (size_t k = 0; k < s->count; k++)
        names[k] = s->axes[k].label;
    panel->x = (struct plot_axis){
        .scale = PLOT_CHOICE, .choices = names, .choice_count = s->count};
    panel->y = (struct plot_axis){.hidden = true, .low = -0.04, .high = 1.04};
    panel->ramp_label = s->t.metric;
    panel->ramp_log = s->axes[s->count - 1].scale == PLOT_LOG;
    struct plot_mark all = lines_of(s, p, NULL, s->t.count);
    all.opacity = s->t.count > 500 ? 0.15 : 0.35;
    all.width = 0.6;
    all.crowd =
        arena_printf(p->arena, "%s trials", plot_count(p->arena, s->t.count));
    plot_mark_add(panel, &all);
    struct plot_mark top = lines_of(s, p, rows, best);
    top.shades = NULL;
    top.colour = PLOT_CATEGORY;
    top.category = 1;
    top.opacity = best > 20 ? 0.5 : 0.8;
    top.name = arena_printf(p->arena, "the best %zu", best);
    plot_mark_add(panel, &top);
    for (size_t k = 0; k < s->count; k++)
        label_axis(s, p, panel, k);
}

static int make(const struct figure_asked *asked, struct plot *p,
                struct err *err)
{
    struct sheet *s = arena_new_of(p->arena, struct sheet);
    const char **names;
    size_t count, left;
    if (trials_pick(asked, AXES_MAX, &names, &count, &left, p->arena, err) ||
        trials_read(&s->t, asked, names, count, p, err))
        return -1;
    trials_title(&s->t, asked, p,
                 arena_printf(p->arena, "%s across parameters", s->t.metric));
    trials_table(&s->t, p);
    for (size_t i = 0; i < count; i++)
        trials_param_column(&s->t, &s->t.params[i], p);
    open_axes(s, asked);
    draw(s, p);
    if (left)
        plot_note(p,
                  "%zu less important parameter%s not drawn: --params "
                  "names others",
                  left, left == 1 ? " is" : "s are");
    return 0;
}

FIGURE(parallel) = {
    .name = "parallel",
    .summary = "a line for each trial across its parameters",
    .takes = "metric where trials params scale",
    .make = make,
    .in_summary = true,
};
