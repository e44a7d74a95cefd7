/* test_pareto.c - fronts and volumes, against the long way round */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <math.h>

#include "base/rng.h"
#include "search/search.h"

enum { MOST = 200, WIDEST = 5 };

static bool is_better(const double *a, const double *b, size_t width,
                      const bool *minimize)
{
    bool strictly = false;
    for (size_t i = 0; i < width; i++) {
        double x = minimize[i] ? a[i] : -a[i], y = minimize[i] ? b[i] : -b[i];
        if (!(x <= y))
            return false;
        strictly |= x < y;
    }
    return strictly;
}

static void a_front_is_what_nothing_is_better_than(void **state)
{
    (void)state;
    for (uint64_t round = 0; round < 60; round++) {
        struct rng r;
        rng_init(&r, round, 0, "front");
        size_t width = 1 + round % WIDEST, count = rng_below(&r, MOST);
        double values[MOST * WIDEST];
        bool minimize[WIDEST], front[MOST];
        for (size_t i = 0; i < width; i++)
            minimize[i] = rng_below(&r, 2);
        /* Few levels, so that many are equal; some are missing. */
        for (size_t i = 0; i < count * width; i++)
            values[i] = rng_below(&r, 40) ? (double)rng_below(&r, 9) : NAN;
        struct objectives o = {values, count, width, minimize};
        size_t said = pareto_front(&o, front), found = 0;
        for (size_t i = 0; i < count; i++) {
            bool in = true;
            for (size_t j = 0; j < width; j++)
                in &= !isnan(values[i * width + j]);
            for (size_t j = 0; j < count; j++)
                in &= !is_better(values + j * width, values + i * width, width,
                                 minimize);
            assert_int_equal(front[i], in);
            found += in;
        }
        assert_int_equal(said, found);
    }
}

/* All points have whole numbers: count the unit cubes that one covers. */
static double cubes(const double *values, size_t count, size_t width,
                    size_t side)
{
    size_t all = 1, covered = 0;
    for (size_t i = 0; i < width; i++)
        all *= side;
    for (size_t c = 0; c < all; c++) {
        bool in = false;
        for (size_t i = 0; i < count && !in; i++) {
            size_t rest = c;
            in = true;
            for (size_t j = 0; j < width; j++, rest /= side)
                in &= values[i * width + j] <= (double)(rest % side);
        }
        covered += in;
    }
    return (double)covered;
}

static void a_volume_is_that_of_the_cubes(void **state)
{
    (void)state;
    enum { SIDE = 6, POINTS = 12 };
    static const double reference[WIDEST] = {SIDE, SIDE, SIDE, SIDE, SIDE};
    for (uint64_t round = 0; round < 50; round++) {
        struct rng r;
        rng_init(&r, round, 0, "volume");
        size_t width = 1 + round % WIDEST, count = rng_below(&r, POINTS + 1);
        double values[POINTS * WIDEST], turned[POINTS * WIDEST];
        double behind[WIDEST];
        bool maximize[WIDEST] = {0};
        for (size_t i = 0; i < count * width; i++) {
            values[i] = (double)rng_below(&r, SIDE + 2);
            turned[i] = -values[i];
        }
        for (size_t i = 0; i < width; i++)
            behind[i] = -SIDE;
        double right = cubes(values, count, width, SIDE);
        struct objectives o = {values, count, width, NULL};
        struct objectives t = {turned, count, width, maximize};
        assert_true(fabs(hypervolume(&o, reference) - right) < 1e-9);
        assert_true(fabs(hypervolume(&t, behind) - right) < 1e-9);
    }
}

static void what_is_not_a_number_has_no_volume(void **state)
{
    (void)state;
    double values[] = {NAN, 0, 1, 1, 5, 0}, reference[] = {2, 3};
    struct objectives o = {values, 3, 2, NULL};
    assert_true(hypervolume(&o, reference) == 2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_front_is_what_nothing_is_better_than),
        cmocka_unit_test(a_volume_is_that_of_the_cubes),
        cmocka_unit_test(what_is_not_a_number_has_no_volume),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
