/* test_early.c - early stopping that compares trials, end to end */
#include "search/search.h"
#include "bed.h"

#define CURVES(values)                                                         \
    "method: grid\ngrid: {order: written}\nmetric: {name: loss, goal: "        \
    "minimize}\n"                                                              \
    "parameters: {a: {values: " values "}}\n"

static void run(struct bed *b, const char *text, unsigned cpus)
{
    enum study_end end;
    b->machine.cpus = cpus;
    if (bed_run(b, text, &end))
        fail_msg("%s", b->err.text);
    assert_int_equal(end, STUDY_COMPLETE);
}

static size_t reports(struct bed *b, int64_t id)
{
    struct series series;
    assert_int_equal(
        store_series(b->store, id, "loss", b->arena, &series, NULL), 0);
    return series.count;
}

/* One after the other, each worse than all before. At a band of n trials the
 * one at place int(n / 3) is the threshold: place 0 for the second, 1 for the
 * third and on: whoever is worse than it stops at its first band. */
static void hyperband_stops_what_is_worse_at_a_band(void **s)
{
    struct bed *b = *s;
    run(b,
        CURVES("[1, 2, 3, 4]") "early_terminate: {type: hyperband, "
                               "max_iter: 27, s: 2}\n"
                               "command: [x, 'train=loss:{a}:27:1']\n",
        1);
    assert_int_equal(trial(b, 1).state, STATE_DONE);
    assert_int_equal(reports(b, 1), 27);
    assert_int_equal(trial(b, 2).state, STATE_STOPPED);
    assert_int_equal(reports(b, 2), 3);
    assert_true(str_is(trial(b, 2).reason,
                       "by early_terminate hyperband at 3: 2.33333, "
                       "threshold 1.33333"));
    assert_true(str_is(trial(b, 4).reason,
                       "by early_terminate hyperband at 3: 4.33333, "
                       "threshold 2.33333"));
}

static void a_later_and_better_trial_passes_the_bands(void **s)
{
    struct bed *b = *s;
    run(b,
        CURVES("[4, 3, 2, 1]") "early_terminate: {type: hyperband, "
                               "min_iter: 2}\n"
                               "command: [x, 'train=loss:{a}:9:1']\n",
        1);
    assert_int_equal(count(b, STATE_DONE), 4);
}

/* What the failed attempt reached does not help the next one past a band. */
static void the_best_of_a_failed_attempt_passes_no_band(void **s)
{
    struct bed *b = *s;
    run(b,
        CURVES(
            "[1, 2]") "retries: 1\nretry_delay: 0\n"
                      "early_terminate: {type: hyperband, min_iter: 2}\n"
                      "command: [x, 'when={a}:2', attempt=1, "
                      "'metric=loss:0@1', exit=1, attempt=2, checkpoint=none, "
                      "attempt=any, when=any, 'train=loss:{a}:9:1']\n",
        1);
    assert_int_equal(trial(b, 1).state, STATE_DONE);
    assert_int_equal(trial(b, 2).state, STATE_STOPPED);
    assert_true(str_is(trial(b, 2).reason,
                       "by early_terminate hyperband at 2: 2.5, threshold "
                       "1.5"));
}

/* The report of the failed attempt is no report of the trial. */
static void median_judges_what_was_begun_anew(void **s)
{
    struct bed *b = *s;
    run(b,
        CURVES(
            "[5, 6]") "retries: 1\nretry_delay: 0\n"
                      "early_terminate: {type: median, warmup_trials: 1, "
                      "warmup_steps: 0}\n"
                      "command: [x, 'when={a}:6', attempt=1, "
                      "'metric=loss:1@1', exit=1, attempt=2, checkpoint=none, "
                      "attempt=any, when=any, 'train=loss:{a}:9:1']\n",
        1);
    assert_int_equal(trial(b, 1).state, STATE_DONE);
    assert_int_equal(trial(b, 2).state, STATE_STOPPED);
    assert_non_null(
        strstr(trial(b, 2).reason.p, "early_terminate median at 1"));
}

static void median_stops_the_worse_half(void **s)
{
    struct bed *b = *s;
    run(b,
        CURVES(
            "[1, 2, 3, 4, 5, 2.5, 3.5]") "early_terminate: {type: median, "
                                         "warmup_trials: 5, warmup_steps: 2}\n"
                                         "command: [x, 'train=loss:{a}:9:1']\n",
        1);
    for (int i = 1; i <= 5; i++)
        assert_int_equal(trial(b, i).state, STATE_DONE);
    assert_int_equal(trial(b, 6).state, STATE_DONE);
    assert_int_equal(trial(b, 7).state, STATE_STOPPED);
    assert_int_equal(reports(b, 7), 3);
    assert_non_null(
        strstr(trial(b, 7).reason.p, "early_terminate median at 3"));
}

#define ASHA(more)                                                             \
    CURVES("[1, 2, 3, 4, 5, 6, 7, 8, 9]")                                      \
    "early_terminate: {type: asha, min_iter: 1, max_iter: 9" more "}\n"        \
    "command: [x, 'train=loss:{a}:9:1']\n"

static void asha_promotes_from_checkpoints(void **s)
{
    struct bed *b = *s;
    run(b, ASHA(""), 1);
    /* Of nine at rung 1 three go on, of three one. */
    assert_int_equal(count(b, STATE_DONE), 1);
    assert_int_equal(count(b, STATE_STOPPED), 8);
    assert_int_equal(trial(b, 1).state, STATE_DONE);
    assert_int_equal(trial(b, 1).budget, 9);
    assert_int_equal(trial(b, 1).attempts, 3);
    assert_int_equal(reports(b, 1), 9);
    assert_int_equal(reports(b, 2), 3);
    assert_int_equal(reports(b, 3), 3);
    assert_int_equal(reports(b, 4), 1);
    assert_int_equal(trial(b, 4).attempts, 1);
    assert_true(str_is(trial(b, 3).reason,
                       "by early_terminate asha at 3: 3.33333, threshold "
                       "1.33333"));
    assert_true(trial(b, 3).value > 3.3);
    assert_int_equal(store_best(b->store, true), 1);
    assert_int_equal(b->progress.best, 1);
}

static void asha_without_promotion_stops_at_rungs(void **s)
{
    struct bed *b = *s;
    run(b, ASHA(", promote: false"), 1);
    assert_int_equal(trial(b, 1).attempts, 1);
    assert_int_equal(trial(b, 1).state, STATE_DONE);
    assert_int_equal(reports(b, 1), 9);
    for (int i = 2; i <= 5; i++) {
        assert_int_equal(trial(b, i).state, STATE_STOPPED);
        assert_int_equal(reports(b, i), 1);
    }
    assert_int_equal(trial(b, 5).budget, 0);
}

/* A program that does not look at its budget is stopped behind it. */
static void a_program_that_goes_on_past_its_rung_is_stopped_there(void **s)
{
    struct bed *b = *s;
    run(b,
        "method: grid\ngrid: {order: written}\nmetric: {name: loss, goal: "
        "minimize}\n"
        "parameters: {a: {values: [1, 2, 3]}}\n"
        "early_terminate: {type: asha, min_iter: 2, max_iter: 4, eta: 2}\n"
        "command: [x, 'metric=loss:{a}@1', sleep-ms=1, 'metric=loss:{a}@2', "
        "sleep-ms=1, 'metric=loss:{a}@3', sleep-ms=1, 'metric=loss:{a}@4', "
        "sleep-ms=1]\n",
        1);
    assert_int_equal(trial(b, 1).state, STATE_DONE);
    assert_int_equal(reports(b, 1), 4);
    assert_int_equal(trial(b, 2).state, STATE_STOPPED);
    assert_int_equal(reports(b, 2), 3);
}

static const char *table(struct bed *b)
{
    struct buf text;
    struct counts c;
    buf_init(&text);
    assert_int_equal(store_counts(b->store, &c, NULL), 0);
    for (int64_t id = 1; id <= c.total; id++) {
        struct trial t = trial(b, id);
        buf_addf(&text, "%lld %s %.*s %.17g %lld %zu %.*s\n", (long long)id,
                 state_name(t.state), STRF(t.point), t.value,
                 (long long)t.budget, reports(b, id), STRF(t.reason));
    }
    const char *kept = arena_cstr(b->arena, buf_str(&text));
    buf_done(&text);
    return kept;
}

static void begin_anew(struct bed *b)
{
    store_close(b->store);
    b->store = NULL;
    assert_int_equal(dir_remove(path_join(b->arena, b->home, ".throng"), NULL),
                     0);
}

static const char *table_of(struct bed *b, const char *text, unsigned cpus)
{
    run(b, text, cpus);
    const char *got = table(b);
    begin_anew(b);
    return got;
}

#define STUDY(method, early)                                                   \
    "method: " method "\nrun_cap: 40\nseed: 7\n"                               \
    "metric: {name: loss, goal: minimize}\n"                                   \
    "parameters:\n  x: {min: 0.0, max: 1.0}\n  t: {min: 1, max: 99}\n"         \
    "command: [x, 'train=loss:{x}:9:{t}']\nearly_terminate: " early "\n"
#define HYPERBAND "{type: hyperband, min_iter: 1}"
#define RUNGS "{type: asha, max_iter: 9}"
#define STOPS "{type: asha, max_iter: 9, promote: false, brackets: 2}"
#define MEDIAN "{type: median, warmup_trials: 3}"

static void with_lag_early_stopping_does_not_depend_on_workers(void **s)
{
    struct bed *b = *s;
    const char *const texts[] = {
        STUDY("random", HYPERBAND) "order: lag\nlag: 8\n",
        STUDY("random", RUNGS) "order: lag\nlag: 8\n",
        STUDY("tpe", HYPERBAND) "order: lag\nlag: 4\n",
        STUDY("tpe", RUNGS) "order: lag\nlag: 4\n",
        STUDY("tpe", STOPS) "order: lag\nlag: 4\n",
        STUDY("tpe", MEDIAN) "order: lag\nlag: 4\n",
        STUDY("cmaes", RUNGS) "order: batch\nbatch: 6\n",
        STUDY("tpe", RUNGS) "order: lag\nlag: 4\nrepeat: 2\n",
    };
    for (size_t i = 0; i < sizeof(texts) / sizeof(*texts); i++) {
        const char *one = table_of(b, texts[i], 1);
        assert_non_null(strstr(one, "stopped"));
        assert_non_null(strstr(one, "done"));
        assert_string_equal(one, table_of(b, texts[i], 4));
        assert_string_equal(one, table_of(b, texts[i], 64));
    }
}

static const char *in_pieces(struct bed *b, const char *text, int64_t each)
{
    enum study_end end = STUDY_COUNT;
    b->machine.cpus = 1;
    b->setup.count = each;
    while (end == STUDY_COUNT)
        if (bed_run(b, text, &end))
            fail_msg("%s", b->err.text);
    b->setup.count = 0;
    const char *got = table(b);
    begin_anew(b);
    return got;
}

/* Pauses let the promotions of one piece come before the trials of the next,
 * so only rules that promote nobody give the same table. */
static void a_resumed_study_stops_the_same_trials(void **s)
{
    struct bed *b = *s;
    const char *const texts[] = {STUDY("random", HYPERBAND),
                                 STUDY("tpe", HYPERBAND),
                                 STUDY("random", STOPS),
                                 STUDY("tpe", STOPS),
                                 STUDY("random", MEDIAN),
                                 STUDY("tpe", MEDIAN),
                                 STUDY("tpe", MEDIAN) "order: lag\nlag: 4\n"};
    for (size_t i = 0; i < sizeof(texts) / sizeof(*texts); i++) {
        const char *whole = table_of(b, texts[i], 1);
        assert_string_equal(whole, in_pieces(b, texts[i], i == 0 ? 2 : 11));
    }
}

static void a_resumed_asha_study_replays_and_ends_as_one(void **s)
{
    struct bed *b = *s;
    const char *text = STUDY("tpe", RUNGS);
    enum study_end end = STUDY_COUNT;
    b->machine.cpus = 3;
    b->setup.count = 7;
    while (end == STUDY_COUNT)
        assert_int_equal(bed_run(b, text, &end), 0);
    assert_int_equal(end, STUDY_COMPLETE);
    assert_int_equal(count(b, STATE_PAUSED), 0);
    assert_int_equal(count(b, STATE_DONE) + count(b, STATE_STOPPED), 40);
    assert_true(count(b, STATE_DONE) >= 2);
    struct plan_reader reader = {.files = {.read = no_files},
                                 .methods = search_methods};
    struct problems problems;
    struct study_replay replay;
    problems_init(&problems, b->arena);
    struct plan *p =
        plan_read(str_of(text), "s.yaml", &reader, b->arena, &problems);
    assert_int_equal(study_replay(p, b->store, &replay, &b->err), 0);
    assert_int_equal(replay.same, replay.asked);
    assert_true(replay.asked > 40 + 10);
    plan_close(p);
}

static void a_failed_attempt_at_a_rung_is_tried_again(void **s)
{
    struct bed *b = *s;
    run(b,
        CURVES("[1, 2, 3]") "retries: 1\nretry_delay: 0\n"
                            "early_terminate: {type: asha, max_iter: 3}\n"
                            "command: [x, attempt=1, exit=3, attempt=any, "
                            "'train=loss:{a}:9:1']\n",
        1);
    assert_int_equal(trial(b, 1).state, STATE_DONE);
    assert_int_equal(trial(b, 1).attempts, 3);
    assert_int_equal(trial(b, 1).failures, 1);
    assert_int_equal(count(b, STATE_STOPPED), 2);
}

/* The place dies after trial 3 was judged and before it has stopped. */
static void what_was_to_stop_does_not_run_again(void **s)
{
    struct bed *b = *s;
    enum study_end end;
    const char *text =
        "metric: {name: loss}\norder: lag\nlag: 1\n"
        "points: [{a: 1, w: exit=0}, {a: 1, w: exit=0}, {a: 2, w: fault}, {a: "
        "0, w: exit=0}]\n"
        "early_terminate: {type: hyperband, min_iter: 1}\n"
        "command: [x, ignore-stop, 'metric=loss:{a}@1', sleep-ms=1, "
        "sleep-ms=1, sleep-ms=1, '{w}']\n";
    b->machine.cpus = 1;
    assert_int_equal(bed_run(b, text, &end), -1);
    assert_int_equal(trial(b, 3).state, STATE_RUNNING);
    run(b, text, 1);
    assert_int_equal(trial(b, 3).state, STATE_STOPPED);
    assert_int_equal(trial(b, 3).attempts, 1);
    assert_true(trial(b, 3).value == 2);
    assert_true(str_is(trial(b, 3).reason, "by early_terminate hyperband at 1: "
                                           "2, threshold 1"));
    assert_int_equal(trial(b, 4).state, STATE_DONE);
}

static void paused_trials_are_final_when_the_target_is_reached(void **s)
{
    struct bed *b = *s;
    enum study_end end;
    b->machine.cpus = 1;
    assert_int_equal(bed_run(b,
                             "method: grid\ngrid: {order: written}\nmetric: "
                             "{name: loss, target: 1.2}\n"
                             "parameters: {a: {values: [1, 2, 3, 4, 5, 6, 7, "
                             "8, 9, 10, 11, 12]}}\n"
                             "early_terminate: {type: asha, max_iter: 9}\n"
                             "command: [x, 'train=loss:{a}:9:1']\n",
                             &end),
                     0);
    assert_int_equal(end, STUDY_TARGET);
    assert_int_equal(count(b, STATE_PAUSED), 0);
    assert_int_equal(trial(b, 1).state, STATE_DONE);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, bed_open, bed_close)
    const struct CMUnitTest tests[] = {
        TEST(hyperband_stops_what_is_worse_at_a_band),
        TEST(a_later_and_better_trial_passes_the_bands),
        TEST(the_best_of_a_failed_attempt_passes_no_band),
        TEST(median_judges_what_was_begun_anew),
        TEST(median_stops_the_worse_half),
        TEST(asha_promotes_from_checkpoints),
        TEST(asha_without_promotion_stops_at_rungs),
        TEST(a_program_that_goes_on_past_its_rung_is_stopped_there),
        TEST(with_lag_early_stopping_does_not_depend_on_workers),
        TEST(a_resumed_study_stops_the_same_trials),
        TEST(a_resumed_asha_study_replays_and_ends_as_one),
        TEST(a_failed_attempt_at_a_rung_is_tried_again),
        TEST(what_was_to_stop_does_not_run_again),
        TEST(paused_trials_are_final_when_the_target_is_reached),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
