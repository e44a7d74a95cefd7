/* git.h - asking git; private to this folder */
#ifndef THRONG_STUDY_GIT_H
#define THRONG_STUDY_GIT_H

#include <stdbool.h>
#include "base/arena.h"
#include "base/buf.h"

/* The folder, or the next one around it, that is git's; NULL: none is. */
const char *git_folder(struct arena *a, const char *folder);
/* True when there is one. */
bool git_is_around(const char *folder);
/* What it prints when it is run there, in b; it is given so many seconds, and
 * `scratch` is a file to be made for it. -1: it is not there, or has failed. */
int git_read(const char *folder, const char *scratch, const char *const *argv,
             double seconds, struct buf *b);

#endif
