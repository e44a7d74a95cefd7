/* test_screen.c - a screenful of characters */
#include <locale.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
// clang-format off
#include <cmocka.h>
// clang-format on
#include "watch/screen.h"

static void assert_printed(const struct screen *s, const char *expected)
{
    struct buf b;
    buf_init(&b);
    screen_print(s, &b);
    assert_string_equal(b.p, expected);
    buf_done(&b);
}

static void text_is_cut_at_the_edge_of_its_area(void **state)
{
    struct screen s;
    (void)state;
    screen_init(&s, 2, 6, true);
    struct area a = {0, 1, 1, 3};
    assert_int_equal(screen_put(&s, a, 0, 0, MARK_PLAIN, STR("abcdef")), 6);
    screen_put(&s, a, 1, 0, MARK_PLAIN, STR("below"));
    screen_put(&s, a, 0, -1, MARK_PLAIN, STR("x"));
    assert_printed(&s, " abc\n");
    struct area beyond = {1, 4, 9, 99};
    screen_put(&s, beyond, 0, 0, MARK_PLAIN, STR("12345"));
    assert_printed(&s, " abc\n    12\n");
    screen_done(&s);
}

static void wide_characters_take_two_columns(void **state)
{
    struct screen s;
    (void)state;
    screen_init(&s, 1, 5, true);
    struct area all = screen_all(&s);
    assert_int_equal(screen_width(&s, STR("日a本")), 5);
    screen_put(&s, all, 0, 0, MARK_PLAIN, STR("日a日日"));
    /* Half of the last one would stick out. */
    assert_printed(&s, "日a日\n");
    screen_put(&s, all, 0, 0, MARK_PLAIN, STR("abcd日"));
    assert_printed(&s, "abcd\n");
    screen_done(&s);
}

static void what_cannot_be_shown_harms_nothing(void **state)
{
    struct screen s;
    (void)state;
    screen_init(&s, 1, 12, true);
    screen_put(&s, screen_all(&s), 0, 0, MARK_PLAIN,
               STR("a\033[2Jb\xff\tc\n\x7f"
                   "d"));
    assert_printed(&s, "a [2Jb? c  d\n");
    screen_done(&s);
    screen_init(&s, 1, 12, false);
    screen_put(&s, screen_all(&s), 0, 0, MARK_PLAIN, STR("für…"));
    assert_printed(&s, "f?r~\n");
    screen_done(&s);
}

static void printed_lines_have_no_blanks_at_their_ends(void **state)
{
    struct screen s;
    (void)state;
    screen_init(&s, 5, 8, true);
    struct area all = screen_all(&s);
    assert_printed(&s, "");
    screen_put(&s, all, 1, 2, MARK_CHOSEN, STR("x  "));
    screen_put_right(&s, all, 3, MARK_PLAIN, STR("end"));
    assert_printed(&s, "\n  x\n\n     end\n");
    screen_done(&s);
}

static void areas_are_taken_off_without_overlap(void **state)
{
    struct area a = {2, 3, 10, 20};
    (void)state;
    struct area top = area_take_top(&a, 3);
    struct area bottom = area_take_bottom(&a, 4);
    struct area right = area_take_right(&a, 5);
    assert_int_equal(top.row, 2);
    assert_int_equal(top.rows, 3);
    assert_int_equal(bottom.row, 8);
    assert_int_equal(bottom.rows, 4);
    assert_int_equal(right.col, 18);
    assert_int_equal(right.rows, 3);
    assert_int_equal(a.row, 5);
    assert_int_equal(a.rows, 3);
    assert_int_equal(a.cols, 15);
    assert_int_equal(area_take_top(&a, 99).rows, 3);
    assert_int_equal(a.rows, 0);
    assert_int_equal(area_take_bottom(&a, -1).rows, 0);
}

static void a_part_of_a_higher_screen_is_copied(void **state)
{
    struct screen high, s;
    (void)state;
    screen_init(&high, 4, 4, true);
    screen_init(&s, 2, 3, true);
    for (int i = 0; i < 4; i++)
        screen_printf(&high, screen_all(&high), i, 0, MARK_PLAIN, "%d%d%d%d", i,
                      i, i, i);
    screen_copy(&s, screen_all(&s), &high, 3);
    assert_printed(&s, "333\n");
    screen_copy(&s, screen_all(&s), &high, 1);
    assert_printed(&s, "111\n222\n");
    screen_done(&high);
    screen_done(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(text_is_cut_at_the_edge_of_its_area),
        cmocka_unit_test(wide_characters_take_two_columns),
        cmocka_unit_test(what_cannot_be_shown_harms_nothing),
        cmocka_unit_test(printed_lines_have_no_blanks_at_their_ends),
        cmocka_unit_test(areas_are_taken_off_without_overlap),
        cmocka_unit_test(a_part_of_a_higher_screen_is_copied),
    };
    setlocale(LC_CTYPE, "C.UTF-8");
    return cmocka_run_group_tests(tests, NULL, NULL);
}
