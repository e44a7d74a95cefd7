/* infer.c - `task: infer`, a study whose trials ask a model each
 *
 * Which model is said by the trial's parameters: those that CANDLE's unrolled
 * parameter files call model_file and weights_file, or whatever stands in
 * `model` and `weights`, where ${name} is a parameter's value as it is
 * everywhere in `task`. Files are looked for when a trial is about to run: one
 * that is missing is the fault of its trial alone. */
#include "plan/reading.h"
#include "terms/dropout.h"

static const char *const infer_keys[] = {
    "kind", "model",   "weights",           "data", "labels", "rows", "label",
    "loss", "samples", "permanent_dropout", NULL};
static const char *const parts[] = {"training", "validation", "test", NULL};

static void check_option(struct study_file *r, struct str key,
                         const struct value *v)
{
    const char *what = arena_printf(r->in.arena, "task.%.*s", STRF(key));
    struct str text;
    int64_t count;
    double rate;
    if (v->kind == VALUE_STRING && str_find(v->s, '$') >= 0)
        return; /* the parameter's value is known later */
    if (str_is(key, "samples"))
        read_int(&r->in, v, what, 1, 1000000, &count);
    else if (str_is(key, "permanent_dropout")) {
        if (read_number(&r->in, v, what, &rate) &&
            !(rate >= 0 && rate <= DROPOUT_MOST))
            problem_at(&r->in, PROBLEM_ERROR, v, NULL,
                       "%s must be from 0 to %g", what, DROPOUT_MOST);
    } else if (str_is(key, "rows"))
        read_choice(&r->in, v, what, parts);
    else if (str_is(key, "label") && v->kind == VALUE_INT)
        return; /* a column's number */
    else
        read_text(&r->in, v, what, &text);
}

/* Which of both names says it: the option's, or the parameter's. */
static bool is_said(const struct plan *p, const char *option,
                    const char *parameter)
{
    return value_get(p->kind_options, str_of(option)) ||
           plan_declares(p, str_of(parameter));
}

void check_infer(struct study_file *r, const struct value *task)
{
    const struct plan *p = r->plan;
    const struct value *o = p->kind_options;
    if (!is_said(p, "weights", "weights_file"))
        problem_at(&r->in, PROBLEM_ERROR, task,
                   "as in task: {kind: infer, weights: ${weights_file}}",
                   "tasks of the kind infer need weights: the study has no "
                   "parameter weights_file");
    if (!o)
        return;
    read_known_keys(&r->in, o, "task", infer_keys);
    for (size_t i = 0; i < o->count; i++)
        if (str_among(o->keys[i], infer_keys) && !str_is(o->keys[i], "kind"))
            check_option(r, o->keys[i], o->items[i]);
    check_names(r, o, r->in.file, NULL);
    if (value_get(o, STR("rows")) && value_get(o, STR("data")))
        problem_at(&r->in, PROBLEM_ERROR, value_get(o, STR("rows")), NULL,
                   "task.rows are those of the model's own data: leave out "
                   "task.data");
}

/* ---- for a trial --------------------------------------------------------- */

static void put_parameter(struct value *to, const char *option,
                          const struct value *point, const char *parameter,
                          struct arena *a)
{
    const struct value *v = value_get(point, str_of(parameter));
    if (v && !value_get(to, str_of(option)))
        value_set(a, to, str_of(option), value_copy(a, v));
}

struct value *plan_infer(const struct plan *p, const struct value *point,
                         struct arena *a, struct err *err)
{
    struct value *o = p->kind_options
                          ? plan_fill(p->kind_options, point, a, err)
                          : value_object(a);
    if (!o)
        return NULL;
    put_parameter(o, "model", point, "model_file", a);
    put_parameter(o, "weights", point, "weights_file", a);
    return o;
}
