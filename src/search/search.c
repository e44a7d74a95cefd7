/* search.c - the table of strategies; run_cap and repeat around any of them
 *
 * A strategy makes points, numbered from 1. With repeat r, trials
 * (p-1)r + 1 … pr are the members of point p. A strategy that looks at
 * results is told of a point once, when all of its members are final:
 * `groups` holds what is known of each point until then, and afterwards that
 * it was told. A strategy that does not look at results costs nothing here. */
#include "search/search.h"

#include <math.h>
#include <stdlib.h>

#include "base/buf.h"
#include "base/map.h"
#include "search/strategy.h"
#include "terms/state.h"

static const struct strategy *const strategies[] = {
    &strategy_random, &strategy_grid,  &strategy_points, &strategy_sobol,
    &strategy_lhs,    &strategy_cmaes, &strategy_gp,     &strategy_bayes,
    &strategy_tpe,    &strategy_ga,    &strategy_forest, &strategy_external,
    &strategy_nsga2,  &strategy_auto,  &strategy_pbt,    &strategy_hyperspace};
enum { STRATEGIES = sizeof(strategies) / sizeof(*strategies) };

const char *const search_methods[] = {
    "random", "grid",  "points", "sobol",      "lhs",    "cmaes",
    "gp",     "bayes", "tpe",    "ga",         "forest", "external",
    "nsga2",  "auto",  "pbt",    "hyperspace", NULL};

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
    int64_t step;           /* the furthest */
};

struct search {
    const struct strategy *strategy;
    void *state;
    int64_t total; /* trials; -1: no end */
    uint32_t repeat;
    struct idmap *groups; /* by point; NULL when nobody looks at results */
};

static int64_t total_of(const struct search_setup *setup, int64_t points,
                        uint32_t repeat)
{
    int64_t total = -1;
    if (points >= 0 && __builtin_mul_overflow(points, (int64_t)repeat, &total))
        total = INT64_MAX;
    if (setup->run_cap > 0 && (total < 0 || setup->run_cap < total))
        total = setup->run_cap;
    return total;
}

struct search *search_open_strategy(const struct strategy *strategy,
                                    const struct search_setup *setup,
                                    struct err *err)
{
    void *state = strategy->open(setup, err);
    if (!state)
        return NULL;
    struct search *s = xcalloc(1, sizeof(*s));
    s->strategy = strategy;
    s->state = state;
    s->repeat = setup->repeat ? setup->repeat : 1;
    s->total = total_of(setup, strategy->total(state), s->repeat);
    s->groups = strategy->tell ? idmap_new() : NULL;
    return s;
}

/* "random, grid or points", of all that there are. */
static void list_methods(struct buf *b)
{
    for (size_t i = 0; search_methods[i]; i++) {
        if (i)
            buf_adds(b, search_methods[i + 1] ? ", " : " or ");
        buf_adds(b, search_methods[i]);
    }
}

static void refuse(const char *method, struct err *err)
{
    const char *near = str_nearest(str_of(method), search_methods);
    struct buf there;
    buf_init(&there);
    list_methods(&there);
    if (near)
        err_set(err, ERR_INPUT, "there is no method %s; did you mean %s?",
                method, near);
    else
        err_set(err, ERR_INPUT, "there is no method %s; use %s", method,
                there.p);
    buf_done(&there);
}

const struct strategy *strategy_find(const char *name)
{
    for (size_t i = 0; i < STRATEGIES; i++)
        if (strcmp(strategies[i]->name, name) == 0)
            return strategies[i];
    return NULL;
}

struct search *search_open(const char *method, const struct search_setup *s,
                           struct err *err)
{
    const struct strategy *strategy = strategy_find(method);
    if (strategy)
        return search_open_strategy(strategy, s, err);
    refuse(method, err);
    return NULL;
}

static void group_free(struct group *g)
{
    free(g->members);
    free(g->sums);
    free(g->breaks);
    free(g);
}

void search_free(struct search *s)
{
    uint64_t key;
    void *group;
    if (!s)
        return;
    for (size_t at = 0; s->groups && idmap_next(s->groups, &at, &key, &group);)
        group_free(group);
    idmap_free(s->groups);
    s->strategy->free(s->state);
    free(s);
}

int64_t search_total(const struct search *s)
{
    return s->total;
}

bool search_foresees(const struct search *s)
{
    return !s->strategy->tell;
}

void search_repeat_of(const struct search *s, int64_t k, int64_t *group,
                      uint32_t *member)
{
    *group = (k - 1) / s->repeat;
    *member = (uint32_t)((k - 1) % s->repeat);
}

/* A point's number as the trial that is its `member`; -1 stays. */
static int64_t trial_of(const struct search *s, int64_t point, uint32_t member)
{
    return point < 1 ? point : (point - 1) * s->repeat + member + 1;
}

enum search_answer search_ask(struct search *s, int64_t k, struct arena *a,
                              struct suggestion *out, struct err *err)
{
    int64_t group;
    uint32_t member;
    if (k < 1 || (s->total >= 0 && k > s->total))
        return SEARCH_END;
    search_repeat_of(s, k, &group, &member);
    struct suggestion got = {
        .parent = -1, .parent_step = -1, .replaces = -1, .run_id = STR("")};
    enum search_answer answer =
        s->strategy->ask(s->state, group + 1, a, &got, err);
    if (answer != SEARCH_HERE)
        return answer;
    got.parent = trial_of(s, got.parent, member);
    got.replaces = trial_of(s, got.replaces, member);
    *out = got;
    return SEARCH_HERE;
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
static uint32_t members_of(const struct search *s, int64_t group)
{
    if (s->total < 0 || s->total / s->repeat > group)
        return s->repeat;
    return (uint32_t)(s->total - group * s->repeat);
}

static struct group *group_of(struct search *s, int64_t point)
{
    struct group *g = idmap_get(s->groups, (uint64_t)point);
    if (g)
        return g;
    g = xcalloc(1, sizeof(*g));
    g->members = xcalloc((s->repeat + 63) / 64, sizeof(*g->members));
    g->best = STATE_INVALID;
    g->worst = STATE_DONE;
    g->step = -1;
    idmap_set(s->groups, (uint64_t)point, g);
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
    if (r->step > g->step)
        g->step = r->step;
    if (badness(state) > badness(g->worst))
        g->worst = state;
    if (isnan(r->value))
        return;
    if (badness(state) < badness(g->best))
        g->best = state;
    g->with_value++;
    g->sum += r->value;
    add_numbers(&g->sums, &g->sum_count, r->values, r->value_count);
    add_numbers(&g->breaks, &g->break_count, r->constraints,
                r->constraint_count);
}

static void tell_group(struct search *s, int64_t point, struct group *g,
                       const struct value *at)
{
    struct result mean = {.trial = point,
                          .point = at,
                          .state = (int)(g->with_value ? g->best : g->worst),
                          .value = NAN,
                          .step = g->step};
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
    s->strategy->tell(s->state, &mean);
}

void search_tell(struct search *s, const struct result *r)
{
    int64_t index;
    uint32_t member;
    if (!s->groups || r->trial == 0)
        return;
    if (r->trial < 0) {
        s->strategy->tell(s->state, r);
        return;
    }
    search_repeat_of(s, r->trial, &index, &member);
    struct group *g = group_of(s, index + 1);
    uint64_t bit = (uint64_t)1 << (member % 64);
    if (g->told || g->members[member / 64] & bit)
        return;
    bool final = state_final((enum state)r->state);
    if (s->repeat == 1) {
        g->told = final;
        s->strategy->tell(s->state, r);
        return;
    }
    /* A paused member says nothing yet about its point. */
    if (!final)
        return;
    g->members[member / 64] |= bit;
    add_member(g, r);
    if (g->final >= members_of(s, index))
        tell_group(s, index + 1, g, r->point);
}

enum decision search_report(struct search *s, int64_t trial, int64_t step,
                            double value)
{
    if (!s->strategy->report || s->repeat > 1)
        return DECISION_CONTINUE;
    return s->strategy->report(s->state, trial, step, value);
}

const char *search_why(const struct search *s)
{
    return s->strategy->why ? s->strategy->why(s->state) : NULL;
}

int search_mean(struct search *s, int64_t trial, double *mean)
{
    int64_t group;
    uint32_t member;
    if (!s->strategy->mean || trial == 0)
        return -1;
    if (trial < 0)
        return s->strategy->mean(s->state, trial, mean);
    search_repeat_of(s, trial, &group, &member);
    return s->strategy->mean(s->state, group + 1, mean);
}
