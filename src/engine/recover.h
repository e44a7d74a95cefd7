/* recover.h - what ended conductors' workers left on this machine
 *
 * Private to this folder. */
#ifndef THRONG_ENGINE_RECOVER_H
#define THRONG_ENGINE_RECOVER_H

#include "engine/engine.h"

/* Who hears their last words. */
struct recovery {
    engine_record_fn *apply;
    int (*commit)(void *context);
    void *context;
    struct leader_lines *ran; /* what of theirs ran when they were ended, as far
                                 as their workers' files tell */
};

/* As engine_recover. */
int recover_here(const char *folder, const struct engine_left *left,
                 const struct recovery *to, struct err *err);

#endif
