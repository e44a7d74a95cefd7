/* age.h - how old is what a reader is shown?
 *
 * On a network file system who reads a running study gets a copy that its
 * conductor made some seconds ago (store_as_of). */
#ifndef THRONG_CLI_AGE_H
#define THRONG_CLI_AGE_H

#include "base/buf.h"

/* "as of 8s ago"; nothing for what is current (as_of 0, or of this second). */
void age_print(struct buf *b, double as_of);
/* The same as a line to standard error, with the reason. */
void age_say(double as_of);
/* ,"as_of":TIME behind another field; nothing when it is 0. */
void age_json(struct buf *b, double as_of);

#endif
