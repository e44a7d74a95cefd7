#include "scratch.h"

#include <fcntl.h>

/* The list as one text, each entry followed by a blank. */
static char *joined(struct scratch *s, const char **list)
{
    struct buf b;
    assert_non_null(list);
    buf_init(&b);
    for (; *list; list++)
        buf_addf(&b, "%s ", *list);
    char *text = arena_cstr(s->arena, buf_str(&b));
    buf_done(&b);
    return text;
}

static void folders_are_made_with_those_above_them(void **state)
{
    struct scratch *s = *state;
    char *path = scratch_path(s, "a/b//c/");
    assert_int_equal(dir_make(path, NULL), 0);
    assert_true(file_is_dir(scratch_path(s, "a/b/c")));
    assert_int_equal(dir_make(path, NULL), 0);
    assert_int_equal(dir_make("/", NULL), 0);
    assert_int_equal(dir_make(".", NULL), 0);
}

static void what_is_made_below_a_folder_never_makes_that_one(void **state)
{
    struct scratch *s = *state;
    struct err err = {0};
    const char *root = scratch_path(s, "up/root");
    assert_int_equal(dir_make_below(root, root, &err), -1);
    assert_int_equal(dir_make_below(root, scratch_path(s, "up/root/a"), &err),
                     -1);
    assert_int_equal(dir_make_below(root, scratch_path(s, "up/root/a/b"), &err),
                     -1);
    assert_false(file_exists(scratch_path(s, "up")));
    assert_int_equal(dir_make(root, NULL), 0);
    assert_int_equal(dir_make_below(root, root, &err), 0);
    assert_int_equal(
        dir_make_below(root, scratch_path(s, "up/root/a/b/c"), &err), 0);
    assert_true(file_is_dir(scratch_path(s, "up/root/a/b/c")));
    /* What is elsewhere is made as by dir_make. */
    assert_int_equal(dir_make_below(root, scratch_path(s, "up/rootx/y"), &err),
                     0);
    assert_int_equal(dir_make_below(NULL, scratch_path(s, "z/y"), &err), 0);
}

static void a_folder_is_not_made_over_a_file(void **state)
{
    struct scratch *s = *state;
    struct err err = {0};
    scratch_file(s, "f", "");
    assert_int_equal(dir_make(scratch_path(s, "f"), &err), -1);
    assert_non_null(strstr(err.text, "Not a directory"));
    assert_int_equal(dir_make(scratch_path(s, "f/x/y"), &err), -1);
    assert_int_equal(dir_make("", &err), -1);
}

static void names_are_listed_in_order(void **state)
{
    struct scratch *s = *state;
    struct err err = {0};
    assert_string_equal(joined(s, dir_list(s->root, s->arena, NULL)), "");
    scratch_file(s, "b", "");
    scratch_file(s, ".c", "");
    scratch_file(s, "a/x", "");
    assert_string_equal(joined(s, dir_list(s->root, s->arena, NULL)),
                        ".c a b ");
    assert_null(dir_list(scratch_path(s, "gone"), s->arena, &err));
    assert_int_equal(err.kind, ERR_MISSING);
    assert_null(dir_list(scratch_path(s, "b"), s->arena, &err));
    assert_int_equal(err.kind, ERR_SYSTEM);
}

static void bytes_are_those_of_all_regular_files(void **state)
{
    struct scratch *s = *state;
    assert_int_equal(dir_bytes(scratch_path(s, "gone")), 0);
    scratch_file(s, "a", "12345");
    scratch_file(s, "d/e/b", "123");
    assert_int_equal(symlink("a", scratch_path(s, "link")), 0);
    assert_int_equal(symlink("d", scratch_path(s, "d/up")), 0);
    assert_int_equal(dir_bytes(s->root), 8);
}

/* ---- to the disk ----------------------------------------------------- */

static void bringing_a_folder_to_the_disk_waits_for_no_fifo(void **state)
{
    struct scratch *s = *state;
    assert_int_equal(mkfifo(scratch_path(s, "fifo"), 0600), 0);
    assert_int_equal(symlink("nowhere", scratch_path(s, "link")), 0);
    uint64_t before = dir_digest(s->root);
    dir_sync_all(s->root);
    dir_sync_all(scratch_path(s, "gone"));
    assert_true(dir_digest(s->root) == before);
}

/* ---- digest ---------------------------------------------------------- */

static void an_empty_or_absent_folder_has_the_digest_0(void **state)
{
    struct scratch *s = *state;
    assert_int_equal(dir_digest(s->root), 0);
    assert_int_equal(dir_digest(scratch_path(s, "gone")), 0);
}

static void set_time(const char *path, long ns)
{
    struct timespec t[2] = {{.tv_sec = 1000, .tv_nsec = ns},
                            {.tv_sec = 1000, .tv_nsec = ns}};
    assert_int_equal(utimensat(AT_FDCWD, path, t, 0), 0);
}

static void check_changed(struct scratch *s, uint64_t *digest)
{
    uint64_t now = dir_digest(s->root);
    assert_true(now != 0);
    assert_true(now != *digest);
    assert_true(dir_digest(s->root) == now);
    *digest = now;
}

static void the_digest_changes_with_every_write(void **state)
{
    struct scratch *s = *state;
    uint64_t digest = 0;
    char *path = scratch_file(s, "d/f", "one");
    set_time(path, 0);
    check_changed(s, &digest);
    /* As long, with the same time. */
    scratch_file(s, "d/f", "two");
    set_time(path, 0);
    check_changed(s, &digest);
    assert_int_equal(truncate(path, 4), 0);
    check_changed(s, &digest);
    assert_int_equal(rename(path, scratch_path(s, "d/g")), 0);
    check_changed(s, &digest);
    assert_int_equal(dir_make(scratch_path(s, "empty"), NULL), 0);
    check_changed(s, &digest);
    assert_int_equal(unlink(scratch_path(s, "d/g")), 0);
    check_changed(s, &digest);
}

static void writing_the_same_again_is_no_change(void **state)
{
    struct scratch *s = *state;
    char *path = scratch_file(s, "d/f", "one");
    uint64_t digest = dir_digest(s->root);
    set_time(path, 7);
    assert_true(dir_digest(s->root) == digest);
}

static void of_large_files_the_time_counts(void **state)
{
    struct scratch *s = *state;
    char *path = scratch_file(s, "f", "");
    uint64_t digest = 0;
    assert_int_equal(truncate(path, (64 << 20) + 1), 0);
    set_time(path, 1);
    check_changed(s, &digest);
    set_time(path, 2);
    check_changed(s, &digest);
}

static void the_digest_tells_where_a_name_ends(void **state)
{
    struct scratch *s = *state;
    set_time(scratch_file(s, "a/bc", "x"), 0);
    uint64_t one = dir_digest(s->root);
    assert_int_equal(dir_remove(scratch_path(s, "a"), NULL), 0);
    set_time(scratch_file(s, "ab/c", "x"), 0);
    assert_true(dir_digest(s->root) != one);
}

/* ---- glob ------------------------------------------------------------ */

static void check_glob(struct scratch *s, const char *pattern,
                       const char *expected)
{
    assert_string_equal(joined(s, dir_glob(s->root, pattern, s->arena, NULL)),
                        expected);
}

static void globs_match_relative_paths(void **state)
{
    struct scratch *s = *state;
    scratch_file(s, "a.txt", "");
    scratch_file(s, "b.csv", "");
    scratch_file(s, "d/a.txt", "");
    scratch_file(s, "d/e/b.txt", "");
    scratch_file(s, "x/e/b.txt", "");
    assert_int_equal(dir_make(scratch_path(s, "folder.txt"), NULL), 0);
    check_glob(s, "*.txt", "a.txt ");
    check_glob(s, "./*.txt", "a.txt ");
    check_glob(s, "a.txt", "a.txt ");
    check_glob(s, "d/*", "d/a.txt ");
    check_glob(s, "*/e/*.txt", "d/e/b.txt x/e/b.txt ");
    check_glob(s, "d/**", "d/a.txt d/e/b.txt ");
    check_glob(s, "**/b.*", "b.csv d/e/b.txt x/e/b.txt ");
    check_glob(s, "d/**/b.txt", "d/e/b.txt ");
    check_glob(s, "*.none", "");
    check_glob(s, "../*", "");
    check_glob(s, "", "");
}

static void
links_to_files_match_and_links_to_folders_are_not_entered(void **state)
{
    struct scratch *s = *state;
    scratch_file(s, "d/f", "");
    assert_int_equal(symlink("d/f", scratch_path(s, "link")), 0);
    assert_int_equal(symlink("nowhere", scratch_path(s, "broken")), 0);
    assert_int_equal(symlink(".", scratch_path(s, "loop")), 0);
    check_glob(s, "**", "d/f link ");
}

static void a_glob_below_nothing_is_an_error(void **state)
{
    struct scratch *s = *state;
    struct err err = {0};
    assert_null(dir_glob(scratch_path(s, "gone"), "*", s->arena, &err));
    assert_int_equal(err.kind, ERR_MISSING);
}

static void a_folder_of_our_own_is_not_open_to_others(void **state)
{
    struct scratch *s = *state;
    struct err err = {0};
    struct stat st;
    char *path = scratch_path(s, "own");
    assert_int_equal(dir_own(path, NULL), 0);
    assert_int_equal(stat(path, &st), 0);
    assert_int_equal(st.st_mode & 07777, 0700);
    assert_int_equal(dir_own(path, NULL), 0);
    assert_int_equal(chmod(path, 0770), 0);
    assert_int_equal(dir_own(path, &err), -1);
    assert_non_null(strstr(err.text, "chmod 700"));
    assert_int_equal(chmod(path, 0700), 0);
    char *link = scratch_path(s, "link");
    assert_int_equal(symlink(path, link), 0);
    assert_int_equal(dir_own(link, NULL), -1);
    assert_int_equal(dir_own(scratch_file(s, "f", ""), NULL), -1);
}

static void a_folder_is_guarded_where_none_around_it_is_open(void **state)
{
    struct scratch *s = *state;
    char *outer = scratch_path(s, "a"), *inner = scratch_path(s, "a/b");
    assert_int_equal(dir_make(inner, NULL), 0);
    assert_int_equal(chmod(outer, 0755), 0);
    assert_int_equal(chmod(inner, 0755), 0);
    assert_true(dir_is_guarded(inner));
    assert_int_equal(chmod(outer, 0775), 0);
    assert_false(dir_is_guarded(inner));
    assert_int_equal(chmod(outer, 01777), 0);
    assert_true(dir_is_guarded(inner));
    assert_false(dir_is_guarded(scratch_path(s, "gone")));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        scratch_test(folders_are_made_with_those_above_them),
        scratch_test(what_is_made_below_a_folder_never_makes_that_one),
        scratch_test(a_folder_is_not_made_over_a_file),
        scratch_test(a_folder_of_our_own_is_not_open_to_others),
        scratch_test(a_folder_is_guarded_where_none_around_it_is_open),
        scratch_test(names_are_listed_in_order),
        scratch_test(bytes_are_those_of_all_regular_files),
        scratch_test(bringing_a_folder_to_the_disk_waits_for_no_fifo),
        scratch_test(an_empty_or_absent_folder_has_the_digest_0),
        scratch_test(the_digest_changes_with_every_write),
        scratch_test(writing_the_same_again_is_no_change),
        scratch_test(of_large_files_the_time_counts),
        scratch_test(the_digest_tells_where_a_name_ends),
        scratch_test(globs_match_relative_paths),
        scratch_test(links_to_files_match_and_links_to_folders_are_not_entered),
        scratch_test(a_glob_below_nothing_is_an_error),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
