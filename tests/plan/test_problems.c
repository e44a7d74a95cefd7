/* test_problems.c - what is said of a file with mistakes */
#include "plan_test.h"

static void all_mistakes_of_a_file_are_said_at_once(void **state)
{
    struct reading_test t;

    (void)state;
    test_read(&t, "progam: train.py\n"
                  "method: gird\n"
                  "parameters:\n"
                  "  lr: {min: 0.1, max: 0.01}\n"
                  "  bs: [1, 2]\n"
                  "  n: {value: 007}\n"
                  "command: ['${arg}', x]\n"
                  "parallel: 0\n");
    assert_string_equal(
        t.said.p,
        "study.yaml:1:1: error: no key 'progam' (did you mean 'program'?)\n"
        "study.yaml:2:9: error: method cannot be 'gird' (did you mean "
        "'grid'?)\n"
        "study.yaml:4:13: error: parameter 'lr': min 0.1 is above max 0.01\n"
        "study.yaml:5:7: error: parameter 'bs' must be an object (write bs: "
        "{values: […]})\n"
        "study.yaml:6:14: error: '007' has leading zeros (drop the zeros, or "
        "put it in quotes to make it text)\n"
        "study.yaml:7:11: error: command: no macro '${arg}' (did you mean "
        "'${args}'? a variable of the shell is written $${arg}; the macros "
        "are ${env}, ${interpreter}, ${program}, "
        "${args}, ${args_no_equals}, ${args_no_hyphens}, "
        "${args_no_boolean_flags}, ${args_json}, ${args_json_file}, "
        "${args_candle}, "
        "${envvar:NAME})\n"
        "study.yaml:8:11: error: parallel must be at least 1, not 0\n");
    test_done(&t);
}

static void control_characters_do_not_reach_the_terminal(void **state)
{
    struct reading_test t;

    (void)state;
    test_read(&t, "program: a\nmethod: \"\\e[31mred\"\n"
                  "parameters: {a: {value: 1}}\n\"\\a\\r\": 1\n");
    for (size_t i = 0; i < t.said.len; i++)
        assert_true((unsigned char)t.said.p[i] >= 0x20 || t.said.p[i] == '\n');
    assert_non_null(strstr(t.said.p, "'?[31mred'"));
    test_done(&t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_mistakes_of_a_file_are_said_at_once),
        cmocka_unit_test(control_characters_do_not_reach_the_terminal),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
