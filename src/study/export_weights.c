/* export_weights.c - weights for other programs
 *
 * The shapes of a model come from its data, which need not be there: the
 * weights say what was fitted on it. */
#include "base/json.h"
#include "data/data.h"
#include "nn/nn.h"
#include "study/study.h"

struct exporting {
    const char *weights;
    struct arena *arena;
    struct err *err;
    struct data_view view;
    bool has_view, more;
};

static struct nn_model *read_model(struct exporting *e)
{
    struct nn_about about;
    struct problems faults;
    struct nn_data_facts facts = {0};
    if (nn_weights_about(e->weights, e->arena, &about, e->err))
        return NULL;
    e->has_view = about.data.len;
    if (e->has_view && data_fitted_view(about.data, e->weights, e->arena,
                                        &e->view, &e->more, e->err))
        return NULL;
    struct value *v = json_parse(e->arena, about.model, "model", false, e->err);
    if (!v)
        return NULL;
    if (e->has_view)
        facts = nn_data_facts_of(e->view.table, e->arena);
    problems_init(&faults, e->arena);
    struct nn_model *m = nn_model_read(v, e->has_view ? &facts : NULL, &faults);
    if (!m) {
        struct buf b;
        buf_init(&b);
        problem_print(&b, &faults.list.p[0]);
        err_set(e->err, ERR_INPUT, "%s: its model: %s", e->weights, b.p);
        buf_done(&b);
    }
    return m;
}

static const char *notice_of(const struct exporting *e, enum weights_form form)
{
    bool scaled = false;
    for (size_t i = 0; e->has_view && i < e->view.table->input_count; i++)
        scaled = scaled || e->view.shift[i];
    if (e->more)
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
    struct exporting e = {.weights = weights, .arena = a, .err = err};
    struct nn_model *m = read_model(&e);
    struct buf file;
    if (!m)
        return -1;
    buf_init(&file);
    int rc = form == WEIGHTS_TORCH
                 ? nn_export_torch(m, weights, &file, err)
                 : nn_export_onnx(m, weights, e.has_view ? &e.view : NULL,
                                  &file, err);
    if (!rc)
        rc = file_write(to, buf_str(&file), true, err);
    *notice = rc ? NULL : notice_of(&e, form);
    buf_done(&file);
    nn_model_free(m);
    return rc;
}
