/* Tests of src/terms/gpu_reading.c: what a look at GPUs has found. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <math.h>

#include "terms/gpu_reading.h"

static void a_reading_is_read_as_it_was_written(void **state)
{
    struct gpu_reading one = {0.29, 1234.5, true, 7ull << 30};
    struct gpu_reading none = {NAN, NAN, false, 0}, read;
    struct buf b;
    (void)state;
    buf_init(&b);
    gpu_reading_print(&b, &one);
    gpu_reading_print(&b, &none);
    struct bytes in = bytes_of(buf_str(&b));
    assert_true(gpu_reading_next(&in, &read));
    assert_true(read.busy == 0.29 && read.joules == 1234.5);
    assert_true(read.known && read.used_bytes == 7ull << 30);
    assert_true(gpu_reading_next(&in, &read));
    assert_true(isnan(read.busy) && isnan(read.joules) && !read.known);
    assert_false(gpu_reading_next(&in, &read));
    buf_done(&b);
}

static void a_torn_reading_is_none(void **state)
{
    struct gpu_reading one = {0.5, 1, true, 1}, read = {0};
    struct buf b;
    (void)state;
    buf_init(&b);
    gpu_reading_print(&b, &one);
    for (size_t len = 0; len < b.len; len++) {
        struct bytes in = bytes_of(str_n(b.p, len));
        assert_false(gpu_reading_next(&in, &read));
    }
    assert_true(read.busy == 0);
    buf_done(&b);
}

static void what_makes_no_sense_is_not_known(void **state)
{
    struct gpu_reading odd = {-1, INFINITY, true, 1}, read;
    struct gpu_reading more = {1.7, 1, true, 1};
    struct buf b;
    (void)state;
    buf_init(&b);
    gpu_reading_print(&b, &odd);
    gpu_reading_print(&b, &more);
    struct bytes in = bytes_of(buf_str(&b));
    assert_true(gpu_reading_next(&in, &read));
    assert_true(isnan(read.busy) && isnan(read.joules));
    assert_true(gpu_reading_next(&in, &read));
    assert_true(read.busy == 1); /* a GPU is no busier than always */
    buf_done(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_reading_is_read_as_it_was_written),
        cmocka_unit_test(a_torn_reading_is_none),
        cmocka_unit_test(what_makes_no_sense_is_not_known),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
