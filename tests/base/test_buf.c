/* test_buf.c - text being built, binary forms written and read back */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <math.h>
#include <stdlib.h>

#include "base/buf.h"
#include "base/rng.h"

static void a_buf_is_always_a_c_string(void **state)
{
    (void)state;
    struct buf b;
    buf_init(&b);
    assert_string_equal(b.p, "");
    buf_adds(&b, "ab");
    buf_addc(&b, 'c');
    buf_addstr(&b, STR("de"));
    buf_addf(&b, "%03d", 7);
    assert_string_equal(b.p, "abcde007");
    assert_int_equal(b.len, 8);
    buf_drop(&b, 5);
    assert_string_equal(b.p, "007");
    buf_drop(&b, 100);
    assert_string_equal(b.p, "");
    buf_done(&b);
    assert_null(b.p);
}

static void a_buf_grows_without_losing_anything(void **state)
{
    (void)state;
    struct buf b;
    buf_init(&b);
    for (int i = 0; i < 10000; i++)
        buf_addf(&b, "%d,", i);
    const char *p = b.p;
    for (int i = 0; i < 10000; i++) {
        char *end;
        assert_int_equal(strtol(p, &end, 10), i);
        p = end + 1;
    }
    assert_int_equal(p - b.p, b.len);
    assert_int_equal(strlen(b.p), b.len);
    buf_done(&b);
}

static void an_addition_past_the_maximum_is_dropped_whole(void **state)
{
    (void)state;
    struct buf b;
    buf_init_max(&b, 5);
    buf_adds(&b, "abc");
    assert_false(b.full);
    buf_adds(&b, "def");
    assert_true(b.full);
    assert_string_equal(b.p, "abc");
    buf_addf(&b, "%s", "long text");
    assert_string_equal(b.p, "abc");
    buf_adds(&b, "de");
    assert_string_equal(b.p, "abcde");
    buf_addc(&b, 'f');
    assert_string_equal(b.p, "abcde");
    buf_reset(&b);
    assert_false(b.full);
    buf_add_bytes(&b, STR("abcde"));
    assert_true(b.full);
    assert_int_equal(b.len, 0);
    buf_done(&b);
}

static void taking_hands_the_memory_over(void **state)
{
    (void)state;
    struct buf b;
    buf_init_max(&b, 10);
    buf_adds(&b, "mine");
    char *p = buf_take(&b);
    assert_string_equal(p, "mine");
    assert_int_equal(b.len, 0);
    assert_int_equal(b.max, 10);
    buf_adds(&b, "next");
    assert_string_equal(p, "mine");
    free(p);
    buf_done(&b);
}

/* Under the address sanitizer a buf that kept memory would be a leak. */
static void a_taken_buf_holds_no_memory_but_works(void **state)
{
    (void)state;
    struct buf b;
    buf_init_max(&b, 4);
    buf_adds(&b, "mine");
    free(buf_take(&b));
    assert_string_equal(b.p, "");
    assert_int_equal(buf_str(&b).len, 0);
    buf_reset(&b);
    buf_drop(&b, 1);
    buf_addf(&b, "%s", "too long");
    assert_true(b.full);
    assert_string_equal(b.p, "");
    char *empty = buf_take(&b);
    assert_string_equal(empty, "");
    free(empty);
    buf_reserve(&b, 3);
    assert_string_equal(b.p, "");
    buf_addf(&b, "%d", 1234);
    assert_string_equal(b.p, "1234");
    free(buf_take(&b));
}

static void binary_numbers_read_back(void **state)
{
    (void)state;
    struct buf b;
    struct rng r, again;
    rng_init(&r, 3, 0, "buf");
    again = r;
    buf_init(&b);
    for (int i = 0; i < 1000; i++) {
        uint64_t v = rng_u64(&r) >> rng_below(&r, 64);
        buf_add_u8(&b, (uint8_t)v);
        buf_add_u32(&b, (uint32_t)v);
        buf_add_u64(&b, v);
        buf_add_varint(&b, v);
        buf_add_f64(&b, (double)v / 3);
        buf_add_bytes(&b, str_n("0123456789", v % 11));
    }
    struct bytes in = bytes_of(buf_str(&b));
    for (int i = 0; i < 1000; i++) {
        uint64_t v = rng_u64(&again) >> rng_below(&again, 64);
        assert_true(bytes_u8(&in) == (uint8_t)v);
        assert_true(bytes_u32(&in) == (uint32_t)v);
        assert_true(bytes_u64(&in) == v);
        assert_true(bytes_varint(&in) == v);
        assert_true(bytes_f64(&in) == (double)v / 3);
        assert_true(str_eq(bytes_str(&in), str_n("0123456789", v % 11)));
    }
    assert_false(in.bad);
    assert_ptr_equal(in.p, in.end);
    buf_done(&b);
}

static void numbers_are_little_endian(void **state)
{
    (void)state;
    struct buf b;
    buf_init(&b);
    buf_add_u32(&b, 0x01020304);
    buf_add_varint(&b, 300);
    assert_memory_equal(b.p, "\x04\x03\x02\x01\xAC\x02", 6);
    buf_done(&b);
}

static void past_the_end_everything_is_zero_and_bad(void **state)
{
    (void)state;
    struct bytes in = bytes_of(STR("\x01\x02"));
    assert_int_equal(bytes_u32(&in), 0);
    assert_true(in.bad);
    assert_int_equal(bytes_u8(&in), 0);
    assert_int_equal(bytes_take(&in, 1).len, 0);
    in = bytes_of(STR("\x05"
                      "abc"));
    assert_int_equal(bytes_str(&in).len, 0);
    assert_true(in.bad);
    in = bytes_of((struct str){0});
    assert_int_equal(bytes_varint(&in), 0);
    assert_true(in.bad);
}

static void a_varint_that_overflows_is_bad(void **state)
{
    (void)state;
    struct bytes in = bytes_of(STR("\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF\x01"));
    assert_true(bytes_varint(&in) == UINT64_MAX);
    assert_false(in.bad);
    in = bytes_of(STR("\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF\x02"));
    assert_true(bytes_varint(&in) == 0);
    assert_true(in.bad);
    in = bytes_of(STR("\x80\x80\x80\x80\x80\x80\x80\x80\x80\x80\x01"));
    bytes_varint(&in);
    assert_true(in.bad);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_buf_is_always_a_c_string),
        cmocka_unit_test(a_buf_grows_without_losing_anything),
        cmocka_unit_test(an_addition_past_the_maximum_is_dropped_whole),
        cmocka_unit_test(taking_hands_the_memory_over),
        cmocka_unit_test(a_taken_buf_holds_no_memory_but_works),
        cmocka_unit_test(binary_numbers_read_back),
        cmocka_unit_test(numbers_are_little_endian),
        cmocka_unit_test(past_the_end_everything_is_zero_and_bad),
        cmocka_unit_test(a_varint_that_overflows_is_bad),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
