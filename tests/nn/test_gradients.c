/* test_gradients.c - backward agrees with differences of forward
 *
 * For a list of models: the gradient of the loss by every kind of weight, on
 * the reference device, against (loss(w + h) - loss(w - h)) / 2h. */
#include <math.h>
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdlib.h>
#include <cmocka.h>

#include "nn/init.h"
#include "nn/program.h"
#include "made.h"

enum { ROWS = 6 };

/* One batch of the made-up rows on the reference device, the way the trainer
 * does it but with the buffers at hand. */
struct probe {
    struct made made;
    struct nn_program program;
    double *weights;
    struct nn_frame frame;
};

static void probe_open(struct probe *p, const char *json)
{
    struct err err = {0};
    made_open(&p->made, json, ROWS);
    const struct nn_graph *g = &p->made.model->graph;
    if (nn_program_open(&p->program, &nn_device_reference, g, ROWS, &err))
        fail_msg("%s", err.text);
    p->weights = calloc((size_t)g->weights + 1, sizeof(double));
    nn_init_weights(g, 7, p->weights);
    /* Off zero, where relu and others have a corner. */
    for (int64_t i = 0; i < g->weights; i++)
        p->weights[i] += 0.05 * sin(1.0 + (double)i);
    p->frame = nn_program_frame(&p->program, p->weights, p->made.model->soft.p);
    p->frame.batch = ROWS;
    p->frame.training = true;
    p->frame.key = 99;
}

static void probe_close(struct probe *p)
{
    free(p->weights);
    nn_program_close(&p->program);
    made_close(&p->made);
}

static double loss_now(struct probe *p)
{
    const struct nn_graph *g = &p->made.model->graph;
    const struct data_table *t = &p->made.table;
    uint32_t rows[ROWS] = {0, 1, 2, 3, 4, 5};
    double total = 0;
    for (size_t i = 0; i < g->inputs.len; i++)
        nn_device_reference.gather(
            p->program.value[g->inputs.p[i].tensor], t->inputs[i].numbers,
            (size_t)t->inputs[i].columns, rows, ROWS, NULL, NULL);
    nn_program_forward(&p->program, &p->frame);
    for (size_t i = 0; i < g->heads.len; i++) {
        const struct nn_head *h = &g->heads.p[i];
        struct nn_labels labels = {.categories = t->labels[i].categories};
        double *values = NULL;
        if (t->labels[i].numbers) {
            size_t count = ROWS * (size_t)t->labels[i].columns;
            values = malloc(count * sizeof(double));
            for (size_t k = 0; k < count; k++)
                values[k] = (double)t->labels[i].numbers[k];
            labels.values = values;
        }
        nn_device_reference.loss(h, &p->frame, &labels, p->program.head_adds[i],
                                 &total);
        free(values);
    }
    return total;
}

static void check_param(struct probe *p, const struct nn_param *param)
{
    const double h = 1e-5;
    double *slopes = malloc((size_t)param->count * sizeof(double));
    loss_now(p);
    nn_program_backward(&p->program, &p->frame);
    memcpy(slopes, (double *)p->frame.weight_slopes + param->offset,
           (size_t)param->count * sizeof(double));
    for (int64_t i = 0; i < param->count; i += 1 + param->count / 40) {
        double *w = &p->weights[param->offset + i], was = *w;
        *w = was + h;
        double up = loss_now(p);
        *w = was - h;
        double down = loss_now(p);
        *w = was;
        double slope = (up - down) / (2 * h);
        if (!(fabs(slope - slopes[i]) <= 1e-6 + 1e-5 * fabs(slope)))
            fail_msg("%.*s[%lld]: backward says %.10g, differences %.10g",
                     STRF(param->name), (long long)i, slopes[i], slope);
    }
    free(slopes);
}

static void check_model(const char *json)
{
    struct probe p;
    probe_open(&p, json);
    const struct nn_graph *g = &p.made.model->graph;
    for (size_t i = 0; i < g->params.len; i++)
        if (g->params.p[i].trained)
            check_param(&p, &g->params.p[i]);
    probe_close(&p);
}

static void of_dense_layers_are_right(void **state)
{
    (void)state;
    check_model("{\"input\": 5, \"layers\": [{\"dense\": 7, \"activation\": "
                "\"tanh\"}, {\"dense\": 3}], \"loss\": "
                "\"sparse_categorical_crossentropy\"}");
    check_model("{\"input\": 5, \"layers\": [{\"dense\": 4, \"bias\": "
                "false}, {\"dropout\": 0.4}, {\"dense\": 3}], \"loss\": "
                "\"mse\"}");
}

static void of_every_activation_are_right(void **state)
{
    static const char *const names[] = {
        "relu", "relu6",   "leaky_relu", "elu",   "selu",   "gelu",
        "tanh", "sigmoid", "softplus",   "swish", "softmax"};
    (void)state;
    for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
        struct buf b;
        buf_init(&b);
        buf_addf(&b,
                 "{\"input\": 5, \"layers\": [{\"dense\": 6, \"activation\": "
                 "\"%s\"}, {\"dropout\": 0.3}, {\"dense\": 2}], "
                 "\"loss\": \"mse\"}",
                 names[i]);
        check_model(b.p);
        buf_done(&b);
    }
}

static void of_every_loss_are_right(void **state)
{
    static const char *const names[] = {"categorical_crossentropy",
                                        "sparse_categorical_crossentropy",
                                        "binary_crossentropy", "mse", "mae"};
    (void)state;
    for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
        struct buf b;
        buf_init(&b);
        buf_addf(&b,
                 "{\"input\": 5, \"layers\": [{\"dense\": 4}], "
                 "\"loss\": \"%s\"}",
                 names[i]);
        check_model(b.p);
        buf_done(&b);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(of_dense_layers_are_right),
        cmocka_unit_test(of_every_activation_are_right),
        cmocka_unit_test(of_every_loss_are_right),
    };
    return cmocka_run_group_tests_name("gradients", tests, NULL, NULL);
}
