/* test_metrics.c - points in, series out */
#include "made_store.h"
#include <sqlite3.h>
#include "base/rng.h"

static struct series series_of(struct made *m, struct store *s, int64_t trial,
                               const char *name)
{
    struct series out;
    assert_ok(m, store_series(s, trial, name, m->a, &out, &m->err));
    return out;
}

static void add_run(struct made *m, int64_t trial, uint32_t attempt,
                    enum metric_source source, int64_t first, size_t count,
                    double value)
{
    int64_t *steps = calloc(count, sizeof *steps);
    double *values = calloc(count, sizeof *values);
    for (size_t i = 0; i < count; i++) {
        steps[i] = first + (int64_t)i;
        values[i] = value + (double)i;
    }
    assert_ok(m, made_points(m, trial, attempt, "loss", source, steps, values,
                             count));
    free(steps);
    free(values);
}

static void assert_run(struct series s, int64_t first, size_t count,
                       double value)
{
    assert_int_equal(s.count, count);
    for (size_t i = 0; i < count; i++) {
        assert_int_equal(s.steps[i], first + (int64_t)i);
        assert_true(s.values[i] == value + (double)i);
    }
}

static int64_t ask_file(struct made *m, const char *sql)
{
    char path[256];
    sqlite3 *db;
    sqlite3_stmt *st;
    snprintf(path, sizeof path, "%s/study.db", m->folder);
    assert_int_equal(sqlite3_open(path, &db), SQLITE_OK);
    assert_int_equal(sqlite3_prepare_v2(db, sql, -1, &st, NULL), SQLITE_OK);
    assert_int_equal(sqlite3_step(st), SQLITE_ROW);
    int64_t v = sqlite3_column_int64(st, 0);
    sqlite3_finalize(st);
    sqlite3_close(db);
    return v;
}

static void points_are_read_back_before_and_after_the_commit(void **state)
{
    struct made *m = *state;
    made_trial(m, 1, "{}", STATE_RUNNING, NAN);
    add_run(m, 1, 1, METRIC_FROM_METRICS, 0, 10, 0.5);
    assert_run(series_of(m, m->s, 1, "loss"), 0, 10, 0.5);
    made_commit(m);
    struct store *reader = store_open(m->folder, false, &m->err);
    assert_run(series_of(m, reader, 1, "loss"), 0, 10, 0.5);
    assert_int_equal(series_of(m, reader, 1, "other").count, 0);
    assert_int_equal(series_of(m, reader, 2, "loss").count, 0);
    store_close(reader);
}

static void one_attempt_can_be_read_alone(void **state)
{
    struct made *m = *state;
    struct series s;
    made_trial(m, 1, "{}", STATE_RUNNING, NAN);
    add_run(m, 1, 1, METRIC_FROM_METRICS, 0, 10, 0.5);
    add_run(m, 1, 2, METRIC_FROM_METRICS, 0, 3, 7);
    assert_ok(m, store_attempt_series(m->s, 1, 2, "loss", m->a, &s, &m->err));
    assert_run(s, 0, 3, 7);
    assert_ok(m, store_attempt_series(m->s, 1, 1, "loss", m->a, &s, &m->err));
    assert_run(s, 0, 10, 0.5);
    assert_ok(m, store_attempt_series(m->s, 1, 3, "loss", m->a, &s, &m->err));
    assert_int_equal(s.count, 0);
    assert_int_equal(series_of(m, m->s, 1, "loss").count, 3);
}

/* Of one metric, each point at its time; the last two came when nobody knows.
 */
static void add_timed(struct made *m, int64_t trial)
{
    static const int64_t steps[] = {0, 1, 2, 3};
    static const double values[] = {4, 3, 2, 1};
    static const double walls[] = {1700000000.25, 1700000001.5, 0};
    static const size_t from[] = {0, 1, 2, 4};
    for (size_t i = 0; i < 3; i++) {
        struct metric_column c = {
            .source = METRIC_FROM_METRICS,
            .count = from[i + 1] - from[i],
            .steps = (const unsigned char *)(steps + from[i]),
            .values = (const unsigned char *)(values + from[i]),
            .wall = walls[i]};
        assert_ok(m,
                  store_metrics_add(m->s, trial, 1, STR("loss"), &c, &m->err));
        made_commit(m);
    }
}

static void points_keep_the_time_at_which_they_came(void **state)
{
    struct made *m = *state;
    made_trial(m, 1, "{}", STATE_RUNNING, NAN);
    add_timed(m, 1);
    made_again(m);
    struct series s = series_of(m, m->s, 1, "loss");
    assert_int_equal(s.count, 4);
    assert_int_equal(s.times_ms[0], 1700000000250);
    assert_int_equal(s.times_ms[1], 1700000001500);
    assert_int_equal(s.times_ms[2], 0);
    assert_int_equal(s.times_ms[3], 0);
}

static void every_commit_holds_all_points_given_before_it(void **state)
{
    struct made *m = *state;
    struct store *reader = store_open(m->folder, false, &m->err);
    struct rng r;
    rng_init(&r, 1, 1, "metrics");
    size_t total = 0;
    for (int i = 0; i < 300; i++) {
        size_t count = 1 + rng_below(&r, 60);
        add_run(m, 1, 1, METRIC_FROM_METRICS, (int64_t)total, count,
                (double)total);
        total += count;
        made_commit(m);
        arena_reset(m->a);
        assert_run(series_of(m, reader, 1, "loss"), 0, total, 0);
    }
    assert_true(total > 8192);
    store_close(reader);
    /* Not a row per commit: two full chunks and few parts. */
    assert_true(ask_file(m, "SELECT count(*) FROM metrics") < 14);
}

/* A script that prints ever fewer lines between two commits. */
static void batches_that_shrink_stay_few_rows(void **state)
{
    struct made *m = *state;
    int64_t at = 0;
    made_trial(m, 1, "{}", STATE_RUNNING, NAN);
    for (size_t batch = 40; batch > 0; batch--) {
        add_run(m, 1, 1, METRIC_FROM_METRICS, at, batch, 0.5 + (double)at);
        at += (int64_t)batch;
        made_commit(m);
        assert_run(series_of(m, m->s, 1, "loss"), 0, (size_t)at, 0.5);
        assert_true(ask_file(m, "SELECT count(*) FROM metrics") <= 13);
    }
}

/* Whatever the sizes are: here all that can be had of 1 to 64 points. */
static void batches_of_any_size_stay_few_rows(void **state)
{
    struct made *m = *state;
    struct rng r;
    int64_t at = 0;
    rng_init(&r, 1, 1, "batches");
    made_trial(m, 1, "{}", STATE_RUNNING, NAN);
    for (int i = 0; i < 100; i++) {
        size_t batch = 1 + (size_t)(rng_u32(&r) >> (26 + i % 6));
        add_run(m, 1, 1, METRIC_FROM_METRICS, at, batch, 0.5 + (double)at);
        at += (int64_t)batch;
        made_commit(m);
        assert_true(ask_file(m, "SELECT count(*) FROM metrics") <= 16);
    }
    assert_run(series_of(m, m->s, 1, "loss"), 0, (size_t)at, 0.5);
}

static void the_end_of_a_trial_leaves_one_row_a_chunk(void **state)
{
    struct made *m = *state;
    made_trial(m, 1, "{}", STATE_RUNNING, NAN);
    for (int i = 0; i < 11; i++) {
        add_run(m, 1, 1, METRIC_FROM_METRICS, i * 3, 3, i * 3);
        made_commit(m);
    }
    assert_true(ask_file(m, "SELECT count(*) FROM metrics") > 1);
    struct trial t = {.id = 1, .state = STATE_DONE, .value = 1};
    assert_ok(m, store_trial_update(m->s, &t, &m->err));
    made_commit(m);
    assert_int_equal(ask_file(m, "SELECT count(*) FROM metrics"), 1);
    assert_run(series_of(m, m->s, 1, "loss"), 0, 33, 0);
    /* A late point goes behind what is there. */
    add_run(m, 1, 1, METRIC_FROM_METRICS, 33, 1, 33);
    made_commit(m);
    assert_run(series_of(m, m->s, 1, "loss"), 0, 34, 0);
}

static void points_go_on_after_a_restart(void **state)
{
    struct made *m = *state;
    made_trial(m, 1, "{}", STATE_RUNNING, NAN);
    add_run(m, 1, 1, METRIC_FROM_METRICS, 0, 5000, 0);
    made_commit(m);
    made_again(m);
    add_run(m, 1, 1, METRIC_FROM_METRICS, 5000, 5000, 5000);
    made_commit(m);
    assert_run(series_of(m, m->s, 1, "loss"), 0, 10000, 0);
}

static void more_series_than_memory_allows_lose_nothing(void **state)
{
    struct made *m = *state;
    enum { TRIALS = 700, EACH = 2000 };
    for (int round = 0; round < 2; round++)
        for (int i = 1; i <= TRIALS; i++) {
            if (round == 0)
                made_trial(m, i, "{}", STATE_RUNNING, NAN);
            add_run(m, i, 1, METRIC_FROM_METRICS, round * EACH, EACH,
                    round * EACH);
            if (i % 100 == 0)
                made_commit(m);
        }
    for (int i = 1; i <= TRIALS; i += 99) {
        arena_reset(m->a);
        assert_run(series_of(m, m->s, i, "loss"), 0, 2 * EACH, 0);
    }
}

static void nan_infinity_and_steps_out_of_order_are_kept(void **state)
{
    struct made *m = *state;
    const int64_t steps[] = {5, 1, 3, 1};
    const double values[] = {NAN, 1, INFINITY, -INFINITY};
    assert_ok(m, made_points(m, 1, 1, "odd name/x", METRIC_FROM_METRICS, steps,
                             values, 4));
    made_commit(m);
    struct series s = series_of(m, m->s, 1, "odd name/x");
    assert_int_equal(s.count, 3);
    assert_int_equal(s.steps[0], 1);
    assert_true(s.values[0] == -INFINITY);
    assert_int_equal(s.steps[1], 3);
    assert_true(s.values[1] == INFINITY);
    assert_int_equal(s.steps[2], 5);
    assert_true(isnan(s.values[2]));
}

static void the_newest_attempt_wins_at_each_step(void **state)
{
    struct made *m = *state;
    add_run(m, 1, 2, METRIC_FROM_METRICS, 5, 5, 205);
    add_run(m, 1, 1, METRIC_FROM_METRICS, 0, 8, 100);
    made_commit(m);
    struct series s = series_of(m, m->s, 1, "loss");
    assert_int_equal(s.count, 10);
    for (int i = 0; i < 10; i++)
        assert_true(s.values[i] == (i < 5 ? 100 + i : 200 + i));
}

/* It went on from an older checkpoint and ended before the other one had. */
static void nothing_stands_behind_the_last_step_of_the_newest(void **state)
{
    struct made *m = *state;
    add_run(m, 1, 1, METRIC_FROM_METRICS, 1, 8, 101);
    add_run(m, 1, 2, METRIC_FROM_METRICS, 6, 2, 206);
    made_commit(m);
    struct series s = series_of(m, m->s, 1, "loss");
    assert_int_equal(s.count, 7);
    for (int i = 0; i < 7; i++)
        assert_true(s.values[i] == (i < 5 ? 101 + i : 201 + i));
}

static void begin_anew(struct made *m, uint32_t attempt, uint32_t anew,
                       int64_t first_step)
{
    struct attempt a = {
        .trial = 1, .number = attempt, .anew = anew, .first_step = first_step};
    assert_ok(m, store_attempt_put(m->s, &a, &m->err));
}

static void what_was_said_before_one_began_anew_does_not_count(void **state)
{
    struct made *m = *state;
    struct series s;
    static const int64_t steps[] = {3};
    static const double values[] = {0.25};
    made_trial(m, 1, "{}", STATE_RUNNING, NAN);
    add_run(m, 1, 1, METRIC_FROM_METRICS, 0, 9, 100);
    assert_ok(m, made_points(m, 1, 1, "other", METRIC_FROM_METRICS, steps,
                             values, 1));
    begin_anew(m, 2, 2, INT64_MAX);
    assert_run(series_of(m, m->s, 1, "loss"), 0, 9, 100);
    begin_anew(m, 2, 2, 0);
    add_run(m, 1, 2, METRIC_FROM_METRICS, 0, 2, 200);
    assert_run(series_of(m, m->s, 1, "loss"), 0, 2, 200);
    assert_int_equal(series_of(m, m->s, 1, "other").count, 0);
    /* The next one goes on. */
    begin_anew(m, 3, 2, 0);
    add_run(m, 1, 3, METRIC_FROM_METRICS, 2, 3, 202);
    made_commit(m);
    assert_run(series_of(m, m->s, 1, "loss"), 0, 5, 200);
    assert_ok(m, store_attempt_series(m->s, 1, 1, "loss", m->a, &s, &m->err));
    assert_run(s, 0, 9, 100);
}

/* A program that has a checkpoint of its own shows it by its steps. */
static void steps_before_its_first_one_stand(void **state)
{
    struct made *m = *state;
    made_trial(m, 1, "{}", STATE_RUNNING, NAN);
    add_run(m, 1, 1, METRIC_FROM_METRICS, 1, 8, 1);
    add_run(m, 1, 2, METRIC_FROM_METRICS, 7, 3, 7);
    begin_anew(m, 2, 2, 7);
    assert_run(series_of(m, m->s, 1, "loss"), 1, 9, 1);
    add_run(m, 1, 3, METRIC_FROM_METRICS, 2, 1, 2);
    begin_anew(m, 3, 3, 2);
    assert_run(series_of(m, m->s, 1, "loss"), 1, 2, 1);
}

static void the_best_source_of_an_attempt_wins(void **state)
{
    struct made *m = *state;
    add_run(m, 1, 1, METRIC_FROM_METRICS, 0, 3, 30);
    add_run(m, 1, 1, METRIC_FROM_PATTERN, 0, 9, 10);
    add_run(m, 1, 1, METRIC_FROM_OUTPUT, 0, 6, 20);
    /* Another attempt has no metrics file: its own best counts. */
    add_run(m, 1, 2, METRIC_FROM_FILE_NUMBER, 2, 9, 1000);
    add_run(m, 1, 2, METRIC_FROM_OUTPUT, 2, 2, 2000);
    made_commit(m);
    struct series s = series_of(m, m->s, 1, "loss");
    assert_int_equal(s.count, 4);
    const double expected[] = {30, 31, 2000, 2001};
    for (int i = 0; i < 4; i++)
        assert_true(s.values[i] == expected[i]);
}

static void points_rolled_back_are_gone(void **state)
{
    struct made *m = *state;
    made_trial(m, 1, "{}", STATE_RUNNING, NAN);
    add_run(m, 1, 1, METRIC_FROM_METRICS, 0, 5, 0);
    made_commit(m);
    add_run(m, 1, 1, METRIC_FROM_METRICS, 5, 5000, 5);
    store_rollback(m->s);
    assert_run(series_of(m, m->s, 1, "loss"), 0, 5, 0);
    add_run(m, 1, 1, METRIC_FROM_METRICS, 5, 3, 5);
    made_commit(m);
    assert_run(series_of(m, m->s, 1, "loss"), 0, 8, 0);
}

static void names_are_those_of_a_trial_or_of_the_study(void **state)
{
    struct made *m = *state;
    const int64_t step = 0;
    const double value = 1;
    const char *const names[] = {"b", "a", "c"};
    for (int i = 0; i < 3; i++)
        assert_ok(m, made_points(m, 1 + i / 2, 1, names[i], METRIC_FROM_METRICS,
                                 &step, &value, 1));
    const char **of_study = store_metric_names(m->s, 0, m->a, &m->err);
    const char **of_trial = store_metric_names(m->s, 1, m->a, &m->err);
    const char **of_none = store_metric_names(m->s, 9, m->a, &m->err);
    assert_string_equal(of_study[0], "b");
    assert_string_equal(of_study[2], "c");
    assert_null(of_study[3]);
    assert_string_equal(of_trial[1], "a");
    assert_null(of_trial[2]);
    assert_null(of_none[0]);
}

static void points_of_one_source_can_be_dropped(void **state)
{
    struct made *m = *state;
    const int64_t step = 0;
    const double value = 5;
    made_trial(m, 1, "{}", STATE_RUNNING, NAN);
    made_trial(m, 2, "{}", STATE_RUNNING, NAN);
    add_run(m, 1, 1, METRIC_FROM_PATTERN, 0, 10, 0.5);
    add_run(m, 1, 2, METRIC_FROM_METRICS, 20, 2, 7);
    add_run(m, 2, 1, METRIC_FROM_PATTERN, 0, 3, 0.5);
    assert_ok(m, made_points(m, 1, 1, "other", METRIC_FROM_PATTERN, &step,
                             &value, 1));
    assert_ok(m, store_metrics_drop(m->s, 1, STR("loss"), METRIC_FROM_PATTERN,
                                    &m->err));
    assert_run(series_of(m, m->s, 1, "loss"), 20, 2, 7);
    add_run(m, 1, 2, METRIC_FROM_METRICS, 22, 2, 9);
    assert_ok(m, store_metrics_drop(m->s, 1, STR("never seen"),
                                    METRIC_FROM_PATTERN, &m->err));
    made_commit(m);
    struct store *reader = store_open(m->folder, false, &m->err);
    assert_run(series_of(m, reader, 1, "loss"), 20, 4, 7);
    assert_run(series_of(m, reader, 2, "loss"), 0, 3, 0.5);
    assert_int_equal(series_of(m, reader, 1, "other").count, 1);
    store_close(reader);
}

#define with_store(f)                                                          \
    cmocka_unit_test_setup_teardown(f, made_setup, made_teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        with_store(points_are_read_back_before_and_after_the_commit),
        with_store(one_attempt_can_be_read_alone),
        with_store(points_keep_the_time_at_which_they_came),
        with_store(every_commit_holds_all_points_given_before_it),
        with_store(batches_that_shrink_stay_few_rows),
        with_store(batches_of_any_size_stay_few_rows),
        with_store(the_end_of_a_trial_leaves_one_row_a_chunk),
        with_store(points_go_on_after_a_restart),
        with_store(more_series_than_memory_allows_lose_nothing),
        with_store(nan_infinity_and_steps_out_of_order_are_kept),
        with_store(the_newest_attempt_wins_at_each_step),
        with_store(nothing_stands_behind_the_last_step_of_the_newest),
        with_store(what_was_said_before_one_began_anew_does_not_count),
        with_store(steps_before_its_first_one_stand),
        with_store(the_best_source_of_an_attempt_wins),
        with_store(points_rolled_back_are_gone),
        with_store(points_of_one_source_can_be_dropped),
        with_store(names_are_those_of_a_trial_or_of_the_study),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
