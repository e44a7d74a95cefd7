/* test_axis.c - numbers to places, and where ticks are */
#include "plot/axis.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

static const char *ticks_text(struct arena *arena, struct plot_axis *a,
                              const double *list, size_t count, size_t most)
{
    struct ticks t;
    struct buf b;
    plot_axis_fit(a, list, count);
    ticks_find(&t, a, most, arena);
    buf_init(&b);
    for (size_t i = 0; i < t.count; i++)
        buf_addf(&b, "%s%s", i ? " " : "", t.list[i].label);
    const char *text = arena_cstr(arena, buf_str(&b));
    buf_done(&b);
    return text;
}

#define TICKS(expected, most, ...)                                             \
    do {                                                                       \
        const double list[] = __VA_ARGS__;                                     \
        assert_string_equal(                                                   \
            expected,                                                          \
            ticks_text(arena, &a, list, sizeof(list) / sizeof(*list), most));  \
    } while (0)

static void ticks_are_round_numbers(void **state)
{
    struct arena *arena = arena_new();
    (void)state;
    struct plot_axis a = {0};
    TICKS("0 20 40 60 80 100 120", 8, {1, 120});
    a = (struct plot_axis){0};
    TICKS("0.2 0.25 0.3", 4, {0.2, 0.31});
    a = (struct plot_axis){.exact = true};
    TICKS("-0.5 0 0.5", 4, {-0.6, 0.7});
    a = (struct plot_axis){.exact = true};
    TICKS("1e+07 2e+07 3e+07", 3, {1e7, 3e7});
    a = (struct plot_axis){.percent = true, .low = 0, .high = 1};
    TICKS("0 % 50 % 100 %", 3, {0});
    a = (struct plot_axis){.scale = PLOT_SECONDS, .exact = true};
    TICKS("0s 1h 2h", 4, {0, 7300});
    a = (struct plot_axis){.whole = true, .exact = true};
    TICKS("1 2 3", 9, {1, 3});
    arena_free(arena);
}

static void on_a_log_scale_they_are_powers(void **state)
{
    struct arena *arena = arena_new();
    (void)state;
    struct plot_axis a = {.scale = PLOT_LOG, .exact = true};
    TICKS("0.0001 0.001 0.01 0.1 1", 6, {1e-4, 1});
    a = (struct plot_axis){.scale = PLOT_LOG, .exact = true};
    TICKS("1 2 5 10", 6, {1, 10});
    a = (struct plot_axis){.scale = PLOT_LOG, .exact = true};
    TICKS("2 2.2 2.4 2.6", 5, {2, 2.6});
    arena_free(arena);
}

static void limits_are_never_empty(void **state)
{
    static const double same[] = {5, 5, 5}, none[] = {NAN, INFINITY};
    static const double wide[] = {-1.7e308, 1.7e308}, zero[] = {0};
    static const double tiny[] = {5e-324, 1e-320}, huge[] = {1.7e308};
    const struct {
        const double *list;
        size_t count;
    } cases[] = {{same, 3}, {none, 2}, {NULL, 0}, {wide, 2},
                 {zero, 1}, {tiny, 2}, {huge, 1}};
    struct arena *arena = arena_new();
    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
        for (int scale = PLOT_LINEAR; scale <= PLOT_SECONDS; scale++) {
            struct plot_axis a = {.scale = (enum plot_scale)scale};
            struct ticks t;
            plot_axis_fit(&a, cases[i].list, cases[i].count);
            assert_true(a.low < a.high);
            assert_true(isfinite(a.low) && isfinite(a.high));
            assert_true(scale != PLOT_LOG || a.low > 0);
            ticks_find(&t, &a, 6, arena);
            assert_true(t.count <= TICKS_MAX);
            for (size_t k = 0; k < t.count; k++)
                assert_true(isfinite(t.list[k].value));
        }
    arena_free(arena);
}

static void a_place_and_its_number_are_inverse(void **state)
{
    struct plot_axis axes[] = {
        {.low = -3, .high = 5},
        {.low = 1e-5, .high = 10, .scale = PLOT_LOG},
        {.low = -0.5, .high = 4.5, .scale = PLOT_CHOICE, .down = true}};
    (void)state;
    for (size_t i = 0; i < 3; i++)
        for (double part = 0; part <= 1; part += 0.125) {
            double v = plot_axis_value(&axes[i], part);
            assert_true(fabs(plot_axis_at(&axes[i], v) - part) < 1e-12);
        }
    assert_true(isnan(plot_axis_at(&axes[0], NAN)));
    assert_true(isnan(plot_axis_at(&axes[1], 0)));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ticks_are_round_numbers),
        cmocka_unit_test(on_a_log_scale_they_are_powers),
        cmocka_unit_test(limits_are_never_empty),
        cmocka_unit_test(a_place_and_its_number_are_inverse),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
