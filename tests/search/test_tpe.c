/* test_tpe.c - what tpe alone must do */
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

static struct search *open_as(const char *method, const struct space *space,
                              uint64_t seed, bool minimize)
{
    struct search_setup given = {
        .space = space, .seed = seed, .minimize = minimize};
    struct err err = {0};
    struct search *s = search_open(method, &given, &err);
    if (!s)
        fail_msg("%s", err.text);
    return s;
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

static void options_are_checked(void **state)
{
    (void)state;
    static const struct {
        const char *options, *error;
    } cases[] = {
        {"{\"candidate\":3}",
         "method tpe has no option 'candidate'; did you mean candidates?"},
        {"{\"startup\":0}", "tpe: startup must be at least 1, not 0"},
        {"{\"candidates\":2.5}", "candidates must be a whole number"},
        {"{\"gamma\":20}", "gamma must be at most 10, not 20"},
        {"{\"good\":\"x\"}", "good must be a whole number, not 'x'"},
        {"[1]", "the options of tpe must be an object"},
    };
    struct space space = space_of(mixed_text, arena);
    for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
        struct err err = {0};
        struct search_setup given = {
            .space = &space,
            .options =
                json_parse(arena, str_of(cases[i].options), "o", true, NULL)};
        assert_null(search_open("tpe", &given, &err));
        if (!strstr(err.text, cases[i].error))
            fail_msg("%s: %s", cases[i].options, err.text);
    }
}

static const char small_text[] = "{\"version\":1,\"parameters\":["
    /* clang-format off */
    PARAM("a", "int_uniform", "\"min\":1,\"max\":6") ","
    PARAM("b", "categorical", "\"values\":[\"x\",\"y\",\"z\"]") ","
    PARAM("c", "int_uniform", "\"min\":0,\"max\":9,"
          WHEN("b", "\"y\""))
    /* clang-format on */
    "]}";

/* 6 (1 + 10 + 1) = 72 points, some of them pending for long. */
static void no_point_comes_twice_before_all_were_there(void **state)
{
    (void)state;
    struct space space = space_of(small_text, arena);
    for (uint64_t seed = 0; seed < 10; seed++) {
        struct search *s = open_as("tpe", &space, seed, true);
        struct map *seen = map_new();
        struct value *points[80];
        for (int64_t k = 1; k <= 72; k++) {
            struct buf b;
            buf_init(&b);
            points[k] = ask(s, k);
            json_print(&b, points[k]);
            assert_null(map_set(seen, buf_str(&b), seen));
            buf_done(&b);
            if (k > 7)
                tell(s, k - 7, points[k - 7], STATE_DONE, (double)(k % 5));
        }
        assert_point(&space, ask(s, 73));
        map_free(seen);
        search_free(s);
    }
}

/* The mixed space's objective: what opt asks of lr, and more. */
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

static double best_of(const char *method, const struct space *space,
                      uint64_t seed, size_t pending, bool minimize)
{
    enum { TRIALS = 100 };
    struct search *s = open_as(method, space, seed, minimize);
    struct value *points[TRIALS + 1];
    double best = INFINITY;
    for (int64_t k = 1; k <= TRIALS; k++) {
        points[k] = ask(s, k);
        int64_t ended = k - (int64_t)pending;
        double value = objective(space, points[k]);
        best = fmin(best, value);
        if (ended < 1)
            continue;
        value = objective(space, points[ended]);
        if (ended % 9 == 0)
            tell(s, ended, points[ended], STATE_FAILED, NAN);
        else
            tell(s, ended, points[ended], STATE_DONE,
                 minimize ? value : -value);
    }
    search_free(s);
    return best;
}

static void it_beats_random_also_with_many_pending(void **state)
{
    (void)state;
    static const struct {
        size_t pending;
        bool minimize;
    } cases[] = {{0, true}, {0, false}, {16, true}};
    struct space space = space_of(mixed_text, arena);
    for (size_t c = 0; c < 3; c++) {
        int wins = 0;
        for (uint64_t seed = 0; seed < 15; seed++)
            wins += best_of("tpe", &space, seed, cases[c].pending,
                            cases[c].minimize) <
                    best_of("random", &space, seed + 100, 0, true);
        assert_true(wins >= 11);
    }
}

/* Nothing to learn from is no reason to stop or to repeat. */
static void failures_alone_leave_it_spreading(void **state)
{
    (void)state;
    struct space space = space_of(mixed_text, arena);
    struct search *s = open_as("tpe", &space, 1, true);
    struct map *seen = map_new();
    for (int64_t k = 1; k <= 100; k++) {
        struct value *point = ask(s, k);
        struct buf b;
        buf_init(&b);
        json_print(&b, point);
        assert_null(map_set(seen, buf_str(&b), seen));
        buf_done(&b);
        tell(s, k, point, k % 2 ? STATE_FAILED : STATE_DONE, NAN);
    }
    map_free(seen);
    search_free(s);
}

static const char line_text[] = "{\"version\":1,\"parameters\":["
    /* clang-format off */
    PARAM("x", "uniform", "\"min\":0,\"max\":1")
    /* clang-format on */
    "]}";

/* Half of the line fails: what is asked for moves to the other half. */
static void it_leaves_a_region_that_fails(void **state)
{
    (void)state;
    struct space space = space_of(line_text, arena);
    struct search *s = open_as("tpe", &space, 2, true);
    int inside = 0;
    for (int64_t k = 1; k <= 100; k++) {
        struct value *point = ask(s, k);
        double x = value_number(value_get(point, STR("x")));
        bool fails = x < 0.5;
        tell(s, k, point, fails ? STATE_FAILED : STATE_DONE,
             fails ? NAN : fabs(x - 0.8));
        inside += k > 50 && fails;
    }
    assert_true(inside < 20);
    search_free(s);
}

/* Points that are asked for together, without a result in between, lie apart
 * from each other: pending ones count as bad. */
static void pending_points_push_others_away(void **state)
{
    (void)state;
    struct space space = space_of(line_text, arena);
    struct search *s = open_as("tpe", &space, 3, true);
    double x[64], gap = 0;
    for (int64_t k = 1; k <= 30; k++) {
        struct value *point = ask(s, k);
        double at = value_number(value_get(point, STR("x")));
        tell(s, k, point, STATE_DONE, fabs(at - 0.4));
    }
    for (int i = 0; i < 64; i++)
        x[i] = value_number(value_get(ask(s, 31 + i), STR("x")));
    for (int i = 0; i < 64; i++)
        gap = fmax(gap, fabs(x[i] - 0.4));
    assert_true(gap > 0.15);
    search_free(s);
}

/* Beyond the window and the reservoir, in any order. */
static void many_results_in_any_order_are_the_same(void **state)
{
    (void)state;
    enum { MANY = 5000 };
    struct space space = space_of(line_text, arena);
    struct search *s = open_as("tpe", &space, 4, true);
    struct search *t = open_as("tpe", &space, 4, true);
    for (int64_t i = 0; i < MANY; i++) {
        for (int turn = 0; turn < 2; turn++) {
            int64_t k =
                turn ? 1 + (int64_t)rng_permute(9, (uint64_t)i, MANY) : i + 1;
            struct value *point = value_object(arena);
            double x = (double)(k * 7919 % MANY) / MANY;
            value_set(arena, point, STR("x"), value_double(arena, x));
            tell(turn ? t : s, k, point, STATE_DONE, fabs(x - 0.7));
        }
    }
    for (int64_t k = MANY + 1; k <= MANY + 20; k++) {
        double x = value_number(value_get(ask(s, k), STR("x")));
        assert_true(x == value_number(value_get(ask(t, k), STR("x"))));
    }
    search_free(s);
    search_free(t);
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, setup, teardown)
int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(options_are_checked),
        TEST(no_point_comes_twice_before_all_were_there),
        TEST(it_beats_random_also_with_many_pending),
        TEST(failures_alone_leave_it_spreading),
        TEST(it_leaves_a_region_that_fails),
        TEST(pending_points_push_others_away),
        TEST(many_results_in_any_order_are_the_same),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
