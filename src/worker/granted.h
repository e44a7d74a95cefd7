/* granted.h - what a scheduler has granted a job on this node, and what of its
 * variables a task of the job may see
 *
 * Several tasks share a job, one after the other or at once. A task that finds
 * the job's number of ranks takes itself for one of them and waits for the
 * others; one that finds all of its cpus or GPUs takes those of its
 * neighbours. */
#ifndef THRONG_WORKER_GRANTED_H
#define THRONG_WORKER_GRANTED_H

#include <stdbool.h>
#include "base/arena.h"
#include "base/err.h"
#include "terms/room.h"

struct granted; /* one scheduler's variables */

/* NULL: no scheduler of that name is known. */
const struct granted *granted_find(const char *name);
/* Seconds between SIGTERM and SIGKILL where a site has said nothing else. */
double granted_kill_s(const struct granted *g);
/* What the scheduler calls this node, which need not be its host name; NULL: it
 * does not say. */
const char *granted_node(const struct granted *g, const char *const *env);
/* The room of the job whose environment this is. */
int granted_room(const struct granted *g, const char *const *env,
                 struct arena *a, struct room *r, struct err *err);

/* True when the variable speaks of the ranks of a job, or of a part of it that
 * is not a task's. */
bool granted_is_of_ranks(const char *assignment);
/* What the variable, of any scheduler, says of the part that a task has; NULL:
 * it is for all tasks as it is. */
const char *granted_share(const char *assignment, const struct needs *n,
                          const char *gpus, struct arena *a);

#endif
