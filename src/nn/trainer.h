/* trainer.h - what a cohort is made of. Inside nn only. */
#ifndef THRONG_NN_TRAINER_H
#define THRONG_NN_TRAINER_H

#include "nn/device.h"

struct nn_trainer {
    const struct nn_runner *runner;
    struct nn_run *run;
    const struct nn_graph *graph;
    uint64_t key;
    struct nn_place *members;
    size_t capacity;
    size_t slots;             /* of the optimizer's state */
    struct nn_judge **judges; /* by member; NULL: not needed yet */
    struct nn_turn *turns;    /* that were begun; NULL: none were */
    size_t turn_count;
    struct nn_work *work; /* of those that have epochs left */
    size_t work_count;
};

/* What came of judging all rows of a part. */
void nn_judging_report(struct nn_judging *j, struct nn_report *r);
/* The one of a member. */
struct nn_judge *nn_trainer_judge_of(struct nn_trainer *t, int member);

/* It has waited long enough for a better epoch. */
bool nn_stopping_over(const struct nn_place *m);
/* After an epoch: is it the best, is it time to stop? */
int nn_stopping_epoch(struct nn_trainer *t, int member, struct nn_report *r,
                      struct err *err);

#endif
