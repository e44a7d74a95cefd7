/* lease.h - who may write, for the files of this folder */
#ifndef THRONG_STORE_LEASE_H
#define THRONG_STORE_LEASE_H

#include "store/change.h"

/* Reads lease.json; `live` is not judged. ERR_MISSING-like failures of any
 * kind mean that nobody has written one. */
int lease_mirror_read(const char *folder, struct lease *lease, struct err *err);
void lease_mirror_write(const struct store *s, const struct lease *lease);
/* ERR_BUSY, naming the holder. */
int lease_held_by(const struct store *s, const struct lease *lease,
                  struct err *err);
/* As people and readers see it, who must have an answer at once. */
bool lease_seems_live(const struct store *s, const struct lease *lease);

#endif
