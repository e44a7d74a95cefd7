/* schedule.h - the learning rate at each step. Inside nn only. */
#ifndef THRONG_NN_SCHEDULE_H
#define THRONG_NN_SCHEDULE_H

#include "nn/model.h"

/* What a schedule remembers of one member. */
struct nn_schedule_state {
    double plateau; /* the factor that plateaus have come to */
    double best;    /* NaN before the first epoch */
    int64_t since;  /* epochs without a better loss */
};
void nn_schedule_begin(struct nn_schedule_state *s);
/* `step` counts from 0 over all epochs. */
double nn_schedule_lr(const struct nn_model *m, const double *soft,
                      const struct nn_schedule_state *s, int64_t step,
                      int64_t steps_per_epoch);
/* After an epoch, with its validation loss (training loss without one). */
void nn_schedule_epoch(const struct nn_model *m, const double *soft,
                       struct nn_schedule_state *s, double loss);

#endif
