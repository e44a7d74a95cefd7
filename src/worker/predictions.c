/* predictions.c - predictions as a table, and which classes they mistake */
#include "worker/predictions.h"

#include "base/buf.h"
#include "base/csv.h"
#include "base/json.h"
#include "base/num.h"
#include "sys/sys.h"

#define CONFUSION_MAX 1000 /* classes: a million pairs */

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

static bool is_known(const struct data_field *label)
{
    return label && (label->numbers || label->categories);
}

/* One output for each class, or one that says how likely the second is. Of a
 * loss on numbers two values of a label are two numbers. */
static bool is_class(const struct data_field *label,
                     const struct nn_head_facts *h)
{
    return h->classes && label && label->columns == 1 && label->classes > 1 &&
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

/* Numbers of a row behind what is predicted: the probability of each class,
 * also of two that have one output, or all of several outputs. */
static size_t shown_of(const struct data_field *label,
                       const struct nn_head_facts *h)
{
    return is_class(label, h) ? (size_t)label->classes
           : h->width > 1     ? h->width
                              : 0;
}

/* The class that number k of a head is the probability of, or the label's
 * column that it predicts. */
static void add_output_name(struct buf *b, const struct data_field *label,
                            const struct nn_head_facts *h, size_t k)
{
    if (is_class(label, h) && label->class_names)
        buf_addstr(b, label->class_names[k]);
    else if (label && label->column_names &&
             (int64_t)h->width == label->columns)
        buf_addstr(b, label->column_names[k]);
    else
        buf_addf(b, "%zu", k);
}

static void add_head_names(struct writing *w, const struct nn_head_facts *h)
{
    const struct data_field *label = label_of(w, h);
    struct buf *b = &w->out;
    struct buf prefix;
    buf_init(&prefix);
    if (w->several)
        buf_addf(&prefix, "%.*s_", STRF(h->name));
    if (is_known(label) && label->columns == 1)
        buf_addf(b, ",%slabel", prefix.p);
    if (h->width == 1 || is_class(label, h))
        buf_addf(b, ",%spredicted", prefix.p);
    size_t shown = shown_of(label, h);
    for (size_t k = 0; k < shown; k++) {
        struct buf name;
        buf_init(&name);
        buf_addf(&name, "%sp_", prefix.p);
        add_output_name(&name, label, h, k);
        buf_addc(b, ',');
        csv_field(b, buf_str(&name), ',');
        buf_done(&name);
    }
    buf_done(&prefix);
}

static void add_label(struct buf *b, const struct nn_head_facts *h,
                      const struct data_field *label, uint32_t row)
{
    buf_addc(b, ',');
    bool class = h->classes || !label->numbers;
    if (class && label->categories && label->classes)
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
    if (is_known(label) && label->columns == 1)
        add_label(b, h, label, row);
    if (is_class(label, h)) {
        buf_addc(b, ',');
        add_class(b, label, likeliest(h, p));
    } else if (h->width == 1) {
        buf_addc(b, ',');
        num_print_short(b, (double)p[0], 9);
    }
    bool one = h->width == 1;
    size_t shown = shown_of(label, h);
    for (size_t k = 0; k < shown; k++) {
        double x = (double)(one ? p[0] : p[k]);
        buf_addc(b, ',');
        num_print_short(b, one && k == 0 ? 1 - x : x, 9);
    }
}

int predictions_write(const char *path, const struct nn_model *m,
                      const struct data_table *table,
                      const struct data_part *part, const float *outputs,
                      struct err *err)
{
    size_t heads = nn_model_head_count(m);
    struct writing w = {.model = m, .table = table, .several = heads > 1};
    buf_init(&w.out);
    buf_adds(&w.out, "row");
    for (size_t i = 0; i < heads; i++) {
        struct nn_head_facts h = nn_model_head(m, i);
        add_head_names(&w, &h);
    }
    buf_addc(&w.out, '\n');
    for (size_t r = 0; r < part->count; r++) {
        buf_addf(&w.out, "%zu", data_row_in_file(table, part->rows[r]) + 1);
        for (size_t i = 0; i < heads; i++) {
            struct nn_head_facts h = nn_model_head(m, i);
            add_head(&w, &h, part->rows[r], outputs);
            outputs += h.width;
        }
        buf_addc(&w.out, '\n');
    }
    int rc = file_write(path, buf_str(&w.out), false, err);
    buf_done(&w.out);
    return rc;
}

/* ---- classes and what they are taken for ------------------------------- */

static struct value *class_list(struct arena *a, const struct data_field *label)
{
    struct value *names = value_list(a);
    struct buf b;
    buf_init(&b);
    for (int64_t k = 0; k < label->classes; k++) {
        buf_reset(&b);
        buf_addf(&b, "%lld", (long long)k);
        value_list_add(a, names,
                       value_string(a, label->class_names
                                           ? label->class_names[k]
                                           : buf_str(&b)));
    }
    buf_done(&b);
    return names;
}

static struct value *count_pairs(struct arena *a,
                                 const struct data_field *label,
                                 const struct nn_head_facts *h,
                                 const struct data_part *part,
                                 const float *outputs, size_t stride)
{
    size_t classes = (size_t)label->classes;
    int64_t *counts = arena_array(a, classes * classes + 1, sizeof(*counts));
    struct value *rows = value_list(a);
    for (size_t r = 0; r < part->count; r++) {
        size_t truth = (size_t)label->categories[part->rows[r]];
        counts[truth * classes + (size_t)likeliest(h, outputs + r * stride)]++;
    }
    for (size_t i = 0; i < classes; i++) {
        struct value *row = value_list(a);
        for (size_t k = 0; k < classes; k++)
            value_list_add(a, row, value_int(a, counts[i * classes + k]));
        value_list_add(a, rows, row);
    }
    return rows;
}

int predictions_confusion(const char *path, const struct nn_model *m,
                          const struct data_table *table,
                          const struct data_part *part, const char *part_name,
                          const float *outputs, struct err *err)
{
    struct arena *a = arena_new();
    struct value *to = value_object(a), *heads = value_list(a);
    struct buf text;
    size_t stride = (size_t)nn_model_outputs(m), at = 0;
    buf_init(&text);
    for (size_t i = 0; i < nn_model_head_count(m); i++) {
        struct nn_head_facts h = nn_model_head(m, i);
        const struct data_field *label =
            h.label < 0 ? NULL : &table->labels[h.label];
        if (is_class(label, &h) && label->categories && label->columns == 1 &&
            label->classes <= CONFUSION_MAX &&
            nn_model_takes_classes(m, (size_t)h.label)) {
            struct value *one = value_object(a);
            value_set(a, one, STR("name"), value_string(a, h.name));
            value_set(a, one, STR("classes"), class_list(a, label));
            value_set(a, one, STR("counts"),
                      count_pairs(a, label, &h, part, outputs + at, stride));
            value_list_add(a, heads, one);
        }
        at += h.width;
    }
    value_set(a, to, STR("rows"), value_int(a, (int64_t)part->count));
    value_set(a, to, STR("part"), value_string(a, str_of(part_name)));
    value_set(a, to, STR("heads"), heads);
    json_print(&text, to);
    buf_addc(&text, '\n');
    int rc = file_write(path, buf_str(&text), false, err);
    buf_done(&text);
    arena_free(a);
    return rc;
}
