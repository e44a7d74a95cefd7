/* matrix.c - two groupings and a metric: a number in every cell
 *
 * As heat, but every value is a group of its own, and the number is written. */
#include <math.h>
#include "figure/cells.h"

#define GROUPS_MAX 30
#define WRITTEN_MAX 400 /* cells with a number in them: more cannot be read */

static void write_numbers(const struct cells *c, struct plot *p,
                          struct plot_panel *panel)
{
    size_t across = c->sides[0].count, all = across * c->sides[1].count;
    double *x = plot_room(p, all), *y = plot_room(p, all);
    double *shades = plot_room(p, all);
    const char **texts = arena_array(p->arena, all + 1, sizeof(*texts));
    struct buf b;
    buf_init(&b);
    for (size_t i = 0; i < all; i++) {
        x[i] = (double)(i % across);
        y[i] = (double)(i / across);
        shades[i] = c->n[i] > 0 ? c->shown[i] : NAN;
        if (isnan(shades[i]))
            continue;
        buf_reset(&b);
        plot_number(&b, shades[i], 3);
        texts[i] = arena_cstr(p->arena, buf_str(&b));
    }
    buf_done(&b);
    plot_mark_add(panel, &(struct plot_mark){.kind = PLOT_TEXTS,
                                             .count = all,
                                             .x = x,
                                             .y = y,
                                             .shades = shades,
                                             .texts = texts,
                                             .room = 1});
}

static int make(const struct figure_asked *asked, struct plot *p,
                struct err *err)
{
    struct cells *c = arena_new_of(p->arena, struct cells);
    if (cells_read(c, asked, true, GROUPS_MAX, p, err))
        return -1;
    c->sides[1].axis.down = true;
    struct plot_panel *panel = cells_draw(c, asked, p);
    if (c->sides[0].count * c->sides[1].count <= WRITTEN_MAX &&
        c->sides[0].count <= 12)
        write_numbers(c, p, panel);
    return 0;
}

FIGURE(matrix) = {
    .name = "matrix",
    .summary = "two groupings and a metric, a number in each cell",
    .takes = "metric where trials x y stat",
    .make = make,
};
