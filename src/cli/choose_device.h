/* choose_device.h - the device of a verb that works here and now */
#ifndef THRONG_CLI_CHOOSE_DEVICE_H
#define THRONG_CLI_CHOOSE_DEVICE_H

#include "cli/cli.h"
#include "terms/task.h"

/* Where the task names none: the one that is through with it sooner. What was
 * chosen, and why, is said, unless it is to be quiet. */
void choose_device(struct call *c, struct task *task, const char *scratch,
                   bool quiet);

#endif
