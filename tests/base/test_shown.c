/* test_shown.c - text that is not ours, as a person may see it */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "base/shown.h"

static void check(void (*add)(struct buf *, struct str), struct str text,
                  const char *expected)
{
    struct buf b;
    buf_init(&b);
    add(&b, text);
    assert_string_equal(b.p, expected);
    assert_int_equal(b.len, strlen(expected));
    buf_done(&b);
}

static void what_a_terminal_obeys_becomes_letters(void **state)
{
    (void)state;
    check(shown_add, STR("\033[31mred\a\b\r\n\tx"), "^[[31mred^G^H^M\n\tx");
    check(shown_add, STR("a\0b"), "a^@b");
    check(shown_add, STR("\177"), "\\u007f");
    check(shown_add, STR("\302\2335n\302\205"), "\\u009b5n\\u0085");
    check(shown_add, STR(""), "");
}

static void bytes_that_are_no_utf8_become_letters(void **state)
{
    (void)state;
    check(shown_add,
          STR("\x9b"
              "5n"),
          "\\x9b5n");
    check(shown_add, STR("caf\xe9"), "caf\\xe9");
    check(shown_add, STR("\302"), "\\xc2");
    check(shown_add, STR("\300\233"), "\\xc0\\x9b");
}

/* They would turn the rest of the line around: what is read is not what is. */
static void what_changes_the_direction_becomes_letters(void **state)
{
    (void)state;
    check(shown_add, STR("a\342\200\256b\342\200\252c\342\200\254"),
          "a\\u202eb\\u202ac\\u202c");
    check(shown_add, STR("\342\201\246x\342\201\251"), "\\u2066x\\u2069");
    check(shown_add, STR("\342\200\216\342\200\217\330\234"),
          "\\u200e\\u200f\\u061c");
    check(shown_add_output, STR("\342\200\256"), "\\u202e");
    /* Their neighbours stay: a joiner, a dash, a line separator, Arabic. */
    check(shown_add, STR("\342\200\215\342\200\220\342\200\257\330\233"),
          "\342\200\215\342\200\220\342\200\257\330\233");
}

static void letters_of_all_languages_stay(void **state)
{
    (void)state;
    /* The last byte of this letter is 0x9b, too. */
    check(shown_add, STR("\304\233 \302\240 \316\261 \346\227\245"),
          "\304\233 \302\240 \316\261 \346\227\245");
}

static void output_keeps_its_colours_and_nothing_else(void **state)
{
    (void)state;
    check(shown_add_output, STR("\033[1;38:5:9mred\033[0m\033[m"),
          "\033[1;38:5:9mred\033[0m\033[m");
    check(shown_add_output, STR("\033[2J\033]0;title\a\033[6n"),
          "^[[2J^[]0;title^G^[[6n");
    check(shown_add_output, STR("\033[31"), "^[[31");
    check(shown_add_output,
          STR("\302\233"
              "31m"),
          "\\u009b31m");
}

static void a_line_written_over_itself_becomes_lines(void **state)
{
    (void)state;
    check(shown_add_output, STR("10 %\r20 %\r\ndone\r"), "20 %\ndone\n");
    check(shown_add_output, STR("a\n10 %\r\r20 %\rb\n"), "a\nb\n");
    check(shown_add_output, STR("\r30 %\r40 %"), "\n40 %");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_a_terminal_obeys_becomes_letters),
        cmocka_unit_test(bytes_that_are_no_utf8_become_letters),
        cmocka_unit_test(what_changes_the_direction_becomes_letters),
        cmocka_unit_test(letters_of_all_languages_stay),
        cmocka_unit_test(output_keeps_its_colours_and_nothing_else),
        cmocka_unit_test(a_line_written_over_itself_becomes_lines),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
