/* test_turns.c - an epoch of a cohort in pieces
 *
 * It is the same to the last bit as in one, whatever is trained between its
 * pieces and wherever it is broken off; and on the device cuda, which works
 * while nobody waits for it, the steps of two cohorts alternate. Where there is
 * a GPU this runs on it (test_nn_turns_gpu), elsewhere its kernels run here
 * (nn/cuda/host.c). */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "made.h"
#include "nn/cuda/gpu.h"
#include "nn/device.h"
#include "nn/trainer.h"

enum { ROWS = 120, LONG_ROWS = 700, MEMBERS = 2, EPOCHS = 2, GIVEN_MAX = 4096 };

/* By the kernel for small models, by one for all, by rates of each step; more
 * steps than there is room for rates at once (512, of all but 1 row of 4). */
static const char *const models[] = {
    "{\"input\":3,\"layers\":[{\"dense\":6,\"activation\":\"tanh\"},"
    "{\"dropout\":0.2},{\"dense\":2}],\"loss\":\"mse\",\"batch_size\":2,"
    "\"optimizer\":\"adam\",\"metrics\":[\"mae\"]}",
    "{\"input\":4,\"layers\":[{\"dense\":5,\"activation\":\"relu\"},"
    "{\"dense\":1}],\"loss\":\"mse\",\"batch_size\":2,"
    "\"optimizer\":{\"name\":\"sgd\",\"lr\":0.01,\"momentum\":0.5}}",
    "{\"input\":4,\"layers\":[{\"dense\":3}],\"loss\":\"mse\","
    "\"batch_size\":4,\"optimizer\":\"nadam\","
    "\"schedule\":{\"name\":\"cosine\",\"epochs\":2}}",
};
static const char *const long_models[] = {
    "{\"input\":2,\"layers\":[{\"dense\":2,\"activation\":\"tanh\"},"
    "{\"dense\":1}],\"loss\":\"mse\",\"batch_size\":1,"
    "\"optimizer\":\"adam\"}",
    "{\"input\":2,\"layers\":[{\"dense\":1}],\"loss\":\"mse\","
    "\"batch_size\":1,\"optimizer\":{\"name\":\"sgd\",\"lr\":0.01}}",
};

/* ---- what is given to the machine ----------------------------------------
 */

/* The linker gives both names; nobody else declares them. */
void __real_gpu_run(struct gpu_machine *g, const struct gpu_list *list,
                    struct gpu_slot *slots, int slot_count, int64_t times);
void __wrap_gpu_run(struct gpu_machine *g, const struct gpu_list *list,
                    struct gpu_slot *slots, int slot_count, int64_t times);

static struct {
    const struct gpu_machine *machine;
    int64_t times;
} given[GIVEN_MAX];
static size_t given_count;
static bool one_by_one; /* as where there is no memory for a graph */

void __wrap_gpu_run(struct gpu_machine *g, const struct gpu_list *list,
                    struct gpu_slot *slots, int slot_count, int64_t times)
{
    if (given_count < GIVEN_MAX) {
        given[given_count].machine = g;
        given[given_count++].times = times;
    }
    for (int64_t i = 0; one_by_one && i < times; i++)
        __real_gpu_run(g, list, slots, slot_count, 1);
    if (!one_by_one)
        __real_gpu_run(g, list, slots, slot_count, times);
}

/* ---- cohorts --------------------------------------------------------------
 */

struct group {
    struct made made;
    struct nn_trainer *trainer;
    struct nn_turn turns[MEMBERS];
    double losses[EPOCHS][MEMBERS], judged[EPOCHS][MEMBERS];
};

static void open_empty(struct group *g, const char *device, const char *json,
                       size_t rows)
{
    struct err err = {0};
    memset(g, 0, sizeof(*g));
    made_open(&g->made, json, rows);
    g->trainer = nn_trainer_open(device, g->made.model, MEMBERS, &err);
    if (!g->trainer)
        fail_msg("%s", err.text);
}

static void join(struct group *g, int i)
{
    struct nn_member one = {g->made.model, &g->made.view, 3 + (uint64_t)i};
    assert_int_equal(nn_trainer_join(g->trainer, &one, NULL), i);
    nn_trainer_epochs(g->trainer, i, EPOCHS);
    g->turns[i].member = i;
}

static void open_group(struct group *g, const char *device, const char *json,
                       size_t rows)
{
    open_empty(g, device, json, rows);
    for (int i = 0; i < MEMBERS; i++)
        join(g, i);
}

static void close_group(struct group *g)
{
    nn_trainer_free(g->trainer);
    made_close(&g->made);
}

static void note_one(struct group *g, int i)
{
    int64_t epoch = g->turns[i].report.epoch - 1;
    assert_int_equal(g->turns[i].rc, 0);
    g->losses[epoch][i] = g->turns[i].report.loss;
    g->judged[epoch][i] = g->turns[i].report.validation_loss;
}

static void note(struct group *g, int epoch)
{
    for (int i = 0; i < MEMBERS; i++) {
        assert_int_equal(g->turns[i].report.epoch, epoch + 1);
        note_one(g, i);
    }
}

static void train_alone(struct group *g, const char *device, const char *json,
                        size_t rows)
{
    open_group(g, device, json, rows);
    for (int e = 0; e < EPOCHS; e++) {
        nn_trainer_turns(g->trainer, g->turns, MEMBERS);
        note(g, e);
    }
}

static void check_same(struct group *a, struct group *b)
{
    size_t count = (size_t)a->made.model->graph.weights;
    double *x = calloc(count, sizeof(*x)), *y = calloc(count, sizeof(*y));
    assert_memory_equal(a->losses, b->losses, sizeof(a->losses));
    assert_memory_equal(a->judged, b->judged, sizeof(a->judged));
    for (int i = 0; i < MEMBERS; i++) {
        nn_trainer_take_weights(a->trainer, i, x);
        nn_trainer_take_weights(b->trainer, i, y);
        assert_memory_equal(x, y, count * sizeof(*x));
    }
    free(x);
    free(y);
}

/* ---- tests ----------------------------------------------------------------
 */

/* Each piece of one, then of the next. */
static void go_in_turn(struct group *groups, size_t count)
{
    bool more[8] = {0}, any = true;
    for (size_t i = 0; i < count; i++) {
        nn_trainer_turns_begin(groups[i].trainer, groups[i].turns, MEMBERS);
        more[i] = true;
    }
    while (any) {
        any = false;
        for (size_t i = 0; i < count; i++)
            any |= more[i] = more[i] && nn_trainer_turns_go(groups[i].trainer);
    }
    for (size_t i = count; i-- > 0;)
        nn_trainer_turns_end(groups[i].trainer);
}

static void check_interleaved(const char *device, const char *const *list,
                              size_t count, size_t rows)
{
    struct group alone, groups[8];
    for (size_t i = 0; i < count; i++)
        open_group(&groups[i], device, list[i], rows);
    for (int e = 0; e < EPOCHS; e++) {
        go_in_turn(groups, count);
        for (size_t i = 0; i < count; i++)
            note(&groups[i], e);
    }
    for (size_t i = 0; i < count; i++) {
        train_alone(&alone, device, list[i], rows);
        check_same(&alone, &groups[i]);
        close_group(&alone);
        close_group(&groups[i]);
    }
}

static void cohorts_in_turn_are_what_each_is_alone(void **state)
{
    (void)state;
    check_interleaved("cuda", models, 3, ROWS);
    check_interleaved("cpu", models, 3, ROWS);
}

static void rounds_of_rates_do_not_show(void **state)
{
    (void)state;
    check_interleaved("cuda", long_models, 2, LONG_ROWS);
}

/* So many pieces, then the end; again and again, until all are through. */
static int break_off_each(struct group *g, int pieces)
{
    int broken = 0;
    for (int e = 0; e < EPOCHS;) {
        nn_trainer_turns_begin(g->trainer, g->turns, MEMBERS);
        for (int i = 0; i < pieces && nn_trainer_turns_go(g->trainer); i++)
            ;
        nn_trainer_turns_end(g->trainer);
        if (g->turns[0].rc == 0) {
            note(g, e++);
            continue;
        }
        for (int i = 0; i < MEMBERS; i++)
            assert_int_equal(g->turns[i].rc, 1);
        broken++;
    }
    return broken;
}

static void check_broken_off(const char *json, size_t rows, int least)
{
    struct group alone, broken;
    train_alone(&alone, "cuda", json, rows);
    open_group(&broken, "cuda", json, rows);
    assert_true(break_off_each(&broken, 1) >= least);
    check_same(&alone, &broken);
    close_group(&alone);
    close_group(&broken);
}

static void what_is_ended_before_its_end_goes_on_there(void **state)
{
    (void)state;
    check_broken_off(models[1], ROWS, 2 * EPOCHS);
    check_broken_off(models[2], ROWS, EPOCHS);
    check_broken_off(long_models[0], LONG_ROWS, 0);
    check_broken_off(long_models[1], LONG_ROWS, 32 * EPOCHS);
}

/* Only its time is lost. */
static void what_is_ended_at_once_has_not_begun(void **state)
{
    struct group alone, g;
    (void)state;
    train_alone(&alone, "cuda", models[2], ROWS);
    open_group(&g, "cuda", models[2], ROWS);
    nn_trainer_turns_begin(g.trainer, g.turns, MEMBERS);
    nn_trainer_turns_end(g.trainer);
    assert_int_equal(g.turns[0].rc, 1);
    for (int e = 0; e < EPOCHS; e++) {
        nn_trainer_turns(g.trainer, g.turns, MEMBERS);
        note(&g, e);
    }
    check_same(&alone, &g);
    close_group(&alone);
    close_group(&g);
}

/* The first has had some pieces of its first epoch, or all of it. */
static void join_late(struct group *g, const char *device, const char *json,
                      int pieces)
{
    open_empty(g, device, json, ROWS);
    join(g, 0);
    nn_trainer_turns_begin(g->trainer, g->turns, 1);
    for (int i = 0; i < pieces && nn_trainer_turns_go(g->trainer); i++)
        ;
    nn_trainer_turns_end(g->trainer);
    if (g->turns[0].rc == 0)
        note_one(g, 0);
    join(g, 1);
}

static void check_late(const char *device, const char *json, int pieces)
{
    struct group alone, late;
    train_alone(&alone, device, json, ROWS);
    join_late(&late, device, json, pieces);
    bool ahead = late.turns[0].rc == 0;
    for (int e = ahead; e < EPOCHS; e++) {
        nn_trainer_turns(late.trainer, late.turns, MEMBERS);
        note_one(&late, 0);
        note_one(&late, 1);
    }
    if (ahead) {
        nn_trainer_turns(late.trainer, late.turns + 1, 1);
        note_one(&late, 1);
    }
    check_same(&alone, &late);
    close_group(&alone);
    close_group(&late);
}

static void who_joins_late_is_what_it_is_from_the_beginning(void **state)
{
    (void)state;
    for (size_t i = 0; i < 3; i++) {
        check_late("cuda", models[i], INT_MAX);
        check_late("cuda", models[i], 1);
        check_late("cpu", models[i], INT_MAX);
        check_late("cpu", models[i], 1);
    }
}

/* Pieces of 16 steps. Both have 45 of them: 16, 16, 13. */
static void steps_of_two_cohorts_alternate(void **state)
{
    struct group g[2];
    const struct gpu_machine *last = NULL;
    size_t pieces = 0;
    (void)state;
    open_group(&g[0], "cuda", models[1], ROWS);
    open_group(&g[1], "cuda", models[1], ROWS);
    given_count = 0;
    go_in_turn(g, 2);
    for (size_t i = 0; i < given_count; i++) {
        if (given[i].times < 13)
            continue;
        assert_ptr_not_equal(given[i].machine, last);
        last = given[i].machine;
        if (++pieces == 6)
            break;
    }
    assert_int_equal(pieces, 6);
    close_group(&g[0]);
    close_group(&g[1]);
}

/* On a GPU many steps are a graph each, one alone is its kernels. */
static void steps_one_by_one_are_the_same(void **state)
{
    (void)state;
    for (size_t i = 0; i < 3; i++) {
        struct group many, single;
        train_alone(&many, "cuda", models[i], ROWS);
        one_by_one = true;
        train_alone(&single, "cuda", models[i], ROWS);
        one_by_one = false;
        check_same(&many, &single);
        close_group(&many);
        close_group(&single);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(cohorts_in_turn_are_what_each_is_alone),
        cmocka_unit_test(rounds_of_rates_do_not_show),
        cmocka_unit_test(what_is_ended_before_its_end_goes_on_there),
        cmocka_unit_test(what_is_ended_at_once_has_not_begun),
        cmocka_unit_test(who_joins_late_is_what_it_is_from_the_beginning),
        cmocka_unit_test(steps_of_two_cohorts_alternate),
        cmocka_unit_test(steps_one_by_one_are_the_same),
    };
    if (!nn_device_find(STR("cuda"))) {
        print_message("skipped: %s\n", nn_device_cuda.absent());
        return 77;
    }
    return cmocka_run_group_tests_name("turns", tests, NULL, NULL);
}
