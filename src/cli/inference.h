/* inference.h - weights on data, for evaluate and predict */
#ifndef THRONG_CLI_INFERENCE_H
#define THRONG_CLI_INFERENCE_H

#include "cli/cli.h"

/* Options of both: weights of another program, and dropout that stays. */
#define INFERENCE_OPTIONS                                                      \
    {"weights", 0, "FILE", "of the model file that is named: .h5 or .pt"},     \
        {"label", 0, "N", "of such a model: the label's column"},              \
        {"loss", 0, "NAME", "of such a model: what is judged"},                \
    {                                                                          \
        "permanent-dropout", 0, "RATE", "dropout in every prediction"          \
    }

/* Hands the weights that the call names to a worker and prints what comes of
 * it: loss and metrics, or with `predict` a line for each row. */
int inference_run(struct call *c, bool predict);
/* Only the first half: what comes of it lies in scratch. Gives an exit code,
 * and has said why where it is none of success. */
int inference_ask(struct call *c, const struct inference *wanted);

#endif
