/* inference.c - weights on data, for evaluate and predict
 *
 * A file of weights carries its model and what was fitted on its training rows
 * (scaling, classes, words), so that --data needs nothing but rows. Without it
 * the model's own rows are judged: then its data must be there, and is split
 * as it was. */
#include "cli/inference.h"

#include <stdlib.h>

#include "base/csv.h"
#include "base/json.h"
#include "base/num.h"
#include "base/strict_json.h"
#include "cli/confusion.h"
#include "study/study.h"
#include "nn/nn.h"
#include "terms/metric.h"

#define ROWS_AT_ONCE 10000
#define BYTES_AT_ONCE 65536

struct inference {
    struct one_task one;
    struct call *call;
    struct value *model;
    const char *weights;      /* as named, absolute … */
    const char *file;         /* … and where the worker can read them */
    const struct value *spec; /* of the model's own data */
    bool predict, new_rows;
    struct value *metrics; /* what came back, by name */
};

/* ---- the model's data ---------------------------------------------------- */

/* The study file's folder, for weights that a study kept; else NULL. */
static const char *study_home(struct arena *a, const char *weights)
{
    const char *at = strstr(weights, "/.throng/");
    return at ? arena_cstr(a, str_n(weights, (size_t)(at - weights))) : NULL;
}

static bool has_data(struct arena *a, const char *folder,
                     const struct value *spec)
{
    static const char *const keys[] = {"file", "inputs", "train"};
    for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); i++) {
        const struct value *v = value_get(spec, str_of(keys[i]));
        while (v && v->kind != VALUE_STRING && v->count)
            v = v->items[0];
        if (v && v->kind == VALUE_STRING &&
            file_exists(path_join(a, folder, arena_cstr(a, v->s))))
            return true;
    }
    return false;
}

/* Data is named relative to the model file, whose folder the weights do not
 * know: it is looked for here, beside the weights, and beside their study. */
static const char *data_folder(const struct inference *n)
{
    struct arena *a = n->call->arena;
    const struct value *spec = value_get(n->model, STR("data"));
    const char *here = path_absolute(a, ".");
    const char *folders[] = {here, path_folder(a, n->weights),
                             study_home(a, n->weights)};
    for (size_t i = 0; i < sizeof(folders) / sizeof(folders[0]); i++)
        if (folders[i] && has_data(a, folders[i], spec))
            return folders[i];
    return here;
}

/* ---- rows of another day --------------------------------------------------
 */

/* The path of a file, or of an array in one (set.npz:x), made absolute. */
static struct value *path_value(struct call *c, struct str text)
{
    const char *path = arena_cstr(c->arena, text);
    const char *colon = strrchr(path, ':');
    const char *file =
        colon ? arena_cstr(c->arena, str_n(path, (size_t)(colon - path)))
              : path;
    if (!file_exists(path) && !file_exists(file)) {
        err_set(&c->err, ERR_MISSING, "cannot read %s: there is no such file",
                path);
        return NULL;
    }
    return value_string(c->arena, str_of(path_absolute(c->arena, path)));
}

/* FILE, or NAME=FILE,NAME=FILE where a model has several. */
static struct value *paths_value(struct call *c, const char *text,
                                 const struct value *own)
{
    struct value *all = value_object(c->arena);
    struct str rest = str_of(text), one, name;
    if (!own || own->kind != VALUE_OBJECT)
        return path_value(c, rest);
    for (size_t i = 0; i < own->count; i++)
        value_set(c->arena, all, own->keys[i], value_null(c->arena));
    while (str_split(&rest, ',', &one)) {
        str_split(&one, '=', &name);
        struct value *path = value_get(all, name) ? path_value(c, one) : NULL;
        if (!path && !c->err.text[0])
            err_set(&c->err, ERR_INPUT,
                    "%s: the model has several files: NAME=FILE,NAME=FILE, "
                    "with the names of its model file",
                    text);
        if (!path)
            return NULL;
        value_set(c->arena, all, name, path);
    }
    return all;
}

/* Names the files of one kind anew, as the model file names its own. */
static int put_files(struct inference *n, struct value *spec, const char *key,
                     const char *text)
{
    struct call *c = n->call;
    const struct value *train = value_get(n->spec, STR("train"));
    const struct value *own = value_get(
        train && train->kind == VALUE_OBJECT ? train : n->spec, str_of(key));
    struct value *files = paths_value(c, text, own);
    if (!files)
        return -1;
    value_set(c->arena, spec, str_of(key), files);
    return 0;
}

static bool is_pair(const struct value *spec)
{
    const struct value *train = value_get(spec, STR("train"));
    return value_get(spec, STR("inputs")) || value_get(train, STR("inputs"));
}

/* --data: how rows are read stays; which they are, and how they were split,
 * does not matter any more. */
static int use_file(struct inference *n)
{
    static const char *const kept[] = {"header", "separator", "skip", "missing",
                                       "text"};
    struct call *c = n->call;
    const char *data = call_option(c, "data");
    const char *labels = call_option(c, "labels");
    struct value *spec = value_object(c->arena);
    n->spec = value_get(n->model, STR("data"));
    if (!n->spec || n->spec->kind != VALUE_OBJECT)
        return err_set(&c->err, ERR_INPUT, "%s: its model names no data",
                       n->weights);
    if (!data && !labels)
        return 0;
    bool pair = is_pair(n->spec);
    if (!data || (labels && !pair))
        return err_set(&c->err, ERR_USAGE,
                       "--labels goes with --data, for a model whose inputs "
                       "and labels are files of their own");
    for (size_t i = 0; i < sizeof(kept) / sizeof(kept[0]); i++) {
        const struct value *v = value_get(n->spec, str_of(kept[i]));
        if (v)
            value_set(c->arena, spec, str_of(kept[i]), value_copy(c->arena, v));
    }
    if (put_files(n, spec, pair ? "inputs" : "file", data) ||
        (labels && put_files(n, spec, "labels", labels)))
        return -1;
    value_set(c->arena, n->model, STR("data"), spec);
    n->new_rows = true;
    return 0;
}

/* ---- what comes back ------------------------------------------------------
 */

static void on_notice(void *context, struct str text)
{
    const struct inference *n = context;
    say("throng %s: %.*s\n", n->call->verb->name, STRF(text));
}

static void on_metrics(void *context, struct str payload)
{
    struct inference *n = context;
    struct arena *a = n->call->arena;
    struct metric_reader r;
    struct metric_column column;
    metric_reader_init(&r, payload);
    while (metric_reader_next(&r, &column) > 0)
        value_set(a, n->metrics, column.name,
                  value_double(a, metric_value(&column, 0)));
}

static int name_width(const struct value *o)
{
    size_t most = 0;
    for (size_t i = 0; i < o->count; i++)
        if (o->keys[i].len > most)
            most = o->keys[i].len;
    return (int)most;
}

static void print_metrics(const struct inference *n)
{
    struct buf b;
    buf_init(&b);
    for (size_t i = 0; i < n->metrics->count; i++) {
        struct str name = n->metrics->keys[i];
        if (n->call->terminal)
            buf_addf(&b, "%-*.*s  ", name_width(n->metrics), STRF(name));
        else
            buf_addf(&b, "%.*s\t", STRF(name));
        num_print_short(&b, value_number(n->metrics->items[i]), 6);
        buf_addc(&b, '\n');
    }
    put(buf_str(&b));
    buf_done(&b);
}

static int print_judged(struct inference *n)
{
    struct call *c = n->call;
    struct arena *a = c->arena;
    struct value *pairs = confusion_read(c, path_join(a, n->one.scratch, "1"));
    struct value *to = value_object(a), *none = value_list(a);
    struct value *heads = value_get(pairs, STR("heads"));
    if (!call_flag(c, "json")) {
        print_metrics(n);
        confusion_print(c, pairs);
        return 0;
    }
    struct value *rows = value_get(pairs, STR("rows"));
    value_set(a, to, STR("schema"), value_string(a, STR("throng.evaluate/1")));
    value_set(a, to, STR("rows"), rows ? rows : value_null(a));
    value_set(a, to, STR("metrics"), n->metrics);
    value_set(a, to, STR("confusion"), heads ? heads : none);
    struct buf b;
    buf_init(&b);
    strict_value(&b, to);
    buf_addc(&b, '\n');
    put(buf_str(&b));
    buf_done(&b);
    return 0;
}

/* For people: a probability of nine digits is for programs. */
static void add_cell(struct table *t, struct str field)
{
    double number;
    if (str_find(field, '.') >= 0 && num_double(field, &number))
        table_number(t, number, 4);
    else
        table_cell(t, "%.*s", STRF(field));
}

/* In pieces, since there may be millions of rows. */
static int print_table(struct call *c, struct csv *csv)
{
    struct table *t = table_new();
    size_t rows = 0, columns = 0;
    int got;
    while ((got = csv_next(csv, &c->err)) > 0) {
        for (size_t i = 0; !rows && i < csv->fields.len; i++)
            table_column(t, arena_cstr(c->arena, csv->fields.p[i]), true);
        columns = rows ? columns : csv->fields.len;
        for (size_t i = 0; rows && i < columns; i++)
            add_cell(t, i < csv->fields.len ? csv->fields.p[i] : STR(""));
        if (rows)
            table_row(t);
        if (++rows % ROWS_AT_ONCE == 0)
            table_print(t, c);
    }
    if (rows % ROWS_AT_ONCE)
        table_print(t, c);
    table_free(t);
    return got;
}

static int print_tabs(struct call *c, struct csv *csv)
{
    struct buf lines;
    int got;
    buf_init(&lines);
    while ((got = csv_next(csv, &c->err)) > 0) {
        for (size_t i = 0; i < csv->fields.len; i++)
            buf_addf(&lines, "%s%.*s", i ? "\t" : "", STRF(csv->fields.p[i]));
        buf_addc(&lines, '\n');
        if (lines.len < BYTES_AT_ONCE)
            continue;
        put_data(c, buf_str(&lines));
        buf_reset(&lines);
    }
    put_data(c, buf_str(&lines));
    buf_done(&lines);
    return got;
}

/* Tabs between columns, as other tables have them, or commas as asked for. */
static int print_predictions(struct inference *n)
{
    struct call *c = n->call;
    const char *path =
        path_join(c->arena, path_join(c->arena, n->one.scratch, "1"),
                  "output/predictions.csv");
    struct str text;
    struct csv csv;
    int got = 0;
    if (file_map(path, &text, &c->err))
        return -1;
    if (call_flag(c, "csv")) {
        put_data(c, text);
    } else {
        csv_init(&csv, text, ',');
        got = c->terminal ? print_table(c, &csv) : print_tabs(c, &csv);
        csv_done(&csv);
    }
    file_unmap(text);
    return got;
}

/* ---- one task --------------------------------------------------------------
 */

static struct task task_of(struct inference *n)
{
    struct call *c = n->call;
    struct task task = {.id = 1, .attempt = 1, .kind = STR("infer")};
    struct buf text;
    needs_init(&task.needs);
    buf_init(&text);
    json_print(&text, n->model);
    task.model = arena_str(c->arena, buf_str(&text));
    buf_done(&text);
    task.workdir = str_of(data_folder(n));
    task.folder = str_of(path_join(c->arena, n->one.scratch, "1"));
    task.weights = str_of(n->file);
    task.predictions = n->predict;
    task.new_rows = n->new_rows;
    task.study = STR("inference");
    task.params = STR("{}");
    task.grace_s = 5;
    return task;
}

static int infer(struct inference *n)
{
    struct call *c = n->call;
    struct task task = task_of(n);
    if (one_task_run(&n->one, &task, c->arena, &c->err))
        return call_fail(c);
    if (n->one.asked && n->one.outcome != OUTCOME_DONE) {
        say("throng %s: interrupted; nothing of it is kept\n", c->verb->name);
        return EXIT_INTERRUPTED;
    }
    if (n->one.outcome != OUTCOME_DONE) {
        say("throng %s: %.*s\n", c->verb->name, STRF(n->one.reason));
        return EXIT_ERROR;
    }
    if (n->predict ? print_predictions(n) : print_judged(n))
        return call_fail(c);
    return EXIT_OK;
}

/* STUDY/trials/0/7/output/weights.safetensors names weights also where they lie
 * in a pack: then they are written into scratch. */
static int unpack(struct inference *n, const char *scratch)
{
    struct call *c = n->call;
    struct str rest = STR(""), thousand, number;
    int64_t trial;
    const char *at = NULL;
    n->file = n->weights;
    for (const char *p = n->weights; (p = strstr(p, "/trials/")); p++)
        at = p;
    if (file_exists(n->weights) || !at)
        return 0;
    rest = str_of(at + strlen("/trials/"));
    str_split(&rest, '/', &thousand);
    if (!rest.p || !str_split(&rest, '/', &number) || !rest.p ||
        !num_int(number, &trial))
        return 0;
    struct packs *packs = packs_open(
        arena_cstr(c->arena, str_n(n->weights, (size_t)(at - n->weights))));
    struct err why = {0};
    struct buf b;
    buf_init(&b);
    int rc = packs_read(packs, trial, rest.p, &b, &why);
    if (!rc) {
        n->file = path_join(c->arena, scratch, "weights.safetensors");
        rc = file_write(n->file, buf_str(&b), false, &c->err);
    } else if (why.kind == ERR_MISSING) {
        rc = 0; /* who reads the file says so */
    } else {
        err_set(&c->err, why.kind, "%s", why.text);
    }
    buf_done(&b);
    packs_close(packs);
    return rc;
}

static int run_in(struct inference *n, const char *scratch)
{
    struct call *c = n->call;
    struct nn_about about;
    if (unpack(n, scratch))
        return call_fail(c);
    if (nn_weights_about(n->file, c->arena, &about, &c->err) == 0)
        n->model = json_parse(c->arena, about.model, "model", false, &c->err);
    if (!n->model || use_file(n))
        return call_fail(c);
    n->one.scratch = scratch;
    return infer(n);
}

int inference_run(struct call *c, bool predict)
{
    struct inference n = {.call = c, .predict = predict};
    char scratch[] = "/tmp/throng-infer-XXXXXX";
    if (c->arg_count != 1)
        return call_usage(c, "name one file of weights");
    n.one.metrics = on_metrics;
    n.one.notice = on_notice;
    n.one.context = &n;
    n.weights = path_absolute(c->arena, c->args[0]);
    n.metrics = value_object(c->arena);
    if (!mkdtemp(scratch)) {
        err_errno(&c->err, "make a folder in /tmp");
        return call_fail(c);
    }
    int code = run_in(&n, scratch);
    dir_remove(scratch, NULL);
    return code;
}
