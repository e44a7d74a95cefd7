/* environment.c - the environment of a task
 *
 * In this order, later ones winning: the worker's own environment without
 * the names of the protocol (they would be those of an outer study), the
 * mark, the task's own variables, the protocol. */
#include "worker/environment.h"

#include <math.h>
#include "base/json.h"
#include "worker/granted.h"
#include "worker/launch.h"
#include "worker/rows.h"
#include "worker/worker.h"

#define PATH_DEFAULT "/usr/local/bin:/usr/bin:/bin"

static const char *const protocol_names[] = {
    "THRONG_STUDY",       "THRONG_TRIAL",      "THRONG_ATTEMPT",
    "THRONG_SEED",        "THRONG_PARAMS",     "THRONG_METRICS",
    "THRONG_OUTPUT",      "THRONG_STOP",       "THRONG_CHECKPOINT",
    "THRONG_SUBSET",      "THRONG_BUDGET",     "THRONG_DEADLINE",
    "THRONG_WANDB",       "THRONG_FIRST_STEP", "THRONG_SHARD",
    "THRONG_PREDICTIONS",
};
/* Room for the protocol, the mark, PATH, Python's, CUDA, OMP, NULL. */
#define OURS_MAX 32

static size_t name_len(const char *assignment)
{
    const char *equals = strchr(assignment, '=');
    return equals ? (size_t)(equals - assignment) : strlen(assignment);
}

static bool has_name(const char *assignment, struct str name)
{
    return strncmp(assignment, name.p, name.len) == 0 &&
           assignment[name.len] == '=';
}

static bool is_protocol(const char *assignment)
{
    if (strncmp(assignment, "THRONG_", 7) != 0)
        return false;
    if (strncmp(assignment, "THRONG_P_", 9) == 0)
        return true;
    for (size_t i = 0; i < sizeof protocol_names / sizeof *protocol_names; i++)
        if (has_name(assignment, str_of(protocol_names[i])))
            return true;
    return false;
}

void environment_init(struct environment *e, const char *const *own,
                      const char *mark, bool job)
{
    *e = (struct environment){.arena = arena_new(), .mark = mark, .job = job};
    for (; own && *own; own++) {
        bool marked = mark && has_name(*own, str_n(mark, name_len(mark)));
        if (is_protocol(*own) || marked)
            continue;
        if (job && granted_is_of_ranks(*own))
            vec_push(&e->ranks, *own);
        else
            vec_push(&e->base, *own);
    }
    if (mark)
        vec_push(&e->base, mark);
}

void environment_done(struct environment *e)
{
    vec_done(&e->base);
    vec_done(&e->ranks);
    arena_free(e->arena);
}

const char *environment_get(const char *const *env, struct str name)
{
    for (; *env; env++)
        if (has_name(*env, name))
            return *env + name.len + 1;
    return NULL;
}

/* ---- ${envvar:NAME} -------------------------------------------------- */

static int expand_into(struct buf *b, struct str text, const char *const *env,
                       struct err *err)
{
    static const char open[] = "${envvar:";
    const char *p = text.p, *end = text.p + text.len;
    while (p < end) {
        const char *found = memmem(p, (size_t)(end - p), open, sizeof open - 1);
        const char *name = found ? found + sizeof open - 1 : end;
        const char *close =
            found ? memchr(name, '}', (size_t)(end - name)) : NULL;
        if (!close) {
            buf_add(b, p, (size_t)(end - p));
            return 0;
        }
        struct str key = str_n(name, (size_t)(close - name));
        const char *value = environment_get(env, key);
        if (!value)
            return err_set(err, ERR_INPUT,
                           "`%.*s` needs the environment variable %.*s, "
                           "which is not set here",
                           STRF(text), STRF(key));
        buf_add(b, p, (size_t)(found - p));
        buf_adds(b, value);
        p = close + 1;
    }
    return 0;
}

char *environment_expand(struct arena *a, struct str text,
                         const char *const *env, struct err *err)
{
    struct buf b;
    char *result = NULL;
    buf_init(&b);
    if (expand_into(&b, text, env, err) == 0)
        result = arena_cstr(a, buf_str(&b));
    buf_done(&b);
    return result;
}

/* ---- building -------------------------------------------------------- */

struct builder {
    struct arena *arena;
    const char **env; /* NULL-terminated at every moment */
    size_t count;
};

/* The assignment replaces an earlier one of the same name. */
static void put(struct builder *b, const char *assignment)
{
    struct str name = str_n(assignment, name_len(assignment));
    for (size_t i = 0; i < b->count; i++) {
        if (has_name(b->env[i], name)) {
            b->env[i] = assignment;
            return;
        }
    }
    b->env[b->count++] = assignment;
}

#define putf(b, ...) put((b), arena_printf((b)->arena, __VA_ARGS__))

static int put_task_env(struct builder *b, const struct task *t,
                        struct err *err)
{
    for (size_t i = 0; i < t->env_count; i++) {
        struct str name = t->env[i].name;
        const char *value =
            environment_expand(b->arena, t->env[i].value, b->env, err);
        if (!value)
            return err_wrap(err, "env: %.*s", STRF(name));
        if (name.len == 0 || memchr(name.p, '=', name.len))
            return err_set(err, ERR_INPUT,
                           "env: `%.*s` cannot be the name of a variable",
                           STRF(name));
        putf(b, "%.*s=%s", STRF(name), value);
    }
    return 0;
}

static const char *param_name(struct arena *a, struct str key)
{
    char *name = arena_printf(a, "THRONG_P_%.*s", STRF(key));
    for (char *p = name + 9; *p; p++)
        if (!((*p >= 'a' && *p <= 'z') || (*p >= 'A' && *p <= 'Z') ||
              (*p >= '0' && *p <= '9')))
            *p = '_';
    return name;
}

/* Strings bare, everything else as JSON. */
static void print_param(struct buf *b, const struct value *v)
{
    if (v->kind == VALUE_STRING)
        buf_addstr(b, v->s);
    else
        json_print(b, v);
}

/* " (by the parameter `x`)", or nothing when it is not another parameter. */
static const char *collides_with(struct arena *a, const struct value *params,
                                 size_t i)
{
    const char *name = param_name(a, params->keys[i]);
    for (size_t k = 0; k < i; k++)
        if (strcmp(name, param_name(a, params->keys[k])) == 0)
            return arena_printf(a, " (by the parameter `%.*s`)",
                                STRF(params->keys[k]));
    return "";
}

static int put_param(struct builder *b, const struct value *params, size_t i,
                     struct err *err)
{
    const char *name = param_name(b->arena, params->keys[i]);
    if (environment_get(b->env, str_of(name)))
        return err_set(err, ERR_INPUT,
                       "the parameter `%.*s` would be %s in the environment, "
                       "a name that is taken already%s",
                       STRF(params->keys[i]), name,
                       collides_with(b->arena, params, i));
    struct buf text;
    buf_init(&text);
    print_param(&text, params->items[i]);
    int result = 0;
    if (memchr(text.p, 0, text.len))
        result = err_set(err, ERR_INPUT,
                         "the parameter `%.*s` holds a NUL character, which "
                         "no environment can carry",
                         STRF(params->keys[i]));
    else
        b->env[b->count++] = arena_printf(b->arena, "%s=%s", name, text.p);
    buf_done(&text);
    return result;
}

static int put_params(struct builder *b, const struct value *params,
                      struct err *err)
{
    for (size_t i = 0; params && i < params->count; i++)
        if (put_param(b, params, i, err) != 0)
            return -1;
    return 0;
}

static void put_identity(struct builder *b, const struct attempt *a)
{
    const struct task *t = &a->task;
    const char *folder = a->folder.path;
    putf(b, "THRONG_STUDY=%.*s", STRF(t->study));
    putf(b, "THRONG_TRIAL=%llu", (unsigned long long)t->id);
    putf(b, "THRONG_ATTEMPT=%u", t->attempt);
    putf(b, "THRONG_SEED=%llu", (unsigned long long)t->seed);
    putf(b, "THRONG_PARAMS=%s/params.json", folder);
    putf(b, "THRONG_METRICS=%s/metrics.jsonl", folder);
    putf(b, "THRONG_CHECKPOINT=%s/checkpoint", folder);
    putf(b, "THRONG_OUTPUT=%s/output", folder);
    putf(b, "THRONG_STOP=%s/stop", folder);
    if (t->subset > 0)
        putf(b, "THRONG_SUBSET=%.17g", t->subset);
    if (t->budget > 0)
        putf(b, "THRONG_BUDGET=%lld", (long long)t->budget);
    if (a->metrics.batch && metric_batch_next(a->metrics.batch) > 0)
        putf(b, "THRONG_FIRST_STEP=%lld",
             (long long)metric_batch_next(a->metrics.batch));
    if (a->shard) {
        putf(b, "THRONG_SHARD=%s", a->shard);
        putf(b, "THRONG_PREDICTIONS=%s/%s", folder, ROWS_PREDICTIONS);
    }
    if (t->needs.time_s > 0)
        putf(b, "THRONG_DEADLINE=%.3f",
             a->started_wall + t->needs.time_s - a->used_s);
}

static bool task_sets(const struct task *t, const char *name)
{
    for (size_t i = 0; i < t->env_count; i++)
        if (str_is(t->env[i].name, name))
            return true;
    return false;
}

static bool has_ranks(const struct task *t)
{
    struct spread ranks;
    return needs_spread(&t->needs, &ranks);
}

static double cpus_each(const struct needs *n)
{
    struct spread ranks;
    double cpus = needs_spread(n, &ranks) ? n->cpus / ranks.ranks : n->cpus;
    return fmax(1, ceil(cpus - 1e-6));
}

/* Where this machine has GPUs, a task that was granted none sees none, unless
 * the study says which. Those of ranks in a job are its scheduler's to give. */
static void put_grant(struct builder *b, const struct attempt *a)
{
    const struct room *room = &a->worker->room;
    bool given = a->worker->granted && has_ranks(&a->task);
    if (!given && room->gpu_count > 0 && a->grant.gpu_count == 0 &&
        !task_sets(&a->task, "CUDA_VISIBLE_DEVICES"))
        put(b, "CUDA_VISIBLE_DEVICES=");
    if (a->grant.gpu_count > 0) {
        struct buf gpus;
        buf_init(&gpus);
        room_print_gpus(&gpus, room, &a->grant);
        putf(b, "CUDA_VISIBLE_DEVICES=%s", gpus.p);
        buf_done(&gpus);
    }
    if (!task_sets(&a->task, "OMP_NUM_THREADS"))
        putf(b, "OMP_NUM_THREADS=%.0f", cpus_each(&a->task.needs));
}

/* A task with ranks has the whole job, and its variables as they are. Others
 * see of them what their own part is. */
static void put_job(struct builder *b, const struct environment *e,
                    const struct task *t)
{
    const struct needs *n = &t->needs;
    const char *gpus = environment_get(b->env, STR("CUDA_VISIBLE_DEVICES"));
    if (!e->job || has_ranks(t))
        return;
    for (size_t i = 0; i < b->count; i++) {
        const char *share =
            granted_share(b->env[i], n, gpus ? gpus : "", b->arena);
        if (share)
            b->env[i] = share;
    }
}

/* What a script prints is read while it runs: its log, its metrics. Python
 * would keep it back until some kilobytes have come together. */
static void put_unbuffered(struct builder *b)
{
    if (!environment_get(b->env, STR("PYTHONUNBUFFERED")))
        put(b, "PYTHONUNBUFFERED=1");
}

/* The stand-ins for wandb and for CANDLE step aside by themselves for a real
 * one; that for wandb not when the study asks for it; then it also looks
 * installed. */
static void put_python(struct builder *b, const struct environment *e,
                       const struct task *t)
{
    const char *python = e->tools->python;
    const char *given = environment_get(b->env, STR("PYTHONPATH"));
    bool ours = str_is(t->wandb, "stand-in"), real = str_is(t->wandb, "real");
    const char *stand_in =
        real ? "" : arena_printf(b->arena, ":%s/stand_in", python);
    const char *installed =
        ours ? arena_printf(b->arena, ":%s/stand_in_only", python) : "";
    bool more = given && *given;
    putf(b, "PYTHONPATH=%s%s%s:%s/stand_in_candle%s%s", python, stand_in,
         installed, python, more ? ":" : "", more ? given : "");
    if (ours)
        put(b, "THRONG_WANDB=stand-in");
}

/* A task can run without them. */
static void put_tools(struct builder *b, const struct attempt *a)
{
    const struct environment *e = &a->worker->environment;
    const char *path = environment_get(b->env, STR("PATH"));
    struct err err = {0};
    if (!e->tools)
        return;
    if (tools_unpack(e->tools, &err))
        log_to(a->worker->log, LOG_WARN, "%s", err.text);
    if (e->tools->bin)
        putf(b, "PATH=%s:%s", e->tools->bin, path ? path : PATH_DEFAULT);
    if (e->tools->python)
        put_python(b, e, &a->task);
}

/* What CANDLE's models and the scripts of its Supervisor look for. What the
 * study sets itself stays. */
static void put_candle(struct builder *b, struct attempt *a,
                       const struct value *params)
{
    const char *gpus = environment_get(b->env, STR("CUDA_VISIBLE_DEVICES"));
    const char *root;
    candle_begin(a, params, b->env);
    root = environment_get(b->env, STR("CANDLE_OUTPUT_DIR"));
    if (!a->candle.on)
        return;
    putf(b, "CANDLE_EXPERIMENT_ID=%s", a->candle.experiment_id);
    putf(b, "CANDLE_RUN_ID=%s", a->candle.run_id);
    putf(b, "CANDLE_GPU=%s", gpus ? gpus : "");
    putf(b, "CANDLE_CONFIG_FILE=%s/output/parameters.txt", a->folder.path);
    putf(b, "RESULT_FILE=%s", a->candle.result_file);
    if (!root || !*root)
        putf(b, "CANDLE_OUTPUT_DIR=%s", a->candle.root);
    if (!task_sets(&a->task, "TURBINE_OUTPUT"))
        putf(b, "TURBINE_OUTPUT=%s/output", a->folder.path);
}

static const struct value *read_params(struct attempt *a, struct err *err)
{
    struct value *v =
        json_parse(a->arena, a->task.params, "parameters", false, err);
    if (v && v->kind != VALUE_OBJECT) {
        err_set(err, ERR_INPUT, "the parameters are no JSON object");
        return NULL;
    }
    return v;
}

/* ---- inside of a container --------------------------------------------- */

/* PATH inside is the image's own, with what was put before ours in front, or
 * what the study says in its place. */
static const char *path_inside(struct arena *a, const char *inside,
                               struct str path, const char *own)
{
    size_t len = own ? strlen(own) : 0;
    bool ends = path.len > len + 1 && path.p[path.len - len - 1] == ':' &&
                str_ends(path, str_of(own));
    if (len > 0 && ends)
        return arena_printf(a, "%sPREPEND_PATH=%.*s", inside,
                            (int)(path.len - len - 1), path.p);
    return arena_printf(a, "%sPATH=%.*s", inside, STRF(path));
}

static const char *one_inside(struct arena *a, const char *inside,
                              const char *assignment, const char *own_path)
{
    struct str text = str_of(assignment);
    if (str_starts(text, STR("PATH=")))
        return path_inside(a, inside, str_n(text.p + 5, text.len - 5),
                           own_path);
    return arena_printf(a, "%s%s", inside, assignment);
}

/* What throng and the study set goes in, whatever the image or the person's
 * settings say; the rest of the environment as they say. */
static const char *const *put_inside(struct builder *b, struct attempt *a)
{
    const struct environment *e = &a->worker->environment;
    const char *path = environment_get(b->env, STR("PATH"));
    const char *inside = launch_inside(a, path ? path : "");
    if (!inside)
        return b->env;
    const char *own = NULL;
    for (size_t i = 0; i < e->base.len; i++)
        if (has_name(e->base.p[i], STR("PATH")))
            own = e->base.p[i] + 5;
    size_t count = b->count;
    const char **env = arena_array(b->arena, 2 * count + 1, sizeof *env);
    memcpy(env, b->env, count * sizeof *env);
    for (size_t i = 0; i < b->count; i++)
        if (i >= e->base.len || b->env[i] != e->base.p[i] ||
            strncmp(b->env[i], "THRONG_", 7) == 0)
            env[count++] = one_inside(b->arena, inside, b->env[i], own);
    return env;
}

const char *const *environment_make(struct attempt *a, struct err *err)
{
    const struct environment *e = &a->worker->environment;
    const struct task *t = &a->task;
    const struct value *params = NULL;
    if (t->params.len > 0 && !(params = read_params(a, err)))
        goto invalid;
    size_t most = e->base.len + e->ranks.len + t->env_count +
                  (params ? params->count : 0) + OURS_MAX;
    struct builder b = {.arena = a->arena};
    b.env = arena_array(a->arena, most, sizeof *b.env);
    for (size_t i = 0; i < e->base.len; i++)
        b.env[b.count++] = e->base.p[i];
    for (size_t i = 0; has_ranks(t) && i < e->ranks.len; i++)
        b.env[b.count++] = e->ranks.p[i];
    if (put_task_env(&b, t, err) != 0)
        return NULL;
    put_tools(&b, a);
    put_identity(&b, a);
    put_grant(&b, a);
    put_job(&b, e, t);
    put_unbuffered(&b);
    put_candle(&b, a, params);
    if (put_params(&b, params, err) != 0)
        goto invalid;
    return put_inside(&b, a);
invalid:
    a->verdict = OUTCOME_INVALID;
    return NULL;
}
