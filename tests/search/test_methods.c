/* test_methods.c - what must hold for every strategy
 *
 * The objective is a smooth function of the coded point, so that strategies
 * that learn have something to learn. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <math.h>
#include <stdlib.h>

#include "base/map.h"
#include "search/search.h"
#include "any_space.h"
#include "mixed_space.h"
#include "terms/state.h"

/* A model of all results is dear. */
static bool is_slow(const char *method)
{
    return strcmp(method, "gp") == 0 || strcmp(method, "forest") == 0 ||
           strcmp(method, "auto") == 0 || strcmp(method, "hyperspace") == 0;
}

static struct search *open_on(const char *method, const struct space *on,
                              uint64_t seed)
{
    struct search_setup given = {
        .space = on, .seed = seed, .minimize = true, .run_cap = 100000};
    struct err err = {0};
    struct search *s = search_open(method, &given, &err);
    if (!s)
        fail_msg("%s: %s", method, err.text);
    return s;
}

static struct value *ask(struct search *s, int64_t k, struct arena *a)
{
    struct suggestion got;
    struct err err = {0};
    if (search_ask(s, k, a, &got, &err) != SEARCH_HERE)
        fail_msg("no point %lld: %s", (long long)k, err.text);
    return got.point;
}

static const char *text_of(const struct value *v, struct arena *a)
{
    struct buf b;
    buf_init(&b);
    json_print(&b, v);
    const char *text = arena_cstr(a, buf_str(&b));
    buf_done(&b);
    return text;
}

static double objective(const struct value *point)
{
    double sum = 0;
    for (size_t i = 0; i < space.count; i++) {
        const struct value *v = point_get(point, &space.params[i]);
        double u = v ? param_position(&space.params[i], v) : 0.5;
        sum += (u - 0.3) * (u - 0.3);
    }
    return sum;
}

static void tell(struct search *s, int64_t k, const struct value *point,
                 enum state state, double value)
{
    struct result r = {
        .trial = k, .point = point, .state = (int)state, .value = value};
    search_tell(s, &r);
}

static void points_are_of_the_space(void **state)
{
    (void)state;
    for (size_t m = 0; method_at(m); m++) {
        struct search *s = open_on(method_at(m), &space, 3);
        bool slow = is_slow(method_at(m));
        for (int64_t k = 1; k <= (slow ? 60 : 400); k++) {
            struct value *point = ask(s, k, arena);
            assert_point(&space, point);
            tell(s, k, point, STATE_DONE, objective(point));
        }
        search_free(s);
    }
}

/* Kolmogorov and Smirnov's distance of a logarithmic number from what it
 * should be, and chi-square of a rounded one over four parts of its range,
 * each at a thousandth. Methods that learn draw so as long as they know
 * nothing, all but cmaes, which begins in the middle, and hyperspace, whose
 * sub-spaces overlap. Most points are more even than chance. */
static void points_follow_their_distributions(void **state)
{
    (void)state;
    enum { COUNT = 2048, PARTS = 32 };
    static const char *const spread[] = {"random", "sobol",  "lhs", "tpe",
                                         "ga",     "nsga2",  "pbt", "gp",
                                         "bayes",  "forest", "auto"};
    for (size_t m = 0; m < sizeof(spread) / sizeof(*spread); m++) {
        struct search *s = open_on(spread[m], &space, 8);
        double below[PARTS + 1] = {0}, cells[4] = {0}, apart = 0, chi = 0;
        for (int64_t k = 1; k <= COUNT; k++) {
            struct value *point = ask(s, k, arena);
            double lr = value_number(value_get(point, STR("lr")));
            double wide = value_number(value_get(point, STR("wide")));
            for (int i = 0; i <= PARTS; i++)
                below[i] += log10(lr) <= -6 + 6.0 * i / PARTS;
            cells[(wide > 27) + (wide > 90) + (wide > 304)]++;
        }
        for (int i = 0; i <= PARTS; i++)
            apart = fmax(apart, fabs(below[i] / COUNT - (double)i / PARTS));
        for (int i = 0; i < 4; i++) {
            static const double ends[] = {8, 27.5, 90.5, 304.5, 1024};
            double want = COUNT * log(ends[i + 1] / ends[i]) / log(128);
            chi += (cells[i] - want) * (cells[i] - want) / want;
        }
        if (apart > 1.95 / sqrt(COUNT) || chi > 16.27)
            fail_msg("%s: distance %g, chi-square %g", spread[m], apart, chi);
        search_free(s);
    }
}

static void the_same_results_give_the_same_points(void **state)
{
    (void)state;
    for (size_t m = 0; method_at(m); m++) {
        struct search *s = open_on(method_at(m), &space, 4);
        struct search *t = open_on(method_at(m), &space, 4);
        struct search *other = open_on(method_at(m), &space, 5);
        int differ = 0;
        int64_t count = is_slow(method_at(m)) ? 40 : 120;
        for (int64_t k = 1; k <= count; k++) {
            struct value *p = ask(s, k, arena), *q = ask(t, k, arena);
            const char *text = text_of(p, arena);
            assert_string_equal(text, text_of(q, arena));
            assert_string_equal(text, text_of(ask(s, k, arena), arena));
            struct value *o = ask(other, k, arena);
            differ += strcmp(text, text_of(o, arena)) != 0;
            tell(s, k, p, STATE_DONE, objective(p));
            tell(t, k, q, STATE_DONE, objective(q));
            tell(other, k, o, STATE_DONE, objective(o));
            assert_string_equal(text, text_of(ask(s, k, arena), arena));
        }
        assert_true(differ > count * 5 / 6);
        search_free(s);
        search_free(t);
        search_free(other);
    }
}

/* A new search that is told what a store remembers (each point as text, in
 * another order, the pending ones as such) goes on as the old one does. */
static void a_resumed_search_goes_on_as_it_would_have(void **state)
{
    (void)state;
    enum { AHEAD = 5, PREFIX = 90, AFTER = 15 };
    struct value *points[PREFIX + AHEAD + AFTER + 1];
    for (size_t m = 0; method_at(m); m++) {
        /* Its lines of trials need the order in which things were heard. */
        if (strcmp(method_at(m), "pbt") == 0)
            continue;
        bool slow = is_slow(method_at(m));
        for (int64_t prefix = slow ? 35 : 0; prefix <= (slow ? 35 : PREFIX);
             prefix += 15) {
            struct search *s = open_on(method_at(m), &space, 6);
            struct search *t = open_on(method_at(m), &space, 6);
            for (int64_t k = 1; k <= prefix + AHEAD; k++) {
                points[k] = ask(s, k, arena);
                if (k > AHEAD)
                    tell(s, k - AHEAD, points[k - AHEAD], STATE_DONE,
                         objective(points[k - AHEAD]));
            }
            for (int64_t k = prefix + AHEAD; k >= 1; k--) {
                struct str text = str_of(text_of(points[k], arena));
                struct value *again = json_parse(arena, text, "p", true, NULL);
                bool done = k <= prefix;
                tell(t, k, again, done ? STATE_DONE : STATE_RUNNING,
                     done ? objective(again) : NAN);
            }
            for (int64_t k = prefix + AHEAD + 1; k <= prefix + AFTER; k++) {
                struct value *p = ask(s, k, arena), *q = ask(t, k, arena);
                assert_string_equal(text_of(p, arena), text_of(q, arena));
                tell(s, k, p, STATE_DONE, objective(p));
                tell(t, k, q, STATE_DONE, objective(q));
            }
            search_free(s);
            search_free(t);
        }
    }
}

static void the_order_of_results_does_not_count(void **state)
{
    (void)state;
    enum { MANY = 64 };
    struct value *points[MANY + 1];
    for (size_t m = 0; method_at(m); m++) {
        struct search *s = open_on(method_at(m), &space, 7);
        struct search *t = open_on(method_at(m), &space, 7);
        for (int64_t k = 1; k <= MANY; k++) {
            points[k] = ask(s, k, arena);
            ask(t, k, arena);
        }
        for (int64_t k = 1; k <= MANY; k++) {
            int64_t back = MANY + 1 - k;
            tell(s, k, points[k], STATE_DONE, objective(points[k]));
            tell(t, back, points[back], STATE_DONE, objective(points[back]));
        }
        for (int64_t k = MANY + 1; k <= MANY + 20; k++)
            assert_string_equal(text_of(ask(s, k, arena), arena),
                                text_of(ask(t, k, arena), arena));
        search_free(s);
        search_free(t);
    }
}

static void results_that_nobody_asked_for_are_taken(void **state)
{
    (void)state;
    struct value *empty = value_object(arena);
    for (size_t m = 0; method_at(m); m++) {
        struct search *s = open_on(method_at(m), &space, 9);
        for (int64_t k = 1; k <= 60; k++)
            tell(s, k * 1000, empty, STATE_DONE, (double)k);
        tell(s, 7, NULL, STATE_FAILED, NAN);
        assert_point(&space, ask(s, 70000, arena));
        search_free(s);
    }
}

static const char *const models[] = {"tpe",  "gp",     "cmaes",
                                     "auto", "forest", "hyperspace"};
enum { MODELS = sizeof(models) / sizeof(*models) };
enum { ALONE = MODELS - 1 }; /* the last one's searches are many */

/* The mean objective of the first points that a search asks for. */
static double first_points(struct search *s, int count)
{
    double sum = 0;
    for (int64_t k = 1; k <= count; k++) {
        struct value *point = ask(s, k, arena);
        sum += objective(point) / count;
        tell(s, k, point, STATE_DONE, objective(point));
    }
    return sum;
}

/* Results from elsewhere are no trials, but teach as much as those. */
static void foreign_results_are_learnt_from(void **state)
{
    (void)state;
    for (size_t m = 0; m < MODELS; m++) {
        double without = 0, with = 0;
        for (uint64_t seed = 0; seed < 2; seed++) {
            struct search *s = open_on(models[m], &space, seed);
            struct search *t = open_on(models[m], &space, seed);
            for (int64_t i = 1; i <= 60; i++) {
                struct rng rng;
                rng_init(&rng, seed, (uint64_t)i, "foreign");
                struct value *point = space_sample(&space, &rng, arena);
                tell(t, -i, point, STATE_DONE, objective(point));
            }
            without += first_points(s, 12);
            with += first_points(t, 12);
            search_free(s);
            search_free(t);
        }
        if (with > 0.8 * without)
            fail_msg("%s: %g with, %g without", models[m], with, without);
    }
}

/* The best values are where a constraint is broken: a search that looks at
 * values only would go there. */
static void constraints_keep_a_search_out(void **state)
{
    (void)state;
    enum { MANY = 80, LATE = 40 };
    static const char *const heeding[] = {"tpe",  "gp",     "cmaes",
                                          "auto", "forest", "ga"};
    struct space plane = space_of(
        "{\"version\":1,\"parameters\":[" PARAM(
            "x", "uniform", "\"min\":0,\"max\":1") "," PARAM("y", "uniform",
                                                             "\"min\":0,"
                                                             "\"max\":1") "]}",
        arena);
    for (size_t m = 0; m < sizeof(heeding) / sizeof(*heeding); m++) {
        struct search *s = open_on(heeding[m], &plane, 3);
        int broken = 0;
        double best = INFINITY;
        for (int64_t k = 1; k <= MANY; k++) {
            struct value *point = ask(s, k, arena);
            double x = value_number(value_get(point, STR("x")));
            double y = value_number(value_get(point, STR("y")));
            double over[] = {0.6 - x, -1};
            struct result r = {.trial = k,
                               .point = point,
                               .state = STATE_DONE,
                               .value = x + (y - 0.5) * (y - 0.5),
                               .constraints = over,
                               .constraint_count = 2};
            search_tell(s, &r);
            broken += k > LATE && over[0] > 0;
            if (over[0] <= 0)
                best = fmin(best, r.value);
        }
        if (broken > (MANY - LATE) * 3 / 4 || best > 0.65)
            fail_msg("%s: %d broken, best %g", heeding[m], broken, best);
        search_free(s);
    }
}

/* Twenty points, twenty trials, some of them out at once: each point once. */
static void a_small_space_has_no_point_twice(void **state)
{
    (void)state;
    enum { ALL = 20, AHEAD = 4 };
    struct space small =
        space_of("{\"version\":1,\"parameters\":["
                 /* clang-format off */
        PARAM("c", "categorical", "\"values\":[1,2,3,4]") ","
        PARAM("i", "int_uniform", "\"min\":0,\"max\":4")
                 /* clang-format on */
                 "]}",
                 arena);
    for (size_t m = 0; m < ALONE; m++) {
        struct search *s = open_on(models[m], &small, 2);
        struct value *points[ALL + 1];
        bool seen[ALL] = {false};
        for (int64_t k = 1; k <= ALL; k++) {
            points[k] = ask(s, k, arena);
            int64_t c = value_get(points[k], STR("c"))->i;
            int64_t i = value_get(points[k], STR("i"))->i;
            size_t cell = (size_t)((c - 1) * 5 + i);
            if (seen[cell])
                fail_msg("%s: point %lld again", models[m], (long long)k);
            seen[cell] = true;
            if (k > AHEAD)
                tell(s, k - AHEAD, points[k - AHEAD], STATE_DONE,
                     (double)(c + i));
        }
        search_free(s);
    }
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, setup_space, teardown)
int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(points_are_of_the_space),
        TEST(points_follow_their_distributions),
        TEST(the_same_results_give_the_same_points),
        TEST(a_resumed_search_goes_on_as_it_would_have),
        TEST(the_order_of_results_does_not_count),
        TEST(results_that_nobody_asked_for_are_taken),
        TEST(foreign_results_are_learnt_from),
        TEST(constraints_keep_a_search_out),
        TEST(a_small_space_has_no_point_twice),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
