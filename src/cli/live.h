/* live.h - the block below the progress line of `run`
 *
 * The best trial and those that run, with their newest values, on terminals
 * that are high enough. */
#ifndef THRONG_CLI_LIVE_H
#define THRONG_CLI_LIVE_H

#include "base/buf.h"

struct live_block;

/* NULL where there can be no block: a terminal that cannot move its cursor, a
 * store that cannot be read while it is written. */
struct live_block *live_block_new(const char *folder);
void live_block_free(struct live_block *l);
/* Adds the block to b, each line of it begun by a newline and shorter than
 * the columns; gives the number of lines, 0 on a low terminal. The store is
 * read at most once a second. rate: trials per second; short trials are not
 * listed, nobody could read them. */
unsigned live_block_print(struct live_block *l, struct buf *b, unsigned rows,
                          unsigned columns, double rate);

#endif
