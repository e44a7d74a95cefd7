/* test_merit.c - how much work is done in a day */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include "view/view.h"

/* The example of a talk about exascale machines: units that take 60, 6 and 12
 * hours on 18,688 nodes, against 4, 0.5 and 0.25 hours on 94,000. */
static void the_figure_of_merit_is_a_ratio_of_harmonic_means(void **state)
{
    (void)state;
    static const double hours[2][3] = {{60, 6, 12}, {4, 0.5, 0.25}};
    static const double nodes[2] = {18688, 94000};
    double units[2][3];
    for (int m = 0; m < 2; m++)
        for (int i = 0; i < 3; i++)
            units[m][i] = merit_units(3600 * hours[m][i], nodes[m]);
    assert_true(fabs(units[0][0] - 7475.2) < 1e-9);
    assert_true(fabs(units[1][2] - 9024000) < 1e-6);
    double ratio = merit_harmonic(units[1], 3) / merit_harmonic(units[0], 3);
    assert_true(fabs(ratio - 82.597) < 5e-4);
    /* The talk says 82.599: it rounds 7,475.2 units a day to 7,475. */
    units[0][0] = 7475;
    ratio = merit_harmonic(units[1], 3) / merit_harmonic(units[0], 3);
    assert_true(fabs(ratio - 82.599) < 5e-4);
}

static void what_takes_no_time_has_no_units(void **state)
{
    (void)state;
    assert_true(isnan(merit_units(0, 4)));
    assert_true(isnan(merit_harmonic(NULL, 0)));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_figure_of_merit_is_a_ratio_of_harmonic_means),
        cmocka_unit_test(what_takes_no_time_has_no_units),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
