/* test_settings.c - folds of a cross-validation as one member */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <cmocka.h>

#include "ensemble/ensemble.h"

#define X NAN /* what must not be looked at */

static const struct combine_head one_number = {.width = 1};

/* Truth; who may speak; what they say. Members 0, 2 are folds of one setting,
 * 1, 3 of another. */
static const double numbers[] = {
    1, 1, 0, 0, 1, 10, X,  X,  13, /* both settings */
    2, 0, 1, 1, 0, X,  21, 22, X,  /* both */
    3, 1, 0, 1, 0, 30, X,  34, X,  /* the first alone, twice */
    4, 1, 1, 1, 0, 40, 41, 44, X,  /* both, the first twice */
};
static const struct opinions folds = {.rows = 4,
                                      .members = 4,
                                      .heads = &one_number,
                                      .head_count = 1,
                                      .wide = 1,
                                      .truths = 1,
                                      .out_of_fold = true,
                                      .numbers = numbers};
static const size_t of[] = {0, 1, 0, 1};
static const struct settings two = {of, 2};

static void a_setting_says_what_its_folds_say_that_may(void **state)
{
    static const double wanted[] = {1, 10, 13, 2, 22, 21, 4, 42, 41};
    struct opinions o;
    double *own;
    (void)state;
    assert_int_equal(settings_opinions(&two, &folds, &o, &own, NULL), 0);
    assert_int_equal(o.rows, 3);
    assert_int_equal(o.members, 2);
    assert_false(o.out_of_fold);
    for (size_t i = 0; i < sizeof(wanted) / sizeof(*wanted); i++)
        assert_true(o.numbers[i] == wanted[i]);
    assert_int_equal(settings_rows(&two, &folds, 0), 4);
    assert_int_equal(settings_rows(&two, &folds, 1), 3);
    free(own);
}

static void settings_without_a_row_in_common_say_nothing(void **state)
{
    static const size_t each[] = {0, 1, 2, 3};
    struct settings four = {each, 4};
    struct opinions o;
    double *own;
    (void)state;
    assert_int_equal(settings_opinions(&four, &folds, &o, &own, NULL), 0);
    assert_int_equal(o.rows, 0);
    free(own);
}

static void members_share_what_a_setting_is_given(void **state)
{
    static const size_t uneven[] = {0, 1, 0, 0};
    struct settings s = {uneven, 2};
    double weights[] = {0.75, 0.25}, to[4];
    (void)state;
    settings_share(&s, 4, weights, to);
    for (size_t i = 0; i < 4; i++)
        assert_true(to[i] == 0.25);
}

static void what_members_share_is_gathered_again(void **state)
{
    static const uint64_t names[] = {7, 3, 7, 7, 0, 0};
    static const size_t wanted[] = {0, 1, 0, 0, 2, 3};
    struct arena *a = arena_new();
    struct settings s = settings_named(names, 6, a);
    double shares[] = {0.25, 0.5, 0.125, 0.125, 2, 3}, to[4];
    (void)state;
    assert_int_equal(s.count, 4);
    for (size_t i = 0; i < 6; i++)
        assert_int_equal(s.of[i], wanted[i]);
    settings_gather(&s, 6, shares, to);
    assert_true(to[0] == 0.5 && to[1] == 0.5 && to[2] == 2 && to[3] == 3);
    struct settings each = settings_samples(&two, 4, 2, a);
    assert_int_equal(each.count, 4);
    for (size_t p = 0; p < 8; p++)
        assert_int_equal(each.of[p], of[p / 2] * 2 + p % 2);
    arena_free(a);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_setting_says_what_its_folds_say_that_may),
        cmocka_unit_test(settings_without_a_row_in_common_say_nothing),
        cmocka_unit_test(members_share_what_a_setting_is_given),
        cmocka_unit_test(what_members_share_is_gathered_again),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
