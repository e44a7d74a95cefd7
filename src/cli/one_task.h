/* one_task.h - one task for one worker, here and now */
#ifndef THRONG_CLI_ONE_TASK_H
#define THRONG_CLI_ONE_TASK_H

#include "cli/cli.h"
#include "terms/record.h"
#include "terms/task.h"

struct loop;
struct engine;

struct one_task {
    const char *scratch; /* a folder for it, there already */
    /* Called with every payload of metrics. */
    void (*metrics)(void *context, struct str payload);
    void *context;

    /* How it ended. */
    enum outcome outcome;
    struct str reason; /* lives in the call's arena */

    struct call *call;
    struct loop *loop;
    struct engine *engine;
    unsigned asked; /* times that somebody wanted it to end */
};

/* Runs the task, whose id is 1, to its end. -1: it could not be run at all. */
int one_task_run(struct call *c, struct one_task *t, const struct task *task);

#endif
