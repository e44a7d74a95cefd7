/* command_line.c - a trial as a line that can be pasted into a shell */
#include "view/view.h"

#include <stdlib.h>
#include <unistd.h>
#include "base/chars.h"
#include "base/json.h"
#include "study/study.h"
#include "terms/device.h"
#include "terms/setup.h"

static void quote(struct buf *b, const struct plan *p, struct str text)
{
    struct arg arg = {ARG_TEXT, text};
    plan_print_command(b, p, &arg, 1, false);
}

/* ${envvar:NAME} becomes "$NAME". */
static void quote_expand(struct buf *b, const struct plan *p, struct str text)
{
    struct arg arg = {ARG_EXPAND, text};
    plan_print_command(b, p, &arg, 1, false);
}

static void add_file(struct buf *b, const struct plan *p, const char *path,
                     struct str text)
{
    buf_adds(b, "printf %s ");
    quote(b, p, text);
    buf_adds(b, " >\"$d\"/");
    quote(b, p, str_of(path));
    buf_adds(b, " && ");
}

static int add_scratch(struct buf *b, const struct plan *p,
                       const struct trial *t, const struct value *point,
                       struct arena *a, struct err *err)
{
    const struct task_file *files;
    size_t count;
    if (plan_files(p, point, a, &files, &count, err))
        return -1;
    buf_adds(b, "d=$(mktemp -d) && mkdir \"$d/output\" \"$d/checkpoint\" && ");
    add_file(b, p, "params.json", t->point);
    for (size_t i = 0; i < count; i++) {
        char *path = arena_cstr(a, files[i].path);
        if (strchr(path, '/')) {
            buf_adds(b, "mkdir -p \"$d\"/");
            quote(b, p, str_of(path_folder(a, path)));
            buf_adds(b, " && ");
        }
        add_file(b, p, path, files[i].text);
    }
    return 0;
}

static void add_params(struct buf *b, const struct plan *p,
                       const struct value *point)
{
    struct buf text;
    buf_init(&text);
    for (size_t i = 0; i < point->count; i++) {
        buf_adds(b, " THRONG_P_");
        for (size_t k = 0; k < point->keys[i].len; k++) {
            char c = point->keys[i].p[k];
            bool plain = is_letter(c) || is_digit(c);
            buf_addc(b, plain ? c : '_');
        }
        buf_addc(b, '=');
        buf_reset(&text);
        if (point->items[i]->kind == VALUE_STRING)
            buf_addstr(&text, point->items[i]->s);
        else
            json_print(&text, point->items[i]);
        quote(b, p, buf_str(&text));
    }
    buf_done(&text);
}

/* What the study, or else the shell, already has on PYTHONPATH. */
static void add_given_python(struct buf *b, const struct plan *p)
{
    for (size_t i = 0; i < p->env_count; i++)
        if (str_is(p->env[i].name, "PYTHONPATH") && p->env[i].value.len) {
            buf_addc(b, ':');
            quote_expand(b, p, p->env[i].value);
            return;
        }
    buf_adds(b, "\"${PYTHONPATH:+:$PYTHONPATH}\"");
}

/* The same folders, in the same order, as the worker gives to a task. */
static void add_python(struct buf *b, const struct plan *p, struct arena *a)
{
    char *folder = python_folder(a);
    bool ours = str_is(p->wandb, "stand-in"), real = str_is(p->wandb, "real");
    if (!folder)
        return;
    buf_adds(b, " PYTHONPATH=");
    quote(b, p, str_of(folder));
    if (!real) {
        buf_addc(b, ':');
        quote(b, p, str_of(path_join(a, folder, "stand_in")));
    }
    if (ours) {
        buf_addc(b, ':');
        quote(b, p, str_of(path_join(a, folder, "stand_in_only")));
    }
    buf_addc(b, ':');
    quote(b, p, str_of(path_join(a, folder, "stand_in_candle")));
    add_given_python(b, p);
    if (ours)
        buf_adds(b, " THRONG_WANDB=stand-in");
}

static void add_environment(struct buf *b, const struct plan *p,
                            const char *home, const struct trial *t,
                            const struct value *point, uint64_t seed,
                            struct arena *a)
{
    size_t count;
    const struct assignment *env = plan_env(p, home, a, &count);
    static const char *const files[] = {
        "PARAMS=\"$d/params.json\"", "METRICS=\"$d/metrics.jsonl\"",
        "OUTPUT=\"$d/output\"", "CHECKPOINT=\"$d/checkpoint\"",
        "STOP=\"$d/stop\""};
    buf_adds(b, "env");
    for (size_t i = 0; i < count; i++) {
        buf_addf(b, " %.*s=", STRF(env[i].name));
        quote_expand(b, p, env[i].value);
    }
    buf_adds(b, " THRONG_STUDY=");
    quote(b, p, p->name);
    buf_addf(b, " THRONG_TRIAL=%lld THRONG_ATTEMPT=1 THRONG_SEED=%llu",
             (long long)t->id, (unsigned long long)seed);
    for (size_t i = 0; i < sizeof(files) / sizeof(files[0]); i++)
        buf_addf(b, " THRONG_%s", files[i]);
    if (t->budget > 0)
        buf_addf(b, " THRONG_BUDGET=%lld", (long long)t->budget);
    add_params(b, p, point);
    add_python(b, p, a);
    buf_addc(b, ' ');
}

/* An id that the point has, or the one that the worker would give. */
static void add_id(struct buf *b, const struct plan *p, const char *variable,
                   const struct value *own, struct str otherwise)
{
    struct buf text;
    buf_init(&text);
    if (own && own->kind != VALUE_NULL)
        value_python_str(&text, own);
    else
        buf_addstr(&text, otherwise);
    buf_addf(b, " %s=", variable);
    quote(b, p, buf_str(&text));
    buf_done(&text);
}

/* The command itself refers to these, so that the shell must have them. */
static void add_candle(struct buf *b, const struct plan *p,
                       const struct trial *t, const struct value *point,
                       struct arena *a)
{
    if (!str_is(p->protocol, "candle"))
        return;
    char *run = arena_printf(a, "RUN%03lld", (long long)t->id);
    buf_adds(b, "export");
    add_id(b, p, "CANDLE_EXPERIMENT_ID", value_get(point, STR("experiment_id")),
           p->name);
    add_id(b, p, "CANDLE_RUN_ID", value_get(point, STR("run_id")), str_of(run));
    buf_adds(b, " CANDLE_GPU=\"${CUDA_VISIBLE_DEVICES-}\" "
                "CANDLE_OUTPUT_DIR=\"$d/output\" "
                "CANDLE_CONFIG_FILE=\"$d/output/parameters.txt\" "
                "RESULT_FILE=\"$d/output/result.txt\" "
                "TURBINE_OUTPUT=\"$d/output\" && ");
}

/* `python` where there is one, as the worker does it. */
static const struct arg *with_interpreter(const struct arg *argv, size_t argc,
                                          bool inside, struct arena *a)
{
    struct arg *own = arena_array(a, argc + 1, sizeof(*own));
    bool absent = inside || !path_program(a, "python", NULL);
    for (size_t i = 0; i < argc; i++) {
        own[i] = argv[i];
        if (absent && argv[i].kind == ARG_INTERPRETER)
            own[i] = (struct arg){ARG_TEXT, STR("python3")};
    }
    return own;
}

/* True when the trial gets a GPU where it runs, or a part of one: because it
 * asks for it, or because the study's trials share those of this machine. */
static bool has_gpu(struct store *store, const struct plan *p,
                    const struct value *point, struct arena *a)
{
    struct needs needs;
    struct machine machine;
    size_t gpus;
    needs_init(&needs);
    if (plan_needs(p, point, &needs, NULL))
        return false;
    if (place_is_here(p->site.engine) &&
        !machine_read(&machine, getenv("THRONG_GPUS"), a, NULL) &&
        !study_gpus_count(store, machine.gpu_count, &gpus, NULL))
        study_share_gpus(p, gpus, &needs);
    return needs.gpus > 0;
}

/* The container, as the worker starts it: by the program that is here, else by
 * the first that it looks for. */
static void add_container(struct buf *b, const struct plan *p, const char *home,
                          bool gpu, struct arena *a)
{
    struct str image = plan_container(p, home, a), bind;
    struct str rest = plan_binds(p, home, a);
    if (!image.len)
        return;
    bool older = !path_program(a, "apptainer", NULL) &&
                 path_program(a, "singularity", NULL);
    buf_addf(b, "%s exec %s--bind ", older ? "singularity" : "apptainer",
             gpu ? "--nv " : "");
    quote(b, p, str_of(home));
    buf_adds(b, " --bind \"$d\"");
    while (rest.len > 0 && str_split(&rest, '\n', &bind)) {
        buf_adds(b, " --bind ");
        quote(b, p, bind);
    }
    buf_addc(b, ' ');
    quote(b, p, image);
    buf_addc(b, ' ');
}

static int add_command(struct buf *b, const struct plan *p, const char *home,
                       const struct value *point, struct arena *a,
                       struct err *err)
{
    const struct arg *argv;
    size_t argc;
    if (study_command(p, home, point, a, &argv, &argc, err))
        return -1;
    struct str lines = plan_setup(p, a);
    if (lines.len) {
        bool bash = !p->container.len && path_program(a, "bash", NULL);
        struct buf script;
        buf_init(&script);
        setup_script(&script, lines, bash);
        buf_adds(b, bash ? "bash -c " : "sh -c ");
        quote(b, p, buf_str(&script));
        buf_adds(b, " setup ");
        buf_done(&script);
    }
    bool inside = p->container.len > 0;
    plan_print_command(b, p, with_interpreter(argv, argc, inside, a), argc,
                       false);
    return 0;
}

static void note_choice(void *context, struct str key, struct str text)
{
    (void)key;
    (void)text;
    *(bool *)context = true;
}

/* What the trial was trained on, where `throng train` might take another one by
 * itself. */
static int device_of(struct store *store, const struct plan *p, int64_t id,
                     struct arena *a, struct str *device, struct err *err)
{
    struct attempt *list;
    size_t count;
    bool chosen = p->device.len && !str_is(p->device, "auto");
    *device = p->device;
    if (store_attempts(store, id, a, &list, &count, err) ||
        store_facts(store, STORE_DEVICE_FACT, note_choice, &chosen, err))
        return -1;
    for (size_t i = count; i-- > 0;) {
        struct str had = str_of(list[i].use.device);
        if (!had.len)
            continue;
        if (chosen || !str_is(had, devices[0].name))
            *device = arena_str(a, had);
        break;
    }
    return 0;
}

/* Built-in training needs no protocol: its own verb says all of it. */
static void print_training(struct buf *b, const struct plan *p,
                           const char *home, const struct value *point,
                           struct str device, uint64_t seed, int64_t budget,
                           struct arena *a)
{
    const struct arg *argv;
    size_t argc;
    model_command(p, point, device, seed, budget, a, &argv, &argc);
    buf_adds(b, "cd ");
    quote(b, p, str_of(home));
    buf_adds(b, " && ");
    plan_print_command(b, p, argv, argc, false);
    buf_addc(b, '\n');
}

int command_line_print(struct buf *b, struct store *store,
                       const struct plan *plan, const char *home,
                       const struct trial *t, struct arena *a, struct err *err)
{
    struct value *point = json_parse(a, t->point, "point", true, err);
    uint64_t seed;
    if (!point || study_trial_seed(store, plan, t->id, &seed, err))
        return -1;
    if (plan->model_root) {
        struct str device;
        if (device_of(store, plan, t->id, a, &device, err))
            return -1;
        print_training(b, plan, home, point, device, seed, t->budget, a);
        return 0;
    }
    if (plan->kind->runs > RUNS_MODEL)
        return err_set(err, ERR_INPUT,
                       "tasks of the kind %s run no command: only a worker "
                       "can run them",
                       plan->kind->name);
    if (add_scratch(b, plan, t, point, a, err))
        return -1;
    const char *code = study_code_home(store, home, a);
    buf_adds(b, "cd ");
    if (plan->workdir_trial)
        buf_adds(b, "\"$d\"");
    else
        quote(b, plan, str_of(code));
    buf_adds(b, " && ");
    add_candle(b, plan, t, point, a);
    add_environment(b, plan, home, t, point, seed, a);
    if (plan->container.len)
        add_container(b, plan, home, has_gpu(store, plan, point, a), a);
    if (add_command(b, plan, code, point, a, err))
        return -1;
    buf_addc(b, '\n');
    return 0;
}
