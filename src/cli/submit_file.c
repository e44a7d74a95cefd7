/* submit_file.c - what would be submitted to a scheduler */
#include <stdlib.h>
#include <sys/stat.h>
#include "cli/cli.h"
#include "cli/study_files.h"
#include "terms/device.h"

static int fill(struct call *c, const char *file, struct study_setup *setup)
{
    struct arena *a = c->arena;
    struct machine *machine = arena_new_of(a, struct machine);
    setup->home = path_folder(a, path_absolute(a, file));
    setup->folder = path_join(a, path_join(a, setup->home, ".throng"),
                              arena_cstr(a, setup->plan->name));
    setup->machine = machine;
    setup->worker = worker_path(a, &c->err);
    if (!setup->worker ||
        machine_read(machine, getenv("THRONG_GPUS"), a, &c->err))
        return -1;
    setup->loop = loop_new(&c->err);
    return setup->loop ? 0 : -1;
}

static void say_about(const struct study_submit *s)
{
    say("throng submit-file: for the first of %lld trial%s%s\n",
        (long long)s->trials, s->trials == 1 ? "" : "s",
        s->first_only ? "; others may need more or less" : "");
    if (s->unnamed)
        say("throng submit-file: the first run puts a number of its own where "
            "the name has 00000000\n");
}

static int print(struct call *c, struct study_setup *setup)
{
    struct log log = log_stderr();
    struct study_submit submit = {0};
    mode_t mask = umask(0);
    umask(mask);
    setup->log = &log;
    setup->mask = &mask;
    buf_init(&submit.text);
    int rc = fill(c, c->args[0], setup);
    if (!rc)
        rc = study_submit(setup, &submit, &c->err);
    if (!rc) {
        put_data(c, buf_str(&submit.text));
        say_about(&submit);
    }
    buf_done(&submit.text);
    loop_free(setup->loop);
    return rc ? call_fail(c) : EXIT_OK;
}

static int run(struct call *c)
{
    if (c->arg_count != 1)
        return study_file_usage(c);
    struct plan *plan = load_plan(c, c->args[0], call_option(c, "new"));
    if (!plan)
        return call_fail(c);
    struct study_setup setup = {.plan = plan};
    int code = print(c, &setup);
    plan_close(plan);
    return code;
}

VERB(submit_file) = {
    .name = "submit-file",
    .args = "STUDY.yaml",
    .summary = "Print what would be submitted to a scheduler",
    .text =
        "The script of the first jobs that `throng run` would hand to the "
        "scheduler of\n`engine`, as it would stand in .throng/NAME/jobs/1 "
        "(job.sh, or job.sub of\nHTCondor); options of a profile, of the "
        "environment and of the study are in it.\nNothing is submitted or "
        "written. What was submitted is shown by\n`throng explain TRIAL`.\n",
    .options =
        (const struct option_spec[]){
            {"engine", 0, "NAME", "where trials run, as for `run`"},
            {"profile", 0, "NAME", "settings of a site, by name"},
            {"device", 0, "NAME", "one of " DEVICE_NAMES},
            {"new", 0, "NAME", "as a study of another name"},
            {0}},
    .run = run,
};
