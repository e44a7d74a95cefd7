/* test_trainer.c - cohorts */
#include <math.h>
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>

#include "nn/nn.h"
#include "sys/sys.h"
#include "made.h"

static const char small[] =
    "{\"input\": 6, \"layers\": [{\"dense\": 16, \"activation\": \"relu\"}, "
    "{\"dropout\": 0.2}, {\"dense\": 3}], \"loss\": "
    "\"sparse_categorical_crossentropy\", \"optimizer\": {\"lr\": 0.02}, "
    "\"batch_size\": 8, \"epochs\": 30}";

static double *trained(struct made *m, const char *device, size_t members,
                       size_t which, int epochs)
{
    int places[8];
    struct err err = {0};
    struct nn_report r;
    struct nn_trainer *t = nn_trainer_open(device, m->model, members, &err);
    assert_non_null(t);
    for (size_t i = 0; i < members; i++) {
        struct nn_member one = {m->model, &m->view,
                                100 + (members == 1 ? which : i)};
        places[i] = nn_trainer_join(t, &one, &err);
        assert_true(places[i] >= 0);
    }
    for (int e = 0; e < epochs; e++)
        for (size_t i = 0; i < members; i++)
            assert_int_equal(nn_trainer_epoch(t, places[i], &r, &err), 0);
    double *w = calloc((size_t)m->model->graph.weights, sizeof(double));
    nn_trainer_take_weights(t, places[members == 1 ? 0 : which], w);
    nn_trainer_free(t);
    return w;
}

/* A cohort of one. */
static struct nn_trainer *alone(struct made *m, const char *device)
{
    struct err err = {0};
    struct nn_member one = {m->model, &m->view, 1};
    struct nn_trainer *t = nn_trainer_open(device, m->model, 1, &err);
    assert_non_null(t);
    assert_int_equal(nn_trainer_join(t, &one, &err), 0);
    return t;
}

static void a_place_is_used_again_as_new(void **state)
{
    struct made m;
    struct err err = {0};
    struct nn_report first, again;
    (void)state;
    made_open(&m, small, 60);
    struct nn_trainer *t = alone(&m, "cpu");
    struct nn_member one = {m.model, &m.view, 1};
    assert_int_equal(nn_trainer_epoch(t, 0, &first, &err), 0);
    assert_int_equal(nn_trainer_join(t, &one, &err), -1);
    nn_trainer_leave(t, 0);
    assert_int_equal(nn_trainer_join(t, &one, &err), 0);
    assert_int_equal(nn_trainer_epoch(t, 0, &again, &err), 0);
    assert_true(first.loss == again.loss);
    nn_trainer_free(t);
    made_close(&m);
}

/* A relu makes 0 of NaN: the loss stays a number. */
static void a_weight_that_is_not_finite_is_found_and_named(void **state)
{
    static const char *const devices[] = {"reference", "portable", "cpu"};
    static const double wrong[] = {NAN, INFINITY, -INFINITY};
    (void)state;
    for (int i = 0; i < 9; i++) {
        struct made m;
        struct err err = {0};
        struct nn_report r;
        made_open(&m, small, 60);
        struct nn_trainer *t = alone(&m, devices[i / 3]);
        double *w = calloc((size_t)m.model->graph.weights, sizeof(double));
        assert_int_equal(nn_trainer_epoch(t, 0, &r, &err), 0);
        assert_false(r.diverged);
        assert_int_equal(r.not_finite.len, 0);
        nn_trainer_take_weights(t, 0, w);
        w[m.model->graph.params.p[1].offset + 2] = wrong[i % 3];
        nn_trainer_put_weights(t, 0, w);
        assert_int_equal(nn_trainer_epoch(t, 0, &r, &err), 0);
        assert_true(r.diverged && r.finished);
        if (i % 3 == 0)
            assert_true(isfinite(r.loss));
        assert_true(str_starts(r.not_finite, STR("dense_1.")));
        free(w);
        nn_trainer_free(t);
        made_close(&m);
    }
}

/* On the CPU devices. */
static void check_alone(const char *text)
{
    static const char *const devices[] = {"reference", "portable", "cpu"};
    struct made m;
    made_open(&m, text, 60);
    for (size_t d = 0; d < 3; d++)
        for (size_t i = 0; i < 5; i++) {
            double *single = trained(&m, devices[d], 1, i, 3);
            double *among = trained(&m, devices[d], 5, i, 3);
            assert_memory_equal(
                single, among, (size_t)m.model->graph.weights * sizeof(double));
            free(single);
            free(among);
        }
    made_close(&m);
}

/* Also where a layer has a regularizer, and no loss hangs on it. */
static void a_member_is_the_same_alone_and_in_a_cohort(void **state)
{
    (void)state;
    check_alone(small);
    check_alone("{\"input\": 5, \"layers\": [{\"dense\": 4, \"name\": \"a\"}, "
                "{\"dense\": 3, \"name\": \"nobody\", \"l2\": 0.1}, "
                "{\"dense\": 2, \"from\": \"a\"}], \"loss\": \"mse\"}");
}

/* What `from` prints is what it has saved, and `to` goes on from it. */
static void same_as_bytes(const struct nn_trainer *from, struct nn_trainer *to,
                          const char *path)
{
    struct err err = {0};
    struct buf file, bytes;
    buf_init(&file);
    buf_init(&bytes);
    int64_t epoch = 0;
    assert_int_equal(file_read(path, 0, &file, &err), 0);
    assert_int_equal(nn_trainer_print(from, 0, NULL, true, &bytes, &err), 0);
    assert_true(str_eq(buf_str(&bytes), buf_str(&file)));
    assert_int_equal(nn_weights_check(buf_str(&bytes), "s", &epoch, &err), 0);
    assert_int_equal(epoch, 5);
    assert_int_equal(nn_trainer_parse(to, 0, buf_str(&bytes), "s", &err), 0);
    bytes.p[bytes.len - 1] ^= 1;
    assert_int_equal(nn_weights_check(buf_str(&bytes), "s", &epoch, &err), -1);
    assert_int_equal(err.kind, ERR_CORRUPT);
    buf_done(&file);
    buf_done(&bytes);
}

static void a_checkpoint_goes_on_bit_for_bit(void **state)
{
    static const char *const optimizers[] = {"sgd", "adam", "adamw"};
    char path[] = "/tmp/throng-checkpoint-XXXXXX";
    (void)state;
    close(mkstemp(path));
    for (size_t i = 0; i < 3; i++) {
        struct made m;
        struct err err = {0};
        struct nn_report a, b, c;
        struct buf json;
        buf_init(&json);
        buf_addf(&json,
                 "{\"input\": 6, \"layers\": [{\"dense\": 9, "
                 "\"activation\": \"relu\"}, {\"dropout\": 0.2}, "
                 "{\"dense\": 3}], \"loss\": "
                 "\"sparse_categorical_crossentropy\", \"optimizer\": "
                 "\"%s\", \"schedule\": {\"name\": \"plateau\", "
                 "\"patience\": 1}, \"batch_size\": 8, \"epochs\": 30}",
                 optimizers[i]);
        made_open(&m, json.p, 60);
        struct nn_trainer *t = alone(&m, "cpu"), *u = alone(&m, "cpu");
        struct nn_trainer *v = alone(&m, "cpu");
        for (int e = 0; e < 5; e++)
            nn_trainer_epoch(t, 0, &a, &err);
        assert_int_equal(nn_trainer_save(t, 0, path, NULL, true, &err), 0);
        assert_int_equal(nn_trainer_load(u, 0, path, true, &err), 0);
        same_as_bytes(t, v, path);
        for (int e = 0; e < 5; e++) {
            nn_trainer_epoch(t, 0, &a, &err);
            nn_trainer_epoch(u, 0, &b, &err);
            nn_trainer_epoch(v, 0, &c, &err);
            assert_int_equal(a.epoch, b.epoch);
            assert_true(a.loss == b.loss && a.loss == c.loss);
            assert_true(a.validation_loss == b.validation_loss);
            assert_true(a.validation_loss == c.validation_loss);
        }
        nn_trainer_free(t);
        nn_trainer_free(u);
        nn_trainer_free(v);
        made_close(&m);
        buf_done(&json);
    }
    unlink(path);
}

/* ---- broken off in the middle ------------------------------------------- */

static bool after_so_many(void *context)
{
    int *left = context;
    return --*left < 0;
}

/* Trains up to the end and says so much of each epoch; after `batches` more
 * training or judging is broken off, again and again, and goes on elsewhere
 * from its checkpoint; 0: never. Yours to free. */
static double *through(struct made *m, const char *device, int batches,
                       struct buf *said)
{
    char path[] = "/tmp/throng-through-XXXXXX";
    struct err err = {0};
    struct nn_report r = {0};
    struct nn_trainer *t = alone(m, device);
    close(mkstemp(path));
    for (int rc = 0; !r.finished || rc;) {
        int left = batches - 1;
        if (batches)
            nn_trainer_watch(t, after_so_many, &left);
        rc = nn_trainer_epoch(t, 0, &r, &err);
        assert_true(rc >= 0);
        if (rc == 0)
            buf_addf(said, "%lld %a %a\n", (long long)r.epoch, r.loss,
                     r.validation_loss);
        assert_int_equal(nn_trainer_save(t, 0, path, NULL, true, &err), 0);
        nn_trainer_free(t);
        t = alone(m, device);
        assert_int_equal(nn_trainer_load(t, 0, path, true, &err), 0);
    }
    nn_trainer_take_best(t, 0);
    double *w = calloc((size_t)m->model->graph.weights, sizeof(double));
    nn_trainer_take_weights(t, 0, w);
    nn_trainer_free(t);
    unlink(path);
    return w;
}

static void check_through(struct made *m, const char *device, int batches)
{
    struct buf calm, hurt;
    buf_init(&calm);
    buf_init(&hurt);
    double *a = through(m, device, 0, &calm);
    double *b = through(m, device, batches, &hurt);
    assert_string_equal(calm.p, hurt.p);
    assert_memory_equal(a, b, (size_t)m->model->graph.weights * sizeof(*a));
    free(a);
    free(b);
    buf_done(&calm);
    buf_done(&hurt);
}

/* After so few batches that it is broken off as often as can be: judging, which
 * begins anew, must come to its end. */
static int fewest_batches(const struct made *m)
{
    return (int)((int64_t)m->view.validation.count / m->model->batch_size) + 2;
}

static void a_training_that_is_broken_off_goes_on_bit_for_bit(void **state)
{
    static const char *const devices[] = {"reference", "portable", "cpu"};
    static const char *const optimizers[] = {"sgd", "adam", "nadam"};
    (void)state;
    for (size_t i = 0; i < 9; i++) {
        struct made m;
        struct buf json;
        buf_init(&json);
        buf_addf(&json,
                 "{\"input\": 6, \"layers\": [{\"dense\": 9, \"activation\": "
                 "\"relu\"}, \"batch_norm\", {\"dropout\": "
                 "0.2}, {\"dense\": 3}], \"loss\": "
                 "\"sparse_categorical_crossentropy\", \"optimizer\": "
                 "{\"name\": \"%s\", \"lr\": 0.3}, \"schedule\": {\"name\": "
                 "\"plateau\", \"patience\": 1}, \"early_stopping\": "
                 "{\"patience\": 3}, \"batch_size\": 4, \"epochs\": 12}",
                 optimizers[i % 3]);
        made_open(&m, json.p, 60);
        check_through(&m, devices[i / 3], fewest_batches(&m));
        check_through(&m, devices[i / 3], 14); /* while it is judged */
        made_close(&m);
        buf_done(&json);
    }
}

static void every_model_goes_on_where_it_was_broken_off(void **state)
{
    struct arena *a = arena_new();
    const char **names = made_names(a);
    (void)state;
    for (size_t i = 0; names[i]; i++) {
        struct made m;
        made_named(&m, names[i], 60);
        m.model->epochs = m.model->epochs < 3 ? m.model->epochs : 3;
        check_through(&m, "cpu", fewest_batches(&m));
        made_close(&m);
    }
    arena_free(a);
}

/* A trial's budget goes before the model's epochs; who has them all, because
 * its last attempt was lost after its checkpoint, says the same once more. */
static void epochs_are_neither_short_nor_trained_twice(void **state)
{
    char path[] = "/tmp/throng-epochs-XXXXXX";
    struct made m;
    struct err err = {0};
    struct nn_report last = {0}, again;
    (void)state;
    close(mkstemp(path));
    made_open(&m, small, 60);
    struct nn_trainer *t = alone(&m, "cpu"), *u = alone(&m, "cpu");
    nn_trainer_epochs(t, 0, m.model->epochs + 3);
    while (!last.finished)
        assert_int_equal(nn_trainer_epoch(t, 0, &last, &err), 0);
    assert_int_equal(last.epoch, m.model->epochs + 3);
    assert_int_equal(nn_trainer_save(t, 0, path, NULL, true, &err), 0);
    nn_trainer_epochs(u, 0, last.epoch);
    assert_int_equal(nn_trainer_load(u, 0, path, true, &err), 0);
    assert_int_equal(nn_trainer_epoch(u, 0, &again, &err), 0);
    assert_true(again.finished && again.epoch == last.epoch);
    assert_true(again.loss == last.loss);
    assert_true(again.validation_loss == last.validation_loss);
    nn_trainer_free(t);
    nn_trainer_free(u);
    made_close(&m);
    unlink(path);
}

/* With a learning rate that is far too high the first epoch is the best. */
static void early_stopping_gives_back_the_best_epoch(void **state)
{
    struct made m;
    struct err err = {0};
    struct nn_report r = {0};
    (void)state;
    made_open(&m,
              "{\"input\": 6, \"layers\": [{\"dense\": 16, "
              "\"activation\": \"relu\"}, {\"dense\": 3}], \"loss\": "
              "\"sparse_categorical_crossentropy\", \"optimizer\": "
              "{\"lr\": 0.3}, \"batch_size\": 8, \"epochs\": 50, "
              "\"early_stopping\": {\"patience\": 4}}",
              60);
    struct nn_trainer *t = alone(&m, "cpu");
    double best = INFINITY;
    while (!r.finished) {
        assert_int_equal(nn_trainer_epoch(t, 0, &r, &err), 0);
        best = fmin(best, r.validation_loss);
    }
    assert_true(r.epoch < 50);
    assert_true(r.validation_loss > best);
    nn_trainer_take_best(t, 0);
    nn_trainer_judge(t, 0, &m.view.validation, &r, NULL);
    assert_true(r.validation_loss == best);
    nn_trainer_free(t);
    made_close(&m);
}

/* The best epoch lies before the checkpoint; what goes on from it still
 * has its weights. */
static void the_best_epoch_is_in_a_checkpoint(void **state)
{
    char path[] = "/tmp/throng-best-XXXXXX";
    struct made m;
    struct err err = {0};
    struct nn_report r = {0};
    (void)state;
    close(mkstemp(path));
    made_open(&m,
              "{\"input\": 6, \"layers\": [{\"dense\": 16, "
              "\"activation\": \"relu\"}, {\"dense\": 3}], \"loss\": "
              "\"sparse_categorical_crossentropy\", \"optimizer\": "
              "{\"lr\": 0.3}, \"batch_size\": 8, \"epochs\": 50, "
              "\"early_stopping\": {\"patience\": 4}}",
              60);
    struct nn_trainer *t = alone(&m, "cpu");
    struct nn_trainer *u = nn_trainer_open("cpu", m.model, 2, &err);
    struct nn_member one = {m.model, &m.view, 1};
    double best = INFINITY;
    while (!r.finished) {
        assert_int_equal(nn_trainer_epoch(t, 0, &r, &err), 0);
        best = fmin(best, r.validation_loss);
    }
    assert_int_equal(nn_trainer_save(t, 0, path, NULL, true, &err), 0);
    assert_int_equal(nn_trainer_join(u, &one, &err), 0);
    assert_int_equal(nn_trainer_load(u, 0, path, true, &err), 0);
    nn_trainer_take_best(u, 0);
    nn_trainer_judge(u, 0, &m.view.validation, &r, NULL);
    assert_true(r.validation_loss == best);
    nn_trainer_free(t);
    nn_trainer_free(u);
    made_close(&m);
    unlink(path);
}

static void training_makes_the_loss_smaller(void **state)
{
    struct made m;
    struct err err = {0};
    struct nn_report first, last = {0};
    (void)state;
    made_open(&m, small, 60);
    struct nn_trainer *t = alone(&m, "cpu");
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
    struct nn_trainer *t = alone(&m, "cpu");
    while (!r.finished)
        nn_trainer_epoch(t, 0, &r, &err);
    assert_true(r.diverged);
    assert_true(r.epoch < 30);
    nn_trainer_free(t);
    made_close(&m);
}

/* `throng model show` links no device: what it says is near what the trainer
 * of a device counts. */
static void memory_is_known_before_it_is_taken(void **state)
{
    struct arena *a = arena_new();
    const char **names = made_names(a);
    (void)state;
    for (size_t i = 0; names[i]; i++) {
        struct made m;
        made_named(&m, names[i], 8);
        double said = (double)nn_model_memory_bytes(m.model);
        double real = (double)nn_trainer_bytes("cpu", m.model, 1);
        if (real > 2 * said || real < said / 3)
            fail_msg("%s: %.0f bytes, not %.0f", names[i], real, said);
        made_close(&m);
    }
    arena_free(a);
}

/* What a judging came to: predictions, loss and metrics. */
struct judged {
    float *outputs;
    double loss, metrics[8];
};

static void take_report(struct judged *to, const struct made *m,
                        const struct nn_report *r)
{
    to->loss = r->validation_loss;
    for (size_t i = 0; i < nn_model_metric_count(m->model); i++)
        to->metrics[i] = r->metrics[i];
}

/* In pieces of about so many rows, with an epoch of another between two. */
static void judge_in_pieces(struct made *m, struct nn_trainer *t, size_t rows,
                            struct judged *to)
{
    struct err err = {0};
    struct nn_report r;
    const struct data_part *part = &m->view.train;
    size_t wide = (size_t)nn_model_outputs(m->model), done = 0, count;
    to->outputs = calloc(part->count * wide + 1, sizeof(float));
    struct nn_pieces *p = nn_pieces_new(t, 0, part, &err);
    for (; done < part->count; done += count) {
        assert_int_equal(
            nn_pieces_next(p, rows, to->outputs + done * wide, &count), 0);
        assert_true(count > 0 && count <= nn_pieces_rows(p, rows));
        assert_int_equal(nn_trainer_epoch(t, 1, &r, &err), 0);
    }
    nn_pieces_report(p, &r);
    take_report(to, m, &r);
    nn_pieces_free(p);
}

static void check_pieces(const char *name, const char *device)
{
    struct made m;
    struct err err = {0};
    struct nn_report r;
    struct judged whole, parts;
    made_named(&m, name, 200);
    size_t bytes =
        m.view.train.count * (size_t)nn_model_outputs(m.model) * sizeof(float);
    size_t metrics = nn_model_metric_count(m.model) * sizeof(double);
    struct nn_trainer *t = nn_trainer_open(device, m.model, 2, &err);
    for (int i = 0; i < 2; i++) {
        struct nn_member one = {m.model, &m.view, (uint64_t)i};
        assert_int_equal(nn_trainer_join(t, &one, &err), i);
    }
    assert_int_equal(nn_trainer_judge(t, 0, &m.view.train, &r, &err), 0);
    take_report(&parts, &m, &r);
    judge_in_pieces(&m, t, 1000, &whole);
    if (memcmp(whole.metrics, parts.metrics, metrics) ||
        memcmp(&whole.loss, &parts.loss, sizeof(double)))
        fail_msg("%s: the loss is %.17g, not %.17g", name, whole.loss,
                 parts.loss);
    judge_in_pieces(&m, t, 1, &parts);
    if (memcmp(whole.outputs, parts.outputs, bytes) ||
        memcmp(whole.metrics, parts.metrics, metrics) ||
        memcmp(&whole.loss, &parts.loss, sizeof(double)))
        fail_msg("%s: in pieces the loss is %.17g, not %.17g", name, parts.loss,
                 whole.loss);
    free(whole.outputs);
    free(parts.outputs);
    nn_trainer_free(t);
    made_close(&m);
}

static void pieces_come_to_the_same_bits(void **state)
{
    struct arena *a = arena_new();
    const char **names = made_names(a);
    (void)state;
    for (size_t i = 0; names[i]; i++)
        check_pieces(names[i], "cpu");
    check_pieces(names[0], "reference");
    arena_free(a);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(memory_is_known_before_it_is_taken),
        cmocka_unit_test(a_member_is_the_same_alone_and_in_a_cohort),
        cmocka_unit_test(a_place_is_used_again_as_new),
        cmocka_unit_test(a_weight_that_is_not_finite_is_found_and_named),
        cmocka_unit_test(a_checkpoint_goes_on_bit_for_bit),
        cmocka_unit_test(a_training_that_is_broken_off_goes_on_bit_for_bit),
        cmocka_unit_test(every_model_goes_on_where_it_was_broken_off),
        cmocka_unit_test(epochs_are_neither_short_nor_trained_twice),
        cmocka_unit_test(early_stopping_gives_back_the_best_epoch),
        cmocka_unit_test(the_best_epoch_is_in_a_checkpoint),
        cmocka_unit_test(training_makes_the_loss_smaller),
        cmocka_unit_test(a_diverging_member_says_so),
        cmocka_unit_test(pieces_come_to_the_same_bits),
    };
    return cmocka_run_group_tests_name("trainer", tests, NULL, NULL);
}
