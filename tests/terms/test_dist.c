/* test_dist.c - every distribution draws what it says
 *
 * Draws have fixed seeds, so a statistic either always passes or never. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/json.h"
#include "base/rng.h"
#include "terms/space.h"
#include "../one_arena.h"

/* A parameter from the members of its text form. */
static struct param param(const char *dist, const char *members)
{
    struct err err = {0};
    struct space s;
    char *text = arena_printf(arena,
                              "{\"version\":1,\"parameters\":[{\"name\":\"x\","
                              "\"distribution\":\"%s\",%s}]}",
                              dist, members);
    struct value *v = json_parse(arena, str_of(text), "t", true, &err);
    assert_non_null(v);
    if (space_from_value(&s, v, arena, &err))
        fail_msg("%s: %s", members, err.text);
    return s.params[0];
}

static int compare(const void *a, const void *b)
{
    const double *x = a, *y = b;
    return (*x > *y) - (*x < *y);
}

typedef double cdf_fn(double x);

/* The largest distance between the draws and their distribution. 20000 draws
 * pass 0.0138 with a probability of 0.001. */
static void assert_distributed(const char *dist, const char *members,
                               cdf_fn *cdf)
{
    enum { N = 20000 };
    static double x[N];
    struct param p = param(dist, members);
    struct rng r;
    double distance = 0;
    rng_init(&r, 11, 1, dist);
    for (int i = 0; i < N; i++) {
        struct value *v = param_at(&p, rng_uniform(&r), arena);
        assert_int_equal(v->kind, VALUE_DOUBLE);
        x[i] = v->d;
    }
    qsort(x, N, sizeof(*x), compare);
    for (int i = 0; i < N; i++) {
        double f = cdf(x[i]);
        assert_true(f >= -1e-12 && f <= 1 + 1e-12);
        distance = fmax(distance, fabs(f - i / (double)N));
        distance = fmax(distance, fabs(f - (i + 1) / (double)N));
    }
    if (distance > 0.0138)
        fail_msg("%s: distance %g", dist, distance);
}

static double uniform_cdf(double x)
{
    return (x + 3) / 10;
}
static double log_cdf(double x)
{
    return (log(x) + 9) / 7; /* exponents -9 to -2 */
}
static double log_values_cdf(double x)
{
    return log(x / 1e-5) / log(1e4); /* 1e-5 to 0.1 */
}
static double inv_log_cdf(double x)
{
    return 1 - (log(1 / x) - 1) / 4; /* exponents 1 to 5 of 1/x */
}
static double normal_test_cdf(double x)
{
    return 0.5 * erfc(-(x - 2) / 3 / sqrt(2));
}
static double log_normal_cdf(double x)
{
    return normal_test_cdf(log(x));
}
static double arcsine_cdf(double x)
{
    return 2 / M_PI * asin(sqrt(x));
}
static double beta23_cdf(double x)
{
    return x * x * (6 - 8 * x + 3 * x * x);
}

static void continuous_draws_follow_their_distribution(void **state)
{
    (void)state;
    assert_distributed("uniform", "\"min\":-3,\"max\":7", uniform_cdf);
    assert_distributed("log_uniform", "\"min\":-9,\"max\":-2", log_cdf);
    assert_distributed("log_uniform_values", "\"min\":1e-5,\"max\":0.1",
                       log_values_cdf);
    assert_distributed("inv_log_uniform", "\"min\":1,\"max\":5", inv_log_cdf);
    assert_distributed("inv_log_uniform_values", "\"min\":1e-5,\"max\":0.1",
                       log_values_cdf);
    assert_distributed("normal", "\"mu\":2,\"sigma\":3", normal_test_cdf);
    assert_distributed("log_normal", "\"mu\":2,\"sigma\":3", log_normal_cdf);
    assert_distributed("beta", "\"a\":0.5,\"b\":0.5", arcsine_cdf);
    assert_distributed("beta", "\"a\":2,\"b\":3", beta23_cdf);
}

/* Chi-square of the counts of values first, first + step, … against their
 * probabilities; 3 standard deviations above its mean would be rare. */
static void assert_counts(const struct param *p, double first, double step,
                          const double *probabilities, int cells)
{
    enum { N = 50000 };
    struct rng r;
    double counts[32] = {0}, chi = 0;
    rng_init(&r, 12, 1, "chi");
    for (int i = 0; i < N; i++) {
        struct value *v = param_at(p, rng_uniform(&r), arena);
        double cell = (value_number(v) - first) / step;
        assert_true(fabs(cell - rint(cell)) < 1e-9);
        assert_true(rint(cell) >= 0 && rint(cell) < cells);
        counts[(int)rint(cell)]++;
    }
    for (int i = 0; i < cells; i++) {
        double want = N * probabilities[i];
        if (want == 0)
            assert_true(counts[i] == 0);
        else
            chi += (counts[i] - want) * (counts[i] - want) / want;
    }
    if (chi > cells + 3 * sqrt(2.0 * cells))
        fail_msg("chi-square %g over %d cells", chi, cells);
}

static void lists_and_integers_are_drawn_as_often_as_they_should(void **state)
{
    (void)state;
    const double equal[] = {0.25, 0.25, 0.25, 0.25};
    struct param p = param("categorical", "\"values\":[0,1,2,3]");
    assert_counts(&p, 0, 1, equal, 4);
    const double biased[] = {0.1, 0, 0.6, 0.3};
    p = param("categorical_w_probabilities",
              "\"values\":[0,1,2,3],\"probabilities\":[0.1,0,0.6,0.3]");
    assert_counts(&p, 0, 1, biased, 4);
    const double ten[] = {.1, .1, .1, .1, .1, .1, .1, .1, .1, .1};
    p = param("int_uniform", "\"min\":-4,\"max\":5");
    assert_counts(&p, -4, 1, ten, 10);
}

static void rounded_draws_fall_on_multiples_of_q(void **state)
{
    (void)state;
    /* Half a cell at either end. */
    const double cells[] = {.125, .25, .25, .25, .125};
    struct param p = param("q_uniform", "\"min\":0,\"max\":1,\"q\":0.25");
    assert_counts(&p, 0, 0.25, cells, 5);
    p = param("q_uniform", "\"min\":0,\"max\":8,\"q\":2");
    assert_counts(&p, 0, 2, cells, 5);
    const double logs[] = {log(1.5) / log(4), log(2.5 / 1.5) / log(4),
                           log(3.5 / 2.5) / log(4), log(4 / 3.5) / log(4)};
    p = param("q_log_uniform_values", "\"min\":1,\"max\":4,\"q\":1");
    assert_counts(&p, 1, 1, logs, 4);
    const double beta[] = {.25, .5, .25};
    p = param("q_beta", "\"a\":1,\"b\":1,\"q\":0.5");
    assert_counts(&p, 0, 0.5, beta, 3);
}

static void multiples_of_q_are_the_numbers_that_people_write(void **state)
{
    (void)state;
    static const struct {
        const char *members;
        double u;
        double x;
    } cases[] = {
        {"\"min\":0,\"max\":1,\"q\":0.1", 0.3, 0.3},
        {"\"min\":0,\"max\":1,\"q\":0.1", 0.7, 0.7},
        {"\"min\":0,\"max\":3,\"q\":1e-05", 0.1, 0.3},
        {"\"min\":0,\"max\":0.09,\"q\":0.005", 0.388, 0.035},
        {"\"min\":-1,\"max\":0,\"q\":0.1", 0.7, -0.3},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct param p = param("q_uniform", cases[i].members);
        assert_true(param_at(&p, cases[i].u, arena)->d == cases[i].x);
    }
}

static void an_integer_q_gives_integers(void **state)
{
    (void)state;
    static const char *const bounds[] = {
        [DIST_Q_UNIFORM] = "\"min\":0.5,\"max\":90.5",
        [DIST_Q_LOG_UNIFORM] = "\"min\":0,\"max\":5",
        [DIST_Q_LOG_UNIFORM_VALUES] = "\"min\":1,\"max\":500",
        [DIST_Q_NORMAL] = "\"mu\":0,\"sigma\":10",
        [DIST_Q_LOG_NORMAL] = "\"mu\":1,\"sigma\":2",
        [DIST_Q_BETA] = "\"a\":2,\"b\":2"};
    for (int d = 0; d <= DIST_Q_BETA; d++) {
        if (!bounds[d])
            continue;
        char text[100];
        snprintf(text, sizeof(text), "%s,\"q\":5", bounds[d]);
        struct param whole = param(dist_name((enum dist)d), text);
        snprintf(text, sizeof(text), "%s,\"q\":5.0", bounds[d]);
        struct param real = param(dist_name((enum dist)d), text);
        for (int i = 0; i < 50; i++) {
            struct value *v = param_at(&whole, i / 50.0, arena);
            struct value *w = param_at(&real, i / 50.0, arena);
            assert_int_equal(v->kind, VALUE_INT);
            assert_int_equal(w->kind, VALUE_DOUBLE);
            assert_int_equal(v->i % 5, 0);
            assert_true((double)v->i == w->d);
        }
    }
}

static void rounding_is_half_to_even_and_never_minus_zero(void **state)
{
    (void)state;
    struct param p = param("q_uniform", "\"min\":0,\"max\":4,\"q\":1");
    assert_int_equal(param_at(&p, 0.125, arena)->i, 0);
    assert_int_equal(param_at(&p, 0.375, arena)->i, 2);
    assert_int_equal(param_at(&p, 0.625, arena)->i, 2);
    p = param("q_uniform", "\"min\":-0.2,\"max\":0.2,\"q\":1.0");
    assert_false(signbit(param_at(&p, 0.1, arena)->d));
}

static const struct {
    const char *dist, *members;
} every[] = {
    {"constant", "\"value\":[1,\"a\"]"},
    {"categorical", "\"values\":[\"a\",2,null,{\"x\":1}]"},
    {"categorical", "\"values\":[1,2,3],\"probabilities\":[0.2,0.5,0.3]"},
    {"int_uniform", "\"min\":-3,\"max\":17"},
    {"int_uniform", "\"min\":5,\"max\":5"},
    {"uniform", "\"min\":-1.5,\"max\":2.5"},
    {"uniform", "\"min\":-1.5e308,\"max\":1.5e308"},
    {"q_uniform", "\"min\":0.3,\"max\":9.7,\"q\":0.1"},
    {"q_uniform", "\"min\":1,\"max\":9,\"q\":4"},
    {"log_uniform", "\"min\":-9,\"max\":0"},
    {"log_uniform", "\"min\":-2000,\"max\":2000"},
    {"q_log_uniform", "\"min\":0,\"max\":6,\"q\":3"},
    {"log_uniform_values", "\"min\":1e-6,\"max\":1"},
    {"q_log_uniform_values", "\"min\":0.01,\"max\":10,\"q\":0.05"},
    {"inv_log_uniform", "\"min\":1,\"max\":9"},
    {"inv_log_uniform_values", "\"min\":1e-6,\"max\":1"},
    {"normal", "\"mu\":1,\"sigma\":0.1"},
    {"q_normal", "\"mu\":0,\"sigma\":2,\"q\":0.5"},
    {"log_normal", "\"mu\":0,\"sigma\":1"},
    {"log_normal", "\"mu\":0,\"sigma\":500"},
    {"q_log_normal", "\"mu\":2,\"sigma\":1,\"q\":2"},
    {"beta", "\"a\":2,\"b\":5"},
    {"q_beta", "\"a\":0.3,\"b\":0.3,\"q\":0.1"},
};
enum { EVERY = sizeof(every) / sizeof(*every) };

static void draws_rise_with_u_and_stay_finite(void **state)
{
    (void)state;
    for (int d = 0; d < EVERY; d++) {
        struct param p = param(every[d].dist, every[d].members);
        double before = -INFINITY;
        for (int i = 0; i <= 2000; i++) {
            struct value *v = param_at(&p, i / 2000.0, arena);
            assert_non_null(v);
            if (!value_is_number(v))
                continue;
            assert_true(isfinite(value_number(v)));
            assert_true(value_number(v) >= before);
            before = value_number(v);
        }
    }
}

static void the_position_of_a_draw_leads_back_to_it(void **state)
{
    (void)state;
    struct rng r;
    rng_init(&r, 13, 1, "position");
    for (int d = 0; d < EVERY; d++) {
        struct param p = param(every[d].dist, every[d].members);
        for (int i = 0; i < 500; i++) {
            struct value *v = param_at(&p, rng_uniform(&r), arena);
            double u = param_position(&p, v);
            if (!(u >= 0 && u < 1))
                fail_msg("%s %s: position %g", every[d].dist, every[d].members,
                         u);
            struct value *w = param_at(&p, u, arena);
            double x = value_number(v), y = value_number(w);
            if (!value_eq(v, w) && !(fabs(x - y) <= 1e-9 * fabs(x)))
                fail_msg("%s %s: %.17g came back as %.17g", every[d].dist,
                         every[d].members, x, y);
        }
    }
}

static void assert_outside(const char *dist, const char *members,
                           const char *json)
{
    struct param p = param(dist, members);
    struct value *v = json_parse(arena, str_of(json), "t", true, NULL);
    assert_non_null(v);
    if (param_position(&p, v) != -1)
        fail_msg("%s %s holds %s", dist, members, json);
}

static void values_outside_have_no_position(void **state)
{
    (void)state;
    assert_outside("constant", "\"value\":1", "2");
    assert_outside("categorical", "\"values\":[1,\"a\"]", "\"b\"");
    assert_outside("categorical", "\"values\":[1,2],\"probabilities\":[1,0]",
                   "2");
    assert_outside("int_uniform", "\"min\":0,\"max\":3", "4");
    assert_outside("int_uniform", "\"min\":0,\"max\":3", "1.5");
    assert_outside("int_uniform", "\"min\":0,\"max\":3", "\"1\"");
    assert_outside("uniform", "\"min\":0,\"max\":3", "3.1");
    assert_outside("uniform", "\"min\":0,\"max\":3", "NaN");
    assert_outside("uniform", "\"min\":0,\"max\":3", "true");
    assert_outside("q_uniform", "\"min\":0,\"max\":4,\"q\":2", "3");
    assert_outside("q_uniform", "\"min\":0,\"max\":4,\"q\":2", "6");
    assert_outside("log_normal", "\"mu\":0,\"sigma\":1", "-1");
    assert_outside("beta", "\"a\":2,\"b\":2", "1.01");
    assert_outside("log_uniform_values", "\"min\":1,\"max\":2", "0");
}

static void the_ends_of_bounds_are_inside(void **state)
{
    (void)state;
    struct param p = param("uniform", "\"min\":0,\"max\":3");
    assert_true(param_position(&p, value_int(arena, 0)) == 0);
    double last = param_position(&p, value_int(arena, 3));
    assert_true(last > 0.999999 && last < 1);
    /* A grid begins at min, on a multiple of q or not. */
    p = param("q_uniform", "\"min\":1,\"max\":9,\"q\":4");
    assert_true(param_position(&p, value_int(arena, 5)) == 0.5);
}

static void distributions_read_back_from_their_names(void **state)
{
    (void)state;
    for (int i = 0; i < DIST_COUNT; i++) {
        enum dist d = DIST_COUNT;
        assert_true(dist_parse(str_of(dist_names[i]), &d));
        assert_int_equal(d, i);
        assert_string_equal(dist_name(d), dist_names[i]);
    }
    enum dist d;
    assert_null(dist_names[DIST_COUNT]);
    assert_true(dist_parse(STR("categorical_w_probabilities"), &d));
    assert_int_equal(d, DIST_CATEGORICAL);
    assert_false(dist_parse(STR("gauss"), &d));
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, setup, teardown)
int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(continuous_draws_follow_their_distribution),
        TEST(lists_and_integers_are_drawn_as_often_as_they_should),
        TEST(rounded_draws_fall_on_multiples_of_q),
        TEST(multiples_of_q_are_the_numbers_that_people_write),
        TEST(an_integer_q_gives_integers),
        TEST(rounding_is_half_to_even_and_never_minus_zero),
        TEST(draws_rise_with_u_and_stay_finite),
        TEST(the_position_of_a_draw_leads_back_to_it),
        TEST(values_outside_have_no_position),
        TEST(the_ends_of_bounds_are_inside),
        TEST(distributions_read_back_from_their_names),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
