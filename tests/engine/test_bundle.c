/* The files of a bundle: torn, late, damaged, read twice. */
#include "engine/bundle.h"
#include "sys/sys.h"
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
#include <cmocka.h>

struct desk {
    struct arena *arena;
    char folder[64];
    char *path;
    struct said said;
    struct buf file;
    uint64_t heard[64];
    size_t count;
    struct err err;
};

static int open_desk(void **state)
{
    struct desk *d = xcalloc(1, sizeof *d);
    d->arena = arena_new();
    snprintf(d->folder, sizeof d->folder, "/tmp/throng-bundle-XXXXXX");
    assert_non_null(mkdtemp(d->folder));
    d->path = bundle_said(path_join(d->arena, d->folder, "0"), 0, d->arena);
    d->said.path = d->path;
    buf_init(&d->file);
    *state = d;
    return 0;
}

static int close_desk(void **state)
{
    struct desk *d = *state;
    dir_remove(d->folder, NULL);
    buf_done(&d->file);
    arena_free(d->arena);
    free(d);
    return 0;
}

static void add(struct desk *d, uint64_t task, size_t payload)
{
    struct buf text;
    buf_init(&text);
    for (size_t i = 0; i < payload; i++)
        buf_addc(&text, 'x');
    struct record r = {.type = RECORD_NOTICE,
                       .task = task,
                       .attempt = 1,
                       .sequence = 1,
                       .payload = buf_str(&text)};
    record_print(&d->file, &r);
    buf_done(&text);
}

/* The first bytes of what was added are in the file. */
static void put(struct desk *d, size_t bytes)
{
    int fd = open(d->path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    assert_true(fd >= 0);
    assert_int_equal(fd_write_all(fd, d->file.p, bytes, NULL), 0);
    close(fd);
}

static void hear(void *context, const struct record *r)
{
    struct desk *d = context;
    d->heard[d->count++ % 64] = r->task;
}

static int read_it(struct desk *d)
{
    return said_read(&d->said, hear, d, &d->err);
}

static void a_file_that_is_not_there_says_nothing(void **state)
{
    struct desk *d = *state;
    assert_int_equal(read_it(d), 0);
    put(d, 0);
    assert_int_equal(read_it(d), 0);
}

static void at_every_byte_only_whole_records_are_heard_and_once(void **state)
{
    struct desk *d = *state;
    size_t ends[3];
    for (uint64_t i = 0; i < 3; i++) {
        add(d, i, 10 * (size_t)i);
        ends[i] = d->file.len;
    }
    for (size_t bytes = 0; bytes <= d->file.len; bytes++) {
        size_t whole = 0;
        put(d, bytes);
        assert_true(read_it(d) >= 0);
        while (whole < 3 && ends[whole] <= bytes)
            whole++;
        assert_int_equal(d->count, whole);
    }
    for (uint64_t i = 0; i < 3; i++)
        assert_int_equal(d->heard[i], i);
    assert_int_equal(read_it(d), 0);
}

static void zeros_at_the_end_are_not_yet(void **state)
{
    struct desk *d = *state;
    add(d, 1, 5);
    add(d, 2, 5);
    size_t whole = d->file.len;
    put(d, whole);
    assert_int_equal(truncate(d->path, (off_t)whole + 4096), 0);
    assert_int_equal(read_it(d), 2);
    assert_int_equal(read_it(d), 0);
    add(d, 3, 5);
    put(d, d->file.len);
    assert_int_equal(read_it(d), 1);
    assert_int_equal(d->heard[2], 3);
}

/* The length is there and the rest of the record is zeros. */
static void a_record_that_is_half_zeros_is_not_yet(void **state)
{
    struct desk *d = *state;
    add(d, 1, 100);
    put(d, 40);
    assert_int_equal(truncate(d->path, (off_t)d->file.len), 0);
    assert_int_equal(read_it(d), 0);
    put(d, d->file.len);
    assert_int_equal(read_it(d), 1);
}

static void what_is_behind_a_damaged_record_is_not_believed(void **state)
{
    struct desk *d = *state;
    add(d, 1, 20);
    size_t first = d->file.len;
    add(d, 2, 20);
    add(d, 3, 20);
    d->file.p[first + 30] ^= 1;
    put(d, d->file.len);
    assert_int_equal(read_it(d), -1);
    assert_int_equal(d->count, 1);
    assert_non_null(strstr(d->err.text, "0.said.0"));
    assert_non_null(strstr(d->err.text, "checksum"));
    assert_int_equal(read_it(d), -1);
    assert_int_equal(d->count, 1);
}

/* A network may show what was written last first. */
static void damage_that_heals_is_read_then(void **state)
{
    struct desk *d = *state;
    add(d, 1, 20);
    size_t first = d->file.len;
    add(d, 2, 5000);
    add(d, 3, 20);
    put(d, d->file.len);
    int fd = open(d->path, O_WRONLY | O_CLOEXEC);
    char zeros[4096] = {0};
    assert_int_equal(pwrite(fd, zeros, sizeof zeros, (off_t)first), 4096);
    close(fd);
    assert_int_equal(read_it(d), -1);
    assert_int_equal(d->count, 1);
    put(d, d->file.len);
    assert_int_equal(read_it(d), 2);
    assert_int_equal(d->heard[1], 2);
    assert_int_equal(d->heard[2], 3);
}

static void large_records_and_long_files_come_in_turns(void **state)
{
    struct desk *d = *state;
    for (uint64_t i = 0; i < 30; i++)
        add(d, i, 1 << 20);
    put(d, d->file.len);
    int turns = 0;
    do {
        assert_true(read_it(d) > 0);
        turns++;
    } while (d->said.more);
    assert_true(turns > 1);
    assert_int_equal(d->count, 30);
    for (uint64_t i = 0; i < 30; i++)
        assert_int_equal(d->heard[i], i);
    d->said.at = 0; /* as another conductor does */
    while (read_it(d) > 0)
        ;
    assert_int_equal(d->count, 60);
}

/* ---- wishes and tasks --------------------------------------------------- */

static struct record wish(uint64_t task)
{
    return (struct record){.type = RECORD_STOP, .task = task, .attempt = 1};
}

static void wishes_stand_in_a_file_in_their_order(void **state)
{
    struct desk *d = *state;
    struct asked a = {.path = d->path};
    for (uint64_t i = 0; i < 3; i++) {
        struct record r = wish(i);
        assert_int_equal(asked_add(&a, &r, &d->err), 0);
    }
    assert_int_equal(read_it(d), 3);
    assert_int_equal(d->heard[2], 2);
}

static void a_wish_that_was_half_written_gives_way_to_the_next(void **state)
{
    struct desk *d = *state;
    struct record r = wish(1), next = wish(2);
    record_print(&d->file, &r);
    size_t first = d->file.len;
    record_print(&d->file, &r);
    put(d, first + 9);
    struct asked a = {.path = d->path};
    assert_int_equal(asked_add(&a, &next, &d->err), 0);
    assert_int_equal(read_it(d), 2);
    assert_int_equal(d->heard[1], 2);
}

static void the_tasks_of_a_bundle_are_read_back(void **state)
{
    struct desk *d = *state;
    struct bundle_list tasks = {0};
    const char *stem = path_join(d->arena, d->folder, "7");
    for (uint64_t i = 5; i < 8; i++) {
        struct record r = {
            .type = RECORD_TASK, .task = i, .attempt = 2, .payload = STR("{}")};
        record_print(&d->file, &r);
    }
    assert_int_equal(bundle_read(stem, d->arena, &tasks, &d->err), -1);
    assert_int_equal(file_write(bundle_tasks(stem, d->arena), buf_str(&d->file),
                                false, NULL),
                     0);
    assert_int_equal(bundle_read(stem, d->arena, &tasks, &d->err), 0);
    assert_int_equal(tasks.list.len, 3);
    assert_int_equal(tasks.list.p[2].task, 7);
    assert_int_equal(tasks.list.p[2].attempt, 2);
    assert_true(str_is(tasks.list.p[2].payload, "{}"));
    vec_done(&tasks.list);
}

#define on_desk(test)                                                          \
    cmocka_unit_test_setup_teardown(test, open_desk, close_desk)

int main(void)
{
    const struct CMUnitTest tests[] = {
        on_desk(a_file_that_is_not_there_says_nothing),
        on_desk(at_every_byte_only_whole_records_are_heard_and_once),
        on_desk(zeros_at_the_end_are_not_yet),
        on_desk(a_record_that_is_half_zeros_is_not_yet),
        on_desk(what_is_behind_a_damaged_record_is_not_believed),
        on_desk(damage_that_heals_is_read_then),
        on_desk(large_records_and_long_files_come_in_turns),
        on_desk(wishes_stand_in_a_file_in_their_order),
        on_desk(a_wish_that_was_half_written_gives_way_to_the_next),
        on_desk(the_tasks_of_a_bundle_are_read_back),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
