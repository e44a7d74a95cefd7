/* snapshot.h - copies for readers, for the files of this folder */
#ifndef THRONG_STORE_SNAPSHOT_H
#define THRONG_STORE_SNAPSHOT_H

#include "store/db.h"

/* True when a live holder keeps the file locked. */
bool snapshot_needed(struct store *s);
/* Opens the holder's newest copy, asking for one when it is old. */
int snapshot_open(struct store *s, struct err *err);
/* Opens a file that nobody changes, without any lock. */
int snapshot_open_unchanging(struct store *s, const char *path,
                             struct err *err);

#endif
