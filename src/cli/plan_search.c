/* plan_search.c - the strategy of a plan, for those who only look */
#include "cli/plan_search.h"

#include "cli/unready.h"

struct search *plan_search(const struct plan *p, struct point_source *points,
                           struct arena *a, struct err *err)
{
    struct search_setup setup = {.space = &p->space,
                                 .seed = p->seed,
                                 .minimize = p->metric.minimize,
                                 .run_cap = p->run_cap,
                                 .repeat = p->repeat,
                                 .options = p->method_options};
    if (p->points) {
        *points = (struct point_source){p->points, plan_points_count(p->points),
                                        plan_points_get};
        setup.points = points;
    }
    if (!unready_method(p))
        return search_open(arena_cstr(a, p->method), &setup, err);
    setup.options = NULL;
    return search_open("random", &setup, err);
}
