/* model_command.h - a trial of built-in training as a `throng train` */
#ifndef THRONG_CLI_MODEL_COMMAND_H
#define THRONG_CLI_MODEL_COMMAND_H

#include "plan/plan.h"

/* The words that train the model of a point as the study would: the same
 * numbers, bit for bit. `budget`: epochs that it was given; 0: all. The model
 * file is named as the study file does. */
void model_command(const struct plan *p, const struct value *point,
                   uint64_t seed, int64_t budget, struct arena *a,
                   const struct arg **argv, size_t *argc);

#endif
