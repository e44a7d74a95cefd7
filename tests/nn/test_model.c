/* test_model.c - reading model files */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <cmocka.h>

#include <math.h>
#include <stdio.h>
#include <string.h>

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

/* Where rows are made of rows of tables a dense first layer adds up. */
static void a_split_layer_is_counted_as_sums(void **state)
{
    struct made m;
    double added;
    (void)state;
    made_open(&m,
              "{\"input\": 300, \"layers\": [{\"dense\": 64, \"activation\": "
              "\"relu\"}, {\"dense\": 1}], \"loss\": \"mse\"}",
              8);
    assert_true(nn_model_flops_split(m.model, 3, &added) == 2 * 64);
    assert_true(added == 3 * 64);
    made_close(&m);
    made_open(&m,
              "{\"input\": 300, \"layers\": [{\"batch_norm\": {}}, "
              "{\"dense\": 1}], \"loss\": \"mse\"}",
              8);
    assert_true(nn_model_flops_split(m.model, 3, &added) ==
                nn_model_flops(m.model));
    assert_true(added == 0);
    made_close(&m);
}

/* A recurrent layer of so many units, trained in batches of so many rows. */
static const char *refusal(int units, int64_t batch)
{
    static const char text[] =
        "{'input': [2, 1], 'layers': [{'lstm': %d}, {'dense': 1}], "
        "'loss': 'mse', 'batch_size': %lld}";
    char own[sizeof(text) + 64];
    struct made m;
    snprintf(own, sizeof(own), text, units, (long long)batch);
    made_text(&m, own, 8);
    const char *why = nn_model_gpu_refuses(m.model);
    made_close(&m);
    return why;
}

/* A dense layer of so many units on 100,000 inputs. */
static const char *refusal_of_dense(int units)
{
    char own[128];
    struct made m;
    snprintf(own, sizeof(own),
             "{'input': 100000, 'layers': [{'dense': %d}, {'dense': 1}], "
             "'loss': 'mse'}",
             units);
    made_text(&m, own, 1);
    const char *why = nn_model_gpu_refuses(m.model);
    made_close(&m);
    return why;
}

static void what_no_gpu_can_train_is_known(void **state)
{
    (void)state;
    assert_null(refusal(1024, 32));
    assert_non_null(strstr(refusal(1025, 32), "1,024 units"));
    assert_null(refusal(1024, (1 << 21) - (1 << 8) - 1));
    assert_non_null(strstr(refusal(1024, (1 << 21) - (1 << 8)), "2^31 n"));
    assert_null(refusal_of_dense(19999));
    assert_non_null(strstr(refusal_of_dense(20000), "2,000,000,000 weights"));
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
    struct problems faults = {.arena = a};
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
    assert_int_equal(faults.errors, 3);
    assert_string_equal(faults.list.p[0].path.p, "optimizer.name");
    assert_string_equal(faults.list.p[0].hint.p, "did you mean adam?");
    assert_string_equal(faults.list.p[1].path.p, "layers[0].activaton");
    assert_string_equal(faults.list.p[1].hint.p, "did you mean activation?");
    assert_string_equal(faults.list.p[2].path.p, "layers[1].units");
    arena_free(a);
}

static void words_of_others_are_answered_with_those_that_are_meant(void **state)
{
    static const struct {
        const char *layer, *rest, *hint;
    } cases[] = {
        {"{\"dense\": 2, \"use_bias\": false}", "", "did you mean bias?"},
        {"{\"dense\": 2, \"kernel_initializer\": \"zeros\"}", "",
         "did you mean initializer?"},
        {"{\"BatchNormalization\": {}}", "", "did you mean batch_norm?"},
        {"{\"MaxPooling2D\": 2}", "", "did you mean max_pool2d?"},
        {"{\"Linear\": 2}", "", "did you mean dense?"},
        {"{\"dense\": 2}", ", \"metrics\": [\"acc\"]",
         "did you mean accuracy?"},
        {"{\"dense\": 2}", ", \"optimizer\": {\"learning_rate\": 0.1}",
         "did you mean lr?"},
        {"{\"dense\": 2}", ", \"optimizer\": \"SGD\"", "did you mean sgd?"},
        {"{\"dense\": 2}", ", \"lr\": 0.1", "did you mean optimizer?"},
        {"{\"flatten\": {\"qwertz\": 1}}", "",
         "the keys are type, name, from, repeat and widths"},
        {"{\"dense\": 2}", ", \"metrics\": [\"qwertz\"]",
         "use accuracy, top_k, f1_micro, f1_macro, auc, r2, mae, mse, iou, "
         "dice or confusion"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
        struct arena *a = arena_new();
        struct problems faults = {.arena = a};
        const char *text = arena_printf(
            a, "{\"input\": 4, \"layers\": [%s], \"loss\": \"mse\"%s}",
            cases[i].layer, cases[i].rest);
        assert_null(nn_model_read(
            json_parse(a, str_of(text), "model", false, NULL), NULL, &faults));
        assert_string_equal(faults.list.p[0].hint.p, cases[i].hint);
        arena_free(a);
    }
}

static void a_misspelt_layer_gets_its_suggestion(void **state)
{
    static const char *const entries[] = {
        "{\"dens\": 16}", "{\"dens\": 16, \"activation\": \"relu\"}",
        "{\"name\": \"a\", \"dens\": 16, \"activation\": \"relu\"}"};
    (void)state;
    for (size_t i = 0; i < sizeof(entries) / sizeof(*entries); i++) {
        struct arena *a = arena_new();
        struct problems faults = {.arena = a};
        const char *text = arena_printf(
            a, "{\"input\": 4, \"layers\": [%s], \"loss\": \"mse\"}",
            entries[i]);
        assert_null(nn_model_read(
            json_parse(a, str_of(text), "model", false, NULL), NULL, &faults));
        assert_string_equal(faults.list.p[0].text.p, "cannot be dens");
        assert_string_equal(faults.list.p[0].hint.p, "did you mean dense?");
        arena_free(a);
    }
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

static void what_a_cohort_shares_parts_it(void **state)
{
    static const char *const layers[] = {
        "{\"dense\": 3}",
        "{\"dense\": 3, \"name\": \"other\"}",
        "{\"dense\": 3, \"initializer\": \"he_normal\"}",
        "{\"dense\": 3, \"initializer\": {\"kind\": \"normal\"}}",
        ("{\"dense\": 3, \"initializer\": {\"kind\": \"normal\", "
         "\"spread\": 1}}"),
        "{\"dense\": 3, \"l1\": 0.1}",
        "{\"dense\": 3, \"l2\": 0.1}",
        "{\"dense\": 3, \"l2\": 0.1, \"l1\": 0.1}",
    };
    enum { LAYERS = sizeof(layers) / sizeof(*layers) };
    uint64_t keys[LAYERS + 2];
    struct buf b;
    (void)state;
    buf_init(&b);
    for (size_t i = 0; i < LAYERS + 2; i++) {
        buf_reset(&b);
        buf_addf(&b,
                 "{\"input\": 4, \"layers\": [%s], \"loss\": "
                 "\"sparse_categorical_crossentropy\"%s}",
                 layers[i < LAYERS ? i : 0],
                 i == LAYERS       ? ", \"class_weights\": [1, 1, 1]"
                 : i == LAYERS + 1 ? ", \"class_weights\": [1, 2, 1]"
                                   : "");
        keys[i] = key_of(b.p);
        for (size_t k = 0; k < i; k++)
            assert_int_not_equal(keys[i], keys[k]);
    }
    buf_done(&b);
}

static void check_with_data(const char *text, int64_t parameters,
                            const char *path, const char *said)
{
    struct arena *a = arena_new();
    struct problems faults = {.arena = a};
    struct nn_data_field input = {STR("x"), 2, {6, 2}, 0, false};
    struct nn_data_field labels[] = {{STR("kind"), 1, {1}, 3, false},
                                     {STR("size"), 1, {2}, 0, false}};
    struct nn_data_facts facts = {&input, labels, 1, 2, false};
    struct value *v = json_parse(a, str_of(text), "model", false, NULL);
    struct nn_model *m = nn_model_read(v, &facts, &faults);
    if (parameters) {
        assert_non_null(m);
        assert_int_equal(nn_model_parameters(m), parameters);
    } else {
        assert_null(m);
        assert_string_equal(faults.list.p[0].path.p, path);
        assert_non_null(strstr(faults.list.p[0].text.p, said));
    }
    nn_model_free(m);
    arena_free(a);
}

static void data_fill_a_shape_and_the_last_layer(void **state)
{
    (void)state;
    check_with_data("{\"input\": -1, \"layers\": [{\"dense\": \"outputs\"}], "
                    "\"loss\": \"sparse_categorical_crossentropy\"}",
                    12 * 3 + 3, NULL, NULL);
    check_with_data("{\"input\": [4, -1], \"layers\": [{\"conv1d\": 2, "
                    "\"kernel\": 2}, \"flatten\", {\"dense\": \"outputs\"}], "
                    "\"loss\": \"mse\", \"label\": \"size\"}",
                    2 * 3 * 2 + 2 + 3 * 2 * 2 + 2, NULL, NULL);
    check_with_data("{\"input\": -1, \"layers\": [{\"dense\": 4, \"name\": "
                    "\"deep\"}, {\"dense\": \"outputs\", \"name\": \"a\"}, "
                    "{\"dense\": \"outputs\", \"name\": \"b\", \"from\": "
                    "\"deep\"}], \"heads\": [{\"from\": \"b\", \"label\": "
                    "\"size\", \"loss\": \"heteroscedastic\"}, {\"from\": "
                    "\"a\", \"label\": \"kind\", \"loss\": "
                    "\"categorical_crossentropy\"}]}",
                    12 * 4 + 4 + 4 * 3 + 3 + 4 * 4 + 4, NULL, NULL);
    check_with_data("{\"input\": [5, -1], \"layers\": [{\"dense\": 3}], "
                    "\"loss\": \"mse\"}",
                    0, "input", "says 5×2, but a row of the data is 6×2");
    check_with_data("{\"input\": [-1, -1], \"layers\": [{\"dense\": 3}], "
                    "\"loss\": \"mse\"}",
                    0, "input", "must be a size");
    check_with_data("{\"layers\": [{\"dense\": \"outputs\"}], \"heads\": "
                    "[{\"from\": \"other\", \"loss\": \"mse\"}]}",
                    0, "layers[0].units", "no head is on this layer");
    check_with_data("{\"layers\": [{\"dense\": \"outputs\"}], \"loss\": "
                    "\"sparse_categorical_crossentropy\", \"label\": "
                    "\"size\"}",
                    0, "layers[0].units", "wants classes");
}

/* Inputs `first` (3 numbers), `second` (3 numbers) and the tokens `words`. */
static struct nn_model *read_three(struct arena *a, const char *inputs,
                                   struct problems *faults)
{
    const struct nn_data_field fields[] = {{STR("first"), 1, {3}, 0, false},
                                           {STR("second"), 1, {3}, 0, false},
                                           {STR("words"), 1, {4}, 9, false}};
    const struct nn_data_field label = {STR("y"), 1, {1}, 0, false};
    struct nn_data_facts facts = {fields, &label, 3, 1, false};
    char *text = arena_printf(
        a,
        "{%s \"layers\": [{\"dense\": 4, \"from\": \"second\"}, "
        "{\"embedding\": 2, \"from\": \"words\"}, \"flatten\", {\"concat\": "
        "null, \"from\": [\"first\", \"dense_1\", \"flatten_3\"]}, "
        "{\"dense\": 1}], \"loss\": \"mse\"}",
        inputs);
    struct value *v = json_parse(a, str_of(text), "model", false, NULL);
    *faults = (struct problems){.arena = a};
    return nn_model_read(v, &facts, faults);
}

static void inputs_are_the_data_s_of_the_same_name_in_any_order(void **state)
{
    struct arena *a = arena_new();
    struct problems faults;
    (void)state;
    struct nn_model *m = read_three(
        a, "\"inputs\": {\"words\": 4, \"second\": 3, \"first\": [3]},",
        &faults);
    assert_non_null(m);
    assert_int_equal(m->graph.inputs.p[0].field, 2);
    assert_int_equal(m->graph.inputs.p[1].field, 1);
    assert_int_equal(m->graph.inputs.p[2].field, 0);
    struct nn_model *as_they_are = read_three(a, "", &faults);
    assert_int_equal(nn_model_parameters(m), nn_model_parameters(as_they_are));
    assert_int_not_equal(nn_model_key(m), nn_model_key(as_they_are));
    nn_model_free(as_they_are);
    nn_model_free(m);
    arena_free(a);
}

static void
an_input_that_the_data_lacks_or_the_model_leaves_out_is_a_fault(void **state)
{
    static const struct {
        const char *inputs, *path, *text, *hint;
    } cases[] = {
        {"\"inputs\": {\"first\": 3, \"secnd\": 3, \"words\": 4},",
         "inputs.secnd", "is no input of the data", "did you mean second?"},
        {"\"inputs\": {\"first\": 3, \"second\": 3},", "inputs",
         "lacks words, an input of the data", "leave `inputs` out"},
        {"\"input\": 3,", "input", "lacks second, an input of the data",
         "write inputs: {second: …}"},
        {"\"inputs\": [3, 3],", "inputs", "must be an object", ""},
        {"\"input\": 3, \"inputs\": {\"first\": 3},", "inputs",
         "stands beside `input`", ""},
    };
    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
        struct arena *a = arena_new();
        struct problems faults;
        assert_null(read_three(a, cases[i].inputs, &faults));
        assert_string_equal(faults.list.p[0].path.p, cases[i].path);
        assert_non_null(strstr(faults.list.p[0].text.p, cases[i].text));
        assert_non_null(strstr(faults.list.p[0].hint.p, cases[i].hint));
        arena_free(a);
    }
}

static void a_head_takes_the_label_of_its_own_name(void **state)
{
    (void)state;
    check_with_data(
        "{\"layers\": [\"flatten\", {\"dense\": 4, \"name\": \"deep\"}, "
        "{\"dense\": \"outputs\", \"name\": \"size\"}, {\"dense\": "
        "\"outputs\", \"name\": \"a\", \"from\": \"deep\"}], "
        "\"heads\": [{\"from\": \"size\", \"loss\": \"mse\"}, "
        "{\"from\": \"a\", \"name\": \"kind\", \"loss\": "
        "\"sparse_categorical_crossentropy\"}]}",
        12 * 4 + 4 + 4 * 2 + 2 + 4 * 3 + 3, NULL, NULL);
}

static struct value *of_quantiles(struct arena *a, const char *last,
                                  const char *list)
{
    const char *text =
        arena_printf(a,
                     "{\"input\": 4, \"layers\": [{\"dense\": 5}, %s], "
                     "\"loss\": \"quantile\", \"quantile\": %s}",
                     last, list);
    return json_parse(a, str_of(text), "model", false, NULL);
}

static void several_quantiles_are_an_output_each(void **state)
{
    static const struct {
        const char *last, *list, *path, *text;
    } cases[] = {
        {"{\"dense\": 2}", "[0.1, 0.5, 0.9]", "layers[1].units", "must be 3"},
        {"{\"dense\": 3, \"repeat\": 2}", "[0.1, 0.5, 0.9]", "layers[1].units",
         "is of one layer"},
        {"\"flatten\"", "[0.1, 0.9]", "layers[1]", "must be dense"},
        {"{\"dense\": 2}", "[0.9, 0.1]", "quantile", "that grow"},
        {"{\"dense\": 2}", "[0.1, 1]", "quantile", "between 0 and 1"},
        {"{\"dense\": 2}", "[0.1, \"x\"]", "quantile", "between 0 and 1"},
        {"{\"dense\": 1}", "[]", "quantile", "between 0 and 1"},
    };
    struct arena *a = arena_new();
    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
        struct problems faults = {.arena = a};
        struct value *v = of_quantiles(a, cases[i].last, cases[i].list);
        assert_null(nn_model_read(v, NULL, &faults));
        assert_string_equal(faults.list.p[0].path.p, cases[i].path);
        assert_non_null(strstr(faults.list.p[0].text.p, cases[i].text));
    }
    struct problems faults = {.arena = a};
    struct value *v =
        of_quantiles(a, "{\"dense\": \"outputs\"}", "[0.1, 0.25, 0.9]");
    struct nn_model *m = nn_model_read(v, NULL, &faults);
    assert_non_null(m);
    assert_int_equal(m->graph.heads.len, 3);
    for (int i = 0; i < 3; i++) {
        assert_int_equal(m->graph.heads.p[i].label, 0);
        assert_int_equal(m->graph.heads.p[i].loss, NN_LOSS_QUANTILE);
    }
    assert_true(str_is(m->graph.heads.p[1].name, "q0.25"));
    assert_true(m->graph.heads.p[2].a == 0.9);
    assert_int_equal(m->graph.layers.len, 1 + 3);
    /* A label that heads share is one column of rows. */
    assert_int_equal(nn_model_fields(m, a).label_count, 1);
    nn_model_free(m);
    arena_free(a);
}

/* The first fault of a model of three classes; yours to look at as long as the
 * arena lives. */
static struct problem fault_of(struct arena *a, const char *rest, bool rows)
{
    struct problems faults = {.arena = a};
    struct nn_data_field input = {STR("input"), 1, {4}, 0, false};
    struct nn_data_field label = {STR("kind"), 1, {1}, 3, false};
    struct nn_data_facts facts = {&input, &label, 1, 1, !rows};
    char *text = arena_printf(a,
                              "{\"layers\": [{\"dense\": 3}], \"loss\": "
                              "\"sparse_categorical_crossentropy\", %s}",
                              rest);
    struct value *v = json_parse(a, str_of(text), "model", false, NULL);
    struct nn_model *m = nn_model_read(v, &facts, &faults);
    nn_model_free(m);
    return m ? (struct problem){0} : faults.list.p[0];
}

static void early_stopping_watches_only_what_is_reported(void **state)
{
    static const struct {
        const char *watch, *hint;
        bool rows;
    } cases[] = {
        {"val_f1_macro", "add f1_macro to `metrics`", true},
        {"accuracy", "did you mean val_accuracy?", true},
        {"tes_accuracy", "did you mean val_accuracy?", true},
        {"val_acuracy", "did you mean val_accuracy?", true},
        {"x", "it reports loss, val_loss, val_accuracy", true},
        {"val_loss", "there are no validation rows", false},
        {"val_accuracy", "there are no validation rows", false},
    };
    struct arena *a = arena_new();
    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
        struct problem f = fault_of(
            a,
            arena_printf(a,
                         "\"metrics\": [\"accuracy\"], \"early_stopping\": "
                         "{\"watch\": \"%s\"}",
                         cases[i].watch),
            cases[i].rows);
        assert_string_equal(f.path.p, "early_stopping.watch");
        assert_non_null(strstr(f.text.p, "is not reported by this training"));
        assert_non_null(strstr(f.hint.p, cases[i].hint));
    }
    assert_null(fault_of(a, "\"early_stopping\": {}", true).text.p);
    assert_non_null(fault_of(a, "\"early_stopping\": {}", false).text.p);
    assert_null(
        fault_of(a, "\"early_stopping\": {\"watch\": \"loss\"}", false).text.p);
    arena_free(a);
}

static void top_k_is_of_any_number_up_to_the_classes(void **state)
{
    struct arena *a = arena_new();
    struct made m;
    (void)state;
    made_open(&m,
              "{\"input\": 4, \"layers\": [{\"dense\": 200}], \"loss\": "
              "\"sparse_categorical_crossentropy\", \"metrics\": [\"top_10\", "
              "\"top_1\", \"top_137\", \"top_k\"]}",
              4);
    assert_int_equal(m.model->metrics.p[0].k, 10);
    assert_int_equal(m.model->metrics.p[1].k, 1);
    assert_int_equal(m.model->metrics.p[2].k, 137);
    assert_int_equal(m.model->metrics.p[3].k, 5);
    made_close(&m);
    struct problem f = fault_of(a, "\"metrics\": [\"top_10\"]", true);
    assert_string_equal(f.path.p, "metrics");
    assert_string_equal(f.text.p, "top_10 is always 1: there are 3 classes");
    f = fault_of(a, "\"metrics\": [\"top_1x\"]", true);
    assert_string_equal(f.text.p, "cannot be top_1x");
    arena_free(a);
}

static void a_metric_that_does_not_apply_is_left_out_and_said(void **state)
{
    static const struct {
        const char *loss;
        size_t metrics;
    } cases[] = {{"sparse_categorical_crossentropy", 1},
                 {"categorical_crossentropy", 1},
                 {"mse", 4}};
    (void)state;
    for (size_t i = 0; i < 3; i++) {
        struct arena *a = arena_new();
        struct problems faults = {.arena = a};
        struct nn_data_field input = {STR("input"), 1, {4}, 0, false};
        struct nn_data_field label = {STR("kind"), 1, {1}, 3, false};
        struct nn_data_facts facts = {&input, &label, 1, 1, false};
        char *text = arena_printf(
            a,
            "{\"layers\": [{\"dense\": \"outputs\"}], \"loss\": \"%s\", "
            "\"metrics\": [\"accuracy\", \"r2\", \"mae\", \"mse\"]}",
            cases[i].loss);
        struct value *v = json_parse(a, str_of(text), "model", false, NULL);
        struct nn_model *m = nn_model_read(v, &facts, &faults);
        assert_non_null(m);
        assert_int_equal(nn_model_metric_count(m), cases[i].metrics);
        if (cases[i].metrics == 1)
            assert_non_null(
                strstr(nn_model_notice(m, 0), "val_r2 is left out"));
        assert_null(nn_model_notice(m, 4 - cases[i].metrics));
        nn_model_free(m);
        arena_free(a);
    }
}

static void what_the_data_has_and_nothing_uses_is_said(void **state)
{
    struct arena *a = arena_new();
    struct problems faults = {.arena = a};
    struct nn_data_field inputs[] = {{STR("first"), 1, {3}, 0, false},
                                     {STR("second"), 1, {3}, 0, false}};
    struct nn_data_field labels[] = {{STR("y"), 1, {1}, 0, false},
                                     {STR("z"), 1, {1}, 0, false}};
    struct nn_data_facts facts = {inputs, labels, 2, 2, false};
    struct value *v =
        json_parse(a, STR("{\"layers\": [{\"dense\": 1}], \"loss\": \"mse\"}"),
                   "model", false, NULL);
    struct nn_model *m = nn_model_read(v, &facts, &faults);
    (void)state;
    assert_non_null(m);
    assert_non_null(strstr(nn_model_notice(m, 0), "takes the input second"));
    assert_non_null(strstr(nn_model_notice(m, 1), "predicts the label z"));
    assert_null(nn_model_notice(m, 2));
    nn_model_free(m);
    arena_free(a);
}

static void check_rates(const char *layers, bool all, double least, double most)
{
    struct arena *a = arena_new();
    struct err err = {0};
    double low = NAN, high = NAN;
    struct value *v =
        json_parse(a, str_of(arena_printf(a, "{\"layers\": [%s]}", layers)),
                   "model", false, &err);
    assert_non_null(v);
    nn_dropout_rates(v, all, &low, &high);
    assert_true(isnan(least) ? isnan(low) : low >= least && low <= least);
    assert_true(isnan(most) ? isnan(high) : high >= most && high <= most);
    arena_free(a);
}

static void rates_of_dropout_are_read_as_layers_have_them(void **state)
{
    (void)state;
    static const char layers[] =
        "{\"dense\": 4}, {\"dropout\": 0.25}, \"flatten\","
        "{\"dropout\": {\"rate\": 0.125, \"permanent\": true}},"
        "{\"type\": \"dropout\", \"rate\": 0.5},"
        "{\"dropout\": null, \"rate\": 0.375, \"permanent\": true}";
    check_rates(layers, true, 0.125, 0.5);
    check_rates(layers, false, 0.125, 0.375);
    check_rates("{\"dropout\": 0.25}", false, NAN, NAN);
    check_rates("{\"dense\": 4}, \"flatten\"", true, NAN, NAN);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(parameters_are_counted),
        cmocka_unit_test(data_fill_a_shape_and_the_last_layer),
        cmocka_unit_test(inputs_are_the_data_s_of_the_same_name_in_any_order),
        cmocka_unit_test(
            an_input_that_the_data_lacks_or_the_model_leaves_out_is_a_fault),
        cmocka_unit_test(a_head_takes_the_label_of_its_own_name),
        cmocka_unit_test(several_quantiles_are_an_output_each),
        cmocka_unit_test(early_stopping_watches_only_what_is_reported),
        cmocka_unit_test(top_k_is_of_any_number_up_to_the_classes),
        cmocka_unit_test(a_metric_that_does_not_apply_is_left_out_and_said),
        cmocka_unit_test(what_the_data_has_and_nothing_uses_is_said),
        cmocka_unit_test(a_split_layer_is_counted_as_sums),
        cmocka_unit_test(what_no_gpu_can_train_is_known),
        cmocka_unit_test(widths_and_repeat_make_layers),
        cmocka_unit_test(all_faults_are_named_by_their_path),
        cmocka_unit_test(
            words_of_others_are_answered_with_those_that_are_meant),
        cmocka_unit_test(a_misspelt_layer_gets_its_suggestion),
        cmocka_unit_test(soft_numbers_do_not_part_a_cohort),
        cmocka_unit_test(what_a_cohort_shares_parts_it),
        cmocka_unit_test(rates_of_dropout_are_read_as_layers_have_them),
    };
    return cmocka_run_group_tests_name("model", tests, NULL, NULL);
}
