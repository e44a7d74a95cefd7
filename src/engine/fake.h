/* fake.h - the parts of place fake
 *
 * fake.c is the place and its clock, fake_task.c one of its tasks, with what it
 * says and how it ends, fake_script.c what a task does, fake_words.c what is
 * said and not heard yet, fake_left.c what outlives a conductor. Private to
 * this folder. */
#ifndef THRONG_ENGINE_FAKE_H
#define THRONG_ENGINE_FAKE_H

#include "engine/fake_words.h"
#include "engine/here.h"
#include "base/map.h"
#include "terms/metric.h"

struct fake_task {
    uint64_t id;
    uint32_t attempt;
    uint32_t sequence; /* of the record that it said last */
    struct arena *arena;
    struct str text; /* of the task */
    struct task task;
    struct str script; /* what has not been done yet */
    struct str words;  /* all of the script */
    uint32_t as;       /* the attempt that it was handed out as, … */
    uint32_t start;    /* … and how often a scheduler has begun it since */
    double due_s;      /* it cannot begin before */
    bool anew;         /* it waits to begin again … */
    enum loss loss;    /* … and this became of the start before */
    double late_s;     /* of its words */
    double torn_s;     /* between two pieces of them; 0: they are whole */
    bool cut;          /* one is torn for good, and none follows */
    bool running;
    bool vanished; /* its room is another's by now */
    size_t most;   /* it cannot begin beside so many */
    struct grant grant;
    double started_s, wake_s;
    double end_s; /* when it ends whatever the script says; infinity: never */
    enum outcome end_as;
    bool skipping; /* words are for another attempt … */
    bool not_for;  /* … or for another task */
    bool ignore_stop, deaf;
    uint64_t checkpoint;
    struct metric_batch *batch;
    uint64_t points;
};

struct fake {
    struct here here; /* first */
    struct engine *engine;
    const char *left_path;         /* NULL: nothing outlives its conductor */
    struct fake_words *words;      /* that are on their way */
    bool stutters;                 /* each record is said twice */
    VEC(struct fake_task *) tasks; /* in order of arrival */
    VEC(struct fake_task *) left;  /* by an earlier conductor, not adopted */
    struct loop_source *step;
    struct idmap *trained; /* task -> steps, where pointers go */
    double now_s;
    double wall;        /* unix time of now_s == 0 */
    bool away;          /* nothing can be sent … */
    double back_s;      /* … until then … */
    const char *losing; /* … when all is lost for this reason; NULL: not */
};

/* ---- one task (fake_task.c) ------------------------------------------- */

/* As the record of it says. */
struct fake_task *fake_task_new(const struct record *r);
void fake_task_free(struct fake_task *t);
void fake_pass_on(void *context, const struct record *r);
void fake_say(struct fake *f, struct fake_task *t, enum record_type type,
              struct str payload);
void fake_say_started(struct fake *f, struct fake_task *t);
void fake_say_metrics(struct fake *f, struct fake_task *t); /* since the last */
void fake_free_room(struct fake *f, struct fake_task *t);
void fake_forget(struct fake *f, struct fake_task *t);
/* These end t: it is no more after them. */
void fake_finish(struct fake *f, struct fake_task *t,
                 struct record_ended *ended);
void fake_finish_as(struct fake *f, struct fake_task *t, enum outcome outcome);
void fake_finish_exit(struct fake *f, struct fake_task *t, int code);
void fake_finish_signal(struct fake *f, struct fake_task *t, int signum);
void fake_lose_all(struct fake *f, const char *reason);

/* ---- what it does (fake_script.c) --------------------------------------- */

/* Up to the next word that takes time, or to its end. */
void fake_script_run(struct fake *f, struct fake_task *t);
size_t fake_script_most(struct str script); /* SIZE_MAX: not said */

/* ---- what outlives its conductor (fake_left.c) -------------------------- */

void fake_left_write(struct fake *f);
void fake_left_read(struct fake *f);
bool fake_adopt(void *place, const struct engine_out *out);

#endif
