/* metrics.h - metric points in rows, for the files of this folder */
#ifndef THRONG_STORE_METRICS_H
#define THRONG_STORE_METRICS_H

#include "store/db.h"
#include "store/pack.h"

struct series_key {
    int64_t trial;
    uint32_t attempt, name;
    uint32_t source, zero;
};

/* Points that came together: their steps and values as bytes. */
struct arrived {
    struct series_key key; /* but for the name's number */
    struct str name;
    int64_t time_ms;
    const char *steps, *values;
    size_t count;
};

/* The points that a change adds; NULL when it is about something else. */
const struct arrived *metrics_arrived(const struct redo *c);

/* The number of a metric's name, 0 when the study has no such metric. */
int metrics_name_find(struct store *s, struct str name, int64_t *id,
                      struct err *err);

#endif
