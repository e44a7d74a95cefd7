/* worker_path.h - where throng-worker is */
#ifndef THRONG_CLI_WORKER_PATH_H
#define THRONG_CLI_WORKER_PATH_H

#include "base/arena.h"
#include "base/err.h"

/* $THRONG_WORKER, beside throng, in ../libexec/throng, or on PATH; in the
 * arena. NULL: err says where it was looked for. */
char *worker_path(struct arena *a, struct err *err);

#endif
