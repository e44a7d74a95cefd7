/* mark.h - by what the processes of a study are known
 *
 * All that the place `local` starts have THRONG_STORE=<epoch>.<role>:<folder>
 * in their environment. The epoch is that of the lease of the conductor they
 * belong to: a conductor ends what its own epoch and older ones left, never
 * what a successor has started. The role is worker or task. What runs
 * in a job of a scheduler has the role job and is nobody's leftover here: it
 * outlives its conductor.
 * A folder alone is the mark of an older throng. Private to this folder. */
#ifndef THRONG_ENGINE_MARK_H
#define THRONG_ENGINE_MARK_H

#include <stdint.h>
#include "base/arena.h"
#include "sys/sys.h"

enum mark_role { MARK_NONE, MARK_TASK, MARK_WORKER, MARK_JOB };

struct mark {
    const char *folder; /* of the study */
    uint64_t epoch;
};

/* "THRONG_STORE=7.task:/the/folder", in the arena. */
char *mark_text(struct arena *a, const struct mark *m, enum mark_role role);
/* The role of a process of this study and of this epoch or an older one;
 * else MARK_NONE. */
enum mark_role mark_role_of(pid_t pid, const struct mark *m);

#endif
