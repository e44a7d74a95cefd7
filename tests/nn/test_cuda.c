/* test_cuda.c - the device cuda does what the reference does
 *
 * Where there is a GPU, on it (test_nn_cuda_gpu); elsewhere its kernels run
 * here, one thread after another (nn/cuda/host.c). For every model of
 * models.json the losses of the first 20 steps agree with the reference's, and
 * what a member becomes is the same to the last bit in a second run and in any
 * company. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdlib.h>
#include <string.h>

#include "made.h"
#include "nn/device.h"

enum { ROWS = 80, EPOCHS = 10, MEMBERS = 3 };

/* One model, some epochs: what each came to, and the weights then. */
struct course {
    double loss[EPOCHS], judged[EPOCHS];
    double *weights[MEMBERS];
    size_t count;
};

static void train(struct course *c, const char *name, const char *device,
                  int members, int epochs)
{
    struct made m;
    struct err err = {0};
    struct nn_report r = {0};
    made_named(&m, name, ROWS);
    struct nn_trainer *t =
        nn_trainer_open(device, m.model, (size_t)members, &err);
    if (!t)
        fail_msg("%s: %s", name, err.text);
    for (int i = 0; i < members; i++) {
        struct nn_member one = {m.model, &m.view, 3 + (uint64_t)i};
        assert_int_equal(nn_trainer_join(t, &one, &err), i);
        nn_trainer_epochs(t, i, EPOCHS);
    }
    for (int e = 0; e < epochs; e++)
        for (int i = members - 1; i >= 0; i--) {
            assert_int_equal(nn_trainer_epoch(t, i, &r, &err), 0);
            c->loss[e] = r.loss;
            c->judged[e] = r.validation_loss;
        }
    c->count = (size_t)m.model->graph.weights;
    for (int i = 0; i < members; i++) {
        c->weights[i] = calloc(c->count + 1, sizeof(double));
        nn_trainer_take_weights(t, i, c->weights[i]);
    }
    nn_trainer_free(t);
    made_close(&m);
}

static void done(struct course *c)
{
    for (int i = 0; i < MEMBERS; i++)
        free(c->weights[i]);
}

static bool near(double truth, double got)
{
    return fabs(truth - got) <= 1e-4 * fmax(1e-2, fabs(truth));
}

static void check_model(const char *name)
{
    struct course truth = {0}, got = {0};
    train(&truth, name, "reference", 1, EPOCHS);
    train(&got, name, "cuda", 1, EPOCHS);
    for (int e = 0; e < EPOCHS; e++)
        if (!near(truth.loss[e], got.loss[e]) ||
            !near(truth.judged[e], got.judged[e])) {
            print_error("%s: after epoch %d the losses are %.9g and %.9g, the "
                        "truth is %.9g and %.9g\n",
                        name, e + 1, got.loss[e], got.judged[e], truth.loss[e],
                        truth.judged[e]);
            fail();
        }
    done(&truth);
    done(&got);
}

static void check_company(const char *name)
{
    struct course alone = {0}, again = {0}, among = {0};
    train(&alone, name, "cuda", 1, 2);
    train(&again, name, "cuda", 1, 2);
    train(&among, name, "cuda", MEMBERS, 2);
    size_t bytes = alone.count * sizeof(double);
    if (memcmp(alone.weights[0], again.weights[0], bytes) != 0)
        fail_msg("%s: a second run comes to other weights", name);
    if (memcmp(alone.weights[0], among.weights[0], bytes) != 0)
        fail_msg("%s: among others it comes to other weights", name);
    done(&alone);
    done(&again);
    done(&among);
}

/* THRONG_TEST_MODEL names one, to look at it alone. */
static void for_each_model(void (*check)(const char *name))
{
    struct arena *a = arena_new();
    const char **names = made_names(a), *only = getenv("THRONG_TEST_MODEL");
    for (size_t i = 0; names[i]; i++)
        if (!only || strcmp(only, names[i]) == 0)
            check(names[i]);
    arena_free(a);
}

static void every_model_has_the_losses_of_the_reference(void **state)
{
    (void)state;
    for_each_model(check_model);
}

static void a_member_is_the_same_in_any_company(void **state)
{
    (void)state;
    for_each_model(check_company);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_model_has_the_losses_of_the_reference),
        cmocka_unit_test(a_member_is_the_same_in_any_company),
    };
    if (!nn_device_find(STR("cuda"))) {
        print_message("skipped: %s\n", nn_device_cuda.absent());
        return 77;
    }
    return cmocka_run_group_tests_name("cuda", tests, NULL, NULL);
}
