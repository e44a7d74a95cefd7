/* costs.c - what a trial cost, as a metric
 *
 * `seconds`, `cpu_seconds` and `memory` may be what a study looks for. Nobody
 * reports them: they are known when a trial has ended. They are given in the
 * weakest of sources, so that a program's own number of that name counts
 * instead, and always at step 0, so that a trial that goes on has one value:
 * that of all its attempts so far. */
#include <math.h>
#include "study/run.h"

/* Of all attempts: time is added, memory is the most. */
struct cost_sum {
    double seconds, cpu_seconds, memory;
};

static int sum_up(struct run *r, const struct live *l, struct cost_sum *sum,
                  struct err *err)
{
    struct attempt *list;
    size_t count;
    *sum = (struct cost_sum){.seconds = l->t.seconds,
                             .cpu_seconds = l->a.cpu_seconds,
                             .memory = (double)l->a.max_rss_bytes};
    if (l->t.attempts < 2)
        return 0;
    if (store_attempts(r->store, l->t.id, r->arena, &list, &count, err))
        return -1;
    sum->cpu_seconds = 0;
    for (size_t i = 0; i < count; i++) {
        sum->cpu_seconds += list[i].cpu_seconds;
        sum->memory = fmax(sum->memory, (double)list[i].max_rss_bytes);
    }
    return 0;
}

static bool is_wanted(const struct run_limits *k, struct str name)
{
    const struct goal *g = k->goal;
    if (str_eq(k->metric, name))
        return true;
    for (size_t i = 0; g && i < g->objective_count; i++)
        if (str_eq(g->objectives[i].name, name))
            return true;
    for (size_t i = 0; g && i < g->bound_count; i++)
        if (str_eq(g->bounds[i].name, name))
            return true;
    return false;
}

static int put(struct run *r, struct live *l, struct str name, double value,
               struct err *err)
{
    int64_t step = 0;
    const struct metric_column c = {.source = METRIC_FROM_FILE_NUMBER,
                                    .name = name,
                                    .count = 1,
                                    .steps = (const unsigned char *)&step,
                                    .values = (const unsigned char *)&value,
                                    .wall = l->a.ended};
    struct summary_entry *e = summary_entry(&l->summary, name, c.source);
    if (!e)
        return 0;
    e->count = 0;
    e->step = -1;
    e->min = e->max = NAN;
    e->tangled = false;
    summary_point(e, step, value);
    r->any_value |= str_eq(r->limits.metric, name);
    return store_metrics_add(r->store, l->t.id, l->a.number, name, &c, err);
}

bool cost_is_one(struct str name)
{
    return str_is(name, "seconds") || str_is(name, "cpu_seconds") ||
           str_is(name, "memory");
}

int costs_take(struct run *r, struct live *l, struct err *err)
{
    struct cost_sum sum = {0};
    const struct {
        struct str name;
        const double *value;
    } rows[] = {{STR("seconds"), &sum.seconds},
                {STR("cpu_seconds"), &sum.cpu_seconds},
                {STR("memory"), &sum.memory}};
    bool summed = false;
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        /* What a file gives, the program says itself. */
        bool said =
            r->limits.metric_file && str_eq(rows[i].name, r->limits.metric);
        if (said || !is_wanted(&r->limits, rows[i].name))
            continue;
        if (!summed && sum_up(r, l, &sum, err))
            return -1;
        summed = true;
        /* What the place does not measure is no cost of nothing. */
        if (*rows[i].value > 0 && put(r, l, rows[i].name, *rows[i].value, err))
            return -1;
    }
    return 0;
}
