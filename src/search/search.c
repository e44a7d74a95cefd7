/* search.c - the table of strategies, and what goes around any of them
 *
 * A strategy makes points, numbered from 1, and hears of results. Around it
 * lie, from the outside: run_cap; the order (order.h), which decides when a
 * result may be heard; early stopping (judge.h), which looks at reports;
 * and either repeat (repeat.h), which makes one result of several trials, or
 * the levels (levels.h), for samplers that know rungs. */
#include "search/search.h"

#include <math.h>
#include <stdlib.h>

#include "base/buf.h"
#include "search/judge.h"
#include "search/levels.h"
#include "search/order.h"
#include "search/repeat.h"
#include "search/strategy.h"
#include "terms/state.h"

#define STRATEGY_AT(name) &strategy_##name,
#define METHOD_AT(name) &strategy_##name.method,
#define NAME_AT(name) #name,
static const struct strategy *const strategies[] = {STRATEGIES(STRATEGY_AT)};
const struct method *const search_methods[] = {STRATEGIES(METHOD_AT) NULL};
static const char *const names[] = {STRATEGIES(NAME_AT) NULL};

struct search {
    struct search_setup setup;
    struct sampler sampler;
    int64_t total; /* trials; -1: no end */
    uint32_t repeat;
    int64_t asked;           /* suggestions so far */
    struct order *order;     /* NULL: nothing depends on results */
    struct judge *judge;     /* or NULL */
    struct repeat *repeated; /* or NULL: nobody looks at results, or … */
    struct levels *levels;   /* … it is these; or NULL */
    struct verdict verdict;  /* of the last report */
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

static bool judges(const struct search_setup *setup)
{
    return setup->early && setup->early->kind != EARLY_NONE &&
           setup->early->kind != EARLY_RULE;
}

static bool promotes(const struct search *s)
{
    return s->judge && s->setup.early->kind == EARLY_ASHA &&
           s->setup.early->promote;
}

/* Whether what makes the points wants values at the same rung. */
static bool knows_rungs(const struct search *s)
{
    const struct strategy *strategy = s->sampler.strategy;
    if (strategy->first)
        strategy = strategy->first(s->sampler.state);
    return strategy->rungs;
}

/* Early stopping and what hears of results. */
static int open_around(struct search *s, struct err *err)
{
    const struct search_setup *setup = &s->setup;
    const struct strategy *strategy = s->sampler.strategy;
    if (judges(setup) && strategy->budgets &&
        setup->early->kind == EARLY_ASHA && setup->early->promote)
        return err_set(err, ERR_INPUT,
                       "method %s says itself how far each trial goes: let "
                       "asha only stop trials, as in early_terminate: {type: "
                       "asha, promote: false}, or leave it out",
                       strategy->method.name);
    if (judges(setup))
        s->judge = judge_new(setup->early, setup->minimize, setup->pick_best,
                             setup->seed);
    if (!search_foresees(s))
        s->order = order_new(setup->order, setup->lag);
    if (!strategy->tell)
        return 0;
    if (s->judge && knows_rungs(s) && s->repeat == 1 &&
        judge_levels(s->judge)) {
        s->levels = levels_new(&s->sampler, err);
        return s->levels ? 0 : -1;
    }
    s->repeated = repeat_new(s->repeat, s->total);
    return 0;
}

struct search *search_open_strategy(const struct strategy *strategy,
                                    const struct search_setup *setup,
                                    struct err *err)
{
    struct search *s = xcalloc(1, sizeof(*s));
    s->setup = *setup;
    if (!s->setup.version)
        s->setup.version = SEARCH_VERSION;
    s->sampler.strategy = strategy;
    s->sampler.setup = &s->setup;
    s->sampler.state = strategy->open(&s->setup, err);
    if (!s->sampler.state) {
        free(s);
        return NULL;
    }
    s->repeat = setup->repeat ? setup->repeat : 1;
    s->total =
        total_of(setup, strategy_total(strategy, s->sampler.state), s->repeat);
    if (open_around(s, err)) {
        search_free(s);
        return NULL;
    }
    return s;
}

/* "random, grid or points", of all that there are. */
static void list_methods(struct buf *b)
{
    for (size_t i = 0; names[i]; i++) {
        if (i)
            buf_adds(b, names[i + 1] ? ", " : " or ");
        buf_adds(b, names[i]);
    }
}

static void refuse(const char *method, struct err *err)
{
    const char *near = str_nearest(str_of(method), names);
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
    for (size_t i = 0; i < STRATEGY_COUNT; i++)
        if (strcmp(names[i], name) == 0)
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

void search_free(struct search *s)
{
    if (!s)
        return;
    levels_free(s->levels);
    repeat_free(s->repeated);
    judge_free(s->judge);
    order_free(s->order);
    s->sampler.strategy->free(s->sampler.state);
    free(s);
}

int64_t search_total(const struct search *s)
{
    return s->total;
}

bool search_foresees(const struct search *s)
{
    if (s->sampler.strategy->tell)
        return false;
    return !s->judge || (!promotes(s) && s->setup.order == SEARCH_FREE);
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

/* ---- hearing ---------------------------------------------------------- */

static void tell_strategy(void *context, const struct result *r)
{
    struct search *s = context;
    s->sampler.strategy->tell(s->sampler.state, r);
}

/* Constraints are known when a trial ends or waits, and a strategy hears of a
 * trial once: so it hears of it then, with all there is to say, and not while
 * the trial reports. */
static bool heeds_constraints(const struct search *s)
{
    return s->setup.constraint_count && s->setup.version >= 3;
}

/* Tells the sampler what a trial has reached since it was told last. */
static void tell_levels(struct search *s, int64_t trial)
{
    size_t reached = judge_reached(s->judge, trial);
    for (size_t i = 1; i <= reached; i++)
        levels_reached(s->levels, trial, i, judge_value(s->judge, trial, i));
}

static void hear_report(struct search *s, int64_t trial)
{
    if (s->levels && s->setup.order == SEARCH_FREE && !heeds_constraints(s))
        tell_levels(s, trial);
}

/* A trial that came to its own end has its last value at all levels above;
 * above the bands of hyperband lies the end. */
static void end_levels(struct search *s, const struct result *r)
{
    size_t top = judge_levels(s->judge);
    top += s->setup.early->kind == EARLY_HYPERBAND;
    if (r->state == STATE_DONE && isfinite(r->value))
        for (size_t i = 1; i <= top; i++)
            levels_reached(s->levels, r->trial, i, r->value);
    levels_ended(s->levels, r->trial, (enum state)r->state);
}

/* A result that the next suggestion may depend on. */
static void hear(void *context, const struct result *r)
{
    struct search *s = context;
    bool final = state_final((enum state)r->state);
    struct result said = *r;
    if (s->levels) {
        if (heeds_constraints(s))
            levels_constraints(s->levels, r);
        tell_levels(s, r->trial);
        if (final)
            end_levels(s, r);
    } else if (s->repeated) {
        /* Whoever waits at a rung may wait for ever: what it reached is what
         * there is to say. */
        if (s->judge && r->state == STATE_PAUSED)
            said.state = STATE_STOPPED;
        repeat_tell(s->repeated, &said, tell_strategy, s);
    }
    if (s->judge && final)
        judge_end(s->judge, r->trial);
}

static double broken_by(const struct result *r)
{
    double sum = 0;
    for (size_t i = 0; i < r->constraint_count; i++)
        if (!(r->constraints[i] <= 0))
            sum += isnan(r->constraints[i]) ? INFINITY : r->constraints[i];
    return sum;
}

static void hear_foreign(struct search *s, const struct result *r)
{
    bool final = state_final((enum state)r->state);
    if (s->judge && final && heeds_constraints(s) && r->constraints)
        judge_broken(s->judge, r->trial, broken_by(r));
    if (s->judge && final)
        judge_end(s->judge, r->trial);
    if (s->levels)
        levels_foreign(s->levels, r);
    else if (s->repeated)
        tell_strategy(s, r);
}

void search_tell(struct search *s, const struct result *r)
{
    if (r->trial == 0)
        return;
    if (r->trial < 0) {
        hear_foreign(s, r);
        return;
    }
    bool over = r->state == STATE_PAUSED || state_final((enum state)r->state);
    if (s->judge && over && heeds_constraints(s) && r->constraints)
        judge_broken(s->judge, r->trial, broken_by(r));
    if (s->judge && r->state == STATE_PAUSED)
        judge_wait(s->judge, r->trial);
    if (s->order && over)
        order_end(s->order, r, hear, s);
    else
        hear(s, r);
}

/* ---- asking ----------------------------------------------------------- */

/* Suggestion k is a trial from now on. */
static void enter(struct search *s, int64_t k, const struct value *point)
{
    int64_t job = k;
    s->asked = k;
    if (s->order)
        job = order_job(s->order, k);
    if (s->judge)
        judge_enter(s->judge, k, job);
    if (s->levels)
        levels_asked(s->levels, k, point);
}

static bool is_ready(struct search *s)
{
    return !s->order || order_ready(s->order, hear, s);
}

enum search_answer search_ask(struct search *s, int64_t k, struct arena *a,
                              struct suggestion *out, struct err *err)
{
    int64_t group;
    uint32_t member;
    if (k < 1 || (s->total >= 0 && k > s->total))
        return SEARCH_END;
    if (k > s->asked && !is_ready(s))
        return SEARCH_WAIT;
    search_repeat_of(s, k, &group, &member);
    struct suggestion got = {.parent = -1, .replaces = -1, .run_id = STR("")};
    enum search_answer answer =
        s->sampler.strategy->ask(s->sampler.state, group + 1, a, &got, err);
    if (answer != SEARCH_HERE)
        return answer;
    if (k > s->asked)
        enter(s, k, got.point);
    got.parent = trial_of(s, got.parent, member);
    got.replaces = trial_of(s, got.replaces, member);
    if (promotes(s) && got.budget == 0)
        got.budget = judge_budget(s->judge, k);
    *out = got;
    return SEARCH_HERE;
}

/* One that the strategy itself had paused. */
static enum search_answer take_up(struct search *s, struct suggestion *out)
{
    const struct strategy *strategy = s->sampler.strategy;
    struct suggestion got = {.parent = -1, .replaces = -1, .run_id = STR("")};
    if (!strategy->promote || s->repeat > 1)
        return SEARCH_END;
    bool last = s->total >= 0 && s->asked >= s->total;
    enum search_answer answer =
        strategy->promote(s->sampler.state, last ? s->asked + 1 : 0, &got);
    if (answer != SEARCH_HERE)
        return answer;
    order_job(s->order, got.replaces);
    *out = got;
    return SEARCH_HERE;
}

enum search_answer search_promote(struct search *s, struct suggestion *out)
{
    int64_t budget;
    if (!promotes(s))
        return take_up(s, out);
    if (!is_ready(s))
        return SEARCH_WAIT;
    int64_t limit = order_limit(s->order, order_next(s->order));
    int64_t trial = judge_next(s->judge, limit, &budget);
    if (!trial)
        return SEARCH_END;
    *out = (struct suggestion){
        .parent = -1, .replaces = trial, .budget = budget, .run_id = STR("")};
    judge_promote(s->judge, trial, order_job(s->order, trial));
    return SEARCH_HERE;
}

bool search_may_promote(const struct search *s)
{
    return promotes(s) && order_out(s->order) > 0;
}

bool search_pauses(const struct search *s, int64_t trial)
{
    return s->judge && judge_pauses(s->judge, trial);
}

/* ---- reports ---------------------------------------------------------- */

/* Those that have no job (a person added them, or wants them again) are
 * compared with all that the next job may see. */
static int64_t limit_for(struct search *s, int64_t trial)
{
    if (!s->order)
        return JUDGE_ALL;
    return order_limit(s->order, judge_job(s->judge, trial));
}

enum decision search_report(struct search *s, int64_t trial, int64_t step,
                            double value)
{
    const struct strategy *strategy = s->sampler.strategy;
    s->verdict = (struct verdict){.value = value, .threshold = NAN};
    if (strategy->report && s->repeat == 1 && trial > 0) {
        s->verdict.decision =
            strategy->report(s->sampler.state, trial, step, value);
    }
    if (s->judge && s->verdict.decision == DECISION_CONTINUE) {
        int64_t next = s->order ? order_next(s->order) : 0;
        judge_begin(s->judge, trial, next);
        judge_report(s->judge, trial, step, value, limit_for(s, trial),
                     &s->verdict);
        hear_report(s, trial);
    }
    return s->verdict.decision;
}

int64_t search_decides_at(const struct search *s, int64_t trial)
{
    return s->judge ? judge_decides_at(s->judge, trial) : 0;
}

const struct verdict *search_verdict(const struct search *s)
{
    return &s->verdict;
}

void search_standing(const struct search *s, int64_t trial, struct verdict *v)
{
    *v = (struct verdict){.value = NAN, .threshold = NAN};
    if (s->judge)
        judge_standing(s->judge, trial, v);
}

/* ---- an earlier run --------------------------------------------------- */

void search_placed(struct search *s, int64_t k, const struct value *point)
{
    struct result pending = {
        .trial = k, .point = point, .state = STATE_WAITING, .value = NAN};
    if (k <= s->asked)
        return;
    is_ready(s);
    enter(s, k, point);
    if (s->sampler.strategy->told_once)
        return;
    if (s->repeated && point) {
        pending.trial = (k - 1) / s->repeat + 1;
        tell_strategy(s, &pending);
    } else if (s->levels && point) {
        tell_strategy(s, &pending);
    }
}

void search_promoted(struct search *s, int64_t trial)
{
    if (!promotes(s) && !s->sampler.strategy->promote)
        return;
    is_ready(s);
    int64_t job = order_job(s->order, trial);
    if (promotes(s))
        judge_promote(s->judge, trial, job);
}

void search_reported(struct search *s, int64_t trial, int64_t level,
                     double value)
{
    if (!s->judge)
        return;
    judge_begin(s->judge, trial, s->order ? order_next(s->order) : 0);
    judge_recount(s->judge, trial, level, value);
    hear_report(s, trial);
}

void search_judged(struct search *s, int64_t trial, struct verdict *v)
{
    *v = (struct verdict){.value = NAN, .threshold = NAN};
    if (s->judge)
        judge_again(s->judge, trial, limit_for(s, trial), v);
}

void search_anew(struct search *s, int64_t trial)
{
    if (s->judge)
        judge_anew(s->judge, trial);
}

void search_recall(struct search *s, int64_t trial, int64_t count, int64_t step,
                   double best)
{
    if (s->judge)
        judge_recall(s->judge, trial, count, step, best);
}

const char *search_why(const struct search *s)
{
    return s->sampler.strategy->why ? s->sampler.strategy->why(s->sampler.state)
                                    : NULL;
}

bool search_batches(const struct search *s, int64_t *first, int64_t *size)
{
    const struct strategy *by = s->sampler.strategy;
    int64_t repeat = s->repeat ? s->repeat : 1;
    *first = *size = 0;
    if (!by->batches || !by->batches(s->sampler.state, first, size))
        return false;
    *first *= repeat;
    *size *= repeat;
    return *size > 0;
}

int search_mean(struct search *s, int64_t trial, double *mean)
{
    int64_t group;
    uint32_t member;
    if (!s->sampler.strategy->mean || trial == 0)
        return -1;
    if (trial < 0)
        return s->sampler.strategy->mean(s->sampler.state, trial, mean);
    search_repeat_of(s, trial, &group, &member);
    return s->sampler.strategy->mean(s->sampler.state, group + 1, mean);
}
