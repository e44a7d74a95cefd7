/* plan_search.c - the strategy of a plan */
#include "study/conductor.h"

struct search_setup plan_search_setup(const struct plan *p,
                                      struct point_source *points,
                                      struct arena *a)
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

void plan_search_order(struct search_setup *setup, const struct plan *p)
{
    setup->order = str_is(p->order, "lag")     ? SEARCH_LAG
                   : str_is(p->order, "batch") ? SEARCH_BATCH
                                               : SEARCH_FREE;
    setup->lag = p->lag ? p->lag : p->batch;
    if (setup->order != SEARCH_FREE)
        setup->parallel = setup->lag;
}

struct search *plan_search_strictly(const struct plan *p,
                                    struct point_source *points,
                                    struct arena *a, struct err *err)
{
    struct search_setup setup = plan_search_setup(p, points, a);
    setup.early = &p->early;
    setup.pick_best = p->metric.pick == PICK_BEST;
    plan_search_order(&setup, p);
    return search_open(arena_cstr(a, p->method), &setup, err);
}

struct search *plan_search(const struct plan *p, int64_t version,
                           struct point_source *points, struct arena *a,
                           struct err *err)
{
    struct search_setup setup = plan_search_setup(p, points, a);
    setup.version = version;
    setup.aimless = p->goal.objective_count == 0;
    if (p->strategy->asks) {
        setup.options = NULL;
        return search_open("random", &setup, err);
    }
    /* Those who look do not wait for results; but an order or early stopping
     * that the method refuses is refused here too. */
    char *method = arena_cstr(a, p->method);
    struct search_setup ordered = setup;
    ordered.early = &p->early;
    plan_search_order(&ordered, p);
    struct search *strict = search_open(method, &ordered, err);
    search_free(strict);
    return strict ? search_open(method, &setup, err) : NULL;
}
