/* test_mask.c - numbers that stay zero */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
#include <cmocka.h>

#include "made.h"
#include "nn/trainer.h"
#include "nn/weights.h"
#include "sys/sys.h"

static const char *const optimizers[] = {"sgd",   "rmsprop",  "adagrad",
                                         "adam",  "adadelta", "adamax",
                                         "nadam", "adamw"};

static char path[] = "/tmp/throng-mask-XXXXXX";

static void open_model(struct made *m, const char *optimizer)
{
    struct buf json;
    buf_init(&json);
    buf_addf(&json,
             "{\"input\": 6, \"layers\": [{\"dense\": 9, \"activation\": "
             "\"tanh\", \"l2\": 0.01}, {\"dense\": 3}], \"loss\": "
             "\"sparse_categorical_crossentropy\", \"optimizer\": {\"name\": "
             "\"%s\", \"clip_norm\": 1}, \"batch_size\": 8, \"epochs\": 30}",
             optimizer);
    made_open(m, json.p, 60);
    buf_done(&json);
}

/* Every third number of the first weights is masked. */
static void put_mask(const struct made *m, struct str name, double zero)
{
    const struct nn_param *p = &m->model->graph.params.p[0];
    double *mask = calloc((size_t)p->count, sizeof(*mask));
    struct weights_writer w;
    struct err err = {0};
    for (int64_t i = 0; i < p->count; i++)
        mask[i] = i % 3 ? 1 : zero;
    weights_begin(&w, 4);
    weights_add(&w, name.len ? name : p->name, &p->shape, mask);
    struct buf file;
    buf_init(&file);
    weights_end(&w, &file);
    assert_int_equal(file_write(path, buf_str(&file), false, &err), 0);
    buf_done(&file);
    free(mask);
}

static struct nn_trainer *join(struct made *m, const char *device, int places)
{
    struct err err = {0};
    struct nn_member one = {m->model, &m->view, 5};
    struct nn_trainer *t =
        nn_trainer_open(device, m->model, (size_t)places, &err);
    for (int i = 0; i < places; i++)
        assert_int_equal(nn_trainer_join(t, &one, &err), i);
    return t;
}

static double *weights_of(const struct nn_trainer *t, int member)
{
    double *w = calloc((size_t)t->graph->weights, sizeof(*w));
    nn_trainer_take_weights(t, member, w);
    return w;
}

static void check_zeros(const struct nn_trainer *t, int member)
{
    static const double zero = 0;
    double *w = weights_of(t, member);
    for (int64_t i = 0; i < t->graph->params.p[0].count; i++)
        assert_int_equal(memcmp(&w[i], &zero, sizeof(zero)) == 0, i % 3 == 0);
    free(w);
}

static void train(struct nn_trainer *t, int member, int epochs)
{
    struct nn_report r;
    struct err err = {0};
    for (int e = 0; e < epochs; e++)
        assert_int_equal(nn_trainer_epoch(t, member, &r, &err), 0);
}

static void masked_numbers_are_zero_with_every_optimizer(void **state)
{
    struct err err = {0};
    (void)state;
    for (size_t d = 0; d < DEVICE_COUNT; d++)
        for (size_t i = 0; i < sizeof(optimizers) / sizeof(*optimizers); i++) {
            struct made m;
            if (!nn_device_find(str_of(devices[d].name)))
                continue; /* not in this program */
            open_model(&m, optimizers[i]);
            put_mask(&m, STR(""), 0);
            struct nn_trainer *t = join(&m, devices[d].name, 1);
            assert_int_equal(nn_trainer_mask(t, 0, path, &err), 0);
            check_zeros(t, 0);
            train(t, 0, 4);
            check_zeros(t, 0);
            nn_trainer_free(t);
            made_close(&m);
        }
}

static void a_mask_is_of_one_member(void **state)
{
    struct made m;
    struct err err = {0};
    (void)state;
    open_model(&m, "adam");
    put_mask(&m, STR(""), 0);
    struct nn_trainer *t = join(&m, "cpu", 3), *alone = join(&m, "cpu", 1);
    assert_int_equal(nn_trainer_mask(t, 1, path, &err), 0);
    for (int i = 0; i < 3; i++)
        train(t, i, 3);
    train(alone, 0, 3);
    double *a = weights_of(t, 0), *b = weights_of(alone, 0);
    assert_memory_equal(a, b, (size_t)t->graph->weights * sizeof(*a));
    free(a);
    free(b);
    nn_trainer_free(t);
    nn_trainer_free(alone);
    made_close(&m);
}

static void a_checkpoint_of_a_masked_member_goes_on(void **state)
{
    char kept[] = "/tmp/throng-mask-kept-XXXXXX";
    struct made m;
    struct err err = {0};
    (void)state;
    close(mkstemp(kept));
    open_model(&m, "adam");
    put_mask(&m, STR(""), 0);
    struct nn_trainer *t = join(&m, "cpu", 1), *u = join(&m, "cpu", 1);
    assert_int_equal(nn_trainer_mask(t, 0, path, &err), 0);
    train(t, 0, 3);
    assert_int_equal(nn_trainer_save(t, 0, kept, NULL, true, &err), 0);
    assert_int_equal(nn_trainer_load(u, 0, kept, true, &err), 0);
    check_zeros(u, 0);
    assert_int_equal(nn_trainer_mask(u, 0, path, &err), 0);
    train(t, 0, 3);
    train(u, 0, 3);
    double *a = weights_of(t, 0), *b = weights_of(u, 0);
    assert_memory_equal(a, b, (size_t)t->graph->weights * sizeof(*a));
    free(a);
    free(b);
    nn_trainer_free(t);
    nn_trainer_free(u);
    made_close(&m);
    unlink(kept);
}

static void expect(struct made *m, const char *part)
{
    struct err err = {0};
    assert_int_equal(nn_masks_check(m->model, path, &err), -1);
    if (!strstr(err.text, part))
        fail_msg("\"%s\" lacks \"%s\"", err.text, part);
}

static void bad_masks_are_refused(void **state)
{
    struct made m, other;
    struct err err = {0};
    (void)state;
    open_model(&m, "adam");
    put_mask(&m, STR(""), 0);
    assert_int_equal(nn_masks_check(m.model, path, &err), 0);
    put_mask(&m, STR(""), 0.5);
    expect(&m, "number 0 of");
    expect(&m, "is 0.5; a mask has only 0");
    put_mask(&m, STR("dens.weight"), 0);
    expect(&m, "trains no dens.weight; did you mean");
    made_open(&other,
              "{\"input\": 6, \"layers\": [{\"dense\": 7}, {\"dense\": 3}], "
              "\"loss\": \"sparse_categorical_crossentropy\"}",
              60);
    put_mask(&m, STR(""), 0);
    expect(&other, "is 6×9, the model wants 6×7");
    assert_int_equal(file_write(path, STR("no"), false, NULL), 0);
    expect(&m, "no safetensors file");
    unlink(path);
    expect(&m, path);
    made_close(&m);
    made_close(&other);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(masked_numbers_are_zero_with_every_optimizer),
        cmocka_unit_test(a_mask_is_of_one_member),
        cmocka_unit_test(a_checkpoint_of_a_masked_member_goes_on),
        cmocka_unit_test(bad_masks_are_refused),
    };
    close(mkstemp(path));
    return cmocka_run_group_tests(tests, NULL, NULL);
}
