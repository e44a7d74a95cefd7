/* submission.h - an array of jobs: what was handed out, and what became of it
 *
 * One folder each, jobs/<n> below the study's, with a number that is never used
 * twice. Its files are the truth: whoever opens it finds all that was handed
 * out, and reads from the beginning what was said. Private to this folder. */
#ifndef THRONG_ENGINE_SUBMISSION_H
#define THRONG_ENGINE_SUBMISSION_H

#include "base/map.h"
#include "engine/bundle.h"
#include "engine/classes.h"
#include "engine/scheduler.h"

struct bundle;

/* A task that is in a bundle. */
struct out_task {
    uint64_t id;
    uint32_t as;      /* the attempt that the bundle gives it */
    uint32_t attempt; /* the one that it is to the engine, … */
    uint32_t start;   /* … which is what this start of the job says of it */
    bool held;        /* by the engine: its answer is waited for */
    bool begun;
    bool cut;            /* its worker gave it back unfinished */
    bool kill, stop;     /* was asked of it */
    enum outcome end_as; /* of the one that is killed */
    struct bundle *bundle;
    struct out_task *same; /* the same task in an older bundle */
};

/* One job of the array. */
struct bundle {
    struct submission *of;
    uint32_t index;
    const char *stem;
    struct out_task *tasks;
    const char *numbers;     /* … of them, as terms/job.h has them */
    size_t count, open;      /* open: held by the engine … */
    size_t killed;           /* … and to be ended */
    bool remind;             /* it is to hear of a wish (remind.c), … */
    int64_t remind_ns;       /* … that came then */
    bool back;               /* some of those only if they have not begun */
    VEC(struct said) starts; /* what was said, by the start of the job */
    struct asked asked;
    const char *probe; /* the folder of its first task, or NULL */
    double grace_s;    /* the longest of its tasks */
    double began_wall; /* when one of its tasks that runs has begun */
    /* What the scheduler said last: */
    bool told; /* it did at all */
    enum job_stage stage;
    enum job_end end;
    bool gone;     /* it waited, and is not known any more */
    bool by_later; /* who removed it may still be told */
    uint32_t restarts;
    int exit_code;
    char state[32], reason[128], node[128], by[64], words[128];
    uint32_t without;  /* good answers in a row by which it is over, nothing
                          having been heard between */
    bool heard;        /* something since the last one */
    bool over;         /* for good: nothing more is expected */
    bool cancelled;    /* by us */
    int64_t cancel_ns; /* when it shall be; 0: not */
    uint64_t seen;     /* the last answer that told of it */
    int64_t damage_ns; /* since when what it says makes no sense */
    bool begun;        /* a task of it has */
    bool ran;          /* it did, and what its tasks did comes later */
    bool good, bad;    /* a task of it ended well; failed or was lost */
    uint32_t failed;   /* tasks of it that did so at once */
    bool noted;        /* what this says of its node is counted */
    bool damage_told;
    /* Why the scheduler has ended a start of it (endings.c): */
    uint64_t log_at;    /* so much of its log is read */
    uint32_t ended;     /* that start + 1; 0: none */
    char ended_as[192]; /* "on t0 as PREEMPTED, …"; "": nothing was written */
    uint32_t ended_told;    /* the start + 1 of which that was said */
    enum job_end ended_end; /* … by the log of the job */
};

struct submission {
    struct arena *arena;
    uint32_t n;
    uint64_t job;             /* 0: not known (yet) */
    bool searching, searched; /* the scheduler is asked for its name; it has
                                 none such */
    const char *folder, *name;
    const char *class; /* the length of its jobs by name; "": it has none */
    double time_s;     /* that they have; 0: nobody said */
    struct needs needs;
    struct bundle *bundles;
    uint32_t count;
    struct jobs *jobs; /* that it is of */
    bool loaded;       /* an earlier conductor has submitted it */
    bool changed;      /* what the scheduler said; to be written down */
};

/* True when no start of it runs, as far as anybody knows: the scheduler says
 * that it waits, and nothing was heard of the start that it waits for. One that
 * was begun and put back into the queue waits, too: *again. */
bool bundle_waits(const struct bundle *b, bool *again);
/* Below the study's folder. */
char *submission_root(struct arena *a, const char *study_folder);
/* Makes the folder; nothing is handed out yet. */
struct submission *submission_new(const char *root, uint32_t n,
                                  const char *name, uint32_t count,
                                  struct err *err);
/* Reads what is there: NULL without a reason where nothing waits for an answer
 * any more. */
struct submission *submission_load(const char *root, uint32_t n,
                                   const char *name, struct err *err);
void submission_free(struct submission *s);
/* Gives bundle i its tasks: writes them, and fills its list. */
int submission_fill(struct submission *s, uint32_t i,
                    const struct record *tasks, size_t count, struct err *err);
/* The scheduler has taken it as this job. */
int submission_taken(struct submission *s, uint64_t job, struct err *err);
/* Nothing of it is waited for: what was submitted and what was printed stay. */
void submission_tidy(struct submission *s);
/* It was never taken. */
void submission_remove(struct submission *s);
/* What the scheduler of that name says of its jobs, into <folder>/state, where
 * something has changed. */
void submission_write_state(struct submission *s, const char *scheduler);
/* The numbers in use, sorted; those of the arena. */
uint32_t *submission_numbers(const char *root, struct arena *a, size_t *count);

#endif
