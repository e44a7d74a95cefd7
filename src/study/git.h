/* git.h - whether a folder is git's; private to this folder */
#ifndef THRONG_STUDY_GIT_H
#define THRONG_STUDY_GIT_H

#include <stdbool.h>
#include "base/arena.h"

/* The folder, or the next one around it, that is git's; NULL: none is. */
const char *git_folder(struct arena *a, const char *folder);
/* True when there is one. */
bool git_is_around(const char *folder);

#endif
