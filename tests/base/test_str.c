/* test_str.c - pieces of text */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "base/str.h"

static void the_order_is_bytewise_and_shorter_first(void **state)
{
    (void)state;
    assert_int_equal(str_cmp(STR("abc"), STR("abc")), 0);
    assert_true(str_cmp(STR("ab"), STR("abc")) < 0);
    assert_true(str_cmp(STR("b"), STR("abc")) > 0);
    assert_true(str_cmp(STR("a"), STR("\xFF")) < 0);
    assert_int_equal(str_cmp((struct str){0}, STR("")), 0);
}

static void beginnings_and_ends_are_found(void **state)
{
    (void)state;
    assert_true(str_starts(STR("metric"), STR("met")));
    assert_false(str_starts(STR("me"), STR("met")));
    assert_true(str_starts(STR("x"), STR("")));
    assert_true(str_ends(STR("study.yaml"), STR(".yaml")));
    assert_false(str_ends(STR("yaml"), STR(".yaml")));
    assert_true(str_ends((struct str){0}, STR("")));
    assert_int_equal(str_find(STR("a=b"), '='), 1);
    assert_int_equal(str_find(STR("a=b"), '!'), -1);
    assert_int_equal(str_find((struct str){0}, '!'), -1);
}

static void trimming_takes_blanks_off_both_ends(void **state)
{
    (void)state;
    assert_true(str_is(str_trim(STR(" \t a b\r\n")), "a b"));
    assert_true(str_is(str_trim(STR(" \n ")), ""));
}

static void splitting_gives_every_part_even_empty_ones(void **state)
{
    (void)state;
    struct str rest = STR("a,,b,"), part;
    const char *want[] = {"a", "", "b", ""};
    for (size_t i = 0; i < 4; i++) {
        assert_true(str_split(&rest, ',', &part));
        assert_true(str_is(part, want[i]));
    }
    assert_false(str_split(&rest, ',', &part));
    assert_null(rest.p);
}

static void digits_and_what_is_behind_comments(void **state)
{
    (void)state;
    assert_true(str_digits(STR("0123456789")));
    assert_false(str_digits(STR("")));
    assert_false(str_digits(STR("1.5")));
    assert_true(str_is(str_skip_comments(STR(" # a\n\t#b\n c # d ")), "c # d"));
    assert_int_equal(str_skip_comments(STR("# all of it")).len, 0);
}

static void a_name_is_found_among_others(void **state)
{
    (void)state;
    static const char *const names[] = {"red", "green", NULL};
    assert_int_equal(str_index(STR("green"), names), 1);
    assert_int_equal(str_index(STR("gree"), names), -1);
    assert_int_equal(str_index(STR(""), names), -1);
    assert_true(str_among(STR("red"), names));
    assert_false(str_among(STR("red"), NULL));
}

static void distance_counts_slips_of_the_fingers(void **state)
{
    (void)state;
    assert_int_equal(str_distance(STR("method"), STR("method")), 0);
    assert_int_equal(str_distance(STR("metod"), STR("method")), 1);
    assert_int_equal(str_distance(STR("mehtod"), STR("method")), 1);
    assert_int_equal(str_distance(STR("kitten"), STR("sitting")), 3);
    assert_int_equal(str_distance(STR(""), STR("abc")), 3);
    char a[200], b[200];
    memset(a, 'x', sizeof(a));
    memset(b, 'y', sizeof(b));
    assert_int_equal(str_distance(str_n(a, 200), str_n(b, 200)), 64);
    a[199] = 0;
    const char *const long_name[] = {a, NULL};
    assert_null(str_nearest(STR("loss"), long_name));
}

static void the_nearest_name_is_suggested_only_when_near(void **state)
{
    (void)state;
    static const char *const names[] = {"method", "metric", "lr", "parameters",
                                        NULL};
    assert_string_equal(str_nearest(STR("metod"), names), "method");
    assert_string_equal(str_nearest(STR("metrics"), names), "metric");
    assert_string_equal(str_nearest(STR("paramters"), names), "parameters");
    assert_null(str_nearest(STR("command"), names));
    assert_null(str_nearest(STR("x"), names));
    assert_null(str_nearest(STR(""), names));
}

static void only_well_formed_utf8_passes(void **state)
{
    (void)state;
    assert_true(str_utf8(STR("")));
    assert_true(str_utf8(STR("a\xC3\xA9\xE2\x82\xAC\xF0\x9F\x98\x80")));
    assert_true(str_utf8(STR("\xF4\x8F\xBF\xBF\xED\x9F\xBF\xEE\x80\x80")));
    static const struct str wrong[] = {{"a\0b", 3},
                                       {"\x80", 1},
                                       {"\xC3", 1},
                                       {"\xC0\x80", 2},
                                       {"\xC1\xBF", 2},
                                       {"\xE0\x9F\xBF", 3},
                                       {"\xED\xA0\x80", 3},
                                       {"\xE2\x82", 2},
                                       {"\xF0\x8F\xBF\xBF", 4},
                                       {"\xF4\x90\x80\x80", 4},
                                       {"\xF5\x80\x80\x80", 4},
                                       {"\xFF", 1},
                                       {"\xC3(", 2}};
    for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++)
        assert_false(str_utf8(wrong[i]));
    assert_int_equal(str_utf8_next(STR("\xE2\x82\xACx")), 3);
    assert_int_equal(str_utf8_next(STR("\xE2\x82")), 0);
    assert_int_equal(str_utf8_next(STR("")), 0);
}

struct glob_case {
    const char *pattern, *text;
    bool match;
};

static void globs_match_paths(void **state)
{
    (void)state;
    static const struct glob_case cases[] = {
        {"*.csv", "a.csv", true},
        {"*.csv", "d/a.csv", false},
        {"*.csv", ".csv", true},
        {"d/*", "d/a", true},
        {"d/*", "d/a/b", false},
        {"**/*.csv", "a.csv", true},
        {"**/*.csv", "x/y/a.csv", true},
        {"**/b.csv", "x/ab.csv", false},
        {"a/**", "a/b/c", true},
        {"a/**", "ab", false},
        {"a/**/b", "a/b", true},
        {"a/**/b", "a/x/y/b", true},
        {"a/**/b", "a/xb", false},
        {"a**b", "a/x/b", true},
        {"**/x/*/y", "x/x/z/y", true},
        {"?.txt", "a.txt", true},
        {"?.txt", "/.txt", false},
        {"?.txt", ".txt", false},
        {"[a-c]1", "b1", true},
        {"[a-c]1", "d1", false},
        {"[!a-c]1", "d1", true},
        {"[]x]", "]", true},
        {"[^/]", "/", false},
        {"[!a]", "/", false},
        {"[ab", "[ab", true},
        {"\\*", "*", true},
        {"\\*", "a", false},
        {"*a*b*c", "xaybzc", true},
        {"*a*b*c", "xaybz", false},
        {"", "", true},
        {"*", "", true},
        {"**", "", true},
        {"", "a", false},
        {"abc", "ab", false},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        bool match = str_glob(cases[i].pattern, str_of(cases[i].text));
        if (match != cases[i].match)
            fail_msg("'%s' on '%s'", cases[i].pattern, cases[i].text);
    }
}

static void many_stars_cost_no_exponential_time(void **state)
{
    (void)state;
    char text[2000];
    memset(text, 'a', sizeof(text));
    assert_false(
        str_glob("*a*a*a*a*a*a*a*a*a*a*a*a*a*a*b", str_n(text, sizeof(text))));
    assert_false(
        str_glob("**a**a**a**a**a**a**a**a**a**b", str_n(text, sizeof(text))));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_order_is_bytewise_and_shorter_first),
        cmocka_unit_test(beginnings_and_ends_are_found),
        cmocka_unit_test(trimming_takes_blanks_off_both_ends),
        cmocka_unit_test(splitting_gives_every_part_even_empty_ones),
        cmocka_unit_test(digits_and_what_is_behind_comments),
        cmocka_unit_test(a_name_is_found_among_others),
        cmocka_unit_test(distance_counts_slips_of_the_fingers),
        cmocka_unit_test(the_nearest_name_is_suggested_only_when_near),
        cmocka_unit_test(only_well_formed_utf8_passes),
        cmocka_unit_test(globs_match_paths),
        cmocka_unit_test(many_stars_cost_no_exponential_time),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
