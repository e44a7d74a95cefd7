/* unjudged.c - metrics that have no value on some rows, whatever is predicted
 *
 * AUC is how often a yes stands before a no: it needs both. R2 is the share of
 * the labels' spread that is explained: it needs some. */
#include "base/buf.h"
#include "base/num.h"
#include "data/data.h"
#include "nn/model.h"

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

const char *nn_unjudged(const struct nn_model *m, size_t metric,
                        const struct data_view *v, const struct data_part *part,
                        const char *rows, struct arena *a)
{
    const struct nn_metric *k = &m->metrics.p[metric];
    const struct nn_head *h = &m->graph.heads.p[k->head];
    bool ranks = k->kind == NN_METRIC_AUC;
    if (h->label < 0 || !part->count || (!ranks && k->kind != NN_METRIC_R2))
        return NULL;
    const struct data_field *f = &v->table->labels[h->label];
    size_t width = (size_t)nn_shape_count(&m->graph.tensors.p[h->output].shape);
    if ((!f->numbers && !f->categories) ||
        !all_equal(f, part, ranks && nn_each_is_yes_or_no(h, width)))
        return NULL;
    struct buf b;
    buf_init(&b);
    buf_addf(&b, "%.*s is left out: %s of all %zu %s rows is ", STRF(k->name),
             f->columns > 1 ? "every label" : "the label", part->count, rows);
    add_value(&b, f, part->rows[0]);
    const char *text = arena_cstr(a, buf_str(&b));
    buf_done(&b);
    return text;
}
