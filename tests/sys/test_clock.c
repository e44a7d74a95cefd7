#include "scratch.h"

#include <math.h>

static void the_steady_clock_never_goes_back(void **state)
{
    (void)state;
    int64_t before = clock_mono_ns();
    for (int i = 0; i < 1000; i++) {
        int64_t now = clock_mono_ns();
        assert_true(now >= before);
        before = now;
    }
}

static void the_wall_clock_is_past_the_year_2020(void **state)
{
    (void)state;
    assert_true(clock_wall() > 1577836800.0);
}

static void check_print(double wall, bool utc, const char *expected)
{
    struct buf b;
    buf_init(&b);
    clock_print(&b, wall, utc);
    assert_string_equal(b.p, expected);
    buf_done(&b);
}

static void times_are_printed_for_people_and_for_records(void **state)
{
    (void)state;
    setenv("TZ", "XYZ-2", 1);
    check_print(0, true, "1970-01-01T00:00:00Z");
    check_print(1000000000.9, true, "2001-09-09T01:46:40Z");
    check_print(1000000000.9, false, "2001-09-09 03:46:40");
    check_print(-0.5, true, "1969-12-31T23:59:59Z");
}

static void a_time_that_is_none_is_said_to_be_unknown(void **state)
{
    (void)state;
    check_print(NAN, true, "unknown time");
    check_print(INFINITY, false, "unknown time");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_steady_clock_never_goes_back),
        cmocka_unit_test(the_wall_clock_is_past_the_year_2020),
        cmocka_unit_test(times_are_printed_for_people_and_for_records),
        cmocka_unit_test(a_time_that_is_none_is_said_to_be_unknown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
