/* job_conductor.h - a conductor that is a job of the scheduler */
#ifndef THRONG_CLI_JOB_CONDUCTOR_H
#define THRONG_CLI_JOB_CONDUCTOR_H

#include "cli/cli.h"

/* The command of a shell that goes on with this call of `run` in a job; in the
 * arena. */
const char *job_conductor_command(struct call *c);
/* Opens the study once, so that what is wrong with it is said now, and submits
 * its conductor. open: as the verb opens it. */
int job_conductor_detach(struct call *c, const struct study_setup *setup,
                         struct study *opened);
/* "now      …" of a study that waits for such a conductor; false: it has none
 * that lives. */
bool job_conductor_waits(struct call *c, const struct place_of_study *where,
                         struct buf *b);

#endif
