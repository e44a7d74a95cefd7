/* bundle.h - the files of a bundle, from the conductor's side
 *
 * Tasks and wishes go out in files, and what a worker says comes in in one
 * (terms/bundle.h). Between the two may lie a network: what was written may be
 * seen late, in part, or as zeros first. Private to this folder. */
#ifndef THRONG_ENGINE_BUNDLE_H
#define THRONG_ENGINE_BUNDLE_H

#include "base/vec.h"
#include "terms/bundle.h"

/* A file of wishes, which one conductor at a time writes. Starts as {.path =
 * …}. */
struct asked {
    const char *path; /* outlives it */
    bool known;       /* … where the file ends: */
    uint64_t at;
};
/* Adds a frame. What an earlier conductor left half written goes. */
int asked_add(struct asked *a, const struct record *r, struct err *err);

/* How far the answers of one start have been read. Starts as {.path = …}. */
struct said {
    const char *path; /* outlives it */
    uint64_t at;      /* bytes whose records were handed over */
    bool more;        /* the last reading left some for the next */
};
typedef void said_fn(void *context, const struct record *r);
/* Hands over what came since the last time, whole records only: their number,
 * 0 where nothing did or no file is there. -1: what follows is damaged, or the
 * file cannot be read; it is tried again the next time, since a network may
 * show the middle of a file last. */
int said_read(struct said *s, said_fn *fn, void *context, struct err *err);

/* The tasks of <stem>.tasks, their text in the arena. */
struct bundle_list {
    VEC(struct record) list; /* yours to free */
};
int bundle_read(const char *stem, struct arena *a, struct bundle_list *tasks,
                struct err *err);

#endif
