/* test_asking.c - what is predicted for a row is its own: it depends neither on
 * the rows beside it, nor on how many are asked for at once, nor on who else is
 * asked */
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

enum { ROWS = 60, SAMPLES = 3 };

static const char *const devices_asked[] = {"reference", "portable", "cpu"};

struct asked {
    struct made made;
    struct nn_trainer *trainer;
    struct data_part all;
    uint32_t rows[ROWS];
    size_t wide;
};

static void open_asked(struct asked *a, const char *device, int members)
{
    struct err err = {0};
    a->wide = (size_t)nn_model_outputs(a->made.model);
    a->trainer = nn_trainer_open(device, a->made.model, (size_t)members, &err);
    assert_non_null(a->trainer);
    for (int i = 0; i < members; i++) {
        struct nn_member one = {a->made.model, &a->made.view, (uint64_t)i + 5};
        assert_int_equal(nn_trainer_join(a->trainer, &one, &err), i);
    }
    for (uint32_t i = 0; i < ROWS; i++)
        a->rows[i] = i;
    a->all = (struct data_part){a->rows, ROWS};
}

static void close_asked(struct asked *a)
{
    nn_trainer_free(a->trainer);
    made_close(&a->made);
}

static void ask(struct asked *a, int member, const struct data_part *part,
                size_t from, size_t count, size_t samples, float *to)
{
    struct err err = {0};
    struct nn_question q = {.members = &member,
                            .parts = &part,
                            .count = 1,
                            .from = from,
                            .rows = count,
                            .samples = samples,
                            .outputs = to,
                            .room = count};
    assert_int_equal(nn_trainer_ask(a->trainer, &q, &err), 0);
}

static float *room_for(const struct asked *a, size_t times)
{
    return calloc(ROWS * a->wide * times + 1, sizeof(float));
}

/* One at a time, in the other order, and some of them often. */
static void check_company(struct asked *a, const char *name)
{
    float *all = room_for(a, 1), *own = room_for(a, 300);
    uint32_t turned[ROWS], often[ROWS * 7];
    struct data_part other = {turned, ROWS}, many = {often, ROWS * 7};
    size_t line = a->wide * sizeof(float);
    for (uint32_t i = 0; i < ROWS; i++)
        turned[i] = ROWS - 1 - i;
    for (uint32_t i = 0; i < ROWS * 7; i++)
        often[i] = i * i % ROWS;
    ask(a, 0, &a->all, 0, ROWS, 1, all);
    for (size_t i = 0; i < ROWS; i++) {
        ask(a, 0, &a->all, i, 1, 1, own);
        if (memcmp(own, all + i * a->wide, line))
            fail_msg("%s: row %zu alone is another", name, i);
    }
    ask(a, 0, &other, 0, ROWS, 1, own);
    for (size_t i = 0; i < ROWS; i++)
        if (memcmp(own + i * a->wide, all + (ROWS - 1 - i) * a->wide, line))
            fail_msg("%s: row %zu in another place is another", name, i);
    ask(a, 0, &many, 0, ROWS * 7, 1, own);
    for (size_t i = 0; i < ROWS * 7; i++)
        if (memcmp(own + i * a->wide, all + often[i] * a->wide, line))
            fail_msg("%s: row %u among many is another", name, often[i]);
    free(all);
    free(own);
}

static void a_row_is_predicted_the_same_in_any_company(void **state)
{
    struct arena *names = arena_new();
    const char **name = made_names(names);
    (void)state;
    for (; *name; name++)
        for (size_t d = 1; d < 3; d++) {
            struct asked a;
            made_named(&a.made, *name, ROWS);
            open_asked(&a, devices_asked[d], 1);
            check_company(&a, *name);
            close_asked(&a);
        }
    arena_free(names);
}

/* Judging goes batch by batch through whichever way is fastest. */
static void predictions_are_those_of_judging(void **state)
{
    struct arena *names = arena_new();
    const char **name = made_names(names);
    struct err err = {0};
    (void)state;
    for (; *name; name++) {
        struct asked a;
        size_t count = 0, done = 0;
        made_named(&a.made, *name, ROWS);
        open_asked(&a, "cpu", 1);
        float *asked = room_for(&a, 1), *judged = room_for(&a, 1);
        struct nn_pieces *p = nn_pieces_new(a.trainer, 0, &a.all, &err);
        while (done < ROWS) {
            assert_int_equal(
                nn_pieces_next(p, ROWS, judged + done * a.wide, &count), 0);
            done += count;
        }
        ask(&a, 0, &a.all, 0, ROWS, 1, asked);
        for (size_t i = 0; i < ROWS * a.wide && !strstr(*name, "permanent") &&
                           strcmp(*name, "all of one");
             i++)
            if (fabsf(asked[i] - judged[i]) > 1e-4f + 1e-4f * fabsf(judged[i]))
                fail_msg("%s: %g is asked, %g is judged", *name,
                         (double)asked[i], (double)judged[i]);
        nn_pieces_free(p);
        free(asked);
        free(judged);
        close_asked(&a);
    }
    arena_free(names);
}

static const char dropping[] =
    "{\"input\":5,\"layers\":[{\"dense\":40,\"activation\":\"relu\"},"
    "{\"dropout\":0.5},{\"dense\":20,\"activation\":\"tanh\"},"
    "{\"dropout\":0.3},{\"dense\":1}],\"loss\":\"mse\",\"batch_size\":8}";

/* By hand: the hash of (seed, sample, row) decides, on every device. */
static void a_sample_is_of_its_seed_and_its_row(void **state)
{
    float first[ROWS * SAMPLES] = {0};
    (void)state;
    for (size_t d = 0; d < 3; d++) {
        struct asked a;
        made_open(&a.made, dropping, ROWS);
        assert_true(nn_model_draw_always(a.made.model));
        open_asked(&a, devices_asked[d], 2);
        float all[ROWS * SAMPLES], own[SAMPLES], other[ROWS * SAMPLES];
        ask(&a, 0, &a.all, 0, ROWS, SAMPLES, all);
        check_company(&a, "dropout");
        for (size_t i = 0; i < ROWS; i++) {
            ask(&a, 0, &a.all, i, 1, SAMPLES, own);
            for (size_t s = 0; s < SAMPLES; s++)
                assert_memory_equal(&own[s], &all[s * ROWS + i], sizeof(float));
        }
        ask(&a, 1, &a.all, 0, ROWS, SAMPLES, other);
        assert_memory_not_equal(other, all, sizeof all);
        assert_memory_not_equal(all, all + ROWS, ROWS * sizeof(float));
        for (size_t i = 0; i < ROWS * SAMPLES; i++)
            if (d > 0 && fabsf(all[i] - first[i]) > 1e-4f)
                fail_msg("%s draws otherwise", devices_asked[d]);
        memcpy(first, all, sizeof first);
        close_asked(&a);
    }
}

/* A row of a table that begins elsewhere among all rows. */
static void a_shard_draws_by_the_number_among_all_rows(void **state)
{
    struct asked a;
    struct err err = {0};
    int member = 0;
    float all[ROWS], shard[ROWS];
    (void)state;
    made_open(&a.made, dropping, ROWS);
    assert_true(nn_model_draw_always(a.made.model));
    open_asked(&a, "cpu", 1);
    ask(&a, 0, &a.all, 0, ROWS, 1, all);
    struct data_field f = a.made.table.inputs[0];
    f.numbers += 20 * f.columns;
    a.made.table.inputs = &f;
    const struct data_part *part = &a.all;
    struct nn_question q = {.members = &member,
                            .parts = &part,
                            .count = 1,
                            .rows = ROWS - 20,
                            .first = 20,
                            .samples = 1,
                            .outputs = shard,
                            .room = ROWS};
    assert_int_equal(nn_trainer_ask(a.trainer, &q, &err), 0);
    assert_memory_equal(shard, all + 20, (ROWS - 20) * sizeof(float));
    close_asked(&a);
}

static void several_who_are_asked_at_once_say_what_they_say_alone(void **state)
{
    enum { MEMBERS = 3 };
    const int members[MEMBERS] = {2, 0, 1};
    struct asked a;
    struct err err = {0};
    float all[MEMBERS * SAMPLES * ROWS], own[SAMPLES * ROWS];
    (void)state;
    made_open(&a.made, dropping, ROWS);
    assert_true(nn_model_draw_always(a.made.model));
    open_asked(&a, "cpu", MEMBERS);
    const struct data_part *parts[MEMBERS] = {&a.all, &a.all, &a.all};
    struct nn_question q = {.members = members,
                            .parts = parts,
                            .count = MEMBERS,
                            .rows = ROWS,
                            .samples = SAMPLES,
                            .outputs = all,
                            .room = ROWS};
    assert_int_equal(nn_trainer_ask(a.trainer, &q, &err), 0);
    for (size_t i = 0; i < MEMBERS; i++) {
        ask(&a, members[i], &a.all, 0, ROWS, SAMPLES, own);
        assert_memory_equal(own, all + i * SAMPLES * ROWS, sizeof own);
    }
    close_asked(&a);
}

static const char wide_model[] =
    "{\"input\":6,\"layers\":[{\"dense\":16,\"activation\":\"relu\"},"
    "{\"dense\":2}],\"loss\":\"mse\",\"batch_size\":8}";

/* The columns of three tables, and the same rows written down. */
static void a_layer_over_several_tables_is_that_over_their_rows(void **state)
{
    static const float shifts[] = {0.5f, -1, 2, 0, 0.25f, 0};
    static const float scales[] = {2, 1, 0.5f, 3, 1, 0.1f};
    const float *shift = shifts, *scale = scales;
    (void)state;
    for (size_t d = 0; d < 3; d++) {
        struct asked a;
        float tables[3][5 * 2], whole[ROWS * 6];
        uint32_t row_of[3][ROWS];
        struct data_piece pieces[3];
        float written[ROWS * 2], summed[ROWS * 2], again[ROWS * 2];
        made_open(&a.made, wide_model, ROWS);
        a.made.view.shift = &shift;
        a.made.view.scale = &scale;
        for (size_t t = 0; t < 3; t++) {
            for (size_t i = 0; i < 10; i++)
                tables[t][i] = (float)sin(1.0 + (double)(t * 10 + i));
            for (uint32_t r = 0; r < ROWS; r++) {
                row_of[t][r] = (r * (uint32_t)(t + 3) + (uint32_t)t) % 5;
                memcpy(whole + r * 6 + t * 2, tables[t] + row_of[t][r] * 2,
                       2 * sizeof(float));
            }
            pieces[t] = (struct data_piece){.numbers = tables[t],
                                            .row_of = row_of[t],
                                            .rows = 5,
                                            .at = t * 2,
                                            .columns = 2};
        }
        struct data_field f = a.made.table.inputs[0];
        f.numbers = whole;
        a.made.table.inputs = &f;
        open_asked(&a, devices_asked[d], 1);
        ask(&a, 0, &a.all, 0, ROWS, 1, written);
        nn_trainer_free(a.trainer);
        f.numbers = NULL;
        f.pieces = pieces;
        f.piece_count = 3;
        open_asked(&a, devices_asked[d], 1);
        check_company(&a, "tables");
        ask(&a, 0, &a.all, 0, ROWS, 1, summed);
        for (size_t i = 0; i < ROWS * 2; i++)
            assert_true(fabsf(summed[i] - written[i]) < 1e-5f);
        /* Other weights: what was made of the tables does not count. */
        size_t count = (size_t)a.made.model->graph.weights;
        double *weights = calloc(count + 1, sizeof(double));
        nn_trainer_take_weights(a.trainer, 0, weights);
        for (size_t i = 0; i < count; i++)
            weights[i] *= 0.5;
        nn_trainer_put_weights(a.trainer, 0, weights);
        ask(&a, 0, &a.all, 0, ROWS, 1, again);
        for (size_t i = 0; i < ROWS * 2; i++)
            assert_true(fabsf(again[i] - summed[i] / 4) < 1e-5f);
        free(weights);
        close_asked(&a);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_row_is_predicted_the_same_in_any_company),
        cmocka_unit_test(predictions_are_those_of_judging),
        cmocka_unit_test(a_sample_is_of_its_seed_and_its_row),
        cmocka_unit_test(a_shard_draws_by_the_number_among_all_rows),
        cmocka_unit_test(several_who_are_asked_at_once_say_what_they_say_alone),
        cmocka_unit_test(a_layer_over_several_tables_is_that_over_their_rows),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
