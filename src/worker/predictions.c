/* predictions.c - predictions as a table */
#include "worker/predictions.h"

#include <math.h>
#include <stdlib.h>

#include "base/buf.h"
#include "base/csv.h"
#include "base/num.h"
#include "sys/sys.h"

struct writing {
    struct predictions base; /* first: one is the other */
    struct file_out *file;
    struct buf out; /* of one piece */
    bool quantiles; /* of one label are all that is predicted */
};

int predictions_add(struct predictions *p, const double *outputs,
                    const double *more, size_t count, struct err *err)
{
    int rc = p->add(p, outputs, more, count, err);
    p->done += count;
    return rc;
}

int predictions_end(struct predictions *p, struct err *err)
{
    return p->end(p, err);
}

void predictions_free(struct predictions *p)
{
    if (p)
        p->free(p);
}

size_t predicted_more_count(const struct predicted *what)
{
    size_t heads = nn_model_head_count(what->model), all = 0;
    for (size_t i = 0; what->more && i <= heads; i++)
        all += what->more[i].count;
    return all;
}

static bool is_known(const struct data_field *label)
{
    return label && (label->numbers || label->categories || label->shown);
}

/* The label as numbers, or as classes; NULL: it is none. */
static const float *numbers_of(const struct data_field *label)
{
    return label->shown ? label->shown->numbers : label->numbers;
}

static const int32_t *categories_of(const struct data_field *label)
{
    return label->shown ? label->shown->categories : label->categories;
}

static bool row_is_known(const struct writing *w,
                         const struct data_field *label, uint32_t row)
{
    const bool *unread = w->base.what.unread;
    return !(unread && unread[row]) &&
           !(label->shown && label->shown->unknown[row]);
}

static void add_class(struct buf *b, const struct data_field *label, int64_t k)
{
    if (label->class_names && k >= 0 && k < label->classes)
        csv_field(b, label->class_names[k], ',');
    else
        buf_addf(b, "%lld", (long long)k);
}

/* Numbers of a row behind what is predicted: the probability of each class,
 * also of two that have one output, or all of several outputs. */
static size_t shown_of(const struct data_field *label,
                       const struct nn_head_facts *h)
{
    return nn_head_is_class(h, label) ? (size_t)label->classes
           : h->width > 1             ? h->width
                                      : 0;
}

static void add_more_names(struct buf *b, const struct predicted *what,
                           size_t head, const char *prefix)
{
    const struct predicted_more *more = what->more ? &what->more[head] : NULL;
    struct buf name;
    buf_init(&name);
    for (size_t k = 0; more && k < more->count; k++) {
        buf_reset(&name);
        buf_addf(&name, "%s%s", prefix, more->names[k]);
        buf_addc(b, ',');
        csv_field(b, buf_str(&name), ',');
    }
    buf_done(&name);
}

/* Several numbers that are known, as those of an autoencoder: how far off they
 * are is one number a row. */
static bool has_error(const struct data_field *label,
                      const struct nn_head_facts *h)
{
    return is_known(label) && numbers_of(label) && !h->spreads && !h->classes &&
           h->width > 1 && label->columns == (int64_t)h->width;
}

/* Of two classes that have one number both are shown. */
static void add_column_name(struct buf *b, const struct nn_head_facts *h,
                            const struct data_field *label, size_t k)
{
    if (h->width > 1) {
        nn_column_name(b, h, label, k);
        return;
    }
    buf_adds(b, "p_");
    nn_output_name(b, h, label, k);
}

/* Quantiles of one label have it once, before them. */
static bool shows_label(const struct writing *w, size_t head,
                        const struct data_field *label)
{
    return is_known(label) && label->columns == 1 &&
           (head == 0 || !w->quantiles);
}

static void add_predicted_name(struct buf *b, const struct predicted *what,
                               size_t head)
{
    struct arena *a = arena_new();
    buf_addc(b, ',');
    csv_field(b, str_of(nn_predicted_name(what->model, head, a)), ',');
    arena_free(a);
}

/* Of several heads the names stand before those of the columns. */
static void add_head_names(struct writing *w, size_t head)
{
    struct nn_head_facts facts = nn_model_head(w->base.what.model, head);
    const struct nn_head_facts *h = &facts;
    const struct data_field *label = nn_head_label(h, w->base.what.table);
    struct buf *b = &w->out;
    struct buf prefix;
    buf_init(&prefix);
    if (nn_model_head_count(w->base.what.model) > 1)
        buf_addf(&prefix, "%.*s_", STRF(h->name));
    if (shows_label(w, head, label))
        buf_addf(b, ",%slabel", w->quantiles ? "" : prefix.p);
    if (h->width == 1 || nn_head_is_class(h, label))
        add_predicted_name(b, &w->base.what, head);
    size_t shown = shown_of(label, h);
    for (size_t k = 0; k < shown; k++) {
        struct buf name;
        buf_init(&name);
        buf_adds(&name, prefix.p);
        add_column_name(&name, h, label, k);
        buf_addc(b, ',');
        csv_field(b, buf_str(&name), ',');
        buf_done(&name);
    }
    if (has_error(label, h))
        buf_addf(b, ",%serror", prefix.p);
    add_more_names(b, &w->base.what, head, prefix.p);
    buf_done(&prefix);
}

static void add_label(struct writing *w, const struct nn_head_facts *h,
                      const struct data_field *label, uint32_t row)
{
    struct buf *b = &w->out;
    const float *numbers = numbers_of(label);
    const int32_t *categories = categories_of(label);
    buf_addc(b, ',');
    bool class = h->classes || !numbers;
    if (!row_is_known(w, label, row))
        return;
    if (class && categories && label->classes)
        add_class(b, label, categories[row]);
    else if (numbers)
        num_print_short(b, (double)numbers[row], 9);
}

int64_t predicted_class(const struct nn_head_facts *h, const double *p)
{
    size_t best = 0;
    for (size_t k = 0; k < h->width; k++)
        if (isnan(p[k]))
            return -1;
        else if (p[k] > p[best])
            best = k;
    return h->width == 1 ? p[0] > 0.5 : (int64_t)best;
}

/* A float is known again by nine digits. What is no number is none. */
static void add_number(struct buf *b, const struct predicted *what, double x)
{
    if (isnan(x))
        return;
    if (what->exact)
        num_print(b, x);
    else
        num_print_short(b, x, 9);
}

static void add_more(struct writing *w, size_t head, const double **more)
{
    const struct predicted *what = &w->base.what;
    size_t count = what->more ? what->more[head].count : 0;
    for (; count-- > 0; (*more)++) {
        buf_addc(&w->out, ',');
        if (isnan(**more))
            continue;
        if (count < what->more[head].flags)
            buf_addc(&w->out, **more > 0 ? '1' : '0');
        else
            num_print(&w->out, **more);
    }
}

double predicted_error(const struct nn_head_facts *h, const float *truth,
                       const double *p)
{
    double squares = 0;
    for (size_t k = 0; k < h->width; k++)
        squares += (p[k] - (double)truth[k]) * (p[k] - (double)truth[k]);
    return squares / (double)h->width;
}

static void add_error(struct writing *w, const struct nn_head_facts *h,
                      const struct data_field *label, uint32_t row,
                      const double *p)
{
    const float *truth = numbers_of(label) + row * h->width;
    buf_addc(&w->out, ',');
    if (row_is_known(w, label, row))
        add_number(&w->out, &w->base.what, predicted_error(h, truth, p));
}

static void add_head(struct writing *w, size_t head,
                     const struct nn_head_facts *h, uint32_t row,
                     const double *p)
{
    const struct data_field *label = nn_head_label(h, w->base.what.table);
    struct buf *b = &w->out;
    if (shows_label(w, head, label))
        add_label(w, h, label, row);
    if (nn_head_is_class(h, label)) {
        int64_t class = predicted_class(h, p);
        buf_addc(b, ',');
        if (class >= 0)
            add_class(b, label, class);
    } else if (h->width == 1) {
        buf_addc(b, ',');
        add_number(b, &w->base.what, p[0]);
    }
    bool one = h->width == 1;
    size_t shown = shown_of(label, h);
    for (size_t k = 0; k < shown; k++) {
        double x = one ? p[0] : p[k];
        buf_addc(b, ',');
        add_number(b, &w->base.what, one && k == 0 ? 1 - x : x);
    }
    if (has_error(label, h))
        add_error(w, h, label, row, p);
}

static int put_out(struct writing *w, struct err *err)
{
    int rc = file_add(w->file, buf_str(&w->out), err);
    buf_reset(&w->out);
    return rc;
}

static void add_row(struct writing *w, uint32_t row, const double *outputs,
                    const double *more)
{
    const struct predicted *what = &w->base.what;
    size_t heads = nn_model_head_count(what->model);
    if (what->file.len) {
        csv_field(&w->out, what->file, ',');
        buf_addc(&w->out, ',');
    }
    buf_addf(&w->out, "%llu",
             (unsigned long long)(what->first_row +
                                  data_row_in_file(what->table, row) + 1));
    for (size_t i = 0; i < heads; i++) {
        struct nn_head_facts h = nn_model_head(what->model, i);
        add_head(w, i, &h, row, outputs);
        add_more(w, i, &more);
        outputs += h.width;
    }
    add_more(w, heads, &more);
    buf_addc(&w->out, '\n');
}

static int add_rows(struct predictions *p, const double *outputs,
                    const double *more, size_t count, struct err *err)
{
    struct writing *w = (struct writing *)p;
    size_t wide = (size_t)nn_model_outputs(p->what.model);
    size_t some = predicted_more_count(&p->what);
    for (size_t r = 0; r < count; r++)
        add_row(w, p->what.part->rows[p->done + r], outputs + r * wide,
                some ? more + r * some : NULL);
    return put_out(w, err);
}

static int end_table(struct predictions *p, struct err *err)
{
    struct writing *w = (struct writing *)p;
    struct file_out *file = w->file;
    w->file = NULL;
    return file_end(file, false, err);
}

static void free_table(struct predictions *p)
{
    struct writing *w = (struct writing *)p;
    file_drop(w->file);
    buf_done(&w->out);
    free(w);
}

static void add_names(struct writing *w)
{
    size_t heads = nn_model_head_count(w->base.what.model);
    buf_adds(&w->out, w->base.what.file.len ? "file,row" : "row");
    for (size_t i = 0; i < heads; i++)
        add_head_names(w, i);
    add_more_names(&w->out, &w->base.what, heads, "");
    buf_addc(&w->out, '\n');
}

struct predictions *predictions_table(const char *path,
                                      const struct predicted *what,
                                      struct err *err)
{
    struct writing *w = xcalloc(1, sizeof(*w));
    w->base = (struct predictions){
        .what = *what, .add = add_rows, .end = end_table, .free = free_table};
    w->quantiles = nn_heads_are_quantiles(what->model);
    buf_init(&w->out);
    add_names(w);
    w->file = file_begin(path, err);
    if (w->file && put_out(w, err) == 0)
        return &w->base;
    free_table(&w->base);
    return NULL;
}
