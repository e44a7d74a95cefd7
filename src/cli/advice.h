/* advice.h - how long a study will take, and where it belongs
 *
 * One machine, a throughput queue (HTCondor), or tightly coupled nodes: from
 * the length of a task, the data that goes with it, whether tasks depend on
 * each other, and memory against one machine or GPU. */
#ifndef THRONG_CLI_ADVICE_H
#define THRONG_CLI_ADVICE_H

#include "cli/try_trials.h"

enum advised { ADVISE_MACHINE, ADVISE_QUEUE, ADVISE_COUPLED, ADVISE_LARGER };

struct outlook {
    const struct plan *plan;
    const struct machine *machine;
    struct needs needs;     /* of the first trial */
    size_t gpus;            /* of the machine that count for the study */
    int64_t total;          /* trials; -1: no end */
    struct measure measure; /* tasks 0: not measured */
    double full_s;          /* of a task with all the data, before it was
                               tried with a part; 0: unknown */
    double given_s;         /* of a task, as the person says; 0: not said */
    uint64_t input_bytes;   /* of the files named in `inputs` */
    bool adaptive;          /* later points depend on results */

    /* What follows from it, by outlook_think. */
    const char *source; /* of the task's time: "given", "tried", "measured" */
    double task_s;      /* 0: unknown */
    uint32_t slots;     /* trials at once here; 0: not even one */
    struct err unfit;   /* why not even one */
    double here_s;      /* the whole study on this machine; 0: unknown */
    enum advised advised;
};

/* Bytes of the files that `inputs` names. */
uint64_t outlook_inputs(const struct plan *p, const char *home,
                        struct arena *a);
void outlook_think(struct outlook *o);
void outlook_print(struct buf *b, const struct outlook *o);
/* ,"task_seconds":…,…,"advice":{…} */
void outlook_json(struct buf *b, const struct outlook *o);

#endif
