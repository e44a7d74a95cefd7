/* trial_json.h - one trial as JSON, the same for `export` and `show` */
#ifndef THRONG_CLI_TRIAL_JSON_H
#define THRONG_CLI_TRIAL_JSON_H

#include "store/store.h"
#include "terms/goal.h"

/* commit: of the study's code; empty: unknown.
 * {"id":…,"state":…,"value":…,"params":{…},"metrics":{"loss":{"last":…,
 * "best":…}},"attempts":…,"seconds":…,…} without a line feed. The summary's
 * values are parsed in the arena. */
void trial_json(struct buf *b, const struct trial *t, const struct goal *goal,
                struct str commit, struct arena *a);
/* "last" and "best" of one metric of a parsed summary; NaN when absent. */
void summary_values(const struct value *summary, struct str name,
                    const struct goal *goal, double *last, double *best);

#endif
