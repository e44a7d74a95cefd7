/* plot.h - figures from columns of numbers
 *
 * A plot is filled once: panels with two axes each, marks in them, notes below,
 * and the table of numbers that it shows. Then it is drawn, by a back end, as
 * often as somebody likes. It knows no study. Everything is in its arena. */
#ifndef THRONG_PLOT_PLOT_H
#define THRONG_PLOT_PLOT_H

#include <stdbool.h>
#include <stdint.h>
#include "base/arena.h"
#include "base/buf.h"
#include "base/err.h"
#include "base/vec.h"

#define PLOT_MARKS_MAX 50000 /* drawn one by one; beyond: their density */

/* ---- axes ---------------------------------------------------------------- */

enum plot_scale {
    PLOT_LINEAR,
    PLOT_LOG,
    PLOT_CHOICE,  /* 0, 1, 2 … are the choices, each has a room of width 1 */
    PLOT_SECONDS, /* linear, in hours, minutes and seconds */
};

struct plot_axis {
    const char *label; /* NULL: none */
    enum plot_scale scale;
    double low, high; /* low >= high: as the marks need it */
    const char *const *choices;
    size_t choice_count;
    bool hidden;       /* no line, ticks or label */
    bool exact;        /* no room beside the marks */
    bool whole;        /* ticks are whole numbers */
    bool zero;         /* 0 is in it */
    bool down;         /* choices go from the top to the bottom */
    const char *spare; /* what the last choices are, that may be left out where
                          not each has a line: "less important"; NULL: none */
    bool percent;      /* 0.5 is 50 % */
};

/* Where a number stands on an axis whose limits are set: 0 to 1, or NaN. */
double plot_axis_at(const struct plot_axis *a, double v);
/* The number at a part of it. */
double plot_axis_value(const struct plot_axis *a, double part);
/* Limits from numbers, where none are set; never empty. */
void plot_axis_fit(struct plot_axis *a, const double *list, size_t count);

/* ---- marks --------------------------------------------------------------- */

enum plot_mark_kind {
    PLOT_LINES,  /* x, y; NaN breaks a line */
    PLOT_STEPS,  /* the same, at right angles */
    PLOT_POINTS, /* x, y */
    PLOT_BAND,   /* between y and y2, over x */
    PLOT_RECTS,  /* from x, y to x2, y2 */
    PLOT_CELLS,  /* `across` × rows of shades over the whole panel, the lowest
                    row first; NaN: none */
    PLOT_TEXTS,  /* at x, y, middle */
};

enum plot_colour {
    PLOT_INK,      /* as text */
    PLOT_FAINT,    /* as what matters less */
    PLOT_CATEGORY, /* one of a few: differs in form, too */
};

struct plot_mark {
    enum plot_mark_kind kind;
    size_t count;
    const double *x, *y, *x2, *y2;
    const double *shades;      /* magnitudes, on the panel's ramp; NULL: none */
    const uint8_t *categories; /* one for each mark; NULL: `category` for all */
    const char *const *texts;
    size_t across; /* of cells */
    enum plot_colour colour;
    unsigned category;
    const char *name;  /* in the legend; NULL: not there */
    const char *crowd; /* what they are together, where they are too many to
                          be drawn one by one: "98,412 trials" */
    double opacity;    /* 0: 1 */
    double width;      /* of lines, radius of points, in parts of the usual; 0:
                          1 */
    unsigned dashes;   /* of lines: 0 is a whole one, others differ */
    bool lettered; /* of lines: in a terminal without colours its category is
                      a letter on it */
    bool side;     /* texts stand right of their place */
    double room;   /* of texts: how much of the x axis one may take; 0: any */
    bool uncut;    /* texts are there whole or not at all: numbers */
};

struct plot_panel {
    const char *title; /* NULL: none */
    const char *note;  /* said where the panel is drawn; NULL: none */
    struct plot_axis x, y;
    VEC(struct plot_mark) marks;
    /* What shades mean. */
    const char *ramp_label;
    double ramp_low, ramp_high; /* low >= high: as the marks need it */
    bool ramp_log;
    bool ramp_density; /* many stand out from the background */
    bool square;       /* both axes in one measure */
};

/* ---- the table behind it ------------------------------------------------- */

struct plot_column {
    const char *name;
    const double *numbers;    /* NaN: an empty cell; NULL: it has texts */
    const char *const *texts; /* NULL: an empty cell */
};

struct plot {
    struct arena *arena;
    const char *title, *subtitle; /* NULL: none */
    VEC(struct plot_panel *) panels;
    size_t across; /* panels side by side; 0: as fits */
    VEC(const char *) notes;
    VEC(const char *) colour_notes;
    VEC(const char *) categories; /* names, for the legend, by category */
    VEC(struct plot_column) columns;
    size_t rows; /* of the table */
};

void plot_init(struct plot *p, struct arena *a);
void plot_done(struct plot *p);
struct plot_panel *plot_panel_add(struct plot *p, const char *title);
void plot_mark_add(struct plot_panel *panel, const struct plot_mark *m);
/* What a person must know to read it right. */
void plot_note(struct plot *p, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));
/* The same, of what colours mean: not said where there are none. */
void plot_note_of_colours(struct plot *p, const char *text);
/* Columns of the table; all have `rows` cells. */
void plot_numbers(struct plot *p, const char *name, const double *list);
void plot_texts(struct plot *p, const char *name, const char *const *list);
/* Uninitialised room for numbers that live as long as the plot. */
double *plot_room(struct plot *p, size_t count);

/* The table as CSV with a header. */
void plot_csv(struct buf *b, const struct plot *p);
/* Text on one line without what no reader takes. */
void plot_plain(struct buf *b, const char *text);
/* Text as XML and HTML take it, whatever is in it. */
void plot_xml(struct buf *b, const char *text);
/* 12,345 */
const char *plot_count(struct arena *a, uint64_t n);
/* A number as people write it, in so many digits. */
void plot_number(struct buf *b, double v, int digits);

/* ---- drawing ------------------------------------------------------------- */

struct plot_look {
    double width, height; /* points; in a terminal columns and rows; 0: usual */
    size_t marks_max;     /* drawn one by one; 0: PLOT_MARKS_MAX */
    bool dark;
    bool colour;  /* in a terminal */
    bool unicode; /* in a terminal */
};

struct plot_backend; /* one file each */

/* By the ending of a file's name, or "terminal"; NULL: err names those that
 * there are. */
const struct plot_backend *plot_backend_of(const char *file, struct err *err);
/* Appends the drawn figure to b. */
int plot_draw(const struct plot *p, const struct plot_backend *backend,
              const struct plot_look *look, struct buf *b, struct err *err);

#endif
