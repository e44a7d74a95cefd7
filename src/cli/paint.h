/* paint.h - colours and line breaks for people at a terminal
 *
 * Colours say nothing that the text does not. They are there on terminals
 * only, and not where NO_COLOR asks for none. */
#ifndef THRONG_CLI_PAINT_H
#define THRONG_CLI_PAINT_H

#include "base/buf.h"

#define PAINT_BOLD "\033[1m"
#define PAINT_END "\033[0m"

/* The colour of a word that names a state of trials, or NULL. */
const char *paint_of_state(struct str word);

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
