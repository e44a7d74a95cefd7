/* test_judge.c - metrics are those that scikit-learn and hand give */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

#include "base/json.h"
#include "nn/judge.h"

enum { METRICS = 10 };

/* A model of one layer, judged on rows in two batches. */
static void judge(const char *json, const double *outputs, size_t width,
                  const struct data_field *label, size_t rows, double *values)
{
    struct arena *a = arena_new();
    struct problems faults = {.arena = a};
    struct err err = {0};
    uint32_t numbers[16];
    struct value *v = json_parse(a, str_of(json), "model", false, &err);
    struct nn_model *m = v ? nn_model_read(v, NULL, &faults) : NULL;
    if (!m)
        fail_msg("%s", v ? faults.list.p[0].text.p : err.text);
    struct nn_judge *j = nn_judge_new(m);
    for (size_t i = 0; i < rows; i++)
        numbers[i] = (uint32_t)i;
    for (int twice = 0; twice < 2; twice++) { /* nothing stays of the first */
        assert_int_equal(nn_judge_begin(j, rows, &err), 0);
        nn_judge_batch(j, 0, outputs, width, label, numbers, 2);
        nn_judge_batch(j, 0, outputs + 2 * width, width, label, numbers + 2,
                       rows - 2);
        const double *found = nn_judge_end(j);
        for (size_t i = 0; i < nn_model_metric_count(m); i++)
            values[i] = found[i];
    }
    nn_judge_free(j);
    nn_model_free(m);
    arena_free(a);
}

static void near(double found, double wanted)
{
    if (!(fabs(found - wanted) < 1e-12))
        fail_msg("%.17g, not %.17g", found, wanted);
}

/* The mean over classes of the share of pairs in order, each pair a row that
 * is of the class and one that is not. */
static double macro_auc(const double *out, const int32_t *truth, int rows,
                        int classes)
{
    double sum = 0;
    int counted = 0;
    for (int c = 0; c < classes; c++) {
        double above = 0, pairs = 0;
        for (int i = 0; i < rows; i++)
            for (int k = 0; k < rows; k++)
                if (truth[i] == c && truth[k] != c) {
                    double x = out[i * classes + c], y = out[k * classes + c];
                    above += x > y ? 1 : x == y ? 0.5 : 0;
                    pairs++;
                }
        sum += pairs > 0 ? above / pairs : 0;
        counted += pairs > 0;
    }
    return sum / counted;
}

static void several_classes(void **state)
{
    static const double out[] = {
        0.7,  0.2,  0.1,  /* 0: right */
        0.1,  0.6,  0.3,  /* 0: taken for 1, the third likeliest */
        0.2,  0.5,  0.3,  /* 1: right */
        0.3,  0.25, 0.45, /* 1: taken for 2, third */
        0.05, 0.15, 0.8,  /* 2: right */
        0.4,  0.25, 0.35, /* 2: taken for 0, second */
    };
    static const int32_t truth[] = {0, 0, 1, 1, 2, 2};
    struct data_field label = {
        .rank = 1, .dim = {1}, .columns = 1, .classes = 3, .categories = truth};
    double v[METRICS];
    (void)state;
    judge("{\"input\": 2, \"layers\": [{\"dense\": 3}], \"loss\": "
          "\"sparse_categorical_crossentropy\", \"metrics\": [\"accuracy\", "
          "\"top_1\", \"top_2\", \"top_3\", \"f1_micro\", \"f1_macro\", "
          "\"auc\", \"confusion\"]}",
          out, 3, &label, 6, v);
    near(v[0], 3.0 / 6);
    near(v[1], 3.0 / 6);
    near(v[2], 4.0 / 6);
    near(v[3], 1);
    near(v[4], 3.0 / 6);
    near(v[5], 0.5); /* each class: 1 right, 2 are it, 2 are called it */
    /* roc_auc_score(truth, out, multi_class="ovr", average="macro"): pairs in
     * order, by the definition, for each class. */
    near(v[6], macro_auc(out, truth, 6, 3));
    near(v[6], (5.0 / 8 + 5.5 / 8 + 7.0 / 8) / 3); /* counted by hand */
}

static void classes_of_unequal_size(void **state)
{
    static const double out[] = {0.9, 0.1, 0,   0.8, 0.2, 0,   0.7, 0.3,
                                 0,   0.3, 0.7, 0,   0.6, 0.4, 0};
    static const int32_t truth[] = {0, 0, 0, 1, 1};
    struct data_field label = {
        .rank = 1, .dim = {1}, .columns = 1, .classes = 3, .categories = truth};
    double v[METRICS];
    (void)state;
    judge("{\"input\": 2, \"layers\": [{\"dense\": 3}], \"loss\": "
          "\"sparse_categorical_crossentropy\", \"metrics\": [\"f1_micro\", "
          "\"f1_macro\"]}",
          out, 3, &label, 5, v);
    near(v[0], 0.8);
    /* 6/7 and 2/3; the third class is neither there nor predicted. */
    near(v[1], (6.0 / 7 + 2.0 / 3) / 2);
}

static void yes_or_no(void **state)
{
    /* scikit-learn's example: roc_auc_score([0, 0, 1, 1], [.1, .4, .35, .8])
     * is 0.75. */
    static const double out[] = {0.1, 0.4, 0.35, 0.8};
    static const float truth[] = {0, 0, 1, 1};
    struct data_field label = {
        .rank = 1, .dim = {1}, .columns = 1, .numbers = truth};
    double v[METRICS];
    (void)state;
    judge("{\"input\": 2, \"layers\": [{\"dense\": 1}], \"loss\": "
          "\"binary_crossentropy\", \"metrics\": [\"auc\", \"accuracy\", "
          "\"f1_macro\", \"f1_micro\"]}",
          out, 1, &label, 4, v);
    near(v[0], 0.75);
    near(v[1], 0.75);
    near(v[2], (0.8 + 2.0 / 3) / 2);
    near(v[3], 0.75);
}

static void several_of_yes_and_no(void **state)
{
    static const double out[] = {0.9, 0.2, 0.6, 0.4, 0.7, 0.1};
    static const float truth[] = {1, 0, 0, 1, 1, 0};
    struct data_field label = {
        .rank = 1, .dim = {3}, .columns = 3, .numbers = truth};
    double v[METRICS];
    (void)state;
    judge("{\"input\": 2, \"layers\": [{\"dense\": 3}], \"loss\": "
          "\"binary_crossentropy\", \"metrics\": [\"accuracy\", "
          "\"f1_micro\", \"f1_macro\", \"auc\"]}",
          out, 3, &label, 2, v);
    near(v[0], 4.0 / 6);
    near(v[1], 4.0 / 6); /* 2 both, 3 true, 3 said */
    near(v[2], (2.0 / 3 + 1 + 0) / 3);
    near(v[3], 8.0 / 9); /* of 3 × 3 pairs only 0.4 against 0.6 is wrong */
}

/* As numpy has it over all numbers of all rows. */
static void dice_is_judged_pixel_by_pixel(void **state)
{
    static const double out[] = {0.9, 0.2, 0.6, 0.4, 0.7, 0.1, 0.8, 0.3};
    static const float truth[] = {1, 0, 0, 1, 1, 0, 1, 0};
    static const float nothing[8] = {0};
    static const double low[8] = {0};
    struct data_field label = {
        .rank = 2, .dim = {2, 2}, .columns = 4, .numbers = truth};
    static const char model[] =
        "{\"input\": 2, \"layers\": [{\"dense\": 4, \"activation\": "
        "\"sigmoid\"}], \"loss\": \"%s\", \"metrics\": [\"accuracy\", "
        "\"f1_micro\", \"auc\", \"iou\", \"dice\", \"f1_macro\"]}";
    static const char *const losses[] = {"dice", "binary_crossentropy"};
    double v[METRICS];
    (void)state;
    for (int i = 0; i < 2; i++) {
        char text[400];
        const char *hole = strstr(model, "%s");
        snprintf(text, sizeof text, "%.*s%s%s", (int)(hole - model), model,
                 losses[i], hole + 2);
        label.numbers = truth;
        judge(text, out, 4, &label, 2, v);
        near(v[0], 6.0 / 8);
        near(v[1], 6.0 / 8);   /* 3 both, 4 true, 4 said */
        near(v[2], 15.0 / 16); /* of 4 × 4 pairs 0.4 against 0.6 is wrong */
        near(v[3], 3.0 / 5);
        near(v[4], 6.0 / 8);
        near(v[5], (1.0 + 0 + 2.0 / 3) / 3); /* the second is never there */
        label.numbers = nothing;
        judge(text, low, 4, &label, 2, v);
        assert_true(isnan(v[3]) && isnan(v[4])); /* nothing to find */
    }
}

static void overlaps_of_classes_are_means(void **state)
{
    static const double out[] = {0.9, 0.1, 0,   0.8, 0.2, 0,   0.7, 0.3,
                                 0,   0.3, 0.7, 0,   0.6, 0.4, 0};
    static const int32_t truth[] = {0, 0, 0, 1, 1};
    static const double one[] = {0.9, 0.2, 0.6, 0.1};
    static const float yes[] = {1, 0, 0, 0};
    struct data_field label = {
        .rank = 1, .dim = {1}, .columns = 1, .classes = 3, .categories = truth};
    double v[METRICS];
    (void)state;
    judge("{\"input\": 2, \"layers\": [{\"dense\": 3}], \"loss\": "
          "\"sparse_categorical_crossentropy\", \"metrics\": [\"iou\", "
          "\"dice\", \"auc\"]}",
          out, 3, &label, 5, v);
    near(v[0], (3.0 / 4 + 1.0 / 2) / 2);
    near(v[1], (6.0 / 7 + 2.0 / 3) / 2);
    near(v[2], macro_auc(out, truth, 5, 3)); /* no row is of the third */
    label = (struct data_field){
        .rank = 1, .dim = {1}, .columns = 1, .numbers = yes};
    judge("{\"input\": 2, \"layers\": [{\"dense\": 1}], \"loss\": "
          "\"binary_crossentropy\", \"metrics\": [\"iou\", \"dice\"]}",
          one, 1, &label, 4, v);
    near(v[0], 1.0 / 2);
    near(v[1], 2.0 / 3);
}

static void numbers(void **state)
{
    /* scikit-learn's example: r2_score([3, -.5, 2, 7], [2.5, 0, 2, 8]) is
     * 0.9486081370449679. */
    static const double out[] = {2.5, 0, 2, 8}, flat[] = {1, 2, 3};
    static const float truth[] = {3, -0.5f, 2, 7}, same[] = {2, 2, 2};
    struct data_field label = {
        .rank = 1, .dim = {1}, .columns = 1, .numbers = truth};
    static const char model[] =
        "{\"input\": 2, \"layers\": [{\"dense\": 1}], \"loss\": \"mse\", "
        "\"metrics\": [\"r2\", \"mae\", \"mse\"]}";
    double v[METRICS];
    (void)state;
    judge(model, out, 1, &label, 4, v);
    near(v[0], 0.9486081370449679);
    near(v[1], 0.5);
    near(v[2], 0.375);
    label.numbers = same;
    judge(model, flat, 1, &label, 3, v);
    assert_true(isnan(v[0])); /* nothing to explain */
    near(v[2], 2.0 / 3);
}

/* Above one half is no class of 1 and 2. */
static void numbers_have_no_class_unless_they_are_0_and_1(void **state)
{
    static const double out[] = {1.1, 1.9, 0.9, 2.2};
    static const float truth[] = {1, 2, 1, 2}, answers[] = {1, 1, 0, 1};
    static const int32_t class[] = {0, 1, 0, 1};
    struct data_field label = {.rank = 1,
                               .dim = {1},
                               .columns = 1,
                               .classes = 2,
                               .categories = class,
                               .numbers = truth};
    static const char model[] =
        "{\"input\": 2, \"layers\": [{\"dense\": 1}], \"loss\": \"mse\", "
        "\"metrics\": [\"accuracy\", \"auc\", \"f1_macro\", \"mae\"]}";
    double v[METRICS];
    (void)state;
    judge(model, out, 1, &label, 4, v);
    for (int i = 0; i < 3; i++)
        assert_true(isnan(v[i]));
    near(v[3], 0.125);
    label.numbers = answers;
    label.categories = NULL;
    label.classes = 0;
    judge(model, out, 1, &label, 4, v);
    near(v[0], 0.75);
    near(v[1], 1);
}

/* A network that diverged says NaN, or a number where its last layer hides
 * one; either way judging it comes to an end. */
static void a_prediction_that_is_not_a_number_is_no_hit(void **state)
{
    static const double one[] = {0.1, NAN, 0.35, NAN};
    static const double two[] = {0.1, 0.9, NAN, NAN, 0.2, 0.8, 0.7, 0.3};
    static const float truth[] = {0, 0, 1, 1};
    static const int32_t class[] = {1, 0, 1, 0};
    struct data_field label = {
        .rank = 1, .dim = {1}, .columns = 1, .numbers = truth};
    double v[METRICS];
    (void)state;
    judge("{\"input\": 2, \"layers\": [{\"dense\": 1}], \"loss\": "
          "\"binary_crossentropy\", \"metrics\": [\"auc\", \"accuracy\", "
          "\"f1_macro\", \"mae\"]}",
          one, 1, &label, 4, v);
    for (int i = 0; i < 4; i++)
        assert_true(isnan(v[i]));
    label = (struct data_field){
        .rank = 1, .dim = {1}, .columns = 1, .classes = 2, .categories = class};
    judge("{\"input\": 2, \"layers\": [{\"dense\": 2}], \"loss\": "
          "\"sparse_categorical_crossentropy\", \"metrics\": [\"top_1\", "
          "\"auc\", \"f1_micro\"]}",
          two, 2, &label, 4, v);
    for (int i = 0; i < 3; i++)
        assert_true(isnan(v[i]));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(several_classes),
        cmocka_unit_test(classes_of_unequal_size),
        cmocka_unit_test(yes_or_no),
        cmocka_unit_test(several_of_yes_and_no),
        cmocka_unit_test(dice_is_judged_pixel_by_pixel),
        cmocka_unit_test(overlaps_of_classes_are_means),
        cmocka_unit_test(numbers),
        cmocka_unit_test(numbers_have_no_class_unless_they_are_0_and_1),
        cmocka_unit_test(a_prediction_that_is_not_a_number_is_no_hit),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
