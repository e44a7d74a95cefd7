/* worker_path.h - where throng-worker is */
#ifndef THRONG_CLI_WORKER_PATH_H
#define THRONG_CLI_WORKER_PATH_H

#include "base/arena.h"
#include "base/err.h"

/* $THRONG_WORKER, beside throng, in ../libexec/throng, or on PATH; in the
 * arena. NULL: err says where it was looked for. */
char *worker_path(struct arena *a, struct err *err);
/* Where `import throng` is found: in the sources beside which throng was
 * built, or where it was installed. NULL: neither is there. */
char *python_folder(struct arena *a);

#endif
