/* added.h - trials that the strategy did not suggest
 *
 * A person may add points of their own and run a point again. Such trials
 * take the next numbers, so that the number of a trial and that of a
 * suggestion drift apart. Which numbers were taken is kept as the fact
 * "added" ("13-15,20"), written in the same transaction as the trials: all
 * other trials are the strategy's suggestions, in order and without a gap,
 * so a study that goes on asks for the suggestion that comes next. */
#ifndef THRONG_STUDY_ADDED_H
#define THRONG_STUDY_ADDED_H

#include <stdint.h>
#include "base/err.h"
#include "base/vec.h"
#include "store/store.h"

struct added_range {
    int64_t first, last;
};
struct added {
    VEC(struct added_range) ranges; /* ascending */
    int64_t count;
};

void added_done(struct added *x);
/* Replaces what x holds by what the store says. */
int added_read(struct added *x, struct store *s, struct err *err);
int added_write(const struct added *x, struct store *s, struct err *err);
/* A trial whose number is higher than all before. */
void added_take(struct added *x, int64_t trial);
/* Which suggestion a trial is; 0: it was added. */
int64_t added_suggestion(const struct added *x, int64_t trial);
/* The trial that a suggestion became, or will become if nothing more is
 * added before it. */
int64_t added_trial(const struct added *x, int64_t suggestion);

/* How many trials were removed. */
int64_t removed_trials(struct store *s);
/* The number of the last trial that ever was, also if it was removed. */
int64_t last_trial_ever(struct store *s);

#endif
