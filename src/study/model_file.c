/* model_file.c - a model file with what the words behind it say */
#include "candle/candle.h"
#include "study/study.h"

#define MODEL_MAX ((size_t)64 << 20)

struct reading {
    struct arena *arena;
    struct problems *problems;
    struct err *err;
    bool shown; /* it is looked at, not trained */
};

static int read_text(const struct reading *r, const char *file,
                     struct str *text)
{
    struct buf b;
    buf_init(&b);
    int rc = file_read(file, MODEL_MAX, &b, r->err);
    if (rc == 0)
        *text = arena_str(r->arena, buf_str(&b));
    buf_done(&b);
    return rc;
}

static bool is_study(const struct value *root)
{
    return !value_get(root, STR("layers")) &&
           value_get(root, STR("parameters")) &&
           (value_get(root, STR("method")) || value_get(root, STR("metric")));
}

static struct value *read_yaml(const struct reading *r, struct str text,
                               const char *file)
{
    struct value *root = plan_yaml(text, file, r->arena, r->problems);
    bool good = root && root->kind == VALUE_OBJECT && !r->problems->errors;
    if (!good) {
        err_set(r->err, ERR_INPUT, "%s is no model file", file);
    } else if (is_study(root)) {
        err_set(r->err, ERR_INPUT,
                "%s is no model file but a study: `throng run %s` runs it",
                file, file);
        good = false;
    }
    return good ? root : NULL;
}

/* A word that means nothing is most likely a slip. */
static void check_word(const struct reading *r, const struct foreign_model *m,
                       struct str name)
{
    const char *near = m->unused(m, name);
    if (near)
        problems_add(
            r->problems, PROBLEM_ERROR, STR("command line"), 0, 0,
            str_of(*near ? arena_printf(r->arena, "did you mean %s?", near)
                         : ""),
            "%.*s makes no difference to training", STRF(name));
}

/* Who says the shape of a row to see a network needs no data. */
static void show_without_data(const struct reading *r, struct value *point)
{
    static const char *const files[] = {"train_data", "val_data", "test_data"};
    if (!r->shown || !value_get(point, STR("input")))
        return;
    for (size_t i = 0; i < sizeof(files) / sizeof(*files); i++)
        if (!value_get(point, str_of(files[i])))
            value_set(r->arena, point, str_of(files[i]), value_null(r->arena));
}

static struct value *make_candle(const struct reading *r, const char *file,
                                 const struct value *point)
{
    struct file_reader files = candle_files(r->arena, file);
    struct foreign_model *m =
        candle_dialect.model(file, &files, r->arena, r->problems);
    struct value *model = m ? m->value(m, point, r->arena, r->problems) : NULL;
    for (size_t i = 0; m && i < point->count; i++)
        check_word(r, m, point->keys[i]);
    if (model)
        candle_files_missing(model, m->params, str_of(file),
                             path_folder(r->arena, file), r->problems);
    if (m)
        m->close(m);
    return model;
}

static struct value *read_candle(const struct reading *r, const char *file,
                                 struct value *point)
{
    show_without_data(r, point);
    struct value *model = make_candle(r, file, point);
    size_t errors = r->problems->errors;
    if (!errors)
        return model;
    err_set(r->err, ERR_INPUT, "%s has %zu mistake%s", file, errors,
            errors == 1 ? "" : "s");
    return NULL;
}

static int read_words(const struct reading *r, const char *const *words,
                      struct value *point)
{
    for (size_t i = 0; words[i]; i++) {
        struct value *one = parse_assignments(words[i], r->arena, r->err);
        if (!one)
            return -1;
        for (size_t k = 0; k < one->count; k++)
            value_set(r->arena, point, one->keys[k], one->items[k]);
    }
    return 0;
}

static const char *nearest_default(const struct reading *r,
                                   const struct value *root, struct str name)
{
    const struct value *defaults = value_get(root, STR("defaults"));
    size_t count =
        defaults && defaults->kind == VALUE_OBJECT ? defaults->count : 0;
    const char **names = arena_array(r->arena, count + 1, sizeof(*names));
    for (size_t i = 0; i < count; i++)
        names[i] = arena_cstr(r->arena, defaults->keys[i]);
    names[count] = NULL;
    return str_nearest(name, names);
}

/* A name that stands nowhere in the file is most likely a slip. */
static int check_used(const struct reading *r, const struct value *root,
                      const struct value *point, const char *file)
{
    for (size_t i = 0; i < point->count; i++) {
        struct str name = point->keys[i];
        if (plan_fill_uses(root, name))
            continue;
        const char *near = nearest_default(r, root, name);
        if (near)
            return err_set(r->err, ERR_USAGE,
                           "%s has no ${%.*s}; did you mean %s?", file,
                           STRF(name), near);
        bool key = value_get(root, name);
        return err_set(r->err, ERR_USAGE,
                       "%s has no ${%.*s}, so %.*s=… makes no difference; "
                       "write %s${%.*s} there%s",
                       file, STRF(name), STRF(name),
                       key ? arena_printf(r->arena, "%.*s: ", STRF(name)) : "",
                       STRF(name), key ? "" : ", where its value belongs");
    }
    return 0;
}

struct value *model_file_read(const char *file, const char *const *words,
                              bool shown, struct arena *a,
                              struct problems *problems, struct err *err)
{
    struct reading reading = {a, problems, err, shown}, *r = &reading;
    struct value *point = value_object(a);
    struct str text;
    if (read_text(r, file, &text) || read_words(r, words, point))
        return NULL;
    if (candle_dialect.is_model(text, file))
        return read_candle(r, file, point);
    struct value *root = read_yaml(r, text, file);
    if (!root || check_used(r, root, point, file))
        return NULL;
    struct value *model = plan_fill(root, point, a, err);
    if (!model) {
        err_wrap(err, "%s", file);
        err->kind = ERR_USAGE;
    }
    return model;
}
