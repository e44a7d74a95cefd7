/* git.h - asking git; private to this folder */
#ifndef THRONG_STUDY_GIT_H
#define THRONG_STUDY_GIT_H

#include <stdbool.h>
#include "base/buf.h"

/* True when the folder, or one around it, is git's. */
bool git_is_around(const char *folder);
/* What it prints when it is run there, in b; it is given so many seconds, and
 * `scratch` is a file to be made for it. -1: it is not there, or has failed. */
int git_read(const char *folder, const char *scratch, const char *const *argv,
             double seconds, struct buf *b);

#endif
