/* census.h - which process belongs to which attempt
 *
 * A task may leave processes behind: in other sessions, without parents.
 * They become children of this worker (it is a subreaper). A census looks at
 * all processes once and says whose each of them is: by its parents, by its
 * session, by what an earlier census saw, or by its environment. It costs
 * more than a short task, so many ended attempts share one.
 *
 * What has left its task's session is written into the file of leaders, too:
 * without its environment nothing else would tell whose it is, should this
 * worker be killed. */
#ifndef THRONG_WORKER_CENSUS_H
#define THRONG_WORKER_CENSUS_H

#include <stdint.h>
#include "base/map.h"
#include "sys/sys.h"

struct worker;
struct attempt;

/* Owners below OWNER_FIRST are no attempts. */
#define OWNER_NONE 0u    /* not below this worker */
#define OWNER_UNKNOWN 1u /* ours, but it cannot be said whose */
#define OWNER_GONE 2u    /* of an attempt that ended some time ago */
#define OWNER_CREW                                                             \
    3u /* a trainer, or who looks at GPUs: it outlives                         \
          attempts */
#define OWNER_FIRST 16u

struct known {
    pid_t pid;
    uint64_t start;
    uint64_t owner;
};
struct ended {
    uint64_t task;
    uint32_t attempt;
    uint64_t serial;
    pid_t pid;
    uint32_t leader_place;
    bool dirty; /* the last census still found processes of it */
};

/* A session that something of a task has begun for itself. */
struct away {
    pid_t session;
    uint32_t leader_place;
    bool there; /* the last census has seen it */
};

struct census {
    struct process_table table;
    VEC(uint64_t) owners;      /* of each row of the table */
    VEC(struct known) known;   /* by the census before, in pid order */
    VEC(struct ended) ended;   /* attempts that may have left processes */
    struct idmap *ended_tasks; /* task ids of those */
    VEC(struct away) away;     /* sessions that are no task's own */
    size_t unknown;            /* living processes of OWNER_UNKNOWN */
    int64_t cost_ns;           /* of the last one */
    int64_t taken_ns;          /* when that was */
};

void census_init(struct census *c);
void census_done(struct census *c);
/* Looks at all processes. */
void census_take(struct worker *w);
/* When the next one is due though nobody needs it; 0: no need. */
int64_t census_next_ns(const struct worker *w);
/* The main process of the attempt has ended. */
void census_add_ended(struct census *c, const struct attempt *a);
/* True while an earlier attempt of the task may have processes left. */
bool census_may_live(const struct census *c, uint64_t task);
/* The same for one attempt, by its serial number. */
bool census_may_have(const struct census *c, uint64_t serial);
/* Kills what ended attempts left, by the census just taken. True when there
 * was nothing: then no ended attempt is remembered any more. */
bool census_sweep(struct worker *w);
/* Sends a signal to all processes of one attempt, by the census just taken. */
void census_signal(struct worker *w, const struct attempt *a, int signum);
/* CPU seconds of the processes that the attempt has, by the last census. */
double census_cpu_s(const struct worker *w, const struct attempt *a);
/* The running or draining attempt that an ended child of ours, not reaped
 * yet, belonged to; NULL: not known. */
struct attempt *census_owner(const struct worker *w, pid_t pid);
/* Kills every process below this worker; returns how many there were. */
size_t census_kill_all(struct worker *w);

#endif
