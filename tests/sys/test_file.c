#include "child.h"

#include <sys/resource.h>

/* ---- reading --------------------------------------------------------- */

static void a_file_is_appended_whole(void **state)
{
    struct scratch *s = *state;
    struct buf b;
    buf_init(&b);
    buf_adds(&b, "<");
    assert_int_equal(file_read(scratch_file(s, "f", "hello"), 0, &b, NULL), 0);
    assert_string_equal(b.p, "<hello");
    assert_int_equal(file_read(scratch_file(s, "e", ""), 0, &b, NULL), 0);
    assert_string_equal(b.p, "<hello");
    buf_done(&b);
}

static void a_file_without_a_size_is_read_to_its_end(void **state)
{
    (void)state;
    struct buf b;
    buf_init(&b);
    assert_int_equal(file_read("/proc/self/status", 0, &b, NULL), 0);
    assert_true(b.len > 500);
    assert_true(str_starts(buf_str(&b), STR("Name:")));
    buf_done(&b);
}

static void a_file_larger_than_the_maximum_is_refused(void **state)
{
    struct scratch *s = *state;
    struct err err = {0};
    struct buf b;
    buf_init(&b);
    buf_adds(&b, "kept");
    char *path = scratch_file(s, "f", "12345");
    assert_int_equal(file_read(path, 4, &b, &err), -1);
    assert_int_equal(err.kind, ERR_LIMIT);
    assert_string_equal(b.p, "kept");
    assert_int_equal(file_read("/proc/self/status", 100, &b, &err), -1);
    assert_int_equal(err.kind, ERR_LIMIT);
    assert_string_equal(b.p, "kept");
    assert_int_equal(file_read(path, 5, &b, &err), 0);
    assert_string_equal(b.p, "kept12345");
    buf_done(&b);
}

static void a_buf_with_a_maximum_is_never_overfilled(void **state)
{
    struct scratch *s = *state;
    struct err err = {0};
    struct buf b;
    buf_init_max(&b, 6);
    assert_int_equal(file_read(scratch_file(s, "f", "1234"), 0, &b, &err), 0);
    assert_int_equal(file_read(scratch_path(s, "f"), 0, &b, &err), -1);
    assert_int_equal(err.kind, ERR_LIMIT);
    assert_string_equal(b.p, "1234");
    buf_done(&b);
}

static void a_file_that_cannot_be_read_says_why(void **state)
{
    struct scratch *s = *state;
    struct err err = {0};
    struct buf b;
    buf_init(&b);
    assert_int_equal(file_read(scratch_path(s, "gone"), 0, &b, &err), -1);
    assert_int_equal(err.kind, ERR_MISSING);
    assert_non_null(strstr(err.text, "gone"));
    assert_int_equal(file_read(s->root, 0, &b, &err), -1);
    assert_int_equal(err.kind, ERR_SYSTEM);
    assert_string_equal(b.p, "");
    buf_done(&b);
}

/* ---- writing --------------------------------------------------------- */

static size_t names_in(struct scratch *s)
{
    size_t n = 0;
    const char **names = dir_list(s->root, s->arena, NULL);
    while (names[n])
        n++;
    return n;
}

static void a_file_of_pieces_is_there_when_it_has_ended(void **state)
{
    struct scratch *s = *state;
    char *path = scratch_file(s, "f", "old");
    struct file_out *f = file_begin(path, NULL);
    assert_int_equal(file_add(f, STR("new "), NULL), 0);
    assert_int_equal(file_add(f, STR("text"), NULL), 0);
    assert_string_equal(scratch_text(s, path), "old");
    assert_int_equal(file_end(f, false, NULL), 0);
    assert_string_equal(scratch_text(s, path), "new text");
    f = file_begin(path, NULL);
    assert_int_equal(file_add(f, STR("half"), NULL), 0);
    file_drop(f);
    assert_string_equal(scratch_text(s, path), "new text");
    assert_int_equal(names_in(s), 1);
}

static void what_is_no_file_is_not_replaced(void **state)
{
    struct scratch *s = *state;
    struct err err = {0};
    struct stat st;
    char *pipe_path = scratch_path(s, "pipe"), *link = scratch_path(s, "link");
    assert_int_equal(mkfifo(pipe_path, 0600), 0);
    assert_int_equal(symlink("/proc/self/fd/1", link), 0);
    assert_int_equal(file_write(pipe_path, STR("x"), false, &err), -1);
    assert_non_null(strstr(err.text, "no ordinary file"));
    assert_int_equal(lstat(pipe_path, &st), 0);
    assert_true(S_ISFIFO(st.st_mode));
    assert_int_equal(file_write(link, STR("x"), false, &err), -1);
    assert_int_equal(lstat(link, &st), 0);
    assert_true(S_ISLNK(st.st_mode));
}

static void a_file_is_replaced_in_one_step(void **state)
{
    struct scratch *s = *state;
    char old[16] = "";
    char *path = scratch_file(s, "f", "old text");
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    assert_int_equal(file_write(path, STR("new"), true, NULL), 0);
    assert_string_equal(scratch_text(s, path), "new");
    /* Whoever had it open still reads the whole of the old one. */
    assert_int_equal(read(fd, old, sizeof(old)), 8);
    assert_string_equal(old, "old text");
    close(fd);
    assert_int_equal(names_in(s), 1);
}

static void a_replaced_file_keeps_its_permissions(void **state)
{
    struct scratch *s = *state;
    struct stat st;
    char *path = scratch_file(s, "f", "1");
    mode_t mask = umask(0);
    umask(mask);
    stat(path, &st);
    assert_int_equal(st.st_mode & 0777, 0666 & ~mask);
    chmod(path, 0640);
    assert_int_equal(file_write(path, STR("2"), false, NULL), 0);
    stat(path, &st);
    assert_int_equal(st.st_mode & 07777, 0640);
}

static void a_name_of_the_greatest_length_can_be_written(void **state)
{
    struct scratch *s = *state;
    char name[256];
    memset(name, 'n', 255);
    name[255] = 0;
    scratch_file(s, name, "x");
    assert_string_equal(scratch_text(s, scratch_path(s, name)), "x");
}

static void a_name_without_a_folder_is_written_here(void **state)
{
    struct scratch *s = *state;
    char *before = getcwd(NULL, 0);
    assert_int_equal(chdir(s->root), 0);
    assert_int_equal(file_write("plain", STR("x"), true, NULL), 0);
    assert_int_equal(chdir(before), 0);
    free(before);
    assert_string_equal(scratch_text(s, scratch_path(s, "plain")), "x");
}

static void a_failed_write_leaves_the_old_file_and_nothing_else(void **state)
{
    struct scratch *s = *state;
    struct err err = {0};
    static char large[8192];
    char *path = scratch_file(s, "f", "old");
    struct rlimit before, small;
    getrlimit(RLIMIT_FSIZE, &before);
    small = before;
    small.rlim_cur = 4096;
    signal(SIGXFSZ, SIG_IGN);
    setrlimit(RLIMIT_FSIZE, &small);
    int rc = file_write(path, str_n(large, sizeof(large)), false, &err);
    setrlimit(RLIMIT_FSIZE, &before);
    signal(SIGXFSZ, SIG_DFL);
    assert_int_equal(rc, -1);
    assert_non_null(strstr(err.text, path));
    assert_string_equal(scratch_text(s, path), "old");
    assert_int_equal(names_in(s), 1);
}

static void a_folder_is_not_replaced_by_a_file(void **state)
{
    struct scratch *s = *state;
    struct err err = {0};
    scratch_file(s, "d/inside", "x");
    assert_int_equal(file_write(scratch_path(s, "d"), STR("x"), false, &err),
                     -1);
    assert_int_equal(names_in(s), 1);
    assert_true(file_exists(scratch_path(s, "d/inside")));
    assert_int_equal(
        file_write(scratch_path(s, "no/such/f"), STR("x"), false, &err), -1);
    assert_non_null(strstr(err.text, "no/such/f"));
}

static void a_full_disk_has_a_kind_of_its_own(void **state)
{
    (void)state;
    struct err err = {0};
    int fd = open("/dev/full", O_WRONLY | O_CLOEXEC);
    if (fd < 0) {
        print_message("there is no /dev/full here\n");
        skip();
    }
    assert_int_equal(fd_write_all(fd, "x", 1, &err), -1);
    assert_int_equal(err.kind, ERR_FULL);
    close(fd);
}

/* ---- mapping --------------------------------------------------------- */

static void a_file_is_mapped(void **state)
{
    struct scratch *s = *state;
    struct str text;
    assert_int_equal(file_map(scratch_file(s, "f", "hello"), &text, NULL), 0);
    assert_true(str_is(text, "hello"));
    file_unmap(text);
}

static void an_empty_file_maps_to_an_empty_text(void **state)
{
    struct scratch *s = *state;
    struct str text = {NULL, 7};
    assert_int_equal(file_map(scratch_file(s, "f", ""), &text, NULL), 0);
    assert_non_null(text.p);
    assert_int_equal(text.len, 0);
    file_unmap(text);
}

static void only_regular_files_are_mapped(void **state)
{
    struct scratch *s = *state;
    struct err err = {0};
    struct str text;
    assert_int_equal(file_map(scratch_path(s, "gone"), &text, &err), -1);
    assert_int_equal(err.kind, ERR_MISSING);
    assert_int_equal(file_map(s->root, &text, &err), -1);
    assert_int_equal(err.kind, ERR_INPUT);
    char *fifo = scratch_path(s, "fifo");
    assert_int_equal(mkfifo(fifo, 0600), 0);
    assert_int_equal(file_map(fifo, &text, &err), -1);
    assert_int_equal(err.kind, ERR_INPUT);
}

/* ---- questions and descriptors --------------------------------------- */

static void files_and_folders_are_told_apart(void **state)
{
    struct scratch *s = *state;
    char *file = scratch_file(s, "f", "");
    assert_true(file_exists(file));
    assert_false(file_is_dir(file));
    assert_true(file_exists(s->root));
    assert_true(file_is_dir(s->root));
    assert_false(file_exists(scratch_path(s, "gone")));
    assert_false(file_is_dir(scratch_path(s, "gone")));
}

/* The pipe holds less than what is written, so the writer must wait. */
static void all_is_written_to_a_pipe_that_does_not_block(void **state)
{
    struct scratch *s = *state;
    int ends[2];
    struct err err = {0};
    size_t len = 1 << 20;
    char *text = arena_alloc(s->arena, len);
    assert_int_equal(pipe2(ends, O_CLOEXEC), 0);
    assert_int_equal(fd_nonblocking(ends[1], &err), 0);
    assert_true(fcntl(ends[1], F_GETFL) & O_NONBLOCK);
    struct spawn p = child_plain(ARGV("sh", "-c", "exit $(($(wc -c) >> 16))"));
    p.in = ends[0];
    struct process_id id = child_start(&p);
    close(ends[0]);
    assert_int_equal(fd_write_all(ends[1], text, len, &err), 0);
    close(ends[1]);
    assert_int_equal(WEXITSTATUS(child_wait(id.pid)), 16);
    assert_int_equal(fd_nonblocking(-1, &err), -1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        scratch_test(a_file_is_appended_whole),
        scratch_test(a_file_without_a_size_is_read_to_its_end),
        scratch_test(a_file_larger_than_the_maximum_is_refused),
        scratch_test(a_buf_with_a_maximum_is_never_overfilled),
        scratch_test(a_file_that_cannot_be_read_says_why),
        scratch_test(a_file_of_pieces_is_there_when_it_has_ended),
        scratch_test(what_is_no_file_is_not_replaced),
        scratch_test(a_file_is_replaced_in_one_step),
        scratch_test(a_replaced_file_keeps_its_permissions),
        scratch_test(a_name_of_the_greatest_length_can_be_written),
        scratch_test(a_name_without_a_folder_is_written_here),
        scratch_test(a_failed_write_leaves_the_old_file_and_nothing_else),
        scratch_test(a_folder_is_not_replaced_by_a_file),
        scratch_test(a_full_disk_has_a_kind_of_its_own),
        scratch_test(a_file_is_mapped),
        scratch_test(an_empty_file_maps_to_an_empty_text),
        scratch_test(only_regular_files_are_mapped),
        scratch_test(files_and_folders_are_told_apart),
        scratch_test(all_is_written_to_a_pipe_that_does_not_block),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
