/* test_device.c - names of devices */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <string.h>

#include "terms/device.h"

static void every_device_is_found_and_named_to_people(void **state)
{
    (void)state;
    for (size_t i = 0; i < DEVICE_COUNT; i++) {
        assert_ptr_equal(device_find(str_of(devices[i].name), NULL),
                         &devices[i]);
        assert_non_null(strstr(DEVICE_NAMES, devices[i].name));
        assert_true(devices[i].members > 0);
    }
}

/* What is only compared with the others has no name for people. */
static void who_stands_apart_is_not_found(void **state)
{
    (void)state;
    for (size_t i = DEVICE_COUNT; i < DEVICE_COUNT_ALL; i++)
        assert_null(device_find(str_of(devices[i].name), NULL));
}

static void a_cohort_has_as_many_as_fit_and_one_at_least(void **state)
{
    const struct device d = {
        .members = 64, .cohort_bytes = 1000000, .number_bytes = 4};
    (void)state;
    assert_int_equal(device_capacity(&d, 0), 64);
    assert_int_equal(device_capacity(&d, 1000), 64);
    assert_int_equal(device_capacity(&d, 10000), 24);
    assert_int_equal(device_capacity(&d, 100000), 2);
    assert_int_equal(device_capacity(&d, 1000000), 1);
}

static void who_names_none_gets_the_first(void **state)
{
    (void)state;
    assert_ptr_equal(device_find(STR(""), NULL), &devices[0]);
    assert_ptr_equal(device_find(STR("auto"), NULL), &devices[0]);
}

static void an_unknown_device_is_an_error_that_names_the_others(void **state)
{
    (void)state;
    struct err err = {0};
    assert_null(device_find(STR("abacus"), &err));
    assert_int_equal(err.kind, ERR_INPUT);
    assert_string_equal(err.text,
                        "there is no device abacus; use " DEVICE_NAMES);
    assert_null(device_find(STR("protable"), &err));
    assert_string_equal(err.text,
                        "there is no device protable (did you mean portable?); "
                        "use " DEVICE_NAMES);
    assert_string_equal(device_called(STR("CUDA")), "cuda");
    assert_null(device_find(STR("gpu"), &err));
    assert_string_equal(err.text,
                        "there is no device gpu (did you mean cuda?); "
                        "use " DEVICE_NAMES);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_device_is_found_and_named_to_people),
        cmocka_unit_test(who_stands_apart_is_not_found),
        cmocka_unit_test(a_cohort_has_as_many_as_fit_and_one_at_least),
        cmocka_unit_test(who_names_none_gets_the_first),
        cmocka_unit_test(an_unknown_device_is_an_error_that_names_the_others),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
