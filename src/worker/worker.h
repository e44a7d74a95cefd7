/* worker.h - the state of one throng-worker
 *
 * Tasks come in over the link, wait in the queue until the room holds them,
 * run, and leave as ENDED records. One timer serves everything that is due
 * at some time. */
#ifndef THRONG_WORKER_WORKER_H
#define THRONG_WORKER_WORKER_H

#include "base/log.h"
#include "base/map.h"
#include "terms/metric.h"
#include "worker/answers.h"
#include "worker/attempt.h"
#include "worker/bundle.h"
#include "worker/census.h"
#include "worker/cgroup.h"
#include "worker/crew_gpus.h"
#include "worker/environment.h"
#include "worker/gpu_watch.h"
#include "worker/granted.h"
#include "worker/link.h"
#include "worker/looks.h"
#include "terms/pattern.h"
#include "worker/pool.h"
#include "worker/saving.h"
#include "worker/share.h"
#include "worker/warned.h"

enum worker_phase {
    WORKER_RUNS,
    WORKER_ENDS,     /* every task is being ended */
    WORKER_FINISHED, /* nothing runs; the last records are on their way */
    WORKER_LEFT,     /* the loop is about to return */
};

struct worker {
    enum worker_phase phase;
    struct bundle bundle; /* on: no more tasks will come */
    int exit_code;        /* of a worker that fails; 0: it is not told apart */
    bool orderly;         /* the conductor asked us to end, and still listens */
    struct anchor study;  /* its folder; path NULL: none was named */
    const char *last_words;  /* NULL: nobody will look for them */
    const mode_t *task_mask; /* umask of tasks; NULL: ours */
    const struct log *log;
    pid_t self;
    char host[256]; /* this machine's name */
    int nothing;    /* what tasks read from: nothing */

    struct loop *loop;
    struct loop_source *timer, *after, *chld, *term, *warns;
    int64_t wake_ns;    /* when the timer rings; 0: not set */
    int64_t sweep_ns;   /* when to look for leftovers; 0: no need */
    int64_t watch_ns;   /* when to look at memory; 0: no need */
    int64_t flush_ns;   /* when to write what is not urgent; 0: nothing */
    int64_t give_up_ns; /* when to stop waiting at the end; 0: not yet */

    struct link link;
    struct answers answers; /* of a bundle */
    struct warned warned;
    struct saving saving;
    bool urgent; /* something waits that should be written in this round */
    struct room room;
    bool granted; /* the room is what a scheduler says of it */
    struct environment environment;
    struct patterns patterns;
    struct cgroups cgroups;
    struct census census;
    struct looks looks;
    struct gpu_watch gpu_watch; /* of a job */
    struct leaders leaders;     /* beside the last words */
    struct pool pool;

    VEC(struct attempt *) waiting; /* in order of arrival, from `first` on */
    size_t first;
    VEC(struct attempt *) chosen;  /* wait for their STARTING to be written */
    VEC(struct attempt *) running; /* and draining */
    VEC(struct attempt *) spare;   /* memory to be used again */
    struct idmap *by_pid;          /* running ones */
    VEC(struct trainer *) trainers;
    struct crew_gpus gpus; /* what they had of those of the room */
    uint64_t serial;
    struct share share; /* with other workers of the machine */

    size_t budget; /* bytes of files that may still be read in this round */
    size_t turn;   /* whose files are looked at first in the next one */

    /* Scratch, for one call at a time. */
    struct buf payload, chunk;
    struct metric_line line;
};

/* What the command line says. */
struct worker_setup {
    int fd; /* socket to the conductor; -1: none */
    struct bundle_setup bundle;
    struct warned_setup warned;
    double save_every_s; /* in a sandbox; 0: never */
    const char *room;    /* text of the room; NULL: what was granted, or all of
                            this machine */
    const struct granted *granted; /* by a scheduler; NULL: none */
    uint32_t slots;                /* tasks at once; 0: what the room says */
    const char *mark;
    const char *last_words;
    const char *folder;     /* of the study; NULL: none */
    struct tools *tools;    /* NULL: none */
    const char *pool;       /* folder to be made for the pool; NULL: none */
    const char *const *env; /* our own environment */
    const mode_t *mask;     /* umask of tasks; NULL: ours */
    const struct log *log;
};
/* Where these fail, w->exit_code may say how to exit. */
int worker_init(struct worker *w, const struct worker_setup *setup,
                struct err *err);
/* Returns when there is nothing more to do. */
int worker_run(struct worker *w, struct err *err);
void worker_done(struct worker *w);

/* ---- for the bundle -------------------------------------------------- */

/* Says hello in this file, which gets all answers from now on. */
void worker_answer_in(struct worker *w, int fd);
/* No task begins any more: what waits is handed back. */
void worker_begin_no_more(struct worker *w);
/* Ends what runs, with hardly any grace. */
void worker_end_now(struct worker *w);
/* Does what a record of the conductor says. */
void worker_take(struct worker *w, const struct record *r);

/* ---- for the attempts ------------------------------------------------ */

/* Sends a record about an attempt. */
void worker_say(struct attempt *a, enum record_type type, struct str payload);
void worker_notice(struct attempt *a, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));
/* Makes sure that the worker wakes up at that time or before. */
void worker_wake(struct worker *w, int64_t at_ns);

/* Looks for leftovers as soon as possible. */
void worker_sweep_soon(struct worker *w);

/* A round reads a bounded part of all files, and a look a bounded part of
 * one, so that timers, commands and other attempts have their turn. */
#define WORKER_ROUND_BYTES (8u << 20)
#define WORKER_LOOK_BYTES (2u << 20)

/* What one look may read now. */
static inline size_t worker_share(const struct worker *w)
{
    return w->budget < WORKER_LOOK_BYTES ? w->budget : WORKER_LOOK_BYTES;
}

#define WORKER_WAITING_MAX (32u << 20) /* bytes not written yet */
#define WORKER_HELD_MAX (64u << 20)    /* bytes not acknowledged yet */

/* True when nothing more should be read for the conductor right now. */
static inline bool worker_congested(const struct worker *w)
{
    return !w->link.closed && (link_waiting(&w->link) > WORKER_WAITING_MAX ||
                               link_held(&w->link) > WORKER_HELD_MAX);
}

#endif
