/* test_exact.c - exp, log and the improvement against the C library */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <math.h>

#include "base/exact.h"

static void assert_near(double got, double want, double room)
{
    if (!(fabs(got - want) <= room * fmax(1e-300, fabs(want))))
        fail_msg("%.17g instead of %.17g", got, want);
}

static void exp_is_right_to_a_few_units(void **state)
{
    (void)state;
    for (double x = -690; x < 690; x += 0.37)
        assert_near(exact_exp(x), exp(x), 1e-15);
    assert_true(exact_exp(0) == 1);
    assert_true(exact_exp(-1e9) > 0 && exact_exp(-1e9) < 1e-300);
    assert_true(isfinite(exact_exp(1e9)));
}

static void exp_of_many_is_exp_of_each(void **state)
{
    (void)state;
    double x[37];
    for (int i = 0; i < 37; i++)
        x[i] = i * 1.3 - 30;
    exact_exp_many(x, 37);
    for (int i = 0; i < 37; i++)
        assert_true(x[i] == exact_exp(i * 1.3 - 30));
}

static void log_is_right_to_a_few_units(void **state)
{
    (void)state;
    for (double x = 1e-300; x < 1e300; x *= 1.7)
        assert_near(exact_log(x), log(x), 4e-15);
    for (double x = 0.5; x < 2; x += 0.001)
        assert_true(fabs(exact_log(x) - log(x)) < 1e-15);
    assert_true(exact_log(1) == 0);
}

static double plain_improvement(double z)
{
    double density = exp(-0.5 * z * z) / sqrt(2 * acos(-1));
    return log(density + z * 0.5 * erfc(-z / sqrt(2)));
}

static void improvement_agrees_with_the_formula_where_that_works(void **state)
{
    (void)state;
    double slope;
    for (double z = -4; z < 12; z += 0.01) {
        double got = exact_log_improvement(z, &slope);
        assert_true(fabs(got - plain_improvement(z)) < 1e-8);
    }
}

static void improvement_goes_on_where_the_formula_underflows(void **state)
{
    (void)state;
    double slope;
    for (double z = -5; z > -1e6; z *= 1.5) {
        double got = exact_log_improvement(z, &slope);
        /* phi / z^2 (1 - 3 / z^2 + …), and so its logarithm. */
        double want = -0.5 * z * z - 0.5 * log(2 * acos(-1)) - 2 * log(-z) +
                      log(1 - 3 / (z * z) + 15 / (z * z * z * z));
        assert_true(fabs(got - want) < 0.01 + 1e-12 * z * z);
        assert_true(slope > -z && slope < -z + 3 / -z);
    }
}

static void the_slope_is_the_derivative(void **state)
{
    (void)state;
    double slope, unused;
    for (double z = -30; z < 6; z += 0.173) {
        double step = 1e-5;
        double up = exact_log_improvement(z + step, &unused);
        double down = exact_log_improvement(z - step, &unused);
        exact_log_improvement(z, &slope);
        assert_near(slope, (up - down) / (2 * step), 1e-5);
    }
}

static void normal_and_gamma_are_those_of_the_library(void **state)
{
    (void)state;
    for (double z = -37; z < 9; z += 0.0137) {
        double right = 0.5 * erfc(-z * M_SQRT1_2);
        /* The exponent itself is rounded. */
        assert_true(fabs(exact_normal_cdf(z) / right - 1) <
                    1e-14 * (10 + z * z));
        assert_true(fabs(exact_normal_quick(z) - right) < 4e-16);
    }
    for (double x = 1e-6; x < 1e6; x *= 1.07) {
        int sign;
        double right = lgamma_r(x, &sign);
        assert_true(fabs(exact_log_gamma(x) - right) <
                    1e-14 * (20 + fabs(right)));
    }
    assert_true(exact_exp_any(-800) == 0 && isinf(exact_exp_any(711)));
    assert_true(fabs(exact_exp_any(709.5) / exp(709.5) - 1) < 1e-14);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(normal_and_gamma_are_those_of_the_library),
        cmocka_unit_test(exp_is_right_to_a_few_units),
        cmocka_unit_test(exp_of_many_is_exp_of_each),
        cmocka_unit_test(log_is_right_to_a_few_units),
        cmocka_unit_test(improvement_agrees_with_the_formula_where_that_works),
        cmocka_unit_test(improvement_goes_on_where_the_formula_underflows),
        cmocka_unit_test(the_slope_is_the_derivative),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
