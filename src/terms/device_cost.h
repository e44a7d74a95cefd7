/* device_cost.h - how long training takes on a device, and which is the faster
 *
 * A step of a cohort takes a time for each operation that follows another, and
 * one for each multiplication of all its members. Two measurements say both of
 * a device: a small network, whose time is the first kind, and a large one,
 * whose time is the second. Who hands out trials and writes down what comes of
 * them needs a time for each, too, on every device: meanwhile others train, so
 * that all of it is over no sooner than the slower of the two. */
#ifndef THRONG_TERMS_DEVICE_COST_H
#define THRONG_TERMS_DEVICE_COST_H

#include "base/buf.h"
#include "terms/device.h"

struct device_sample {
    double depth;   /* operations that follow each other */
    double flops;   /* of a step, all members */
    double seconds; /* that it took */
};

struct device_pace {
    double op_s;    /* of one operation */
    double flops_s; /* a second; 0: not known */
    double start_s; /* before the first step */
};
/* False: the samples make no sense. */
bool device_pace_fit(struct device_pace *p,
                     const struct device_sample samples[2]);

/* What is to be trained, or asked: trials of one cohort key. */
struct device_work {
    double depth, flops; /* of a step of one of them */
    double steps;     /* of one, in all; of models that are asked of a pass */
    int64_t passes;   /* of one, of models that are asked: they go together on a
                         GPU, and trials one after the other; 0: it is trained */
    double host_s;    /* of one of those, of a cpu that brings rows there */
    uint64_t numbers; /* of one, see device_capacity */
    int64_t trials;
    int64_t at_once; /* at most, by the method; 0: any number */
    unsigned cpus;
    unsigned gpus;       /* taken to be equal; 0 is 1 */
    double conduct_s;    /* of the conductor, for one of them */
    const char *refused; /* why no GPU can train them; NULL: one can */
};

enum device_why {
    DEVICE_BY_TIME,      /* both were timed */
    DEVICE_JOBS_ASK,     /* jobs of a scheduler ask for GPUs */
    DEVICE_JOBS_ASK_NOT, /* they ask for none */
    DEVICE_NO_WORKER,    /* they do, and no program can use them */
    DEVICE_PRODUCT,      /* they do, for what no GPU can do */
    DEVICE_REFUSED,      /* no GPU can train such a model */
    DEVICE_UNUSABLE      /* no GPU of this machine can be used */
};

struct device_choice {
    const struct device *device;
    enum device_why why;
    size_t members; /* of a cohort, on each GPU; 0: models are asked */
    double cpu_s, gpu_s;
    double conductor_s; /* that the conductor needs, where it is the slower one
                           on that device; else 0 */
    char refused[256];  /* of DEVICE_REFUSED, DEVICE_UNUSABLE: why */
    struct device_work work;
};
struct device_choice device_choose(const struct device_work *w,
                                   const struct device_pace *cpu,
                                   const struct device_pace *gpu);

/* {"device":"cuda","members":2048,…}, as it is stored. */
void device_choice_print(struct buf *b, const struct device_choice *c);
/* False: it is none. */
bool device_choice_parse(struct str text, struct device_choice *c);
/* "cuda, up to 2048 at a time: 10000 trials should take 31s on the GPU, 12m on
 * 16 cpus" (of several GPUs "up to 2048 at a time on each of 4 GPUs: … on the
 * GPUs"), and what the conductor has to do with it */
void device_choice_words(struct buf *b, const struct device_choice *c);

#endif
