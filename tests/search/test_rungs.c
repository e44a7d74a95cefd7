/* test_rungs.c - orders and early stopping around a strategy
 *
 *     test_search_rungs [STEP [METHOD]]
 *     test_search_rungs methods
 *
 * Searches go on after every STEP-th prefix of a run's calls (37). */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/rng.h"
#include "search/judge.h"
#include "search/levels.h"
#include "any_space.h"
#include "mixed_space.h"

static struct search *open_with(const char *method, enum search_order order,
                                const struct early *early)
{
    struct search_setup given = {.space = &space,
                                 .run_cap = 100000,
                                 .seed = 4,
                                 .minimize = true,
                                 .order = order,
                                 .lag = 5,
                                 .early = early};
    struct err err = {0};
    struct search *s = search_open(method, &given, &err);
    if (!s)
        fail_msg("%s: %s", method, err.text);
    return s;
}

static struct value *ask(struct search *s, int64_t k)
{
    struct suggestion got;
    struct err err = {0};
    if (search_ask(s, k, arena, &got, &err) != SEARCH_HERE)
        fail_msg("no point %lld: %s", (long long)k, err.text);
    return got.point;
}

static void tell(struct search *s, int64_t k, const struct value *point,
                 enum state state, double value)
{
    struct result r = {
        .trial = k, .point = point, .state = (int)state, .value = value};
    search_tell(s, &r);
}

static const char *text_of(const struct value *v)
{
    struct buf b;
    buf_init(&b);
    json_print_sorted(&b, v);
    const char *text = arena_cstr(arena, buf_str(&b));
    buf_done(&b);
    return text;
}

/* ---- going on ---------------------------------------------------------- */

enum { TRIALS = 60, MOST_OUT = 6 };

static size_t prefix_step = 37;
static const char *only;
/* What was asked and told, in order: k asked, or -k told. */
struct tape {
    int64_t calls[2 * TRIALS];
    size_t count;
    struct value *points[TRIALS + 1];
};

static double value_of(int64_t k)
{
    struct rng rng;
    rng_init(&rng, 9, (uint64_t)k, "value");
    return rng_uniform(&rng);
}

static enum state state_of(int64_t k)
{
    return k % 11 == 0 ? STATE_FAILED : STATE_DONE;
}

static void tell_on(struct search *s, const struct tape *t, int64_t k)
{
    tell(s, k, t->points[k], state_of(k),
         state_of(k) == STATE_DONE ? value_of(k) : NAN);
}

/* A run in which up to MOST_OUT trials are out and end in any order. */
static void record(struct search *s, struct tape *t)
{
    int64_t out[MOST_OUT], asked = 0;
    size_t count = 0;
    struct rng rng;
    rng_init(&rng, 1, 2, "run");
    while (asked < TRIALS) {
        if (count < MOST_OUT && (count == 0 || rng_uniform(&rng) < 0.55)) {
            struct suggestion got;
            enum search_answer answer =
                search_ask(s, asked + 1, arena, &got, NULL);
            if (answer == SEARCH_HERE) {
                t->points[++asked] = got.point;
                t->calls[t->count++] = out[count++] = asked;
                continue;
            }
        }
        size_t which = (size_t)rng_below(&rng, count);
        int64_t k = out[which];
        out[which] = out[--count];
        t->calls[t->count++] = -k;
        tell_on(s, t, k);
    }
}

/* A search that is told of the first calls, and asked the rest, suggests the
 * same points. */
static void goes_on_after(const char *method, enum search_order order,
                          const struct tape *t, size_t prefix)
{
    struct search *s = open_with(method, order, NULL);
    for (size_t i = 0; i < t->count; i++) {
        int64_t k = t->calls[i];
        if (k < 0)
            tell_on(s, t, -k);
        else if (i < prefix)
            search_placed(s, k, t->points[k]);
        else if (strcmp(text_of(ask(s, k)), text_of(t->points[k])))
            fail_msg("%s after %zu calls: trial %lld is another", method,
                     prefix, (long long)k);
    }
    search_free(s);
}

static void goes_on(const char *method, enum search_order order)
{
    struct tape t = {0};
    struct search *s = open_with(method, order, NULL);
    record(s, &t);
    search_free(s);
    for (size_t prefix = 0; prefix <= t.count; prefix += prefix_step)
        goes_on_after(method, order, &t, prefix);
}

static void a_search_goes_on_after_any_prefix(void **state)
{
    (void)state;
    for (size_t m = 0; method_at(m); m++)
        for (int order = SEARCH_FREE; order <= SEARCH_BATCH; order++)
            if (!only || strcmp(method_at(m), only) == 0)
                goes_on(method_at(m), (enum search_order)order);
}

/* ---- going on at rungs ---------------------------------------------------
 * The same with early stopping that promotes: reports, pauses and
 * continuations are calls too. */

enum { CLIMBERS = 40, CALLS = CLIMBERS * 12 };
enum kind { ASKED, PROMOTED, REPORTED, TOLD };

struct call {
    enum kind kind;
    int64_t k, step; /* step: of a report; of a promotion the budget */
    int state;
    double value;
    enum decision said;
    int64_t level; /* of a report that counts; else 0 */
};

struct climb_tape {
    struct call calls[CALLS];
    size_t count;
    struct value *points[CLIMBERS + 1];
    int64_t steps[CLIMBERS + 1], budgets[CLIMBERS + 1];
    int64_t out[MOST_OUT];
    size_t out_count;
};

static const struct early ladder = {.kind = EARLY_ASHA,
                                    .min_iter = 1,
                                    .max_iter = 9,
                                    .eta = 3,
                                    .brackets = 1,
                                    .promote = true};

static double height_of(int64_t k, int64_t step)
{
    return value_of(k) + 1 / (double)(step + 1);
}

/* A trial that goes on, or else a new one; false when it must wait. */
static bool begin_one(struct search *s, struct climb_tape *t, int64_t *asked)
{
    struct suggestion got;
    struct call call = {.kind = PROMOTED};
    enum search_answer answer = search_promote(s, &got);
    if (answer == SEARCH_HERE) {
        call.k = got.replaces;
    } else {
        if (answer == SEARCH_WAIT ||
            search_ask(s, *asked + 1, arena, &got, NULL) != SEARCH_HERE)
            return false;
        call.k = ++*asked;
        call.kind = ASKED;
        t->points[call.k] = got.point;
    }
    call.step = t->budgets[call.k] = got.budget;
    t->calls[t->count++] = call;
    t->out[t->out_count++] = call.k;
    return true;
}

/* One step of a trial that is out, and its end when it has made them all. */
static void step_one(struct search *s, struct climb_tape *t, size_t which)
{
    int64_t k = t->out[which], step = ++t->steps[k];
    struct call call = {
        .kind = REPORTED, .k = k, .step = step, .value = height_of(k, step)};
    call.said = search_report(s, k, step, call.value);
    if (search_verdict(s)->counted)
        call.level = search_verdict(s)->level;
    t->calls[t->count++] = call;
    if (call.said == DECISION_CONTINUE && step < t->budgets[k])
        return;
    call.kind = TOLD;
    call.state = call.said == DECISION_STOP ? STATE_STOPPED
                 : search_pauses(s, k)      ? STATE_PAUSED
                                            : STATE_DONE;
    tell(s, k, t->points[k], (enum state)call.state, call.value);
    t->calls[t->count++] = call;
    t->out[which] = t->out[--t->out_count];
}

static void record_climb(struct search *s, struct climb_tape *t)
{
    int64_t asked = 0;
    struct rng rng;
    rng_init(&rng, 3, 2, "climb");
    while (asked < CLIMBERS && t->count + 2 < CALLS) {
        bool may = t->out_count < MOST_OUT &&
                   (!t->out_count || rng_uniform(&rng) < 0.5);
        if (may && begin_one(s, t, &asked))
            continue;
        step_one(s, t, (size_t)rng_below(&rng, t->out_count));
    }
}

static void repeat_call(struct search *s, const struct climb_tape *t,
                        const struct call *c)
{
    if (c->kind == ASKED)
        search_placed(s, c->k, t->points[c->k]);
    else if (c->kind == PROMOTED)
        search_promoted(s, c->k);
    else if (c->kind == TOLD)
        tell(s, c->k, t->points[c->k], (enum state)c->state, c->value);
    else if (c->level)
        search_reported(s, c->k, c->level, c->value);
}

/* What trials had reported that have not come to their end. */
static void recall_open(struct search *s, const struct climb_tape *t,
                        size_t prefix)
{
    int64_t steps[CLIMBERS + 1] = {0};
    bool over[CLIMBERS + 1] = {false};
    for (size_t i = 0; i < prefix; i++) {
        const struct call *c = &t->calls[i];
        if (c->kind == REPORTED)
            steps[c->k] = c->step;
        over[c->k] |= c->kind == TOLD && c->state != STATE_PAUSED;
    }
    for (int64_t k = 1; k <= CLIMBERS; k++)
        if (steps[k] && !over[k])
            search_recall(s, k, steps[k], steps[k], height_of(k, steps[k]));
}

/* True when the search does what it did then. */
static bool does_again(struct search *s, const struct climb_tape *t,
                       const struct call *c)
{
    struct suggestion got;
    if (c->kind == TOLD) {
        repeat_call(s, t, c);
        return true;
    }
    if (c->kind == REPORTED)
        return search_report(s, c->k, c->step, c->value) == c->said;
    enum search_answer promoted = search_promote(s, &got);
    if (c->kind == PROMOTED)
        return promoted == SEARCH_HERE && got.replaces == c->k &&
               got.budget == c->step;
    return promoted == SEARCH_END &&
           search_ask(s, c->k, arena, &got, NULL) == SEARCH_HERE &&
           got.budget == c->step &&
           strcmp(text_of(got.point), text_of(t->points[c->k])) == 0;
}

static void climbs_on_after(const char *method, enum search_order order,
                            const struct climb_tape *t, size_t prefix)
{
    struct search *s = open_with(method, order, &ladder);
    for (size_t i = 0; i < prefix; i++)
        repeat_call(s, t, &t->calls[i]);
    recall_open(s, t, prefix);
    for (size_t i = prefix; i < t->count; i++)
        if (!does_again(s, t, &t->calls[i]))
            fail_msg("%s, order %d, after %zu calls: call %zu is another",
                     method, (int)order, prefix, i);
    search_free(s);
}

static void climbs_on(const char *method, enum search_order order)
{
    static struct climb_tape t;
    memset(&t, 0, sizeof(t));
    struct search *s = open_with(method, order, &ladder);
    record_climb(s, &t);
    search_free(s);
    size_t promoted = 0;
    for (size_t i = 0; i < t.count; i++)
        promoted += t.calls[i].kind == PROMOTED;
    assert_true(promoted > CLIMBERS / 8);
    for (size_t prefix = 0; prefix <= t.count; prefix += prefix_step)
        climbs_on_after(method, order, &t, prefix);
}

/* Methods that say themselves how far a trial goes have no rungs. */
static void a_search_climbs_on_after_any_prefix(void **state)
{
    (void)state;
    for (size_t m = 0; method_at(m); m++)
        for (int order = SEARCH_FREE; order <= SEARCH_BATCH; order++)
            if ((!only || strcmp(method_at(m), only) == 0) &&
                strcmp(method_at(m), "pbt") != 0)
                climbs_on(method_at(m), (enum search_order)order);
}

/* ---- rungs -------------------------------------------------------------- */

static const struct early rungs = {.kind = EARLY_ASHA,
                                   .min_iter = 1,
                                   .max_iter = 4,
                                   .eta = 2,
                                   .brackets = 1,
                                   .promote = true};

/* A worker that died may have said what its successor says again. */
static void what_was_heard_before_a_crash_does_not_count_again(void **state)
{
    (void)state;
    struct suggestion got;
    struct search *s = open_with("random", SEARCH_FREE, &rungs);
    assert_int_equal(search_ask(s, 1, arena, &got, NULL), SEARCH_HERE);
    search_free(s);
    s = open_with("random", SEARCH_FREE, &rungs);
    search_placed(s, 1, got.point);
    search_reported(s, 1, 1, 0.5);
    search_recall(s, 1, 1, 1, 0.5);
    assert_int_equal(search_report(s, 1, 1, 0.5), DECISION_CONTINUE);
    assert_int_equal(search_report(s, 1, 2, 0.5), DECISION_PAUSE);
    search_free(s);
}

/* What was decided at a rung is not decided again; behind it all that counts
 * is what the attempt says that began anew. */
static void a_rung_is_decided_once_though_the_trial_begins_anew(void **state)
{
    (void)state;
    const struct early early = {.kind = EARLY_ASHA,
                                .min_iter = 2,
                                .max_iter = 9,
                                .eta = 2,
                                .brackets = 1};
    struct suggestion got;
    struct search *s = open_with("random", SEARCH_FREE, &early);
    for (int64_t k = 1; k <= 2; k++)
        assert_int_equal(search_ask(s, k, arena, &got, NULL), SEARCH_HERE);
    for (int64_t step = 1; step <= 3; step++)
        search_report(s, 1, step, 5);
    search_report(s, 2, 1, 1);
    search_report(s, 2, 2, 1);
    search_report(s, 2, 3, 0);
    search_anew(s, 2);
    for (int64_t step = 1; step <= 3; step++) {
        assert_int_equal(search_report(s, 2, step, 9), DECISION_CONTINUE);
        assert_false(search_verdict(s)->counted);
    }
    search_report(s, 1, 4, 5);
    assert_int_equal(search_report(s, 2, 4, 9), DECISION_STOP);
    assert_true(search_verdict(s)->value == 9);
    search_free(s);
}

/* Nobody is measured by what an attempt reported before one that began anew. */
static void median_forgets_what_was_begun_anew(void **state)
{
    (void)state;
    const struct early early = {
        .kind = EARLY_MEDIAN, .percentile = 50, .warmup_trials = 1};
    struct suggestion got;
    struct search *s = open_with("random", SEARCH_FREE, &early);
    for (int64_t k = 1; k <= 3; k++)
        assert_int_equal(search_ask(s, k, arena, &got, NULL), SEARCH_HERE);
    search_report(s, 1, 1, 1);
    search_report(s, 1, 2, 1);
    assert_int_equal(search_report(s, 2, 1, 8), DECISION_STOP);
    search_anew(s, 1);
    search_report(s, 1, 1, 9);
    assert_int_equal(search_report(s, 3, 1, 8), DECISION_CONTINUE);
    assert_int_equal(search_verdict(s)->among, 3);
    search_free(s);
}

/* Whoever waits for an answer there, and only there, misses none. */
static void no_decision_comes_before_its_step(void **state)
{
    (void)state;
    const struct early kinds[] = {
        {.kind = EARLY_HYPERBAND, .min_iter = 2, .eta = 3},
        {.kind = EARLY_HYPERBAND, .min_iter = 3, .eta = 2, .strict = true},
        {.kind = EARLY_MEDIAN, .percentile = 50, .warmup_steps = 3},
        {.kind = EARLY_ASHA,
         .min_iter = 1,
         .max_iter = 9,
         .eta = 3,
         .brackets = 2}};
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        struct search *s = open_with("random", SEARCH_FREE, &kinds[i]);
        int stops = 0, awaited = 0;
        for (int64_t k = -2; k <= 30; k++) {
            struct suggestion got;
            if (k > 0)
                search_ask(s, k, arena, &got, NULL);
            for (int64_t step = 1; k && step <= 20; step++) {
                int64_t at = search_decides_at(s, k);
                double value = (double)((k * 7 + step * step + 99) % 13);
                awaited += at && step >= at;
                if (search_report(s, k, step, value) == DECISION_CONTINUE)
                    continue;
                assert_true(at && step >= at);
                stops++;
                break;
            }
        }
        assert_true(stops > 0);
        assert_true(awaited < (kinds[i].kind == EARLY_MEDIAN ? 660 : 160));
        search_free(s);
    }
}

/* Trains trial k to `budget`; its value is a, less for each step. */
static void climb(struct search *s, int64_t k, const struct value *point,
                  int64_t from, int64_t budget, double a)
{
    for (int64_t step = from + 1; step <= budget; step++)
        assert_int_equal(search_report(s, k, step, a - (double)step),
                         DECISION_CONTINUE);
    tell(s, k, point, search_pauses(s, k) ? STATE_PAUSED : STATE_DONE,
         a - (double)budget);
}

static void the_best_half_of_a_rung_goes_on(void **state)
{
    (void)state;
    struct search *s = open_with("random", SEARCH_FREE, &rungs);
    struct value *points[5];
    struct suggestion got;
    struct err err = {0};
    for (int64_t k = 1; k <= 4; k++) {
        assert_int_equal(search_ask(s, k, arena, &got, &err), SEARCH_HERE);
        assert_int_equal(got.budget, 1);
        points[k] = got.point;
    }
    assert_int_equal(search_promote(s, &got), SEARCH_END);
    assert_true(search_may_promote(s));
    static const double level[] = {0, 13, 11, 12, 14};
    for (int64_t k = 1; k <= 4; k++)
        climb(s, k, points[k], 0, 1, level[k]);
    assert_int_equal(search_promote(s, &got), SEARCH_HERE);
    assert_int_equal(got.replaces, 2);
    assert_int_equal(got.budget, 2);
    assert_int_equal(search_promote(s, &got), SEARCH_HERE);
    assert_int_equal(got.replaces, 3);
    assert_int_equal(search_promote(s, &got), SEARCH_END);
    climb(s, 3, points[3], 1, 2, 12);
    climb(s, 2, points[2], 1, 2, 11);
    /* The highest rung first, and from it the best. */
    assert_int_equal(search_promote(s, &got), SEARCH_HERE);
    assert_int_equal(got.replaces, 2);
    assert_int_equal(got.budget, 4);
    climb(s, 2, points[2], 2, 4, 11);
    assert_int_equal(search_promote(s, &got), SEARCH_END);
    assert_false(search_may_promote(s));
    struct verdict v;
    search_standing(s, 3, &v);
    assert_int_equal(v.level, 2);
    assert_true(v.value == 10 && v.threshold == 9 && v.among == 2);
    search_free(s);
}

static void what_is_not_finite_is_the_worst_at_a_rung(void **state)
{
    static const double odd[] = {NAN, INFINITY, -INFINITY};
    (void)state;
    for (size_t i = 0; i < 3; i++) {
        struct search *s = open_with("random", SEARCH_FREE, &rungs);
        struct suggestion got;
        struct value *one = ask(s, 1), *two = ask(s, 2);
        climb(s, 1, one, 0, 1, odd[i]);
        climb(s, 2, two, 0, 1, 1e300);
        assert_int_equal(search_promote(s, &got), SEARCH_HERE);
        assert_int_equal(got.replaces, 2);
        search_free(s);
    }
}

/* ---- constraints ------------------------------------------------------- */

static struct search *open_bound(const struct early *early, int64_t version)
{
    struct search_setup given = {.space = &space,
                                 .seed = 4,
                                 .version = version,
                                 .minimize = true,
                                 .constraint_count = 2,
                                 .early = early};
    struct search *s = search_open("random", &given, NULL);
    assert_non_null(s);
    return s;
}

static void tell_broken(struct search *s, int64_t k, const struct value *point,
                        enum state state, double value, double by)
{
    double broken[2] = {-1, by};
    struct result r = {.trial = k,
                       .point = point,
                       .state = (int)state,
                       .value = value,
                       .constraints = broken,
                       .constraint_count = 2};
    search_tell(s, &r);
}

/* Who is promoted of six, the last of whom is the best by value. */
static void promoted_of_six(const double *by, int64_t version,
                            const int64_t *expected)
{
    struct search *s = open_bound(&rungs, version);
    struct suggestion got;
    struct value *points[7];
    for (int64_t k = 1; k <= 6; k++)
        points[k] = ask(s, k);
    for (int64_t k = 1; k <= 6; k++) {
        search_report(s, k, 1, (double)(10 - k));
        tell_broken(s, k, points[k], STATE_PAUSED, (double)(10 - k), by[k]);
    }
    for (size_t i = 0; i < 3; i++) {
        assert_int_equal(search_promote(s, &got), SEARCH_HERE);
        assert_int_equal(got.replaces, expected[i]);
    }
    assert_int_equal(search_promote(s, &got), SEARCH_END);
    search_free(s);
}

/* As `rank` does: first what keeps the constraints, then who breaks them
 * least. A study that began before goes on as it did. */
static void what_breaks_constraints_is_promoted_last(void **state)
{
    static const double some[] = {0, 0, -1, 0.5, 2, -2, NAN},
                        all[] = {0, 3, 1, 2, 5, 4, NAN};
    (void)state;
    promoted_of_six(some, SEARCH_VERSION, (int64_t[]){5, 2, 1});
    promoted_of_six(all, SEARCH_VERSION, (int64_t[]){2, 3, 1});
    promoted_of_six(some, 2, (int64_t[]){6, 5, 4});
}

/* One that ended well but breaks a constraint measures nobody. */
static void nobody_is_stopped_for_what_breaks_constraints(void **state)
{
    static const struct early kinds[] = {
        {.kind = EARLY_HYPERBAND, .min_iter = 1, .eta = 2},
        {.kind = EARLY_ASHA,
         .min_iter = 1,
         .max_iter = 4,
         .eta = 2,
         .brackets = 1},
        {.kind = EARLY_MEDIAN, .percentile = 50, .warmup_trials = 2}};
    (void)state;
    for (size_t i = 0; i < 3; i++)
        for (int feasible = 0; feasible < 2; feasible++) {
            struct search *s = open_bound(&kinds[i], SEARCH_VERSION);
            for (int64_t k = 1; k <= 4; k++) {
                struct value *point = ask(s, k);
                search_report(s, k, 1, 1.0);
                tell_broken(s, k, point, STATE_DONE, 1.0, feasible ? 0 : 3);
            }
            ask(s, 5);
            assert_int_equal(search_report(s, 5, 1, 7.0),
                             feasible ? DECISION_STOP : DECISION_CONTINUE);
            search_free(s);
        }
}

/* Its trials have budgets of their own; stopping them early is no problem. */
static void pbt_takes_rungs_that_only_stop(void **state)
{
    (void)state;
    struct early only_stops = rungs;
    struct search_setup given = {.space = &space, .early = &rungs};
    struct err err = {0};
    only_stops.promote = false;
    assert_null(search_open("pbt", &given, &err));
    assert_non_null(strstr(err.text, "promote: false"));
    given.early = &only_stops;
    struct search *s = search_open("pbt", &given, &err);
    struct suggestion got;
    assert_non_null(s);
    assert_int_equal(search_ask(s, 1, arena, &got, &err), SEARCH_HERE);
    assert_int_equal(got.budget, 1);
    assert_false(search_pauses(s, 1));
    assert_int_equal(search_promote(s, &got), SEARCH_END);
    search_free(s);
}

static void a_step_that_is_reported_again_counts_once(void **state)
{
    (void)state;
    struct search *s = open_with("random", SEARCH_FREE, &rungs);
    ask(s, 1);
    search_report(s, 1, 1, 5);
    assert_true(search_verdict(s)->counted);
    search_report(s, 1, 1, 5);
    assert_false(search_verdict(s)->counted);
    assert_int_equal(search_report(s, 1, 2, 4), DECISION_PAUSE);
    search_free(s);
}

/* ---- samplers that know rungs ---------------------------------------------
 */

/* A strategy that only remembers what it was told. */
static struct {
    size_t opened, values, pending, left, broken;
    double last;
} heard;

static void *ear_open(const struct search_setup *given, struct err *err)
{
    (void)given;
    (void)err;
    size_t opened = heard.opened;
    memset(&heard, 0, sizeof(heard));
    heard.opened = opened + 1;
    return &heard;
}

static void ear_free(void *state)
{
    (void)state;
}

static int64_t ear_total(const void *state)
{
    (void)state;
    return -1;
}

static enum search_answer ear_ask(void *state, int64_t k, struct arena *a,
                                  struct suggestion *out, struct err *err)
{
    (void)state;
    (void)k;
    (void)err;
    out->point = json_parse(a, STR("{}"), "point", false, NULL);
    return SEARCH_HERE;
}

static void ear_tell(void *state, const struct result *r)
{
    (void)state;
    heard.values += r->state == STATE_DONE;
    heard.pending += r->state == STATE_RUNNING;
    heard.left += r->state == STATE_KILLED;
    heard.broken += r->constraint_count == 2 && r->constraints[1] > 0;
    if (r->state == STATE_DONE)
        heard.last = r->value;
}

static const struct strategy ear = {.method = {.name = "ear"},
                                    .open = ear_open,
                                    .free = ear_free,
                                    .total = ear_total,
                                    .ask = ear_ask,
                                    .tell = ear_tell,
                                    .rungs = true};

/* With d parameters a level counts from d + 2 trials on. */
static void a_sampler_hears_the_highest_level_that_enough_have_reached(void **s)
{
    static const struct early bands = {
        .kind = EARLY_HYPERBAND, .min_iter = 1, .eta = 2};
    (void)s;
    struct search_setup given = {
        .space = &space, .minimize = true, .early = &bands};
    struct search *search = search_open_strategy(&ear, &given, NULL);
    int64_t enough = (int64_t)space.count + 2;
    for (int64_t k = 1; k <= enough; k++) {
        ask(search, k);
        search_report(search, k, 1, 100 - (double)k);
        assert_int_equal(heard.values, k < enough ? 0 : enough);
    }
    /* Values of the second band are not mixed with those of the first … */
    for (int64_t k = 1; k < enough; k++)
        search_report(search, k, 2, 50 - (double)k);
    assert_int_equal(heard.values, enough);
    assert_true(heard.last > 60);
    /* … and take their place when there are enough. */
    size_t opened = heard.opened;
    search_report(search, enough, 2, 0.5);
    assert_int_equal(heard.opened, opened + 1);
    assert_int_equal(heard.values, enough);
    assert_true(heard.last == 0.5);
    /* Who ends below says nothing. */
    ask(search, enough + 1);
    search_report(search, enough + 1, 1, 3);
    tell(search, enough + 1, json_parse(arena, STR("{}"), "p", false, NULL),
         STATE_STOPPED, 3);
    assert_int_equal(heard.values, enough);
    assert_int_equal(heard.left, 1);
    search_free(search);
}

static void end_bound(struct search *s, int64_t k, enum state state,
                      double second)
{
    struct value *point = json_parse(arena, STR("{}"), "p", false, NULL);
    double broken[2] = {0, second};
    struct result r = {.trial = k,
                       .point = point,
                       .state = (int)state,
                       .value = (double)k,
                       .constraints = broken,
                       .constraint_count = 2};
    search_tell(s, &r);
}

/* A study made before that was so goes on as it began. */
static void a_sampler_hears_of_constraints_also_with_rungs(void **state)
{
    static const struct early kinds[] = {
        {.kind = EARLY_HYPERBAND, .min_iter = 1, .eta = 2},
        {.kind = EARLY_ASHA, .min_iter = 1, .max_iter = 8, .eta = 2}};
    int64_t enough = (int64_t)space.count + 2;
    (void)state;
    for (size_t i = 0; i < 2; i++)
        for (int64_t version = 2; version <= SEARCH_VERSION; version++) {
            struct search_setup given = {.space = &space,
                                         .version = version,
                                         .minimize = true,
                                         .constraint_count = 2,
                                         .early = &kinds[i]};
            struct search *s = search_open_strategy(&ear, &given, NULL);
            for (int64_t k = 1; k <= enough; k++) {
                ask(s, k);
                search_report(s, k, 1, (double)k);
                end_bound(s, k, STATE_STOPPED, k % 2 ? 0.5 : -1);
            }
            assert_int_equal(heard.values, enough);
            assert_int_equal(heard.broken,
                             version < 3 ? 0 : (size_t)(enough + 1) / 2);
            end_bound(s, -7, STATE_DONE, 2);
            assert_int_equal(heard.broken,
                             version < 3 ? 0 : (size_t)(enough + 1) / 2 + 1);
            search_free(s);
        }
}

/* What comes second says the contrary of what came first; every third trial
 * stays at the first. */
static void two_bands(struct search *s, int64_t k, const struct value *point)
{
    double value = value_of(k);
    search_report(s, k, 1, value);
    if (k % 3 == 0)
        return;
    search_report(s, k, 2, 1 - value);
    tell(s, k, point, STATE_DONE, 1 - value);
}

/* auto is its method, also where that hears of rungs. */
static void auto_hears_of_rungs_what_its_method_hears(void **state)
{
    (void)state;
    struct search *one = open_with("auto", SEARCH_FREE, &rungs);
    struct search *two = open_with("gp", SEARCH_FREE, &rungs);
    for (int64_t k = 1; k <= 40; k++) {
        struct value *a = ask(one, k), *b = ask(two, k);
        assert_string_equal(text_of(a), text_of(b));
        two_bands(one, k, a);
        two_bands(two, k, b);
    }
    search_free(one);
    search_free(two);
}

static int print_methods(void)
{
    for (size_t m = 0; method_at(m); m++)
        puts(method_at(m));
    return 0;
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_search_goes_on_after_any_prefix),
        cmocka_unit_test(what_was_heard_before_a_crash_does_not_count_again),
        cmocka_unit_test(a_rung_is_decided_once_though_the_trial_begins_anew),
        cmocka_unit_test(median_forgets_what_was_begun_anew),
        cmocka_unit_test(no_decision_comes_before_its_step),
        cmocka_unit_test(a_search_climbs_on_after_any_prefix),
        cmocka_unit_test(the_best_half_of_a_rung_goes_on),
        cmocka_unit_test(what_is_not_finite_is_the_worst_at_a_rung),
        cmocka_unit_test(what_breaks_constraints_is_promoted_last),
        cmocka_unit_test(nobody_is_stopped_for_what_breaks_constraints),
        cmocka_unit_test(pbt_takes_rungs_that_only_stop),
        cmocka_unit_test(a_step_that_is_reported_again_counts_once),
        cmocka_unit_test(
            a_sampler_hears_the_highest_level_that_enough_have_reached),
        cmocka_unit_test(a_sampler_hears_of_constraints_also_with_rungs),
        cmocka_unit_test(auto_hears_of_rungs_what_its_method_hears),
    };
    if (argc == 2 && strcmp(argv[1], "methods") == 0)
        return print_methods();
    if (argc > 2)
        only = argv[2];
    if (argc > 1)
        prefix_step = strtoul(argv[1], NULL, 10);
    require(prefix_step > 0);
    return cmocka_run_group_tests(tests, setup_space, teardown);
}
