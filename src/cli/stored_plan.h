/* stored_plan.h - the plan of a study that was run before */
#ifndef THRONG_CLI_STORED_PLAN_H
#define THRONG_CLI_STORED_PLAN_H

#include "cli/cli.h"

/* From the study file where it still asks the same question, else from the
 * text that was stored, whose secrets are gone. Says nothing. NULL: c->err. */
struct plan *load_stored_plan(struct call *c, struct store *store,
                              const struct place_of_study *where);

#endif
