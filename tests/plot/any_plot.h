/* any_plot.h - plots to draw in tests */
#ifndef THRONG_TESTS_PLOT_ANY_PLOT_H
#define THRONG_TESTS_PLOT_ANY_PLOT_H

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>
#include "plot/plot.h"

#define NASTY                                                                  \
    "<b a=\"1\">&amp; \x1b[31m\xff ]]> \x01 \xef\xbf\xbf 名前 \xe2\x80\xae " \
    "\n x"

/* One of each kind of mark, of numbers that fn makes. */
static inline struct plot_panel *
any_panel(struct plot *p, size_t n, double (*fn)(size_t i), const char *label)
{
    static const char *const choices[] = {"a", NASTY, "a long choice name"};
    struct plot_panel *panel = plot_panel_add(p, label);
    double *x = plot_room(p, n), *y = plot_room(p, n), *z = plot_room(p, n);
    const char **texts = arena_array(p->arena, n + 1, sizeof(*texts));
    uint8_t *kinds = arena_alloc(p->arena, n + 1);
    for (size_t i = 0; i < n; i++) {
        x[i] = (double)i;
        y[i] = fn(i);
        z[i] = fn(i) + 1;
        texts[i] = choices[i % 3];
        kinds[i] = (uint8_t)(i % 3);
    }
    panel->x = (struct plot_axis){.label = label};
    panel->y = (struct plot_axis){.label = label};
    panel->ramp_label = label;
    for (int kind = PLOT_LINES; kind <= PLOT_TEXTS; kind++) {
        struct plot_mark m = {
            .kind = (enum plot_mark_kind)kind,
            .count = n,
            .x = x,
            .y = y,
            .x2 = kind == PLOT_RECTS ? z : NULL,
            .y2 = kind == PLOT_RECTS || kind == PLOT_BAND ? z : NULL,
            .texts = texts,
            .across = n > 3 ? 3 : 1,
            .colour = PLOT_CATEGORY,
            .category = (unsigned)kind,
            .name = label,
            .opacity = 0.5};
        if (kind == PLOT_CELLS || kind == PLOT_POINTS)
            m.shades = y;
        if (kind == PLOT_RECTS)
            m.categories = kinds;
        if (kind == PLOT_CELLS)
            m.count = n / m.across * m.across;
        plot_mark_add(panel, &m);
    }
    vec_push(&p->categories, "first");
    vec_push(&p->categories, label);
    vec_push(&p->categories, "third");
    p->title = p->subtitle = label;
    plot_note(p, "%s", label);
    return panel;
}

static inline double plain_numbers(size_t i)
{
    return sin((double)i);
}

static inline double no_numbers(size_t i)
{
    return i % 2 ? NAN : INFINITY;
}

static inline double equal_numbers(size_t i)
{
    (void)i;
    return 7;
}

static inline double wild_numbers(size_t i)
{
    return i % 3 == 0 ? 1.7e308 : i % 3 == 1 ? -1.7e308 : 5e-324;
}

#endif
