/* dry_run.h - what `throng run` would run */
#ifndef THRONG_CLI_DRY_RUN_H
#define THRONG_CLI_DRY_RUN_H

#include "cli/cli.h"

/* Prints the trials that the next run would start, with their commands:
 * those that wait in the store (folder), then new ones, at most `count` of
 * them (0: as many as fit a screen or so). Starts and writes nothing. */
int dry_run(struct call *c, const struct plan *plan, const char *folder,
            int64_t count);

#endif
