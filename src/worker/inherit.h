/* inherit.h - a folder that begins as a copy of an earlier attempt's
 *
 * An attempt that is only presumed dead may go on writing into its folder, so
 * the next one gets a folder of its own. It begins as what the old one holds
 * now: the checkpoint, the outputs, the log, and the points that were handed
 * in. What is written there later is nobody's. */
#ifndef THRONG_WORKER_INHERIT_H
#define THRONG_WORKER_INHERIT_H

#include "base/arena.h"
#include "base/err.h"
#include "terms/task.h"

/* Makes the task's folder, when it is not there yet, from the one that it is a
 * copy of, if that is there; all of it or nothing. ERR_BUSY: the checkpoint
 * there does not stand still, so that no copy of it is whole. */
int inherit_folder(const struct task *t, struct arena *a, struct err *err);

#endif
