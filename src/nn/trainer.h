/* trainer.h - what a cohort is made of. Inside nn only. */
#ifndef THRONG_NN_TRAINER_H
#define THRONG_NN_TRAINER_H

#include "data/data.h"
#include "nn/judge.h"
#include "nn/program.h"
#include "nn/schedule.h"

/* Where the training of a member stands; with its numbers and its seed, all
 * that decides how it goes on. */
struct nn_standing {
    int64_t epoch; /* finished */
    int64_t step;
    double loss;       /* of the last epoch; NaN: none yet */
    double mu_product; /* NADAM */
    struct nn_schedule_state schedule;
    double best;   /* value of what early stopping watches; NaN: none yet */
    int64_t since; /* epochs without a better one */
};

struct nn_place {
    const struct nn_model *model; /* NULL: free */
    const struct data_view *view;
    uint64_t seed;
    int64_t epochs; /* to train in all */
    struct nn_standing standing;
    bool has_best; /* its place in trainer->best is filled */
    bool masked;   /* its place in trainer->masks is */
};

struct nn_trainer {
    const struct nn_device *device;
    const struct nn_graph *graph;
    struct nn_program program;
    uint64_t key;
    struct nn_place *members;
    size_t capacity;
    void *weights; /* capacity × graph->weights */
    void *best;    /* like weights, of the best epochs; NULL: not needed */
    void *masks;   /* capacity × graph->trained, of 0 and 1; NULL: none yet */
    void *state;   /* capacity × slots × graph->trained */
    size_t slots;
    uint32_t *rows;      /* of the next batches */
    size_t span;         /* as many of them as are made at once */
    int32_t *categories; /* of one batch, by label */
    void *targets;       /* numbers of one batch, by label */
    float *row_weights;
    struct nn_judge *judge;
    double *outputs; /* of one batch, for the judge */
    bool (*broken_off)(void *context);
    void *context;
};

/* After an epoch: is it the best, is it time to stop? */
int nn_stopping_epoch(struct nn_trainer *t, int member, struct nn_report *r,
                      struct err *err);
/* Makes room for the best epochs' weights, once. */
int nn_stopping_reserve(struct nn_trainer *t, struct err *err);
/* One slot of a member's optimizer state, as many numbers as are trained. */
void nn_trainer_take_state(const struct nn_trainer *t, int member, size_t slot,
                           double *to);
void nn_trainer_put_state(struct nn_trainer *t, int member, size_t slot,
                          const double *from);

#endif
