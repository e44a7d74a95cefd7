/* repeat.c - several trials of each point, told as one
 *
 * `groups` holds what is known of each point until it is told, and
 * afterwards that it was. Where a point has one trial, only that is kept. */
#include "search/repeat.h"

#include <math.h>
#include <stdlib.h>

#include "base/map.h"
#include "terms/state.h"

/* What is known of the members of one point. */
struct group {
    bool told;
    uint32_t final;      /* members that are */
    uint64_t *members;   /* a bit each */
    uint32_t with_value; /* members that have a value */
    double sum;
    double *sums; /* of several objectives, or NULL */
    size_t sum_count;
    double *breaks; /* sums of how far constraints are broken, or NULL */
    size_t break_count;
    enum state best, worst; /* best: of members with a value */
};

struct repeat {
    uint32_t times;
    int64_t total;        /* trials; -1: no end */
    struct idmap *groups; /* by point */
};

struct repeat *repeat_new(uint32_t times, int64_t total)
{
    struct repeat *p = xcalloc(1, sizeof(*p));
    p->times = times;
    p->total = total;
    p->groups = idmap_new();
    return p;
}

static void group_free(struct group *g)
{
    free(g->members);
    free(g->sums);
    free(g->breaks);
    free(g);
}

void repeat_free(struct repeat *p)
{
    uint64_t key;
    void *group;
    if (!p)
        return;
    for (size_t at = 0;
         p->times > 1 && idmap_next(p->groups, &at, &key, &group);)
        group_free(group);
    idmap_free(p->groups);
    free(p);
}

/* From good to bad, for the state of a point with several members. */
static int badness(enum state s)
{
    static const unsigned char table[STATE_COUNT] = {
        [STATE_DONE] = 0,      [STATE_STOPPED] = 1, [STATE_DIVERGED] = 2,
        [STATE_TIMED_OUT] = 3, [STATE_KILLED] = 4,  [STATE_FAILED] = 5,
        [STATE_INVALID] = 6};
    return table[s];
}

/* Trials that a point has: the last one may be cut by run_cap. */
static uint32_t members_of(const struct repeat *p, int64_t group)
{
    if (p->total < 0 || p->total / p->times > group)
        return p->times;
    return (uint32_t)(p->total - group * p->times);
}

static struct group *group_of(struct repeat *p, int64_t point)
{
    struct group *g = idmap_get(p->groups, (uint64_t)point);
    if (g)
        return g;
    g = xcalloc(1, sizeof(*g));
    g->members = xcalloc((p->times + 63) / 64, sizeof(*g->members));
    g->best = STATE_INVALID;
    g->worst = STATE_DONE;
    idmap_set(p->groups, (uint64_t)point, g);
    return g;
}

/* Adds numbers to sums, which are made when there are none. */
static void add_numbers(double **sums, size_t *count, const double *numbers,
                        size_t n)
{
    if (!numbers || !n)
        return;
    if (!*sums) {
        *sums = xcalloc(n, sizeof(**sums));
        *count = n;
    }
    for (size_t i = 0; i < *count && i < n; i++)
        (*sums)[i] += numbers[i];
}

static void add_member(struct group *g, const struct result *r)
{
    enum state state = (enum state)r->state;
    g->final++;
    if (badness(state) > badness(g->worst))
        g->worst = state;
    if (!isfinite(r->value))
        return;
    if (badness(state) < badness(g->best))
        g->best = state;
    g->with_value++;
    g->sum += r->value;
    add_numbers(&g->sums, &g->sum_count, r->values, r->value_count);
    add_numbers(&g->breaks, &g->break_count, r->constraints,
                r->constraint_count);
}

static void tell_group(int64_t point, struct group *g, const struct value *at,
                       repeat_fn *pass, void *context)
{
    struct result mean = {.trial = point,
                          .point = at,
                          .state = (int)(g->with_value ? g->best : g->worst),
                          .value = NAN};
    if (g->with_value)
        mean.value = g->sum / g->with_value;
    for (size_t i = 0; i < g->sum_count; i++)
        g->sums[i] /= g->with_value;
    for (size_t i = 0; i < g->break_count; i++)
        g->breaks[i] /= g->with_value;
    mean.values = g->sums;
    mean.value_count = g->sum_count;
    mean.constraints = g->breaks;
    mean.constraint_count = g->break_count;
    g->told = true;
    pass(context, &mean);
}

static void tell_single(struct repeat *p, const struct result *r,
                        repeat_fn *pass, void *context)
{
    if (idmap_get(p->groups, (uint64_t)r->trial))
        return;
    if (state_final((enum state)r->state))
        idmap_set(p->groups, (uint64_t)r->trial, p);
    pass(context, r);
}

void repeat_tell(struct repeat *p, const struct result *r, repeat_fn *pass,
                 void *context)
{
    if (p->times == 1) {
        tell_single(p, r, pass, context);
        return;
    }
    int64_t index = (r->trial - 1) / p->times;
    uint32_t member = (uint32_t)((r->trial - 1) % p->times);
    struct group *g = group_of(p, index + 1);
    uint64_t bit = (uint64_t)1 << (member % 64);
    if (g->told || g->members[member / 64] & bit)
        return;
    /* A paused member says nothing yet about its point. */
    if (!state_final((enum state)r->state))
        return;
    g->members[member / 64] |= bit;
    add_member(g, r);
    if (g->final >= members_of(p, index))
        tell_group(index + 1, g, r->point, pass, context);
}
