/* test_study.c - the conductor, end to end, on the fake place
 *
 * Each test writes a study whose command is a script of the fake place (see
 * engine/fake.c), runs it, and looks at the store. */
#include "bed.h"
#include <errno.h>
#include <sqlite3.h>

#define GRID                                                                   \
    "method: grid\nmetric: {name: loss, goal: minimize}\n"                     \
    "parameters: {lr: {values: [3, 1, 2]}}\n"

static void every_point_of_a_grid_is_done_once_and_the_best_known(void **s)
{
    struct bed *b = *s;
    enum study_end end;
    assert_int_equal(
        bed_run(b, GRID "command: [x, 'metric=loss:{lr}']\n", &end), 0);
    assert_int_equal(end, STUDY_COMPLETE);
    assert_int_equal(count(b, STATE_DONE), 3);
    assert_int_equal(store_best(b->store, true), 2);
    assert_true(trial(b, 2).value == 1);
    assert_int_equal(trial(b, 2).attempts, 1);
    assert_true(str_is(trial(b, 1).point, "{\"lr\":3}"));
}

static void a_failed_attempt_is_tried_again(void **s)
{
    struct bed *b = *s;
    enum study_end end;
    assert_int_equal(bed_run(b,
                             GRID "retries: 2\nretry_delay: 0\n"
                                  "command: [x, attempt=1, exit=3, "
                                  "attempt=2, 'metric=loss:{lr}']\n",
                             &end),
                     0);
    assert_int_equal(count(b, STATE_DONE), 3);
    assert_int_equal(trial(b, 1).attempts, 2);
    assert_int_equal(trial(b, 1).failures, 1);
    assert_true(trial(b, 1).value == 3);
    struct attempt *list;
    size_t n;
    assert_int_equal(store_attempts(b->store, 1, b->arena, &list, &n, NULL), 0);
    assert_int_equal(n, 2);
    assert_int_equal(list[0].outcome, OUTCOME_FAILED);
    assert_int_equal(list[0].exit_code, 3);
    assert_int_equal(list[1].outcome, OUTCOME_DONE);
}

static void used_up_retries_make_it_failed(void **s)
{
    struct bed *b = *s;
    enum study_end end;
    b->setup.keep_going = true;
    assert_int_equal(bed_run(b,
                             GRID "retries: 1\nretry_delay: 0\n"
                                  "command: [x, exit=3]\n",
                             &end),
                     0);
    assert_int_equal(end, STUDY_COMPLETE);
    assert_int_equal(count(b, STATE_FAILED), 3);
    assert_int_equal(trial(b, 3).attempts, 2);
    assert_true(isnan(trial(b, 3).value));
    assert_true(trial(b, 3).reason.len > 0);
}

static void what_cannot_be_started_is_not_tried_again(void **s)
{
    struct bed *b = *s;
    enum study_end end;
    assert_int_equal(bed_run(b,
                             GRID "retries: 2\nretry_delay: 100\n"
                                  "command: [x, outcome=spawn]\n",
                             &end),
                     0);
    assert_int_equal(count(b, STATE_FAILED), 3);
    assert_int_equal(trial(b, 1).attempts, 1);
}

static void exit_78_is_invalid_and_never_tried_again(void **s)
{
    struct bed *b = *s;
    enum study_end end;
    assert_int_equal(
        bed_run(b, GRID "retries: 5\ncommand: [x, exit=78]\n", &end), 0);
    assert_int_equal(count(b, STATE_INVALID), 3);
    assert_int_equal(trial(b, 1).attempts, 1);
}

static void a_checkpointed_attempt_goes_on_without_using_a_retry(void **s)
{
    struct bed *b = *s;
    enum study_end end;
    assert_int_equal(bed_run(b,
                             GRID
                             "command: [x, attempt=1, checkpoint=7, exit=85, "
                             "attempt=2, checkpoint=8, exit=85, attempt=3, "
                             "'metric=loss:{lr}']\n",
                             &end),
                     0);
    assert_int_equal(count(b, STATE_DONE), 3);
    assert_int_equal(trial(b, 1).attempts, 3);
    assert_int_equal(trial(b, 1).failures, 0);
}

static void two_checkpoints_without_a_change_count_as_failed(void **s)
{
    struct bed *b = *s;
    enum study_end end;
    assert_int_equal(
        bed_run(b, GRID "command: [x, checkpoint=7, exit=85]\n", &end), 0);
    assert_int_equal(count(b, STATE_FAILED), 3);
    assert_int_equal(trial(b, 1).attempts, 2);
}

static void lost_attempts_use_no_retry_but_three_in_a_row_fail(void **s)
{
    struct bed *b = *s;
    enum study_end end;
    assert_int_equal(bed_run(b,
                             "method: grid\nparallel: 1\n"
                             "metric: {name: loss}\n"
                             "parameters: {lr: {values: [1]}}\n"
                             "command: [x, die]\n",
                             &end),
                     0);
    assert_int_equal(trial(b, 1).state, STATE_FAILED);
    assert_int_equal(trial(b, 1).attempts, 3);
    assert_int_equal(trial(b, 1).failures, 0);
}

static void when_the_first_trials_all_fail_the_study_ends_early(void **s)
{
    struct bed *b = *s;
    enum study_end end;
    assert_int_equal(bed_run(b,
                             "method: grid\nparameters: {n: {min: 1, max: "
                             "1000}}\ncommand: [x, exit=1]\n",
                             &end),
                     0);
    assert_int_equal(end, STUDY_ALL_FAILED);
    assert_in_range(count(b, STATE_FAILED), 3, 20);
}

/* Thirty begin together, of which twenty failures make one doubt. All fail but
 * the fourth, which runs on meanwhile. */
#define FOURTH(words)                                                          \
    "method: grid\ngrid: {order: written}\nparallel: 30\n"                     \
    "parameters: {n: {min: 1, max: 60}}\nmetric: {name: loss}\n"               \
    "command: [x, 'when={n}:4', " words ", when=any, sleep-ms=12, exit=1]\n"

static void interrupted_are(struct bed *b, size_t expected)
{
    size_t found = 0, count;
    struct attempt *list;
    for (int64_t id = 1; id <= store_last_trial(b->store); id++) {
        assert_int_equal(
            store_attempts(b->store, id, b->arena, &list, &count, NULL), 0);
        for (size_t i = 0; i < count; i++)
            found += list[i].outcome == OUTCOME_INTERRUPTED;
    }
    assert_int_equal(found, expected);
}

static void a_trial_that_reports_is_alive_though_all_others_fail(void **s)
{
    struct bed *b = *s;
    enum study_end end;
    assert_int_equal(
        bed_run(b, FOURTH("sleep-ms=5, 'metric=loss:1', sleep-ms=200, exit=1"),
                &end),
        0);
    assert_int_equal(end, STUDY_COMPLETE);
    assert_int_equal(count(b, STATE_FAILED), 60);
    interrupted_are(b, 0);
}

static void a_running_trial_decides_by_its_end_whether_more_start(void **s)
{
    struct bed *b = *s;
    enum study_end end;
    assert_int_equal(bed_run(b, FOURTH("sleep-ms=200, exit=0"), &end), 0);
    assert_int_equal(end, STUDY_COMPLETE);
    assert_int_equal(count(b, STATE_DONE), 1);
    assert_int_equal(count(b, STATE_FAILED), 59);
    interrupted_are(b, 0);
}

static void when_that_fails_too_no_more_are_started(void **s)
{
    struct bed *b = *s;
    enum study_end end;
    assert_int_equal(bed_run(b, FOURTH("sleep-ms=200, exit=1"), &end), 0);
    assert_int_equal(end, STUDY_ALL_FAILED);
    assert_int_equal(trial(b, 4).state, STATE_FAILED);
    assert_true(count(b, STATE_FAILED) < 60);
    interrupted_are(b, 0);
}

static void where_more_are_refused_fewer_run_at_once(void **s)
{
    struct bed *b = *s;
    enum study_end end;
    assert_int_equal(bed_run(b,
                             "method: grid\nparallel: 60\n"
                             "parameters: {n: {min: 1, max: 120}}\n"
                             "command: [x, most=13, sleep-ms=2000]\n",
                             &end),
                     0);
    assert_int_equal(end, STUDY_COMPLETE);
    assert_int_equal(count(b, STATE_DONE), 120);
}

/* A shortage may pass, so it is waited for: this takes half a minute. */
static void where_not_even_one_can_start_the_study_ends(void **s)
{
    struct bed *b = *s;
    enum study_end end;
    assert_int_equal(bed_run(b,
                             "method: grid\nparallel: 60\n"
                             "parameters: {n: {min: 1, max: 120}}\n"
                             "command: [x, most=0]\n",
                             &end),
                     -1);
    assert_non_null(strstr(b->err.text, "nothing can be started"));
    assert_non_null(strstr(b->err.text, "the fake machine is short"));
    assert_int_equal(count(b, STATE_FAILED), 0);
}

static void max_failures_ends_the_study(void **s)
{
    struct bed *b = *s;
    enum study_end end;
    b->setup.keep_going = true;
    assert_int_equal(bed_run(b,
                             "method: grid\nmax_failures: 5\n"
                             "parameters: {n: {min: 1, max: 1000}}\n"
                             "command: [x, sleep-ms=2000, exit=1]\n",
                             &end),
                     0);
    assert_int_equal(end, STUDY_FAILURES);
    assert_in_range(count(b, STATE_FAILED), 6, 8);
}

static void too_many_failures_end_the_next_run_at_once(void **s)
{
    struct bed *b = *s;
    enum study_end end;
    const char *text = "method: grid\nmax_failures: 1\n"
                       "parameters: {n: {min: 1, max: 1000}}\n"
                       "command: [x, sleep-ms=2000, exit=78]\n";
    assert_int_equal(bed_run(b, text, &end), 0);
    assert_int_equal(end, STUDY_FAILURES);
    int64_t bad = count(b, STATE_INVALID);
    assert_in_range(bad, 2, 4);
    assert_int_equal(bed_run(b, text, &end), 0);
    assert_int_equal(end, STUDY_FAILURES);
    assert_int_equal(count(b, STATE_INVALID), bad);
}

static void a_new_study_finds_no_files_of_an_old_one(void **s)
{
    struct bed *b = *s;
    enum study_end end;
    char *trials = path_join(b->arena, b->home, ".throng/s/trials/0/1");
    assert_int_equal(dir_make(trials, NULL), 0);
    assert_int_equal(bed_run(b, GRID "command: [x]\n", &end), -1);
    assert_non_null(strstr(b->err.text, "trials"));
}

static void of_equal_values_the_first_trial_is_best(void **s)
{
    struct bed *b = *s;
    enum study_end end;
    assert_int_equal(bed_run(b,
                             "method: grid\nmetric: {name: loss}\n"
                             "parameters: {n: {values: [300, 200, 100]}}\n"
                             "parallel: 3\n"
                             "command: [x, 'sleep-ms={n}', metric=loss:1]\n",
                             &end),
                     0);
    assert_int_equal(b->progress.best, 1);
    assert_int_equal(store_best(b->store, true), 1);
}

static void of_equal_first_values_the_one_that_none_dominates_is_best(void **s)
{
    struct bed *b = *s;
    enum study_end end;
    assert_int_equal(bed_run(b,
                             "method: grid\nparallel: 1\n"
                             "metrics: [{name: loss}, {name: size}]\n"
                             "grid: {order: written}\n"
                             "parameters: {n: {values: [300, 200, 250]}}\n"
                             "command: [x, metric=loss:1, 'metric=size:{n}']\n",
                             &end),
                     0);
    assert_int_equal(b->progress.best, 2);
    struct query q = {.selector = "best:1"};
    struct rows *rows = store_rows(b->store, &q, &b->err);
    struct trial t;
    assert_int_equal(rows_next(rows, &t, &b->err), 1);
    assert_int_equal(t.id, 2);
    rows_close(rows);
}

/* The third dominates the first, but not the second, which comes before it. */
static void the_best_is_the_first_of_rank_also_when_a_run_goes_on(void **s)
{
    struct bed *b = *s;
    enum study_end end;
    const char *text =
        "parallel: 1\n"
        "metrics: [{name: loss}, {name: a}, {name: b}]\n"
        "points: [{a: 5, b: 5}, {a: 4, b: 6}, {a: 4.5, b: 5}]\n"
        "command: [x, metric=loss:-0.1, 'metric=a:{a}', 'metric=b:{b}']\n";
    assert_int_equal(bed_run(b, text, &end), 0);
    assert_int_equal(b->progress.best, 2);
    assert_int_equal(store_best(b->store, true), 2);
    assert_int_equal(bed_run(b, text, &end), 0);
    assert_int_equal(b->progress.best, 2);
}

static void no_trial_starts_after_the_target(void **s)
{
    struct bed *b = *s;
    enum study_end end;
    const char *text = "method: grid\ngrid: {order: written}\nmetric: {name: "
                       "n, goal: maximize, "
                       "target: 10}\nparameters: {n: {min: 1, max: 1000}}\n"
                       "command: [x, sleep-ms=2000, 'metric=n:{n}']\n";
    assert_int_equal(bed_run(b, text, &end), 0);
    assert_int_equal(end, STUDY_TARGET);
    assert_in_range(count(b, STATE_DONE), 10, 12);
    int64_t done = count(b, STATE_DONE);
    assert_int_equal(bed_run(b, text, &end), 0);
    assert_int_equal(end, STUDY_TARGET);
    assert_int_equal(count(b, STATE_DONE), done);
}

static void a_run_of_count_trials_goes_on_later(void **s)
{
    struct bed *b = *s;
    enum study_end end;
    const char *text = GRID "command: [x, 'metric=loss:{lr}']\n";
    b->setup.count = 2;
    assert_int_equal(bed_run(b, text, &end), 0);
    assert_int_equal(end, STUDY_COUNT);
    assert_int_equal(count(b, STATE_DONE), 2);
    b->setup.count = 0;
    assert_int_equal(bed_run(b, text, &end), 0);
    assert_int_equal(end, STUDY_COMPLETE);
    assert_int_equal(count(b, STATE_DONE), 3);
    assert_int_equal(trial(b, 1).attempts, 1);
}

static void pick_best_takes_the_best_value_and_last_the_last(void **s)
{
    struct bed *b = *s;
    enum study_end end;
    assert_int_equal(bed_run(b,
                             "method: grid\nmetric: {name: loss, pick: best}\n"
                             "parameters: {lr: {values: [1]}}\n"
                             "command: [x, metric=loss:2, metric=loss:1, "
                             "metric=loss:3]\n",
                             &end),
                     0);
    assert_true(trial(b, 1).value == 1);
}

static void the_newest_attempts_value_at_a_step_wins(void **s)
{
    struct bed *b = *s;
    enum study_end end;
    assert_int_equal(
        bed_run(b,
                "method: grid\nmetric: {name: loss, pick: best}\n"
                "retries: 1\nretry_delay: 0\n"
                "parameters: {lr: {values: [1]}}\n"
                "command: [x, attempt=1, 'metric=loss:0.1@0', exit=1, "
                "attempt=2, 'metric=loss:5@0', 'metric=loss:4@1']\n",
                &end),
        0);
    assert_true(trial(b, 1).value == 4);
}

static void a_repeated_point_is_one_group_with_several_seeds(void **s)
{
    struct bed *b = *s;
    enum study_end end;
    assert_int_equal(
        bed_run(b, GRID "repeat: 2\ncommand: [x, 'metric=loss:{lr}']\n", &end),
        0);
    assert_int_equal(count(b, STATE_DONE), 6);
    assert_true(str_eq(trial(b, 1).point, trial(b, 2).point));
    assert_int_equal(trial(b, 1).group, trial(b, 2).group);
    assert_int_not_equal(trial(b, 2).group, trial(b, 3).group);
    assert_int_equal(trial(b, 2).member, 1);
}

static void another_question_under_the_same_name_is_refused(void **s)
{
    struct bed *b = *s;
    enum study_end end;
    assert_int_equal(
        bed_run(b, GRID "command: [x, 'metric=loss:{lr}']\n", &end), 0);
    assert_int_equal(bed_run(b,
                             "method: grid\n"
                             "metric: {name: loss, goal: minimize}\n"
                             "parameters: {lr: {values: [3, 1, 9]}}\n"
                             "command: [x, 'metric=loss:{lr}']\n",
                             &end),
                     -1);
    assert_int_equal(b->err.kind, ERR_INPUT);
    assert_non_null(strstr(b->err.text, "--new"));
    assert_int_equal(count(b, STATE_DONE), 3);
}

static void a_larger_run_cap_extends_a_finished_study(void **s)
{
    struct bed *b = *s;
    enum study_end end;
    const char *tail = "metric: {name: loss}\nparameters: {lr: {min: 0.0, "
                       "max: 1.0}}\ncommand: [x, 'metric=loss:{lr}']\n";
    char text[512];
    snprintf(text, sizeof(text), "method: random\nrun_cap: 4\n%s", tail);
    assert_int_equal(bed_run(b, text, &end), 0);
    assert_int_equal(count(b, STATE_DONE), 4);
    struct str first = trial(b, 1).point;
    snprintf(text, sizeof(text), "method: random\nrun_cap: 9\n%s", tail);
    assert_int_equal(bed_run(b, text, &end), 0);
    assert_int_equal(end, STUDY_COMPLETE);
    assert_int_equal(count(b, STATE_DONE), 9);
    assert_true(str_eq(first, trial(b, 1).point));
}

static void a_list_of_points_may_grow_at_its_end(void **s)
{
    struct bed *b = *s;
    enum study_end end;
    const char *tail = "]\nmetric: {name: loss}\n"
                       "command: [x, 'metric=loss:{lr}']\n";
    char text[512];
    snprintf(text, sizeof(text), "points: [{lr: 3}, {lr: 2}%s", tail);
    assert_int_equal(bed_run(b, text, &end), 0);
    assert_int_equal(count(b, STATE_DONE), 2);
    for (int more = 0; more < 2; more++) {
        snprintf(text, sizeof(text), "points: [{lr: 3}, {lr: 2}, {lr: 1}%s%s",
                 more ? ", {lr: 0}" : "", tail);
        assert_int_equal(bed_run(b, text, &end), 0);
        assert_int_equal(count(b, STATE_DONE), 3 + more);
    }
    snprintf(text, sizeof(text), "points: [{lr: 3}, {lr: 7}, {lr: 1}%s", tail);
    assert_int_equal(bed_run(b, text, &end), -1);
}

static void needs_that_can_never_be_met_are_refused_at_once(void **s)
{
    struct bed *b = *s;
    enum study_end end;
    assert_int_equal(
        bed_run(b, GRID "resources: {cpus: 64}\ncommand: [x]\n", &end), -1);
    assert_non_null(strstr(b->err.text, "64"));
}

static void needs_of_one_point_that_cannot_be_met_make_it_invalid(void **s)
{
    struct bed *b = *s;
    enum study_end end;
    assert_int_equal(bed_run(b,
                             "method: grid\nparameters: {n: {values: [1, "
                             "64]}}\nresources: {cpus: '${n}'}\n"
                             "command: [x]\n",
                             &end),
                     0);
    assert_int_equal(trial(b, 1).state, STATE_DONE);
    assert_int_equal(trial(b, 2).state, STATE_INVALID);
    assert_non_null(strstr(trial(b, 2).reason.p, "64"));
}

static void a_study_of_which_no_trial_can_run_ends_with_the_reason(void **s)
{
    struct bed *b = *s;
    enum study_end end;
    const char *text = "name: s\ncommand: [x, '{c}']\nmethod: random\n"
                       "parameters:\n  c: {values: [1000, 2000]}\n"
                       "resources: {cpus: '${c}'}\n";
    assert_int_equal(bed_run(b, text, &end), 0);
    assert_int_equal(end, STUDY_UNFIT);
    assert_int_equal(count(b, STATE_INVALID), 1000);
    assert_non_null(strstr(trial(b, 1000).reason.p, "cpus"));
    /* Each further run is as short. */
    assert_int_equal(bed_run(b, text, &end), 0);
    assert_int_equal(end, STUDY_UNFIT);
    assert_int_equal(count(b, STATE_INVALID), 2000);
}

static void trials_that_cannot_run_among_others_end_nothing(void **s)
{
    struct bed *b = *s;
    enum study_end end;
    const char *text =
        "name: s\ncommand: [x, '{c}']\nmethod: random\nrun_cap: 3000\n"
        "parameters:\n  c: {values: [1, 1000, 1001, 1002]}\n"
        "resources: {cpus: '${c}'}\n";
    assert_int_equal(bed_run(b, text, &end), 0);
    assert_int_equal(end, STUDY_COMPLETE);
    assert_int_equal(count(b, STATE_INVALID) + count(b, STATE_DONE), 3000);
}

static void trials_that_cannot_run_count_for_max_failures(void **s)
{
    struct bed *b = *s;
    enum study_end end;
    const char *text =
        "name: s\ncommand: [x, '{c}']\nmethod: random\nmax_failures: 5\n"
        "parameters:\n  c: {values: [1000, 2000]}\n"
        "resources: {cpus: '${c}'}\n";
    assert_int_equal(bed_run(b, text, &end), 0);
    assert_int_equal(end, STUDY_FAILURES);
    assert_int_equal(count(b, STATE_INVALID), 6);
}

static void patience_stops_a_trial_that_gets_no_better(void **s)
{
    struct bed *b = *s;
    enum study_end end;
    assert_int_equal(
        bed_run(b,
                "method: grid\nmetric: {name: loss}\n"
                "early_terminate: {type: patience, patience: 2}\n"
                "parameters: {lr: {values: [1]}}\n"
                "command: [x, metric=loss:3, metric=loss:2, metric=loss:5, "
                "metric=loss:5, metric=loss:5, sleep-ms=100000, "
                "metric=loss:0]\n",
                &end),
        0);
    assert_int_equal(trial(b, 1).state, STATE_STOPPED);
    assert_true(trial(b, 1).value == 5);
    assert_true(str_is(trial(b, 1).reason,
                       "by early_terminate patience at 4: nothing better than "
                       "2 in 2 reports"));
}

static void threshold_says_what_it_saw(void **s)
{
    struct bed *b = *s;
    enum study_end end;
    assert_int_equal(
        bed_run(b,
                "method: grid\nmetric: {name: loss}\n"
                "early_terminate: {type: threshold, threshold: 3, from: 2}\n"
                "parameters: {lr: {values: [1]}}\n"
                "command: [x, metric=loss:9, metric=loss:4, sleep-ms=100000]\n",
                &end),
        0);
    assert_true(str_is(trial(b, 1).reason,
                       "by early_terminate threshold at 2: 4, threshold 3"));
}

static void a_waiting_trial_can_be_killed_while_nothing_runs(void **s)
{
    struct bed *b = *s;
    enum study_end end;
    const char *text = GRID "command: [x, 'metric=loss:{lr}']\n";
    b->setup.count = 1;
    assert_int_equal(bed_run(b, text, &end), 0);
    store_close(b->store);
    struct store *w = store_open(b->setup.folder, true, &b->err);
    assert_non_null(w);
    struct trial t = {.id = 2, .point = STR("{\"lr\":1}"), .parent = -1};
    t.value = NAN;
    int64_t changed = 0;
    assert_int_equal(store_lease_take(w, false, &b->err), 0);
    assert_int_equal(store_begin(w, &b->err), 0);
    assert_int_equal(store_trial_add(w, &t, &b->err), 0);
    assert_int_equal(store_commit(w, &b->err), 0);
    assert_int_equal(study_apply(w, "kill", "2", NULL, &changed, &b->err), 0);
    assert_int_equal(changed, 1);
    store_close(w);
    b->store = NULL;
    b->setup.count = 0;
    assert_int_equal(bed_run(b, text, &end), 0);
    assert_int_equal(trial(b, 2).state, STATE_KILLED);
    assert_int_equal(count(b, STATE_DONE), 2);
}

/* What an earlier run left of trial 2. */
static void put_attempts(struct bed *b, enum state state,
                         const enum outcome *outcomes, uint32_t count)
{
    struct trial t = {
        .id = 2, .point = STR("{\"lr\":1}"), .parent = -1, .value = NAN};
    store_close(b->store);
    b->store = NULL;
    struct store *w = store_open(b->setup.folder, true, &b->err);
    assert_int_equal(store_lease_take(w, false, &b->err), 0);
    assert_int_equal(store_begin(w, &b->err), 0);
    assert_int_equal(store_trial_add(w, &t, &b->err), 0);
    t.attempts = count;
    t.state = state;
    assert_int_equal(store_trial_update(w, &t, &b->err), 0);
    for (uint32_t i = 0; i < count; i++) {
        struct attempt a = {
            .trial = 2, .number = i + 1, .outcome = outcomes[i]};
        assert_int_equal(store_attempt_put(w, &a, &b->err), 0);
    }
    assert_int_equal(store_commit(w, &b->err), 0);
    store_close(w);
}

static void an_attempt_left_open_ends_as_interrupted_and_runs_again(void **s)
{
    struct bed *b = *s;
    enum study_end end;
    const char *text = GRID "command: [x, 'metric=loss:{lr}']\n";
    b->setup.count = 1;
    assert_int_equal(bed_run(b, text, &end), 0);
    put_attempts(b, STATE_RUNNING, (enum outcome[]){OUTCOME_NONE}, 1);
    b->setup.count = 0;
    assert_int_equal(bed_run(b, text, &end), 0);
    assert_int_equal(count(b, STATE_DONE), 3);
    struct attempt *list;
    size_t n;
    assert_int_equal(store_attempts(b->store, 2, b->arena, &list, &n, NULL), 0);
    assert_int_equal(n, 2);
    assert_int_equal(list[0].outcome, OUTCOME_INTERRUPTED);
    assert_int_equal(list[1].outcome, OUTCOME_DONE);
    assert_true(trial(b, 2).value == 1);
}

/* A worker's last words about the open attempt of trial 2. */
static const char *put_last_words(struct bed *b, const struct record_ended *e,
                                  size_t cut)
{
    struct buf ended, file;
    char *folder = path_join(b->arena, b->setup.folder, "last-words");
    char *path = path_join(b->arena, folder, "1-1-1.rec");
    buf_init(&ended);
    buf_init(&file);
    record_ended_print(&ended, e);
    struct record r = {.type = RECORD_ENDED,
                       .attempt = 1,
                       .task = 2,
                       .payload = str_n(ended.p, ended.len - cut)};
    record_print(&file, &r);
    assert_int_equal(dir_make(folder, &b->err), 0);
    assert_int_equal(file_write(path, buf_str(&file), false, &b->err), 0);
    buf_done(&ended);
    buf_done(&file);
    return path;
}

static void last_words_that_cannot_be_taken_in_stay(void **s)
{
    struct bed *b = *s;
    enum study_end end;
    struct record_ended e = {.outcome = OUTCOME_DONE};
    const char *text = GRID "command: [x, 'metric=loss:{lr}']\n";
    b->setup.count = 1;
    assert_int_equal(bed_run(b, text, &end), 0);
    put_attempts(b, STATE_RUNNING, (enum outcome[]){OUTCOME_NONE}, 1);
    b->setup.count = 0;
    const char *path = put_last_words(b, &e, 3);
    assert_int_equal(bed_run(b, text, &end), -1);
    assert_non_null(strstr(b->err.text, "the file stays"));
    assert_non_null(strstr(b->err.text, "trial 2"));
    assert_true(file_exists(path));
    assert_int_equal(unlink(path), 0);
    assert_int_equal(bed_run(b, text, &end), 0);
    assert_int_equal(count(b, STATE_DONE), 3);
}

static void refusals_of_an_earlier_run_are_no_news(void **s)
{
    struct bed *b = *s;
    enum study_end end;
    struct record_ended e = {.outcome = OUTCOME_UNSTARTED,
                             .exit_code = -1,
                             .reason = STR("too many open files")};
    const char *text = GRID "command: [x, 'metric=loss:{lr}']\n";
    b->setup.count = 1;
    assert_int_equal(bed_run(b, text, &end), 0);
    put_attempts(b, STATE_RUNNING, (enum outcome[]){OUTCOME_NONE}, 1);
    b->setup.count = 0;
    const char *path = put_last_words(b, &e, 0);
    assert_int_equal(bed_run(b, text, &end), 0);
    assert_false(file_exists(path));
    assert_int_equal(count(b, STATE_DONE), 3);
}

static void interruptions_do_not_make_losses_forgotten(void **s)
{
    static const enum outcome before[] = {OUTCOME_LOST, OUTCOME_INTERRUPTED,
                                          OUTCOME_LOST, OUTCOME_INTERRUPTED};
    struct bed *b = *s;
    enum study_end end;
    const char *text = GRID "command: [x, attempt=5, die, attempt=any, "
                            "'metric=loss:{lr}']\n";
    b->machine.cpus = 1; /* nobody else is to blame */
    b->setup.count = 1;
    assert_int_equal(bed_run(b, text, &end), 0);
    put_attempts(b, STATE_WAITING, before, 4);
    b->setup.count = 0;
    assert_int_equal(bed_run(b, text, &end), 0);
    assert_int_equal(trial(b, 2).state, STATE_FAILED);
    assert_int_equal(trial(b, 2).attempts, 5);
    assert_int_equal(count(b, STATE_DONE), 2);
}

/* ---- trials that people add, and try again ---------------------------- */

/* Applies a request while nothing runs. */
static int64_t ask(struct bed *b, const char *verb, const char *selector,
                   const char *args)
{
    store_close(b->store);
    b->store = NULL;
    struct store *w = store_open(b->setup.folder, true, &b->err);
    assert_non_null(w);
    int64_t changed = 0;
    const struct value *v =
        args ? json_parse(b->arena, str_of(args), "args", true, NULL) : NULL;
    assert_int_equal(store_lease_take(w, false, &b->err), 0);
    if (study_apply(w, verb, selector, v, &changed, &b->err))
        fail_msg("%s", b->err.text);
    store_close(w);
    return changed;
}

static void added_points_change_no_suggestion(void **s)
{
    struct bed *b = *s;
    enum study_end end;
    const char *text = GRID "command: [x, 'metric=loss:{lr}']\n";
    b->setup.count = 1;
    assert_int_equal(bed_run(b, text, &end), 0);
    assert_int_equal(
        ask(b, "add", "",
            "{\"outside\":true,\"points\":[{\"lr\":7},{\"lr\":8}]}"),
        2);
    assert_int_equal(bed_run(b, text, &end), 0);
    b->setup.count = 0;
    assert_int_equal(
        ask(b, "add", "", "{\"outside\":true,\"points\":[{\"lr\":9}]}"), 1);
    assert_int_equal(bed_run(b, text, &end), 0);
    assert_int_equal(end, STUDY_COMPLETE);
    static const char *const points[] = {"{\"lr\":3}", "{\"lr\":7}",
                                         "{\"lr\":8}", "{\"lr\":1}",
                                         "{\"lr\":9}", "{\"lr\":2}"};
    for (int64_t i = 1; i <= 6; i++) {
        assert_true(str_is(trial(b, i).point, points[i - 1]));
        assert_int_equal(trial(b, i).state, STATE_DONE);
    }
    assert_int_equal(store_last_trial(b->store), 6);
    struct str added, total;
    assert_int_equal(store_fact(b->store, "added", b->arena, &added, NULL), 0);
    assert_int_equal(store_fact(b->store, "total", b->arena, &total, NULL), 0);
    assert_true(str_is(added, "2-3,5"));
    assert_true(str_is(total, "6"));
}

static void a_point_that_runs_again_is_a_new_trial_of_its_group(void **s)
{
    struct bed *b = *s;
    enum study_end end;
    const char *text = GRID "command: [x, 'metric=loss:{lr}']\n";
    assert_int_equal(bed_run(b, text, &end), 0);
    assert_int_equal(ask(b, "rerun", "2", "{\"times\":2}"), 2);
    assert_int_equal(bed_run(b, text, &end), 0);
    assert_int_equal(store_last_trial(b->store), 5);
    assert_true(str_is(trial(b, 4).point, "{\"lr\":1}"));
    assert_int_equal(trial(b, 4).group, trial(b, 2).group);
    assert_int_equal(trial(b, 5).group, trial(b, 2).group);
    assert_int_equal(trial(b, 5).state, STATE_DONE);
}

static void added_points_run_even_when_the_target_is_reached(void **s)
{
    struct bed *b = *s;
    enum study_end end;
    const char *text = "method: grid\nparallel: 1\n"
                       "metric: {name: loss, goal: minimize, target: 1}\n"
                       "parameters: {lr: {values: [3, 1, 2]}}\n"
                       "command: [x, 'metric=loss:{lr}']\n";
    assert_int_equal(bed_run(b, text, &end), 0);
    assert_int_equal(end, STUDY_TARGET);
    int64_t last = store_last_trial(b->store);
    assert_int_equal(
        ask(b, "add", "", "{\"outside\":true,\"points\":[{\"lr\":0.5}]}"), 1);
    assert_int_equal(bed_run(b, text, &end), 0);
    assert_int_equal(trial(b, last + 1).state, STATE_DONE);
    assert_int_equal(store_best(b->store, true), last + 1);
    assert_int_equal(store_last_trial(b->store), last + 1);
}

static void a_failed_trial_waits_again_with_all_its_retries(void **s)
{
    struct bed *b = *s;
    enum study_end end;
    const char *text = GRID "retries: 1\nretry_delay: 0\n"
                            "command: [x, attempt=1, exit=3, attempt=2, "
                            "exit=4, attempt=3, exit=5, attempt=any, "
                            "'metric=loss:{lr}']\n";
    b->setup.keep_going = true;
    assert_int_equal(bed_run(b, text, &end), 0);
    assert_int_equal(count(b, STATE_FAILED), 3);
    assert_int_equal(ask(b, "retry", "1-2", NULL), 2);
    assert_int_equal(bed_run(b, text, &end), 0);
    assert_int_equal(count(b, STATE_FAILED), 1);
    assert_int_equal(trial(b, 1).state, STATE_DONE);
    assert_int_equal(trial(b, 1).attempts, 4);
    assert_int_equal(trial(b, 1).reason.len, 0);
    assert_int_equal(trial(b, 3).state, STATE_FAILED);
    assert_int_equal(ask(b, "retry", "1", NULL), 0);
}

static void a_trial_that_was_lost_too_often_may_be_lost_again(void **s)
{
    struct bed *b = *s;
    enum study_end end;
    const char *text =
        "method: grid\nparameters: {lr: {values: [1]}}\n"
        "command: [x, attempt=1, die, attempt=2, die, attempt=3, die, "
        "attempt=4, die, attempt=any]\n";
    b->setup.keep_going = true;
    assert_int_equal(bed_run(b, text, &end), 0);
    assert_int_equal(trial(b, 1).state, STATE_FAILED);
    assert_int_equal(ask(b, "retry", "1", NULL), 1);
    assert_int_equal(bed_run(b, text, &end), 0);
    assert_int_equal(trial(b, 1).state, STATE_DONE);
    assert_int_equal(trial(b, 1).attempts, 5);
}

/* ---- a disk that fails ------------------------------------------------- */

/* Stands in the place of SQLite's pwrite: what holds the marked text cannot be
 * written for some times. */
static const char *failing_text;
static int failing_errno, failures_left;

static ssize_t failing_pwrite(int fd, const void *p, size_t len, off_t at)
{
    size_t n = failing_text ? strlen(failing_text) : 0;
    if (n && failures_left && memmem(p, len, failing_text, n)) {
        failures_left--;
        errno = failing_errno;
        return -1;
    }
    return pwrite(fd, p, len, at);
}

static void remember(void *context, enum log_level level, const char *text)
{
    (void)level;
    buf_addf(context, "%s\n", text);
}

/* SQLite calls it by one of two names. */
static void set_pwrite(sqlite3_vfs *vfs, sqlite3_syscall_ptr call)
{
    vfs->xSetSystemCall(vfs, "pwrite", call);
    vfs->xSetSystemCall(vfs, "pwrite64", call);
}

/* Runs a study whose second point cannot be written twice; what was said. */
static void run_on_failing_disk(struct bed *b, int number, struct buf *said)
{
    enum study_end end;
    struct log log = {.write = remember, .context = said};
    sqlite3_vfs *vfs = sqlite3_vfs_find(NULL);
    failing_text = "{\"lr\":1}";
    failing_errno = number;
    failures_left = 2;
    b->setup.log = &log;
    set_pwrite(vfs, (sqlite3_syscall_ptr)failing_pwrite);
    int rc = bed_run(b, GRID "command: [x, 'metric=loss:{lr}']\n", &end);
    set_pwrite(vfs, NULL);
    b->setup.log = NULL;
    if (rc)
        fail_msg("%s", b->err.text);
    assert_int_equal(failures_left, 0);
    assert_int_equal(count(b, STATE_DONE), 3);
}

static void only_a_full_disk_is_waited_for_to_have_room(void **s)
{
    static const struct {
        int number;
        const char *said;
    } cases[] = {
        {ENOSPC, "the disk is full; waiting up to 30 s for room"},
        {EDQUOT, "the disk is full; waiting up to 30 s for room"},
        {EIO, "Input/output error; trying again"},
        {EROFS, "Read-only file system; trying again"},
    };
    struct bed *b = *s;
    for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
        struct buf said;
        buf_init(&said);
        run_on_failing_disk(b, cases[i].number, &said);
        if (!strstr(said.p, cases[i].said))
            fail_msg("%s: %s", strerror(cases[i].number), said.p);
        buf_done(&said);
        store_close(b->store);
        b->store = NULL;
        assert_int_equal(dir_remove(b->setup.folder, &b->err), 0);
    }
}

#define on_bed(test) cmocka_unit_test_setup_teardown(test, bed_open, bed_close)

int main(void)
{
    const struct CMUnitTest tests[] = {
        on_bed(only_a_full_disk_is_waited_for_to_have_room),
        on_bed(every_point_of_a_grid_is_done_once_and_the_best_known),
        on_bed(a_failed_attempt_is_tried_again),
        on_bed(used_up_retries_make_it_failed),
        on_bed(what_cannot_be_started_is_not_tried_again),
        on_bed(exit_78_is_invalid_and_never_tried_again),
        on_bed(a_checkpointed_attempt_goes_on_without_using_a_retry),
        on_bed(two_checkpoints_without_a_change_count_as_failed),
        on_bed(lost_attempts_use_no_retry_but_three_in_a_row_fail),
        on_bed(when_the_first_trials_all_fail_the_study_ends_early),
        on_bed(a_trial_that_reports_is_alive_though_all_others_fail),
        on_bed(a_running_trial_decides_by_its_end_whether_more_start),
        on_bed(when_that_fails_too_no_more_are_started),
        on_bed(where_more_are_refused_fewer_run_at_once),
        on_bed(where_not_even_one_can_start_the_study_ends),
        on_bed(max_failures_ends_the_study),
        on_bed(too_many_failures_end_the_next_run_at_once),
        on_bed(a_new_study_finds_no_files_of_an_old_one),
        on_bed(of_equal_values_the_first_trial_is_best),
        on_bed(of_equal_first_values_the_one_that_none_dominates_is_best),
        on_bed(the_best_is_the_first_of_rank_also_when_a_run_goes_on),
        on_bed(no_trial_starts_after_the_target),
        on_bed(a_run_of_count_trials_goes_on_later),
        on_bed(pick_best_takes_the_best_value_and_last_the_last),
        on_bed(the_newest_attempts_value_at_a_step_wins),
        on_bed(a_repeated_point_is_one_group_with_several_seeds),
        on_bed(another_question_under_the_same_name_is_refused),
        on_bed(a_larger_run_cap_extends_a_finished_study),
        on_bed(a_list_of_points_may_grow_at_its_end),
        on_bed(needs_that_can_never_be_met_are_refused_at_once),
        on_bed(needs_of_one_point_that_cannot_be_met_make_it_invalid),
        on_bed(a_study_of_which_no_trial_can_run_ends_with_the_reason),
        on_bed(trials_that_cannot_run_among_others_end_nothing),
        on_bed(trials_that_cannot_run_count_for_max_failures),
        on_bed(patience_stops_a_trial_that_gets_no_better),
        on_bed(threshold_says_what_it_saw),
        on_bed(a_waiting_trial_can_be_killed_while_nothing_runs),
        on_bed(an_attempt_left_open_ends_as_interrupted_and_runs_again),
        on_bed(last_words_that_cannot_be_taken_in_stay),
        on_bed(refusals_of_an_earlier_run_are_no_news),
        on_bed(interruptions_do_not_make_losses_forgotten),
        on_bed(added_points_change_no_suggestion),
        on_bed(a_point_that_runs_again_is_a_new_trial_of_its_group),
        on_bed(added_points_run_even_when_the_target_is_reached),
        on_bed(a_failed_trial_waits_again_with_all_its_retries),
        on_bed(a_trial_that_was_lost_too_often_may_be_lost_again),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
