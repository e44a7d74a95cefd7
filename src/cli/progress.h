/* progress.h - the line that says how far a study is */
#ifndef THRONG_CLI_PROGRESS_H
#define THRONG_CLI_PROGRESS_H

#include "study/study.h"

/* Adds lines that stand below the progress line, each begun by a newline and
 * shorter than the columns; gives their number. */
typedef unsigned progress_below_fn(void *context, struct buf *b, unsigned rows,
                                   unsigned columns, double rate);

struct progress {
    struct study *study;
    struct loop_source *timer;
    unsigned columns;
    bool terminal, drawn;
    progress_below_fn *below; /* NULL: none; set after progress_open */
    void *below_context;
};

void progress_open(struct progress *g, struct study *study, struct loop *loop,
                   unsigned columns, bool quiet);
/* Takes the line and what is below it off the screen, so that something else
 * can be said. */
void progress_clear(struct progress *g);
void progress_close(struct progress *g);
/* "12/100 done  3.1/s  28s left  2 running  1 failed  best 0.21 (trial 7)" in
 * fewer than so many columns: what does not fit is said shorter, then left
 * out. */
void progress_print(struct buf *b, const struct study_progress *p,
                    unsigned columns);
/* Trials that went wrong; those that a person killed did not. */
int64_t progress_failures(const struct counts *c);
/* "100/100 done in 32s  3.1/s  1 failed  best 0.21 (trial 7)" */
void progress_print_end(struct buf *b, const struct study_progress *p);

#endif
