/* test_argv.c - values in arguments */
#include "plan_test.h"

#define HEAD                                                                   \
    "method: random\nrun_cap: 1\nparameters:\n"                                \
    "  s: {values: [a]}\n  n: {min: 0.0, max: 1.0}\n"                          \
    "  o: {parameters: {lr: {value: 1}, mode: {values: [x, y]},"               \
    " m: {value: 2, when: {mode: x}}}}\n"                                      \
    "program: p.py\ncommand: "

static void check(const char *command, const char *point, const char *expected)
{
    struct reading_test t;
    char text[1024];

    snprintf(text, sizeof(text), HEAD "%s\n", command);
    test_read_well(&t, text);
    test_argv_is(&t, point, expected);
    test_done(&t);
}

static void arguments_are_in_the_order_of_names(void **state)
{
    (void)state;
    check("['${args}']", "{\"n\": 1, \"s\": \"x\", \"a\": true}",
          "[\"--a=True\",\"--n=1\",\"--s=x\"]");
}

static void values_print_as_python_does(void **state)
{
    (void)state;
    check("['${args}']",
          "{\"a\": 1e-05, \"b\": null, \"c\": false, \"d\": \"it's\", \"e\": "
          "[1, \"x\"], \"f\": {\"k\": \"it's\"}, \"g\": 1e16, \"h\": NaN}",
          "[\"--a=1e-05\",\"--b=None\",\"--c=False\",\"--d=it's\",\"--e=[1, "
          "'x']\",\"--f={'k': \\\"it's\\\"}\",\"--g=1e+16\",\"--h=nan\"]");
}

static void every_form_of_arguments(void **state)
{
    (void)state;
    check("['${args_no_equals}']", "{\"n\": 1, \"s\": true}",
          "[\"--n\",\"1\",\"--s\",\"True\"]");
    check("['${args_no_hyphens}']", "{\"n\": 1, \"s\": true}",
          "[\"n=1\",\"s=True\"]");
    check("['${args_no_boolean_flags}']",
          "{\"n\": 1, \"s\": true, \"t\": false}", "[\"--n=1\",\"--s\"]");
    check("['${args_json}']", "{\"s\": \"x\", \"n\": 1}",
          "[\"{\\\"n\\\":1,\\\"s\\\":\\\"x\\\"}\"]");
    check("['${args_json_file}']", "{\"s\": \"x\"}",
          "[{\"params_file\":true}]");
}

static void names_in_braces_are_replaced_when_declared(void **state)
{
    (void)state;
    check("['{s}-{n}', '{o.lr}', '{x}', '{s', '{}', '{{s}}']",
          "{\"n\": 0.5, \"s\": \"v\", \"o\": {\"lr\": 3}}",
          "[\"v-0.5\",\"3\",\"{x}\",\"{s\",\"{}\",\"{v}\"]");
    check("['{o}']", "{\"o\": {\"lr\": 3}}", "[\"{'lr': 3}\"]");
}

static void a_parameter_that_is_not_active_is_empty(void **state)
{
    (void)state;
    check("['--m={o.m}', '${args}']", "{\"o\": {\"mode\": \"y\"}}",
          "[\"--m=\",\"--o={'mode': 'y'}\"]");
}

static void a_value_is_never_expanded_again(void **state)
{
    struct reading_test t;
    const struct arg *argv = NULL;
    size_t argc = 0;
    struct err err = {0};

    (void)state;
    check("['{s}', '${args}']", "{\"s\": \"{n} ${envvar:HOME} ${args}\"}",
          "[\"{n} ${envvar:HOME} ${args}\",\"--s={n} ${envvar:HOME} "
          "${args}\"]");
    test_read_well(&t, HEAD "['${envvar:A}-{s}']\n");
    assert_int_equal(
        plan_command(t.plan, test_json(t.arena, "{\"s\": \"${envvar:B}\"}"),
                     t.arena, &argv, &argc, &err),
        -1);
    assert_non_null(strstr(err.text, "put them into different elements"));
    test_argv_is(&t, "{\"s\": \"$x\"}", "[{\"expand\":\"${envvar:A}-$x\"}]");
    test_done(&t);
}

static void a_nul_byte_cannot_be_an_argument(void **state)
{
    struct reading_test t;
    const struct arg *argv = NULL;
    size_t argc = 0;
    struct err err = {0};
    struct value *point;

    (void)state;
    test_read_well(&t, HEAD "['${args}']\n");
    point = value_object(t.arena);
    value_set(t.arena, point, STR("s"),
              value_string(t.arena, str_n("a\0b", 3)));
    assert_int_equal(plan_command(t.plan, point, t.arena, &argv, &argc, &err),
                     -1);
    assert_non_null(strstr(err.text, "NUL byte"));
    assert_null(argv);
    test_done(&t);
}

/* Runs the shell line and compares what it prints. */
static void shell_prints(const char *command, const char *point,
                         const char *expected)
{
    struct reading_test t;
    const struct arg *argv = NULL;
    size_t argc = 0;
    char text[1024], seen[256] = "";
    FILE *pipe;

    snprintf(text, sizeof(text), HEAD "|-\n  %s\n", command);
    test_read_well(&t, text);
    assert_int_equal(plan_command(t.plan, test_json(t.arena, point), t.arena,
                                  &argv, &argc, NULL),
                     0);
    assert_int_equal(argc, 3);
    pipe = popen(argv[2].text.p, "r");
    assert_non_null(pipe);
    seen[fread(seen, 1, sizeof(seen) - 1, pipe)] = 0;
    pclose(pipe);
    assert_string_equal(seen, expected);
    test_done(&t);
}

static void a_shell_sees_each_value_as_one_word(void **state)
{
    static const char *const nasty = "{\"s\": \"a b'c\\\"d$(echo no)`no`\\\\;"
                                     "*\"}";
    static const char *const seen = "a b'c\"d$(echo no)`no`\\;*";

    (void)state;
    shell_prints("printf %s {s} | cat", nasty, seen);
    shell_prints("printf %s '{s}' | cat", nasty, seen);
    shell_prints("printf %s \"{s}\" | cat", nasty, seen);
    shell_prints("printf '[%s]' ${args} | cat", "{\"n\": 1, \"s\": \"x y\"}",
                 "[--n=1][--s=x y]");
    shell_prints("printf '[%s]' \"${HOME:+set}\" | cat", "{}", "[set]");
    shell_prints("printf %s \\'{s} | cat", "{\"s\": \"x y\"}", "'x y");
}

static void declared_names_are_known(void **state)
{
    struct reading_test t;

    (void)state;
    test_read_well(&t, HEAD "[x]\n");
    assert_true(plan_declares(t.plan, STR("s")));
    assert_true(plan_declares(t.plan, STR("o.lr")));
    assert_true(plan_declares(t.plan, STR("o")));
    assert_false(plan_declares(t.plan, STR("o.x")));
    assert_false(plan_declares(t.plan, STR("lr")));
    assert_false(plan_declares(t.plan, STR("")));
    test_done(&t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(arguments_are_in_the_order_of_names),
        cmocka_unit_test(values_print_as_python_does),
        cmocka_unit_test(every_form_of_arguments),
        cmocka_unit_test(names_in_braces_are_replaced_when_declared),
        cmocka_unit_test(a_parameter_that_is_not_active_is_empty),
        cmocka_unit_test(a_value_is_never_expanded_again),
        cmocka_unit_test(a_nul_byte_cannot_be_an_argument),
        cmocka_unit_test(a_shell_sees_each_value_as_one_word),
        cmocka_unit_test(declared_names_are_known),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
