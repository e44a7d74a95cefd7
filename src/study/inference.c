/* inference.c - weights on data: the task of evaluate and predict
 *
 * A file of weights carries its model and what was fitted on its training rows
 * (scaling, classes, words), so that other rows need nothing but a file.
 * Without one the model's own rows are judged: then its data must be there, and
 * is split as it was. Of an ensemble the first member is the task's model, and
 * the others stand in its options. */
#include "base/hash.h"
#include "base/json.h"
#include "base/num.h"
#include "data/data.h"
#include "ensemble/ensemble.h"
#include "nn/nn.h"
#include "study/called.h"
#include "study/kept_columns.h"
#include "study/named_file.h"
#include "study/study.h"

struct making {
    const struct inference *wanted;
    struct arena *arena;
    struct err *err;
    struct value *model;
    const struct model_file *weights;
    const struct value *spec; /* of the model's own data */
    bool new_rows;
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
            named_file(a, folder, arena_cstr(a, v->s)).len)
            return true;
    }
    return false;
}

/* Data is named relative to the model file, whose folder the weights do not
 * know: it is looked for here, beside the weights, and beside their study. */
#define FOLDERS 3
static void look_in(const struct making *n, const char *folders[FOLDERS])
{
    struct arena *a = n->arena;
    folders[0] = path_absolute(a, ".");
    folders[1] = path_absolute(a, path_folder(a, n->weights->name));
    folders[2] = study_home(a, n->weights->name);
}

static const char *data_folder(const struct making *n)
{
    const struct value *spec = value_get(n->model, STR("data"));
    const char *folders[FOLDERS];
    look_in(n, folders);
    for (size_t i = 0; i < FOLDERS; i++)
        if (folders[i] && has_data(n->arena, folders[i], spec))
            return folders[i];
    return folders[0];
}

/* ---- rows of another day --------------------------------------------------
 */

/* The path of a file, or of an array in one (set.npz:x), made absolute. */
static struct value *path_value(const struct making *n, struct str text)
{
    const char *path = arena_cstr(n->arena, text);
    if (!strcmp(path, "-")) {
        err_set(n->err, ERR_MISSING,
                "rows are read from files, not from standard input: write "
                "them into one first");
        return NULL;
    }
    if (!named_file(n->arena, ".", path).len) {
        err_set(n->err, ERR_MISSING, "cannot read %s: there is no such file",
                path);
        return NULL;
    }
    return value_string(n->arena, str_of(path_absolute(n->arena, path)));
}

/* FILE, or NAME=FILE,NAME=FILE where a model has several. */
static struct value *paths_value(const struct making *n, const char *text,
                                 const struct value *own)
{
    struct value *all = value_object(n->arena);
    struct str rest = str_of(text), one, name;
    if (!own || own->kind != VALUE_OBJECT)
        return path_value(n, rest);
    for (size_t i = 0; i < own->count; i++)
        value_set(n->arena, all, own->keys[i], value_null(n->arena));
    while (str_split(&rest, ',', &one)) {
        str_split(&one, '=', &name);
        if (!value_get(all, name)) {
            err_set(n->err, ERR_INPUT,
                    "%s: the model has several files: NAME=FILE,NAME=FILE, "
                    "with the names of its model file",
                    text);
            return NULL;
        }
        struct value *path = path_value(n, one);
        if (!path)
            return NULL;
        value_set(n->arena, all, name, path);
    }
    return all;
}

/* Names the files of one kind anew, as the model file names its own. */
static int put_files(struct making *n, struct value *spec, const char *key,
                     const char *text)
{
    const struct value *train = value_get(n->spec, STR("train"));
    const struct value *own = value_get(
        train && train->kind == VALUE_OBJECT ? train : n->spec, str_of(key));
    struct value *files = paths_value(n, text, own);
    if (!files)
        return -1;
    value_set(n->arena, spec, str_of(key), files);
    return 0;
}

/* A table that rows are joined with, wherever it is found. */
static int find_joined(struct making *n, struct str name, struct value **to)
{
    const char *folders[FOLDERS], *path = arena_cstr(n->arena, name);
    look_in(n, folders);
    for (size_t i = 0; i < FOLDERS; i++) {
        if (!folders[i] || !named_file(n->arena, folders[i], path).len)
            continue;
        const char *at = path_join(n->arena, folders[i], path);
        *to = value_string(n->arena, str_of(path_absolute(n->arena, at)));
        return 0;
    }
    return err_set(n->err, ERR_MISSING,
                   "cannot read %s, which the model joins its rows with: it is "
                   "neither here nor beside the weights",
                   path);
}

/* The tables that rows of another day are joined with are those of training,
 * as they are today. */
static int put_joins(struct making *n, struct value *spec)
{
    const struct value *own = value_get(n->spec, STR("join"));
    struct value *all = own ? value_copy(n->arena, own) : NULL;
    for (size_t i = 0; all && all->kind == VALUE_OBJECT && i < all->count;
         i++) {
        struct value *one = all->items[i], *path = NULL;
        bool object = one->kind == VALUE_OBJECT;
        struct str name =
            value_text(object ? value_get(one, STR("file")) : one);
        if (find_joined(n, name, &path))
            return -1;
        if (object)
            value_set(n->arena, one, STR("file"), path);
        else
            all->items[i] = path;
    }
    if (all)
        value_set(n->arena, spec, STR("join"), all);
    return 0;
}

/* All combinations of the rows of tables. */
static int use_product(struct making *n)
{
    struct value *spec = value_object(n->arena), *tables = value_list(n->arena);
    for (const char *const *one = n->wanted->product; *one; one++)
        value_list_add(
            n->arena, tables,
            value_string(n->arena, str_of(path_absolute(n->arena, *one))));
    value_set(n->arena, spec, STR("product"), tables);
    value_set(n->arena, n->model, STR("data"), spec);
    n->new_rows = true;
    return 0;
}

/* --data: how rows are read stays; which they are, and how they were split,
 * does not matter any more. */
static int use_file(struct making *n)
{
    static const char *const kept[] = {"header", "separator", "skip", "missing",
                                       "text"};
    const char *data = n->wanted->data, *labels = n->wanted->labels;
    struct value *spec = value_object(n->arena);
    n->spec = value_get(n->model, STR("data"));
    if (!n->spec || n->spec->kind != VALUE_OBJECT)
        return err_set(n->err, ERR_INPUT, "%s: its model names no data",
                       n->weights->name);
    if (n->wanted->product)
        return use_product(n);
    if (!data && !labels)
        return 0;
    bool pair = data_spec_is_pair(n->spec);
    if (!data || (labels && !pair))
        return err_set(n->err, ERR_USAGE,
                       "--labels goes with --data, for a model whose inputs "
                       "and labels are files of their own");
    for (size_t i = 0; i < sizeof(kept) / sizeof(kept[0]); i++) {
        const struct value *v = value_get(n->spec, str_of(kept[i]));
        if (v)
            value_set(n->arena, spec, str_of(kept[i]), value_copy(n->arena, v));
    }
    if (put_files(n, spec, pair ? "inputs" : "file", data) ||
        (labels && put_files(n, spec, "labels", labels)) || put_joins(n, spec))
        return -1;
    value_set(n->arena, n->model, STR("data"), spec);
    n->new_rows = true;
    return 0;
}

/* ---- the task -------------------------------------------------------------
 */

static struct str model_text(const struct making *n)
{
    struct buf text;
    buf_init(&text);
    json_print(&text, n->model);
    struct str kept = arena_str(n->arena, buf_str(&text));
    buf_done(&text);
    return kept;
}

static void fill_task(const struct making *n, struct task *task)
{
    const struct inference *w = n->wanted;
    *task = (struct task){.id = 1, .attempt = 1, .kind = STR("infer")};
    needs_init(&task->needs);
    task->model = model_text(n);
    task->workdir = str_of(data_folder(n));
    task->folder = str_of(path_join(n->arena, w->scratch, "1"));
    task->weights = str_of(n->weights->file);
    task->predictions = w->predict;
    task->rows = str_of(w->rows ? w->rows : "");
    task->device = str_of(w->device ? w->device : "");
    task->new_rows = n->new_rows;
    task->study = STR("inference");
    task->params = STR("{}");
    task->grace_s = 5;
}

int permanent_dropout(struct value *model, double rate, const char *name,
                      struct arena *a, struct err *err)
{
    if (nn_permanent_dropout(model, rate, a))
        return 0;
    return err_set(err, ERR_INPUT,
                   "%s: its model has no dropout that could be permanent",
                   name);
}

static int drop_out(struct making *n)
{
    const double *rate = n->wanted->permanent_dropout;
    return rate ? permanent_dropout(n->model, *rate, n->weights->name, n->arena,
                                    n->err)
                : 0;
}

/* What the worker would find, by the name that a person knows. */
static int check_product(const struct making *n, struct str fitted)
{
    const char *const *paths = n->wanted->product;
    struct data_view unused;
    size_t count = 0;
    while (paths && paths[count])
        count++;
    if (!count)
        return 0;
    struct data_product *p = data_product_open(
        paths, count, fitted, n->weights->name, 1, &unused, n->err);
    data_product_close(p);
    return p ? 0 : -1;
}

static int make_one(struct making *n, const struct inference *wanted,
                    const struct model_file *weights, struct arena *a,
                    struct err *err)
{
    struct nn_about about;
    *n = (struct making){
        .wanted = wanted, .weights = weights, .arena = a, .err = err};
    if (nn_weights_about(weights->file, a, &about, err))
        return -1;
    n->model = json_parse(a, about.model, "model", false, err);
    if (!n->model || drop_out(n) || use_file(n) || check_product(n, about.data))
        return -1;
    return wanted->layer
               ? look_at_layer(n->model, weights->file, wanted->layer, a, err)
               : 0;
}

/* ---- of several models ----------------------------------------------------
 */

/* All are asked for the same pieces of rows, which are whole batches: those of
 * the model with the smallest fit into everybody's memory. */
static void share_batch(struct making *all, size_t count)
{
    int64_t least = INT64_MAX;
    for (size_t i = 0; i < count; i++) {
        const struct value *v = value_get(all[i].model, STR("batch_size"));
        int64_t own = v && v->kind == VALUE_INT ? v->i : NN_BATCH_DEFAULT;
        least = own < least ? own : least;
    }
    for (size_t i = 0; i < count; i++)
        value_set(all[i].arena, all[i].model, STR("batch_size"),
                  value_int(all[i].arena, least));
}

static struct value *member_value(const struct making *n)
{
    struct arena *a = n->arena;
    struct value *v = value_object(a);
    value_set(a, v, STR("model"), n->model);
    value_set(a, v, STR("weights"), value_string(a, str_of(n->weights->file)));
    value_set(a, v, STR("workdir"), value_string(a, str_of(data_folder(n))));
    return v;
}

static const double quantiles[] = INFERENCE_QUANTILES;

/* One model that is asked once for a product tells none. */
static size_t quantile_count(const struct models *m, const struct inference *w)
{
    return m->count > 1 || w->samples > 1 || !w->product
               ? INFERENCE_QUANTILE_COUNT
               : 0;
}

/* Checked here as well, so that a mistake is said before anything starts. */
static int put_keep(const struct models *m, const struct making *all,
                    struct value *to)
{
    const struct inference *wanted = all->wanted;
    struct arena *a = all->arena;
    struct str text = str_of(wanted->keep ? wanted->keep : "");
    struct kept_columns k = {
        .weights = m->list[0].file,
        .layer = wanted->layer,
        .members = m->count,
        .samples = (size_t)wanted->samples,
        .quantiles = quantiles,
        .quantile_count = quantile_count(m, wanted),
        .more = {.calibrated = wanted->calibration,
                 .scored = wanted->novelty,
                 .product = wanted->product},
    };
    if (!wanted->keep)
        return 0;
    struct value *v = text.len && text.p[0] == '{'
                          ? json_parse(a, text, "keep", false, all->err)
                          : value_string(a, text);
    if (!v || kept_columns_check(&k, v, NULL, a, all->err))
        return -1;
    value_set(a, to, STR("keep"), v);
    return 0;
}

/* See worker/committee.c and worker/keeping.c. */
static int put_committee(const struct models *m, const struct making *all,
                         const struct value *calibration, struct value *v)
{
    struct arena *a = all->arena;
    struct value *members = value_list(a);
    struct value *weights = value_list(a), *points = value_list(a);
    for (size_t i = 0; i < m->count; i++) {
        value_list_add(a, weights, value_double(a, m->list[i].weight));
        if (i)
            value_list_add(a, members, member_value(&all[i]));
    }
    for (size_t i = 0; i < quantile_count(m, all->wanted); i++)
        value_list_add(a, points, value_double(a, quantiles[i]));
    value_set(a, v, STR("members"), members);
    value_set(a, v, STR("weights"), weights);
    value_set(a, v, STR("combine"), value_string(a, str_of(m->combine)));
    if (calibration)
        value_set(a, v, STR("calibration"), value_copy(a, calibration));
    if (m->stack)
        value_set(a, v, STR("stack"), value_copy(a, m->stack));
    value_set(a, v, STR("quantiles"), points);
    if (all->wanted->samples)
        value_set(a, v, STR("samples"), value_int(a, all->wanted->samples));
    if (all->wanted->passes)
        value_set(a, v, STR("passes"), value_bool(a, true));
    if (all->wanted->passes && m->is_ensemble)
        value_set(a, v, STR("ensemble"), value_string(a, str_of(m->path)));
    if (all->wanted->out_of_fold)
        value_set(a, v, STR("out_of_fold"), value_bool(a, true));
    return put_keep(m, all, v);
}

/* Whoever asks later must find the same bytes: a file that is there once is
 * named by what is in it. */
static int keep_file(const char **file, const char *ending,
                     const struct inference *wanted, struct arena *a,
                     struct err *err)
{
    struct str bytes;
    char hex[65];
    size_t len = strlen(wanted->scratch);
    if (!wanted->keeps_models ||
        (!strncmp(*file, wanted->scratch, len) && (*file)[len] == '/'))
        return 0;
    if (file_map(*file, &bytes, err))
        return -1;
    sha256_hex(bytes, hex);
    *file = arena_printf(a, "%s/%s.%s", wanted->scratch, hex, ending);
    int rc = file_exists(*file) ? 0 : file_write(*file, bytes, true, err);
    file_unmap(bytes);
    return rc;
}

/* The layers that rows are looked at in, as models of their own: as they were
 * when it was fitted, whatever is drawn otherwise. See worker/unlike.c. */
static int put_novelty(const struct models *m, const struct making *all,
                       struct value *to, struct err *err)
{
    const struct inference *wanted = all->wanted;
    struct arena *a = all->arena;
    struct inference looking = *wanted;
    struct value *v = value_object(a), *layers = value_list(a);
    const char *file = wanted->novelty;
    struct novelties fitted;
    if (!file)
        return 0;
    looking.permanent_dropout = NULL;
    if (novelties_read(&fitted, file, m, a, err) ||
        keep_file(&file, "novelty", wanted, a, err))
        return -1;
    for (size_t i = 0; i < m->count; i++) {
        const struct value *batch = value_get(all[i].model, STR("batch_size"));
        struct making one;
        looking.layer = arena_cstr(a, fitted.list[i].layer);
        if (make_one(&one, &looking, &m->list[i], a, err))
            return -1;
        if (batch) /* pieces of rows are whole batches of all */
            value_set(a, one.model, STR("batch_size"), value_copy(a, batch));
        value_list_add(a, layers, member_value(&one));
    }
    value_set(a, v, STR("file"),
              value_string(a, str_of(path_absolute(a, file))));
    value_set(a, v, STR("layers"), layers);
    value_set(a, to, STR("novelty"), v);
    return 0;
}

static struct str options_text(const struct value *v, struct arena *a)
{
    struct buf text;
    if (!v->count)
        return STR("");
    buf_init(&text);
    json_print(&text, v);
    struct str kept = arena_str(a, buf_str(&text));
    buf_done(&text);
    return kept;
}

static int open_models(struct models *m, const struct inference *wanted,
                       struct arena *a, struct err *err)
{
    if (models_open(m, wanted->models, wanted->scratch, a, err))
        return -1;
    if (wanted->called)
        m->list[0].name = wanted->called;
    if (wanted->combine && wanted->calibration &&
        strcmp(wanted->combine, m->combine) != 0)
        return err_set(err, ERR_INPUT,
                       "%s was found for models that are combined by %s: leave "
                       "out combine, or make an ensemble of %s and calibrate "
                       "that",
                       wanted->calibration, m->combine, wanted->combine);
    if (wanted->combine)
        m->combine = wanted->combine;
    for (size_t i = 0; i < m->count; i++)
        if (keep_file(&m->list[i].file, "safetensors", wanted, a, err))
            return -1;
    return 0;
}

static int task_of(const struct models *m, const struct inference *wanted,
                   struct arena *a, struct task *task, struct err *err)
{
    struct making *all = arena_array(a, m->count, sizeof(*all));
    for (size_t i = 0; i < m->count; i++)
        if (make_one(&all[i], wanted, &m->list[i], a, err))
            return -1;
    if (m->is_ensemble)
        share_batch(all, m->count);
    fill_task(&all[0], task);
    const struct value *calibration = NULL;
    if (wanted->calibration &&
        !(calibration = calibration_read(wanted->calibration, m,
                                         wanted->samples, a, err)))
        return -1;
    struct value *options = value_object(a);
    bool together = m->is_ensemble || wanted->samples || wanted->passes ||
                    calibration || wanted->product || wanted->keep;
    if ((together && put_committee(m, all, calibration, options)) ||
        put_novelty(m, all, options, err))
        return -1;
    task->options = options_text(options, a);
    return 0;
}

int inference_task(const struct inference *wanted, struct arena *a,
                   struct task *task, struct err *err)
{
    struct models m;
    if (open_models(&m, wanted, a, err) ||
        (wanted->layer && layer_is_of_one(&m, err)))
        return -1;
    int rc = task_of(&m, wanted, a, task, err);
    if (rc)
        models_call(&m, err);
    return rc;
}
