/* test_foreign.c - weights to and from other programs, without those programs
 *
 * tests/python/test_foreign.py has them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <unistd.h>
#include <cmocka.h>

#include "base/json.h"
#include "made.h"
#include "nn/foreign/pickle.h"
#include "nn/foreign/tensors.h"
#include "nn/trainer.h"
#include "nn/weights.h"
#include "sys/sys.h"

static char folder[] = "/tmp/throng-foreign-XXXXXX";

static const char *file_in(struct arena *a, const char *name)
{
    return path_join(a, folder, name);
}

/* ---- out and in again ---------------------------------------------------- */

/* Trained numbers, so that none are equal by chance. */
static void save(struct made *m, const char *path, double *numbers)
{
    struct err err = {0};
    struct nn_member one = {m->model, &m->view, 7};
    struct nn_trainer *t = nn_trainer_open("reference", m->model, 1, &err);
    struct nn_report r;
    assert_non_null(t);
    assert_int_equal(nn_trainer_join(t, &one, &err), 0);
    nn_trainer_epochs(t, 0, 1);
    assert_int_equal(nn_trainer_epoch(t, 0, &r, &err), 0);
    assert_int_equal(nn_trainer_save(t, 0, path, NULL, false, &err), 0);
    nn_trainer_take_weights(t, 0, numbers);
    nn_trainer_free(t);
}

static void go_round(const char *name)
{
    struct made m;
    struct err err = {0};
    struct buf file, back;
    struct nn_about about = {.model = STR("{}")};
    made_named(&m, name, 40);
    const struct nn_graph *g = &m.model->graph;
    double *numbers = calloc((size_t)g->weights + 1, sizeof(*numbers));
    double *got = calloc((size_t)g->weights + 1, sizeof(*got));
    const char *ours = file_in(m.arena, "w.safetensors");
    const char *theirs = file_in(m.arena, "w.pt");
    save(&m, ours, numbers);
    buf_init(&file);
    buf_init(&back);
    if (nn_export_torch(m.model, ours, &file, &err))
        fail_msg("%s: %s", name, err.text);
    assert_int_equal(file_write(theirs, buf_str(&file), false, &err), 0);
    if (nn_import(m.model, theirs, &about, &back, &err))
        fail_msg("%s: %s", name, err.text);
    struct weights_file *f = weights_parse(buf_str(&back), "back", &err);
    assert_non_null(f);
    for (size_t i = 0; i < g->params.len; i++) {
        const struct nn_param *p = &g->params.p[i];
        assert_int_equal(
            weights_get(f, p->name, &p->shape, got + p->offset, &err), 0);
        for (int64_t k = p->offset; k < p->offset + p->count; k++)
            assert_true(got[k] == (double)(float)numbers[k]);
    }
    weights_close(f);
    buf_reset(&back);
    if (nn_export_onnx(m.model, ours, NULL, &back, &err))
        assert_non_null(strstr(err.text, "which a graph does not know"));
    buf_done(&file);
    buf_done(&back);
    free(numbers);
    free(got);
    made_close(&m);
}

static void weights_come_back_from_pytorch_as_they_went(void **state)
{
    static const char *const names[] = {"wide dense", "inverted residual",
                                        "bilstm with masked padding"};
    (void)state;
    for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
        go_round(names[i]);
}

static void keys_of_another_width_do_not_go_to_pytorch(void **state)
{
    struct made m;
    struct err err = {0};
    struct buf file;
    (void)state;
    made_named(&m, "attention to another", 40);
    double *numbers =
        calloc((size_t)m.model->graph.weights + 1, sizeof(*numbers));
    const char *ours = file_in(m.arena, "w.safetensors");
    save(&m, ours, numbers);
    buf_init(&file);
    assert_int_equal(nn_export_torch(m.model, ours, &file, &err), -1);
    assert_non_null(strstr(err.text, "steps of another width"));
    buf_done(&file);
    free(numbers);
    made_close(&m);
}

/* ---- pickles ------------------------------------------------------------- */

static void refused(const char *bytes, size_t len, const char *part)
{
    struct arena *a = arena_new();
    struct err err = {0};
    assert_null(pickle_read(str_n(bytes, len), "x.pt", a, &err));
    if (!strstr(err.text, part))
        fail_msg("\"%s\" says nothing of %s", err.text, part);
    arena_free(a);
}
#define REFUSED(bytes, part) refused(bytes, sizeof(bytes) - 1, part)

static void a_pickle_is_read_and_never_run(void **state)
{
    (void)state;
    REFUSED("\x80\x02"
            "cos\nsystem\n(X\x02\x00\x00\x00idtR.",
            "calls os.system, which is no part of a state_dict");
    REFUSED("\x80\x02"
            "c__builtin__\neval\nX\x01\x00\x00\x00"
            "1\x85R.",
            "calls __builtin__.eval");
    REFUSED("\x80\x02"
            "i",
            "the operation 0x69");
    REFUSED("\x80\x02\x81", "save torch.save(net.state_dict(), …)");
    REFUSED("\x80\x09.", "protocol");
    REFUSED("\x80\x02", "cut off");
    REFUSED("\x80\x02X\xff\xff\xff\xff"
            "a.",
            "cut off");
    REFUSED("\x80\x02K\x01K\x02.", "more or less than one value");
    REFUSED("\x80\x02(.", "more or less than one value");
    REFUSED("\x80\x02}K\x01s.", "an item is put into what has none");
    REFUSED("\x80\x02t.", "a mark is missing");
    REFUSED("\x80\x02h\x05.", "recalls what it has not said");
    REFUSED("\x80\x02Nr\xff\xff\xff\x7f.", "out of turn");
    REFUSED("\x80\x02\x8a\x09"
            "123456789.",
            "more than 64 bits");
}

static void numbers_of_a_pickle_have_their_signs(void **state)
{
    struct arena *a = arena_new();
    struct err err = {0};
    static const char bytes[] =
        "\x80\x02(J\xfe\xff\xff\xffM\x01\x02\x8a\x02\x00\xff"
        "G\xbf\xf8\x00\x00\x00\x00\x00\x00\x88t.";
    (void)state;
    const struct pickle *p =
        pickle_read(str_n(bytes, sizeof(bytes) - 1), "x", a, &err);
    assert_non_null(p);
    assert_int_equal(p->count, 5);
    assert_int_equal(p->items[0]->i, -2);
    assert_int_equal(p->items[1]->i, 0x201);
    assert_int_equal(p->items[2]->i, -256);
    assert_true(p->items[3]->d == -1.5);
    assert_int_equal(p->items[4]->kind, PICKLE_BOOL);
    arena_free(a);
}

/* ---- Keras --------------------------------------------------------------- */

static void a_model_of_keras_is_a_model_file(void **state)
{
    struct arena *a = arena_new();
    struct err err = {0};
    struct problems faults;
    struct str text =
        STR("{\"class_name\": \"Sequential\", \"config\": {\"layers\": ["
            "{\"class_name\": \"Conv1D\", \"config\": {\"name\": \"c\", "
            "\"filters\": 4, \"kernel_size\": [3], \"strides\": [2], "
            "\"activation\": \"relu\", \"batch_input_shape\": [null, 9, 2]}},"
            "{\"class_name\": \"Reshape\", \"config\": {\"name\": \"r\", "
            "\"target_shape\": [-1]}},"
            "{\"class_name\": \"Dense\", \"config\": {\"name\": \"d\", "
            "\"units\": 3, \"activation\": \"softmax\"}}]}}");
    (void)state;
    struct value *json = json_parse(a, text, "m.json", false, &err);
    assert_true(nn_keras_is(json));
    struct nn_keras_noise noise;
    struct value *model = nn_keras_model(json, "m.json", &noise, a, &err);
    assert_non_null(model);
    assert_null(noise.dropped);
    assert_null(noise.added);
    problems_init(&faults, a);
    struct nn_model *m = nn_model_read(model, NULL, &faults);
    assert_non_null(m);
    assert_int_equal(nn_model_parameters(m), 3 * 2 * 4 + 4 + 16 * 3 + 3);
    assert_true(nn_permanent_dropout(
        json_parse(a, STR("{\"layers\": [{\"dropout\": 0.1}]}"), "m", false,
                   &err),
        0.5, a));
    assert_false(nn_permanent_dropout(model, 0.5, a));
    nn_model_free(m);
    arena_free(a);
}

/* A Sequential of rows of 6 × 5 × 4 numbers; NULL: it was read. */
static const char *fault_of_layers(const char *layers,
                                   struct nn_keras_noise *noise,
                                   struct arena *a)
{
    struct err err = {0};
    const char *text = arena_printf(
        a,
        "{\"class_name\": \"Sequential\", \"config\": {\"layers\": ["
        "{\"class_name\": \"InputLayer\", \"config\": {\"name\": \"in\", "
        "\"batch_shape\": [null, 6, 5, 4]}}, %s]}}",
        layers);
    const struct value *json =
        json_parse(a, str_of(text), "m.json", false, &err);
    assert_non_null(json);
    return nn_keras_model(json, "m.json", noise, a, &err)
               ? NULL
               : arena_cstr(a, str_of(err.text));
}

#define LAYER(kind, rest)                                                      \
    "{\"class_name\": \"" kind "\", \"config\": {\"name\": \"n\", " rest "}}"
#define FLAT LAYER("Flatten", "\"data_format\": \"channels_last\"")

static void only_the_last_axis_of_keras_is_taken(void **state)
{
    static const struct {
        const char *layers, *fault;
    } all[] = {
        {LAYER("BatchNormalization", "\"axis\": -1"), NULL},
        {LAYER("BatchNormalization", "\"axis\": [3]"), NULL},
        {LAYER("BatchNormalization", "\"axis\": 3"), NULL},
        {FLAT ", " LAYER("BatchNormalization", "\"axis\": [1]"), NULL},
        {FLAT ", " LAYER(
             "Embedding",
             "\"input_dim\": 9, \"output_dim\": 2") ", " LAYER("LayerNormalizat"
                                                               "ion",
                                                               "\"axis\": [2]"),
         NULL},
        {LAYER("Reshape", "\"target_shape\": [30, 4]") ", " LAYER(
             "LSTM",
             "\"units\": 3, \"return_sequences\": true") ", " LAYER("Softmax",
                                                                    "\"axis\": "
                                                                    "2"),
         NULL},
        {LAYER("Reshape", "\"target_shape\": [30, 4]") ", " LAYER(
             "LSTM", "\"units\": 3") ", " LAYER("Softmax", "\"axis\": 2"),
         "the layer n is a Softmax with axis 2, and throng has it for the last "
         "axis alone, which is -1 or 1 here"},
        {LAYER("BatchNormalization", "\"axis\": [1]"),
         "the layer n is a BatchNormalization with axis [1], and throng has it "
         "for the last axis alone, which is -1 or 3 here"},
        {LAYER("BatchNormalization", "\"axis\": 1"), "with axis 1, and"},
        {LAYER("BatchNormalization", "\"axis\": [1, 3]"), "with axis [1"},
        {LAYER("LayerNormalization", "\"axis\": [1, 2, 3]"), "with axis [1"},
        {LAYER("LayerNormalization", "\"rms_scaling\": true"),
         "with rms_scaling"},
    };
    struct arena *a = arena_new();
    struct nn_keras_noise noise;
    (void)state;
    for (size_t i = 0; i < sizeof(all) / sizeof(*all); i++) {
        const char *fault = fault_of_layers(all[i].layers, &noise, a);
        if (!all[i].fault)
            assert_null(fault);
        else
            assert_non_null(strstr(fault, all[i].fault));
    }
    arena_free(a);
}

static void layers_that_draw_while_keras_trains_are_named(void **state)
{
    struct arena *a = arena_new();
    struct nn_keras_noise noise;
    (void)state;
    assert_null(fault_of_layers(
        LAYER("SpatialDropout2D", "\"rate\": 0.2") ", " LAYER(
            "GaussianNoise",
            "\"stddev\": 0.2") ", " LAYER("Dropout",
                                          "\"rate\": 0.2") ", " LAYER("AlphaDro"
                                                                      "pout",
                                                                      "\"rate\""
                                                                      ": 0.2"),
        &noise, a));
    assert_string_equal(noise.dropped,
                        "n (SpatialDropout2D), n (AlphaDropout)");
    assert_string_equal(noise.added, "n (GaussianNoise)");
    arena_free(a);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(weights_come_back_from_pytorch_as_they_went),
        cmocka_unit_test(keys_of_another_width_do_not_go_to_pytorch),
        cmocka_unit_test(a_pickle_is_read_and_never_run),
        cmocka_unit_test(numbers_of_a_pickle_have_their_signs),
        cmocka_unit_test(a_model_of_keras_is_a_model_file),
        cmocka_unit_test(only_the_last_axis_of_keras_is_taken),
        cmocka_unit_test(layers_that_draw_while_keras_trains_are_named),
    };
    if (!mkdtemp(folder))
        return 1;
    int rc = cmocka_run_group_tests(tests, NULL, NULL);
    dir_remove(folder, NULL);
    return rc;
}
