/* test_ranks.c - ranks, of what has one */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <cmocka.h>

#include "base/ranks.h"

static void equal_numbers_share_their_rank(void **state)
{
    static const double x[] = {1, 2, 2, 3}, y[] = {10, 30, 20, 40};
    (void)state;
    assert_true(rank_correlation(x, x, 4) == 1);
    assert_true(fabs(rank_correlation(x, y, 4) - 4.5 / sqrt(4.5 * 5)) < 1e-15);
    assert_true(isnan(rank_correlation(x, (double[]){7, 7, 7, 7}, 4)));
}

static void what_is_not_a_number_has_no_rank(void **state)
{
    double sd[] = {1, NAN, 2, NAN}, errors[] = {1, 2, 3, 4};
    (void)state;
    assert_true(isnan(rank_correlation(sd, errors, 4)));
    assert_true(isnan(rank_correlation(errors, sd, 4)));
}

static void what_is_not_a_number_is_sorted_last(void **state)
{
    double x[] = {NAN, 3, -INFINITY, NAN, 1, INFINITY};
    (void)state;
    qsort(x, 6, sizeof(*x), number_order);
    assert_true(x[0] == -INFINITY && x[1] == 1 && x[2] == 3 &&
                x[3] == INFINITY && isnan(x[4]) && isnan(x[5]));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(equal_numbers_share_their_rank),
        cmocka_unit_test(what_is_not_a_number_has_no_rank),
        cmocka_unit_test(what_is_not_a_number_is_sorted_last),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
