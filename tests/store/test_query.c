/* test_query.c - rows: selectors, filters and orders together */
#include "made_store.h"

static struct made *filled(void **state)
{
    struct made *m = *state;
    assert_ok(m, store_fact_set(m->s, "goal", STR("minimize"), &m->err));
    made_trial(m, 1, "{\"lr\":0.1,\"opt\":\"sgd\"}", STATE_DONE, 0.9);
    made_trial(m, 2, "{\"lr\":0.01,\"opt\":\"adam\"}", STATE_DONE, 0.2);
    made_trial(m, 3, "{\"lr\":0.001}", STATE_FAILED, NAN);
    made_trial(m, 4, "{\"lr\":0.05,\"opt\":\"adam\"}", STATE_RUNNING, 0.1);
    made_trial(m, 5, "{\"lr\":0.5,\"opt\":\"lion\"}", STATE_DONE, 0.2);
    made_trial(m, 6, "{\"lr\":1}", STATE_WAITING, NAN);
    made_trial(m, 8, "{\"lr\":2}", STATE_KILLED, NAN);
    made_trial(m, 9, "{\"lr\":3}", STATE_DONE, 0.5);
    made_summary(m, 1, "{\"acc\":{\"last\":0.5,\"max\":0.7}}", "");
    made_summary(m, 2, "{\"acc\":{\"last\":0.8,\"max\":0.8}}", "");
    made_summary(m, 3, "", "exit code 1");
    made_summary(m, 5, "{\"acc\":{\"last\":NaN,\"max\":0.9}}", "");
    assert_ok(m, store_trial_tag(m->s, 3, STR("look"), true, &m->err));
    assert_ok(m, store_trial_tag(m->s, 9, STR("look"), true, &m->err));
    assert_ok(m, store_trial_note(m->s, 9, STR("good one"), &m->err));
    made_commit(m);
    return m;
}

static void selectors_give_each_trial_once_by_number(void **state)
{
    struct made *m = filled(state);
    static const struct {
        const char *selector, *trials;
    } cases[] = {
        {"7", ""},
        {"1", "1"},
        {"2-5", "2 3 4 5"},
        {"1-3,2-4,9,9", "1 2 3 4 9"},
        {" 5 , 1 - 2 ", "1 2 5"},
        {"6-1000000", "6 8 9"},
        {"failed", "3"},
        {"done", "1 2 5 9"},
        {"running", "4"},
        {"waiting", "6"},
        {"bad", "3 8"},
        {"finished", "1 2 3 5 8 9"},
        {"bad,waiting", "3 6 8"},
        {"last", "9"},
        {"last:3", "8 9"},
        {"last:100", "1 2 3 4 5 6 8 9"},
        {"all", "1 2 3 4 5 6 8 9"},
        {"all,3", "1 2 3 4 5 6 8 9"},
        {"tag:look", "3 9"},
        {"tag:none", ""},
        {"best:2", "2 5"},
        {"best", "2"},
        {"best:10", "2 5 9 1"},
        {"worst:2", "1 9"},
        {"worst:2,3", "1 3 9"},
        {"best:2,1", "1 2 5"},
        {"", "1 2 3 4 5 6 8 9"},
        {"0-9223372036854775807", "1 2 3 4 5 6 8 9"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct query q = {.selector = cases[i].selector};
        const char *got = made_rows(m, m->s, &q);
        if (strcmp(got, cases[i].trials) != 0)
            fail_msg("%s: %s, not %s", cases[i].selector, got, cases[i].trials);
    }
}

static void what_a_model_expects_never_comes_before_values(void **state)
{
    struct made *m = filled(state);
    /* 3 has failed and 7 was removed: nothing is to be expected of them. */
    static const struct trial_mean means[] = {
        {7, -1}, {9, 0.1}, {3, 0.15}, {2, 0.2}};
    static const struct {
        const char *selector, *trials;
    } cases[] = {
        {"best", "2"},       {"best:2", "2 5"},      {"best:3", "2 5 9"},
        {"best:1,1", "1 2"}, {"best:10", "2 5 9 1"}, {"worst", "1"},
    };
    assert_ok(m, store_means_set(m->s, means, 4, &m->err));
    made_commit(m);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct query q = {.selector = cases[i].selector};
        assert_string_equal(made_rows(m, m->s, &q), cases[i].trials);
    }
    struct query by_value = {
        .by = "value", .where = "state = finished", .limit = 1};
    assert_string_equal(made_rows(m, m->s, &by_value), "2");
    struct trial_mean *list;
    size_t count;
    assert_ok(m, store_means(m->s, m->a, &list, &count, &m->err));
    assert_int_equal(count, 2);
    assert_int_equal(list[0].trial, 9);
    assert_true(list[0].mean == 0.1);
    assert_ok(m, store_means_set(m->s, NULL, 0, &m->err));
    made_commit(m);
    struct query q = {.selector = "best"};
    assert_string_equal(made_rows(m, m->s, &q), "2");
}

static void the_goal_turns_best_and_worst_round(void **state)
{
    struct made *m = filled(state);
    assert_ok(m, store_fact_set(m->s, "goal", STR("maximize"), &m->err));
    made_commit(m);
    struct query q = {.selector = "best:2"};
    assert_string_equal(made_rows(m, m->s, &q), "1 9");
    q.selector = "worst:2";
    assert_string_equal(made_rows(m, m->s, &q), "2 5");
}

static void a_run_id_names_its_trial(void **state)
{
    struct made *m = filled(state);
    struct trial t = {.id = 20, .point = STR("{}"), .run_id = STR("r-7")};
    assert_ok(m, store_trial_add(m->s, &t, &m->err));
    made_commit(m);
    struct query q = {.selector = "id:r-7"};
    assert_string_equal(made_rows(m, m->s, &q), "20");
    q.selector = "id:other,2";
    assert_string_equal(made_rows(m, m->s, &q), "2");
}

static void bad_selectors_name_the_piece_and_what_is_allowed(void **state)
{
    struct made *m = *state;
    static const struct {
        const char *selector, *piece;
    } cases[] = {
        {"1,faild", "'faild': names no trials (did you mean failed?)"},
        {"3-1", "'3-1': the range ends before"},
        {"1,,2", "'': a piece is empty"},
        {"best:x", "'best:x': expected a count"},
        {"best:0", "'best:0': expected a count"},
        {"tag:", "'tag:': expected a name"},
        {"1-", "'1-': expected a trial number"},
        {"99999999999999999999", "expected a trial number"},
        {"7x", "'7x'"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct query q = {.selector = cases[i].selector};
        assert_int_equal(store_selector_check(cases[i].selector, &m->err), -1);
        assert_null(store_rows(m->s, &q, &m->err));
        assert_int_equal(m->err.kind, ERR_USAGE);
        if (!strstr(m->err.text, cases[i].piece))
            fail_msg("%s: %s", cases[i].selector, m->err.text);
        assert_non_null(strstr(m->err.text, "best:N"));
    }
    assert_ok(m, store_selector_check("1-3,best:2, bad,tag:x", &m->err));
}

static void rows_come_in_the_order_asked_for(void **state)
{
    struct made *m = filled(state);
    static const struct {
        struct query q;
        const char *trials;
    } cases[] = {
        {{.descending = true}, "9 8 6 5 4 3 2 1"},
        {{.limit = 2}, "1 2"},
        {{.descending = true, .limit = 2, .selector = "1-3,6"}, "6 3"},
        {{.by = "value"}, "4 2 5 9 1"},
        {{.by = "value", .descending = true}, "1 9 2 5 4"},
        {{.by = "value", .limit = 3}, "4 2 5"},
        {{.by = "value", .selector = "finished"}, "2 5 9 1"},
        {{.by = "value", .where = "lr > 0.05"}, "5 9 1"},
        {{.by = "value", .where = "lr > 0.05", .limit = 1}, "5"},
        {{.by = "value", .descending = true, .where = "lr > 0.05"}, "1 9 5"},
        {{.by = "lr"}, "3 2 4 1 5 6 8 9"},
        {{.by = "lr", .descending = true, .limit = 3}, "9 8 6"},
        {{.by = "opt"}, "2 4 5 1"},
        {{.by = "acc"}, "1 2"},
        {{.by = "acc.max", .descending = true}, "5 2 1"},
        {{.by = "trial", .descending = true, .limit = 1}, "9"},
        {{.by = "state", .limit = 4}, "1 2 5 9"},
        {{.by = "nothing"}, ""},
        {{.where = "acc > 0.6"}, "2"},
        {{.where = "acc > 0.6 or lr >= 2"}, "2 8 9"},
        {{.where = "tag:look"}, "3 9"},
        {{.where = "not tag:look", .selector = "2-4"}, "2 4"},
        {{.where = "reason ~ EXIT"}, "3"},
        {{.where = "note ~ good"}, "9"},
        {{.where = "state = bad"}, "3 8"},
        {{.where = "lr > 0.1", .selector = "best:3"}, "5 9"},
        {{.where = "opt = adam", .selector = "best:4"}, "2"},
        {{.selector = "best:4", .limit = 2}, "2 5"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const char *got = made_rows(m, m->s, &cases[i].q);
        if (strcmp(got, cases[i].trials) != 0)
            fail_msg("case %zu: %s, not %s", i, got, cases[i].trials);
    }
}

static void many_keys_with_a_limit_keep_the_best(void **state)
{
    struct made *m = *state;
    char point[64];
    for (int i = 1; i <= 5000; i++) {
        snprintf(point, sizeof point, "{\"x\":%d}", i * 7919 % 5003);
        made_trial(m, i, point, STATE_DONE, i % 10);
    }
    made_commit(m);
    struct query up = {.by = "x", .limit = 3};
    struct query down = {.by = "x", .limit = 3, .descending = true};
    const char *const got[] = {made_rows(m, m->s, &up),
                               made_rows(m, m->s, &down)};
    const int wanted[2][3] = {{1, 2, 3}, {5002, 5001, 5000}};
    for (int k = 0; k < 2; k++) {
        char expected[64];
        int at[3] = {0};
        for (int i = 1; i <= 5000; i++)
            for (int j = 0; j < 3; j++)
                if (i * 7919 % 5003 == wanted[k][j])
                    at[j] = i;
        snprintf(expected, sizeof expected, "%d %d %d", at[0], at[1], at[2]);
        if (at[0] && at[1] && at[2])
            assert_string_equal(got[k], expected);
    }
    struct query ties = {.by = "value", .limit = 3, .descending = true};
    assert_string_equal(made_rows(m, m->s, &ties), "9 19 29");
}

static void texts_come_when_asked_for(void **state)
{
    struct made *m = filled(state);
    struct query q = {.selector = "3", .with_texts = true};
    struct trial t;
    struct rows *r = store_rows(m->s, &q, &m->err);
    assert_int_equal(rows_next(r, &t, &m->err), 1);
    assert_true(str_is(t.reason, "exit code 1"));
    assert_int_equal(t.tag_count, 1);
    assert_true(str_is(t.tags[0], "look"));
    assert_true(str_is(t.point, "{\"lr\":0.001}"));
    assert_int_equal(rows_next(r, &t, &m->err), 0);
    assert_int_equal(rows_next(r, &t, &m->err), 0);
    rows_close(r);
    q = (struct query){.by = "value", .with_texts = true, .limit = 2};
    r = store_rows(m->s, &q, &m->err);
    assert_int_equal(rows_next(r, &t, &m->err), 1);
    assert_int_equal(rows_next(r, &t, &m->err), 1);
    assert_int_equal(t.id, 2);
    assert_true(str_starts(t.summary, STR("{\"acc\"")));
    rows_close(r);
}

static void a_bad_filter_opens_no_rows(void **state)
{
    struct made *m = *state;
    struct query q = {.where = "lr >"};
    assert_null(store_rows(m->s, &q, &m->err));
    assert_int_equal(m->err.kind, ERR_INPUT);
}

static void rows_may_be_open_while_their_trials_change(void **state)
{
    struct made *m = *state;
    for (int i = 1; i <= 500; i++)
        made_trial(m, i, "{}", STATE_RUNNING, NAN);
    made_commit(m);
    struct query q = {.selector = "running"};
    struct rows *r = store_rows(m->s, &q, &m->err);
    struct trial t;
    int count = 0;
    while (rows_next(r, &t, &m->err) == 1) {
        t.state = STATE_WAITING;
        assert_ok(m, store_trial_update(m->s, &t, &m->err));
        if (++count % 50 == 0)
            made_commit(m);
    }
    rows_close(r);
    assert_int_equal(count, 500);
    made_commit(m);
    struct counts c;
    assert_ok(m, store_counts(m->s, &c, &m->err));
    assert_int_equal(c.by_state[STATE_WAITING], 500);
    assert_ok(m, store_integrity(m->s, &m->err));
}

/* The ranking is followed for a while, then all trials are looked at; what a
 * limit gives is the beginning of what there is without it. */
static void filters_along_the_ranking_give_the_best_in_order(void **state)
{
    static const char *const filters[] = {
        "x < 2000", "x >= 3990", "x < 5", "x = 1", "x < 0", "y > 0.5", "lr",
    };
    struct made *m = *state;
    for (int i = 0; i < 4000; i++) {
        char point[64];
        snprintf(point, sizeof point, "{\"x\":%d,\"y\":%g}", i,
                 (double)(i * 37 % 100) / 100);
        made_trial(m, i + 1, point, i % 7 ? STATE_DONE : STATE_FAILED,
                   i % 7 ? (double)(i / 3) : NAN);
    }
    made_commit(m);
    for (size_t i = 0; i < sizeof filters / sizeof *filters; i++)
        for (int k = 0; k < 4; k++) {
            struct query q = {
                .where = filters[i], .by = "value", .descending = k % 2 == 1};
            char *all = strdup(made_rows(m, m->s, &q));
            q.limit = k < 2 ? 10 : 1;
            const char *few = made_rows(m, m->s, &q);
            assert_int_equal(strncmp(all, few, strlen(few)), 0);
            assert_int_equal(*all == 0, *few == 0);
            free(all);
        }
}

static void any_number_of_trials_may_be_asked_for(void **state)
{
    struct made *m = *state;
    for (int i = 1; i <= 3000; i++) {
        char point[64];
        snprintf(point, sizeof point, "{\"lr\":%d}", 3001 - i);
        made_trial(m, i, point, STATE_DONE, i);
    }
    made_commit(m);
    static const int64_t limits[] = {3000, INT64_MAX / 2, INT64_MAX};
    for (size_t i = 0; i < sizeof limits / sizeof *limits; i++) {
        struct query q = {.by = "lr", .limit = limits[i]};
        struct rows *rows = store_rows(m->s, &q, &m->err);
        struct trial t;
        assert_non_null(rows);
        for (int id = 3000; id >= 1; id--) {
            assert_int_equal(rows_next(rows, &t, &m->err), 1);
            assert_int_equal(t.id, id);
        }
        assert_int_equal(rows_next(rows, &t, &m->err), 0);
        rows_close(rows);
    }
}

#define with_store(f)                                                          \
    cmocka_unit_test_setup_teardown(f, made_setup, made_teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        with_store(any_number_of_trials_may_be_asked_for),
        with_store(selectors_give_each_trial_once_by_number),
        with_store(what_a_model_expects_never_comes_before_values),
        with_store(the_goal_turns_best_and_worst_round),
        with_store(a_run_id_names_its_trial),
        with_store(bad_selectors_name_the_piece_and_what_is_allowed),
        with_store(rows_come_in_the_order_asked_for),
        with_store(many_keys_with_a_limit_keep_the_best),
        with_store(filters_along_the_ranking_give_the_best_in_order),
        with_store(texts_come_when_asked_for),
        with_store(a_bad_filter_opens_no_rows),
        with_store(rows_may_be_open_while_their_trials_change),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
