/* layout.h - text as it lies on a terminal
 *
 * Tables that fit, lines broken between words, colours. Everything goes into
 * a buf; nothing is printed. Colours say nothing that the text does not: they
 * are there on terminals only, and not where NO_COLOR asks for none. */
#ifndef THRONG_LAYOUT_LAYOUT_H
#define THRONG_LAYOUT_LAYOUT_H

#include "base/arena.h"
#include "base/buf.h"

/* ---- tables ------------------------------------------------------------ */

/* A table with aligned columns that fits the terminal; numbers to the right.
 * Off a terminal: tab separated with a header line. */
struct table;
struct table *table_new(void);
void table_free(struct table *t);
void table_column(struct table *t, const char *title, bool right);
/* The column just made is the last and never cut: its rows may be longer than
 * the terminal is wide. */
void table_whole(struct table *t);
void table_cell(struct table *t, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));
/* So many digits, 0: as many as it has; blank for NaN. */
void table_number(struct table *t, double v, int digits);
void table_row(struct table *t); /* ends a row */

/* The rows with blanks between the columns, in at most so many characters a
 * line, and with tabs. The rows are forgotten, and the header comes once: off
 * a terminal a long table can so be printed piece by piece. */
void table_align(struct table *t, struct buf *b, unsigned columns, bool colour);
void table_tabs(struct table *t, struct buf *b);

/* Each name in at most its width of letters, cut so that those that differ
 * still do. The list is in the arena; what was not cut is the name itself. */
const char **titles_fit(struct arena *a, const char *const *names,
                        const size_t *widths, size_t n);

/* ---- lines ------------------------------------------------------------- */

/* Lines of a report such as `show` and `status` have: a word in front and what
 * it says, titles, indented lists. Lines that are longer than the columns are
 * broken between words, and go on below where their text began; what a task
 * printed (behind a `|`, or far in), paths, and lists of values are left as
 * they are. `text` is shown already. */
void paint_report(struct buf *b, struct str text, unsigned columns,
                  bool colour);
/* Breaks lines between words so that they fit the columns. What stands between
 * backticks, and lines that are a path, stay whole. */
void paint_wrap(struct buf *b, struct str text, unsigned columns);

#endif
