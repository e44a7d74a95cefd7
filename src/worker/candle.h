/* candle.h - tasks that keep to CANDLE's conventions
 *
 * A task of `protocol: candle` says its result in its output, in result.txt
 * or in the run log; the worker sets what such models and the scripts around
 * them expect in their environment. */
#ifndef THRONG_WORKER_CANDLE_H
#define THRONG_WORKER_CANDLE_H

#include <stdint.h>
#include "base/str.h"
#include "base/value.h"
#include "terms/candle_result.h"
#include "terms/record.h"

struct attempt;

struct candle {
    bool on;
    const char *experiment_id, *run_id;
    const char *result_file;    /* that a runner is told to write */
    const char *root;           /* CANDLE_OUTPUT_DIR */
    const char *data;           /* CANDLE_DATA_DIR; NULL: not set */
    int64_t result_ns, log_ns;  /* of files that were there before; 0: none */
    enum candle_says last_says; /* of the last line with a result */
    bool said;                  /* a number of the metric, or without a name */
    bool said_other;            /* a number of another name */
    double value, other;
};

/* Finds out whether the task is one, and its ids. The parameters may be NULL.
 * env is what the task will see; ends with NULL. */
void candle_begin(struct attempt *a, const struct value *params,
                  const char *const *env);
/* Looks at a line of output. */
void candle_line(struct attempt *a, struct str line);
/* The task has ended: adds its results to the metrics. */
void candle_end(struct attempt *a);
/* What the model itself says of how it ended, for an exit code that says
 * nothing bad (0) or that of timeout(1). False: the exit code decides. */
bool candle_judge(struct attempt *a, struct record_ended *e);

#endif
