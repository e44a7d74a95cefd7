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
    struct uploads u;
    const float one[2] = {1, 2}, like_it[2] = {1, 2};
    (void)state;
    uploads_open(&u, gpu_open(&err), NULL);
    void *a = uploads_add(&u, one, sizeof(one), &err);
    assert_ptr_equal(uploads_add(&u, one, sizeof(one), &err), a);
    void *like_it_there = uploads_add(&u, like_it, sizeof(one), &err);
    assert_ptr_not_equal(like_it_there, a);
    void *b = uploads_share(&u, one, sizeof(one), &err);
    assert_ptr_equal(uploads_share(&u, like_it, sizeof(one), &err), b);
    assert_int_equal(u.tables->list.len, 2);
    assert_int_equal(u.list.len, 1);
    uploads_drop(&u, a);
    uploads_drop(&u, b);
    assert_int_equal(u.tables->list.len, 2);
    assert_int_equal(u.list.len, 1);
    uploads_drop(&u, a);
    uploads_drop(&u, b);
    assert_int_equal(u.tables->list.len, 1);
    assert_int_equal(u.list.len, 0);
    uploads_drop(&u, like_it_there);
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

static struct nn_trainer *open_beside(const struct nn_trainer *other,
                                      const struct made *m)
{
    struct err err = {0};
    struct nn_member one = {m->model, &m->view, 3};
    struct nn_trainer *t =
        nn_trainer_open_beside(other, "cuda", m->model, 1, &err);
    assert_non_null(t);
    assert_int_equal(nn_trainer_join(t, &one, &err), 0);
    nn_trainer_epochs(t, 0, 2);
    return t;
}

static double loss_of_an_epoch(struct nn_trainer *t)
{
    struct err err = {0};
    struct nn_report r = {0};
    assert_int_equal(nn_trainer_epoch(t, 0, &r, &err), 0);
    return r.loss;
}

/* Whoever of them is closed first: the others go on with it. */
static void a_table_is_there_once_for_all_cohorts(void **state)
{
    struct made m;
    (void)state;
    made_named(&m, "dense", 24);
    struct nn_trainer *first = open_beside(NULL, &m);
    struct nn_trainer *second = open_beside(first, &m);
    struct nn_trainer *apart = open_beside(NULL, &m);
    const struct tables *tables = ((struct cuda *)first->run)->uploads.tables;
    size_t count = tables->list.len;
    assert_true(count > 0);
    assert_ptr_equal(((struct cuda *)second->run)->uploads.tables, tables);
    assert_ptr_not_equal(((struct cuda *)apart->run)->uploads.tables, tables);
    for (size_t i = 0; i < count; i++)
        assert_int_equal(tables->list.p[i].users, 2);
    assert_true(loss_of_an_epoch(first) == loss_of_an_epoch(apart));
    nn_trainer_free(first);
    struct nn_trainer *third = open_beside(second, &m);
    assert_int_equal(tables->list.len, count);
    assert_true(loss_of_an_epoch(third) == loss_of_an_epoch(second));
    assert_true(loss_of_an_epoch(third) == loss_of_an_epoch(apart));
    nn_trainer_free(second);
    nn_trainer_free(third);
    nn_trainer_free(apart);
    made_close(&m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_last_to_leave_takes_it_along),
        cmocka_unit_test(a_table_is_there_once_for_all_cohorts),
        cmocka_unit_test(nothing_is_known_by_a_place_that_is_free),
    };
    return cmocka_run_group_tests_name("uploads", tests, NULL, NULL);
}
