/* earlier.h - what earlier starts of a job have said of a bundle's tasks */
#ifndef THRONG_WORKER_EARLIER_H
#define THRONG_WORKER_EARLIER_H

#include <stdint.h>
#include "base/arena.h"
#include "base/log.h"
#include "base/map.h"
#include "terms/task.h"

/* A point of a task that has a stop rule. */
struct earlier_point {
    struct str name;
    int64_t step;
    double value;
};

struct earlier {
    struct arena *arena;
    struct idmap *tasks;
    uint32_t starts;
    bool moves; /* they are all dead, and nobody else sees what they left */
};

void earlier_init(struct earlier *e);
void earlier_done(struct earlier *e);
/* Reads the answers of the starts 0 … starts - 1. One that left none has said
 * nothing; what is behind damage is not believed, which the log says. */
void earlier_read(struct earlier *e, const char *stem, uint32_t starts,
                  const struct log *log);
/* The same of what one of them has said, in the file at `path`. */
void earlier_take(struct earlier *e, struct str said, const char *path,
                  const struct log *log);
/* True when one of them has answered for the task. */
bool earlier_ended(const struct earlier *e, uint64_t task);
/* What it has reported of the metric, in order; *count of them. */
const struct earlier_point *earlier_points(const struct earlier *e,
                                           uint64_t task, size_t *count);
/* Makes it a task of start e->starts: in a folder of that start's own, which
 * begins as a copy of the newest there is, with steps and positions behind
 * what was said. Where that is nobody else's, it is moved there instead.
 * Strings live in the arena. */
void earlier_go_on(const struct earlier *e, struct task *t, struct arena *a);

#endif
