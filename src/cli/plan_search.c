/* plan_search.c - the strategy of a plan, for those who only look */
#include "cli/plan_search.h"

static struct search_setup
setup_of(const struct plan *p, struct point_source *points, struct arena *a)
{
    struct search_setup setup = {.space = &p->space,
                                 .seed = p->seed,
                                 .minimize = p->metric.minimize,
                                 .run_cap = p->run_cap,
                                 .repeat = p->repeat,
                                 .options = p->method_options,
                                 .parallel = p->parallel,
                                 .constraint_count = p->goal.bound_count};
    if (p->goal.objective_count > 1) {
        bool *goals = arena_array(a, p->goal.objective_count, sizeof(*goals));
        for (size_t i = 0; i < p->goal.objective_count; i++)
            goals[i] = p->goal.objectives[i].minimize;
        setup.objective_count = p->goal.objective_count;
        setup.minimize_each = goals;
    }
    if (p->points) {
        *points = (struct point_source){p->points, plan_points_count(p->points),
                                        plan_points_get};
        setup.points = points;
    }
    return setup;
}

struct search *plan_search_strictly(const struct plan *p,
                                    struct point_source *points,
                                    struct arena *a, struct err *err)
{
    struct search_setup setup = setup_of(p, points, a);
    setup.early = &p->early;
    setup.pick_best = p->metric.pick == PICK_BEST;
    return search_open(arena_cstr(a, p->method), &setup, err);
}

struct search *plan_search(const struct plan *p, struct point_source *points,
                           struct arena *a, struct err *err)
{
    struct search_setup setup = setup_of(p, points, a);
    if (!str_is(p->method, "external"))
        return search_open(arena_cstr(a, p->method), &setup, err);
    setup.options = NULL;
    return search_open("random", &setup, err);
}
