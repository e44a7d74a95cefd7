/* pool.h - empty trial folders, to be used again
 *
 * Most short tasks write nothing, so their folders would be made and removed
 * again, thousands a second; file systems are slow at that (ext4 looks at
 * every inode that was freed in the last seconds). Such a folder is moved
 * here instead, and from here to the next trial.
 *
 * A process that an ended task left behind may still be in the folder that
 * the task ran in. Such a folder rests until a census has shown that there is
 * none. Whoever holds the log open is found out when it is used again. */
#ifndef THRONG_WORKER_POOL_H
#define THRONG_WORKER_POOL_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>
#include <time.h>
#include "base/vec.h"

struct census;

/* What tells a file or folder that is as it was made from one that a task has
 * changed or put in its place. */
struct made {
    ino_t inode;
    mode_t mode; /* with its type */
    uid_t owner;
    gid_t group;
    struct timespec changed;
};
/* A folder with log, params.json, output/ and checkpoint/, the latter two and
 * the log empty, all of them as they were made. */
struct pooled {
    int fd; /* of the folder */
    struct made folder, output, checkpoint;
    uint64_t number; /* its name in the pool */
    uint64_t serial; /* of the attempt that had it */
    bool visited;    /* the task ran in it */
};
struct pool {
    char *path; /* NULL: there is none */
    uint64_t made;
    VEC(struct pooled) ready, resting;
};

/* Makes the pool's folder; a NULL path, or one that cannot be made, gives a
 * pool that never has anything. */
void pool_init(struct pool *p, const char *path);
void pool_done(struct pool *p); /* removes all of it */

/* Moves a ready folder to `path` and fills *one; false when none is ready or
 * there is something at `path` already (or no folder around it). */
bool pool_take(struct pool *p, const char *path, struct pooled *one);
/* Moves the folder at `path` here; its descriptor is the pool's then. False
 * when it cannot be moved. */
bool pool_give(struct pool *p, const char *path, struct pooled one);
/* Looks which resting folders the census just swept has freed. */
void pool_settle(struct pool *p, const struct census *c);
/* True when a census is worth its cost, to free resting folders. */
bool pool_wants_census(const struct pool *p, const struct census *c);

#endif
