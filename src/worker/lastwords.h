/* lastwords.h - what a worker leaves behind when its conductor is gone */
#ifndef THRONG_WORKER_LASTWORDS_H
#define THRONG_WORKER_LASTWORDS_H

#include "base/err.h"

struct worker;

/* Writes the records that nobody has acknowledged to the file of last words,
 * in one step. Writes nothing when there are none. */
int lastwords_write(struct worker *w, struct err *err);

#endif
