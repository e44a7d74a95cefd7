/* engine.h - tasks in, attempt records out
 *
 * The engine takes tasks, hands them to a place, and passes back what the
 * place's workers say. It knows tasks by (id, attempt) and nothing of
 * trials. All callbacks come from the event loop. */
#ifndef THRONG_ENGINE_ENGINE_H
#define THRONG_ENGINE_ENGINE_H

#include <stdint.h>
#include "base/err.h"
#include "base/log.h"
#include "base/value.h"
#include "sys/sys.h"
#include "terms/record.h"
#include "terms/room.h"
#include "terms/task.h"

struct engine;

/* What is left of an attempt that is lost. */
enum loss {
    LOSS_GONE,     /* nothing: none of its processes lives */
    LOSS_PRESUMED, /* nobody knows: it may still run, and write into its
                      folder; what it says from now on is dropped */
};

/* How a scheduler has begun a task once more by itself. */
struct again {
    uint32_t as;    /* the attempt under which the task was handed out */
    uint32_t start; /* of the job that has it: 1, 2, …; 0 was the first */
    enum loss loss; /* of the attempt before */
    const char *reason;
};

struct engine_hooks {
    void *context;
    /* STARTING, STARTED, METRICS, USE, ENDED, NOTICE … of a task. After ENDED
     * the engine has forgotten the task. */
    void (*record)(void *context, const struct record *r);
    /* The worker that had the task is gone, or presumed to be. company: how
     * many tasks that may have run were lost together, this one included; 0: it
     * was not heard to begin. The engine has forgotten it. */
    void (*lost)(void *context, uint64_t task, uint32_t attempt, enum loss loss,
                 uint32_t company, const char *reason);
    /* A scheduler has begun a task once more by itself, asking nobody. The
     * attempt is over as `how` says; what is said of the task from now on, and
     * what was asked of it, is of the attempt whose number is returned. 0:
     * nothing more of it counts, and the engine forgets it. NULL: it is lost
     * instead. */
    uint32_t (*again)(void *context, uint64_t task, uint32_t attempt,
                      const struct again *how);
    /* The place cannot go on (its worker keeps dying, say). */
    void (*fault)(void *context, const struct err *err);
    /* All is ended after engine_quit; the loop may stop. */
    void (*idle)(void *context);
};

/* What goes to a machine that sees nothing of this one. */
struct engine_travel {
    const char *home; /* the folder of the study file */
    const char *root; /* what tasks run from: `home`, or a frozen copy that
                         `home` is `inside` of ("": it is it) */
    const char *inside;
    const char *const *names; /* files and folders below root, or URLs */
    size_t count;
    const char *container; /* image as HTCondor takes it; "": none */
    /* Writes the rows of a shard as a file of their own; NULL: there are no
     * shards. */
    int (*cut)(const struct task_shard *s, const char *to, struct err *err);
};

struct engine_setup {
    const char *place; /* "local", "fake" */
    const char *name;  /* of the study; NULL: it has none */
    /* What the person says of the place: one object of options that only the
     * place knows. NULL: nothing. */
    const struct value *site;
    struct loop *loop;
    const struct machine *machine;
    uint32_t parallel;  /* tasks at once; 0: as many as fit */
    const char *worker; /* path of throng-worker */
    /* Path of the program that trains on GPUs, which has to be beside it; NULL:
     * no task does. */
    const char *cuda_worker;
    const char *words;  /* file that a worker's own words are added to; NULL:
                           where this process's go */
    const char *folder; /* of the study; workers leave their last words in
                           <folder>/last-words */
    double silence_s;   /* a worker that says nothing for so long is ended; 0:
                           60 s */
    const struct engine_travel *travel; /* outlives the engine; NULL: tasks see
                                           the same files everywhere */
    const mode_t *mask; /* umask of tasks; NULL: this process's */
    const struct log *log;
    bool
        preview; /* nothing is written: for engine_preview, and never started */
};

/* Opens the place: it knows its room, and runs nothing yet. Then what earlier
 * conductors left is recovered, what lives on is adopted, and the engine is
 * started. Tasks that are submitted before wait. */
struct engine *engine_open(const struct engine_setup *setup,
                           const struct engine_hooks *hooks, struct err *err);
/* epoch: of the study's lease; processes of a newer one are never taken for
 * ours. */
int engine_start(struct engine *e, uint64_t epoch, struct err *err);
/* Ends every task at once (after engine_quit and idle there are none); or,
 * after engine_part, leaves them where they are. */
void engine_close(struct engine *e);
/* True when tasks go on at the place while there is no conductor. */
bool engine_outlives(const struct engine *e);
/* The same of a place by its name; false where there is none of that name. */
bool engine_place_outlives(const char *name);
/* True when what tasks report is heard while they run, and what is asked of
 * them reaches them. Elsewhere nothing can be decided by the way. */
bool engine_is_live(const struct engine *e);
bool engine_place_is_live(const char *name);
/* -1 with the reason where files are sent to the place, and one of that name,
 * or a study in a folder of that path, cannot be. */
int engine_place_takes(const char *name, const char *file, struct err *err);

/* What the place would submit first for so many tasks of these needs that wait,
 * as text. saves: they go on from checkpoints. ERR_INPUT where it would not
 * submit anything. */
struct engine_preview {
    struct needs needs;
    size_t count;
    uint64_t epoch; /* as engine_start's */
    bool saves;
};
int engine_preview(struct engine *e, const struct engine_preview *p,
                   struct buf *b, struct err *err);

/* A program as a job of its own, where the place stands on a scheduler: a
 * conductor. Each of these waits for the scheduler's answer. */
struct engine_alone {
    const char *folder;  /* for its script; what it prints goes to
                            conductor.log beside that */
    const char *command; /* of a shell */
    uint64_t after;      /* it begins when this job has ended; 0: at once */
};
struct engine_alone_state {
    bool lives;       /* it waits or runs */
    struct buf words; /* "Slurm job 7: PENDING …" is added */
};
int engine_alone(struct engine *e, const struct engine_alone *o, uint64_t *job,
                 struct err *err);
int engine_alone_look(struct engine *e, uint64_t job,
                      struct engine_alone_state *state, struct err *err);
void engine_alone_cancel(struct engine *e, uint64_t job);

/* -1 with the reason when these needs can never be met at this place. */
int engine_check(const struct engine *e, const struct needs *n,
                 struct err *err);
/* How many tasks of these needs run at once here. */
uint32_t engine_slots(const struct engine *e, const struct needs *n);
/* From now on so many tasks run at once; 0: as many as fit. What runs goes
 * on. */
void engine_set_parallel(struct engine *e, uint32_t parallel);
/* How many GPUs the place can give to tasks of which nobody has said whether
 * they use one, and what is on one of them (from 0). */
size_t engine_gpus(const struct engine *e);
void engine_gpu_look(struct engine *e, size_t gpu, struct gpu_use *use);
/* How many more tasks the engine wants now: enough to fill the place and,
 * with `ahead`, some more: so that no slot waits for us when tasks are short,
 * or as many as the place likes to have before it begins. 0 most of the time.
 */
size_t engine_room(const struct engine *e, const struct needs *n, bool ahead);
/* Queues a copy of the task; the oldest goes first. */
int engine_submit(struct engine *e, const struct task *t, struct err *err);
/* Ask a task to finish early, or end it now and count it as `outcome`. A task
 * that has not begun ends as OUTCOME_UNSTARTED. What was asked is remembered
 * until the task is answered, also while its place is down. */
void engine_stop_task(struct engine *e, uint64_t task);
void engine_kill_task(struct engine *e, uint64_t task, enum outcome outcome);
/* A task that waits for a decision goes on; awaits: as RECORD_GO. Remembered,
 * too. */
void engine_go_on(struct engine *e, uint64_t task, int64_t awaits);
/* A task that has not begun ends as OUTCOME_UNSTARTED; for one that has this
 * means nothing. */
void engine_take_back(struct engine *e, uint64_t task);
/* What the callbacks have brought until now is committed. */
void engine_ack(struct engine *e);
/* No more submissions: tasks that have not begun come back as unstarted;
 * kill: running ones are ended too, and a worker that does not even answer
 * with them, within seconds. Then `idle` is called. */
void engine_quit(struct engine *e, bool kill);
/* After engine_quit with kill: what still runs is ended within seconds,
 * whatever its time of grace. */
void engine_hurry(struct engine *e);
/* No more submissions: tasks that wait here come back as unstarted, those at
 * a place that outlives us stay there, to be adopted. Then `idle` is called. */
void engine_part(struct engine *e);
/* After engine_quit: what still runs is ended at once, and counts as lost. */
void engine_abandon(struct engine *e);

/* A file of leaders (sys.h) for the role, beside the last words; a later
 * conductor reads it in engine_recover, this one does not. In the arena. */
char *engine_leaders_path(struct arena *a, const char *folder,
                          const char *role);

/* What is known of what ended conductors left on this machine. */
struct engine_left {
    uint64_t epoch; /* of the conductor that asks */
    /* The processes that led the sessions of tasks which had not ended. */
    const struct process_id *leaders;
    size_t leader_count;
    /* No number of a process can have been given out again since the leaders
     * were known to live. */
    bool numbers_stand;
    uint64_t known_ticks; /* until when they are known to have lived */
};
/* Their workers' last records, file by file, each file removed after `apply`
 * has seen all of it and `commit` returned 0. First waits for (then ends)
 * workers and tasks that still live: those with the study's mark in their
 * environment (mark.h), and those in the session of a leader, which a cleaned
 * environment does not hide. Before engine_start. */
typedef void engine_record_fn(void *context, const struct record *r);
int engine_recover(struct engine *e, const struct engine_left *left,
                   engine_record_fn *apply, int (*commit)(void *context),
                   void *context, struct err *err);
/* After engine_recover: false when no process of the attempt, which has one of
 * its own, was there when conductor and worker were killed. */
bool engine_may_have_run(const struct engine *e, uint64_t task,
                         uint32_t attempt);
/* An attempt that an earlier conductor handed out and that has not ended. */
struct engine_out {
    uint64_t task;
    uint32_t attempt;
    uint32_t as, start; /* as the hook `again` was told when it numbered this
                           attempt; start 0: nobody but we has begun it */
    bool begun;         /* it was heard to */
};
/* Offers it to the place. True: it lives on there and is held from now on;
 * false: nothing of it is left. After engine_recover. */
bool engine_adopt(struct engine *e, const struct engine_out *out,
                  const struct needs *n);

#endif
