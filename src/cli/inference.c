/* inference.c - weights on data, for evaluate and predict
 *
 * A file of weights carries its model. Whatever was fitted on training rows
 * (scaling, classes, words) is fitted again from the same rows, so that the
 * data of the model must be there too; --data adds a file of rows that were
 * never seen. */
#include "cli/inference.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/csv.h"
#include "base/json.h"
#include "base/num.h"
#include "cli/one_task.h"
#include "nn/nn.h"
#include "terms/metric.h"

struct inference {
    struct one_task one;
    struct call *call;
    struct value *model;
    const char *weights; /* absolute */
    bool predict;
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
    static const char *const keys[] = {"file", "inputs"};
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

/* --data FILE: the rows to judge. */
static int use_file(struct inference *n)
{
    struct call *c = n->call;
    const char *file = call_option(c, "data");
    struct value *spec = value_get(n->model, STR("data"));
    if (!spec || spec->kind != VALUE_OBJECT)
        return err_set(&c->err, ERR_INPUT, "%s: its model names no data",
                       n->weights);
    if (!file)
        return 0;
    if (!file_exists(file))
        return err_set(&c->err, ERR_MISSING,
                       "cannot read %s: there is no such file", file);
    struct value *part = value_object(c->arena);
    value_set(c->arena, part, STR("file"),
              value_string(c->arena, str_of(path_absolute(c->arena, file))));
    value_set(c->arena, spec, STR("test"), part);
    return 0;
}

/* ---- what comes back ------------------------------------------------------
 */

static void on_metrics(void *context, struct str payload)
{
    struct inference *n = context;
    struct metric_reader r;
    struct metric_column column;
    struct buf b;
    if (n->predict)
        return;
    buf_init(&b);
    metric_reader_init(&r, payload);
    while (metric_reader_next(&r, &column) > 0) {
        buf_addf(&b, "%.*s\t", STRF(column.name));
        num_print_short(&b, metric_value(&column, 0), 6);
        buf_addc(&b, '\n');
    }
    fputs(b.p, stdout);
    buf_done(&b);
}

/* Tabs between columns, as other tables have them, or commas as asked for. */
static int print_predictions(struct inference *n)
{
    struct call *c = n->call;
    const char *path =
        path_join(c->arena, path_join(c->arena, n->one.scratch, "1"),
                  "output/predictions.csv");
    struct buf text, line;
    struct csv csv;
    int got = 0;
    buf_init(&text);
    if (file_read(path, 0, &text, &c->err)) {
        buf_done(&text);
        return -1;
    }
    if (call_flag(c, "csv")) {
        fwrite(text.p, 1, text.len, stdout);
        buf_done(&text);
        return 0;
    }
    csv_init(&csv, buf_str(&text), ',');
    buf_init(&line);
    while ((got = csv_next(&csv, &c->err)) > 0) {
        buf_reset(&line);
        for (size_t i = 0; i < csv.fields.len; i++)
            buf_addf(&line, "%s%.*s", i ? "\t" : "", STRF(csv.fields.p[i]));
        puts(line.p);
    }
    buf_done(&line);
    csv_done(&csv);
    buf_done(&text);
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
    task.weights = str_of(n->weights);
    task.predictions = n->predict;
    task.study = STR("inference");
    task.params = STR("{}");
    task.grace_s = 5;
    return task;
}

static int infer(struct inference *n)
{
    struct call *c = n->call;
    struct task task = task_of(n);
    if (one_task_run(c, &n->one, &task))
        return call_fail(c);
    if (n->one.outcome != OUTCOME_DONE) {
        fprintf(stderr, "throng %s: %.*s\n", c->verb->name,
                STRF(n->one.reason));
        return EXIT_ERROR;
    }
    if (n->predict && print_predictions(n))
        return call_fail(c);
    return EXIT_OK;
}

int inference_run(struct call *c, bool predict)
{
    struct inference n = {.call = c, .predict = predict};
    char scratch[] = "/tmp/throng-infer-XXXXXX";
    if (c->arg_count != 1)
        return call_usage(c, "name one file of weights");
    n.one.metrics = on_metrics;
    n.one.context = &n;
    n.weights = path_absolute(c->arena, c->args[0]);
    const char *about = nn_weights_about(n.weights, c->arena, &c->err);
    if (about)
        n.model = json_parse(c->arena, str_of(about), "model", false, &c->err);
    if (!n.model || use_file(&n))
        return call_fail(c);
    if (!mkdtemp(scratch)) {
        err_errno(&c->err, "make a folder in /tmp");
        return call_fail(c);
    }
    n.one.scratch = scratch;
    int code = infer(&n);
    dir_remove(scratch, NULL);
    return code;
}
