/* keys.c - every key of a study file, in one table
 *
 * The table is the order of reading: what others refer to (parameters,
 * points) comes first. The order in the file does not matter; problems are
 * put in the order of their places anyway. */
#include "plan/reading.h"

#include <stddef.h>

#include "terms/device.h"

#define EXTERNAL_TIMEOUT_S 600

/* ---- readers of small keys -------------------------------------------- */

static void read_name(struct study_file *r, const struct value *v)
{
    if (v->kind == VALUE_INT)
        r->plan->name =
            str_of(arena_printf(r->in.arena, "%lld", (long long)v->i));
    else
        read_text(&r->in, v, "name", &r->plan->name);
}

/* It may be empty: W&B's files often have it so. */
static void read_description(struct study_file *r, const struct value *v)
{
    if (v->kind == VALUE_STRING)
        r->plan->description = v->s;
    else if (v->kind == VALUE_LIST || v->kind == VALUE_OBJECT)
        problem_at(&r->in, PROBLEM_ERROR, v, NULL,
                   "description must be text, not %s", value_words(&r->in, v));
}

static void read_method(struct study_file *r, const struct value *v)
{
    const struct method *const *methods = methods_of(r);
    size_t count = 0;
    int choice;

    if (str_is(value_text(v), "custom")) {
        problem_at(&r->in, PROBLEM_ERROR, v,
                   "method: external runs a strategy of your own",
                   "method custom is a search that runs on W&B's server");
        return;
    }
    while (methods[count])
        count++;
    const char **names = arena_array(r->in.arena, count + 1, sizeof(*names));
    for (size_t i = 0; i < count; i++)
        names[i] = methods[i]->name;
    names[count] = NULL;
    choice = read_choice(&r->in, v, "method", names);
    if (choice < 0)
        return;
    r->plan->method = str_of(names[choice]);
    r->plan->method_said = true;
}

/* The method takes it from the file; see check_method. */
static void read_baseline(struct study_file *r, const struct value *v)
{
    if (v->kind != VALUE_OBJECT)
        problem_at(&r->in, PROBLEM_ERROR, v, NULL,
                   "baseline must have a value for each parameter, not %s",
                   value_words(&r->in, v));
}

static void read_program(struct study_file *r, const struct value *v)
{
    read_text(&r->in, v, "program", &r->plan->program);
}

static void read_seed(struct study_file *r, const struct value *v)
{
    int64_t seed;

    r->plan->seed_said = read_int(&r->in, v, "seed", 0, INT64_MAX, &seed);
    if (r->plan->seed_said)
        r->plan->seed = (uint64_t)seed;
}

static void read_run_cap(struct study_file *r, const struct value *v)
{
    read_int(&r->in, v, "run_cap", 1, (int64_t)1 << 53, &r->plan->run_cap);
}

static void read_repeat(struct study_file *r, const struct value *v)
{
    int64_t n;

    if (read_int(&r->in, v, "repeat", 1, 1000000, &n))
        r->plan->repeat = (uint32_t)n;
}

static void read_parallel(struct study_file *r, const struct value *v)
{
    int64_t n;

    if (read_int(&r->in, v, "parallel", 1, 10000000, &n))
        r->plan->parallel = (uint32_t)n;
}

static void read_time_limit(struct study_file *r, const struct value *v)
{
    read_seconds(&r->in, v, "time_limit", &r->plan->time_limit_s);
}

static void read_max_failures(struct study_file *r, const struct value *v)
{
    read_int(&r->in, v, "max_failures", 0, (int64_t)1 << 53,
             &r->plan->max_failures);
}

static void read_retries(struct study_file *r, const struct value *v)
{
    int64_t n;

    if (read_int(&r->in, v, "retries", 0, 1000000, &n))
        r->plan->retries = (uint32_t)n;
}

static void read_retry_delay(struct study_file *r, const struct value *v)
{
    read_seconds(&r->in, v, "retry_delay", &r->plan->retry_delay_s);
}

static void read_grace(struct study_file *r, const struct value *v)
{
    read_seconds(&r->in, v, "grace", &r->plan->grace_s);
}

static void read_output_max(struct study_file *r, const struct value *v)
{
    read_bytes(&r->in, v, "output_max", &r->plan->output_max_bytes);
}

/* A command given to a shell; a list is quoted into one line. */
static void read_hook(struct study_file *r, const struct value *v,
                      const char *what, struct str *out)
{
    const struct str *words = NULL;
    size_t count = 0;
    struct buf b;

    if (v->kind != VALUE_LIST) {
        read_text(&r->in, v, what, out);
        return;
    }
    if (!read_texts(&r->in, v, what, &words, &count))
        return;
    buf_init(&b);
    for (size_t i = 0; i < count; i++) {
        if (i > 0)
            buf_addc(&b, ' ');
        shell_quote(&b, words[i]);
    }
    *out = arena_str(r->in.arena, buf_str(&b));
    buf_done(&b);
}

static void read_on_finish(struct study_file *r, const struct value *v)
{
    read_hook(r, v, "on_finish", &r->plan->on_finish);
}

static void read_on_best(struct study_file *r, const struct value *v)
{
    read_hook(r, v, "on_best", &r->plan->on_best);
}

static void read_workdir(struct study_file *r, const struct value *v)
{
    static const char *const choices[] = {"study", "trial", NULL};

    r->plan->workdir_trial = read_choice(&r->in, v, "workdir", choices) == 1;
}

static void read_order(struct study_file *r, const struct value *v)
{
    static const char *const choices[] = {"free", "lag", "batch", NULL};

    if (read_choice(&r->in, v, "order", choices) >= 0)
        r->plan->order = v->s;
}

static void read_lag(struct study_file *r, const struct value *v)
{
    read_int(&r->in, v, "lag", 1, 1000000, &r->plan->lag);
}

static void read_batch(struct study_file *r, const struct value *v)
{
    read_int(&r->in, v, "batch", 1, 1000000, &r->plan->batch);
}

static void read_warm_start(struct study_file *r, const struct value *v)
{
    read_text(&r->in, v, "warm_start", &r->plan->warm_start);
}

static void read_protocol(struct study_file *r, const struct value *v)
{
    const struct dialect *d = r->plan->dialect;
    const char *const choices[] = {"throng", d ? d->name : NULL, NULL};

    if (read_choice(&r->in, v, "protocol", choices) >= 0)
        r->plan->protocol = v->s;
}

static void read_wandb(struct study_file *r, const struct value *v)
{
    static const char *const choices[] = {"stand-in", "real", NULL};

    if (read_choice(&r->in, v, "wandb", choices) >= 0)
        r->plan->wandb = v->s;
}

static void read_share(struct study_file *r, const struct value *v)
{
    static const char *const choices[] = {"none", "group", NULL};
    r->plan->share_group = read_choice(&r->in, v, "share", choices) == 1;
}

static void read_engine(struct study_file *r, const struct value *v)
{
    if (read_choice(&r->in, v, "engine", place_names) >= 0)
        r->plan->engine = v->s;
}

static void read_profile(struct study_file *r, const struct value *v)
{
    read_text(&r->in, v, "profile", &r->plan->profile);
}

void read_device_word(const struct reading *in, const struct value *v,
                      const char *key, struct str *to)
{
    const char *choices[DEVICE_COUNT + 2] = {"auto"};
    const char *meant = device_called(value_text(v));

    if (meant) {
        problem_at(in, PROBLEM_ERROR, v,
                   arena_printf(in->arena, "did you mean '%s'?", meant),
                   "%s cannot be %s", key, value_words(in, v));
        return;
    }
    for (size_t i = 0; i < DEVICE_COUNT; i++)
        choices[i + 1] = devices[i].name;
    if (read_choice(in, v, key, choices) < 0)
        return;
    if (to->len && !str_eq(*to, v->s))
        problem_at(in, PROBLEM_ERROR, v, "leave one of them out",
                   "%s is %.*s, and device is %.*s", key, STRF(v->s),
                   STRF(*to));
    *to = v->s;
}

static void read_device(struct study_file *r, const struct value *v)
{
    read_device_word(&r->in, v, "device", &r->plan->device);
}

/* What it was called before there were GPUs. */
static void read_kernels(struct study_file *r, const struct value *v)
{
    read_device_word(&r->in, v, "kernels", &r->plan->device);
}

#define READ_SITE(name, ...)                                                   \
    static void read_##name(struct study_file *r, const struct value *v)       \
    {                                                                          \
        r->plan->settings[SITE_##name] = read_site(&r->in, v, SITE_##name);    \
    }
SITES(READ_SITE)

/* `<method>: {…}`; which one is used is known when all keys are read. */
static void read_external(struct study_file *r, const struct value *v)
{
    static const char *const names[] = {"command", "timeout", "reports", NULL};
    const struct value *command = value_get(v, STR("command"));
    const struct value *timeout = value_get(v, STR("timeout"));
    const struct value *reports = value_get(v, STR("reports"));
    struct plan_external *e = &r->plan->external;

    e->timeout_s = EXTERNAL_TIMEOUT_S;
    if (!read_object(&r->in, v, "external"))
        return;
    read_known_keys(&r->in, v, "external", names);
    if (timeout)
        read_seconds(&r->in, timeout, "external.timeout", &e->timeout_s);
    if (reports)
        read_bool(&r->in, reports, "external.reports", &e->reports);
    if (command)
        read_texts(&r->in, command, "external.command", &e->command,
                   &e->command_count);
    else
        problem_at(&r->in, PROBLEM_ERROR, v,
                   "as in command: [python, search.py]",
                   "external has no command");
}

static void accept(struct study_file *r, const struct value *v)
{
    (void)r;
    (void)v;
}

static void read_code(struct study_file *r, const struct value *v)
{
    static const char *const choices[] = {"live", "git", "copy", NULL};
    int chosen = read_choice(&r->in, v, "code", choices);

    if (chosen > 0)
        r->plan->code = chosen == 1 ? CODE_GIT : CODE_COPY;
    if (chosen > 0 && value_get(r->root, STR("model")))
        problem_at(&r->in, PROBLEM_ERROR, v, "leave it out",
                   "code: built-in training runs no code of yours");
}

static void refuse_launch(struct study_file *r, const struct value *v)
{
    problem_at(&r->in, PROBLEM_ERROR, v,
               "say what to run with program or command",
               "job and image_uri belong to W&B Launch, a service that throng "
               "does without");
}

static void refuse_outside(struct study_file *r, const struct value *v)
{
    problem_at(&r->in, PROBLEM_ERROR, v, NULL,
               "bundle_time, max_jobs, array_limit and checkpoint_every stand "
               "inside of slurm or htcondor");
}

/* ---- the table -------------------------------------------------------- */

struct key {
    struct plan_key key;
    void (*read)(struct study_file *r, const struct value *v); /* NULL: it is
                                       read by the key that holds it */
};

#define SITE_KEY(name, words)                                                  \
    {{#name, "an object", "settings of " words " jobs"}, read_##name},
static const struct key keys[] = {
    {{"name", "text", "names the study; else the file's name does"}, read_name},
    {{"description", "text", "a note for people"}, read_description},
    {{"predict", "an object",
      "an inference over many rows: its shards are the trials"},
     read_predict},
    {{"predict.models", "a file or a study",
      "weights, an ensemble, or trials of a study"},
     NULL},
    {{"predict.where", "a filter", "of a study's trials: \"val_loss<0.1\""},
     NULL},
    {{"predict.select", "trials", "of a study: best:20"}, NULL},
    {{"predict.data", "files", "names and globs; rows are cut into shards"},
     NULL},
    {{"predict.samples", "a whole number",
      "of each model, with its dropout; default: one, without"},
     NULL},
    {{"predict.combine", "mean, median or vote",
      "what models say together; default as the ensemble says"},
     NULL},
    {{"predict.calibration", "a file",
      "of the verb calibrate: intervals, or sets of classes"},
     NULL},
    {{"predict.novelty", "a file",
      "of the verb novelty: is a row unlike those of training?"},
     NULL},
    {{"predict.layer", "text", "whose numbers are written instead"}, NULL},
    {{"predict.keep", "all or rules", "which rows are kept; default all"},
     NULL},
    {{"predict.output", "a file",
      "the merged table, as CSV; default in the study's folder"},
     NULL},
    {{"predict.shard", "rows or a time",
      "how large a shard is; default 1m, of a command 10000 rows"},
     NULL},
    {{"predict.lines", "true or false",
      "each line is a row, as of names; default: files that are no tables"},
     NULL},
    {{"parameters", "an object", "the parameter space, one member each"},
     read_parameters},
    {{"parameters.NAME.value", "anything", "the one value it has"}, NULL},
    {{"parameters.NAME.values", "a list", "the values to choose from"}, NULL},
    {{"parameters.NAME.probabilities", "a list", "one for each of values"},
     NULL},
    {{"parameters.NAME.distribution", "a word",
      "constant, categorical, int_uniform, uniform, q_uniform, log_uniform, "
      "q_log_uniform, log_uniform_values, q_log_uniform_values, "
      "inv_log_uniform, inv_log_uniform_values, normal, q_normal, log_normal, "
      "q_log_normal, beta, q_beta"},
     NULL},
    {{"parameters.NAME.min", "a number", "the lowest value"}, NULL},
    {{"parameters.NAME.max", "a number", "the highest value"}, NULL},
    {{"parameters.NAME.mu", "a number", "of the normal ones; default 0"}, NULL},
    {{"parameters.NAME.sigma", "a number", "of the normal ones; default 1"},
     NULL},
    {{"parameters.NAME.a", "a number", "of the beta ones"}, NULL},
    {{"parameters.NAME.b", "a number", "of the beta ones"}, NULL},
    {{"parameters.NAME.q", "a number", "values are multiples of it; default 1"},
     NULL},
    {{"parameters.NAME.parameters", "an object",
      "parameters inside of this one, which becomes an object"},
     NULL},
    {{"parameters.NAME.when", "an object",
      "active only if others have these values: {opt: [sgd, adam]}"},
     NULL},
    {{"parameters.NAME.ordered", "true or false",
      "the values stand in an order, so that neighbours are alike"},
     NULL},
    {{"points", "a file or a list",
      "explicit points: JSON lines, CSV, or inline; or CANDLE's space"},
     read_points},
    {{"parameters_file", "a file",
      "the same as points; CANDLE's unrolled parameters or space"},
     read_parameters_file},
    {{"method", "a word",
      "how points are chosen: grid, random, bayes, points, sobol, tpe …"},
     read_method},
    {{"metric", "an object", "the objective"}, read_metric},
    {{"metric.name", "text", "as the program reports it"}, NULL},
    {{"metric.goal", "minimize or maximize", "default minimize"}, NULL},
    {{"metric.target", "a number", "no new trials once it is reached"}, NULL},
    {{"metric.pick", "best or last",
      "which value of a trial counts; best with bayes, else last"},
     NULL},
    {{"metric.impute", "worst, best or latest",
      "of W&B; other than worst is not acted on"},
     NULL},
    {{"metric.impute_while_running", "true or false", "of W&B; not acted on"},
     NULL},
    {{"metric.pattern", "a regular expression",
      "finds the value in lines of output, with one or two groups"},
     NULL},
    {{"metric.file", "a file", "holds one number when the task ends"}, NULL},
    {{"metrics", "a list", "several objectives: [{name, goal}, …]"},
     read_metrics},
    {{"baseline", "an object",
      "of method ablate: a value for each parameter that is changed alone"},
     read_baseline},
    {{"constraints", "a list", "[{name: latency, max: 5}]"}, read_constraints},
    {{"early_terminate", "an object",
      "type: hyperband, asha, median, patience, threshold or time"},
     read_early},
    {{"early_terminate.type", "a word", "which rule; the others depend on it"},
     NULL},
    {{"early_terminate.min_iter", "a whole number",
      "hyperband, asha: the first band"},
     NULL},
    {{"early_terminate.max_iter", "a whole number",
      "hyperband, asha: the longest trial"},
     NULL},
    {{"early_terminate.s", "a whole number", "hyperband: bands, with max_iter"},
     NULL},
    {{"early_terminate.eta", "a whole number",
      "hyperband, asha: one in eta goes on; default 3"},
     NULL},
    {{"early_terminate.strict", "true or false",
      "hyperband: judge at every band passed"},
     NULL},
    {{"early_terminate.brackets", "a whole number",
      "asha: how many lowest rungs trials may start with"},
     NULL},
    {{"early_terminate.promote", "true or false",
      "asha: trials wait at their rung and go on from their checkpoint "
      "(default), or are stopped there"},
     NULL},
    {{"early_terminate.warmup_steps", "a whole number",
      "median: not judged before"},
     NULL},
    {{"early_terminate.warmup_trials", "a whole number",
      "median: trials that end undisturbed first"},
     NULL},
    {{"early_terminate.percentile", "a number", "median: default 50"}, NULL},
    {{"early_terminate.patience", "a whole number",
      "patience: reports without a better value"},
     NULL},
    {{"early_terminate.min_delta", "a number",
      "patience: what counts as better"},
     NULL},
    {{"early_terminate.threshold", "a number",
      "threshold: a trial worse than this ends"},
     NULL},
    {{"early_terminate.from", "a whole number",
      "patience, threshold: not judged before this report"},
     NULL},
    {{"early_terminate.time", "a time", "time: the trial ends after it"}, NULL},
    {{"run_cap", "a whole number", "trials in all"}, read_run_cap},
    {{"repeat", "a whole number", "trials of each point, each with a seed"},
     read_repeat},
    {{"seed", "a whole number", "of everything random; default: by the name"},
     read_seed},
    {{"order", "free, lag or batch", "what a suggestion may depend on"},
     read_order},
    {{"lag", "a whole number",
      "with order: lag: how many of the last trials a suggestion does not "
      "know the results of"},
     read_lag},
    {{"batch", "a whole number",
      "with order: batch: trials that are suggested together"},
     read_batch},
    {{"warm_start", "a study or a CSV file", "earlier results to start from"},
     read_warm_start},
    {{"program", "a file", "the script that ${program} stands for"},
     read_program},
    {{"command", "a list or a line",
      "what runs; default ${env} ${interpreter} ${program} ${args}"},
     read_command},
    {{"env", "an object", "environment variables of the task"}, read_env},
    {{"setup", "shell lines",
      "run before each task, as in module load; one that fails fails it"},
     read_setup},
    {{"venv", "a folder", "the virtual environment whose Python tasks get"},
     read_venv},
    {{"conda", "a name or a folder", "the conda environment of tasks"},
     read_conda},
    {{"container", "an image",
      "a file or a URL (docker://…): tasks run inside of it, by apptainer or "
      "singularity"},
     read_container},
    {{"bind", "folders",
      "what the container sees besides the study's folder: SOURCE[:TARGET]"},
     read_bind},
    {{"code", "git or copy",
      "tasks run from files as they were when the study began"},
     read_code},
    {{"workdir", "study or trial", "where the task runs"}, read_workdir},
    {{"templates", "files", "input files with {name}, filled for each trial"},
     read_templates},
    {{"inputs", "globs", "files that go to the task"}, read_inputs},
    {{"outputs", "globs", "files that are kept from the task's folder"},
     read_outputs},
    {{"keep", "all, best:N or none",
      "whose outputs stay; default all, of weights best:10"},
     read_keep},
    {{"resources", "an object", "cpus, memory, disk, gpus, nodes, ranks, time"},
     read_resources},
    {{"resources.cpus", "a number", "default 1"}, NULL},
    {{"resources.memory", "bytes", "as in 4G; enforced"}, NULL},
    {{"resources.disk", "bytes", "as in 10G"}, NULL},
    {{"resources.gpus", "a number",
      "2, 0.5 or a100:1; unsaid, 1 for a program where there are GPUs"},
     NULL},
    {{"resources.gpus_minimum_capability", "a number", "as in 8.0"}, NULL},
    {{"resources.gpus_maximum_capability", "a number", "as in 9.0"}, NULL},
    {{"resources.gpus_minimum_memory", "bytes", "of one GPU"}, NULL},
    {{"resources.nodes", "a whole number", "machines of one task"}, NULL},
    {{"resources.ranks", "a whole number", "MPI ranks of one task"}, NULL},
    {{"resources.ranks_per_node", "a whole number", "of these, on one node"},
     NULL},
    {{"resources.time", "a time", "of one trial"}, NULL},
    {{"parallel", "a whole number", "trials at once"}, read_parallel},
    {{"time_limit", "a time", "of the whole study"}, read_time_limit},
    {{"max_failures", "a whole number", "ends the study when passed"},
     read_max_failures},
    {{"retries", "a whole number", "of a failed attempt; default 0"},
     read_retries},
    {{"retry_delay", "a time", "before the first retry; doubles"},
     read_retry_delay},
    {{"grace", "a time", "between asking a task to end and killing it"},
     read_grace},
    {{"output_max", "bytes", "of one trial's captured output; default 64M"},
     read_output_max},
    {{"on_finish", "a command", "run when the study ends"}, read_on_finish},
    {{"on_best", "a command", "run at each new best trial"}, read_on_best},
    {{"share", "none or group",
      "who else may look at the study and act on it; default none"},
     read_share},
    {{"engine", "a word", "where tasks run: local, slurm …"}, read_engine},
    {{"profile", "text", "named settings of a site"}, read_profile},
    /* clang-format off */
    SITES(SITE_KEY)
    /* clang-format on */
    {{"protocol", "throng or candle", "how parameters go in"}, read_protocol},
    {{"candle", "an object",
      "with protocol: candle: style (script, config_file, action, runner, "
      "import), image, container, framework, model_type, model_name, action"},
     read_dialect},
    {{"wandb", "stand-in or real", "which wandb a script gets"}, read_wandb},
    {{"task", "a word, or an object with kind",
      "of which kind tasks are; unsaid: command, or train with a model; infer: "
      "models that parameters name, on the rows of data"},
     read_task},
    {{"model", "a file", "built-in training instead of a command"}, read_model},
    {{"device", DEVICE_NAMES, "what models are trained on, or asked"},
     read_device},
    {{"kernels", DEVICE_NAMES, "another word for device"}, read_kernels},
    {{"external", "an object",
      "command: the program that chooses points; timeout (10m): it must answer "
      "within; reports (false): it hears of running trials"},
     read_external},
    {{"entity", "anything", "accepted, not acted on"}, accept},
    {{"project", "anything", "accepted, not acted on"}, accept},
    {{"controller", "anything", "accepted, not acted on"}, accept},
    {{"apiVersion", "anything", "accepted, not acted on"}, accept},
    {{"kind", "anything", "accepted, not acted on"}, accept},
    {{"job", "-", "refused: W&B Launch"}, refuse_launch},
    {{"image_uri", "-", "refused: W&B Launch"}, refuse_launch},
    {{"bundle_time", "-", "stands inside of slurm or htcondor"},
     refuse_outside},
    {{"max_jobs", "-", "stands inside of slurm or htcondor"}, refuse_outside},
    {{"array_limit", "-", "stands inside of slurm or htcondor"},
     refuse_outside},
    {{"checkpoint_every", "-", "stands inside of htcondor"}, refuse_outside},
};
#define KEY_COUNT (sizeof(keys) / sizeof(keys[0]))

const struct plan_key *plan_key_at(size_t i)
{
    return i < KEY_COUNT ? &keys[i].key : NULL;
}

const struct method *const *methods_of(const struct study_file *r)
{
    static const struct method *const none[] = {NULL};
    return r->reader && r->reader->methods ? r->reader->methods : none;
}

static const struct key *find_key(struct str name)
{
    for (size_t i = 0; i < KEY_COUNT; i++)
        if (keys[i].read && str_is(name, keys[i].key.name))
            return &keys[i];
    return NULL;
}

/* Where a key that stands at the top by mistake belongs, or NULL. Of several
 * places (time) the last of the table is meant most often. */
static const char *place_for(struct study_file *r, struct str name)
{
    struct str section = STR("");

    for (size_t i = 0; name.len >= 3 && i < KEY_COUNT; i++) {
        struct str key = str_of(keys[i].key.name);
        const char *dot = memrchr(key.p, '.', key.len);

        if (dot && str_is(name, dot + 1))
            str_split(&key, '.', &section);
    }
    if (!section.len)
        return NULL;
    if (str_is(section, "parameters"))
        section = STR("a parameter");
    return arena_printf(r->in.arena, "write it inside of %.*s", STRF(section));
}

/* What other tools, and people, call what is a key here. */
static const struct {
    const char *word, *key;
} foreign_words[] = {
    {"trials", "run_cap"},
    {"n_trials", "run_cap"},
    {"num_trials", "run_cap"},
    {"max_trials", "run_cap"},
    {"count", "run_cap"},
    {"runs", "run_cap"},
    {"num_samples", "run_cap"},
    {"max_evals", "run_cap"},
    {"budget", "run_cap"},
    {"space", "parameters"},
    {"search_space", "parameters"},
    {"config", "parameters"},
    {"cmd", "command"},
    {"run", "command"},
    {"entrypoint", "command"},
    {"script", "program"},
    {"objective", "metric"},
    {"objectives", "metrics"},
    {"algorithm", "method"},
    {"sampler", "method"},
    {"strategy", "method"},
    {"search", "method"},
    {"pruner", "early_terminate"},
    {"scheduler", "early_terminate"},
    {"early_stopping", "early_terminate"},
    {"workers", "parallel"},
    {"jobs", "parallel"},
    {"n_jobs", "parallel"},
    {"concurrency", "parallel"},
    {"max_concurrent", "parallel"},
    {"max_parallel", "parallel"},
    {"seeds", "repeat"},
    {"timeout", "time_limit"},
};

static const char *key_called(struct str word)
{
    for (size_t i = 0; i < sizeof(foreign_words) / sizeof(*foreign_words); i++)
        if (str_is(word, foreign_words[i].word))
            return foreign_words[i].key;
    return NULL;
}

static const char *hint_for(struct study_file *r, struct str name)
{
    const struct method *const *methods = methods_of(r);
    const char *names[KEY_COUNT + 1], *options[2] = {NULL, NULL};
    const char *near = place_for(r, name);
    size_t n = 0;

    if (problems_full(&r->in) || near)
        return near;
    if (str_is(name, "layers"))
        return "a model file has layers: it is trained by itself, and a study "
               "names it by `model:`";
    for (size_t i = 0; i < KEY_COUNT; i++)
        if (keys[i].read)
            names[n++] = keys[i].key.name;
    names[n] = NULL;
    near = key_called(name);
    if (!near)
        near = str_nearest(name, names);
    for (; !near && *methods; methods++) {
        options[0] = (*methods)->name;
        near = str_nearest(name, options);
    }
    return near ? arena_printf(r->in.arena, "did you mean '%s'?", near) : NULL;
}

void read_keys(struct study_file *r)
{
    const struct value *root = r->root;

    for (size_t i = 0; i < KEY_COUNT; i++) {
        const struct value *v = value_get(root, str_of(keys[i].key.name));

        if (v && keys[i].read)
            keys[i].read(r, v);
    }
    for (size_t i = 0; i < root->count; i++)
        if (find_key(root->keys[i]) || str_starts(root->keys[i], STR("x-")))
            continue;
        else if (method_find(methods_of(r), root->keys[i]))
            read_object(&r->in, root->items[i], "the options of a method");
        else
            problem_at_key(&r->in, PROBLEM_ERROR, root, i,
                           hint_for(r, root->keys[i]), "no key '%s'",
                           shown(r->in.arena, root->keys[i]));
}
