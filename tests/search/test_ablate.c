/* test_ablate.c - a baseline, and each of its parameters changed alone */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "search/search.h"
#include "../one_arena.h"
#include "spaces.h"

static const char plain_text[] = "{\"version\":1,\"parameters\":["
    /* clang-format off */
    PARAM("fold", "int_uniform", "\"min\":1,\"max\":3") ","
    PARAM("lr", "categorical", "\"values\":[0.01,0.1,1]") ","
    PARAM("mom", "categorical", "\"values\":[0.5,0.9],"
          WHEN("opt", "\"sgd\"")) ","
    PARAM("opt", "categorical", "\"values\":[\"sgd\",\"adam\"]")
    /* clang-format on */
    "]}";

static struct search *open_with(const struct space *space, const char *baseline,
                                struct err *err)
{
    struct value *options = value_object(arena);
    if (baseline)
        value_set(arena, options, STR("baseline"),
                  json_parse(arena, str_of(baseline), "", true, err));
    struct search_setup given = {.space = space, .options = options};
    return search_open("ablate", &given, err);
}

/* How many of a point's parameters differ from the baseline's. */
static int changes_of(const struct value *point, const struct value *base)
{
    int changed = 0;
    for (size_t i = 0; i < base->count; i++) {
        const struct value *v = value_get(point, base->keys[i]);
        changed += v && !value_eq(v, base->items[i]);
    }
    return changed;
}

static void each_parameter_is_changed_alone_on_every_fold(void **state)
{
    (void)state;
    static const char text[] = "{\"lr\":0.1,\"mom\":0.9,\"opt\":\"sgd\"}";
    struct space space = space_of(plain_text, arena);
    struct err err = {0};
    struct value *base = json_parse(arena, str_of(text), "", true, &err);
    struct search *s = open_with(&space, text, &err);
    assert_non_null(s);
    /* The baseline, lr twice, mom and opt once each; three folds. */
    assert_int_equal(search_total(s), 15);
    int plain = 0, folds[4] = {0};
    for (int64_t k = 1; k <= 15; k++) {
        struct suggestion got;
        assert_int_equal(search_ask(s, k, arena, &got, &err), SEARCH_HERE);
        int changed = changes_of(got.point, base);
        assert_true(changed <= 1);
        plain += !changed;
        folds[value_get(got.point, STR("fold"))->i]++;
        /* What a change makes inactive is not there. */
        bool adam =
            str_is(value_text(value_get(got.point, STR("opt"))), "adam");
        assert_true(adam == !value_get(got.point, STR("mom")));
    }
    assert_int_equal(plain, 3);
    assert_true(folds[1] == 5 && folds[2] == 5 && folds[3] == 5);
    search_free(s);
}

static void what_is_no_baseline_is_refused_by_name(void **state)
{
    (void)state;
    struct space space = space_of(plain_text, arena), mixed;
    struct err err = {0};
    assert_null(open_with(&space, NULL, &err));
    assert_non_null(strstr(err.text, "needs a baseline"));
    assert_null(open_with(&space, "{\"lrr\":1}", &err));
    assert_non_null(strstr(err.text, "`lrr`, which is no parameter"));
    mixed = space_of(mixed_text, arena);
    assert_null(open_with(&mixed, "{\"lr\":0.1}", &err));
    assert_non_null(strstr(err.text, "parameter lr cannot be changed"));
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, setup, teardown)
int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(each_parameter_is_changed_alone_on_every_fold),
        TEST(what_is_no_baseline_is_refused_by_name),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
