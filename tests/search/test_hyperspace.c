/* test_hyperspace.c - sub-spaces, and the searches of them */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <math.h>
#include <stdlib.h>

#include "search/hyperspace_split.h"
#include "search/search.h"
#include "../one_arena.h"
#include "spaces.h"
#include "terms/state.h"

/* ---- splits ----------------------------------------------------------- */

/* Both halves as text: "0..6 4..10". */
static const char *halves_of_number(enum dist dist, double min, double max,
                                    double phi, bool own_scale)
{
    struct param p = {.name = STR("x"), .dist = dist, .min = min, .max = max};
    struct param low = split_half(&p, phi, true, own_scale, arena);
    struct param high = split_half(&p, phi, false, own_scale, arena);
    return arena_printf(arena, "%g..%g %g..%g", low.min, low.max, high.min,
                        high.max);
}

static void numbers_are_halved_as_hyperspace_does(void **state)
{
    (void)state;
    static const struct {
        enum dist dist;
        double min, max, phi;
        const char *halves;
    } cases[] = {
        {DIST_INT_UNIFORM, 0, 10, 0.25, "0..6 4..10"},
        {DIST_INT_UNIFORM, 0, 10, 0, "0..5 5..10"},
        {DIST_INT_UNIFORM, 0, 10, 1, "0..10 0..10"},
        {DIST_INT_UNIFORM, 0, 1, 0.25, "0..0 1..1"},
        {DIST_INT_UNIFORM, 0, 1, 0, "0..0 1..1"},
        {DIST_INT_UNIFORM, 0, 1, 1, "0..1 0..1"},
        {DIST_INT_UNIFORM, 16, 512, 0.25, "16..326 202..512"},
        {DIST_INT_UNIFORM, 16, 512, 0, "16..264 264..512"},
        {DIST_UNIFORM, 0, 10, 0.25, "0..6.25 3.75..10"},
        {DIST_UNIFORM, 0, 10, 0, "0..5 5..10"},
        {DIST_UNIFORM, 0, 10, 1, "0..10 0..10"},
        {DIST_UNIFORM, -5, 5, 0.25, "-5..1.25 -1.25..5"},
        {DIST_UNIFORM, -5, 5, 0, "-5..0 0..5"},
        {DIST_LOG_UNIFORM_VALUES, 1, 101, 0, "1..51 51..101"},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++)
        assert_string_equal(halves_of_number(cases[i].dist, cases[i].min,
                                             cases[i].max, cases[i].phi, false),
                            cases[i].halves);
    assert_string_equal(
        halves_of_number(DIST_LOG_UNIFORM_VALUES, 0.01, 100, 0, true),
        "0.01..1 1..100");
}

/* The choices of both halves: "abc bcd". */
static const char *halves_of_choices(const char *all, double phi)
{
    struct value *values = value_list(arena);
    char text[2][32] = {{0}};
    for (size_t i = 0; all[i]; i++)
        value_list_add(arena, values, value_string(arena, str_n(all + i, 1)));
    struct param p = {
        .name = STR("x"), .dist = DIST_CATEGORICAL, .values = values};
    for (int low = 0; low < 2; low++) {
        struct param half = split_half(&p, phi, low, false, arena);
        for (size_t i = 0; i < half.values->count; i++)
            text[low][i] = value_text(half.values->items[i]).p[0];
    }
    return arena_printf(arena, "%s %s", text[1], text[0]);
}

/* As HyperSpace does; but that loses the middle of an odd number without
 * overlap, and all of a single choice. */
static void choices_are_halved_and_none_is_lost(void **state)
{
    (void)state;
    static const struct {
        const char *all;
        double phi;
        const char *halves;
    } cases[] = {
        {"abcd", 0.25, "abc bcd"}, {"abcd", 0, "ab cd"},
        {"abcd", 1, "abcd abcd"},  {"abcde", 0.25, "abc cde"},
        {"abcde", 0, "abc de"},    {"abcde", 1, "abcd bcde"},
        {"abc", 0.25, "ab bc"},    {"abc", 0, "ab c"},
        {"abc", 1, "ab bc"},       {"a", 0.25, "a a"},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++)
        assert_string_equal(halves_of_choices(cases[i].all, cases[i].phi),
                            cases[i].halves);
}

/* ---- searches --------------------------------------------------------- */

static const char plane_text[] = "{\"version\":1,\"parameters\":["
    /* clang-format off */
    PARAM("n", "int_uniform", "\"min\":0,\"max\":10") ","
    PARAM("x", "uniform", "\"min\":0,\"max\":10")
    /* clang-format on */
    "]}";

static struct search *open_with(const struct space *space, const char *options,
                                struct err *err)
{
    struct search_setup given = {
        .space = space,
        .seed = 5,
        .minimize = true,
        .options = json_parse(arena, str_of(options), "o", true, NULL)};
    return search_open("hyperspace", &given, err);
}

static struct search *must_open(const struct space *space, const char *options)
{
    struct err err = {0};
    struct search *s = open_with(space, options, &err);
    if (!s)
        fail_msg("%s: %s", options, err.text);
    return s;
}

static struct value *ask(struct search *s, int64_t k)
{
    struct suggestion got;
    assert_int_equal(search_ask(s, k, arena, &got, NULL), SEARCH_HERE);
    return got.point;
}

static void tell(struct search *s, int64_t k, const struct value *point,
                 double value)
{
    struct result r = {
        .trial = k, .point = point, .state = STATE_DONE, .value = value};
    search_tell(s, &r);
}

/* Sub-space 0 is high in everything; bit 0 is n's low half, bit 1 x's. */
static void trials_go_round_the_sub_spaces(void **state)
{
    (void)state;
    static const char *const inner[] = {"random", "tpe", "cmaes",
                                        "forest", "ga",  "gp"};
    struct space space = space_of(plane_text, arena);
    for (size_t i = 0; i < sizeof(inner) / sizeof(*inner); i++) {
        struct search *s = must_open(
            &space, arena_printf(arena, "{\"method\":\"%s\"}", inner[i]));
        for (int64_t k = 1; k <= 100; k++) {
            struct value *point = ask(s, k);
            double n = value_number(value_get(point, STR("n")));
            double x = value_number(value_get(point, STR("x")));
            assert_true((k - 1) & 1 ? n <= 6 : n >= 4);
            assert_true((k - 1) & 2 ? x <= 6.25 : x >= 3.75);
            assert_point(&space, point);
            tell(s, k, point, (n - 5) * (n - 5) + x);
        }
        search_free(s);
    }
}

/* The highest lr of the sub-spaces with its low half. */
static double highest_low(const char *options, int64_t version)
{
    struct space space =
        space_of("{\"version\":1,\"parameters\":[" PARAM(
                     "lr", "log_uniform_values", "\"min\":1e-4,\"max\":1") "]}",
                 arena);
    struct search_setup given = {
        .space = &space,
        .version = version,
        .minimize = true,
        .options = json_parse(arena, str_of(options), "o", true, NULL)};
    struct search *s = search_open("hyperspace", &given, NULL);
    double highest = 0;
    assert_non_null(s);
    for (int64_t k = 2; k <= 400; k += 2)
        highest = fmax(highest, value_number(value_get(ask(s, k), STR("lr"))));
    search_free(s);
    return highest;
}

/* Linearly the half of 1e-4 … 1 ends at 0.625, on its logarithms at
 * 1e-4^(3/8). */
static void logarithms_are_halved_unless_asked_otherwise(void **state)
{
    (void)state;
    assert_true(highest_low("{\"method\":\"random\"}", 0) < 0.0317);
    assert_true(highest_low("{\"method\":\"random\"}", 1) > 0.4);
    double linear =
        highest_low("{\"method\":\"random\",\"scale\":\"linear\"}", 0);
    assert_true(linear > 0.4 && linear <= 0.625);
}

static void mixed_spaces_are_taken_in_any_order_of_results(void **state)
{
    (void)state;
    enum { MANY = 200 };
    struct space space = space_of(mixed_text, arena);
    static const char *const options[] = {
        "{\"dimensions\":[\"lr\",\"opt\",\"deep\"],\"shared\":true}",
        ("{\"dimensions\":[\"wide\",\"nest\"],\"scale\":\"own\","
         "\"method\":\"nsga2\",\"options\":{\"population\":8}}"),
        "{}"};
    for (size_t o = 0; o < 3; o++) {
        struct search *s = must_open(&space, options[o]);
        struct search *t = must_open(&space, options[o]);
        struct value *points[MANY + 1];
        for (int64_t k = 1; k <= MANY; k++) {
            points[k] = ask(s, k);
            assert_point(&space, points[k]);
            assert_true(value_eq(points[k], ask(t, k)));
        }
        for (int64_t i = 0; i < MANY; i++) {
            int64_t k = 1 + (int64_t)rng_permute(9, (uint64_t)i, MANY);
            double lr = value_number(value_get(points[k], STR("lr")));
            tell(s, k, points[k], lr);
            lr = value_number(value_get(points[i + 1], STR("lr")));
            tell(t, i + 1, points[i + 1], lr);
        }
        for (int64_t k = MANY + 1; k <= MANY + 30; k++)
            assert_true(value_eq(ask(s, k), ask(t, k)));
        search_free(s);
        search_free(t);
    }
}

/* What a neighbour found in the overlap moves a search that shares. */
static void shared_results_reach_the_neighbours(void **state)
{
    (void)state;
    struct space space = space_of(plane_text, arena);
    int differ = 0;
    for (int shared = 0; shared < 2; shared++) {
        const char *options = shared ? "{}" : "{\"shared\":false}";
        struct search *s = must_open(&space, options);
        struct search *t = must_open(&space, options);
        for (int64_t k = 1; k <= 120; k++) {
            struct value *p = ask(s, k), *q = ask(t, k);
            double x = value_number(value_get(p, STR("x")));
            double y = value_number(value_get(q, STR("x")));
            /* Only sub-space 0 fares differently. */
            tell(s, k, p, k % 4 == 1 ? -100 - x : x);
            tell(t, k, q, k % 4 == 1 ? 100 + y : y);
            differ += k % 4 != 1 && shared && !value_eq(p, q);
            assert_true(k % 4 == 1 || shared || value_eq(p, q));
        }
        search_free(s);
        search_free(t);
    }
    assert_true(differ > 10);
}

/* The mean of the first points, with results from elsewhere and without. */
static double first_points(bool warm)
{
    struct space space = space_of(plane_text, arena);
    struct search *s = must_open(&space, "{}");
    struct rng rng;
    double sum = 0;
    rng_init(&rng, 1, 2, "foreign");
    for (int64_t i = 1; warm && i <= 80; i++) {
        struct value *point = space_sample(&space, &rng, arena);
        tell(s, -i, point, fabs(value_number(value_get(point, STR("x"))) - 5));
    }
    for (int64_t k = 1; k <= 24; k++) {
        struct value *point = ask(s, k);
        double value = fabs(value_number(value_get(point, STR("x"))) - 5);
        sum += value / 24;
        tell(s, k, point, value);
    }
    search_free(s);
    return sum;
}

static void results_from_elsewhere_teach_every_sub_space(void **state)
{
    (void)state;
    assert_true(first_points(true) < 0.8 * first_points(false));
}

/* Grids of 4, 6, 6 and 9 points: all of them come, none behind. */
static void searches_that_end_leave_the_others(void **state)
{
    (void)state;
    static const char text[] = "{\"version\":1,\"parameters\":["
        /* clang-format off */
        PARAM("a", "categorical", "\"values\":[1,2,3,4,5]") ","
        PARAM("b", "categorical", "\"values\":[1,2,3,4,5]")
        /* clang-format on */
        "]}";
    struct space space = space_of(text, arena);
    struct search *s = must_open(&space, "{\"method\":\"grid\",\"phi\":0}");
    struct suggestion got;
    int seen[6][6] = {{0}};
    assert_int_equal(search_total(s), 25);
    for (int64_t k = 1; k <= 25; k++) {
        struct value *point = ask(s, k);
        seen[value_get(point, STR("a"))->i][value_get(point, STR("b"))->i]++;
        tell(s, k, point, 1);
    }
    for (int a = 1; a <= 5; a++)
        for (int b = 1; b <= 5; b++)
            assert_int_equal(seen[a][b], 1);
    assert_int_equal(search_ask(s, 26, arena, &got, NULL), SEARCH_END);
    search_free(s);
}

static void options_are_checked(void **state)
{
    (void)state;
    static const struct {
        const char *options, *error;
    } cases[] = {
        {"{\"method\":\"points\"}", "cannot search a sub-space"},
        {"{\"method\":\"pbt\"}", "cannot search a sub-space"},
        {"{\"method\":\"tpf\"}", "hyperspace: there is no method tpf"},
        {"{\"phi\":2}", "phi of 'act' must be a number from 0 to 1"},
        {"{\"phi\":{\"nix\":0.5}}", "phi names 'nix'"},
        {"{\"dimensions\":[\"nix\"]}", "names 'nix', which is no parameter"},
        {"{\"dimensions\":[\"noise\"]}", "'noise' cannot be split"},
        {"{\"dimensions\":[\"lr\",\"lr\"]}", "names 'lr' twice"},
        {"{\"options\":{\"candidate\":1}}", "did you mean candidates?"},
    };
    struct space space = space_of(mixed_text, arena);
    for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
        struct err err = {0};
        assert_null(open_with(&space, cases[i].options, &err));
        if (!strstr(err.text, cases[i].error))
            fail_msg("%s: %s", cases[i].options, err.text);
    }
}

/* What the method itself refuses is refused in sub-spaces too. */
static void an_order_that_would_wait_for_ever_is_refused(void **state)
{
    (void)state;
    struct space space = space_of(plane_text, arena);
    struct err err = {0};
    struct search_setup given = {
        .space = &space,
        .order = SEARCH_LAG,
        .lag = 4,
        .options = json_parse(arena,
                              STR("{\"method\":\"ga\",\"options\":"
                                  "{\"strategy\":\"simple\"}}"),
                              "o", true, NULL)};
    assert_null(search_open("hyperspace", &given, &err));
    assert_non_null(strstr(err.text, "hyperspace: ga: strategy simple waits"));
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, setup, teardown)
int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(numbers_are_halved_as_hyperspace_does),
        TEST(choices_are_halved_and_none_is_lost),
        TEST(trials_go_round_the_sub_spaces),
        TEST(logarithms_are_halved_unless_asked_otherwise),
        TEST(mixed_spaces_are_taken_in_any_order_of_results),
        TEST(shared_results_reach_the_neighbours),
        TEST(results_from_elsewhere_teach_every_sub_space),
        TEST(searches_that_end_leave_the_others),
        TEST(options_are_checked),
        TEST(an_order_that_would_wait_for_ever_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
