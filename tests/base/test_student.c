/* test_student.c - Student's t, against scipy and mpmath, and by its own laws
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include "base/student.h"

static void assert_close(double got, double want, double relative)
{
    if (!(fabs(got - want) <= relative * fabs(want)))
        fail_msg("%.17g, not %.17g", got, want);
}

static void the_part_beyond_t_is_that_of_others(void **state)
{
    (void)state;
    static const struct {
        double t, df, p;
    } rows[] = {
        {1.0, 1.0, 0.49999999999999956},
        {2.5, 4.0, 0.06676654481198813},
        {-0.3, 4.0, 0.7791214282774597},
        {12.7062047361747, 1.0, 0.050000000000000024},
        {3.1, 9.0, 0.012722455978201952},
        {0.001, 7.0, 0.9992300172449988},
        {40.0, 3.0, 3.438068078915854e-05},
        {1.5, 250.0, 0.134876190707342839},
        {1.96, 1000000.0, 0.0499960675852697907},
        {8.0, 1000.0, 3.4266614823914744e-15},
        {2.0, 0.5, 0.44551489018313123},
    };
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
        assert_close(student_two_sided(rows[i].t, rows[i].df), rows[i].p,
                     1e-13);
}

static void with_one_and_two_degrees_it_has_a_closed_form(void **state)
{
    (void)state;
    for (double t = 1e-6; t < 1e6; t *= 3.7) {
        assert_close(student_two_sided(t, 1),
                     2 / 3.14159265358979323846 * atan2(1, t), 1e-13);
        double root = sqrt(2 + t * t);
        assert_close(student_two_sided(t, 2), 2 / (root * (root + t)), 1e-13);
    }
}

static void the_quantile_is_its_inverse(void **state)
{
    (void)state;
    static const double dfs[] = {0.7, 1, 2, 4, 9, 99, 1e5};
    for (size_t i = 0; i < sizeof(dfs) / sizeof(dfs[0]); i++)
        for (double p = 1; p > 1e-6; p /= 3)
            assert_close(student_two_sided(student_beyond(p, dfs[i]), dfs[i]),
                         p, 1e-12);
    assert_close(student_beyond(0.05, 4), 2.7764451051977987, 1e-12);
}

static void what_is_no_number_gives_none(void **state)
{
    (void)state;
    assert_true(isnan(student_two_sided(NAN, 4)));
    assert_true(isnan(student_two_sided(1, 0)));
    assert_true(isnan(student_beyond(0, 4)));
    assert_true(student_two_sided(0, 4) == 1);
    assert_true(student_two_sided(INFINITY, 4) == 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_part_beyond_t_is_that_of_others),
        cmocka_unit_test(with_one_and_two_degrees_it_has_a_closed_form),
        cmocka_unit_test(the_quantile_is_its_inverse),
        cmocka_unit_test(what_is_no_number_gives_none),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
