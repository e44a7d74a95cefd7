/* test_axes.c - which parameters are axes, and of what kind */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <math.h>

#include "search/axes.h"
#include "any_space.h"
#include "spaces.h"
#include "terms/state.h"

static const char lists_text[] = "{\"version\":1,\"parameters\":["
    /* clang-format off */
    PARAM("act", "categorical", "\"values\":[\"relu\",\"gelu\",\"tanh\"]") ","
    PARAM("batch", "categorical",
          "\"values\":[16,32,64,128],\"ordered\":true") ","
    PARAM("fixed", "constant", "\"value\":3")
    /* clang-format on */
    "]}";

static void an_ordered_list_is_a_number_with_cells(void **state)
{
    (void)state;
    struct arena *a = arena_new();
    struct space space = space_of(lists_text, a);
    struct axes axes;
    axes_init(&axes, &space);
    assert_int_equal(axes.count, 2);
    assert_int_equal(axes.axis[0].choices, 3);
    assert_int_equal(axes.axis[1].choices, 0);
    assert_true(axes.axis[1].discrete);
    assert_true(axis_snap(&axes, 1, 0.3, a) == 0.375);
    assert_true(axis_cell(&axes, 1, 0.3, a) == 0.25);
    axes_done(&axes);
    arena_free(a);
}

static void take_an_ordered_list(const char *method)
{
    struct arena *a = arena_new();
    struct space space = space_of(lists_text, a);
    struct search_setup setup = {
        .space = &space, .seed = 1, .minimize = true, .run_cap = 12};
    struct search *s = search_open(method, &setup, NULL);
    assert_non_null(s);
    for (int64_t k = 1; k <= 12; k++) {
        struct suggestion got;
        assert_int_equal(search_ask(s, k, a, &got, NULL), SEARCH_HERE);
        assert_point(&space, got.point);
        double x = value_number(value_get(got.point, STR("batch")));
        struct result r = {.trial = k,
                           .point = got.point,
                           .state = STATE_DONE,
                           .value = fabs(log2(x) - 6)};
        search_tell(s, &r);
    }
    search_free(s);
    arena_free(a);
}

/* Every method takes such a space, and gives nothing but its values. */
static void every_method_takes_an_ordered_list(void **state)
{
    (void)state;
    for (size_t m = 0; method_at(m); m++)
        take_an_ordered_list(method_at(m));
    take_an_ordered_list("grid");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_ordered_list_is_a_number_with_cells),
        cmocka_unit_test(every_method_takes_an_ordered_list),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
