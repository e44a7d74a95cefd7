#include "scratch.h"

static void paths_are_joined_with_one_slash(void **state)
{
    struct arena *a = ((struct scratch *)*state)->arena;
    assert_string_equal(path_join(a, "a", "b"), "a/b");
    assert_string_equal(path_join(a, "a/", "b"), "a/b");
    assert_string_equal(path_join(a, "/", "b"), "/b");
    assert_string_equal(path_join(a, "", "b"), "b");
    assert_string_equal(path_join(a, "a", "/b"), "/b");
}

static void the_folder_of_a_path(void **state)
{
    struct arena *a = ((struct scratch *)*state)->arena;
    assert_string_equal(path_folder(a, "a/b"), "a");
    assert_string_equal(path_folder(a, "a/b/"), "a");
    assert_string_equal(path_folder(a, "a//b"), "a");
    assert_string_equal(path_folder(a, "b"), ".");
    assert_string_equal(path_folder(a, ""), ".");
    assert_string_equal(path_folder(a, "/b"), "/");
    assert_string_equal(path_folder(a, "/"), "/");
    assert_string_equal(path_folder(a, "/a/b/c"), "/a/b");
}

static void the_name_and_the_stem_of_a_path(void **state)
{
    (void)state;
    assert_true(str_is(path_name("a/b.c"), "b.c"));
    assert_true(str_is(path_name("b.c"), "b.c"));
    assert_true(str_is(path_name("a/b/"), "b"));
    assert_true(str_is(path_name("/"), "/"));
    assert_true(str_is(path_stem("a.d/b.tar.gz"), "b.tar"));
    assert_true(str_is(path_stem("a.d/study"), "study"));
    assert_true(str_is(path_stem("x/.bashrc"), ".bashrc"));
    assert_true(str_is(path_stem("study.yaml"), "study"));
}

static void an_absolute_path_resolves_no_link(void **state)
{
    struct scratch *s = *state;
    struct arena *a = s->arena;
    char *before = getcwd(NULL, 0);
    assert_int_equal(dir_make(scratch_path(s, "a/b"), NULL), 0);
    assert_int_equal(symlink("/", scratch_path(s, "a/b/link")), 0);
    assert_int_equal(chdir(scratch_path(s, "a/b")), 0);
    char *here = getcwd(NULL, 0);
    assert_string_equal(path_absolute(a, "x"), path_join(a, here, "x"));
    assert_string_equal(path_absolute(a, "./x//y/."),
                        path_join(a, here, "x/y"));
    assert_string_equal(path_absolute(a, "."), here);
    assert_string_equal(path_absolute(a, "../x"),
                        path_join(a, path_folder(a, here), "x"));
    /* Behind a link, ".." does not lead back. */
    assert_string_equal(path_absolute(a, "link/../x"),
                        path_join(a, here, "link/../x"));
    assert_int_equal(chdir(before), 0);
    free(here);
    free(before);
    assert_string_equal(path_absolute(a, "/"), "/");
    assert_string_equal(path_absolute(a, "//a/./b/"), "/a/b");
    assert_string_equal(path_absolute(a, "/../a"), "/a");
}

static void kernel_file_systems_are_not_on_a_network(void **state)
{
    (void)state;
    assert_false(path_is_network("/proc"));
    assert_false(path_is_network("/proc/no/such/file"));
    assert_false(path_is_network("/dev"));
}

static void free_space_is_that_of_the_folder_above(void **state)
{
    struct scratch *s = *state;
    assert_true(path_free_bytes(s->root) > 0);
    assert_true(path_free_bytes(scratch_path(s, "not/yet/there")) > 0);
    assert_int_equal(path_free_bytes("/proc"), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        scratch_test(paths_are_joined_with_one_slash),
        scratch_test(the_folder_of_a_path),
        scratch_test(the_name_and_the_stem_of_a_path),
        scratch_test(an_absolute_path_resolves_no_link),
        scratch_test(kernel_file_systems_are_not_on_a_network),
        scratch_test(free_space_is_that_of_the_folder_above),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
