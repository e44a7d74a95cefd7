/* confusion.c - which classes predictions take for which
 *
 * A head has a square of counts, whatever the number of rows. */
#include <stdlib.h>

#include "base/buf.h"
#include "base/json.h"
#include "sys/sys.h"
#include "worker/predictions.h"

#define CONFUSION_MAX 1000 /* classes: a million pairs */

struct confusion {
    struct predictions base; /* first: one is the other */
    struct arena *arena;
    const char *path;
    int64_t **counts; /* by head: classes × classes; NULL: it has none */
};

/* What a head predicts are classes whose truth is known. */
static bool has_pairs(const struct predicted *what,
                      const struct nn_head_facts *h)
{
    const struct data_field *label = nn_head_label(h, what->table);
    return nn_head_is_class(h, label) && label->categories &&
           label->columns == 1 && label->classes <= CONFUSION_MAX &&
           nn_model_takes_classes(what->model, (size_t)h->label);
}

static int add_rows(struct predictions *p, const double *outputs,
                    const double *more, size_t count, struct err *err)
{
    struct confusion *c = (struct confusion *)p;
    const uint32_t *rows = p->what.part->rows + p->done;
    size_t wide = (size_t)nn_model_outputs(p->what.model), at = 0;
    (void)more;
    (void)err;
    for (size_t i = 0; i < nn_model_head_count(p->what.model); i++) {
        struct nn_head_facts h = nn_model_head(p->what.model, i);
        const struct data_field *label = nn_head_label(&h, p->what.table);
        for (size_t r = 0; c->counts[i] && r < count; r++) {
            const double *out = outputs + r * wide + at;
            size_t truth = (size_t)label->categories[rows[r]];
            size_t classes = (size_t)label->classes;
            int64_t got = predicted_class(&h, out);
            if (got >= 0)
                c->counts[i][truth * classes + (size_t)got]++;
        }
        at += h.width;
    }
    return 0;
}

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

static struct value *count_lists(struct arena *a, const int64_t *counts,
                                 size_t classes)
{
    struct value *rows = value_list(a);
    for (size_t i = 0; i < classes; i++) {
        struct value *row = value_list(a);
        for (size_t k = 0; k < classes; k++)
            value_list_add(a, row, value_int(a, counts[i * classes + k]));
        value_list_add(a, rows, row);
    }
    return rows;
}

static struct value *head_value(const struct confusion *c, size_t head)
{
    struct arena *a = c->arena;
    struct nn_head_facts h = nn_model_head(c->base.what.model, head);
    const struct data_field *label = nn_head_label(&h, c->base.what.table);
    struct value *one = value_object(a);
    value_set(a, one, STR("name"), value_string(a, h.name));
    value_set(a, one, STR("classes"), class_list(a, label));
    value_set(a, one, STR("counts"),
              count_lists(a, c->counts[head], (size_t)label->classes));
    return one;
}

static int write_counts(struct predictions *p, struct err *err)
{
    struct confusion *c = (struct confusion *)p;
    struct arena *a = c->arena;
    struct value *to = value_object(a), *heads = value_list(a);
    struct buf text;
    for (size_t i = 0; i < nn_model_head_count(p->what.model); i++)
        if (c->counts[i])
            value_list_add(a, heads, head_value(c, i));
    value_set(a, to, STR("rows"), value_int(a, (int64_t)p->what.part->count));
    value_set(a, to, STR("part"), value_string(a, str_of(p->what.rows)));
    value_set(a, to, STR("heads"), heads);
    buf_init(&text);
    json_print(&text, to);
    buf_addc(&text, '\n');
    int rc = file_write(c->path, buf_str(&text), false, err);
    buf_done(&text);
    return rc;
}

static void free_counts(struct predictions *p)
{
    struct confusion *c = (struct confusion *)p;
    arena_free(c->arena);
    free(c);
}

struct predictions *predictions_confusion(const char *path,
                                          const struct predicted *what)
{
    struct confusion *c = xcalloc(1, sizeof(*c));
    size_t heads = nn_model_head_count(what->model);
    c->base = (struct predictions){.what = *what,
                                   .add = add_rows,
                                   .end = write_counts,
                                   .free = free_counts};
    c->arena = arena_new();
    c->path = arena_cstr(c->arena, str_of(path));
    c->counts = arena_array(c->arena, heads + 1, sizeof(*c->counts));
    for (size_t i = 0; i < heads; i++) {
        struct nn_head_facts h = nn_model_head(what->model, i);
        if (!has_pairs(what, &h))
            continue;
        size_t classes = (size_t)nn_head_label(&h, what->table)->classes;
        c->counts[i] =
            arena_array(c->arena, classes * classes + 1, sizeof(int64_t));
    }
    return &c->base;
}
