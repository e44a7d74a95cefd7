/* test_joined.c - an input whose columns lie in several tables is trained on as
 * if they lay in one, on every device */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdlib.h>
#include <string.h>

#include "made.h"
#include "nn/device.h"

enum { ROWS = 40, COLUMNS = 5, OWN = 2, EPOCHS = 3 };

static const char model[] =
    "{\"input\":5,\"layers\":[{\"dense\":4,\"activation\":\"tanh\"},"
    "{\"dense\":1}],\"loss\":\"mse\",\"batch_size\":8}";

/* Two columns of its own; three in a table that holds its rows the other way
 * round, and one row that nobody has. */
static void tear(struct made *m, struct data_field *f,
                 struct data_piece *pieces)
{
    float *own = arena_array(m->arena, ROWS * OWN, sizeof(*own));
    float *other =
        arena_array(m->arena, (ROWS + 1) * (COLUMNS - OWN), sizeof(*other));
    uint32_t *row_of = arena_array(m->arena, ROWS, sizeof(*row_of));
    *f = m->table.inputs[0];
    assert_int_equal(f->columns, COLUMNS);
    for (uint32_t i = 0; i < ROWS; i++) {
        row_of[i] = ROWS - i;
        for (size_t c = 0; c < COLUMNS; c++)
            if (c < OWN)
                own[i * OWN + c] = f->numbers[i * COLUMNS + c];
            else
                other[row_of[i] * (COLUMNS - OWN) + c - OWN] =
                    f->numbers[i * COLUMNS + c];
    }
    pieces[0] =
        (struct data_piece){.numbers = own, .rows = ROWS, .columns = OWN};
    pieces[1] = (struct data_piece){.numbers = other,
                                    .row_of = row_of,
                                    .rows = ROWS + 1,
                                    .at = OWN,
                                    .columns = COLUMNS - OWN};
    f->numbers = NULL;
    f->pieces = pieces;
    f->piece_count = 2;
    m->table.inputs = f;
}

static double *trained(const char *device, bool torn, size_t *count)
{
    static const float shifts[] = {0.5f, -1, 2, 0, 0.25f};
    static const float scales[] = {2, 1, 0.5f, 3, 1};
    const float *shift = shifts, *scale = scales;
    struct made m;
    struct data_field f;
    struct data_piece pieces[2];
    struct err err = {0};
    struct nn_report r = {0};
    made_open(&m, model, ROWS);
    m.view.shift = &shift;
    m.view.scale = &scale;
    if (torn)
        tear(&m, &f, pieces);
    struct nn_trainer *t = nn_trainer_open(device, m.model, 1, &err);
    if (!t) /* under the sanitizers there is no cuda */
        assert_string_equal(device, "cuda");
    if (!t) {
        made_close(&m);
        return NULL;
    }
    struct nn_member one = {m.model, &m.view, 3};
    assert_int_equal(nn_trainer_join(t, &one, &err), 0);
    nn_trainer_epochs(t, 0, EPOCHS);
    for (int e = 0; e < EPOCHS; e++)
        assert_int_equal(nn_trainer_epoch(t, 0, &r, &err), 0);
    *count = (size_t)m.model->graph.weights;
    double *weights = calloc(*count + 1, sizeof(double));
    nn_trainer_take_weights(t, 0, weights);
    nn_trainer_free(t);
    made_close(&m);
    return weights;
}

static void several_tables_are_as_good_as_one(void **state)
{
    static const char *const names[] = {"reference", "portable", "cpu", "cuda"};
    (void)state;
    for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
        size_t count = 0, again = 0;
        double *whole = trained(names[i], false, &count);
        double *torn = trained(names[i], true, &again);
        if (!whole)
            continue;
        assert_int_equal(count, again);
        if (memcmp(whole, torn, count * sizeof(double)) != 0)
            fail_msg("%s comes to other weights", names[i]);
        free(whole);
        free(torn);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(several_tables_are_as_good_as_one),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
