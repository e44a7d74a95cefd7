/* htcondor_text.h - what HTCondor's commands print, read
 *
 * Pure. Tested with what a real pool has printed. Private to this folder. */
#ifndef THRONG_ENGINE_HTCONDOR_TEXT_H
#define THRONG_ENGINE_HTCONDOR_TEXT_H

#include "base/arena.h"
#include "engine/htcondor_log.h"
#include "engine/nodes.h"

/* What condor_q and condor_history are asked for. */
#define CONDOR_JOB_ATTRIBUTES                                                  \
    "ClusterId,ProcId,JobStatus,HoldReason,HoldReasonCode,HoldReasonSubCode,"  \
    "RemoteHost,LastRemoteHost,RemoveReason,ExitBySignal,ExitCode,ExitSignal," \
    "NumJobStarts"
#define CONDOR_NODE_ATTRIBUTES                                                 \
    "Machine,SlotType,TotalSlotCpus,TotalSlotMemory,TotalSlotGPUs,Cpus,"       \
    "Memory,GPUs"
#define CONDOR_NODE_CONSTRAINT "SlotType =!= \"Dynamic\""

/* One job as the queue or the history has it. */
struct condor_ad {
    uint64_t cluster;
    uint32_t proc;
    struct condor_job job;
};
struct condor_ads {
    VEC(struct condor_ad) list;
};

/* "12.0 - 12.2", the last line of condor_submit -terse: the cluster, and how
 * many jobs. 0: it is no such answer. */
uint64_t condor_submitted(struct str text, uint32_t *count);
/* The JSON of condor_q or condor_history; nothing printed is no job. */
int condor_read_jobs(struct str text, struct condor_ads *ads, struct err *err);
/* The JSON of condor_status. Texts in the arena. */
int condor_read_nodes(struct str text, struct arena *a, struct nodes *nodes,
                      struct err *err);
/* The first line of what condor_submit said that tells of a command which it
 * does not know, or else the first warning of another kind; empty: none. */
struct str condor_unused(struct str said);
struct str condor_warning(struct str said);
/* True when what a command said passes by itself: nobody listens, and the
 * like. */
bool condor_passes(struct str said);
/* True when condor_rm or condor_vacate_job complains about jobs alone that are
 * gone already, or going, or do not run. */
bool condor_gone(struct str said);

/* What a person can do about a hold of this code, and whether its machine may
 * be to blame. */
struct condor_hold {
    const char *words;
    bool machine;
};
const struct condor_hold *condor_hold_find(int code);

#endif
