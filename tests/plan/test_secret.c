/* test_secret.c - words and values without the secrets in them */
#include "plan_test.h"

#define STUDY                                                                  \
    "method: grid\ncommand: ['true']\n"                                        \
    "env: {WANDB_API_KEY: abcd1234}\n"                                         \
    "parameters: {cls_token: {value: k}}\n"

static void becomes(const char *json, const char *expected)
{
    struct reading_test t;
    struct buf b;

    test_read_well(&t, STUDY);
    buf_init(&b);
    json_print(&b, plan_redacted(t.plan, test_json(t.arena, json), t.arena));
    assert_string_equal(b.p, expected);
    buf_done(&b);
    test_done(&t);
}

static void words_of_a_command_stay_apart(void **state)
{
    (void)state;
    becomes("[\"run\",\"--token:\",\"abc\"]", "[\"run\",\"--token:\",\"***\"]");
    becomes("[\"--token\",\"a\\\"b\",\"c\"]", "[\"--token\",\"***\",\"c\"]");
    becomes("[\"--token\",12,\"c\"]", "[\"--token\",\"***\",\"c\"]");
    becomes("[\"A_KEY=a b\\\"c\",\"--password=x y\",\"--lr=1\"]",
            "[\"A_KEY=***\",\"--password=***\",\"--lr=1\"]");
    becomes("[\"--token\"]", "[\"--token\"]");
}

static void a_quote_in_a_line_swallows_nothing(void **state)
{
    (void)state;
    becomes("\"sh -c \\\"A_KEY=xyz run\\\" && more --lr 1\"",
            "\"sh -c \\\"A_KEY=*** run\\\" && more --lr 1\"");
    becomes("[\"sh\",\"-c\",\"A_KEY='x y' run; more \\\"B_KEY=z\\\"\"]",
            "[\"sh\",\"-c\",\"A_KEY=*** run; more \\\"B_KEY=***\\\"\"]");
}

static void members_go_by_their_names(void **state)
{
    (void)state;
    becomes(
        "{\"env\":{\"A_KEY\":\"x\",\"B_KEY\":1,\"C\":\"y\",\"D_KEY\":null}}",
        "{\"env\":{\"A_KEY\":\"***\",\"B_KEY\":\"***\",\"C\":\"y\","
        "\"D_KEY\":null}}");
    becomes("{\"a_token\":[\"x\",2],\"cls_token\":\"x\"}",
            "{\"a_token\":[\"***\",\"***\"],\"cls_token\":\"x\"}");
    becomes("{\"a_key\":{\"value\":1}}", "{\"a_key\":{\"value\":1}}");
}

static void programs_that_take_a_password_are_known(void **state)
{
    (void)state;
    becomes("[\"sshpass\",\"-p\",\"x y\",\"b\"]",
            "[\"sshpass\",\"-p\",\"***\",\"b\"]");
    becomes("[\"/bin/mysql\",\"-pxyz\",\"-p\",\"db\"]",
            "[\"/bin/mysql\",\"-p***\",\"-p\",\"db\"]");
    becomes("[\"curl\",\"-u\",\"me:xyz\",\"-ume:xyz\"]",
            "[\"curl\",\"-u\",\"me:***\",\"-ume:***\"]");
    becomes("[\"sh\",\"-c\",\"sshpass -p xyz a; mkdir -p b\"]",
            "[\"sh\",\"-c\",\"sshpass -p *** a; mkdir -p b\"]");
    becomes("[\"./train\",\"-p\",8080,\"-u\",\"a:b\"]",
            "[\"./train\",\"-p\",8080,\"-u\",\"a:b\"]");
}

static void macros_and_what_is_no_secret_stay(void **state)
{
    (void)state;
    becomes("[\"--a_key=${envvar:A}\",\"--token\",\"${envvar:B}\",true,0.5]",
            "[\"--a_key=${envvar:A}\",\"--token\",\"${envvar:B}\",true,0.5]");
    becomes("[\"--a_key=${envvar:A}x\"]", "[\"--a_key=***\"]");
    becomes("[\"--cls_token\",\"x\"]", "[\"--cls_token\",\"x\"]");
}

static void values_of_secret_variables_are_found_in_any_text(void **state)
{
    (void)state;
    becomes("{\"a\":[{\"b\":\"see abcd1234.\"}]}",
            "{\"a\":[{\"b\":\"see ***.\"}]}");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(words_of_a_command_stay_apart),
        cmocka_unit_test(a_quote_in_a_line_swallows_nothing),
        cmocka_unit_test(members_go_by_their_names),
        cmocka_unit_test(programs_that_take_a_password_are_known),
        cmocka_unit_test(macros_and_what_is_no_secret_stay),
        cmocka_unit_test(values_of_secret_variables_are_found_in_any_text),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
