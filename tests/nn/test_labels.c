/* test_labels.c - what a loss gets of a label, an embedding of its words */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <cmocka.h>

#include "base/json.h"
#include "data/data.h"
#include "nn/model.h"

enum { ROWS = 24, COLUMNS = 4 };

/* Rows of numbers, or of tokens, with a label of three classes. */
struct world {
    struct arena *arena;
    float x[ROWS * COLUMNS], y[ROWS];
    int32_t tokens[ROWS * COLUMNS], classes[ROWS];
    float vectors[6 * 2];
    uint32_t rows[ROWS];
    struct data_field input, label;
    struct data_table table;
    struct data_view view;
    struct nn_model *model;
    struct nn_trainer *trainer;
    struct err err;
};

static void begin(struct world *w)
{
    *w = (struct world){.arena = arena_new()};
    for (int i = 0; i < ROWS; i++) {
        w->rows[i] = (uint32_t)i;
        w->classes[i] = i % 3;
        w->y[i] = (float)(i % 3);
        for (int k = 0; k < COLUMNS; k++) {
            w->x[i * COLUMNS + k] = (float)sin(i * 5 + k);
            w->tokens[i * COLUMNS + k] = (i + k) % 6;
        }
    }
    for (int k = 0; k < 12; k++)
        w->vectors[k] = k < 4 ? NAN : (float)k;
    w->input = (struct data_field){.name = STR("input"),
                                   .rank = 1,
                                   .dim = {COLUMNS},
                                   .columns = COLUMNS,
                                   .numbers = w->x};
    w->label = (struct data_field){.name = STR("label"),
                                   .rank = 1,
                                   .dim = {1},
                                   .columns = 1,
                                   .classes = 3,
                                   .categories = w->classes,
                                   .numbers = w->y};
    w->table = (struct data_table){.rows = ROWS,
                                   .inputs = &w->input,
                                   .labels = &w->label,
                                   .input_count = 1,
                                   .label_count = 1};
    w->view = (struct data_view){.table = &w->table,
                                 .train = {w->rows, ROWS},
                                 .validation = {w->rows, 6}};
}

/* The place of the member, or -1; the text of a model that is refused. */
static int join(struct world *w, const char *json)
{
    struct problems faults = {.arena = w->arena};
    struct nn_data_facts facts = nn_data_facts_of(&w->table, w->arena);
    struct value *v = json_parse(w->arena, str_of(json), "model", true, NULL);
    assert_non_null(v);
    w->model = nn_model_read(v, &facts, &faults);
    if (!w->model) {
        err_set(&w->err, ERR_INPUT, "%.*s", STRF(faults.list.p[0].text));
        return -1;
    }
    w->trainer = nn_trainer_open("reference", w->model, 1, &w->err);
    struct nn_member one = {w->model, &w->view, 7};
    return nn_trainer_join(w->trainer, &one, &w->err);
}

static double *weights(struct world *w)
{
    double *to =
        arena_array(w->arena, (size_t)w->model->graph.weights, sizeof(double));
    nn_trainer_take_weights(w->trainer, 0, to);
    return to;
}

static double *trained(struct world *w, const char *json, int epochs)
{
    struct nn_report r;
    if (join(w, json) != 0)
        fail_msg("%s", w->err.text);
    for (int i = 0; i < epochs; i++)
        assert_int_equal(nn_trainer_epoch(w->trainer, 0, &r, &w->err), 0);
    return weights(w);
}

static void end(struct world *w)
{
    nn_trainer_free(w->trainer);
    nn_model_free(w->model);
    arena_free(w->arena);
}

#define MODEL(units, loss)                                                     \
    "{\"layers\": [{\"dense\": 5, \"activation\": \"tanh\"}, {\"dense\": "     \
    "" units "}], \"loss\": \"" loss "\", \"batch_size\": 8, \"epochs\": 5, "  \
    "\"metrics\": [\"accuracy\"]}"

static void classes_are_spread_for_categorical_losses(void **state)
{
    struct world a, b, c;
    (void)state;
    begin(&a);
    begin(&b);
    begin(&c);
    c.label.numbers = NULL;
    double *sparse =
        trained(&a, MODEL("3", "sparse_categorical_crossentropy"), 3);
    double *spread = trained(&b, MODEL("3", "categorical_crossentropy"), 3);
    double *words = trained(&c, MODEL("3", "categorical_crossentropy"), 3);
    for (int64_t i = 0; i < a.model->graph.weights; i++) {
        assert_true(fabs(sparse[i] - spread[i]) < 1e-12);
        assert_true(spread[i] == words[i]);
    }
    end(&a);
    end(&b);
    end(&c);
}

static void whole_numbers_are_targets_of_losses_on_numbers(void **state)
{
    struct world a, b;
    (void)state;
    begin(&a);
    begin(&b);
    b.label.categories = NULL;
    b.label.classes = 0;
    double *both = trained(&a, MODEL("1", "mse"), 3);
    double *numbers = trained(&b, MODEL("1", "mse"), 3);
    assert_memory_equal(both, numbers,
                        (size_t)a.model->graph.weights * sizeof(double));
    end(&a);
    end(&b);
}

static void two_classes_are_zero_and_one(void **state)
{
    struct world a, b;
    (void)state;
    begin(&a);
    begin(&b);
    for (int i = 0; i < ROWS; i++) {
        a.classes[i] = b.classes[i] = i % 2;
        a.y[i] = i % 2 ? 1 : -1;
        b.y[i] = (float)(i % 2);
    }
    a.label.classes = b.label.classes = 2;
    double *signs = trained(&a, MODEL("1", "binary_crossentropy"), 3);
    double *bits = trained(&b, MODEL("1", "binary_crossentropy"), 3);
    assert_memory_equal(signs, bits,
                        (size_t)a.model->graph.weights * sizeof(double));
    end(&a);
    end(&b);
}

static void a_loss_that_does_not_fit_the_label_is_refused(void **state)
{
    struct world w;
    (void)state;
    begin(&w);
    assert_int_equal(join(&w, MODEL("1", "binary_crossentropy")), -1);
    assert_non_null(strstr(w.err.text, "wants two classes"));
    w.label.classes = 1;
    assert_int_equal(join(&w, MODEL("1", "sparse_categorical_crossentropy")),
                     -1);
    assert_non_null(strstr(w.err.text, "wants two classes or more, but all "));
    w.label.categories = NULL;
    w.label.classes = 0;
    assert_int_equal(join(&w, MODEL("3", "sparse_categorical_crossentropy")),
                     -1);
    assert_non_null(strstr(w.err.text, "wants classes"));
    end(&w);
}

static void rows_come_in_order_when_the_view_says_so(void **state)
{
    struct world a, b;
    (void)state;
    begin(&a);
    begin(&b);
    b.view.in_order = true;
    double *shuffled =
        trained(&a, MODEL("3", "sparse_categorical_crossentropy"), 1);
    double *ordered =
        trained(&b, MODEL("3", "sparse_categorical_crossentropy"), 1);
    assert_memory_not_equal(shuffled, ordered,
                            (size_t)a.model->graph.weights * sizeof(double));
    end(&a);
    end(&b);
}

#define TOKENS(units)                                                          \
    "{\"layers\": [{\"embedding\": " units "}, {\"flatten\": null}, "          \
    "{\"dense\": 3}], \"loss\": \"sparse_categorical_crossentropy\", "         \
    "\"batch_size\": 8, \"epochs\": 5}"

static void make_tokens(struct world *w)
{
    begin(w);
    w->input.numbers = NULL;
    w->input.categories = w->tokens;
    w->input.classes = 6;
    w->input.vectors = w->vectors;
    w->input.vector_columns = 2;
}

static void an_embedding_starts_from_word_vectors(void **state)
{
    struct world w;
    struct nn_report r;
    (void)state;
    make_tokens(&w);
    if (join(&w, TOKENS("2")) != 0)
        fail_msg("%s", w.err.text);
    double *first = weights(&w) + w.model->graph.params.p[0].offset;
    for (int k = 0; k < 4; k++) /* padding and the unknown word have none */
        assert_true(fabs(first[k]) <= 0.05);
    for (int k = 4; k < 12; k++)
        assert_true(first[k] == k);
    assert_int_equal(nn_trainer_epoch(w.trainer, 0, &r, &w.err), 0);
    assert_true(isfinite(r.loss));
    end(&w);
}

static void vectors_and_tokens_must_fit_the_embedding(void **state)
{
    struct world w;
    (void)state;
    make_tokens(&w);
    assert_int_equal(join(&w, TOKENS("3")), -1);
    assert_non_null(
        strstr(w.err.text, "units, the word vectors have 2 numbers"));
    end(&w);
    make_tokens(&w);
    assert_int_equal(join(&w, TOKENS("2, \"vocabulary\": 5")), -1);
    assert_non_null(strstr(w.err.text, "the data has 6 tokens"));
    end(&w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(classes_are_spread_for_categorical_losses),
        cmocka_unit_test(whole_numbers_are_targets_of_losses_on_numbers),
        cmocka_unit_test(two_classes_are_zero_and_one),
        cmocka_unit_test(a_loss_that_does_not_fit_the_label_is_refused),
        cmocka_unit_test(rows_come_in_order_when_the_view_says_so),
        cmocka_unit_test(an_embedding_starts_from_word_vectors),
        cmocka_unit_test(vectors_and_tokens_must_fit_the_embedding),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
