/* cancel.h - ending the jobs of a study that nobody runs */
#ifndef THRONG_CLI_CANCEL_H
#define THRONG_CLI_CANCEL_H

#include "cli/cli.h"

/* Says what it has done; -1: c->err. */
int cancel_jobs(struct call *c, const struct place_of_study *where);

#endif
