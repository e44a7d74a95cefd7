/* test_titles.c - names that are too long for their columns */
#include "layout/layout.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>
#include "../one_arena.h"

#define MOST 6

/* All columns of one width. */
static const char **fit(size_t width, const char *const *names, size_t n)
{
    size_t widths[MOST];
    for (size_t i = 0; i < n; i++)
        widths[i] = width;
    return titles_fit(arena, names, widths, n);
}

static void names_that_fit_stay(void **state)
{
    static const char *const names[] = {"lr", "dropout"};
    (void)state;
    const char **got = fit(8, names, 2);
    assert_string_equal(got[0], "lr");
    assert_string_equal(got[1], "dropout");
}

static void long_names_are_cut_in_front(void **state)
{
    static const char *const names[] = {"model.encoder.dropout",
                                        "model.encoder.width"};
    (void)state;
    const char **got = fit(8, names, 2);
    assert_string_equal(got[0], "…dropout");
    assert_string_equal(got[1], "…r.width");
}

static void those_that_end_alike_keep_their_beginning(void **state)
{
    static const char *const names[] = {"encoder.layer.dropout",
                                        "decoder.layer.dropout", "dropout"};
    (void)state;
    const char **got = fit(8, names, 3);
    assert_string_equal(got[0], "e…ropout");
    assert_string_equal(got[1], "d…ropout");
    assert_string_equal(got[2], "dropout");
}

static void those_that_begin_alike_too_keep_their_middle(void **state)
{
    static const char *const names[] = {"model.encoder.a.dropout",
                                        "model.encoder.b.dropout",
                                        "model.encoder.ab.dropout"};
    (void)state;
    const char **got = fit(8, names, 3);
    for (size_t i = 0; i < 3; i++)
        for (size_t k = 0; k < i; k++)
            assert_string_not_equal(got[i], got[k]);
    assert_string_equal(got[1], "…oder.b…");
}

static void letters_are_not_cut_in_half(void **state)
{
    static const char *const names[] = {"größenverhältnis", "bößenverhältnis"};
    (void)state;
    const char **got = fit(6, names, 2);
    assert_string_equal(got[0], "g…tnis");
    assert_string_equal(got[1], "b…tnis");
}

static void equal_names_and_narrow_columns_do_no_harm(void **state)
{
    static const char *const names[] = {"a.dropout", "a.dropout", "b.dropout"};
    (void)state;
    const char **got = fit(4, names, 3);
    assert_string_equal(got[0], got[1]);
    assert_string_not_equal(got[0], got[2]);
    for (size_t width = 1; width < 4; width++)
        assert_non_null(fit(width, names, 3)[2]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(names_that_fit_stay),
        cmocka_unit_test(long_names_are_cut_in_front),
        cmocka_unit_test(those_that_end_alike_keep_their_beginning),
        cmocka_unit_test(those_that_begin_alike_too_keep_their_middle),
        cmocka_unit_test(letters_are_not_cut_in_half),
        cmocka_unit_test(equal_names_and_narrow_columns_do_no_harm),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}
