/* passes.c - what every member says of each row, beside the truth
 *
 * For whoever chooses members or fits something on what they say. */
#include <math.h>
#include <stdlib.h>

#include "base/buf.h"
#include "ensemble/ensemble.h"
#include "sys/sys.h"
#include "worker/predictions.h"

struct passes {
    struct predictions base; /* first: one is the other */
    struct file_out *file;
    struct combine_head *heads;
    size_t head_count;
    struct buf out; /* of one piece */
};

static double number_at(const struct data_field *f, uint32_t row, size_t k)
{
    size_t at = (size_t)row * (size_t)f->columns + k;
    if (!f->numbers && !f->categories)
        return NAN;
    return f->numbers ? (double)f->numbers[at] : (double)f->categories[at];
}

/* A label of several numbers is a distribution: its class is the largest. */
static double class_at(const struct data_field *f, uint32_t row)
{
    size_t best = 0;
    if (f->categories && f->columns == 1)
        return (double)f->categories[row];
    if (f->columns == 1)
        return number_at(f, row, 0);
    for (size_t k = 1; k < (size_t)f->columns; k++)
        if (number_at(f, row, k) > number_at(f, row, best))
            best = k;
    return (double)best;
}

static void add_truth(struct passes *p, size_t head, uint32_t row)
{
    struct nn_head_facts h = nn_model_head(p->base.what.model, head);
    const struct data_field *f = nn_head_label(&h, p->base.what.table);
    size_t count = opinions_truths(&p->heads[head]);
    bool choice = h.classes && !h.each;
    for (size_t k = 0; k < count; k++)
        buf_add_f64(&p->out, !f || (!choice && (int64_t)k >= f->columns) ? NAN
                             : choice ? class_at(f, row)
                                      : number_at(f, row, k));
}

static int add_rows(struct predictions *base, const double *outputs,
                    const double *more, size_t count, struct err *err)
{
    struct passes *p = (struct passes *)base;
    size_t some = predicted_more_count(&base->what);
    (void)outputs;
    for (size_t r = 0; r < count; r++) {
        uint32_t row = base->what.part->rows[base->done + r];
        for (size_t i = 0; i < p->head_count; i++)
            add_truth(p, i, row);
        buf_add(&p->out, more + r * some, some * sizeof(*more));
    }
    int rc = file_add(p->file, buf_str(&p->out), err);
    buf_reset(&p->out);
    return rc;
}

static int end_passes(struct predictions *base, struct err *err)
{
    struct passes *p = (struct passes *)base;
    struct file_out *file = p->file;
    p->file = NULL;
    return file_end(file, false, err);
}

static void free_passes(struct predictions *base)
{
    struct passes *p = (struct passes *)base;
    file_drop(p->file);
    buf_done(&p->out);
    free(p->heads);
    free(p);
}

static void begin(struct passes *p, bool out_of_fold)
{
    struct arena *a = arena_new();
    const struct predicted *what = &p->base.what;
    size_t wide = (size_t)nn_model_outputs(what->model);
    p->head_count = nn_model_head_count(what->model);
    p->heads = xcalloc(p->head_count + 1, sizeof(*p->heads));
    for (size_t i = 0; i < p->head_count; i++) {
        struct nn_head_facts h = nn_model_head(what->model, i);
        p->heads[i] =
            (struct combine_head){.width = h.width,
                                  .classes = h.classes,
                                  .each = h.each,
                                  .spreads = h.spreads,
                                  .bound = nn_head_bound(what->model, i)};
        p->heads[i].loss =
            (struct combine_loss){.name = str_of(h.loss),
                                  .a = h.a,
                                  .weight = h.weight,
                                  .class_weights = h.class_weights,
                                  .class_count = h.class_count};
        p->heads[i].names = (struct combine_head_names){
            .prefix = nn_head_prefix(what->model, i, a),
            .outputs = nn_output_names(what->model, i, what->table, a)};
    }
    struct opinions o = {.rows = what->part->count,
                         .members =
                             predicted_more_count(what) / (wide + out_of_fold),
                         .out_of_fold = out_of_fold,
                         .heads = p->heads,
                         .head_count = p->head_count};
    opinions_print(&p->out, &o);
    arena_free(a);
}

struct predictions *predictions_passes(const char *path,
                                       const struct predicted *what,
                                       bool out_of_fold, struct err *err)
{
    struct passes *p = xcalloc(1, sizeof(*p));
    p->base = (struct predictions){
        .what = *what, .add = add_rows, .end = end_passes, .free = free_passes};
    buf_init(&p->out);
    begin(p, out_of_fold);
    p->file = file_begin(path, err);
    int rc = p->file ? file_add(p->file, buf_str(&p->out), err) : -1;
    buf_reset(&p->out);
    if (rc == 0)
        return &p->base;
    free_passes(&p->base);
    return NULL;
}
