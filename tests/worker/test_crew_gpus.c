/* Tests of src/worker/crew_gpus.c: which GPU a member is trained on. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "worker/crew_gpus.h"

#define SECOND 1000000000ll

static const struct grant any;

static struct room room_of(size_t gpus, double capability)
{
    struct room r;
    room_init(&r, 4, 0, 0);
    for (size_t i = 0; i < gpus; i++)
        room_add_gpu(&r, &(struct room_gpu){.capability = capability});
    return r;
}

static void the_one_with_the_fewest_members_is_next(void **state)
{
    struct room r = room_of(3, 9.0);
    struct crew_gpus g = {0};
    (void)state;
    for (int i = 0; i < 9; i++) {
        int at = crew_gpus_choose(&g, &r, &any, 0);
        assert_int_equal(at, i % 3);
        g.list[at].members++;
    }
    g.list[1].members = 0;
    assert_int_equal(crew_gpus_choose(&g, &r, &any, 0), 1);
}

static void without_a_gpu_in_the_room_none_is_chosen(void **state)
{
    struct room r = room_of(0, 0);
    struct crew_gpus g = {0};
    (void)state;
    assert_int_equal(crew_gpus_choose(&g, &r, &any, 0), -1);
}

static void what_was_granted_is_kept_to(void **state)
{
    struct room r = room_of(3, 0); /* a scheduler says no capability */
    struct crew_gpus g = {0};
    struct grant one = {.gpu_count = 1, .gpus = {2}};
    (void)state;
    g.list[2].members = 9;
    assert_int_equal(crew_gpus_choose(&g, &r, &one, 0), 2);
}

static void what_was_granted_and_cannot_be_used_is_not(void **state)
{
    struct room r = room_of(3, 9.0);
    struct crew_gpus g = {0};
    struct grant one = {.gpu_count = 1, .gpus = {2}};
    (void)state;
    r.gpus[2].capability = 7.5;
    assert_int_equal(crew_gpus_choose(&g, &r, &one, 0), 0);
    r.gpus[2].capability = 9.0;
    assert_true(crew_gpus_has_other(&g, &r, &one, 2));
    g.list[2].gone = true;
    assert_int_equal(crew_gpus_choose(&g, &r, &one, 0), 0);
    g.list[0].gone = true;
    crew_gpu_failed(&g.list[1], 0);
    assert_int_equal(crew_gpus_choose(&g, &r, &one, 0), 1);
    g.list[1].gone = true;
    assert_int_equal(crew_gpus_choose(&g, &r, &one, 0), 2);
}

static void another_is_such_as_was_asked_for(void **state)
{
    struct room r = room_of(2, 9.0);
    struct crew_gpus g = {0};
    struct grant one = {.gpu_count = 1, .gpus = {1}};
    (void)state;
    g.list[1].gone = true;
    one.needs.gpu_minimum_capability = 9.0;
    r.gpus[0].capability = 8.0;
    assert_int_equal(crew_gpus_choose(&g, &r, &one, 0), 1);
    assert_false(crew_gpus_has_other(&g, &r, &one, 1));
    r.gpus[0].capability = 9.0;
    assert_int_equal(crew_gpus_choose(&g, &r, &one, 0), 0);
}

static void one_that_failed_rests_longer_each_time(void **state)
{
    struct room r = room_of(2, 8.0);
    struct crew_gpus g = {0};
    (void)state;
    g.list[1].members = 5;
    crew_gpu_failed(&g.list[0], 0);
    assert_int_equal(crew_gpus_choose(&g, &r, &any, 9 * SECOND), 1);
    assert_int_equal(crew_gpus_choose(&g, &r, &any, 11 * SECOND), 0);
    crew_gpu_failed(&g.list[0], 0);
    assert_int_equal(crew_gpus_choose(&g, &r, &any, 19 * SECOND), 1);
    assert_int_equal(crew_gpus_choose(&g, &r, &any, 21 * SECOND), 0);
    crew_gpu_served(&g.list[0]);
    crew_gpu_failed(&g.list[0], 0);
    assert_int_equal(crew_gpus_choose(&g, &r, &any, 11 * SECOND), 0);
    for (int i = 0; i < 100; i++)
        crew_gpu_failed(&g.list[0], 0);
    assert_int_equal(crew_gpus_choose(&g, &r, &any, 1000 * SECOND), 0);
}

static void when_all_rest_the_one_with_the_fewest_works(void **state)
{
    struct room r = room_of(2, 8.0);
    struct crew_gpus g = {0};
    (void)state;
    crew_gpu_failed(&g.list[0], 0);
    crew_gpu_taken(&g.list[1], 0);
    g.list[0].members = 1;
    assert_int_equal(crew_gpus_choose(&g, &r, &any, 0), 1);
}

static void one_that_is_gone_is_the_last(void **state)
{
    struct room r = room_of(2, 8.0);
    struct crew_gpus g = {0};
    (void)state;
    g.list[0].gone = true;
    g.list[1].members = 9;
    crew_gpu_failed(&g.list[1], 0);
    assert_int_equal(crew_gpus_choose(&g, &r, &any, 0), 1);
    assert_false(crew_gpus_has_other(&g, &r, &any, 1));
    g.list[1].gone = true; /* somebody has to say why */
    assert_int_equal(crew_gpus_choose(&g, &r, &any, 0), 0);
}

static void one_that_is_too_old_is_left_alone(void **state)
{
    struct room r = room_of(2, 7.5);
    struct crew_gpus g = {0};
    (void)state;
    r.gpus[1].capability = 8.0;
    g.list[1].members = 9;
    assert_int_equal(crew_gpus_choose(&g, &r, &any, 0), 1);
    assert_false(crew_gpus_has_other(&g, &r, &any, 1));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_one_with_the_fewest_members_is_next),
        cmocka_unit_test(without_a_gpu_in_the_room_none_is_chosen),
        cmocka_unit_test(what_was_granted_is_kept_to),
        cmocka_unit_test(what_was_granted_and_cannot_be_used_is_not),
        cmocka_unit_test(another_is_such_as_was_asked_for),
        cmocka_unit_test(one_that_failed_rests_longer_each_time),
        cmocka_unit_test(when_all_rest_the_one_with_the_fewest_works),
        cmocka_unit_test(one_that_is_gone_is_the_last),
        cmocka_unit_test(one_that_is_too_old_is_left_alone),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
