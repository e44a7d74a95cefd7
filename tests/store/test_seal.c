/* test_seal.c - checksums on the pages of a store */
#include "made_store.h"
#include <fcntl.h>
#include <sqlite3.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include "store/db.h"

#define PAGE 4096

static char *db_path(struct made *m)
{
    return path_join(m->a, m->folder, "study.db");
}

static void close_made(struct made *m)
{
    store_close(m->s);
    m->s = NULL;
}

static off_t bytes_of_file(const char *path)
{
    struct stat st;
    assert_int_equal(stat(path, &st), 0);
    return st.st_size;
}

static void put(const char *path, const void *p, size_t bytes, off_t at)
{
    int fd = open(path, O_WRONLY);
    assert_true(fd >= 0);
    assert_int_equal(pwrite(fd, p, bytes, at), bytes);
    close(fd);
}

static void get(const char *path, void *p, size_t bytes, off_t at)
{
    int fd = open(path, O_RDONLY);
    assert_true(fd >= 0);
    assert_int_equal(pread(fd, p, bytes, at), bytes);
    close(fd);
}

/* Turns one bit round; a second time it is as it was. */
static void flip(const char *path, off_t at, unsigned bit)
{
    unsigned char byte;
    get(path, &byte, 1, at);
    byte ^= (unsigned char)(1u << bit);
    put(path, &byte, 1, at);
}

/* As a program would that knows nothing of checksums. */
static void by_another_program(const char *path, const char *sql)
{
    sqlite3 *db;
    assert_int_equal(sqlite3_open(path, &db), SQLITE_OK);
    assert_int_equal(sqlite3_exec(db, sql, NULL, NULL, NULL), SQLITE_OK);
    sqlite3_close(db);
}

/* 0 when it can be opened and read, all of it. */
static int look(struct made *m, const char *folder, enum store_sums *sums)
{
    m->err = (struct err){0};
    struct store *s = store_open(folder, false, &m->err);
    int rc = s ? store_integrity(s, &m->err) : -1;
    if (sums && s)
        *sums = store_sums(s);
    store_close(s);
    return rc;
}

static void expect_sums(struct made *m, const char *folder,
                        enum store_sums expected)
{
    enum store_sums sums = STORE_SUMS_NONE;
    assert_ok(m, look(m, folder, &sums));
    assert_int_equal(sums, expected);
}

static void fill(struct made *m)
{
    char about[9000];
    memset(about, 'x', sizeof about - 1);
    about[sizeof about - 1] = 0;
    for (int id = 1; id <= 200; id++)
        made_trial(m, id, "{\"lr\":0.25}", STATE_DONE, id);
    made_summary(m, 7, about, "");
    made_commit(m);
}

static void a_flipped_bit_anywhere_is_found(void **state)
{
    struct made *m = *state;
    fill(m);
    close_made(m);
    char *path = db_path(m);
    expect_sums(m, m->folder, STORE_SUMS_ALL);
    off_t bytes = bytes_of_file(path);
    unsigned found = 0, tried = 0;
    for (off_t at = 0; at < bytes; at += at < 100 ? 1 : 211) {
        flip(path, at, (unsigned)at % 8);
        found += look(m, m->folder, NULL) == -1;
        flip(path, at, (unsigned)at % 8);
        tried++;
    }
    assert_true(tried > 300);
    assert_int_equal(found, tried);
    expect_sums(m, m->folder, STORE_SUMS_ALL);
}

static void the_error_names_page_file_and_ways_out(void **state)
{
    struct made *m = *state;
    fill(m);
    close_made(m);
    char *path = db_path(m);
    flip(path, 4 * PAGE + 4000, 3);
    assert_int_equal(look(m, m->folder, NULL), -1);
    assert_int_equal(m->err.kind, ERR_CORRUPT);
    assert_non_null(strstr(m->err.text, path));
    assert_non_null(strstr(m->err.text, "page 5 is not as throng wrote it"));
    assert_non_null(strstr(m->err.text, "keep a copy of it"));
    assert_non_null(strstr(m->err.text, "VACUUM"));
}

static void a_file_that_hides_its_checksums_is_found(void **state)
{
    struct made *m = *state;
    fill(m);
    close_made(m);
    flip(db_path(m), 20, 3); /* 8 bytes are kept free on each page; none */
    assert_int_equal(look(m, m->folder, NULL), -1);
    assert_non_null(strstr(m->err.text, "page 1 is not as throng wrote it"));
}

static void a_page_at_the_place_of_another_is_found(void **state)
{
    struct made *m = *state;
    char page[PAGE];
    fill(m);
    close_made(m);
    get(db_path(m), page, PAGE, 4 * PAGE);
    put(db_path(m), page, PAGE, 5 * PAGE);
    assert_int_equal(look(m, m->folder, NULL), -1);
    assert_non_null(strstr(m->err.text, "page 6 is not as throng wrote it"));
}

/* The last page of a long text may as well hold zeros, for SQLite. */
static void a_page_of_zeros_is_found(void **state)
{
    struct made *m = *state;
    static const char zeros[PAGE];
    fill(m);
    close_made(m);
    off_t bytes = bytes_of_file(db_path(m));
    char page[PAGE];
    for (off_t at = PAGE; at < bytes; at += PAGE) {
        get(db_path(m), page, PAGE, at);
        put(db_path(m), zeros, PAGE, at);
        assert_int_equal(look(m, m->folder, NULL), -1);
        put(db_path(m), page, PAGE, at);
    }
    assert_ok(m, look(m, m->folder, NULL));
}

static void killed_while_it_holds(struct made *m)
{
    pid_t pid = fork();
    assert_true(pid >= 0);
    if (pid == 0) {
        made_open(m);
        fill(m);
        _exit(0);
    }
    assert_int_equal(waitpid(pid, NULL, 0), pid);
}

static void a_log_that_another_program_folds_in_is_no_damage(void **state)
{
    struct made *m = *state;
    close_made(m);
    killed_while_it_holds(m);
    assert_true(bytes_of_file(arena_printf(m->a, "%s-wal", db_path(m))) > 0);
    by_another_program(db_path(m), "SELECT count(*) FROM trials");
    assert_int_equal(access(arena_printf(m->a, "%s-wal", db_path(m)), F_OK),
                     -1);
    expect_sums(m, m->folder, STORE_SUMS_SOME);
    made_open(m);
    assert_ok(m, store_quick_check(m->s, &m->err));
    assert_int_equal(store_last_trial(m->s), 200);
}

static void pages_without_one_get_it_with_the_next_run(void **state)
{
    struct made *m = *state;
    for (int network = 0; network < 2; network++) {
        close_made(m);
        setenv("THRONG_ASSUME_NETWORK", network ? "1" : "0", 1);
        by_another_program(db_path(m), "VACUUM");
        expect_sums(m, m->folder, STORE_SUMS_SOME);
        made_open(m);
        assert_ok(m, store_quick_check(m->s, &m->err));
        made_trial(m, network + 1, "{}", STATE_DONE, 1);
        made_commit(m);
        close_made(m);
        expect_sums(m, m->folder, STORE_SUMS_ALL);
    }
    unsetenv("THRONG_ASSUME_NETWORK");
}

static void a_log_that_throng_folds_in_has_checksums(void **state)
{
    struct made *m = *state;
    close_made(m);
    killed_while_it_holds(m);
    made_open(m);
    close_made(m);
    expect_sums(m, m->folder, STORE_SUMS_ALL);
}

static void what_another_program_changed_is_believed_when_told(void **state)
{
    struct made *m = *state;
    fill(m);
    close_made(m);
    by_another_program(db_path(m), "UPDATE trials SET value = -value");
    assert_int_equal(look(m, m->folder, NULL), -1);
    assert_non_null(strstr(m->err.text, "another program that changed it"));
    by_another_program(db_path(m), "VACUUM");
    expect_sums(m, m->folder, STORE_SUMS_SOME);
}

static void a_store_of_an_older_throng_goes_on_without(void **state)
{
    struct made *m = *state;
    close_made(m);
    char *path = db_path(m);
    unlink(path);
    by_another_program(path,
                       arena_printf(m->a, "PRAGMA application_id = %d; VACUUM",
                                    DB_APPLICATION));
    made_open(m);
    fill(m);
    close_made(m);
    expect_sums(m, m->folder, STORE_SUMS_NONE);
    by_another_program(path, "UPDATE trials SET value = -value");
    expect_sums(m, m->folder, STORE_SUMS_NONE);
}

/* Many pages, so that a copy writes some before it knows the first. */
static void a_copy_has_checksums_too(void **state)
{
    struct made *m = *state;
    char *other = path_join(m->a, m->folder, "copy");
    assert_ok(m, dir_make(other, &m->err));
    for (int id = 1; id <= 60000; id++)
        made_trial(m, id, "{\"lr\":0.25,\"name\":\"a rather long one\"}",
                   STATE_DONE, id);
    made_commit(m);
    char *path = path_join(m->a, other, "study.db");
    assert_ok(m, store_snapshot(m->s, path, &m->err));
    assert_true(bytes_of_file(path) > 4 << 20);
    expect_sums(m, other, STORE_SUMS_ALL);
    flip(path, 900 * PAGE + 77, 0);
    assert_int_equal(look(m, other, NULL), -1);
}

static void a_store_on_a_network_has_them(void **state)
{
    struct made *m = *state;
    close_made(m);
    setenv("THRONG_ASSUME_NETWORK", "1", 1);
    made_open(m);
    fill(m);
    close_made(m);
    expect_sums(m, m->folder, STORE_SUMS_ALL);
    flip(db_path(m), 4 * PAGE + 4000, 3);
    assert_int_equal(look(m, m->folder, NULL), -1);
    unsetenv("THRONG_ASSUME_NETWORK");
}

#define with_store(t)                                                          \
    cmocka_unit_test_setup_teardown(t, made_setup, made_teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        with_store(a_flipped_bit_anywhere_is_found),
        with_store(the_error_names_page_file_and_ways_out),
        with_store(a_file_that_hides_its_checksums_is_found),
        with_store(a_page_at_the_place_of_another_is_found),
        with_store(a_page_of_zeros_is_found),
        with_store(a_log_that_another_program_folds_in_is_no_damage),
        with_store(pages_without_one_get_it_with_the_next_run),
        with_store(a_log_that_throng_folds_in_has_checksums),
        with_store(what_another_program_changed_is_believed_when_told),
        with_store(a_store_of_an_older_throng_goes_on_without),
        with_store(a_copy_has_checksums_too),
        with_store(a_store_on_a_network_has_them),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
