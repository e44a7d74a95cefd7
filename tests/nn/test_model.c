/* test_model.c - reading model files */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <cmocka.h>

#include "base/json.h"
#include "nn/nn.h"
#include "made.h"

static void parameters_are_counted(void **state)
{
    struct made m;
    (void)state;
    made_open(&m,
              "{\"input\": [28, 28, 1], \"layers\": [\"flatten\", "
              "{\"dense\": 512, \"activation\": \"relu\"}, {\"dropout\": 0.2}, "
              "{\"dense\": 512, \"activation\": \"relu\"}, {\"dropout\": 0.2}, "
              "{\"dense\": 10}], \"loss\": "
              "\"sparse_categorical_crossentropy\"}",
              8);
    assert_int_equal(nn_model_parameters(m.model), 669706);
    made_close(&m);
}

static void widths_and_repeat_make_layers(void **state)
{
    struct made m;
    (void)state;
    made_open(&m,
              "{\"input\": 4, \"layers\": [{\"dense\": {\"activation\": "
              "\"relu\"}, \"widths\": [8, 6]}, {\"dense\": 5, \"repeat\": "
              "3}], \"loss\": \"mse\"}",
              8);
    assert_int_equal(m.model->graph.layers.len, 5);
    assert_int_equal(nn_model_parameters(m.model),
                     4 * 8 + 8 + 8 * 6 + 6 + 6 * 5 + 5 + 2 * (5 * 5 + 5));
    made_close(&m);
}

static void all_faults_are_named_by_their_path(void **state)
{
    struct arena *a = arena_new();
    struct nn_faults faults = {.arena = a};
    struct err err = {0};
    (void)state;
    struct value *v = json_parse(
        a,
        STR("{\"input\": 4, \"layers\": [{\"dense\": 8, \"activaton\": "
            "\"relu\"}, {\"dense\": -1}], \"optimizer\": \"adm\", "
            "\"loss\": \"mse\"}"),
        "model", false, &err);
    assert_non_null(v);
    assert_null(nn_model_read(v, NULL, &faults));
    assert_int_equal(faults.count, 3);
    assert_string_equal(faults.items[0].path.p, "optimizer.name");
    assert_string_equal(faults.items[0].hint.p, "did you mean adam?");
    assert_string_equal(faults.items[1].path.p, "layers[0].activaton");
    assert_string_equal(faults.items[1].hint.p, "did you mean activation?");
    assert_string_equal(faults.items[2].path.p, "layers[1].units");
    arena_free(a);
}

static uint64_t key_of(const char *json)
{
    struct made m;
    made_open(&m, json, 4);
    uint64_t key = nn_model_key(m.model);
    made_close(&m);
    return key;
}

static void soft_numbers_do_not_part_a_cohort(void **state)
{
    (void)state;
    uint64_t one = key_of("{\"input\": 4, \"layers\": [{\"dense\": 8}, "
                          "{\"dropout\": 0.1}], \"optimizer\": {\"name\": "
                          "\"adam\", \"lr\": 0.1}, \"loss\": \"mse\"}");
    uint64_t two = key_of("{\"input\": 4, \"layers\": [{\"dense\": 8}, "
                          "{\"dropout\": 0.5}], \"optimizer\": {\"name\": "
                          "\"adam\", \"lr\": 0.2}, \"loss\": \"mse\"}");
    uint64_t other = key_of("{\"input\": 4, \"layers\": [{\"dense\": 9}, "
                            "{\"dropout\": 0.5}], \"optimizer\": {\"name\": "
                            "\"adam\", \"lr\": 0.2}, \"loss\": \"mse\"}");
    assert_int_equal(one, two);
    assert_int_not_equal(one, other);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(parameters_are_counted),
        cmocka_unit_test(widths_and_repeat_make_layers),
        cmocka_unit_test(all_faults_are_named_by_their_path),
        cmocka_unit_test(soft_numbers_do_not_part_a_cohort),
    };
    return cmocka_run_group_tests_name("model", tests, NULL, NULL);
}
