/* output.c - what is written takes the place of nothing that models, or an
 * inference, read */
#include "study/output.h"

#include "base/json.h"
#include "nn/nn.h"
#include "study/named_file.h"
#include "study/own_tables.h"

struct sparing {
    const char *output, *folder, *who;
    struct arena *arena;
    struct err *err;
};

/* Any text may be the name of a file, or of an array in one. */
static int spare_named(const struct sparing *s, const struct value *v)
{
    int rc = 0;
    for (size_t i = 0; v && v->kind != VALUE_STRING && i < v->count; i++)
        if (!rc)
            rc = spare_named(s, v->items[i]);
    if (rc || !v || v->kind != VALUE_STRING)
        return rc;
    struct str file =
        named_file(s->arena, s->folder, arena_cstr(s->arena, v->s));
    return file.len
               ? output_spares(
                     s->output,
                     path_join(s->arena, s->folder, arena_cstr(s->arena, file)),
                     arena_printf(s->arena, "among the data of %s", s->who),
                     s->err)
               : 0;
}

int output_spares_data(const char *output, const char *weights, const char *who,
                       const char *home, struct arena *a, struct err *err)
{
    struct nn_about about;
    const char *folders[] = {".", path_folder(a, weights), home};
    if (!output || !file_exists(output) ||
        nn_weights_about(weights, a, &about, NULL))
        return 0;
    const struct value *model =
        json_parse(a, about.model, "model", false, NULL);
    int rc = 0;
    for (size_t i = 0; !rc && i < sizeof(folders) / sizeof(*folders); i++) {
        struct sparing s = {output, folders[i], who, a, err};
        rc = folders[i] ? spare_named(&s, value_get(model, STR("data"))) : 0;
    }
    return rc;
}

int output_spares_models(const char *output, const struct models *m,
                         struct arena *a, struct err *err)
{
    int rc = output_spares(output, m->path, "the models", err);
    for (size_t i = 0; !rc && i < m->count; i++) {
        const struct model_file *one = &m->list[i];
        const char *at = strstr(one->name, "/.throng/");
        const char *home =
            at ? arena_cstr(a, str_n(one->name, (size_t)(at - one->name)))
               : path_folder(a, one->name);
        rc = output_spares(output, one->name, "one of the models", err);
        if (!rc)
            rc = output_spares_data(output, one->file, one->name, home, a, err);
    }
    return rc;
}

/* ---- of a study ----------------------------------------------------------
 */

static const char *seen_from(const char *home, struct str name, struct arena *a)
{
    return name.len ? path_join(a, home, arena_cstr(a, name)) : NULL;
}

static int spare_inputs(const struct plan *plan, const char *home,
                        struct arena *a, struct err *err)
{
    const struct plan_predict *p = plan->predict;
    const char *to = p->own[0];
    const struct {
        struct str name;
        const char *what;
    } named[] = {{p->models, "its models"},
                 {p->weights, "the weights of its models"},
                 {value_text(p->calibration), "its calibration"},
                 {value_text(p->novelty), "its novelty"}};
    if (output_spares(to, arena_cstr(a, plan->file), "the study file", err))
        return -1;
    for (size_t i = 0; i < sizeof(named) / sizeof(*named); i++)
        if (output_spares(to, seen_from(home, named[i].name, a), named[i].what,
                          err))
            return -1;
    for (size_t i = 0; i < p->product_count; i++)
        if (output_spares(to, seen_from(home, p->product[i], a),
                          "a table of its product", err))
            return -1;
    return p->models.len && !p->weights.len
               ? output_spares_data(to, seen_from(home, p->models, a),
                                    "its models", home, a, err)
               : 0;
}

/* The name of another study beside this one whose table lies there; NULL: none
 * has one there. */
static const char *whose_table(const struct plan *p, struct arena *a)
{
    const char *path = p->predict->own[0], *own = p->predict->own[1];
    const char *all = path_folder(a, own);
    const char **names = file_exists(path) ? dir_list(all, a, NULL) : NULL;
    for (; names && *names; names++)
        if (!str_is(path_name(own), *names) &&
            own_tables_know(path_join(a, all, *names), path))
            return *names;
    return NULL;
}

/* A file among the rows that no study has written is a person's, whom the table
 * would cost it. */
static int spare_rows(const struct plan *p, const char *home, const char *other,
                      struct arena *a, struct err *err)
{
    const char *path = p->predict->own[0];
    if (other || !file_exists(path) || file_is_dir(path) ||
        own_tables_know(p->predict->own[1], path) ||
        !own_tables_match(p->predict, home, path, a))
        return 0;
    return err_set(
        err, ERR_INPUT,
        "%.*s would be written over, and data matches it: name another "
        "output, or move the file if it is the table of a study that is "
        "gone",
        STRF(p->predict->output));
}

void output_check(const struct plan *p, struct problems *problems)
{
    struct arena *a = problems->arena;
    struct err err = {0};
    if (!p->predict || !p->predict->own || !p->predict->output.len)
        return;
    const char *home = path_folder(a, path_absolute(a, arena_cstr(a, p->file)));
    const struct value *at =
        value_get(value_get(p->root, STR("predict")), STR("output"));
    const char *other = whose_table(p, a);
    if (spare_inputs(p, home, a, &err) || spare_rows(p, home, other, a, &err) ||
        output_fits(p->predict->own[0], p->predict->keep, a, &err))
        problems_add(problems, PROBLEM_ERROR, p->file, at ? at->line : 0,
                     at ? at->column : 0, STR(""), "predict.output: %s",
                     err.text);
    if (other)
        problems_add(problems, PROBLEM_NOTICE, p->file, at ? at->line : 0,
                     at ? at->column : 0, STR(""),
                     "predict.output: %.*s is the table of the study %s, too: "
                     "whichever ran last has its own there",
                     STRF(p->predict->output), other);
}
