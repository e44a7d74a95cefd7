/* tools.h - what tasks find on PATH and PYTHONPATH
 *
 * A scratch folder holds bin/throng, a link to this program (which is the
 * `throng report` of tasks when it is called by that name), and python/, the
 * client for training scripts, which this program carries inside. Its many
 * files are written when the first task asks for them: models that are trained
 * or asked in this program's trainers never do. */
#ifndef THRONG_WORKER_TOOLS_H
#define THRONG_WORKER_TOOLS_H

#include <stdbool.h>
#include "base/arena.h"
#include "base/err.h"

struct tools {
    const char *bin, *python; /* NULL: none */
    bool packed;              /* what belongs into `python` is not there yet */
    const char *scratch;      /* what to remove at the end; NULL: nothing */
    const char *apart;        /* where the two are instead, and its lock */
    const char *lock_path;
    int lock;
};

/* Takes the tools that workers of a study share, in a folder of `folder`; who
 * finds none makes them, and they stay. -1 also where others could put theirs
 * in their place. */
int tools_share(struct tools *t, const char *root, const char *folder,
                struct arena *a, struct err *err);
/* Makes the scratch folder alone. */
int tools_scratch(struct tools *t, const char *root, const char *folder,
                  struct arena *a, struct err *err);
/* Makes the folder, which tools_done removes, but nothing at or above `root`
 * (dir_make_below). Where others could put another
 * in its place, the tools go into a folder of this user's own instead, since
 * every task executes them. On failure there are no tools, and err says
 * why. */
int tools_make(struct tools *t, const char *root, const char *folder,
               struct arena *a, struct err *err);
/* To be called before a program is started that may use them. On failure
 * there is no `python`, and err says why. */
int tools_unpack(struct tools *t, struct err *err);
void tools_done(struct tools *t);

#endif
