/* test_wishes.c - what people ask of trials is remembered until it is so
 *
 * A meddler looks at the study after each round and asks for something when
 * it sees what it waits for. */
#include "bed.h"
#include "study/conductor.h"

#define LIST(command)                                                          \
    "name: s\ncommand: [x, " command "]\nparallel: 1\nmethod: grid\n"          \
    "metric: {name: loss, goal: minimize}\nretries: 3\nretry_delay: 0s\n"      \
    "parameters:\n  n: {values: [1, 2, 3, 4, 5, 6]}\n"

static void ask(struct bed *b, const char *verb, int64_t id)
{
    char selector[32];
    snprintf(selector, sizeof selector, "%lld", (long long)id);
    assert_int_equal(
        store_request_put(b->setup.folder, verb, selector, NULL, &b->err), 0);
    study_requests(b->study);
    b->meddle = NULL;
}

static const struct live *live(const struct bed *b, int64_t id)
{
    return run_live(&b->study->run, id);
}

static enum wish stored_wish(struct bed *b, int64_t id)
{
    enum wish wish;
    assert_int_equal(store_wish(b->store, id, &wish, NULL), 0);
    return wish;
}

static void check_ended(struct bed *b, int64_t id, enum state state)
{
    assert_int_equal(trial(b, id).state, state);
    assert_int_equal(stored_wish(b, id), WISH_NONE);
}

/* ---- handed out, not begun -------------------------------------------- */

static const struct live *handed_out(const struct bed *b)
{
    for (int64_t id = 1; id <= 6; id++) {
        const struct live *l = live(b, id);
        if (l && live_is_out(l) && l->t.state == STATE_WAITING)
            return l;
    }
    return NULL;
}

static void kill_ahead(struct bed *b)
{
    const struct live *l = handed_out(b);
    if (l && live(b, l->t.id - 1)) {
        b->number = l->t.id;
        ask(b, "kill", b->number);
    }
}

static void stop_ahead(struct bed *b)
{
    const struct live *l = handed_out(b);
    if (l && live(b, l->t.id - 1)) {
        b->number = l->t.id;
        ask(b, "stop", b->number);
    }
}

static void a_trial_that_is_handed_out_and_not_begun_is_killed(void **s)
{
    struct bed *b = *s;
    enum study_end end;
    b->meddle = kill_ahead;
    assert_int_equal(bed_run(b, LIST("sleep-ms=5, 'metric=loss:{n}'"), &end),
                     0);
    assert_true(b->number > 0);
    check_ended(b, b->number, STATE_KILLED);
    assert_int_equal(count(b, STATE_DONE), 5);
}

static void a_trial_that_is_handed_out_and_not_begun_is_stopped(void **s)
{
    struct bed *b = *s;
    enum study_end end;
    b->meddle = stop_ahead;
    assert_int_equal(bed_run(b, LIST("sleep-ms=5, 'metric=loss:{n}'"), &end),
                     0);
    assert_true(b->number > 0);
    check_ended(b, b->number, STATE_STOPPED);
    assert_true(isnan(trial(b, b->number).value));
    assert_int_equal(count(b, STATE_DONE), 5);
}

/* ---- ends that would not be one --------------------------------------- */

static void kill_reporting(struct bed *b)
{
    const struct live *l = live(b, 1);
    if (l && live_is_out(l) && l->summary.list.len)
        ask(b, "kill", 1);
}

static void stop_reporting(struct bed *b)
{
    const struct live *l = live(b, 1);
    if (l && live_is_out(l) && l->summary.list.len)
        ask(b, "stop", 1);
}

/* Its first attempt reports, and comes to this end after it was asked. What is
 * gone without a word may have left reports: one more attempt reads those. */
static void check_honoured(struct bed *b, const char *command, bool gone)
{
    enum study_end end;
    char text[1024];
    struct arena *a = arena_new();
    for (int stop = 0; stop < 2; stop++) {
        snprintf(text, sizeof text, LIST("%s"), command);
        b->meddle = stop ? stop_reporting : kill_reporting;
        assert_int_equal(bed_run(b, text, &end), 0);
        assert_null(b->meddle);
        check_ended(b, 1, stop ? STATE_STOPPED : STATE_KILLED);
        assert_int_equal(trial(b, 1).attempts, stop && gone ? 2 : 1);
        if (stop)
            assert_true(trial(b, 1).value == 0.5);
        else
            assert_true(isnan(trial(b, 1).value));
        assert_int_equal(count(b, STATE_DONE), 5);
        store_close(b->store);
        b->store = NULL;
        assert_int_equal(dir_remove(path_join(a, b->home, ".throng"), NULL), 0);
    }
    arena_free(a);
}

#define ONLY_THE_FIRST(words)                                                  \
    "'when={n}:1', " words ", when=any, 'metric=loss:{n}'"
#define DEAF(end) ONLY_THE_FIRST("deaf, 'metric=loss:0.5', sleep-ms=5, " end)

static void an_attempt_that_is_lost_ends_its_trial_as_wished(void **s)
{
    check_honoured(*s, DEAF("die"), true);
}

/* What reads is not to blame, and not to be left out. */
static void who_reads_what_it_left_may_be_lost_too(void **s)
{
    struct bed *b = *s;
    enum study_end end;
    b->meddle = stop_reporting;
    assert_int_equal(
        bed_run(b,
                LIST("'when={n}:1', deaf, 'metric=loss:0.5', sleep-ms=5, die, "
                     "when=any, 'metric=loss:{n}', reads, attempt=2, die, "
                     "attempt=3, 'metric=loss:0.25'"),
                &end),
        0);
    assert_null(b->meddle);
    check_ended(b, 1, STATE_STOPPED);
    assert_int_equal(trial(b, 1).attempts, 3);
    assert_true(trial(b, 1).value == 0.25);
}

static void who_reads_is_not_lost_for_ever(void **s)
{
    struct bed *b = *s;
    enum study_end end;
    b->meddle = stop_reporting;
    assert_int_equal(
        bed_run(b,
                LIST("'when={n}:1', deaf, 'metric=loss:0.5', sleep-ms=5, die, "
                     "when=any, 'metric=loss:{n}', reads, die"),
                &end),
        0);
    check_ended(b, 1, STATE_STOPPED);
    assert_true(trial(b, 1).value == 0.5);
    assert_int_equal(count(b, STATE_DONE), 5);
}

static void a_wish_while_the_place_is_down_is_honoured(void **s)
{
    check_honoured(*s, ONLY_THE_FIRST("'metric=loss:0.5', die-ms=5"), true);
}

static void a_wish_is_told_to_a_place_that_comes_back(void **s)
{
    check_honoured(*s,
                   ONLY_THE_FIRST("'metric=loss:0.5', away-ms=5, "
                                  "sleep-ms=50, exit=1"),
                   false);
}

static void a_failed_attempt_is_not_tried_again_when_it_shall_end(void **s)
{
    check_honoured(*s, DEAF("exit=1"), false);
}

static void a_checkpointed_attempt_does_not_go_on_when_it_shall_end(void **s)
{
    check_honoured(*s, DEAF("exit=85"), false);
}

static void what_ended_by_itself_keeps_its_end(void **s)
{
    struct bed *b = *s;
    enum study_end end;
    b->meddle = kill_reporting;
    assert_int_equal(bed_run(b, LIST(DEAF("exit=0")), &end), 0);
    assert_null(b->meddle);
    check_ended(b, 1, STATE_DONE);
}

/* ---- after a crash ---------------------------------------------------- */

/* What a conductor leaves that died with its worker after it was asked. */
static void leave_wish(struct bed *b, enum wish wish)
{
    struct trial t = {.id = 2, .point = STR("{\"n\":2}"), .parent = -1};
    struct attempt a = {.trial = 2, .number = 1};
    store_close(b->store);
    b->store = NULL;
    struct store *w = store_open(b->setup.folder, true, &b->err);
    assert_int_equal(store_lease_take(w, false, &b->err), 0);
    assert_int_equal(store_begin(w, &b->err), 0);
    assert_int_equal(store_trial_add(w, &t, &b->err), 0);
    t.state = STATE_RUNNING;
    t.value = NAN;
    assert_int_equal(store_trial_update(w, &t, &b->err), 0);
    assert_int_equal(store_attempt_put(w, &a, &b->err), 0);
    assert_int_equal(store_wish_set(w, 2, wish, &b->err), 0);
    assert_int_equal(store_commit(w, &b->err), 0);
    store_close(w);
}

static void check_after_crash(struct bed *b, enum wish wish, enum state state)
{
    const char *text = LIST("'metric=loss:{n}'");
    enum study_end end;
    b->setup.count = 1;
    assert_int_equal(bed_run(b, text, &end), 0);
    leave_wish(b, wish);
    b->setup.count = 0;
    assert_int_equal(bed_run(b, text, &end), 0);
    check_ended(b, 2, state);
    assert_int_equal(trial(b, 2).attempts, wish == WISH_STOP ? 2 : 1);
    assert_int_equal(count(b, STATE_DONE), 5);
}

static void a_kill_outlives_conductor_and_worker(void **s)
{
    check_after_crash(*s, WISH_KILL, STATE_KILLED);
}

static void a_stop_outlives_conductor_and_worker(void **s)
{
    check_after_crash(*s, WISH_STOP, STATE_STOPPED);
}

static void a_killed_trial_that_is_tried_again_has_no_wish(void **s)
{
    struct bed *b = *s;
    enum study_end end;
    const char *text = LIST("'when={n}:1', attempt=1, 'metric=loss:0.5', "
                            "sleep-ms=5, when=any, attempt=any, "
                            "'metric=loss:{n}'");
    int64_t changed;
    b->meddle = kill_reporting;
    assert_int_equal(bed_run(b, text, &end), 0);
    check_ended(b, 1, STATE_KILLED);
    store_close(b->store);
    b->store = NULL;
    struct store *w = store_open(b->setup.folder, true, &b->err);
    assert_int_equal(store_lease_take(w, false, &b->err), 0);
    assert_int_equal(study_apply(w, "retry", "1", NULL, &changed, &b->err), 0);
    store_close(w);
    assert_int_equal(bed_run(b, text, &end), 0);
    check_ended(b, 1, STATE_DONE);
}

#define on_bed(test) cmocka_unit_test_setup_teardown(test, bed_open, bed_close)

int main(void)
{
    const struct CMUnitTest tests[] = {
        on_bed(a_trial_that_is_handed_out_and_not_begun_is_killed),
        on_bed(a_trial_that_is_handed_out_and_not_begun_is_stopped),
        on_bed(an_attempt_that_is_lost_ends_its_trial_as_wished),
        on_bed(who_reads_what_it_left_may_be_lost_too),
        on_bed(who_reads_is_not_lost_for_ever),
        on_bed(a_wish_while_the_place_is_down_is_honoured),
        on_bed(a_wish_is_told_to_a_place_that_comes_back),
        on_bed(a_failed_attempt_is_not_tried_again_when_it_shall_end),
        on_bed(a_checkpointed_attempt_does_not_go_on_when_it_shall_end),
        on_bed(what_ended_by_itself_keeps_its_end),
        on_bed(a_kill_outlives_conductor_and_worker),
        on_bed(a_stop_outlives_conductor_and_worker),
        on_bed(a_killed_trial_that_is_tried_again_has_no_wish),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
