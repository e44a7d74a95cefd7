/* test_importance.c - what results say about parameters */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <math.h>

#include "search/search.h"
#include "spaces.h"

static struct arena *arena;
static struct space space;

/* big counts 10 times what small does, none nothing; kind two thirds of the
 * rest; inner only where kind is "b". */
static const char text[] = "{\"version\":1,\"parameters\":["
    /* clang-format off */
    PARAM("big", "uniform", "\"min\":0,\"max\":1") ","
    PARAM("fixed", "constant", "\"value\":3") ","
    PARAM("inner", "uniform", "\"min\":0,\"max\":1," WHEN("kind", "\"b\"")) ","
    PARAM("kind", "categorical", "\"values\":[\"a\",\"b\",\"c\"]") ","
    PARAM("none", "uniform", "\"min\":0,\"max\":1") ","
    PARAM("small", "log_uniform_values", "\"min\":0.001,\"max\":1")
    /* clang-format on */
    "]}";
enum { BIG, FIXED, INNER, KIND, NONE, SMALL, PARAMS };

static int setup(void **state)
{
    (void)state;
    arena = arena_new();
    space = space_of(text, arena);
    return 0;
}

static int teardown(void **state)
{
    (void)state;
    arena_free(arena);
    return 0;
}

static double u_of(const struct value *point, size_t i)
{
    const struct value *v = point_get(point, &space.params[i]);
    return v ? param_position(&space.params[i], v) : NAN;
}

static double objective(const struct value *point)
{
    double inner = u_of(point, INNER);
    double kind = floor(3 * u_of(point, KIND));
    return 3 * u_of(point, BIG) + 0.3 * u_of(point, SMALL) + 0.6 * (kind == 0) +
           (isnan(inner) ? 0 : 0.1 * inner);
}

static struct importance *results(int count, bool minimize)
{
    struct importance *i = importance_new(&space, minimize, NULL);
    for (int k = 0; k < count; k++) {
        struct rng r;
        rng_init(&r, 4, (uint64_t)k, "results");
        struct value *point = space_sample(&space, &r, arena);
        double value = objective(point);
        importance_add(i, point, minimize ? value : -value);
    }
    importance_add(i, space_sample(&space, &(struct rng){0}, arena), NAN);
    assert_int_equal(importance_count(i), count);
    return i;
}

static void assert_order(const double *shares)
{
    assert_true(shares[BIG] > 4 * shares[KIND]);
    assert_true(shares[KIND] > 1.5 * shares[NONE]);
    assert_true(shares[BIG] > 10 * shares[NONE]);
    assert_true(shares[FIXED] == 0);
    for (size_t i = 0; i < PARAMS; i++)
        assert_true(shares[i] >= 0 && shares[i] <= 1);
}

static void the_parameter_that_counts_comes_first(void **state)
{
    (void)state;
    for (int minimize = 0; minimize < 2; minimize++) {
        struct importance *i = results(1000, minimize);
        double ped[PARAMS], fanova[PARAMS], sum = 0;
        assert_int_equal(importance_ped(i, ped, NULL), 0);
        assert_int_equal(importance_fanova(i, 1, fanova, NULL), 0);
        assert_order(ped);
        assert_order(fanova);
        for (size_t p = 0; p < PARAMS; p++)
            sum += ped[p];
        assert_true(fabs(sum - 1) < 1e-9);
        importance_free(i);
    }
}

/* The objective is a sum: of its variance big has 0.75, kind 0.08, small and
 * inner next to nothing, and effects together none. */
static void shares_of_the_variance_are_right(void **state)
{
    (void)state;
    struct importance *i = results(3000, true);
    double shares[PARAMS], sum = 0;
    assert_int_equal(importance_fanova(i, 1, shares, NULL), 0);
    assert_true(fabs(shares[BIG] - 0.895) < 0.05);
    assert_true(fabs(shares[KIND] - 0.09) < 0.04);
    assert_true(shares[NONE] < 0.01);
    for (size_t p = 0; p < PARAMS; p++)
        sum += shares[p];
    assert_true(sum > 0.9 && sum <= 1.0001);
    importance_free(i);
}

/* ---- functions whose shares are known --------------------------------- */

static const char unit_text[] = "{\"version\":1,\"parameters\":["
    /* clang-format off */
    PARAM("a", "uniform", "\"min\":0,\"max\":1") ","
    PARAM("b", "uniform", "\"min\":0,\"max\":1") ","
    PARAM("c", "uniform", "\"min\":0,\"max\":1") ","
    PARAM("d", "categorical", "\"values\":[0,1,2]")
    /* clang-format on */
    "]}";

/* The variance of a is 1/12, that of (b - 1/2)^2 is 1/180. */
static double with_a_valley(const double *x)
{
    return x[0] + sqrt(15 * 0.195 / 0.805) * pow(x[1] - 0.5, 2);
}

static double with_two_valleys(const double *x)
{
    return 2 * fabs(x[0] - 0.5) + 2 * fabs(x[1] - 0.5) + 2 * (x[3] == 1);
}

/* E(ab | a) = a/2: of 7/144 each alone has 1/48, the rest is of both. */
static double product(const double *x)
{
    return x[0] * x[1];
}

/* Ishigami and Homma (1990), with 7 and 0.1. */
static double ishigami(const double *x)
{
    double z[3];
    for (int i = 0; i < 3; i++)
        z[i] = M_PI * (2 * x[i] - 1);
    return sin(z[0]) + 7 * pow(sin(z[1]), 2) + 0.1 * pow(z[2], 4) * sin(z[0]);
}

static void exact_shares_are_found(void **state)
{
    static const struct {
        const char *name;
        double (*f)(const double *x);
        int results;
        double shares[4];
    } cases[] = {
        {"with_a_valley", with_a_valley, 300, {0.805, 0.195, 0, 0}},
        {"with_two_valleys",
         with_two_valleys,
         300,
         {3.0 / 38, 3.0 / 38, 0, 32.0 / 38}},
        {"product", product, 300, {3.0 / 7, 3.0 / 7, 0, 0}},
        {"ishigami", ishigami, 1000, {0.3139, 0.4424, 0, 0}},
    };
    (void)state;
    struct space units = space_of(unit_text, arena);
    for (size_t c = 0; c < sizeof(cases) / sizeof(*cases); c++) {
        struct importance *i = importance_new(&units, true, NULL);
        double shares[4], x[4];
        for (int k = 0; k < cases[c].results; k++) {
            struct rng r;
            rng_init(&r, 4, (uint64_t)k, "results");
            struct value *point = space_sample(&units, &r, arena);
            for (size_t p = 0; p < 4; p++)
                x[p] = value_number(point_get(point, &units.params[p]));
            importance_add(i, point, cases[c].f(x));
        }
        assert_int_equal(importance_fanova(i, 1, shares, NULL), 0);
        for (size_t p = 0; p < 4; p++)
            if (fabs(shares[p] - cases[c].shares[p]) > 0.02)
                fail_msg("%s of %s: %.3f, not %.3f", units.params[p].name.p,
                         cases[c].name, shares[p], cases[c].shares[p]);
        importance_free(i);
    }
}

static void a_curve_follows_the_objective(void **state)
{
    (void)state;
    struct importance *i = results(1000, true);
    struct importance_cell *cells;
    size_t count;
    assert_int_equal(importance_curve(i, BIG, 1, arena, &cells, &count, NULL),
                     0);
    assert_true(count > 8);
    assert_true(cells[count - 1].mean - cells[0].mean > 2);
    assert_int_equal(cells[0].region, REGION_GOOD);
    assert_int_equal(cells[count - 1].region, REGION_BAD);
    assert_true(value_number(cells[0].from) == 0);
    assert_true(fabs(value_number(cells[count - 1].to) - 1) < 1e-9);
    assert_int_equal(importance_curve(i, KIND, 1, arena, &cells, &count, NULL),
                     0);
    assert_int_equal(count, 3);
    assert_true(str_is(value_text(cells[0].from), "a"));
    assert_true(cells[0].mean > cells[1].mean + 0.3);
    assert_true(cells[0].mean > cells[2].mean + 0.3);
    assert_int_equal(importance_curve(i, FIXED, 1, arena, &cells, &count, NULL),
                     0);
    assert_int_equal(count, 0);
    importance_free(i);
}

static void too_few_results_say_nothing(void **state)
{
    (void)state;
    struct importance *i = results(9, true);
    struct err err = {0};
    double shares[PARAMS];
    assert_int_equal(importance_ped(i, shares, &err), -1);
    assert_non_null(strstr(err.text, "9 results have a value; 10 are needed"));
    assert_int_equal(importance_fanova(i, 1, shares, &err), -1);
    importance_free(i);
}

/* All the same, or wildly apart: no parameter is blamed, nothing breaks. */
static void odd_values_are_taken(void **state)
{
    (void)state;
    static const double odd[] = {1, 1e308, -1e308, 1};
    for (int kind = 0; kind < 2; kind++) {
        struct importance *i = importance_new(&space, true, NULL);
        double shares[PARAMS];
        for (int k = 0; k < 40; k++) {
            struct rng r;
            rng_init(&r, 4, (uint64_t)k, "results");
            importance_add(i, space_sample(&space, &r, arena),
                           kind ? odd[k % 4] : 2);
        }
        assert_int_equal(importance_ped(i, shares, NULL), 0);
        assert_int_equal(importance_fanova(i, 1, shares, NULL), 0);
        for (size_t p = 0; p < PARAMS; p++)
            assert_true(shares[p] >= 0 && shares[p] <= 1.000001);
        importance_free(i);
    }
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, setup, teardown)
int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(the_parameter_that_counts_comes_first),
        TEST(shares_of_the_variance_are_right),
        TEST(exact_shares_are_found),
        TEST(a_curve_follows_the_objective),
        TEST(too_few_results_say_nothing),
        TEST(odd_values_are_taken),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
