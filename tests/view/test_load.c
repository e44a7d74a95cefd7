/* test_load.c - how busy it was */
#include "view/view.h"

#include "base/json.h"
#include "../store/made_store.h"

static void add_attempt(struct made *m, int64_t trial, const char *host,
                        double from, double to)
{
    struct attempt a = {.trial = trial,
                        .number = 1,
                        .outcome = to > 0 ? OUTCOME_DONE : OUTCOME_NONE,
                        .placed = from,
                        .started = from,
                        .ended = to,
                        .first_step = INT64_MAX};
    snprintf(a.host, sizeof(a.host), "%s", host);
    made_trial(m, trial, "{}", to > 0 ? STATE_DONE : STATE_RUNNING, 1);
    assert_ok(m, store_attempt_put(m->s, &a, &m->err));
}

static struct value *load(struct made *m, size_t points)
{
    struct buf b;
    made_commit(m);
    store_lease_release(
        m->s); /* nobody runs it: time ends with what is known */
    buf_init(&b);
    assert_ok(m, load_json(&b, m->s, points, m->a, &m->err));
    struct value *v = json_parse(m->a, buf_str(&b), "", true, &m->err);
    assert_non_null(v);
    buf_done(&b);
    return v;
}

static double number_at(const struct value *v, const char *list, size_t i)
{
    return value_number(value_at(value_get(v, str_of(list)), i));
}

static void parts_have_their_mean_and_their_most(void **state)
{
    struct made *m = *state;
    add_attempt(m, 1, "a", 100, 110);
    add_attempt(m, 2, "b", 100, 105);
    add_attempt(m, 3, "b", 105, 120);
    /* Of 20 s in two parts: 10 + 5 + 5, then 10. */
    const struct value *v = load(m, 2);
    assert_true(number_at(v, "mean", 0) == 2);
    assert_true(number_at(v, "mean", 1) == 1);
    assert_true(number_at(v, "most", 0) == 2);
    assert_true(value_number(value_get(v, STR("from"))) == 100);
    assert_true(value_number(value_get(v, STR("to"))) == 120);
    const struct value *hosts = value_get(v, STR("hosts"));
    assert_int_equal(hosts->count, 2);
    assert_true(number_at(value_at(hosts, 0), "mean", 0) == 1);
    assert_true(number_at(value_at(hosts, 1), "mean", 1) == 1);
}

static void what_was_used_is_spread_over_the_time(void **state)
{
    struct made *m = *state;
    struct attempt a = {.trial = 1,
                        .number = 1,
                        .outcome = OUTCOME_DONE,
                        .placed = 97,
                        .started = 100,
                        .ended = 110,
                        .seconds = 10,
                        .cpu_seconds = 15,
                        .max_rss_bytes = 1000,
                        .first_step = INT64_MAX};
    made_trial(m, 1, "{}", STATE_DONE, 1);
    assert_ok(m, store_attempt_put(m->s, &a, &m->err));
    a.trial = 2;
    a.placed = 100;
    a.started = 110;
    a.ended = 120;
    made_trial(m, 2, "{}", STATE_DONE, 1);
    assert_ok(m, store_attempt_put(m->s, &a, &m->err));
    const struct value *v = load(m, 2);
    for (size_t i = 0; i < 2; i++) {
        assert_true(number_at(v, "cpus", i) == 1.5);
        assert_true(number_at(v, "memory_bytes", i) == 1000);
    }
    assert_true(number_at(v, "waiting", 0) == 1);
    assert_true(number_at(v, "waiting", 1) == 0);
    const struct value *waits = value_get(v, STR("waits"));
    assert_true(value_number(value_get(waits, STR("attempts"))) == 2);
    assert_true(value_number(value_get(waits, STR("median"))) == 10);
    assert_true(value_number(value_get(waits, STR("most"))) == 10);
}

static void put_use(struct made *m, int64_t trial, double from, double to,
                    struct use use)
{
    struct attempt a = {.trial = trial,
                        .number = 1,
                        .outcome = OUTCOME_DONE,
                        .placed = from,
                        .started = from,
                        .ended = to,
                        .seconds = to - from,
                        .use = use,
                        .first_step = INT64_MAX};
    made_trial(m, trial, "{}", STATE_DONE, 1);
    assert_ok(m, store_attempt_put(m->s, &a, &m->err));
}

static void shares_of_gpus_are_those_of_who_knows_them(void **state)
{
    struct made *m = *state;
    struct use cuda = {.device = "cuda", .spent = {1, 6, 2, 1}};
    struct use less = {.device = "cuda", .spent = {0, 1, 1, 0}};
    struct use cpu = {.device = "cpu", .spent = {0, 9, 0, 1}};
    struct use program = {.gpu_busy_s = 3, .gpu_seen_s = 12};
    put_use(m, 1, 100, 110, cuda);
    put_use(m, 2, 105, 110, less);
    put_use(m, 3, 100, 120, cpu);
    put_use(m, 4, 115, 120, program);
    const struct value *gpu = value_get(load(m, 4), STR("gpu"));
    assert_true(number_at(gpu, "computing", 0) == 0.6);
    assert_true(number_at(gpu, "input", 0) == 0.1);
    assert_true(number_at(gpu, "synchronising", 1) == 0.35);
    assert_true(number_at(gpu, "idle", 1) == 0.05);
    assert_true(isnan(number_at(gpu, "computing", 2)));
    assert_true(isnan(number_at(gpu, "busy", 2)));
    assert_true(number_at(gpu, "busy", 3) == 0.25);
}

static void without_a_gpu_nothing_is_said_of_one(void **state)
{
    struct made *m = *state;
    put_use(m, 1, 100, 110, (struct use){.device = "cpu", .spent = {0, 9}});
    assert_int_equal(value_get(load(m, 2), STR("gpu"))->kind, VALUE_NULL);
}

static void one_lane_serves_one_after_the_other(void **state)
{
    struct made *m = *state;
    add_attempt(m, 1, "a", 100, 110);
    add_attempt(m, 2, "a", 101, 105);
    add_attempt(m, 3, "a", 105, 120);
    const struct value *spans = value_get(load(m, 4), STR("spans"));
    double lanes[3];
    assert_int_equal(spans->count, 3);
    for (size_t i = 0; i < 3; i++)
        lanes[i] = value_number(value_get(spans->items[i], STR("lane")));
    assert_true(lanes[0] == 0 && lanes[1] == 1 && lanes[2] == 1);
}

static void nothing_ran_yet(void **state)
{
    struct made *m = *state;
    made_trial(m, 1, "{}", STATE_WAITING, NAN);
    const struct value *v = load(m, 4);
    assert_int_equal(value_get(v, STR("mean"))->count, 0);
    assert_int_equal(value_get(v, STR("spans"))->count, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
#define TEST(f) cmocka_unit_test_setup_teardown(f, made_setup, made_teardown)
        TEST(parts_have_their_mean_and_their_most),
        TEST(what_was_used_is_spread_over_the_time),
        TEST(shares_of_gpus_are_those_of_who_knows_them),
        TEST(without_a_gpu_nothing_is_said_of_one),
        TEST(one_lane_serves_one_after_the_other),
        TEST(nothing_ran_yet),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
