/* used.h - how long a trial has run, over all that it goes on from
 *
 * A trial that is interrupted and goes on from its checkpoint has no more time
 * than one that runs through: what it has used stands in a file beside the
 * checkpoint, with which it is copied, sent and brought back, and falls back
 * where that does. Who begins anew, or is tried again after a failure, has all
 * of its time. Only of trials whose time is limited. */
#ifndef THRONG_WORKER_USED_H
#define THRONG_WORKER_USED_H

#include <stdint.h>
#include "terms/state.h"

struct attempt;

/* Before it starts: reads what was used. */
void used_begin(struct attempt *a);
/* While it runs: keeps what is used by now, every minute. */
void used_look(struct attempt *a, int64_t now_ns);
/* Its end. */
void used_end(struct attempt *a, enum outcome outcome);
/* The moment at which it has used so much, over all; monotonic. */
int64_t used_up_ns(const struct attempt *a, double seconds);

#endif
