/* attempt.h - one task on its way through this worker
 *
 * An attempt waits (in the queue), is chosen (it has room and its STARTING
 * record is on its way), runs, drains (its process has ended, its last
 * metrics are being read) and is ended. */
#ifndef THRONG_WORKER_ATTEMPT_H
#define THRONG_WORKER_ATTEMPT_H

#include <stdint.h>
#include "sys/sys.h"
#include "terms/record.h"
#include "terms/room.h"
#include "terms/task.h"
#include "worker/candle.h"
#include "worker/cgroup.h"
#include "worker/folder.h"
#include "worker/metrics.h"
#include "worker/output.h"
#include "worker/ruling.h"

struct worker;
struct kind;

enum attempt_phase {
    ATTEMPT_WAITING,
    ATTEMPT_CHOSEN,
    ATTEMPT_RUNNING,
    ATTEMPT_DRAINING,
};

/* How hard an attempt is being pushed to its end. */
enum push { PUSH_NONE, PUSH_ASKED, PUSH_TERMINATED, PUSH_KILLED };

/* When the end of a job pushes it; 0: nobody knows. */
struct warning {
    int64_t ask_ns, terminate_ns, kill_ns;
};

struct attempt {
    struct worker *worker;
    uint64_t serial;     /* of all attempts that this worker has had */
    struct arena *arena; /* everything of this attempt lives in it */
    struct task task;
    const struct kind *kind;
    struct grant grant;
    enum attempt_phase phase;
    unsigned passed;      /* starts of later tasks while this one waited */
    uint64_t starting_at; /* link position behind its STARTING record */

    uint32_t said; /* records about it */

    struct folder folder;
    struct output output;
    struct metrics metrics;
    struct candle candle;
    struct cgroup cgroup;
    struct process_id process;
    uint32_t leader_place;   /* of the process, in the file of leaders */
    struct trainer *trainer; /* of kind train, while it is there; else NULL */
    uint32_t company;        /* that was lost with its trainer, itself too */
    int64_t started_ns;
    double started_wall;

    int64_t due_ns;      /* when to look at its files next */
    int64_t interval_ns; /* between two looks */
    int64_t drain_ns;    /* how long leftovers are waited for; -1: no more */
    int64_t disk_ns;     /* how long files that cannot be read are tried; 0:
                            they can be */
    const char *unread;  /* what never could be, in words */
    int64_t limit_ns;    /* its time limit; 0: none */
    double used_s;       /* of its time, before this attempt (used.h) */
    int64_t used_ns;     /* when to keep what is used by now */
    int64_t so_far_ns;   /* when to say again what it has used so far */
    enum push push;
    int64_t push_ns; /* when to push harder; 0: never */
    double grace_s;
    struct warning warning;
    const char *warned_why;
    struct ruling ruling;
    int64_t asked_ns; /* when it was asked to save (saving.h); 0: it was not */
    bool deaf;        /* and did not answer */

    enum outcome verdict; /* decided from outside; NONE: its exit decides */
    const char *reason;   /* that goes with the verdict */
    const char *shard;    /* the file of its rows; NULL: it is about none */
    struct str faults;    /* and of the model file: record_ended has them */
    int status;           /* of wait */
    double ran_s;
    double cpu_s;      /* of the processes that were reaped */
    double cpu_seen_s; /* the least that it is, by the last census */
    uint64_t max_rss_bytes;
    struct use use;
    uint64_t gpu_bytes_now; /* of its GPUs together, by the last look */
};

/* Takes the task of a RECORD_TASK. NULL and err when it makes no sense. */
struct attempt *attempt_new(struct worker *w, struct str text, struct err *err);
void attempt_free(struct attempt *a);

/* Makes the folder and starts the process. -1: it could not be started and
 * the reason is in a->verdict and a->reason. */
int attempt_start(struct attempt *a);
/* Looks at the files, the time limit and the pushes that are due. */
void attempt_tick(struct attempt *a, int64_t now_ns);
/* When attempt_tick should be called next; 0: not any more. */
int64_t attempt_next_ns(const struct attempt *a);
/* True when the main process has ended, even if nobody has been told yet. */
bool attempt_has_ended(const struct attempt *a);
/* A process that it left to us has ended. */
void attempt_add_use(struct attempt *a, const struct rusage *use);
/* Reads what is left of its files. True when the ENDED record is out and the
 * attempt can be freed; false when there is more to read, the link must drain
 * first, or leftovers (drain_ns) or the disk (disk_ns) are waited for. */
bool attempt_drain(struct attempt *a);
/* Says that it begins anew, or, of one that goes on, which one before it did.
 */
void attempt_say_anew(struct attempt *a);
/* Says ENDED for a task that never began. */
void attempt_unstarted(struct attempt *a);

/* Asks it to finish early: stop file, SIGTERM, SIGKILL. */
void attempt_stop(struct attempt *a);
/* The job that it runs in will end: pushes it at these times, which may come
 * earlier than told before. Once asked, it counts as interrupted, unless a
 * verdict was given before. */
void attempt_warn(struct attempt *a, const struct warning *when,
                  const char *why);
/* Ends it from `push` on (PUSH_TERMINATED or PUSH_KILLED); the verdict holds
 * unless one was given before. reason may be NULL. */
void attempt_end(struct attempt *a, enum outcome verdict, const char *reason,
                 enum push push);

#endif
