/* kind.h - the kinds of tasks that this worker can run */
#ifndef THRONG_WORKER_KIND_H
#define THRONG_WORKER_KIND_H

#include "base/err.h"
#include "sys/sys.h"

struct attempt;

struct kind {
    const char *name;
    /* Not NULL: starts it without a process of its own. */
    int (*take)(struct attempt *a, struct err *err);
    /* Fills what is to be spawned; everything lives in the attempt's arena.
     * The folder is open. */
    int (*prepare)(struct attempt *a, struct spawn *s, struct err *err);
};

extern const struct kind kind_command;
extern const struct kind kind_train;
extern const struct kind kind_infer;

/* NULL and err for a kind that this worker does not know. */
const struct kind *kind_find(struct str name, struct err *err);

#endif
