/* test_rng.c - known answers of Philox, and that distributions have their
 * moments; every draw is deterministic, so the bounds never flicker */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <math.h>

#include "base/rng.h"

static void philox_gives_the_answers_of_its_paper(void **state)
{
    (void)state;
    static const struct {
        uint64_t key, stream, counter;
        uint32_t want[4];
    } cases[] = {{0, 0, 0, {0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8}},
                 {UINT64_MAX,
                  UINT64_MAX,
                  UINT64_MAX,
                  {0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd}},
                 {UINT64_C(0x299f31d0a4093822),
                  UINT64_C(0x0370734413198a2e),
                  UINT64_C(0x85a308d3243f6a88),
                  {0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1}}};
    for (size_t i = 0; i < 3; i++) {
        struct rng r = {.key = cases[i].key,
                        .stream = cases[i].stream,
                        .counter = cases[i].counter};
        for (size_t k = 0; k < 4; k++)
            assert_int_equal(rng_u32(&r), cases[i].want[k]);
    }
}

static void seed_stream_and_purpose_all_matter(void **state)
{
    (void)state;
    struct rng a, b;
    rng_init(&a, 1, 2, "x");
    rng_init(&b, 1, 2, "x");
    uint64_t first = rng_u64(&a);
    assert_true(first == rng_u64(&b));
    rng_init(&b, 2, 2, "x");
    assert_true(first != rng_u64(&b));
    rng_init(&b, 1, 3, "x");
    assert_true(first != rng_u64(&b));
    rng_init(&b, 1, 2, "y");
    assert_true(first != rng_u64(&b));
}

/* A study's points must never change between versions or machines. */
static void the_first_numbers_of_a_seed_stay_what_they_are(void **state)
{
    (void)state;
    struct rng r;
    rng_init(&r, 42, 7, "points");
    assert_true(rng_u64(&r) == UINT64_C(0x7264d2f11602b4dd));
    assert_true(rng_uniform(&r) == 0x1.39d730cc94566p-1);
    assert_true(rng_below(&r, 1000) == 671);
    assert_true(rng_normal(&r) == -0x1.9d1e758342f6dp-1);
    assert_true(rng_permute(5, 123, 1000) == 460);
}

static void uniform_numbers_fill_the_unit_interval(void **state)
{
    (void)state;
    struct rng r;
    rng_init(&r, 1, 0, "uniform");
    unsigned cells[20] = {0};
    for (int i = 0; i < 200000; i++) {
        double u = rng_uniform(&r);
        assert_true(u >= 0 && u < 1);
        cells[(int)(u * 20)]++;
    }
    for (int i = 0; i < 20; i++)
        assert_in_range(cells[i], 9500, 10500);
}

static void below_is_fair_and_in_range(void **state)
{
    (void)state;
    struct rng r;
    rng_init(&r, 1, 0, "below");
    unsigned cells[7] = {0};
    for (int i = 0; i < 70000; i++)
        cells[rng_below(&r, 7)]++;
    for (int i = 0; i < 7; i++)
        assert_in_range(cells[i], 9600, 10400);
    assert_true(rng_below(&r, 1) == 0);
    /* With n = 3 * 2^62 a plain remainder favours the lowest third 2 : 1. */
    uint64_t n = UINT64_C(3) << 62;
    unsigned low = 0;
    for (int i = 0; i < 30000; i++) {
        uint64_t x = rng_below(&r, n);
        assert_true(x < n);
        low += x < n / 3;
    }
    assert_in_range(low, 9600, 10400);
}

struct moments {
    double mean, variance;
};

static struct moments moments_of(const double *x, int n)
{
    double sum = 0, squares = 0;
    for (int i = 0; i < n; i++)
        sum += x[i];
    double mean = sum / n;
    for (int i = 0; i < n; i++)
        squares += (x[i] - mean) * (x[i] - mean);
    return (struct moments){mean, squares / n};
}

enum { DRAWS = 200000 };

static void normal_numbers_have_their_moments_and_tails(void **state)
{
    (void)state;
    static double x[DRAWS];
    struct rng r;
    rng_init(&r, 1, 0, "normal");
    int beyond[4] = {0};
    double cubes = 0;
    for (int i = 0; i < DRAWS; i++) {
        x[i] = rng_normal(&r);
        cubes += x[i] * x[i] * x[i];
        for (int k = 1; k < 4; k++)
            beyond[k] += fabs(x[i]) > k;
    }
    struct moments m = moments_of(x, DRAWS);
    assert_true(fabs(m.mean) < 0.01);
    assert_true(fabs(m.variance - 1) < 0.015);
    assert_true(fabs(cubes / DRAWS) < 0.03);
    assert_true(fabs(beyond[1] / (double)DRAWS - 0.3173) < 0.005);
    assert_true(fabs(beyond[2] / (double)DRAWS - 0.0455) < 0.002);
    assert_true(fabs(beyond[3] / (double)DRAWS - 0.0027) < 0.0005);
}

/* The same draws through the C library's functions: ours must be as good as
 * those to a few units of the last place. */
static void our_logarithm_and_cosine_are_accurate(void **state)
{
    (void)state;
    struct rng r, same;
    rng_init(&r, 9, 0, "accuracy");
    same = r;
    for (int i = 0; i < 100000; i++) {
        double got = rng_normal(&r);
        double radius = 1 - rng_uniform(&same);
        double angle = rng_uniform(&same);
        double size = sqrt(-2 * log(radius));
        double want = size * cos(2 * acos(-1.0) * angle);
        assert_true(fabs(got - want) <= 4e-15 * (size + 1e-3));
    }
}

static void a_permutation_visits_every_number_once(void **state)
{
    (void)state;
    static unsigned char seen[70000];
    static const uint64_t sizes[] = {1, 2, 3, 4, 5, 16, 17, 1000, 65536, 65537};
    for (size_t s = 0; s < sizeof(sizes) / sizeof(sizes[0]); s++) {
        uint64_t n = sizes[s];
        memset(seen, 0, sizeof(seen));
        for (uint64_t k = 0; k < n; k++) {
            uint64_t at = rng_permute(99, k, n);
            assert_true(at < n);
            assert_int_equal(seen[at]++, 0);
        }
    }
}

static void small_permutations_are_all_about_equally_likely(void **state)
{
    (void)state;
    unsigned counts[64] = {0};
    enum { KEYS = 24000 };
    for (uint64_t key = 0; key < KEYS; key++)
        counts[rng_permute(key, 0, 4) * 16 + rng_permute(key, 1, 4) * 4 +
               rng_permute(key, 2, 4)]++;
    unsigned kinds = 0;
    for (int i = 0; i < 64; i++) {
        if (counts[i] == 0)
            continue;
        kinds++;
        assert_in_range(counts[i], 850, 1150);
    }
    assert_int_equal(kinds, 24);
}

static void permutations_of_huge_ranges_stay_in_range(void **state)
{
    (void)state;
    static const uint64_t sizes[] = {UINT64_MAX, UINT64_C(1) << 63,
                                     (UINT64_C(1) << 62) + 1, 1000000007};
    for (size_t s = 0; s < sizeof(sizes) / sizeof(sizes[0]); s++)
        for (uint64_t k = 0; k < 1000; k++)
            assert_true(rng_permute(k % 3, sizes[s] - 1 - k, sizes[s]) <
                        sizes[s]);
}

static void rough_normal_numbers_are_near_the_true_ones(void **state)
{
    (void)state;
    struct rng a, b;
    rng_init(&a, 1, 2, "rough");
    b = a;
    for (int i = 0; i < 1000000; i++)
        assert_true(fabs(rng_normal_roughly(&a) - rng_normal(&b)) <
                    0.5 * ROUGHLY);
}

static void skipping_is_drawing_without_looking(void **state)
{
    (void)state;
    for (uint64_t used = 0; used < 6; used++)
        for (uint64_t count = 0; count < 12; count++) {
            struct rng a, b;
            rng_init(&a, 1, 2, "skip");
            for (uint64_t i = 0; i < used; i++)
                rng_u32(&a);
            b = a;
            rng_skip(&a, count);
            for (uint64_t i = 0; i < count; i++)
                rng_uniform(&b);
            for (int i = 0; i < 9; i++)
                assert_int_equal(rng_u32(&a), rng_u32(&b));
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(philox_gives_the_answers_of_its_paper),
        cmocka_unit_test(seed_stream_and_purpose_all_matter),
        cmocka_unit_test(the_first_numbers_of_a_seed_stay_what_they_are),
        cmocka_unit_test(uniform_numbers_fill_the_unit_interval),
        cmocka_unit_test(rough_normal_numbers_are_near_the_true_ones),
        cmocka_unit_test(skipping_is_drawing_without_looking),
        cmocka_unit_test(below_is_fair_and_in_range),
        cmocka_unit_test(normal_numbers_have_their_moments_and_tails),
        cmocka_unit_test(our_logarithm_and_cosine_are_accurate),
        cmocka_unit_test(a_permutation_visits_every_number_once),
        cmocka_unit_test(small_permutations_are_all_about_equally_likely),
        cmocka_unit_test(permutations_of_huge_ranges_stay_in_range),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
