/* fix.h - parameters that are made constants for a run */
#ifndef THRONG_CLI_FIX_H
#define THRONG_CLI_FIX_H

#include "cli/cli.h"

/* Makes each parameter of `fixed` (an object of flat names) a constant of
 * the plan's space, typed as the parameter is. */
int fix_parameters(struct plan *p, const struct value *fixed, struct arena *a,
                   struct err *err);
/* For --fix: reads lines of NAME=VALUE, makes them constants of the plan,
 * and, unless the study was given a name of its own, a name that tells it
 * from the study without them: mine-lr-0.1. *fixed gets them as JSON. */
int fix_for_run(struct call *c, struct plan *p, const char *lines, bool named,
                struct str *fixed);
/* "lr=0.1,opt=sgd" into an object of flat names; values as study files have
 * them, lists and objects in JSON; a text that begins with { is JSON as a
 * whole. */
struct value *parse_assignments(const char *text, struct arena *a,
                                struct err *err);

#endif
