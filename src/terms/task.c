/* task.c - a task as one JSON object
 *
 * Members that are empty or 0 are left out. Numbers of 64 bits that JSON's
 * integers cannot hold go as text. One table per direction would say the same
 * thing twice, so one table of members serves both; lists are spelled out. */
#include "terms/task.h"

#include <math.h>
#include <stddef.h>

#include "base/json.h"
#include "base/num.h"

enum { TASK_VERSION = 1 };

#define USED_MAX_S 1e9

enum field_kind { FIELD_STR, FIELD_U64, FIELD_U32, FIELD_I64, FIELD_DOUBLE };

struct field {
    const char *key;
    enum field_kind kind;
    size_t offset;
};

#define OF(name) offsetof(struct task, name)
static const struct field fields[] = {
    {"id", FIELD_U64, OF(id)},
    {"attempt", FIELD_U32, OF(attempt)},
    {"kind", FIELD_STR, OF(kind)},
    {"options", FIELD_STR, OF(options)},
    {"setup", FIELD_STR, OF(setup)},
    {"workdir", FIELD_STR, OF(workdir)},
    {"container", FIELD_STR, OF(container)},
    {"binds", FIELD_STR, OF(binds)},
    {"params", FIELD_STR, OF(params)},
    {"study", FIELD_STR, OF(study)},
    {"seed", FIELD_U64, OF(seed)},
    {"budget", FIELD_I64, OF(budget)},
    {"subset", FIELD_DOUBLE, OF(subset)},
    {"folder", FIELD_STR, OF(folder)},
    {"copy_of", FIELD_STR, OF(copy_of)},
    {"resume_from", FIELD_STR, OF(resume_from)},
    {"metrics_at", FIELD_U64, OF(metrics_at)},
    {"log_at", FIELD_U64, OF(log_at)},
    {"anew", FIELD_U32, OF(anew)},
    {"only_read", FIELD_U32, OF(only_read)},
    {"model", FIELD_STR, OF(model)},
    {"device", FIELD_STR, OF(device)},
    {"auto_device", FIELD_U32, OF(auto_device)},
    {"before", FIELD_STR, OF(before)},
    {"keep_best", FIELD_I64, OF(keep_best)},
    {"maximize", FIELD_U32, OF(maximize)},
    {"pick_best", FIELD_U32, OF(pick_best)},
    {"judge_test", FIELD_U32, OF(judge_test)},
    {"awaits", FIELD_I64, OF(awaits)},
    {"rule", FIELD_U32, OF(rule.kind)},
    {"rule_patience", FIELD_I64, OF(rule.patience)},
    {"rule_min_delta", FIELD_DOUBLE, OF(rule.min_delta)},
    {"rule_threshold", FIELD_DOUBLE, OF(rule.threshold)},
    {"rule_from", FIELD_I64, OF(rule.from)},
    {"rule_seconds", FIELD_DOUBLE, OF(rule.seconds)},
    {"unheard", FIELD_I64, OF(unheard)},
    {"say_bytes", FIELD_U64, OF(say_bytes)},
    {"state_file", FIELD_STR, OF(state.file)},
    {"state_at", FIELD_U64, OF(state.at)},
    {"state_len", FIELD_U64, OF(state.len)},
    {"state_hash", FIELD_U64, OF(state.hash)},
    {"state_bytes", FIELD_U64, OF(state.bytes)},
    {"weights", FIELD_STR, OF(weights)},
    {"predictions", FIELD_U32, OF(predictions)},
    {"rows", FIELD_STR, OF(rows)},
    {"new_rows", FIELD_U32, OF(new_rows)},
    {"shard_file", FIELD_STR, OF(shard.file)},
    {"shard_name", FIELD_STR, OF(shard.name)},
    {"shard_form", FIELD_U32, OF(shard.form)},
    {"shard_header", FIELD_U32, OF(shard.header)},
    {"shard_head", FIELD_U64, OF(shard.head)},
    {"shard_from", FIELD_U64, OF(shard.from)},
    {"shard_bytes", FIELD_U64, OF(shard.bytes)},
    {"shard_first", FIELD_U64, OF(shard.first)},
    {"shard_count", FIELD_U64, OF(shard.count)},
    {"shard_row", FIELD_U64, OF(shard.row)},
    {"shard_size", FIELD_U64, OF(shard.size)},
    {"shard_changed_ns", FIELD_I64, OF(shard.changed_ns)},
    {"shard_hash", FIELD_U64, OF(shard.hash)},
    {"shard_lines", FIELD_U64, OF(shard.lines)},
    {"shard_fault", FIELD_STR, OF(shard.fault)},
    {"metric_name", FIELD_STR, OF(metric_name)},
    {"metrics", FIELD_STR, OF(metrics)},
    {"metric_pattern", FIELD_STR, OF(metric_pattern)},
    {"metric_file", FIELD_STR, OF(metric_file)},
    {"wandb", FIELD_STR, OF(wandb)},
    {"protocol", FIELD_STR, OF(protocol)},
    {"grace", FIELD_DOUBLE, OF(grace_s)},
    {"output_max", FIELD_U64, OF(output_max_bytes)},
};
enum { FIELDS = sizeof(fields) / sizeof(*fields) };

static const char *const arg_names[] = {
    [ARG_TEXT] = "text",
    [ARG_EXPAND] = "expand",
    [ARG_INTERPRETER] = "interpreter",
    [ARG_PARAMS_FILE] = "params_file",
};
enum { ARGS = sizeof(arg_names) / sizeof(*arg_names) };

static void print_key(struct buf *b, const char *key)
{
    buf_adds(b, ",\"");
    buf_adds(b, key);
    buf_adds(b, "\":");
}

static void print_u64(struct buf *b, const char *key, uint64_t v)
{
    if (!v)
        return;
    const char *quote = v > INT64_MAX ? "\"" : "";
    print_key(b, key);
    buf_addf(b, "%s%llu%s", quote, (unsigned long long)v, quote);
}

static void print_str(struct buf *b, const char *key, struct str s)
{
    if (!s.len)
        return;
    print_key(b, key);
    json_string(b, s);
}

static void print_field(struct buf *b, const struct task *t,
                        const struct field *f)
{
    const void *at = (const char *)t + f->offset;
    switch (f->kind) {
    case FIELD_STR:
        print_str(b, f->key, *(const struct str *)at);
        break;
    case FIELD_U64:
        print_u64(b, f->key, *(const uint64_t *)at);
        break;
    case FIELD_U32:
        print_u64(b, f->key, *(const uint32_t *)at);
        break;
    case FIELD_I64:
        if (*(const int64_t *)at) {
            print_key(b, f->key);
            buf_addf(b, "%lld", (long long)*(const int64_t *)at);
        }
        break;
    case FIELD_DOUBLE:
        if (*(const double *)at != 0) {
            print_key(b, f->key);
            json_number(b, *(const double *)at);
        }
        break;
    }
}

static void print_needs(struct buf *b, const struct needs *n)
{
    struct arena *a = arena_new();
    print_key(b, "needs");
    json_print(b, needs_to_value(a, n));
    arena_free(a);
}

static void print_argv(struct buf *b, const struct task *t)
{
    if (!t->argc)
        return;
    print_key(b, "argv");
    for (size_t i = 0; i < t->argc; i++) {
        const struct arg *arg = &t->argv[i];
        buf_addc(b, i ? ',' : '[');
        if (arg->kind != ARG_TEXT)
            buf_addf(b, "{\"%s\":", arg_names[arg->kind]);
        json_string(b, arg->text);
        if (arg->kind != ARG_TEXT)
            buf_addc(b, '}');
    }
    buf_addc(b, ']');
}

/* Pairs of texts as [["a","b"],…]: names may repeat there. */
static void print_pair(struct buf *b, bool first, struct str x, struct str y)
{
    buf_adds(b, first ? "[[" : ",[");
    json_string(b, x);
    buf_addc(b, ',');
    json_string(b, y);
    buf_addc(b, ']');
}

static void print_steps(struct buf *b, const struct task *t)
{
    if (!t->step_count)
        return;
    print_key(b, "steps");
    for (size_t i = 0; i < t->step_count; i++) {
        buf_adds(b, i ? ",[" : "[[");
        json_string(b, t->steps[i].name);
        buf_addf(b, ",%lld]", (long long)t->steps[i].next);
    }
    buf_addc(b, ']');
}

static void print_lists(struct buf *b, const struct task *t)
{
    if (t->env_count)
        print_key(b, "env");
    for (size_t i = 0; i < t->env_count; i++)
        print_pair(b, i == 0, t->env[i].name, t->env[i].value);
    buf_adds(b, t->env_count ? "]" : "");
    if (t->file_count)
        print_key(b, "files");
    for (size_t i = 0; i < t->file_count; i++)
        print_pair(b, i == 0, t->files[i].path, t->files[i].text);
    buf_adds(b, t->file_count ? "]" : "");
    if (t->output_count)
        print_key(b, "outputs");
    for (size_t i = 0; i < t->output_count; i++) {
        buf_addc(b, i ? ',' : '[');
        json_string(b, t->outputs[i]);
    }
    buf_adds(b, t->output_count ? "]" : "");
}

int task_text_check(const struct task *t, struct err *err)
{
    for (size_t i = 0; i < FIELDS; i++) {
        const void *at = (const char *)t + fields[i].offset;
        if (fields[i].kind != FIELD_STR || str_utf8(*(const struct str *)at))
            continue;
        struct buf b;
        buf_init(&b);
        json_string(&b, *(const struct str *)at);
        err_set(err, ERR_INPUT,
                "%s: %s is not UTF-8 text; give the file or folder another "
                "name",
                fields[i].key, b.p);
        buf_done(&b);
        return -1;
    }
    return 0;
}

void task_print(struct buf *b, const struct task *t)
{
    buf_addf(b, "{\"version\":%d", TASK_VERSION);
    for (int i = 0; i < FIELDS; i++)
        print_field(b, t, &fields[i]);
    print_needs(b, &t->needs);
    print_argv(b, t);
    print_lists(b, t);
    print_steps(b, t);
    buf_addc(b, '}');
}

static int wrong(const char *key, const char *expected, struct err *err)
{
    return err_set(err, ERR_CORRUPT, "a task's '%s' is not %s", key, expected);
}

static bool read_u64(const struct value *v, uint64_t *out)
{
    if (v->kind == VALUE_STRING)
        return num_uint(v->s, out);
    if (v->kind != VALUE_INT || v->i < 0)
        return false;
    *out = (uint64_t)v->i;
    return true;
}

static int read_field(struct task *t, const struct field *f,
                      const struct value *v, struct err *err)
{
    void *at = (char *)t + f->offset;
    uint64_t number;
    switch (f->kind) {
    case FIELD_STR:
        if (v->kind != VALUE_STRING)
            return wrong(f->key, "a text", err);
        *(struct str *)at = v->s;
        return 0;
    case FIELD_U64:
        if (!read_u64(v, (uint64_t *)at))
            return wrong(f->key, "a whole number", err);
        return 0;
    case FIELD_U32:
        if (!read_u64(v, &number) || number > UINT32_MAX)
            return wrong(f->key, "a whole number", err);
        *(uint32_t *)at = (uint32_t)number;
        return 0;
    case FIELD_I64:
        if (v->kind != VALUE_INT)
            return wrong(f->key, "a whole number", err);
        *(int64_t *)at = v->i;
        return 0;
    case FIELD_DOUBLE:
        if (!value_is_number(v))
            return wrong(f->key, "a number", err);
        *(double *)at = value_number(v);
        return 0;
    }
    return 0;
}

static bool read_arg(struct arg *arg, const struct value *v)
{
    if (v->kind == VALUE_STRING) {
        *arg = (struct arg){ARG_TEXT, v->s};
        return true;
    }
    if (v->kind != VALUE_OBJECT || v->count != 1 ||
        v->items[0]->kind != VALUE_STRING)
        return false;
    for (int kind = 0; kind < ARGS; kind++) {
        if (!str_is(v->keys[0], arg_names[kind]))
            continue;
        *arg = (struct arg){(enum arg_kind)kind, v->items[0]->s};
        return true;
    }
    return false;
}

static int read_argv(struct task *t, const struct value *v, struct arena *a,
                     struct err *err)
{
    if (v->kind != VALUE_LIST)
        return wrong("argv", "a list", err);
    struct arg *argv = arena_array(a, v->count, sizeof(*argv));
    for (size_t i = 0; i < v->count; i++)
        if (!read_arg(&argv[i], v->items[i]))
            return wrong("argv", "a list of arguments", err);
    t->argv = argv;
    t->argc = v->count;
    return 0;
}

static bool read_pair(const struct value *v, struct str *x, struct str *y)
{
    if (v->kind != VALUE_LIST || v->count != 2 ||
        v->items[0]->kind != VALUE_STRING || v->items[1]->kind != VALUE_STRING)
        return false;
    *x = v->items[0]->s;
    *y = v->items[1]->s;
    return true;
}

static int read_env(struct task *t, const struct value *v, struct arena *a,
                    struct err *err)
{
    if (v->kind != VALUE_LIST)
        return wrong("env", "a list", err);
    struct assignment *env = arena_array(a, v->count, sizeof(*env));
    for (size_t i = 0; i < v->count; i++)
        if (!read_pair(v->items[i], &env[i].name, &env[i].value))
            return wrong("env", "a list of names and values", err);
    t->env = env;
    t->env_count = v->count;
    return 0;
}

static int read_files(struct task *t, const struct value *v, struct arena *a,
                      struct err *err)
{
    if (v->kind != VALUE_LIST)
        return wrong("files", "a list", err);
    struct task_file *files = arena_array(a, v->count, sizeof(*files));
    for (size_t i = 0; i < v->count; i++)
        if (!read_pair(v->items[i], &files[i].path, &files[i].text))
            return wrong("files", "a list of paths and texts", err);
    t->files = files;
    t->file_count = v->count;
    return 0;
}

static int read_outputs(struct task *t, const struct value *v, struct arena *a,
                        struct err *err)
{
    if (v->kind != VALUE_LIST)
        return wrong("outputs", "a list", err);
    struct str *outputs = arena_array(a, v->count, sizeof(*outputs));
    for (size_t i = 0; i < v->count; i++) {
        if (v->items[i]->kind != VALUE_STRING)
            return wrong("outputs", "a list of texts", err);
        outputs[i] = v->items[i]->s;
    }
    t->outputs = outputs;
    t->output_count = v->count;
    return 0;
}

static bool read_step(const struct value *v, struct task_step *step)
{
    if (v->kind != VALUE_LIST || v->count != 2 ||
        v->items[0]->kind != VALUE_STRING || v->items[1]->kind != VALUE_INT)
        return false;
    *step = (struct task_step){v->items[0]->s, v->items[1]->i};
    return true;
}

static int read_steps(struct task *t, const struct value *v, struct arena *a,
                      struct err *err)
{
    if (v->kind != VALUE_LIST)
        return wrong("steps", "a list", err);
    struct task_step *steps = arena_array(a, v->count, sizeof(*steps));
    for (size_t i = 0; i < v->count; i++)
        if (!read_step(v->items[i], &steps[i]))
            return wrong("steps", "a list of names and steps", err);
    t->steps = steps;
    t->step_count = v->count;
    return 0;
}

static int read_member(struct task *t, struct str key, const struct value *v,
                       struct arena *a, struct err *err)
{
    for (int i = 0; i < FIELDS; i++)
        if (str_is(key, fields[i].key))
            return read_field(t, &fields[i], v, err);
    if (str_is(key, "needs"))
        return needs_from_value(&t->needs, v, err);
    if (str_is(key, "steps"))
        return read_steps(t, v, a, err);
    if (str_is(key, "argv"))
        return read_argv(t, v, a, err);
    if (str_is(key, "env"))
        return read_env(t, v, a, err);
    if (str_is(key, "files"))
        return read_files(t, v, a, err);
    if (str_is(key, "outputs"))
        return read_outputs(t, v, a, err);
    if (str_is(key, "version"))
        return 0;
    return err_set(err, ERR_CORRUPT, "a task has the unknown member '%.*s'",
                   key.len < 60 ? (int)key.len : 60, key.p);
}

static int check_version(const struct value *v, struct err *err)
{
    const struct value *version = value_get(v, STR("version"));
    if (!version || version->kind != VALUE_INT || version->i < 1)
        return err_set(err, ERR_CORRUPT, "a task has no version");
    if (version->i > TASK_VERSION)
        return err_set(err, ERR_CORRUPT,
                       "a task has version %lld, this program knows versions "
                       "up to %d: one of throng and throng-worker is newer "
                       "than the other",
                       (long long)version->i, TASK_VERSION);
    return 0;
}

int task_parse(struct task *t, struct str text, struct arena *a,
               struct err *err)
{
    struct value *v = json_parse(a, text, "task", true, err);
    if (!v)
        return -1;
    if (v->kind != VALUE_OBJECT)
        return err_set(err, ERR_CORRUPT, "a task is not a JSON object");
    if (check_version(v, err))
        return -1;
    struct task read = {0};
    needs_init(&read.needs);
    for (size_t i = 0; i < v->count; i++)
        if (read_member(&read, v->keys[i], v->items[i], a, err))
            return -1;
    if (!read.kind.len || !read.attempt)
        return err_set(err, ERR_CORRUPT, "a task lacks its %s",
                       read.kind.len ? "attempt" : "kind");
    *t = read;
    return 0;
}

double task_used_parse(struct str text)
{
    double seconds;
    bool sound = num_double(str_trim(text), &seconds) && seconds > 0 &&
                 seconds < USED_MAX_S;
    return sound ? seconds : 0;
}
