/* named_file.h - the file that a data set is named by */
#ifndef THRONG_STUDY_NAMED_FILE_H
#define THRONG_STUDY_NAMED_FILE_H

#include "base/arena.h"
#include "base/str.h"

/* What of a name is a file that is there, seen from folder: all of it, or of an
 * array in a file, "set.npz:x", the file. Empty: neither is there. */
struct str named_file(struct arena *a, const char *folder, const char *name);

#endif
