/* try_trials.h - a few trials of a study, to see how long and how large */
#ifndef THRONG_CLI_TRY_TRIALS_H
#define THRONG_CLI_TRY_TRIALS_H

#include "cli/cli.h"

struct tries {
    int64_t count;
    double subset;             /* of the data; 0: all */
    const struct needs *needs; /* of one trial */
};

/* Runs some trials in a folder of their own, which is removed: nothing of
 * the real study changes. EXIT_OK and *m, or another exit code after the
 * reason was printed. */
int try_trials(struct call *c, const struct plan *plan, const char *file,
               const struct tries *tries, struct measure *m);

#endif
