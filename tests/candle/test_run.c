/* test_run.c - how models of protocol candle are started */
#include "../plan/plan_test.h"

#define STUDY "protocol: candle\nmethod: random\nrun_cap: 1\n"

static void argv_is(const char *study, const char *point, const char *expected)
{
    struct reading_test t;

    test_read_well(&t, study);
    test_argv_is(&t, point, expected);
    test_done(&t);
}

#define IDS                                                                    \
    "\"--experiment_id\",{\"expand\":\"${envvar:CANDLE_EXPERIMENT_ID}\"},"     \
    "\"--run_id\",{\"expand\":\"${envvar:CANDLE_RUN_ID}\"}"

static void a_script_gets_options(void **state)
{
    static const char study[] =
        STUDY "program: nt3.py\nparameters: {a: {min: 0.0, max: 1.0}}\n";

    (void)state;
    argv_is(study, "{\"a\": 0.5, \"b\": true}",
            "[\"/usr/bin/env\",{\"interpreter\":\"python\"},\"nt3.py\","
            "\"--a\",\"0.5\",\"--b\",\"True\"," IDS "]");
    argv_is(study, "{\"run_id\": \"R\", \"experiment_id\": 7}",
            "[\"/usr/bin/env\",{\"interpreter\":\"python\"},\"nt3.py\","
            "\"--experiment_id\",\"7\",\"--run_id\",\"R\"]");
}

static void words_are(const char *point, const char *expected)
{
    struct buf b;

    buf_init(&b);
    buf_addf(&b, "[%s%s" IDS "]", expected, *expected ? "," : "");
    argv_is(STUDY "command: ['${args_candle}']\n"
                  "parameters: {a: {min: 0.0, max: 1.0}}\n",
            point, b.p);
    buf_done(&b);
}

static void every_kind_of_value_has_its_words(void **state)
{
    (void)state;
    words_are("{\"d\": \"200 20\"}", "\"--d\",\"200\",\"20\"");
    words_are("{\"d\": [1, 2.5]}", "\"--d\",\"1\",\"2.5\"");
    words_are("{\"d\": \"a 1\"}", "\"--d\",\"a 1\"");
    words_are("{\"d\": \"7\"}", "\"--d\",\"7\"");
    words_are("{\"d\": -1e-5}", "\"--d=-1e-05\"");
    words_are("{\"d\": \"-x\"}", "\"--d=-x\"");
    words_are("{\"d\": [[1, 2], [3]]}", "\"--d\",\"1,2:3\"");
    words_are("{\"d\": null, \"e\": [], \"solr_root\": 1}", "");
    words_are("{\"d\": \"\"}", "\"--d\",\"\"");
}

static void the_style_follows_the_program(void **state)
{
    (void)state;
    argv_is(STUDY "program: bin/train.sh\nparameters: {a: {values: [1, 2]}}\n",
            "{\"a\": 1, \"timeout\": 9}",
            "[\"bash\",\"bin/train.sh\",{\"expand\":\"${envvar:CANDLE_GPU}\"},"
            "{\"expand\":\"${envvar:CANDLE_DATA_DIR}\"},\"--a\",\"1\"," IDS
            "]");
    argv_is(STUDY "program: train.sh\nparameters: {a: {values: [1, 2]}}\n"
                  "candle: {image: m.sif, container: [apptainer, run]}\n",
            "{\"a\": 1}",
            "[\"apptainer\",\"run\",\"--bind\","
            "{\"expand\":\"${envvar:CANDLE_DATA_DIR}:/candle_data_dir\"},"
            "\"--bind\",{\"expand\":\"${envvar:CANDLE_OUTPUT_DIR}\"},"
            "\"m.sif\",\"train.sh\",{\"expand\":\"${envvar:CANDLE_GPU}\"},"
            "\"/candle_data_dir\",\"--a\",\"1\"," IDS "]");
    argv_is(STUDY "program: /opt/model.sh\nparameters: {a: {values: [1, 2]}}\n"
                  "candle: {model_name: uno, framework: pytorch, action: "
                  "infer, model_type: SINGULARITY}\n",
            "{\"a\": 1}",
            "[\"bash\",\"/opt/model.sh\",\"pytorch\",\"{\\\"a\\\":1}\","
            "{\"expand\":\"${envvar:CANDLE_EXPERIMENT_ID}\"},"
            "{\"expand\":\"${envvar:CANDLE_RUN_ID}\"},\"SINGULARITY\",\"uno\","
            "\"infer\"]");
}

static void a_benchmark_can_be_imported(void **state)
{
    (void)state;
    argv_is(STUDY "program: nt3.py\nparameters: {a: {values: [1, 2]}}\n"
                  "candle: {style: import}\n",
            "{\"a\": 1}",
            "[\"/usr/bin/env\",{\"interpreter\":\"python\"},\"-m\","
            "\"throng.candle.run_model\",\"nt3.py\"]");
}

static void parameters_text_is(const char *study, const struct test_file *files,
                               const char *point, const char *expected)
{
    struct reading_test t;
    const struct task_file *list;
    size_t count;

    test_read_str(&t, str_of(study), "study.yaml", files);
    assert_non_null(t.plan);
    assert_int_equal(plan_files(t.plan, test_json(t.arena, point), t.arena,
                                &list, &count, NULL),
                     0);
    if (!str_is(list[count - 1].text, expected))
        fail_msg("%.*s", STRF(list[count - 1].text));
    test_done(&t);
}

static void a_config_file_has_the_trial_over_the_model_file(void **state)
{
    static const struct test_file files[] = {
        {"dir/nt3_default_model.txt",
         "[Global_Params]\nepochs = 400\nlearning_rate = 0.1\n"},
        {"other.txt", "epochs = 7\n"},
        {NULL, NULL}};
#define CONFIG                                                                 \
    STUDY "program: dir/nt3_baseline_keras2.py\n"                              \
          "parameters: {lr: {min: 0.0, max: 1.0}}\n"

    (void)state;
    parameters_text_is(CONFIG "candle: {style: config_file}\n", files,
                       "{\"lr\": 0.5, \"own\": 1}",
                       "[Global_Params]\nepochs = 400\nlearning_rate = 0.5\n"
                       "own = 1\n");
    parameters_text_is(
        CONFIG "candle: {style: config_file, model_file: other.txt}\n", files,
        "{\"lr\": 0.5}", "[Global_Params]\nepochs = 7\nlr = 0.5\n");
    parameters_text_is(CONFIG, files, "{\"lr\": 0.5}",
                       "[Global_Params]\nlr = 0.5\n");
    test_says(STUDY "program: m.py\nparameters: {a: {value: 1}}\n"
                    "candle: {style: config_file, model_file: none.txt}\n",
              "candle.model_file: ");
    test_says(STUDY "program: m.py\nparameters: {a: {value: 1}}\n"
                    "candle: {style: config_file}\n",
              "the model's own parameter file is not at m_default_model.txt");
}

static void mistakes_are_at_their_places(void **state)
{
    (void)state;
    test_says(STUDY "program: m.py\nparameters: {a: {value: 1}}\n"
                    "candle: {style: scrpt}\n",
              "study.yaml:6:17: error: candle.style cannot be 'scrpt' (did you "
              "mean 'script'?)\n");
    test_says(STUDY "program: m.py\nparameters: {a: {value: 1}}\n"
                    "candle: {styles: script}\n",
              "study.yaml:6:10: error: candle has no key 'styles'");
    test_says(STUDY "program: model.sh\nparameters: {a: {value: 1}}\n",
              "study.yaml:4:10: error: a runner such as model.sh must be told "
              "the model's name (as in candle: {model_name: nt3})\n");
}

static void sh_timeout_is_the_time_of_an_attempt(void **state)
{
    struct reading_test t;
    struct needs needs;

    (void)state;
    test_read_well(&t, STUDY "program: m.py\nparameters: {a: {value: 1}}\n"
                             "env: {SH_TIMEOUT: 90}\n");
    assert_int_equal(plan_needs(t.plan, test_json(t.arena, "{}"), &needs, NULL),
                     0);
    assert_true(needs.time_s == 90);
    test_done(&t);
    test_read_well(&t, STUDY "program: m.py\nparameters: {a: {value: 1}}\n"
                             "env: {SH_TIMEOUT: -1}\n");
    assert_int_equal(plan_needs(t.plan, test_json(t.arena, "{}"), &needs, NULL),
                     0);
    assert_true(needs.time_s == 0);
    test_done(&t);
    test_read_well(&t, STUDY "program: m.py\nparameters: {a: {value: 1}}\n"
                             "env: {SH_TIMEOUT: 90}\nresources: {time: 5}\n");
    assert_int_equal(plan_needs(t.plan, test_json(t.arena, "{}"), &needs, NULL),
                     0);
    assert_true(needs.time_s == 5);
    test_done(&t);
}

static void the_parameters_are_left_as_a_file(void **state)
{
    struct reading_test t;
    const struct task_file *files;
    size_t count;

    (void)state;
    test_read_well(&t, STUDY "program: m.py\nparameters: {a: {value: 1}}\n");
    assert_int_equal(
        plan_files(t.plan, test_json(t.arena, "{\"a\": \"it's 5%\", \"b\": 1}"),
                   t.arena, &files, &count, NULL),
        0);
    assert_int_equal(count, 1);
    assert_true(str_is(files[0].path, "output/parameters.txt"));
    assert_true(
        str_is(files[0].text, "[Global_Params]\na = \"it's 5%%\"\nb = 1\n"));
    test_done(&t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_script_gets_options),
        cmocka_unit_test(every_kind_of_value_has_its_words),
        cmocka_unit_test(the_style_follows_the_program),
        cmocka_unit_test(a_benchmark_can_be_imported),
        cmocka_unit_test(a_config_file_has_the_trial_over_the_model_file),
        cmocka_unit_test(mistakes_are_at_their_places),
        cmocka_unit_test(sh_timeout_is_the_time_of_an_attempt),
        cmocka_unit_test(the_parameters_are_left_as_a_file),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
