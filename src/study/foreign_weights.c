/* foreign_weights.c - weights that another program trained
 *
 * A model file, ours or Keras's model.json, and a file of weights become a
 * weights file as training leaves it, in scratch: whoever takes weights takes
 * it. What is fitted on rows (scaling, classes) the other program did not say:
 * a model file with data has it from its training rows, which must be there;
 * without, rows are taken as they are. */
#include <unistd.h>

#include "base/json.h"
#include "base/num.h"
#include "data/data.h"
#include "nn/nn.h"
#include "study/keras_archive.h"

#define MODEL_MAX ((size_t)64 << 20)

struct making {
    const struct foreign_weights *wanted;
    struct arena *arena;
    struct err *err;
    struct value *model;
    struct problems faults;
    struct buf fitted;
    const char *notice;
};

/* ---- the model ----------------------------------------------------------- */

static int say_first(struct making *n, const char *file)
{
    struct buf b;
    buf_init(&b);
    for (size_t i = 0; i < n->faults.list.len && !b.len; i++)
        if (n->faults.list.p[i].level == PROBLEM_ERROR)
            problem_print(&b, &n->faults.list.p[i]);
    err_set(n->err, ERR_INPUT, "%s: %s", file, b.p);
    buf_done(&b);
    return -1;
}

/* What is no text is no model: those of Keras may have one inside, as well. */
static int check_text(struct making *n, const char *file, struct str bytes)
{
    if (!memchr(bytes.p, 0, bytes.len))
        return 0;
    return err_set(n->err, ERR_INPUT,
                   "%s is no model: name a model file, or the text that "
                   "Keras's model.to_json() gives, and its weights beside it",
                   file);
}

/* JSON that Keras wrote; a value of another kind: it is none. */
static struct value *parse_json(struct making *n, const char *file)
{
    struct buf b;
    struct value *json = NULL;
    struct err why = {0};
    buf_init(&b);
    if (file_read(file, MODEL_MAX, &b, n->err) == 0 &&
        check_text(n, file, buf_str(&b)) == 0) {
        struct str text = str_trim(arena_str(n->arena, buf_str(&b)));
        json = text.len && text.p[0] == '{'
                   ? json_parse(n->arena, text, file, false, &why)
                   : NULL;
        json = json ? json : value_null(n->arena);
    }
    buf_done(&b);
    return json;
}

/* Whoever asks for draws would be handed too few of them. */
static int look_at_noise(struct making *n, const struct nn_keras_noise *noise)
{
    const char *dropped = noise->dropped, *added = noise->added;
    if (dropped && n->wanted->draws)
        return err_set(n->err, ERR_INPUT,
                       "%s: dropout that stays is drawn in layers Dropout "
                       "alone, and this model drops in others, too: %s; "
                       "predict without samples and permanent dropout, or "
                       "make them Dropout",
                       n->wanted->model, dropped);
    if (dropped || added)
        n->notice = arena_printf(
            n->arena,
            "what these layers draw only training has, so that they give what "
            "they get: %s%s%s",
            dropped ? dropped : "", dropped && added ? ", " : "",
            added ? added : "");
    return 0;
}

static int read_model(struct making *n)
{
    static const char *const no_words[] = {NULL};
    const char *file = n->wanted->model;
    struct value *json = parse_json(n, file);
    if (!json)
        return -1;
    if (nn_keras_is(json)) {
        struct nn_keras_noise noise;
        n->model = nn_keras_model(json, file, &noise, n->arena, n->err);
        return n->model ? look_at_noise(n, &noise) : -1;
    }
    n->model =
        model_file_read(file, no_words, false, n->arena, &n->faults, n->err);
    if (!n->model && n->faults.errors)
        say_first(n, file);
    return n->model ? 0 : -1;
}

/* A loss that was asked for, of a model whose file says none. */
static int put_loss(struct making *n)
{
    const char *loss = n->wanted->loss;
    if (!loss)
        return 0;
    if (value_get(n->model, STR("heads")))
        return err_set(n->err, ERR_USAGE,
                       "%s has several outputs: --loss says that of one",
                       n->wanted->model);
    value_set(n->arena, n->model, STR("loss"),
              value_string(n->arena, str_of(loss)));
    value_set(n->arena, n->model, STR("metrics"), value_list(n->arena));
    return 0;
}

static struct nn_model *build(struct making *n,
                              const struct nn_data_facts *facts)
{
    struct nn_model *m = nn_model_read(n->model, facts, &n->faults);
    if (!m)
        say_first(n, n->wanted->model);
    return m;
}

/* ---- its rows ------------------------------------------------------------ */

/* What is fitted on the rows that the model file names. */
static struct nn_model *fit_own_rows(struct making *n, const struct value *spec)
{
    const char *folder = path_folder(n->arena, n->wanted->model);
    struct data_choice choice = {0};
    struct data_view view;
    struct nn_model *m = NULL;
    struct data_set *set = data_open(spec, folder, NULL, n->err);
    if (set &&
        data_view_make(&view, set, spec, &choice, n->arena, n->err) == 0) {
        struct nn_data_facts facts = nn_data_facts_of(view.table, n->arena);
        m = build(n, &facts);
    }
    if (m) {
        bool *classes = arena_array(n->arena, view.table->label_count + 1,
                                    sizeof(*classes));
        for (size_t i = 0; i < view.table->label_count; i++)
            classes[i] = nn_model_takes_classes(m, i);
        data_fitted_print(&n->fitted, set, spec, &view, classes);
    }
    data_close(set);
    return m;
}

static struct value *names_of(struct making *n, const struct data_field *fields,
                              size_t count)
{
    struct value *all = value_object(n->arena);
    if (count == 1)
        return value_string(n->arena, fields[0].name);
    for (size_t i = 0; i < count; i++)
        value_set(n->arena, all, fields[i].name,
                  value_string(n->arena, fields[i].name));
    return all;
}

/* Several files can only be arrays. */
static bool is_table(struct making *n, const struct data_table *fields)
{
    return !n->wanted->labels && fields->input_count == 1 &&
           (n->wanted->product || !data_is_array_file(n->wanted->data));
}

static int label_column(struct making *n, const struct data_table *fields,
                        int64_t *column)
{
    int64_t said, inputs = fields->inputs[0].columns;
    *column = inputs + 1;
    if (!n->wanted->label)
        return 0;
    if (!num_int(str_of(n->wanted->label), &said) || said < 1 ||
        said > inputs + 1)
        return err_set(n->err, ERR_USAGE,
                       "--label %s: of a model that names no columns it is a "
                       "number from 1 to %lld",
                       n->wanted->label, (long long)inputs + 1);
    *column = said;
    return 0;
}

/* Rows as they are: the model alone says their shapes. */
static struct nn_model *take_rows(struct making *n)
{
    struct nn_model *m = NULL;
    struct value *spec = value_object(n->arena);
    int64_t label = 0;
    if (!n->wanted->data && !n->wanted->product) {
        err_set(n->err, ERR_USAGE,
                "%s names no data: say which rows by --data FILE, or by `data` "
                "of the study's task",
                n->wanted->model);
        return NULL;
    }
    m = build(n, NULL);
    if (!m)
        return NULL;
    struct data_table fields = nn_model_fields(m, n->arena);
    bool table = is_table(n, &fields);
    if (table && label_column(n, &fields, &label)) {
        nn_model_free(m);
        return NULL;
    }
    data_fitted_plain(&n->fitted, &fields, label);
    value_set(n->arena, spec, table ? STR("file") : STR("inputs"),
              names_of(n, fields.inputs, fields.input_count));
    if (!table)
        value_set(n->arena, spec, STR("labels"),
                  names_of(n, fields.labels, fields.label_count));
    value_set(n->arena, n->model, STR("data"), spec);
    return m;
}

/* ---- where its data lies ------------------------------------------------- */

/* Paths of a model file begin at its folder, which the weights do not know. */
static const char *const of_paths[] = {
    "file", "inputs",     "labels", "train",   "test",
    "join", "validation", "group",  "vectors", NULL};

static void make_absolute(struct making *n, struct value *v, bool path)
{
    const char *folder = path_folder(n->arena, n->wanted->model);
    if (v->kind == VALUE_STRING && path) {
        const char *at =
            path_join(n->arena, folder, arena_cstr(n->arena, v->s));
        const char *colon = strrchr(at, ':');
        if (file_exists(at) ||
            (colon && file_exists(arena_cstr(n->arena,
                                             str_n(at, (size_t)(colon - at))))))
            v->s = str_of(at);
    }
    for (size_t i = 0; v->kind == VALUE_OBJECT && i < v->count; i++)
        make_absolute(n, v->items[i], path || str_among(v->keys[i], of_paths));
}

/* ---- the file ------------------------------------------------------------ */

/* A model draws by the seed that it was trained with. This one has been trained
 * elsewhere: without one of its own each shard would draw by another. */
static void put_seed(struct making *n)
{
    if (!value_get(n->model, STR("seed")))
        value_set(n->arena, n->model, STR("seed"), value_int(n->arena, 0));
}

static int write_weights(struct making *n, const struct nn_model *m,
                         const char *to)
{
    struct buf text, file;
    buf_init(&text);
    buf_init(&file);
    put_seed(n);
    json_print(&text, n->model);
    struct nn_about about = {.model = buf_str(&text),
                             .data = buf_str(&n->fitted)};
    int rc = nn_import(m, n->wanted->weights, &about, &file, n->err);
    if (!rc)
        rc = file_write(to, buf_str(&file), false, n->err);
    buf_done(&text);
    buf_done(&file);
    return rc;
}

static int take(const struct foreign_weights *from, const char *to,
                const char **notice, struct arena *a, struct err *err)
{
    struct making n = {.wanted = from, .arena = a, .err = err};
    struct nn_model *m = NULL;
    problems_init(&n.faults, a);
    buf_init(&n.fitted);
    if (read_model(&n) == 0 && put_loss(&n) == 0) {
        struct value *spec = value_get(n.model, STR("data"));
        if (spec)
            make_absolute(&n, spec, false);
        m = spec ? fit_own_rows(&n, spec) : take_rows(&n);
    }
    int rc = m ? write_weights(&n, m, to) : -1;
    nn_model_free(m);
    buf_done(&n.fitted);
    if (!rc)
        *notice = n.notice;
    return rc;
}

/* What an archive has is taken as if it lay beside, under the archive's name.
 */
static int take_archive(const struct foreign_weights *from, const char *to,
                        const char **notice, struct arena *a, struct err *err)
{
    struct foreign_weights inside = *from;
    int rc = keras_archive_take(from->model, path_folder(a, to), &inside.model,
                                &inside.weights, a, err);
    if (!rc)
        rc = take(&inside, to, notice, a, err);
    const char *files[] = {inside.model, inside.weights};
    for (size_t i = 0; i < sizeof(files) / sizeof(*files); i++) {
        err_call(err, files[i], from->model);
        unlink(files[i]);
    }
    return rc;
}

bool foreign_weights_are(const char *model, const char *weights)
{
    return weights || keras_archive_is(model);
}

/* Weights that were named as their own model. */
static bool is_ours(const char *model)
{
    struct arena *a = arena_new();
    struct nn_about about;
    bool ours = file_exists(model) && !nn_weights_about(model, a, &about, NULL);
    arena_free(a);
    return ours;
}

int foreign_weights_take(const struct foreign_weights *from, const char *to,
                         const char **notice, struct arena *a, struct err *err)
{
    if (!from->weights)
        return take_archive(from, to, notice, a, err);
    if (keras_archive_is(from->model) || is_ours(from->model))
        return err_set(err, ERR_USAGE,
                       "%s has its weights inside: leave out --weights, or "
                       "`weights` of a study file",
                       from->model);
    return take(from, to, notice, a, err);
}
