/* test_touches.c - kernels of the device cuda do nothing that a GPU may do in
 * another order
 *
 * Of every model that they are tested with, all reads and writes of some steps
 * and of judging are looked at (touches.h). */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cuda_made.h"
#include "faulty_kernels.h"
#include "made.h"
#include "nn/device.h"
#include "nn/trainer.h"
#include "touches.h"

enum { ROWS = 80, MEMBERS = 2, FRAME_BYTES = 4096 };

/* ---- what is looked for is found ----------------------------------------- */

static void run_one(const struct faulty *f)
{
    struct err err = {0};
    const struct gpu_launch l = {
        .blocks = f->blocks, .threads = f->threads, .fast_bytes = FAULTY_FAST};
    struct gpu_machine *g = gpu_open(&err);
    struct gpu_slot *slots = gpu_alloc(g, MEMBERS * sizeof(*slots), &err);
    for (int i = 0; i < MEMBERS; i++)
        slots[i].frame = gpu_alloc(g, FRAME_BYTES, &err);
    gpu_run_here(&f->kernel, &l, slots, MEMBERS);
    for (int i = 0; i < MEMBERS; i++)
        gpu_release(g, slots[i].frame);
    gpu_release(g, slots);
    gpu_close(g);
}

static void faults_are_found_and_nothing_else(void **state)
{
    (void)state;
    for (const struct faulty *f = faulty_kernels; f->kernel.name; f++) {
        struct buf faults;
        buf_init(&faults);
        touches_begin();
        run_one(f);
        size_t count = touches_end(&faults);
        if (f->fault ? !strstr(faults.p, f->fault) : count > 0)
            fail_msg("%s: %zu faults\n%s", f->kernel.name, count, faults.p);
        buf_done(&faults);
    }
}

/* ---- kernels have none of it --------------------------------------------- */

static void train_and_judge(const struct made *m, bool masked)
{
    struct err err = {0};
    struct nn_report r = {0};
    struct nn_trainer *t = nn_trainer_open("cuda", m->model, MEMBERS, &err);
    assert_non_null(t);
    for (int i = 0; i < MEMBERS; i++) {
        struct nn_member one = {m->model, &m->view, 3 + (uint64_t)i};
        assert_int_equal(nn_trainer_join(t, &one, &err), i);
        nn_trainer_epochs(t, i, 1);
    }
    if (masked)
        cuda_mask(t);
    for (int i = 0; i < MEMBERS; i++)
        assert_int_equal(nn_trainer_epoch(t, i, &r, &err), 0);
    nn_trainer_free(t);
}

static void look_at(const char *name, bool masked)
{
    struct made m;
    struct buf why;
    buf_init(&why);
    if (name[0] == '{')
        made_text(&m, name, ROWS);
    else
        made_named(&m, name, ROWS);
    if (strcmp(nn_device_for("cuda", m.model, &why), "cuda") == 0) {
        touches_begin();
        train_and_judge(&m, masked);
        size_t count = touches_end(&why);
        if (count > 0)
            fail_msg("%s: %zu faults\n%s", name, count, why.p);
    }
    made_close(&m);
    buf_done(&why);
}

static void look_at_all(const char *const *models, bool masked)
{
    const char *only = getenv("THRONG_TEST_MODEL");
    for (size_t i = 0; models[i]; i++)
        if (!only || strcmp(only, models[i]) == 0)
            look_at(models[i], masked);
}

static void of_every_model(void **state)
{
    struct arena *a = arena_new();
    (void)state;
    look_at_all(made_names(a), false);
    arena_free(a);
}

static void of_large_models(void **state)
{
    (void)state;
    look_at_all(made_large, false);
    look_at_all(cuda_stepped, false);
    look_at_all(cuda_dropped, false);
}

static void of_every_precision(void **state)
{
    (void)state;
    for (size_t i = 0; cuda_rounded[i]; i++) {
        char text[512];
        snprintf(text, sizeof(text), "%.*s, 'precision': 'tf32'}",
                 (int)strlen(cuda_rounded[i]) - 1, cuda_rounded[i]);
        look_at_all((const char *const[]){text, NULL}, false);
    }
}

static void of_judging(void **state)
{
    (void)state;
    look_at_all(cuda_judged, false);
}

static void of_masks(void **state)
{
    (void)state;
    look_at_all(cuda_stepped, true);
}

static void every_kernel_was_looked_at(void **state)
{
    (void)state;
    if (getenv("THRONG_TEST_MODEL"))
        skip();
    for (int k = 0; k < GPU_KERNEL_COUNT; k++)
        if (!touches_seen((enum gpu_kernel)k))
            fail_msg("no model needs %s", gpu_kernels_here[k].name);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(faults_are_found_and_nothing_else),
        cmocka_unit_test(of_every_model),
        cmocka_unit_test(of_large_models),
        cmocka_unit_test(of_every_precision),
        cmocka_unit_test(of_judging),
        cmocka_unit_test(of_masks),
        cmocka_unit_test(every_kernel_was_looked_at),
    };
    return cmocka_run_group_tests_name("touches", tests, NULL, NULL);
}
