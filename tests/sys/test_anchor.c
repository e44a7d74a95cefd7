/* test_anchor.c - what is open, and what is at its path */
#include "scratch.h"

static void what_is_in_its_place_stands(void **state)
{
    struct scratch *s = *state;
    struct anchor h;
    const char *folder = scratch_path(s, "a");
    assert_int_equal(dir_make(folder, NULL), 0);
    anchor_open(&h, folder);
    assert_true(anchor_stands(&h));
    assert_false(anchor_is_removed(&h));
    assert_string_equal(anchor_now(&h, s->arena), folder);
    anchor_close(&h);
}

static void what_was_moved_says_where_it_is(void **state)
{
    struct scratch *s = *state;
    struct anchor h;
    const char *folder = scratch_path(s, "up/a");
    assert_int_equal(dir_make(folder, NULL), 0);
    anchor_open(&h, folder);
    assert_int_equal(rename(scratch_path(s, "up"), scratch_path(s, "gone")), 0);
    assert_false(anchor_stands(&h));
    assert_false(anchor_is_removed(&h));
    assert_string_equal(anchor_now(&h, s->arena), scratch_path(s, "gone/a"));
    /* One that was made at its path is another. */
    assert_int_equal(dir_make(folder, NULL), 0);
    assert_false(anchor_stands(&h));
    anchor_close(&h);
}

static void what_was_removed_is_nowhere(void **state)
{
    struct scratch *s = *state;
    struct anchor folder, file;
    const char *path = scratch_file(s, "a/f", "x");
    anchor_open(&file, path);
    anchor_open(&folder, scratch_path(s, "a"));
    assert_int_equal(dir_remove(scratch_path(s, "a"), NULL), 0);
    assert_false(anchor_stands(&file));
    assert_false(anchor_stands(&folder));
    assert_true(anchor_is_removed(&file));
    assert_true(anchor_is_removed(&folder));
    assert_null(anchor_now(&file, s->arena));
    assert_null(anchor_now(&folder, s->arena));
    anchor_close(&file);
    anchor_close(&folder);
}

static void what_could_not_be_opened_counts_as_there(void **state)
{
    struct scratch *s = *state;
    struct anchor h;
    anchor_open(&h, scratch_path(s, "none"));
    assert_true(anchor_stands(&h));
    assert_false(anchor_is_removed(&h));
    assert_null(anchor_now(&h, s->arena));
    anchor_close(&h);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        scratch_test(what_is_in_its_place_stands),
        scratch_test(what_was_moved_says_where_it_is),
        scratch_test(what_was_removed_is_nowhere),
        scratch_test(what_could_not_be_opened_counts_as_there),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
