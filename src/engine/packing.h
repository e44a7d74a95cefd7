/* packing.h - what is made ready to be sent with a bundle
 *
 * Private to the files of the sandbox. */
#ifndef THRONG_ENGINE_PACKING_H
#define THRONG_ENGINE_PACKING_H

#include "base/vec.h"
#include "engine/sandbox.h"

struct packing {
    const struct engine_travel *travel;
    const char *folder;       /* of the study */
    const char *in;           /* <stem>.in */
    struct arena *arena;      /* of the bundle */
    VEC(const char *) staged; /* what is sent with it, in order */
};

/* Sends a copy of a file or folder along; *path says where it is then. One that
 * is `fixed` is never written again, and keeps its name. */
int packing_stage(struct packing *p, struct str *path, bool fixed,
                  struct err *err);
/* The path in the sandbox of a file that the caller makes in <in>/was. */
struct str packing_place(const struct packing *p, const char *name);

/* What a task asks models about, and the models, which its options name. */
int packing_rows(struct packing *p, struct task *t, struct err *err);

#endif
