/* metrics.h - metric points in rows, for the files of this folder */
#ifndef THRONG_STORE_METRICS_H
#define THRONG_STORE_METRICS_H

#include "store/db.h"
#include "store/pack.h"

/* The number of a metric's name, 0 when the study has no such metric. */
int metrics_name_find(struct store *s, struct str name, int64_t *id,
                      struct err *err);

#endif
