/* test_summary_number.c - one number of a summary's text */
#include "view/view.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

static const char summary[] =
    "{\"text\":{\"last\":\"}{\\\"loss\\\":1\"},"
    "\"loss\":{\"last\":0.25,\"min\":-1e-3,\"count\":7,\"step\":null},"
    "\"a.b\":{\"last\":3},\"a\":{\"last\":1,\"b\":2},"
    "\"\\u00e9\\\"\":{\"last\":4},\"lost\":{\"last\":NaN},"
    "\"large\":{\"last\":Infinity},\"flat\":5,\"none\":{}}";

static double of(const char *name)
{
    return summary_number(str_of(summary), str_of(name));
}

static void a_metric_is_its_last_number(void **state)
{
    (void)state;
    assert_true(of("loss") == 0.25);
    assert_true(isinf(of("large")));
    assert_true(of("\xc3\xa9\"") == 4);
}

static void behind_a_dot_stand_its_other_numbers(void **state)
{
    (void)state;
    assert_true(of("loss.min") == -1e-3);
    assert_true(of("loss.count") == 7);
    assert_true(of("a.b") == 3); /* a name of its own comes first */
    assert_true(of("a") == 1);
}

static void what_is_no_number_is_none(void **state)
{
    static const char *const names[] = {"nothing", "loss.max", "loss.step",
                                        "text",    "lost",     "flat",
                                        "none",    "",         "."};
    (void)state;
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
        if (!isnan(of(names[i])))
            fail_msg("%s is %g", names[i], of(names[i]));
}

static void a_text_that_is_no_summary_has_none(void **state)
{
    static const char *const texts[] = {
        "", "[]", "{", "{\"loss\"", "{\"loss\":", "{\"loss\":{\"last\":"};
    (void)state;
    for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++)
        assert_true(isnan(summary_number(str_of(texts[i]), STR("loss"))));
    assert_true(isnan(summary_number((struct str){0}, STR("loss"))));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_metric_is_its_last_number),
        cmocka_unit_test(behind_a_dot_stand_its_other_numbers),
        cmocka_unit_test(what_is_no_number_is_none),
        cmocka_unit_test(a_text_that_is_no_summary_has_none),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
