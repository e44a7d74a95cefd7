/* inference.h - weights on data, for evaluate and predict */
#ifndef THRONG_CLI_INFERENCE_H
#define THRONG_CLI_INFERENCE_H

#include "cli/cli.h"
#include "terms/device.h"

/* Options of both: weights of another program, and dropout that stays. */
#define INFERENCE_OPTIONS                                                      \
    {"rows", 0, "PART", "of the model's own: training, validation or test"},   \
        {"weights", 0, "FILE", "of the model file that is named: .h5 or .pt"}, \
        {"label", 0, "N", "of such a model: the label's column"},              \
        {"loss", 0, "NAME", "of such a model: what is judged"},                \
        {"device", 0, "NAME", "one of " DEVICE_NAMES},                         \
    {                                                                          \
        "permanent-dropout", 0, "RATE", "dropout in every prediction"          \
    }

/* Options of verbs that look at rows which no member was trained on. */
#define HELD_OUT_OPTIONS                                                       \
    {"data", 0, "FILE", "rows to look at, with their labels"},                 \
        {"labels", 0, "FILE", "their labels, where they are a file"},          \
    {                                                                          \
        "out-of-fold", 0, NULL,                                                \
            "ask each member for the rows that it held "                       \
            "out"                                                              \
    }
/* How an ensemble was chosen, as its file says it in `chosen`: greedily, and by
 * which rows where they are not those that its members have held out. */
#define CHOSEN_GREEDY ", greedy of "
#define CHOSEN_BY_DATA ", by the rows of "
/* What these options say. */
void inference_held_out(struct call *c, struct inference *wanted);

/* Hands the weights that the call names to a worker and prints what comes of
 * it: loss and metrics, or with `predict` a line for each row. */
int inference_run(struct call *c, bool predict);
/* Only the first half: what comes of it lies in scratch. Gives an exit code,
 * and has said why where it is none of success. */
int inference_ask(struct call *c, const struct inference *wanted);

/* Does --output (NULL: none) spare the models, and the files that options name?
 * An exit code. */
int inference_check_output(struct call *c, const char *models);
/* Nor does it take the place of another kind of file, by output_replaces. */
int inference_check_kind(struct call *c, const char *models, const char *format,
                         const char *what);
/* Is --rows one of a model's parts? An exit code. */
int inference_check_rows(struct call *c);

#endif
