/* test_print.c - command lines for people */
#include "plan_test.h"

#define HEAD                                                                   \
    "method: grid\nparameters: {max_tokens: {value: 1}, my_key: {value: k}}\n"

static void prints(const char *command, const char *expected, bool redact)
{
    struct reading_test t;
    const struct arg *argv = NULL;
    size_t argc = 0;
    struct buf b;
    char text[1024];

    snprintf(text, sizeof(text), HEAD "program: p.py\ncommand: %s\n", command);
    test_read_well(&t, text);
    assert_int_equal(plan_command(t.plan,
                                  test_json(t.arena, "{\"max_tokens\": 1, "
                                                     "\"my_key\": \"k\"}"),
                                  t.arena, &argv, &argc, NULL),
                     0);
    buf_init(&b);
    plan_print_command(&b, t.plan, argv, argc, redact);
    assert_string_equal(b.p, expected);
    buf_done(&b);
    test_done(&t);
}

static void a_line_can_be_pasted_into_a_shell(void **state)
{
    (void)state;
    prints("[run, 'a b', \"it's\", '', '$x']", "run 'a b' 'it'\\''s' '' '$x'",
           false);
    prints("['${env}', '${interpreter}', '${program}', '${args_json_file}']",
           "/usr/bin/env python p.py \"$THRONG_PARAMS\"", false);
    prints("['${envvar:HOME}/a b', 'x${envvar:U}']", "\"$HOME\"'/a b' x\"$U\"",
           false);
}

static void secrets_are_left_out(void **state)
{
    (void)state;
    prints("[run, --api-key=s3cr3t, --lr=1]", "run '--api-key=***' --lr=1",
           true);
    prints("[run, --api_token, s3cr3t, x]", "run --api_token '***' x", true);
    prints("[env, WANDB_API_KEY=s3cr3t, run]", "env 'WANDB_API_KEY=***' run",
           true);
    prints("[run, '--db-password=two words']", "run '--db-password=***'", true);
    prints("[run, --client_secret=x, --token, y]",
           "run '--client_secret=***' --token '***'", true);
    prints("[run, --api-key=s3cr3t]", "run --api-key=s3cr3t", false);
}

static void what_only_looks_like_a_secret_stays(void **state)
{
    (void)state;
    prints("[run, --max_tokens=5, --my_key=5, '${args}']",
           "run --max_tokens=5 --my_key=5 --max_tokens=1 --my_key=k", true);
    prints("[run, --key=5, --tokenizer=bpe, --monkey=1]",
           "run --key=5 --tokenizer=bpe --monkey=1", true);
}

static void secrets_in_a_shell_line_are_left_out(void **state)
{
    (void)state;
    prints("API_KEY='a b' run --password x --n 1 | tee y",
           "/bin/sh -c 'API_KEY=*** run --password *** --n 1 | tee y'", true);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_line_can_be_pasted_into_a_shell),
        cmocka_unit_test(secrets_are_left_out),
        cmocka_unit_test(what_only_looks_like_a_secret_stays),
        cmocka_unit_test(secrets_in_a_shell_line_are_left_out),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
