/* rows.h - the rows of a shard, as a file of its own
 *
 * A task that is about some rows of a file (task.shard) finds them in its
 * folder, in a file that is read as the whole one is, and that goes when the
 * task ends. */
#ifndef THRONG_WORKER_ROWS_H
#define THRONG_WORKER_ROWS_H

#include "base/value.h"
#include "terms/task.h"

/* What comes of them, in the task's folder. */
#define ROWS_PREDICTIONS "output/predictions.csv"
/* Rows of which nothing is predicted, as lines of CSV: row, line, column, what
 * is wrong; the first of them (bad.c). */
#define ROWS_BAD "output/bad.csv"

/* Its name in the task's folder; NULL: the file itself is the shard. */
const char *rows_name(const struct task *t, struct arena *a);
/* ERR_INPUT where there are no rows, or where the file itself is the shard and
 * has changed; what rows_write has written is a copy, which does not. */
int rows_check(const struct task *t, struct arena *a, struct err *err);
/* Writes the rows to `to`. ERR_INPUT where the file has changed. */
int rows_write(const struct task *t, const char *to, struct arena *a,
               struct err *err);
/* A model's data with these rows in place of its files. NULL and err where it
 * has several. */
const struct value *rows_spec(const struct task *t, const struct value *spec,
                              const char *file, struct arena *a,
                              struct err *err);

#endif
