/* test_record.c - records survive, damage is found */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "base/hash.h"
#include "base/rng.h"
#include "terms/record.h"

static void print_one(struct buf *b, enum record_type type, struct str payload)
{
    struct record r = {.type = type,
                       .attempt = 3,
                       .task = 7000000001,
                       .sequence = 9,
                       .payload = payload};
    record_print(b, &r);
}

static void the_frame_is_as_documented(void **state)
{
    (void)state;
    struct buf b;
    buf_init(&b);
    print_one(&b, RECORD_NOTICE, STR("hey"));
    assert_int_equal(b.len, 31);
    struct bytes in = bytes_of(buf_str(&b));
    assert_int_equal(bytes_u32(&in), 27);
    assert_int_equal(bytes_u32(&in), hash32(str_n(b.p + 8, 23), 0));
    assert_int_equal(bytes_u8(&in), 2);
    assert_int_equal(bytes_u8(&in), RECORD_NOTICE);
    assert_int_equal(bytes_u8(&in), 0);
    assert_int_equal(bytes_u8(&in), 0);
    assert_int_equal(bytes_u32(&in), 3);
    assert_true(bytes_u64(&in) == 7000000001);
    assert_int_equal(bytes_u32(&in), 9);
    assert_memory_equal(in.p, "hey", 3);
    buf_done(&b);
}

static void records_behind_each_other_are_read_one_by_one(void **state)
{
    (void)state;
    struct buf b;
    struct record r;
    size_t used, at = 0;
    buf_init(&b);
    print_one(&b, RECORD_STARTING, STR(""));
    print_one(&b, RECORD_METRICS, STR("abc"));
    print_one(&b, RECORD_QUIT, STR(""));
    const enum record_type want[] = {RECORD_STARTING, RECORD_METRICS,
                                     RECORD_QUIT};
    for (int i = 0; i < 3; i++) {
        struct str rest = str_n(b.p + at, b.len - at);
        assert_int_equal(record_parse(rest, &r, &used, NULL), 1);
        assert_int_equal(r.type, want[i]);
        assert_int_equal(r.attempt, 3);
        assert_int_equal(r.payload.len, i == 1 ? 3 : 0);
        at += used;
    }
    assert_int_equal(at, b.len);
    buf_done(&b);
}

static void a_short_read_asks_for_more(void **state)
{
    (void)state;
    struct buf b;
    struct record r;
    size_t used;
    buf_init(&b);
    print_one(&b, RECORD_NOTICE, STR("some text"));
    for (size_t len = 0; len < b.len; len++)
        assert_int_equal(record_parse(str_n(b.p, len), &r, &used, NULL), 0);
    buf_done(&b);
}

static void every_flipped_bit_is_found(void **state)
{
    (void)state;
    struct buf b;
    buf_init(&b);
    print_one(&b, RECORD_NOTICE, STR("some text"));
    for (size_t bit = 0; bit < 8 * b.len; bit++) {
        struct record r;
        struct err err = {0};
        size_t used = 0;
        b.p[bit / 8] ^= (char)(1 << (bit % 8));
        int got = record_parse(buf_str(&b), &r, &used, &err);
        /* A longer length looks like a short read; nothing looks whole. */
        assert_true(got == -1 || (got == 0 && bit < 32));
        if (got == -1)
            assert_int_equal(err.kind, ERR_CORRUPT);
        b.p[bit / 8] ^= (char)(1 << (bit % 8));
    }
    buf_done(&b);
}

/* Puts a byte into the body and makes the checksum right again. */
static void forge(struct buf *b, size_t at, unsigned char byte)
{
    b->p[at] = (char)byte;
    uint32_t sum = hash32(str_n(b->p + 8, b->len - 8), 0);
    for (int i = 0; i < 4; i++)
        b->p[4 + i] = (char)(sum >> (8 * i));
}

static void assert_forged(size_t at, unsigned char byte, const char *part)
{
    struct buf b;
    struct record r;
    struct err err = {0};
    size_t used;
    buf_init(&b);
    print_one(&b, RECORD_NOTICE, STR("some text"));
    forge(&b, at, byte);
    assert_int_equal(record_parse(buf_str(&b), &r, &used, &err), -1);
    if (!strstr(err.text, part))
        fail_msg("'%s' lacks '%s'", err.text, part);
    buf_done(&b);
}

/* Last words of an earlier release have no sequence number. */
static void the_first_version_is_still_read(void **state)
{
    static const char text[] = "\x17\0\0\0" /* length */
                               "\0\0\0\0"   /* checksum */
                               "\1\6\0\0"   /* version, type */
                               "\3\0\0\0"
                               "\7\0\0\0\0\0\0\0"
                               "hey";
    char bytes[sizeof text - 1];
    struct record r;
    struct err err = {0};
    size_t used;
    (void)state;
    memcpy(bytes, text, sizeof bytes);
    uint32_t sum = hash32(str_n(bytes + 8, sizeof bytes - 8), 0);
    memcpy(bytes + 4, &sum, 4);
    assert_int_equal(record_parse(str_n(bytes, sizeof bytes), &r, &used, &err),
                     1);
    assert_int_equal(used, sizeof bytes);
    assert_int_equal(r.type, RECORD_NOTICE);
    assert_int_equal(r.attempt, 3);
    assert_int_equal(r.task, 7);
    assert_int_equal(r.sequence, 0);
    assert_true(str_is(r.payload, "hey"));
}

static void points_say_how_far_the_files_were_read(void **state)
{
    struct record_points in = {.metrics_at = (uint64_t)1 << 40,
                               .log_at = 7,
                               .earlier = true,
                               .batch = STR("batch")},
                         out;
    struct err err = {0};
    struct buf b;
    (void)state;
    buf_init(&b);
    record_points_print(&b, &in);
    assert_int_equal(record_points_parse(buf_str(&b), &out, &err), 0);
    assert_true(out.metrics_at == in.metrics_at && out.log_at == 7);
    assert_true(out.earlier && str_is(out.batch, "batch"));
    assert_int_equal(record_points_parse(str_n(b.p, 16), &out, &err), -1);
    b.p[16] = 2;
    assert_int_equal(record_points_parse(buf_str(&b), &out, &err), -1);
    buf_done(&b);
}

static void a_newer_version_is_named(void **state)
{
    (void)state;
    assert_forged(8, RECORD_VERSION + 1, "version 7");
    assert_forged(8, RECORD_VERSION + 1, "newer");
}

static void headers_that_make_no_sense_are_damage(void **state)
{
    (void)state;
    assert_forged(8, 0, "header");
    assert_forged(9, 31, "type 31");
    assert_forged(9, 0, "type 0");
    assert_forged(9, 200, "type 200");
    assert_forged(10, 1, "header");
    assert_forged(11, 1, "header");
}

static void absurd_lengths_are_damage_at_once(void **state)
{
    (void)state;
    struct record r;
    struct err err = {0};
    size_t used;
    assert_int_equal(
        record_parse(str_n("\377\377\377\377", 4), &r, &used, &err), -1);
    assert_int_equal(record_parse(str_n("\3\0\0\0", 4), &r, &used, &err), -1);
}

static void the_largest_payload_fits(void **state)
{
    (void)state;
    struct buf payload, b;
    struct record r;
    size_t used;
    buf_init(&payload);
    buf_init(&b);
    while (payload.len < RECORD_PAYLOAD_MAX)
        buf_addc(&payload, 'x');
    print_one(&b, RECORD_METRICS, buf_str(&payload));
    assert_int_equal(b.len, RECORD_MAX);
    assert_int_equal(record_parse(buf_str(&b), &r, &used, NULL), 1);
    assert_int_equal(r.payload.len, RECORD_PAYLOAD_MAX);
    buf_done(&payload);
    buf_done(&b);
}

static void hello_and_started_survive(void **state)
{
    (void)state;
    struct buf b;
    struct record_hello h = {.pid = 42, .host = STR("n1"), .version = STR("1")};
    struct record_hello h2;
    struct record_started s = {.pid = 43,
                               .pid_start = UINT64_MAX,
                               .wall = 1.7e9,
                               .boot_id = STR("b-1"),
                               .host = STR("n1")};
    struct record_started s2;
    buf_init(&b);
    record_hello_print(&b, &h);
    assert_int_equal(record_hello_parse(buf_str(&b), &h2, NULL), 0);
    assert_true(h2.pid == 42 && str_is(h2.host, "n1"));
    assert_true(str_is(h2.version, "1"));
    for (size_t len = 0; len < b.len; len++)
        assert_int_equal(record_hello_parse(str_n(b.p, len), &h2, NULL), -1);
    buf_reset(&b);
    record_started_print(&b, &s);
    assert_int_equal(record_started_parse(buf_str(&b), &s2, NULL), 0);
    assert_true(s2.pid == 43 && s2.pid_start == UINT64_MAX);
    assert_true(s2.wall == 1.7e9 && str_is(s2.boot_id, "b-1"));
    assert_true(str_is(s2.host, "n1"));
    size_t without_host = b.len - 1 - s.host.len;
    for (size_t len = 0; len < b.len; len++)
        assert_int_equal(record_started_parse(str_n(b.p, len), &s2, NULL),
                         len == without_host ? 0 : -1);
    assert_int_equal(record_started_parse(str_n(b.p, without_host), &s2, NULL),
                     0);
    assert_true(str_is(s2.boot_id, "b-1") && s2.host.len == 0);
    buf_done(&b);
}

static void a_file_survives_and_needs_a_reader_that_knows_it(void **state)
{
    (void)state;
    struct buf b, framed;
    struct record_file f = {.name = STR("")};
    buf_init(&b);
    buf_init(&framed);
    record_file_print(&b, STR("output/w"));
    buf_add(&b, "a\0b", 3);
    assert_int_equal(record_file_parse(buf_str(&b), &f, NULL), 0);
    assert_true(str_is(f.name, "output/w"));
    assert_true(str_eq(f.text, str_n("a\0b", 3)));
    for (size_t len = 0; len < 9; len++)
        assert_int_equal(record_file_parse(str_n(b.p, len), &f, NULL), -1);
    print_one(&framed, RECORD_FILE, buf_str(&b));
    assert_int_equal(framed.p[8], 3);
    struct record r;
    size_t used;
    assert_int_equal(record_parse(buf_str(&framed), &r, &used, NULL), 1);
    assert_true(r.type == RECORD_FILE && record_is_of_task(&r));
    buf_done(&b);
    buf_done(&framed);
}

static void any_end_survives(void **state)
{
    (void)state;
    struct rng g;
    rng_init(&g, 1, 1, "ended");
    for (int i = 0; i < 500; i++) {
        struct buf b;
        struct record_ended e2;
        struct record_ended e = {
            .outcome = (enum outcome)(1 + rng_below(&g, OUTCOME_COUNT - 1)),
            .exit_code = (int32_t)rng_u32(&g),
            .signum = (int32_t)rng_below(&g, 64),
            .wall = rng_uniform(&g) * 2e9,
            .seconds = rng_uniform(&g) * 1e5,
            .cpu_seconds = rng_uniform(&g),
            .max_rss_bytes = rng_u64(&g),
            .output_bytes = rng_u64(&g),
            .checkpoint_digest = rng_u64(&g),
            .metric_points = rng_u64(&g),
            .reason = rng_below(&g, 2) ? STR("out of memory") : STR(""),
            .tail = str_n("a\0b\nc", 5)};
        buf_init(&b);
        record_ended_print(&b, &e);
        assert_int_equal(record_ended_parse(buf_str(&b), &e2, NULL), 0);
        assert_int_equal(e2.outcome, e.outcome);
        assert_int_equal(e2.exit_code, e.exit_code);
        assert_int_equal(e2.signum, e.signum);
        assert_true(e2.wall == e.wall && e2.seconds == e.seconds);
        assert_true(e2.cpu_seconds == e.cpu_seconds);
        assert_true(e2.max_rss_bytes == e.max_rss_bytes);
        assert_true(e2.output_bytes == e.output_bytes);
        assert_true(e2.checkpoint_digest == e.checkpoint_digest);
        assert_true(e2.metric_points == e.metric_points);
        assert_true(str_eq(e2.reason, e.reason) && str_eq(e2.tail, e.tail));
        buf_addc(&b, 'x');
        assert_int_equal(record_ended_parse(buf_str(&b), &e2, NULL), -1);
        buf_done(&b);
    }
}

static void an_end_without_an_outcome_is_damage(void **state)
{
    (void)state;
    struct buf b;
    struct err err = {0};
    struct record_ended e = {.outcome = OUTCOME_DONE}, e2;
    buf_init(&b);
    record_ended_print(&b, &e);
    b.p[0] = OUTCOME_COUNT;
    assert_int_equal(record_ended_parse(buf_str(&b), &e2, &err), -1);
    assert_non_null(strstr(err.text, "unknown outcome 14"));
    b.p[0] = OUTCOME_NONE;
    assert_int_equal(record_ended_parse(buf_str(&b), &e2, &err), -1);
    buf_done(&b);
}

static void faults_come_back_with_their_places(void **state)
{
    (void)state;
    struct buf faults, b;
    buf_init(&faults);
    buf_init(&b);
    struct record_fault two[] = {
        {STR("layers[3].filters"), STR("layers[3].filters: must be …")},
        {STR(""), STR("the rows have no labels")}};
    record_fault_print(&faults, &two[0]);
    record_fault_print(&faults, &two[1]);
    struct record_ended e = {.outcome = OUTCOME_INVALID,
                             .reason = STR("why"),
                             .tail = STR(""),
                             .faults = buf_str(&faults)},
                        got;
    record_ended_print(&b, &e);
    assert_int_equal(record_ended_parse(buf_str(&b), &got, NULL), 0);
    assert_int_equal(got.company, 0);
    struct record_fault f;
    for (size_t i = 0; i < 2; i++) {
        assert_true(record_fault_next(&got.faults, &f));
        assert_true(str_eq(f.at, two[i].at) && str_eq(f.text, two[i].text));
    }
    assert_false(record_fault_next(&got.faults, &f));
    struct str torn = str_n(faults.p, 5);
    assert_false(record_fault_next(&torn, &f));
    buf_done(&faults);
    buf_done(&b);
}

static void what_an_attempt_uses_is_read_as_it_was_written(void **state)
{
    struct record_use u = {.seconds = 7.5,
                           .cpu_seconds = 3,
                           .use = {.device = "cpu", .gpu_busy_s = 1.5}},
                      read = {0};
    struct err err = {0};
    struct buf b;
    (void)state;
    buf_init(&b);
    record_use_print(&b, &u);
    assert_int_equal(record_use_parse(buf_str(&b), &read, &err), 0);
    assert_true(read.seconds == 7.5 && read.cpu_seconds == 3);
    assert_string_equal(read.use.device, "cpu");
    assert_true(read.use.gpu_busy_s == 1.5);
    assert_int_equal(record_use_parse(str_n(b.p, b.len - 1), &read, &err), -1);
    buf_reset(&b);
    u.seconds = -1;
    record_use_print(&b, &u);
    assert_int_equal(record_use_parse(buf_str(&b), &read, &err), -1);
    assert_true(read.seconds == 7.5);
    buf_done(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_frame_is_as_documented),
        cmocka_unit_test(records_behind_each_other_are_read_one_by_one),
        cmocka_unit_test(a_short_read_asks_for_more),
        cmocka_unit_test(every_flipped_bit_is_found),
        cmocka_unit_test(the_first_version_is_still_read),
        cmocka_unit_test(points_say_how_far_the_files_were_read),
        cmocka_unit_test(a_newer_version_is_named),
        cmocka_unit_test(headers_that_make_no_sense_are_damage),
        cmocka_unit_test(absurd_lengths_are_damage_at_once),
        cmocka_unit_test(the_largest_payload_fits),
        cmocka_unit_test(hello_and_started_survive),
        cmocka_unit_test(a_file_survives_and_needs_a_reader_that_knows_it),
        cmocka_unit_test(any_end_survives),
        cmocka_unit_test(an_end_without_an_outcome_is_damage),
        cmocka_unit_test(faults_come_back_with_their_places),
        cmocka_unit_test(what_an_attempt_uses_is_read_as_it_was_written),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
