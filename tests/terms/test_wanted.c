/* test_wanted.c - a value of a known kind, or in words what it must be */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <math.h>

#include "base/json.h"
#include "terms/wanted.h"

enum kind { INT, NUMBER, BOOL, TEXT };

static const char *ask(enum kind kind, const char *json)
{
    static struct err why;
    struct arena *a = arena_new();
    const struct value *v = json_parse(a, str_of(json), "v", true, NULL);
    assert_non_null(v);
    int64_t i = 7;
    double d = 7;
    bool b = false, ok = false;
    struct str s = STR("7");
    switch (kind) {
    case INT:
        ok = want_int(v, 1, 10, &i, &why);
        break;
    case NUMBER:
        ok = want_number(v, 0, 0.5, &d, &why);
        break;
    case BOOL:
        ok = want_bool(v, &b, &why);
        break;
    case TEXT:
        ok = want_text(v, &s, &why);
    }
    assert_true(ok || (i == 7 && d == 7 && !b && str_is(s, "7")));
    arena_free(a);
    return ok ? "" : why.text;
}

static void what_is_wanted_is_said_with_what_was_given(void **state)
{
    (void)state;
    static const struct {
        enum kind kind;
        const char *json, *why;
    } cases[] = {
        {INT, "3", ""},
        {INT, "1e1", ""},
        {INT, "2.5", "must be a whole number, not 2.5"},
        {INT, "\"many\"", "must be a whole number, not 'many'"},
        {INT, "\"a\\u0007b\"", "must be a whole number, not 'a?b'"},
        {INT, "0", "must be at least 1, not 0"},
        {INT, "11", "must be at most 10, not 11"},
        {NUMBER, "0.25", ""},
        {NUMBER, "NaN", "must be a finite number, not nan"},
        {NUMBER, "[1]", "must be a finite number, not a list"},
        {NUMBER, "-1", "must be at least 0, not -1"},
        {NUMBER, "0.75", "must be at most 0.5, not 0.75"},
        {BOOL, "true", ""},
        {BOOL, "1", "must be true or false, not 1"},
        {BOOL, "null", "must be true or false, not nothing"},
        {TEXT, "\"x\"", ""},
        {TEXT, "\"\"", "must be text, not empty"},
        {TEXT, "{}", "must be text, not an object"},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++)
        assert_string_equal(ask(cases[i].kind, cases[i].json), cases[i].why);
}

static void a_long_text_is_cut_between_characters(void **state)
{
    (void)state;
    char text[200] = {0};
    struct buf b;
    buf_init(&b);
    for (size_t i = 0; i < 99; i++)
        text[i] = i % 2 ? '\xa4' : '\xc3'; /* ä, and half of one */
    shown_print(&b, str_n(text + 1, 97));
    assert_int_equal(b.len, 59 + 3);
    assert_string_equal(b.p + 59, "…");
    buf_done(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_wanted_is_said_with_what_was_given),
        cmocka_unit_test(a_long_text_is_cut_between_characters),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
