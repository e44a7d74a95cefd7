/* figure.h - kinds of figures: from the numbers of a study to a plot
 *
 * One file per kind, which ends with FIGURE(name) = {…}; one row in the list
 * below, without which the file does not compile, and which does not link
 * without the file. The verb, its errors, the summary and the tests take it
 * from there. */
#ifndef THRONG_FIGURE_FIGURE_H
#define THRONG_FIGURE_FIGURE_H

#include "base/err.h"
#include "plot/plot.h"
#include "store/store.h"

/* What is asked for; NULL: as the kind finds it sensible. */
struct figure_asked {
    struct store *store; /* NULL: a file alone */
    const char *study;   /* its name */
    const char *home;    /* where its file is */
    const char *metric;  /* instead of the objective */
    const char *x, *y;   /* parameters (of pareto: metrics) */
    const char *group;   /* parameter whose values are compared */
    const char *params;  /* names joined by commas */
    const char *where;   /* filter */
    const char *trials;  /* selector */
    const char *file;    /* numbers from there instead */
    const char *stat;    /* of cells: mean, min, max or count */
    const char *scale;   /* of the metric's axis: log or linear */
};

struct figure_kind {
    const char *name;
    const char *summary; /* what it shows */
    const char *takes;   /* options that it looks at, joined by blanks */
    /* Fills the plot: title, panels, notes, table. */
    int (*make)(const struct figure_asked *asked, struct plot *p,
                struct err *err);
    bool file_alone; /* with a file it needs no study */
    bool in_summary;
    bool if_any; /* there only of studies that have such numbers */
};
extern const struct figure_kind *const figure_kinds[]; /* NULL-terminated */

/* By name; NULL: err names the nearest. */
const struct figure_kind *figure_kind_of(const char *name, struct err *err);
/* Makes it; refuses an option that the kind does not look at. */
int figure_make(const struct figure_kind *kind,
                const struct figure_asked *asked, struct plot *p,
                struct err *err);

/* ---- a study on one page, to hand on --------------------------------------
 */

/* A page under work, as HTML or as Markdown. */
struct page {
    struct buf *out;
    bool markdown;
    struct arena *arena;
};
void page_begin(struct page *p, const char *title);
void page_end(struct page *p);
struct place_of_study;
/* Adds how a study stands, its best trials, figures, failures, where it comes
 * from and how to do it again. */
int summary_add(struct page *page, struct store *store,
                const struct place_of_study *where, struct err *err);

/* clang-format off */
#define FIGURES(row) \
    row(history) \
    row(curves) \
    row(slice) \
    row(contour) \
    row(parallel) \
    row(importance) \
    row(pareto) \
    row(heat) \
    row(rungs) \
    row(load) \
    row(gantt) \
    row(uncertainty) \
    row(confusion) \
    row(matrix)
/* clang-format on */

#define FIGURE_ROW(name) FIGURE_ROW_##name,
enum { FIGURES(FIGURE_ROW) FIGURE_COUNT };
#define FIGURE(name)                                                           \
    _Static_assert(FIGURE_ROW_##name < FIGURE_COUNT, "");                      \
    const struct figure_kind figure_##name
#define FIGURE_EXTERN(name) extern const struct figure_kind figure_##name;
FIGURES(FIGURE_EXTERN)

#endif
