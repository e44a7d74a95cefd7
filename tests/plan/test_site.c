/* test_site.c - what the scheduler of a site is told */
#include "plan_test.h"

#define STUDY                                                                  \
    "name: s\nprogram: a.py\nrun_cap: 1\nparameters: {x: {value: 1}}\n"

static const char profiles[] = "default: {partition: batch}\n"
                               "gpu:\n"
                               "  engine: slurm\n"
                               "  partition: gpu\n"
                               "  account: lab\n"
                               "  time: 2h\n"
                               "  job_slots: node\n"
                               "  sbatch: [--exclusive]\n"
                               "  classes:\n"
                               "    long: {time: 7d, limit: 4}\n"
                               "    short: {time: 12h, partition: quick}\n";

static const char *nothing(const char *name)
{
    (void)name;
    return NULL;
}

static const char *launcher(const char *name)
{
    static const char *const set[][2] = {{"QUEUE", "debug"},
                                         {"PROJECT", "p1"},
                                         {"PROCS", "10"},
                                         {"PPN", "4"},
                                         {"WALLTIME", "00:30:00"}};
    for (size_t i = 0; i < sizeof set / sizeof *set; i++)
        if (strcmp(set[i][0], name) == 0)
            return set[i][1];
    return NULL;
}

static const char *wrong(const char *name)
{
    return strcmp(name, "WALLTIME") == 0 ? "soon" : NULL;
}

struct site_test {
    struct arena *arena;
    struct problems problems;
    struct plan *plan; /* NULL: it was refused */
    struct buf said;
    struct buf options; /* as JSON */
};

static void site_read(struct site_test *s, const char *study, const char *text,
                      const char *(*variable)(const char *name))
{
    struct site_source from = {
        .text = str_of(text), .file = "profiles.yaml", .variable = variable};
    struct plan_reader reader = {.methods = search_methods, .site = &from};
    s->arena = arena_new();
    problems_init(&s->problems, s->arena);
    s->plan =
        plan_read(str_of(study), "study.yaml", &reader, s->arena, &s->problems);
    buf_init(&s->said);
    problems_print(&s->said, &s->problems);
    buf_init(&s->options);
    if (s->plan && s->plan->site.options)
        json_print(&s->options, s->plan->site.options);
}

static void site_done(struct site_test *s)
{
    plan_close(s->plan);
    buf_done(&s->said);
    buf_done(&s->options);
    arena_free(s->arena);
}

static void expect(const char *study, const char *text,
                   const char *(*variable)(const char *name),
                   const char *engine, const char *options)
{
    struct site_test s;
    site_read(&s, study, text, variable);
    assert_null(strstr(s.said.p, "error"));
    assert_true(s.plan && str_is(s.plan->site.engine, engine));
    assert_string_equal(s.options.p, options);
    site_done(&s);
}

static void refused(const char *study, const char *text,
                    const char *(*variable)(const char *name), const char *why)
{
    struct site_test s;
    site_read(&s, study, text, variable);
    assert_null(s.plan);
    if (!strstr(s.said.p, why))
        fail_msg("`%s` says nothing of `%s`", s.said.p, why);
    site_done(&s);
}

static void a_study_of_this_machine_needs_no_profile(void **state)
{
    (void)state;
    expect(STUDY, profiles, launcher, "local", "");
    expect(STUDY, NULL, nothing, "local", "");
    expect(STUDY "engine: local\n", "[no profile]", launcher, "local", "");
}

static void who_has_no_use_for_a_profile_is_told_why(void **state)
{
    (void)state;
    struct site_test s;
    site_read(&s, STUDY "profile: a\n", "a: {partition: gpu}\n", nothing);
    assert_non_null(strstr(s.said.p, "add engine: slurm to it"));
    site_done(&s);
    site_read(&s, STUDY "profile: a\nengine: local\n", "a: {engine: slurm}\n",
              nothing);
    assert_non_null(strstr(s.said.p, "this profile is not used"));
    assert_null(strstr(s.said.p, "add engine"));
    site_done(&s);
}

static void the_profile_called_default_serves_who_names_none(void **state)
{
    (void)state;
    expect(STUDY "engine: slurm\n", profiles, nothing, "slurm",
           "{\"partition\":\"batch\"}");
    expect(STUDY "engine: slurm\n", NULL, nothing, "slurm", "{}");
}

static void the_engine_of_default_counts_for_who_says_none(void **state)
{
    (void)state;
    static const char there[] = "default: {engine: slurm, partition: batch}\n"
                                "other: {partition: gpu}\n";
    struct site_test s;
    expect(STUDY, there, nothing, "slurm", "{\"partition\":\"batch\"}");
    expect(STUDY "engine: local\n", there, nothing, "local", "");
    /* A profile that is named stands for itself. */
    expect(STUDY "profile: other\n", there, nothing, "local", "");
    expect(STUDY, profiles, nothing, "local", "");
    site_read(&s, STUDY, there, nothing);
    assert_non_null(strstr(s.said.p, "the study runs at slurm"));
    assert_non_null(strstr(s.said.p, "profiles.yaml:1"));
    site_done(&s);
    site_read(&s, STUDY, profiles, nothing);
    assert_string_equal(s.said.p, "");
    site_done(&s);
}

static void a_profile_names_the_engine_and_is_read(void **state)
{
    (void)state;
    expect(STUDY "profile: gpu\n", profiles, nothing, "slurm",
           "{\"partition\":\"gpu\",\"account\":\"lab\",\"time\":7200.0,"
           "\"job_slots\":0,\"sbatch\":[\"--exclusive\"],\"classes\":"
           "[{\"name\":\"short\",\"time\":43200.0,\"partition\":\"quick\"},"
           "{\"name\":\"long\",\"time\":604800.0,\"limit\":{\"jobs\":4}}]}");
    expect(STUDY "profile: a\n", "a: {engine: slurm, conductor: job}\n",
           nothing, "slurm", "{\"conductor\":{}}");
    expect(STUDY "profile: a\n",
           "a: {engine: slurm, conductor: {time: 1d, qos: q}}\n", nothing,
           "slurm", "{\"conductor\":{\"time\":86400.0,\"qos\":\"q\"}}");
    expect(STUDY "profile: a\n", "a: {engine: slurm, conductor: process}\n",
           nothing, "slurm", "{\"conductor\":\"process\"}");
    expect(STUDY "profile: a\n",
           "a: {engine: slurm, classes: {s: {time: 1h, sbatch: [\"-x\"], "
           "limit: {gpus: 4, jobs: 9}}}}\n",
           nothing, "slurm",
           "{\"classes\":[{\"name\":\"s\",\"time\":3600.0,\"sbatch\":[\"-x\"],"
           "\"limit\":{\"gpus\":4,\"jobs\":9}}]}");
}

static void
the_study_goes_before_variables_and_these_before_a_profile(void **state)
{
    (void)state;
    expect(STUDY "profile: gpu\nslurm: {time: 1h, classes: {}}\n", profiles,
           launcher, "slurm",
           "{\"partition\":\"debug\",\"account\":\"p1\",\"time\":3600.0,"
           "\"job_slots\":4,\"sbatch\":[\"--exclusive\"],\"classes\":[],"
           "\"max_jobs\":3}");
}

static void what_is_wrong_is_named_with_its_place(void **state)
{
    (void)state;
    refused(STUDY "profile: gpuu\n", profiles, nothing,
            "study.yaml:5:10: error: there is no profile 'gpuu' (did you mean "
            "'gpu'?)");
    refused(STUDY "profile: gpu\n", NULL, nothing,
            "profiles stand in profiles.yaml");
    refused(STUDY "profile: a\n", "a: {engine: slurm, partitoin: x}\n", nothing,
            "profiles.yaml:1:20: error: the profile has no key 'partitoin' "
            "(did you mean 'partition'?)");
    refused(STUDY "profile: a\n", "a: {engine: slurm, classes: {s: {}}}\n",
            nothing, "does not say the time of its jobs");
    refused(STUDY "profile: a\n",
            "a: {engine: slurm, classes: {s: {time: 1h, limit: {gpu: 1}}}}\n",
            nothing, "did you mean 'gpus'?");
    refused(STUDY "profile: a\n",
            "a: {engine: slurm, classes: {s: {time: 1h, limit: few}}}\n",
            nothing, "classes.s.limit must be a whole number");
    refused(STUDY "engine: slurm\n", NULL, wrong,
            "WALLTIME must be a time, not 'soon'");
    refused(STUDY "profile: a\n", "a: [1]\n", nothing,
            "a profile must be an object");
    refused(STUDY "engine: slurm\n", "default: {max_jobs: none}\n", nothing,
            "max_jobs must be a whole number");
}

/* A shared disk has what was saved at once. */
static void on_slurm_no_checkpoint_has_to_be_carried(void **state)
{
    (void)state;
    refused(STUDY "engine: slurm\n", "default: {checkpoint_every: 1h}\n",
            nothing, "it saves as often as it likes");
}

/* A submit file has commands without number. */
static void other_commands_of_htcondor_are_handed_on(void **state)
{
    (void)state;
    expect(
        STUDY "engine: htcondor\nhtcondor: {rank: Memory, bundle_time: "
              "1m}\n",
        NULL, launcher, "htcondor",
        "{\"time\":1800.0,\"max_jobs\":3,\"job_slots\":4,\"rank\":\"Memory\","
        "\"bundle_time\":60.0}");
}

static void what_throng_writes_itself_is_refused_with_what_says_it(void **state)
{
    (void)state;
    refused(STUDY "engine: htcondor\nhtcondor: {transfer_input_files: a}\n",
            NULL, nothing, "say `inputs:`");
    refused(STUDY "engine: htcondor\nhtcondor: {max_retries: 3}\n", NULL,
            nothing, "htcondor cannot have 'max_retries'");
    refused(STUDY "engine: htcondor\nhtcondor: {conductor: job}\n", NULL,
            nothing, "cannot submit others");
    refused(STUDY "engine: htcondor\nhtcondor: {\"a b\": 1}\n", NULL, nothing,
            "is not a line of a submit description");
    refused(STUDY "engine: htcondor\nhtcondor: {rank: \"a\\nqueue 5\"}\n", NULL,
            nothing, "is not a line of a submit description");
    refused(STUDY "engine: htcondor\nhtcondor: {rank: [1]}\n", NULL, nothing,
            "is not a line of a submit description");
}

static void profiles_of_well_known_sites_are_there(void **state)
{
    (void)state;
    expect(STUDY "profile: ospool\n", NULL, nothing, "htcondor",
           "{\"offsite\":true}");
    expect(STUDY "profile: ospool\n", "ospool: {engine: slurm, qos: q}\n",
           nothing, "slurm", "{\"qos\":\"q\"}");
    expect(STUDY "profile: chtc\n", NULL, nothing, "htcondor",
           "{\"attributes\":[\"WantGPULab = true\",\"IsResumable = true\"],"
           "\"classes\":[{\"name\":\"short\",\"time\":43200.0,\"limit\":"
           "{\"gpu_share\":0.6667},\"attributes\":[\"GPUJobLength = "
           "\\\"short\\\"\"]},{\"name\":\"medium\",\"time\":86400.0,"
           "\"limit\":{\"gpu_share\":0.3334},\"attributes\":[\"GPUJobLength = "
           "\\\"medium\\\"\"]},{\"name\":\"long\",\"time\":604800.0,"
           "\"limit\":{\"gpus\":4},\"attributes\":[\"GPUJobLength = "
           "\\\"long\\\"\"]}]}");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_study_of_this_machine_needs_no_profile),
        cmocka_unit_test(who_has_no_use_for_a_profile_is_told_why),
        cmocka_unit_test(the_profile_called_default_serves_who_names_none),
        cmocka_unit_test(the_engine_of_default_counts_for_who_says_none),
        cmocka_unit_test(a_profile_names_the_engine_and_is_read),
        cmocka_unit_test(
            the_study_goes_before_variables_and_these_before_a_profile),
        cmocka_unit_test(what_is_wrong_is_named_with_its_place),
        cmocka_unit_test(on_slurm_no_checkpoint_has_to_be_carried),
        cmocka_unit_test(other_commands_of_htcondor_are_handed_on),
        cmocka_unit_test(
            what_throng_writes_itself_is_refused_with_what_says_it),
        cmocka_unit_test(profiles_of_well_known_sites_are_there),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
