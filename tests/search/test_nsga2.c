/* test_nsga2.c - what nsga2 alone must do */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <math.h>
#include <stdlib.h>

#include "search/search.h"
#include "mixed_space.h"
#include "terms/pareto.h"
#include "terms/state.h"

static const bool goals[] = {true, false};

static struct search *open_as(const char *method, uint64_t seed)
{
    struct search_setup given = {.space = &space,
                                 .seed = seed,
                                 .minimize = true,
                                 .objective_count = 2,
                                 .minimize_each = goals};
    struct err err = {0};
    struct search *s = search_open(method, &given, &err);
    if (!s)
        fail_msg("%s", err.text);
    return s;
}

static struct value *ask(struct search *s, int64_t k)
{
    struct suggestion got;
    assert_int_equal(search_ask(s, k, arena, &got, NULL), SEARCH_HERE);
    return got.point;
}

/* Two goals that pull u0 apart, one of them turned round; all others of the
 * parameters are best at 0.35. */
static void objectives_of(const struct value *point, double *values)
{
    double rest = 0, u0 = 0;
    for (size_t i = 0; i < space.count; i++) {
        const struct value *v = point_get(point, &space.params[i]);
        double u = v ? param_position(&space.params[i], v) : 0.6;
        if (str_is(space.params[i].name, "beta"))
            u0 = u;
        else
            rest += (u - 0.35) * (u - 0.35);
    }
    values[0] = rest + u0 * u0;
    values[1] = -(rest + (1 - u0) * (1 - u0));
}

static void tell(struct search *s, int64_t k, const struct value *point,
                 double broken)
{
    double values[2];
    objectives_of(point, values);
    struct result r = {.trial = k,
                       .point = point,
                       .state = STATE_DONE,
                       .value = NAN,
                       .values = values,
                       .value_count = 2,
                       .constraints = &broken,
                       .constraint_count = 1};
    search_tell(s, &r);
}

static double volume_after(const char *method, uint64_t seed, int64_t pending)
{
    enum { TRIALS = 400 };
    struct search *s = open_as(method, seed);
    struct value *points[TRIALS + 1];
    double values[TRIALS * 2], reference[] = {4, 4};
    for (int64_t k = 1; k <= TRIALS; k++) {
        points[k] = ask(s, k);
        assert_point(&space, points[k]);
        double *at = values + 2 * (k - 1);
        objectives_of(points[k], at);
        at[1] = -at[1];
        if (k > pending)
            tell(s, k - pending, points[k - pending], 0);
    }
    search_free(s);
    return pareto_volume(values, TRIALS, 2, reference);
}

static void its_front_is_beyond_that_of_random_points(void **state)
{
    (void)state;
    for (int64_t pending = 0; pending <= 32; pending += 32)
        for (uint64_t seed = 0; seed < 7; seed++)
            assert_true(volume_after("nsga2", seed, pending) >
                        volume_after("random", seed, 0));
}

static void the_order_of_results_does_not_count(void **state)
{
    (void)state;
    enum { MANY = 230 };
    struct search *s = open_as("nsga2", 3), *t = open_as("nsga2", 3);
    struct value *points[MANY + 1];
    for (int64_t k = 1; k <= MANY; k++) {
        points[k] = ask(s, k);
        tell(s, k, points[k], k % 3 ? 0 : 0.5);
    }
    for (int64_t i = 0; i < MANY; i++) {
        int64_t k = 1 + (int64_t)rng_permute(9, (uint64_t)i, MANY);
        tell(t, k, points[k], k % 3 ? 0 : 0.5);
        if (i == 150)
            ask(t, 1000);
    }
    tell(s, 1000, ask(t, 1000), 0);
    tell(t, 1000, ask(t, 1000), 0);
    for (int64_t k = MANY + 1; k <= MANY + 40; k++)
        assert_true(value_eq(ask(s, k), ask(t, k)));
    search_free(s);
    search_free(t);
}

/* One straggler never comes back: the search goes on, and takes its result
 * when it does come. */
static void stragglers_hold_nobody_up(void **state)
{
    (void)state;
    struct search *s = open_as("nsga2", 4), *t = open_as("nsga2", 4);
    struct value *late = NULL;
    double early = 0, end = 0, values[2];
    for (int64_t k = 1; k <= 600; k++) {
        struct value *point = ask(s, k);
        objectives_of(point, values);
        early += k <= 50 ? values[0] - values[1] : 0;
        end += k > 550 ? values[0] - values[1] : 0;
        if (k == 7)
            late = point;
        else
            tell(s, k, point, 0);
        if (k != 7)
            tell(t, k, point, 0);
        else
            tell(t, 7, point, 0);
    }
    assert_true(end < 0.8 * early);
    tell(s, 7, late, 0);
    assert_true(value_eq(ask(s, 601), ask(t, 601)));
    search_free(s);
    search_free(t);
}

/* Where lr is high a constraint is broken. */
static void it_leaves_what_breaks_constraints(void **state)
{
    (void)state;
    struct search *s = open_as("nsga2", 5);
    int first = 0, last = 0;
    for (int64_t k = 1; k <= 500; k++) {
        struct value *point = ask(s, k);
        double lr = log10(value_number(value_get(point, STR("lr"))));
        tell(s, k, point, lr + 4);
        first += k <= 24 && lr > -4;
        last += k > 450 && lr > -4;
    }
    assert_true(first > 12 && last < 10);
    search_free(s);
}

/* A warm start takes the place of the first generation, where it is as
 * large. */
static void results_from_elsewhere_make_a_first_population(void **state)
{
    (void)state;
    enum { GENERATION = 24 };
    struct search *s = open_as("nsga2", 7), *t = open_as("nsga2", 7);
    struct search *from = open_as("random", 8);
    for (int64_t k = 1; k <= GENERATION; k++) {
        assert_true(value_eq(ask(s, k), ask(t, k)));
        tell(t, -k, ask(from, k), 0);
    }
    assert_false(value_eq(ask(s, GENERATION + 1), ask(t, GENERATION + 1)));
    search_free(from);
    search_free(s);
    search_free(t);
}

/* Nobody waits for the end of a generation to learn of what is in it. */
static void a_result_counts_before_its_generation_is_complete(void **state)
{
    (void)state;
    enum { GENERATION = 24 };
    struct search *s = open_as("nsga2", 6), *t = open_as("nsga2", 6);
    bool same = true;
    for (int64_t k = 1; k <= GENERATION + 12; k++) {
        struct value *point = ask(s, k), *other = ask(t, k);
        same &= value_eq(point, other);
        assert_true(same || k > GENERATION + 1);
        tell(s, k, point, 0);
        /* The first of the second generation breaks a constraint. */
        tell(t, k, other, k == GENERATION + 1 ? 5 : 0);
    }
    assert_false(same);
    search_free(s);
    search_free(t);
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, setup_space, teardown)
int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(its_front_is_beyond_that_of_random_points),
        TEST(the_order_of_results_does_not_count),
        TEST(stragglers_hold_nobody_up),
        TEST(it_leaves_what_breaks_constraints),
        TEST(results_from_elsewhere_make_a_first_population),
        TEST(a_result_counts_before_its_generation_is_complete),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
