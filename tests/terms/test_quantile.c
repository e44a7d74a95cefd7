/* test_quantile.c - quantiles against closed forms and their own inverse */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <math.h>

#include "terms/quantile.h"

static void assert_near(double got, double want, double relative)
{
    if (!(fabs(got - want) <= relative * fabs(want) + 1e-300))
        fail_msg("got %.17g, want %.17g", got, want);
}

static void the_normal_quantile_gives_the_values_of_the_tables(void **state)
{
    (void)state;
    static const double table[][2] = {{0.975, 1.9599639845400545},
                                      {0.84134474606854293, 1.0},
                                      {0.5, 0.0},
                                      {0.001, -3.0902323061678132},
                                      {1e-10, -6.3613409024040557},
                                      {0.99, 2.3263478740408408}};
    for (size_t i = 0; i < sizeof(table) / sizeof(*table); i++)
        assert_near(normal_quantile(table[i][0]), table[i][1], 1e-14);
}

static void the_normal_quantile_is_the_inverse_everywhere(void **state)
{
    (void)state;
    for (int i = 1; i < 4000; i++) {
        double p = i / 4000.0;
        assert_near(normal_cdf(normal_quantile(p)), p, 1e-14);
        double small = pow(10, -i / 250.0);
        if (small > 0x1p-53)
            assert_near(normal_cdf(normal_quantile(small)), small, 1e-13);
    }
}

static void the_normal_quantile_is_finite_at_the_ends(void **state)
{
    (void)state;
    assert_true(isfinite(normal_quantile(0)));
    assert_true(isfinite(normal_quantile(1)));
    assert_true(normal_quantile(0) < -8 && normal_quantile(1) > 8);
}

static void the_beta_function_has_its_closed_forms(void **state)
{
    (void)state;
    for (int i = 1; i < 200; i++) {
        double x = i / 200.0;
        assert_near(beta_cdf(x, 1, 1), x, 1e-13);
        assert_near(beta_cdf(x, 3, 1), x * x * x, 1e-13);
        assert_near(beta_cdf(x, 1, 4), 1 - pow(1 - x, 4), 1e-12);
        assert_near(beta_cdf(x, 0.5, 0.5), 2 / M_PI * asin(sqrt(x)), 1e-12);
        assert_near(beta_cdf(x, 2, 2), x * x * (3 - 2 * x), 1e-12);
    }
    assert_true(beta_cdf(0, 2, 3) == 0 && beta_cdf(1, 2, 3) == 1);
}

static void the_beta_quantile_is_the_inverse(void **state)
{
    (void)state;
    static const double shapes[][2] = {{1, 1},     {2, 5},   {0.5, 0.5},
                                       {0.05, 3},  {3, 0.1}, {50, 80},
                                       {1000, 10}, {1, 7},   {0.01, 0.01}};
    for (size_t s = 0; s < sizeof(shapes) / sizeof(*shapes); s++) {
        double a = shapes[s][0], b = shapes[s][1], before = 0;
        for (int i = 1; i < 400; i++) {
            double p = i / 400.0, x = beta_quantile(p, a, b);
            assert_true(x >= before && x <= 1);
            before = x;
            /* Near 1 a double cannot say how far from 1 it is. */
            if (x > 1e-300 && x < 0.999)
                assert_near(beta_cdf(x, a, b), p, 1e-11);
        }
    }
}

static void the_beta_quantile_has_its_closed_forms(void **state)
{
    (void)state;
    for (int i = 1; i < 1000; i++) {
        double p = i / 1000.0;
        assert_near(beta_quantile(p, 1, 1), p, 1e-14);
        assert_near(beta_quantile(p, 4, 1), pow(p, 0.25), 1e-13);
        assert_near(beta_quantile(p, 0.1, 1), pow(p, 10), 1e-12);
        assert_near(beta_quantile(p, 0.5, 0.5), pow(sin(p * M_PI / 2), 2),
                    1e-12);
    }
    assert_true(beta_quantile(0, 2, 3) == 0 && beta_quantile(1, 2, 3) == 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_normal_quantile_gives_the_values_of_the_tables),
        cmocka_unit_test(the_normal_quantile_is_the_inverse_everywhere),
        cmocka_unit_test(the_normal_quantile_is_finite_at_the_ends),
        cmocka_unit_test(the_beta_function_has_its_closed_forms),
        cmocka_unit_test(the_beta_quantile_is_the_inverse),
        cmocka_unit_test(the_beta_quantile_has_its_closed_forms),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
