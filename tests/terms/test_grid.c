/* test_grid.c - the grid is the set of distinct points, each once */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <math.h>

#include "base/json.h"
#include "base/map.h"
#include "base/rng.h"
#include "terms/space.h"
#include "../one_arena.h"

static struct space space(const char *parameters)
{
    struct space s;
    struct err err = {0};
    char *text =
        arena_printf(arena, "{\"version\":1,\"parameters\":[%s]}", parameters);
    struct value *v = json_parse(arena, str_of(text), "t", true, &err);
    assert_non_null(v);
    if (space_from_value(&s, v, arena, &err))
        fail_msg("%s: %s", text, err.text);
    return s;
}

static const char *text_of(const struct value *point)
{
    struct buf b;
    buf_init(&b);
    json_print(&b, point);
    const char *text = arena_cstr(arena, buf_str(&b));
    buf_done(&b);
    return text;
}

static const char *point_text(const struct space *s, uint64_t k)
{
    return text_of(space_grid_point(s, k, arena));
}

static void assert_grid(const char *parameters, const char *const *points)
{
    struct space s = space(parameters);
    uint64_t count = 0;
    while (points[count])
        count++;
    assert_int_equal(space_grid_count(&s, NULL), count);
    for (uint64_t k = 0; k < count; k++)
        assert_string_equal(point_text(&s, k), points[k]);
}

static void the_last_parameter_by_name_varies_fastest(void **state)
{
    (void)state;
    static const char *const points[] = {"{\"a\":\"x\",\"b\":0,\"c\":7}",
                                         "{\"a\":\"x\",\"b\":1,\"c\":7}",
                                         "{\"a\":\"x\",\"b\":2,\"c\":7}",
                                         "{\"a\":\"y\",\"b\":0,\"c\":7}",
                                         "{\"a\":\"y\",\"b\":1,\"c\":7}",
                                         "{\"a\":\"y\",\"b\":2,\"c\":7}",
                                         NULL};
    assert_grid("{\"name\":\"b\",\"distribution\":\"int_uniform\",\"min\":0,"
                "\"max\":2},"
                "{\"name\":\"c\",\"distribution\":\"constant\",\"value\":7},"
                "{\"name\":\"a\",\"distribution\":\"categorical\","
                "\"values\":[\"x\",\"y\"]}",
                points);
}

static void q_uniform_excludes_its_max(void **state)
{
    (void)state;
    static const char *const thirds[] = {"{\"a\":1}", "{\"a\":3}", "{\"a\":5}",
                                         "{\"a\":7}", NULL};
    assert_grid("{\"name\":\"a\",\"distribution\":\"q_uniform\",\"min\":1,"
                "\"max\":8,\"q\":2}",
                thirds);
    static const char *const tenths[] = {"{\"a\":0.1}", "{\"a\":0.2}",
                                         "{\"a\":0.3}", NULL};
    assert_grid("{\"name\":\"a\",\"distribution\":\"q_uniform\",\"min\":0.1,"
                "\"max\":0.4,\"q\":0.1}",
                tenths);
    static const char *const halves[] = {"{\"a\":0.5}", "{\"a\":1.5}", NULL};
    assert_grid("{\"name\":\"a\",\"distribution\":\"q_uniform\",\"min\":0.5,"
                "\"max\":2,\"q\":1}",
                halves);
}

static void inactive_parameters_do_not_multiply_the_grid(void **state)
{
    (void)state;
    static const char *const points[] = {
        "{\"kind\":\"adam\"}", "{\"kind\":\"sgd\",\"momentum\":0}",
        "{\"kind\":\"sgd\",\"momentum\":0.9}", NULL};
    assert_grid("{\"name\":\"kind\",\"distribution\":\"categorical\","
                "\"values\":[\"adam\",\"sgd\"]},"
                "{\"name\":\"momentum\",\"distribution\":\"categorical\","
                "\"values\":[0,0.9],"
                "\"when\":[{\"name\":\"kind\",\"values\":[\"sgd\"]}]}",
                points);
}

static void a_condition_may_name_a_later_parameter(void **state)
{
    (void)state;
    static const char *const points[] = {"{\"z\":1}", "{\"a\":5,\"z\":2}",
                                         "{\"a\":6,\"z\":2}", NULL};
    assert_grid("{\"name\":\"a\",\"distribution\":\"int_uniform\",\"min\":5,"
                "\"max\":6,\"when\":[{\"name\":\"z\",\"values\":[2,\"no\"]}]},"
                "{\"name\":\"z\",\"distribution\":\"int_uniform\",\"min\":1,"
                "\"max\":2}",
                points);
}

static void what_has_no_grid_is_refused_by_name(void **state)
{
    (void)state;
    static const char *const cases[][2] = {
        {"\"distribution\":\"uniform\",\"min\":0,\"max\":1", "continuous"},
        {"\"distribution\":\"normal\",\"mu\":0,\"sigma\":1", "continuous"},
        {"\"distribution\":\"q_normal\",\"mu\":0,\"sigma\":1,\"q\":1",
         "continuous"},
        {"\"distribution\":\"categorical\",\"values\":[1,2],"
         "\"probabilities\":[0.5,0.5]",
         "probabilities"},
        {"\"distribution\":\"q_uniform\",\"min\":1,\"max\":1,\"q\":1",
         "below its max"}};
    for (size_t i = 0; i < 5; i++) {
        struct err err = {0};
        struct space s =
            space(arena_printf(arena, "{\"name\":\"lr\",%s}", cases[i][0]));
        assert_true(space_grid_count(&s, &err) == 0);
        assert_non_null(strstr(err.text, "lr cannot be in a grid: "));
        assert_non_null(strstr(err.text, cases[i][1]));
    }
}

static void a_grid_past_the_limit_is_refused(void **state)
{
    (void)state;
    struct err err = {0};
    struct space s =
        space("{\"name\":\"a\",\"distribution\":\"int_uniform\",\"min\":1,"
              "\"max\":2147483648},"
              "{\"name\":\"b\",\"distribution\":\"int_uniform\",\"min\":1,"
              "\"max\":2147483648}");
    assert_true(space_grid_count(&s, &err) == (uint64_t)1 << 62);
    s = space("{\"name\":\"a\",\"distribution\":\"int_uniform\",\"min\":1,"
              "\"max\":2147483649},"
              "{\"name\":\"b\",\"distribution\":\"int_uniform\",\"min\":1,"
              "\"max\":2147483648}");
    assert_true(space_grid_count(&s, &err) == 0);
    assert_int_equal(err.kind, ERR_LIMIT);
}

static void a_large_switch_costs_no_more_than_a_small_one(void **state)
{
    (void)state;
    struct space s =
        space("{\"name\":\"a\",\"distribution\":\"int_uniform\",\"min\":0,"
              "\"max\":999999999},"
              "{\"name\":\"b\",\"distribution\":\"int_uniform\",\"min\":1,"
              "\"max\":10,\"when\":[{\"name\":\"a\",\"values\":[500,7]}]}");
    assert_true(space_grid_count(&s, NULL) == 1000000018);
    assert_string_equal(point_text(&s, 6), "{\"a\":6}");
    assert_string_equal(point_text(&s, 7), "{\"a\":7,\"b\":1}");
    assert_string_equal(point_text(&s, 16), "{\"a\":7,\"b\":10}");
    assert_string_equal(point_text(&s, 17), "{\"a\":8}");
    assert_string_equal(point_text(&s, 509), "{\"a\":500,\"b\":1}");
    assert_string_equal(point_text(&s, 1000000017), "{\"a\":999999999}");
}

static void many_groups_of_switches_are_counted_at_once(void **state)
{
    (void)state;
    struct buf b;
    buf_init(&b);
    for (int i = 0; i < 30; i++)
        buf_addf(&b,
                 "%s{\"name\":\"k%02d\",\"distribution\":\"categorical\","
                 "\"values\":[0,1]},"
                 "{\"name\":\"v%02d\",\"distribution\":\"categorical\","
                 "\"values\":[0,1,2],"
                 "\"when\":[{\"name\":\"k%02d\",\"values\":[1]}]}",
                 i ? "," : "", i, i, i);
    struct space s = space(b.p);
    assert_true(space_grid_count(&s, NULL) == (uint64_t)1 << 60);
    /* The last point: every switch 1, every value 2. */
    const char *text = point_text(&s, ((uint64_t)1 << 60) - 1);
    assert_null(strstr(text, ":0"));
    assert_non_null(strstr(text, "\"k00\":1"));
    assert_non_null(strstr(text, "\"v29\":2"));
    buf_done(&b);
}

/* A random space of up to six parameters with conditions, some of them on
 * parameters that come later by name, some on values that nobody has. */
static char *random_space(struct rng *r)
{
    struct buf b;
    buf_init(&b);
    size_t count = 1 + rng_below(r, 6), rank[6];
    for (size_t i = 0; i < count; i++)
        rank[i] = rng_below(r, 1000) * 8 + i;
    for (size_t i = 0; i < count; i++) {
        buf_addf(&b, "%s{\"name\":\"p%zu\",", i ? "," : "", i);
        uint64_t kind = rng_below(r, 4);
        unsigned n = 1 + (unsigned)rng_below(r, 3);
        if (kind == 0)
            buf_adds(&b, "\"distribution\":\"constant\",\"value\":1");
        else if (kind == 1)
            buf_addf(
                &b, "\"distribution\":\"int_uniform\",\"min\":0,\"max\":%u", n);
        else if (kind == 2)
            buf_addf(&b,
                     "\"distribution\":\"q_uniform\",\"min\":0,\"max\":%u.5,"
                     "\"q\":0.5",
                     n / 2);
        else
            buf_adds(&b, "\"distribution\":\"categorical\","
                         "\"values\":[1,\"x\",0.5,2]");
        const char *open = ",\"when\":[";
        for (size_t j = 0; j < count; j++) {
            static const char *const lists[] = {"[1]",   "[0,2]", "[\"x\",1]",
                                                "[0.5]", "[77]",  "[]"};
            /* Ranks rule out cycles. */
            if (rank[j] >= rank[i] || rng_below(r, 3))
                continue;
            buf_addf(&b, "%s{\"name\":\"p%zu\",\"values\":%s}", open, j,
                     lists[rng_below(r, 6)]);
            open = ",";
        }
        buf_adds(&b, open[1] ? "}" : "]}");
    }
    char *text = arena_cstr(arena, buf_str(&b));
    buf_done(&b);
    return text;
}

/* Puts every distinct point into the set: all values of all parameters,
 * inactive ones taken out. */
static void brute_force(const struct space *s, struct map *set)
{
    size_t order[8], digits[8] = {0};
    assert_int_equal(space_order(s, order, NULL), 0);
    for (;;) {
        struct value *values[8] = {0};
        for (size_t k = 0; k < s->count; k++) {
            size_t i = order[k];
            if (space_active(s, i, values))
                values[i] = param_grid_at(&s->params[i], digits[i], arena);
        }
        struct buf b;
        buf_init(&b);
        json_print(&b, space_point(s, values, arena));
        map_set(set, buf_str(&b), set);
        buf_done(&b);
        size_t i = 0;
        while (i < s->count &&
               ++digits[i] == param_grid_count(&s->params[i], NULL))
            digits[i++] = 0;
        if (i == s->count)
            return;
    }
}

static void random_conditional_grids_equal_brute_force(void **state)
{
    (void)state;
    struct rng r;
    rng_init(&r, 21, 1, "grid");
    size_t conditional = 0;
    for (int round = 0; round < 600; round++) {
        arena_reset(arena);
        char *text = random_space(&r);
        conditional += strstr(text, "when") != NULL;
        struct space s = space(text);
        struct map *want = map_new();
        brute_force(&s, want);
        uint64_t count = space_grid_count(&s, NULL);
        if (count != map_count(want))
            fail_msg("%s: %llu points, not %zu", text,
                     (unsigned long long)count, map_count(want));
        for (uint64_t k = 0; k < count; k++)
            if (!map_del(want, str_of(point_text(&s, k))))
                fail_msg("%s: point %llu is wrong or came twice", text,
                         (unsigned long long)k);
        assert_int_equal(map_count(want), 0);
        for (uint64_t k = 0; k < count; k++)
            map_set(want, str_of(text_of(space_grid_spread(&s, k, arena))),
                    want);
        assert_int_equal(map_count(want), count);
        for (uint64_t k = 0; k < count; k++)
            assert_true(map_has(want, str_of(point_text(&s, k))));
        map_free(want);
    }
    assert_true(conditional > 300);
}

/* ---- the order that covers the space ---------------------------------- */

#define INTS(name, most)                                                       \
    "{\"name\":\"" name                                                        \
    "\",\"distribution\":\"int_uniform\",\"min\":0,\"max\":" most "}"

/* Whatever number of points is taken, the values of each parameter come
 * equally often, give or take one: here up to the first 20, of up to 20
 * values. */
static void early_points_have_each_value_equally_often(void **state)
{
    (void)state;
    enum { PARAMS = 5, MOST = 20 };
    static const int64_t counts[PARAMS] = {3, 20, 2, 7, 4};
    struct space s = space(INTS("a", "2") "," INTS("b", "19") "," INTS(
        "c", "1") "," INTS("d", "6") "," INTS("e", "3"));
    int64_t seen[PARAMS][MOST] = {0};
    for (int64_t k = 0; k < MOST; k++) {
        struct value *point = space_grid_spread(&s, (uint64_t)k, arena);
        for (size_t i = 0; i < PARAMS; i++) {
            int64_t most = k / counts[i] + 1;
            int64_t at = point_get(point, &s.params[i])->i;
            assert_in_range(++seen[i][at], 1, most);
        }
    }
    for (size_t i = 0; i < PARAMS; i++)
        for (int64_t v = 0; v < counts[i]; v++)
            assert_in_range(seen[i][v], MOST / counts[i], MOST);
}

/* In the order that is written the first tenth has one value of the first
 * parameter; here it has all pairs of parts of two parameters. */
static void a_tenth_of_the_points_lies_everywhere(void **state)
{
    (void)state;
    enum { SIDE = 32, PARTS = 4 };
    struct space s = space(INTS("a", "31") "," INTS("b", "31"));
    int seen[PARTS][PARTS] = {{0}};
    for (uint64_t k = 0; k < SIDE * SIDE / 10; k++) {
        struct value *point = space_grid_spread(&s, k, arena);
        int64_t a = point_get(point, &s.params[0])->i;
        int64_t b = point_get(point, &s.params[1])->i;
        seen[a * PARTS / SIDE][b * PARTS / SIDE]++;
    }
    for (size_t i = 0; i < PARTS; i++)
        for (size_t j = 0; j < PARTS; j++)
            assert_in_range(seen[i][j], 2, 14);
}

/* A long parameter: sixteen of a million values, one in each sixteenth or
 * next to it. Under conditions: the choices in proportion to their points. */
static void early_points_of_one_group_lie_all_over_it(void **state)
{
    (void)state;
    struct space s = space(INTS("a", "999999"));
    bool eighths[8] = {false};
    for (uint64_t k = 0; k < 16; k++) {
        struct value *point = space_grid_spread(&s, k, arena);
        eighths[point_get(point, &s.params[0])->i / 125000] = true;
    }
    for (size_t i = 0; i < 8; i++)
        assert_true(eighths[i]);
    s = space(INTS("a", "3") ",{\"name\":\"b\",\"distribution\":"
                             "\"int_uniform\",\"min\":0,\"max\":24,"
                             "\"when\":[{\"name\":\"a\","
                             "\"values\":[0,1,2,3]}]}");
    int seen[4] = {0};
    for (uint64_t k = 0; k < 20; k++)
        seen[point_get(space_grid_spread(&s, k, arena), &s.params[0])->i]++;
    for (size_t i = 0; i < 4; i++)
        assert_in_range(seen[i], 4, 6);
}

static void the_largest_grid_has_an_order_too(void **state)
{
    (void)state;
    struct space s = space(INTS("a", "1073741823") "," INTS("b", "1073741823"));
    uint64_t last = space_grid_count(&s, NULL) - 1;
    struct value *point = space_grid_spread(&s, last, arena);
    assert_true(param_position(&s.params[0], point_get(point, s.params)) >= 0);
    assert_string_not_equal(text_of(point),
                            text_of(space_grid_spread(&s, last - 1, arena)));
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, setup, teardown)
int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(the_last_parameter_by_name_varies_fastest),
        TEST(q_uniform_excludes_its_max),
        TEST(inactive_parameters_do_not_multiply_the_grid),
        TEST(a_condition_may_name_a_later_parameter),
        TEST(what_has_no_grid_is_refused_by_name),
        TEST(a_grid_past_the_limit_is_refused),
        TEST(a_large_switch_costs_no_more_than_a_small_one),
        TEST(many_groups_of_switches_are_counted_at_once),
        TEST(random_conditional_grids_equal_brute_force),
        TEST(early_points_have_each_value_equally_often),
        TEST(a_tenth_of_the_points_lies_everywhere),
        TEST(early_points_of_one_group_lie_all_over_it),
        TEST(the_largest_grid_has_an_order_too),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
