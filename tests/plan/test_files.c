/* test_files.c - templates, inputs, outputs */
#include "plan_test.h"

#define HEAD                                                                   \
    "command: ./sim\nmethod: grid\nparameters: {T: {values: [300, 310.5]}}\n"

static const struct test_file disk[] = {
    {"run.in", "temperature {T}\nother {x} {T}\n"},
    {"/abs/dir/b.in", "b={T}"},
    {NULL, NULL}};

static void templates_are_filled_for_a_point(void **state)
{
    struct reading_test t;
    const struct task_file *files = NULL;
    size_t count = 0;

    (void)state;
    test_read_str(&t,
                  STR(HEAD "templates:\n  - run.in\n  - /abs/dir/b.in\n"
                           "  - {path: sub/c.in, from: run.in}\n"
                           "  - {path: d.in, text: '{T}K'}\n"),
                  "study.yaml", disk);
    assert_non_null(t.plan);
    assert_int_equal(plan_files(t.plan, test_json(t.arena, "{\"T\": 310.5}"),
                                t.arena, &files, &count, NULL),
                     0);
    assert_int_equal(count, 4);
    assert_true(str_is(files[0].path, "run.in"));
    assert_true(str_is(files[0].text, "temperature 310.5\nother {x} 310.5\n"));
    assert_true(str_is(files[1].path, "b.in"));
    assert_true(str_is(files[1].text, "b=310.5"));
    assert_true(str_is(files[2].path, "sub/c.in"));
    assert_true(str_is(files[3].text, "310.5K"));
    test_done(&t);
}

static void no_templates_are_no_files(void **state)
{
    struct reading_test t;
    const struct task_file *files = NULL;
    size_t count = 9;

    (void)state;
    test_read_well(&t, HEAD);
    assert_int_equal(plan_files(t.plan, test_json(t.arena, "{}"), t.arena,
                                &files, &count, NULL),
                     0);
    assert_int_equal(count, 0);
    test_done(&t);
}

static void a_template_stays_in_the_trials_folder(void **state)
{
    static const char *const bad[] = {"../x", "/etc/x", "a/../../x",
                                      "a/..", "x/",     NULL};

    (void)state;
    for (size_t i = 0; bad[i]; i++) {
        char text[512];

        snprintf(text, sizeof(text), HEAD "templates: [{path: %s, text: t}]\n",
                 bad[i]);
        test_says(text, "would be outside of the trial's folder");
    }
    test_says(HEAD "templates: [{path: x}]\n", "this is no template");
    test_says(HEAD "templates: [{from: x, to: y}]\n",
              "path is missing, the file that is written");
    test_says(HEAD "templates: [{from: x, to: y}]\n",
              "a template has no key 'to'");
    test_says(HEAD "templates: [{path: x, from: a, text: b}]\n",
              "is no template");
    test_says(HEAD "templates: [5]\n", "templates: 5 is no template");
    test_says(HEAD "templates: [{path: x, text: y, txt: z}]\n",
              "a template has no key 'txt'");
}

static void
a_template_that_the_command_would_not_find_is_warned_of(void **state)
{
#define TAIL                                                                   \
    "method: grid\nparameters: {T: {values: [300]}}\n"                         \
    "templates: [{path: a.in, text: t}]\n"
    static const char *const well[] = {
        "workdir: trial\ncommand: sim a.in\n" TAIL,
        "command: sim ba.in a.inn dir/a.in\n" TAIL,
        "command: cd $(dirname $THRONG_PARAMS); sim a.in\n" TAIL,
        "program: sim\n" TAIL, NULL};
    struct reading_test t;

    (void)state;
    test_says("command: sim a.in\n" TAIL,
              "4:13: warning: templates: the command names a.in");
    test_says("command: [sim, --in=./a.in]\n" TAIL, "(say workdir: trial)");
    test_says("program: a.in\n" TAIL, "the command names a.in");
    for (size_t i = 0; well[i]; i++) {
        test_read_well(&t, well[i]);
        assert_null(strstr(t.said.p, "the command names"));
        test_done(&t);
    }
#undef TAIL
}

static void outputs_stay_in_the_tasks_folder(void **state)
{
    (void)state;
    test_says(HEAD "outputs: [ok.txt, ../../x]\n",
              "4:19: error: outputs: '../../x' is outside");
    test_says(HEAD "outputs: [5]\n", "outputs must be text, not 5");
    test_says(HEAD "inputs: [{path: x, site: y}]\n",
              "an input has no key 'site'");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(templates_are_filled_for_a_point),
        cmocka_unit_test(no_templates_are_no_files),
        cmocka_unit_test(
            a_template_that_the_command_would_not_find_is_warned_of),
        cmocka_unit_test(a_template_stays_in_the_trials_folder),
        cmocka_unit_test(outputs_stay_in_the_tasks_folder),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
