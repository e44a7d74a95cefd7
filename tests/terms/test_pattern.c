/* test_pattern.c - a regular expression that finds the metric */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include "terms/metric.h"
#include "terms/pattern.h"

static int64_t step;
static double value;

static bool match(const char *pattern, struct str line)
{
    struct patterns p;
    patterns_init(&p);
    const struct pattern *compiled = pattern_get(&p, str_of(pattern), NULL);
    assert_non_null(compiled);
    assert_ptr_equal(compiled, pattern_get(&p, str_of(pattern), NULL));
    bool found = pattern_match(compiled, line, &step, &value);
    patterns_done(&p);
    return found;
}

static void one_group_is_the_value(void **state)
{
    (void)state;
    assert_true(match("loss=([^ ]+)", STR("a loss=-1.5e3 b")));
    assert_int_equal(step, METRIC_NO_STEP);
    assert_true(value == -1500);
}

static void two_groups_are_step_and_value(void **state)
{
    (void)state;
    assert_true(match("([0-9]+): (.*)$", STR("12: nan")));
    assert_int_equal(step, 12);
    assert_true(value != value);
}

static void a_group_that_is_no_number_is_no_match(void **state)
{
    (void)state;
    assert_false(match("loss=(.*)", STR("loss=high")));
    assert_false(match("(.*):(.*)", STR("x:1")));
    assert_false(match("loss=(.*)", STR("nothing")));
    assert_false(match("loss", STR("loss")));
}

static void a_line_ends_where_its_length_says(void **state)
{
    (void)state;
    assert_true(match("x=([0-9]+)", str_n("x=12345", 4)));
    assert_true(value == 12);
}

static void a_wrong_expression_is_an_error(void **state)
{
    (void)state;
    struct patterns p;
    struct err err = {0};
    patterns_init(&p);
    assert_null(pattern_get(&p, STR("a(b"), &err));
    assert_int_equal(err.kind, ERR_INPUT);
    assert_non_null(strstr(err.text, "a(b"));
    patterns_done(&p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_group_is_the_value),
        cmocka_unit_test(two_groups_are_step_and_value),
        cmocka_unit_test(a_group_that_is_no_number_is_no_match),
        cmocka_unit_test(a_line_ends_where_its_length_says),
        cmocka_unit_test(a_wrong_expression_is_an_error),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
