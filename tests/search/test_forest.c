/* test_forest.c - what forest alone must do */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <math.h>
#include <stdlib.h>

#include "base/map.h"
#include "search/search.h"
#include "../one_arena.h"
#include "spaces.h"
#include "terms/state.h"

static struct search *open_with(const char *method, const struct space *space,
                                uint64_t seed, const char *options)
{
    struct search_setup given = {
        .space = space,
        .seed = seed,
        .minimize = true,
        .options = json_parse(arena, str_of(options), "o", true, NULL)};
    struct err err = {0};
    struct search *s = search_open(method, &given, &err);
    if (!s)
        fail_msg("%s", err.text);
    return s;
}

static struct search *open_as(const char *method, const struct space *space,
                              uint64_t seed)
{
    return open_with(method, space, seed, "{}");
}

static struct value *ask(struct search *s, int64_t k)
{
    struct suggestion got;
    assert_int_equal(search_ask(s, k, arena, &got, NULL), SEARCH_HERE);
    return got.point;
}

static void tell(struct search *s, int64_t k, const struct value *point,
                 enum state state, double value)
{
    struct result r = {
        .trial = k, .point = point, .state = (int)state, .value = value};
    search_tell(s, &r);
}

static bool is_new(struct map *seen, const struct value *point)
{
    struct buf b;
    buf_init(&b);
    json_print(&b, point);
    bool fresh = !map_set(seen, buf_str(&b), seen);
    buf_done(&b);
    return fresh;
}

static double objective(const struct space *space, const struct value *point)
{
    double sum = 0;
    for (size_t i = 0; i < space->count; i++) {
        const struct value *v = point_get(point, &space->params[i]);
        double u = v ? param_position(&space->params[i], v) : 0.6;
        sum += (u - 0.35) * (u - 0.35);
    }
    return sum;
}

static void options_are_checked(void **state)
{
    (void)state;
    struct space space = space_of(mixed_text, arena);
    struct err err = {0};
    struct search_setup given = {
        .space = &space,
        .options = json_parse(arena, STR("{\"tree\":3}"), "o", true, NULL)};
    assert_null(search_open("forest", &given, &err));
    assert_non_null(strstr(err.text, "did you mean trees?"));
}

/* CANDLE's way: one result table, then three hundred points at once. */
static void a_batch_has_many_good_points_and_no_two_the_same(void **state)
{
    (void)state;
    enum { KNOWN = 1500, BATCH = 300 };
    struct space space = space_of(mixed_text, arena);
    struct search *s = open_as("forest", &space, 3);
    struct map *seen = map_new();
    double before = 0, after = 0;
    for (int64_t k = 1; k <= KNOWN; k++) {
        struct rng r;
        rng_init(&r, 8, (uint64_t)k, "known");
        struct value *point = space_sample(&space, &r, arena);
        double value = objective(&space, point);
        before += value / KNOWN;
        tell(s, k, point, k % 10 ? STATE_DONE : STATE_FAILED, value);
        is_new(seen, point);
    }
    for (int64_t k = KNOWN + 1; k <= KNOWN + BATCH; k++) {
        struct value *point = ask(s, k);
        assert_point(&space, point);
        assert_true(is_new(seen, point));
        after += objective(&space, point) / BATCH;
    }
    assert_true(after < 0.7 * before);
    map_free(seen);
    search_free(s);
}

static const char small_text[] = "{\"version\":1,\"parameters\":["
    /* clang-format off */
    PARAM("a", "int_uniform", "\"min\":1,\"max\":6") ","
    PARAM("b", "categorical", "\"values\":[\"x\",\"y\",\"z\"]") ","
    PARAM("c", "int_uniform", "\"min\":0,\"max\":9,"
          WHEN("b", "\"y\""))
    /* clang-format on */
    "]}";

static void no_point_comes_twice_before_all_were_there(void **state)
{
    (void)state;
    struct space space = space_of(small_text, arena);
    struct search *s = open_as("forest", &space, 1);
    struct map *seen = map_new();
    struct value *points[80];
    for (int64_t k = 1; k <= 72; k++) {
        points[k] = ask(s, k);
        assert_true(is_new(seen, points[k]));
        if (k > 7)
            tell(s, k - 7, points[k - 7], STATE_DONE, (double)(k % 5));
    }
    assert_point(&space, ask(s, 73));
    map_free(seen);
    search_free(s);
}

static double best_with(const char *method, const struct space *space,
                        uint64_t seed, int64_t pending, const char *options)
{
    enum { TRIALS = 100 };
    struct search *s = open_with(method, space, seed, options);
    struct value *points[TRIALS + 1];
    double best = INFINITY;
    for (int64_t k = 1; k <= TRIALS; k++) {
        points[k] = ask(s, k);
        best = fmin(best, objective(space, points[k]));
        int64_t ended = k - pending;
        if (ended < 1)
            continue;
        bool fails = ended % 9 == 0;
        tell(s, ended, points[ended], fails ? STATE_FAILED : STATE_DONE,
             fails ? NAN : objective(space, points[ended]));
    }
    search_free(s);
    return best;
}

static double best_of(const char *method, const struct space *space,
                      uint64_t seed, int64_t pending)
{
    return best_with(method, space, seed, pending, "{}");
}

static void it_beats_random_also_with_many_pending(void **state)
{
    (void)state;
    struct space space = space_of(mixed_text, arena);
    for (int64_t pending = 0; pending <= 16; pending += 16) {
        int wins = 0;
        for (uint64_t seed = 0; seed < 9; seed++)
            wins += best_of("forest", &space, seed, pending) <
                    best_of("random", &space, seed + 100, 0);
        assert_true(wins >= 7);
    }
}

static void by_a_confidence_bound_it_beats_random_too(void **state)
{
    (void)state;
    struct space space = space_of(mixed_text, arena);
    int wins = 0;
    for (uint64_t seed = 0; seed < 9; seed++)
        wins += best_with("forest", &space, seed, 8, "{\"acquire\":\"cb\"}") <
                best_of("random", &space, seed + 100, 0);
    assert_true(wins >= 7);
}

/* The mean value of what is asked for after some random results. */
static double mean_asked(const struct space *space, const char *options)
{
    enum { KNOWN = 100, ASKED = 40 };
    struct search *s = open_with("forest", space, 5, options);
    double sum = 0;
    for (int64_t k = 1; k <= KNOWN; k++) {
        struct rng r;
        rng_init(&r, 8, (uint64_t)k, "known");
        struct value *point = space_sample(space, &r, arena);
        tell(s, k, point, STATE_DONE, objective(space, point));
    }
    for (int64_t k = KNOWN + 1; k <= KNOWN + ASKED; k++)
        sum += objective(space, ask(s, k));
    search_free(s);
    return sum / ASKED;
}

static void a_bound_far_from_the_mean_looks_where_little_is_known(void **state)
{
    (void)state;
    struct space space = space_of(mixed_text, arena);
    double near = mean_asked(&space, "{\"acquire\":\"cb\",\"random\":0,"
                                     "\"kappa\":0.5}");
    double far = mean_asked(&space, "{\"acquire\":\"cb\",\"random\":0,"
                                    "\"kappa\":50}");
    assert_true(far > 1.2 * near);
}

/* Beyond the number of results that a tree sees. */
static void many_results_in_any_order_are_the_same(void **state)
{
    (void)state;
    enum { MANY = 2500 };
    struct space space = space_of(mixed_text, arena);
    struct search *s = open_as("forest", &space, 4);
    struct search *t = open_as("forest", &space, 4);
    struct value *points[MANY + 1];
    for (int64_t k = 1; k <= MANY; k++) {
        struct rng r;
        rng_init(&r, 8, (uint64_t)k, "known");
        points[k] = space_sample(&space, &r, arena);
        tell(s, k, points[k], STATE_DONE, objective(&space, points[k]));
    }
    for (int64_t i = 0; i < MANY; i++) {
        int64_t k = 1 + (int64_t)rng_permute(9, (uint64_t)i, MANY);
        tell(t, k, points[k], STATE_DONE, objective(&space, points[k]));
        if (i == MANY / 2)
            tell(s, MANY + 1, ask(t, MANY + 1), STATE_RUNNING, NAN);
    }
    for (int64_t k = MANY + 2; k <= MANY + 6; k++)
        assert_true(value_eq(ask(s, k), ask(t, k)));
    search_free(s);
    search_free(t);
}

/* One that looks as hard as elsewhere takes minutes for this. */
static void a_used_up_space_costs_little(void **state)
{
    (void)state;
    struct space space = space_of(small_text, arena); /* of 72 points */
    struct search *s = open_as("forest", &space, 3);
    for (int64_t k = 1; k <= 400; k++)
        tell(s, k, ask(s, k), STATE_DONE, (double)(k % 7));
    search_free(s);
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, setup, teardown)
int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(options_are_checked),
        TEST(a_batch_has_many_good_points_and_no_two_the_same),
        TEST(no_point_comes_twice_before_all_were_there),
        TEST(it_beats_random_also_with_many_pending),
        TEST(by_a_confidence_bound_it_beats_random_too),
        TEST(a_bound_far_from_the_mean_looks_where_little_is_known),
        TEST(many_results_in_any_order_are_the_same),
        TEST(a_used_up_space_costs_little),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
