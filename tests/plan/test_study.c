/* test_study.c - a study file as a whole */
#include "plan_test.h"

#define SPACE "parameters: {x: {values: [1, 2]}}\n"

static void a_study_has_defaults(void **state)
{
    struct reading_test t;
    const struct plan *p;

    (void)state;
    test_read_well(&t, "program: a.py\nmethod: grid\n" SPACE);
    p = t.plan;
    assert_int_equal(t.problems.list.len, 0);
    assert_true(str_is(p->name, "study"));
    assert_true(str_is(p->file, "study.yaml"));
    assert_int_equal(p->repeat, 1);
    assert_int_equal(p->run_cap, 0);
    assert_int_equal(p->parallel, 0);
    assert_int_equal(p->max_failures, -1);
    assert_int_equal(p->retries, 0);
    assert_true(p->grace_s == 30);
    assert_int_equal(p->output_max_bytes, 64 << 20);
    assert_true(p->keep == KEEP_UNSAID && p->keep_count == 10);
    assert_false(p->workdir_trial);
    assert_true(str_is(p->order, "free"));
    assert_true(str_is(p->protocol, "throng"));
    assert_int_equal(p->wandb.len, 0);
    assert_null(p->points);
    test_done(&t);
}

static void the_files_name_is_the_studys(void **state)
{
    static const char *const rows[][2] = {{"sweep.yaml", "sweep"},
                                          {"/a/b.c/sweep.v2.yaml", "sweep.v2"},
                                          {"plain", "plain"},
                                          {NULL, NULL}};
    struct reading_test t;

    (void)state;
    for (size_t i = 0; rows[i][0]; i++) {
        test_read_str(&t, STR("program: a.py\nmethod: grid\n" SPACE),
                      rows[i][0], NULL);
        assert_non_null(t.plan);
        assert_true(str_is(t.plan->name, rows[i][1]));
        test_done(&t);
    }
    test_read_str(&t, STR("program: a.py\nmethod: grid\n" SPACE), "d/.x.yaml",
                  NULL);
    assert_null(t.plan);
    assert_non_null(strstr(t.said.p, "(give the study a name)"));
    test_done(&t);
}

static void a_name_that_no_folder_may_have_is_made_to_fit(void **state)
{
    static const char *const bad[][2] = {
        {"My sweep / test", "My sweep - test-"},
        {"..", "study-"},
        {"../x", "x-"},
        {"/etc", "etc-"},
        {".hidden", "hidden-"},
        {"'a\\b'", "a-b-"},
        {"' a'", "a-"},
        {"'a '", "a-"},
        {"\"a\\nb\"", "a-b-"},
        {"-rf", "rf-"},
        {"\"a\\x7fb\"", "a-b-"},
        {"'a/../b'", "a-..-b-"}};
    char text[1024];

    (void)state;
    for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
        struct reading_test t;
        snprintf(text, sizeof(text),
                 "program: a\nmethod: grid\n" SPACE "name: %s\n", bad[i][0]);
        test_read_well(&t, text);
        assert_null(plan_name_fault(t.plan->name));
        assert_true(str_starts(t.plan->name, str_of(bad[i][1])));
        assert_int_equal(t.plan->name.len, strlen(bad[i][1]) + 6);
        assert_non_null(strstr(t.said.p, "4:7: notice: the study is called '"));
        test_done(&t);
    }
    snprintf(text, sizeof(text),
             "program: a\nmethod: grid\n" SPACE "name: %0101d\n", 0);
    test_says(text, "leading zeros");
}

static void a_long_name_is_cut_between_letters(void **state)
{
    struct reading_test t;
    struct buf b;

    (void)state;
    buf_init(&b);
    buf_adds(&b, "program: a\nmethod: grid\n" SPACE "name: x");
    for (int i = 0; i < 60; i++)
        buf_adds(&b, "\xc3\xa4");
    buf_addc(&b, '\n');
    test_read_well(&t, b.p);
    assert_null(plan_name_fault(t.plan->name));
    assert_non_null(strstr(t.said.p, "is longer than 100 bytes"));
    test_done(&t);
    buf_done(&b);
}

static void names_that_fall_together_are_two_studies(void **state)
{
    struct reading_test a, b, again;

    (void)state;
    test_read_well(&a, "name: x/y\nprogram: a\nmethod: grid\n" SPACE);
    test_read_well(&b, "name: 'x\\y'\nprogram: a\nmethod: grid\n" SPACE);
    test_read_well(&again, "name: x/y\nprogram: b\nmethod: grid\n" SPACE);
    assert_false(str_eq(a.plan->name, b.plan->name));
    assert_true(str_eq(a.plan->name, again.plan->name));
    test_done(&a);
    test_done(&b);
    test_done(&again);
}

static void the_seed_comes_from_the_name(void **state)
{
    struct reading_test t;
    uint64_t seed;

    (void)state;
    test_read_well(&t, "name: a\nprogram: a\nmethod: grid\n" SPACE);
    seed = t.plan->seed;
    assert_false(t.plan->seed_said);
    assert_true(seed < (uint64_t)1 << 31);
    test_done(&t);
    test_read_well(&t, "name: a\nprogram: b\nmethod: grid\n" SPACE);
    assert_true(t.plan->seed == seed);
    test_done(&t);
    test_read_well(&t, "name: b\nprogram: a\nmethod: grid\n" SPACE);
    assert_true(t.plan->seed != seed);
    test_done(&t);
}

static void a_method_unsaid_is_auto(void **state)
{
    struct reading_test t;

    (void)state;
    test_read_well(&t, "program: a\nrun_cap: 3\n" SPACE);
    assert_true(str_is(t.plan->method, "auto"));
    assert_false(t.plan->method_said);
    test_done(&t);
}

static void a_study_without_end_gets_a_notice(void **state)
{
    (void)state;
    test_says("program: a\nmethod: random\n" SPACE,
              "2:9: notice: without run_cap the study goes on until it is "
              "stopped");
    test_says("program: a\nmethod: bayes\nmetric: l\n" SPACE,
              "2:9: notice: without run_cap");
}

static void every_method_is_known(void **state)
{
    (void)state;
    for (size_t i = 0; search_methods[i]; i++) {
        struct reading_test t;
        char text[512];
        const char *method = search_methods[i]->name;

        snprintf(
            text, sizeof(text),
            "program: a\nmethod: %s\nrun_cap: 3\nmetric: loss\n%s%s", method,
            strcmp(method, "points") ? SPACE : "points: [{x: 1}]\n",
            strcmp(method, "external") ? "" : "external: {command: [a]}\n");
        test_read_well(&t, text);
        assert_true(str_is(t.plan->method, method));
        test_done(&t);
    }
}

static void options_of_the_method_are_kept(void **state)
{
    struct reading_test t;

    (void)state;
    test_read_well(&t, "program: a\nmethod: tpe\nrun_cap: 3\nmetric: loss\n"
                       "tpe: {candidates: 24}\n" SPACE);
    assert_non_null(t.plan->method_options);
    assert_int_equal(value_get(t.plan->method_options, STR("candidates"))->i,
                     24);
    test_done(&t);
    test_says("program: a\nmethod: grid\ntpe: {candidates: 24}\n" SPACE,
              "3:6: warning: the options of tpe are not used: the method is "
              "grid");
    test_says("program: a\nmethod: external\nmetric: l\n" SPACE,
              "method external needs external");
}

static void what_wandb_alone_can_do_is_refused_with_the_reason(void **state)
{
    (void)state;
    test_says("program: a\nmethod: custom\n" SPACE,
              "2:9: error: method custom is a search that runs on W&B's "
              "server (method: external runs a strategy of your own)");
    test_says("job: x\nmethod: grid\n" SPACE,
              "1:6: error: job and image_uri belong to W&B Launch");
}

static void a_study_needs_parameters_or_points(void **state)
{
    (void)state;
    test_says("program: a\nmethod: grid\n",
              "study.yaml: error: the study has no parameters");
    test_says("program: a\nmethod: grid\nparameters: {}\n",
              "3:13: error: parameters is empty");
}

static void what_is_no_study_is_refused(void **state)
{
    (void)state;
    test_says("", "study.yaml: error: the file is empty");
    test_says("# nothing\n", "study.yaml: error: the file is empty");
    test_says("[1, 2]\n", "a study file is made of key: value lines");
    test_says("just text\n", "a study file is made of key: value lines");
    test_says("a: [\n", "not YAML");
}

static void without_a_reader_files_cannot_be_read(void **state)
{
    struct arena *a = arena_new();
    struct problems problems;

    (void)state;
    problems_init(&problems, a);
    assert_null(plan_read(STR("program: a\npoints: x.csv\ntemplates: y\n"),
                          "s.yaml", NULL, a, &problems));
    assert_int_equal(problems.errors, 2);
    arena_free(a);
}

static void a_built_in_model_needs_no_command(void **state)
{
    struct reading_test t;

    (void)state;
    const struct test_file files[] = {{"net.yaml", "layers: []\n"},
                                      {NULL, NULL}};
    test_read_str(&t,
                  STR("model: net.yaml\nkernels: portable\nmethod: "
                      "grid\n" SPACE),
                  "study.yaml", files);
    assert_non_null(t.plan);
    assert_true(str_is(t.plan->model, "net.yaml"));
    assert_true(str_is(t.plan->device, "portable"));
    assert_int_equal(t.plan->command_count, 0);
    test_done(&t);
}

static void a_device_is_for_models_not_for_programs(void **state)
{
    struct reading_test t;

    (void)state;
    test_read_str(&t,
                  STR("command: a\ndevice: cuda\nmethod: grid\n"
                      "resources: {gpus: 0}\n" SPACE),
                  "study.yaml", NULL);
    assert_non_null(t.plan);
    assert_non_null(strstr(t.said.p, "study.yaml:2:9: warning: device is not "
                                     "used: a program computes where it "
                                     "likes"));
    test_done(&t);
    const struct test_file files[] = {{"net.yaml", "layers: []\n"},
                                      {NULL, NULL}};
    test_read_str(&t,
                  STR("model: net.yaml\ndevice: cuda\nmethod: grid\n" SPACE),
                  "study.yaml", files);
    assert_non_null(t.plan);
    assert_null(strstr(t.said.p, "not used"));
    test_done(&t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_study_has_defaults),
        cmocka_unit_test(a_device_is_for_models_not_for_programs),
        cmocka_unit_test(the_files_name_is_the_studys),
        cmocka_unit_test(a_name_that_no_folder_may_have_is_made_to_fit),
        cmocka_unit_test(a_long_name_is_cut_between_letters),
        cmocka_unit_test(names_that_fall_together_are_two_studies),
        cmocka_unit_test(the_seed_comes_from_the_name),
        cmocka_unit_test(a_method_unsaid_is_auto),
        cmocka_unit_test(a_study_without_end_gets_a_notice),
        cmocka_unit_test(every_method_is_known),
        cmocka_unit_test(options_of_the_method_are_kept),
        cmocka_unit_test(what_wandb_alone_can_do_is_refused_with_the_reason),
        cmocka_unit_test(a_study_needs_parameters_or_points),
        cmocka_unit_test(what_is_no_study_is_refused),
        cmocka_unit_test(without_a_reader_files_cannot_be_read),
        cmocka_unit_test(a_built_in_model_needs_no_command),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
