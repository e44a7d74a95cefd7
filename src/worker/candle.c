/* candle.c - tasks that keep to CANDLE's conventions
 *
 * Numbers of result lines are held until the end, because the last one
 * counts. Files are looked for in the task's own output folder, and below
 * CANDLE_OUTPUT_DIR or CANDLE_DATA_DIR in the folder of this experiment and
 * run; those that an earlier attempt left there do not count. */
#include "worker/candle.h"

#include <math.h>
#include <sys/stat.h>
#include "base/json.h"
#include "base/num.h"
#include "worker/worker.h"

#define FILE_MAX_BYTES (16u << 20)
#define EXIT_TIMEOUT 124 /* of timeout(1), and of Supervisor's model.sh */

/* ---- files ----------------------------------------------------------- */

struct found {
    const char *path; /* NULL: none */
    int64_t changed_ns;
};

/* Takes the file when it is newer than the one that is found. */
static void consider(const char *path, struct found *f)
{
    struct stat st;
    if (stat(path, &st) != 0 || !S_ISREG(st.st_mode))
        return;
    int64_t changed =
        (int64_t)st.st_mtim.tv_sec * 1000000000 + st.st_mtim.tv_nsec;
    if (f->path && changed <= f->changed_ns)
        return;
    f->path = path;
    f->changed_ns = changed;
}

static void consider_all(struct attempt *a, const char *root, const char *glob,
                         struct found *f)
{
    const char **names = dir_glob(root, glob, a->arena, NULL);
    for (size_t i = 0; names && names[i]; i++)
        consider(path_join(a->arena, root, names[i]), f);
}

/* A name that goes into a glob must not be one itself. */
static bool is_plain(const char *name)
{
    return *name && !strpbrk(name, "*?[]\\/");
}

/* Files in MODEL/Output/EXP/RUN below a root, which may be NULL. */
static void consider_run(struct attempt *a, const char *root, const char *name,
                         struct found *f)
{
    const struct candle *c = &a->candle;
    if (root && *root && is_plain(c->experiment_id) && is_plain(c->run_id))
        consider_all(a, root,
                     arena_printf(a->arena, "*/Output/%s/%s/%s",
                                  c->experiment_id, c->run_id, name),
                     f);
}

/* The newest file of that name. */
static struct found find_file(struct attempt *a, const char *name)
{
    const struct candle *c = &a->candle;
    struct found f = {0};
    const char *output = path_join(a->arena, a->folder.path, "output");
    consider_all(a, output, name, &f);
    consider_all(a, output, arena_printf(a->arena, "**/%s", name), &f);
    if (a->task.workdir.len == 0)
        consider_all(a, a->folder.path, name, &f);
    consider_run(a, strcmp(c->root, output) != 0 ? c->root : NULL, name, &f);
    consider_run(a, c->data, name, &f);
    return f;
}

/* The newest file of that name that was written after another one; NULL when
 * there is none. */
static const char *find_newer(struct attempt *a, const char *name,
                              int64_t than_ns)
{
    struct found f = find_file(a, name);
    return f.path && f.changed_ns > than_ns ? f.path : NULL;
}

/* ---- who it is ------------------------------------------------------- */

static const char *text_of(struct attempt *a, const struct value *params,
                           const char *key, const char *otherwise)
{
    const struct value *v = value_get(params, str_of(key));
    if (!v || v->kind == VALUE_NULL)
        return otherwise;
    struct buf b;
    buf_init(&b);
    value_python_str(&b, v);
    const char *text = arena_cstr(a->arena, buf_str(&b));
    buf_done(&b);
    return text;
}

void candle_begin(struct attempt *a, const struct value *params,
                  const char *const *env)
{
    struct candle *c = &a->candle;
    const struct task *t = &a->task;
    const char *output = path_join(a->arena, a->folder.path, "output");
    const char *root = environment_get(env, STR("CANDLE_OUTPUT_DIR"));
    *c = (struct candle){.on = str_is(t->protocol, "candle")};
    if (!c->on)
        return;
    c->experiment_id =
        text_of(a, params, "experiment_id", arena_cstr(a->arena, t->study));
    c->run_id =
        text_of(a, params, "run_id",
                arena_printf(a->arena, "RUN%03llu", (unsigned long long)t->id));
    c->root = root && *root ? root : output;
    c->data = environment_get(env, STR("CANDLE_DATA_DIR"));
    c->result_file = path_join(a->arena, output, "result.txt");
    c->result_ns = find_file(a, "result.txt").changed_ns;
    c->log_ns = find_file(a, "run.*.json").changed_ns;
}

/* ---- result lines ---------------------------------------------------- */

static bool is_metric(const struct attempt *a, struct str label)
{
    struct str name = a->task.metric_name;
    if (label.len == 0 || str_eq(label, name))
        return true;
    return name.len > 0 && str_starts(label, name) &&
           strchr(" \t:=,(", label.p[name.len]);
}

/* A number of a name of its own is a metric of that name too. */
static void add_named(struct attempt *a, enum metric_source source,
                      struct str name, int64_t step, double value)
{
    struct metric_pair pair = {.name = name, .value = value};
    struct metric_line line = {.step = step, .pairs = &pair, .count = 1};
    if (name.len > 0 && name.len <= METRIC_NAME_MAX && str_utf8(name))
        metrics_add_pairs(a, &line, source);
}

void candle_line(struct attempt *a, struct str line)
{
    struct candle *c = &a->candle;
    struct candle_result r = candle_result_line(line);
    if (r.says == CANDLE_NOTHING)
        return;
    c->last_says = r.says;
    if (r.says != CANDLE_NUMBER)
        return;
    if (is_metric(a, r.label)) {
        c->said = true;
        c->value = r.value;
        return;
    }
    c->said_other = true;
    c->other = r.value;
    add_named(a, METRIC_FROM_PATTERN, r.label, METRIC_NO_STEP, r.value);
}

/* ---- the run log ----------------------------------------------------- */

/* A number, or {"set": number} as the monitor's database had it. */
static double number_of(const struct value *record, const char *key)
{
    const struct value *v = value_get(record, str_of(key));
    if (v && v->kind == VALUE_OBJECT)
        v = value_get(v, STR("set"));
    if (v && v->kind == VALUE_STRING) {
        double number;
        return num_double(str_trim(v->s), &number) ? number : NAN;
    }
    return v ? value_number(v) : NAN;
}

/* One record per epoch: what Keras calls loss and val_loss. */
static bool add_epoch(struct attempt *a, const struct value *record,
                      int64_t epoch)
{
    static const char *const names[][2] = {{"training_loss", "loss"},
                                           {"validation_loss", "val_loss"}};
    bool any = false;
    for (size_t i = 0; i < 2; i++) {
        if (!value_get(record, str_of(names[i][0])))
            continue;
        double value = number_of(record, names[i][0]);
        add_named(a, METRIC_FROM_FILE_NUMBER, str_of(names[i][1]), epoch,
                  value);
        any = true;
    }
    return any;
}

/* A file that was written on by a second run holds several arrays: the last
 * whole one counts. */
static const struct value *last_array(struct arena *a, struct str text)
{
    const struct value *last = NULL, *v;
    text = str_trim(text);
    while (text.len > 0 && (v = json_parse_next(a, &text, "run log", NULL)))
        last = v->kind == VALUE_LIST ? v : last;
    return last;
}

/* A second run of our own stand-in adds to one array: its last start counts. */
static size_t last_start(const struct value *list)
{
    size_t from = 0;
    for (size_t i = 0; i < list->count; i++)
        if (value_get(list->items[i], STR("start_time")))
            from = i;
    return from;
}

static void read_run_log(struct attempt *a)
{
    const char *path = find_newer(a, "run.*.json", a->candle.log_ns);
    struct arena *own = arena_new();
    struct buf text;
    int64_t epoch = 0;
    buf_init(&text);
    if (path && file_read(path, FILE_MAX_BYTES, &text, NULL) == 0) {
        const struct value *list = last_array(own, buf_str(&text));
        for (size_t i = list ? last_start(list) : 0; list && i < list->count;
             i++)
            epoch += add_epoch(a, list->items[i], epoch);
    }
    buf_done(&text);
    arena_free(own);
}

/* ---- result.txt ------------------------------------------------------ */

static void read_result(struct attempt *a)
{
    struct candle *c = &a->candle;
    const char *path = find_newer(a, "result.txt", c->result_ns);
    struct buf text;
    buf_init(&text);
    if (path && file_read(path, 4096, &text, NULL) == 0) {
        struct candle_result r = candle_result_text(buf_str(&text));
        if (r.says == CANDLE_NOTHING)
            worker_notice(a, "%s holds no number", path);
        if (c->last_says == CANDLE_NOTHING)
            c->last_says = r.says;
        if (r.says == CANDLE_NUMBER && a->task.metric_name.len > 0)
            metrics_add_point(a, METRIC_FROM_FILE_NUMBER, METRIC_NO_STEP,
                              r.value);
    }
    buf_done(&text);
}

/* ---- the end --------------------------------------------------------- */

void candle_end(struct attempt *a)
{
    struct candle *c = &a->candle;
    if (!c->on || a->process.pid <= 0)
        return;
    read_run_log(a);
    if (a->status != 0) /* of wait: what failed has no result */
        return;
    read_result(a);
    if ((c->said || c->said_other) && a->task.metric_name.len > 0)
        metrics_add_point(a, METRIC_FROM_PATTERN, METRIC_NO_STEP,
                          c->said ? c->value : c->other);
}

bool candle_judge(struct attempt *a, struct record_ended *e)
{
    const struct candle *c = &a->candle;
    if (!c->on)
        return false;
    if (e->exit_code == EXIT_TIMEOUT) {
        e->outcome = OUTCOME_TIMED_OUT;
        a->reason = "ran out of time: exit code 124, as timeout has it";
        return true;
    }
    if (e->exit_code != 0)
        return false;
    if (c->last_says == CANDLE_EXCEPTION) {
        e->outcome = OUTCOME_FAILED;
        a->reason = "the model says EXCEPTION";
        return true;
    }
    if (c->last_says == CANDLE_SKIP) {
        e->outcome = OUTCOME_DONE;
        a->reason = "the model says SKIP: it did not train";
        return true;
    }
    return false;
}
