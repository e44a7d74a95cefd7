/* preview.c - what a study would do, told before it does it
 *
 * A plan is read and looked at; nothing runs, and nothing is stored. */
#include "base/json.h"
#include "base/num.h"
#include "search/search.h"
#include "study/study.h"
#include "view/view.h"

#define SAMPLES 5     /* trials whose commands are shown */
#define LISTED_MAX 20 /* values of one parameter that are shown */

/* ---- for people ------------------------------------------------------- */

static void add_total(struct buf *b, const struct preview *k)
{
    int64_t total = search_total(k->search);
    if (total < 0)
        buf_adds(b, "trials   no end (set run_cap, or --count N)\n");
    else
        buf_addf(b, "trials   %lld\n", (long long)total);
}

static void add_metric(struct buf *b, const struct preview *k)
{
    const struct plan_metric *m = &k->plan->metric;
    if (!m->name.len) {
        buf_adds(b, "metric   none: trials run and are counted, not "
                    "ranked\n");
        return;
    }
    const struct goal *g = &k->plan->goal;
    for (size_t i = 0; i < g->objective_count; i++)
        buf_addf(b, "metric   %.*s, %s, %s value of a trial counts\n",
                 STRF(g->objectives[i].name),
                 g->objectives[i].minimize ? "minimize" : "maximize",
                 m->pick == PICK_BEST ? "the best" : "the last");
    for (size_t i = 0; i < g->bound_count; i++) {
        buf_addf(b, "bound    %.*s %s ", STRF(g->bounds[i].name),
                 g->bounds[i].is_max ? "at most" : "at least");
        num_print(b, g->bounds[i].limit);
        buf_adds(b, "; a trial that breaks it ranks after the rest\n");
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
static void add_climb(struct buf *b, const struct preview *k)
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
        buf_addf(b,
                 "         too few trials for the last rung: the best of %lld "
                 "gets to report %lld\n",
                 (long long)total, (long long)early_level(e, reached));
}

/* What was said while results from elsewhere were read. */
static void add_warm(struct buf *b, const struct preview *k)
{
    const struct str prefix = STR("warm_start: ");
    for (size_t i = 0; i < k->warm_count; i++) {
        struct str text = str_of(k->warm[i]);
        if (str_starts(text, prefix))
            text = str_n(text.p + prefix.len, text.len - prefix.len);
        buf_addf(b, "%s%.*s\n", i ? "         " : "warm     ", STRF(text));
    }
}

static void add_early(struct buf *b, const struct preview *k)
{
    const struct early *e = &k->plan->early;
    if (e->kind == EARLY_NONE)
        return;
    buf_addf(b, "early    %s", early_name(e));
    if (e->kind == EARLY_HYPERBAND || e->kind == EARLY_ASHA)
        add_levels(b, e);
    buf_addc(b, '\n');
    add_climb(b, k);
}

/* Which interpreter `python` means here. */
static void add_interpreter(struct buf *b, const struct preview *k)
{
    const struct plan *p = k->plan;
    bool used = false;
    for (size_t i = 0; i < p->command_count; i++)
        used |= p->command[i].kind == COMMAND_INTERPRETER;
    if (!used)
        return;
    char *python = path_program(k->arena, "python", NULL);
    char *python3 = path_program(k->arena, "python3", NULL);
    if (python)
        buf_addf(b, "python   %s\n", python);
    else if (python3)
        buf_addf(b, "python   %s (there is no `python` here)\n", python3);
    else
        buf_adds(b, "python   neither python nor python3 is on PATH "
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

static void add_program(struct buf *b, const struct preview *k)
{
    const struct plan *p = k->plan;
    struct arena *a = k->arena;
    if (!p->program.len)
        return;
    char *file = arena_cstr(a, p->file);
    char *path = path_join(a, path_folder(a, path_absolute(a, file)),
                           arena_cstr(a, p->program));
    buf_addf(b, "program  %.*s%s\n", STRF(p->program),
             file_exists(path) ? "" : " (not there, seen from the study file)");
}

void preview_task(struct buf *b, const struct plan *p, const struct arg *argv,
                  size_t argc)
{
    if (p->kind->runs <= RUNS_MODEL) {
        plan_print_command(b, p, argv, argc, true);
        return;
    }
    buf_adds(b, p->kind->name);
    for (size_t i = 0; p->kind_options && i < p->kind_options->count; i++) {
        struct str key = p->kind_options->keys[i];
        if (str_is(key, "kind"))
            continue;
        buf_addf(b, " %.*s=", STRF(key));
        json_print(b, p->kind_options->items[i]);
    }
}

/* The lines of a script stand below each other. */
static void add_command(struct buf *b, const struct preview *k, int64_t id,
                        const struct arg *argv, size_t argc)
{
    struct buf text;
    struct str line;
    buf_init(&text);
    preview_task(&text, k->plan, argv, argc);
    struct str rest = buf_str(&text);
    buf_addf(b, "  %lld  ", (long long)id);
    for (int i = 0; str_split(&rest, '\n', &line); i++)
        buf_addf(b, "%s%.*s\n", i ? "       " : "", STRF(line));
    buf_done(&text);
}

static int command_of(const struct preview *k, int64_t id,
                      const struct value *point, const struct arg **argv,
                      size_t *argc, struct err *err)
{
    if (!k->plan->model_root)
        return plan_command(k->plan, point, k->arena, argv, argc, err);
    model_command(k->plan, point, k->plan->device,
                  study_suggestion_seed(k->plan, id), 0, k->arena, argv, argc);
    return 0;
}

/* Said where it was not: what a trial gets, or why it gets none. */
static void add_gpus(struct buf *b, const struct preview *k)
{
    size_t all = k->machine->gpu_count;
    if (study_shares_gpus(k->plan, k->outlook->gpus))
        buf_adds(b, "gpus     given since nothing is said: a program "
                    "that uses none is noticed;\n         `resources: "
                    "{gpus: 0}` turns it off\n");
    else if (study_shares_gpus(k->plan, all))
        buf_adds(b, "gpus     none: trials of this study were seen to "
                    "use none\n");
}

/* What is trained on, where that is more than a cpu, or might be. */
static void add_device(struct buf *b, const struct preview *k)
{
    struct buf words;
    buf_init(&words);
    study_device_words(&words, k->plan, k->machine->gpu_count,
                       k->outlook->total, k->arena);
    if (words.len)
        buf_addf(b, "device   %s\n", words.p);
    buf_done(&words);
}

/* What a trial needs becomes what it will be given. */
static void share(const struct preview *k, struct needs *n)
{
    struct room room;
    machine_room(k->machine, k->plan->parallel, k->arena, &room);
    study_share_cpus(k->plan, k->machine->cpus, n);
    study_share_gpus(k->plan, k->outlook->gpus, n);
    study_share_device(k->plan, k->outlook->total, k->arena, n);
    study_share_gpu_here(k->plan, &room, k->outlook->total, n);
}

static int add_sample(struct buf *b, const struct preview *k, int64_t id,
                      struct err *err)
{
    struct suggestion s = {0};
    const struct arg *argv;
    size_t argc;
    struct needs needs;
    enum search_answer got = search_ask(k->search, id, k->arena, &s, err);
    if (got != SEARCH_HERE)
        return got == SEARCH_ERROR ? -1 : 0;
    if (plan_needs(k->plan, s.point, &needs, err) ||
        command_of(k, id, s.point, &argv, &argc, err))
        return -1;
    if (id == 1) {
        share(k, &needs);
        buf_adds(b, "needs    ");
        needs_print(b, &needs);
        buf_adds(b, " each\n");
        add_gpus(b, k);
        add_device(b, k);
        buf_adds(b,
                 k->plan->kind->runs > RUNS_MODEL ? "tasks\n" : "commands\n");
    }
    add_command(b, k, id, argv, argc);
    if (!command_shows_point(k->plan)) {
        buf_adds(b, "     ");
        json_print(b, s.point);
        buf_addc(b, '\n');
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
static void add_space_file(struct buf *b, const struct preview *k)
{
    const struct space_file *s = k->plan->space_file;
    const struct value *own = value_get(k->plan->root, STR("parameters"));
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
static void add_list_file(struct buf *b, const struct preview *k)
{
    const struct plan *p = k->plan;
    const struct value *file = value_get(p->root, STR("points"));
    if (!file)
        file = value_get(p->root, STR("parameters_file"));
    if (!p->points || !file || file->kind != VALUE_STRING)
        return;
    buf_addf(b, "points   %.*s: a list of %llu\n", STRF(file->s),
             (unsigned long long)plan_points_count(p->points));
}

/* What goes at the end, where anything does. */
static void add_keep(struct buf *b, const struct preview *k)
{
    const struct plan *p = k->plan;
    const char *what = p->keep == KEEP_UNSAID ? "weights" : "outputs";
    bool all = p->keep == KEEP_ALL || !p->metric.name.len ||
               (p->keep == KEEP_UNSAID && !p->model_root);
    if (all)
        return;
    if (p->keep == KEEP_NONE)
        buf_addf(b, "keep     no %s of trials with a value", what);
    else
        buf_addf(b, "keep     %s of the best %lld trials", what,
                 (long long)p->keep_count);
    buf_adds(b, "; `keep: all` keeps them all\n");
}

/* In the file's order, where it has one. */
static const struct param *param_written(const struct plan *p, size_t i)
{
    for (size_t k = 0; p->written && k < p->space.count; k++)
        if (str_eq(p->space.params[k].name, p->written[i]))
            return &p->space.params[k];
    return &p->space.params[i];
}

static void add_count(struct buf *b, uint64_t count, const char *what)
{
    buf_addf(b, "%llu %s%s", (unsigned long long)count, what,
             count == 1 ? "" : "s");
}

/* Rows, models and samples, which are what an inference costs. */
static void add_predict(struct buf *b, const struct plan *plan)
{
    const struct plan_predict *p = plan->predict;
    if (!p)
        return;
    double all = (double)p->rows;
    buf_adds(b, "predict  ");
    add_count(b, p->rows, "row");
    if (!p->of_command) {
        buf_adds(b, " × ");
        add_count(b, p->models_count, "model");
        all *= (double)p->models_count;
    }
    if (p->samples > 1) {
        buf_addf(b, " × %lld samples", (long long)p->samples);
        all *= (double)p->samples;
    }
    buf_adds(b, " = ");
    num_print_short(b, all, 6);
    buf_addf(b, " predictions, in shards of up to ");
    add_count(b, p->most_rows, "row");
    buf_addc(b, '\n');
    if (p->row_s > 0) {
        buf_adds(b, "time     ");
        num_print_seconds(b, p->row_s * (double)p->rows);
        buf_addf(b,
                 " of one core (%.3g hours), by what the layers compute; "
                 "`--try 1` measures it\n",
                 p->row_s * (double)p->rows / 3600);
    }
}

int preview_print(struct buf *b, const struct preview *k, struct err *err)
{
    const struct plan *p = k->plan;
    const char *why = search_why(k->search);
    buf_addf(b, "study    %.*s\nmethod   %.*s%s%s\n", STRF(p->name),
             STRF(p->method), why ? ": " : "", why ? why : "");
    add_total(b, k);
    add_predict(b, p);
    buf_addf(b, "params   ");
    for (size_t i = 0; i < p->space.count; i++) {
        const struct param *param = param_written(p, i);
        buf_addf(b, "%s%.*s (%s)", i ? ", " : "", STRF(param->name),
                 dist_name(param->dist));
    }
    buf_adds(b, p->space.count ? "\n" : "as the points have them\n");
    add_space_file(b, k);
    add_list_file(b, k);
    add_metric(b, k);
    add_early(b, k);
    add_warm(b, k);
    add_keep(b, k);
    study_protocol_print(b, k->plan);
    add_program(b, k);
    add_interpreter(b, k);
    buf_addf(b, "machine  %u cpu%s, ", k->machine->cpus,
             k->machine->cpus == 1 ? "" : "s");
    num_print_bytes(b, k->machine->memory_bytes);
    buf_addf(b, ", %zu gpu%s\n", k->machine->gpu_count,
             k->machine->gpu_count == 1 ? "" : "s");
    for (int64_t id = 1; id <= SAMPLES; id++)
        if (add_sample(b, k, id, err))
            return -1;
    outlook_print(b, k->outlook);
    if (k->tried)
        outlook_resources(b, k->outlook);
    return 0;
}

/* ---- for programs ----------------------------------------------------- */

void preview_json(struct buf *b, const struct preview *k)
{
    const struct plan *p = k->plan;
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
    json_print(b, space_to_value(&p->space, k->arena));
    if (p->predict)
        buf_addf(b,
                 ",\"predict\":{\"rows\":%llu,\"models\":%llu,\"samples\":%lld,"
                 "\"shard_rows\":%llu,\"core_seconds\":%.6g}",
                 (unsigned long long)p->predict->rows,
                 (unsigned long long)p->predict->models_count,
                 (long long)(p->predict->samples ? p->predict->samples : 1),
                 (unsigned long long)p->predict->most_rows,
                 p->predict->row_s * (double)p->predict->rows);
    if (p->space_file) {
        buf_adds(b, ",\"space_file\":{\"file\":");
        json_string(b, p->space_file->file);
        buf_adds(b, ",\"kind\":");
        json_string(b, str_of(p->space_file->words));
        buf_adds(b, "}");
    }
    outlook_json(b, k->outlook);
    buf_adds(b, ",\"problems\":");
    problems_json(b, k->problems);
    buf_adds(b, "}\n");
}
