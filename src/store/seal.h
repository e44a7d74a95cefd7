/* seal.h - checksums on the pages of a store, for the files of this folder */
#ifndef THRONG_STORE_SEAL_H
#define THRONG_STORE_SEAL_H

#include "store/db.h"

/* The name of the VFS that writes and looks at them, to open a file with. */
const char *seal_vfs(void);
/* Gives the new, still empty file that is open a checksum on each page. */
int seal_new(sqlite3 *db);
/* Whether the pages of the file that is open have them. */
bool seal_is_on(sqlite3 *db);
/* Whether a page without one was read since it was opened. */
bool seal_is_missed(sqlite3 *db);
/* Gives checksums to the pages of the file that have none, as well as it can.
 * The caller has found them to make sense, and is the only writer. */
void seal_rest(sqlite3 *db);
/* The page that was found to be another than was written; 0: none. */
int64_t seal_broken(sqlite3 *db);
/* Whether pages that were never written may be read, as a copy does. */
void seal_allow_empty(sqlite3 *db, bool allow);

#endif
