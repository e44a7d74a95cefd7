/* change.h - changes on their way into the file
 *
 * A change is kept in s->redo and applied from there. As long as its commit
 * has not succeeded it stays there, so that a full disk, after which SQLite
 * takes the whole transaction back, loses nothing. */
#ifndef THRONG_STORE_CHANGE_H
#define THRONG_STORE_CHANGE_H

#include "store/db.h"

/* Writes the rows of a change. */
typedef int change_fn(struct store *s, const void *what, struct err *err);

/* Begins a change: a copy of what it is about, `size` bytes, which lives until
 * the commit has succeeded; texts in it are the caller's to copy into
 * s->redo_room. NULL and err when there is no lease to change anything
 * under. */
void *change_start(struct store *s, const void *what, size_t size,
                   struct err *err);
/* Applies what was started. A change that is refused is forgotten; one that
 * met a failing disk is kept, and the next store_commit says so. */
int change_end(struct store *s, change_fn *apply, const void *what,
               struct err *err);

/* Makes what was committed survive a power loss, at most once a second. */
int change_sync(struct store *s, struct err *err);
/* After a statement that is no change failed: SQLite may have taken the whole
 * transaction back by itself. Then the changes wait, as after a full disk. */
void change_look_again(struct store *s);
/* Writes the points that are in memory alone, so that SQLite can read them.
 * Where the disk fails, all changes wait, and 0. */
int change_flush(struct store *s, struct err *err);
/* Reads the counters and the last trial from the file. */
int change_counts_load(struct store *s, struct err *err);
/* ERR_BUSY when another has taken the lease over. Inside a transaction. */
int lease_check(struct store *s, struct err *err);

/* The row of an attempt that a change writes; NULL when it is about something
 * else. */
const struct attempt *attempt_written(const struct redo *c);
/* Forgets what is known of open trials, after a rollback. */
void trial_forget(struct store *s);
/* True when this store added the trial, so no row of it can be older. */
bool trial_is_fresh(const struct store *s, int64_t id);

/* ---- metrics.c, as the commit sees it --------------------------------- */

struct metrics *metrics_new(void);
void metrics_free(struct metrics *m);
/* Writes all points that no row holds yet. */
int metrics_flush(struct store *s, struct err *err);
/* As metrics_flush for a trial that has ended; its memory is freed. */
int metrics_end(struct store *s, int64_t trial, struct err *err);
/* Forgets everything in memory, after the transaction was taken back. */
void metrics_forget(struct store *s);

/* ---- stowed.c, likewise ------------------------------------------------ */

struct stowed *stowed_new(void);
void stowed_free(struct stowed *w);
/* Adds the files that wait to their packs. */
int stowed_flush(struct store *s, struct err *err);
/* Brings packs that were added to to the disk. */
int stowed_sync(struct store *s, struct err *err);
/* Forgets what waits, after it was committed or taken back. */
void stowed_forget(struct store *s);

#endif
