/* output.h - what a task prints
 *
 * The task writes straight into the log file. The worker reads along, for
 * `::throng` lines and the pattern, and keeps the file within its limit. */
#ifndef THRONG_WORKER_OUTPUT_H
#define THRONG_WORKER_OUTPUT_H

#include <stdint.h>
#include "base/buf.h"
#include "terms/pattern.h"
#include "worker/tail.h"

struct attempt;

struct output {
    struct tail tail;
    const struct pattern *pattern; /* NULL: none */
    uint64_t dropped;              /* bytes cut out of the log */
    uint64_t unread;               /* those of them that nobody has read */
    uint64_t notice_len;           /* of the line that says so */
    unsigned outrun;               /* cuts in a row that dropped such */
    int64_t held_ns;               /* it is stopped until then; 0: it is not */
    bool settling;                 /* it is stopped until all is read */
    bool told;                     /* that metrics may be lost */
};

/* Begins to read along; the folder is open. */
int output_begin(struct attempt *a, struct err *err);
/* Reads what an earlier attempt has printed and nobody has read, up to where
 * this one begins. */
void output_catch_up(struct attempt *a);
/* Reads on; `all`: the task has ended. False when there is more: the link is
 * too full, or this round has read enough. */
bool output_read(struct attempt *a, bool all);
/* True when the log is or was larger than its limit. */
bool output_floods(const struct attempt *a);
/* True when somebody has printed since the last look. */
bool output_grows(const struct attempt *a);
/* Bytes that the task has printed. */
uint64_t output_bytes(const struct attempt *a);
/* Appends the last lines, at most 20 and at most 4 KiB. */
void output_last_lines(const struct attempt *a, struct buf *b);

#endif
