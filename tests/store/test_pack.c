/* test_pack.c - packed points come back bit by bit */
#include "made_store.h"
#include "base/rng.h"
#include "store/pack.h"

static const int64_t no_times[PACK_POINTS_MAX];

static void trip(const int64_t *steps, const int64_t *times,
                 const double *values, size_t count)
{
    static int64_t s[PACK_POINTS_MAX], t[PACK_POINTS_MAX];
    static double v[PACK_POINTS_MAX];
    struct packer *p = packer_new();
    struct str packed = packer_pack(p, steps, times, values, count);
    struct buf copy;
    buf_init(&copy);
    buf_addstr(&copy, packed);
    assert_int_equal(packer_unpack(p, buf_str(&copy), s, t, v), count);
    assert_memory_equal(s, steps, count * sizeof *s);
    assert_memory_equal(t, times, count * sizeof *t);
    assert_memory_equal(v, values, count * sizeof *v);
    buf_done(&copy);
    packer_free(p);
}

/* With times, some of them unknown, and without. */
static void round_trip(const int64_t *steps, const double *values, size_t count)
{
    static int64_t times[PACK_POINTS_MAX];
    for (size_t i = 0; i < count; i++)
        times[i] = i % 7 == 3 ? 0 : 1700000000123 + (int64_t)(i / 5) * 2001;
    trip(steps, times, values, count);
    trip(steps, no_times, values, count);
}

static void one_point_survives(void **state)
{
    (void)state;
    int64_t step = -5;
    double value = 0.1;
    round_trip(&step, &value, 1);
}

static void odd_values_and_steps_survive(void **state)
{
    (void)state;
    const int64_t steps[] = {INT64_MAX, INT64_MIN, 0, -1, 3, 3, 2, 1 << 20};
    const double values[] = {NAN,    INFINITY, -INFINITY, -0.0,
                             5e-324, 1.7e308,  -NAN,      1};
    for (size_t count = 1; count <= 8; count++)
        round_trip(steps, values, count);
}

static void chunks_of_every_size_survive(void **state)
{
    (void)state;
    static int64_t steps[PACK_POINTS_MAX];
    static double values[PACK_POINTS_MAX];
    struct rng r;
    rng_init(&r, 1, 1, "pack");
    for (size_t i = 0; i < PACK_POINTS_MAX; i++) {
        steps[i] = (int64_t)i * 10 + (int64_t)rng_below(&r, 3);
        values[i] = rng_normal(&r);
    }
    for (size_t count = 1; count <= PACK_POINTS_MAX; count += 97)
        round_trip(steps, values, count);
    round_trip(steps, values, PACK_POINTS_MAX);
}

static void regular_steps_and_smooth_values_become_small(void **state)
{
    (void)state;
    static int64_t steps[PACK_POINTS_MAX];
    static double values[PACK_POINTS_MAX];
    for (size_t i = 0; i < PACK_POINTS_MAX; i++) {
        steps[i] = 100 + 5 * (int64_t)i;
        values[i] = 0.5;
    }
    struct packer *p = packer_new();
    assert_true(packer_pack(p, steps, no_times, values, PACK_POINTS_MAX).len <
                400);
    assert_true(packer_pack(p, steps, no_times, values, 3).len < 40);
    packer_free(p);
    round_trip(steps, values, PACK_POINTS_MAX);
}

/* Whatever the bytes, nothing is read or written out of bounds: the
 * sanitizers watch. */
static void damaged_bytes_are_refused_or_harmless(void **state)
{
    (void)state;
    static int64_t steps[PACK_POINTS_MAX], s[PACK_POINTS_MAX],
        t[PACK_POINTS_MAX];
    static double values[PACK_POINTS_MAX], v[PACK_POINTS_MAX];
    struct rng r;
    rng_init(&r, 2, 1, "pack");
    for (size_t i = 0; i < 300; i++) {
        steps[i] = (int64_t)rng_below(&r, 1000);
        values[i] = (double)rng_below(&r, 10);
    }
    struct packer *p = packer_new();
    struct buf good, bad;
    buf_init(&good);
    buf_init(&bad);
    t[7] = 1700000000123;
    buf_addstr(&good, packer_pack(p, steps, t, values, 300));
    for (size_t len = 0; len < good.len; len++)
        assert_int_equal(packer_unpack(p, str_n(good.p, len), s, t, v), -1);
    for (int i = 0; i < 20000; i++) {
        buf_reset(&bad);
        buf_addstr(&bad, buf_str(&good));
        for (int k = 0; k < 3; k++)
            bad.p[rng_below(&r, bad.len)] = (char)rng_below(&r, 256);
        int count = packer_unpack(p, buf_str(&bad), s, t, v);
        assert_true(count >= -1 && count <= PACK_POINTS_MAX);
    }
    buf_done(&good);
    buf_done(&bad);
    packer_free(p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_point_survives),
        cmocka_unit_test(odd_values_and_steps_survive),
        cmocka_unit_test(chunks_of_every_size_survive),
        cmocka_unit_test(regular_steps_and_smooth_values_become_small),
        cmocka_unit_test(damaged_bytes_are_refused_or_harmless),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
