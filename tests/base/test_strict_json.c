/* test_strict_json.c - JSON that every reader takes */
#include "base/strict_json.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

static void number(double v, const char *plain, const char *or_null)
{
    struct buf b;
    buf_init(&b);
    strict_number(&b, v);
    assert_string_equal(b.p, plain);
    buf_reset(&b);
    strict_number_or_null(&b, v);
    assert_string_equal(b.p, or_null);
    buf_done(&b);
}

static void text(const char *in, const char *out)
{
    struct buf b;
    buf_init(&b);
    strict_text(&b, str_of(in));
    assert_string_equal(b.p, out);
    buf_done(&b);
}

static void numbers_are_numbers(void **state)
{
    (void)state;
    number(0.1, "0.1", "0.1");
    number(-5, "-5.0", "-5.0");
}

static void what_json_lacks_is_a_string(void **state)
{
    (void)state;
    number(NAN, "\"NaN\"", "null");
    number(INFINITY, "\"Infinity\"", "\"Infinity\"");
    number(-INFINITY, "\"-Infinity\"", "\"-Infinity\"");
}

static void bare_words_in_a_text_are_quoted(void **state)
{
    (void)state;
    text("{\"a\":NaN,\"b\":[Infinity,-Infinity,-1],\"c\":null}",
         "{\"a\":\"NaN\",\"b\":[\"Infinity\",\"-Infinity\",-1],\"c\":null}");
}

static void strings_stay_as_they_are(void **state)
{
    (void)state;
    text("{\"NaN\":\"Infinity \\\" NaN\",\"b\\\\\":NaN}",
         "{\"NaN\":\"Infinity \\\" NaN\",\"b\\\\\":\"NaN\"}");
    text("", "");
}

static void a_value_is_printed_the_same_way(void **state)
{
    struct arena *a = arena_new();
    struct value *list = value_list(a);
    struct buf b;
    (void)state;
    buf_init(&b);
    value_list_add(a, list, value_double(a, NAN));
    value_list_add(a, list, value_string(a, STR("NaN")));
    strict_value(&b, list);
    assert_string_equal(b.p, "[\"NaN\",\"NaN\"]");
    buf_done(&b);
    arena_free(a);
}

static void an_empty_string_may_mean_none(void **state)
{
    struct buf b;
    (void)state;
    buf_init(&b);
    strict_string_or_null(&b, STR(""));
    strict_string_or_null(&b, STR("a\"b"));
    assert_string_equal(b.p, "null\"a\\\"b\"");
    buf_done(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(numbers_are_numbers),
        cmocka_unit_test(what_json_lacks_is_a_string),
        cmocka_unit_test(bare_words_in_a_text_are_quoted),
        cmocka_unit_test(strings_stay_as_they_are),
        cmocka_unit_test(a_value_is_printed_the_same_way),
        cmocka_unit_test(an_empty_string_may_mean_none),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
