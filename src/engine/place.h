/* place.h - what a place is to the engine, and the engine to a place
 *
 * A place takes records (TASK, STOP, KILL) and gives records back; all of it
 * happens in the event loop. One file per place with its const struct, one row
 * in the list of terms/place.h. Private to this folder. */
#ifndef THRONG_ENGINE_PLACE_H
#define THRONG_ENGINE_PLACE_H

#include "engine/engine.h"
#include "engine/load.h"
#include "terms/place.h"

struct place_setup {
    struct engine *engine;
    const struct engine_setup *given; /* lives as long as the place, but for
                                         `machine`: until it is open */
};

enum haste {
    HASTE_ANSWER, /* a worker that does not answer is ended within seconds */
    HASTE_SOON,   /* and tasks are, whatever their time of grace */
    HASTE_NOW,    /* the worker and all of its tasks are ended at once */
};

struct place {
    const char *name;
    bool outlives; /* tasks go on when their conductor is gone */
    bool late;     /* what they say comes when they have ended */
    /* As engine_place_takes; NULL: nothing is sent to it. */
    int (*takes)(const char *file, struct err *err);
    /* Knows its room; runs nothing yet. */
    void *(*open)(const struct place_setup *setup, struct err *err);
    /* From here on records may be sent and come. */
    int (*start)(void *place, uint64_t epoch, struct err *err);
    /* True when this attempt, handed out by an earlier conductor or begun
     * again by the scheduler, lives on here: its records come as those of
     * others, from the start on. Those that were not asked for by then are
     * ended. NULL unless it `outlives`. */
    bool (*adopt)(void *place, const struct engine_out *out);
    /* Ends every task, or where it `outlives` its conductor and `leave` leaves
     * them as they are; frees the place; calls nobody back. */
    void (*close)(void *place, bool leave);
    /* -1 with the reason when these needs can never be met here. */
    int (*check)(const void *place, const struct needs *n, struct err *err);
    /* How many tasks of these needs run at once here. */
    uint32_t (*slots)(const void *place, const struct needs *n);
    /* How many more tasks of these needs fit beside those that are held; below
     * 0: that many too many. */
    int64_t (*want)(const void *place, const struct needs *n,
                    const struct load *held);
    /* How many tasks beyond those it likes to have when they are known ahead;
     * NULL: so many that no slot waits for the conductor. */
    int64_t (*ahead)(const void *place, const struct needs *n);
    /* GPUs that tasks can be given here unasked, and what is on one of them;
     * NULL: none. */
    size_t (*gpus)(const void *place);
    void (*look)(void *place, size_t gpu, struct gpu_use *use);
    /* Takes a copy of the record and returns at once. Answers come from the
     * loop, never from inside. Not called between engine_place_down and
     * engine_place_up. */
    void (*send)(void *place, const struct record *r);
    /* All records given to the engine until now are committed. */
    void (*ack)(void *place);
    /* The setup's `parallel` is another one; NULL: it looks there each time. */
    void (*resize)(void *place);
    /* The run is ending: no more than this is waited for. Tasks of a worker
     * that had to be ended are lost. */
    void (*hurry)(void *place, enum haste haste);
    /* As engine_preview; NULL: it submits nothing. */
    int (*preview)(void *place, const struct engine_preview *p, struct buf *b,
                   struct err *err);
    /* As engine_alone and what follows it; NULL: it has no scheduler. */
    int (*alone)(void *place, const struct engine_alone *o, uint64_t *job,
                 struct err *err);
    int (*alone_look)(void *place, uint64_t job,
                      struct engine_alone_state *state, struct err *err);
    void (*alone_cancel)(void *place, uint64_t job);
};

/* Every place has a row in terms/place.h, and is defined by PLACE(name) = {…},
 * which does not compile without it. */
#define PLACE(name)                                                            \
    _Static_assert(PLACE_ROW_##name < PLACE_COUNT, "");                        \
    const struct place place_##name
#define PLACE_EXTERN(name, ...) extern const struct place place_##name;
PLACES(PLACE_EXTERN)
PLACES_APART(PLACE_EXTERN)

/* A worker said something about a task. -1 when it makes no sense: the
 * worker is broken. Records of tasks that the engine does not hold are
 * dropped. */
int engine_place_record(struct engine *e, const struct record *r,
                        struct err *err);
/* From now on nothing can be sent; the queue waits. */
void engine_place_down(struct engine *e);
/* A task that it was sent and that has not ended needs a GPU, or a part. */
bool engine_place_has_gpu_tasks(const struct engine *e);
/* Everything that was sent and has not ended is gone, without a trace of a
 * process. Only while down. */
void engine_place_lost(struct engine *e, const char *reason);
struct place_loss {
    enum loss loss;
    uint32_t company; /* tasks that may have run and are lost together */
    const char *reason;
};
/* One task that was sent is lost; the others are not concerned, or told one by
 * one, and the place goes on. */
void engine_place_lost_one(struct engine *e, uint64_t task, uint32_t attempt,
                           const struct place_loss *how);
/* The scheduler has begun a task again by itself, as struct engine_hooks has
 * it. Returns the attempt that its records are of from now on; 0: they are
 * nobody's any more. What was asked of the task is not sent again. */
uint32_t engine_place_again(struct engine *e, uint64_t task, uint32_t attempt,
                            const struct again *how);
/* Sending works again; what was asked meanwhile of tasks that are still there
 * is sent now. */
void engine_place_up(struct engine *e);
/* The place gives up; it stays down. */
void engine_place_fault(struct engine *e, const struct err *err);

#endif
