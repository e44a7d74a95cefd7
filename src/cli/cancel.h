/* cancel.h - ending the jobs of a study that nobody runs */
#ifndef THRONG_CLI_CANCEL_H
#define THRONG_CLI_CANCEL_H

#include "cli/cli.h"

/* Says what it has done; -1: c->err. */
int cancel_jobs(struct call *c, const struct place_of_study *where);

/* For a study that nobody runs, which shall not begin either: its jobs are
 * left. Says what it has done; -1: c->err. */
int cancel_conductor(struct call *c, const struct place_of_study *where);

/* What is needed to speak to the place of a stored study. */
struct stored_setup {
    struct study_setup setup;
    struct plan *plan;
    struct log log;
};
/* -1: c->err. The setup points into *s, which must stay where it is. */
int stored_setup_open(struct call *c, const struct place_of_study *where,
                      struct stored_setup *s);
void stored_setup_close(struct stored_setup *s);

#endif
