/* test_ranking.c - the best trials, as data and as JSON */
#include "view/view.h"

#include "../store/made_store.h"

static void a_trial_shows_a_column_a_parameter_or_a_metric(void **state)
{
    struct arena *a = arena_new();
    struct trial t = {.id = 3,
                      .value = 0.25,
                      .seconds = 7,
                      .summary = STR("{\"loss\":{\"last\":0.5,\"min\":0.25}}")};
    struct value *point = value_object(a);
    (void)state;
    value_set(a, point, STR("lr"), value_double(a, 0.1));
    assert_true(trial_shown(&t, point, NULL) == 0.25);
    assert_true(trial_shown(&t, point, "value") == 0.25);
    assert_true(trial_shown(&t, point, "trial") == 3);
    assert_true(trial_shown(&t, point, "seconds") == 7);
    assert_true(trial_shown(&t, point, "lr") == 0.1);
    assert_true(trial_shown(&t, point, "loss") == 0.5);
    assert_true(trial_shown(&t, point, "loss.min") == 0.25);
    assert_true(isnan(trial_shown(&t, point, "accuracy")));
    t.summary = STR("");
    assert_true(isnan(trial_shown(&t, point, "loss")));
    arena_free(a);
}

static void what_is_expected_is_known_of_some_trials(void **state)
{
    struct trial_mean means[] = {{4, 0.5}, {2, 0.75}};
    (void)state;
    assert_true(trial_expected(means, 2, 2) == 0.75);
    assert_true(isnan(trial_expected(means, 2, 3)));
    assert_true(isnan(trial_expected(NULL, 0, 4)));
}

/* ---- of a store ------------------------------------------------------- */

static void make_study(struct made *m)
{
    assert_ok(m, store_fact_set(m->s, "metric", STR("loss"), &m->err));
    assert_ok(m, store_fact_set(m->s, "goal", STR("minimize"), &m->err));
    made_trial(m, 1, "{\"lr\":0.1}", STATE_DONE, 3);
    made_trial(m, 2, "{\"lr\":0.2}", STATE_FAILED, NAN);
    made_trial(m, 3, "{\"lr\":0.3}", STATE_DONE, 1);
    made_trial(m, 4, "{\"lr\":0.4}", STATE_DONE, 2);
}

static void open_ranks(struct made *m, struct ranks *r,
                       const struct ranking *asked)
{
    assert_ok(m, ranks_open(r, m->s, asked, m->a, &m->err));
    assert_ok(m, ranks_check(r, m->a, &m->err));
    assert_ok(m, ranks_read(r, m->a, &m->err));
}

static void add_id(void *context, const struct ranked *r)
{
    buf_addf(context, "%zu:%lld ", r->rank, (long long)r->t.id);
}

static void rows_come_in_the_order_of_their_rank(void **state)
{
    struct made *m = *state;
    struct ranking best = {0}, worst = {.reverse = true, .limit = 2};
    struct ranks r;
    struct buf b;
    buf_init(&b);
    make_study(m);
    open_ranks(m, &r, &best);
    struct query q = ranks_query(&r);
    assert_ok(m, ranks_each(&r, &q, add_id, &b, &m->err));
    assert_string_equal(b.p, "1:3 2:4 3:1 ");
    assert_int_equal(r.count, 3);
    ranks_done(&r);
    buf_reset(&b);
    open_ranks(m, &r, &worst);
    q = ranks_query(&r);
    assert_ok(m, ranks_each(&r, &q, add_id, &b, &m->err));
    assert_string_equal(b.p, "1:1 2:4 ");
    ranks_done(&r);
    buf_done(&b);
}

static void append(void *context, struct str text)
{
    buf_addstr(context, text);
}

static void the_json_has_the_same_rows_with_their_points(void **state)
{
    struct made *m = *state;
    struct ranking asked = {.limit = 1, .columns = "state"};
    struct ranks r;
    struct buf b;
    buf_init(&b);
    make_study(m);
    open_ranks(m, &r, &asked);
    assert_ok(m, ranks_json(&r, 0, append, &b, &m->err));
    assert_string_equal(
        b.p,
        "{\"schema\":\"throng.rank/1\",\"by\":\"loss\",\"goal\":"
        "\"minimize\",\"trials\":[{\"rank\":1,\"id\":3,\"state\":\"done\","
        "\"value\":1.0,\"params\":{\"lr\":0.3},\"seconds\":0.0,\"columns\":{"
        "\"state\":\"done\"}}]}\n");
    ranks_done(&r);
    buf_done(&b);
}

static void a_name_that_no_trial_has_is_refused_with_the_nearest(void **state)
{
    struct made *m = *state;
    struct ranking asked = {.by = "lrr"};
    struct ranks r;
    make_study(m);
    assert_ok(m, ranks_open(&r, m->s, &asked, m->a, &m->err));
    assert_int_equal(ranks_check(&r, m->a, &m->err), -1);
    assert_non_null(strstr(m->err.text, "did you mean `lr`?"));
    ranks_done(&r);
}

#define with_store(f)                                                          \
    cmocka_unit_test_setup_teardown(f, made_setup, made_teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_trial_shows_a_column_a_parameter_or_a_metric),
        cmocka_unit_test(what_is_expected_is_known_of_some_trials),
        with_store(rows_come_in_the_order_of_their_rank),
        with_store(the_json_has_the_same_rows_with_their_points),
        with_store(a_name_that_no_trial_has_is_refused_with_the_nearest),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
