/* test_operations.c - any operations leave every strategy working
 *
 *     test_search_operations [OPERATIONS [METHOD]]
 *
 * Asks, tells and reports at random, with every way in which a trial can end,
 * values that are no numbers, broken constraints and results from elsewhere,
 * on a space of every kind of parameter and on one of few points. Methods
 * with a model of all results do a hundredth of the operations. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "search/search.h"
#include "spaces.h"
#include "terms/state.h"

enum { MOST_OUT = 40 };

static long operations = 2000;
static const char *only;

static const char few_text[] = "{\"version\":1,\"parameters\":["
    /* clang-format off */
    PARAM("a", "categorical", "\"values\":[1,2,3]") ","
    PARAM("b", "int_uniform", "\"min\":0,\"max\":3") ","
    PARAM("c", "q_uniform", "\"min\":0,\"max\":1,\"q\":0.25,"
          WHEN("a", "2,3"))
    /* clang-format on */
    "]}";

/* A trial that is out; its point lives in an arena of its own. */
struct out {
    int64_t trial;
    struct value *point;
    struct arena *arena;
};

struct play {
    const char *method;
    const struct space *space;
    struct search *search;
    struct rng rng;
    uint64_t opened;
    int64_t asked, foreign;
    size_t count;
    bool ended;
    struct out out[MOST_OUT];
};

static void play_open(struct play *p)
{
    static const bool goals[] = {true, false};
    struct search_setup setup = {.space = p->space,
                                 .seed = ++p->opened,
                                 .minimize = p->opened % 2 == 0,
                                 .run_cap = 100000,
                                 .constraint_count = 1,
                                 .parallel = MOST_OUT};
    struct err err = {0};
    if (strcmp(p->method, "nsga2") == 0) {
        setup.objective_count = 2;
        setup.minimize_each = goals;
    }
    p->search = search_open(p->method, &setup, &err);
    if (!p->search)
        fail_msg("%s: %s", p->method, err.text);
    p->asked = 0;
    p->count = 0;
    p->ended = false;
}

/* Asking again gives the same. */
static void play_ask(struct play *p)
{
    struct suggestion got, again;
    struct err err = {0};
    struct out *o = &p->out[p->count];
    arena_reset(o->arena);
    enum search_answer answer =
        search_ask(p->search, p->asked + 1, o->arena, &got, &err);
    if (answer == SEARCH_END) {
        p->ended = true;
        return;
    }
    if (answer == SEARCH_WAIT && p->count)
        return;
    if (answer != SEARCH_HERE)
        fail_msg("%s: no point %lld: %s", p->method, (long long)p->asked + 1,
                 err.text);
    assert_point(p->space, got.point);
    o->trial = ++p->asked;
    o->point = got.point;
    p->count++;
    if (rng_below(&p->rng, 16))
        return;
    assert_int_equal(search_ask(p->search, p->asked, o->arena, &again, &err),
                     SEARCH_HERE);
    assert_true(value_eq(got.point, again.point));
}

static enum state any_end(struct rng *r, double *value)
{
    static const enum state ends[] = {
        STATE_DONE,      STATE_DONE,   STATE_DONE,     STATE_STOPPED,
        STATE_FAILED,    STATE_KILLED, STATE_DIVERGED, STATE_INVALID,
        STATE_TIMED_OUT, STATE_PAUSED, STATE_RUNNING};
    static const double odd[] = {NAN, INFINITY, -INFINITY, 1e308, -1e308, 0};
    enum state end = ends[rng_below(r, sizeof(ends) / sizeof(*ends))];
    *value = rng_normal(r);
    if (rng_below(r, 4) == 0)
        *value = odd[rng_below(r, 6)];
    if (end == STATE_FAILED && rng_below(r, 2))
        *value = NAN;
    return end;
}

/* Returns whether the trial is final. */
static bool play_tell(struct play *p, int64_t trial, const struct value *point)
{
    double values[2], broken = rng_below(&p->rng, 3) ? -1 : 0.5;
    enum state end = any_end(&p->rng, &values[0]);
    values[1] = rng_below(&p->rng, 9) ? rng_uniform(&p->rng) : NAN;
    if (rng_below(&p->rng, 50) == 0)
        broken = NAN;
    struct result r = {.trial = trial,
                       .point = point,
                       .state = (int)end,
                       .value = values[0],
                       .values = values,
                       .value_count = 2,
                       .constraints = &broken,
                       .constraint_count = 1,
                       .step = -1};
    search_tell(p->search, &r);
    if (rng_below(&p->rng, 8) == 0)
        search_tell(p->search, &r);
    return state_final(end);
}

static void play_end_one(struct play *p)
{
    size_t at = rng_below(&p->rng, p->count);
    struct out *o = &p->out[at];
    search_report(p->search, o->trial, (int64_t)rng_below(&p->rng, 30),
                  rng_below(&p->rng, 20) ? rng_normal(&p->rng) : NAN);
    if (!play_tell(p, o->trial, o->point))
        return;
    struct out keep = *o;
    *o = p->out[--p->count];
    p->out[p->count] = keep;
}

/* Ever more rarely: a strategy may begin anew with each. */
static bool foreign_comes(struct play *p)
{
    return rng_below(&p->rng, 100 + (uint64_t)p->asked / 8) == 0;
}

static void play_foreign(struct play *p)
{
    struct arena *a = arena_new();
    play_tell(p, --p->foreign, space_sample(p->space, &p->rng, a));
    arena_free(a);
}

static void play(const char *method, const char *text, long count)
{
    struct arena *a = arena_new();
    struct space space = space_of(text, a);
    struct play p = {.method = method, .space = &space};
    double mean;
    rng_init(&p.rng, (uint64_t)count, 0, method);
    for (size_t i = 0; i < MOST_OUT; i++)
        p.out[i].arena = arena_new();
    play_open(&p);
    for (long i = 0; i < count; i++) {
        bool full = p.count == MOST_OUT || p.ended;
        if (full && !p.count) {
            search_free(p.search);
            play_open(&p);
        } else if (p.count && (full || rng_below(&p.rng, 2))) {
            play_end_one(&p);
        } else if (foreign_comes(&p)) {
            play_foreign(&p);
        } else {
            play_ask(&p);
        }
        if (rng_below(&p.rng, 500) == 0)
            search_mean(p.search, 1 + (int64_t)rng_below(&p.rng, 100), &mean);
    }
    search_free(p.search);
    for (size_t i = 0; i < MOST_OUT; i++)
        arena_free(p.out[i].arena);
    arena_free(a);
}

static bool is_slow(const char *method)
{
    static const char *const slow[] = {"gp",     "bayes",      "auto",
                                       "forest", "hyperspace", NULL};
    for (size_t i = 0; slow[i]; i++)
        if (strcmp(method, slow[i]) == 0)
            return true;
    return false;
}

/* Points and external have others who decide. */
static void any_operations_leave_every_strategy_working(void **state)
{
    (void)state;
    for (size_t i = 0; search_methods[i]; i++) {
        const char *method = search_methods[i];
        if (strcmp(method, "points") == 0 || strcmp(method, "external") == 0 ||
            (only && strcmp(method, only) != 0))
            continue;
        long count = is_slow(method) ? operations / 100 : operations;
        play(method, few_text, count / 2);
        play(method, strcmp(method, "grid") == 0 ? few_text : mixed_text,
             count / 2);
    }
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(any_operations_leave_every_strategy_working),
    };
    if (argc > 1)
        operations = strtol(argv[1], NULL, 10);
    if (argc > 2)
        only = argv[2];
    return cmocka_run_group_tests(tests, NULL, NULL);
}
