/* test_outlive.c - a place whose tasks outlive their conductor
 *
 * The place fake-cluster says everything twice besides, so that each of these
 * shows that nothing counts twice. */
#include "bed.h"
#include "terms/record.h"

#define STUDY                                                                  \
    "method: grid\ngrid: {order: written}\nparallel: 2\nretries: 0\n"          \
    "metric: {name: loss}\nparameters: {x: {values: [1, 2, 3, 4]}}\n"          \
    "command: [x, 'metric=loss:9@1', sleep-ms=10, 'metric=loss:{x}@2', "       \
    "sleep-ms=10]\n"

static size_t attempts_of(struct bed *b, int64_t id, struct attempt **list)
{
    size_t n;
    assert_int_equal(store_attempts(b->store, id, b->arena, list, &n, NULL), 0);
    return n;
}

/* Leaves once the first reports are in. */
static void part_when_they_run(struct bed *b)
{
    struct study_progress p;
    study_progress(b->study, &p);
    if (!b->number && p.counts.by_state[STATE_RUNNING] == 2) {
        b->number = 1;
        study_part(b->study);
    }
}

static void must_run(struct bed *b, const char *text, enum study_end *end)
{
    if (bed_run(b, text, end))
        fail_msg("%s", b->err.text);
}

static void what_was_left_running_is_collected(void **s)
{
    struct bed *b = *s;
    enum study_end end;
    struct attempt *list;
    b->setup.place = "fake-cluster";
    b->meddle = part_when_they_run;
    must_run(b, STUDY, &end);
    assert_int_equal(end, STUDY_INTERRUPTED);
    assert_int_equal(count(b, STATE_RUNNING), 2);
    assert_int_equal(attempts_of(b, 1, &list), 1);
    assert_int_equal(list[0].outcome, OUTCOME_NONE);
    b->meddle = NULL;
    must_run(b, STUDY, &end);
    assert_int_equal(end, STUDY_COMPLETE);
    assert_int_equal(count(b, STATE_DONE), 4);
    for (int64_t id = 1; id <= 4; id++) {
        assert_int_equal(attempts_of(b, id, &list), 1);
        assert_int_equal(list[0].outcome, OUTCOME_DONE);
        assert_int_equal(list[0].metric_points, 2);
        assert_true(trial(b, id).value == (double)id);
    }
}

static void what_the_place_lost_meanwhile_is_tried_again(void **s)
{
    struct bed *b = *s;
    enum study_end end;
    struct attempt *list;
    b->setup.place = "fake-cluster";
    b->meddle = part_when_they_run;
    must_run(b, STUDY, &end);
    const char *left = path_join(b->arena, b->setup.folder, "fake-left");
    assert_int_equal(unlink(left), 0);
    b->meddle = NULL;
    must_run(b, STUDY, &end);
    assert_int_equal(count(b, STATE_DONE), 4);
    assert_int_equal(attempts_of(b, 1, &list), 2);
    assert_int_equal(list[0].outcome, OUTCOME_INTERRUPTED);
    assert_int_equal(list[1].outcome, OUTCOME_DONE);
}

/* The wish was heard by a conductor that left before it was answered. */
static void a_wish_is_asked_again(void **s)
{
    struct bed *b = *s;
    enum study_end end;
    b->setup.place = "fake-cluster";
    b->meddle = part_when_they_run;
    must_run(b, STUDY, &end);
    store_close(b->store);
    b->store = NULL;
    struct store *w = store_open(b->setup.folder, true, &b->err);
    assert_non_null(w);
    assert_int_equal(store_lease_take(w, false, &b->err), 0);
    assert_int_equal(store_begin(w, NULL), 0);
    assert_int_equal(store_wish_set(w, 1, WISH_KILL, NULL), 0);
    assert_int_equal(store_commit(w, NULL), 0);
    store_close(w);
    b->meddle = NULL;
    must_run(b, STUDY, &end);
    assert_int_equal(trial(b, 1).state, STATE_KILLED);
    assert_int_equal(count(b, STATE_DONE), 3);
}

static void where_nothing_outlives_parting_interrupts(void **s)
{
    struct bed *b = *s;
    enum study_end end;
    struct attempt *list;
    b->meddle = part_when_they_run;
    must_run(b, STUDY, &end);
    assert_int_equal(end, STUDY_INTERRUPTED);
    assert_int_equal(count(b, STATE_RUNNING), 0);
    assert_int_equal(attempts_of(b, 1, &list), 1);
    assert_int_equal(list[0].outcome, OUTCOME_INTERRUPTED);
}

/* Only the place that has them can hear and end them. */
static void what_is_out_elsewhere_is_not_left_alone(void **s)
{
    struct bed *b = *s;
    enum study_end end;
    b->setup.place = "fake-cluster";
    b->meddle = part_when_they_run;
    must_run(b, STUDY, &end);
    b->meddle = NULL;
    b->setup.place = "fake";
    assert_int_equal(bed_run(b, STUDY, &end), -1);
    assert_non_null(strstr(b->err.text, "2 trials of it are still out at "
                                        "fake-cluster"));
    b->setup.place = "fake-cluster";
    must_run(b, STUDY, &end);
    assert_int_equal(count(b, STATE_DONE), 4);
    b->setup.place = "fake";
    must_run(b, STUDY, &end);
    assert_int_equal(count(b, STATE_DONE), 4);
}

#define AGAIN                                                                  \
    "method: grid\ngrid: {order: written}\nparallel: 2\nretries: 0\n"          \
    "metric: {name: loss}\nparameters: {x: {values: [1, 2, 3, 4]}}\n"          \
    "command: [x, 'metric=loss:{x}@1', sleep-ms=10, 'attempt=1', %s, "         \
    "'attempt=any', 'metric=loss:{x}@2', sleep-ms=10]\n"

/* Each was begun twice, and counts once. */
static void check_begun_twice(struct bed *b, bool presumed)
{
    struct attempt *list;
    assert_int_equal(count(b, STATE_DONE), 4);
    for (int64_t id = 1; id <= 4; id++) {
        assert_int_equal(attempts_of(b, id, &list), 2);
        assert_int_equal(list[0].outcome, OUTCOME_INTERRUPTED);
        assert_int_equal(list[0].folder, 0);
        assert_int_equal(list[0].presumed, presumed);
        assert_int_equal(list[1].outcome, OUTCOME_DONE);
        assert_int_equal(list[1].folder, store_own(1, 1));
        assert_true(trial(b, id).value == (double)id);
        assert_int_equal(trial(b, id).failures, 0);
    }
}

static void what_a_scheduler_begins_again_is_another_attempt(void **s)
{
    struct bed *b = *s;
    enum study_end end;
    char text[1000];
    b->setup.place = "fake-cluster";
    snprintf(text, sizeof text, AGAIN, "again-ms=5");
    must_run(b, text, &end);
    check_begun_twice(b, false);
}

/* What was said in whole is counted once, and what was not runs again. */
static void torn_files_lose_and_double_nothing(void **s)
{
    struct bed *b = *s;
    enum study_end end;
    struct attempt *list;
    b->setup.place = "fake-cluster";
    must_run(b,
             "method: grid\ngrid: {order: written}\nparallel: 2\nretries: 0\n"
             "metric: {name: loss}\nparameters: {x: {values: [1, 2, 3, 4]}}\n"
             "command: [x, torn-ms=7, 'metric=loss:{x}@1', sleep-ms=3, "
             "attempt=1, torn, attempt=any, 'metric=loss:{x}@2', sleep-ms=3]\n",
             &end);
    assert_int_equal(count(b, STATE_DONE), 4);
    for (int64_t id = 1; id <= 4; id++) {
        assert_int_equal(attempts_of(b, id, &list), 2);
        assert_int_equal(list[0].outcome, OUTCOME_LOST);
        assert_int_equal(list[1].outcome, OUTCOME_DONE);
        assert_true(trial(b, id).value == (double)id);
        assert_int_equal(trial(b, id).failures, 0);
    }
}

/* The start before says the end of its attempt, too, and is not heard. */
/* The checkpoint may have fallen back with the start that was broken off. */
static void a_start_that_was_broken_off_is_no_85_without_a_change(void **s)
{
    struct bed *b = *s;
    enum study_end end;
    b->setup.place = "fake-cluster";
    must_run(b,
             "method: grid\nmetric: {name: loss}\n"
             "parameters: {x: {values: [1]}}\n"
             "command: [x, checkpoint=7, attempt=1, exit=85, attempt=2, "
             "'metric=loss:2@2', sleep-ms=10, again-ms=5, attempt=3, exit=85, "
             "attempt=any, 'metric=loss:1@3']\n",
             &end);
    assert_int_equal(count(b, STATE_DONE), 1);
    assert_int_equal(trial(b, 1).attempts, 4);
}

static void who_was_presumed_dead_is_not_heard_beside_its_successor(void **s)
{
    struct bed *b = *s;
    enum study_end end;
    char text[1000];
    b->setup.place = "fake-cluster";
    snprintf(text, sizeof text, AGAIN, "again-presumed=5");
    must_run(b, text, &end);
    check_begun_twice(b, true);
}

static void part_when_it_is_begun_again(struct bed *b)
{
    struct attempt *list;
    size_t n = 0;
    struct store *store = store_open(b->setup.folder, false, NULL);
    if (store)
        store_attempts(store, 1, b->arena, &list, &n, NULL);
    store_close(store);
    if (!b->number && n == 2) {
        b->number = 1;
        study_part(b->study);
    }
}

static void what_was_begun_again_is_collected(void **s)
{
    struct bed *b = *s;
    enum study_end end;
    char text[1000];
    b->setup.place = "fake-cluster";
    b->meddle = part_when_it_is_begun_again;
    snprintf(text, sizeof text, AGAIN, "again-ms=5");
    must_run(b, text, &end);
    assert_int_equal(end, STUDY_INTERRUPTED);
    b->meddle = NULL;
    must_run(b, text, &end);
    check_begun_twice(b, false);
}

#define on_bed(f) cmocka_unit_test_setup_teardown(f, bed_open, bed_close)

int main(void)
{
    const struct CMUnitTest tests[] = {
        on_bed(what_was_left_running_is_collected),
        on_bed(what_the_place_lost_meanwhile_is_tried_again),
        on_bed(a_wish_is_asked_again),
        on_bed(where_nothing_outlives_parting_interrupts),
        on_bed(what_is_out_elsewhere_is_not_left_alone),
        on_bed(what_a_scheduler_begins_again_is_another_attempt),
        on_bed(torn_files_lose_and_double_nothing),
        on_bed(a_start_that_was_broken_off_is_no_85_without_a_change),
        on_bed(who_was_presumed_dead_is_not_heard_beside_its_successor),
        on_bed(what_was_begun_again_is_collected),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
