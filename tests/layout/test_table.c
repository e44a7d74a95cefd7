/* test_table.c - tables that fit a terminal */
#include "layout/layout.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

static void fill(struct table *t)
{
    table_column(t, "trial", true);
    table_column(t, "note", false);
    table_column(t, "loss", true);
    table_cell(t, "%d", 7);
    table_cell(t, "%s", "a note of some length");
    table_number(t, 0.123456789, 0);
    table_row(t);
    table_cell(t, "%d", 12);
    table_row(t); /* what is not given is blank */
}

static void expect(const char *text, unsigned columns, bool colour)
{
    struct table *t = table_new();
    struct buf b;
    buf_init(&b);
    fill(t);
    table_align(t, &b, columns, colour);
    assert_string_equal(b.p, text);
    buf_done(&b);
    table_free(t);
}

static void numbers_stand_to_the_right(void **state)
{
    (void)state;
    expect("trial  note                          loss\n"
           "    7  a note of some length  0.123456789\n"
           "   12                                    \n",
           80, false);
}

static void a_narrow_terminal_cuts_words_and_never_numbers(void **state)
{
    (void)state;
    expect("trial  note              loss\n"
           "    7  a note o…  0.123456789\n"
           "   12                        \n",
           29, false);
}

static void columns_that_do_not_fit_are_named(void **state)
{
    (void)state;
    expect("trial  note\n"
           "    7  a note …\n"
           "   12  \n"
           "… and 1 more column: loss\n",
           26, false);
}

static void a_state_has_its_colour_and_a_title_is_bold(void **state)
{
    struct table *t = table_new();
    struct buf b;
    (void)state;
    buf_init(&b);
    table_column(t, "state", false);
    table_cell(t, "failed");
    table_row(t);
    table_align(t, &b, 80, true);
    assert_string_equal(b.p, "\033[1mstate\033[0m\n\033[31mfailed\033[0m\n");
    buf_done(&b);
    table_free(t);
}

static void the_header_of_a_table_in_pieces_comes_once(void **state)
{
    struct table *t = table_new();
    struct buf b;
    (void)state;
    buf_init(&b);
    fill(t);
    table_tabs(t, &b);
    table_cell(t, "two\nlines");
    table_cell(t, "\033[2J");
    table_number(t, NAN, 0);
    table_row(t);
    table_tabs(t, &b);
    assert_string_equal(b.p, "trial\tnote\tloss\n"
                             "7\ta note of some length\t0.123456789\n"
                             "12\t\t\n"
                             "two lines\t^[[2J\t\n");
    buf_done(&b);
    table_free(t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(numbers_stand_to_the_right),
        cmocka_unit_test(a_narrow_terminal_cuts_words_and_never_numbers),
        cmocka_unit_test(columns_that_do_not_fit_are_named),
        cmocka_unit_test(a_state_has_its_colour_and_a_title_is_bold),
        cmocka_unit_test(the_header_of_a_table_in_pieces_comes_once),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
