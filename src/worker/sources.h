/* sources.h - the data sets that the members of a trainer are trained on
 *
 * A set is opened for its first user and shared by all that want the same. It
 * stays open for a moment after its last user has left, because the next
 * trial mostly wants it again, and is closed then. */
#ifndef THRONG_WORKER_SOURCES_H
#define THRONG_WORKER_SOURCES_H

#include "base/vec.h"
#include "data/data.h"

struct source {
    uint64_t key;         /* of folder and what of the spec says how to read */
    struct data_set *set; /* NULL: closed */
    size_t users;
    int64_t left_ns; /* when the last one did */
    bool told;       /* its notices, also those of an earlier opening */
    bool sized;      /* somebody has looked whether it should be scaled */
    bool fitted; /* rows of another day, which go with their last user … */
    struct data_view view; /* … and what they became by what was fitted */
};

struct sources {
    VEC(struct source *) list;
};

void sources_done(struct sources *s);
/* The set that the spec names, with one user more. */
struct source *sources_take(struct sources *s, const struct value *spec,
                            const char *folder, struct err *err);
/* Rows of another day by what was fitted, a text that the file `path` carried:
 * models to which they are the same read them once. */
struct source *sources_take_fitted(struct sources *s, const struct value *spec,
                                   const char *folder, struct str fitted,
                                   const char *path, bool readable,
                                   struct err *err);
/* One user less; NULL is nobody's. */
void sources_leave(struct sources *s, struct source *one);
/* Closes what nobody has used for a while. Returns after how many
 * milliseconds there is more to close; -1: there is nothing. */
int sources_tidy(struct sources *s);

#endif
