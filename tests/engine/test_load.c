#include "rig.h"
#include "engine/load.h"

static void machine(struct room *r, uint32_t parallel, unsigned gpus)
{
    room_init(r, 8, (uint64_t)16 << 30, parallel);
    for (unsigned i = 0; i < gpus; i++) {
        struct room_gpu g = {.id = STR("0"),
                             .name = STR("a100"),
                             .capability = 8,
                             .memory_bytes = (uint64_t)40 << 30,
                             .free = 1};
        room_add_gpu(r, &g);
    }
}

static void equal_tasks_fill_the_slots(void **state)
{
    (void)state;
    struct room r;
    struct load l;
    struct needs n;
    machine(&r, 0, 0);
    needs_init(&n);
    n.cpus = 2;
    load_init(&l);
    assert_int_equal(load_free(&l, &r, &n), 4);
    for (int i = 0; i < 4; i++)
        load_add(&l, &n);
    assert_int_equal(load_free(&l, &r, &n), 0);
    load_add(&l, &n);
    assert_int_equal(load_free(&l, &r, &n), -1);
    for (int i = 0; i < 5; i++)
        load_remove(&l, &n);
    assert_int_equal(load_free(&l, &r, &n), 4);
    load_done(&l);
}

static void parallel_counts_tasks_of_all_needs(void **state)
{
    (void)state;
    struct room r;
    struct load l;
    struct needs one, two;
    machine(&r, 3, 0);
    needs_init(&one);
    needs_init(&two);
    two.cpus = 2;
    load_init(&l);
    load_add(&l, &one);
    load_add(&l, &two);
    assert_int_equal(load_free(&l, &r, &one), 1);
    assert_int_equal(load_free(&l, &r, &two), 1);
    load_done(&l);
}

static void a_task_without_a_gpu_does_not_wait_for_one(void **state)
{
    (void)state;
    struct room r;
    struct load l;
    struct needs cpu, gpu;
    machine(&r, 0, 1);
    needs_init(&cpu);
    needs_init(&gpu);
    gpu.gpus = 1;
    load_init(&l);
    load_add(&l, &gpu);
    assert_int_equal(load_free(&l, &r, &gpu), 0);
    assert_int_equal(load_free(&l, &r, &cpu), 7);
    assert_true(load_mixed(&l, &cpu));
    assert_false(load_mixed(&l, &gpu));
    load_done(&l);
}

static void fractions_of_a_gpu_do_not_add_up_over_gpus(void **state)
{
    (void)state;
    struct room r;
    struct load l;
    struct needs n;
    machine(&r, 0, 2);
    needs_init(&n);
    n.gpus = 0.4;
    load_init(&l);
    for (int i = 0; i < 4; i++) {
        assert_int_equal(load_free(&l, &r, &n), 4 - i);
        load_add(&l, &n);
    }
    assert_int_equal(load_free(&l, &r, &n), 0);
    load_done(&l);
}

static void memory_limits_when_it_is_asked_for(void **state)
{
    (void)state;
    struct room r;
    struct load l;
    struct needs big, plain;
    machine(&r, 0, 0);
    needs_init(&big);
    needs_init(&plain);
    big.memory_bytes = (uint64_t)8 << 30;
    load_init(&l);
    load_add(&l, &big);
    assert_int_equal(load_free(&l, &r, &big), 1);
    load_add(&l, &big);
    assert_int_equal(load_free(&l, &r, &big), 0);
    assert_int_equal(load_free(&l, &r, &plain), 6);
    load_done(&l);
}

static void what_is_not_known_of_a_machine_does_not_limit(void **state)
{
    (void)state;
    struct room r;
    struct load l;
    struct needs n;
    room_init(&r, 8, 0, 0);
    needs_init(&n);
    n.memory_bytes = (uint64_t)1 << 30;
    n.disk_bytes = (uint64_t)1 << 30;
    load_init(&l);
    load_add(&l, &n);
    assert_int_equal(load_free(&l, &r, &n), 7);
    load_done(&l);
}

static void tasks_that_need_nothing_are_limited_all_the_same(void **state)
{
    (void)state;
    struct room r;
    struct load l;
    struct needs n;
    machine(&r, 0, 0);
    needs_init(&n);
    n.cpus = 0;
    load_init(&l);
    assert_int_equal(load_free(&l, &r, &n), 4096);
    load_add(&l, &n);
    assert_int_equal(load_free(&l, &r, &n), 4095);
    load_done(&l);
}

static void many_kinds_of_needs_are_forgotten_again(void **state)
{
    (void)state;
    struct room r;
    struct load l;
    struct needs n;
    machine(&r, 0, 0);
    needs_init(&n);
    load_init(&l);
    for (int i = 0; i < 1000; i++) {
        n.cpus = 0.001 * (i + 1);
        load_add(&l, &n);
        load_remove(&l, &n);
    }
    assert_true(l.classes.len <= 64);
    n.cpus = 1;
    assert_int_equal(load_free(&l, &r, &n), 8);
    load_done(&l);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(equal_tasks_fill_the_slots),
        cmocka_unit_test(parallel_counts_tasks_of_all_needs),
        cmocka_unit_test(a_task_without_a_gpu_does_not_wait_for_one),
        cmocka_unit_test(fractions_of_a_gpu_do_not_add_up_over_gpus),
        cmocka_unit_test(memory_limits_when_it_is_asked_for),
        cmocka_unit_test(what_is_not_known_of_a_machine_does_not_limit),
        cmocka_unit_test(tasks_that_need_nothing_are_limited_all_the_same),
        cmocka_unit_test(many_kinds_of_needs_are_forgotten_again),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
