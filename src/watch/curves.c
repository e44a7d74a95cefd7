/* curves.c - the charts of `watch`
 *
 * The best so far by trial, and one metric by step: of the chosen trial and,
 * in the same chart, of those that it is compared with. Each of several has
 * its number at its end, so that colours only help. */
#include <math.h>
#include <stdlib.h>
#include "base/num.h"
#include "watch/sight.h"

#define SIDE_BY_SIDE 60
#define ROWS_LEAST 14 /* from which two charts stand one on another */
#define X_DIGITS 9    /* trials and steps are counted */
#define Y_DIGITS 4

/* One line of a chart. */
struct line {
    const struct curve_point *points;
    size_t count;
    enum mark mark;
    int64_t label; /* at its end; 0: none */
};

struct chart {
    const struct sight *view;
    struct screen *screen;
    const struct line *lines;
    size_t count;
    bool steps;
    const char *title;
};

/* ---- axes ------------------------------------------------------------- */

static void put_number(struct screen *s, struct area a, int row, int width,
                       double n, int digits)
{
    struct buf b;
    buf_init(&b);
    num_print_short(&b, n, digits);
    int len = screen_width(s, buf_str(&b));
    screen_put(s, a, row, width > len ? width - len : 0, MARK_FAINT,
               buf_str(&b));
    buf_done(&b);
}

static int number_width(double n)
{
    struct buf b;
    buf_init(&b);
    num_print_short(&b, n, Y_DIGITS);
    int len = (int)b.len;
    buf_done(&b);
    return len;
}

static void put_axes(struct screen *s, struct area a, const struct curve *c,
                     int gutter)
{
    put_number(s, a, 0, gutter - 1, c->y_max, Y_DIGITS);
    if (c->rows > 1 && c->y_min < c->y_max)
        put_number(s, a, c->rows - 1, gutter - 1, c->y_min, Y_DIGITS);
    a.col += gutter;
    a.cols = c->cols;
    put_number(s, a, a.rows - 1, 0, c->x_min, X_DIGITS);
    if (c->x_max > c->x_min)
        put_number(s, a, a.rows - 1, a.cols, c->x_max, X_DIGITS);
}

/* ---- lines ------------------------------------------------------------ */

/* A range that all lines fit in. */
static bool fit_all(const struct chart *k, struct curve *c)
{
    size_t total = 0, at = 0;
    for (size_t i = 0; i < k->count; i++)
        total += k->lines[i].count;
    struct curve_point *all = xcalloc(total + 1, sizeof(*all));
    for (size_t i = 0; i < k->count; i++)
        for (size_t n = 0; n < k->lines[i].count; n++)
            all[at++] = k->lines[i].points[n];
    bool there = curve_fit(c, all, total);
    free(all);
    return there;
}

/* Where braille lines cross both are seen. */
static wchar_t crossing(enum curve_kind kind, wchar_t under, wchar_t over)
{
    return kind == CURVE_BRAILLE && under > 0x2800 && under < 0x2900
               ? under | over
               : over;
}

static void draw_line(const struct chart *k, const struct curve *c,
                      struct area a, const struct line *line, wchar_t *under)
{
    size_t cells = (size_t)c->rows * (size_t)c->cols;
    wchar_t *own = xcalloc(cells, sizeof(*own));
    curve_draw(c, line->points, line->count, own);
    for (size_t i = 0; i < cells; i++) {
        if (own[i] == L' ')
            continue;
        under[i] = crossing(c->kind, under[i], own[i]);
        screen_char(k->screen, a, (int)(i / (size_t)c->cols),
                    (int)(i % (size_t)c->cols), line->mark, under[i]);
    }
    free(own);
}

/* The last point that can be drawn, or NULL. */
static const struct curve_point *end_of(const struct line *line)
{
    size_t n = line->count;
    while (n > 0 && !isfinite(line->points[n - 1].y))
        n--;
    return n ? &line->points[n - 1] : NULL;
}

/* The line that ends highest of those whose label is still to come. */
static size_t highest(const struct chart *k, const bool *done)
{
    size_t found = k->count;
    for (size_t i = 0; i < k->count; i++) {
        const struct curve_point *end = end_of(&k->lines[i]);
        if (!done[i] && end && k->lines[i].label &&
            (found == k->count || end->y > end_of(&k->lines[found])->y))
            found = i;
    }
    return found;
}

/* Right of the last points, from the top: lines that end side by side have
 * their labels one below the other. */
static void put_labels(const struct chart *k, const struct curve *c,
                       struct area a)
{
    bool done[COMPARED_MAX + 1] = {0};
    int free_row = 0;
    for (size_t i; (i = highest(k, done)) < k->count; done[i] = true) {
        int row, col;
        curve_cell(c, end_of(&k->lines[i]), &row, &col);
        row = row < free_row ? free_row : row;
        if (row >= c->rows)
            return;
        screen_printf(k->screen, a, row, col + 1, k->lines[i].mark, "%lld",
                      (long long)k->lines[i].label);
        free_row = row + 1;
    }
}

static int label_width(const struct chart *k)
{
    int width = 0;
    for (size_t i = 0; i < k->count; i++) {
        int own =
            k->lines[i].label ? number_width((double)k->lines[i].label) : 0;
        width = own > width ? own : width;
    }
    return width;
}

static void draw_lines(const struct chart *k, const struct curve *c,
                       struct area a)
{
    size_t cells = (size_t)c->rows * (size_t)c->cols;
    wchar_t *under = xcalloc(cells, sizeof(*under));
    /* The first one, which was chosen, lies above the others. */
    for (size_t i = k->count; i-- > 0;)
        draw_line(k, c, a, &k->lines[i], under);
    put_labels(k, c, a);
    free(under);
}

/* The lines with their axes, in an area whose first row is the title. */
static void draw_chart(const struct chart *k, struct area a)
{
    struct curve c = {.kind = k->view->curves, .steps = k->steps};
    struct area head = area_take_top(&a, 1);
    bool there = fit_all(k, &c);
    screen_printf(k->screen, head, 0, 0, MARK_TITLE, "%s%s", k->title,
                  there && c.log_y ? " (log)" : "");
    int low = there ? number_width(c.y_min) : 0;
    int high = there ? number_width(c.y_max) : 0;
    int gutter = (low > high ? low : high) + 1;
    c.rows = a.rows - 1;
    c.cols = a.cols - gutter - label_width(k);
    if (!there || c.rows < 1 || c.cols < 2)
        return;
    put_axes(k->screen, a, &c, gutter);
    a.col += gutter;
    a.cols -= gutter;
    draw_lines(k, &c, a);
}

/* ---- which ------------------------------------------------------------ */

static void draw_best_so_far(const struct sight *v, const struct look *l,
                             struct screen *s, struct area a)
{
    struct buf b;
    struct curve_point *points =
        arena_array(l->arena, l->record_count, sizeof(*points));
    struct line line = {points, l->record_count, MARK_CURVE, 0};
    for (size_t i = 0; i < l->record_count; i++)
        points[i] =
            (struct curve_point){(double)l->records[i].id, l->records[i].value};
    buf_init(&b);
    buf_addf(&b, "best %.*s by trial", STRF(l->goal.name));
    if (l->gathered < 1)
        buf_addf(&b, " (%.0f %% read)", floor(l->gathered * 100));
    struct chart k = {v, s, &line, 1, true, b.p};
    draw_chart(&k, a);
    if (!l->record_count)
        screen_put(s, a, 1, 2, MARK_FAINT, STR("no trial has a value yet"));
    buf_done(&b);
}

static const struct curve_point *points_of(const struct series *s,
                                           struct arena *a)
{
    struct curve_point *points = arena_array(a, s->count, sizeof(*points));
    for (size_t i = 0; i < s->count; i++)
        points[i] = (struct curve_point){(double)s->steps[i], s->values[i]};
    return points;
}

/* Of one trial, or of several. */
static void draw_metric(const struct sight *v, const struct look *l,
                        struct screen *s, struct area a)
{
    static const enum mark marks[] = {MARK_CURVE,   MARK_CURVE_2, MARK_CURVE_3,
                                      MARK_CURVE_4, MARK_CURVE_5, MARK_CURVE_6};
    const size_t mark_count = sizeof(marks) / sizeof(marks[0]);
    struct line lines[COMPARED_MAX + 1];
    size_t n = l->curve_count, points = 0;
    struct buf b;
    if (!n)
        return;
    buf_init(&b);
    buf_adds(&b, n > 1 ? "trials" : "trial");
    for (size_t i = 0; i < n; i++) {
        const struct look_curve *k = &l->curves[i];
        lines[i] =
            (struct line){points_of(&k->series, l->arena), k->series.count,
                          marks[i % mark_count], n > 1 ? k->trial : 0};
        points += k->series.count;
        buf_addf(&b, " %lld", (long long)k->trial);
    }
    buf_addf(&b, ": %s by step", l->metric);
    struct chart k = {v, s, lines, n, false, b.p};
    draw_chart(&k, a);
    if (!points)
        screen_put(s, a, 1, 2, MARK_FAINT,
                   n > 1 ? STR("none of them has reported it")
                         : STR("it has reported none"));
    buf_done(&b);
}

void curves_draw(const struct sight *v, const struct look *l, struct screen *s,
                 struct area a)
{
    if (!a.rows)
        return;
    if (!l->metric) {
        screen_put(s, a, 0, 2, MARK_FAINT, STR("the study has no metric"));
        return;
    }
    struct area second = a;
    bool both = l->goal.name.len > 0;
    if (both && a.rows >= ROWS_LEAST) {
        second = area_take_bottom(&a, a.rows / 2);
    } else if (both && a.cols >= SIDE_BY_SIDE) {
        second = area_take_right(&a, a.cols / 2 - 1);
        a.cols -= 2;
    } else if (both && !v->want.metric && !v->want.compared_count) {
        draw_best_so_far(v, l, s, a);
        return;
    } else {
        both = false; /* room for one only: what was asked for */
    }
    if (both)
        draw_best_so_far(v, l, s, a);
    draw_metric(v, l, s, second);
}
