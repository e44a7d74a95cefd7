/* export_weights.c - weights for other programs
 *
 * The shapes of a model come from its data, which need not be there: the
 * weights say what was fitted on it. */
#include "base/json.h"
#include "data/data.h"
#include "nn/nn.h"
#include "study/study.h"

static struct nn_model *build(const char *weights, struct str text,
                              const struct nn_data_facts *facts,
                              struct arena *a, struct err *err)
{
    struct problems faults;
    struct value *v = json_parse(a, text, "model", false, err);
    if (!v)
        return NULL;
    problems_init(&faults, a);
    struct nn_model *m = nn_model_read(v, facts, &faults);
    if (!m) {
        struct buf b;
        buf_init(&b);
        problem_print(&b, &faults.list.p[0]);
        err_set(err, ERR_INPUT, "%s: its model: %s", weights, b.p);
        buf_done(&b);
    }
    return m;
}

struct nn_model *weights_model(const char *weights, struct data_view *view,
                               bool *more, struct arena *a, struct err *err)
{
    struct nn_about about;
    struct data_view own;
    bool needs;
    view = view ? view : &own;
    more = more ? more : &needs;
    *view = (struct data_view){0};
    *more = false;
    if (nn_weights_about(weights, a, &about, err))
        return NULL;
    if (!about.data.len)
        return build(weights, about.model, NULL, a, err);
    if (data_fitted_view(about.data, weights, a, view, more, err))
        return NULL;
    struct nn_data_facts facts = nn_data_facts_of(view->table, a);
    return build(weights, about.model, &facts, a, err);
}

static const char *notice_of(const struct data_view *view, bool more,
                             enum weights_form form)
{
    bool scaled = false;
    for (size_t i = 0; view->table && i < view->table->input_count; i++)
        scaled = scaled || view->shift[i];
    if (more)
        return "its inputs are the numbers that throng makes of a row; "
               "categories, words, means and bounds are not in the file";
    return scaled && form == WEIGHTS_TORCH
               ? "inputs were scaled when it was trained: a state_dict does "
                 "not say how, an ONNX graph does it"
               : NULL;
}

int weights_export(const char *weights, enum weights_form form, const char *to,
                   const char **notice, struct arena *a, struct err *err)
{
    struct data_view view;
    bool more;
    struct nn_model *m = weights_model(weights, &view, &more, a, err);
    struct buf file;
    if (!m)
        return -1;
    buf_init(&file);
    int rc =
        form == WEIGHTS_TORCH
            ? nn_export_torch(m, weights, &file, err)
            : nn_export_onnx(m, weights, view.table ? &view : NULL, &file, err);
    if (!rc)
        rc = file_write(to, buf_str(&file), true, err);
    *notice = rc ? NULL : notice_of(&view, more, form);
    buf_done(&file);
    nn_model_free(m);
    return rc;
}
