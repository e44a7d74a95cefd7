/* check.c - what a study file would do, without doing it */
#include <stdio.h>
#include <stdlib.h>
#include "base/json.h"
#include "base/num.h"
#include "candle/candle.h"
#include "cli/cli.h"
#include "cli/study_files.h"
#include "cli/try_trials.h"
#include "search/search.h"
#include "study/study.h"
#include "view/view.h"

#define SAMPLES 5
#define LISTED_MAX 20 /* values of one parameter that are shown */

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

/* ---- for people ------------------------------------------------------- */

static void add_total(struct checker *k)
{
    int64_t total = search_total(k->search);
    if (total < 0)
        buf_adds(&k->out, "trials   no end (set run_cap, or --count N)\n");
    else
        buf_addf(&k->out, "trials   %lld\n", (long long)total);
}

static void add_metric(struct checker *k)
{
    const struct plan_metric *m = &k->plan->metric;
    if (!m->name.len) {
        buf_adds(&k->out, "metric   none: trials run and are counted, not "
                          "ranked\n");
        return;
    }
    const struct goal *g = &k->plan->goal;
    for (size_t i = 0; i < g->objective_count; i++)
        buf_addf(&k->out, "metric   %.*s, %s, %s value of a trial counts\n",
                 STRF(g->objectives[i].name),
                 g->objectives[i].minimize ? "minimize" : "maximize",
                 m->pick == PICK_BEST ? "the best" : "the last");
    for (size_t i = 0; i < g->bound_count; i++) {
        buf_addf(&k->out, "bound    %.*s %s ", STRF(g->bounds[i].name),
                 g->bounds[i].is_max ? "at most" : "at least");
        num_print(&k->out, g->bounds[i].limit);
        buf_adds(&k->out, "; a trial that breaks it ranks after the rest\n");
    }
}

/* Where trials are looked at. Bands that go up from min_iter have no end, so
 * that the first few are shown. */
static void add_levels(struct buf *b, const struct early *e)
{
    enum { SHOWN = 8, FEW = 4 };
    bool endless = e->kind == EARLY_HYPERBAND && !e->max_iter;
    size_t count = 0;
    while (count < (endless ? FEW : SHOWN) && early_level(e, count))
        count++;
    buf_adds(b, ", looks after ");
    for (size_t i = 0; i < count; i++)
        buf_addf(b, "%s%lld",
                 i == 0                       ? ""
                 : i + 1 == count && !endless ? " and "
                                              : ", ",
                 (long long)early_level(e, i));
    if (endless || early_level(e, count))
        buf_adds(b, ", …");
    buf_adds(b, count ? " reports" : "no report");
}

/* Of n trials n / eta climb to the second rung and so on: too few of them, and
 * none gets to the last one. */
static void add_climb(struct checker *k)
{
    const struct early *e = &k->plan->early;
    int64_t total = search_total(k->search), left = total, needed = 1;
    size_t reached = 0, last = 0;
    if (e->kind != EARLY_ASHA || !e->promote || e->brackets > 1 || total < 1)
        return;
    for (; early_level(e, last + 1) && needed <= total; last++) {
        needed *= e->eta;
        left /= e->eta;
        reached += left > 0;
    }
    if (needed > total)
        buf_addf(&k->out,
                 "         too few trials for the last rung: the best of %lld "
                 "gets to report %lld\n",
                 (long long)total, (long long)early_level(e, reached));
}

/* What was said while results from elsewhere were read. */
static void add_warm(struct checker *k)
{
    const struct str prefix = STR("warm_start: ");
    for (size_t i = 0; i < k->warm.len; i++) {
        struct str text = str_of(k->warm.p[i]);
        if (str_starts(text, prefix))
            text = str_n(text.p + prefix.len, text.len - prefix.len);
        buf_addf(&k->out, "%s%.*s\n", i ? "         " : "warm     ",
                 STRF(text));
    }
}

static void add_early(struct checker *k)
{
    const struct early *e = &k->plan->early;
    if (e->kind == EARLY_NONE)
        return;
    buf_addf(&k->out, "early    %s", early_name(e));
    if (e->kind == EARLY_HYPERBAND || e->kind == EARLY_ASHA)
        add_levels(&k->out, e);
    buf_addc(&k->out, '\n');
    add_climb(k);
}

/* Which interpreter `python` means here. */
static void add_interpreter(struct checker *k)
{
    const struct plan *p = k->plan;
    bool used = false;
    for (size_t i = 0; i < p->command_count; i++)
        used |= p->command[i].kind == COMMAND_INTERPRETER;
    if (!used)
        return;
    char *python = path_program(k->call->arena, "python", NULL);
    char *python3 = path_program(k->call->arena, "python3", NULL);
    if (python)
        buf_addf(&k->out, "python   %s\n", python);
    else if (python3)
        buf_addf(&k->out, "python   %s (there is no `python` here)\n", python3);
    else
        buf_adds(&k->out, "python   neither python nor python3 is on PATH "
                          "here\n");
}

/* False when the command is the same for every trial: the parameters then go
 * in through the environment and the params file. */
static bool command_shows_point(const struct plan *p)
{
    if (p->model_root)
        return true;
    for (size_t i = 0; i < p->command_count; i++) {
        const struct command_part *part = &p->command[i];
        bool text = part->kind == COMMAND_TEXT || part->kind == COMMAND_SHELL ||
                    part->kind == COMMAND_CODE;
        if (text ? str_find(part->text, '{') >= 0 : part->kind >= COMMAND_ARGS)
            return true;
    }
    return false;
}

static void add_program(struct checker *k)
{
    const struct plan *p = k->plan;
    struct arena *a = k->call->arena;
    if (!p->program.len)
        return;
    char *file = arena_cstr(a, p->file);
    char *path = path_join(a, path_folder(a, path_absolute(a, file)),
                           arena_cstr(a, p->program));
    buf_addf(&k->out, "program  %.*s%s\n", STRF(p->program),
             file_exists(path) ? "" : " (not there, seen from the study file)");
}

/* The lines of a script stand below each other. */
static void add_command(struct checker *k, int64_t id, const struct arg *argv,
                        size_t argc)
{
    struct buf b;
    struct str line;
    buf_init(&b);
    plan_print_command(&b, k->plan, argv, argc, true);
    struct str rest = buf_str(&b);
    buf_addf(&k->out, "  %lld  ", (long long)id);
    for (int i = 0; str_split(&rest, '\n', &line); i++)
        buf_addf(&k->out, "%s%.*s\n", i ? "       " : "", STRF(line));
    buf_done(&b);
}

static int command_of(struct checker *k, int64_t id, const struct value *point,
                      const struct arg **argv, size_t *argc)
{
    struct call *c = k->call;
    if (!k->plan->model_root)
        return plan_command(k->plan, point, c->arena, argv, argc, &c->err);
    model_command(k->plan, point, study_suggestion_seed(k->plan, id), 0,
                  c->arena, argv, argc);
    return 0;
}

/* Said where it was not: what a trial gets, or why it gets none. */
static void add_gpus(struct checker *k)
{
    size_t all = k->machine.gpu_count;
    if (study_shares_gpus(k->plan, k->outlook.gpus))
        buf_adds(&k->out, "gpus     given since nothing is said: a program "
                          "that uses none is noticed;\n         `resources: "
                          "{gpus: 0}` turns it off\n");
    else if (study_shares_gpus(k->plan, all))
        buf_adds(&k->out, "gpus     none: trials of this study were seen to "
                          "use none\n");
}

static int add_sample(struct checker *k, int64_t id)
{
    struct call *c = k->call;
    struct suggestion s = {0};
    const struct arg *argv;
    size_t argc;
    struct needs needs;
    enum search_answer got = search_ask(k->search, id, c->arena, &s, &c->err);
    if (got != SEARCH_HERE)
        return got == SEARCH_ERROR ? -1 : 0;
    if (plan_needs(k->plan, s.point, &needs, &c->err) ||
        command_of(k, id, s.point, &argv, &argc))
        return -1;
    if (id == 1) {
        study_share_cpus(k->plan, k->machine.cpus, &needs);
        study_share_gpus(k->plan, k->outlook.gpus, &needs);
        buf_adds(&k->out, "needs    ");
        needs_print(&k->out, &needs);
        buf_adds(&k->out, " each\n");
        add_gpus(k);
        buf_adds(&k->out, "commands\n");
    }
    add_command(k, id, argv, argc);
    if (!command_shows_point(k->plan)) {
        buf_adds(&k->out, "     ");
        json_print(&k->out, s.point);
        buf_addc(&k->out, '\n');
    }
    return 0;
}

/* A value as a study file would have it; of a long list the beginning. */
static void add_flow(struct buf *b, const struct value *v)
{
    bool object = v->kind == VALUE_OBJECT;
    if (!object && v->kind != VALUE_LIST) {
        json_print(b, v);
        return;
    }
    buf_addc(b, object ? '{' : '[');
    for (size_t i = 0; i < v->count; i++) {
        buf_adds(b, i ? ", " : "");
        if (!object && i == LISTED_MAX) {
            buf_addf(b, "… %zu in all", v->count);
            break;
        }
        if (object)
            buf_addf(b, "%.*s: ", STRF(v->keys[i]));
        add_flow(b, v->items[i]);
    }
    buf_addc(b, object ? '}' : ']');
}

/* What each parameter of a space in a file of its own became. */
static void add_space_file(struct checker *k)
{
    const struct space_file *s = k->plan->space_file;
    const struct value *own = value_get(k->plan->root, STR("parameters"));
    struct buf *b = &k->out;
    if (!s)
        return;
    buf_addf(b, "space    %.*s: %s, %zu parameter%s\n", STRF(s->file), s->words,
             s->parameters->count, s->parameters->count == 1 ? "" : "s");
    for (size_t i = 0; i < s->parameters->count; i++) {
        struct str name = s->parameters->keys[i];
        const struct value *sigma = value_get(s->sigma, name);
        buf_addf(b, "  %.*s: ", STRF(name));
        add_flow(b, s->parameters->items[i]);
        if (sigma) {
            buf_adds(b, "  sigma ");
            json_print(b, sigma);
        }
        buf_adds(b,
                 value_get(own, name) ? "  (the study's own counts)\n" : "\n");
    }
}

/* A list of runs in a file of its own, such as an unrolled parameter file. */
static void add_list_file(struct checker *k)
{
    const struct plan *p = k->plan;
    const struct value *file = value_get(p->root, STR("points"));
    if (!file)
        file = value_get(p->root, STR("parameters_file"));
    if (!p->points || !file || file->kind != VALUE_STRING)
        return;
    buf_addf(&k->out, "points   %.*s: a list of %llu\n", STRF(file->s),
             (unsigned long long)plan_points_count(p->points));
}

/* Every action script is handed this folder, and CANDLE's own library wants
 * it: without it no script on that would start. */
static bool lacks_data_dir(const struct plan *p)
{
    const char *set = getenv("CANDLE_DATA_DIR");
    for (size_t i = 0; i < p->env_count; i++)
        if (str_is(p->env[i].name, "CANDLE_DATA_DIR"))
            return p->env[i].value.len == 0;
    return !set || !*set;
}

static void add_protocol(struct checker *k)
{
    static const char *const styles[] = {
        [STYLE_UNSAID] = "as the command says",
        [STYLE_SCRIPT] = "a script with --key value",
        [STYLE_CONFIG_FILE] = "a script with --config_file",
        [STYLE_ACTION] = "an action script",
        [STYLE_RUNNER] = "a runner",
        [STYLE_IMPORT] = "a benchmark whose run() is called"};
    if (!str_is(k->plan->protocol, "candle"))
        return;
    buf_addf(&k->out, "protocol candle: %s\n",
             styles[candle_style(k->plan->start)]);
    if (lacks_data_dir(k->plan))
        buf_addf(&k->out,
                 "  - CANDLE_DATA_DIR is not set here, and %s: export it, or "
                 "say\n    env: {CANDLE_DATA_DIR: /folder}\n",
                 candle_style(k->plan->start) == STYLE_ACTION
                     ? "the script is handed it"
                     : "CANDLE's own library wants it (throng's candle takes "
                       "./Data)");
}

/* What goes at the end, where anything does. */
static void add_keep(struct checker *k)
{
    const struct plan *p = k->plan;
    const char *what = p->keep == KEEP_UNSAID ? "weights" : "outputs";
    bool all = p->keep == KEEP_ALL || !p->metric.name.len ||
               (p->keep == KEEP_UNSAID && !p->model_root);
    if (all)
        return;
    if (p->keep == KEEP_NONE)
        buf_addf(&k->out, "keep     no %s of trials with a value", what);
    else
        buf_addf(&k->out, "keep     %s of the best %lld trials", what,
                 (long long)p->keep_count);
    buf_adds(&k->out, "; `keep: all` keeps them all\n");
}

/* In the file's order, where it has one. */
static const struct param *param_written(const struct plan *p, size_t i)
{
    for (size_t k = 0; p->written && k < p->space.count; k++)
        if (str_eq(p->space.params[k].name, p->written[i]))
            return &p->space.params[k];
    return &p->space.params[i];
}

static int describe(struct checker *k)
{
    const struct plan *p = k->plan;
    const char *why = search_why(k->search);
    buf_addf(&k->out, "study    %.*s\nmethod   %.*s%s%s\n", STRF(p->name),
             STRF(p->method), why ? ": " : "", why ? why : "");
    add_total(k);
    buf_addf(&k->out, "params   ");
    for (size_t i = 0; i < p->space.count; i++) {
        const struct param *param = param_written(p, i);
        buf_addf(&k->out, "%s%.*s (%s)", i ? ", " : "", STRF(param->name),
                 dist_name(param->dist));
    }
    buf_adds(&k->out, p->space.count ? "\n" : "as the points have them\n");
    add_space_file(k);
    add_list_file(k);
    add_metric(k);
    add_early(k);
    add_warm(k);
    add_keep(k);
    add_protocol(k);
    add_program(k);
    add_interpreter(k);
    buf_addf(&k->out, "machine  %u cpu%s, ", k->machine.cpus,
             k->machine.cpus == 1 ? "" : "s");
    num_print_bytes(&k->out, k->machine.memory_bytes);
    buf_addf(&k->out, ", %zu gpu%s\n", k->machine.gpu_count,
             k->machine.gpu_count == 1 ? "" : "s");
    for (int64_t id = 1; id <= SAMPLES; id++)
        if (add_sample(k, id))
            return -1;
    outlook_print(&k->out, &k->outlook);
    if (call_option(k->call, "try"))
        outlook_resources(&k->out, &k->outlook);
    return 0;
}

/* ---- for programs ----------------------------------------------------- */

static void describe_json(struct checker *k)
{
    const struct plan *p = k->plan;
    struct buf *b = &k->out;
    buf_adds(b, "{\"schema\":\"throng.check/1\",\"study\":");
    json_string(b, p->name);
    buf_adds(b, ",\"method\":");
    json_string(b, p->method);
    if (search_why(k->search)) {
        buf_adds(b, ",\"why\":");
        json_string(b, str_of(search_why(k->search)));
    }
    int64_t total = search_total(k->search);
    if (total >= 0)
        buf_addf(b, ",\"trials\":%lld", (long long)total);
    else
        buf_adds(b, ",\"trials\":null");
    buf_adds(b, ",\"metric\":");
    json_string(b, p->metric.name);
    buf_addf(b, ",\"goal\":\"%s\",\"pick\":\"%s\",\"space\":",
             p->metric.minimize ? "minimize" : "maximize",
             p->metric.pick == PICK_BEST ? "best" : "last");
    json_print(b, space_to_value(&p->space, k->call->arena));
    if (p->space_file) {
        buf_adds(b, ",\"space_file\":{\"file\":");
        json_string(b, p->space_file->file);
        buf_adds(b, ",\"kind\":");
        json_string(b, str_of(p->space_file->words));
        buf_adds(b, "}");
    }
    outlook_json(b, &k->outlook);
    buf_adds(b, ",\"problems\":");
    problems_json(b, &k->problems);
    buf_adds(b, "}\n");
}

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
    int64_t tries;
    double subset;
    if (study_check_path(k->home, &c->err))
        return refuse(k);
    if (read_task_time(k) || read_subset(k, &subset) ||
        call_int(c, "try", 0, &tries) || read_slots(k))
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
    if (tries)
        code = try_trials(c, k->plan, c->args[0], tries, subset, &o->measure);
    outlook_think(o);
    return code;
}

/* ---- the verb --------------------------------------------------------- */

static int check(struct checker *k)
{
    struct call *c = k->call;
    if (call_flag(c, "json")) {
        describe_json(k);
        return 0;
    }
    return describe(k);
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
        "code.\n",
    .options =
        (const struct option_spec[]){
            {"task-time", 0, "TIME", "how long one task takes"},
            {"slots", 0, "N", "and how long all take with N at once"},
            {"try", 0, "N", "run N trials and measure time and memory"},
            {"subset", 0, "F", "let them use this fraction of the data"},
            {"engine", 0, "NAME", "where trials run: local or slurm"},
            {"profile", 0, "NAME", "settings of a site, by name"},
            {"new", 0, "NAME", "check it as a study of another name"},
            {"json", 0, NULL, "for programs: schema throng.check/1"},
            {0}},
    .run = run,
};
