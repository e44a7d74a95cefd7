/* scheduler.h - what a scheduler is to the place that stands on it
 *
 * One const struct of functions each. A scheduler takes arrays of jobs, one
 * job for each bundle, tells what has become of them, and ends them; it knows
 * nothing of tasks. What it cannot tell at once it answers from the loop.
 * Private to this folder. */
#ifndef THRONG_ENGINE_SCHEDULER_H
#define THRONG_ENGINE_SCHEDULER_H

#include "engine/classes.h"
#include "engine/engine.h"
#include "engine/nodes.h"
#include "terms/job.h"
#include "terms/record.h"

/* A number among the settings of a site. */
static inline double site_number(const struct value *site, const char *name,
                                 double otherwise)
{
    const struct value *v = value_get(site, str_of(name));
    return value_is_number(v) ? value_number(v) : otherwise;
}

/* Why a job is over, as far as it matters to its tasks. */
enum job_end {
    JOB_ENDED,       /* its worker ended, well or not */
    JOB_OVER_MEMORY, /* … because it took more memory than it had */
    JOB_OVER_TIME,   /* … because its time was up */
    JOB_REMOVED,     /* a person ended it */
    JOB_EVICTED,     /* its room was wanted for others */
    JOB_VANISHED     /* its node did: it may still run there */
};

/* What a scheduler says of one job. */
struct job_word {
    uint64_t job;   /* the array, … */
    uint32_t index; /* … and which of it */
    enum job_stage stage;
    enum job_end end; /* when it is over */
    uint32_t starts;  /* how often it was begun again */
    /* In the scheduler's own words; valid while they are told. */
    struct str state;  /* "PENDING" */
    struct str reason; /* "Resources"; empty: none */
    struct str node;   /* empty: none, or many */
    struct str by;     /* who removed it; empty: nobody tells … */
    bool by_later;     /* … yet: the scheduler writes it down soon */
    struct str words;  /* what state and reason mean, for people; or empty */
    struct str topic;  /* what is said once of all jobs that have it; empty: the
                          reason */
    bool stuck;        /* it will not begin before somebody changes something */
    bool blames;       /* … and its node may be the cause */
    int exit_code;     /* of the worker; -1: unknown */
    /* How the start before this one ended, where the scheduler keeps that;
     * state empty: it does not tell. */
    struct {
        struct str state, words, node;
    } before;
};

/* An array of jobs that shall be. */
struct job_order {
    const char *folder;  /* of its files: 0.tasks, 1.tasks … */
    const char *name;    /* no other array of ours has it */
    uint32_t count;      /* of bundles */
    uint32_t at_once;    /* so many of them at most; 0: no such limit */
    struct needs needs;  /* of one task */
    uint32_t slots;      /* tasks at once in one job; 0: a whole node's */
    double time_s;       /* of one job; 0: not said */
    double lead_s;       /* so long before its end it is warned */
    const char *exclude; /* nodes that are left out, "a,b"; "": none */
    const char *mark;    /* of the worker's processes */
    /* Of a job that is no bundle: what a shell runs in it, and which job ends
     * before it begins (0: none). */
    const char *command;
    uint64_t after;
    /* What its class of length adds, over the site's settings; NULL: none. */
    const struct value *class;
};

/* A bundle that goes into a job, as its file of tasks has it. */
struct job_bundle {
    const char *stem; /* FOLDER/<i> */
    const struct record *tasks;
    size_t count;
};

/* What came of an order. */
struct job_receipt {
    uint64_t job;   /* 0: it was not taken … */
    struct err why; /* … for this reason */
    bool passing;   /* … which may pass by itself; the order may have been
                       taken for all that: see `find` */
};
typedef void job_receipt_fn(void *context, const struct job_receipt *r);
/* Jobs of an array that shall end. */
struct job_cancel {
    uint64_t job;
    const uint32_t *indices;
    size_t count;      /* 0: all of them */
    bool waiting_only; /* those that have not begun */
    bool wait;         /* the scheduler knows when this returns */
};
/* An array of which the scheduler is asked what has become. */
struct job_asked {
    uint64_t job;
    const char *folder; /* of its order; "": nobody knows */
    uint32_t count;
};
/* words NULL: it could not be asked, and err says why. */
typedef void job_words_fn(void *context, const struct job_word *words,
                          size_t count, const struct err *err);

/* jobs NULL: it could not be asked. */
typedef void queued_jobs_fn(void *context, const struct queued_job *jobs,
                            size_t count, const struct err *err);

struct scheduler_setup {
    const struct engine_setup *given; /* outlives it */
    struct arena *arena;              /* as well */
};

struct scheduler {
    const char *name; /* "Slurm" */
    const char *file; /* what is submitted, in the folder of the order */
    bool late;        /* jobs have no files of ours to write in: what their
                         tasks say and leave comes when they have ended */
    /* Asks for what must be known first: nodes and limits. */
    void *(*open)(const struct scheduler_setup *setup, struct err *err);
    void (*close)(void *s);
    const struct nodes *(*nodes)(const void *s);
    uint32_t (*array_max)(const void *s); /* jobs in one array */
    uint32_t (*jobs_max)(const void *s);  /* of ours at once */
    /* -1 with the reason when no order can be submitted, whatever its tasks
     * are; NULL: any can. */
    int (*ready)(const void *s, struct err *err);
    /* What must lie beside a bundle's file of tasks; NULL: nothing. */
    int (*pack)(void *s, const struct job_bundle *b, struct err *err);
    /* The text that is submitted, as it will stand in `file`. */
    void (*print)(const void *s, const struct job_order *order, struct buf *b);
    /* What the scheduler has written into the log of a job that it ended: its
     * state in words and the node; false: nothing. NULL: it writes none. */
    bool (*read_log)(struct str log, struct job_word *w);
    void (*submit)(void *s, const struct job_order *order, job_receipt_fn *fn,
                   void *context);
    /* The array of that name: as a receipt; job 0 without a reason: there is
     * none. */
    void (*find)(void *s, const char *name, job_receipt_fn *fn, void *context);
    /* What has become of these arrays: one question for all. Jobs that are
     * unknown by now are not told of. */
    void (*look)(void *s, const struct job_asked *jobs, size_t count,
                 job_words_fn *fn, void *context);
    /* All that this person has in the queue, element by element. NULL: only
     * our own jobs are known. */
    void (*usage)(void *s, queued_jobs_fn *fn, void *context);
    void (*cancel)(void *s, const struct job_cancel *which);
    /* What was asked of the tasks of a job that runs shall reach it: it is
     * begun again for that. NULL: jobs see what is asked. */
    void (*remind)(void *s, uint64_t job, uint32_t index);
    /* Jobs of the array that have not begun shall not do so on the nodes that
     * the order leaves out (its exclude and class are said alone). NULL: it
     * cannot. */
    void (*exclude)(void *s, uint64_t job, const struct job_order *order);
    /* While on, what is asked is answered before the function returns. */
    void (*waits)(void *s, bool on);
    /* All tasks of these arrays are answered for: what waits of them shall
     * not begin, and what runs not begin again. Done when this returns. */
    void (*settle)(void *s, const uint64_t *jobs, size_t count);
    /* What it was asked and is at work on is answered before this returns. */
    void (*drain)(void *s);
};

#endif
