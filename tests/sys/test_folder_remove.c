#include "scratch.h"

#include <fcntl.h>
#include <sys/resource.h>

static void a_tree_goes_and_what_its_links_name_stays(void **state)
{
    struct scratch *s = *state;
    char *outside = scratch_file(s, "outside/kept", "x");
    scratch_file(s, "tree/a/f", "x");
    scratch_file(s, "tree/a/.hidden", "x");
    assert_int_equal(symlink(outside, scratch_path(s, "tree/file")), 0);
    assert_int_equal(symlink("../../outside", scratch_path(s, "tree/a/dir")),
                     0);
    assert_int_equal(symlink("nowhere", scratch_path(s, "tree/broken")), 0);
    assert_int_equal(mkfifo(scratch_path(s, "tree/fifo"), 0600), 0);
    assert_int_equal(dir_remove(scratch_path(s, "tree"), NULL), 0);
    assert_false(file_exists(scratch_path(s, "tree")));
    assert_string_equal(scratch_text(s, outside), "x");
}

static void a_link_goes_and_its_target_stays(void **state)
{
    struct scratch *s = *state;
    struct stat st;
    char *outside = scratch_file(s, "outside/kept", "x");
    char *link = scratch_path(s, "link");
    assert_int_equal(symlink("outside", link), 0);
    assert_int_equal(dir_remove(link, NULL), 0);
    assert_int_equal(lstat(link, &st), -1);
    /* A slash behind it changes nothing. */
    assert_int_equal(symlink("outside", link), 0);
    assert_int_equal(dir_remove(scratch_path(s, "link//"), NULL), 0);
    assert_int_equal(lstat(link, &st), -1);
    assert_string_equal(scratch_text(s, outside), "x");
}

static void a_file_goes_and_what_is_not_there_is_fine(void **state)
{
    struct scratch *s = *state;
    char *path = scratch_file(s, "f", "x");
    assert_int_equal(dir_remove(path, NULL), 0);
    assert_false(file_exists(path));
    assert_int_equal(dir_remove(path, NULL), 0);
    assert_int_equal(dir_remove(scratch_path(s, "no/such/path"), NULL), 0);
}

#define DEEPER "a-name-long-enough-to-pass-the-limit"

/* Nested deeper than the longest path and than there are descriptors, with
 * a file and a link in every folder. */
static void make_deep(const char *root, unsigned depth)
{
    int fd = open(root, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    for (unsigned i = 0; i < depth; i++) {
        assert_int_equal(mkdirat(fd, DEEPER, 0755), 0);
        assert_int_equal(symlinkat("..", fd, "up"), 0);
        close(openat(fd, "file", O_WRONLY | O_CREAT | O_CLOEXEC, 0644));
        int next = openat(fd, DEEPER, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
        assert_true(next >= 0);
        close(fd);
        fd = next;
    }
    close(fd);
}

static void a_very_deep_tree_goes_with_few_descriptors(void **state)
{
    struct scratch *s = *state;
    struct err err = {0};
    struct rlimit before, few;
    char *tree = scratch_path(s, "tree");
    assert_int_equal(dir_make(tree, NULL), 0);
    make_deep(tree, 300);
    getrlimit(RLIMIT_NOFILE, &before);
    few = before;
    few.rlim_cur = 128;
    setrlimit(RLIMIT_NOFILE, &few);
    int rc = dir_remove(tree, &err);
    setrlimit(RLIMIT_NOFILE, &before);
    assert_string_equal(err.text, "");
    assert_int_equal(rc, 0);
    assert_false(file_exists(tree));
}

static void a_folder_with_many_names_goes(void **state)
{
    struct scratch *s = *state;
    char *tree = scratch_path(s, "tree");
    assert_int_equal(dir_make(tree, NULL), 0);
    int fd = open(tree, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    for (int i = 0; i < 300; i++) {
        char name[32];
        snprintf(name, sizeof(name), "name-%d", i);
        assert_int_equal(mkdirat(fd, name, 0755), 0);
    }
    close(fd);
    assert_int_equal(dir_remove(tree, NULL), 0);
    assert_false(file_exists(tree));
}

static void what_cannot_be_removed_is_named(void **state)
{
    (void)state;
    struct err err = {0};
    assert_int_equal(dir_remove("/proc/self/fdinfo", &err), -1);
    assert_non_null(strstr(err.text, "/proc/self/fdinfo"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        scratch_test(a_tree_goes_and_what_its_links_name_stays),
        scratch_test(a_link_goes_and_its_target_stays),
        scratch_test(a_file_goes_and_what_is_not_there_is_fine),
        scratch_test(a_very_deep_tree_goes_with_few_descriptors),
        scratch_test(a_folder_with_many_names_goes),
        cmocka_unit_test(what_cannot_be_removed_is_named),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
