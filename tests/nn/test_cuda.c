/* test_cuda.c - the device cuda does what the reference does
 *
 * Where there is a GPU, on it (test_nn_cuda_gpu); elsewhere its kernels run
 * here, one thread after another (nn/cuda/host.c). For every model of
 * models.json the losses of the first 20 steps agree with the reference's, and
 * what a member becomes is the same to the last bit in a second run and in any
 * company. So do metrics, which it judges by itself, at once and in pieces. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cuda_made.h"
#include "made.h"
#include "nn/cuda/gpu.h"
#include "nn/cuda/nvrtc.h"
#include "nn/device.h"
#include "nn/trainer.h"
#include "sys/sys.h"

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
    if (name[0] == '{')
        made_text(&m, name, ROWS);
    else
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

/* A model with an operation that has no kernels there. */
static bool is_refused(const char *name)
{
    struct made m;
    struct buf why;
    buf_init(&why);
    made_named(&m, name, ROWS);
    bool refused = strcmp(nn_device_for("cuda", m.model, &why), "cuda") != 0;
    if (refused)
        print_message("%s: %s\n", name, why.p);
    made_close(&m);
    buf_done(&why);
    return refused;
}

/* THRONG_TEST_MODEL names one, to look at it alone. */
static void for_each_model(void (*check)(const char *name))
{
    struct arena *a = arena_new();
    const char **names = made_names(a), *only = getenv("THRONG_TEST_MODEL");
    for (size_t i = 0; names[i]; i++)
        if ((!only || strcmp(only, names[i]) == 0) && !is_refused(names[i]))
            check(names[i]);
    for (size_t i = 0; made_large[i]; i++)
        if (!only || strcmp(only, made_large[i]) == 0)
            check(made_large[i]);
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

enum { MOMENTS = 2, HALF = 2, NEVER = 2 * HALF };

/* Which device trains each half of the epochs, and before which epoch there is
 * a mask. */
struct way {
    const char *first, *second;
    int masked_at;
};

static double *numbers_of(const struct nn_trainer *t, enum nn_numbers which)
{
    double *p = calloc((size_t)t->graph->weights + 1, sizeof(*p));
    t->runner->take(t->run, 0, which, p);
    return p;
}

static struct nn_trainer *open_alone(const struct made *m, const char *device)
{
    struct err err = {0};
    struct nn_trainer *t = nn_trainer_open(device, m->model, 1, &err);
    struct nn_member one = {m->model, &m->view, 3};
    assert_non_null(t);
    assert_int_equal(nn_trainer_join(t, &one, &err), 0);
    nn_trainer_epochs(t, 0, 2 * HALF);
    return t;
}

/* It goes on elsewhere, by way of a checkpoint. */
static struct nn_trainer *handed_to(struct nn_trainer *from,
                                    const struct made *m, const char *device)
{
    struct err err = {0};
    struct buf bytes;
    struct nn_trainer *t = open_alone(m, device);
    buf_init(&bytes);
    assert_int_equal(nn_trainer_print(from, 0, NULL, true, &bytes, &err), 0);
    assert_int_equal(nn_trainer_parse(t, 0, buf_str(&bytes), "s", &err), 0);
    buf_done(&bytes);
    nn_trainer_free(from);
    return t;
}

/* The moments that so many epochs come to. Returns how many each has. */
static size_t train_moments(const char *model, const struct way *way,
                            double *moments[MOMENTS])
{
    struct made m;
    struct err err = {0};
    struct nn_report r = {0};
    made_text(&m, model, ROWS);
    struct nn_trainer *t = open_alone(&m, way->first);
    for (int e = 0; e < 2 * HALF; e++) {
        if (e == HALF)
            t = handed_to(t, &m, way->second);
        if (e == way->masked_at || (e == HALF && e > way->masked_at))
            cuda_mask(t);
        assert_int_equal(nn_trainer_epoch(t, 0, &r, &err), 0);
    }
    for (int k = 0; k < MOMENTS; k++)
        moments[k] = numbers_of(t, NN_STATE + (enum nn_numbers)k);
    size_t count = (size_t)t->graph->trained;
    nn_trainer_free(t);
    made_close(&m);
    return count;
}

static void check_moments(const char *model, const struct way *way)
{
    const struct way reference = {"reference", "reference", way->masked_at};
    double *truth[MOMENTS], *got[MOMENTS];
    size_t count = train_moments(model, &reference, truth);
    assert_int_equal(train_moments(model, way, got), count);
    for (int k = 0; k < MOMENTS; k++) {
        double most = 0;
        for (size_t i = 0; i < count; i++)
            most = fmax(most, fabs(truth[k][i]));
        assert_true(most > 0);
        for (size_t i = 0; i < count; i++)
            if (fabs(truth[k][i] - got[k][i]) > 1e-4 * most)
                fail_msg("%s: %s, then %s, a mask before epoch %d: moment %d "
                         "of weight %zu is %g, the truth is %g",
                         model, way->first, way->second, way->masked_at + 1, k,
                         i, got[k][i], truth[k][i]);
        free(truth[k]);
        free(got[k]);
    }
}

/* However they lie on the device: a checkpoint goes on on any, and a mask may
 * come when steps were taken without it. */
static void moments_are_those_of_the_reference(void **state)
{
    static const struct way ways[] = {
        {"cuda", "cuda", NEVER},         {"cuda", "cuda", 0},
        {"cuda", "cuda", HALF - 1},      {"cuda", "cuda", HALF},
        {"cuda", "reference", NEVER},    {"reference", "cuda", NEVER},
        {"cuda", "reference", HALF - 1}, {"reference", "cuda", HALF + 1}};
    (void)state;
    for (size_t i = 0; cuda_stepped[i]; i++)
        for (size_t k = 0; k < sizeof(ways) / sizeof(ways[0]); k++)
            check_moments(cuda_stepped[i], &ways[k]);
}

/* The weights that two epochs come to. */
static double *two_epochs(struct nn_trainer *t)
{
    struct err err = {0};
    struct nn_report r = {0};
    for (int e = 0; e < 2; e++)
        assert_int_equal(nn_trainer_epoch(t, 0, &r, &err), 0);
    return numbers_of(t, NN_WEIGHTS);
}

/* Also where an optimizer's state does not begin with zeros, and where a mask
 * was. */
static void check_place(const char *model)
{
    struct made m;
    struct err err = {0};
    made_text(&m, model, ROWS);
    struct nn_trainer *t = open_alone(&m, "cuda");
    struct nn_member one = {m.model, &m.view, 3};
    double *first = two_epochs(t);
    cuda_mask(t);
    free(two_epochs(t));
    nn_trainer_leave(t, 0);
    assert_int_equal(nn_trainer_join(t, &one, &err), 0);
    nn_trainer_epochs(t, 0, 2);
    double *again = two_epochs(t);
    assert_memory_equal(first, again,
                        (size_t)t->graph->weights * sizeof(*first));
    free(first);
    free(again);
    nn_trainer_free(t);
    made_close(&m);
}

static void a_place_is_used_again_as_new(void **state)
{
    (void)state;
    for (size_t i = 0; cuda_stepped[i]; i++)
        check_place(cuda_stepped[i]);
    check_place("{'batch_size': 16, 'input': 5, 'layers': [{'dense': 7,"
                " 'activation': 'tanh'}, {'dense': 3}], 'loss': 'mse',"
                " 'optimizer': 'adam'}");
    check_place("{'batch_size': 16, 'input': 5, 'layers': [{'dense': 7,"
                " 'activation': 'tanh'}, {'dense': 3}], 'loss': 'mse',"
                " 'optimizer': 'adagrad'}");
}

static void dropout_behind_pooling_is_as_in_the_reference(void **state)
{
    (void)state;
    for (size_t i = 0; cuda_dropped[i]; i++) {
        check_model(cuda_dropped[i]);
        check_company(cuda_dropped[i]);
    }
}

static void check_precision(const char *model, const char *precision,
                            double nearness)
{
    struct course truth = {0}, whole = {0}, got = {0};
    char text[512];
    snprintf(text, sizeof(text), "%.*s, 'precision': '%s'}",
             (int)strlen(model) - 1, model, precision);
    train(&truth, text, "reference", 1, EPOCHS);
    train(&whole, model, "cuda", 1, EPOCHS);
    train(&got, text, "cuda", 1, EPOCHS);
    for (int e = 0; e < EPOCHS; e++)
        if (!(fabs(truth.loss[e] - got.loss[e]) <= nearness * truth.loss[e]))
            fail_msg("%s: after epoch %d the loss is %.9g, the truth is %.9g",
                     text, e + 1, got.loss[e], truth.loss[e]);
    assert_true(memcmp(whole.weights[0], got.weights[0],
                       got.count * sizeof(double)) != 0);
    done(&truth);
    done(&whole);
    done(&got);
    check_company(text);
}

/* Products of numbers of 11 and of 8 bits: near, and not the same. */
static void precision_rounds_what_is_multiplied(void **state)
{
    (void)state;
    for (size_t i = 0; cuda_rounded[i]; i++) {
        check_precision(cuda_rounded[i], "tf32", 2e-3);
        check_precision(cuda_rounded[i], "bf16", 2e-2);
    }
}

/* As GPUs write it: with one in the last place it would be a zero. */
static double loss_of_no_number(const char *precision)
{
    struct made m;
    struct err err = {0};
    struct nn_report r = {0};
    char text[512];
    const uint32_t ones = ~0u;
    snprintf(text, sizeof(text),
             "{'batch_size': 96, 'input': 100, 'layers': [{'dense': 132,"
             " 'activation': 'tanh'}, {'dense': 5}], 'loss': 'mse',"
             " 'optimizer': 'sgd', 'precision': '%s'}",
             precision);
    made_text(&m, text, ROWS);
    memcpy((void *)(uintptr_t)m.table.inputs[0].numbers, &ones, sizeof(ones));
    struct nn_trainer *t = nn_trainer_open("cuda", m.model, 1, &err);
    struct nn_member one = {m.model, &m.view, 3};
    assert_int_equal(nn_trainer_join(t, &one, &err), 0);
    nn_trainer_epochs(t, 0, 1);
    nn_trainer_epoch(t, 0, &r, &err);
    nn_trainer_free(t);
    made_close(&m);
    return r.loss;
}

static void no_precision_hides_what_is_not_a_number(void **state)
{
    (void)state;
    assert_true(isnan(loss_of_no_number("float32")));
    assert_true(isnan(loss_of_no_number("tf32")));
    assert_true(isnan(loss_of_no_number("bf16")));
}

/* Three epochs of so many rows; what the last is judged by, then all rows in
 * pieces. */
static size_t judge(const char *json, const char *device, size_t rows,
                    size_t piece, double metrics[8], double pieces[8])
{
    struct made m;
    struct err err = {0};
    struct nn_report r = {0};
    size_t count;
    float out[64 * 16];
    made_text(&m, json, rows);
    struct nn_trainer *t = nn_trainer_open(device, m.model, 1, &err);
    struct nn_member one = {m.model, &m.view, 3};
    assert_int_equal(nn_trainer_join(t, &one, &err), 0);
    nn_trainer_epochs(t, 0, 3);
    for (int e = 0; e < 3; e++)
        assert_int_equal(nn_trainer_epoch(t, 0, &r, &err), 0);
    memcpy(metrics, r.metrics, m.model->metrics.len * sizeof(double));
    struct nn_pieces *p = nn_pieces_new(t, 0, &m.view.validation, &err);
    for (size_t done = 0; done < m.view.validation.count; done += count)
        assert_int_equal(nn_pieces_next(p, piece, out, &count), 0);
    nn_pieces_report(p, &r);
    memcpy(pieces, r.metrics, m.model->metrics.len * sizeof(double));
    size_t all = m.model->metrics.len;
    nn_pieces_free(p);
    nn_trainer_free(t);
    made_close(&m);
    return all;
}

static void metrics_are_those_of_the_reference(void **state)
{
    (void)state;
    for (size_t i = 0; cuda_judged[i]; i++) {
        double truth[8], got[8], pieces[8];
        size_t count =
            judge(cuda_judged[i], "reference", 150, 1, truth, pieces);
        assert_int_equal(judge(cuda_judged[i], "cuda", 150, 1, got, pieces),
                         count);
        assert_true(count > 0);
        assert_memory_equal(got, pieces, count * sizeof(*got));
        for (size_t k = 0; k < count; k++)
            if (!near(truth[k], got[k]) && !(isnan(truth[k]) && isnan(got[k])))
                fail_msg("%s: metric %zu is %.9g, the truth is %.9g",
                         cuda_judged[i], k, got[k], truth[k]);
    }
}

/* A small network judges groups of 64 batches; pieces begin between them. */
static void no_row_is_left_out_of_pieces(void **state)
{
    static const char json[] =
        "{'batch_size': 2, 'input': 5, 'layers': [{'dense': 7, 'activation': "
        "'tanh'}, {'dense': 8}], 'loss': 'sparse_categorical_crossentropy',"
        " 'metrics': ['accuracy', 'f1_macro']}";
    double truth[8], got[8], whole[8], pieces[8];
    (void)state;
    size_t count = judge(json, "reference", 1600, 92, truth, whole);
    assert_int_equal(judge(json, "cuda", 1600, 92, got, pieces), count);
    assert_memory_equal(got, pieces, count * sizeof(*got));
    for (size_t k = 0; k < count; k++)
        assert_true(near(truth[k], pieces[k]));
}

static const struct nn_runner *counted;
static size_t calls;

static void count_calls(struct nn_run *r, struct nn_judging *list, size_t count)
{
    calls++;
    counted->judge(r, list, count);
}

static void ask(struct nn_trainer *t, const int *members, size_t count,
                const struct data_part *part, size_t samples, float *to)
{
    const struct data_part *parts[MEMBERS] = {part, part, part};
    struct err err = {0};
    struct nn_question q = {.members = members,
                            .parts = parts,
                            .count = count,
                            .rows = ROWS,
                            .samples = samples,
                            .outputs = to,
                            .room = ROWS};
    assert_int_equal(nn_trainer_ask(t, &q, &err), 0);
}

/* An ensemble, or samples with dropout: one call, and the same bits. */
static void all_are_asked_at_once(void **state)
{
    enum { SAMPLES = 4 };
    static const char json[] =
        "{'input': 4, 'layers': [{'dense': 20, 'activation': 'relu'},"
        " {'dropout': 0.5}, {'dense': 1, 'activation': 'sigmoid'}], 'loss':"
        " 'binary_crossentropy', 'metrics': ['auc'], 'batch_size': 8}";
    const int who[MEMBERS] = {2, 0, 1};
    float all[MEMBERS * SAMPLES * ROWS], own[SAMPLES * ROWS], first[ROWS];
    struct made m;
    struct err err = {0};
    uint32_t rows[ROWS];
    (void)state;
    made_text(&m, json, ROWS);
    assert_true(nn_model_draw_always(m.model));
    struct nn_trainer *t = nn_trainer_open("cuda", m.model, 64, &err);
    for (uint64_t i = 0; i < MEMBERS; i++)
        assert_int_equal(
            nn_trainer_join(t, &(struct nn_member){m.model, &m.view, i + 5},
                            &err),
            (int)i);
    for (uint32_t i = 0; i < ROWS; i++)
        rows[i] = i;
    struct data_part part = {rows, ROWS};
    counted = t->runner;
    struct nn_runner counting = *counted;
    counting.judge = count_calls;
    t->runner = &counting;
    ask(t, who, MEMBERS, &part, SAMPLES, all);
    assert_int_equal(calls, 1);
    for (size_t i = 0; i < MEMBERS; i++) {
        ask(t, &who[i], 1, &part, SAMPLES, own);
        assert_memory_equal(own, all + i * SAMPLES * ROWS, sizeof own);
        ask(t, &who[i], 1, &part, 1, first);
        assert_memory_equal(first, own, sizeof first);
        assert_memory_not_equal(own, own + ROWS, sizeof first);
    }
    assert_memory_not_equal(all, all + SAMPLES * ROWS, sizeof own);
    nn_trainer_free(t);
    made_close(&m);
}

/* What it predicts with dropout, after two epochs. */
static void sample(const char *json, size_t samples, float *to)
{
    const int who = 0;
    struct made m;
    struct err err = {0};
    struct nn_report r = {0};
    uint32_t rows[ROWS];
    made_text(&m, json, ROWS);
    assert_true(nn_model_draw_always(m.model));
    struct nn_trainer *t = open_alone(&m, "cuda");
    for (int e = 0; e < 2; e++)
        assert_int_equal(nn_trainer_epoch(t, 0, &r, &err), 0);
    for (uint32_t i = 0; i < ROWS; i++)
        rows[i] = i;
    ask(t, &who, 1, &(struct data_part){rows, ROWS}, samples, to);
    nn_trainer_free(t);
    made_close(&m);
}

/* A dropout that does not follow the pooling itself is not done by it. */
static void pooling_draws_what_dropout_would(void **state)
{
    enum { SAMPLES = 3 };
    float together[SAMPLES * ROWS], apart[SAMPLES * ROWS];
    (void)state;
    sample("{'batch_size': 16, 'input': [9, 8, 3], 'layers': [{'conv2d': 8,"
           " 'activation': 'relu'}, {'max_pool2d': 2}, {'dropout': 0.4},"
           " 'flatten', {'dense': 1}], 'loss': 'mse', 'metrics': ['mae']}",
           SAMPLES, together);
    sample("{'batch_size': 16, 'input': [9, 8, 3], 'layers': [{'conv2d': 8,"
           " 'activation': 'relu'}, {'max_pool2d': 2}, 'flatten', {'dropout':"
           " 0.4}, {'dense': 1}], 'loss': 'mse', 'metrics': ['mae']}",
           SAMPLES, apart);
    assert_memory_equal(together, apart, sizeof together);
    assert_memory_not_equal(together, together + ROWS, ROWS * sizeof(float));
}

/* All members' weights, one after the other. */
static void train_with(struct course *c, const char *model, const char *kernels)
{
    setenv("THRONG_CUDA_KERNELS", kernels, 1);
    train(c, model, "cuda", MEMBERS, 3);
    unsetenv("THRONG_CUDA_KERNELS");
}

static void check_special(const char *model)
{
    struct course general = {0}, special = {0};
    train_with(&general, model, "general");
    train_with(&special, model, "special");
    for (size_t i = 0; i < MEMBERS; i++)
        if (memcmp(general.weights[i], special.weights[i],
                   general.count * sizeof(double)) != 0)
            fail_msg("%s: kernels for it come to other weights", model);
    for (size_t e = 0; e < 3; e++)
        if (memcmp(&general.judged[e], &special.judged[e], sizeof(double)))
            fail_msg("%s: kernels for it judge otherwise", model);
    done(&general);
    done(&special);
}

static bool are_there(void)
{
    struct buf why;
    buf_init(&why);
    bool there = gpu_special_for() && nvrtc_find(&why);
    if (!there)
        print_message("skipped: %s\n",
                      why.len ? why.p : "kernels run without a GPU here");
    buf_done(&why);
    return there;
}

/* A member that began before they were there must not differ from one that
 * began after it. */
static void kernels_for_a_model_come_to_the_same_bits(void **state)
{
    static const char digits[] =
        "{'batch_size': 16, 'input': 64, 'layers': [{'dense': 32, 'activation':"
        " 'relu'}, {'dense': 10}], 'loss': 'sparse_categorical_crossentropy',"
        " 'optimizer': 'adam', 'metrics': ['accuracy']}";
    static const char distances[] =
        "{'batch_size': 16, 'input': 9, 'layers': [{'dense': 7, 'activation':"
        " 'elu'}, {'dense': %d}], 'loss': 'mae', 'optimizer': 'adam'}";
    char cache[] = "/tmp/throng-test-XXXXXX";
    (void)state;
    if (!are_there())
        skip();
    assert_non_null(mkdtemp(cache));
    setenv("XDG_CACHE_HOME", cache, 1);
    check_special(digits);
    check_special(digits); /* from the cache */
    for (int width = 3; width < 16; width += 2) {
        char text[256];
        snprintf(text, sizeof(text), distances, width);
        check_special(text);
    }
    for (size_t i = 0; made_large[i]; i++)
        check_special(made_large[i]);
    for (size_t i = 0; cuda_rounded[i]; i++) {
        char text[512];
        snprintf(text, sizeof(text), "%.*s, 'precision': 'tf32'}",
                 (int)strlen(cuda_rounded[i]) - 1, cuda_rounded[i]);
        check_special(text);
    }
    assert_int_equal(dir_remove(cache, NULL), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_model_has_the_losses_of_the_reference),
        cmocka_unit_test(a_member_is_the_same_in_any_company),
        cmocka_unit_test(moments_are_those_of_the_reference),
        cmocka_unit_test(a_place_is_used_again_as_new),
        cmocka_unit_test(dropout_behind_pooling_is_as_in_the_reference),
        cmocka_unit_test(precision_rounds_what_is_multiplied),
        cmocka_unit_test(no_precision_hides_what_is_not_a_number),
        cmocka_unit_test(metrics_are_those_of_the_reference),
        cmocka_unit_test(no_row_is_left_out_of_pieces),
        cmocka_unit_test(all_are_asked_at_once),
        cmocka_unit_test(pooling_draws_what_dropout_would),
        cmocka_unit_test(kernels_for_a_model_come_to_the_same_bits),
    };
    if (!nn_device_find(STR("cuda"))) {
        print_message("skipped: %s\n", nn_device_cuda.absent());
        return 77;
    }
    return cmocka_run_group_tests_name("cuda", tests, NULL, NULL);
}
