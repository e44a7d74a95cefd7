/* test_devices.c - every device does what the reference does
 *
 * For every model of models.json: loss and gradients of one batch from the
 * same weights agree to 1e-5 of the largest, and the loss after 50 steps to
 * 1e-3. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdlib.h>

#include "nn/nn.h"
#include "probe.h"
#include "terms/device.h"

/* Some gradients are 0 but for rounding: the largest of all says how much
 * that may be. */
static double largest(const struct nn_graph *g, const double *slopes)
{
    double most = 0;
    for (int64_t i = 0; i < g->trained; i++)
        most = fmax(most, fabs(slopes[i]));
    return most;
}

static void compare_slopes(const char *name, const struct nn_graph *g,
                           const double *truth, const double *got)
{
    double rounding = 1e-7 * largest(g, truth);
    for (size_t k = 0; k < g->params.len; k++) {
        const struct nn_param *p = &g->params.p[k];
        double most = 0;
        for (int64_t i = 0; p->trained && i < p->count; i++)
            most = fmax(most, fabs(truth[p->offset + i]));
        for (int64_t i = 0; p->trained && i < p->count; i++)
            if (!(fabs(truth[p->offset + i] - got[p->offset + i]) <=
                  1e-5 * most + rounding))
                fail_msg("%s: %.*s[%lld] is %.9g, the truth %.9g", name,
                         STRF(p->name), (long long)i, got[p->offset + i],
                         truth[p->offset + i]);
    }
}

static void check_step(const char *name, const struct nn_kernels *kernels)
{
    struct probe truth, probe;
    probe_open(&truth, name, nn_kernels_reference());
    probe_open(&probe, name, kernels);
    double a = probe_loss(&truth), b = probe_loss(&probe);
    if (!(fabs(a - b) <= 1e-5 * fmax(1, fabs(a))))
        fail_msg("%s: the loss is %.9g, the truth %.9g", name, b, a);
    double *slopes = probe_slopes(&truth), *got = probe_slopes(&probe);
    compare_slopes(name, &truth.made.model->graph, slopes, got);
    free(slopes);
    free(got);
    probe_close(&truth);
    probe_close(&probe);
}

/* 25 epochs of two batches. */
static double loss_later(const char *name, const char *device)
{
    struct made m;
    struct err err = {0};
    struct nn_report r = {0};
    made_named(&m, name, 80);
    struct nn_member one = {m.model, &m.view, 3};
    struct nn_trainer *t = nn_trainer_open(device, m.model, 1, &err);
    assert_non_null(t);
    assert_int_equal(nn_trainer_join(t, &one, &err), 0);
    nn_trainer_epochs(t, 0, 25);
    while (!r.finished)
        assert_int_equal(nn_trainer_epoch(t, 0, &r, &err), 0);
    nn_trainer_free(t);
    made_close(&m);
    return r.loss;
}

/* The truth is dear, so it is found once for all devices. */
static double true_loss_later(const char *name, size_t i)
{
    static struct {
        double loss;
        bool known;
    } truths[256];
    assert_true(i < 256);
    if (!truths[i].known) {
        truths[i].loss = loss_later(name, "reference");
        truths[i].known = true;
    }
    return truths[i].loss;
}

static void check_device(const struct nn_device *d)
{
    struct arena *a = arena_new();
    const char **names = made_names(a);
    for (size_t i = 0; names[i]; i++) {
        if (d->kernels)
            check_step(names[i], d->kernels());
        double truth = true_loss_later(names[i], i);
        double got = loss_later(names[i], d->facts->name);
        if (!(fabs(truth - got) <= 1e-3 * fmax(1e-3, fabs(truth))))
            fail_msg("%s: after 50 steps on the %s the loss is %.9g, the truth "
                     "%.9g",
                     names[i], d->facts->name, got, truth);
    }
    arena_free(a);
}

/* One of those that stand apart is the cpu here. */
static bool is_known_as_another(const struct nn_device *d)
{
    const struct nn_device *cpu = nn_device_find(STR("cpu"));
    return d != cpu && d->kernels && d->kernels() == cpu->kernels();
}

static void every_device_does_what_the_reference_does(void **state)
{
    (void)state;
    for (size_t i = 0; i < DEVICE_COUNT_ALL; i++) {
        const struct nn_device *d = nn_device_find(str_of(devices[i].name));
        if (!d)
            print_message("this machine has no %s\n", devices[i].name);
        else if (!is_known_as_another(d))
            check_device(d);
    }
}

static void check_kernels(const struct nn_kernels *kernels)
{
    for (int k = 0; k < NN_OP_COUNT; k++) {
        if (k == NN_OP_RESHAPE) /* the same memory: nothing to compute */
            continue;
        assert_non_null(kernels->ops[k].forward);
        assert_non_null(kernels->ops[k].backward);
    }
}

static void every_device_is_there_with_every_kernel(void **state)
{
    (void)state;
    for (size_t i = 0; i < DEVICE_COUNT; i++) {
        const struct nn_device *d = nn_device_find(str_of(devices[i].name));
        if (!d) {
            assert_non_null(nn_device_absent(devices[i].name));
            continue;
        }
        assert_ptr_equal(d->facts, &devices[i]);
        if (!d->kernels)
            continue;
        check_kernels(d->kernels());
        assert_int_equal(d->kernels()->real_bytes, devices[i].number_bytes);
    }
}

static const char *refuses_many(const struct nn_device *d,
                                const struct nn_model *like)
{
    (void)d;
    return like->graph.layers.len > 1 ? "it has more than one layer" : NULL;
}

static void a_model_that_a_device_refuses_is_trained_on_the_cpu(void **state)
{
    static const struct nn_runner choosy = {.refuses = refuses_many};
    static const struct device facts = {.name = "choosy"};
    static const struct nn_device device = {.facts = &facts, .runner = &choosy};
    struct made m;
    struct buf why;
    (void)state;
    buf_init(&why);
    made_open(&m,
              "{\"input\": 6, \"layers\": [{\"dense\": 3}], \"loss\": "
              "\"sparse_categorical_crossentropy\"}",
              8);
    assert_ptr_equal(nn_device_choose(&device, m.model, &why), &device);
    assert_int_equal(why.len, 0);
    made_close(&m);
    made_open(&m,
              "{\"input\": 6, \"layers\": [{\"dense\": 3}, {\"dense\": "
              "3}], \"loss\": \"sparse_categorical_crossentropy\"}",
              8);
    assert_ptr_equal(nn_device_choose(&device, m.model, &why),
                     nn_device_find(STR("cpu")));
    assert_string_equal(why.p, "the device choosy cannot train this model: it "
                               "has more than one layer; it is trained on the "
                               "cpu");
    made_close(&m);
    buf_done(&why);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_device_does_what_the_reference_does),
        cmocka_unit_test(every_device_is_there_with_every_kernel),
        cmocka_unit_test(a_model_that_a_device_refuses_is_trained_on_the_cpu),
    };
    return cmocka_run_group_tests_name("devices", tests, NULL, NULL);
}
