/* test_layer_look.c - directions and groups of rows whose answers are known */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "view/layer_look.h"

static void near(double found, double wanted)
{
    if (!(fabs(found - wanted) < 1e-12))
        fail_msg("%.17g is not %.17g", found, wanted);
}

/* On a line along (-3, 4). */
static void the_first_direction_is_that_of_the_line(void **state)
{
    static const double rows[] = {3, -4, -3, 4, 6, -8, -6, 8};
    struct arena *a = arena_new();
    struct principal p = {.count = 2, .columns = 2};
    (void)state;
    principal_fit(&p, rows, 4, a);
    near(p.directions[0], -0.6);
    near(p.directions[1], 0.8);
    near(p.explained[0], 1);
    near(p.explained[1], 0);
    near(principal_at(&p, 0, rows), -5);
    near(principal_at(&p, 0, rows + 6), 10);
    arena_free(a);
}

/* Whichever way they were found, all of a direction is turned. */
static void
directions_are_at_right_angles_and_their_largest_is_positive(void **state)
{
    enum { ROWS = 12, COLUMNS = 6 };
    double rows[ROWS * COLUMNS];
    struct arena *a = arena_new();
    struct principal p = {.count = COLUMNS, .columns = COLUMNS};
    (void)state;
    for (int i = 0; i < ROWS * COLUMNS; i++)
        rows[i] = (i * 37 + i * i * 11) % 29;
    principal_fit(&p, rows, ROWS, a);
    for (int i = 0; i < COLUMNS; i++) {
        const double *one = p.directions + i * COLUMNS;
        double most = 0;
        for (int k = 0; k < COLUMNS; k++)
            most = fabs(one[k]) > fabs(most) ? one[k] : most;
        assert_true(most > 0);
        for (int j = 0; j <= i; j++) {
            double product = 0;
            for (int k = 0; k < COLUMNS; k++)
                product += one[k] * p.directions[j * COLUMNS + k];
            near(product, i == j);
        }
    }
    arena_free(a);
}

static void rows_that_are_all_the_same_have_no_direction(void **state)
{
    static const double rows[] = {1, 2, 1, 2, 1, 2};
    struct arena *a = arena_new();
    struct principal p = {.count = 2, .columns = 2};
    (void)state;
    principal_fit(&p, rows, 3, a);
    near(p.explained[0], 0);
    near(principal_at(&p, 0, rows), 0);
    arena_free(a);
}

static void groups_are_found_the_largest_first(void **state)
{
    static const double rows[] = {9, 9.5, 0, 1, 0.5, 10};
    static const size_t wanted[] = {0, 0, 1, 1, 1, 0};
    size_t group[6];
    double fit[6];
    (void)state;
    /* Of equal size: that of the first row. */
    near(clusters_find(rows, 6, 1, 2, group), 1);
    for (size_t i = 0; i < 6; i++)
        assert_int_equal(group[i], wanted[i]);
    clusters_silhouettes(rows, 6, 1, 2, group, fit);
    near(fit[2], 1 - 0.75 / 9.5); /* 0: 1 and 0.5 away; 9, 9.5 and 10 */
    near(clusters_find(rows, 5, 1, 2, group), 0.625);
    assert_int_equal(group[2], 0);
    assert_int_equal(group[0], 1);
}

static void every_row_may_be_a_group_of_its_own(void **state)
{
    static const double rows[] = {4, 4, 1, 1, 9, 9};
    static const double same[] = {2, 2, 2};
    size_t group[3];
    double fit[3];
    (void)state;
    near(clusters_find(rows, 3, 2, 3, group), 0);
    assert_true(group[0] != group[1] && group[1] != group[2] &&
                group[0] != group[2]);
    clusters_silhouettes(rows, 3, 2, 3, group, fit);
    near(fit[0], 0);
    near(clusters_find(same, 3, 1, 3, group), 0);
    clusters_silhouettes(same, 3, 1, 3, group, fit);
    near(fit[1], 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_first_direction_is_that_of_the_line),
        cmocka_unit_test(
            directions_are_at_right_angles_and_their_largest_is_positive),
        cmocka_unit_test(rows_that_are_all_the_same_have_no_direction),
        cmocka_unit_test(groups_are_found_the_largest_first),
        cmocka_unit_test(every_row_may_be_a_group_of_its_own),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
