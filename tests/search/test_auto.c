/* test_auto.c - what method auto picks, says and changes to */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/json.h"
#include "search/search.h"
#include "../one_arena.h"
#include "spaces.h"
#include "terms/state.h"

#define LIST(inner) "{\"version\":1,\"parameters\":[" inner "]}"
#define A_NUMBER PARAM("a", "uniform", "\"min\":0,\"max\":1")
#define A_CHOICE PARAM("b", "categorical", "\"values\":[1,2,3]")

static struct search *open_auto(const struct space *space, int64_t run_cap,
                                int64_t parallel)
{
    struct search_setup given = {.space = space,
                                 .minimize = true,
                                 .run_cap = run_cap,
                                 .parallel = parallel};
    struct err err = {0};
    struct search *s = search_open("auto", &given, &err);
    if (!s)
        fail_msg("%s", err.text);
    return s;
}

static void assert_picks(const char *text, int64_t run_cap, int64_t parallel,
                         const char *why)
{
    struct space space = space_of(text, arena);
    struct search *s = open_auto(&space, run_cap, parallel);
    assert_string_equal(search_why(s), why);
    search_free(s);
}

static const char *many_numbers(int count)
{
    struct buf b;
    buf_init(&b);
    for (int i = 0; i < count; i++)
        buf_addf(&b,
                 "%s{\"name\":\"x%03d\",\"distribution\":\"uniform\","
                 "\"min\":0,\"max\":1}",
                 i ? "," : "", i);
    const char *text = arena_printf(arena, LIST("%s"), b.p);
    buf_done(&b);
    return text;
}

static void it_picks_by_space_and_budget(void **state)
{
    (void)state;
    assert_picks(LIST(A_NUMBER), 50, 0,
                 "gp, which learns most from each of 50 trials (1 number)");
    assert_picks(LIST(A_NUMBER "," A_CHOICE), 200, 8,
                 "gp, which learns most from each of 200 trials (1 number and "
                 "1 choice)");
    assert_picks(mixed_text, 0, 0,
                 "gp, which learns most from each trial (7 numbers and 3 "
                 "choices, some under conditions), and after 1000 results "
                 "tpe, which stays cheap");
    assert_picks(LIST(A_CHOICE), 50, 0, "grid, as the space has only 3 points");
    assert_picks(LIST(A_CHOICE), 2, 0,
                 "gp, which learns most from each of 2 trials (1 choice)");
    assert_picks(LIST(A_NUMBER), 5000, 500,
                 "tpe, as 500 trials are out at once");
    assert_picks(many_numbers(100), 500, 1, "cmaes, as there are 100 numbers");
}

static void without_a_metric_it_does_not_say_that_it_learns(void **state)
{
    (void)state;
    struct space space = space_of(LIST(A_NUMBER), arena);
    struct search_setup given = {.space = &space, .aimless = true};
    struct search *s = search_open("auto", &given, NULL);
    assert_string_equal(search_why(s),
                        "sobol, as there is no metric to learn from");
    search_free(s);
}

static void only_auto_has_to_say_why(void **state)
{
    (void)state;
    struct space space = space_of(LIST(A_NUMBER), arena);
    struct search_setup given = {.space = &space};
    struct search *s = search_open("random", &given, NULL);
    assert_null(search_why(s));
    search_free(s);
}

static void a_small_space_is_tried_through(void **state)
{
    (void)state;
    struct space space = space_of(LIST(A_CHOICE), arena);
    struct search *s = open_auto(&space, 50, 0);
    struct suggestion got;
    assert_int_equal(search_total(s), 3);
    for (int64_t k = 1; k <= 3; k++)
        assert_int_equal(search_ask(s, k, arena, &got, NULL), SEARCH_HERE);
    assert_int_equal(search_ask(s, 4, arena, &got, NULL), SEARCH_END);
    search_free(s);
}

static void options_are_refused(void **state)
{
    (void)state;
    struct space space = space_of(LIST(A_NUMBER), arena);
    struct value *options =
        json_parse(arena, STR("{\"depth\":3}"), "o", true, NULL);
    struct search_setup given = {.space = &space, .options = options};
    struct err err = {0};
    assert_null(search_open("auto", &given, &err));
    assert_non_null(strstr(err.text, "auto"));
}

static void tell(struct search *s, int64_t k, const struct value *point)
{
    double x = value_number(value_get(point, STR("a")));
    struct result r = {.trial = k,
                       .point = point,
                       .state = STATE_DONE,
                       .value = (x - 0.3) * (x - 0.3)};
    search_tell(s, &r);
}

/* With a thousand results known the second method takes over, and knows what
 * the first one had asked for. */
static void a_long_search_changes_its_method(void **state)
{
    (void)state;
    struct space space = space_of(LIST(A_NUMBER), arena);
    struct search *s = open_auto(&space, 0, 0);
    struct search_setup given = {.space = &space, .minimize = true};
    struct search *tpe = search_open("tpe", &given, NULL);
    struct suggestion got, again;
    for (int64_t k = 1; k < 1000; k++) {
        struct rng rng;
        rng_init(&rng, 1, (uint64_t)k, "point");
        struct value *point = space_sample(&space, &rng, arena);
        tell(s, k, point);
        tell(tpe, k, point);
    }
    assert_int_equal(search_ask(s, 1000, arena, &got, NULL), SEARCH_HERE);
    assert_int_equal(search_ask(s, 1001, arena, &again, NULL), SEARCH_HERE);
    double pending = value_number(value_get(again.point, STR("a")));
    tell(s, 1000, got.point);
    tell(tpe, 1000, got.point);
    struct result running = {.trial = 1001,
                             .point = again.point,
                             .state = STATE_RUNNING,
                             .value = NAN};
    search_tell(tpe, &running);
    search_ask(s, 1001, arena, &again, NULL);
    assert_true(pending == value_number(value_get(again.point, STR("a"))));
    search_ask(s, 1002, arena, &got, NULL);
    search_ask(tpe, 1002, arena, &again, NULL);
    assert_true(value_number(value_get(got.point, STR("a"))) ==
                value_number(value_get(again.point, STR("a"))));
    search_free(s);
    search_free(tpe);
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, setup, teardown)
int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(it_picks_by_space_and_budget),
        TEST(only_auto_has_to_say_why),
        TEST(without_a_metric_it_does_not_say_that_it_learns),
        TEST(a_small_space_is_tried_through),
        TEST(options_are_refused),
        TEST(a_long_search_changes_its_method),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
