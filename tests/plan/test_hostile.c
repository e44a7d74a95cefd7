/* test_hostile.c - files that want to do harm end with a clear message, soon
 * and in little memory */
#include "plan_test.h"

#define HEAD "program: a\nmethod: grid\nparameters:\n"

static void says(struct buf *b, const char *expected)
{
    test_says(b->p, expected);
    buf_done(b);
}

static void deep_parameters_are_refused(void **state)
{
    struct buf b;

    (void)state;
    buf_init(&b);
    buf_adds(&b, "program: a\nmethod: grid\nparameters: ");
    for (int i = 0; i < 5000; i++)
        buf_adds(&b, "{x: {parameters: ");
    says(&b, "nested deeper than 64");
}

static void nested_parameters_within_the_limit_are_read(void **state)
{
    struct reading_test t;
    struct buf b;

    (void)state;
    buf_init(&b);
    buf_adds(&b, "program: a\nmethod: grid\nparameters: ");
    for (int i = 0; i < 30; i++)
        buf_adds(&b, "{x: {parameters: ");
    buf_adds(&b, "{y: {value: 1}}");
    for (int i = 0; i < 30; i++)
        buf_adds(&b, "}}");
    buf_addc(&b, '\n');
    test_read_well(&t, b.p);
    assert_int_equal(t.plan->space.params[0].path_len, 31);
    test_done(&t);
    buf_done(&b);
}

static void huge_numbers_are_refused(void **state)
{
    (void)state;
    test_says(HEAD "  x: {min: 0.0, max: 1e400}\n", "'1e400' is larger");
    test_says(HEAD "  x: {value: 1000000000000000000000000000000}\n",
              "larger than a whole number");
    test_says(HEAD "  x: {min: 1, max: 9223372036854775807}\n",
              "max must be at most 9007199254740992");
    test_says("program: a\nrun_cap: 9223372036854775807\nparameters: {x: "
              "{value: 1}}\n",
              "run_cap must be at most");
    test_says("program: a\nmethod: grid\nparallel: 1e300\nparameters: {x: "
              "{value: 1}}\n",
              "parallel must be a whole number, not 1e+300");
    test_says("program: a\nmethod: grid\ntime_limit: 1e300\nparameters: {x: "
              "{value: 1}}\n",
              "time_limit must be a time");
    test_says("program: a\nmethod: grid\noutput_max: 1e300\nparameters: {x: "
              "{value: 1}}\n",
              "output_max must be a number of bytes");
}

static void an_alias_bomb_in_the_space_is_refused(void **state)
{
    struct buf b;

    (void)state;
    buf_init(&b);
    buf_adds(&b, "x-0: &a0 {p: {value: 1}, q: {value: 2}}\n");
    for (int i = 1; i < 30; i++)
        buf_addf(&b,
                 "x-%d: &a%d {p: {parameters: *a%d}, q: {parameters: *a%d}}\n",
                 i, i, i - 1, i - 1);
    buf_adds(&b, "program: a\nmethod: grid\nparameters: *a29\n");
    says(&b, "more than 1000000 values");
}

static void very_many_parameters_are_refused(void **state)
{
    struct buf b;

    (void)state;
    buf_init(&b);
    buf_adds(&b, HEAD);
    for (int i = 0; i < 10001; i++)
        buf_addf(&b, "  p%d: {value: 1}\n", i);
    says(&b, "more than 10000 parameters");
}

static void a_long_chain_of_conditions_ends(void **state)
{
    struct reading_test t;
    struct buf b;

    (void)state;
    buf_init(&b);
    buf_adds(&b, "program: a\nmethod: random\nrun_cap: 1\nparameters:\n"
                 "  p999: {value: 1}\n");
    for (int i = 0; i < 999; i++)
        buf_addf(&b, "  p%03d: {value: 1, when: {p%03d: 1}}\n", i, i + 1);
    test_read_well(&t, b.p);
    test_done(&t);
    buf_done(&b);
}

static void keys_of_a_megabyte_are_refused(void **state)
{
    struct buf b;

    (void)state;
    buf_init(&b);
    buf_adds(&b, HEAD "  x: {value: 1}\n\"");
    for (int i = 0; i < 1 << 20; i++)
        buf_addc(&b, 'k');
    buf_adds(&b, "\": 1\n");
    says(&b, "error: not YAML: could not find expected ':'");
    buf_init(&b);
    buf_adds(&b, HEAD "  x: {value: 1}\n? ");
    for (int i = 0; i < 1 << 20; i++)
        buf_addc(&b, 'k');
    buf_adds(&b, "\n: 1\n");
    says(&b, "no key 'kkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkk"
             "kkk…'");
}

static void very_many_unknown_keys_are_cut_off(void **state)
{
    struct reading_test t;
    struct buf b;

    (void)state;
    buf_init(&b);
    for (int i = 0; i < 20000; i++)
        buf_addf(&b, "unknown%d: 1\n", i);
    test_read(&t, b.p);
    assert_null(t.plan);
    assert_int_equal(t.problems.list.len, PROBLEMS_MAX);
    assert_true(t.problems.errors > 20000);
    test_done(&t);
    buf_done(&b);
}

static void nul_bytes_are_refused_everywhere(void **state)
{
    static const char text[] = "program: a\0b\nmethod: grid\n";
    struct reading_test t;

    (void)state;
    test_read_str(&t, str_n(text, sizeof(text) - 1), "study.yaml", NULL);
    assert_null(t.plan);
    assert_non_null(strstr(t.said.p, "1:11: error: a NUL byte is not text"));
    test_done(&t);
    test_says("program: \"a\\0b\"\nmethod: grid\nparameters: {x: {value: "
              "1}}\n",
              "1:10: error: text must not hold a NUL byte");
}

static void a_value_cannot_break_out_of_its_argument(void **state)
{
    struct reading_test t;

    (void)state;
    test_read_well(&t, "command: echo {x} > /dev/null\nmethod: grid\n"
                       "parameters: {x: {values: ['; rm -rf /', \"'\"]}}\n");
    test_argv_is(&t, "{\"x\": \"; rm -rf /\"}",
                 "[\"/bin/sh\",\"-c\",\"throng1='; rm -rf /'; "
                 "echo \\\"${throng1}\\\" > /dev/null\"]");
    test_argv_is(&t, "{\"x\": \"'\"}",
                 "[\"/bin/sh\",\"-c\",\"throng1=''\\\\'''; "
                 "echo \\\"${throng1}\\\" > /dev/null\"]");
    test_done(&t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(deep_parameters_are_refused),
        cmocka_unit_test(nested_parameters_within_the_limit_are_read),
        cmocka_unit_test(huge_numbers_are_refused),
        cmocka_unit_test(an_alias_bomb_in_the_space_is_refused),
        cmocka_unit_test(very_many_parameters_are_refused),
        cmocka_unit_test(a_long_chain_of_conditions_ends),
        cmocka_unit_test(keys_of_a_megabyte_are_refused),
        cmocka_unit_test(very_many_unknown_keys_are_cut_off),
        cmocka_unit_test(nul_bytes_are_refused_everywhere),
        cmocka_unit_test(a_value_cannot_break_out_of_its_argument),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
