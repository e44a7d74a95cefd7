/* test_command.c - reading the command */
#include "plan_test.h"

#define HEAD                                                                   \
    "program: a.py\nmethod: grid\nparameters: {lr: {value: 0.1}}\ncommand: "
#define ALONE "method: grid\nparameters: {lr: {value: 0.1}}\ncommand: "

static void the_default_is_what_wandb_runs(void **state)
{
    struct reading_test t;

    (void)state;
    test_read_well(&t, "program: a.py\nmethod: grid\n"
                       "parameters: {lr: {value: 0.1}}\n");
    assert_int_equal(t.plan->command_count, 4);
    test_argv_is(&t, "{\"lr\": 0.1}",
                 "[\"/usr/bin/env\",{\"interpreter\":\"python\"},\"a.py\","
                 "\"--lr=0.1\"]");
    test_done(&t);
}

static void every_macro_is_known(void **state)
{
    static const struct {
        const char *text;
        enum command_kind kind;
    } rows[] = {
        {"${env}", COMMAND_ENV},
        {"${interpreter}", COMMAND_INTERPRETER},
        {"${program}", COMMAND_PROGRAM},
        {"${args}", COMMAND_ARGS},
        {"${args_no_equals}", COMMAND_ARGS_NO_EQUALS},
        {"${args_no_hyphens}", COMMAND_ARGS_NO_HYPHENS},
        {"${args_no_boolean_flags}", COMMAND_ARGS_NO_BOOLEAN_FLAGS},
        {"${args_json}", COMMAND_ARGS_JSON},
        {"${args_json_file}", COMMAND_ARGS_JSON_FILE},
        {"${envvar:HOME}", COMMAND_TEXT},
        {"plain", COMMAND_TEXT},
    };
    struct reading_test t;

    (void)state;
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        char text[512];

        snprintf(text, sizeof(text), HEAD "['%s']\n", rows[i].text);
        test_read_well(&t, text);
        assert_int_equal(t.plan->command_count, 1);
        assert_int_equal(t.plan->command[0].kind, rows[i].kind);
        test_done(&t);
    }
}

static void an_unknown_macro_is_refused_with_the_list(void **state)
{
    (void)state;
    test_says(HEAD "['${arg}']\n",
              "4:11: error: command: no macro '${arg}' (did you mean "
              "'${args}'? a variable of the shell is written $${arg}; the "
              "macros are ${env}, ");
    test_says(HEAD "['--x=${foo_bar_baz}']\n",
              "command: no macro '${foo_bar_baz}' (a variable of the shell is "
              "written $${foo_bar_baz}; the macros are ${env}");
    test_says(HEAD "['--x=${args}']\n",
              "command: ${args} must be an element of its own");
    test_says(HEAD "['--lr=${lr}']\n",
              "no macro '${lr}' (a parameter is written {lr}, a variable of "
              "the shell $${lr})");
    test_says(HEAD "['${envvar:}']\n", "'${envvar:}' does not name a");
    test_says(HEAD "['${envvar:{lr}}']\n", "does not name a variable");
    test_says("program: ${x}\nmethod: grid\nparameters: {a: {value: 1}}\n",
              "1:10: error: command: no macro '${x}'");
}

static void a_script_for_a_shell_keeps_its_own_variables(void **state)
{
    struct reading_test t;

    (void)state;
    test_read_well(&t, ALONE "[bash, -c, 'echo ${HOME} {lr}']\n");
    test_argv_is(&t, "{\"lr\": 0.1}", "[\"bash\",\"-c\",\"echo ${HOME} 0.1\"]");
    test_done(&t);
    test_says(ALONE "[bash, -c, 'echo ${lr}']\n", "no macro '${lr}'");
}

static void two_dollars_make_a_variable_the_shells_own(void **state)
{
    struct reading_test t;

    (void)state;
    test_read_well(&t, ALONE "[bash, -c, 'for lr in 1; do echo $${lr} {lr}; "
                             "done']\n");
    test_argv_is(&t, "{\"lr\": 0.1}",
                 "[\"bash\",\"-c\",\"for lr in 1; do echo ${lr} 0.1; "
                 "done\"]");
    test_done(&t);
    test_read_well(&t, ALONE "'echo $${env} $${lr} {lr} | cat'\n");
    test_argv_is(&t, "{\"lr\": 0.1}",
                 "[\"/bin/sh\",\"-c\",\"echo ${env} ${lr} 0.1 | cat\"]");
    test_done(&t);
    test_read_well(&t, HEAD "['--x=$${lr}', '{lr}']\n");
    test_argv_is(&t, "{\"lr\": 0.1}", "[\"--x=${lr}\",\"0.1\"]");
    test_done(&t);
}

static void a_name_in_braces_that_no_parameter_has_is_said(void **state)
{
    struct reading_test t;

    (void)state;
    test_read_well(&t, ALONE "[./a, '--lr={learning_rate}', '{l}']\n");
    assert_non_null(strstr(t.said.p, "3:10: warning: command: no parameter is "
                                     "called 'learning_rate', so "
                                     "{learning_rate} stays as it is (the "
                                     "parameters are lr)"));
    assert_non_null(strstr(t.said.p, "did you mean {lr}?"));
    test_done(&t);
    test_read_well(&t, ALONE "[awk, '{print}', '-x={lr}']\n");
    assert_string_equal(t.said.p, "");
    test_done(&t);
    test_read_well(&t, ALONE "awk '{print}' f | sort -k {lr} ${HOME}\n");
    assert_string_equal(t.said.p, "");
    test_done(&t);
}

static void elements_must_be_text(void **state)
{
    struct reading_test t;

    (void)state;
    test_read_well(&t, ALONE "[run, 5, 1e-5, true]\n");
    test_argv_is(&t, "{}", "[\"run\",\"5\",\"1e-05\",\"True\"]");
    test_done(&t);
    test_says(ALONE "[run, [a]]\n", "an element must be text, not a list");
    test_says(ALONE "[run, {lr}]\n",
              "an element must be text, not an object (write \"{name}\" in "
              "quotes)");
    test_says(ALONE "[run, null]\n", "an element must be text, not nothing");
}

static void a_string_is_split_like_a_shell_does(void **state)
{
    static const char *const rows[][2] = {
        {"a b  c", "[\"a\",\"b\",\"c\"]"},
        {"a 'b c' \"d e\"", "[\"a\",\"b c\",\"d e\"]"},
        {"a b\\ c '' x\"y\"z", "[\"a\",\"b c\",\"\",\"xyz\"]"},
        {"a \"q\\\"r\\n\" 'it\\n'", "[\"a\",\"q\\\"r\\\\n\",\"it\\\\n\"]"},
        {"a 'x | y' \"; z\"", "[\"a\",\"x | y\",\"; z\"]"},
        {"run --lr={lr} {x}", "[\"run\",\"--lr=0.1\",\"{x}\"]"},
        {"# don't {lr}\n  # can't\n  run {lr}", "[\"run\",\"0.1\"]"},
        {"# don't\n  run {lr}", "[\"run\",\"0.1\"]"},
        {"run #5", "[\"run\",\"#5\"]"},
        {"exec sh -c 'x {lr}'", "[\"sh\",\"-c\",\"x 0.1\"]"},
        {"command run {lr}", "[\"run\",\"0.1\"]"},
        {"run ${args} ${envvar:X}/a",
         "[\"run\",\"--lr=0.1\",{\"expand\":\"${envvar:X}/a\"}]"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        struct reading_test t;
        char text[512];

        snprintf(text, sizeof(text), ALONE "|-\n  %s\n", rows[i][0]);
        test_read_well(&t, text);
        test_argv_is(&t, "{\"lr\": 0.1}", rows[i][1]);
        test_done(&t);
    }
}

static void a_string_that_needs_a_shell_gets_one(void **state)
{
    static const char *const rows[][2] = {
        {"a | b", "a | b"},
        {"a > {lr}.txt", "a > 0.1.txt"},
        {"a < x", "a < x"},
        {"a; b", "a; b"},
        {"a && b", "a && b"},
        {"echo `date`", "echo `date`"},
        {"echo $(date)", "echo $(date)"},
        {"echo \"$(date)\"", "echo \\\"$(date)\\\""},
        {"x ${args} > y", "x --lr=0.1 > y"},
        {"x ${args_json} > y",
         "throng1='{\\\"lr\\\":0.1}'; x \\\"${throng1}\\\" > y"},
        {"x ${args_json_file} > y", "x \\\"${THRONG_PARAMS}\\\" > y"},
        {"x ${HOME} > y", "x ${HOME} > y"},
        {"x {lr} {undeclared} | y", "x 0.1 {undeclared} | y"},
        {"cd a", "cd a"},
        {"exec -a b c", "exec -a b c"},
        {"X={lr} y", "X=0.1 y"},
        {"# don't\n  a\n  b", "a\\nb"},
        {"a # don't\n  # can't\n  b", "a # don't\\n# can't\\nb"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        struct reading_test t;
        char text[512], expected[512];

        snprintf(text, sizeof(text), ALONE "|-\n  %s\n", rows[i][0]);
        snprintf(expected, sizeof(expected), "[\"/bin/sh\",\"-c\",\"%s\"]",
                 rows[i][1]);
        test_read_well(&t, text);
        test_argv_is(&t, "{\"lr\": 0.1}", expected);
        test_done(&t);
    }
}

static void mistakes_in_a_string_are_named(void **state)
{
    (void)state;
    test_says(ALONE "a 'b\n", "command: a quote is never closed");
    test_says(ALONE "a $HOME/x\n",
              "warning: command: '$HOME/x' stays as it is; no shell runs");
    test_says(ALONE "a ${arsg} > b\n", "no macro '${arsg}'");
    test_says(ALONE "''\n", "command is empty");
    test_says(ALONE "'  '\n", "command is empty");
    test_says(ALONE "'# nothing'\n", "command is empty");
    test_says(ALONE "[exec, sh, -c, x]\n", "only a shell knows 'exec'");
}

static void the_script_of_a_shell_may_hold_variables(void **state)
{
    (void)state;
    struct reading_test t;
    test_read_well(&t, ALONE "sh -c 'echo $HOME'\n");
    assert_int_equal(t.problems.list.len, 0);
    test_done(&t);
}

static void what_to_run_must_be_said(void **state)
{
    (void)state;
    test_says("method: grid\nparameters: {a: {value: 1}}\n",
              "study.yaml: error: the study does not say what to run");
    test_says(ALONE "['${program}']\n",
              "command uses ${program}, but program is missing");
    test_says(ALONE "x ${program} | y\n",
              "command uses ${program}, but program is missing");
    test_says(HEAD "[x]\n", "1:10: warning: program is not used");
    test_says("program: run.sh\nmethod: grid\nparameters: {a: {value: 1}}\n",
              "1:10: warning: program 'run.sh' is started with python");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_default_is_what_wandb_runs),
        cmocka_unit_test(every_macro_is_known),
        cmocka_unit_test(an_unknown_macro_is_refused_with_the_list),
        cmocka_unit_test(a_script_for_a_shell_keeps_its_own_variables),
        cmocka_unit_test(two_dollars_make_a_variable_the_shells_own),
        cmocka_unit_test(a_name_in_braces_that_no_parameter_has_is_said),
        cmocka_unit_test(elements_must_be_text),
        cmocka_unit_test(a_string_is_split_like_a_shell_does),
        cmocka_unit_test(a_string_that_needs_a_shell_gets_one),
        cmocka_unit_test(mistakes_in_a_string_are_named),
        cmocka_unit_test(the_script_of_a_shell_may_hold_variables),
        cmocka_unit_test(what_to_run_must_be_said),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
