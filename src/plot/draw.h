/* draw.h - from a plot to a canvas: for the files that do it */
#ifndef THRONG_PLOT_DRAW_H
#define THRONG_PLOT_DRAW_H

#include "plot/axis.h"
#include "plot/canvas.h"

struct drawing {
    const struct plot *plot;
    struct canvas *canvas;
    struct arena *arena;     /* of this drawing */
    VEC(const char *) notes; /* that came up while it was drawn */
    size_t shown, across;    /* panels: how many, and side by side */
    size_t choices;          /* that an axis has room for, where some are spare;
                                0: for all */
};

/* A panel with its axes fitted, at its place. */
struct drawn_panel {
    struct drawing *d;
    struct plot_panel *panel; /* a copy */
    struct box in;            /* between the axes */
    bool crowded;             /* its ramp is that of a density */
};

/* A place in the panel, in units of the canvas; NaN: none. */
double panel_x(const struct drawn_panel *p, double v);
double panel_y(const struct drawn_panel *p, double v);
struct rgb mark_colour(const struct drawn_panel *p, const struct plot_mark *m,
                       size_t i);

/* The letter of a line that has one, or 0. */
char mark_letter(const struct plot_mark *m);

/* panel.c: frame, ticks, marks, ramp. */
/* How much stands above and below the axes of a panel. */
void panel_outside(const struct drawing *d, const struct plot_panel *panel,
                   double *above, double *below);
void panel_draw(struct drawing *d, const struct plot_panel *panel,
                struct box where);
/* marks.c */
void marks_draw(struct drawn_panel *p, const struct plot_mark *m);
/* density.c: what is too much to be drawn one by one. True when it was drawn;
 * says so in the notes. */
bool density_needed(const struct drawing *d, const struct plot_mark *m);
void density_draw(struct drawn_panel *p, const struct plot_mark *m);

#endif
