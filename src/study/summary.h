/* summary.h - what is remembered of each metric of one trial while it runs */
#ifndef THRONG_STUDY_SUMMARY_H
#define THRONG_STUDY_SUMMARY_H

#include "base/buf.h"
#include "base/err.h"
#include "base/vec.h"
#include "store/store.h"
#include "terms/metric.h"

struct summary_entry {
    char *name;
    enum metric_source source;
    uint64_t count;
    int64_t step; /* of `last` */
    double last;
    double min, max; /* NaN points are left out; NaN when all are */
    bool tangled;    /* a step came twice, or behind a later one */
};
struct summary {
    VEC(struct summary_entry) list;
};

void summary_done(struct summary *s);
void summary_clear(struct summary *s);
struct summary_entry *summary_find(const struct summary *s, struct str name);
/* The entry of a name, made when there is none. A better source than before
 * starts it anew; NULL when the entry's source is better than this one. */
struct summary_entry *summary_entry(struct summary *s, struct str name,
                                    enum metric_source source);
void summary_point(struct summary_entry *e, int64_t step, double value);
/* The highest of the steps of the last points; 0: there is none above. */
int64_t summary_last_step(const struct summary *s);
/* True when some steps did not come in order: then `last` and `count` are
 * those of the order of arrival, and summary_rebuild gives those by step. */
bool summary_tangled(const struct summary *s);
/* {"loss":{"last":…,"min":…,"max":…,"step":…,"count":…},…}, by name. */
void summary_print(struct buf *b, struct summary *s);
/* Makes it anew from the stored points of all attempts of a trial, the newer
 * attempt winning at each step. */
int summary_rebuild(struct summary *s, struct store *store, int64_t trial,
                    struct err *err);

#endif
