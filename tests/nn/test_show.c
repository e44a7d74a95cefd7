/* test_show.c - models for people */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <cmocka.h>

#include "base/json.h"
#include "made.h"
#include "nn/drawing.h"
#include "nn/nn.h"

static void assert_shows(const char *json, const char *expected)
{
    struct made m;
    struct buf b;
    buf_init(&b);
    made_open(&m, json, 4);
    nn_model_show(&b, m.model);
    assert_string_equal(b.p, expected);
    buf_done(&b);
    made_close(&m);
}

static void a_chain_is_one_lane(void **state)
{
    (void)state;
    assert_shows(
        "{\"input\": [28, 28, 1], \"layers\": [{\"conv2d\": 32, "
        "\"activation\": \"relu\"}, {\"conv2d\": 64, \"activation\": "
        "\"relu\"}, {\"max_pool2d\": 2}, {\"dropout\": 0.25}, \"flatten\", "
        "{\"dense\": 128, \"activation\": \"relu\"}, {\"dense\": 10}], "
        "\"loss\": \"sparse_categorical_crossentropy\", \"batch_size\": 128}",
        "    layer         kind                               output  "
        "parameters   FLOPs\n"
        "○   input         input                             28×28×1\n"
        "●   conv2d_1      conv2d relu                      26×26×32         "
        "320   389 k\n"
        "●   conv2d_2      conv2d relu                      24×24×64      "
        "18,496  21.2 M\n"
        "●   max_pool2d_3  max_pool2d                       12×12×64\n"
        "●   dropout_4     dropout                          12×12×64\n"
        "●   flatten_5     flatten                              9216\n"
        "●   dense_6       dense relu                            128   "
        "1,179,776  2.36 M\n"
        "●   dense_7       dense softmax                          10       "
        "1,290  2.56 k\n"
        "◆   output        sparse_categorical_crossentropy\n"
        "\n"
        "parameters  1,199,882\n"
        "FLOPs       24 M forward, for one row\n"
        "memory      161 MiB to train one, in batches of 128\n");
}

static void branches_and_merges_are_drawn(void **state)
{
    (void)state;
    assert_shows(
        "{\"inputs\": {\"image\": [6, 6, 2], \"facts\": 5}, \"layers\": ["
        "{\"conv2d\": 4, \"padding\": \"same\", \"name\": \"stem\"}, "
        "{\"conv2d\": 4, \"padding\": \"same\", \"name\": \"deep\"}, "
        "{\"add\": null, \"from\": [\"stem\", \"deep\"], \"name\": \"sum\"}, "
        "\"global_average_pool\", {\"dense\": 6, \"name\": \"known\", "
        "\"from\": \"facts\"}, {\"concat\": null, \"from\": "
        "[\"global_average_pool_4\", \"known\"], \"name\": \"both\"}, "
        "{\"batch_norm\": null, \"name\": \"even\"}, "
        "{\"dense\": 3, \"name\": \"site\", \"from\": \"even\"}, "
        "{\"dense\": 2, \"name\": \"size\", \"from\": \"even\"}], "
        "\"heads\": [{\"from\": \"site\", \"loss\": "
        "\"sparse_categorical_crossentropy\"}, {\"from\": \"size\", "
        "\"loss\": \"mse\"}]}",
        "        layer                  kind                             "
        "output  parameters   FLOPs\n"
        "○       image                  input                             "
        "6×6×2\n"
        "│ ○     facts                  input                                 "
        "5\n"
        "● │     stem                   conv2d                            "
        "6×6×4          76  5.18 k\n"
        "├─│─●   deep                   conv2d                            "
        "6×6×4         148  10.4 k\n"
        "●─│─╯   sum                    add                               "
        "6×6×4\n"
        "● │     global_average_pool_4  global_average_pool                   "
        "4\n"
        "│ ●     known                  dense                                 "
        "6          36      60\n"
        "●─╯     both                   concat                               "
        "10\n"
        "●       even                   batch_norm                           "
        "10          40\n"
        "├─●     site                   dense softmax                         "
        "3          33      60\n"
        "● │     size                   dense                                 "
        "2          22      40\n"
        "│ ◆     site                   sparse_categorical_crossentropy\n"
        "◆       size                   mse\n"
        "\n"
        "parameters  355, of them trained 335\n"
        "FLOPs       15.7 k forward, for one row\n"
        "memory      144 KiB to train one, in batches of 32\n");
}

static void lanes_cross_where_they_must(void **state)
{
    struct drawing d;
    struct buf b;
    static const int from[6][3] = {{0}, {0}, {0}, {0, 2}, {1, 3, 2}, {0, 4}};
    static const int count[6] = {0, 1, 1, 2, 3, 2};
    (void)state;
    buf_init(&b);
    drawing_init(&d, 6);
    for (int n = 0; n < 6; n++)
        for (int i = 0; i < count[n]; i++)
            drawing_use(&d, from[n][i]);
    for (int n = 0; n < 6; n++) {
        drawing_node(&d, &b, n, from[n], count[n], "o");
        buf_addc(&b, '\n');
    }
    assert_string_equal(b.p, "o \n"
                             "├─o \n"
                             "├─│─o \n"
                             "├─│─┼─o \n"
                             "│ o─┴─╯ \n"
                             "o─╯ \n");
    drawing_done(&d);
    buf_done(&b);
}

static void the_same_as_a_value(void **state)
{
    struct made m;
    struct buf b;
    (void)state;
    buf_init(&b);
    made_open(&m,
              "{\"input\": 4, \"layers\": [{\"dense\": 3, \"activation\": "
              "\"tanh\"}, {\"dense\": 4, \"name\": \"last\"}, {\"add\": null, "
              "\"from\": [\"last\", \"input\"]}], \"loss\": \"mse\", "
              "\"batch_size\": 2, \"epochs\": 5}",
              4);
    json_print(&b, nn_model_to_value(m.arena, m.model));
    assert_string_equal(
        b.p,
        "{\"inputs\":[{\"name\":\"input\",\"shape\":[4],\"tokens\":false}],"
        "\"lay"
        "ers\":[{\"name\":\"dense_1\",\"kind\":\"dense\",\"activation\":"
        "\"tanh\",\""
        "from\":[\"input\"],\"output\":[3],\"parameters\":15,\"flops\":24.0},{"
        "\"name\":\"last\",\"kind\":\"dense\",\"from\":[\"dense_1\"],"
        "\"output\":[4]"
        ",\"parameters\":16,\"flops\":24.0},{\"name\":\"add_3\",\"kind\":"
        "\"add\","
        "\"from\":[\"last\",\"input\"],\"output\":[4],\"parameters\":0,"
        "\"flops\":"
        "0.0}],\"heads\":[{\"name\":\"output\",\"from\":\"add_3\",\"loss\":"
        "\"mse\"}"
        "],\"parameters\":31,\"trained\":31,\"flops\":48.0,\"memory_bytes\":1"
        "312,\"batch_size\":2,\"epochs\":5}");
    buf_done(&b);
    made_close(&m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_chain_is_one_lane),
        cmocka_unit_test(branches_and_merges_are_drawn),
        cmocka_unit_test(lanes_cross_where_they_must),
        cmocka_unit_test(the_same_as_a_value),
    };
    return cmocka_run_group_tests_name("show", tests, NULL, NULL);
}
