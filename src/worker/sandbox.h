/* sandbox.h - a bundle on a machine that shares no disk with the conductor
 *
 * The job's folder (ours, when we begin) holds what was sent. What comes back
 * is one folder in it: the scheduler takes it when the job ends, when we exit
 * with WORKER_EXIT_AGAIN, and when it ends the job before its time; and puts it
 * there again where the job is begun once more. So a start finds in it what
 * earlier ones have said, and the folders of their tasks:
 *
 *   layout          SANDBOX_LAYOUT
 *   <i>.said.<k>    the answers of start k. We count them ourselves: one that
 *                   did not come back was never heard
 *   trials/         folders of tasks
 *
 * It is made before anything else: what a scheduler does not find when it looks
 * for it puts a job on hold, as does a link to a folder that a task has made.
 * So it is laid flat at our end (sys's dir_flatten), and unfolded by who finds
 * it. */
#ifndef THRONG_WORKER_SANDBOX_H
#define THRONG_WORKER_SANDBOX_H

#include <stdint.h>
#include "base/arena.h"
#include "base/err.h"
#include "base/log.h"
#include "terms/task.h"

/* Makes the folder, whose absolute path it returns; NULL and err where that
 * cannot be. Lives in the arena. */
const char *sandbox_make(const char *name, struct arena *a, struct err *err);
/* What is to come back becomes what any scheduler can carry. */
void sandbox_pack_up(const char *name, const struct log *log);
/* How many starts of the bundle with this stem have left answers there, counted
 * to the last. */
uint32_t sandbox_starts(const char *stem, struct arena *a);
/* Seconds since the first of our starts in this sandbox: a job that was begun
 * on another machine begins to count anew. */
double sandbox_age_s(const char *folder, struct arena *a);
/* Makes paths of the task that are relative absolute. */
void sandbox_anchor(struct task *t, struct arena *a);

#endif
