/* test_stowed.c - small files of trials that come with a commit */
#include "made_store.h"
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include "base/hash.h"

#define STATE "checkpoint/state"

static void put(struct made *m, int64_t trial, const char *text)
{
    assert_ok(m, store_begin(m->s, &m->err));
    assert_ok(m, store_file_put(m->s, trial, STATE, str_of(text), &m->err));
}

static void commit(struct made *m)
{
    assert_ok(m, store_commit(m->s, &m->err));
}

/* As whoever reads a trial's files has it. */
static const char *packed(struct made *m, int64_t trial)
{
    struct packs *p = packs_open(m->folder);
    struct buf b;
    buf_init(&b);
    const char *got = packs_read(p, trial, STATE, &b, NULL)
                          ? NULL
                          : arena_cstr(m->a, buf_str(&b));
    buf_done(&b);
    packs_close(p);
    return got;
}

/* As a trainer has it: NULL where there is none. */
static const char *found(struct made *m, int64_t trial)
{
    struct stored_file f;
    struct str all;
    assert_ok(m, store_file_find(m->s, trial, STATE, m->a, &f, &m->err));
    if (!f.path)
        return NULL;
    assert_ok(m, file_map(f.path, &all, &m->err));
    assert_true(f.at + f.len <= all.len && f.bytes <= f.len);
    struct str part = str_n(all.p + f.at, (size_t)f.len);
    assert_true(hash64(part, 0) == f.hash);
    const char *text =
        arena_cstr(m->a, str_n(part.p + (f.len - f.bytes), (size_t)f.bytes));
    file_unmap(all);
    return text;
}

static void reopen(struct made *m)
{
    store_close(m->s);
    made_open(m);
}

static void a_file_is_there_when_it_is_committed(void **state)
{
    struct made *m = *state;
    put(m, 1, "one");
    put(m, 1002, "far");
    assert_null(packed(m, 1));
    commit(m);
    put(m, 1, "newer");
    put(m, 2, "two");
    commit(m);
    for (int i = 0; i < 2; i++) {
        assert_string_equal(found(m, 1), "newer");
        assert_string_equal(found(m, 2), "two");
        assert_string_equal(found(m, 1002), "far");
        assert_null(found(m, 3));
        assert_null(found(m, 1003));
        assert_null(found(m, 5000));
        assert_string_equal(packed(m, 1), "newer");
        reopen(m);
    }
}

static void what_is_taken_back_is_not_there(void **state)
{
    struct made *m = *state;
    put(m, 1, "one");
    store_rollback(m->s);
    commit(m);
    assert_null(packed(m, 1));
    put(m, 1, "later");
    commit(m);
    assert_string_equal(found(m, 1), "later");
}

static bool is_first(void *context, int64_t trial, struct str name,
                     uint64_t bytes)
{
    (void)context;
    (void)name;
    (void)bytes;
    return trial == 1;
}

static void a_replaced_pack_is_looked_through_again(void **state)
{
    struct made *m = *state;
    struct packs *p = packs_open(m->folder);
    put(m, 1, "one");
    put(m, 2, "two");
    put(m, 3, "ten");
    commit(m);
    assert_ok(m, packs_drop(p, 0, is_first, NULL, &m->err));
    assert_string_equal(found(m, 2), "two");
    assert_string_equal(found(m, 3), "ten");
    assert_null(found(m, 1));
    put(m, 1, "again");
    commit(m);
    assert_string_equal(found(m, 1), "again");
    packs_close(p);
}

static void a_torn_end_costs_nothing_that_was_committed(void **state)
{
    struct made *m = *state;
    const char *path = packs_path(m->folder, 1, m->a);
    put(m, 1, "one");
    commit(m);
    struct stat st;
    assert_int_equal(stat(path, &st), 0);
    put(m, 2, "two is what tears");
    commit(m);
    assert_int_equal(truncate(path, st.st_size + 25), 0);
    reopen(m);
    assert_null(found(m, 2));
    put(m, 3, "three");
    commit(m);
    for (int i = 0; i < 2; i++) {
        assert_string_equal(found(m, 1), "one");
        assert_string_equal(found(m, 3), "three");
        assert_string_equal(packed(m, 3), "three");
        reopen(m);
    }
}

/* Files may grow up to so many bytes; 0: as they like. */
static void limit_files(rlim_t bytes)
{
    struct rlimit r;
    getrlimit(RLIMIT_FSIZE, &r);
    r.rlim_cur = bytes ? bytes : r.rlim_max;
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &r), 0);
}

static void a_disk_without_room_loses_nothing(void **state)
{
    struct made *m = *state;
    signal(SIGXFSZ, SIG_IGN);
    struct str large = str_n(arena_array(m->a, 1 << 20, 1), 1 << 20);
    put(m, 1, "one");
    commit(m);
    const char *path = packs_path(m->folder, 1, m->a);
    uint64_t before = file_bytes(path);
    assert_ok(m, store_begin(m->s, &m->err));
    assert_ok(m, store_fact_set(m->s, "a", STR("b"), &m->err));
    assert_ok(m, store_file_put(m->s, 1, STATE, large, &m->err));
    put(m, 2, "two");
    limit_files(1 << 19);
    assert_int_equal(store_commit(m->s, &m->err), -1);
    assert_true(file_bytes(path) == before);
    put(m, 3, "three");
    limit_files(0);
    commit(m);
    struct str fact;
    assert_ok(m, store_fact(m->s, "a", m->a, &fact, &m->err));
    assert_true(str_is(fact, "b"));
    assert_string_equal(found(m, 2), "two");
    assert_string_equal(found(m, 3), "three");
    struct stored_file f;
    assert_ok(m, store_file_find(m->s, 1, STATE, m->a, &f, &m->err));
    assert_int_equal(f.bytes, large.len);
}

/* Commits 1, 2, … into both a row and the file, until it is killed. */
static void count_and_be_killed(const char *folder)
{
    struct err err = {0};
    struct store *s = store_open(folder, true, &err);
    if (!s || store_lease_take(s, false, &err))
        _exit(1);
    for (int i = 1;; i++) {
        char text[16];
        snprintf(text, sizeof(text), "%06d", i);
        if (store_begin(s, &err) ||
            store_fact_set(s, "last", str_of(text), &err) ||
            store_file_put(s, 1 + i % 7, STATE, str_of(text), &err) ||
            store_commit(s, &err))
            _exit(1);
    }
}

static void after_a_kill_at_any_moment_what_the_rows_say_is_there(void **state)
{
    struct made *m = *state;
    for (unsigned round = 0; round < 20; round++) {
        store_close(m->s);
        pid_t pid = fork();
        assert_true(pid >= 0);
        if (pid == 0)
            count_and_be_killed(m->folder);
        usleep(2000 + round * 700);
        kill(pid, SIGKILL);
        assert_int_equal(waitpid(pid, NULL, 0), pid);
        made_open(m);
        struct str last;
        assert_ok(m, store_fact(m->s, "last", m->a, &last, &m->err));
        if (!last.p)
            continue;
        int64_t number = strtoll(arena_cstr(m->a, last), NULL, 10);
        const char *text = found(m, 1 + number % 7);
        assert_non_null(text);
        assert_true(strtoll(text, NULL, 10) >= number);
    }
}

int main(void)
{
#define on_store(test)                                                         \
    cmocka_unit_test_setup_teardown(test, made_setup, made_teardown)
    const struct CMUnitTest tests[] = {
        on_store(a_file_is_there_when_it_is_committed),
        on_store(what_is_taken_back_is_not_there),
        on_store(a_replaced_pack_is_looked_through_again),
        on_store(a_torn_end_costs_nothing_that_was_committed),
        on_store(a_disk_without_room_loses_nothing),
        on_store(after_a_kill_at_any_moment_what_the_rows_say_is_there),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
