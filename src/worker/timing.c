/* timing.c - how fast this program trains on a device
 *
 * Two networks with made-up rows. The small one alone is a row of operations
 * with little in each; of the large one as many members as the device trains
 * together, up to MEMBERS, fill it with multiplications. */
#include "worker/timing.h"

#include <stdio.h>

#include "base/json.h"
#include "base/rng.h"
#include "data/data.h"
#include "nn/nn.h"
#include "sys/sys.h"
#include "terms/bundle.h"

#define FORWARD_AND_BACKWARD 3 /* times the multiplications of forward */
#define MEMBERS 64
#define STEPS 16             /* of an epoch */
#define LEAST_NS 100000000ll /* of timing each */

struct timed {
    const char *model;
    size_t inputs, classes, batch;
    bool together;
};
static const struct timed small = {
    "{\"input\":64,\"layers\":[{\"dense\":32,\"activation\":\"relu\"},"
    "{\"dense\":10}],\"batch_size\":32,\"optimizer\":\"adam\","
    "\"loss\":\"sparse_categorical_crossentropy\"}",
    64, 10, 32, false};
static const struct timed large = {
    "{\"input\":784,\"layers\":[{\"dense\":512,\"activation\":\"relu\"},"
    "{\"dense\":512,\"activation\":\"relu\"},{\"dense\":10}],"
    "\"batch_size\":128,\"optimizer\":\"adam\","
    "\"loss\":\"sparse_categorical_crossentropy\"}",
    784, 10, 128, true};

struct rows {
    struct data_field input, label;
    struct data_table table;
    struct data_view view;
};

static void make_rows(struct rows *r, const struct timed *w, struct arena *a)
{
    size_t count = w->batch * STEPS;
    float *numbers = arena_array(a, count * w->inputs, sizeof *numbers);
    int32_t *classes = arena_array(a, count, sizeof *classes);
    uint32_t *all = arena_array(a, count, sizeof *all);
    struct rng g;
    rng_init(&g, 1, 1, "rows to time training with");
    for (size_t i = 0; i < count * w->inputs; i++)
        numbers[i] = (float)rng_normal(&g);
    for (size_t i = 0; i < count; i++) {
        classes[i] = (int32_t)rng_below(&g, w->classes);
        all[i] = (uint32_t)i;
    }
    *r = (struct rows){.input = {.rank = 1,
                                 .dim = {(int64_t)w->inputs},
                                 .columns = (int64_t)w->inputs,
                                 .numbers = numbers},
                       .label = {.columns = 1,
                                 .classes = (int64_t)w->classes,
                                 .categories = classes}};
    r->table = (struct data_table){.rows = count,
                                   .inputs = &r->input,
                                   .labels = &r->label,
                                   .input_count = 1,
                                   .label_count = 1};
    r->view = (struct data_view){.table = &r->table, .train = {all, count}};
}

/* Seconds of a step of all; the first epoch is not timed. 0 and err. */
static double time_steps(struct nn_trainer *t, struct nn_turn *turns,
                         size_t members)
{
    int64_t begin = 0, took = 0, epochs = 0;
    for (; took < LEAST_NS; epochs++) {
        if (epochs == 1)
            begin = clock_mono_ns();
        nn_trainer_turns(t, turns, members);
        took = epochs ? clock_mono_ns() - begin : 0;
    }
    return (double)took * 1e-9 / (double)(epochs - 1) / STEPS;
}

static int join_all(struct nn_trainer *t, const struct nn_model *model,
                    const struct data_view *view, struct nn_turn *turns,
                    size_t members, struct err *err)
{
    for (size_t i = 0; i < members; i++) {
        struct nn_member one = {model, view, i + 1};
        turns[i].member = nn_trainer_join(t, &one, err);
        if (turns[i].member < 0)
            return -1;
        nn_trainer_epochs(t, turns[i].member, INT64_MAX);
    }
    return 0;
}

static int time_one(const char *device, const struct timed *w, struct arena *a,
                    struct err *err)
{
    struct problems faults = {.arena = a};
    struct nn_turn turns[MEMBERS] = {0};
    struct rows rows;
    bool many = w->together && nn_device_together(device);
    size_t members = many ? MEMBERS : 1;
    struct value *v = json_parse(a, str_of(w->model), "model", false, err);
    struct nn_model *model = v ? nn_model_read(v, NULL, &faults) : NULL;
    require(model != NULL);
    make_rows(&rows, w, a);
    struct nn_trainer *t = nn_trainer_open(device, model, members, err);
    int rc = t ? join_all(t, model, &rows.view, turns, members, err) : -1;
    if (rc == 0)
        printf("%lld %.9g %.9g\n", (long long)nn_model_depth(model),
               FORWARD_AND_BACKWARD * nn_model_flops(model) *
                   (double)(w->batch * members),
               time_steps(t, turns, members));
    nn_trainer_free(t);
    nn_model_free(model);
    return rc;
}

int timing_main(const char *device)
{
    struct err err = {0};
    struct arena *a = arena_new();
    int64_t begin = clock_mono_ns();
    const char *absent = nn_device_absent(device);
    int rc = absent ? err_set(&err, ERR_MISSING, "%s", absent) : 0;
    nn_trainer_room(device); /* what a device does at first, it does now */
    if (!rc)
        printf("start %.6g\n", (double)(clock_mono_ns() - begin) * 1e-9);
    if (!rc)
        rc = time_one(device, &small, a, &err);
    if (!rc)
        rc = time_one(device, &large, a, &err);
    if (rc)
        fprintf(stderr, "throng-worker: the device %s: %s\n", device, err.text);
    arena_free(a);
    return rc ? WORKER_EXIT_FAILED : WORKER_EXIT_DONE;
}
