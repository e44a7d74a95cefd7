/* test_ga.c - what ga alone must do */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <math.h>
#include <stdlib.h>

#include "search/search.h"
#include "mixed_space.h"
#include "terms/state.h"

static struct search *open_with(const struct space *on, const char *options,
                                const struct point_source *points,
                                struct err *err)
{
    struct search_setup given = {
        .space = on,
        .seed = 5,
        .minimize = true,
        .points = points,
        .options = json_parse(arena, str_of(options), "o", true, NULL)};
    return search_open("ga", &given, err);
}

static struct search *must_open(const struct space *on, const char *options)
{
    struct err err = {0};
    struct search *s = open_with(on, options, NULL, &err);
    if (!s)
        fail_msg("%s", err.text);
    return s;
}

static enum search_answer ask(struct search *s, int64_t k, struct value **point)
{
    struct suggestion got = {0};
    enum search_answer answer = search_ask(s, k, arena, &got, NULL);
    *point = got.point;
    return answer;
}

static void tell(struct search *s, int64_t k, const struct value *point,
                 double value)
{
    struct result r = {.trial = k,
                       .point = point,
                       .state = isnan(value) ? STATE_FAILED : STATE_DONE,
                       .value = value};
    search_tell(s, &r);
}

static const char *text_of(const struct value *v)
{
    struct buf b;
    buf_init(&b);
    json_print(&b, v);
    const char *text = arena_cstr(arena, buf_str(&b));
    buf_done(&b);
    return text;
}

static double objective(const struct value *point)
{
    double sum = 0;
    for (size_t i = 0; i < space.count; i++) {
        const struct value *v = point_get(point, &space.params[i]);
        double u = v ? param_position(&space.params[i], v) : 0.5;
        sum += (u - 0.3) * (u - 0.3);
    }
    return sum;
}

static void options_are_checked(void **state)
{
    (void)state;
    static const struct {
        const char *options, *error;
    } cases[] = {
        {"{\"strategy\":\"easy\"}",
         "ga: strategy must be steady, simple or mu_plus_lambda"},
        {"{\"crossover\":0.5}", "they must not pass 1"},
        {"{\"sigma\":3}", "ga: sigma must be an object"},
        {"{\"sigma\":{\"nix\":3}}", "sigma names 'nix', which is no parameter"},
        {"{\"sigma\":{\"lr\":-1}}", "sigma of 'lr' must be a number above 0"},
        {"{\"populatoin\":3}", "did you mean population?"},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
        struct err err = {0};
        assert_null(open_with(&space, cases[i].options, NULL, &err));
        if (!strstr(err.text, cases[i].error))
            fail_msg("%s: %s", cases[i].options, err.text);
    }
}

/* Trials of one generation after the first, by strategy, of 10. */
static const struct {
    const char *options;
    int64_t size;
} ways[] = {{"{\"strategy\":\"simple\",\"population\":10,\"crossover\":0.9,"
             "\"mutation\":0.3}",
             10},
            {"{\"strategy\":\"mu_plus_lambda\",\"population\":10}", 5},
            {"{\"strategy\":\"mu_plus_lambda\",\"population\":10,"
             "\"offspring\":0.3,\"mutation\":0.4}",
             3}};
enum { WAYS = sizeof(ways) / sizeof(*ways) };

/* Every generation has its number of trials, and none is asked for before all
 * of the one before have ended; some of them fail. */
static void generations_wait_for_their_parents(void **state)
{
    (void)state;
    for (size_t w = 0; w < WAYS; w++) {
        struct search *s = must_open(&space, ways[w].options);
        int64_t start = 1, size = 10;
        struct value *points[11], *none;
        for (int generation = 0; generation < 12; generation++) {
            for (int64_t i = 0; i < size; i++) {
                assert_int_equal(ask(s, start + i, &points[i]), SEARCH_HERE);
                assert_point(&space, points[i]);
            }
            for (int64_t i = size - 1; i >= 0; i--) {
                assert_int_equal(ask(s, start + size, &none), SEARCH_WAIT);
                tell(s, start + i, points[i],
                     i % 4 == 3 ? NAN : objective(points[i]));
            }
            start += size;
            size = ways[w].size;
        }
        search_free(s);
    }
}

/* Told in any order, from nothing: the same next generation. */
static void a_resumed_generation_is_the_same(void **state)
{
    (void)state;
    for (size_t w = 0; w < WAYS; w++) {
        struct search *s = must_open(&space, ways[w].options);
        struct search *t = must_open(&space, ways[w].options);
        struct value *points[61], *p, *q;
        int64_t last = 10 + 10 * ways[w].size;
        last = last > 50 ? 50 : last;
        for (int64_t k = 1; k <= last; k++) {
            assert_int_equal(ask(s, k, &points[k]), SEARCH_HERE);
            tell(s, k, points[k], objective(points[k]));
        }
        for (int64_t k = last; k >= 1; k--) {
            struct str text = str_of(text_of(points[k]));
            struct value *again = json_parse(arena, text, "p", true, NULL);
            tell(t, k, again, objective(again));
        }
        for (int64_t k = last + 1; k <= last + ways[w].size; k++) {
            assert_int_equal(ask(s, k, &p), SEARCH_HERE);
            assert_int_equal(ask(t, k, &q), SEARCH_HERE);
            assert_string_equal(text_of(p), text_of(q));
        }
        search_free(s);
        search_free(t);
    }
}

/* They would wait for ever. */
static void generations_refuse_an_order_that_holds_results_back(void **state)
{
    (void)state;
    struct search_setup given = {
        .space = &space, .order = SEARCH_LAG, .lag = 4};
    struct err err = {0};
    given.options =
        json_parse(arena, STR("{\"strategy\":\"simple\"}"), "o", true, NULL);
    assert_null(search_open("ga", &given, &err));
    assert_non_null(strstr(err.text, "which this order holds back"));
    given.options = NULL;
    struct search *s = search_open("ga", &given, &err);
    assert_non_null(s);
    search_free(s);
}

static double mean_of(const char *options, int64_t from, int64_t to)
{
    struct search *s = must_open(&space, options);
    double sum = 0;
    struct value *point;
    for (int64_t k = 1; k <= to; k++) {
        assert_int_equal(ask(s, k, &point), SEARCH_HERE);
        double value = objective(point);
        sum += k >= from ? value : 0;
        tell(s, k, point, value);
    }
    search_free(s);
    return sum / (double)(to - from + 1);
}

static void later_generations_are_better(void **state)
{
    (void)state;
    static const char *const all[] = {
        "{}",
        "{\"strategy\":\"simple\"}",
        "{\"strategy\":\"mu_plus_lambda\"}",
    };
    for (size_t i = 0; i < 3; i++)
        assert_true(mean_of(all[i], 145, 160) < 0.8 * mean_of(all[i], 1, 16));
}

/* Everything failed: there is nothing to breed from, and it goes on. */
static void failures_alone_leave_it_spreading(void **state)
{
    (void)state;
    for (size_t w = 0; w < WAYS; w++) {
        struct search *s = must_open(&space, ways[w].options);
        struct value *point;
        for (int64_t k = 1; k <= 60; k++) {
            assert_int_equal(ask(s, k, &point), SEARCH_HERE);
            assert_point(&space, point);
            tell(s, k, point, NAN);
        }
        search_free(s);
    }
}

static int listed(void *context, uint64_t i, struct arena *a,
                  struct value **point, struct str *run_id, struct err *err)
{
    (void)context;
    (void)err;
    *point = value_object(a);
    value_set(a, *point, STR("x"), value_double(a, (double)i / 100));
    value_set(a, *point, STR("c"), value_string(a, STR("b")));
    *run_id = STR("");
    return 0;
}

static const char line_text[] = "{\"version\":1,\"parameters\":["
    /* clang-format off */
    PARAM("c", "categorical",
          "\"values\":[\"a\",\"b\",\"c\",\"d\",\"e\",\"f\",\"g\"]") ","
    PARAM("x", "uniform", "\"min\":0,\"max\":10")
    /* clang-format on */
    "]}";

static void listed_points_are_the_first_population(void **state)
{
    (void)state;
    struct space line = space_of(line_text, arena);
    struct point_source points = {.count = 20, .get = listed};
    struct err err = {0};
    assert_null(open_with(&line, "{\"strategy\":\"simple\",\"population\":30}",
                          &points, &err));
    assert_non_null(strstr(err.text, "the list has 20 points"));
    struct search *s = open_with(&line, "{}", &points, &err);
    assert_non_null(s);
    for (int64_t k = 1; k <= 20; k++) {
        struct value *point;
        assert_int_equal(ask(s, k, &point), SEARCH_HERE);
        double x = value_number(value_get(point, STR("x")));
        assert_true(x == (double)(k - 1) / 100);
        tell(s, k, point, x);
    }
    search_free(s);
}

/* With sigma a change is small, and a category moves to a neighbour only. */
static void sigma_is_the_width_of_a_change(void **state)
{
    (void)state;
    struct space line = space_of(line_text, arena);
    struct point_source points = {.count = 20, .get = listed};
    struct err err = {0};
    struct search *s =
        open_with(&line,
                  "{\"strategy\":\"simple\",\"population\":20,\"crossover\":0,"
                  "\"mutation\":1,\"gene_mutation\":1,\"sigma\":{\"x\":0.001,"
                  "\"c\":0.3}}",
                  &points, &err);
    assert_non_null(s);
    struct value *point;
    int moved = 0;
    for (int64_t k = 1; k <= 40; k++) {
        assert_int_equal(ask(s, k, &point), SEARCH_HERE);
        double x = value_number(value_get(point, STR("x")));
        char c = value_text(value_get(point, STR("c"))).p[0];
        tell(s, k, point, x);
        assert_true(x < 0.2 && c >= 'a' && c <= 'c');
        moved += k > 20 && c != 'b';
    }
    assert_true(moved < 10);
    search_free(s);
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, setup_space, teardown)
int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(options_are_checked),
        TEST(generations_wait_for_their_parents),
        TEST(a_resumed_generation_is_the_same),
        TEST(generations_refuse_an_order_that_holds_results_back),
        TEST(later_generations_are_better),
        TEST(failures_alone_leave_it_spreading),
        TEST(listed_points_are_the_first_population),
        TEST(sigma_is_the_width_of_a_change),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
