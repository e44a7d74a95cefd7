/* sight.h - how `watch` looks */
#ifndef THRONG_WATCH_SIGHT_H
#define THRONG_WATCH_SIGHT_H

#include "watch/braille.h"
#include "watch/screen.h"
#include "watch/table.h"
#include "view/view.h"

/* The first ones are the lists of the same number. */
enum pane { PANE_BEST, PANE_RUNNING, PANE_FAILED, PANE_CURVES, PANE_COUNT };

/* What is shown, as the person has chosen it. */
struct sight {
    const char *study;
    enum curve_kind curves;
    enum pane pane;
    bool help;
    struct want want;    /* rows are set by sight_plan */
    size_t shift;        /* columns that are scrolled out to the left */
    size_t scroll;       /* in one trial or in the help */
    const char *message; /* instead of the keys; NULL: none */
    const char *prompt;  /* a text being typed; NULL: none */
    const char *typed;   /* so far */
    const char *wrong;   /* what is wrong with it; NULL: nothing */
    bool bare;           /* printed: no tabs, no keys */
    bool no_curves;      /* there is no metric to draw */
};

/* Fills in how many rows of each list fit the screen, so that no more are
 * read. */
void sight_plan(struct sight *v, int rows, int cols);
/* How many rows the list with the cursor has on such a screen. */
size_t sight_list_rows(const struct sight *v, int rows, int cols);
/* Draws the look (NULL: none yet). Scrolls back what is scrolled too far. */
void sight_draw(struct sight *v, const struct look *l, struct screen *s);

/* The best so far, and the metric of the chosen trial and those beside it. */
void curves_draw(const struct sight *v, const struct look *l, struct screen *s,
                 struct area a);

/* ---- pieces ----------------------------------------------------------- */

/* Everything about one trial, or why there is nothing. */
void trial_draw(struct sight *v, const struct look *l, struct screen *s,
                struct area a);
/* "12s", "3m 10s" from one unix time to another; "" when one is 0. */
const char *print_span(struct arena *a, double from, double to);
/* The names of the rows' parameters in the file's order: what differs comes
 * first, since what does not fit is left out at the end. */
void rows_params(struct point_columns *c, const struct look *l,
                 const struct look_row *rows, size_t count);
/* A cell for each of them. */
void sheet_params(struct sheet *t, const struct point_columns *c,
                  const struct value *point);

#endif
