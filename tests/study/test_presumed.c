/* test_presumed.c - attempts of which nobody knows whether they still run */
#include "bed.h"
#include "terms/record.h"

#define STUDY(words)                                                           \
    "method: grid\ngrid: {order: written}\nparallel: 1\n"                      \
    "metric: {name: loss}\nparameters: {lr: {values: [1, 2]}}\n"               \
    "command: [x, " words "]\n"

static struct attempt attempt_of(struct bed *b, int64_t id, size_t at)
{
    struct attempt *list;
    size_t n;
    assert_int_equal(store_attempts(b->store, id, b->arena, &list, &n, NULL),
                     0);
    assert_true(at < n);
    return list[at];
}

static const char *folder_name(struct bed *b, int64_t id)
{
    return arena_cstr(b->arena,
                      path_name(store_trial_folder(b->store, id, b->arena)));
}

static void who_is_presumed_dead_keeps_its_folder_and_is_not_heard(void **s)
{
    struct bed *b = *s;
    enum study_end end;
    assert_int_equal(
        bed_run(b,
                STUDY("'when={lr}:1', attempt=1, 'metric=loss:7', "
                      "vanish-ms=5, 'metric=loss:99', sleep-ms=5, exit=0, "
                      "attempt=2, sleep-ms=50, die, attempt=3, "
                      "'metric=loss:3'"),
                &end),
        0);
    struct trial t = trial(b, 1);
    assert_int_equal(t.state, STATE_DONE);
    assert_true(t.value == 3);
    assert_null(strstr(arena_cstr(b->arena, t.summary), "99"));
    struct attempt first = attempt_of(b, 1, 0), next = attempt_of(b, 1, 1),
                   last = attempt_of(b, 1, 2);
    assert_int_equal(first.outcome, OUTCOME_LOST);
    assert_true(first.presumed && !next.presumed && !last.presumed);
    assert_int_equal(first.folder, 0);
    assert_int_equal(next.folder, 2);
    assert_int_equal(last.folder, 2); /* the second is gone: it is shared */
    assert_string_equal(folder_name(b, 1), "1.2");
    assert_string_equal(folder_name(b, 2), "2");
}

/* ---- taken over ------------------------------------------------------- */

static struct store *open_writer(struct bed *b, bool take_over)
{
    struct store *w = store_open(b->setup.folder, true, &b->err);
    assert_non_null(w);
    assert_int_equal(store_lease_take(w, take_over, &b->err), 0);
    return w;
}

/* A holder that has handed out trial 1 is taken over while it lives. */
static void take_over(struct bed *b)
{
    store_close(b->store);
    b->store = NULL;
    struct store *holder = open_writer(b, false);
    struct trial t = {.id = 1, .state = STATE_RUNNING, .value = NAN};
    struct attempt a = {.trial = 1, .number = 2, .started = 5};
    t.attempts = 2;
    assert_int_equal(store_begin(holder, &b->err), 0);
    assert_int_equal(store_trial_update(holder, &t, &b->err), 0);
    assert_int_equal(store_attempt_put(holder, &a, &b->err), 0);
    assert_int_equal(store_commit(holder, &b->err), 0);
    struct store *next = open_writer(b, true);
    assert_int_equal(store_lease_predecessor(next), PREDECESSOR_PRESUMED);
    store_close(next);
    store_close(holder);
}

/* Its worker says how the attempt ended. */
static const char *put_last_words(struct bed *b, enum outcome outcome)
{
    struct record_ended e = {.outcome = outcome, .reason = STR("so it says")};
    struct buf ended, file;
    char *folder = path_join(b->arena, b->setup.folder, "last-words");
    char *path = path_join(b->arena, folder, "1-1-1.rec");
    buf_init(&ended);
    buf_init(&file);
    record_ended_print(&ended, &e);
    struct record r = {.type = RECORD_ENDED,
                       .attempt = 2,
                       .task = 1,
                       .sequence = 9,
                       .payload = buf_str(&ended)};
    record_print(&file, &r);
    assert_int_equal(dir_make(folder, &b->err), 0);
    assert_int_equal(file_write(path, buf_str(&file), false, &b->err), 0);
    buf_done(&ended);
    buf_done(&file);
    return path;
}

static const char plain[] = STUDY("'metric=loss:{lr}'");

static void begin_taken_over(struct bed *b)
{
    enum study_end end;
    b->setup.count = 1;
    assert_int_equal(bed_run(b, plain, &end), 0);
    b->setup.count = 0;
    take_over(b);
}

static void after_a_take_over_a_trial_goes_on_in_another_folder(void **s)
{
    struct bed *b = *s;
    enum study_end end;
    begin_taken_over(b);
    assert_int_equal(bed_run(b, plain, &end), 0);
    assert_int_equal(count(b, STATE_DONE), 2);
    assert_true(attempt_of(b, 1, 1).presumed);
    assert_int_equal(attempt_of(b, 1, 1).outcome, OUTCOME_INTERRUPTED);
    assert_int_equal(attempt_of(b, 1, 2).folder, 3);
    assert_string_equal(folder_name(b, 1), "1.3");
    assert_string_equal(folder_name(b, 2), "2");
}

static void what_its_worker_says_later_is_refused(void **s)
{
    struct bed *b = *s;
    enum study_end end;
    begin_taken_over(b);
    assert_int_equal(bed_run(b, plain, &end), 0);
    const char *path = put_last_words(b, OUTCOME_FAILED);
    assert_int_equal(bed_run(b, plain, &end), 0);
    assert_false(file_exists(path));
    assert_int_equal(trial(b, 1).state, STATE_DONE);
    assert_int_equal(attempt_of(b, 1, 1).outcome, OUTCOME_INTERRUPTED);
}

/* Whoever took over has settled the attempt, perhaps handed out the next, and
 * died. */
static void settle(struct bed *b, bool handed_out)
{
    struct store *w = open_writer(b, true);
    struct trial t = {.id = 1, .state = STATE_WAITING, .value = NAN};
    struct attempt a = {.trial = 1,
                        .number = 2,
                        .started = 5,
                        .outcome = OUTCOME_INTERRUPTED,
                        .presumed = true};
    struct attempt next = {.trial = 1, .number = 3, .folder = 3};
    t.attempts = 2;
    assert_int_equal(store_begin(w, &b->err), 0);
    assert_int_equal(store_trial_update(w, &t, &b->err), 0);
    assert_int_equal(store_attempt_put(w, &a, &b->err), 0);
    if (handed_out)
        assert_int_equal(store_attempt_put(w, &next, &b->err), 0);
    assert_int_equal(store_commit(w, &b->err), 0);
    store_close(w);
}

static void is_refused(struct bed *b)
{
    enum study_end end;
    const char *path = put_last_words(b, OUTCOME_INVALID);
    assert_int_equal(bed_run(b, plain, &end), 0);
    assert_false(file_exists(path));
    assert_int_equal(trial(b, 1).state, STATE_DONE);
    assert_int_equal(attempt_of(b, 1, 1).outcome, OUTCOME_INTERRUPTED);
}

static void so_it_is_while_the_trial_waits_again(void **s)
{
    struct bed *b = *s;
    begin_taken_over(b);
    settle(b, false);
    is_refused(b);
    assert_int_equal(trial(b, 1).attempts, 3);
}

static void so_it_is_when_the_next_attempt_was_out_too(void **s)
{
    struct bed *b = *s;
    begin_taken_over(b);
    settle(b, true);
    is_refused(b);
    assert_int_not_equal(attempt_of(b, 1, 2).outcome, OUTCOME_INVALID);
    assert_int_equal(trial(b, 1).attempts, 4);
}

static void an_attempt_whose_end_was_told_before_is_not_presumed(void **s)
{
    struct bed *b = *s;
    enum study_end end;
    begin_taken_over(b);
    put_last_words(b, OUTCOME_CHECKPOINTED);
    assert_int_equal(bed_run(b, plain, &end), 0);
    assert_int_equal(attempt_of(b, 1, 1).outcome, OUTCOME_CHECKPOINTED);
    assert_false(attempt_of(b, 1, 1).presumed);
    assert_string_equal(folder_name(b, 1), "1");
}

#define on_bed(test) cmocka_unit_test_setup_teardown(test, bed_open, bed_close)

int main(void)
{
    const struct CMUnitTest tests[] = {
        on_bed(who_is_presumed_dead_keeps_its_folder_and_is_not_heard),
        on_bed(after_a_take_over_a_trial_goes_on_in_another_folder),
        on_bed(what_its_worker_says_later_is_refused),
        on_bed(so_it_is_while_the_trial_waits_again),
        on_bed(so_it_is_when_the_next_attempt_was_out_too),
        on_bed(an_attempt_whose_end_was_told_before_is_not_presumed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
