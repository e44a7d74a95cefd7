/* walk.h - visiting what lies below a folder; internal to src/sys */
#ifndef THRONG_SYS_WALK_H
#define THRONG_SYS_WALK_H

#include <dirent.h>
#include <sys/stat.h>
#include "sys/sys.h"

/* Deeper folders are refused: every level holds a descriptor. */
#define WALK_DEPTH_MAX 256

/* One thing below the root. */
struct walk_entry {
    const char *path; /* relative to the root */
    const char *name;
    int folder;              /* the descriptor of the folder that name is in */
    const struct stat *stat; /* of the thing itself, no link followed */
    unsigned depth;          /* 1: directly in the root */
};
enum walk_answer {
    WALK_ERROR = -1,
    WALK_ON,   /* into a folder too */
    WALK_SKIP, /* a folder: do not enter it */
};
typedef enum walk_answer walk_fn(void *context, const struct walk_entry *e,
                                 struct err *err);

/* Visits everything below root in the order of names, a folder before what is
 * in it. Never follows links below root. What vanishes meanwhile is left out.
 * A root that is not there is ERR_MISSING. */
int walk(const char *root, walk_fn *fn, void *context, struct err *err);

/* The names in an open folder, sorted, without "." and "..", in the arena;
 * takes fd over. NULL on error, with errno. */
const char **walk_names(int fd, struct arena *a, size_t *count);

#endif
