/* test_bowl.c - the lowest place of a quadratic through results near the best
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <math.h>
#include <string.h>

#include "base/json.h"
#include "base/rng.h"
#include "search/bowl.h"
#include "../one_arena.h"
#include "spaces.h"
#include "terms/state.h"

static const char plane_text[] = "{\"version\":1,\"parameters\":["
    /* clang-format off */
    PARAM("x", "uniform", "\"min\":0,\"max\":1") ","
    PARAM("y", "uniform", "\"min\":0,\"max\":1")
    /* clang-format on */
    "]}";

static const char choice_text[] = "{\"version\":1,\"parameters\":["
    /* clang-format off */
    PARAM("c", "categorical", "\"values\":[\"a\",\"b\"]") ","
    PARAM("x", "uniform", "\"min\":0,\"max\":1")
    /* clang-format on */
    "]}";

enum { RESULTS = 40, ASKED = 200 };

/* A valley that lies across, lowest at (0.62, 0.27). */
static double valley(const double *u)
{
    double a = u[0] - 0.62, b = u[1] - 0.27;
    return 3 + 4 * (a + b) * (a + b) + 0.3 * (a - b) * (a - b);
}

struct results {
    struct space space;
    struct history history;
    struct bowl bowl;
};

static void results_open_as(struct results *r, const char *text,
                            int64_t version)
{
    r->space = space_of(text, arena);
    history_init(&r->history, r->space.count);
    struct search_setup setup = {
        .space = &r->space, .seed = 7, .version = version};
    bowl_init(&r->bowl, &setup, &r->history);
}

static void results_open(struct results *r, const char *text)
{
    results_open_as(r, text, SEARCH_VERSION);
}

static void results_close(struct results *r)
{
    bowl_done(&r->bowl);
    history_done(&r->history);
}

static size_t add(struct results *r, int64_t trial, const double *u,
                  enum mark mark, double loss)
{
    size_t row = history_add(&r->history, trial, u);
    r->history.marks[row] = (unsigned char)mark;
    r->history.losses[row] = mark == MARK_VALUE ? loss : NAN;
    return row;
}

/* Results of the valley at random places, told in any order. */
static void fill_valley(struct results *r, uint64_t key, size_t count)
{
    for (uint64_t i = 0; i < count; i++) {
        struct rng rng;
        int64_t trial = 1 + (int64_t)rng_permute(key, i, count);
        rng_init(&rng, 1, (uint64_t)trial, "valley");
        double u[2] = {rng_uniform(&rng), rng_uniform(&rng)};
        bowl_tell(&r->bowl, add(r, trial, u, MARK_VALUE, valley(u)));
    }
}

static void it_finds_the_bottom_of_a_valley(void **state)
{
    (void)state;
    struct results r;
    double u[2], lowest = INFINITY;
    int found = 0, better = 0;
    results_open(&r, plane_text);
    fill_valley(&r, 1, RESULTS);
    double best = r.history.losses[r.bowl.best[0]];
    for (int64_t k = 1; k <= ASKED; k++) {
        if (!bowl_ask(&r.bowl, k, 3, u))
            continue;
        found++;
        better += valley(u) < best;
        lowest = fmin(lowest, valley(u));
    }
    assert_true(found > ASKED / 3 && found < ASKED * 2 / 3);
    assert_true(better > found * 3 / 4);
    assert_true(best > 3.01 && lowest < 3.0001);
    results_close(&r);
}

static void it_waits_for_results(void **state)
{
    (void)state;
    struct results r;
    double u[2];
    results_open(&r, plane_text);
    fill_valley(&r, 1, 4);
    for (int64_t k = 1; k <= ASKED; k++)
        assert_false(bowl_ask(&r.bowl, k, 3, u));
    results_close(&r);
}

/* What a suggestion is does not depend on how many others are out, except in
 * studies that were begun so. */
static void it_is_the_same_whatever_is_out(void **state)
{
    (void)state;
    struct results r;
    double u[2], v[2];
    int found = 0;
    results_open(&r, plane_text);
    fill_valley(&r, 1, RESULTS);
    for (int64_t k = 1; k <= ASKED; k++) {
        bool alone = bowl_ask(&r.bowl, k, 0, u);
        assert_int_equal(bowl_ask(&r.bowl, k, 7, v), alone);
        if (alone)
            assert_memory_equal(u, v, sizeof(u));
        found += alone;
    }
    assert_true(found > ASKED / 3);
    r.bowl.only_beside_others = true;
    for (int64_t k = 1; k <= ASKED; k++)
        assert_false(bowl_ask(&r.bowl, k, 0, u));
    results_close(&r);
}

/* What a study of a version makes of results that are so much of the valley
 * and so much noise: how many points, and how high these lie in sum. */
struct heard {
    int found;
    double above;
};

static void hear(struct heard *heard, double part, double noise,
                 int64_t version, uint64_t seed)
{
    struct results r;
    double u[2];
    results_open_as(&r, plane_text, version);
    for (int64_t k = 1; k <= RESULTS; k++) {
        struct rng rng;
        rng_init(&rng, seed, (uint64_t)k, "noise");
        double at[2] = {rng_uniform(&rng), rng_uniform(&rng)};
        double value = part * valley(at) + noise * rng_normal(&rng);
        bowl_tell(&r.bowl, add(&r, k, at, MARK_VALUE, value));
    }
    for (int64_t k = 1; k <= ASKED; k++)
        if (bowl_ask(&r.bowl, k, 1, u)) {
            heard->found++;
            heard->above += valley(u) - 3;
        }
    results_close(&r);
}

static void what_it_does_not_foretell_it_keeps_out_of(void **state)
{
    (void)state;
    struct heard blind = {0}, guarded = {0}, clear = {0};
    hear(&blind, 0, 1, 4, 1);
    hear(&guarded, 0, 1, SEARCH_VERSION, 1);
    hear(&clear, 1, 0, SEARCH_VERSION, 1);
    assert_true(blind.found > ASKED / 3);
    assert_true(guarded.found < blind.found / 5);
    assert_int_equal(clear.found, blind.found);
}

static void it_learns_how_strong_noise_is(void **state)
{
    (void)state;
    struct heard deaf = {0}, learned = {0};
    for (uint64_t seed = 1; seed <= 10; seed++) {
        hear(&deaf, 1, 0.3, 4, seed);
        hear(&learned, 1, 0.3, SEARCH_VERSION, seed);
    }
    double before = deaf.above / deaf.found;
    double after = learned.above / learned.found;
    assert_true(learned.found > deaf.found / 2);
    if (!(after < 0.9 * before))
        fail_msg("%g above the bottom, and %g before", after, before);
}

/* More than are kept, so that it matters which ones are. */
static void the_order_of_telling_does_not_matter(void **state)
{
    (void)state;
    struct results r, s;
    double u[2], v[2];
    results_open(&r, plane_text);
    results_open(&s, plane_text);
    fill_valley(&r, 1, 3 * BOWL_BEST);
    fill_valley(&s, 2, 3 * BOWL_BEST);
    for (int64_t k = 1; k <= ASKED; k++) {
        bool found = bowl_ask(&r.bowl, k, 3, u);
        assert_int_equal(bowl_ask(&s.bowl, k, 3, v), found);
        if (found)
            assert_memory_equal(u, v, sizeof(u));
    }
    results_close(&r);
    results_close(&s);
}

enum beyond { LEFT_OUT, FAILS, BREAKS };

/* How many suggestions lie beyond a border that the bottom is behind of, when
 * the results there were told in this way. */
static int count_beyond(enum beyond beyond)
{
    struct results r;
    double u[2];
    int count = 0;
    results_open(&r, plane_text);
    for (int64_t k = 1; k <= RESULTS; k++) {
        struct rng rng;
        rng_init(&rng, 1, (uint64_t)k, "valley");
        double at[2] = {rng_uniform(&rng), rng_uniform(&rng)};
        bool inside = at[0] < 0.5;
        if (!inside && beyond == LEFT_OUT)
            continue;
        size_t row =
            add(&r, k, at, inside || beyond == BREAKS ? MARK_VALUE : MARK_BAD,
                valley(at));
        r.history.broken[row] = !inside && beyond == BREAKS;
        bowl_tell(&r.bowl, row);
    }
    for (int64_t k = 1; k <= ASKED; k++)
        count += bowl_ask(&r.bowl, k, 3, u) && u[0] > 0.5;
    results_close(&r);
    return count;
}

static void failures_and_broken_constraints_push_it_away(void **state)
{
    (void)state;
    int blind = count_beyond(LEFT_OUT);
    assert_true(blind > ASKED / 5);
    assert_true(count_beyond(FAILS) < blind / 3);
    assert_true(count_beyond(BREAKS) < blind / 3);
}

/* With a the slope goes up, with b down, and b is better. With few results
 * both are good: each is tried, and the numbers go with the choice. */
static void each_choice_has_its_own_slope(void **state)
{
    (void)state;
    struct results r;
    double u[2];
    int found[2] = {0}, right[2] = {0};
    results_open(&r, choice_text);
    for (int64_t k = 1; k <= 20; k++) {
        double at[2] = {k % 2 ? 0.25 : 0.75, 0.3 + 0.02 * (double)k};
        double loss = k % 2 ? 0.1 + at[1] : 1 - at[1];
        bowl_tell(&r.bowl, add(&r, k, at, MARK_VALUE, loss));
    }
    for (int64_t k = 21; k <= ASKED; k++) {
        if (!bowl_ask(&r.bowl, k, 3, u))
            continue;
        bool second = u[0] == 0.75;
        assert_true(second || u[0] == 0.25);
        found[second]++;
        right[second] += second ? u[1] > 0.7 : u[1] < 0.32;
    }
    for (int i = 0; i < 2; i++)
        assert_true(found[i] > 20 && right[i] > found[i] * 3 / 4);
    results_close(&r);
}

/* Where results lie so near each other that no step is worth a trial. */
static void it_ends_when_it_has_converged(void **state)
{
    (void)state;
    struct results r;
    double u[2];
    results_open(&r, plane_text);
    for (int64_t k = 1; k <= 2 * BOWL_BEST; k++) {
        double at[2] = {0.62 + 1e-8 * (double)k, 0.27};
        bowl_tell(&r.bowl, add(&r, k, at, MARK_VALUE, valley(at)));
    }
    for (int64_t k = 1; k <= ASKED; k++)
        assert_false(bowl_ask(&r.bowl, k, 3, u));
    results_close(&r);
}

static void strange_values_give_points_or_none(void **state)
{
    (void)state;
    static const double losses[] = {0,    -1e308, 1e308, 5e-324, 1e300, 1e308,
                                    1e30, 1e308,  -0.0,  1e-300, 1e200, 3};
    for (size_t equal = 0; equal < 2; equal++) {
        struct results r;
        double u[2];
        results_open(&r, plane_text);
        for (int64_t k = 0; k < 12; k++) {
            double at[2] = {(double)(k % 4) / 3, k < 6 ? NAN : 0.5};
            size_t row = add(&r, k, at, MARK_VALUE, equal ? 1e300 : losses[k]);
            r.history.broken[row] = k % 3 && !equal ? INFINITY : 0;
            bowl_tell(&r.bowl, row);
        }
        for (int64_t k = 1; k <= ASKED; k++)
            if (bowl_ask(&r.bowl, k, 3, u))
                assert_true(u[0] >= 0 && u[0] <= 1 && u[1] >= 0 && u[1] <= 1);
        results_close(&r);
    }
}

/* ---- in a search ------------------------------------------------------ */

enum { TRIALS = 200, OUT = 64 };

static void finish(struct search *s, const struct space *space, int64_t k,
                   const struct value *point, double *best)
{
    double u[2];
    for (size_t i = 0; i < 2; i++)
        u[i] = value_number(value_get(point, space->params[i].name));
    struct result told = {
        .trial = k, .point = point, .state = STATE_DONE, .value = valley(u)};
    search_tell(s, &told);
    *best = fmin(*best, told.value);
}

static double best_with(const char *method, const char *options, size_t out,
                        uint64_t seed)
{
    struct space space = space_of(plane_text, arena);
    struct search_setup given = {
        .space = &space,
        .seed = seed,
        .minimize = true,
        .parallel = (int64_t)out,
        .options = json_parse(arena, str_of(options), "options", false, NULL)};
    struct search *s = search_open(method, &given, NULL);
    struct value *points[TRIALS + OUT];
    double best = INFINITY;
    for (int64_t k = 1; k < TRIALS + (int64_t)out; k++) {
        struct suggestion got;
        assert_int_equal(search_ask(s, k, arena, &got, NULL), SEARCH_HERE);
        points[k] = got.point;
        int64_t ends = k - (int64_t)out + 1;
        if (ends > 0)
            finish(s, &space, ends, points[ends], &best);
    }
    search_free(s);
    return best - 3;
}

static void methods_come_to_the_bottom_whatever_is_out(void **state)
{
    static const char *const methods[] = {"tpe", "cmaes"};
    static const size_t out[] = {1, 2, 8, OUT};
    (void)state;
    for (size_t m = 0; m < 2; m++)
        for (size_t o = 0; o < 4; o++)
            for (uint64_t seed = 0; seed < 5; seed++) {
                double regret = best_with(methods[m], "{}", out[o], seed);
                if (regret > 3e-5)
                    fail_msg("%s, %zu out: %g", methods[m], out[o], regret);
            }
}

static void the_quadratic_can_be_turned_off(void **state)
{
    (void)state;
    double with = 0, without = 0;
    for (uint64_t seed = 0; seed < 5; seed++) {
        with += best_with("tpe", "{\"quadratic\":true}", 1, seed);
        without += best_with("tpe", "{\"quadratic\":false}", 1, seed);
    }
    assert_true(without > 10 * with);
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, setup, teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(it_finds_the_bottom_of_a_valley),
        TEST(it_waits_for_results),
        TEST(it_is_the_same_whatever_is_out),
        TEST(what_it_does_not_foretell_it_keeps_out_of),
        TEST(it_learns_how_strong_noise_is),
        TEST(the_order_of_telling_does_not_matter),
        TEST(failures_and_broken_constraints_push_it_away),
        TEST(each_choice_has_its_own_slope),
        TEST(it_ends_when_it_has_converged),
        TEST(strange_values_give_points_or_none),
        TEST(methods_come_to_the_bottom_whatever_is_out),
        TEST(the_quadratic_can_be_turned_off),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
