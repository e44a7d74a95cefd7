/* bundle.h - a worker in a job of a scheduler: its tasks come from a file, its
 * answers go to one, and what the conductor asks meanwhile stands in a third
 * (terms/bundle.h) */
#ifndef THRONG_WORKER_BUNDLE_H
#define THRONG_WORKER_BUNDLE_H

#include <stdbool.h>
#include <stdint.h>
#include "base/err.h"
#include "worker/earlier.h"

struct worker;

/* What the command line says of it. */
struct bundle_setup {
    const char *tasks; /* NULL: there is none */
    uint32_t start;
    const char *asked;   /* NULL: nobody asks */
    const char *sandbox; /* what comes back (sandbox.h); NULL: the disk is
                            shared */
};

struct bundle {
    bool on;
    const char *tasks, *said, *asked;
    const char *sandbox; /* NULL: none */
    bool keeps;    /* tasks that go on in the next start are not handed back */
    uint32_t kept; /* such tasks */
    struct earlier earlier;
    uint64_t asked_at;  /* bytes of what was asked that are done with */
    bool asked_damaged; /* which was told */
    int64_t look_ns;    /* when to look for more; 0: never */
};

/* Reads tasks and earlier starts, opens the answers and takes the tasks. On
 * failure w->exit_code says what was the matter. */
int bundle_open(struct worker *w, const struct bundle_setup *s,
                struct err *err);
void bundle_done(struct bundle *b);
/* Does what was asked since the last look, if it is time to look. */
void bundle_look_if_due(struct worker *w);

#endif
