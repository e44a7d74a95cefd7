/* classes.h - the lengths of jobs that a site offers
 *
 * Sites hand out short jobs sooner, and more of them, than long ones. Work goes
 * into the shortest class that it fits; what goes on from checkpoints fits any,
 * since it may be cut. Pure; private to this folder. */
#ifndef THRONG_ENGINE_CLASSES_H
#define THRONG_ENGINE_CLASSES_H

#include "base/arena.h"
#include "base/value.h"
#include "base/vec.h"
#include "terms/needs.h"

struct job_class {
    const char *name;
    double time_s;               /* of one job */
    uint32_t jobs, gpus;         /* of ours at once; 0: no limit */
    double gpu_share;            /* the same, of all that there are */
    const struct value *options; /* what it adds for the scheduler */
};
struct classes {
    VEC(struct job_class) list; /* the shortest first; none: one length */
};

/* Those of a site (plan/site.c), which outlives them. */
void classes_read(struct classes *c, const struct value *site, struct arena *a);
/* Limits that are shares become numbers; 0: nobody knows how many there are. */
void classes_share(struct classes *c, uint32_t gpus);
void classes_done(struct classes *c);
const struct job_class *classes_find(const struct classes *c, const char *name);

/* What is known of a task. */
struct class_work {
    double seconds; /* that it takes; below 0: nobody knows … */
    bool limit;     /* … or they are a limit that it cannot pass */
    bool saves;     /* it goes on from checkpoints */
    double had_s;   /* it was cut off by the end of a job of that length, having
                       saved nothing; 0: it was not */
    double lead_s;  /* so long before its end a job is warned */
};
/* The shortest that it fits. Where nobody knows how long it takes, and where it
 * fits none, the longest. NULL: it was cut off in the longest, or there are
 * no classes. */
const struct job_class *classes_choose(const struct classes *c,
                                       const struct class_work *w);
/* True when it fits. */
bool classes_fit(const struct job_class *class, const struct class_work *w);
/* How many jobs of so many GPUs may be out in it; UINT32_MAX: any number. */
uint32_t classes_jobs(const struct job_class *class, double gpus);
/* Whether it limits what one person has in it. */
bool classes_limits(const struct job_class *class);

/* What is out in a class. */
struct class_load {
    uint32_t jobs;
    double gpus;
};
/* How many more jobs of so many GPUs may be; one in any case where nothing
 * is. */
uint32_t classes_left(const struct job_class *class,
                      const struct class_load *out, double gpus);

/* A job that is in the scheduler's queue, whoever has submitted it. */
struct queued_job {
    uint64_t job;
    struct str partition; /* "a,b": it waits for either */
    struct str qos;
    double time_s; /* that it asks for; INFINITY: no limit */
    double gpus;
};
/* The class that it counts for: what the class, or else the site, says of
 * partition and qos is its own, and its time is the class's or less. NULL:
 * none. */
const struct job_class *classes_of_job(const struct classes *c,
                                       const struct value *site,
                                       const struct queued_job *q);

#endif
