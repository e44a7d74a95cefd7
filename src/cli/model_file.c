/* model_file.c - model files on the command line */
#include "candle/candle.h"
#include "cli/model_file.h"

#include "base/num.h"
#include "cli/candle_files.h"
#include "cli/fix.h"
#include "plan/plan.h"

#define MODEL_MAX ((size_t)64 << 20)

static int read_text(struct call *c, const char *file, struct str *text)
{
    struct buf b;
    buf_init(&b);
    int rc = file_read(file, MODEL_MAX, &b, &c->err);
    if (rc == 0)
        *text = arena_str(c->arena, buf_str(&b));
    buf_done(&b);
    return rc;
}

static bool is_study(const struct value *root)
{
    return !value_get(root, STR("layers")) &&
           value_get(root, STR("parameters")) &&
           (value_get(root, STR("method")) || value_get(root, STR("metric")));
}

static struct value *read_yaml(struct call *c, struct str text,
                               const char *file)
{
    struct problems problems;
    problems_init(&problems, c->arena);
    struct value *root = plan_yaml(text, file, c->arena, &problems);
    bool good = root && root->kind == VALUE_OBJECT && !problems.errors;
    if (!good) {
        say_problems(&problems);
        err_set(&c->err, ERR_INPUT, "%s is no model file", file);
    } else if (is_study(root)) {
        err_set(&c->err, ERR_INPUT,
                "%s is no model file but a study: `throng run %s` runs it",
                file, file);
        good = false;
    }
    return good ? root : NULL;
}

/* A word that means nothing is most likely a slip. */
static void check_word(struct call *c, const struct foreign_model *m,
                       struct str name, struct problems *problems)
{
    const char *near = m->unused(m, name);
    if (near)
        problems_add(
            problems, PROBLEM_ERROR, STR("command line"), 0, 0,
            str_of(*near ? arena_printf(c->arena, "did you mean %s?", near)
                         : ""),
            "%.*s makes no difference to training", STRF(name));
}

/* Who says the shape of a row to see a network needs no data. */
static void show_without_data(struct call *c, struct value *point)
{
    static const char *const files[] = {"train_data", "val_data", "test_data"};
    if (strcmp(c->verb->name, "model") != 0 || !value_get(point, STR("input")))
        return;
    for (size_t i = 0; i < sizeof(files) / sizeof(*files); i++)
        if (!value_get(point, str_of(files[i])))
            value_set(c->arena, point, str_of(files[i]), value_null(c->arena));
}

static struct value *make_candle(struct call *c, const char *file,
                                 const struct value *point,
                                 struct problems *problems)
{
    struct file_reader files = candle_files(c->arena, file);
    struct foreign_model *m =
        candle_dialect.model(file, &files, c->arena, problems);
    struct value *model = m ? m->value(m, point, c->arena, problems) : NULL;
    for (size_t i = 0; m && i < point->count; i++)
        check_word(c, m, point->keys[i], problems);
    if (model)
        candle_files_missing(model, m->params, str_of(file),
                             path_folder(c->arena, file), problems);
    if (m)
        m->close(m);
    return model;
}

static struct value *read_candle(struct call *c, const char *file,
                                 struct value *point)
{
    struct problems problems;
    problems_init(&problems, c->arena);
    show_without_data(c, point);
    struct value *model = make_candle(c, file, point, &problems);
    size_t errors = problems.errors;
    say_problems(&problems);
    if (!errors)
        return model;
    err_set(&c->err, ERR_INPUT, "%s has %zu mistake%s", file, errors,
            errors == 1 ? "" : "s");
    return NULL;
}

static int read_words(struct call *c, const char *const *words,
                      struct value *point)
{
    for (size_t i = 0; words[i]; i++) {
        struct value *one = parse_assignments(words[i], c->arena, &c->err);
        if (!one)
            return -1;
        for (size_t k = 0; k < one->count; k++)
            value_set(c->arena, point, one->keys[k], one->items[k]);
    }
    return 0;
}

static const char *nearest_default(struct call *c, const struct value *root,
                                   struct str name)
{
    const struct value *defaults = value_get(root, STR("defaults"));
    size_t count =
        defaults && defaults->kind == VALUE_OBJECT ? defaults->count : 0;
    const char **names = arena_array(c->arena, count + 1, sizeof(*names));
    for (size_t i = 0; i < count; i++)
        names[i] = arena_cstr(c->arena, defaults->keys[i]);
    names[count] = NULL;
    return str_nearest(name, names);
}

/* A name that stands nowhere in the file is most likely a slip. */
static int check_used(struct call *c, const struct value *root,
                      const struct value *point, const char *file)
{
    for (size_t i = 0; i < point->count; i++) {
        struct str name = point->keys[i];
        if (plan_fill_uses(root, name))
            continue;
        const char *near = nearest_default(c, root, name);
        if (near)
            return err_set(&c->err, ERR_USAGE,
                           "%s has no ${%.*s}; did you mean %s?", file,
                           STRF(name), near);
        bool key = value_get(root, name);
        return err_set(&c->err, ERR_USAGE,
                       "%s has no ${%.*s}, so %.*s=… makes no difference; "
                       "write %s${%.*s} there%s",
                       file, STRF(name), STRF(name),
                       key ? arena_printf(c->arena, "%.*s: ", STRF(name)) : "",
                       STRF(name), key ? "" : ", where its value belongs");
    }
    return 0;
}

struct value *model_file_read(struct call *c, const char *file,
                              const char *const *words)
{
    struct value *point = value_object(c->arena);
    struct str text;
    if (read_text(c, file, &text) || read_words(c, words, point))
        return NULL;
    if (candle_dialect.is_model(text, file))
        return read_candle(c, file, point);
    struct value *root = read_yaml(c, text, file);
    if (!root || check_used(c, root, point, file))
        return NULL;
    struct value *model = plan_fill(root, point, c->arena, &c->err);
    if (!model) {
        err_wrap(&c->err, "%s", file);
        c->err.kind = ERR_USAGE;
    }
    return model;
}

const struct value *model_file_at(const struct value *v, struct str path)
{
    while (path.len && v) {
        size_t n = 0;
        const struct value *next = NULL;
        if (path.p[0] == '[') {
            int64_t i;
            while (n < path.len && path.p[n] != ']')
                n++;
            if (!num_int(str_n(path.p + 1, n - 1), &i) || i < 0)
                return v;
            next = value_at(v, (size_t)i);
            n += n < path.len;
        } else {
            while (n < path.len && path.p[n] != '.' && path.p[n] != '[')
                n++;
            next = value_get(v, str_n(path.p, n));
        }
        if (!next)
            return v;
        v = next;
        n += n < path.len && path.p[n] == '.';
        path = str_n(path.p + n, path.len - n);
    }
    return v;
}

void model_file_fault(const struct value *model, const char *file,
                      struct str path, struct str text)
{
    const struct value *v = model_file_at(model, path);
    if (v && v->line)
        say("%s:%u:%u: error: %.*s\n", file, (unsigned)v->line,
            (unsigned)v->column, STRF(text));
    else
        say("%s: error: %.*s\n", file, STRF(text));
}

void model_file_problems(const struct value *model, const char *file,
                         const struct problems *problems)
{
    struct buf b;
    buf_init(&b);
    for (size_t i = 0; i < problems->list.len; i++) {
        buf_reset(&b);
        problem_print(&b, &problems->list.p[i]);
        model_file_fault(model, file, problems->list.p[i].path, buf_str(&b));
    }
    buf_done(&b);
}
