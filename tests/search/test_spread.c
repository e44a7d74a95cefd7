/* test_spread.c - sobol and lhs: how evenly their points lie */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <math.h>
#include <stdlib.h>

#include "search/search.h"
#include "search/sobol.h"
#include "../one_arena.h"
#include "spaces.h"

/* Whatever the number of dimensions, each of 2^m points lies in a 2^-m of
 * its own, in every coordinate, for any aligned run of them. */
static void every_coordinate_of_sobol_is_stratified(void **state)
{
    (void)state;
    enum { COUNT = 256, WIDTH = 80 };
    static bool hit[WIDTH][COUNT];
    double u[WIDTH];
    for (uint64_t first = 0; first < 4 * COUNT; first += COUNT) {
        memset(hit, 0, sizeof(hit));
        for (uint64_t i = 0; i < COUNT; i++) {
            sobol_at(42, first + i, WIDTH, u);
            for (size_t j = 0; j < WIDTH; j++) {
                assert_true(u[j] >= 0 && u[j] < 1);
                size_t cell = (size_t)(u[j] * COUNT);
                assert_false(hit[j][cell]);
                hit[j][cell] = true;
            }
        }
    }
}

/* The first two coordinates are a (0,2)-sequence: every box of area 2^-m that
 * halving makes holds one of 2^m points. */
static void two_coordinates_of_sobol_fill_every_elementary_box(void **state)
{
    (void)state;
    enum { BITS = 8, COUNT = 1 << BITS };
    for (uint64_t seed = 0; seed < 5; seed++) {
        for (int x = 0; x <= BITS; x++) {
            bool hit[COUNT] = {false};
            for (uint64_t i = 0; i < COUNT; i++) {
                double u[2];
                sobol_at(seed, i, 2, u);
                size_t cell = ((size_t)(u[0] * (1 << x)) << (BITS - x)) +
                              (size_t)(u[1] * (1 << (BITS - x)));
                assert_false(hit[cell]);
                hit[cell] = true;
            }
        }
    }
}

/* The mean over 1,024 points of a product that is 1 under the integral. */
static double integral_error(size_t width, uint64_t seed)
{
    enum { COUNT = 1024 };
    double sum = 0, u[64];
    for (uint64_t i = 0; i < COUNT; i++) {
        double f = 1;
        sobol_at(seed, i, width, u);
        for (size_t j = 0; j < width; j++)
            f *= 1 + (u[j] - 0.5) / 2;
        sum += f;
    }
    return fabs(sum / COUNT - 1);
}

/* Independent points would be off by about 0.02 in 20 dimensions. */
static void sobol_integrates_better_than_chance(void **state)
{
    (void)state;
    double sum = 0;
    for (uint64_t seed = 0; seed < 10; seed++)
        sum += integral_error(20, seed);
    assert_true(sum / 10 < 0.004);
    sum = 0;
    for (uint64_t seed = 0; seed < 10; seed++)
        sum += integral_error(50, seed);
    assert_true(sum / 10 < 0.03);
}

static void seeds_scramble_sobol_differently(void **state)
{
    (void)state;
    double u[8], v[8], low = 1, high = 0;
    for (uint64_t seed = 0; seed < 200; seed++) {
        sobol_at(seed, 0, 8, u);
        sobol_at(seed + 1, 0, 8, v);
        assert_memory_not_equal(u, v, sizeof(u));
        low = fmin(low, u[5]);
        high = fmax(high, u[5]);
    }
    assert_true(low < 0.05 && high > 0.95);
}

static struct search *open_lhs(const struct space *space, int64_t run_cap,
                               uint32_t repeat)
{
    struct search_setup given = {
        .space = space, .seed = 2, .run_cap = run_cap, .repeat = repeat};
    struct err err = {0};
    struct search *s = search_open("lhs", &given, &err);
    if (!s)
        fail_msg("%s", err.text);
    return s;
}

static const char two[] = "{\"version\":1,\"parameters\":["
    /* clang-format off */
    PARAM("a", "uniform", "\"min\":0,\"max\":1") ","
    PARAM("b", "int_uniform", "\"min\":0,\"max\":9")
    /* clang-format on */
    "]}";

static void lhs_has_one_point_in_each_stratum(void **state)
{
    (void)state;
    struct space space = space_of(two, arena);
    struct search *s = open_lhs(&space, 100, 2);
    int cells[50] = {0}, ints[10] = {0};
    for (int64_t k = 1; k <= 100; k++) {
        struct suggestion got;
        assert_int_equal(search_ask(s, k, arena, &got, NULL), SEARCH_HERE);
        double a = value_number(value_get(got.point, STR("a")));
        cells[(int)(a * 50)]++;
        ints[value_get(got.point, STR("b"))->i]++;
    }
    for (int i = 0; i < 50; i++)
        assert_int_equal(cells[i], 2);
    for (int i = 0; i < 10; i++)
        assert_int_equal(ints[i], 10);
    search_free(s);
}

static void lhs_begins_another_design_behind_its_size(void **state)
{
    (void)state;
    struct space space = space_of(two, arena);
    struct value *options = value_object(arena);
    value_set(arena, options, STR("size"), value_int(arena, 20));
    struct search_setup given = {.space = &space, .options = options};
    struct search *s = search_open("lhs", &given, NULL);
    double first[3] = {0};
    for (int64_t design = 0; design < 3; design++) {
        bool hit[20] = {false};
        for (int64_t k = 1; k <= 20; k++) {
            struct suggestion got;
            search_ask(s, design * 20 + k, arena, &got, NULL);
            double a = value_number(value_get(got.point, STR("a")));
            assert_false(hit[(int)(a * 20)]);
            hit[(int)(a * 20)] = true;
            if (k == 1)
                first[design] = a;
        }
    }
    assert_true(first[0] != first[1] && first[1] != first[2]);
    search_free(s);
}

static void lhs_without_a_size_is_refused(void **state)
{
    (void)state;
    struct space space = space_of(two, arena);
    struct search_setup given = {.space = &space};
    struct err err = {0};
    assert_null(search_open("lhs", &given, &err));
    assert_non_null(strstr(err.text, "needs run_cap"));
}

static void unknown_options_are_refused_by_name(void **state)
{
    (void)state;
    struct space space = space_of(two, arena);
    struct value *options = value_object(arena);
    value_set(arena, options, STR("sise"), value_int(arena, 20));
    struct search_setup given = {.space = &space, .options = options};
    struct err err = {0};
    assert_null(search_open("lhs", &given, &err));
    assert_string_equal(err.text,
                        "method lhs has no option 'sise'; did you mean size?");
    assert_null(search_open("sobol", &given, &err));
    assert_non_null(strstr(err.text, "method sobol has no options"));
    value_set(arena, options, STR("sise"), value_null(arena));
    options->keys[0] = STR("size");
    assert_null(search_open("lhs", &given, &err));
    assert_non_null(strstr(err.text, "size must be a whole number"));
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, setup, teardown)
int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(every_coordinate_of_sobol_is_stratified),
        TEST(two_coordinates_of_sobol_fill_every_elementary_box),
        TEST(sobol_integrates_better_than_chance),
        TEST(seeds_scramble_sobol_differently),
        TEST(lhs_has_one_point_in_each_stratum),
        TEST(lhs_begins_another_design_behind_its_size),
        TEST(lhs_without_a_size_is_refused),
        TEST(unknown_options_are_refused_by_name),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
