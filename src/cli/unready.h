/* unready.h - what a study file may say before throng can do it */
#ifndef THRONG_CLI_UNREADY_H
#define THRONG_CLI_UNREADY_H

#include "plan/plan.h"

/* Adds a problem for each key that is read and checked, but that this
 * version does not act on: an error where the study would not be the one
 * that was asked for, else a notice. Fits plan_reader.check. */
void unready_check(const struct plan *p, struct problems *problems);

#endif
