/* rig.h - an engine with a loop around it, and a memory of what it said */
#ifndef THRONG_TESTS_ENGINE_RIG_H
#define THRONG_TESTS_ENGINE_RIG_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <cmocka.h>
#include "base/vec.h"
#include "engine/engine.h"
#include "sys/sys.h"
#include "terms/metric.h"

#define RIG_LOST 0 /* in seen.type */
#define RIG_AGAIN 200
#define RIG_EPOCH 5

/* One thing that the engine said. */
struct seen {
    unsigned type; /* enum record_type, RIG_LOST or RIG_AGAIN */
    uint64_t task;
    uint32_t attempt;
    bool started;              /* of RIG_LOST … */
    enum loss loss;            /* … how … */
    uint32_t company;          /* … and with how many */
    uint32_t as, start;        /* of RIG_AGAIN */
    uint64_t pid;              /* of STARTED */
    struct record_ended ended; /* of ENDED; its texts are not kept */
    char text[256];            /* reason, or the text of a notice */
};

struct rig {
    struct loop *loop;
    struct engine *engine;
    struct machine machine;
    uint32_t parallel;
    double silence_s;            /* as in struct engine_setup */
    char folder[128], mark[200]; /* of its tasks */
    const char *worker;          /* NULL: the stand-in */
    struct arena *arena;
    VEC(struct seen) seen;
    size_t ended, lost, idles, faults, points;
    struct err fault;
    double last_value; /* of a metric */
    /* Called inside of the hook; may be NULL. */
    void (*on_seen)(struct rig *r, const struct seen *s);
    void *context;
    /* The attempt as which a task that was begun again goes on; NULL: such a
     * task is lost. */
    uint32_t (*numbers)(struct rig *r, const struct seen *s);
    const struct value *site;
    const struct engine_travel *travel;
    const struct log *log;
    bool (*until)(struct rig *r);
    struct loop_source *after, *guard, *look;
};

/* Makes a folder and a loop; the machine has 4 CPUs and 8 GiB. */
void rig_init(struct rig *r);
void rig_done(struct rig *r);
void rig_open(struct rig *r, const char *place);      /* must work */
void rig_open_only(struct rig *r, const char *place); /* to be started … */
void rig_start(struct rig *r);                        /* … by this */
/* As engine_recover, by an engine of its own that is never started. */
int rig_recover(struct rig *r, const struct engine_left *left,
                engine_record_fn *apply, int (*commit)(void *context),
                void *context, struct err *err);
/* While on, the loop turns by itself, so that files which others write are
 * seen. */
void rig_look(struct rig *r, bool on);
void rig_close(struct rig *r);
/* Submits a task of one CPU whose arguments are the words of `command`. */
void rig_submit(struct rig *r, uint64_t id, uint32_t attempt,
                const char *command);
void rig_task(struct rig *r, struct task *t, uint64_t id, uint32_t attempt,
              const char *command);
/* Runs the loop until `until` holds (looked at after every round); fails the
 * test after 60 s. */
void rig_run(struct rig *r, bool (*until)(struct rig *r));
bool rig_idle(struct rig *r);
/* The first thing of that type about that task, or NULL. */
const struct seen *rig_find(const struct rig *r, unsigned type, uint64_t task);
size_t rig_count(const struct rig *r, unsigned type);
/* Living processes with the rig's mark, besides this one. */
size_t rig_processes(const struct rig *r);
/* True when the environment of pid holds exactly "K=V". */
bool rig_has_env(pid_t pid, const char *assignment);
/* One of them; 0: there is none. */
pid_t rig_process(const struct rig *r);

#endif
