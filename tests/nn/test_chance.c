/* test_chance.c - the order of rows in an epoch: a shuffle, by a hash
 *
 * Nothing here is left to luck: seeds are fixed, so that a count is the same
 * in every run. A count's distance from what a true shuffle gives is told in
 * spreads of chi squared. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdlib.h>

#include "base/err.h"
#include "nn/kernels.h"

enum { SEED = 5, EPOCHS = 4000, SPREADS = 5 };

/* Few rows, sides that fit and that do not, one more and one less. */
static const uint32_t sizes[] = {2, 3, 5, 8, 20, 63, 64, 65, 100, 257};
enum { SIZES = sizeof(sizes) / sizeof(sizes[0]) };

static uint32_t *places_of(int64_t epoch, uint32_t count)
{
    struct nn_order o = nn_order_of(SEED, epoch, count);
    uint32_t *place = xcalloc(count, sizeof(*place));
    for (uint32_t i = 0; i < count; i++)
        place[nn_order_at(&o, i)] = i;
    return place;
}

static double spreads(const double *counts, size_t cells, double total,
                      double freedom)
{
    double expected = total / (double)cells, chi = 0;
    for (size_t i = 0; i < cells; i++)
        chi += (counts[i] - expected) * (counts[i] - expected) / expected;
    return (chi - freedom) / sqrt(2 * freedom);
}

static void every_row_comes_once(void **state)
{
    (void)state;
    for (uint32_t count = 1; count < 3000; count += count < 300 ? 1 : 397) {
        struct nn_order o = nn_order_of(SEED, 1, count);
        bool *seen = xcalloc(count, sizeof(*seen));
        for (uint32_t i = 0; i < count; i++) {
            uint32_t row = nn_order_at(&o, i);
            assert_true(row < count && !seen[row]);
            seen[row] = true;
        }
        free(seen);
    }
}

static void as_many_rows_as_can_be_numbered_have_an_order(void **state)
{
    struct nn_order o = nn_order_of(SEED, 1, UINT32_MAX);
    (void)state;
    uint32_t first = nn_order_at(&o, 0), last = nn_order_at(&o, UINT32_MAX - 1);
    assert_true(first != last && first < UINT32_MAX && last < UINT32_MAX);
}

static const struct nn_kernels *kernels_of(const char *device)
{
    const struct nn_device *d = nn_device_find(str_of(device));
    return d ? d->kernels() : NULL;
}

static void every_device_has_the_same_order(void **state)
{
    static const char *const names[] = {"reference", "portable", "cpu", "avx2"};
    (void)state;
    for (size_t d = 0; d < 4; d++) {
        const struct nn_kernels *kernels = kernels_of(names[d]);
        struct nn_order o = nn_order_of(SEED, 2, 1009);
        uint32_t rows[200];
        if (!kernels) /* no AVX2 here */
            continue;
        kernels->order(rows, &o, 700, 200);
        for (uint32_t i = 0; i < 200; i++)
            assert_int_equal(rows[i], nn_order_at(&o, 700 + i));
    }
}

static void each_row_comes_to_each_place_equally_often(void **state)
{
    (void)state;
    for (size_t s = 0; s < SIZES; s++) {
        uint32_t n = sizes[s];
        double *counts = xcalloc((size_t)n * n, sizeof(double));
        for (int e = 0; e < EPOCHS; e++) {
            uint32_t *place = places_of(e, n);
            for (uint32_t i = 0; i < n; i++)
                counts[(size_t)i * n + place[i]]++;
            free(place);
        }
        double z = spreads(counts, (size_t)n * n, (double)EPOCHS * n,
                           (n - 1.0) * (n - 1.0));
        if (!(fabs(z) < SPREADS))
            fail_msg("%u rows: %g spreads off", n, z);
        free(counts);
    }
}

static void where_a_row_was_says_nothing_of_the_next_epoch(void **state)
{
    (void)state;
    for (size_t s = 0; s < SIZES; s++) {
        uint32_t n = sizes[s];
        double *moved = xcalloc(n, sizeof(double));
        uint32_t *last = places_of(0, n);
        for (int e = 1; e <= EPOCHS; e++) {
            uint32_t *place = places_of(e, n);
            for (uint32_t i = 0; i < n; i++)
                moved[(place[i] + n - last[i]) % n]++;
            free(last);
            last = place;
        }
        double z = spreads(moved, n, (double)EPOCHS * n, n - 1);
        if (!(fabs(z) < SPREADS))
            fail_msg("%u rows: %g spreads off", n, z);
        free(last);
        free(moved);
    }
}

static void rows_that_are_neighbours_part(void **state)
{
    (void)state;
    for (size_t s = 1; s < SIZES; s++) { /* of two rows, there is one way */
        uint32_t n = sizes[s];
        double *apart = xcalloc(n, sizeof(double));
        for (int e = 0; e < EPOCHS; e++) {
            uint32_t *place = places_of(e, n);
            for (uint32_t i = 0; i + 1 < n; i++)
                apart[(place[i + 1] + n - place[i]) % n]++;
            free(place);
        }
        double z = spreads(apart + 1, n - 1, (double)EPOCHS * (n - 1), n - 2);
        if (!(fabs(z) < SPREADS))
            fail_msg("%u rows: %g spreads off", n, z);
        free(apart);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_row_comes_once),
        cmocka_unit_test(as_many_rows_as_can_be_numbered_have_an_order),
        cmocka_unit_test(every_device_has_the_same_order),
        cmocka_unit_test(each_row_comes_to_each_place_equally_often),
        cmocka_unit_test(where_a_row_was_says_nothing_of_the_next_epoch),
        cmocka_unit_test(rows_that_are_neighbours_part),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
