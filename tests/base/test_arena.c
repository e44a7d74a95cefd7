/* test_arena.c - memory that dies together */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <malloc.h>
#include <string.h>

#include "base/arena.h"
#include "base/rng.h"

/* What malloc has given out; nothing where a sanitizer stands in for it. */
static size_t held(void)
{
    struct mallinfo2 m = mallinfo2();
    return m.uordblks + m.hblkhd;
}

static bool all_zero(const char *p, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (p[i])
            return false;
    return true;
}

static void allocations_are_aligned_zeroed_and_apart(void **state)
{
    (void)state;
    struct arena *a = arena_new();
    struct rng r;
    rng_init(&r, 1, 0, "arena");
    enum { COUNT = 2000 };
    static char *p[COUNT];
    static size_t size[COUNT];
    for (size_t i = 0; i < COUNT; i++) {
        size[i] = rng_below(&r, i % 100 ? 300 : 300000);
        p[i] = arena_alloc(a, size[i]);
        assert_int_equal((uintptr_t)p[i] % 16, 0);
        assert_true(all_zero(p[i], size[i]));
        memset(p[i], (int)(i % 251) + 1, size[i]);
    }
    for (size_t i = 0; i < COUNT; i++)
        for (size_t k = 0; k < size[i]; k++)
            assert_int_equal((unsigned char)p[i][k], i % 251 + 1);
    arena_free(a);
}

static void memory_used_again_after_a_reset_is_zeroed(void **state)
{
    (void)state;
    struct arena *a = arena_new();
    for (int round = 0; round < 5; round++) {
        for (size_t i = 0; i < 300; i++) {
            char *p = arena_alloc(a, i * 3);
            assert_true(all_zero(p, i * 3));
            memset(p, 0xFF, i * 3);
        }
        arena_reset(a);
    }
    arena_free(a);
}

static void a_loop_that_resets_settles_on_its_memory(void **state)
{
    (void)state;
    size_t before = held(), settled = 0;
    struct arena *a = arena_new();
    for (int round = 0; round < 20; round++) {
        for (int i = 0; i < 50; i++)
            memset(arena_alloc(a, 70000), 1, 70000);
        if (round == 2)
            settled = held() - before;
        if (round > 2)
            assert_int_equal(held() - before, settled);
        arena_reset(a);
    }
    assert_true(settled < 70000 * 50 * 2);
    arena_free(a);
}

static void one_big_allocation_does_not_waste_a_chunk(void **state)
{
    (void)state;
    size_t before = held();
    struct arena *a = arena_new();
    arena_alloc(a, 8 << 20);
    for (int i = 0; i < 100; i++)
        arena_alloc(a, 16);
    assert_true(held() - before < (8 << 20) + (64 << 10));
    arena_free(a);
}

static void text_is_copied_with_a_nul_behind(void **state)
{
    (void)state;
    struct arena *a = arena_new();
    char source[] = "hello world";
    struct str s = arena_str(a, str_n(source, 5));
    char *c = arena_cstr(a, str_n(source + 6, 5));
    memset(source, 'x', sizeof(source) - 1);
    assert_true(str_is(s, "hello"));
    assert_int_equal(s.p[5], 0);
    assert_string_equal(c, "world");
    assert_string_equal(arena_cstr(a, (struct str){0}), "");
    arena_free(a);
}

static void printf_makes_texts_of_any_length(void **state)
{
    (void)state;
    struct arena *a = arena_new();
    assert_string_equal(arena_printf(a, "%d-%s", 4, "x"), "4-x");
    char *p = arena_printf(a, "%0500d|%s", 7, "end");
    assert_int_equal(strlen(p), 504);
    assert_string_equal(p + 499, "7|end");
    for (int n = 254; n < 258; n++)
        assert_int_equal(strlen(arena_printf(a, "%0*d", n, 1)), n);
    arena_free(a);
}

static void freeing_nothing_is_fine(void **state)
{
    (void)state;
    arena_free(NULL);
    struct arena *a = arena_new();
    arena_reset(a);
    assert_non_null(arena_alloc(a, 0));
    arena_free(a);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(allocations_are_aligned_zeroed_and_apart),
        cmocka_unit_test(memory_used_again_after_a_reset_is_zeroed),
        cmocka_unit_test(a_loop_that_resets_settles_on_its_memory),
        cmocka_unit_test(one_big_allocation_does_not_waste_a_chunk),
        cmocka_unit_test(text_is_copied_with_a_nul_behind),
        cmocka_unit_test(printf_makes_texts_of_any_length),
        cmocka_unit_test(freeing_nothing_is_fine),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
