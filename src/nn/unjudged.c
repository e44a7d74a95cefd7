/* unjudged.c - metrics that have no value on some rows, whatever is predicted
 *
 * AUC is how often a yes stands before a no: it needs both. R2 is the share of
 * the labels' spread that is explained: it needs some. Metrics of classes need
 * classes: of one number that is predicted, 0 and 1. And all need rows. */
#include "base/buf.h"
#include "base/num.h"
#include "data/data.h"
#include "nn/build.h"
#include "nn/model.h"

bool nn_has_no_class(const struct nn_head *h, size_t width,
                     const struct data_field *label, size_t row)
{
    if (width != 1 || label->columns != 1 || !label->numbers ||
        nn_takes_classes(h))
        return false;
    float x = label->numbers[row];
    return !(x >= 0 && x <= 0) && !(x >= 1 && x <= 1);
}

static double truth_at(const struct data_field *f, size_t at)
{
    return f->numbers ? (double)f->numbers[at] : (double)f->categories[at];
}

/* All labels of the rows are equal; of yes and no, all are the same. */
static bool all_equal(const struct data_field *f, const struct data_part *part,
                      bool yes_or_no)
{
    size_t columns = (size_t)f->columns;
    double first = truth_at(f, (size_t)part->rows[0] * columns);
    for (size_t i = 0; i < part->count; i++)
        for (size_t c = 0; c < columns; c++) {
            double x = truth_at(f, (size_t)part->rows[i] * columns + c);
            if (yes_or_no ? (x > 0.5) != (first > 0.5) : x != first)
                return false;
        }
    return true;
}

static void add_value(struct buf *b, const struct data_field *f, uint32_t row)
{
    size_t at = (size_t)row * (size_t)f->columns;
    if (f->class_names && f->categories && f->columns == 1)
        buf_addstr(b, f->class_names[f->categories[at]]);
    else
        num_print_short(b, truth_at(f, at), 6);
}

static const char *text_of(struct arena *a, struct buf *b)
{
    const char *text = arena_cstr(a, buf_str(b));
    buf_done(b);
    return text;
}

/* A metric of classes, where numbers are predicted. */
static const char *without_class(const struct nn_head *h, size_t width,
                                 struct str name, const struct data_field *f,
                                 const struct data_part *part, struct arena *a)
{
    struct buf b;
    size_t i = 0;
    while (i < part->count && !nn_has_no_class(h, width, f, part->rows[i]))
        i++;
    if (i == part->count)
        return NULL;
    buf_init(&b);
    buf_addf(&b,
             "%.*s is left out: it counts classes, and %s predicts a number: ",
             STRF(name), nn_loss_names[h->loss]);
    num_print_short(&b, (double)f->numbers[part->rows[i]], 6);
    buf_adds(&b, " is neither 0 nor 1; r2, mae or mse judge numbers");
    return text_of(a, &b);
}

static const char *all_alike(const struct nn_metric *k,
                             const struct data_field *f,
                             const struct data_part *part, const char *rows,
                             struct arena *a)
{
    struct buf b;
    buf_init(&b);
    buf_addf(&b, "%.*s is left out: %s of all %zu %s rows is ", STRF(k->name),
             f->columns > 1 ? "every label" : "the label", part->count, rows);
    add_value(&b, f, part->rows[0]);
    return text_of(a, &b);
}

static const char *without_rows(struct str name, struct arena *a)
{
    return arena_printf(a,
                        "%.*s is left out: it is judged on validation rows, "
                        "and there are none; `validation: 0.2` among the data "
                        "sets some aside",
                        STRF(name));
}

const char *nn_unjudged(const struct nn_model *m, size_t metric,
                        const struct data_view *v, const struct data_part *part,
                        const char *rows, struct arena *a)
{
    const struct nn_metric *k = &m->metrics.p[metric];
    const struct nn_head *h = &m->graph.heads.p[k->head];
    bool ranks = k->kind == NN_METRIC_AUC;
    if (part == &v->validation && !part->count)
        return without_rows(k->name, a);
    if (h->label < 0 || !part->count)
        return NULL;
    const struct data_field *f = &v->table->labels[h->label];
    size_t width = (size_t)nn_shape_count(&m->graph.tensors.p[h->output].shape);
    const char *text = nn_metric_is_of_numbers(k->kind)
                           ? NULL
                           : without_class(h, width, k->name, f, part, a);
    if (text || (!ranks && k->kind != NN_METRIC_R2) ||
        (!f->numbers && !f->categories) ||
        !all_equal(f, part, ranks && nn_each_is_yes_or_no(h, width)))
        return text;
    return all_alike(k, f, part, rows, a);
}
