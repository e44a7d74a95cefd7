/* entry.h - one file of a trial in a pack
 *
 *     mark     4 bytes
 *     length   8 bytes: of all behind the hash
 *     hash     8 bytes: of all behind it
 *     trial    varint
 *     name     varint length, text: of the file in the trial's folder
 *     form     1 byte: plain or zipped
 *     bytes    varint: of the file
 *     the file, or what zstd made of it */
#ifndef THRONG_STORE_ENTRY_H
#define THRONG_STORE_ENTRY_H

#include <stdint.h>
#include "base/buf.h"
#include "base/err.h"

#define ENTRY_HEAD_BYTES 20 /* mark, length, hash */

struct entry {
    int64_t trial;
    struct str name, body;
    bool zipped;
    uint64_t bytes, hash;
    struct str whole; /* from its mark on */
};

/* The next entry at or behind *at, which is moved behind it. What is none, the
 * torn end of a write or a damaged place, is passed over. */
bool entry_next(struct str text, size_t *at, struct entry *e);
/* Reads what stands in front of every entry; false: it is none. */
bool entry_head(struct str text, uint64_t *len, uint64_t *hash);
/* Appends the file. */
int entry_text(const struct entry *e, struct buf *b, struct err *err);
/* Appends an entry; zip: where that makes it smaller. */
void entry_print(struct buf *b, int64_t trial, struct str name, struct str text,
                 bool zip);
/* Of a trial and name, for maps: others may have the same, which is rare. */
uint64_t entry_key(int64_t trial, struct str name);

#endif
