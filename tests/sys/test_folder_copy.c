#include "scratch.h"

static void a_copy_is_the_same_and_has_the_same_digest(void **state)
{
    struct scratch *s = *state;
    struct stat st;
    char target[64] = "";
    scratch_program(s, "from/bin/run", "#!/bin/sh\n");
    scratch_file(s, "from/empty", "");
    scratch_file(s, "from/a/b/c", "text");
    assert_int_equal(dir_make(scratch_path(s, "from/folder"), NULL), 0);
    assert_int_equal(symlink("a/b/c", scratch_path(s, "from/link")), 0);
    assert_int_equal(mkfifo(scratch_path(s, "fifo"), 0600), 0);
    char *from = scratch_path(s, "from"), *to = scratch_path(s, "x/to");
    assert_int_equal(dir_copy(from, to, NULL), -1);
    assert_int_equal(dir_make(path_folder(s->arena, to), NULL), 0);
    assert_int_equal(dir_copy(from, to, NULL), 0);
    assert_string_equal(scratch_text(s, scratch_path(s, "x/to/a/b/c")), "text");
    assert_true(file_is_dir(scratch_path(s, "x/to/folder")));
    assert_true(readlink(scratch_path(s, "x/to/link"), target, 63) > 0);
    assert_string_equal(target, "a/b/c");
    assert_int_equal(stat(scratch_path(s, "x/to/bin/run"), &st), 0);
    assert_int_equal(st.st_mode & 0777, 0755);
    assert_true(dir_digest(from) == dir_digest(to));
}

static void large_files_are_copied_whole(void **state)
{
    struct scratch *s = *state;
    struct buf b;
    buf_init(&b);
    for (unsigned i = 0; i < 500000; i++)
        buf_add_u32(&b, i);
    char *from = scratch_path(s, "from/f");
    assert_int_equal(dir_make(scratch_path(s, "from"), NULL), 0);
    assert_int_equal(file_write(from, buf_str(&b), false, NULL), 0);
    assert_int_equal(
        dir_copy(scratch_path(s, "from"), scratch_path(s, "to"), NULL), 0);
    struct str copy;
    assert_int_equal(file_map(scratch_path(s, "to/f"), &copy, NULL), 0);
    assert_true(str_eq(copy, buf_str(&b)));
    file_unmap(copy);
    buf_done(&b);
}

static void what_is_in_the_way_is_replaced(void **state)
{
    struct scratch *s = *state;
    scratch_file(s, "from/f", "new");
    assert_int_equal(symlink("new", scratch_path(s, "from/l")), 0);
    scratch_file(s, "to/f", "old and longer");
    scratch_file(s, "to/other", "stays");
    assert_int_equal(symlink("old", scratch_path(s, "to/l")), 0);
    assert_int_equal(
        dir_copy(scratch_path(s, "from"), scratch_path(s, "to"), NULL), 0);
    char target[8] = "";
    assert_string_equal(scratch_text(s, scratch_path(s, "to/f")), "new");
    assert_string_equal(scratch_text(s, scratch_path(s, "to/other")), "stays");
    assert_int_equal(readlink(scratch_path(s, "to/l"), target, 7), 3);
    assert_string_equal(target, "new");
}

static void a_copy_into_the_original_does_not_copy_itself(void **state)
{
    struct scratch *s = *state;
    scratch_file(s, "from/f", "x");
    assert_int_equal(
        dir_copy(scratch_path(s, "from"), scratch_path(s, "from/to"), NULL), 0);
    assert_true(file_exists(scratch_path(s, "from/to/f")));
    assert_false(file_exists(scratch_path(s, "from/to/to")));
}

static void a_copy_of_nothing_is_an_error(void **state)
{
    struct scratch *s = *state;
    struct err err = {0};
    assert_int_equal(
        dir_copy(scratch_path(s, "gone"), scratch_path(s, "to"), &err), -1);
    assert_int_equal(err.kind, ERR_MISSING);
    assert_false(file_exists(scratch_path(s, "to")));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        scratch_test(a_copy_is_the_same_and_has_the_same_digest),
        scratch_test(large_files_are_copied_whole),
        scratch_test(what_is_in_the_way_is_replaced),
        scratch_test(a_copy_into_the_original_does_not_copy_itself),
        scratch_test(a_copy_of_nothing_is_an_error),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
