/* test_uploads.c - arrays that lie on the device cuda once for all */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "made.h"
#include "nn/cuda/runner.h"
#include "nn/trainer.h"

static void the_last_to_leave_takes_it_along(void **state)
{
    struct err err = {0};
    struct uploads u = {.gpu = gpu_open(&err)};
    const float one[2] = {1, 2}, like_it[2] = {1, 2};
    (void)state;
    void *a = uploads_add(&u, one, sizeof(one), &err);
    assert_ptr_equal(uploads_add(&u, one, sizeof(one), &err), a);
    assert_ptr_not_equal(uploads_add(&u, like_it, sizeof(one), &err), a);
    void *b = uploads_share(&u, one, sizeof(one), &err);
    assert_ptr_equal(uploads_share(&u, like_it, sizeof(one), &err), b);
    assert_int_equal(u.list.len, 3);
    uploads_drop(&u, a);
    uploads_drop(&u, b);
    assert_int_equal(u.list.len, 3);
    uploads_drop(&u, a);
    uploads_drop(&u, b);
    assert_int_equal(u.list.len, 1);
    uploads_done(&u);
    gpu_close(u.gpu);
}

/* A place that is free may be that of a member's rows next, which would be
 * taken for what was there before. */
static void nothing_is_known_by_a_place_that_is_free(void **state)
{
    struct made m;
    struct err err = {0};
    (void)state;
    made_named(&m, "class weights", 8);
    struct nn_trainer *t = nn_trainer_open("cuda", m.model, 1, &err);
    const struct cuda *c = (const struct cuda *)t->run;
    assert_int_equal(c->uploads.list.len, 1);
    assert_null(c->uploads.list.p[0].host);
    nn_trainer_free(t);
    made_close(&m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_last_to_leave_takes_it_along),
        cmocka_unit_test(nothing_is_known_by_a_place_that_is_free),
    };
    return cmocka_run_group_tests_name("uploads", tests, NULL, NULL);
}
