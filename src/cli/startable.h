/* startable.h - whether what a study starts is there */
#ifndef THRONG_CLI_STARTABLE_H
#define THRONG_CLI_STARTABLE_H

#include "plan/plan.h"

/* Adds an error for a virtual environment without a Python. */
void startable_venv(const struct plan *p, struct problems *problems);
/* Adds an error for a program, a script or an interpreter that is not there,
 * as seen from the study file; a warning where setup lines or a conda
 * environment may still bring it. */
void startable_check(const struct plan *p, struct problems *problems);

#endif
