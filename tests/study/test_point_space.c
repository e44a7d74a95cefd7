/* test_point_space.c - the space that a list of points covers */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "base/json.h"
#include "study/point_space.h"
#include "../one_arena.h"

/* 40 points: one column of each kind, the last one in every fourth point. */
static size_t space_of_list(struct space *space)
{
    struct point_space *p = point_space_new(arena);
    for (int i = 1; i <= 40; i++) {
        char *text = arena_printf(
            arena,
            "{\"word\":\"w%d\",\"name\":\"run-%d\",\"few\":%d,\"same\":7,"
            "\"opt\":{\"lr\":%d.5,\"wide\":%de-3},\"whole\":%d,"
            "\"wide_whole\":%d,\"none\":null,\"gap\":%s,\"list\":[%d]}",
            i % 3, i, i % 5 * 10, i, i * i, i, i * i, i % 4 ? "null" : "0.25",
            i % 2);
        struct value *v = json_parse(arena, str_of(text), "t", true, NULL);
        assert_non_null(v);
        point_space_add(p, v);
    }
    size_t left_out = point_space_make(p, space);
    point_space_free(p);
    return left_out;
}

static struct param param_named(const struct space *s, const char *name)
{
    long at = space_find(s, str_of(name));
    if (at < 0)
        fail_msg("there is no %s", name);
    return s->params[at];
}

static void numbers_reach_from_the_least_to_the_greatest(void **state)
{
    (void)state;
    struct space s;
    space_of_list(&s);
    struct param lr = param_named(&s, "opt.lr");
    assert_int_equal(lr.dist, DIST_UNIFORM);
    assert_true(lr.min == 1.5 && lr.max == 40.5);
    assert_int_equal(param_named(&s, "whole").dist, DIST_INT_UNIFORM);
    assert_int_equal(param_named(&s, "opt.wide").dist, DIST_LOG_UNIFORM_VALUES);
    struct param wide = param_named(&s, "wide_whole");
    assert_int_equal(wide.dist, DIST_Q_LOG_UNIFORM_VALUES);
    assert_true(wide.min == 1 && wide.max == 1600);
}

static void words_lists_and_few_numbers_are_choices_in_order(void **state)
{
    (void)state;
    struct space s;
    space_of_list(&s);
    struct param few = param_named(&s, "few");
    assert_int_equal(few.dist, DIST_CATEGORICAL);
    assert_int_equal(few.values->count, 5);
    for (size_t i = 0; i < 5; i++)
        assert_int_equal(few.values->items[i]->i, 10 * i);
    assert_int_equal(param_named(&s, "word").values->count, 3);
    assert_int_equal(param_named(&s, "list").values->count, 2);
    assert_int_equal(param_named(&s, "same").dist, DIST_CONSTANT);
}

static void names_are_left_out_and_empty_cells_are_none(void **state)
{
    (void)state;
    struct space s;
    assert_int_equal(space_of_list(&s), 1);
    assert_int_equal(space_find(&s, STR("name")), -1);
    assert_int_equal(space_find(&s, STR("none")), -1);
    assert_int_equal(param_named(&s, "gap").dist, DIST_CONSTANT);
}

static void every_value_has_its_place(void **state)
{
    (void)state;
    struct space s;
    space_of_list(&s);
    for (size_t i = 0; i < s.count; i++) {
        const struct param *p = &s.params[i];
        if (i)
            assert_true(str_cmp(s.params[i - 1].name, p->name) < 0);
        for (size_t k = 0; k < p->values->count; k++) {
            double at = param_position(p, p->values->items[k]);
            assert_true(at >= 0 && at <= 1);
        }
    }
}

static void no_points_have_no_space(void **state)
{
    (void)state;
    struct space s;
    struct point_space *p = point_space_new(arena);
    assert_int_equal(point_space_make(p, &s), 0);
    assert_int_equal(s.count, 0);
    point_space_free(p);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(numbers_reach_from_the_least_to_the_greatest),
        TEST(words_lists_and_few_numbers_are_choices_in_order),
        TEST(names_are_left_out_and_empty_cells_are_none),
        TEST(every_value_has_its_place),
        TEST(no_points_have_no_space),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
