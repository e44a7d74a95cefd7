/* goal.h - what a study wants of its trials: objectives, and bounds to keep
 *
 * A trial's summary, {"loss":{"last":…,"min":…,"max":…},…}, says how well it
 * did. A bound looks at the last value of its metric. */
#ifndef THRONG_TERMS_GOAL_H
#define THRONG_TERMS_GOAL_H

#include <stdint.h>
#include "base/err.h"
#include "base/value.h"

struct objective {
    struct str name;
    bool minimize;
};
struct bound {
    struct str name;
    bool is_max; /* else a minimum */
    double limit;
};
struct goal {
    const struct objective *objectives; /* the first is the one that ranks */
    size_t objective_count;             /* 0: none is named */
    bool pick_best;                     /* of a trial's values; else the last */
    const struct bound *bounds;
    size_t bound_count;
};

/* True when a rank is more than one number: it has several objectives, or
 * bounds. */
bool goal_has_fronts(const struct goal *g);
/* Whether the best value of a metric is its least: as its objective says; else
 * as its name says (val_accuracy grows, mse falls); else as the first
 * objective has it. */
bool goal_minimizes(const struct goal *g, struct str metric);

/* The value of each objective; NaN where the summary has none. */
void goal_values(const struct goal *g, const struct value *summary,
                 double *values);
/* By how much each bound is broken: above 0, or at most 0 where it is kept;
 * infinity when the trial did not say. `each` may be NULL. The sum of what
 * is broken: 0 when the trial may be used. */
double goal_broken(const struct goal *g, const struct value *summary,
                   double *each);
/* "latency is 7.2, above its max 5" for the first bound that is broken; ""
 * when none is. */
void goal_broken_print(struct buf *b, const struct goal *g,
                       const struct value *summary);

/* Text form: {"objectives":[{"name":…,"goal":…}],"pick":"last","bounds":
 * [{"name":…,"max":5}]}. */
void goal_print(struct buf *b, const struct goal *g);
int goal_read(struct goal *g, struct str text, struct arena *a,
              struct err *err);

#endif
