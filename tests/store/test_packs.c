/* test_packs.c - small files of trials, those of a thousand trials in one */
#include "made_store.h"
#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>

struct bed {
    struct made made;
    struct packs *packs;
};

static int setup(void **state)
{
    struct bed *b = xcalloc(1, sizeof(*b));
    made_folder(&b->made);
    b->packs = packs_open(b->made.folder);
    *state = b;
    return 0;
}

static int teardown(void **state)
{
    struct bed *b = *state;
    packs_close(b->packs);
    dir_remove(b->made.folder, NULL);
    arena_free(b->made.a);
    free(b);
    return 0;
}

static char *path_of(struct bed *b, int64_t trial, const char *name)
{
    struct made *m = &b->made;
    return path_join(m->a, store_attempt_folder(m->folder, trial, 0, m->a),
                     name);
}

static void put_file(struct bed *b, int64_t trial, const char *name,
                     const char *text)
{
    struct made *m = &b->made;
    char *path = path_of(b, trial, name);
    assert_ok(m, dir_make(path_folder(m->a, path), &m->err));
    assert_ok(m, file_write(path, str_of(text), false, &m->err));
}

static void pack_one(struct bed *b, int64_t trial, const char *name)
{
    struct to_pack one = {trial, name};
    assert_ok(&b->made, packs_add(b->made.folder, &one, 1, &b->made.err));
}

static const char *text_of(struct bed *b, int64_t trial, const char *name)
{
    struct packs *fresh = packs_open(b->made.folder);
    struct err err = {0};
    struct buf text;
    buf_init(&text);
    const char *got = packs_read(fresh, trial, name, &text, &err)
                          ? NULL
                          : arena_cstr(b->made.a, buf_str(&text));
    if (!got)
        assert_int_equal(err.kind, ERR_MISSING);
    buf_done(&text);
    packs_close(fresh);
    return got;
}

static void a_packed_file_reads_as_the_plain_one(void **state)
{
    struct bed *b = *state;
    char *long_text = arena_alloc(b->made.a, 10001);
    memset(long_text, 'x', 10000);
    long_text[10000] = 0;
    put_file(b, 7, "log", "one line\n");
    put_file(b, 999, "output/weights.safetensors", long_text);
    put_file(b, 1000, "log", "of the next thousand\n");
    pack_one(b, 7, "log");
    pack_one(b, 999, "output/weights.safetensors");
    pack_one(b, 1000, "log");
    assert_false(file_exists(path_of(b, 7, "")));
    assert_false(file_exists(path_of(b, 999, "")));
    assert_string_equal(text_of(b, 7, "log"), "one line\n");
    assert_string_equal(text_of(b, 999, "output/weights.safetensors"),
                        long_text);
    assert_string_equal(text_of(b, 1000, "log"), "of the next thousand\n");
    assert_null(text_of(b, 8, "log"));
    assert_null(text_of(b, 7, "output/weights.safetensors"));
    assert_null(text_of(b, 5000, "log"));
    assert_true(file_bytes(packs_path(b->made.folder, 7, b->made.a)) < 1000);
}

static void what_was_packed_last_counts_and_a_plain_file_more(void **state)
{
    struct bed *b = *state;
    put_file(b, 7, "log", "first");
    pack_one(b, 7, "log");
    put_file(b, 7, "log", "second");
    assert_string_equal(text_of(b, 7, "log"), "second");
    pack_one(b, 7, "log");
    assert_string_equal(text_of(b, 7, "log"), "second");
    struct packed *list;
    size_t count;
    assert_ok(&b->made,
              packs_list(b->packs, 7, b->made.a, &list, &count, &b->made.err));
    assert_int_equal(count, 1);
    assert_string_equal(list[0].name, "log");
    assert_int_equal(list[0].bytes, 6);
}

/* Writes the pack's first `len` bytes, with one of them changed. */
static void damage(struct bed *b, struct str whole, size_t len, size_t at)
{
    struct buf text;
    buf_init(&text);
    buf_add(&text, whole.p, len);
    if (at < len)
        text.p[at] = (char)(text.p[at] ^ 0x55);
    assert_ok(&b->made, file_write(packs_path(b->made.folder, 0, b->made.a),
                                   buf_str(&text), false, &b->made.err));
    buf_done(&text);
}

static void a_torn_end_costs_nothing_that_was_complete(void **state)
{
    struct bed *b = *state;
    struct buf whole;
    char *path = packs_path(b->made.folder, 0, b->made.a);
    put_file(b, 1, "log", "first");
    pack_one(b, 1, "log");
    size_t first = (size_t)file_bytes(path);
    put_file(b, 2, "log", "second");
    pack_one(b, 2, "log");
    buf_init(&whole);
    assert_ok(&b->made, file_read(path, 0, &whole, &b->made.err));
    for (size_t len = first; len < whole.len; len++) {
        damage(b, buf_str(&whole), len, len);
        put_file(b, 3, "log", "third");
        pack_one(b, 3, "log");
        assert_string_equal(text_of(b, 1, "log"), "first");
        assert_null(text_of(b, 2, "log"));
        assert_string_equal(text_of(b, 3, "log"), "third");
    }
    buf_done(&whole);
}

static void a_damaged_byte_costs_its_own_file_only(void **state)
{
    struct bed *b = *state;
    struct buf whole;
    char *path = packs_path(b->made.folder, 0, b->made.a);
    size_t from = 0, to = 0;
    for (int64_t i = 1; i <= 3; i++) {
        put_file(b, i, "log", "some text");
        from = i == 2 ? (size_t)file_bytes(path) : from;
        pack_one(b, i, "log");
        to = i == 2 ? (size_t)file_bytes(path) : to;
    }
    buf_init(&whole);
    assert_ok(&b->made, file_read(path, 0, &whole, &b->made.err));
    for (size_t at = from; at < to; at++) {
        damage(b, buf_str(&whole), whole.len, at);
        assert_string_equal(text_of(b, 1, "log"), "some text");
        assert_null(text_of(b, 2, "log"));
        assert_string_equal(text_of(b, 3, "log"), "some text");
    }
    buf_done(&whole);
}

static bool is_even(void *context, int64_t trial, struct str name,
                    uint64_t bytes)
{
    (void)name;
    *(uint64_t *)context += bytes;
    return trial % 2 == 0;
}

static bool is_any(void *context, int64_t trial, struct str name,
                   uint64_t bytes)
{
    (void)context;
    (void)trial;
    (void)name;
    (void)bytes;
    return true;
}

static void what_is_dropped_is_gone_and_the_rest_stays(void **state)
{
    struct bed *b = *state;
    struct made *m = &b->made;
    uint64_t bytes = 0;
    for (int64_t i = 1; i <= 4; i++) {
        put_file(b, i, "log", "text");
        pack_one(b, i, "log");
    }
    assert_ok(m, packs_drop(b->packs, 0, is_even, &bytes, &m->err));
    assert_int_equal(bytes, 16);
    assert_string_equal(text_of(b, 1, "log"), "text");
    assert_null(text_of(b, 2, "log"));
    assert_string_equal(text_of(b, 3, "log"), "text");
    assert_null(text_of(b, 4, "log"));
    assert_ok(m, packs_drop(b->packs, 0, is_any, NULL, &m->err));
    assert_false(file_exists(packs_path(m->folder, 0, m->a)));
    assert_ok(m, packs_drop(b->packs, 0, is_any, NULL, &m->err));
}

static void a_trial_gets_its_files_back(void **state)
{
    struct bed *b = *state;
    struct made *m = &b->made;
    put_file(b, 7, "log", "said");
    put_file(b, 7, "output/model", "made");
    pack_one(b, 7, "log");
    pack_one(b, 7, "output/model");
    char *home = store_attempt_folder(m->folder, 7, 0, m->a);
    assert_ok(m, packs_restore(b->packs, 7, home, true, &m->err));
    assert_true(file_bytes(path_of(b, 7, "log")) == 4);
    assert_true(file_bytes(path_of(b, 7, "output/model")) == 4);
    put_file(b, 7, "log", "said more");
    assert_ok(m, packs_restore(b->packs, 7, home, true, &m->err));
    assert_string_equal(text_of(b, 7, "log"), "said more");
}

static void files_stay_when_they_cannot_be_packed(void **state)
{
    struct bed *b = *state;
    struct made *m = &b->made;
    struct to_pack list[] = {{7, "log"}, {8, "gone"}};
    put_file(b, 7, "log", "text");
    assert_int_equal(packs_add(m->folder, list, 2, &m->err), -1);
    assert_true(file_exists(path_of(b, 7, "log")));
    assert_int_equal(file_bytes(packs_path(m->folder, 7, m->a)), 0);
    dir_remove(packs_path(m->folder, 7, m->a), NULL);
    assert_ok(m, dir_make(packs_path(m->folder, 7, m->a), &m->err));
    assert_int_equal(packs_add(m->folder, list, 1, &m->err), -1);
    assert_string_equal(text_of(b, 7, "log"), "text");
}

#define KILLED_FILES 200

static void pack_and_be_killed(struct bed *b, struct to_pack *list)
{
    for (int64_t i = 0; i < KILLED_FILES; i++)
        list[i] = (struct to_pack){i + 1, "log"};
    _exit(packs_add(b->made.folder, list, KILLED_FILES, NULL) ? 1 : 0);
}

static void a_kill_at_any_moment_loses_no_file(void **state)
{
    struct bed *b = *state;
    struct to_pack list[KILLED_FILES];
    for (unsigned round = 0; round < 20; round++) {
        for (int64_t i = 1; i <= KILLED_FILES; i++)
            put_file(b, i, "log", "text");
        pid_t pid = fork();
        assert_true(pid >= 0);
        if (pid == 0)
            pack_and_be_killed(b, list);
        usleep(round * 300);
        kill(pid, SIGKILL);
        assert_int_equal(waitpid(pid, NULL, 0), pid);
        for (int64_t i = 1; i <= KILLED_FILES; i++)
            assert_string_equal(text_of(b, i, "log"), "text");
    }
}

int main(void)
{
#define on_bed(test) cmocka_unit_test_setup_teardown(test, setup, teardown)
    const struct CMUnitTest tests[] = {
        on_bed(a_packed_file_reads_as_the_plain_one),
        on_bed(what_was_packed_last_counts_and_a_plain_file_more),
        on_bed(a_torn_end_costs_nothing_that_was_complete),
        on_bed(a_damaged_byte_costs_its_own_file_only),
        on_bed(what_is_dropped_is_gone_and_the_rest_stays),
        on_bed(a_trial_gets_its_files_back),
        on_bed(files_stay_when_they_cannot_be_packed),
        on_bed(a_kill_at_any_moment_loses_no_file),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
