/* stoprule.h - rules that end a trial by looking at that trial alone */
#ifndef THRONG_TERMS_STOPRULE_H
#define THRONG_TERMS_STOPRULE_H

#include <stdint.h>
#include "base/err.h"
#include "base/value.h"
#include "terms/suggestion.h"

enum stoprule_kind {
    STOPRULE_NONE,
    STOPRULE_PATIENCE,  /* no better value for `patience` reports */
    STOPRULE_THRESHOLD, /* worse than `threshold` at or after `from` */
    STOPRULE_TIME,      /* `seconds` after its start */
};
struct stoprule {
    enum stoprule_kind kind;
    int64_t patience;
    double min_delta;
    double threshold;
    int64_t from; /* reports before this one are not judged */
    double seconds;
};
/* State of one trial under a rule. */
struct stoprule_state {
    int64_t reports;
    int64_t since_best;
    double best; /* NaN before the first report */
};
void stoprule_begin(struct stoprule_state *s);
enum decision stoprule_report(const struct stoprule *rule,
                              struct stoprule_state *s, bool minimize,
                              double value, double seconds);
/* How many reports more it takes at least until the rule can end the trial; 0:
 * no report ever does. */
int64_t stoprule_more(const struct stoprule *rule,
                      const struct stoprule_state *s);

#endif
