/* jobs.h - a place that stands on a scheduler
 *
 * What all such places share: tasks that wait become bundles, bundles become
 * jobs, and what the jobs say becomes records. The place's functions are
 * operations of struct place as they are; the rest is for the files that they
 * are spread over: jobs.c (opening, room, what it is told), handout.c (from
 * tasks to jobs), pieces.c (which length of job), follow.c (what is said),
 * endings.c (why a start of a job was ended), remind.c (what they are to hear),
 * fates.c (what became of jobs). Private to this folder. */
#ifndef THRONG_ENGINE_JOBS_H
#define THRONG_ENGINE_JOBS_H

#include "engine/place.h"
#include "engine/sizes.h"
#include "engine/streaks.h"
#include "engine/submission.h"

/* A task that is in no bundle yet. */
struct waiting {
    uint64_t id;
    uint32_t attempt;
    bool dropped; /* it was taken back, and is answered from the loop */
    bool saves;   /* it goes on from checkpoints */
    struct needs needs;
    struct buf text;
};

/* A wish that is to be written into a bundle's file. */
struct wanted {
    struct bundle *bundle;
    struct record record; /* payload: in `bytes` */
    char bytes[8];
};

struct jobs {
    const struct scheduler *scheduler;
    void *at; /* the open scheduler */
    struct engine *engine;
    const struct engine_setup *given;
    struct arena *arena;
    const char *root;  /* of the submissions */
    const char *label; /* what their names begin with */
    const char *mark;
    uint32_t last_n;
    double bundle_time_s, time_s, lead_s;
    uint32_t job_slots; /* 0: a whole node */
    uint32_t throttle;  /* jobs of an array that run at once; 0: any number */
    bool packs;         /* … or as many as share a GPU: nothing is said */

    VEC(struct waiting *) waiting; /* in order of arrival */
    struct idmap *waits;           /* the same by task */
    VEC(struct wanted) wishes;
    VEC(struct submission *) list; /* that have not been tidied */
    struct idmap *tasks;           /* task -> struct out_task, newest first */

    struct submission *ordered; /* the scheduler is being asked to take it */
    VEC(struct waiting *) in_order; /* its tasks, should it be refused */
    bool in_flight;                 /* … and has not answered */
    bool doubtful;                  /* it may have been taken before */
    size_t order_out;               /* nodes that it leaves out */
    bool refused;                   /* the last one was, … */
    double again_s;                 /* … and this long is waited */
    int64_t hold_ns;                /* until then nothing is submitted */
    int64_t sent_ns;                /* when the last task came */
    double task_s;                  /* moving average; below 0: unknown */
    double longest_s;               /* of those that ended */

    struct classes classes;
    struct class_load *others; /* of this person, by class, that are not ours */
    bool usage_asked, usage_failed, usage_told;
    double usage_s;               /* between two questions */
    int64_t usage_ns;             /* when the last answer came; 0: none did */
    const struct job_class *only; /* that of the time that a person says */
    double need_s;     /* how long tasks take, for classes; below 0: unknown */
    bool saves;        /* a task was seen to write checkpoints */
    int64_t probed_ns; /* when it was looked for the last time */
    struct idmap *cut; /* task -> the class whose end cut it off, with nothing
                          new saved */
    struct idmap *checkpoints; /* task -> what it had saved when its job's time
                                  was up, as a digest where pointers go */
    bool length_told;

    struct loop_source *tick, *look_timer;
    double tick_s, look_s; /* between two of them */
    double look_max_s;
    bool looking, look_failed;
    uint64_t looks;                   /* good answers until now */
    VEC(struct job_asked) asked_jobs; /* what the running question is about */
    uint32_t barren;                  /* jobs in a row in which no task began */
    bool version_told, wish_told;
    char stuck_told[128]; /* the last reason of a job that waits for a person */
    bool unacked;         /* the engine was told what is not committed */
    bool started;
    struct streaks streaks;
    struct idmap *removed; /* tasks whose job a person has removed */
    bool closing;
};

void *jobs_open(const struct scheduler *scheduler,
                const struct place_setup *setup, struct err *err);
int jobs_start(void *place, uint64_t epoch, struct err *err);
bool jobs_adopt(void *place, const struct engine_out *out);
void jobs_close(void *place, bool leave);
int jobs_check(const void *place, const struct needs *n, struct err *err);
uint32_t jobs_slots(const void *place, const struct needs *n);
int64_t jobs_want(const void *place, const struct needs *n,
                  const struct load *held);
int64_t jobs_ahead(const void *place, const struct needs *n);
void jobs_send(void *place, const struct record *r);
void jobs_ack(void *place);
void jobs_hurry(void *place, enum haste haste);
int jobs_preview(void *place, const struct engine_preview *p, struct buf *b,
                 struct err *err);
/* alone.c */
int jobs_alone(void *place, const struct engine_alone *o, uint64_t *job,
               struct err *err);
int jobs_alone_look(void *place, uint64_t job, struct engine_alone_state *state,
                    struct err *err);
void jobs_alone_cancel(void *place, uint64_t job);

/* What a place on a scheduler has in common with all others: members of its
 * PLACE. */
#define JOBS_PLACE                                                             \
    .outlives = true, .start = jobs_start, .adopt = jobs_adopt,                \
    .close = jobs_close, .slots = jobs_slots, .want = jobs_want,               \
    .ahead = jobs_ahead, .send = jobs_send, .ack = jobs_ack,                   \
    .hurry = jobs_hurry, .preview = jobs_preview

/* ---- between the files ----------------------------------------------------
 */

/* Something happened, or will: looks at the files soon. */
void jobs_soon(struct jobs *j);
void jobs_look_soon(struct jobs *j);
struct out_task *jobs_find(const struct jobs *j, uint64_t task,
                           uint32_t attempt);
/* Its tasks can be found from now on; or not any more. */
void jobs_list(struct jobs *j, struct submission *s);
void jobs_forget(struct jobs *j, struct submission *s);
/* The engine has its answer. */
void jobs_answered(struct out_task *t);
/* ENDED of a task that its worker does not answer any more. */
struct job_answer {
    enum outcome outcome;
    double seconds; /* that it ran, as far as is known */
    const char *reason;
};
void jobs_answer(struct jobs *j, uint64_t task, uint32_t attempt,
                 const struct job_answer *a);

/* Of the worker's processes in jobs of this epoch. */
void jobs_set_mark(struct jobs *j, uint64_t epoch);
/* handout.c: cuts and submits what waits, when the time has come. */
void jobs_hand_out(struct jobs *j);
/* What waits at the scheduler does without the nodes that are left out, too. */
void jobs_exclude(struct jobs *j);
void waiting_free(struct waiting *w);
size_t jobs_job_slots(const struct jobs *j, const struct needs *n);
/* class NULL: of any, where there are classes. */
void jobs_sizes(const struct jobs *j, const struct needs *n,
                const struct job_class *class, struct sizes *s);

/* pieces.c: which length of job a task gets, and what its end cuts off */
int pieces_open(struct jobs *j, struct err *err);
/* What was measured is kept for the next conductor. */
void pieces_keep(const struct jobs *j);
/* What is known of the work as a whole is brought up to date. */
void pieces_look(struct jobs *j);
/* True when the task of this text goes on from checkpoints. */
bool pieces_saves(const struct task *t);
/* NULL: the site has no classes. */
const struct job_class *pieces_class(const struct jobs *j,
                                     const struct waiting *w);
/* Says, once, that the task fits no class. */
void pieces_warn(struct jobs *j, const struct waiting *w);
/* How many more jobs of these needs may be submitted in the class. */
uint32_t pieces_room(const struct jobs *j, const struct job_class *class,
                     const struct needs *n);
/* usage.c: what this person has in the queue besides our jobs, where classes
 * limit it. False: that is being asked, and nothing can be submitted before. */
bool usage_known(struct jobs *j);
/* Jobs of ours that were out in a class have ended: there may be room. */
void usage_changed(struct jobs *j);

/* A task that its job's end has cut off, and that saved nothing, gets a longer
 * one. True: there is none, so that *e says now that it ran out of time. */
bool pieces_cut_off(struct jobs *j, struct out_task *t, uint32_t start,
                    struct record_ended *e, struct buf *reason);

/* endings.c: why the scheduler has ended a start of a job. The reason that its
 * worker gave becomes a better one in `reason`: then true. */
bool ending_explains(struct jobs *j, struct bundle *b, uint32_t start,
                     struct record_ended *e, struct buf *reason);
/* True when its job had come to its time limit, and nobody had warned it. */
bool ending_for_time(struct jobs *j, struct bundle *b, uint32_t start,
                     const struct record_ended *e);
/* Adds " after it was ended …", where the scheduler tells, or that it does
 * not. */
void ending_print(struct jobs *j, struct bundle *b, uint32_t start,
                  struct buf *out);
/* The scheduler has said how the start before the one of its word ended. */
void ending_heard(struct jobs *j, struct bundle *b, const struct job_word *w);
/* The job is over, and its worker had no time to say why: its log may. */
void ending_learn(struct jobs *j, struct bundle *b);
/* The job is over: says why, where that was not said. */
void ending_tell(struct jobs *j, const struct bundle *b, const char *fate);

/* follow.c: hears what is new; how many records that were. */
size_t jobs_follow(struct jobs *j);
size_t jobs_hear(struct jobs *j, struct bundle *b);
/* Of a job that is over: what stands in its files and is no whole record. */
void jobs_tell_torn(struct jobs *j, struct bundle *b);
/* How the job went on its node, once that is known; a node may be left out for
 * it. */
void jobs_note_node(struct jobs *j, struct bundle *b);

/* remind.c: somebody wishes something of its tasks; such jobs hear of it. */
void jobs_wish(struct bundle *b);
void jobs_remind(struct jobs *j);

/* fates.c */
void jobs_look(struct jobs *j); /* asks the scheduler */
/* Jobs that shall be ended by now are; those that nobody waits for and whose
 * words are all committed leave their folder. */
void jobs_cancel_due(struct jobs *j);
void jobs_doom(struct jobs *j, struct bundle *b, double in_s);
void jobs_tidy(struct jobs *j);
/* Those that nobody waits for, and that are not over, are not begun again. */
void jobs_settle(struct jobs *j);
/* "Slurm job 12_3", for people. */
void jobs_name(const struct jobs *j, const struct bundle *b, struct buf *out);

#endif
