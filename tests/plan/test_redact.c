/* test_redact.c - texts without the secrets in them */
#include "plan_test.h"

#define STUDY                                                                  \
    "method: grid\ncommand: ['true']\n"                                        \
    "env: {WANDB_API_KEY: abcd1234, MY_TOKEN: '${envvar:T}', X: plain}\n"      \
    "parameters: {max_tokens: {value: 1}, cls_token: {value: k}}\n"

static void becomes(const char *text, const char *expected)
{
    struct reading_test t;
    struct buf b;

    test_read_well(&t, STUDY);
    buf_init(&b);
    plan_redact(&b, t.plan, str_of(text));
    assert_string_equal(b.p, expected);
    buf_done(&b);
    test_done(&t);
}

static void what_follows_a_secret_name_is_replaced(void **state)
{
    (void)state;
    becomes("--api_key=xyz --b=1", "--api_key=*** --b=1");
    becomes("API-TOKEN = xyz\nnext", "API-TOKEN = ***\nnext");
    becomes("PASSWORD: two words\nb: 1", "PASSWORD: ***\nb: 1");
    becomes("{A_SECRET: xyz, b: 1}", "{A_SECRET: ***, b: 1}");
    becomes("self.api_key = 'x\"y'", "self.api_key = '***'");
}

static void quotes_of_json_stay_whole(void **state)
{
    (void)state;
    becomes("{\"api_key\":\"x\\\"y\",\"b\":1}",
            "{\"api_key\":\"***\",\"b\":1}");
    becomes("[\"--api_key=xyz\",\"b\"]", "[\"--api_key=***\",\"b\"]");
    becomes("\"sh -c \\\"a_key=xyz\\\" b\"", "\"sh -c \\\"a_key=***\\\" b\"");
}

static void the_word_behind_an_option_is_replaced(void **state)
{
    (void)state;
    becomes("[--password, xyz, b]", "[--password, ***, b]");
    becomes("[\"--password\",\"xyz\",\"b\"]", "[\"--password\",\"***\",\"b\"]");
    becomes("  - --password\n  - xyz\n", "  - --password\n  - ***\n");
    becomes("the password is good", "the password is good");
}

static void values_of_secret_variables_are_found_anywhere(void **state)
{
    (void)state;
    becomes("curl abcd1234 plain", "curl *** plain");
}

static void what_is_no_secret_stays(void **state)
{
    (void)state;
    becomes("--max_tokens=5 cls_token: k key=1 tokens: 3 keyboard=x",
            "--max_tokens=5 cls_token: k key=1 tokens: 3 keyboard=x");
    becomes("A_KEY: ${envvar:A}", "A_KEY: ${envvar:A}");
    becomes("--a_key=", "--a_key=");
    becomes("--a_key", "--a_key");
    becomes("", "");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_follows_a_secret_name_is_replaced),
        cmocka_unit_test(quotes_of_json_stay_whole),
        cmocka_unit_test(the_word_behind_an_option_is_replaced),
        cmocka_unit_test(values_of_secret_variables_are_found_anywhere),
        cmocka_unit_test(what_is_no_secret_stays),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
