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
    bool own;        /* of one user only: goes with it */
    bool told;       /* its notices, also those of an earlier opening */
    bool sized;      /* somebody has looked whether it should be scaled */
};

struct sources {
    VEC(struct source *) list;
};

void sources_done(struct sources *s);
/* The set that the spec names, with one user more. */
struct source *sources_take(struct sources *s, const struct value *spec,
                            const char *folder, struct err *err);
/* A set that nobody else will ask for; it is the source's from now on. */
struct source *sources_add(struct sources *s, struct data_set *set);
/* One user less; NULL is nobody's. */
void sources_leave(struct sources *s, struct source *one);
/* Closes what nobody has used for a while. Returns after how many
 * milliseconds there is more to close; -1: there is nothing. */
int sources_tidy(struct sources *s);

#endif
