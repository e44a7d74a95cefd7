/* tail.h - reading a file that somebody else is still writing, by lines */
#ifndef THRONG_WORKER_TAIL_H
#define THRONG_WORKER_TAIL_H

#include <stdint.h>
#include "base/buf.h"

struct tail {
    int fd;        /* -1: no such file yet; not owned */
    uint64_t at;   /* the start of the first line not handed on */
    uint64_t seen; /* the size when it was last looked at */
    uint64_t line; /* lines handed on or skipped */
    bool skipping; /* inside a line that is too long */
    int fault;     /* errno of the last reading, if that failed; else 0 */
};
/* One line without its line feed. False: take no more for now. */
typedef bool tail_fn(void *context, struct str line, uint64_t number);

struct tail_reader {
    void *context;
    tail_fn *line;
    /* A line longer than METRIC_LINE_MAX was skipped. May be NULL. */
    void (*too_long)(void *context, uint64_t number);
    struct buf *scratch; /* holds what is being read */
    size_t *budget;      /* bytes that may still be read; NULL: any number */
};

void tail_init(struct tail *t, int fd, uint64_t at);
/* Hands on every whole line that is there; with `all` also a last one that
 * has no line feed. A file that shrank is read from its start again. False
 * when the reader asked for a pause, or the budget is spent, and there is
 * more. What cannot be read (t->fault) stays to be read the next time. The
 * budget may be overdrawn by the length of one line. */
bool tail_read(struct tail *t, bool all, const struct tail_reader *r);
/* Goes on at another place, which may be inside a line: the rest of that is
 * passed over. */
void tail_skip_to(struct tail *t, uint64_t at);
/* The size of the file now. */
uint64_t tail_size(const struct tail *t);

#endif
