/* test_rank.c - which trial is better */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <math.h>
#include <stdlib.h>

#include "terms/rank.h"

static const struct objective objectives[] = {
    {{"loss", 4}, true}, {{"acc", 3}, false}, {{"ms", 2}, true}};

static void expect(size_t m, struct contender *list, const double *values,
                   size_t count, const int64_t *ids)
{
    const struct goal g = {.objectives = objectives, .objective_count = m};
    rank_fronts(&g, list, values, count);
    size_t *order = rank_order(&g, list, values, count);
    for (size_t i = 0; i < count; i++)
        assert_int_equal(list[order[i]].id, ids[i]);
    free(order);
}

static void one_objective_ranks_by_value_then_by_number(void **state)
{
    (void)state;
    struct contender list[] = {{.id = 4}, {.id = 3}, {.id = 9}, {.id = 1}};
    expect(1, list, (double[]){2, 2, 1, NAN}, 4, (int64_t[]){9, 3, 4, 1});
}

static void fronts_come_before_values(void **state)
{
    (void)state;
    struct contender list[] = {{.id = 1}, {.id = 2}, {.id = 3}, {.id = 4}};
    /* The first is beaten by the second; more accuracy is better. */
    expect(2, list, (double[]){1, 0.5, 1, 0.6, 2, 0.9, 3, 0.7}, 4,
           (int64_t[]){2, 3, 1, 4});
    assert_int_equal(list[0].front, 1);
    assert_int_equal(list[2].front, 0);
}

static void what_breaks_a_bound_comes_last_the_least_broken_first(void **state)
{
    (void)state;
    struct contender list[] = {
        {.id = 1, .broken = 2}, {.id = 2}, {.id = 3, .broken = 1}};
    expect(2, list, (double[]){0, 1, 5, 0, 0, 1}, 3, (int64_t[]){2, 3, 1});
    assert_int_equal(list[1].front, 0); /* it is alone */
}

static void none_are_an_empty_order(void **state)
{
    (void)state;
    expect(3, NULL, NULL, 0, NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_objective_ranks_by_value_then_by_number),
        cmocka_unit_test(fronts_come_before_values),
        cmocka_unit_test(what_breaks_a_bound_comes_last_the_least_broken_first),
        cmocka_unit_test(none_are_an_empty_order),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
