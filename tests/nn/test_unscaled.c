/* test_unscaled.c - inputs that are too large to learn from are said */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include "base/json.h"
#include "data/data.h"
#include "nn/nn.h"

enum { ROWS = 6, COLUMNS = 3 };

struct world {
    struct arena *arena;
    float x[ROWS * COLUMNS];
    int32_t classes[ROWS];
    uint32_t rows[ROWS];
    struct data_field input, label;
    struct data_table table;
    struct data_view view;
};

/* Ages, incomes, heights; the last row is held out. */
static void begin(struct world *w)
{
    *w = (struct world){.arena = arena_new()};
    for (int i = 0; i < ROWS; i++) {
        w->rows[i] = (uint32_t)i;
        w->classes[i] = i % 2;
        w->x[i * COLUMNS] = (float)(20 + i);
        w->x[i * COLUMNS + 1] = (float)(40000 + 1000 * i);
        w->x[i * COLUMNS + 2] = 1.7f;
    }
    w->input = (struct data_field){.name = STR("input"),
                                   .rank = 1,
                                   .dim = {COLUMNS},
                                   .columns = COLUMNS,
                                   .numbers = w->x};
    w->label = (struct data_field){.name = STR("label"),
                                   .rank = 1,
                                   .dim = {1},
                                   .columns = 1,
                                   .classes = 2,
                                   .categories = w->classes};
    w->table = (struct data_table){.rows = ROWS,
                                   .inputs = &w->input,
                                   .labels = &w->label,
                                   .input_count = 1,
                                   .label_count = 1};
    w->view = (struct data_view){.table = &w->table,
                                 .train = {w->rows, ROWS - 1},
                                 .validation = {w->rows + ROWS - 1, 1}};
}

/* What is said when these layers stand in front of the last. */
static const char *said(struct world *w, const char *layers)
{
    struct problems faults = {.arena = w->arena};
    struct nn_data_facts facts = nn_data_facts_of(&w->table, w->arena);
    struct buf b;
    buf_init(&b);
    buf_addf(&b,
             "{\"layers\": [%s, {\"dense\": 2}], \"loss\": "
             "\"sparse_categorical_crossentropy\", \"epochs\": 1}",
             layers);
    struct value *v = json_parse(w->arena, buf_str(&b), "model", true, NULL);
    assert_non_null(v);
    buf_done(&b);
    struct nn_model *m = nn_model_read(v, &facts, &faults);
    assert_non_null(m);
    const char *text = nn_unscaled(m, &w->view, w->arena);
    nn_model_free(m);
    return text;
}

static void the_largest_of_the_training_rows_is_named(void **state)
{
    (void)state;
    struct world w;
    begin(&w);
    const char *text = said(&w, "{\"dense\": 4}");
    assert_non_null(text);
    assert_non_null(strstr(text, "row 5: column 2 is 44000, and nothing"));
    assert_non_null(strstr(text, "`scale: std`"));
    assert_null(strstr(text, "columns go beyond"));
    arena_free(w.arena);
}

static void a_large_number_below_zero_is_as_large(void **state)
{
    (void)state;
    struct world w;
    begin(&w);
    w.x[2] = -1e6f;
    const char *text = said(&w, "{\"dense\": 4}");
    assert_non_null(strstr(text, "row 1: column 3 is -1"));
    assert_non_null(strstr(text, "(2 columns go beyond 100)"));
    arena_free(w.arena);
}

static void small_numbers_and_said_scaling_need_no_word(void **state)
{
    (void)state;
    struct world w;
    begin(&w);
    w.view.scaling_said = true;
    assert_null(said(&w, "{\"dense\": 4}"));
    w.view.scaling_said = false;
    for (int i = 0; i < ROWS; i++)
        w.x[i * COLUMNS + 1] = i < ROWS - 1 ? 99 : 5000; /* held out */
    assert_null(said(&w, "{\"dense\": 4}"));
    arena_free(w.arena);
}

static void a_layer_that_takes_any_size_needs_no_scaling(void **state)
{
    (void)state;
    struct world w;
    begin(&w);
    assert_null(said(&w, "\"batch_norm\", {\"dense\": 4}"));
    assert_null(said(&w, "\"layer_norm\", {\"dense\": 4}"));
    assert_non_null(said(&w, "{\"dropout\": 0.5}, \"batch_norm\""));
    arena_free(w.arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_largest_of_the_training_rows_is_named),
        cmocka_unit_test(a_large_number_below_zero_is_as_large),
        cmocka_unit_test(small_numbers_and_said_scaling_need_no_word),
        cmocka_unit_test(a_layer_that_takes_any_size_needs_no_scaling),
    };
    return cmocka_run_group_tests_name("nn/unscaled", tests, NULL, NULL);
}
