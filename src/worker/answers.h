/* answers.h - what a bundle's worker says reaches the disk, or it is told
 *
 * What is written is brought to the disk within a second: then other machines
 * see it, and no end of a task is lost with this one. Until then it is kept,
 * and what the disk refuses is tried again. */
#ifndef THRONG_WORKER_ANSWERS_H
#define THRONG_WORKER_ANSWERS_H

#include <stdbool.h>
#include <stdint.h>
#include "base/err.h"

struct worker;

struct answers {
    int64_t sync_ns;  /* when to bring them to the disk; 0: nothing is new */
    int64_t retry_ns; /* when to try again; 0: nothing was refused */
    int64_t wait_ns;  /* between two tries */
    int64_t idle_ns;  /* since when nothing runs and nothing can be said; 0 */
};

/* Writes what waits, unless the disk has just refused it. */
void answers_write(struct worker *w);
/* Brings what was written to the disk when that is due, or now. */
void answers_sync_if_due(struct worker *w);
void answers_sync(struct worker *w);
/* When to be called next; 0: not any more. */
int64_t answers_next_ns(const struct worker *w);
/* True when nothing runs any more and the disk has refused for long enough:
 * there is no use in waiting. */
bool answers_given_up(struct worker *w);
/* 0 when all of them are on the disk; else -1, and which are not. */
int answers_check(const struct worker *w, struct err *err);

#endif
