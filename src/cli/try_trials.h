/* try_trials.h - a few trials of a study, to see how long and how large */
#ifndef THRONG_CLI_TRY_TRIALS_H
#define THRONG_CLI_TRY_TRIALS_H

#include "cli/cli.h"

/* Runs `count` trials in a folder of their own, which is removed: nothing of
 * the real study changes. EXIT_OK and *m, or another exit code after the
 * reason was printed. */
int try_trials(struct call *c, const struct plan *plan, const char *file,
               int64_t count, double subset, struct measure *m);

#endif
