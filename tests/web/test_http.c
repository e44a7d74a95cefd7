/* test_http.c - requests of HTTP/1.1 */
#include "web/http.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <cmocka.h>

static struct http_request r;
static struct err err;

static int read_text(const char *text, int *status)
{
    *status = 0;
    err = (struct err){0};
    return http_head_read(str_of(text), &r, status, &err);
}

static void assert_refused(const char *text, int expected)
{
    int status;
    assert_int_equal(read_text(text, &status), -1);
    assert_int_equal(status, expected);
    assert_true(err.text[0]);
}

static void a_request_is_read(void **state)
{
    int status;
    (void)state;
    const char *text =
        "GET /api/v1/studies?by=loss&n=3 HTTP/1.1\r\n"
        "Host: localhost:8765\r\nX-Throng-Token:  ab \r\n\r\nrest";
    assert_int_equal(read_text(text, &status), 1);
    assert_true(str_is(r.method, "GET"));
    assert_true(str_is(r.path, "/api/v1/studies"));
    assert_true(str_is(r.query, "by=loss&n=3"));
    assert_true(r.keep);
    assert_int_equal(r.head_bytes, strlen(text) - 4);
    assert_int_equal(r.body_bytes, 0);
    assert_true(str_is(http_header_of(&r, "x-throng-token"), "ab"));
    assert_null(http_header_of(&r, "Origin").p);
}

static void what_has_not_come_whole_is_waited_for(void **state)
{
    const char text[] =
        "POST /x HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\n\r\n";
    int status;
    (void)state;
    for (size_t i = 0; i < sizeof(text) - 1; i++)
        assert_int_equal(http_head_read(str_n(text, i), &r, &status, &err), 0);
    assert_int_equal(read_text(text, &status), 1);
    assert_int_equal(r.body_bytes, 5);
}

static void old_or_closing_clients_are_not_kept(void **state)
{
    int status;
    (void)state;
    assert_int_equal(read_text("GET / HTTP/1.0\r\nHost: a\r\n\r\n", &status),
                     1);
    assert_false(r.keep);
    assert_int_equal(
        read_text("GET / HTTP/1.1\r\nHost: a\r\nConnection: Close\r\n\r\n",
                  &status),
        1);
    assert_false(r.keep);
}

static void what_is_no_request_is_refused(void **state)
{
    static const char *const bad[] = {
        "GET\r\n\r\n",
        "GET /\r\n\r\n",
        "GET  / HTTP/1.1\r\nHost: a\r\n\r\n",
        "GET / HTTP/1.1 x\r\nHost: a\r\n\r\n",
        "G\x01T / HTTP/1.1\r\nHost: a\r\n\r\n",
        "GET http://a/ HTTP/1.1\r\nHost: a\r\n\r\n",
        "GET / HTTP/1.1\nHost: a\n\n",
        "GET / HTTP/1.1\r\nHost: a\r\n folded\r\n\r\n",
        "GET / HTTP/1.1\r\nHost : a\r\n\r\n",
        "GET / HTTP/1.1\r\nno colon\r\n\r\n",
        "GET / HTTP/1.1\r\n\r\n",
        "GET / HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n",
        ("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\n"
         "Content-Length: 2\r\n\r\n"),
        "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: +1\r\n\r\n",
        "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: -1\r\n\r\n",
    };
    (void)state;
    for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
        assert_refused(bad[i], 400);
    assert_refused("GET / HTTP/2\r\nHost: a\r\n\r\n", 400);
    assert_refused("POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked"
                   "\r\n\r\n",
                   411);
    assert_refused("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 99999999\r\n"
                   "\r\n",
                   413);
    assert_refused("POST / HTTP/1.1\r\nHost: a\r\n"
                   "Content-Length: 99999999999999999999\r\n\r\n",
                   413);
}

static void what_never_ends_is_refused(void **state)
{
    struct buf b;
    (void)state;
    buf_init(&b);
    buf_adds(&b, "GET /");
    while (b.len < HTTP_HEAD_MAX)
        buf_addc(&b, 'a');
    assert_refused(b.p, 414);
    buf_reset(&b);
    buf_adds(&b, "GET / HTTP/1.1\r\nHost: ");
    while (b.len < HTTP_HEAD_MAX)
        buf_addc(&b, 'a');
    assert_refused(b.p, 431);
    buf_reset(&b);
    buf_adds(&b, "GET / HTTP/1.1\r\nHost: a\r\n");
    for (int i = 0; i < HTTP_HEADERS_MAX; i++)
        buf_addf(&b, "a%d: b\r\n", i);
    buf_adds(&b, "\r\n");
    assert_refused(b.p, 431);
    buf_done(&b);
}

static void a_query_is_decoded(void **state)
{
    struct buf b;
    struct str query = STR("where=loss%3C0.1+and+lr%3e1&n=&x&bad=%4&nul=%00");
    (void)state;
    buf_init(&b);
    assert_int_equal(http_query(query, "where", &b), 1);
    assert_string_equal(b.p, "loss<0.1 and lr>1");
    buf_reset(&b);
    assert_int_equal(http_query(query, "n", &b), 1);
    assert_string_equal(b.p, "");
    assert_int_equal(http_query(query, "x", &b), 1);
    assert_string_equal(b.p, "");
    assert_int_equal(http_query(query, "whe", &b), 0);
    assert_int_equal(http_query(query, "bad", &b), -1);
    buf_reset(&b);
    assert_int_equal(http_query(query, "nul", &b), -1);
    buf_reset(&b);
    assert_true(http_decode(&b, STR("a+b%2Fc"), false));
    assert_string_equal(b.p, "a+b/c");
    assert_false(http_decode(&b, STR("%ff"), false));
    buf_done(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_request_is_read),
        cmocka_unit_test(what_has_not_come_whole_is_waited_for),
        cmocka_unit_test(old_or_closing_clients_are_not_kept),
        cmocka_unit_test(what_is_no_request_is_refused),
        cmocka_unit_test(what_never_ends_is_refused),
        cmocka_unit_test(a_query_is_decoded),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
