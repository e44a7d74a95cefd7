#include "rig.h"
#include "engine/wire.h"
#include <sys/socket.h>
#include <unistd.h>

struct ends {
    struct wire a, b;
};

static void open_ends(struct ends *e)
{
    int pair[2];
    assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair),
                     0);
    wire_init(&e->a);
    wire_init(&e->b);
    wire_open(&e->a, pair[0]);
    wire_open(&e->b, pair[1]);
}

static void close_ends(struct ends *e)
{
    wire_done(&e->a);
    wire_done(&e->b);
}

/* More than the socket holds at once goes through whole and in order. */
static void many_records_pass_without_waiting(void **state)
{
    (void)state;
    struct ends e;
    struct record r;
    char *big = xcalloc(1, 100000);
    uint64_t got = 0;
    open_ends(&e);
    for (uint64_t i = 0; i < 200; i++) {
        struct record out = {.type = RECORD_NOTICE,
                             .task = i,
                             .payload = str_n(big, i % 2 ? 100000 : 3)};
        wire_send(&e.a, &out);
    }
    while (got < 200) {
        assert_int_equal(wire_flush(&e.a), 0);
        assert_int_equal(wire_read(&e.b), 1);
        while (wire_next(&e.b, &r, NULL) > 0) {
            assert_int_equal(r.task, got);
            assert_int_equal(r.payload.len, got % 2 ? 100000 : 3);
            got++;
        }
    }
    assert_int_equal(wire_waiting(&e.a), 0);
    assert_int_equal(wire_read(&e.b), 0);
    free(big);
    close_ends(&e);
}

static void a_torn_record_waits_for_its_rest(void **state)
{
    (void)state;
    struct ends e;
    struct record out = {.type = RECORD_NOTICE, .payload = STR("hello")}, r;
    struct buf b;
    open_ends(&e);
    buf_init(&b);
    record_print(&b, &out);
    for (size_t i = 0; i < b.len; i++) {
        assert_int_equal(wire_next(&e.b, &r, NULL), 0);
        assert_int_equal(write(e.a.fd, b.p + i, 1), 1);
        assert_int_equal(wire_read(&e.b), 1);
    }
    assert_int_equal(wire_next(&e.b, &r, NULL), 1);
    assert_true(str_is(r.payload, "hello"));
    buf_done(&b);
    close_ends(&e);
}

static void damage_and_the_end_are_told_apart(void **state)
{
    (void)state;
    struct ends e;
    struct record r;
    struct err err = {0};
    char junk[100];
    memset(junk, 'x', sizeof junk);
    open_ends(&e);
    assert_int_equal(write(e.a.fd, junk, sizeof junk), sizeof junk);
    assert_int_equal(wire_read(&e.b), 1);
    assert_int_equal(wire_next(&e.b, &r, &err), -1);
    assert_int_equal(err.kind, ERR_CORRUPT);
    wire_close(&e.a);
    assert_int_equal(wire_read(&e.b), -1);
    struct record out = {.type = RECORD_NOTICE};
    wire_send(&e.b, &out);
    assert_int_equal(wire_flush(&e.b), -1);
    close_ends(&e);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(many_records_pass_without_waiting),
        cmocka_unit_test(a_torn_record_waits_for_its_rest),
        cmocka_unit_test(damage_and_the_end_are_told_apart),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
