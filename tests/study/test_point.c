/* test_point.c - points that people write */
#include "search/search.h"
#include "study/study.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>
#include "base/json.h"

static struct space space_of(struct arena *a, const char *text)
{
    struct plan_reader reader = {.methods = search_methods};
    struct problems problems;
    problems_init(&problems, a);
    struct plan *p = plan_read(str_of(text), "s.yaml", &reader, a, &problems);
    if (!p)
        fail_msg("the study has mistakes");
    return p->space;
}

static const char study[] =
    "command: [x]\nmethod: random\nrun_cap: 1\nparameters:\n"
    "  lr: {min: 0.001, max: 0.1, distribution: log_uniform_values}\n"
    "  bs: {values: [32, 64, 128]}\n"
    "  layers: {min: 1, max: 8}\n"
    "  opt: {values: [sgd, adam]}\n"
    "  momentum: {min: 0.0, max: 1.0, when: {opt: [sgd]}}\n"
    "  data: {value: mnist}\n"
    "  net:\n    parameters: {width: {values: [8, 16]}}\n";

/* The point as text, or what is wrong. */
static const char *point(struct arena *a, const char *given, const char *like,
                         bool outside)
{
    struct space s = space_of(a, study);
    struct err err = {0};
    struct buf b;
    struct value *p = study_point(
        &s, json_parse(a, str_of(given), "given", true, NULL),
        like ? json_parse(a, str_of(like), "like", true, NULL) : NULL, outside,
        a, &err);
    if (!p)
        return arena_cstr(a, str_of(err.text));
    buf_init(&b);
    json_print_sorted(&b, p);
    const char *text = arena_cstr(a, buf_str(&b));
    buf_done(&b);
    return text;
}

#define FULL                                                                   \
    "\"lr\":0.01,\"bs\":64,\"layers\":2,\"opt\":\"adam\",\"net.width\":8"

static void values_become_what_the_space_has(void **state)
{
    struct arena *a = arena_new();
    (void)state;
    assert_string_equal(
        point(a,
              "{\"lr\":\"1e-2\",\"bs\":\"64\",\"layers\":2.0,\"opt\":\"sgd\","
              "\"momentum\":1,\"net\":{\"width\":16}}",
              NULL, false),
        "{\"bs\":64,\"data\":\"mnist\",\"layers\":2,\"lr\":0.01,"
        "\"momentum\":1.0,\"net\":{\"width\":16},\"opt\":\"sgd\"}");
    arena_free(a);
}

static void what_is_not_given_comes_from_another_point(void **state)
{
    struct arena *a = arena_new();
    (void)state;
    const char *like = point(a, "{" FULL "}", NULL, false);
    assert_string_equal(
        point(a, "{\"lr\":0.05}", like, false),
        "{\"bs\":64,\"data\":\"mnist\",\"layers\":2,\"lr\":0.05,"
        "\"net\":{\"width\":8},\"opt\":\"adam\"}");
    arena_free(a);
}

static void mistakes_name_the_parameter_and_what_it_takes(void **state)
{
    struct arena *a = arena_new();
    (void)state;
    assert_non_null(
        strstr(point(a, "{\"lrr\":1}", NULL, false), "did you mean `lr`?"));
    assert_non_null(
        strstr(point(a, "{\"lr\":0.01}", NULL, false), "is missing"));
    assert_non_null(strstr(point(a, "{" FULL ",\"momentum\":0.5}", NULL, false),
                           "only counts when opt is one of \"sgd\""));
    assert_non_null(strstr(point(a,
                                 "{\"lr\":5,"
                                 "\"bs\":64,\"layers\":2,\"opt\":\"adam\","
                                 "\"net.width\":8}",
                                 NULL, false),
                           "5 is outside of log_uniform_values 0.001 to 0.1"));
    assert_non_null(strstr(point(a,
                                 "{\"lr\":0.01,\"bs\":65,\"layers\":2,"
                                 "\"opt\":\"adam\",\"net.width\":8}",
                                 NULL, false),
                           "one of 32, 64, 128"));
    assert_non_null(strstr(point(a,
                                 "{\"lr\":0.01,\"bs\":64,\"layers\":2.5,"
                                 "\"opt\":\"adam\",\"net.width\":8}",
                                 NULL, false),
                           "no whole number"));
    assert_non_null(
        strstr(point(a, "{" FULL ",\"data\":\"cifar\"}", NULL, false),
               "always \"mnist\""));
    arena_free(a);
}

static void outside_allows_values_that_are_not_in_the_space(void **state)
{
    struct arena *a = arena_new();
    (void)state;
    assert_string_equal(point(a,
                              "{\"lr\":5,\"bs\":65,\"layers\":20,\"opt\":"
                              "\"adam\",\"net.width\":8}",
                              NULL, true),
                        "{\"bs\":65,\"data\":\"mnist\",\"layers\":20,\"lr\":"
                        "5.0,\"net\":{\"width\":8},\"opt\":\"adam\"}");
    arena_free(a);
}

static void a_listed_point_is_the_model_of_an_added_one(void **state)
{
    struct arena *a = arena_new();
    struct err err = {0};
    struct value *model =
        json_parse(a, STR("{\"x\":1,\"y\":2}"), "model", true, NULL);
    struct value *given = json_parse(a, STR("{\"x\":5}"), "given", true, NULL);
    (void)state;
    assert_null(study_point_as(model, given, NULL, a, &err));
    assert_non_null(strstr(err.text, "y is missing"));
    struct value *p = study_point_as(model, given, model, a, &err);
    assert_non_null(p);
    assert_true(value_get(p, STR("x"))->i == 5);
    assert_true(value_get(p, STR("y"))->i == 2);
    given = json_parse(a, STR("{\"z\":5}"), "given", true, NULL);
    assert_null(study_point_as(model, given, model, a, &err));
    assert_non_null(strstr(err.text, "no point has a `z`"));
    arena_free(a);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(values_become_what_the_space_has),
        cmocka_unit_test(what_is_not_given_comes_from_another_point),
        cmocka_unit_test(mistakes_name_the_parameter_and_what_it_takes),
        cmocka_unit_test(outside_allows_values_that_are_not_in_the_space),
        cmocka_unit_test(a_listed_point_is_the_model_of_an_added_one),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
