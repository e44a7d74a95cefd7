/* fix.h - parameters that are made constants for a run */
#ifndef THRONG_CLI_FIX_H
#define THRONG_CLI_FIX_H

#include "cli/cli.h"

/* For --fix: reads lines of NAME=VALUE, makes them constants of the plan,
 * and, unless the study was given a name of its own, a name that tells it
 * from the study without them: mine-lr-0.1. *fixed gets them as JSON. */
int fix_for_run(struct call *c, struct plan *p, const char *lines, bool named,
                struct str *fixed);

#endif
