/* predict.c - `predict:`, a study whose trials are shards of an inference
 *
 * The rows of some files, or all combinations of the rows of some tables, are
 * cut into shards; each is a trial whose only parameter is its number. How many
 * there are says whoever can look at the files (plan_reader.shards): here
 * nothing is read. With a command that is the model; else `models` are asked.
 */
#include "plan/reading.h"
#include "terms/device.h"
#include "terms/dropout.h"

#define RETRIES 2 /* a shard is tried three times */
/* Of a product, all of which is listed: a table that is large, and one that
 * nobody means. */
#define LISTED_MANY 100000000
#define LISTED_MOST 10000000000
#define LINE_BYTES 20 /* of such a table, at least */

static const char *const predict_keys[] = {"models",
                                           "where",
                                           "select",
                                           "data",
                                           "product",
                                           "samples",
                                           "combine",
                                           "keep",
                                           "output",
                                           "shard",
                                           "lines",
                                           "format",
                                           "calibration",
                                           "novelty",
                                           "layer",
                                           "weights",
                                           "label",
                                           "loss",
                                           "permanent_dropout",
                                           NULL};

/* Weights of their own are fitted on rows with labels: that is an ensemble. */
static void read_combine(struct study_file *r, const struct value *v)
{
    struct plan_predict *p = r->plan->predict;
    read_text(&r->in, v, "predict.combine", &p->combine);
    if (str_is(p->combine, "stacking") || str_is(p->combine, "weighted"))
        problem_at(&r->in, PROBLEM_ERROR, v,
                   "make an ensemble by the verb ensemble, whose combine may "
                   "be that, and name it as models",
                   "predict.combine cannot be %.*s: its weights are fitted on "
                   "rows with labels; mean, median and vote need none",
                   STRF(p->combine));
}

static void read_models(struct study_file *r, const struct value *v)
{
    struct plan_predict *p = r->plan->predict;
    const struct value *models = value_get(v, STR("models"));
    const struct value *samples = value_get(v, STR("samples"));
    const struct value *combine = value_get(v, STR("combine"));
    const struct value *where = value_get(v, STR("where"));
    const struct value *select = value_get(v, STR("select"));
    if (models)
        read_text(&r->in, models, "predict.models", &p->models);
    if (samples)
        read_int(&r->in, samples, "predict.samples", 1, 1000000, &p->samples);
    if (combine)
        read_combine(r, combine);
    if (where)
        read_text(&r->in, where, "predict.where", &p->where);
    if (select)
        read_text(&r->in, select, "predict.select", &p->select);
    if (where && select)
        problem_at(&r->in, PROBLEM_ERROR, where, NULL,
                   "predict: give where or select, not both");
}

static void refuse_of_command(struct study_file *r, const struct value *said,
                              const char *where)
{
    if (r->plan->predict->of_command)
        problem_at(&r->in, PROBLEM_ERROR, said, "leave it out",
                   "%s goes with models: of a program all that it writes is "
                   "kept",
                   where);
}

/* What is told of predictions beside them, or of a layer in place of them. */
static const struct value *read_look(struct study_file *r,
                                     const struct value *v, const char *key)
{
    const struct value *said = value_get(v, str_of(key));
    const char *where = arena_printf(r->in.arena, "predict.%s", key);
    struct str text;
    if (!said || !read_text(&r->in, said, where, &text))
        return NULL;
    refuse_of_command(r, said, where);
    return said;
}

/* Empty: it is not said. A label may be the number of a column. */
static struct str read_of_weights(struct study_file *r, const struct value *v,
                                  const char *key)
{
    const struct value *said = value_get(v, str_of(key));
    if (!said || said->kind != VALUE_INT || !str_is(str_of(key), "label"))
        return value_text(read_look(r, v, key));
    refuse_of_command(r, said, "predict.label");
    return str_of(arena_printf(r->in.arena, "%lld", (long long)said->i));
}

static void read_rate(struct study_file *r, const struct value *v)
{
    const struct value *said = value_get(v, STR("permanent_dropout"));
    double *rate = arena_new_of(r->in.arena, double);
    if (!said || !read_number(&r->in, said, "predict.permanent_dropout", rate))
        return;
    if (!(*rate >= 0 && *rate <= DROPOUT_MOST))
        problem_at(&r->in, PROBLEM_ERROR, said, NULL,
                   "predict.permanent_dropout must be from 0 to %g",
                   DROPOUT_MOST);
    refuse_of_command(r, said, "predict.permanent_dropout");
    r->plan->predict->permanent_dropout = rate;
}

/* Weights that another program trained, and what is not in them. */
static void read_weights(struct study_file *r, const struct value *v)
{
    struct plan_predict *p = r->plan->predict;
    p->weights = read_of_weights(r, v, "weights");
    p->label = read_of_weights(r, v, "label");
    p->loss = read_of_weights(r, v, "loss");
    read_rate(r, v);
}

static void read_looks(struct study_file *r, const struct value *v)
{
    struct plan_predict *p = r->plan->predict;
    p->calibration = read_look(r, v, "calibration");
    p->novelty = read_look(r, v, "novelty");
    p->layer = read_look(r, v, "layer");
    const struct value *of_files = p->layer ? p->layer : p->novelty;
    if (p->layer && (p->calibration || p->novelty))
        problem_at(&r->in, PROBLEM_ERROR, p->layer, "leave one of them out",
                   "predict.layer has no predictions, which calibration and "
                   "novelty are about");
    if (of_files && value_get(v, STR("product")))
        problem_at(&r->in, PROBLEM_ERROR, of_files, "leave it out",
                   "predict.layer and predict.novelty go with data: of a "
                   "product no layer is written");
}

/* `shard: 5000`, rows, or `shard: 2m`, a time. */
static void read_shard(struct study_file *r, const struct value *v)
{
    struct plan_predict *p = r->plan->predict;
    if (v->kind == VALUE_INT)
        read_int(&r->in, v, "predict.shard", 1, (int64_t)1 << 40,
                 &p->shard_rows);
    else
        read_seconds(&r->in, v, "predict.shard", &p->shard_s);
}

/* `keep: all`, or rules, which are read by whoever knows predictions. */
static void read_rules(struct study_file *r, const struct value *v)
{
    struct plan_predict *p = r->plan->predict;
    if (!v && p->product_count)
        problem_at(&r->in, PROBLEM_ERROR, value_get(r->root, STR("predict")),
                   "as in keep: {top: {by: mean, n: 1000}}",
                   "predict.product needs keep: what is kept of its rows");
    if (!v || (str_is(value_text(v), "all") && !p->product_count))
        return;
    if (p->of_command)
        problem_at(&r->in, PROBLEM_ERROR, v, "leave it out",
                   "predict.keep goes with models: of a program all that it "
                   "writes is kept");
    else if (v->kind != VALUE_OBJECT && v->kind != VALUE_STRING)
        problem_at(&r->in, PROBLEM_ERROR, v,
                   "as in keep: {top: {by: mean, n: 1000}}",
                   "predict.keep must be all or rules, not %s",
                   value_words(&r->in, v));
    p->keep = v;
}

/* `format: npy`; unsaid it is that of the output's name. */
static void read_format(struct study_file *r, const struct value *v)
{
    static const char *const formats[] = {"csv", "npy", NULL};
    struct plan_predict *p = r->plan->predict;
    struct str said;
    if (!v || !read_text(&r->in, v, "predict.format", &said))
        return;
    if (str_index(said, formats) < 0)
        problem_at(&r->in, PROBLEM_ERROR, v, "as in format: npy",
                   "predict.format must be csv or npy, not %s",
                   value_words(&r->in, v));
    if (str_is(said, "csv") && p->npy)
        problem_at(&r->in, PROBLEM_ERROR, v, "leave it out",
                   "predict.format is csv, and predict.output is called .npy");
    if (str_is(said, "npy") && p->output.len && !p->npy && !p->keep)
        problem_at(&r->in, PROBLEM_ERROR, v, "as in output: predicted.npy",
                   "predict.format is npy, and predict.output is not called "
                   "so");
    p->npy = p->npy || str_is(said, "npy");
}

/* With rules it is a folder, and they may be all of them. */
static void read_output(struct study_file *r, const struct value *v,
                        const struct value *format)
{
    struct plan_predict *p = r->plan->predict;
    if (v)
        read_text(&r->in, v, "predict.output", &p->output);
    p->npy = str_ends(p->output, STR(".npy"));
    if (p->npy && p->keep)
        problem_at(&r->in, PROBLEM_ERROR, v,
                   "as in output: kept, and format: npy",
                   "predict.output is a folder where keep has rules: each "
                   "leaves a table");
    if (str_ends(p->output, STR(".npz")))
        problem_at(&r->in, PROBLEM_ERROR, v, "as in output: predicted.npy",
                   "predict.output is written as CSV or npy, not as npz");
    read_format(r, format);
    if (p->npy && p->of_command)
        problem_at(&r->in, PROBLEM_ERROR, format ? format : v,
                   "as in output: predicted.csv",
                   "a table is written as npy where models say it: what a "
                   "program writes is merged as it is");
}

/* `product: [drugs.csv, cells.csv]`, tables. */
static void read_product(struct study_file *r, const struct value *v,
                         const struct value *tables)
{
    struct plan_predict *p = r->plan->predict;
    const struct value *lines = value_get(v, STR("lines"));
    if (value_get(v, STR("data")))
        problem_at(&r->in, PROBLEM_ERROR, tables, "leave one of them out",
                   "predict: give data or product, not both");
    if (lines)
        problem_at(&r->in, PROBLEM_ERROR, lines, "leave it out",
                   "predict.lines goes with data: a product is of tables");
    if (p->of_command)
        problem_at(&r->in, PROBLEM_ERROR, tables, "say data",
                   "predict.product goes with models: a program is given rows "
                   "of files");
    if (read_texts(&r->in, tables, "predict.product", &p->product,
                   &p->product_count) &&
        !p->product_count)
        problem_at(&r->in, PROBLEM_ERROR, tables,
                   "as in [drugs.csv, cells.csv]",
                   "predict.product names no table");
}

static void read_rows(struct study_file *r, const struct value *v)
{
    struct plan_predict *p = r->plan->predict;
    const struct value *data = value_get(v, STR("data"));
    const struct value *product = value_get(v, STR("product"));
    const struct value *shard = value_get(v, STR("shard"));
    const struct value *lines = value_get(v, STR("lines"));
    const struct value *output = value_get(v, STR("output"));
    if (product)
        read_product(r, v, product);
    else if (!data)
        problem_at(&r->in, PROBLEM_ERROR, v, "as in data: new/*.csv",
                   "predict has no data");
    else
        read_texts(&r->in, data, "predict.data", &p->data, &p->data_count);
    read_rules(r, value_get(v, STR("keep")));
    if (shard)
        read_shard(r, shard);
    if (lines)
        read_bool(&r->in, lines, "predict.lines", &p->lines);
    read_output(r, output, value_get(v, STR("format")));
}

void check_predict(struct study_file *r)
{
    const struct plan *p = r->plan;
    const struct device *d = device_find(p->device, NULL);
    if (!p->predict || !p->predict->product_count || !d || !d->gpu)
        return;
    problem_at(&r->in, PROBLEM_ERROR,
               value_get(value_get(r->root, STR("predict")), STR("product")),
               "say device: cpu",
               "predict.product: all combinations of tables are asked for on "
               "cpus, not on %s",
               d->name);
}

/* What a study of points has, and shards have not. */
static void refuse_others(struct study_file *r)
{
    static const char *const others[] = {
        "parameters", "points", "parameters_file", "method",
        "model",      "repeat", "early_terminate", "task",
        "run_cap",    "keep"};
    for (size_t i = 0; i < sizeof(others) / sizeof(*others); i++) {
        const struct value *v = value_get(r->root, str_of(others[i]));
        if (v)
            problem_at(&r->in, PROBLEM_ERROR, v, "leave it out",
                       "a study with predict has no %s: its trials are shards "
                       "of rows",
                       others[i]);
    }
}

static bool lists_all(const struct value *keep)
{
    const struct value *all = value_get(keep, STR("all"));
    return str_is(value_text(keep), "all") ||
           (all && all->kind == VALUE_BOOL && all->boolean);
}

/* Shards list theirs, and then there is one table of all. */
static void look_at_size(struct study_file *r)
{
    const struct plan_predict *p = r->plan->predict;
    if (!p->product_count || !lists_all(p->keep) || p->rows < LISTED_MANY)
        return;
    problem_at(&r->in, p->rows > LISTED_MOST ? PROBLEM_ERROR : PROBLEM_WARNING,
               p->keep, "keep some of them, as {top: {by: mean, n: 1000}}",
               "predict.keep: all would list %llu rows, at least %.3g GB",
               (unsigned long long)p->rows, (double)p->rows * LINE_BYTES / 1e9);
}

/* Its trials are numbered from 1. */
static void make_space(struct study_file *r, const struct value *at)
{
    struct arena *a = r->in.arena;
    struct value *all = value_object(a), *one = value_object(a);
    uint64_t last = r->plan->predict->shards;
    value_add_at(a, one, STR("min"), value_int(a, 1), at->line, at->column);
    value_add_at(a, one, STR("max"), value_int(a, (int64_t)(last ? last : 1)),
                 at->line, at->column);
    value_add_at(a, all, STR("shard"), one, at->line, at->column);
    read_parameters(r, all);
}

static void find_shards(struct study_file *r, const struct value *v)
{
    const struct plan_reader *reader = r->reader;
    const struct plan_predict *p = r->plan->predict;
    struct err err = {0};
    if (!reader || !reader->shards || r->in.problems->errors)
        return;
    int rc =
        reader->shards(reader->files.context, reader->folder, r->plan, &err);
    if (p->left_out.len)
        problem_at(&r->in, PROBLEM_NOTICE, value_get(v, STR("data")), NULL,
                   "predict.data matches what this inference writes "
                   "itself, which is left out: %.*s",
                   STRF(p->left_out));
    if (p->notice[0])
        problem_at(&r->in, PROBLEM_NOTICE, value_get(v, STR("models")), NULL,
                   "predict.models: %s", p->notice);
    if (p->empty[0])
        problem_at(&r->in, PROBLEM_NOTICE, value_get(v, STR("data")), NULL,
                   "predict.data names what has no rows, and gives none: %s",
                   p->empty);
    if (p->misfits[0] && !rc)
        problem_at(&r->in, PROBLEM_WARNING, value_get(v, STR("data")),
                   "give them the columns of the model, or leave them out",
                   "predict.data names what cannot be predicted: %s",
                   p->misfits);
    if (p->twice[0])
        problem_at(&r->in, PROBLEM_NOTICE, value_get(v, STR("data")), NULL,
                   "predict.data names a file more than once, whose rows are "
                   "asked for once: %s",
                   p->twice);
    if (rc)
        problem_at(&r->in, PROBLEM_ERROR, p->fault ? p->fault : v, NULL,
                   "predict: %s", err.text);
}

void read_predict(struct study_file *r, const struct value *v)
{
    struct plan *p = r->plan;
    if (!read_object(&r->in, v, "predict"))
        return;
    p->predict = arena_new_of(r->in.arena, struct plan_predict);
    p->predict->of_command = value_get(r->root, STR("command")) ||
                             value_get(r->root, STR("program"));
    if (!value_get(r->root, STR("retries")))
        p->retries = RETRIES;
    read_known_keys(&r->in, v, "predict", predict_keys);
    read_models(r, v);
    read_weights(r, v);
    read_looks(r, v);
    read_rows(r, v);
    if (!p->predict->of_command && !value_get(v, STR("models")))
        problem_at(&r->in, PROBLEM_ERROR, v,
                   "as in models: committee.ensemble, or a command",
                   "predict has no models");
    if (p->predict->of_command && value_get(v, STR("models")))
        problem_at(&r->in, PROBLEM_ERROR, value_get(v, STR("models")), NULL,
                   "predict: give models or a command, not both");
    refuse_others(r);
    find_shards(r, v);
    look_at_size(r);
    make_space(r, v);
}
