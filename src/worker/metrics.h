/* metrics.h - the metric points of one attempt, on their way out
 *
 * Points come from the metrics file, from marked lines of the output, from a
 * pattern over the output and from a file with one number. They leave in
 * batches. */
#ifndef THRONG_WORKER_METRICS_H
#define THRONG_WORKER_METRICS_H

#include <stdint.h>
#include <sys/types.h>
#include "terms/metric.h"
#include "worker/tail.h"

struct attempt;

struct metrics {
    struct metric_batch *batch; /* NULL before the first point */
    struct tail tail;           /* of metrics.jsonl */
    ino_t inode;                /* of the file that is open */
    int64_t number_mtime_ns;    /* of metric.file before the start, or as it
                                   was read last */
    int number_fault;           /* errno of reading that, if it failed */
    uint64_t points;            /* sent */
    uint64_t said_metrics_at;   /* what the last record said was read … */
    uint64_t said_log_at;       /* … of both files */
    bool earlier;               /* what is read now is its predecessor's */
    bool noticed;               /* a bad line was told of */
    bool crowded;               /* too many names were told of */
};

void metrics_init(struct metrics *m);
void metrics_done(struct metrics *m);

/* Before the task starts: remembers how old its metric.file is. One that goes
 * on from a checkpoint first takes in what its predecessor has left unread, and
 * goes on behind its steps. -1 when that cannot be read. */
int metrics_begin(struct attempt *a, struct err *err);
/* Reads on in metrics.jsonl; `all`: the task has ended. False when there is
 * more: the link is too full, or this round has read enough. */
bool metrics_read(struct attempt *a, bool all);
/* Reads metric.file, when the task has written it since the last time. */
void metrics_read_number(struct attempt *a);
/* What of the task's words the disk does not give back, and why in errno;
 * NULL: nothing. */
const char *metrics_unread(struct attempt *a);
/* Adds the line in the worker's scratch, or one point of the task's metric
 * (step METRIC_NO_STEP: a counter). */
void metrics_add_line(struct attempt *a, enum metric_source source);
void metrics_add_point(struct attempt *a, enum metric_source source,
                       int64_t step, double value);
/* Adds a line that is not the worker's scratch. */
void metrics_add_pairs(struct attempt *a, const struct metric_line *line,
                       enum metric_source source);
/* Tells the person of a bad line, once for an attempt. */
void metrics_bad_line(struct attempt *a, const char *where, uint64_t number,
                      const char *why);
/* Sends what waits. */
void metrics_send(struct attempt *a);
/* The attempt has ended and may be gone on with: says how far its files were
 * read, unless a record has. */
void metrics_say_read(struct attempt *a);

#endif
