/* names.c - what the numbers that a model predicts are called */
#include "base/arena.h"
#include "base/buf.h"
#include "data/data.h"
#include "nn/nn.h"

const struct data_field *nn_head_label(const struct nn_head_facts *h,
                                       const struct data_table *t)
{
    return h->label < 0 || !t ? NULL : &t->labels[h->label];
}

bool nn_head_is_class(const struct nn_head_facts *h,
                      const struct data_field *label)
{
    return h->classes && label && label->columns == 1 && label->classes > 1 &&
           ((int64_t)h->width == label->classes ||
            (h->width == 1 && label->classes == 2));
}

bool nn_head_repeats(const struct nn_head_facts *h, const struct data_table *t)
{
    const struct data_field *label = nn_head_label(h, t);
    return label && t->label_is_input && !h->spreads && !h->classes &&
           h->width > 1 && label->columns == (int64_t)h->width;
}

void nn_output_name(struct buf *b, const struct nn_head_facts *h,
                    const struct data_field *label, size_t k)
{
    if (nn_head_is_class(h, label) && label->class_names)
        buf_addstr(b, label->class_names[k]);
    else if (label && label->column_names && (int64_t)k < label->columns &&
             (int64_t)h->width == label->columns * (h->spreads ? 2 : 1))
        buf_addstr(b, label->column_names[k]);
    else
        buf_addf(b, "%zu", k);
}

void nn_column_name(struct buf *b, const struct nn_head_facts *h,
                    const struct data_field *label, size_t k)
{
    size_t told = h->spreads ? h->width / 2 : h->width;
    if (k >= told) {
        buf_adds(b, "log_variance");
        if (told > 1) {
            buf_addc(b, '_');
            nn_output_name(b, h, label, k - told);
        }
    } else if (told > 1 || nn_head_is_class(h, label)) {
        buf_adds(b, "p_"); /* one number is the second's of two classes */
        nn_output_name(b, h, label, h->width == 1 ? 1 : k);
    } else {
        buf_adds(b, "predicted");
    }
}

/* Its name says all that there is to say of its one number. */
static bool is_named_by_quantile(const struct nn_head_facts *h)
{
    struct buf b;
    buf_init(&b);
    buf_addf(&b, "q%.10g", h->a);
    bool is = h->width == 1 && str_is(h->name, b.p) &&
              str_is(str_of(h->loss), "quantile");
    buf_done(&b);
    return is;
}

bool nn_heads_are_quantiles(const struct nn_model *m)
{
    size_t count = nn_model_head_count(m);
    int label = count ? nn_model_head(m, 0).label : -1;
    for (size_t i = 0; i < count; i++) {
        struct nn_head_facts h = nn_model_head(m, i);
        if (!is_named_by_quantile(&h) || h.label != label)
            return false;
    }
    return count > 1;
}

const char *nn_head_prefix(const struct nn_model *m, size_t head,
                           struct arena *a)
{
    struct nn_head_facts h = nn_model_head(m, head);
    return nn_model_head_count(m) > 1 ? arena_printf(a, "%.*s_", STRF(h.name))
                                      : "";
}

static const char *whole_name(const struct nn_model *m, size_t head,
                              const char *column, struct arena *a)
{
    struct nn_head_facts h = nn_model_head(m, head);
    if (nn_model_head_count(m) > 1 && is_named_by_quantile(&h))
        return arena_cstr(a, h.name);
    return arena_printf(a, "%s%s", nn_head_prefix(m, head, a), column);
}

const char *nn_predicted_name(const struct nn_model *m, size_t head,
                              struct arena *a)
{
    return whole_name(m, head, "predicted", a);
}

typedef void name_fn(struct buf *b, const struct nn_head_facts *h,
                     const struct data_field *label, size_t k);

static const char *const *names_by(name_fn *name, size_t count,
                                   const struct nn_head_facts *h,
                                   const struct data_table *t, struct arena *a)
{
    const char **names = arena_array(a, count, sizeof(*names));
    struct buf b;
    buf_init(&b);
    for (size_t k = 0; k < count; k++) {
        buf_reset(&b);
        name(&b, h, nn_head_label(h, t), k);
        names[k] = arena_cstr(a, buf_str(&b));
    }
    buf_done(&b);
    return names;
}

const char *const *nn_output_names(const struct nn_model *m, size_t head,
                                   const struct data_table *t, struct arena *a)
{
    struct nn_head_facts h = nn_model_head(m, head);
    return names_by(nn_output_name, h.width == 1 ? 2 : h.width, &h, t, a);
}

const char *const *nn_column_names(const struct nn_model *m, size_t head,
                                   const struct data_table *t, struct arena *a)
{
    struct nn_head_facts h = nn_model_head(m, head);
    const char *const *own = names_by(nn_column_name, h.width, &h, t, a);
    const char **names = arena_array(a, h.width, sizeof(*names));
    for (size_t k = 0; k < h.width; k++)
        names[k] = whole_name(m, head, own[k], a);
    return names;
}

/* ---- do two models speak of the same? ------------------------------------ */

static bool same_classes(const struct data_field *a, const struct data_field *b)
{
    if (!a || !b || !a->class_names || !b->class_names)
        return a && b ? a->classes == b->classes : a == b;
    for (int64_t k = 0; a->classes == b->classes && k < a->classes; k++)
        if (!str_eq(a->class_names[k], b->class_names[k]))
            return false;
    return a->classes == b->classes;
}

const char *nn_models_differ(const struct nn_model *a,
                             const struct data_table *of_a,
                             const struct nn_model *b,
                             const struct data_table *of_b)
{
    size_t heads = nn_model_head_count(a);
    if (nn_model_head_count(b) != heads)
        return "it has another number of outputs";
    for (size_t i = 0; i < heads; i++) {
        struct nn_head_facts one = nn_model_head(a, i);
        struct nn_head_facts other = nn_model_head(b, i);
        if (one.classes != other.classes || one.each != other.each ||
            one.spreads != other.spreads)
            return "its loss is of another kind";
        if (one.classes && !same_classes(nn_head_label(&one, of_a),
                                         nn_head_label(&other, of_b)))
            return "its classes are others";
        if (one.width != other.width)
            return "it predicts another number of values";
    }
    return NULL;
}
