/* test_group.c - trials grouped by what they share */
#include "made_store.h"

struct groups {
    struct group_row *list;
    size_t count;
};

static struct groups group(struct made *m, const char *over, const char *where,
                           bool minimize, int64_t limit)
{
    struct groups g;
    assert_ok(m, store_group(m->s, over, where, minimize, limit, m->a, &g.list,
                             &g.count, &m->err));
    return g;
}

static void assert_group(struct group_row r, const char *point, int64_t count,
                         double mean, int64_t best)
{
    assert_true(str_is(r.point, point));
    assert_int_equal(r.count, count);
    assert_true(fabs(r.mean - mean) < 1e-12);
    assert_int_equal(r.best, best);
}

static void a_parameter_is_looked_over(void **state)
{
    struct made *m = *state;
    made_trial(m, 1, "{\"lr\":0.1,\"seed\":1,\"w\":2}", STATE_DONE, 1);
    made_trial(m, 2, "{\"lr\":0.1,\"seed\":2,\"w\":2}", STATE_DONE, 3);
    made_trial(m, 3, "{\"lr\":0.2,\"seed\":1,\"w\":2}", STATE_DONE, 5);
    made_trial(m, 4, "{\"lr\":0.2,\"seed\":2,\"w\":2}", STATE_DONE, 4);
    made_trial(m, 5, "{\"lr\":0.2,\"seed\":3,\"w\":2}", STATE_FAILED, NAN);
    made_commit(m);
    struct groups g = group(m, "seed", NULL, true, 0);
    assert_int_equal(g.count, 2);
    assert_group(g.list[0], "{\"lr\":0.1,\"w\":2}", 2, 2, 1);
    assert_group(g.list[1], "{\"lr\":0.2,\"w\":2}", 2, 4.5, 4);
    assert_true(fabs(g.list[0].std - sqrt(2)) < 1e-12);
    assert_true(g.list[0].min == 1 && g.list[0].max == 3);
    g = group(m, "seed", NULL, false, 1);
    assert_int_equal(g.count, 1);
    assert_group(g.list[0], "{\"lr\":0.2,\"w\":2}", 2, 4.5, 3);
    g = group(m, "seed, lr", NULL, true, 0);
    assert_int_equal(g.count, 1);
    assert_group(g.list[0], "{\"w\":2}", 4, 3.25, 1);
    g = group(m, "seed", "seed = 2", true, 0);
    assert_group(g.list[0], "{\"lr\":0.1,\"w\":2}", 1, 3, 2);
    assert_true(g.list[0].std == 0);
}

static void any_number_of_groups_may_be_asked_for(void **state)
{
    struct made *m = *state;
    for (int i = 1; i <= 3000; i++) {
        char point[64];
        snprintf(point, sizeof point, "{\"lr\":%d,\"seed\":1}", i);
        made_trial(m, i, point, STATE_DONE, 3001 - i);
    }
    made_commit(m);
    static const int64_t limits[] = {0, 3000, 3001, INT64_MAX / 2, INT64_MAX};
    for (size_t i = 0; i < sizeof limits / sizeof *limits; i++) {
        struct groups g = group(m, "seed", NULL, true, limits[i]);
        assert_int_equal(g.count, 3000);
        assert_int_equal(g.list[0].best, 3000);
    }
    assert_int_equal(group(m, "seed", NULL, true, 2999).count, 2999);
}

static void repeats_are_grouped_where_no_parameter_is_called_seed(void **state)
{
    struct made *m = *state;
    for (int i = 1; i <= 6; i++) {
        struct trial t = {.id = i,
                          .point = STR("{\"lr\":0.1}"),
                          .group = (i - 1) / 3,
                          .member = (uint32_t)(i - 1) % 3};
        assert_ok(m, store_trial_add(m->s, &t, &m->err));
        t.state = STATE_DONE;
        t.value = i;
        assert_ok(m, store_trial_update(m->s, &t, &m->err));
    }
    made_commit(m);
    /* The same point drawn twice stays two groups of three. */
    struct groups g = group(m, "seed", NULL, true, 0);
    assert_int_equal(g.count, 2);
    assert_group(g.list[0], "{\"lr\":0.1}", 3, 2, 1);
    assert_group(g.list[1], "{\"lr\":0.1}", 3, 5, 4);
}

static void nested_parameters_are_looked_over_too(void **state)
{
    struct made *m = *state;
    made_trial(m, 1, "{\"o\":{\"k\":1,\"s\":1},\"z\":[1,{\"s\":2}]}",
               STATE_DONE, 1);
    made_trial(m, 2, "{\"o\":{\"k\":1,\"s\":2},\"z\":[1,{\"s\":2}]}",
               STATE_DONE, 2);
    made_commit(m);
    struct groups g = group(m, "o.s", NULL, true, 0);
    assert_int_equal(g.count, 1);
    assert_group(g.list[0], "{\"o\":{\"k\":1},\"z\":[1,{\"s\":2}]}", 2, 1.5, 1);
}

static void a_name_that_no_trial_has_is_an_error(void **state)
{
    struct made *m = *state;
    struct groups g;
    made_trial(m, 1, "{\"lr\":1}", STATE_DONE, 1);
    made_commit(m);
    assert_int_equal(store_group(m->s, "sead", NULL, true, 0, m->a, &g.list,
                                 &g.count, &m->err),
                     -1);
    assert_non_null(strstr(m->err.text, "sead"));
}

static void an_empty_study_has_no_groups(void **state)
{
    struct made *m = *state;
    assert_int_equal(group(m, "x", NULL, true, 0).count, 0);
}

static void infinite_values_have_an_infinite_mean(void **state)
{
    struct made *m = *state;
    made_trial(m, 1, "{\"s\":1}", STATE_DONE, INFINITY);
    made_trial(m, 2, "{\"s\":2}", STATE_DONE, 1);
    made_trial(m, 3, "{\"s\":3}", STATE_DONE, 2);
    made_commit(m);
    struct groups g = group(m, "s", NULL, true, 0);
    assert_int_equal(g.list[0].count, 3);
    assert_true(g.list[0].mean == INFINITY);
    assert_int_equal(g.list[0].best, 2);
}

#define with_store(f)                                                          \
    cmocka_unit_test_setup_teardown(f, made_setup, made_teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        with_store(a_parameter_is_looked_over),
        with_store(any_number_of_groups_may_be_asked_for),
        with_store(repeats_are_grouped_where_no_parameter_is_called_seed),
        with_store(nested_parameters_are_looked_over_too),
        with_store(a_name_that_no_trial_has_is_an_error),
        with_store(an_empty_study_has_no_groups),
        with_store(infinite_values_have_an_infinite_mean),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
