/* model.c - a CANDLE parameter file as a model file
 *
 * Parameters become the same value that a model file in YAML would give, so
 * that everything behind it is shared. The members of a study's point, and
 * the words of a command line, stand above the file's. What the keywords say
 * of the network is in layers.c, of data and training here.
 *
 * Two parameters are throng's own: `data`, an object that is laid over what
 * the keywords say of data, and `input`, the shape of a row. */
#include "candle/making.h"

struct candle_model {
    struct foreign_model open; /* first: it is handed out */
    struct arena *arena;
    struct str file;
    struct keywords keywords;
    struct value *params;
};

static const struct candle_model *candle_model(const struct foreign_model *m)
{
    return (const struct candle_model *)m;
}

/* Parameters that make a difference. */
static const char *const used[] = {"activation",
                                   "batch_normalization",
                                   "batch_size",
                                   "beta_1",
                                   "beta_2",
                                   "classes",
                                   "clr_base_lr",
                                   "clr_flag",
                                   "clr_gamma",
                                   "clr_max_lr",
                                   "clr_mode",
                                   "conv",
                                   "data",
                                   "data_url",
                                   "dense",
                                   "dropout",
                                   "early_patience",
                                   "early_stop",
                                   "epochs",
                                   "epsilon",
                                   "feature_names",
                                   "feature_subsample",
                                   "grad_clip",
                                   "ind_nnet_spec",
                                   "initialization",
                                   "input",
                                   "l2_reg",
                                   "last_act",
                                   "latent_dim",
                                   "learning_rate",
                                   "loss",
                                   "lstm_size",
                                   "metrics",
                                   "model",
                                   "model_name",
                                   "momentum",
                                   "n_layers",
                                   "nesterov",
                                   "network_layers",
                                   "num_classes",
                                   "optimizer",
                                   "out_act",
                                   "out_activation",
                                   "out_layer",
                                   "pool",
                                   "reduce_lr",
                                   "reduce_patience",
                                   "reduce_ratio",
                                   "reg_l1",
                                   "reg_l2",
                                   "residual",
                                   "rho",
                                   "rng_seed",
                                   "rnn_size",
                                   "scaling",
                                   "shared_nnet_spec",
                                   "test_data",
                                   "train_data",
                                   "train_samples",
                                   "uq_test_bks",
                                   "uq_test_fr",
                                   "uq_test_vec",
                                   "uq_train_bks",
                                   "uq_train_fr",
                                   "uq_train_vec",
                                   "uq_valid_bks",
                                   "uq_valid_fr",
                                   "uq_valid_vec",
                                   "val_data",
                                   "val_split",
                                   "warmup_lr",
                                   "weight_decay",
                                   NULL};

/* Standard keywords that a network could have but does not here. The others
 * that are not used are about files, logs and machines. */
static const char *const missed[] = {
    "recurrent_dropout", "train_steps", "val_steps",         "test_steps",
    "val_samples",       "data_type",   "locally_connected", NULL};

/* ---- parameters --------------------------------------------------------- */

const struct value *making_get(const struct making *m, const char *name)
{
    const struct value *v = value_get(m->params, str_of(name));
    bool none = !v || v->kind == VALUE_NULL ||
                (v->kind == VALUE_STRING && v->s.len == 0);
    return none ? NULL : v;
}

bool making_true(const struct making *m, const char *name)
{
    const struct value *v = making_get(m, name);
    return v && (v->kind == VALUE_BOOL ? v->boolean : value_number(v) > 0);
}

void making_fault(struct making *m, const struct value *at, const char *hint,
                  const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    problems_vadd(m->problems,
                  (struct problem){.level = PROBLEM_ERROR,
                                   .file = m->file,
                                   .line = at ? at->line : 0,
                                   .column = at ? at->column : 0,
                                   .hint = str_of(hint ? hint : "")},
                  fmt, ap);
    va_end(ap);
}

struct value *making_at(const struct making *m, const struct value *v,
                        const struct value *at)
{
    struct value *copy = value_copy(m->arena, v);
    copy->line = at ? at->line : 0;
    copy->column = at ? at->column : 0;
    return copy;
}

struct value *making_word(const struct making *m, const char *word,
                          const struct value *at)
{
    return making_at(m, value_string(m->arena, str_of(word)), at);
}

struct value *making_name(const struct making *m, const struct value *v,
                          const char *const *others)
{
    if (v->kind != VALUE_STRING)
        return making_at(m, v, v); /* whoever reads it says what is wrong */
    char *name = arena_cstr(m->arena, v->s);
    for (char *p = name; *p; p++)
        if (*p >= 'A' && *p <= 'Z')
            *p = (char)(*p | 0x20);
    for (size_t i = 0; others && others[i]; i += 2)
        if (strcmp(name, others[i]) == 0)
            return making_word(m, others[i + 1], v);
    return making_word(m, name, v);
}

/* Copies a parameter under another name. */
static void take(struct making *m, struct value *to, const char *key,
                 const char *name)
{
    const struct value *v = making_get(m, name);
    if (v)
        value_set(m->arena, to, str_of(key), making_at(m, v, v));
}

/* ---- data ---------------------------------------------------------------- */

/* Labels come first in CANDLE's tables, or behind a sample's id: who reads
 * the table sees which. */
static struct value *label_columns(const struct making *m)
{
    size_t tasks = making_tasks(m);
    if (making_autoencoder(m))
        return making_word(m, "inputs", NULL);
    if (!tasks)
        return making_word(m, "first", NULL);
    struct value *list = value_list(m->arena);
    for (size_t i = 0; i < tasks; i++)
        value_list_add(m->arena, list, value_int(m->arena, (int64_t)i + 1));
    return list;
}

/* Rows to judge by: parts of all rows where uq_* say them, which go before
 * val_split; a file, a part of the training rows, or else, as NT3 and TC1 do,
 * the test file. */
static void held_out(struct making *m, struct value *data)
{
    const struct value *file = making_get(m, "val_data");
    const struct value *split = making_get(m, "val_split");
    const struct value *test = making_get(m, "test_data");
    struct value *parts = making_parts(m);
    if (parts) {
        take(m, data, "validation", "val_data");
        take(m, data, "test", "test_data");
        value_set(m->arena, data, STR("parts"), parts);
        return;
    }
    if (split && value_number(split) == 0)
        split = NULL;
    if (file && split)
        making_fault(m, split, "keep one of them",
                     "val_split and val_data both say the validation rows");
    take(m, data, "validation",
         file    ? "val_data"
         : split ? "val_split"
                 : "test_data");
    if (test && (file || split))
        take(m, data, "test", "test_data");
}

static void scale(struct making *m, struct value *data)
{
    static const char *const others[] = {"minabs", "maxabs", NULL};
    const struct value *v = making_get(m, "scaling");
    value_set(m->arena, data, STR("scale"),
              v ? making_name(m, v, others) : making_word(m, "maxabs", NULL));
}

static void add_own(struct making *m, struct value *data)
{
    const struct value *own = making_get(m, "data");
    if (own && own->kind != VALUE_OBJECT) {
        making_fault(m, own, "as in data = {'label': -1}",
                     "data must be an object of keys of a model file's data");
        return;
    }
    for (size_t i = 0; own && i < own->count; i++)
        value_set(m->arena, data, own->keys[i],
                  making_at(m, own->items[i], own));
}

static void add_data(struct making *m)
{
    struct value *data = value_object(m->arena);
    const struct value *file = making_get(m, "train_data");
    const struct value *features = making_get(m, "feature_subsample");
    const struct value *own = making_get(m, "data");
    if (!file && !own)
        return;
    if (file) {
        data->line = file->line;
        data->column = file->column;
    }
    take(m, data, "file", "train_data");
    if (file || value_get(own, STR("file")) || making_autoencoder(m))
        value_set(m->arena, data, STR("label"), label_columns(m));
    held_out(m, data);
    scale(m, data);
    take(m, data, "classes", "classes");
    take(m, data, "rows", "train_samples");
    if (features && value_number(features) > 0)
        take(m, data, "columns", "feature_subsample");
    add_own(m, data);
    value_set(m->arena, m->model, STR("data"), data);
}

/* ---- training ------------------------------------------------------------ */

/* CANDLE's numbers where they are not Keras's own: epsilon 1e-8, and 0.9 for
 * rho of every optimizer that has one. */
static void add_optimizer(struct making *m)
{
    struct value *o = value_object(m->arena);
    const struct value *said = making_get(m, "optimizer");
    struct value *name =
        said ? making_name(m, said, NULL) : making_word(m, "sgd", NULL);
    struct str is = value_text(name);
    bool sgd = str_is(is, "sgd"),
         rho = str_is(is, "rmsprop") || str_is(is, "adadelta");
    bool adam = str_starts(is, STR("adam")) || str_is(is, "nadam");
    value_set(m->arena, o, STR("name"), name);
    take(m, o, "lr", "learning_rate");
    if (!sgd)
        value_set(m->arena, o, STR("epsilon"), value_double(m->arena, 1e-8));
    if (rho)
        value_set(m->arena, o, STR("rho"), value_double(m->arena, 0.9));
    if (!sgd)
        take(m, o, "epsilon", "epsilon");
    if (rho)
        take(m, o, "rho", "rho");
    if (sgd || str_is(is, "rmsprop"))
        take(m, o, "momentum", "momentum");
    if (sgd)
        take(m, o, "nesterov", "nesterov");
    if (adam)
        take(m, o, "beta1", "beta_1");
    if (adam)
        take(m, o, "beta2", "beta_2");
    take(m, o, "weight_decay", "weight_decay");
    take(m, o, "clip_norm", "grad_clip");
    value_set(m->arena, m->model, STR("optimizer"), o);
}

static void add_cycle(struct making *m, struct value *schedule)
{
    static const char *const modes[] = {
        "trng1", "triangular", "trng2", "triangular2",
        "exp",   "exp_range",  NULL};
    const struct value *mode = making_get(m, "clr_mode");
    struct value *optimizer = value_get(m->model, STR("optimizer"));
    const char *other = making_true(m, "reduce_lr")   ? "reduce_lr"
                        : making_true(m, "warmup_lr") ? "warmup_lr"
                                                      : NULL;
    if (other)
        making_fault(m, making_get(m, "clr_flag"), "set one of them to False",
                     "clr_flag and %s cannot both be True", other);
    value_set(m->arena, schedule, STR("name"),
              making_word(m, "cyclic", making_get(m, "clr_flag")));
    if (mode)
        value_set(m->arena, schedule, STR("mode"), making_name(m, mode, modes));
    take(m, schedule, "maximum", "clr_max_lr");
    take(m, schedule, "factor", "clr_gamma");
    take(m, optimizer, "lr", "clr_base_lr");
}

/* Numbers that nobody says are those of CANDLE's drug response models. */
static void add_schedule(struct making *m)
{
    struct value *o = value_object(m->arena);
    if (making_true(m, "clr_flag")) {
        add_cycle(m, o);
    } else if (making_true(m, "reduce_lr")) {
        value_set(m->arena, o, STR("name"), making_word(m, "plateau", NULL));
        value_set(m->arena, o, STR("factor"), value_double(m->arena, 0.5));
        value_set(m->arena, o, STR("patience"), value_int(m->arena, 5));
        take(m, o, "factor", "reduce_ratio");
        take(m, o, "patience", "reduce_patience");
    }
    if (making_true(m, "warmup_lr"))
        value_set(m->arena, o, STR("warmup_epochs"), value_int(m->arena, 5));
    if (o->count)
        value_set(m->arena, m->model, STR("schedule"), o);
}

static void add_stopping(struct making *m)
{
    struct value *o = value_object(m->arena);
    if (!making_true(m, "early_stop"))
        return;
    value_set(m->arena, o, STR("patience"), value_int(m->arena, 20));
    take(m, o, "patience", "early_patience");
    value_set(m->arena, m->model, STR("early_stopping"),
              making_at(m, o, making_get(m, "early_stop")));
}

/* Classes are judged by accuracy and numbers by mae and r2, unless the file
 * says by what. */
static struct value *metrics_of(const struct making *m,
                                const struct value *loss)
{
    static const char *const others[] = {
        "acc", "accuracy", "mean_absolute_error", "mae", "mean_squared_error",
        "mse", NULL};
    const struct value *said = making_get(m, "metrics");
    struct value *list = value_list(m->arena);
    if (said && said->kind != VALUE_LIST)
        value_list_add(m->arena, list, making_name(m, said, others));
    for (size_t i = 0; said && said->kind == VALUE_LIST && i < said->count; i++)
        value_list_add(m->arena, list, making_name(m, said->items[i], others));
    if (said)
        return making_at(m, list, said);
    if (str_ends(value_text(loss), STR("crossentropy")))
        return making_word(m, "accuracy", NULL);
    value_list_add(m->arena, list, making_word(m, "mae", NULL));
    value_list_add(m->arena, list, making_word(m, "r2", NULL));
    return list;
}

static void add_metrics(struct making *m)
{
    const struct value *heads = value_get(m->model, STR("heads"));
    const struct value *loss = value_get(m->model, STR("loss"));
    if (!heads && loss)
        value_set(m->arena, m->model, STR("metrics"), metrics_of(m, loss));
    for (size_t i = 0; heads && i < heads->count; i++)
        value_set(m->arena, heads->items[i], STR("metrics"),
                  metrics_of(m, value_get(heads->items[i], STR("loss"))));
}

static void add_training(struct making *m)
{
    take(m, m->model, "batch_size", "batch_size");
    take(m, m->model, "epochs", "epochs");
    take(m, m->model, "seed", "rng_seed");
    add_optimizer(m);
    add_schedule(m);
    add_stopping(m);
    add_metrics(m);
}

/* ---- a point over the file ------------------------------------------------
 */

/* "data.label" goes into the object `data`. */
static void set_inside(struct making *m, struct value *params, struct str outer,
                       struct str inner, const struct value *v)
{
    const struct value *has = value_get(params, outer);
    struct value *o = has && has->kind == VALUE_OBJECT
                          ? value_copy(m->arena, has)
                          : value_object(m->arena);
    value_set(m->arena, o, inner, making_at(m, v, NULL));
    value_set(m->arena, params, outer, o);
}

static void lay_over(struct making *m, const struct keywords *keywords,
                     struct value *params, const struct value *point)
{
    for (size_t i = 0; point && i < point->count; i++) {
        struct str name = point->keys[i];
        const struct keyword *k = keyword_find(keywords, name);
        struct value *v = point->items[i];
        struct err err = {0};
        long dot = str_find(name, '.');
        if (k && !(v = keyword_convert(k, v, m->arena, &err)))
            making_fault(m, NULL, NULL, "%s", err.text);
        else if (!k && dot > 0)
            set_inside(m, params, str_n(name.p, (size_t)dot),
                       str_n(name.p + dot + 1, name.len - (size_t)dot - 1), v);
        else if (str_is(name, "data") && v->kind == VALUE_OBJECT)
            for (size_t j = 0; j < v->count; j++)
                set_inside(m, params, name, v->keys[j], v->items[j]);
        else
            value_set(m->arena, params, k ? k->name : name,
                      making_at(m, v, NULL));
    }
}

static struct value *value_of(const struct foreign_model *open,
                              const struct value *point, struct arena *a,
                              struct problems *problems)
{
    const struct candle_model *c = candle_model(open);
    struct value *params = value_object(a);
    struct making m = {.arena = a,
                       .params = params,
                       .file = c->file,
                       .problems = problems,
                       .model = value_object(a),
                       .layers = value_list(a)};
    size_t errors = problems->errors;
    for (size_t i = 0; i < c->params->count; i++)
        value_add_at(a, params, c->params->keys[i], c->params->items[i], 0, 0);
    lay_over(&m, &c->keywords, params, point);
    take(&m, m.model, "name", "model_name");
    take(&m, m.model, "input", "input");
    value_set(a, m.model, STR("layers"), m.layers);
    making_network(&m);
    add_data(&m);
    add_training(&m);
    return problems->errors == errors ? m.model : NULL;
}

/* ---- the file --------------------------------------------------------------
 */

bool candle_is_model(struct str text, const char *file)
{
    struct str line;
    if (str_ends(str_of(file), STR(".txt")))
        return true;
    while (str_split(&text, '\n', &line)) {
        line = str_trim(line);
        if (line.len && line.p[0] != '#' && line.p[0] != ';')
            return line.p[0] == '[' && line.p[line.len - 1] == ']';
    }
    return false;
}

/* False, 0, None and nothing ask for nothing. */
static bool asks(struct str name, const struct value *v)
{
    switch (v->kind) {
    case VALUE_NULL:
        return false;
    case VALUE_BOOL:
        return v->boolean;
    case VALUE_STRING:
        return v->s.len > 0 &&
               !(str_is(name, "data_type") && str_ends(v->s, STR("32")));
    case VALUE_LIST:
    case VALUE_OBJECT:
        return v->count > 0;
    default:
        return value_number(v) != 0;
    }
}

/* Names what has no part in the training, in one line. */
static void say_unused(const struct candle_model *c, struct problems *problems)
{
    const struct value *p = c->params;
    const struct value *shuffle = value_get(p, STR("shuffle"));
    bool encodes = value_get(p, STR("model"));
    struct buf b;
    buf_init(&b);
    for (size_t i = 0; i < p->count; i++) {
        const struct keyword *k = keyword_find(&c->keywords, p->keys[i]);
        bool quiet = (k && !str_among(p->keys[i], missed)) ||
                     (str_among(p->keys[i], used) &&
                      (encodes || !str_is(p->keys[i], "latent_dim")));
        if (!quiet && asks(p->keys[i], p->items[i]))
            buf_addf(&b, "%s%s", b.len ? ", " : "",
                     shown(c->arena, p->keys[i]));
    }
    if (b.len)
        problems_add(problems, PROBLEM_NOTICE, c->file, 0, 0, STR(""),
                     "not used by built-in training: %s", b.p);
    if (shuffle && shuffle->kind == VALUE_BOOL && !shuffle->boolean)
        problems_add(problems, PROBLEM_NOTICE, c->file, shuffle->line,
                     shuffle->column, STR(""),
                     "rows are shuffled in every epoch, as Keras does it");
    buf_done(&b);
}

/* Of values from several files a line alone would mislead. */
static void forget_places(struct candle_model *c)
{
    struct making m = {.arena = c->arena};
    struct value *params = value_object(c->arena);
    for (size_t i = 0; i < c->params->count; i++)
        value_set(c->arena, params, c->params->keys[i],
                  making_at(&m, c->params->items[i], NULL));
    c->params = params;
}

/* Names of files, runs and logs mean something, if not to the network. */
static bool makes_sense(const struct candle_model *c, struct str name)
{
    const struct keyword *k = keyword_find(&c->keywords, name);
    return str_starts(name, STR("data.")) ||
           str_among(k ? k->name : name, used) ||
           (k && !str_among(k->name, missed));
}

static const char *unused(const struct foreign_model *open, struct str name)
{
    if (makes_sense(candle_model(open), name))
        return NULL;
    const char *near = str_nearest(name, used);
    return near ? near : "";
}

static void close_model(struct foreign_model *open)
{
    keywords_done(&((struct candle_model *)open)->keywords);
}

struct foreign_model *candle_model_open(const char *file,
                                        const struct file_reader *files,
                                        struct arena *a,
                                        struct problems *problems)
{
    struct candle_request q = {
        .model_file = file, .bare = true, .strict = used};
    struct candle_model *c = arena_new_of(a, struct candle_model);
    c->arena = a;
    c->file = arena_str(a, str_of(file));
    c->params = candle_params(&q, files, a, problems);
    if (!c->params)
        return NULL;
    if (value_get(c->params, STR("config_file")))
        forget_places(c);
    keywords_init(&c->keywords, a);
    say_unused(c, problems);
    c->open = (struct foreign_model){.params = c->params,
                                     .seed = STR("rng_seed"),
                                     .value = value_of,
                                     .unused = unused,
                                     .close = close_model};
    return &c->open;
}
