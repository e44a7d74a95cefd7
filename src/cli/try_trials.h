/* try_trials.h - a few trials of a study, to see how long and how large */
#ifndef THRONG_CLI_TRY_TRIALS_H
#define THRONG_CLI_TRY_TRIALS_H

#include "cli/cli.h"

/* What tasks took. */
struct measure {
    int64_t tasks;         /* that were measured; 0: none */
    double seconds;        /* mean of one */
    double seconds_max;    /* of the longest */
    double cpus;           /* used on average while they ran */
    uint64_t rss_bytes;    /* of the largest */
    uint64_t output_bytes; /* kept, of the largest */
    double subset;         /* fraction of the data that they used; 0: all */
};

/* Runs `count` trials in a folder of their own, which is removed: nothing of
 * the real study changes. EXIT_OK and *m, or another exit code after the
 * reason was printed. */
int try_trials(struct call *c, const struct plan *plan, const char *file,
               int64_t count, double subset, struct measure *m);
/* What finished trials of a store took. */
int measure_store(struct store *store, struct measure *m, struct err *err);

#endif
