/* test_failure_text.c - failures in words */
#include "view/view.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <cmocka.h>

static void expect_normal(const char *line, const char *expected)
{
    struct buf b;
    buf_init(&b);
    failure_normal(&b, str_of(line), STR(""));
    assert_string_equal(b.p, expected);
    buf_done(&b);
}

static void values_of_parameters_do_not_count(void **state)
{
    static const char point[] =
        "{\"deep\":{\"x\":\"in it\"},\"lr\":1,\"on\":\"to\",\"opt\":\"adam\"}";
    static const char *const cases[][2] = {
        {"no optimizer adam here", "no optimizer <opt> here"},
        {"adam", "<opt>"},
        {"adamant to madam", "adamant to madam"},
        {"'adam' at 3", "'<opt>' at N"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct buf b;
        buf_init(&b);
        failure_normal(&b, str_of(cases[i][0]), str_of(point));
        assert_string_equal(b.p, cases[i][1]);
        buf_done(&b);
    }
}

static void numbers_addresses_and_folders_do_not_count(void **state)
{
    (void)state;
    expect_normal("tried to allocate 2.50 GiB", "tried to allocate N GiB");
    expect_normal("loss is 1e-05, was -3", "loss is N, was -N");
    expect_normal("object at 0x7f3a10 lost", "object at 0xN lost");
    expect_normal("cannot open /home/x7/run/a.txt: no",
                  "cannot open …/a.txt: no");
    expect_normal("File \"/srv/3/net.py\", line 12",
                  "File \"…/net.py\", line N");
}

static void numbers_that_belong_to_a_name_stay(void **state)
{
    (void)state;
    expect_normal("conv2d wants float32 on A100",
                  "conv2d wants float32 on A100");
    expect_normal("and/or either/both", "and/or either/both");
    expect_normal("", "");
}

static const char *line_of(enum outcome outcome, const char *reason,
                           const char *tail)
{
    static char text[256];
    struct trial_failure f = {.state = STATE_FAILED,
                              .outcome = outcome,
                              .reason = str_of(reason),
                              .tail = str_of(tail)};
    struct str s = failure_line(&f);
    snprintf(text, sizeof(text), "%.*s", STRF(s));
    return text;
}

static void the_line_that_sounds_like_an_error_is_shown(void **state)
{
    (void)state;
    assert_string_equal(line_of(OUTCOME_FAILED, "exit code 1",
                                "step 1\nValueError: bad\n\nbye\n"),
                        "ValueError: bad");
    assert_string_equal(line_of(OUTCOME_FAILED, "exit code 1", "one\ntwo\n"),
                        "two");
    assert_string_equal(line_of(OUTCOME_FAILED, "exit code 1", ""),
                        "exit code 1");
    assert_string_equal(line_of(OUTCOME_FAILED, "", ""), "failed");
}

static void what_was_done_to_it_counts_more_than_its_words(void **state)
{
    (void)state;
    assert_string_equal(
        line_of(OUTCOME_TIMED_OUT, "ran longer than 1h", "an error: none\n"),
        "ran longer than 1h");
}

static const char *hint_of(enum outcome outcome, int exit_code, int signum,
                           const char *tail)
{
    struct trial_failure f = {.outcome = outcome,
                              .exit_code = exit_code,
                              .signum = signum,
                              .reason = STR(""),
                              .tail = str_of(tail)};
    const char *hint = failure_hint(&f);
    return hint ? hint : "";
}

static void common_causes_have_a_hint(void **state)
{
    (void)state;
    assert_non_null(strstr(
        hint_of(OUTCOME_FAILED, 1, 0, "RuntimeError: CUDA out of memory."),
        "gpus"));
    assert_non_null(
        strstr(hint_of(OUTCOME_FAILED, 1, 0,
                       "ModuleNotFoundError: No module named 'torch'"),
               "setup"));
    assert_non_null(
        strstr(hint_of(OUTCOME_FAILED, 127, 0, "x: not found"), "127"));
    assert_non_null(strstr(hint_of(OUTCOME_FAILED, -1, 9, ""), "memory"));
    assert_non_null(
        strstr(hint_of(OUTCOME_MEMORY, -1, 9, ""), "resources: memory"));
    assert_non_null(
        strstr(hint_of(OUTCOME_INVALID, 78, 0, ""), "exit code 78 says"));
    assert_null(strstr(hint_of(OUTCOME_INVALID, 0, 0, ""), "exit code"));
    assert_string_equal(hint_of(OUTCOME_FAILED, 1, 0, "hm"), "");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(numbers_addresses_and_folders_do_not_count),
        cmocka_unit_test(numbers_that_belong_to_a_name_stay),
        cmocka_unit_test(values_of_parameters_do_not_count),
        cmocka_unit_test(the_line_that_sounds_like_an_error_is_shown),
        cmocka_unit_test(what_was_done_to_it_counts_more_than_its_words),
        cmocka_unit_test(common_causes_have_a_hint),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
