/* test_braille.c - curves as characters */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
// clang-format off
#include <cmocka.h>
// clang-format on
#include "watch/braille.h"

/* Draws the points with a range that fits them. */
static void draw(struct curve *c, const struct curve_point *points,
                 size_t count, wchar_t *cells)
{
    assert_true(curve_fit(c, points, count));
    curve_draw(c, points, count, cells);
}

static void assert_cells(const wchar_t *cells, const wchar_t *expected)
{
    assert_memory_equal(cells, expected, wcslen(expected) * sizeof(wchar_t));
}

static void a_rising_line_goes_from_corner_to_corner(void **state)
{
    const struct curve_point p[] = {{0, 0}, {1, 1}};
    wchar_t cells[6];
    (void)state;
    struct curve ascii = {.kind = CURVE_ASCII, .rows = 2, .cols = 3};
    draw(&ascii, p, 2, cells);
    assert_cells(cells, L" .'"
                        L".' ");
    struct curve blocks = {.kind = CURVE_BLOCKS, .rows = 1, .cols = 2};
    draw(&blocks, p, 2, cells);
    assert_cells(cells, L"\u2584\u2580");
}

static void braille_has_eight_dots_a_character(void **state)
{
    /* Down along the diagonal of one character, then across it. */
    const struct curve_point down[] = {{0, 3}, {0, 0}};
    const struct curve_point flat[] = {{0, 0}, {3, 0}, {3, 5}};
    wchar_t cells[2];
    (void)state;
    struct curve c = {
        .kind = CURVE_BRAILLE, .rows = 1, .cols = 1, .x_max = 1, .y_max = 3};
    curve_draw(&c, down, 2, cells);
    assert_cells(cells, L"\u2847"); /* the left column */
    struct curve wide = {.kind = CURVE_BRAILLE, .rows = 1, .cols = 2};
    draw(&wide, flat, 3, cells);
    assert_cells(cells, L"\u28c0\u28f8"); /* the lowest row, the right column */
}

static void steps_hold_their_value(void **state)
{
    const struct curve_point p[] = {{0, 1}, {2, 0}};
    wchar_t cells[3];
    (void)state;
    struct curve c = {.kind = CURVE_ASCII, .rows = 1, .cols = 3, .steps = true};
    draw(&c, p, 2, cells);
    assert_cells(cells, L"'':");
}

static void what_is_not_finite_interrupts_the_line(void **state)
{
    const struct curve_point p[] = {
        {0, 1}, {1, NAN}, {2, INFINITY}, {3, 1}, {4, 1}};
    wchar_t cells[5];
    (void)state;
    struct curve c = {.kind = CURVE_ASCII, .rows = 1, .cols = 5};
    draw(&c, p, 5, cells);
    assert_cells(cells, L"'  ''");
}

static void one_point_is_drawn_and_none_is_not(void **state)
{
    const struct curve_point p[] = {{7, 7}, {NAN, 1}, {1, -INFINITY}};
    wchar_t cells[9];
    (void)state;
    struct curve c = {.kind = CURVE_ASCII, .rows = 3, .cols = 3};
    draw(&c, p, 1, cells);
    assert_cells(cells, L"   "
                        L" ' "
                        L"   ");
    assert_false(curve_fit(&c, p + 1, 2));
    assert_false(curve_fit(&c, p, 0));
    curve_draw(&c, p, 0, cells);
    assert_cells(cells, L"         ");
}

static void the_range_spans_all_points(void **state)
{
    const struct curve_point p[] = {{1, 5}, {2, -3}, {9, NAN}, {4, 8}};
    (void)state;
    struct curve c = {.kind = CURVE_ASCII, .rows = 1, .cols = 1};
    assert_true(curve_fit(&c, p, 4));
    assert_true(c.x_min == 1 && c.x_max == 4);
    assert_true(c.y_min == -3 && c.y_max == 8);
    assert_false(c.log_y);
}

static void decades_get_the_same_height(void **state)
{
    const struct curve_point p[] = {{0, 1000}, {1, 10}, {2, 0.1}};
    const struct curve_point near[] = {{0, 50}, {1, 1}};
    wchar_t cells[6];
    (void)state;
    struct curve c = {.kind = CURVE_ASCII, .rows = 2, .cols = 3};
    draw(&c, p, 3, cells);
    assert_true(c.log_y);
    /* Straight in the logarithm: the middle point is half-way down. */
    assert_cells(cells, L"'. "
                        L"  :");
    assert_true(curve_fit(&c, near, 2));
    assert_false(c.log_y);
}

static void huge_numbers_stay_inside(void **state)
{
    const struct curve_point p[] = {
        {-1.7e308, -1.7e308}, {0, 0}, {1.7e308, 1.7e308}};
    wchar_t cells[4];
    (void)state;
    struct curve c = {.kind = CURVE_ASCII, .rows = 1, .cols = 4};
    draw(&c, p, 3, cells);
    assert_int_equal(cells[0], L'.');
    assert_int_equal(cells[3], L'\'');
}

static void points_outside_of_the_range_are_left_out(void **state)
{
    const struct curve_point p[] = {{0, 0}, {5, 5}, {1, 0}};
    wchar_t cells[2];
    (void)state;
    struct curve c = {
        .kind = CURVE_ASCII, .rows = 1, .cols = 2, .x_max = 1, .y_max = 1};
    curve_draw(&c, p, 3, cells);
    assert_cells(cells, L"..");
}

static void a_million_points_fit_into_one_character(void **state)
{
    size_t n = 1000000;
    struct curve_point *p = calloc(n, sizeof(*p));
    wchar_t cell;
    (void)state;
    assert_non_null(p);
    for (size_t i = 0; i < n; i++)
        p[i] = (struct curve_point){(double)i, (double)(i % 7)};
    struct curve c = {.kind = CURVE_BRAILLE, .rows = 1, .cols = 1};
    draw(&c, p, n, &cell);
    assert_int_equal(cell, 0x28ff);
    free(p);
}

static void bars_show_the_means_of_their_shares(void **state)
{
    const double v[] = {0, 0, 7, 7};
    wchar_t cells[4];
    (void)state;
    curve_spark(CURVE_ASCII, v, 4, cells, 2);
    assert_cells(cells, L"_#");
    curve_spark(CURVE_BRAILLE, v, 4, cells, 4);
    assert_cells(cells, L"\u2581\u2581\u2588\u2588");
    curve_spark(CURVE_BLOCKS, v + 1, 2, cells, 4);
    assert_cells(cells, L"\u2581\u2581\u2588\u2588");
}

static void bars_are_blank_where_nothing_is_finite(void **state)
{
    const double v[] = {1, NAN, 2, INFINITY};
    wchar_t cells[4];
    (void)state;
    curve_spark(CURVE_ASCII, v, 4, cells, 4);
    assert_cells(cells, L"_ # ");
    curve_spark(CURVE_ASCII, v, 0, cells, 4);
    assert_cells(cells, L"    ");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_rising_line_goes_from_corner_to_corner),
        cmocka_unit_test(braille_has_eight_dots_a_character),
        cmocka_unit_test(steps_hold_their_value),
        cmocka_unit_test(what_is_not_finite_interrupts_the_line),
        cmocka_unit_test(one_point_is_drawn_and_none_is_not),
        cmocka_unit_test(the_range_spans_all_points),
        cmocka_unit_test(decades_get_the_same_height),
        cmocka_unit_test(huge_numbers_stay_inside),
        cmocka_unit_test(points_outside_of_the_range_are_left_out),
        cmocka_unit_test(a_million_points_fit_into_one_character),
        cmocka_unit_test(bars_show_the_means_of_their_shares),
        cmocka_unit_test(bars_are_blank_where_nothing_is_finite),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
