/* warned.h - the scheduler will end this job: what runs is asked to end in time
 *
 * SIGUSR1 says that the job's time is nearly up, SIGTERM that it is to end now
 * (preempted, cancelled, out of time). */
#ifndef THRONG_WORKER_WARNED_H
#define THRONG_WORKER_WARNED_H

#include <stdbool.h>
#include <stdint.h>

struct worker;
struct attempt;

/* What the scheduler leaves, in seconds; 0: nobody knows. */
struct warned_setup {
    double lead_s; /* between SIGUSR1 and the end */
    double kill_s; /* between SIGTERM and the end */
    double time_s; /* of the job, where nothing but its end comes */
};

struct warned {
    struct warned_setup setup;
    int64_t terminated_ns; /* when SIGTERM came; 0: it has not */
    int64_t end_ns;        /* when the job ends; 0: nobody knows */
    int64_t due_ns;        /* when to warn ourselves; 0: others do */
    uint64_t log_bytes;    /* of the job's log that we know of */
    int64_t log_grew_ns;   /* when it was seen to be longer; 0: it is not */
};

/* Counts the job's time, where we are to warn ourselves. `sandbox`: the folder
 * of what comes back (sandbox.h); NULL: none. */
void warned_begin(struct worker *w, const char *sandbox);
void warned_if_due(struct worker *w);
/* What the two signals do. */
void warned_of_time(struct worker *w);
void warned_of_end(struct worker *w);
/* True while it is too early to say how the attempt ended: a scheduler's
 * SIGTERM goes to all processes of a job, and a task may have died of it, or
 * made something of its child's death, before we hear of it. When we have, its
 * end is the job's. */
bool warned_may_be(struct attempt *a);

#endif
