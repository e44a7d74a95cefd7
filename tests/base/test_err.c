/* test_err.c - error texts and the log, which shares their formatting */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "base/log.h"
#include "base/str.h"

static void setting_an_error_formats_and_returns_minus_one(void **state)
{
    (void)state;
    struct err err = {0};
    assert_int_equal(err_set(&err, ERR_INPUT, "line %d is wrong", 7), -1);
    assert_int_equal(err.kind, ERR_INPUT);
    assert_string_equal(err.text, "line 7 is wrong");
}

static void nobody_needs_to_listen(void **state)
{
    (void)state;
    assert_int_equal(err_set(NULL, ERR_INPUT, "x"), -1);
    assert_int_equal(err_wrap(NULL, "x"), -1);
    assert_int_equal(err_errno(NULL, "x"), -1);
}

static void wrapping_puts_words_in_front_and_keeps_the_kind(void **state)
{
    (void)state;
    struct err err = {0};
    err_set(&err, ERR_BUSY, "held by %s", "node1");
    assert_int_equal(err_wrap(&err, "open %s", "a.db"), -1);
    assert_string_equal(err.text, "open a.db: held by node1");
    assert_int_equal(err.kind, ERR_BUSY);
}

static void an_error_may_quote_itself(void **state)
{
    (void)state;
    struct err err = {0};
    err_set(&err, ERR_INPUT, "inner");
    err_set(&err, ERR_INPUT, "outer (%s)", err.text);
    assert_string_equal(err.text, "outer (inner)");
    err_wrap(&err, "again %s", err.text);
    assert_string_equal(err.text, "again outer (inner): outer (inner)");
}

static void system_errors_carry_the_reason(void **state)
{
    (void)state;
    struct err err = {0};
    errno = ENOENT;
    assert_int_equal(err_errno(&err, "open %s", "x"), -1);
    assert_int_equal(errno, ENOENT);
    assert_int_equal(err.kind, ERR_SYSTEM);
    assert_string_equal(err.text, "open x: No such file or directory");
}

static void a_full_disk_and_a_full_quota_have_their_own_kind(void **state)
{
    (void)state;
    struct err err = {0};
    errno = ENOSPC;
    err_errno(&err, "write");
    assert_int_equal(err.kind, ERR_FULL);
    errno = EDQUOT;
    err_errno(&err, "write");
    assert_int_equal(err.kind, ERR_FULL);
}

static void long_texts_are_cut_between_characters(void **state)
{
    (void)state;
    /* Of the four shifts, three would cut within the euro sign. */
    for (size_t shift = 0; shift < 4; shift++) {
        char text[3000];
        memset(text, 'a', shift);
        for (size_t i = shift; i + 3 < sizeof(text); i += 3)
            memcpy(text + i, "\xE2\x82\xAC", 4);
        struct err err = {0};
        err_set(&err, ERR_INPUT, "%s", text);
        assert_true(strlen(err.text) >= sizeof(err.text) - 4);
        assert_true(str_utf8(str_of(err.text)));
        err_wrap(&err, "%s", "in front");
        assert_true(str_utf8(str_of(err.text)));
        assert_memory_equal(err.text, "in front: ", 10);
        errno = ENOENT;
        err_errno(&err, "%s", text);
        assert_true(str_utf8(str_of(err.text)));
    }
}

struct heard {
    int count;
    enum log_level level;
    char text[64];
};

static void hear(void *context, enum log_level level, const char *text)
{
    struct heard *h = context;
    h->count++;
    h->level = level;
    strncpy(h->text, text, sizeof(h->text) - 1);
}

static void the_log_drops_what_is_below_its_level(void **state)
{
    (void)state;
    struct heard heard = {0};
    struct log log = {hear, &heard, LOG_NOTICE};
    log_to(&log, LOG_INFO, "quiet");
    assert_int_equal(heard.count, 0);
    log_to(&log, LOG_WARN, "loud %d", 3);
    assert_int_equal(heard.count, 1);
    assert_int_equal(heard.level, LOG_WARN);
    assert_string_equal(heard.text, "loud 3");
    log_to(NULL, LOG_ERROR, "nobody");
    assert_string_equal(log_level_name(LOG_WARN), "warning");
}

static void empty_allocations_are_not_null(void **state)
{
    (void)state;
    void *p = xmalloc(0), *q = xcalloc(0, 8);
    assert_non_null(p);
    assert_non_null(q);
    p = xrealloc(p, 0);
    assert_non_null(p);
    free(p);
    free(q);
    char *s = xstrdup("text");
    assert_string_equal(s, "text");
    free(s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(setting_an_error_formats_and_returns_minus_one),
        cmocka_unit_test(nobody_needs_to_listen),
        cmocka_unit_test(wrapping_puts_words_in_front_and_keeps_the_kind),
        cmocka_unit_test(an_error_may_quote_itself),
        cmocka_unit_test(system_errors_carry_the_reason),
        cmocka_unit_test(a_full_disk_and_a_full_quota_have_their_own_kind),
        cmocka_unit_test(long_texts_are_cut_between_characters),
        cmocka_unit_test(the_log_drops_what_is_below_its_level),
        cmocka_unit_test(empty_allocations_are_not_null),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
