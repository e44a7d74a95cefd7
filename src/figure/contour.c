/* contour.c - the metric over two parameters, between the trials too
 *
 * Trials are gathered in a fine grid; each place of it has the mean of what is
 * near, weighed by a bell: what is far from every trial stays empty. Lines join
 * equal values (marching squares). */
#include <math.h>
#include <stdlib.h>
#include "figure/trials.h"

#define GRID 48
#define WIDEST 7.0 /* deviation of the bell of one trial, in places */
#define LEVELS 7
#define LEAST_WEIGHT 0.02

struct field {
    double weight[GRID * GRID], sum[GRID * GRID];
    double least, most; /* of the trials: no mean is outside */
    double *mean;       /* NaN: no trial is near */
};

static size_t place(double part)
{
    double at = floor(part * GRID);
    return at < 0 ? 0 : at >= GRID ? GRID - 1 : (size_t)at;
}

static void gather(struct field *f, const struct trials *t,
                   const struct plot_panel *panel)
{
    f->least = INFINITY;
    f->most = -INFINITY;
    for (size_t i = 0; i < t->count; i++) {
        double x = plot_axis_at(&panel->x, t->params[0].numbers[i]);
        double y = plot_axis_at(&panel->y, t->params[1].numbers[i]);
        if (isnan(x) || isnan(y))
            continue;
        size_t at = place(y) * GRID + place(x);
        f->weight[at] += 1;
        f->sum[at] += t->values[i];
        f->least = fmin(f->least, t->values[i]);
        f->most = fmax(f->most, t->values[i]);
    }
}

/* Of a choice: which one a place belongs to; else one room for all. */
static size_t room_of(const struct plot_axis *a, int at)
{
    if (a->scale != PLOT_CHOICE)
        return 0;
    return (size_t)(((double)at + 0.5) / GRID * (double)a->choice_count);
}

/* A row of the grid, or a column. */
static void blur_row(double *first, size_t step, const double *bell, int reach,
                     const struct plot_axis *a)
{
    double row[GRID];
    for (int at = 0; at < GRID; at++) {
        row[at] = 0;
        for (int k = -reach; k <= reach; k++) {
            int from = at + k;
            if (from >= 0 && from < GRID && room_of(a, from) == room_of(a, at))
                row[at] += bell[abs(k)] * first[(size_t)from * step];
        }
    }
    for (size_t at = 0; at < GRID; at++)
        first[at * step] = row[at];
}

/* Rounding leaves the range of the trials, and lines would join its noise. */
static double mean_at(const struct field *f, size_t i)
{
    if (!(f->weight[i] > LEAST_WEIGHT))
        return NAN;
    return fmin(fmax(f->sum[i] / f->weight[i], f->least), f->most);
}

/* One axis after the other: the bell is a product. It is narrower the more
 * trials there are, and ends with the room of a choice. */
static void smooth(struct field *f, size_t trials,
                   const struct plot_panel *panel)
{
    double width = fmax(WIDEST * pow((double)trials, -1.0 / 6), 1);
    int reach = (int)ceil(3 * width);
    double bell[GRID], *lists[] = {f->weight, f->sum};
    for (int k = 0; k < GRID; k++)
        bell[k] = exp(-0.5 * k * k / (width * width));
    for (size_t l = 0; l < 2; l++)
        for (size_t i = 0; i < GRID; i++)
            blur_row(lists[l] + i * GRID, 1, bell, reach, &panel->x);
    for (size_t l = 0; l < 2; l++)
        for (size_t i = 0; i < GRID; i++)
            blur_row(lists[l] + i, GRID, bell, reach, &panel->y);
    for (size_t i = 0; i < GRID * GRID; i++)
        f->mean[i] = mean_at(f, i);
}

/* ---- lines of equal values
 * --------------------------------------------------- */

struct lines {
    VEC(double) x;
    VEC(double) y;
};

/* Where the level is crossed between two corners of a square. */
static bool crossing(const double *v, const double *at, size_t a, size_t b,
                     double level, double *x, double *y)
{
    if ((v[a] < level) == (v[b] < level))
        return false;
    double part = (level - v[a]) / (v[b] - v[a]);
    *x = at[2 * a] + (at[2 * b] - at[2 * a]) * part;
    *y = at[2 * a + 1] + (at[2 * b + 1] - at[2 * a + 1]) * part;
    return true;
}

static void cross_square(struct lines *l, const struct field *f, size_t i,
                         size_t k, double level)
{
    const double x = (double)i, y = (double)k;
    double v[] = {f->mean[k * GRID + i], f->mean[k * GRID + i + 1],
                  f->mean[(k + 1) * GRID + i + 1], f->mean[(k + 1) * GRID + i]};
    double at[] = {x, y, x + 1, y, x + 1, y + 1, x, y + 1};
    size_t found = 0;
    if (isnan(v[0] + v[1] + v[2] + v[3]))
        return;
    for (size_t edge = 0; edge < 4; edge++) {
        double cx, cy;
        if (!crossing(v, at, edge, (edge + 1) % 4, level, &cx, &cy))
            continue;
        vec_push(&l->x, (cx + 0.5) / GRID);
        vec_push(&l->y, (cy + 0.5) / GRID);
        if (++found % 2 == 0) {
            vec_push(&l->x, NAN);
            vec_push(&l->y, NAN);
        }
    }
}

static void add_levels(const struct field *f, struct plot *p,
                       struct plot_panel *panel)
{
    struct lines l = {0};
    double low = INFINITY, high = -INFINITY;
    for (size_t i = 0; i < GRID * GRID; i++) {
        low = fmin(low, f->mean[i]);
        high = fmax(high, f->mean[i]);
    }
    for (int n = 1; n <= LEVELS && low < high; n++)
        for (size_t k = 0; k + 1 < GRID; k++)
            for (size_t i = 0; i + 1 < GRID; i++)
                cross_square(&l, f, i, k,
                             low + (high - low) * n / (LEVELS + 1));
    for (size_t i = 0; i < l.x.len; i++) {
        if (isnan(l.x.p[i]))
            continue;
        l.x.p[i] = plot_axis_value(&panel->x, l.x.p[i]);
        l.y.p[i] = plot_axis_value(&panel->y, l.y.p[i]);
    }
    size_t count = l.x.len;
    double *x = vec_to_arena(p->arena, &l.x);
    double *y = vec_to_arena(p->arena, &l.y);
    plot_mark_add(panel, &(struct plot_mark){.kind = PLOT_LINES,
                                             .count = count,
                                             .x = x,
                                             .y = y,
                                             .colour = PLOT_INK,
                                             .width = 0.5,
                                             .opacity = 0.5});
}

/* ---- the figure -----------------------------------------------------------
 */

static void draw(const struct trials *t, struct plot *p)
{
    struct plot_panel *panel = plot_panel_add(p, NULL);
    struct field *f = arena_new_of(p->arena, struct field);
    f->mean = plot_room(p, GRID * GRID);
    panel->x = trials_param_axis(&t->params[0]);
    panel->y = trials_param_axis(&t->params[1]);
    plot_axis_fit(&panel->x, t->params[0].numbers, t->count);
    plot_axis_fit(&panel->y, t->params[1].numbers, t->count);
    panel->ramp_label = t->metric;
    gather(f, t, panel);
    smooth(f, t->count, panel);
    plot_mark_add(panel, &(struct plot_mark){.kind = PLOT_CELLS,
                                             .count = GRID * GRID,
                                             .across = GRID,
                                             .shades = f->mean});
    add_levels(f, p, panel);
    if (t->count <= 5000)
        plot_mark_add(panel, &(struct plot_mark){.kind = PLOT_POINTS,
                                                 .count = t->count,
                                                 .x = t->params[0].numbers,
                                                 .y = t->params[1].numbers,
                                                 .colour = PLOT_CATEGORY,
                                                 .category = 1,
                                                 .width = 0.6,
                                                 .opacity = 0.8,
                                                 .name = "trial"});
    else
        plot_note(p, "the %s trials themselves are not drawn",
                  plot_count(p->arena, t->count));
    plot_note(p, "mean of the trials near each place; empty where there are "
                 "none");
}

static int make(const struct figure_asked *asked, struct plot *p,
                struct err *err)
{
    const char *names[2];
    struct trials t;
    if (trials_pick_two(asked, false, names, p->arena, err) ||
        trials_read(&t, asked, names, 2, p, err))
        return -1;
    trials_title(&t, asked, p,
                 arena_printf(p->arena, "%s over %s and %s", t.metric, names[0],
                              names[1]));
    trials_table(&t, p);
    trials_param_column(&t, &t.params[0], p);
    trials_param_column(&t, &t.params[1], p);
    draw(&t, p);
    return 0;
}

FIGURE(contour) = {
    .name = "contour",
    .summary = "the metric over two parameters, also between trials",
    .takes = "metric where trials x y",
    .make = make,
};
