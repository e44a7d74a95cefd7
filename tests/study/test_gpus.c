/* test_gpus.c - whether anything has come onto a GPU */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>
#include "study/devices.h"
#include "study/gpus.h"

#define MIB (1ull << 20)

static struct gpu_use use(uint64_t mib, uint32_t one, uint32_t two)
{
    struct gpu_use u = {.known = true, .used_bytes = mib * MIB};
    if (one)
        u.pids[u.pid_count++] = one;
    if (two)
        u.pids[u.pid_count++] = two;
    return u;
}

static void what_was_there_before_counts_for_nothing(void **state)
{
    struct gpu_use before = use(900, 7, 8), now = use(905, 7, 8);
    (void)state;
    assert_true(gpu_is_as_before(&before, &now));
    now = use(100, 8, 0); /* one has left */
    assert_true(gpu_is_as_before(&before, &now));
}

static void a_process_that_came_proves_nothing_whosever_it_is(void **state)
{
    struct gpu_use before = use(900, 7, 0), now = use(900, 7, 4000000);
    (void)state;
    assert_false(gpu_is_as_before(&before, &now));
}

/* In a container NVML may show no process at all. */
static void memory_that_was_taken_is_a_use_without_a_process(void **state)
{
    struct gpu_use before = use(900, 0, 0), now = use(300, 0, 0);
    (void)state;
    assert_true(gpu_is_as_before(&before, &now));
    now = use(500, 0, 0); /* less than at first, more than since then */
    assert_false(gpu_is_as_before(&before, &now));
}

static void a_gpu_that_does_not_tell_is_never_unused(void **state)
{
    struct gpu_use before = use(0, 0, 0), now = {0};
    (void)state;
    assert_false(gpu_is_as_before(&before, &now));
    assert_false(gpu_is_as_before(&now, &before));
}

static double part_of(uint32_t at_once, int64_t total, double asked)
{
    struct device_slots slots = {at_once, 4, total};
    struct needs n = {.gpus = asked};
    device_share_here(&slots, &n);
    return n.gpus;
}

static void members_share_the_gpu_that_somebody_has_asked_for(void **state)
{
    (void)state;
    assert_true(part_of(64, -1, 1) == 1.0 / 16);
    assert_true(part_of(64, 10, 1) == 1.0 / 3); /* all GPUs have some */
    assert_true(part_of(64, 3, 2) == 1);
    assert_true(part_of(64, -1, 0.5) == 0.5); /* it has been said */
    assert_true(part_of(64, -1, 0) == 0);
}

static void without_a_gpu_one_is_missed(void **state)
{
    struct device_slots slots = {64, 0, -1};
    struct needs n = {.gpus = 1};
    (void)state;
    device_share_here(&slots, &n);
    assert_true(n.gpus == 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_was_there_before_counts_for_nothing),
        cmocka_unit_test(a_process_that_came_proves_nothing_whosever_it_is),
        cmocka_unit_test(memory_that_was_taken_is_a_use_without_a_process),
        cmocka_unit_test(a_gpu_that_does_not_tell_is_never_unused),
        cmocka_unit_test(members_share_the_gpu_that_somebody_has_asked_for),
        cmocka_unit_test(without_a_gpu_one_is_missed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
