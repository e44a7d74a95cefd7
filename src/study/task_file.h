/* task_file.h - a task as a file, for whoever makes it once and needs it often
 */
#ifndef THRONG_STUDY_TASK_FILE_H
#define THRONG_STUDY_TASK_FILE_H

#include "base/arena.h"
#include "base/err.h"
#include "terms/task.h"

int task_file_write(const struct task *task, const char *path, struct err *err);
/* Its texts live in the arena. */
int task_file_read(struct task *task, const char *path, struct arena *a,
                   struct err *err);

#endif
