/* watch.h - a study in a terminal while it runs
 *
 * The full screen, the same printed once, and the block below the progress
 * line of `run`. All of it only reads, so that it can come and go. */
#ifndef THRONG_WATCH_WATCH_H
#define THRONG_WATCH_WATCH_H

#include <stdbool.h>
#include "base/buf.h"
#include "base/err.h"

struct watch_setup {
    const char *folder; /* of the study; one that has not begun is waited for */
    const char *study;  /* its name */
    const char *curves; /* one of watch_curves; NULL: what can be shown */
    bool colour;
};
/* What curves are drawn with; NULL-terminated. */
extern const char *const watch_curves[];

/* Takes the whole screen until the person goes; *taken false, and nothing is
 * done, where the terminal is not known well enough. */
int watch_on_terminal(const struct watch_setup *setup, bool *taken,
                      struct err *err);
/* Appends what the screen would show, as lines no longer than the columns;
 * foreign text in them is harmless. */
int watch_print(const struct watch_setup *setup, unsigned columns,
                struct buf *b, struct err *err);

/* The best trial and those that run, with their newest values, on terminals
 * that are high enough. */
struct live_block;

/* NULL where there can be no block: a terminal that cannot move its cursor, a
 * store that cannot be read while it is written. */
struct live_block *live_block_new(const char *folder);
void live_block_free(struct live_block *l);
/* Adds the block to b, each line of it begun by a newline and shorter than
 * the columns; gives the number of lines, 0 on a low terminal. The store is
 * read at most once a second. rate: trials per second; short trials are not
 * listed, nobody could read them. */
unsigned live_block_print(struct live_block *l, struct buf *b, unsigned rows,
                          unsigned columns, double rate);

#endif
