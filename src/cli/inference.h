/* inference.h - weights on data, for evaluate and predict */
#ifndef THRONG_CLI_INFERENCE_H
#define THRONG_CLI_INFERENCE_H

#include "cli/cli.h"

/* Hands the weights that the call names to a worker and prints what comes of
 * it: loss and metrics, or with `predict` a line for each row. */
int inference_run(struct call *c, bool predict);
/* Only the first half: what comes of it lies in scratch. Gives an exit code,
 * and has said why where it is none of success. */
int inference_ask(struct call *c, const struct inference *wanted);

#endif
