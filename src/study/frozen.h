/* frozen.h - the files that tasks run from, as they were at one moment
 *
 * Knows nothing of trials, stores and places: a folder is made of another one.
 * Private to this folder. */
#ifndef THRONG_STUDY_FROZEN_H
#define THRONG_STUDY_FROZEN_H

#include "base/arena.h"
#include "base/err.h"
#include "base/vec.h"
#include "plan/plan.h"

struct frozen {
    const char *inside; /* where `home` is in it; "": at its top */
    uint64_t files, bytes;
    /* What is not in it but linked, as a person names it: too large, or not
     * git's. Edits of these are seen. */
    VEC(const char *) linked;
};

/* Makes the folder `to`, whose parent is there, of the files of `home`: those
 * that git knows of its repository, as they are now, or all of them. What
 * lies in `to` before is removed. Texts live in the arena. */
int frozen_make(enum code_kind how, const char *home, const char *to,
                struct arena *a, struct frozen *f, struct err *err);
void frozen_done(struct frozen *f);

#endif
