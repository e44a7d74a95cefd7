/* unready.h - what a study file may say before throng can do it */
#ifndef THRONG_CLI_UNREADY_H
#define THRONG_CLI_UNREADY_H

#include "plan/plan.h"

/* Adds a problem for each key that is read and checked, but that this
 * version does not act on: an error where the study would not be the one
 * that was asked for, else a notice. Fits plan_reader.check. */
void unready_check(const struct plan *p, struct problems *problems);
/* The same for those who only look: a method that is not built in is a
 * warning, as everything else in the file can be shown without it. */
void unready_look(const struct plan *p, struct problems *problems);
/* True when no strategy serves the plan's method. */
bool unready_method(const struct plan *p);

#endif
