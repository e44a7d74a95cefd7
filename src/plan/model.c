/* model.c - the model file of a study: built-in training instead of a command
 *
 * Any value in it may be ${name} of a parameter: alone, it becomes the
 * parameter's value of whatever kind, lists too; inside a text, its text.
 * `defaults:` has the values of those that nobody says. What the other keys
 * mean is not known here. A file of a dialect (CANDLE's parameter files) is a
 * model file too. */
#include <string.h>

#include "base/json.h"
#include "plan/plan.h"
#include "plan/reading.h"

/* What a model is trained on says nothing of what it is: it is no part of the
 * model from then on. One device trains all trials, so that it is no parameter.
 */
static void take_device(struct study_file *r, struct value *root)
{
    static const char *const keys[] = {"device", "kernels"};
    struct plan *p = r->plan;
    struct reading in = r->in;
    in.file = p->model;
    for (size_t i = 0; i < sizeof(keys) / sizeof(*keys); i++) {
        const struct value *v = value_get(root, str_of(keys[i]));
        if (v)
            read_device_word(&in, v, keys[i], &p->model_device);
        value_drop(root, str_of(keys[i]));
    }
}

void read_model(struct study_file *r, const struct value *v)
{
    struct str text;
    struct err err = {0};
    struct plan *p = r->plan;
    if (!read_text(&r->in, v, "model", &p->model))
        return;
    const char *path = arena_cstr(r->in.arena, p->model);
    if (!r->reader || !r->reader->files.read) {
        problem_at(&r->in, PROBLEM_ERROR, v, NULL, "%s cannot be read here",
                   value_words(&r->in, v));
        return;
    }
    if (r->reader->files.read(r->reader->files.context, path, &text, &err)) {
        problem_at(&r->in, PROBLEM_ERROR, v, NULL, "model: %s", err.text);
        return;
    }
    if (r->reader->dialect && r->reader->dialect->is_model(text, path)) {
        p->foreign_model = r->reader->dialect->model(
            path, &r->reader->files, r->in.arena, r->in.problems);
        if (p->foreign_model)
            p->model_root = p->foreign_model->params;
        return;
    }
    struct value *root = plan_yaml(text, path, r->in.arena, r->in.problems);
    if (root && root->kind != VALUE_OBJECT) {
        problem_at(&r->in, PROBLEM_ERROR, v, NULL,
                   "model: %s is no model file: it must have keys such as "
                   "layers and loss",
                   path);
        return;
    }
    take_device(r, root);
    p->model_root = root;
}

/* The name of the next ${…} from *at on; *at moves behind it, *from to its
 * start. ${envvar:X} is not ours. */
static bool next_name(struct str s, size_t *at, size_t *from, struct str *name)
{
    for (size_t i = *at; i + 2 < s.len; i++) {
        if (s.p[i] != '$' || s.p[i + 1] != '{')
            continue;
        const char *end = memchr(s.p + i, '}', s.len - i);
        if (!end)
            return false;
        *from = i;
        *name = str_n(s.p + i + 2, (size_t)(end - s.p) - i - 2);
        *at = (size_t)(end - s.p) + 1;
        return true;
    }
    return false;
}

/* "opt.lr" is looked for as a whole, then along its dots. */
static struct value *member(const struct value *point, struct str name)
{
    struct value *v = value_get(point, name);
    long dot = v ? -1 : str_find(name, '.');
    if (dot < 0)
        return v;
    return member(value_get(point, str_n(name.p, (size_t)dot)),
                  str_n(name.p + dot + 1, name.len - (size_t)dot - 1));
}

static const struct value *defaults_of(const struct value *root)
{
    return value_get(root, STR("defaults"));
}

/* ---- names that fit nothing -------------------------------------------- */

static void check_text_names(struct study_file *r, const struct value *v,
                             struct str file, const struct value *defaults)
{
    size_t at = 0, from;
    struct str name;
    while (next_name(v->s, &at, &from, &name)) {
        if (plan_declares(r->plan, name) || member(defaults, name))
            continue;
        const char *hint = hint_nearest(&r->in, name, r->param_names);
        problems_add(r->in.problems, PROBLEM_ERROR, file, v->line, v->column,
                     hint ? str_of(hint) : STR(""),
                     "${%s} is no parameter of the study",
                     shown(r->in.arena, name));
    }
}

void check_names(struct study_file *r, const struct value *v, struct str file,
                 const struct value *defaults)
{
    if (v->kind == VALUE_STRING)
        check_text_names(r, v, file, defaults);
    for (size_t i = 0;
         (v->kind == VALUE_LIST || v->kind == VALUE_OBJECT) && i < v->count;
         i++)
        check_names(r, v->items[i], file, defaults);
}

/* A parameter of a foreign model stands for its keyword. */
static void check_keywords(struct study_file *r)
{
    const struct plan *p = r->plan;
    for (size_t i = 0; i < p->space.count; i++) {
        struct str name = p->space.params[i].name;
        const char *near = p->foreign_model->unused(p->foreign_model, name);
        if (near)
            problem_at_param(
                r, PROBLEM_WARNING, i,
                *near ? arena_printf(r->in.arena, "did you mean %s?", near)
                      : NULL,
                "%s makes no difference to the training of %s",
                shown(r->in.arena, name), shown(r->in.arena, p->model));
    }
}

/* "opt" and "opt.lr" speak of the same. */
static bool overlap(struct str a, struct str b)
{
    size_t n = a.len < b.len ? a.len : b.len;
    struct str longer = a.len < b.len ? b : a;
    return memcmp(a.p, b.p, n) == 0 && (longer.len == n || longer.p[n] == '.');
}

bool plan_fill_uses(const struct value *v, struct str name)
{
    size_t at = 0, from;
    struct str one;
    while (v->kind == VALUE_STRING && next_name(v->s, &at, &from, &one))
        if (overlap(one, name))
            return true;
    for (size_t i = 0;
         (v->kind == VALUE_LIST || v->kind == VALUE_OBJECT) && i < v->count;
         i++)
        if (plan_fill_uses(v->items[i], name))
            return true;
    return false;
}

/* A parameter that stands nowhere would be searched for nothing. */
static void check_used(struct study_file *r)
{
    const struct plan *p = r->plan;
    for (size_t i = 0; i < p->space.count; i++) {
        struct str name = p->space.params[i].name;
        if (!plan_fill_uses(p->model_root, name))
            problem_at_param(r, PROBLEM_WARNING, i,
                             arena_printf(r->in.arena,
                                          "write ${%s} there, where its value "
                                          "belongs",
                                          shown(r->in.arena, name)),
                             "%s makes no difference to the training of %s",
                             shown(r->in.arena, name),
                             shown(r->in.arena, p->model));
    }
}

void check_model(struct study_file *r)
{
    if (!r->plan->device.len)
        r->plan->device = r->plan->model_device;
    if (r->plan->foreign_model)
        check_keywords(r);
    if (r->plan->foreign_model || !r->plan->model_root)
        return;
    check_names(r, r->plan->model_root, r->plan->model,
                defaults_of(r->plan->model_root));
    check_used(r);
}

bool plan_model_seeded(const struct plan *p)
{
    return value_get(p->model_root,
                     p->foreign_model ? p->foreign_model->seed : STR("seed"));
}

/* The first of them, for whoever wants one line. */
static void first_mistake(const struct problems *problems, struct err *err)
{
    for (size_t i = 0; i < problems->list.len; i++) {
        const struct problem *one = &problems->list.p[i];
        if (one->level != PROBLEM_ERROR)
            continue;
        err_set(err, ERR_INPUT, "%.*s%s%.*s%s", STRF(one->text),
                one->hint.len ? " (" : "", STRF(one->hint),
                one->hint.len ? ")" : "");
        if (one->line)
            err_wrap(err, "line %u", (unsigned)one->line);
        return;
    }
}

static struct value *foreign_point(const struct plan *p,
                                   const struct value *point, struct arena *a,
                                   struct err *err)
{
    struct problems problems;
    problems_init(&problems, a);
    struct value *model =
        p->foreign_model->value(p->foreign_model, point, a, &problems);
    if (!model)
        first_mistake(&problems, err);
    return model;
}

/* ---- values for names -------------------------------------------------- */

struct filling {
    const struct value *point, *defaults;
    struct arena *arena;
    struct err *err;
};

static struct value *value_for(const struct filling *f, const struct value *v,
                               struct str name)
{
    struct value *found = member(f->point, name);
    if (!found)
        found = member(f->defaults, name);
    if (!found)
        err_set(f->err, ERR_INPUT,
                "line %u: ${%.*s} has no value; say %.*s=…, or what it is "
                "unless said in defaults",
                (unsigned)v->line, STRF(name), STRF(name));
    return found;
}

static struct value *fill_text(const struct filling *f, const struct value *v)
{
    struct arena *a = f->arena;
    size_t at = 0, from, done = 0;
    struct str name;
    struct buf b;
    struct value *whole = NULL;
    bool any = false;
    buf_init(&b);
    while (next_name(v->s, &at, &from, &name)) {
        struct value *found = value_for(f, v, name);
        any = true;
        if (!found) {
            buf_done(&b);
            return NULL;
        }
        if (from == 0 && at == v->s.len)
            whole = found;
        buf_add(&b, v->s.p + done, from - done);
        value_python_str(&b, found);
        done = at;
    }
    buf_add(&b, v->s.p + done, v->s.len - done);
    struct value *out = whole ? value_copy(a, whole)
                        : any ? value_string(a, buf_str(&b))
                              : value_copy(a, v);
    out->line = v->line;
    out->column = v->column;
    buf_done(&b);
    return out;
}

static struct value *fill(const struct filling *f, const struct value *v)
{
    struct arena *a = f->arena;
    if (v->kind == VALUE_STRING)
        return fill_text(f, v);
    if (v->kind != VALUE_LIST && v->kind != VALUE_OBJECT)
        return value_copy(a, v);
    struct value *out = v->kind == VALUE_LIST ? value_list(a) : value_object(a);
    out->line = v->line;
    out->column = v->column;
    for (size_t i = 0; i < v->count; i++) {
        if (v->items[i] == f->defaults)
            continue;
        struct value *item = fill(f, v->items[i]);
        if (!item)
            return NULL;
        if (v->kind == VALUE_LIST)
            value_list_add(a, out, item);
        else
            value_set_at(a, out, v->keys[i], item,
                         v->key_lines ? v->key_lines[i] : 0,
                         v->key_columns ? v->key_columns[i] : 0);
    }
    return out;
}

struct value *plan_model(const struct plan *p, const struct value *point,
                         struct arena *a, struct err *err)
{
    return p->foreign_model ? foreign_point(p, point, a, err)
                            : plan_fill(p->model_root, point, a, err);
}

struct value *plan_fill(const struct value *root, const struct value *point,
                        struct arena *a, struct err *err)
{
    struct filling f = {point, defaults_of(root), a, err};
    if (f.defaults && f.defaults->kind != VALUE_OBJECT) {
        err_set(err, ERR_INPUT,
                "line %u: defaults must be an object: NAME: VALUE for each "
                "${NAME}",
                (unsigned)f.defaults->line);
        return NULL;
    }
    return fill(&f, root);
}
