/* test_tail.c - reading a file that somebody else is still writing */
#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
#include <cmocka.h>
#include "sys/sys.h"
#include "terms/metric.h"
#include "worker/tail.h"

struct reading {
    int fd;
    struct tail tail;
    struct tail_reader reader;
    struct buf scratch, got;
    size_t pause_after; /* 0: never */
    uint64_t too_long;
};

static bool on_line(void *context, struct str line, uint64_t number)
{
    struct reading *r = context;
    if (line.len > 40)
        buf_addf(&r->got, "%llu:(%zu) ", (unsigned long long)number, line.len);
    else
        buf_addf(&r->got, "%llu:%.*s ", (unsigned long long)number, STRF(line));
    return r->pause_after == 0 || --r->pause_after > 0;
}

static void on_too_long(void *context, uint64_t number)
{
    struct reading *r = context;
    r->too_long = number;
}

static int setup(void **state)
{
    char path[] = "/tmp/throng-tail-XXXXXX";
    struct reading *r = calloc(1, sizeof *r);
    r->fd = mkstemp(path);
    unlink(path);
    tail_init(&r->tail, r->fd, 0);
    buf_init(&r->scratch);
    buf_init(&r->got);
    r->reader = (struct tail_reader){.context = r,
                                     .line = on_line,
                                     .too_long = on_too_long,
                                     .scratch = &r->scratch};
    *state = r;
    return r->fd < 0;
}

static int teardown(void **state)
{
    struct reading *r = *state;
    close(r->fd);
    buf_done(&r->scratch);
    buf_done(&r->got);
    free(r);
    return 0;
}

static void append(struct reading *r, const char *text)
{
    lseek(r->fd, 0, SEEK_END);
    assert_int_equal(fd_write_all(r->fd, text, strlen(text), NULL), 0);
}

static void append_many(struct reading *r, char c, size_t count)
{
    char chunk[4096];
    memset(chunk, c, sizeof chunk);
    lseek(r->fd, 0, SEEK_END);
    for (; count > 0; count -= count < 4096 ? count : 4096)
        fd_write_all(r->fd, chunk, count < 4096 ? count : 4096, NULL);
}

static void whole_lines_are_handed_on_once(void **state)
{
    struct reading *r = *state;
    append(r, "a\nb\n\nc");
    assert_true(tail_read(&r->tail, false, &r->reader));
    assert_string_equal(r->got.p, "1:a 2:b 3: ");
    assert_int_equal(tail_size(&r->tail), r->tail.seen);
    append(r, "d\n");
    assert_true(tail_size(&r->tail) > r->tail.seen);
    tail_read(&r->tail, false, &r->reader);
    assert_string_equal(r->got.p, "1:a 2:b 3: 4:cd ");
}

static void the_last_line_counts_at_the_end(void **state)
{
    struct reading *r = *state;
    append(r, "a\nlast");
    tail_read(&r->tail, true, &r->reader);
    tail_read(&r->tail, true, &r->reader);
    assert_string_equal(r->got.p, "1:a 2:last ");
}

static void a_file_that_shrank_is_read_again(void **state)
{
    struct reading *r = *state;
    append(r, "one\ntwo\n");
    tail_read(&r->tail, false, &r->reader);
    assert_int_equal(ftruncate(r->fd, 0), 0);
    append(r, "new\n");
    tail_read(&r->tail, false, &r->reader);
    assert_string_equal(r->got.p, "1:one 2:two 1:new ");
}

static void a_reader_that_pauses_misses_nothing(void **state)
{
    struct reading *r = *state;
    append(r, "a\nb\nc\n");
    r->pause_after = 2;
    assert_false(tail_read(&r->tail, true, &r->reader));
    assert_string_equal(r->got.p, "1:a 2:b ");
    assert_true(tail_read(&r->tail, true, &r->reader));
    assert_string_equal(r->got.p, "1:a 2:b 3:c ");
}

static void a_spent_budget_leaves_the_rest_for_later(void **state)
{
    struct reading *r = *state;
    size_t budget = 0;
    r->reader.budget = &budget;
    for (int i = 0; i < 8; i++) {
        append_many(r, 'x', 100000);
        append(r, "\n");
    }
    assert_false(tail_read(&r->tail, true, &r->reader));
    assert_string_equal(r->got.p, "");
    budget = 200000;
    assert_false(tail_read(&r->tail, true, &r->reader));
    assert_string_equal(r->got.p, "1:(100000) 2:(100000) ");
    assert_int_equal(budget, 0);
    budget = 1 << 20;
    assert_true(tail_read(&r->tail, true, &r->reader));
    assert_int_equal(r->tail.line, 8);
    assert_in_range(budget, 1, (1 << 20) - 600000);
}

static void a_line_longer_than_the_budget_is_read(void **state)
{
    struct reading *r = *state;
    size_t budget = 1000;
    r->reader.budget = &budget;
    append_many(r, 'x', 900000);
    append(r, "\nnext\n");
    assert_true(tail_read(&r->tail, false, &r->reader));
    assert_string_equal(r->got.p, "1:(900000) 2:next ");
}

static void a_skip_passes_over_the_rest_of_a_line(void **state)
{
    struct reading *r = *state;
    append(r, "first\nsecond\nthird\n");
    tail_skip_to(&r->tail, 8);
    assert_true(tail_read(&r->tail, false, &r->reader));
    assert_string_equal(r->got.p, "2:third ");
}

static void long_lines_are_read_up_to_the_limit(void **state)
{
    struct reading *r = *state;
    append_many(r, 'x', METRIC_LINE_MAX);
    append(r, "\nnext\n");
    tail_read(&r->tail, false, &r->reader);
    assert_string_equal(r->got.p, "1:(1048576) 2:next ");
    assert_int_equal(r->too_long, 0);
}

static void a_line_past_the_limit_is_skipped(void **state)
{
    struct reading *r = *state;
    append(r, "a\n");
    append_many(r, 'x', 3 * METRIC_LINE_MAX);
    tail_read(&r->tail, false, &r->reader);
    append_many(r, 'x', 100);
    append(r, "\nb\n");
    tail_read(&r->tail, false, &r->reader);
    assert_string_equal(r->got.p, "1:a 3:b ");
    assert_int_equal(r->too_long, 2);
}

#define with_file(f) cmocka_unit_test_setup_teardown(f, setup, teardown)

/* As from a disk that fails: nothing is passed over, and it goes on later. */
static void what_cannot_be_read_is_read_later(void **state)
{
    struct reading *r = *state;
    char path[64];
    append(r, "one\ntwo");
    snprintf(path, sizeof path, "/proc/self/fd/%d", r->fd);
    r->tail.fd = open(path, O_WRONLY);
    assert_true(tail_read(&r->tail, true, &r->reader));
    assert_int_equal(r->tail.fault, EBADF);
    assert_string_equal(r->got.p, "");
    close(r->tail.fd);
    assert_true(tail_read(&r->tail, true, &r->reader));
    assert_int_equal(r->tail.fault, EBADF);
    r->tail.fd = r->fd;
    assert_true(tail_read(&r->tail, true, &r->reader));
    assert_int_equal(r->tail.fault, 0);
    assert_string_equal(r->got.p, "1:one 2:two ");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        with_file(whole_lines_are_handed_on_once),
        with_file(the_last_line_counts_at_the_end),
        with_file(a_file_that_shrank_is_read_again),
        with_file(a_reader_that_pauses_misses_nothing),
        with_file(a_spent_budget_leaves_the_rest_for_later),
        with_file(a_line_longer_than_the_budget_is_read),
        with_file(a_skip_passes_over_the_rest_of_a_line),
        with_file(long_lines_are_read_up_to_the_limit),
        with_file(a_line_past_the_limit_is_skipped),
        with_file(what_cannot_be_read_is_read_later),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
