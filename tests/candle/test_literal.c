/* test_literal.c - Python literals */
#include "../plan/plan_test.h"

static void gives(const char *text, const char *json)
{
    struct arena *a = arena_new();
    struct err err = {0};
    struct value *v = candle_literal(str_of(text), a, &err);
    struct buf b;

    if (!v)
        fail_msg("%s: %s", text, err.text);
    buf_init(&b);
    json_print(&b, v);
    if (strcmp(b.p, json) != 0)
        fail_msg("%s gives %s, not %s", text, b.p, json);
    buf_done(&b);
    arena_free(a);
}

static void refused(const char *text, const char *expected)
{
    struct arena *a = arena_new();
    struct err err = {0};
    struct value *v = candle_literal(str_of(text), a, &err);

    if (v)
        fail_msg("%s is read", text);
    if (!strstr(err.text, expected))
        fail_msg("%s: \"%s\" lacks \"%s\"", text, err.text, expected);
    arena_free(a);
}

static void whole_numbers_are_read(void **state)
{
    (void)state;
    gives("10", "10");
    gives("-1", "-1");
    gives("+7", "7");
    gives("- 3", "-3");
    gives("0", "0");
    gives("00", "0");
    gives("30_000", "30000");
    gives("0x10", "16");
    gives("-0xFF", "-255");
    gives("0x_1f", "31");
    gives("0o17", "15");
    gives("0b1_01", "5");
    gives("9223372036854775807", "9223372036854775807");
    gives("-9223372036854775808", "-9223372036854775808");
}

static void floats_are_read_exactly(void **state)
{
    (void)state;
    gives("0.1", "0.1");
    gives(".1", "0.1");
    gives("0.", "0.0");
    gives("-5.", "-5.0");
    gives("1e-5", "1e-05");
    gives("5.0e-4", "0.0005");
    gives("1E+3", "1000.0");
    gives("010.5", "10.5");
    gives("1_0.2_5", "10.25");
    gives("1e400", "Infinity");
    gives("-1e400", "-Infinity");
    gives("0.30000000000000004", "0.30000000000000004");
}

static void bad_numbers_are_refused(void **state)
{
    (void)state;
    refused("010", "leave out the leading zeros");
    refused("1_", "not a number");
    refused("1__0", "not a number");
    refused("_1", "not a literal");
    refused("0x", "not a number");
    refused("0xg", "not a number");
    refused("0b2", "not a number");
    refused("3x", "not a number");
    refused("1j", "not a number");
    refused("1.2.3", "not a number");
    refused("1e", "not a number");
    refused("9223372036854775808", "more than 64 bits");
    refused("0x10000000000000000", "more than 64 bits");
    refused("--1", "a sign must stand before a number");
    refused("-'a'", "a sign must stand before a number");
}

static void words_are_true_false_and_none(void **state)
{
    (void)state;
    gives("True", "true");
    gives("False", "false");
    gives("None", "null");
    refused("true", "write True");
    refused("FALSE", "write False");
    refused("null", "write None");
    refused("f32", "text stands in quotes");
    refused("Truex", "not a literal");
}

static void strings_have_every_quoting(void **state)
{
    (void)state;
    gives("'x'", "\"x\"");
    gives("\"x'y\"", "\"x'y\"");
    gives("''", "\"\"");
    gives("'a' \"b\" 'c'", "\"abc\"");
    gives("r'a\\n'", "\"a\\\\n\"");
    gives("R'\\''", "\"\\\\'\"");
    gives("u'x'", "\"x\"");
    gives("'''a'b\n\"c'''", "\"a'b\\n\\\"c\"");
    gives("\"\"\"x\"\"\"", "\"x\"");
    gives("'50%'", "\"50%\"");
    gives("'a#b'", "\"a#b\"");
}

static void escapes_are_pythons(void **state)
{
    (void)state;
    gives("'\\n\\t\\\\\\'\\\"'", "\"\\n\\t\\\\'\\\"\"");
    gives("'\\x41\\101\\u00e9\\U0001F600'", "\"AA\xc3\xa9\xf0\x9f\x98\x80\"");
    gives("'\\xe9'", "\"\xc3\xa9\"");
    gives("'\\d'", "\"\\\\d\"");
    gives("'a\\\nb'", "\"ab\"");
    refused("'\\x4'", "needs 2 hexadecimal digits");
    refused("'\\u12'", "needs 4 hexadecimal digits");
    refused("'\\ud800'", "no character");
    refused("'\\0'", "no character");
    refused("'\\N{DASH}'", "characters by name");
}

static void broken_strings_are_refused(void **state)
{
    (void)state;
    refused("'abc", "no end");
    refused("'abc\"", "no end");
    refused("'a\nb'", "no end");
    refused("'''abc''", "no end");
    refused("'abc\\", "no end");
    refused("b'x'", "strings marked b");
    refused("f'x'", "strings marked f");
}

static void lists_tuples_and_dictionaries_nest(void **state)
{
    (void)state;
    gives("[]", "[]");
    gives("[1, 2,]", "[1,2]");
    gives("[ 'relu','softmax' ]", "[\"relu\",\"softmax\"]");
    gives("[[16, 32, 64]]", "[[16,32,64]]");
    gives("[(2, 2)]", "[[2,2]]");
    gives("()", "[]");
    gives("(1)", "1");
    gives("(1,)", "[1]");
    gives("1, 2", "[1,2]");
    gives("1,", "[1]");
    gives("[1, # one\n 2\n]", "[1,2]");
    gives("[1, None, 'a', .5, True]", "[1,null,\"a\",0.5,true]");
    gives("['a'\n 'b']", "[\"ab\"]");
    gives("{'a': 1, 'b': [2]}", "{\"a\":1,\"b\":[2]}");
    gives("{}", "{}");
}

static void broken_lists_are_refused(void **state)
{
    (void)state;
    refused("[1, 2", "never closed");
    refused("[1 2]", "expected a comma or ]");
    refused("[1,,2]", "expected a value");
    refused("[,]", "expected a value");
    refused("(1, 2]", "expected a comma or )");
    refused("[1]]", "expected the end");
    refused("{1: 2}", "must be a string");
    refused("{'a'}", "expected a colon");
    refused("{'a':", "ends where a value belongs");
    refused("{'a': 1, 'a': 2}", "twice");
    refused("{'a': 1 'b': 2}", "expected a comma or }");
}

static void depth_has_a_limit(void **state)
{
    char text[1001];

    (void)state;
    memset(text, '[', 1000);
    text[1000] = 0;
    refused(text, "nested deeper than 100");
    memset(text + 100, ']', 100);
    text[200] = 0;
    struct arena *a = arena_new();
    assert_non_null(candle_literal(str_of(text), a, NULL));
    arena_free(a);
}

static void nothing_is_evaluated(void **state)
{
    static const char *const texts[] = {
        "2*3+1",
        "1 + 1",
        "os.system('x')",
        "[x for x in y]",
        "'a'+'b'",
        "len('a')",
        "__import__('os')",
        "1 if True else 2",
        "[1][0]",
        "'a' % 'b'",
        "2**3",
        "not True",
        "1 < 2",
        "lambda: 1",
        "{1, 2}",
        "...",
    };

    (void)state;
    for (size_t i = 0; i < sizeof(texts) / sizeof(*texts); i++)
        refused(texts[i], "at byte ");
    refused("2*3+1", "an expression where a literal belongs: 2*3+1");
    refused("os.system('x')", "nothing is evaluated");
}

static void comments_and_blanks_may_stand_around(void **state)
{
    (void)state;
    gives("  4 # four", "4");
    gives("\n[1]\n\n", "[1]");
    gives("4 # a\n # b", "4");
    refused("4 ; four", "a comment begins with #");
    refused("", "there is no value");
    refused("# only", "there is no value");
    refused("4\n5", "an expression where a literal belongs");
}

static void bytes_that_are_no_text_are_refused(void **state)
{
    struct err err = {0};
    struct arena *a = arena_new();

    (void)state;
    assert_null(candle_literal(str_n("'a\0b'", 5), a, &err));
    assert_non_null(strstr(err.text, "byte 3"));
    assert_null(candle_literal(STR("'\xff'"), a, &err));
    arena_free(a);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(whole_numbers_are_read),
        cmocka_unit_test(floats_are_read_exactly),
        cmocka_unit_test(bad_numbers_are_refused),
        cmocka_unit_test(words_are_true_false_and_none),
        cmocka_unit_test(strings_have_every_quoting),
        cmocka_unit_test(escapes_are_pythons),
        cmocka_unit_test(broken_strings_are_refused),
        cmocka_unit_test(lists_tuples_and_dictionaries_nest),
        cmocka_unit_test(broken_lists_are_refused),
        cmocka_unit_test(depth_has_a_limit),
        cmocka_unit_test(nothing_is_evaluated),
        cmocka_unit_test(comments_and_blanks_may_stand_around),
        cmocka_unit_test(bytes_that_are_no_text_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
