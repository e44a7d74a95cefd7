/* htcondor_follow.h - a cluster of jobs, followed by its event log
 *
 * The log is the first to be believed: what the queue and its history say
 * counts where a log is not there or cannot be read, and of jobs whose end it
 * does not tell. Private to this folder. */
#ifndef THRONG_ENGINE_HTCONDOR_FOLLOW_H
#define THRONG_ENGINE_HTCONDOR_FOLLOW_H

#include "engine/htcondor_log.h"
#include "engine/scheduler.h"

/* One job of a cluster. */
struct proc {
    struct condor_job job;
    bool fetched;       /* what it made is where it belongs */
    bool told;          /* … or why not was said */
    int64_t removed_ns; /* when we asked for its end; 0: we did not */
    /* What was asked for, and not heard, is so again then; 0: nothing was. */
    int64_t remove_ns, vacate_ns;
    uint32_t vacated; /* how often it had been begun when it was to vacate */
    bool in_queue;    /* by the queue's last answer */
    uint32_t missed;  /* answers in a row that know nothing of it */
    char reason[600], topic[32]; /* as they are told */
};
static inline bool proc_is_over(const struct proc *p)
{
    return p->job.state == CONDOR_JOB_DONE ||
           p->job.state == CONDOR_JOB_REMOVED;
}

struct cluster;
struct cluster *cluster_new(uint64_t job, const char *folder, uint32_t count);
void cluster_free(struct cluster *c);
uint64_t cluster_job(const struct cluster *c);
const char *cluster_folder(const struct cluster *c);
const char *cluster_log(const struct cluster *c);
uint32_t cluster_count(const struct cluster *c);
struct proc *cluster_proc(struct cluster *c, uint32_t i);

/* Takes in what is new in the log. -1: it cannot be followed, or something of
 * it may be missing; said once for each fault. */
int cluster_read(struct cluster *c, struct err *err);
/* How many of its jobs the log has told of. */
uint32_t cluster_seen(const struct cluster *c);
/* True when the queue knows something that matters now. */
bool cluster_doubts(const struct cluster *c);

/* What the queue or, of jobs that have left it, its history says. */
void cluster_take(struct cluster *c, uint32_t i, const struct condor_job *said,
                  bool history);
/* The queue answers: those that it does not tell of have left it. */
void cluster_unseen(struct cluster *c);
/* How many have left it and have no end yet; then that the history does not
 * know of them, either. */
uint32_t cluster_misses(const struct cluster *c);
void cluster_miss(struct cluster *c);

/* What is told of a job; false: nobody knows it any more. Valid until the next
 * call about it. */
bool cluster_word(struct cluster *c, uint32_t i, struct job_word *w);

#endif
