/* test_linear.c - factors, solves and eigenvectors against what defines them */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "base/rng.h"
#include "base/linear.h"

enum { MOST = 45, STRIDE = 50 };

/* A symmetric positive definite matrix: G G' and something on the diagonal. */
static void fill(double *a, size_t n, uint64_t seed)
{
    double g[MOST][MOST];
    struct rng rng;
    rng_init(&rng, seed, 1, "matrix");
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < n; j++)
            g[i][j] = rng_normal(&rng);
    memset(a, 0, sizeof(double) * STRIDE * STRIDE);
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < n; j++)
            a[i * STRIDE + j] = dot(g[i], g[j], n) + (i == j ? 0.5 : 0);
}

static void the_factor_times_itself_is_the_matrix(void **state)
{
    (void)state;
    double a[STRIDE * STRIDE], l[STRIDE * STRIDE];
    for (size_t n = 1; n <= MOST; n++) {
        fill(a, n, n);
        memcpy(l, a, sizeof(a));
        assert_int_equal(cholesky_extend(l, STRIDE, 0, n), 0);
        for (size_t i = 0; i < n; i++)
            for (size_t j = 0; j <= i; j++)
                assert_true(fabs(dot(l + i * STRIDE, l + j * STRIDE, j + 1) -
                                 a[i * STRIDE + j]) < 1e-11 * (double)n);
    }
}

static void a_factor_that_grew_is_the_same_to_the_last_bit(void **state)
{
    (void)state;
    double whole[STRIDE * STRIDE], grown[STRIDE * STRIDE];
    static const size_t steps[] = {1, 2, 10, 11, 27, 44, MOST};
    fill(whole, MOST, 5);
    memcpy(grown, whole, sizeof(whole));
    assert_int_equal(cholesky_extend(whole, STRIDE, 0, MOST), 0);
    size_t from = 0;
    for (size_t i = 0; i < sizeof(steps) / sizeof(*steps); i++) {
        assert_int_equal(cholesky_extend(grown, STRIDE, from, steps[i]), 0);
        from = steps[i];
    }
    assert_memory_equal(whole, grown, sizeof(whole));
}

static void a_matrix_that_is_not_definite_is_refused(void **state)
{
    (void)state;
    double a[STRIDE * STRIDE];
    fill(a, 20, 6);
    a[13 * STRIDE + 13] = -1;
    assert_int_equal(cholesky_extend(a, STRIDE, 0, 20), -1);
    fill(a, 20, 6);
    a[19 * STRIDE + 19] = NAN;
    assert_int_equal(cholesky_extend(a, STRIDE, 0, 20), -1);
}

static void solves_undo_products(void **state)
{
    (void)state;
    double a[STRIDE * STRIDE], l[STRIDE * STRIDE];
    double x[MOST * LINEAR_LANES], b[MOST * LINEAR_LANES], one[MOST];
    struct rng rng;
    rng_init(&rng, 1, 1, "sides");
    fill(a, MOST, 7);
    memcpy(l, a, sizeof(a));
    assert_int_equal(cholesky_extend(l, STRIDE, 0, MOST), 0);
    for (size_t i = 0; i < MOST * LINEAR_LANES; i++)
        x[i] = rng_normal(&rng);
    memset(b, 0, sizeof(b));
    for (size_t i = 0; i < MOST; i++)
        for (size_t k = 0; k < MOST; k++)
            for (size_t r = 0; r < LINEAR_LANES; r++)
                b[i * LINEAR_LANES + r] +=
                    a[i * STRIDE + k] * x[k * LINEAR_LANES + r];
    for (size_t i = 0; i < MOST; i++)
        one[i] = b[i * LINEAR_LANES + 3];
    solve_lower(l, STRIDE, 0, MOST, b);
    solve_upper(l, STRIDE, 0, MOST, b);
    solve_lower_one(l, STRIDE, MOST, one);
    solve_upper_one(l, STRIDE, MOST, one);
    for (size_t i = 0; i < MOST * LINEAR_LANES; i++)
        assert_true(fabs(b[i] - x[i]) < 1e-9);
    for (size_t i = 0; i < MOST; i++)
        assert_true(one[i] == b[i * LINEAR_LANES + 3]);
}

static void the_inverse_times_the_matrix_is_one(void **state)
{
    (void)state;
    double a[STRIDE * STRIDE], l[STRIDE * STRIDE], inverse[STRIDE * STRIDE];
    for (size_t n = 1; n <= MOST; n += 4) {
        fill(a, n, n + 50);
        memcpy(l, a, sizeof(a));
        assert_int_equal(cholesky_extend(l, STRIDE, 0, n), 0);
        cholesky_inverse(l, STRIDE, n, inverse);
        for (size_t i = 0; i < n; i++)
            for (size_t j = i; j < n; j++)
                inverse[i * STRIDE + j] = inverse[j * STRIDE + i];
        for (size_t i = 0; i < n; i++)
            for (size_t j = 0; j < n; j++)
                assert_true(fabs(dot(a + i * STRIDE, inverse + j * STRIDE, n) -
                                 (i == j)) < 1e-9);
    }
}

static void eigenvectors_are_stretched_and_upright(void **state)
{
    (void)state;
    double a[STRIDE * STRIDE], m[MOST * MOST], v[MOST * MOST], values[MOST];
    for (size_t n = 1; n <= MOST; n += 11) {
        fill(a, n, n + 90);
        for (size_t i = 0; i < n; i++)
            for (size_t j = 0; j < n; j++)
                m[i * n + j] = a[i * STRIDE + j];
        symmetric_eigen(m, n, values, v);
        for (size_t k = 0; k < n; k++) {
            assert_true(values[k] > 0 && (!k || values[k] >= values[k - 1]));
            for (size_t i = 0; i < n; i++) {
                double stretched = 0, product = 0;
                for (size_t j = 0; j < n; j++) {
                    stretched += a[i * STRIDE + j] * v[j * n + k];
                    product += v[j * n + i] * v[j * n + k];
                }
                assert_true(fabs(stretched - values[k] * v[i * n + k]) < 1e-9);
                assert_true(fabs(product - (i == k)) < 1e-12);
            }
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_factor_times_itself_is_the_matrix),
        cmocka_unit_test(a_factor_that_grew_is_the_same_to_the_last_bit),
        cmocka_unit_test(a_matrix_that_is_not_definite_is_refused),
        cmocka_unit_test(solves_undo_products),
        cmocka_unit_test(the_inverse_times_the_matrix_is_one),
        cmocka_unit_test(eigenvectors_are_stretched_and_upright),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
