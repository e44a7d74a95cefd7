/* infer.c - predictions as a table */
#include "worker/infer.h"

#include "base/buf.h"
#include "base/csv.h"
#include "base/num.h"
#include "sys/sys.h"

struct writing {
    struct buf out;
    const struct nn_model *model;
    const struct data_table *table;
    bool several; /* heads: their names stand before those of the columns */
};

static const struct data_field *label_of(const struct writing *w,
                                         const struct nn_head_facts *h)
{
    return h->label < 0 ? NULL : &w->table->labels[h->label];
}

/* One output for each class, or one that says how likely the second is. */
static bool is_class(const struct data_field *label,
                     const struct nn_head_facts *h)
{
    return label && label->classes > 1 && label->categories &&
           ((int64_t)h->width == label->classes ||
            (h->width == 1 && label->classes == 2));
}

static void add_class(struct buf *b, const struct data_field *label, int64_t k)
{
    if (label->class_names && k >= 0 && k < label->classes)
        csv_field(b, label->class_names[k], ',');
    else
        buf_addf(b, "%lld", (long long)k);
}

static void add_head_names(struct writing *w, const struct nn_head_facts *h)
{
    const struct data_field *label = label_of(w, h);
    struct buf *b = &w->out;
    struct buf prefix;
    buf_init(&prefix);
    if (w->several)
        buf_addf(&prefix, "%.*s_", STRF(h->name));
    if (label && label->columns == 1)
        buf_addf(b, ",%slabel", prefix.p);
    if (h->width == 1 || is_class(label, h))
        buf_addf(b, ",%spredicted", prefix.p);
    for (size_t k = 0; h->width > 1 && k < h->width; k++) {
        buf_addf(b, ",%sp_", prefix.p);
        if (is_class(label, h))
            add_class(b, label, (int64_t)k);
        else
            buf_addf(b, "%zu", k);
    }
    buf_done(&prefix);
}

static void add_label(struct buf *b, const struct data_field *label,
                      uint32_t row)
{
    buf_addc(b, ',');
    if (label->categories && label->classes)
        add_class(b, label, label->categories[row]);
    else if (label->numbers)
        num_print_short(b, (double)label->numbers[row], 9);
}

static int64_t likeliest(const struct nn_head_facts *h, const float *p)
{
    size_t best = 0;
    if (h->width == 1)
        return p[0] > 0.5f;
    for (size_t k = 1; k < h->width; k++)
        if (p[k] > p[best])
            best = k;
    return (int64_t)best;
}

static void add_head(struct writing *w, const struct nn_head_facts *h,
                     uint32_t row, const float *p)
{
    const struct data_field *label = label_of(w, h);
    struct buf *b = &w->out;
    if (label && label->columns == 1)
        add_label(b, label, row);
    if (is_class(label, h)) {
        buf_addc(b, ',');
        add_class(b, label, likeliest(h, p));
    } else if (h->width == 1) {
        buf_addc(b, ',');
        num_print_short(b, (double)p[0], 9);
    }
    for (size_t k = 0; h->width > 1 && k < h->width; k++) {
        buf_addc(b, ',');
        num_print_short(b, (double)p[k], 9);
    }
}

int infer_write(const char *path, const struct nn_model *m,
                const struct data_table *table, const struct data_part *part,
                const float *outputs, struct err *err)
{
    size_t heads = nn_model_head_count(m);
    struct writing w = {.model = m, .table = table, .several = heads > 1};
    struct arena *a = arena_new();
    buf_init(&w.out);
    buf_adds(&w.out, "row");
    for (size_t i = 0; i < heads; i++) {
        struct nn_head_facts h = nn_model_head(m, i);
        add_head_names(&w, &h);
    }
    buf_addc(&w.out, '\n');
    for (size_t r = 0; r < part->count; r++) {
        buf_addf(&w.out, "%zu", r + 1);
        for (size_t i = 0; i < heads; i++) {
            struct nn_head_facts h = nn_model_head(m, i);
            add_head(&w, &h, part->rows[r], outputs);
            outputs += h.width;
        }
        buf_addc(&w.out, '\n');
    }
    int rc = dir_make(path_folder(a, path), err);
    if (rc == 0)
        rc = file_write(path, buf_str(&w.out), false, err);
    buf_done(&w.out);
    arena_free(a);
    return rc;
}
