#include "scratch.h"

#include <string.h>

/* What lies directly in the folder, "a b c". */
static const char *listed(struct scratch *s, const char *folder)
{
    const char **names = dir_list(scratch_path(s, folder), s->arena, NULL);
    struct buf b;
    buf_init(&b);
    for (; names && *names; names++)
        buf_addf(&b, "%s%s", b.len ? " " : "", *names);
    const char *text = arena_cstr(s->arena, buf_str(&b));
    buf_done(&b);
    return text;
}

static const char *link_at(struct scratch *s, const char *name)
{
    char target[512];
    ssize_t n = readlink(scratch_path(s, name), target, sizeof target);
    return n < 0 ? "none" : arena_cstr(s->arena, str_n(target, (size_t)n));
}

static void make_tree(struct scratch *s)
{
    scratch_file(s, "out/layout", "1");
    scratch_program(s, "out/trials/0/3/run", "#!/bin/sh\n");
    scratch_file(s, "out/trials/0/3/a b\nc", "odd");
    scratch_file(s, "out/trials/0/4/deep/er/x", "4");
    assert_int_equal(dir_make(scratch_path(s, "out/trials/0/5"), NULL), 0);
    assert_int_equal(
        symlink("deep/er", scratch_path(s, "out/trials/0/4/latest")), 0);
    assert_int_equal(symlink("../3/run", scratch_path(s, "out/trials/0/4/up")),
                     0);
    assert_int_equal(
        symlink("not-yet", scratch_path(s, "out/trials/0/4/nowhere")), 0);
    assert_int_equal(symlink(scratch_path(s, "out/trials/0/4/deep"),
                             scratch_path(s, "out/trials/0/5/whole")),
                     0);
    assert_int_equal(mkfifo(scratch_path(s, "out/trials/0/4/pipe"), 0600), 0);
}

static void check_tree(struct scratch *s)
{
    struct stat st;
    assert_string_equal(listed(s, "out"), "layout trials");
    assert_string_equal(listed(s, "out/trials/0"), "3 4 5");
    assert_string_equal(listed(s, "out/trials/0/3"), "a b\nc run");
    assert_string_equal(listed(s, "out/trials/0/4"), "deep latest nowhere up");
    assert_string_equal(
        scratch_text(s, scratch_path(s, "out/trials/0/4/latest/x")), "4");
    assert_string_equal(link_at(s, "out/trials/0/4/up"), "../3/run");
    assert_string_equal(link_at(s, "out/trials/0/4/nowhere"), "not-yet");
    assert_string_equal(link_at(s, "out/trials/0/5/whole"),
                        "../../../trials/0/4/deep");
    assert_int_equal(stat(scratch_path(s, "out/trials/0/3/run"), &st), 0);
    assert_int_equal(st.st_mode & 0777, 0755);
}

static void a_tree_is_files_of_one_folder_and_a_tree_again(void **state)
{
    struct scratch *s = *state;
    const char *out = scratch_path(s, "out");
    make_tree(s);
    assert_int_equal(dir_flatten(out, NULL), 0);
    const char **names = dir_list(out, s->arena, NULL);
    for (; *names; names++) {
        struct stat st;
        assert_int_equal(lstat(path_join(s->arena, out, *names), &st), 0);
        assert_true(S_ISREG(st.st_mode));
    }
    assert_int_equal(dir_unflatten(out, NULL), 0);
    check_tree(s);
}

/* Moved as a whole, it is the same elsewhere. */
static void what_was_interrupted_is_put_right(void **state)
{
    struct scratch *s = *state;
    const char *out = scratch_path(s, "out");
    make_tree(s);
    assert_int_equal(dir_flatten(out, NULL), 0);
    const char **names = dir_list(out, s->arena, NULL);
    for (; *names; names++) {
        if (strncmp(*names, "flat.", 5) != 0 ||
            strcmp(*names, "flat.tree") == 0)
            continue;
        char *tree = path_join(s->arena, out, "flat.tree");
        struct buf text;
        buf_init(&text);
        assert_int_equal(file_read(tree, 0, &text, NULL), 0);
        assert_int_equal(dir_unflatten(out, NULL), 0);
        check_tree(s);
        /* As if it had been killed before it removed the list. */
        assert_int_equal(file_write(tree, buf_str(&text), false, NULL), 0);
        assert_int_equal(dir_unflatten(out, NULL), 0);
        check_tree(s);
        buf_done(&text);
        assert_int_equal(dir_flatten(out, NULL), 0);
        assert_int_equal(dir_flatten(out, NULL), 0);
    }
    assert_int_equal(dir_unflatten(out, NULL), 0);
    check_tree(s);
}

static void add(struct buf *b, uint8_t kind, const char *path,
                const char *target)
{
    buf_add_u8(b, kind);
    buf_add_u32(b, 0755);
    buf_add_bytes(b, str_of(path));
    buf_add_bytes(b, str_of(target));
}

static void nothing_outside_of_the_folder_is_touched(void **state)
{
    struct scratch *s = *state;
    struct buf b;
    buf_init(&b);
    scratch_file(s, "safe", "safe");
    for (unsigned i = 0; i < 5; i++)
        scratch_file(s, arena_printf(s->arena, "out/flat.%u", i), "evil");
    buf_adds(&b, "throng tree 1\n");
    buf_add_u64(&b, 10);
    add(&b, 2, "../safe", "");
    add(&b, 2, scratch_path(s, "safe"), "");
    add(&b, 2, "a/../../safe", "");
    add(&b, 2, "..", "");
    add(&b, 2, "", "");
    add(&b, 1, "../made", "");
    add(&b, 3, "out", "../..");
    add(&b, 3, "root", "/");
    add(&b, 3, "a/b/c", "../../../safe");
    add(&b, 9, "unknown", "");
    assert_int_equal(
        file_write(scratch_path(s, "out/flat.tree"), buf_str(&b), false, NULL),
        0);
    assert_int_equal(dir_unflatten(scratch_path(s, "out"), NULL), 0);
    assert_string_equal(scratch_text(s, scratch_path(s, "safe")), "safe");
    assert_string_equal(listed(s, "."), "out safe");
    assert_string_equal(listed(s, "out"), "flat.0 flat.1 flat.2 flat.3 flat.4");
    buf_done(&b);
}

static void a_list_that_is_damaged_is_an_error(void **state)
{
    struct scratch *s = *state;
    struct buf text;
    make_tree(s);
    assert_int_equal(dir_flatten(scratch_path(s, "out"), NULL), 0);
    const char *before = listed(s, "out"), *tree = "out/flat.tree";
    buf_init(&text);
    assert_int_equal(file_read(scratch_path(s, tree), 0, &text, NULL), 0);
    for (size_t len = 0; len < text.len; len++) {
        struct err err = {0};
        assert_int_equal(
            file_write(scratch_path(s, tree), str_n(text.p, len), false, NULL),
            0);
        assert_int_equal(dir_unflatten(scratch_path(s, "out"), &err), -1);
        assert_int_equal(err.kind, ERR_CORRUPT);
        assert_string_equal(listed(s, "out"), before);
    }
    buf_done(&text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        scratch_test(a_tree_is_files_of_one_folder_and_a_tree_again),
        scratch_test(what_was_interrupted_is_put_right),
        scratch_test(nothing_outside_of_the_folder_is_touched),
        scratch_test(a_list_that_is_damaged_is_an_error),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
