/* model_check.h - faults of a study's model file, before any trial runs */
#ifndef THRONG_CLI_MODEL_CHECK_H
#define THRONG_CLI_MODEL_CHECK_H

#include "plan/plan.h"

/* Reads the model, with the data that it names, for a few points of the space
 * (both ends, some in between) or of the list. A fault that all of them have
 * is an error, one that only some have is a warning: those trials would be
 * invalid. `notices`: what the data has a notice of is one, too. Nothing for a
 * study without a model. */
void model_check(struct plan *p, bool notices, struct problems *problems);

#endif
