/* test_arms.c - combinations of choices, and which of them is due */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <string.h>
#include <math.h>

#include "search/arms.h"

#define TEST(f) cmocka_unit_test(f)

/* A number between two choices. */
static const bool unordered[] = {true, false, true};

static void points_with_the_same_choices_are_in_one_arm(void **state)
{
    (void)state;
    struct arms *a = arms_new(3, unordered);
    size_t first = arms_find(a, (double[]){0, 0.1, 2});
    assert_int_equal(arms_find(a, (double[]){0, 0.9, 2}), first);
    assert_int_not_equal(arms_find(a, (double[]){0, 0.1, -1}), first);
    assert_int_not_equal(arms_find(a, (double[]){2, 0.1, 0}), first);
    assert_true(isinf(arms_best(a, first)));
    arms_note(a, (double[]){0, 0.5, 2}, 3);
    arms_note(a, (double[]){0, 0.6, 2}, 1);
    arms_note(a, (double[]){0, 0.7, 2}, INFINITY);
    assert_true(arms_best(a, first) == 1);
    assert_true(arms_point(a, first)[2] == 2);
    arms_free(a);
}

static void an_arm_alone_is_due_itself(void **state)
{
    (void)state;
    struct arms *a = arms_new(3, unordered);
    arms_note(a, (double[]){1, 0.1, 1}, 0);
    assert_int_equal(arms_due(a, 0), 0);
    arms_free(a);
}

/* Arm 0 is the incumbent's; 1, 2 and 3 are ever worse, and 4 is known of
 * only. Counts how often each is due in 100 tries of which this comes out. */
static void count_due(double mean, size_t *tries)
{
    memset(tries, 0, 5 * sizeof(*tries));
    struct arms *a = arms_new(3, unordered);
    for (int i = 0; i < 4; i++)
        arms_note(a, (double[]){i, 0, 0}, i);
    arms_find(a, (double[]){4, 0, 0});
    for (int i = 0; i < 100; i++) {
        size_t due = arms_due(a, 0);
        tries[due]++;
        arms_note(a, arms_point(a, due), mean);
    }
    arms_free(a);
    assert_int_equal(tries[0], 0);
    for (int i = 1; i < 4; i++)
        assert_true(tries[i] > tries[i + 1]);
}

static void better_arms_are_due_more_often_and_none_is_forgotten(void **state)
{
    (void)state;
    size_t tries[5];
    count_due(10, tries);
    assert_in_range(tries[1], 45, 51); /* 1 / (1 + 1/2 + 1/3 + 1/4) */
    assert_in_range(tries[4], 10, 14);
}

/* Pending points count as tries. */
static void ranks_count_less_while_trials_are_out(void **state)
{
    (void)state;
    size_t tries[5];
    count_due(INFINITY, tries);
    assert_in_range(tries[1], 33, 39); /* the same of square roots */
    assert_in_range(tries[4], 15, 20);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(points_with_the_same_choices_are_in_one_arm),
        TEST(an_arm_alone_is_due_itself),
        TEST(better_arms_are_due_more_often_and_none_is_forgotten),
        TEST(ranks_count_less_while_trials_are_out),
    };
    return cmocka_run_group_tests_name("search/arms", tests, NULL, NULL);
}
