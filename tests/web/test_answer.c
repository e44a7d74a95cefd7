/* test_answer.c - what a request is answered with */
#include "web/answer.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <cmocka.h>

static struct http_request request_of(const char *text)
{
    struct http_request r;
    int status;
    assert_int_equal(http_head_read(str_of(text), &r, &status, NULL), 1);
    return r;
}

static void print(struct buf *out, struct answer *a, const char *headers)
{
    char text[512];
    snprintf(text, sizeof(text), "GET / HTTP/1.1\r\nHost: a\r\n%s\r\n",
             headers);
    struct http_request r = request_of(text);
    answer_print(out, a, &r, "X-Always: yes\r\n");
}

static void an_answer_says_its_length_and_is_not_kept(void **state)
{
    struct answer a;
    struct buf out;
    (void)state;
    answer_init(&a);
    buf_init(&out);
    buf_adds(&a.body, "{}");
    print(&out, &a, "");
    assert_non_null(strstr(out.p, "HTTP/1.1 200 OK\r\n"));
    assert_non_null(strstr(out.p, "Content-Length: 2\r\n"));
    assert_non_null(strstr(out.p, "Cache-Control: no-store\r\n"));
    assert_non_null(strstr(out.p, "X-Always: yes\r\n\r\n{}"));
    buf_done(&out);
    answer_done(&a);
}

static void a_failure_is_json(void **state)
{
    struct answer a;
    struct buf out;
    (void)state;
    answer_init(&a);
    buf_init(&out);
    buf_adds(&a.body, "half an answ");
    answer_fail(&a, 404, "no \"x\"");
    print(&out, &a, "");
    assert_non_null(strstr(out.p, "404 Not Found"));
    assert_non_null(strstr(
        out.p,
        "\r\n\r\n{\"error\":{\"status\":404,\"text\":\"no \\\"x\\\"\"}}"));
    buf_done(&out);
    answer_done(&a);
}

static void long_answers_are_packed_for_who_takes_it(void **state)
{
    struct answer a;
    struct buf out;
    (void)state;
    answer_init(&a);
    buf_init(&out);
    for (int i = 0; i < 10000; i++)
        buf_adds(&a.body, "abc");
    print(&out, &a, "Accept-Encoding: br, gzip;q=1.0\r\n");
    assert_non_null(strstr(out.p, "Content-Encoding: gzip\r\n"));
    assert_true(out.len < 2000);
    /* The same, for who does not: it is unpacked again. */
    buf_reset(&out);
    print(&out, &a, "");
    assert_null(strstr(out.p, "Content-Encoding"));
    assert_non_null(strstr(out.p, "Content-Length: 30000\r\n"));
    assert_true(str_ends(buf_str(&out), STR("abcabc")));
    buf_done(&out);
    answer_done(&a);
}

static void what_is_known_is_not_sent_again(void **state)
{
    struct answer a;
    struct buf out;
    char header[80];
    (void)state;
    answer_init(&a);
    buf_init(&out);
    buf_adds(&a.body, "page");
    a.kept = true;
    answer_tag(&a);
    snprintf(header, sizeof(header), "If-None-Match: %s\r\n", a.tag);
    print(&out, &a, header);
    assert_non_null(strstr(out.p, "304 Not Modified"));
    assert_non_null(strstr(out.p, "Cache-Control: no-cache\r\n"));
    assert_true(str_ends(buf_str(&out), STR("\r\n\r\n")));
    buf_done(&out);
    answer_done(&a);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_answer_says_its_length_and_is_not_kept),
        cmocka_unit_test(a_failure_is_json),
        cmocka_unit_test(long_answers_are_packed_for_who_takes_it),
        cmocka_unit_test(what_is_known_is_not_sent_again),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
