/* test_store.c - creating and opening, also what cannot be opened */
#include "made_store.h"
#include <errno.h>
#include <fcntl.h>
#include <sqlite3.h>
#include <sys/stat.h>
#include <sys/wait.h>

static const char *db_path(struct made *m)
{
    return path_join(m->a, m->folder, "study.db");
}

static void write_text(const char *path, const char *text, size_t len)
{
    struct err err = {0};
    if (file_write(path, str_n(text, len), false, &err))
        fail_msg("%s", err.text);
}

/* Opening fails with a kind and a text, and the file stays as it is. */
static void assert_refused(struct made *m, enum err_kind kind, const char *says)
{
    struct buf before, after;
    buf_init(&before);
    buf_init(&after);
    bool file = !file_is_dir(db_path(m)) && file_exists(db_path(m));
    if (file)
        assert_ok(m, file_read(db_path(m), 0, &before, &m->err));
    for (int write = 0; write < 2; write++) {
        m->err = (struct err){0};
        struct store *s = store_open(m->folder, write, &m->err);
        assert_null(s);
        assert_int_equal(m->err.kind, kind);
        if (!strstr(m->err.text, says))
            fail_msg("%s", m->err.text);
    }
    if (file)
        assert_ok(m, file_read(db_path(m), 0, &after, &m->err));
    assert_int_equal(before.len, after.len);
    assert_memory_equal(before.p, after.p, before.len);
    buf_done(&before);
    buf_done(&after);
}

static void close_made(struct made *m)
{
    store_close(m->s);
    m->s = NULL;
}

static void exec_file(struct made *m, const char *sql)
{
    sqlite3 *db;
    assert_int_equal(sqlite3_open_v2(db_path(m), &db,
                                     SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE,
                                     "throng"),
                     SQLITE_OK);
    assert_int_equal(sqlite3_exec(db, sql, NULL, NULL, NULL), SQLITE_OK);
    sqlite3_close(db);
}

/* As when another file is copied over it. */
static void a_file_cut_short_under_a_reader_is_an_error(void **state)
{
    struct made *m = *state;
    for (int id = 1; id <= 2000; id++)
        made_trial(m, id, "{\"lr\":0.25,\"name\":\"a rather long one\"}",
                   STATE_DONE, id);
    made_commit(m);
    close_made(m);
    struct store *s = store_open(m->folder, false, &m->err);
    assert_non_null(s);
    struct rows *rows = store_rows(s, &(struct query){0}, &m->err);
    struct trial t;
    assert_int_equal(rows_next(rows, &t, &m->err), 1);
    assert_int_equal(truncate(db_path(m), 8192), 0);
    int row;
    while ((row = rows_next(rows, &t, &m->err)) == 1)
        ;
    assert_int_equal(row, -1);
    rows_close(rows);
    store_close(s);
}

static void a_store_is_not_created_twice(void **state)
{
    struct made *m = *state;
    made_trial(m, 1, "{}", STATE_DONE, 1);
    made_commit(m);
    assert_int_equal(store_create(m->folder, &m->err), -1);
    assert_int_equal(m->err.kind, ERR_BUSY);
    made_again(m);
    assert_int_equal(store_last_trial(m->s), 1);
    /* Nothing is left of the attempt. */
    const char **names = dir_list(m->folder, m->a, &m->err);
    for (size_t i = 0; names[i]; i++)
        assert_null(strstr(names[i], ".new-"));
}

static int write_fact(void *context, struct store *s, struct err *err)
{
    const char *folder = context;
    struct err why = {0};
    /* Nobody sees it before it is complete. */
    assert_null(store_open(folder, false, &why));
    assert_int_equal(why.kind, ERR_MISSING);
    return store_fact_set(s, "name", STR("x"), err);
}

static void a_new_store_is_seen_with_all_that_it_begins_with(void **state)
{
    struct made *m = *state;
    char *folder = path_join(m->a, m->folder, "new");
    assert_ok(m, store_create_with(folder, write_fact, folder, &m->err));
    struct store *s = store_open(folder, false, &m->err);
    struct str name;
    assert_ok(m, store_fact(s, "name", m->a, &name, &m->err));
    assert_true(str_is(name, "x"));
    store_close(s);
    s = store_open(folder, true, &m->err);
    assert_ok(m, store_lease_take(s, false, &m->err));
    store_close(s);
}

static int write_and_fail(void *context, struct store *s, struct err *err)
{
    write_fact(context, s, err);
    return err_set(err, ERR_INPUT, "no");
}

static void a_store_that_cannot_be_filled_leaves_nothing(void **state)
{
    struct made *m = *state;
    char *folder = path_join(m->a, m->folder, "new");
    assert_int_equal(store_create_with(folder, write_and_fail, folder, &m->err),
                     -1);
    assert_string_equal(m->err.text, "no");
    const char **names = dir_list(folder, m->a, &m->err);
    assert_string_equal(names[0], "requests");
    assert_null(names[1]);
}

/* As on FAT: this program's own link takes the place of the system's. */
static bool has_links = true;

int link(const char *from, const char *to)
{
    if (has_links)
        return linkat(AT_FDCWD, from, AT_FDCWD, to, 0);
    errno = EPERM;
    return -1;
}

static void a_file_system_without_hard_links_gets_a_store_too(void **state)
{
    struct made *m = *state;
    char *folder = path_join(m->a, m->folder, "fat");
    has_links = false;
    int rc = store_create(folder, &m->err);
    int again = store_create(folder, &m->err);
    has_links = true;
    assert_ok(m, rc);
    assert_int_equal(again, -1);
    assert_int_equal(m->err.kind, ERR_BUSY);
    struct store *s = store_open(folder, false, &m->err);
    assert_non_null(s);
    store_close(s);
}

static void folders_on_the_way_are_made(void **state)
{
    struct made *m = *state;
    char *deep = path_join(m->a, m->folder, "a/b/c");
    assert_ok(m, store_create(deep, &m->err));
    struct store *s = store_open(deep, false, &m->err);
    assert_non_null(s);
    store_close(s);
}

static void a_folder_without_a_store_is_missing(void **state)
{
    struct made *m = *state;
    close_made(m);
    unlink(db_path(m));
    assert_refused(m, ERR_MISSING, "no study");
    struct store *s = store_open("/nowhere/at/all", false, &m->err);
    assert_null(s);
    assert_int_equal(m->err.kind, ERR_MISSING);
}

static void an_empty_file_is_refused(void **state)
{
    struct made *m = *state;
    close_made(m);
    write_text(db_path(m), "", 0);
    assert_refused(m, ERR_CORRUPT, "is empty");
}

static void a_text_file_is_refused(void **state)
{
    struct made *m = *state;
    close_made(m);
    char text[5000];
    memset(text, 'x', sizeof text);
    write_text(db_path(m), text, sizeof text);
    assert_refused(m, ERR_CORRUPT, "no store of throng's");
}

static void a_folder_in_place_of_the_file_is_refused(void **state)
{
    struct made *m = *state;
    close_made(m);
    unlink(db_path(m));
    assert_int_equal(mkdir(db_path(m), 0777), 0);
    assert_refused(m, ERR_CORRUPT, "is a folder");
}

static void another_programs_database_is_refused(void **state)
{
    struct made *m = *state;
    close_made(m);
    unlink(db_path(m));
    exec_file(m, "CREATE TABLE t (x)");
    assert_refused(m, ERR_CORRUPT, "no store of throng's");
}

static void a_newer_schema_is_refused(void **state)
{
    struct made *m = *state;
    close_made(m);
    exec_file(m, "PRAGMA user_version = 99");
    assert_refused(m, ERR_CORRUPT, "newer throng (format 99");
}

static void damage_inside_is_found_and_named(void **state)
{
    struct made *m = *state;
    for (int i = 1; i <= 2000; i++)
        made_trial(m, i, "{\"a\":1}", STATE_DONE, i);
    made_commit(m);
    close_made(m);
    int fd = open(db_path(m), O_WRONLY);
    char garbage[4096];
    memset(garbage, 0x5a, sizeof garbage);
    struct stat st;
    assert_int_equal(fstat(fd, &st), 0);
    /* Not the first pages: those hold the tables' names. */
    for (off_t at = 24 * 4096; at < st.st_size; at += 3 * 4096)
        assert_int_equal(pwrite(fd, garbage, sizeof garbage, at), 4096);
    close(fd);
    struct store *s = store_open(m->folder, false, &m->err);
    if (s)
        assert_int_equal(store_integrity(s, &m->err), -1);
    assert_int_equal(m->err.kind, ERR_CORRUPT);
    assert_non_null(strstr(m->err.text, "damaged"));
    store_close(s);
}

/* Runs a check as somebody who may not write here; root may always. */
static void as_nobody(struct made *m, void (*check)(struct made *m))
{
    pid_t pid = fork();
    if (pid == 0) {
        if (getuid() == 0 && (setgid(65534) || setuid(65534)))
            _exit(77);
        check(m);
        _exit(0);
    }
    int status;
    assert_int_equal(waitpid(pid, &status, 0), pid);
    if (WIFEXITED(status) && WEXITSTATUS(status) == 77) {
        print_message("root may not become another user here\n");
        skip();
    }
    assert_true(WIFEXITED(status));
    assert_int_equal(WEXITSTATUS(status), 0);
}

static void check_unreadable(struct made *m)
{
    struct err err = {0};
    if (store_open(m->folder, false, &err) || err.kind != ERR_SYSTEM ||
        !strstr(err.text, "not open to you"))
        _exit(2);
    if (store_open(m->folder, true, &err) || err.kind != ERR_SYSTEM)
        _exit(3);
}

static void a_folder_without_permission_says_so(void **state)
{
    struct made *m = *state;
    close_made(m);
    chmod(m->folder, 0);
    as_nobody(m, check_unreadable);
    chmod(m->folder, 0700);
}

static void check_read_only(struct made *m)
{
    struct err err = {0};
    struct counts c;
    struct store *s = store_open(m->folder, false, &err);
    if (!s || store_counts(s, &c, &err) || c.total != 1)
        _exit(2);
    store_close(s);
    if (store_open(m->folder, true, &err) || err.kind != ERR_SYSTEM)
        _exit(3);
    if (store_create(m->folder, &err) == 0)
        _exit(4);
}

static void a_read_only_folder_can_be_read_but_not_written(void **state)
{
    struct made *m = *state;
    made_trial(m, 1, "{}", STATE_DONE, 1);
    made_commit(m);
    close_made(m);
    chmod(db_path(m), 0444);
    chmod(m->folder, 0555);
    as_nobody(m, check_read_only);
    chmod(m->folder, 0700);
}

static void a_crashed_writers_log_is_read(void **state)
{
    struct made *m = *state;
    close_made(m);
    pid_t pid = fork();
    if (pid == 0) {
        made_open(m);
        made_trial(m, 1, "{}", STATE_DONE, 1);
        made_commit(m);
        _exit(0); /* without closing */
    }
    int status;
    waitpid(pid, &status, 0);
    assert_int_equal(status, 0);
    struct store *s = store_open(m->folder, false, &m->err);
    assert_non_null(s);
    assert_int_equal(store_last_trial(s), 1);
    store_close(s);
    made_open(m);
}

#define LEAVING 40

static const char *leaving(struct made *m, int i)
{
    return path_join(m->a, m->folder, arena_printf(m->a, "leaving-%d", i));
}

static void make_and_close(struct made *m, const char *folder)
{
    assert_ok(m, store_create(folder, &m->err));
    struct store *s = store_open(folder, true, &m->err);
    assert_non_null(s);
    store_close(s);
}

/* Removes one store after another, each when it is told that it is read. The
 * reader may put a log into a folder that is being removed; then that is
 * removed once more. */
static pid_t remove_all(struct made *m, const int told[2])
{
    pid_t child = fork();
    if (child)
        return child;
    char word;
    close(told[1]);
    for (int i = 0; i < LEAVING && read(told[0], &word, 1) == 1; i++)
        while (file_is_dir(leaving(m, i)))
            dir_remove(leaving(m, i), NULL);
    _exit(0);
}

static void one_that_is_removed_while_it_is_opened_is_missing(void **state)
{
    struct made *m = *state;
    int tell[2], status;
    for (int i = 0; i < LEAVING; i++)
        make_and_close(m, leaving(m, i));
    assert_int_equal(pipe(tell), 0);
    pid_t child = remove_all(m, tell);
    close(tell[0]);
    for (int i = 0; i < LEAVING; i++) {
        struct store *s = store_open(leaving(m, i), false, &m->err);
        assert_non_null(s);
        assert_int_equal(write(tell[1], "", 1), 1);
        for (; s; s = store_open(leaving(m, i), false, &m->err))
            store_close(s);
        if (m->err.kind != ERR_MISSING)
            fail_msg("%s", m->err.text);
    }
    close(tell[1]);
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
}

/* What is beside another file of its name is none of the file that is open: a
 * journal there is one that nobody may play back. */
static void one_that_is_replaced_under_a_reader_is_missing(void **state)
{
    struct made *m = *state;
    struct arena *a = m->a;
    struct counts counts;
    char *folder = path_join(a, m->folder, "study");
    char *path = path_join(a, folder, "study.db");
    assert_ok(m, store_create(folder, &m->err));
    struct store *reader = store_open(folder, false, &m->err);
    assert_non_null(reader);
    assert_ok(m, store_counts(reader, &counts, &m->err));
    assert_int_equal(unlink(path), 0);
    assert_ok(m, store_create(folder, &m->err));
    char *journal = arena_printf(a, "%s-journal", path);
    assert_ok(m, file_write(journal, STR("half"), false, &m->err));
    assert_int_equal(store_counts(reader, &counts, &m->err), -1);
    assert_int_equal(m->err.kind, ERR_MISSING);
    assert_non_null(strstr(m->err.text, folder));
    store_close(reader);
}

static void closing_nothing_is_fine(void **state)
{
    (void)state;
    store_close(NULL);
    rows_close(NULL);
}

#define with_store(f)                                                          \
    cmocka_unit_test_setup_teardown(f, made_setup, made_teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        with_store(a_store_is_not_created_twice),
        with_store(a_file_cut_short_under_a_reader_is_an_error),
        with_store(a_new_store_is_seen_with_all_that_it_begins_with),
        with_store(a_store_that_cannot_be_filled_leaves_nothing),
        with_store(a_file_system_without_hard_links_gets_a_store_too),
        with_store(folders_on_the_way_are_made),
        with_store(a_folder_without_a_store_is_missing),
        with_store(an_empty_file_is_refused),
        with_store(a_text_file_is_refused),
        with_store(a_folder_in_place_of_the_file_is_refused),
        with_store(another_programs_database_is_refused),
        with_store(a_newer_schema_is_refused),
        with_store(damage_inside_is_found_and_named),
        with_store(a_folder_without_permission_says_so),
        with_store(a_read_only_folder_can_be_read_but_not_written),
        with_store(a_crashed_writers_log_is_read),
        with_store(one_that_is_removed_while_it_is_opened_is_missing),
        with_store(one_that_is_replaced_under_a_reader_is_missing),
        cmocka_unit_test(closing_nothing_is_fine),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
