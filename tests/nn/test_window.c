/* test_window.c - layers with windows, norms and merges: shapes, counts,
 * faults. What they compute is checked by test_gradients.c and against
 * PyTorch. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdio.h>
#include <cmocka.h>

#include "base/buf.h"
#include "base/json.h"
#include "made.h"
#include "nn/nn.h"

/* The output of the last layer of a model of these layers. */
static void assert_output(const char *input, const char *layers,
                          const char *expected)
{
    struct made m;
    struct buf json, shape;
    buf_init(&json);
    buf_init(&shape);
    buf_addf(&json, "{\"input\": %s, \"layers\": [%s], \"loss\": \"mse\"}",
             input, layers);
    made_open(&m, json.p, 2);
    const struct nn_graph *g = &m.model->graph;
    nn_shape_print(&shape, &g->layers.p[g->layers.len - 1].out);
    assert_string_equal(shape.p, expected);
    made_close(&m);
    buf_done(&shape);
    buf_done(&json);
}

static void shapes_are_those_of_keras(void **state)
{
    (void)state;
    assert_output("[28, 28, 1]", "{\"conv2d\": 8}", "26×26×8");
    assert_output("[28, 27, 1]",
                  "{\"conv2d\": 8, \"stride\": 2, \"padding\": \"same\"}",
                  "14×14×8");
    assert_output("[28, 27, 1]",
                  "{\"conv2d\": 8, \"stride\": [2, 3], \"kernel\": [5, 1]}",
                  "12×9×8");
    assert_output("[9, 9, 1]", "{\"conv2d\": 2, \"dilation\": 4}", "1×1×2");
    assert_output("[100, 3]", "{\"conv1d\": 8, \"kernel\": 20}", "81×8");
    assert_output("[100, 3]",
                  "{\"conv1d\": 8, \"kernel\": 20, \"padding\": \"causal\"}",
                  "100×8");
    assert_output("[7, 7, 3]", "{\"depthwise_conv2d\": 3, \"multiplier\": 2}",
                  "5×5×6");
    assert_output("[7, 5, 3]", "{\"conv2d_transpose\": 4, \"stride\": 2}",
                  "15×11×4");
    assert_output("[7, 5, 3]",
                  "{\"conv2d_transpose\": 4, \"stride\": 2, \"padding\": "
                  "\"same\"}",
                  "14×10×4");
    assert_output("[7, 5, 3]",
                  "{\"conv2d_transpose\": 4, \"stride\": 3, \"kernel\": 2}",
                  "21×15×4");
    assert_output("[7, 5, 3]", "{\"max_pool2d\": 2}", "3×2×3");
    assert_output("[7, 5, 3]", "{\"average_pool2d\": 2, \"padding\": \"same\"}",
                  "4×3×3");
    assert_output("[7, 5]", "{\"max_pool1d\": {\"size\": 3, \"stride\": 1}}",
                  "5×5");
    assert_output("[7, 5, 3]", "\"global_max_pool\"", "3");
    assert_output("[7, 5]", "{\"upsample1d\": 2}", "14×5");
    assert_output("[7, 5, 3]", "{\"upsample2d\": [2, 3]}", "14×15×3");
}

static void a_small_cnn_is_counted(void **state)
{
    struct made m;
    (void)state;
    made_open(&m,
              "{\"input\": [28, 28, 1], \"layers\": [{\"conv2d\": 32, "
              "\"activation\": \"relu\"}, {\"conv2d\": 64, \"activation\": "
              "\"relu\"}, {\"max_pool2d\": 2}, \"flatten\", {\"dense\": 128, "
              "\"activation\": \"relu\"}, {\"dense\": 10}], \"loss\": "
              "\"sparse_categorical_crossentropy\"}",
              2);
    assert_int_equal(nn_model_parameters(m.model), 1199882);
    assert_true(nn_model_flops(m.model) ==
                2.0 * (26 * 26 * 9 * 32 + 24 * 24 * 9 * 32 * 64 +
                       12 * 12 * 64 * 128 + 128 * 10));
    made_close(&m);
}

/* ---- MobileNetV2 -------------------------------------------------------- */

static void add_conv(struct buf *b, const char *kind, int main, int stride,
                     const char *name, bool active)
{
    buf_addf(b,
             "{\"%s\": %d, \"stride\": %d, \"padding\": \"same\", \"bias\": "
             "false",
             kind, main, stride);
    if (str_is(str_of(kind), "conv2d") && stride == 1)
        buf_adds(b, ", \"kernel\": 1");
    buf_adds(b, "}, {\"batch_norm\": {\"momentum\": 0.999}");
    if (name)
        buf_addf(b, ", \"name\": \"%s\"", name);
    buf_adds(b, active ? "}, {\"activation\": \"relu6\"}, " : "}, ");
}

/* A row of blocks that widen by `widen`, look at 3×3, and narrow to
 * `filters`; from the second on around them. */
static void add_blocks(struct buf *b, int *inputs, int widen, int filters,
                       int count, int stride)
{
    char name[40], before[40] = "";
    for (int i = 0; i < count; i++) {
        bool around = i > 0;
        snprintf(name, sizeof name, "narrow_%d_%d", filters, i);
        if (widen > 1)
            add_conv(b, "conv2d", *inputs * widen, 1, NULL, true);
        add_conv(b, "depthwise_conv2d", 3, i ? 1 : stride, NULL, true);
        add_conv(b, "conv2d", filters, 1, name, false);
        if (around) {
            buf_addf(b,
                     "{\"add\": null, \"from\": [\"%s\", \"%s\"], "
                     "\"name\": \"sum_%d_%d\"}, ",
                     before, name, filters, i);
            snprintf(before, sizeof before, "sum_%d_%d", filters, i);
        } else {
            memcpy(before, name, sizeof before);
        }
        *inputs = filters;
    }
}

static void mobilenet_v2_is_counted(void **state)
{
    static const int blocks[][4] = {
        {1, 16, 1, 1}, {6, 24, 2, 2},  {6, 32, 3, 2}, {6, 64, 4, 2},
        {6, 96, 3, 1}, {6, 160, 3, 2}, {6, 320, 1, 1}};
    struct made m;
    struct buf b;
    int inputs = 32;
    (void)state;
    buf_init(&b);
    buf_adds(&b, "{\"input\": [96, 96, 3], \"layers\": [");
    add_conv(&b, "conv2d", 32, 2, NULL, true);
    for (size_t i = 0; i < sizeof(blocks) / sizeof(*blocks); i++)
        add_blocks(&b, &inputs, blocks[i][0], blocks[i][1], blocks[i][2],
                   blocks[i][3]);
    add_conv(&b, "conv2d", 1280, 1, NULL, true);
    buf_adds(&b, "\"global_average_pool\", {\"dense\": 1000}], \"loss\": "
                 "\"sparse_categorical_crossentropy\"}");
    made_open(&m, b.p, 2);
    assert_int_equal(nn_model_parameters(m.model), 3538984);
    assert_int_equal(nn_model_trained(m.model), 3538984 - 34112);
    assert_int_equal(
        m.model->graph.layers.p[m.model->graph.layers.len - 3].out.dim[0], 3);
    made_close(&m);
    buf_done(&b);
}

/* ---- faults ------------------------------------------------------------- */

/* The first fault of a model of these layers: "path: text". */
static void assert_fault(const char *input, const char *layers,
                         const char *expected)
{
    struct arena *a = arena_new();
    struct problems faults = {.arena = a};
    struct err err = {0};
    struct buf json, got;
    buf_init(&json);
    buf_init(&got);
    buf_addf(&json, "{\"input\": %s, \"layers\": [%s], \"loss\": \"mse\"}",
             input, layers);
    struct value *v = json_parse(a, buf_str(&json), "model", false, &err);
    assert_non_null(v);
    assert_null(nn_model_read(v, NULL, &faults));
    assert_int_equal(faults.errors, 1);
    buf_addf(&got, "%.*s: %.*s", STRF(faults.list.p[0].path),
             STRF(faults.list.p[0].text));
    assert_string_equal(got.p, expected);
    buf_done(&json);
    buf_done(&got);
    arena_free(a);
}

static void shapes_that_do_not_fit_are_named(void **state)
{
    (void)state;
    assert_fault("784", "{\"conv2d\": 8}",
                 "layers[0]: conv2d_1 needs rows×columns×channels, its input "
                 "is 784");
    assert_fault("[28, 28, 1]", "{\"conv1d\": 8, \"name\": \"first\"}",
                 "layers[0]: first needs steps×channels, its input is 28×28×1");
    assert_fault("[4, 9, 1]", "{\"conv2d\": 8, \"kernel\": 5}",
                 "layers[0]: conv2d_1: a window of 5×5 does not fit into 4×9");
    assert_fault("[4, 1]", "{\"conv1d\": 8, \"kernel\": 3, \"dilation\": 2}",
                 "layers[0]: conv1d_1: a window of 5 does not fit into 4");
    assert_fault("[4, 4, 6]", "{\"conv2d\": 8, \"groups\": 4}",
                 "layers[0].groups: conv2d_1: 4 groups must divide both 6 "
                 "channels and 8 filters");
    assert_fault("8",
                 "{\"dense\": 4, \"name\": \"a\"}, {\"add\": null, \"from\": "
                 "[\"a\", \"input\"]}",
                 "layers[1].from: add_2 cannot add a of shape 4 and input of "
                 "shape 8");
    assert_fault("[4, 4, 6]",
                 "{\"max_pool2d\": 2, \"name\": \"a\"}, {\"concat\": null, "
                 "\"from\": [\"a\", \"input\"], \"name\": \"both\"}",
                 "layers[1].from: both cannot join a of shape 2×2×6 and input "
                 "of shape 4×4×6");
    assert_fault("8", "{\"dense\": 4}, \"multiply\"",
                 "layers[1].from: multiply takes 2 to 16 inputs, not 1");
}

static void wrong_numbers_are_named(void **state)
{
    (void)state;
    assert_fault("[9, 9, 1]", "{\"conv2d\": {\"kernel\": 3}}",
                 "layers[0]: conv2d_1 needs filters, its number of output "
                 "channels");
    assert_fault("[9, 9, 1]", "{\"conv2d\": 4, \"kernel\": [3, 0]}",
                 "layers[0].kernel: must be at least 1, not 0");
    assert_fault("[9, 9, 1]", "{\"conv2d\": 4, \"kernel\": [3, 70000000]}",
                 "layers[0].kernel: must be at most 65536, not 70000000");
    assert_fault("[9, 9, 1]", "{\"conv2d\": 4, \"padding\": \"sme\"}",
                 "layers[0].padding: cannot be sme");
    assert_fault("[9000000, 9000, 9]", "{\"upsample2d\": 6000}",
                 "layers[0]: 54000000000×54000000×9 numbers are more than any "
                 "machine holds");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(shapes_are_those_of_keras),
        cmocka_unit_test(a_small_cnn_is_counted),
        cmocka_unit_test(mobilenet_v2_is_counted),
        cmocka_unit_test(shapes_that_do_not_fit_are_named),
        cmocka_unit_test(wrong_numbers_are_named),
    };
    return cmocka_run_group_tests_name("window", tests, NULL, NULL);
}
