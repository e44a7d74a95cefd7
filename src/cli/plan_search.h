/* plan_search.h - the strategy of a plan, for those who only look */
#ifndef THRONG_CLI_PLAN_SEARCH_H
#define THRONG_CLI_PLAN_SEARCH_H

#include "plan/plan.h"
#include "search/search.h"

/* Lives no longer than the plan and *points, which is filled. For external,
 * whose program is not started: random points of the same space. version: see
 * SEARCH_VERSION; 0 of a new study. */
struct search *plan_search(const struct plan *p, int64_t version,
                           struct point_source *points, struct arena *a,
                           struct err *err);
/* The same; external is an error. */
struct search *plan_search_strictly(const struct plan *p,
                                    struct point_source *points,
                                    struct arena *a, struct err *err);

#endif
