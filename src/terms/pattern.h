/* pattern.h - a regular expression that finds the metric in output lines */
#ifndef THRONG_TERMS_PATTERN_H
#define THRONG_TERMS_PATTERN_H

#include <stdint.h>
#include "base/err.h"
#include "base/map.h"

struct pattern;

/* Compiled patterns by their text: the tasks of a study share theirs. */
struct patterns {
    struct map *by_text;
};
void patterns_init(struct patterns *p);
void patterns_done(struct patterns *p);
/* Lives as long as p. NULL and err for an expression that is wrong. */
const struct pattern *pattern_get(struct patterns *p, struct str text,
                                  struct err *err);
/* One group is the value; of two, the first is the step and the second the
 * value. *step is METRIC_NO_STEP with one group. False when the line does not
 * match or the groups are no numbers. */
bool pattern_match(const struct pattern *p, struct str line, int64_t *step,
                   double *value);

#endif
