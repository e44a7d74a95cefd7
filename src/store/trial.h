/* trial.h - rows of trials, for the files of this folder */
#ifndef THRONG_STORE_TRIAL_H
#define THRONG_STORE_TRIAL_H

#include "store/db.h"

/* What a statement must select, in this order, for trial_read: t is trials,
 * x is texts. NULL may stand for what is not needed. */
#define TRIAL_COLUMNS                                                          \
    "t.id, t.state, t.value, t.attempts, t.failures, t.created, t.started,"    \
    " t.ended, t.seconds, t.parent, t.parent_step, t.budget, t.repeat,"        \
    " t.member, t.run_id, t.point"
#define TRIAL_TEXTS "x.reason, x.summary, x.note"
enum trial_column {
    TRIAL_ID,
    TRIAL_STATE,
    TRIAL_VALUE,
    TRIAL_ATTEMPTS,
    TRIAL_FAILURES,
    TRIAL_CREATED,
    TRIAL_STARTED,
    TRIAL_ENDED,
    TRIAL_SECONDS,
    TRIAL_PARENT,
    TRIAL_PARENT_STEP,
    TRIAL_BUDGET,
    TRIAL_GROUP,
    TRIAL_MEMBER,
    TRIAL_RUN_ID,
    TRIAL_POINT,
    TRIAL_REASON,
    TRIAL_SUMMARY,
    TRIAL_NOTE,
};

/* Fills *t but for tags; its texts are valid until the next step. */
void trial_read(sqlite3_stmt *st, struct trial *t);
/* Fills tags, tag_count. */
int trial_tags(struct store *s, int64_t id, struct arena *a, struct trial *t,
               struct err *err);

#endif
