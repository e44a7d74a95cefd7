/* program_read.h - what another program prints; private to this folder */
#ifndef THRONG_STUDY_PROGRAM_READ_H
#define THRONG_STUDY_PROGRAM_READ_H

#include "base/buf.h"

/* What it prints when it is run in that folder, in b; it is given so many
 * seconds, and `scratch` is a file to be made for it. -1: it is not there, or
 * has failed. */
int program_read(const char *folder, const char *scratch,
                 const char *const *argv, double seconds, struct buf *b);

#endif
