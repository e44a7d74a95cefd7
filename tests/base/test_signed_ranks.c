/* test_signed_ranks.c - Wilcoxon's test, against scipy and against all signs */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include "base/signed_ranks.h"

static void few_are_counted_exactly(void **state)
{
    (void)state;
    const double d[] = {0.3, -0.1, 0.5, 0.8, 0.2, 0.9, -0.4};
    struct signed_ranks r = signed_ranks_of(d, 7);
    assert_int_equal(r.count, 7);
    assert_true(r.plus == 23 && r.minus == 5);
    assert_true(r.p == 0.15625); /* scipy.stats.wilcoxon */
}

static void ties_share_their_rank_and_zeros_do_not_count(void **state)
{
    (void)state;
    const double d[] = {1, 1, -1, 2, 3, 0, 3, -2, 4};
    struct signed_ranks r = signed_ranks_of(d, 9);
    assert_int_equal(r.count, 8);
    assert_true(r.p == 0.140625); /* all 256 ways to sign, counted */
}

static void many_are_judged_by_the_normal_distribution(void **state)
{
    (void)state;
    double d[80];
    for (int i = 0; i < 80; i++)
        d[i] = ((i * 37) % 101 - 40) / 7.0;
    struct signed_ranks r = signed_ranks_of(d, 80);
    assert_true(r.minus == 1015.5 || r.plus == 1015.5);
    assert_true(fabs(r.p - 0.0058005955515858035) < 1e-13);
}

static void the_least_p_of_five_is_a_sixteenth(void **state)
{
    (void)state;
    const double d[] = {1, 2, 3, 4, 5, 6};
    assert_true(signed_ranks_of(d, 5).p == 0.0625);
    assert_true(signed_ranks_of(d, 6).p == 0.03125);
}

static void no_difference_has_no_p(void **state)
{
    (void)state;
    const double d[] = {0, 0, 0};
    struct signed_ranks r = signed_ranks_of(d, 3);
    assert_true(r.count == 0 && isnan(r.p));
    assert_true(isnan(signed_ranks_of(d, 0).p));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(few_are_counted_exactly),
        cmocka_unit_test(ties_share_their_rank_and_zeros_do_not_count),
        cmocka_unit_test(many_are_judged_by_the_normal_distribution),
        cmocka_unit_test(the_least_p_of_five_is_a_sixteenth),
        cmocka_unit_test(no_difference_has_no_p),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
