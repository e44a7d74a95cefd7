/* test_trainer.c - cohorts */
#include <math.h>
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdlib.h>
#include <cmocka.h>

#include "nn/nn.h"
#include "made.h"

static const char small[] =
    "{\"input\": 6, \"layers\": [{\"dense\": 16, \"activation\": \"relu\"}, "
    "{\"dropout\": 0.2}, {\"dense\": 3}], \"loss\": "
    "\"sparse_categorical_crossentropy\", \"optimizer\": {\"lr\": 0.02}, "
    "\"batch_size\": 8, \"epochs\": 30}";

static double *trained(struct made *m, const char *device, size_t members,
                       size_t which, int epochs)
{
    struct nn_member list[8];
    struct err err = {0};
    struct nn_report r;
    for (size_t i = 0; i < members; i++)
        list[i] = (struct nn_member){m->model, &m->view, 100 + i};
    if (members == 1)
        list[0].seed = 100 + which;
    struct nn_trainer *t = nn_trainer_open(device, list, members, &err);
    assert_non_null(t);
    for (int e = 0; e < epochs; e++)
        for (size_t i = 0; i < members; i++)
            assert_int_equal(nn_trainer_epoch(t, i, &r, &err), 0);
    double *w = calloc((size_t)m->model->graph.weights, sizeof(double));
    nn_trainer_take_weights(t, members == 1 ? 0 : which, w);
    nn_trainer_free(t);
    return w;
}

static void a_member_is_the_same_alone_and_in_a_cohort(void **state)
{
    static const char *const devices[] = {"reference", "portable", "cpu"};
    struct made m;
    (void)state;
    made_open(&m, small, 60);
    for (size_t d = 0; d < 3; d++)
        for (size_t i = 0; i < 5; i++) {
            double *alone = trained(&m, devices[d], 1, i, 3);
            double *among = trained(&m, devices[d], 5, i, 3);
            assert_memory_equal(
                alone, among, (size_t)m.model->graph.weights * sizeof(double));
            free(alone);
            free(among);
        }
    made_close(&m);
}

static void training_makes_the_loss_smaller(void **state)
{
    struct made m;
    struct err err = {0};
    struct nn_report first, last = {0};
    (void)state;
    made_open(&m, small, 60);
    struct nn_member one = {m.model, &m.view, 1};
    struct nn_trainer *t = nn_trainer_open("cpu", &one, 1, &err);
    assert_non_null(t);
    nn_trainer_epoch(t, 0, &first, &err);
    while (!last.finished)
        nn_trainer_epoch(t, 0, &last, &err);
    assert_int_equal(last.epoch, 30);
    assert_true(last.loss < 0.6 * first.loss);
    nn_trainer_free(t);
    made_close(&m);
}

static void a_diverging_member_says_so(void **state)
{
    struct made m;
    struct err err = {0};
    struct nn_report r = {0};
    (void)state;
    made_open(&m,
              "{\"input\": 6, \"layers\": [{\"dense\": 16}, {\"dense\": 2}], "
              "\"loss\": \"mse\", \"optimizer\": {\"name\": \"sgd\", \"lr\": "
              "1e9}, \"batch_size\": 8, \"epochs\": 30}",
              60);
    struct nn_member one = {m.model, &m.view, 1};
    struct nn_trainer *t = nn_trainer_open("cpu", &one, 1, &err);
    while (!r.finished)
        nn_trainer_epoch(t, 0, &r, &err);
    assert_true(r.diverged);
    assert_true(r.epoch < 30);
    nn_trainer_free(t);
    made_close(&m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_member_is_the_same_alone_and_in_a_cohort),
        cmocka_unit_test(training_makes_the_loss_smaller),
        cmocka_unit_test(a_diverging_member_says_so),
    };
    return cmocka_run_group_tests_name("trainer", tests, NULL, NULL);
}
