/* check.c - what a study file would do, without doing it */
#include <stdio.h>
#include <stdlib.h>
#include "base/num.h"
#include "cli/campaign.h"
#include "cli/cli.h"
#include "cli/study_files.h"
#include "cli/try_trials.h"
#include "search/search.h"
#include "study/study.h"
#include "terms/device.h"
#include "view/view.h"

struct checker {
    struct call *call;
    struct plan *plan;
    struct problems problems;
    struct search *search;
    struct point_source points;
    struct machine machine;
    const char *home;   /* the study file's own folder */
    const char *folder; /* of the study, where it has run */
    struct outlook outlook;
    struct err refusal;     /* why `run` would not run it */
    VEC(const char *) warm; /* what is said of warm_start */
    struct buf out;
};

/* ---- files that cannot be run ------------------------------------------ */

/* The file cannot be run; a program wants to know where it is wrong. */
static int refuse(struct checker *k)
{
    struct call *c = k->call;
    if (!k->problems.errors && c->err.kind != ERR_NONE)
        problems_add(&k->problems, PROBLEM_ERROR, str_of(c->args[0]), 0, 0,
                     STR(""), "%s", c->err.text);
    if (call_flag(c, "json") && k->problems.errors) {
        buf_adds(&k->out, "{\"schema\":\"throng.check/1\",\"problems\":");
        problems_json(&k->out, &k->problems);
        buf_adds(&k->out, "}\n");
        put(buf_str(&k->out));
    }
    return call_fail(c);
}

/* ---- how long it takes ------------------------------------------------ */

static int read_task_time(struct checker *k)
{
    const char *text = call_option(k->call, "task-time");
    if (!text || (num_seconds(str_of(text), &k->outlook.given_s) &&
                  k->outlook.given_s > 0))
        return 0;
    return err_set(&k->call->err, ERR_USAGE,
                   "--task-time takes a time such as 30s, 5m or 2h, not `%s`",
                   text);
}

static int read_slots(struct checker *k)
{
    struct call *c = k->call;
    if (call_int(c, "slots", 0, &k->outlook.slots_asked))
        return -1;
    if (!call_option(c, "slots") || k->outlook.slots_asked > 0)
        return 0;
    return err_set(&c->err, ERR_USAGE, "--slots takes a number from 1");
}

static int read_subset(struct checker *k, double *subset)
{
    const char *text = call_option(k->call, "subset");
    *subset = 0;
    if (!text)
        return 0;
    if (!call_option(k->call, "try"))
        return err_set(&k->call->err, ERR_USAGE,
                       "--subset goes with --try: trials that are tried use "
                       "that part of the data");
    if (num_double(str_of(text), subset) && *subset > 0 && *subset <= 1)
        return 0;
    return err_set(&k->call->err, ERR_USAGE,
                   "--subset takes a fraction above 0 and up to 1, not `%s`",
                   text);
}

/* What `run` would refuse is known before; the rest is told all the same. */
static void foresee(struct checker *k)
{
    struct call *c = k->call;
    struct study_setup setup = {
        .plan = k->plan, .folder = k->folder, .machine = &k->machine};
    struct study_changes changes = {0};
    buf_init(&changes.lines);
    if (study_foresee(&setup, &changes, c->arena, &k->refusal)) {
        err_wrap(&k->refusal, "`throng run` refuses this");
        problems_add(&k->problems, PROBLEM_ERROR, str_of(c->args[0]), 0, 0,
                     STR(""), "%s", k->refusal.text);
    } else if (changes.lines.len)
        say("throng check: changed since the stored study ran, which `throng "
            "run` accepts%s:\n%s",
            changes.anew ? ", beginning anew, since no trial had ended well"
                         : "",
            changes.lines.p);
    buf_done(&changes.lines);
}

/* What earlier runs of the study say, when there were any. */
static void look_back(struct checker *k)
{
    struct store *store = store_open(k->folder, false, NULL);
    if (store && measure_store(store, &k->outlook.measure, NULL))
        k->outlook.measure = (struct measure){0};
    k->outlook.gpus = k->machine.gpu_count;
    if (store)
        study_gpus_count(store, k->machine.gpu_count, &k->outlook.gpus, NULL);
    store_close(store);
}

/* ---- results from elsewhere -------------------------------------------- */

static void note_warm(void *context, enum log_level level, const char *text)
{
    struct checker *k = context;
    struct arena *a = k->call->arena;
    vec_push(&k->warm, arena_cstr(a, str_of(text)));
    problems_add(&k->problems,
                 level >= LOG_WARN ? PROBLEM_WARNING : PROBLEM_NOTICE,
                 str_of(k->call->args[0]), 0, 0, STR(""), "%s", text);
}

/* The search knows what it will know. A study that was made keeps what it was
 * made with, and its source may be gone. */
static int look_warm(struct checker *k)
{
    struct call *c = k->call;
    struct log log = {note_warm, k, LOG_NOTICE};
    if (!k->plan->warm_start.len ||
        file_exists(path_join(c->arena, k->folder, "study.db")))
        return 0;
    struct value *known =
        study_warm_read(k->plan, k->home, &log, c->arena, &c->err);
    if (known)
        study_warm_tell(known, k->search);
    return known ? 0 : -1;
}

/* 0, or an exit code after the reason was printed. */
static int look_ahead(struct checker *k)
{
    struct call *c = k->call;
    struct outlook *o = &k->outlook;
    struct suggestion s = {0};
    int64_t count;
    double subset;
    if (study_check_path(k->home, &c->err))
        return refuse(k);
    if (read_task_time(k) || read_subset(k, &subset) ||
        call_int(c, "try", 0, &count) || read_slots(k))
        return call_fail(c);
    o->plan = k->plan;
    o->machine = &k->machine;
    o->total = search_total(k->search);
    o->adaptive = !search_foresees(k->search);
    o->input_bytes = outlook_inputs(k->plan, k->home, c->arena);
    needs_init(&o->needs);
    if (search_ask(k->search, 1, c->arena, &s, NULL) == SEARCH_HERE)
        plan_needs(k->plan, s.point, &o->needs, NULL);
    look_back(k);
    foresee(k);
    study_share_gpus(k->plan, o->gpus, &o->needs);
    int code = EXIT_OK;
    if (o->measure.tasks)
        o->full_s = o->measure.seconds;
    struct tries tries = {count, subset, &o->needs};
    if (count)
        code = try_trials(c, k->plan, c->args[0], &tries, &o->measure);
    outlook_think(o);
    return code;
}

/* ---- the verb --------------------------------------------------------- */

static int check(struct checker *k)
{
    struct call *c = k->call;
    struct preview p = {.plan = k->plan,
                        .search = k->search,
                        .machine = &k->machine,
                        .outlook = &k->outlook,
                        .problems = &k->problems,
                        .warm = k->warm.p,
                        .warm_count = k->warm.len,
                        .tried = call_option(c, "try") != NULL,
                        .arena = c->arena};
    if (!call_flag(c, "json"))
        return preview_print(&k->out, &p, &c->err);
    preview_json(&k->out, &p);
    return 0;
}

static int read_plan(struct checker *k)
{
    struct call *c = k->call;
    struct arena *a = c->arena;
    k->plan =
        load_plan_look(c, c->args[0], call_option(c, "new"), &k->problems);
    if (!k->plan)
        return -1;
    k->home = path_folder(a, path_absolute(a, c->args[0]));
    k->folder = path_join(a, path_join(a, k->home, ".throng"),
                          arena_cstr(a, k->plan->name));
    k->search = plan_search(k->plan, 0, &k->points, a, &c->err);
    return k->search ? look_warm(k) : -1;
}

static int look(struct checker *k)
{
    struct call *c = k->call;
    if (read_plan(k))
        return refuse(k);
    if (machine_read(&k->machine, getenv("THRONG_GPUS"), c->arena, &c->err))
        return call_fail(c);
    k->machine.disk_bytes = path_free_bytes(k->home);
    int code = look_ahead(k);
    if (code == EXIT_OK && check(k))
        code = call_fail(c);
    if (code == EXIT_OK && call_flag(c, "json"))
        put(buf_str(&k->out));
    else if (code == EXIT_OK)
        put_report(c, buf_str(&k->out));
    if (code != EXIT_OK || k->refusal.kind == ERR_NONE)
        return code;
    c->err = k->refusal;
    return call_fail(c);
}

static int run(struct call *c)
{
    if (c->arg_count != 1)
        return study_file_usage(c);
    if (is_campaign_file(c->args[0]))
        return campaign_check(c, c->args[0]);
    struct checker k = {.call = c};
    problems_init(&k.problems, c->arena);
    buf_init(&k.out);
    int code = look(&k);
    buf_done(&k.out);
    vec_done(&k.warm);
    search_free(k.search);
    plan_close(k.plan);
    return code;
}

VERB(check) = {
    .name = "check",
    .args = "STUDY.yaml",
    .summary = "Check a study file and show what it would run",
    .text =
        "All mistakes are listed, each with its line and column; then "
        "the number of\ntrials, five of their commands, how long the "
        "study would take, and where it\nbelongs: on one machine, in a "
        "throughput queue, or on tightly coupled nodes. The\ntime of a "
        "task is given (--task-time), tried (--try) or that of earlier "
        "runs.\nTrials that are tried leave nothing behind. Where `throng run` "
        "would refuse the\nstudy (a stored one that differs, a folder that "
        "others can write), check says it\nand ends with the same exit "
        "code. Of a campaign (a file with `stages:`) it shows\nthe stages in "
        "their order.\n",
    .options =
        (const struct option_spec[]){
            {"task-time", 0, "TIME", "how long one task takes"},
            {"slots", 0, "N", "and how long all take with N at once"},
            {"try", 0, "N", "run N trials and measure what they take"},
            {"subset", 0, "F", "let them use this fraction of the data"},
            {"engine", 0, "NAME", "where trials run:" PLACE_WORDS},
            {"profile", 0, "NAME", "settings of a site, by name"},
            {"device", 0, "NAME", "one of " DEVICE_NAMES},
            {"new", 0, "NAME", "check it as a study of another name"},
            {"json", 0, NULL, "for programs: schema throng.check/1"},
            {0}},
    .run = run,
};
