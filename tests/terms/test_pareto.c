/* test_pareto.c - what no other point beats */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <math.h>
#include <string.h>

#include "base/rng.h"
#include "terms/pareto.h"

static void dominating_is_nowhere_worse_and_somewhere_better(void **state)
{
    (void)state;
    const double a[] = {1, 2}, b[] = {1, 3}, c[] = {0, 9}, d[] = {NAN, 2};
    assert_true(pareto_dominates(a, b, 2));
    assert_false(pareto_dominates(b, a, 2));
    assert_false(pareto_dominates(a, a, 2));
    assert_false(pareto_dominates(a, c, 2));
    assert_true(pareto_dominates(a, d, 2));
    assert_false(pareto_dominates(d, a, 2));
    assert_false(pareto_dominates(d, d, 2));
}

static void fronts_follow_one_another(void **state)
{
    (void)state;
    const double points[] = {3, 3, 1, 4, 4, 1, 2, 2, 2, 2, 5, 5, NAN, 0};
    uint32_t fronts[7];
    const uint32_t want[] = {1, 0, 0, 0, 0, 2, 0};
    pareto_fronts(points, 7, 2, fronts);
    assert_memory_equal(fronts, want, sizeof(want));
    pareto_fronts(points, 0, 2, fronts);
}

/* By the definition: a front is one more than the highest front of those
 * that dominate it. */
static uint32_t front_by_hand(const double *p, size_t n, size_t m, size_t i)
{
    uint32_t front = 0;
    for (size_t j = 0; j < n; j++) {
        if (!pareto_dominates(p + j * m, p + i * m, m))
            continue;
        uint32_t below = front_by_hand(p, n, m, j) + 1;
        if (below > front)
            front = below;
    }
    return front;
}

static void fronts_are_those_of_the_definition(void **state)
{
    (void)state;
    struct rng r;
    rng_init(&r, 1, 2, "pareto");
    for (size_t m = 1; m <= 4; m++)
        for (int round = 0; round < 20; round++) {
            enum { N = 14 };
            double points[N * 4];
            uint32_t fronts[N];
            for (size_t i = 0; i < N * m; i++)
                points[i] = (double)(rng_u32(&r) % 6);
            pareto_fronts(points, N, m, fronts);
            for (size_t i = 0; i < N; i++)
                assert_int_equal(fronts[i], front_by_hand(points, N, m, i));
        }
}

static void the_volume_of_boxes_is_their_union(void **state)
{
    (void)state;
    const double corner[] = {4, 4};
    const double two[] = {1, 3, 3, 1, 3, 3, 5, 0};
    assert_true(pareto_volume(two, 4, 2, corner) == 3 + 3 - 1);
    assert_true(pareto_volume(two, 0, 2, corner) == 0);
    const double cube[] = {0, 0, 0}, unit[] = {1, 1, 1};
    assert_true(pareto_volume(cube, 1, 3, unit) == 1);
    const double nan[] = {NAN, 0, 0};
    assert_true(pareto_volume(nan, 1, 3, unit) == 0);
}

/* On a grid of whole numbers the volume is a number of cells. */
static void volumes_are_those_of_counted_cells(void **state)
{
    (void)state;
    struct rng r;
    rng_init(&r, 7, 1, "cells");
    enum { SIDE = 6, N = 9 };
    for (int round = 0; round < 30; round++) {
        double p[N * 3], reference[] = {SIDE, SIDE, SIDE};
        for (size_t i = 0; i < N * 3; i++)
            p[i] = (double)(rng_u32(&r) % (SIDE + 1));
        int cells = 0;
        for (int c = 0; c < SIDE * SIDE * SIDE; c++) {
            int at[] = {c % SIDE, c / SIDE % SIDE, c / SIDE / SIDE};
            bool in = false;
            for (size_t i = 0; i < N; i++)
                in |= p[i * 3] <= at[0] && p[i * 3 + 1] <= at[1] &&
                      p[i * 3 + 2] <= at[2];
            cells += in;
        }
        assert_true(fabs(pareto_volume(p, N, 3, reference) - cells) < 1e-9);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(dominating_is_nowhere_worse_and_somewhere_better),
        cmocka_unit_test(fronts_follow_one_another),
        cmocka_unit_test(fronts_are_those_of_the_definition),
        cmocka_unit_test(the_volume_of_boxes_is_their_union),
        cmocka_unit_test(volumes_are_those_of_counted_cells),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
