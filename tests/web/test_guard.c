/* test_guard.c - who may ask */
#include "web/guard.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <cmocka.h>

static const char *const hosts[] = {"hub.example.org", "node7:9000", NULL};
static struct guard g = {.token = "0123456789abcdef0123456789abcdef",
                         .address = "127.0.0.1",
                         .port = 8765,
                         .hosts = hosts};

static int check_headers(const char *headers, bool needs_token)
{
    char text[1024];
    struct http_request r;
    const char *why = NULL;
    int status;
    snprintf(text, sizeof(text), "GET / HTTP/1.1\r\n%s\r\n", headers);
    assert_int_equal(http_head_read(str_of(text), &r, &status, NULL), 1);
    status = guard_check(&g, &r, needs_token, &why);
    assert_true(!status == !why);
    return status;
}

#define TOKEN "0123456789abcdef0123456789abcdef"
#define HOST "Host: 127.0.0.1:8765\r\n"

static void who_brings_the_token_is_let_in(void **state)
{
    (void)state;
    assert_int_equal(
        check_headers(HOST "Authorization: Bearer " TOKEN "\r\n", true), 0);
    assert_int_equal(check_headers(HOST "X-Throng-Token: " TOKEN "\r\n", true),
                     0);
    assert_int_equal(check_headers(HOST, false), 0);
}

static void any_other_token_is_refused(void **state)
{
    (void)state;
    assert_int_equal(check_headers(HOST, true), 401);
    assert_int_equal(check_headers(HOST "Authorization: Bearer \r\n", true),
                     401);
    assert_int_equal(
        check_headers(HOST "Authorization: Bearer " TOKEN "0\r\n", true), 401);
    assert_int_equal(check_headers(HOST "Authorization: Bearer "
                                        "0123456789abcdef0123456789abcdee\r\n",
                                   true),
                     401);
    assert_int_equal(check_headers(HOST "Authorization: " TOKEN "\r\n", true),
                     401);
    assert_int_equal(check_headers(HOST "X-Throng-Token: 0123\r\n", true), 401);
}

static void names_that_point_here_are_not_enough(void **state)
{
    (void)state;
    assert_int_equal(check_headers("Host: evil.example\r\n", false), 421);
    assert_int_equal(check_headers("Host: evil.example:8765\r\n", false), 421);
    assert_int_equal(check_headers("Host: localhost.evil.example\r\n", false),
                     421);
    assert_int_equal(check_headers("Host: \r\n", false), 421);
    assert_int_equal(check_headers("Host: 127.0.0.1:8765:1\r\n", false), 421);
    assert_int_equal(check_headers("Host: LOCALHOST:1234\r\n", false), 0);
    assert_int_equal(check_headers("Host: [::1]:8765\r\n", false), 0);
    assert_int_equal(check_headers("Host: hub.example.org\r\n", false), 0);
    assert_int_equal(check_headers("Host: node7:9000\r\n", false), 0);
    assert_int_equal(check_headers("Host: node7:9001\r\n", false), 421);
}

static void pages_from_elsewhere_may_not_ask(void **state)
{
    (void)state;
    assert_int_equal(
        check_headers(HOST "Origin: http://127.0.0.1:8765\r\n", false), 0);
    assert_int_equal(
        check_headers(HOST "Origin: http://127.0.0.1:9999\r\n", false), 403);
    assert_int_equal(
        check_headers(HOST "Origin: http://evil.example\r\n", false), 403);
    assert_int_equal(check_headers(HOST "Origin: null\r\n", false), 403);
    assert_int_equal(
        check_headers(HOST "Origin: https://hub.example.org\r\n", false), 0);
}

static void tokens_differ(void **state)
{
    struct guard one = {0}, two = {0};
    (void)state;
    assert_int_equal(guard_init(&one, NULL), 0);
    assert_int_equal(guard_init(&two, NULL), 0);
    assert_int_equal(strlen(one.token), GUARD_TOKEN);
    assert_string_not_equal(one.token, two.token);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(who_brings_the_token_is_let_in),
        cmocka_unit_test(any_other_token_is_refused),
        cmocka_unit_test(names_that_point_here_are_not_enough),
        cmocka_unit_test(pages_from_elsewhere_may_not_ask),
        cmocka_unit_test(tokens_differ),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
