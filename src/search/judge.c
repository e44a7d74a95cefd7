/* judge.c - early stopping that compares trials
 *
 * A table holds the trials that reached a level, best first: those that break
 * no constraint, by their values, then the others by how far they break them;
 * equal ones by trial. How far is known when a trial waits or ends; until then
 * it counts as breaking none. With asha every bracket has its own tables: a
 * trial of bracket b meets its first rung at level b. Which bracket a trial is
 * in depends on the seed and its number alone. */
#include "search/judge.h"

#include <math.h>
#include <stdlib.h>

#include "base/map.h"
#include "base/rng.h"
#include "base/vec.h"
#include "terms/early.h"

enum { LEVELS_MOST = 64 }; /* no number has more factors */

/* One trial at one level. */
struct entry {
    int64_t trial, job;
    double broken; /* how far constraints are, in all; 0: feasible */
    double loss;   /* low is good; infinite without a value */
    bool waiting;  /* at this rung */
};

struct table {
    VEC(struct entry) list;
};

/* A trial that has not ended. */
struct runner {
    int64_t job;
    int64_t count; /* logged values */
    int64_t step;  /* the last one */
    double best;   /* loss */
    double broken; /* as far as is known; all its entries have the same */
    size_t bracket;
    size_t reached;     /* levels */
    size_t rung;        /* the level that it may go to now */
    VEC(double) values; /* at each level; NaN: below the bracket's first */
};

struct judge {
    const struct early *early;
    bool minimize, best;
    uint64_t seed;
    int64_t levels[LEVELS_MOST];
    size_t level_count;
    bool endless; /* every report is a level: median */
    size_t brackets;
    VEC(struct table) tables; /* of bracket 0, then 1, …; median: by count */
    struct idmap *runners;
};

/* ---- opening ---------------------------------------------------------- */

struct judge *judge_new(const struct early *early, bool minimize, bool best,
                        uint64_t seed)
{
    struct judge *j = xcalloc(1, sizeof(*j));
    j->early = early;
    j->minimize = minimize;
    j->best = best || early->kind != EARLY_ASHA;
    j->seed = seed;
    j->endless = early->kind == EARLY_MEDIAN;
    while (j->level_count < LEVELS_MOST && early_level(early, j->level_count)) {
        j->levels[j->level_count] = early_level(early, j->level_count);
        j->level_count++;
    }
    j->brackets = 1;
    if (early->kind == EARLY_ASHA && early->brackets > 1)
        j->brackets = (size_t)early->brackets < j->level_count
                          ? (size_t)early->brackets
                          : j->level_count;
    struct table empty = {0};
    for (size_t i = 0; i < j->brackets * j->level_count; i++)
        vec_push(&j->tables, empty);
    j->runners = idmap_new();
    return j;
}

static void runner_free(struct runner *r)
{
    if (!r)
        return;
    vec_done(&r->values);
    free(r);
}

void judge_free(struct judge *j)
{
    uint64_t key;
    void *runner;
    if (!j)
        return;
    for (size_t at = 0; idmap_next(j->runners, &at, &key, &runner);)
        runner_free(runner);
    idmap_free(j->runners);
    for (size_t i = 0; i < j->tables.len; i++)
        vec_done(&j->tables.p[i].list);
    vec_done(&j->tables);
    free(j);
}

/* ---- trials ----------------------------------------------------------- */

static struct runner *runner_of(const struct judge *j, int64_t trial)
{
    return idmap_get(j->runners, (uint64_t)trial);
}

/* Hyperband gives bracket b so many trials that all brackets cost about the
 * same: eta^(levels - b) / (levels - b). */
static size_t draw_bracket(const struct judge *j, int64_t trial)
{
    double sum = 0, weights[LEVELS_MOST];
    struct rng rng;
    if (j->brackets == 1)
        return 0;
    for (size_t b = 0; b < j->brackets; b++) {
        double left = (double)(j->level_count - b);
        weights[b] = 1 / left;
        for (size_t i = b; i < j->level_count; i++)
            weights[b] *= (double)j->early->eta;
        sum += weights[b];
    }
    rng_init(&rng, j->seed, (uint64_t)trial, "bracket");
    double at = rng_uniform(&rng) * sum;
    size_t b = 0;
    while (b + 1 < j->brackets && at >= weights[b])
        at -= weights[b++];
    return b;
}

void judge_enter(struct judge *j, int64_t trial, int64_t job)
{
    struct runner *r = runner_of(j, trial);
    if (r) {
        r->job = job;
        return;
    }
    r = xcalloc(1, sizeof(*r));
    r->job = job;
    r->step = INT64_MIN;
    r->best = INFINITY;
    r->bracket = draw_bracket(j, trial);
    r->reached = r->rung = r->bracket;
    for (size_t i = 0; i < r->bracket; i++)
        vec_push(&r->values, NAN);
    idmap_set(j->runners, (uint64_t)trial, r);
}

void judge_begin(struct judge *j, int64_t trial, int64_t job)
{
    if (!runner_of(j, trial))
        judge_enter(j, trial, job);
}

int64_t judge_job(const struct judge *j, int64_t trial)
{
    const struct runner *r = runner_of(j, trial);
    return r ? r->job : 0;
}

/* Only suggested trials climb: what a person adds is wanted to its end. */
static bool climbs(const struct judge *j, int64_t trial)
{
    return j->early->kind == EARLY_ASHA && j->early->promote && trial > 0;
}

int64_t judge_budget(const struct judge *j, int64_t trial)
{
    const struct runner *r = runner_of(j, trial);
    return r && climbs(j, trial) ? j->levels[r->rung] : 0;
}

void judge_recall(struct judge *j, int64_t trial, int64_t count, int64_t step,
                  double best)
{
    struct runner *r = runner_of(j, trial);
    double loss = j->minimize ? best : -best;
    if (!r)
        return;
    r->count = count;
    r->step = step;
    r->best = isnan(loss) ? INFINITY : loss;
}

void judge_end(struct judge *j, int64_t trial)
{
    struct runner *r = idmap_del(j->runners, (uint64_t)trial);
    if (r && climbs(j, trial))
        for (size_t i = r->bracket; i < r->reached; i++) {
            struct table *t = &j->tables.p[r->bracket * j->level_count + i];
            for (size_t k = 0; k < t->list.len; k++)
                if (t->list.p[k].trial == trial)
                    t->list.p[k].waiting = false;
        }
    runner_free(r);
}

size_t judge_levels(const struct judge *j)
{
    return j->level_count;
}

size_t judge_reached(const struct judge *j, int64_t trial)
{
    const struct runner *r = runner_of(j, trial);
    return r ? r->reached : 0;
}

double judge_value(const struct judge *j, int64_t trial, size_t level)
{
    const struct runner *r = runner_of(j, trial);
    if (!r || level < 1 || level > r->values.len)
        return NAN;
    double loss = r->values.p[level - 1];
    return j->minimize ? loss : -loss;
}

/* ---- tables ----------------------------------------------------------- */

static struct table *table_at(const struct judge *j, const struct runner *r,
                              size_t level)
{
    if (j->endless)
        return &j->tables.p[level];
    return &j->tables.p[r->bracket * j->level_count + level];
}

static bool before(const struct entry *a, const struct entry *b)
{
    if (a->broken != b->broken)
        return a->broken < b->broken;
    return a->loss != b->loss ? a->loss < b->loss : a->trial < b->trial;
}

/* The place where an entry stands, or belongs. */
static size_t place_of(const struct table *t, const struct entry *e)
{
    size_t low = 0, high = t->list.len;
    while (low < high) {
        size_t middle = (low + high) / 2;
        if (before(&t->list.p[middle], e))
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static void table_add(struct table *t, struct entry e)
{
    size_t at = place_of(t, &e);
    if (at < t->list.len && t->list.p[at].trial == e.trial)
        return;
    vec_push(&t->list, e);
    memmove(t->list.p + at + 1, t->list.p + at,
            (t->list.len - 1 - at) * sizeof(e));
    t->list.p[at] = e;
}

static bool visible(const struct entry *e, int64_t trial, int64_t limit)
{
    return e->job < limit || e->trial == trial;
}

static int64_t count_visible(const struct table *t, int64_t trial,
                             int64_t limit)
{
    int64_t count = 0;
    if (limit == JUDGE_ALL)
        return (int64_t)t->list.len;
    for (size_t i = 0; i < t->list.len; i++)
        count += visible(&t->list.p[i], trial, limit);
    return count;
}

/* Entry `index` of those that may be seen. */
static const struct entry *nth_visible(const struct table *t, int64_t index,
                                       int64_t trial, int64_t limit)
{
    if (limit == JUDGE_ALL)
        return &t->list.p[index];
    for (size_t i = 0; i < t->list.len; i++)
        if (visible(&t->list.p[i], trial, limit) && index-- == 0)
            return &t->list.p[i];
    return &vec_last(&t->list);
}

/* ---- judging ---------------------------------------------------------- */

static double shown(const struct judge *j, double loss)
{
    return j->minimize ? loss : -loss;
}

/* Is the runner, at a level that it has reached, worse than the entry? */
static bool is_behind(const struct runner *r, size_t level,
                      const struct entry *e)
{
    if (r->broken != e->broken)
        return r->broken > e->broken;
    return r->values.p[level] > e->loss;
}

/* W&B's rule: worse than the entry number n / eta stops. */
static bool stops_at_band(struct judge *j, int64_t trial,
                          const struct runner *r, size_t level, int64_t limit,
                          struct verdict *v)
{
    const struct table *t = table_at(j, r, level);
    int64_t n = count_visible(t, trial, limit);
    const struct entry *e = nth_visible(t, n / j->early->eta, trial, limit);
    v->level = j->levels[level];
    v->among = n;
    v->value = shown(j, r->values.p[level]);
    v->threshold = shown(j, e->loss);
    return is_behind(r, level, e);
}

static void judge_hyperband(struct judge *j, int64_t trial,
                            const struct runner *r, size_t level, int64_t limit,
                            struct verdict *v)
{
    size_t first = j->early->strict ? 0 : level;
    for (size_t i = first; i <= level; i++)
        if (stops_at_band(j, trial, r, i, limit, v)) {
            v->decision = DECISION_STOP;
            return;
        }
}

/* Of n at a rung the best n / eta go on, and the first to get there does. */
static void judge_rung(struct judge *j, int64_t trial, const struct runner *r,
                       size_t level, int64_t limit, struct verdict *v)
{
    const struct table *t = table_at(j, r, level);
    int64_t n = count_visible(t, trial, limit);
    int64_t keep = n / j->early->eta > 0 ? n / j->early->eta : 1;
    const struct entry *last = nth_visible(t, keep - 1, trial, limit);
    v->among = n;
    v->threshold = shown(j, last->loss);
    if (level + 1 >= j->level_count || climbs(j, trial) || trial < 0)
        return;
    if (is_behind(r, level, last))
        v->decision = DECISION_STOP;
}

/* What breaks constraints has no value that others could be measured by. */
static double usable_loss(const struct entry *e)
{
    return e->broken > 0 ? INFINITY : e->loss;
}

/* Worse than the percentile of the others, linear between two of them. */
static void judge_median(struct judge *j, int64_t trial, const struct runner *r,
                         size_t level, int64_t limit, struct verdict *v)
{
    const struct table *t = table_at(j, r, level);
    VEC(double) others = {0};
    for (size_t i = 0; i < t->list.len; i++)
        if (t->list.p[i].trial != trial && visible(&t->list.p[i], trial, limit))
            vec_push(&others, usable_loss(&t->list.p[i]));
    int64_t needed = j->early->warmup_trials;
    v->among = (int64_t)others.len + 1;
    if (others.len && (int64_t)others.len >= needed &&
        r->count > j->early->warmup_steps) {
        double at = j->early->percentile / 100 * (double)(others.len - 1);
        size_t low = (size_t)at;
        double limit_loss = others.p[low];
        if (at > (double)low && isfinite(others.p[low + 1]))
            limit_loss += (at - (double)low) * (others.p[low + 1] - limit_loss);
        v->threshold = shown(j, limit_loss);
        if ((r->broken > 0 ? INFINITY : r->values.p[level]) > limit_loss)
            v->decision = DECISION_STOP;
    }
    vec_done(&others);
}

/* Low is good; what is not finite is worse than anything. */
static double loss_of(const struct judge *j, double value)
{
    return !isfinite(value) ? INFINITY : j->minimize ? value : -value;
}

/* The runner has made as many reports as its next level wants. */
static void reach(struct judge *j, int64_t trial, struct runner *r, double loss)
{
    struct entry e = {
        .trial = trial, .job = r->job, .broken = r->broken, .loss = loss};
    struct table empty = {0};
    while (j->endless && j->tables.len <= r->reached)
        vec_push(&j->tables, empty);
    vec_push(&r->values, e.loss);
    table_add(table_at(j, r, r->reached), e);
    r->reached++;
}

static void judge_at(struct judge *j, int64_t trial, const struct runner *r,
                     size_t level, int64_t limit, struct verdict *v)
{
    v->value = shown(j, r->values.p[level]);
    if (j->early->kind == EARLY_HYPERBAND)
        judge_hyperband(j, trial, r, level, limit, v);
    else if (j->early->kind == EARLY_ASHA)
        judge_rung(j, trial, r, level, limit, v);
    else
        judge_median(j, trial, r, level, limit, v);
}

static bool at_level(const struct judge *j, const struct runner *r)
{
    if (j->endless)
        return true;
    return r->reached < j->level_count && r->count == j->levels[r->reached];
}

void judge_report(struct judge *j, int64_t trial, int64_t step, double value,
                  int64_t limit, struct verdict *v)
{
    struct runner *r = runner_of(j, trial);
    double loss = loss_of(j, value);
    *v = (struct verdict){.value = value, .threshold = NAN};
    if (!r || step <= r->step)
        return;
    r->step = step;
    r->count++;
    if (loss < r->best)
        r->best = loss;
    v->level = r->count;
    if (climbs(j, trial) && r->count > j->levels[r->rung])
        v->decision = DECISION_PAUSE;
    if (!at_level(j, r))
        return;
    size_t level = r->reached;
    reach(j, trial, r, j->best ? r->best : loss);
    v->counted = true;
    judge_at(j, trial, r, level, limit, v);
}

/* The number of the first report behind `count` that is judged; 0: none. What
 * waits at a rung comes to its end there by itself. */
static int64_t next_judged(const struct judge *j, int64_t trial, int64_t count,
                           size_t reached)
{
    bool asha = j->early->kind == EARLY_ASHA;
    int64_t warm = j->early->warmup_steps;
    if (j->endless)
        return (count > warm ? count : warm) + 1;
    if (reached + asha >= j->level_count || (asha && trial < 0) ||
        climbs(j, trial) || j->levels[reached] <= count)
        return 0;
    return j->levels[reached];
}

int64_t judge_decides_at(const struct judge *j, int64_t trial)
{
    const struct runner *r = runner_of(j, trial);
    int64_t count = r ? r->count : 0;
    int64_t next = next_judged(j, trial, count, r ? r->reached : 0);
    int64_t step = r && r->step > 0 ? r->step : 0;
    return next ? step + next - count : 0;
}

void judge_recount(struct judge *j, int64_t trial, int64_t level, double value)
{
    struct runner *r = runner_of(j, trial);
    double loss = loss_of(j, value);
    if (!r || level <= r->count)
        return;
    r->count = level;
    if (loss < r->best)
        r->best = loss;
    if (at_level(j, r))
        reach(j, trial, r, loss);
}

void judge_again(struct judge *j, int64_t trial, int64_t limit,
                 struct verdict *v)
{
    const struct runner *r = runner_of(j, trial);
    if (!r || r->reached <= r->bracket || r->values.len < r->reached)
        return;
    v->level = r->count;
    judge_at(j, trial, r, r->reached - 1, limit, v);
}

void judge_standing(const struct judge *j, int64_t trial, struct verdict *v)
{
    const struct runner *r = runner_of(j, trial);
    if (!r || r->reached == 0 || r->values.len < r->reached)
        return;
    size_t level = r->reached - 1;
    const struct table *t = table_at(j, r, level);
    int64_t n = (int64_t)t->list.len;
    bool asha = j->early->kind == EARLY_ASHA;
    int64_t at = asha ? (n / j->early->eta > 0 ? n / j->early->eta - 1 : 0)
                      : n / (j->early->eta > 0 ? j->early->eta : 2);
    v->level = j->endless ? r->count : j->levels[level];
    v->value = shown(j, r->values.p[level]);
    v->among = n;
    if (n)
        v->threshold = shown(j, t->list.p[at < n ? at : n - 1].loss);
}

/* ---- rungs ------------------------------------------------------------ */

bool judge_pauses(const struct judge *j, int64_t trial)
{
    const struct runner *r = runner_of(j, trial);
    return r && climbs(j, trial) && r->reached > r->rung &&
           r->rung + 1 < j->level_count;
}

/* That of a trial at a level which it has reached. */
static struct entry *entry_of(const struct judge *j, const struct runner *r,
                              int64_t trial, size_t level)
{
    struct table *t = table_at(j, r, level);
    struct entry probe = {
        .trial = trial, .broken = r->broken, .loss = r->values.p[level]};
    size_t at = place_of(t, &probe);
    return at < t->list.len && t->list.p[at].trial == trial ? &t->list.p[at]
                                                            : NULL;
}

static void leave_tables(struct judge *j, const struct runner *r, int64_t trial)
{
    for (size_t level = r->bracket; level < r->reached; level++) {
        struct table *t = table_at(j, r, level);
        struct entry *e = entry_of(j, r, trial, level);
        if (!e)
            continue;
        size_t behind = t->list.len - (size_t)(e - t->list.p) - 1;
        memmove(e, e + 1, behind * sizeof(*e));
        t->list.len--;
    }
}

void judge_anew(struct judge *j, int64_t trial)
{
    struct runner *r = runner_of(j, trial);
    if (!r)
        return;
    r->count = 0;
    r->step = INT64_MIN;
    r->best = INFINITY;
    if (!j->endless)
        return;
    leave_tables(j, r, trial);
    r->reached = r->bracket;
    r->values.len = r->bracket;
}

void judge_broken(struct judge *j, int64_t trial, double broken)
{
    struct runner *r = runner_of(j, trial);
    double before_that = r ? r->broken : 0;
    if (!r || before_that == broken)
        return;
    for (size_t level = r->bracket; level < r->reached; level++) {
        struct table *t = table_at(j, r, level);
        r->broken = before_that;
        struct entry *found = entry_of(j, r, trial, level);
        if (!found)
            continue;
        struct entry e = *found;
        size_t behind = t->list.len - (size_t)(found - t->list.p) - 1;
        memmove(found, found + 1, behind * sizeof(*found));
        t->list.len--;
        e.broken = broken;
        table_add(t, e);
    }
    r->broken = broken;
}

void judge_wait(struct judge *j, int64_t trial)
{
    struct runner *r = runner_of(j, trial);
    if (!r || !judge_pauses(j, trial))
        return;
    struct entry *e = entry_of(j, r, trial, r->rung);
    if (e)
        e->waiting = true;
}

/* The best of a rung that waits and is among the best 1 / eta. */
static int64_t first_waiting(const struct judge *j, const struct table *t,
                             int64_t limit)
{
    int64_t keep = count_visible(t, 0, limit) / j->early->eta;
    for (size_t i = 0; i < t->list.len && keep > 0; i++) {
        const struct entry *e = &t->list.p[i];
        if (!visible(e, 0, limit))
            continue;
        if (e->waiting)
            return e->trial;
        keep--;
    }
    return 0;
}

int64_t judge_next(const struct judge *j, int64_t limit, int64_t *budget)
{
    if (j->early->kind != EARLY_ASHA || !j->early->promote)
        return 0;
    for (size_t level = j->level_count; level-- > 0;)
        for (size_t b = 0; b < j->brackets && b <= level; b++) {
            size_t at = b * j->level_count + level;
            int64_t trial = first_waiting(j, &j->tables.p[at], limit);
            if (trial && level + 1 < j->level_count) {
                *budget = j->levels[level + 1];
                return trial;
            }
        }
    return 0;
}

void judge_promote(struct judge *j, int64_t trial, int64_t job)
{
    struct runner *r = runner_of(j, trial);
    if (!r || r->rung + 1 >= j->level_count)
        return;
    if (r->rung < r->values.len) {
        struct entry *e = entry_of(j, r, trial, r->rung);
        if (e)
            e->waiting = false;
    }
    r->rung++;
    r->job = job;
}
