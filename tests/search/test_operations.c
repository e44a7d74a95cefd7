/* test_operations.c - any operations leave every strategy working
 *
 *     test_search_operations [OPERATIONS [NAME]]
 *     test_search_operations names
 *
 * Asks, tells and reports at random, with every way in which a trial can end,
 * values that are no numbers, broken constraints and results from elsewhere,
 * on spaces of every kind of parameter and on one of few points. Models of
 * all results (gp and forest) do a hundredth of the operations. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "search/search.h"
#include "spaces.h"
#include "terms/state.h"

enum { MOST_OUT = 40 };

static long operations = 2000;
static const char *only;

/* One way to play a method. */
struct form {
    const char *name, *method, *options;
    bool dear;
    int64_t parallel; /* 0: MOST_OUT */
    size_t objectives;
};

/* Those of which there is more to say than the method's name: also other inner
 * methods of those that have one. Auto takes gp, and later tpe, unless more
 * trials are out at once than gp likes; of the few points it makes a grid. */
static const struct form special[] = {
    {.name = "gp", .method = "gp", .dear = true},
    {.name = "bayes", .method = "bayes", .dear = true},
    {.name = "forest", .method = "forest", .dear = true},
    {.name = "nsga2", .method = "nsga2", .objectives = 2},
    {.name = "ablate",
     .method = "ablate",
     .options = "{\"baseline\":{\"a\":2,\"b\":1,\"c\":0.5}}"},
    {.name = "auto", .method = "auto", .dear = true},
    {.name = "auto_tpe", .method = "auto", .parallel = 300},
    {.name = "auto_nsga2", .method = "auto", .objectives = 2},
    {.name = "hyperspace_random",
     .method = "hyperspace",
     .options = "{\"method\":\"random\",\"phi\":0.5}"},
    {.name = "hyperspace_gp",
     .method = "hyperspace",
     .options = "{\"method\":\"gp\",\"shared\":false}",
     .dear = true},
};
enum { SPECIAL = sizeof(special) / sizeof(*special) };

/* Played as all are: not listed above, and not somebody else's points. */
static bool is_plain(const char *method)
{
    for (size_t i = 0; i < SPECIAL; i++)
        if (strcmp(special[i].name, method) == 0)
            return false;
    return strcmp(method, "points") != 0 && strcmp(method, "external") != 0;
}

/* Form i: every method of the table is among them. False: there are fewer. */
static bool form_at(size_t i, struct form *out)
{
    if (i < SPECIAL) {
        *out = special[i];
        return true;
    }
    i -= SPECIAL;
    for (size_t m = 0; search_methods[m]; m++) {
        const char *method = search_methods[m]->name;
        if (is_plain(method) && i-- == 0) {
            *out = (struct form){.name = method, .method = method};
            return true;
        }
    }
    return false;
}

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
    const struct form *form;
    const struct value *options;
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
    const struct form *f = p->form;
    struct search_setup setup = {.space = p->space,
                                 .seed = ++p->opened,
                                 .minimize = p->opened % 2 == 0,
                                 .run_cap = 100000,
                                 .options = p->options,
                                 .objective_count = f->objectives,
                                 .minimize_each = goals,
                                 .constraint_count = 1,
                                 .parallel =
                                     f->parallel ? f->parallel : MOST_OUT};
    struct err err = {0};
    p->search = search_open(f->method, &setup, &err);
    if (!p->search)
        fail_msg("%s: %s", f->name, err.text);
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
        fail_msg("%s: no point %lld: %s", p->form->name,
                 (long long)p->asked + 1, err.text);
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
                       .constraint_count = 1};
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

static void play_any(struct play *p)
{
    double mean;
    bool full = p->count == MOST_OUT || p->ended;
    if (full && !p->count) {
        search_free(p->search);
        play_open(p);
    } else if (p->count && (full || rng_below(&p->rng, 2))) {
        play_end_one(p);
    } else if (foreign_comes(p)) {
        play_foreign(p);
    } else {
        play_ask(p);
    }
    if (rng_below(&p->rng, 500) == 0)
        search_mean(p->search, 1 + (int64_t)rng_below(&p->rng, 100), &mean);
}

static void play(const struct form *form, const char *text, long count)
{
    struct arena *a = arena_new();
    struct space space = space_of(text, a);
    struct play p = {.form = form, .space = &space};
    if (form->options)
        p.options = json_parse(a, str_of(form->options), "o", false, NULL);
    rng_init(&p.rng, (uint64_t)count, 0, form->name);
    for (size_t i = 0; i < MOST_OUT; i++)
        p.out[i].arena = arena_new();
    play_open(&p);
    for (long i = 0; i < count; i++)
        play_any(&p);
    search_free(p.search);
    for (size_t i = 0; i < MOST_OUT; i++)
        arena_free(p.out[i].arena);
    arena_free(a);
}

static void any_operations_leave_every_strategy_working(void **state)
{
    struct form f;
    (void)state;
    for (size_t i = 0; form_at(i, &f); i++) {
        if (only && strcmp(f.name, only) != 0)
            continue;
        bool grid = !strcmp(f.name, "grid") || !strcmp(f.name, "ablate");
        long count = (f.dear ? operations / 100 : operations) / 3 + 1;
        play(&f, few_text, count);
        play(&f, grid ? few_text : mixed_text, count);
        play(&f, grid ? few_text : other_text, count);
    }
}

static int print_names(void)
{
    struct form f;
    for (size_t i = 0; form_at(i, &f); i++)
        puts(f.name);
    return 0;
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(any_operations_leave_every_strategy_working),
    };
    if (argc == 2 && strcmp(argv[1], "names") == 0)
        return print_names();
    if (argc > 1)
        operations = strtol(argv[1], NULL, 10);
    if (argc > 2)
        only = argv[2];
    return cmocka_run_group_tests(tests, NULL, NULL);
}
