/* inference.c - what evaluate and predict print */
#include "cli/inference.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/csv.h"
#include "base/json.h"
#include "base/num.h"
#include "base/strict_json.h"
#include "cli/choose_device.h"
#include "cli/columns.h"
#include "cli/confusion.h"
#include "cli/judged_rows.h"
#include "data/data.h"
#include "ensemble/ensemble.h"
#include "study/study.h"
#include "terms/dropout.h"
#include "terms/metric.h"

#define ROWS_AT_ONCE 10000
#define BYTES_AT_ONCE 65536

struct asked {
    struct one_task one;
    struct call *call;
    struct inference wanted;
    struct value *metrics; /* what came back, by name */
    struct value *columns; /* how much each is needed; NULL: nobody asks */
    struct value *rows;    /* what came of single rows; the same */
    int64_t components, clusters; /* of the rows of a layer; 0: none */
    bool quiet;                   /* nothing but errors */
    bool chooses;                 /* the device, where nobody names it */
};

/* ---- what comes back ------------------------------------------------------
 */

static void on_notice(void *context, struct str text)
{
    const struct asked *n = context;
    if (!n->quiet)
        say("throng %s: %.*s\n", n->call->verb->name, STRF(text));
}

static void on_nothing(void *context, struct str text)
{
    (void)context;
    (void)text;
}

static void on_metrics(void *context, struct str payload)
{
    struct asked *n = context;
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

static void print_metrics(const struct asked *n)
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

static int print_judged(struct asked *n)
{
    struct call *c = n->call;
    struct arena *a = c->arena;
    struct value *pairs = confusion_read(c, path_join(a, n->one.scratch, "1"));
    struct value *to = value_object(a), *none = value_list(a);
    struct value *heads = value_get(pairs, STR("heads"));
    if (call_flag(c, "by-class") && (!heads || !heads->count))
        return err_set(&c->err, ERR_INPUT,
                       "--by-class is of classes, and this model predicts "
                       "numbers, or more classes than are told apart");
    if (!call_flag(c, "json")) {
        print_metrics(n);
        confusion_print(c, pairs);
        if (call_flag(c, "by-class"))
            confusion_print_classes(c, pairs);
        if (n->rows)
            judged_rows_print(c, n->rows);
        if (n->columns)
            columns_print(c, n->columns);
        return 0;
    }
    struct value *rows = value_get(pairs, STR("rows"));
    value_set(a, to, STR("schema"), value_string(a, STR("throng.evaluate/1")));
    value_set(a, to, STR("rows"), rows ? rows : value_null(a));
    value_set(a, to, STR("metrics"), n->metrics);
    value_set(a, to, STR("confusion"), heads ? heads : none);
    for (size_t i = 0; n->rows && i < n->rows->count; i++)
        value_set(a, to, n->rows->keys[i], n->rows->items[i]);
    if (n->columns)
        value_set(a, to, STR("importance"), n->columns);
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
static int print_file(struct call *c, const char *path)
{
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

static int copy_file(const char *from, const char *to, struct err *err)
{
    struct str text;
    if (file_map(from, &text, err))
        return -1;
    int rc = file_write(to, text, false, err);
    file_unmap(text);
    return rc;
}

static int write_array(const char *from, const char *to, struct err *err)
{
    struct str text;
    if (file_map(from, &text, err))
        return -1;
    struct data_npy_table *t = data_npy_table_begin(to, err);
    int rc = t ? data_npy_table_add(t, text, err) : -1;
    if (rc)
        data_npy_table_drop(t);
    else
        rc = data_npy_table_end(t, err);
    file_unmap(text);
    return rc;
}

/* At its place when it is whole. */
static int write_table(struct call *c, const char *from, const char *to)
{
    return str_ends(str_of(to), STR(".npy")) ? write_array(from, to, &c->err)
                                             : copy_file(from, to, &c->err);
}

static int print_predictions(struct asked *n)
{
    struct call *c = n->call;
    const char *to = call_option(c, "output");
    const char *from =
        path_join(c->arena, path_join(c->arena, n->one.scratch, "1"),
                  "output/predictions.csv");
    return to ? write_table(c, from, to) : print_file(c, from);
}

/* ---- what is kept of a product of tables -----------------------------------
 */

/* One table is printed, unless they go into a folder. */
static int print_kept(struct asked *n)
{
    struct call *c = n->call;
    const char *to = call_option(c, "output");
    const char *from = path_join(
        c->arena, path_join(c->arena, n->one.scratch, "1"), "output/kept");
    const char **names = dir_list(from, c->arena, &c->err);
    int rc = names && (!to || dir_make(to, &c->err) == 0) ? 0 : -1;
    for (; !rc && *names; names++) {
        const char *path = path_join(c->arena, from, *names);
        if (!str_ends(str_of(*names), STR(".csv")))
            continue;
        rc = to ? copy_file(path, path_join(c->arena, to, *names), &c->err)
                : print_file(c, path);
    }
    return rc;
}

/* A,B,C; NULL: nothing is named. */
static const char **split_tables(struct call *c, const char *text)
{
    struct str rest = str_of(text ? text : ""), one;
    size_t count = 0;
    const char **all =
        arena_array(c->arena, rest.len + 2, sizeof(*all)); /* and the NULL */
    while (text && str_split(&rest, ',', &one))
        all[count++] = arena_cstr(c->arena, str_trim(one));
    return text ? all : NULL;
}

/* How many tables there will be is known by the rules. */
static int read_product(struct asked *n)
{
    struct call *c = n->call;
    const char *keep = n->wanted.keep = call_option(c, "keep");
    n->wanted.product = split_tables(c, call_option(c, "product"));
    if (!n->wanted.product)
        return keep ? call_usage(c, "--keep goes with --product or --study")
                    : EXIT_OK;
    if (n->wanted.data || n->wanted.rows || n->wanted.layer ||
        call_option(c, "novelty"))
        return call_usage(c, "--product names the rows; leave out --data, "
                             "--rows, --layer and --novelty");
    if (!keep)
        return call_usage(c, "--product needs --keep: what is kept of its "
                             "rows, as top:mean:1000");
    if (!call_option(c, "output") && strpbrk(keep, ",{"))
        return call_usage(c, "of several rules, or rules as JSON, --output "
                             "says the folder for their tables");
    return EXIT_OK;
}

/* ---- one task --------------------------------------------------------------
 */

/* Weights of another program, made ours, are called by its name for them. */
static void call_models(struct asked *n)
{
    if (n->wanted.called)
        err_call(&n->call->err, n->wanted.models, n->wanted.called);
}

/* An exit code; 0: it is done. */
static int run_task(struct asked *n, const struct task *task)
{
    struct call *c = n->call;
    n->one.metrics = on_metrics;
    n->one.context = n;
    n->one.scratch = n->wanted.scratch;
    n->metrics = value_object(c->arena);
    if (one_task_run(&n->one, task, c->arena, &c->err))
        return call_fail(c);
    if (n->one.asked && n->one.outcome != OUTCOME_DONE) {
        say("throng %s: interrupted; nothing of it is kept\n", c->verb->name);
        return EXIT_INTERRUPTED;
    }
    if (n->one.outcome != OUTCOME_DONE) {
        err_set(&c->err, ERR_INPUT, "%.*s", STRF(n->one.reason));
        call_models(n);
        say("throng %s: %s\n", c->verb->name, c->err.text);
        return EXIT_ERROR;
    }
    return EXIT_OK;
}

static int ask(struct asked *n, struct task *task)
{
    struct call *c = n->call;
    n->one.notice = on_notice;
    if (inference_task(&n->wanted, c->arena, task, &c->err))
        return call_fail(c);
    if (n->chooses)
        choose_device(c, task, n->wanted.scratch, n->quiet);
    return run_task(n, task);
}

void inference_held_out(struct call *c, struct inference *wanted)
{
    wanted->passes = true;
    wanted->data = call_option(c, "data");
    wanted->labels = call_option(c, "labels");
    wanted->out_of_fold = call_flag(c, "out-of-fold");
}

int inference_ask(struct call *c, const struct inference *wanted)
{
    struct asked n = {.call = c, .wanted = *wanted};
    struct task task;
    return ask(&n, &task);
}

/* The same rows again and again, of which a column is shuffled. */
static int ask_columns(struct asked *n, struct task task)
{
    struct call *c = n->call;
    if (columns_options(c, &task.options))
        return EXIT_USAGE;
    task.kind = STR("importance");
    int code = run_task(n, &task);
    if (code)
        return code;
    n->columns = columns_read(c, path_join(c->arena, n->one.scratch, "1"));
    return n->columns ? EXIT_OK : call_fail(c);
}

/* The same rows again, one by one. */
static int ask_rows(struct asked *n, struct task task)
{
    struct call *c = n->call;
    task.predictions = 1;
    int code = run_task(n, &task);
    if (code)
        return code;
    struct judged_asked q = {
        .k_rank = call_option(c, "k-rank"),
        .by = call_option(c, "by"),
        .folder = path_join(c->arena, n->one.scratch, "1"),
        .model = task.model,
        .workdir = task.workdir,
    };
    n->rows = judged_rows(&q, c->arena, &c->err);
    return n->rows ? EXIT_OK : call_fail(c);
}

/* What stands out in the rows of a layer, in place of them. */
static int look_at_rows(struct asked *n)
{
    struct call *c = n->call;
    struct layer_asked q = {
        .components = (size_t)n->components,
        .clusters = (size_t)n->clusters,
        .folder = path_join(c->arena, n->one.scratch, "1"),
    };
    const struct value *told = layer_look(&q, c->arena, &c->err);
    if (!told)
        return call_fail(c);
    const struct value *explained = value_get(told, STR("explained"));
    const struct value *fit = value_get(told, STR("silhouette"));
    for (size_t i = 0; explained && i < explained->count; i++)
        say("throng predict: pc_%zu has %.1f %% of the variance\n", i + 1,
            100 * value_number(explained->items[i]));
    if (fit)
        say("throng predict: the mean silhouette is %.4f\n", value_number(fit));
    else if (q.clusters)
        say("throng predict: silhouettes are left out: more than %d rows\n",
            LAYER_SILHOUETTES);
    return EXIT_OK;
}

/* Rows of which nothing is predicted are no small matter. */
static int say_bad(const struct asked *n)
{
    const struct value *bad = value_get(n->metrics, STR(INFERENCE_BAD));
    double rows = n->wanted.predict && bad ? value_number(bad) : 0;
    if (!(rows > 0))
        return EXIT_OK;
    say("throng predict: %.0f row%s no prediction\n", rows,
        rows > 1 ? "s have" : " has");
    return EXIT_FAILED_TRIALS;
}

static int infer(struct asked *n)
{
    struct call *c = n->call;
    struct task task;
    int code = ask(n, &task);
    struct value *metrics = n->metrics;
    n->one.notice = on_nothing; /* what is said of the rows was said */
    if (!code && (n->components || n->clusters))
        code = look_at_rows(n);
    if (!code && !n->wanted.predict &&
        (call_option(c, "k-rank") || call_option(c, "by")))
        code = ask_rows(n, task);
    if (!code && !n->wanted.predict && call_flag(c, "importance"))
        code = ask_columns(n, task);
    n->metrics = metrics;
    if (code)
        return code;
    if (n->wanted.product   ? print_kept(n)
        : n->wanted.predict ? print_predictions(n)
                            : print_judged(n))
        return call_fail(c);
    return say_bad(n);
}

static int read_rate(struct asked *n)
{
    struct call *c = n->call;
    const char *text = call_option(c, "permanent-dropout");
    double *rate = arena_new_of(c->arena, double);
    n->wanted.permanent_dropout = text ? rate : NULL;
    if (!text ||
        (num_double(str_of(text), rate) && *rate >= 0 && *rate <= DROPOUT_MOST))
        return EXIT_OK;
    return call_usage(c,
                      "--permanent-dropout takes a rate from 0 to %g, not "
                      "%s: 1 would leave nothing of a row",
                      DROPOUT_MOST, text);
}

/* WEIGHTS, or MODEL --weights FILE, or a file of Keras that has both, of which
 * weights of ours are made. */
static int find_weights(struct asked *n)
{
    struct call *c = n->call;
    const char *weights = call_option(c, "weights");
    const char *first = path_absolute(c->arena, c->args[0]);
    struct foreign_weights from = {.model = first,
                                   .data = n->wanted.data,
                                   .labels = n->wanted.labels,
                                   .label = call_option(c, "label"),
                                   .loss = call_option(c, "loss"),
                                   .draws = n->wanted.samples ||
                                            n->wanted.permanent_dropout};
    const char *notice = NULL;
    n->wanted.models = first;
    bool foreign = foreign_weights_are(first, weights);
    if (!foreign && (from.label || from.loss))
        return call_usage(c, "--label and --loss go with --weights: weights of "
                             "throng know theirs");
    if (!foreign)
        return EXIT_OK;
    from.weights = weights ? path_absolute(c->arena, weights) : NULL;
    from.product = n->wanted.product != NULL;
    n->wanted.called = first;
    n->wanted.models =
        path_join(c->arena, n->wanted.scratch, "weights.safetensors");
    if (foreign_weights_take(&from, n->wanted.models, &notice, c->arena,
                             &c->err))
        return call_fail(c);
    if (notice)
        on_notice(n, str_of(notice));
    return EXIT_OK;
}

/* Verbs have some of them. */
static bool names_input(const char *option)
{
    static const char *const all[] = {
        "data", "labels", "weights", "novelty", "calibration", "product", NULL};
    return str_among(str_of(option), all);
}

int inference_check_output(struct call *c, const char *models)
{
    const char *to = call_option(c, "output");
    int rc = output_spares(to, models, "the models", &c->err);
    for (size_t i = 0; !rc && c->verb->options[i].name; i++) {
        const char *name = c->verb->options[i].name;
        if (names_input(name))
            rc = output_spares_rows(
                to, c->values[i], arena_printf(c->arena, "read by --%s", name),
                c->arena, &c->err);
    }
    return rc ? call_fail(c) : EXIT_OK;
}

int inference_check_kind(struct call *c, const char *models, const char *format,
                         const char *what)
{
    int code = inference_check_output(c, models);
    if (code == EXIT_OK &&
        output_replaces(call_option(c, "output"), format, what, &c->err))
        code = call_fail(c);
    return code;
}

int inference_check_rows(struct call *c)
{
    static const char *const parts[] = {"training", "validation", "test", NULL};
    const char *rows = call_option(c, "rows");
    if (rows && !str_among(str_of(rows), parts))
        return call_usage(c, "--rows takes training, validation or test");
    return EXIT_OK;
}

/* What is made of predictions, or of the rows of a layer. */
static int read_looks(struct asked *n)
{
    struct call *c = n->call;
    if (n->wanted.layer && call_option(c, "novelty"))
        return call_usage(c, "--novelty goes with predictions, not with "
                             "--layer");
    if (call_int(c, "pca", 0, &n->components) ||
        call_int(c, "k-means", 0, &n->clusters))
        return call_fail(c);
    bool looks = call_option(c, "pca") || call_option(c, "k-means");
    if (looks && !n->wanted.layer)
        return call_usage(c, "--pca and --k-means are of the rows of a layer: "
                             "say --layer NAME");
    if ((call_option(c, "pca") && n->components < 1) ||
        (call_option(c, "k-means") && n->clusters < 1))
        return call_usage(c, "--pca and --k-means take numbers from 1");
    return EXIT_OK;
}

static int check_columns(struct call *c)
{
    struct value *groups;
    int64_t repeats;
    return columns_check(c, &groups, &repeats);
}

static int read_options(struct asked *n)
{
    struct call *c = n->call;
    if (call_int(c, "samples", 0, &n->wanted.samples))
        return call_fail(c);
    if (call_option(c, "samples") && n->wanted.samples < 1)
        return call_usage(c, "--samples takes a number from 1");
    if (c->arg_count != 1)
        return call_usage(c, "name one file of weights, or one ensemble");
    if (n->wanted.rows && n->wanted.data)
        return call_usage(c, "--rows are those of the model's own data; leave "
                             "out --data");
    int code = read_rate(n);
    if (!code)
        code = inference_check_rows(c);
    if (!code && n->wanted.predict)
        code = read_looks(n);
    else if (!code)
        code = check_columns(c);
    return code || !n->wanted.predict ? code : read_product(n);
}

/* Before anything is asked: it can be written, and takes the place of nothing
 * that is read. */
static int check_place(struct asked *n)
{
    struct call *c = n->call;
    struct models m;
    const char *to = n->wanted.predict ? call_option(c, "output") : NULL;
    int code = to ? inference_check_output(c, c->args[0]) : EXIT_OK;
    if (code || !to)
        return code;
    if (output_fits(to, n->wanted.product, c->arena, &c->err))
        return call_fail(c);
    if (file_exists(to) && (models_open(&m, n->wanted.models, n->wanted.scratch,
                                        c->arena, &c->err) ||
                            output_spares_models(to, &m, c->arena, &c->err)))
        return call_fail(c);
    return EXIT_OK;
}

int inference_run(struct call *c, bool predict)
{
    struct asked n = {
        .call = c,
        .quiet = predict && call_flag(c, "quiet"),
        .chooses = true,
        .wanted = {.data = call_option(c, "data"),
                   .labels = call_option(c, "labels"),
                   .calibration =
                       predict ? call_option(c, "calibration") : NULL,
                   .novelty = predict ? call_option(c, "novelty") : NULL,
                   .layer = predict ? call_option(c, "layer") : NULL,
                   .rows = call_option(c, "rows"),
                   .device = call_option(c, "device"),
                   .predict = predict}};
    if (!device_find(str_of(n.wanted.device), &c->err))
        return call_usage(c, "%s", c->err.text);
    int code = read_options(&n);
    if (code)
        return code;
    n.wanted.scratch = scratch_make("infer", &c->err);
    if (!n.wanted.scratch)
        return call_fail(c);
    code = find_weights(&n);
    if (!code)
        code = check_place(&n);
    if (!code)
        code = infer(&n);
    scratch_remove(n.wanted.scratch);
    return code;
}
