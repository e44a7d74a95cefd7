/* Records on a socket that takes them in pieces. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>
#include <cmocka.h>

#include "worker/link.h"

enum { RECORDS = 300, PAYLOAD = 3000 };

struct pair {
    struct loop *loop;
    struct link link;
    int far;
};

static void open_pair(struct pair *p)
{
    static const struct link_hooks hooks = {0};
    struct err err = {0};
    int ends[2], small = 4096;
    assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, ends), 0);
    setsockopt(ends[0], SOL_SOCKET, SO_SNDBUF, &small, sizeof small);
    p->loop = loop_new(&err);
    assert_non_null(p->loop);
    assert_int_equal(link_open_socket(&p->link, p->loop, ends[0], &hooks, &err),
                     0);
    p->far = ends[1];
}

static void close_pair(struct pair *p)
{
    link_done(&p->link);
    close(p->link.fd);
    if (p->far >= 0)
        close(p->far);
    loop_free(p->loop);
}

static void say(struct pair *p, uint64_t task)
{
    char payload[PAYLOAD];
    memset(payload, 'a' + (int)(task % 26), sizeof payload);
    struct record r = {.type = RECORD_TASK,
                       .task = task,
                       .attempt = 1,
                       .payload = str_n(payload, sizeof payload)};
    link_add(&p->link, &r);
    link_flush(&p->link);
    link_acknowledge(&p->link, p->link.count);
}

static void hear(struct pair *p, struct buf *heard, size_t most)
{
    char part[PAYLOAD / 2];
    ssize_t got;
    for (size_t all = 0; all < most; all += (size_t)got) {
        got = recv(p->far, part, sizeof part, MSG_DONTWAIT);
        if (got <= 0)
            return;
        buf_add(heard, part, (size_t)got);
    }
}

static void what_is_forgotten_half_written_is_written_whole(void **state)
{
    struct pair p;
    struct buf heard;
    struct err err = {0};
    struct record r;
    size_t at = 0, used = 0;
    (void)state;
    open_pair(&p);
    buf_init(&heard);
    /* The other side is slower, so that the socket is full most of the time,
     * and takes a part of a record when it is read from. */
    for (uint64_t i = 1; i <= RECORDS; i++) {
        hear(&p, &heard, PAYLOAD / 2);
        say(&p, i);
    }
    for (int i = 0; link_waiting(&p.link) && i < 10 * RECORDS; i++) {
        hear(&p, &heard, SIZE_MAX);
        link_flush(&p.link);
    }
    hear(&p, &heard, SIZE_MAX);
    for (uint64_t i = 1; i <= RECORDS; i++, at += used) {
        assert_int_equal(
            record_parse(str_n(heard.p + at, heard.len - at), &r, &used, &err),
            1);
        assert_int_equal(r.task, i);
        assert_int_equal(r.payload.len, PAYLOAD);
    }
    assert_int_equal(at, heard.len);
    buf_done(&heard);
    close_pair(&p);
}

static void count_record(void *context, const struct record *r)
{
    int *counts = context;
    counts[0] += r->type == RECORD_NOTICE;
}

static void count_close(void *context)
{
    int *counts = context;
    counts[1]++;
}

/* It ended without having read what it was told, and is told more. */
static void
what_the_other_side_said_last_is_heard_though_it_hears_nothing(void **state)
{
    int counts[2] = {0};
    struct pair p;
    struct buf b;
    const struct link_hooks hooks = {
        .context = counts, .record = count_record, .closed = count_close};
    const struct record last = {.type = RECORD_NOTICE,
                                .payload = STR("no GPU can be seen")};
    (void)state;
    open_pair(&p);
    p.link.hooks = &hooks;
    say(&p, 1);
    buf_init(&b);
    record_print(&b, &last);
    assert_int_equal(send(p.far, b.p, b.len, 0), (ssize_t)b.len);
    buf_done(&b);
    close(p.far);
    p.far = -1;
    say(&p, 2);
    say(&p, 3);
    assert_int_equal(counts[1], 0);
    link_read_rest(&p.link);
    assert_int_equal(counts[0], 1);
    assert_int_equal(counts[1], 1);
    close_pair(&p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_forgotten_half_written_is_written_whole),
        cmocka_unit_test(
            what_the_other_side_said_last_is_heard_though_it_hears_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
