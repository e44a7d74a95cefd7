/* htcondor_log.h - HTCondor's job event log, read
 *
 * A file that HTCondor appends to, an event after the other, of all jobs of a
 * cluster. Its text form:
 *
 *   004 (012.003.000) 2026-11-15 09:26:21 Job was evicted. Code 1009 Subcode 0
 *       what the event has to tell, on lines of its own
 *   ...
 *
 * The time has other forms at other sites, and is not needed here. Instead of
 * text, events can be objects in JSON or XML (htcondor_forms.c). Pure.
 * Private to this folder. */
#ifndef THRONG_ENGINE_HTCONDOR_LOG_H
#define THRONG_ENGINE_HTCONDOR_LOG_H

#include <stdbool.h>
#include <stdint.h>
#include "base/buf.h"
#include "base/err.h"
#include "base/str.h"

/* Those that say something of a job's state. */
enum condor_event_number {
    CONDOR_SUBMITTED = 0,
    CONDOR_EXECUTING = 1,
    CONDOR_EVICTED = 4,
    CONDOR_TERMINATED = 5,
    CONDOR_SHADOW_EXCEPTION = 7,
    CONDOR_ABORTED = 9,
    CONDOR_HELD = 12,
    CONDOR_RELEASED = 13,
    CONDOR_DISCONNECTED = 22,
    CONDOR_RECONNECTED = 23,
    CONDOR_RECONNECT_FAILED = 24,
};

/* One event; texts point into the log. */
struct condor_event {
    uint32_t number;
    uint64_t cluster;
    int64_t proc;    /* -1: of the cluster as a whole */
    struct str text; /* the rest of its first line */
    struct str body; /* the lines behind that, without the last */
};
/* The next event of a log that HTCondor may be writing. 1: *e is filled and
 * *used bytes belong to it; 0: nothing whole is there yet; -1: it is not such a
 * log, and err says what it is instead. */
int condor_event_next(struct str rest, struct condor_event *e, size_t *used,
                      struct err *err);

/* The same of a log in any form; texts of another one point into `text`, which
 * is emptied before. */
int condor_event_any(struct str rest, struct buf *text, struct condor_event *e,
                     size_t *used, struct err *err);

enum condor_state {
    CONDOR_JOB_UNKNOWN, /* no event of it was seen */
    CONDOR_JOB_IDLE,
    CONDOR_JOB_RUNS,
    CONDOR_JOB_LOST,  /* its machine does not answer: it may run or not */
    CONDOR_JOB_HOLDS, /* a person must do something */
    CONDOR_JOB_DONE,
    CONDOR_JOB_REMOVED,
};
/* What the events of a job come to. */
struct condor_job {
    enum condor_state state;
    uint32_t starts;   /* how often it was begun */
    int exit_code;     /* of one that is done; -1: a signal ended it */
    int exit_signal;   /* 0: none */
    int code, subcode; /* of the hold, or of the last eviction */
    char node[128];    /* where it ran last; "": nobody said */
    char by[64];       /* who removed or holds it; "": nobody said */
    char reason[512];  /* of the hold or the removal, as HTCondor has it */
};
void condor_job_init(struct condor_job *j);
/* Why it was removed or is held, as HTCondor says it, and so by whom. */
void condor_job_reason(struct condor_job *j, struct str reason);
/* The first end counts: what comes behind it changes nothing. */
void condor_job_apply(struct condor_job *j, const struct condor_event *e);

#endif
