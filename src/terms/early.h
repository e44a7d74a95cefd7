/* early.h - early_terminate: which trials are ended before their end
 *
 * Levels count logged values of the objective: a trial is looked at when it
 * has made so many reports. */
#ifndef THRONG_TERMS_EARLY_H
#define THRONG_TERMS_EARLY_H

#include <stddef.h>
#include <stdint.h>
#include "terms/stoprule.h"

enum early_kind {
    EARLY_NONE,
    EARLY_HYPERBAND, /* W&B's: at each band the worse ones stop */
    EARLY_ASHA,      /* at each rung the best go on */
    EARLY_MEDIAN,    /* worse than the median of the others */
    EARLY_RULE,      /* a stoprule: patience, threshold, time */
};
struct early {
    enum early_kind kind;
    int64_t min_iter, max_iter, s, eta; /* 0: not said */
    bool strict;                        /* hyperband */
    bool promote;      /* asha: trials wait at their rung and go on later */
    int64_t brackets;  /* asha: how many lowest rungs trials start with */
    double percentile; /* median */
    int64_t warmup_steps, warmup_trials;
    struct stoprule rule;
};

/* "hyperband", "asha", "median", "patience" … */
const char *early_name(const struct early *e);
/* Level i, from 0 and ascending, of hyperband and asha (whose last one is
 * max_iter); 0: there are no more. */
int64_t early_level(const struct early *e, size_t i);

#endif
