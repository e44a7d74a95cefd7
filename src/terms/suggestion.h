/* suggestion.h - what a strategy says */
#ifndef THRONG_TERMS_SUGGESTION_H
#define THRONG_TERMS_SUGGESTION_H

#include <stdint.h>
#include "base/value.h"

struct suggestion {
    struct value *point; /* lives as long as the arena passed to ask */
    int64_t parent;      /* trial whose checkpoint to start from; -1: none */
    int64_t budget;      /* steps allowed for now; 0: no limit */
    int64_t replaces;    /* a paused trial that goes on; -1: a new one */
    struct str run_id;   /* the user's own id of the point; empty: none */
};

enum decision { DECISION_CONTINUE, DECISION_STOP, DECISION_PAUSE };

/* Results of points that the strategy did not suggest have numbers below 0,
 * all different: each kind has a range of its own for them. */
enum foreign {
    FOREIGN_TOLD,  /* told to `throng suggest`; its numbers are from 1 */
    FOREIGN_WARM,  /* from elsewhere, before the first trial */
    FOREIGN_ADDED, /* a trial that a person added */
};
static inline int64_t foreign_number(enum foreign kind, int64_t n)
{
    return -((int64_t)kind << 40) - n;
}

/* What a strategy is told of a finished trial. */
struct result {
    /* Below 0: a foreign_number; such a result counts like any other. */
    int64_t trial;
    const struct value *point;
    int state;            /* enum state, final or paused */
    double value;         /* the objective; NaN when there is none */
    const double *values; /* several objectives, or NULL */
    size_t value_count;
    /* How far each constraint is broken: above 0 is infeasible; or NULL. */
    const double *constraints;
    size_t constraint_count;
};

#endif
