/* test_gathered.c - failures and the best so far, gathered bit by bit */
#include "view/gathered.h"

#include "../store/made_store.h"

#define SLICE 4096 /* of gathered.c */

static void update(struct made *m, struct gathered *h, double budget_s)
{
    struct counts c;
    assert_ok(m, store_counts(m->s, &c, &m->err));
    assert_ok(m, gathered_update(h, m->s, &c, budget_s, &m->err));
}

static void assert_bad(const struct gathered *h, const char *expected)
{
    struct buf b;
    buf_init(&b);
    for (size_t i = 0; i < h->bad.len; i++)
        buf_addf(&b, "%s%lld", i ? " " : "", (long long)h->bad.p[i]);
    assert_string_equal(b.p, expected);
    buf_done(&b);
}

static void assert_records(const struct gathered *h, const char *expected)
{
    struct buf b;
    buf_init(&b);
    for (size_t i = 0; i < h->records.len; i++)
        buf_addf(&b, "%s%lld:%g", i ? " " : "", (long long)h->records.p[i].id,
                 h->records.p[i].value);
    assert_string_equal(b.p, expected);
    buf_done(&b);
}

static void records_come_out_the_same_in_any_order(void **state)
{
    static const double values[] = {5, 7, 3, 3, 4, 1, 2};
    static const int orders[][7] = {{1, 2, 3, 4, 5, 6, 7},
                                    {7, 6, 5, 4, 3, 2, 1},
                                    {6, 3, 1, 2, 7, 4, 5},
                                    {4, 4, 6, 7, 3, 1, 2}};
    (void)state;
    for (size_t k = 0; k < 4; k++) {
        struct gathered up = {.minimize = true}, down = {0};
        for (size_t i = 0; i < 7; i++) {
            int id = orders[k][i];
            gathered_record(&up, id, values[id - 1]);
            gathered_record(&down, id, -values[id - 1]);
        }
        /* The last order leaves trial 5 out, which is no record anyway. */
        assert_records(&up, "1:5 3:3 6:1");
        assert_records(&down, "1:-5 3:-3 6:-1");
        gathered_done(&up);
        gathered_done(&down);
    }
}

static void a_trial_without_a_value_is_no_record(void **state)
{
    struct gathered h = {.minimize = true};
    (void)state;
    gathered_record(&h, 1, NAN);
    gathered_record(&h, 2, INFINITY);
    gathered_record(&h, 3, 1);
    assert_records(&h, "2:inf 3:1");
    gathered_done(&h);
}

static void failures_and_records_of_a_store_are_found(void **state)
{
    struct made *m = *state;
    struct gathered h = {.minimize = true};
    made_trial(m, 1, "{}", STATE_FAILED, NAN);
    made_trial(m, 2, "{}", STATE_DONE, 3);
    made_trial(m, 3, "{}", STATE_RUNNING, 1);
    made_trial(m, 4, "{}", STATE_KILLED, NAN);
    made_trial(m, 5, "{}", STATE_STOPPED, 2);
    made_commit(m);
    update(m, &h, 0);
    assert_bad(&h, "1 4");
    assert_records(&h, "2:3 5:2");
    assert_true(gathered_part(&h) == 1);
    gathered_done(&h);
}

static void an_empty_store_has_nothing_to_gather(void **state)
{
    struct made *m = *state;
    struct gathered h = {0};
    update(m, &h, 0);
    assert_bad(&h, "");
    assert_true(gathered_part(&h) == 1);
    gathered_done(&h);
}

static void what_ends_later_is_seen_later(void **state)
{
    struct made *m = *state;
    struct gathered h = {.minimize = true};
    made_trial(m, 1, "{}", STATE_RUNNING, NAN);
    made_trial(m, 2, "{}", STATE_RUNNING, NAN);
    made_commit(m);
    update(m, &h, 0);
    assert_bad(&h, "");
    struct trial t = {.id = 1, .state = STATE_TIMED_OUT, .value = NAN};
    assert_ok(m, store_trial_update(m->s, &t, &m->err));
    made_trial(m, 3, "{}", STATE_FAILED, NAN);
    made_trial(m, 4, "{}", STATE_DONE, 0.5);
    made_commit(m);
    update(m, &h, 0);
    assert_bad(&h, "1 3");
    assert_records(&h, "4:0.5");
    assert_int_equal(h.open.len, 1);
    gathered_done(&h);
}

static void a_failure_that_is_retried_goes_away(void **state)
{
    struct made *m = *state;
    struct gathered h = {.minimize = true};
    made_trial(m, 1, "{}", STATE_FAILED, NAN);
    made_trial(m, 2, "{}", STATE_FAILED, NAN);
    made_commit(m);
    update(m, &h, 0);
    assert_bad(&h, "1 2");
    struct trial t = {.id = 1, .state = STATE_WAITING, .value = NAN};
    assert_ok(m, store_trial_update(m->s, &t, &m->err));
    made_commit(m);
    update(m, &h, 0);
    assert_bad(&h, "1 2"); /* too soon to begin again */
    h.restarted = 0;
    update(m, &h, 0);
    assert_bad(&h, "2");
    gathered_done(&h);
}

static void a_large_store_is_read_from_its_end_a_part_at_a_time(void **state)
{
    struct made *m = *state;
    struct gathered h = {.minimize = true};
    int64_t last = 2 * SLICE + 10;
    for (int64_t id = 1; id <= last; id++)
        made_trial(m, id, "{}",
                   id == 1 || id == last ? STATE_FAILED : STATE_DONE,
                   id == 1 || id == last ? NAN : (double)id);
    made_commit(m);
    update(m, &h, 0);
    assert_int_equal(h.bad.len, 1);
    assert_int_equal(h.bad.p[0], last);
    assert_true(gathered_part(&h) > 0.4 && gathered_part(&h) < 0.6);
    assert_records(&h, "2:2"); /* the ranking told */
    update(m, &h, 10);
    assert_bad(&h, "1 8202");
    assert_true(gathered_part(&h) == 1);
    gathered_done(&h);
}

#define with_store(f)                                                          \
    cmocka_unit_test_setup_teardown(f, made_setup, made_teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(records_come_out_the_same_in_any_order),
        cmocka_unit_test(a_trial_without_a_value_is_no_record),
        with_store(failures_and_records_of_a_store_are_found),
        with_store(an_empty_store_has_nothing_to_gather),
        with_store(what_ends_later_is_seen_later),
        with_store(a_failure_that_is_retried_goes_away),
        with_store(a_large_store_is_read_from_its_end_a_part_at_a_time),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
