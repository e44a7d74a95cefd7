/* kind.h - the kinds of tasks
 *
 * The names that tasks and study files use, and what of a study file each
 * kind runs. The worker has what runs them, a file each (worker/kind.h). */
#ifndef THRONG_TERMS_KIND_H
#define THRONG_TERMS_KIND_H

#include "base/str.h"

enum kind_runs {
    RUNS_COMMAND, /* the study's command, or its program */
    RUNS_MODEL,   /* its model */
    RUNS_OPTIONS, /* what `task:` says, and neither of them */
    RUNS_ROWS,    /* models on rows: its `predict:`, or what `task:` says */
    RUNS_UNASKED, /* no study can ask for it */
};

/* Every kind has a row here: its name, what it runs, and what it is. */
/* clang-format off */
#define KINDS(row) \
    row(command, RUNS_COMMAND, "a program that is started for each trial") \
    row(train, RUNS_MODEL, "built-in training of a model file") \
    row(infer, RUNS_ROWS, "what evaluate and predict do") \
    row(importance, RUNS_UNASKED, "what evaluate says of columns")
/* clang-format on */

struct task_kind {
    const char *name;
    enum kind_runs runs;
    const char *about; /* one line for people */
};

#define KIND_ROW(name, ...) KIND_ROW_##name,
enum { KINDS(KIND_ROW) KIND_COUNT };
extern const struct task_kind task_kinds[KIND_COUNT];

/* NULL: there is none of that name. */
const struct task_kind *task_kind_find(struct str name);
/* The first that runs this: what a study has that names no kind. */
const struct task_kind *task_kind_that(enum kind_runs runs);

#endif
