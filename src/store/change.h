/* change.h - changes on their way into the file
 *
 * A change is written into s->redo first and then applied from there. As
 * long as its commit has not succeeded it stays there, so that a full disk,
 * after which SQLite takes the whole transaction back, loses nothing. */
#ifndef THRONG_STORE_CHANGE_H
#define THRONG_STORE_CHANGE_H

#include "store/db.h"

enum change {
    CHANGE_FACT,
    CHANGE_TRIAL_ADD,
    CHANGE_TRIAL_UPDATE,
    CHANGE_NOTE,
    CHANGE_TAG,
    CHANGE_ATTEMPT_PUT,
    CHANGE_METRICS_ADD,
    CHANGE_ARTIFACT,
    CHANGE_EVENT,
    CHANGE_TRIAL_REMOVE,
    CHANGE_HEARD,
    CHANGE_WISH,
    CHANGE_ARTIFACTS_DROP,
    CHANGE_ABOUT,
    CHANGE_METRICS_DROP,
    CHANGE_COUNT
};

/* Begins one change; its arguments are added to the buf that comes back.
 * NULL and err when there is no lease to change anything under. */
struct buf *change_start(struct store *s, enum change kind, struct err *err);
/* Applies what was started. A change that is refused is forgotten; one that
 * met a failing disk is kept, and the next store_commit says so. */
int change_end(struct store *s, struct err *err);

/* Numbers as the redo buffer keeps them; signed ones survive too. */
void change_add_int(struct buf *b, int64_t v);
int64_t change_int(struct bytes *b);

/* One function per kind: reads its arguments and writes the rows. */
typedef int change_fn(struct store *s, struct bytes *b, struct err *err);
change_fn fact_apply, trial_apply_add, trial_apply_update, trial_apply_remove,
    trial_apply_note, trial_apply_about, trial_apply_tag, attempt_apply_put,
    metrics_apply_add, metrics_apply_drop, artifact_apply, artifacts_apply_drop,
    event_apply, heard_apply, wish_apply;

/* Makes what was committed survive a power loss, at most once a second. */
int change_sync(struct store *s, struct err *err);
/* After a statement that is no change failed: SQLite may have taken the whole
 * transaction back by itself. Then the changes wait, as after a full disk. */
void change_look_again(struct store *s);
/* Reads the counters and the last trial from the file. */
int change_counts_load(struct store *s, struct err *err);
/* ERR_BUSY when another has taken the lease over. Inside a transaction. */
int lease_check(struct store *s, struct err *err);

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

#endif
