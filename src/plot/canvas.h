/* canvas.h - what a figure is drawn on
 *
 * A back end gives a canvas: a few functions that put lines, faces and text at
 * places in its own units (points; in a terminal dots, of which a character has
 * two by four). What is drawn and where is decided above it, once for all. */
#ifndef THRONG_PLOT_CANVAS_H
#define THRONG_PLOT_CANVAS_H

#include "plot/plot.h"
#include "plot/theme.h"

enum anchor { ANCHOR_LEFT, ANCHOR_MIDDLE, ANCHOR_RIGHT };

struct pen {
    struct rgb colour;
    double opacity;    /* 1: nothing shines through */
    double width;      /* of lines */
    unsigned category; /* of points: their shape; of faces: how dark */
    unsigned dashes;   /* of lines; 0: none */
    char letter; /* of lines: stands on it where there are no colours; 0 */
    bool soft;   /* grid and frame: may be left out where there is little
                    room */
};

struct lettering {
    struct rgb colour;
    bool bold, small;
    bool plain; /* the terminal's own colour */
    bool halo;  /* lines below it step back */
};

struct box {
    double x, y, w, h; /* y grows downwards */
};

struct canvas {
    const struct plot_backend *backend;
    const struct theme *theme;
    struct plot_look look;
    double width, height; /* in its units */
    double letter;        /* width of a digit */
    double line;          /* from one line of text to the next */
    double dot;           /* radius of a point, and width of a line */
    bool cells;           /* text stands in cells: each letter is as wide */
};

struct plot_backend {
    const char *ending; /* of files; "terminal" */
    struct canvas *(*open)(const struct plot_look *look, struct err *err);
    /* Joined points x0 y0 x1 y1 …, NaN breaks them; of faces the inside,
     * without breaks. */
    void (*line)(struct canvas *c, const double *xy, size_t count,
                 const struct pen *pen);
    void (*face)(struct canvas *c, const double *xy, size_t count,
                 const struct pen *pen);
    void (*point)(struct canvas *c, double x, double y, double radius,
                  const struct pen *pen);
    /* y is the middle of the letters. */
    void (*text)(struct canvas *c, double x, double y, enum anchor anchor,
                 const char *text, const struct lettering *l);
    /* Levels of a ramp (see theme.h), the topmost row first. */
    void (*levels)(struct canvas *c, struct box where, size_t across,
                   size_t down, const uint8_t *levels, bool density);
    /* Appends what was drawn; then it is closed, whatever comes of it. */
    int (*close)(struct canvas *c, struct buf *b, struct err *err);
};

/* Every back end has a row here, and is defined by BACKEND(name) = {…}, which
 * does not compile without it. */
/* clang-format off */
#define PLOT_BACKENDS(row) \
    row(svg) \
    row(pdf) \
    row(png) \
    row(terminal)
/* clang-format on */
#define BACKEND_ROW(name) BACKEND_ROW_##name,
enum { PLOT_BACKENDS(BACKEND_ROW) BACKEND_COUNT };
#define BACKEND(name)                                                          \
    _Static_assert(BACKEND_ROW_##name < BACKEND_COUNT, "");                    \
    const struct plot_backend plot_backend_##name
#define BACKEND_EXTERN(name)                                                   \
    extern const struct plot_backend plot_backend_##name;
PLOT_BACKENDS(BACKEND_EXTERN)

/* The corners of a category's shape around a place; 0: it is a circle. */
size_t canvas_shape(unsigned category, double x, double y, double radius,
                    double *xy);
/* How long the dashes of lines and the gaps between them are, in turn; the
 * count is 0 for a whole line. */
size_t canvas_dashes(unsigned dashes, const double **lengths);
/* The cells of one level: equal neighbours of a row are one piece. False: there
 * are no more. */
struct level_walk {
    struct box where;
    size_t across, down;
    const uint8_t *levels;
    uint8_t level;
    size_t at; /* the next cell; 0 to begin */
};
bool level_next(struct level_walk *w, struct box *piece);
/* Terminals may have none. */
bool canvas_has_colours(const struct canvas *c);
/* How wide text is on it. */
double canvas_width_of(const struct canvas *c, const char *text, bool bold);
/* The text, cut with an ellipsis to so much width, a name in its middle; in
 * the arena, or itself. */
const char *canvas_fit(const struct canvas *c, const char *text, double width,
                       struct arena *a);

#endif
