/* test_value.c - trees of values */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <math.h>
#include <stdlib.h>

#include "base/value.h"
#include "../one_arena.h"

static void objects_keep_the_order_of_their_members(void **state)
{
    (void)state;
    struct value *o = value_object(arena);
    char key[] = "k0";
    for (char c = '9'; c >= '0'; c--) {
        key[1] = c;
        value_set(arena, o, str_of(key), value_int(arena, c - '0'));
    }
    assert_int_equal(o->count, 10);
    assert_true(str_is(o->keys[0], "k9"));
    assert_int_equal(value_get(o, STR("k3"))->i, 3);
    assert_int_equal(value_index(o, STR("k0")), 9);
    assert_null(o->key_lines);
}

static void setting_again_replaces_in_place(void **state)
{
    (void)state;
    struct value *o = value_object(arena);
    value_set(arena, o, STR("a"), value_int(arena, 1));
    value_set(arena, o, STR("b"), value_int(arena, 2));
    value_set_at(arena, o, STR("a"), value_int(arena, 3), 7, 9);
    assert_int_equal(o->count, 2);
    assert_int_equal(o->items[0]->i, 3);
    assert_int_equal(o->key_lines[0], 7);
    assert_int_equal(o->key_columns[0], 9);
    assert_int_equal(o->key_lines[1], 0);
}

static void what_is_dropped_is_gone_and_the_rest_stays(void **state)
{
    (void)state;
    struct value *o = value_object(arena);
    value_set_at(arena, o, STR("a"), value_int(arena, 1), 1, 2);
    value_set_at(arena, o, STR("b"), value_int(arena, 2), 3, 4);
    value_set_at(arena, o, STR("c"), value_int(arena, 3), 5, 6);
    value_drop(o, STR("d"));
    assert_int_equal(o->count, 3);
    value_drop(o, STR("b"));
    assert_int_equal(o->count, 2);
    assert_null(value_get(o, STR("b")));
    assert_int_equal(value_get(o, STR("c"))->i, 3);
    assert_int_equal(o->key_lines[1], 5);
    assert_int_equal(o->key_columns[1], 6);
    value_drop(o, STR("c"));
    value_drop(o, STR("a"));
    assert_int_equal(o->count, 0);
    value_drop(NULL, STR("a"));
}

static void what_is_absent_is_null(void **state)
{
    (void)state;
    struct value *list = value_list(arena);
    value_list_add(arena, list, value_null(arena));
    assert_null(value_get(NULL, STR("a")));
    assert_null(value_get(list, STR("a")));
    assert_null(value_get(value_object(arena), STR("a")));
    assert_non_null(value_at(list, 0));
    assert_null(value_at(list, 1));
    assert_null(value_at(NULL, 0));
    assert_true(isnan(value_number(NULL)));
    assert_true(isnan(value_number(list)));
    assert_true(value_number(value_int(arena, 4)) == 4);
    assert_false(value_is_number(value_bool(arena, true)));
    assert_int_equal(value_text(NULL).len, 0);
    assert_true(str_is(value_text(value_string(arena, STR("x"))), "x"));
}

/* Values in the documented order, each one greater than all before. */
static void the_order_is_total(void **state)
{
    (void)state;
    struct value *empty_list = value_list(arena);
    struct value *list = value_list(arena), *longer = value_list(arena);
    value_list_add(arena, list, value_int(arena, 1));
    value_list_add(arena, longer, value_int(arena, 1));
    value_list_add(arena, longer, value_null(arena));
    struct value *a = value_object(arena), *b = value_object(arena);
    value_set(arena, a, STR("a"), value_int(arena, 2));
    value_set(arena, b, STR("b"), value_int(arena, 1));
    struct value *order[] = {
        value_null(arena),
        value_bool(arena, false),
        value_bool(arena, true),
        value_double(arena, -INFINITY),
        value_int(arena, INT64_MIN),
        value_double(arena, -0.5),
        value_int(arena, 0),
        value_double(arena, 0.5),
        value_int(arena, 1),
        value_double(arena, 0x1p53),
        value_int(arena, (INT64_C(1) << 53) + 1),
        value_int(arena, INT64_MAX),
        value_double(arena, 0x1p63),
        value_double(arena, INFINITY),
        value_double(arena, NAN),
        value_string(arena, STR("")),
        value_string(arena, STR("B")),
        value_string(arena, STR("a")),
        empty_list,
        list,
        longer,
        value_object(arena),
        a,
        b,
    };
    size_t n = sizeof(order) / sizeof(order[0]);
    for (size_t i = 0; i < n; i++) {
        for (size_t k = 0; k < n; k++) {
            int c = value_cmp(order[i], order[k]);
            assert_int_equal((c > 0) - (c < 0), (i > k) - (i < k));
            assert_int_equal(value_eq(order[i], order[k]), i == k);
        }
    }
}

static void equality_ignores_kind_of_number_and_order_of_members(void **state)
{
    (void)state;
    struct value *a = value_object(arena), *b = value_object(arena);
    value_set(arena, a, STR("x"), value_int(arena, 1));
    value_set(arena, a, STR("y"), value_string(arena, STR("t")));
    value_set(arena, b, STR("y"), value_string(arena, STR("t")));
    assert_false(value_eq(a, b));
    value_set(arena, b, STR("x"), value_double(arena, 1.0));
    assert_true(value_eq(a, b));
    value_set(arena, b, STR("x"), value_double(arena, 1.5));
    assert_false(value_eq(a, b));
    assert_false(value_eq(value_bool(arena, true), value_int(arena, 1)));
    assert_true(value_eq(NULL, NULL));
    assert_false(value_eq(a, NULL));
}

static void a_copy_shares_nothing(void **state)
{
    (void)state;
    struct arena *other = arena_new();
    struct value *o = value_object(other), *list = value_list(other);
    value_list_add(other, list, value_string(other, STR("deep")));
    value_set_at(other, o, STR("list"), list, 3, 4);
    o->line = 2;
    struct value *copy = value_copy(arena, o);
    assert_true(value_eq(o, copy));
    arena_free(other);
    assert_int_equal(copy->line, 2);
    assert_int_equal(copy->key_lines[0], 3);
    assert_true(str_is(copy->keys[0], "list"));
    assert_true(str_is(copy->items[0]->items[0]->s, "deep"));
}

static void sorting_leaves_the_object_alone(void **state)
{
    (void)state;
    struct value *o = value_object(arena);
    value_set(arena, o, STR("c"), value_null(arena));
    value_set(arena, o, STR("a"), value_null(arena));
    value_set(arena, o, STR("b"), value_null(arena));
    size_t *order = value_sorted(o);
    assert_int_equal(order[0], 1);
    assert_int_equal(order[1], 2);
    assert_int_equal(order[2], 0);
    assert_true(str_is(o->keys[0], "c"));
    free(order);
}

static void kinds_have_names_for_people(void **state)
{
    (void)state;
    assert_string_equal(value_kind_name(VALUE_DOUBLE), "a number");
    assert_string_equal(value_kind_name(VALUE_LIST), "a list");
    assert_string_equal(value_kind_name(VALUE_OBJECT), "an object");
}

struct repr_case {
    const char *text, *repr;
};

static void strings_are_quoted_as_python_does(void **state)
{
    (void)state;
    static const struct repr_case cases[] = {
        {"plain", "'plain'"},
        {"", "''"},
        {"it's", "\"it's\""},
        {"say \"x\"", "'say \"x\"'"},
        {"it's \"x\"", "'it\\'s \"x\"'"},
        {"a\\b", "'a\\\\b'"},
        {"a\nb\tc\rd", "'a\\nb\\tc\\rd'"},
        {"\x01\x7F\x1B", "'\\x01\\x7f\\x1b'"},
        {"\xC3\xA9\xE2\x82\xAC\xF0\x9F\x98\x80",
         "'\xC3\xA9\xE2\x82\xAC\xF0\x9F\x98\x80'"},
        {"\xC2\x85\xC2\xA0\xC2\xAD\xC2\xA1", "'\\x85\\xa0\\xad\xC2\xA1'"},
        {"\xFF", "'\\xff'"},
    };
    struct buf b;
    buf_init(&b);
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct value *v = value_string(arena, str_of(cases[i].text));
        buf_reset(&b);
        value_python_repr(&b, v);
        assert_string_equal(b.p, cases[i].repr);
        buf_reset(&b);
        value_python_str(&b, v);
        assert_string_equal(b.p, cases[i].text);
    }
    buf_done(&b);
}

static void trees_print_as_python_does(void **state)
{
    (void)state;
    struct value *o = value_object(arena), *list = value_list(arena);
    value_list_add(arena, list, value_int(arena, -1));
    value_list_add(arena, list, value_string(arena, STR("a")));
    value_list_add(arena, list, value_bool(arena, true));
    value_list_add(arena, list, value_null(arena));
    value_set(arena, o, STR("lr"), value_double(arena, 1e-5));
    value_set(arena, o, STR("it's"), list);
    value_set(arena, o, STR("none"), value_list(arena));
    value_set(arena, o, STR("empty"), value_object(arena));
    value_set(arena, o, STR("nan"), value_double(arena, NAN));
    struct buf b;
    buf_init(&b);
    value_python_str(&b, o);
    assert_string_equal(b.p, "{'lr': 1e-05, \"it's\": [-1, 'a', True, None], "
                             "'none': [], 'empty': {}, 'nan': nan}");
    buf_done(&b);
}

static void joining_adds_what_is_missing_also_inside(void **state)
{
    (void)state;
    struct value *o = value_object(arena), *in = value_object(arena);
    struct value *more = value_object(arena), *also = value_object(arena);
    value_set(arena, in, STR("x"), value_int(arena, 1));
    value_set(arena, o, STR("a"), value_int(arena, 1));
    value_set(arena, o, STR("n"), in);
    value_set(arena, also, STR("x"), value_int(arena, 7));
    value_set(arena, also, STR("y"), value_int(arena, 8));
    value_set(arena, more, STR("a"), value_int(arena, 7));
    value_set(arena, more, STR("n"), also);
    value_set(arena, more, STR("b"), value_int(arena, 9));
    value_join(arena, o, more);
    assert_int_equal(value_get(o, STR("a"))->i, 1);
    assert_int_equal(value_get(o, STR("b"))->i, 9);
    assert_int_equal(value_get(in, STR("x"))->i, 1);
    assert_int_equal(value_get(in, STR("y"))->i, 8);
    assert_int_equal(o->count, 3);
}

#define WITH_ARENA(test) cmocka_unit_test_setup_teardown(test, setup, teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        WITH_ARENA(joining_adds_what_is_missing_also_inside),
        WITH_ARENA(objects_keep_the_order_of_their_members),
        WITH_ARENA(setting_again_replaces_in_place),
        WITH_ARENA(what_is_dropped_is_gone_and_the_rest_stays),
        WITH_ARENA(what_is_absent_is_null),
        WITH_ARENA(the_order_is_total),
        WITH_ARENA(equality_ignores_kind_of_number_and_order_of_members),
        WITH_ARENA(a_copy_shares_nothing),
        WITH_ARENA(sorting_leaves_the_object_alone),
        WITH_ARENA(kinds_have_names_for_people),
        WITH_ARENA(strings_are_quoted_as_python_does),
        WITH_ARENA(trees_print_as_python_does),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
