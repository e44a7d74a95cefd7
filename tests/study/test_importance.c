/* test_importance.c - which trials of a large study are looked at */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <cmocka.h>

#include "base/rng.h"
#include "search/search.h"
#include "study/study.h"

enum { TRIALS = 20000 };

static const char space_text[] =
    "{\"version\":1,\"parameters\":["
    "{\"name\":\"kind\",\"distribution\":\"categorical\","
    "\"values\":[0,1,2]},"
    "{\"name\":\"x\",\"distribution\":\"uniform\",\"min\":0.0,\"max\":1.0}]}";

/* A grid: the fast parameter, which alone decides, comes back every third
 * trial. The last hundred have not ended. */
static void add_trial(struct store *s, int64_t id)
{
    char point[64];
    struct err err = {0};
    struct rng rng;
    rng_init(&rng, 1, (uint64_t)id, "test");
    snprintf(point, sizeof(point), "{\"kind\":%d,\"x\":%.17g}", (int)(id % 3),
             rng_uniform(&rng));
    struct trial t = {.id = id,
                      .state = STATE_WAITING,
                      .point = str_of(point),
                      .value = NAN,
                      .parent = -1,
                      .group = -1};
    assert_int_equal(store_trial_add(s, &t, &err), 0);
    if (id > TRIALS - 100)
        return;
    t.state = STATE_DONE;
    t.value = (double)(id % 3) + rng_uniform(&rng);
    assert_int_equal(store_trial_update(s, &t, &err), 0);
}

static void fill(struct store *s)
{
    struct err err = {0};
    assert_int_equal(store_lease_take(s, false, &err), 0);
    assert_int_equal(store_begin(s, &err), 0);
    assert_int_equal(store_fact_set(s, "space", str_of(space_text), &err), 0);
    for (int64_t id = 1; id <= TRIALS; id++)
        add_trial(s, id);
    assert_int_equal(store_commit(s, &err), 0);
}

static void some_of_many_trials_say_what_all_do(void **state)
{
    (void)state;
    char folder[] = "/tmp/throng-test-XXXXXX";
    struct err err = {0};
    struct arena *a = arena_new();
    struct space space;
    double shares[2];
    assert_non_null(mkdtemp(folder));
    const char *path = path_join(a, folder, "s");
    assert_int_equal(store_create(path, &err), 0);
    struct store *s = store_open(path, true, &err);
    assert_non_null(s);
    fill(s);
    struct importance *i = study_importance(s, STR(""), true, &space, a, &err);
    assert_non_null(i);
    assert_in_range(importance_count(i), 7000, 9000);
    assert_int_equal(importance_ped(i, shares, &err), 0);
    assert_true(shares[0] > 0.95);
    importance_free(i);
    store_close(s);
    dir_remove(folder, NULL);
    arena_free(a);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(some_of_many_trials_say_what_all_do),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
