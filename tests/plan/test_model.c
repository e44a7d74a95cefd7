/* test_model.c - the model file of a study */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "base/json.h"
#include "plan/plan.h"
#include "plan_test.h"

#define STUDY                                                                  \
    "model: net.yaml\nmethod: random\nrun_cap: 3\nparameters:\n  lr: {min: "   \
    "0.1, max: 0.2}\n  widths: {values: [[8, 4], [16]]}\n"

static void read_study(struct reading_test *t, const char *model)
{
    const struct test_file files[] = {{"net.yaml", model}, {NULL, NULL}};
    test_read_str(t, STR(STUDY), "study.yaml", files);
}

#define LONG_ITEM                                                              \
    "one-of-many-that-are-not-short-in-a-list-of-such-things-as-there-are-"

static void names_are_replaced_by_values_of_any_kind(void **state)
{
    struct reading_test t;
    struct err err = {0};
    struct buf b;
    (void)state;
    read_study(&t, "a: ${lr}\nb: [x, \"w=${lr}!\"]\nc: {d: \"${widths}\"}\n");
    assert_non_null(t.plan);
    struct arena *a = arena_new();
    struct value *point = json_parse(a, STR("{\"lr\":0.5,\"widths\":[8,4]}"),
                                     "point", false, &err);
    struct value *model = plan_model(t.plan, point, a, &err);
    assert_non_null(model);
    buf_init(&b);
    json_print(&b, model);
    assert_string_equal(
        b.p, "{\"a\":0.5,\"b\":[\"x\",\"w=0.5!\"],\"c\":{\"d\":[8,4]}}");
    buf_done(&b);
    arena_free(a);
    test_done(&t);
}

static void a_name_that_nobody_says_has_its_default(void **state)
{
    struct reading_test t;
    struct err err = {0};
    struct buf b;
    (void)state;
    read_study(&t, "defaults: {depth: [2], lr: 9}\n"
                   "a: ${lr}\nb: ${depth}\nc: ${widths}\n");
    assert_non_null(t.plan);
    assert_string_equal(t.said.p, "");
    struct arena *a = arena_new();
    struct value *point =
        json_parse(a, STR("{\"lr\":0.5,\"widths\":8}"), "point", false, &err);
    struct value *model = plan_model(t.plan, point, a, &err);
    assert_non_null(model);
    buf_init(&b);
    json_print(&b, model);
    assert_string_equal(b.p, "{\"a\":0.5,\"b\":[2],\"c\":8}");
    buf_done(&b);
    arena_free(a);
    test_done(&t);
}

/* … and is no part of the model: it may be another one when the study goes on.
 */
static void
what_it_is_trained_on_counts_where_the_study_says_nothing(void **state)
{
    struct reading_test t;
    struct err err = {0};
    (void)state;
    read_study(&t, "device: cuda\na: ${lr}\nb: ${widths}\n");
    assert_non_null(t.plan);
    assert_true(str_is(t.plan->device, "cuda"));
    struct arena *a = arena_new();
    struct value *point =
        json_parse(a, STR("{\"lr\":0.5,\"widths\":8}"), "point", false, &err);
    struct value *model = plan_model(t.plan, point, a, &err);
    assert_int_equal(model->count, 2);
    assert_null(value_get(model, STR("device")));
    arena_free(a);
    test_done(&t);
    const struct test_file files[] = {
        {"net.yaml", "a: ${lr}\nb: ${widths}\nkernels: portable\n"},
        {NULL, NULL}};
    test_read_str(&t, STR(STUDY "device: cpu\n"), "study.yaml", files);
    assert_true(str_is(t.plan->device, "cpu"));
    test_done(&t);
    test_read_str(&t, STR(STUDY), "study.yaml", files);
    assert_true(str_is(t.plan->device, "portable"));
    test_done(&t);
}

static void what_it_is_trained_on_is_no_parameter(void **state)
{
    struct reading_test t;
    (void)state;
    read_study(&t, "a: ${widths}\ndevice: ${lr}\n");
    assert_null(t.plan);
    assert_non_null(
        strstr(t.said.p, "net.yaml:2:9: error: device cannot be '${lr}'"));
    test_done(&t);
}

static void two_words_for_one_key_say_the_same(void **state)
{
    struct reading_test t;
    (void)state;
    const struct test_file files[] = {{"net.yaml", "a: ${lr}\nb: ${widths}\n"},
                                      {NULL, NULL}};
    test_read_str(&t, STR(STUDY "device: cpu\nkernels: portable\n"),
                  "study.yaml", files);
    assert_null(t.plan);
    assert_non_null(strstr(t.said.p, "error: kernels is portable, and device "
                                     "is cpu (leave one of them out)"));
    test_done(&t);
    test_read_str(&t, STR(STUDY "device: cpu\nkernels: cpu\n"), "study.yaml",
                  files);
    assert_non_null(t.plan);
    test_done(&t);
    read_study(&t, "kernels: cuda\na: ${lr}\nb: ${widths}\ndevice: cpu\n");
    assert_null(t.plan);
    assert_non_null(
        strstr(t.said.p, "net.yaml:1:10: error: kernels is cuda, and device is "
                         "cpu (leave one of them out)"));
    test_done(&t);
}

static void a_parameter_that_stands_nowhere_is_named(void **state)
{
    struct reading_test t;
    (void)state;
    read_study(&t, "defaults: {lr: 1}\na: ${widths}\n");
    assert_non_null(t.plan);
    assert_non_null(strstr(t.said.p, "study.yaml:5:7: warning: lr makes no "
                                     "difference to the training of net.yaml"));
    assert_null(strstr(t.said.p, "widths makes no"));
    test_done(&t);
}

static void a_name_that_is_no_parameter_is_a_mistake_there(void **state)
{
    struct reading_test t;
    (void)state;
    read_study(&t, "a: 1\nb: ${lrr}\n");
    assert_null(t.plan);
    assert_non_null(strstr(t.said.p, "net.yaml:2:4: error: ${lrr} is no "
                                     "parameter of the study"));
    assert_non_null(strstr(t.said.p, "lr"));
    test_done(&t);
}

static void
a_study_without_parameters_names_what_the_model_leaves_open(void **state)
{
    const struct test_file files[] = {{"net.yaml", "a: ${lr}\n"}, {NULL, NULL}};
    struct reading_test t;
    (void)state;
    test_read_str(&t,
                  STR("model: net.yaml\nmethod: random\nrun_cap: 3\n"
                      "resources: {cpus: \"${n}\"}\n"
                      "paramters:\n  lr: {min: 0.1, max: 0.2}\n"),
                  "study.yaml", files);
    assert_null(t.plan);
    assert_non_null(strstr(t.said.p, "did you mean 'parameters'?"));
    assert_non_null(strstr(t.said.p, "net.yaml:1:4: error: ${lr} is no "
                                     "parameter of the study\n"));
    assert_non_null(strstr(t.said.p, "resources: no parameter 'n'\n"));
    test_done(&t);
}

static void a_file_that_is_not_there_is_named(void **state)
{
    struct reading_test t;
    const struct test_file none[] = {{NULL, NULL}};
    (void)state;
    test_read_str(&t, STR(STUDY), "study.yaml", none);
    assert_null(t.plan);
    assert_non_null(strstr(t.said.p, "net.yaml"));
    test_done(&t);
}

static void another_model_is_another_study(void **state)
{
    struct reading_test t, u;
    struct buf a, b;
    (void)state;
    read_study(&t, "a: 1\n");
    read_study(&u, "a: 2\n");
    buf_init(&a);
    buf_init(&b);
    plan_identity(&a, t.plan);
    plan_identity(&b, u.plan);
    assert_string_not_equal(a.p, b.p);
    buf_done(&a);
    buf_done(&b);
    test_done(&t);
    test_done(&u);
}

/* What is said of a model that is now another one. */
static void models_diff(const char *was, const char *now, const char *expected)
{
    struct reading_test t, u;
    struct buf a, b, said;
    read_study(&t, was);
    read_study(&u, now);
    buf_init(&a);
    buf_init(&b);
    buf_init(&said);
    plan_identity(&a, t.plan);
    plan_identity(&b, u.plan);
    plan_identity_diff(&said, NULL, buf_str(&a), buf_str(&b));
    assert_string_equal(said.p, expected);
    buf_done(&a);
    buf_done(&b);
    buf_done(&said);
    test_done(&t);
    test_done(&u);
}

static void what_differs_in_a_long_model_is_named(void **state)
{
#define LONG                                                                   \
    "a: ${lr}\nb: ${widths}\nc: a text that is not short at all, with words "  \
    "and words and words and words and words and words\n"
    (void)state;
    models_diff(
        LONG "layers: [{conv: 8, kernel: 3}, {dense: 10}]\n",
        LONG "layers: [{conv: 8, kernel: 5}, {dense: 10}]\n",
        "model: layers: was [{\"conv\":8,\"kernel\":3},{\"dense\":10}], "
        "now [{\"conv\":8,\"kernel\":5},{\"dense\":10}]\n");
    models_diff(LONG "d: {e: " /* a longer one */
                     "words-words-words-words-words-words-words-words-words-"
                     "words-words-words-words-words-words-words-words-words, "
                     "f: [1, 2]}\n",
                LONG "d: {e: "
                     "words-words-words-words-words-words-words-words-words-"
                     "words-words-words-words-words-words-words-words-Words, "
                     "f: [1, 3]}\ng: 1\n",
                "model: d.e: was …s-words-words-words-words\", now "
                "…s-words-words-words-Words\"\n"
                "model: d.f: was [1,2], now [1,3]\n"
                "model: g: was absent, now 1\n");
    models_diff(LONG "h: 1\ni: 1\nj: 1\nk: 1\nl: 1\nm: 1\n",
                LONG "h: 2\ni: 2\nj: 2\nk: 2\nl: 2\nm: 2\n",
                "model: h: was 1, now 2\nmodel: i: was 1, now 2\n"
                "model: j: was 1, now 2\nmodel: k: was 1, now 2\n"
                "model: and 2 more\n");
    models_diff(LONG "n: [" LONG_ITEM "1, " LONG_ITEM "2]\n",
                LONG "n: [" LONG_ITEM "1, 7, " LONG_ITEM "2]\n",
                "model: n[1]: was \"" LONG_ITEM "2\", now 7\n");
#undef LONG
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(names_are_replaced_by_values_of_any_kind),
        cmocka_unit_test(a_name_that_nobody_says_has_its_default),
        cmocka_unit_test(
            what_it_is_trained_on_counts_where_the_study_says_nothing),
        cmocka_unit_test(what_it_is_trained_on_is_no_parameter),
        cmocka_unit_test(two_words_for_one_key_say_the_same),
        cmocka_unit_test(a_parameter_that_stands_nowhere_is_named),
        cmocka_unit_test(a_name_that_is_no_parameter_is_a_mistake_there),
        cmocka_unit_test(
            a_study_without_parameters_names_what_the_model_leaves_open),
        cmocka_unit_test(a_file_that_is_not_there_is_named),
        cmocka_unit_test(another_model_is_another_study),
        cmocka_unit_test(what_differs_in_a_long_model_is_named),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
