/* test_place.c - names of places */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <string.h>

#include "terms/place.h"

static void every_place_is_found_unless_it_is_for_tests(void **state)
{
    (void)state;
    for (size_t i = 0; place_names[i]; i++) {
        const struct place_name *row = place_name_find(str_of(place_names[i]));
        assert_non_null(row);
        assert_string_equal(row->name, place_names[i]);
        assert_true(row->later || strstr(PLACE_NAMES, row->name));
    }
    assert_null(place_name_find(STR("fake")));
    assert_null(place_name_find(STR("")));
}

/* It is the row that says so, not its place in the list. */
static void what_runs_here_is_a_fact_of_the_row(void **state)
{
    (void)state;
    for (size_t i = 0; place_names[i]; i++) {
        struct str name = str_of(place_names[i]);
        assert_int_equal(place_is_here(name),
                         place_name_find(name)->of == THIS_MACHINE);
    }
    assert_true(place_is_here(STR("local")));
    assert_false(place_is_here(STR("slurm")));
    assert_false(place_is_here(STR("htcondor")));
    assert_false(place_is_here(STR("no-such-place")));
}

static void who_names_no_place_runs_here(void **state)
{
    (void)state;
    assert_true(place_is_here(STR("")));
    assert_true(place_is_here(str_of(PLACE_HERE)));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_place_is_found_unless_it_is_for_tests),
        cmocka_unit_test(what_runs_here_is_a_fact_of_the_row),
        cmocka_unit_test(who_names_no_place_runs_here),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
