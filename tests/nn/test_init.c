/* test_init.c - first weights are drawn as Keras draws them */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <cmocka.h>

#include "made.h"
#include "nn/init.h"

enum { IN = 300, OUT = 100, COUNT = IN * OUT };

/* The weights of a dense layer from IN to OUT; yours to free. */
static double *drawn(const char *initializer)
{
    struct made m;
    struct buf json;
    buf_init(&json);
    buf_addf(&json,
             "{\"input\": %d, \"layers\": [{\"dense\": %d, \"bias\": false, "
             "\"initializer\": %s}], \"loss\": \"mse\"}",
             IN, OUT, initializer);
    made_open(&m, json.p, 4);
    buf_done(&json);
    double *w = calloc((size_t)m.model->graph.weights, sizeof(*w));
    nn_init_weights(&m.model->graph, 3, w);
    made_close(&m);
    return w;
}

static void moments(const double *w, double *mean, double *spread,
                    double *largest)
{
    double sum = 0, squares = 0;
    *largest = 0;
    for (int i = 0; i < COUNT; i++) {
        sum += w[i];
        squares += w[i] * w[i];
        *largest = fmax(*largest, fabs(w[i]));
    }
    *mean = sum / COUNT;
    *spread = sqrt(squares / COUNT - *mean * *mean);
}

/* A spread S is known to about S / sqrt(2 COUNT): 0.4 percent. */
static void numbers_have_the_mean_the_spread_and_the_bounds(void **state)
{
    /* A normal cut at two spreads keeps 0.8796 of one; Keras's glorot, he and
     * lecun widen it by that first. */
    const double cut = 0.87962566103423978;
    const struct {
        const char *initializer;
        double mean, spread, most; /* most 0: any */
    } cases[] = {
        {"\"uniform\"", 0, 0.05 / sqrt(3), 0.05},
        {"\"random_uniform\"", 0, 0.05 / sqrt(3), 0.05},
        {"{\"kind\": \"uniform\", \"from\": 0, \"to\": 3}", 1.5, sqrt(0.75), 3},
        {"\"normal\"", 0, 0.05, 0},
        {"{\"kind\": \"random_normal\", \"mean\": 1, \"spread\": 2}", 1, 2, 0},
        {"\"truncated_normal\"", 0, 0.05 * cut, 0.1},
        {"\"glorot_uniform\"", 0, sqrt(2.0 / (IN + OUT)),
         sqrt(6.0 / (IN + OUT))},
        {"\"glorot_normal\"", 0, sqrt(2.0 / (IN + OUT)),
         2 * sqrt(2.0 / (IN + OUT)) / cut},
        {"\"he_uniform\"", 0, sqrt(2.0 / IN), sqrt(6.0 / IN)},
        {"\"he_normal\"", 0, sqrt(2.0 / IN), 2 * sqrt(2.0 / IN) / cut},
        {"\"lecun_uniform\"", 0, sqrt(1.0 / IN), sqrt(3.0 / IN)},
        {"\"lecun_normal\"", 0, sqrt(1.0 / IN), 2 * sqrt(1.0 / IN) / cut},
        {"\"variance_scaling\"", 0, sqrt(1.0 / IN), 2 * sqrt(1.0 / IN) / cut},
        {"{\"kind\": \"variance_scaling\", \"scale\": 3, \"mode\": "
         "\"fan_out\", \"distribution\": \"uniform\"}",
         0, sqrt(3.0 / OUT), sqrt(9.0 / OUT)},
        {"{\"kind\": \"variance_scaling\", \"mode\": \"fan_avg\", "
         "\"distribution\": \"normal\"}",
         0, sqrt(2.0 / (IN + OUT)), 0},
    };
    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
        double mean, spread, largest;
        double *w = drawn(cases[i].initializer);
        moments(w, &mean, &spread, &largest);
        if (fabs(mean - cases[i].mean) > 0.03 * cases[i].spread ||
            fabs(spread - cases[i].spread) > 0.02 * cases[i].spread)
            fail_msg("%s: mean %g, spread %g, not %g, %g", cases[i].initializer,
                     mean, spread, cases[i].mean, cases[i].spread);
        if (cases[i].most > 0 &&
            (largest > cases[i].most || largest < 0.99 * cases[i].most))
            fail_msg("%s: up to %g, not %g", cases[i].initializer, largest,
                     cases[i].most);
        if (cases[i].most == 0)
            assert_true(largest > 3 * spread);
        free(w);
    }
}

static void
an_orthogonal_one_has_columns_of_length_1_at_right_angles(void **state)
{
    double *w = drawn("\"orthogonal\"");
    (void)state;
    for (int a = 0; a < OUT; a++)
        for (int b = 0; b <= a; b++) {
            double dot = 0;
            for (int i = 0; i < IN; i++)
                dot += w[i * OUT + a] * w[i * OUT + b];
            assert_true(fabs(dot - (a == b)) < 1e-9);
        }
    free(w);
}

static void plain_ones_are_what_they_say(void **state)
{
    double *zeros = drawn("\"zeros\""), *ones = drawn("\"ones\"");
    double *constant = drawn("{\"kind\": \"constant\", \"value\": 0.3}");
    double *identity = drawn("\"identity\"");
    (void)state;
    for (int i = 0; i < COUNT; i++) {
        assert_true(zeros[i] == 0 && ones[i] == 1 && constant[i] == 0.3);
        assert_true(identity[i] == (i / OUT == i % OUT));
    }
    free(zeros);
    free(ones);
    free(constant);
    free(identity);
}

/* The first numbers of parameter `name` of a model with one layer; yours to
 * free. */
static double *first_of(const char *layer, const char *name, int64_t *count)
{
    struct made m;
    struct buf json;
    double *found = NULL;
    buf_init(&json);
    buf_addf(
        &json,
        "{\"input\": [4, 3], \"layers\": [%s, \"flatten\", {\"dense\": 1}], "
        "\"loss\": \"mse\"}",
        layer);
    made_open(&m, json.p, 4);
    buf_done(&json);
    const struct nn_graph *g = &m.model->graph;
    double *w = calloc((size_t)g->weights, sizeof(*w));
    nn_init_weights(g, 3, w);
    for (size_t i = 0; i < g->params.len; i++)
        if (str_is(g->params.p[i].name, name)) {
            *count = g->params.p[i].count;
            found = calloc((size_t)*count, sizeof(*found));
            memcpy(found, w + g->params.p[i].offset,
                   (size_t)*count * sizeof(*found));
        }
    free(w);
    made_close(&m);
    assert_non_null(found);
    return found;
}

/* Keras: bias = [zeros(units), ones(units), zeros(2 units)]. */
static void forget_gates_begin_at_1(void **state)
{
    static const struct {
        const char *layer, *name;
        double forget, others;
    } cases[] = {
        {"{\"lstm\": 5}", "lstm_1.bias", 1, 0},
        {"{\"lstm\": {\"units\": 5, \"bidirectional\": true}}",
         "lstm_1.bias_back", 1, 0},
        {"{\"lstm\": 5, \"unit_forget_bias\": false}", "lstm_1.bias", 0, 0},
        {"{\"lstm\": 5, \"bias_initializer\": {\"kind\": \"constant\", "
         "\"value\": 0.3}}",
         "lstm_1.bias", 1, 0.3},
        {"{\"lstm\": 5, \"unit_forget_bias\": false, \"bias_initialization\": "
         "\"ones\"}",
         "lstm_1.bias", 1, 1},
        {"{\"gru\": 5}", "gru_1.bias", 0, 0},
    };
    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
        int64_t count = 0;
        double *bias = first_of(cases[i].layer, cases[i].name, &count);
        assert_int_equal(count % 5, 0);
        for (int64_t k = 0; k < count; k++)
            assert_true(bias[k] ==
                        (k / 5 == 1 ? cases[i].forget : cases[i].others));
        free(bias);
    }
}

static void every_bias_begins_as_its_layer_says(void **state)
{
    static const char *const cases[][2] = {
        {"{\"dense\": 4, %s}", "dense_1.bias"},
        {"{\"conv1d\": 4, %s}", "conv1d_1.bias"},
        {"{\"depthwise_conv1d\": 2, %s}", "depthwise_conv1d_1.bias"},
        {"{\"gru\": 4, %s}", "gru_1.bias"},
        {"{\"gru\": 4, %s}", "gru_1.recurrent_bias"},
        {"{\"attention\": 1, %s}", "attention_1.query.bias"},
        {"{\"attention\": 1, %s}", "attention_1.output.bias"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
        char layer[160];
        int64_t count = 0;
        const char *hole = strchr(cases[i][0], '%');
        snprintf(layer, sizeof layer,
                 "%.*s\"%s\": {\"kind\": \"constant\", "
                 "\"value\": 0.25}}",
                 (int)(hole - cases[i][0]), cases[i][0],
                 i % 2 ? "bias_initializer" : "bias_initialization");
        double *bias = first_of(layer, cases[i][1], &count);
        for (int64_t k = 0; k < count; k++)
            assert_true(bias[k] == 0.25);
        free(bias);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(numbers_have_the_mean_the_spread_and_the_bounds),
        cmocka_unit_test(
            an_orthogonal_one_has_columns_of_length_1_at_right_angles),
        cmocka_unit_test(plain_ones_are_what_they_say),
        cmocka_unit_test(forget_gates_begin_at_1),
        cmocka_unit_test(every_bias_begins_as_its_layer_says),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
