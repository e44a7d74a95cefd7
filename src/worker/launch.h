/* launch.h - what stands before a task's own words: what starts its ranks, and
 * the container that it runs inside of */
#ifndef THRONG_WORKER_LAUNCH_H
#define THRONG_WORKER_LAUNCH_H

#include <stddef.h>
#include "base/err.h"

struct attempt;

/* Words that are put before a command. */
struct launch {
    const char **argv;
    size_t count, room;
};

/* So many words at most. */
size_t launch_most(const struct attempt *a);
/* The program that starts the ranks of a task, if it has any. */
int launch_ranks(struct attempt *a, const char *const *env, struct launch *l,
                 struct err *err);
/* The program that runs the rest inside of the task's container, if any. */
int launch_container(struct attempt *a, const char *const *env,
                     struct launch *l, struct err *err);
/* The prefix of variables that are set inside of a container, whatever the
 * image says; NULL: the task has no container, or nothing runs one here. */
const char *launch_inside(const struct attempt *a, const char *path);

#endif
