/* test_vec.c - growing arrays */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "base/vec.h"

static void pushing_keeps_order_and_values(void **state)
{
    (void)state;
    VEC(int) v = {0};
    for (int i = 0; i < 1000; i++)
        vec_push(&v, i * i);
    assert_int_equal(v.len, 1000);
    assert_true(v.cap >= 1000);
    for (int i = 0; i < 1000; i++)
        assert_int_equal(v.p[i], i * i);
    assert_int_equal(vec_last(&v), 999 * 999);
    vec_done(&v);
    assert_null(v.p);
    assert_int_equal(v.len + v.cap, 0);
}

static void reserving_once_is_enough(void **state)
{
    (void)state;
    VEC(double) v = {0};
    vec_reserve(&v, 500);
    const double *before = v.p;
    for (int i = 0; i < 500; i++)
        vec_push(&v, i * 0.5);
    assert_ptr_equal(v.p, before);
    vec_done(&v);
}

static void what_was_found_moves_into_an_arena(void **state)
{
    (void)state;
    struct arena *a = arena_new();
    VEC(const char *) v = {0};
    vec_push(&v, "one");
    vec_push(&v, "two");
    const char **list = vec_to_arena(a, &v);
    assert_string_equal(list[1], "two");
    assert_null(list[2]);
    assert_true(!v.p && !v.len && !v.cap);
    assert_null(((const char **)vec_to_arena(a, &v))[0]);
    arena_free(a);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pushing_keeps_order_and_values),
        cmocka_unit_test(reserving_once_is_enough),
        cmocka_unit_test(what_was_found_moves_into_an_arena),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
