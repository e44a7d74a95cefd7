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
    assert_null(device_find(STR("cuda"), &err));
    assert_int_equal(err.kind, ERR_INPUT);
    assert_string_equal(
        err.text, "there is no device cuda; use cpu, portable or reference");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_device_is_found_and_named_to_people),
        cmocka_unit_test(who_names_none_gets_the_first),
        cmocka_unit_test(an_unknown_device_is_an_error_that_names_the_others),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
