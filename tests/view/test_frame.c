/* test_frame.c - all trials of a study, as columns */
#include "view/view.h"

#include "../store/made_store.h"

static void update(struct made *m, struct frame *f)
{
    made_commit(m);
    do
        assert_ok(m, frame_update(f, m->s, 1, &m->err));
    while (!f->whole);
}

static double number(const struct frame *f, const char *name, size_t row)
{
    const struct frame_column *c = frame_column(f, str_of(name));
    assert_non_null(c);
    assert_non_null(c->numbers);
    return c->numbers[row];
}

static const char *text(const struct frame *f, const char *name, size_t row)
{
    const struct frame_column *c = frame_column(f, str_of(name));
    assert_non_null(c);
    assert_non_null(c->codes);
    return c->codes[row] ? c->texts.p[c->codes[row] - 1] : "-";
}

static void trials_become_rows(void **state)
{
    struct made *m = *state;
    struct frame *f = frame_new();
    made_trial(m, 1, "{\"lr\":0.5,\"opt\":\"sgd\"}", STATE_DONE, 3);
    made_trial(m, 2, "{\"lr\":0.25,\"opt\":\"adam\"}", STATE_RUNNING, NAN);
    made_trial(m, 3, "{\"lr\":0.125,\"opt\":\"sgd\"}", STATE_FAILED, NAN);
    update(m, f);
    assert_int_equal(f->rows, 3);
    assert_true(number(f, "lr", 1) == 0.25);
    assert_string_equal(text(f, "opt", 2), "sgd");
    assert_true(number(f, "value", 0) == 3);
    assert_true(isnan(number(f, "value", 1)));
    assert_int_equal(f->states[2], STATE_FAILED);
    assert_int_equal(frame_row(f, 3), 2);
    assert_true(frame_row(f, 4) == SIZE_MAX);
    assert_int_equal(f->counts.by_state[STATE_DONE], 1);
    frame_free(f);
}

static void what_changed_has_the_new_revision(void **state)
{
    struct made *m = *state;
    struct frame *f = frame_new();
    made_trial(m, 1, "{\"lr\":0.5}", STATE_DONE, 3);
    made_trial(m, 2, "{\"lr\":0.25}", STATE_RUNNING, NAN);
    update(m, f);
    uint32_t first = f->revision;
    struct trial t;
    assert_ok(m, store_trial(m->s, 2, m->a, &t, &m->err));
    t.state = STATE_DONE;
    t.value = 1;
    assert_ok(m, store_begin(m->s, &m->err));
    assert_ok(m, store_trial_update(m->s, &t, &m->err));
    made_trial(m, 3, "{\"lr\":0.75}", STATE_WAITING, NAN);
    update(m, f);
    assert_true(f->revision > first);
    assert_int_equal(f->rows, 3);
    assert_true(f->changed[0] <= first);
    assert_true(f->changed[1] > first);
    assert_true(f->changed[2] > first);
    assert_true(number(f, "value", 1) == 1);
    frame_free(f);
}

static void nothing_new_is_no_revision(void **state)
{
    struct made *m = *state;
    struct frame *f = frame_new();
    made_trial(m, 1, "{\"lr\":0.5}", STATE_DONE, 3);
    update(m, f);
    uint32_t first = f->revision;
    update(m, f);
    assert_int_equal(f->revision, first);
    frame_free(f);
}

static void a_trial_that_was_removed_makes_it_anew(void **state)
{
    struct made *m = *state;
    struct frame *f = frame_new();
    made_trial(m, 1, "{\"lr\":0.5}", STATE_DONE, 3);
    made_trial(m, 2, "{\"lr\":0.25}", STATE_DONE, 4);
    update(m, f);
    uint32_t made = f->made;
    assert_ok(m, store_begin(m->s, &m->err));
    assert_ok(m, store_trial_remove(m->s, 1, &m->err));
    update(m, f);
    assert_true(f->made != made);
    assert_int_equal(f->rows, 1);
    assert_int_equal(f->ids[0], 2);
    assert_true(number(f, "lr", 0) == 0.25);
    frame_free(f);
}

static void a_trial_that_runs_again_loses_its_value(void **state)
{
    struct made *m = *state;
    struct frame *f = frame_new();
    made_trial(m, 1, "{\"lr\":0.5}", STATE_FAILED, NAN);
    made_trial(m, 2, "{\"lr\":0.5}", STATE_DONE, 2);
    update(m, f);
    struct trial t;
    assert_ok(m, store_trial(m->s, 2, m->a, &t, &m->err));
    t.state = STATE_WAITING;
    t.value = NAN;
    assert_ok(m, store_begin(m->s, &m->err));
    assert_ok(m, store_trial_update(m->s, &t, &m->err));
    update(m, f); /* it had ended: the counts show that it has not */
    assert_int_equal(f->states[1], STATE_WAITING);
    assert_true(isnan(number(f, "value", 1)));
    assert_int_equal(f->counts.by_state[STATE_WAITING], 1);
    assert_int_equal(f->counts.by_state[STATE_DONE], 0);
    frame_free(f);
}

static void numbers_become_texts_when_one_comes(void **state)
{
    struct made *m = *state;
    struct frame *f = frame_new();
    made_trial(m, 1, "{\"size\":3}", STATE_DONE, 1);
    made_trial(m, 2, "{\"size\":0.5}", STATE_DONE, 1);
    made_trial(m, 3, "{\"size\":\"large\"}", STATE_DONE, 1);
    made_trial(m, 4, "{\"size\":7}", STATE_DONE, 1);
    made_trial(m, 5, "{\"other\":{\"deep\":true},\"list\":[1,2]}", STATE_DONE,
               1);
    update(m, f);
    assert_string_equal(text(f, "size", 0), "3");
    assert_string_equal(text(f, "size", 1), "0.5");
    assert_string_equal(text(f, "size", 2), "large");
    assert_string_equal(text(f, "size", 3), "7");
    assert_string_equal(text(f, "size", 4), "-");
    assert_string_equal(text(f, "other.deep", 4), "true");
    assert_string_equal(text(f, "list", 4), "[1,2]");
    frame_free(f);
}

static void rows_are_sorted_with_none_last(void **state)
{
    struct made *m = *state;
    struct frame *f = frame_new();
    uint32_t rows[] = {0, 1, 2, 3};
    made_trial(m, 1, "{\"lr\":0.5}", STATE_DONE, 2);
    made_trial(m, 2, "{\"lr\":0.5}", STATE_FAILED, NAN);
    made_trial(m, 3, "{\"lr\":0.5}", STATE_DONE, 1);
    made_trial(m, 4, "{\"lr\":0.5}", STATE_DONE, 2);
    update(m, f);
    frame_sort(f, STR("value"), false, rows, 4);
    assert_int_equal(rows[0], 2);
    assert_int_equal(rows[1], 0);
    assert_int_equal(rows[2], 3);
    assert_int_equal(rows[3], 1);
    frame_sort(f, STR("value"), true, rows, 4);
    assert_int_equal(rows[0], 0);
    assert_int_equal(rows[1], 3);
    assert_int_equal(rows[3], 1);
    frame_sort(f, STR("trial"), true, rows, 4);
    assert_int_equal(rows[0], 3);
    frame_free(f);
}

static void many_rows_are_read_piece_by_piece(void **state)
{
    struct made *m = *state;
    struct frame *f = frame_new();
    char point[64];
    for (int i = 1; i <= 9000; i++) {
        snprintf(point, sizeof(point), "{\"x\":%d}", i);
        made_trial(m, i, point, i % 3 ? STATE_DONE : STATE_WAITING, i);
    }
    made_commit(m);
    assert_ok(m, frame_update(f, m->s, 0, &m->err));
    assert_false(f->whole);
    update(m, f);
    assert_int_equal(f->rows, 9000);
    for (size_t i = 0; i < 9000; i++)
        assert_true(number(f, "x", i) == (double)(i + 1));
    frame_free(f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
#define TEST(f) cmocka_unit_test_setup_teardown(f, made_setup, made_teardown)
        TEST(trials_become_rows),
        TEST(what_changed_has_the_new_revision),
        TEST(nothing_new_is_no_revision),
        TEST(a_trial_that_was_removed_makes_it_anew),
        TEST(a_trial_that_runs_again_loses_its_value),
        TEST(numbers_become_texts_when_one_comes),
        TEST(rows_are_sorted_with_none_last),
        TEST(many_rows_are_read_piece_by_piece),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
