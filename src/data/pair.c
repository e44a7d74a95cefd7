/* pair.c - inputs and labels in files of their own, row by row
 *
 *   inputs: x.npy                 one input
 *   inputs: {image: x.npy, ...}   several, by name
 *   labels: y.npy                 likewise; `inputs`: the first input itself */
#include <math.h>

#include "data/set.h"

/* The path that a part has for item i of the first part's list is the one of
 * the same name, whatever the order. */
const struct value *data_pair_path(const struct reading *r, const char *key,
                                   size_t part, size_t item)
{
    const struct value *first = value_get(r->part[0], str_of(key));
    const struct value *v = value_get(r->part[part], str_of(key));
    if (!v || v->kind != VALUE_OBJECT)
        return v;
    bool fits =
        first && first->kind == VALUE_OBJECT && first->count == v->count;
    return fits && item < first->count ? value_get(v, first->keys[item]) : NULL;
}

/* The files of one role: item i of what each part has under `key`. */
static int read_role(struct reading *r, const char *key, size_t item,
                     bool lines, struct block *b, struct err *err)
{
    const struct value *paths[PARTS];
    for (size_t i = 0; i < r->part_count; i++) {
        paths[i] = data_pair_path(r, key, i, item);
        if (!paths[i] || paths[i]->kind != VALUE_STRING)
            return err_set_at(err, "data",
                              ": each part must say its %s: the path of a "
                              "file, or one by each of the same names",
                              key);
    }
    return block_read(r, paths, lines, r->set->arena, b, err);
}

static int same_rows(struct reading *r, const struct block *b,
                     const struct block *first, struct err *err)
{
    for (size_t i = 0; i < b->sources; i++)
        if (b->source[i].m.rows != first->source[i].m.rows)
            return err_set(err, ERR_INPUT, "%s has %zu rows, %s has %zu",
                           first->source[i].path, first->source[i].m.rows,
                           b->source[i].path, b->source[i].m.rows);
    for (size_t i = 0; i < r->part_count; i++)
        r->set->part_rows[r->parts[i]] = b->source[i].m.rows;
    r->rows = b->rows;
    return 0;
}

/* All numbers of a block, as they stand in its files. One file's are not
 * copied. */
static int whole_field(struct reading *r, const struct block *b,
                       struct data_field *f, struct err *err)
{
    const struct matrix *m = &b->source[0].m;
    float *to = m->numbers;
    for (size_t c = 0; c < b->columns; c++)
        if (block_has(b, c) & HAS_WORD) {
            struct str **words = block_words(r, b, &c, 1);
            for (size_t i = 0; i < b->rows; i++)
                if (isnan(block_row(b, i)[c]) &&
                    !data_is_missing(words[0][i]) &&
                    reading_fail(
                        r, b, i, c, err, "\"%.*s\" where a number belongs",
                        words[0][i].len < 60 ? (int)words[0][i].len : 60,
                        words[0][i].p))
                    return -1;
        }
    if (b->sources > 1) {
        to = arena_array(r->set->arena, b->rows * b->columns, sizeof(*to));
        for (size_t i = 0, at = 0; i < b->sources; i++) {
            size_t count = b->source[i].m.rows * b->columns;
            memcpy(to + at, b->source[i].m.numbers, count * sizeof(*to));
            at += count;
        }
    }
    *f = (struct data_field){
        .rank = m->rank, .columns = (int64_t)b->columns, .numbers = to};
    memcpy(f->dim, m->dim, sizeof(f->dim));
    return 0;
}

static int fill_gaps(struct reading *r, const struct block *b,
                     struct data_field *f, struct err *err)
{
    enum missing how;
    size_t count = b->rows * b->columns;
    float *to = (float *)(uintptr_t)f->numbers; /* ours until it is read */
    if (data_spec_missing(r->spec, &how, err))
        return -1;
    for (size_t i = 0; i < count; i++) {
        if (isfinite(to[i]))
            continue;
        bool refuse = how == MISSING_ERROR || how == MISSING_DROP;
        if (refuse && reading_fail_gap(r, b, i / b->columns, i % b->columns,
                                       "mean or 0", err))
            return -1;
        if (refuse) {
            to[i] = 0;
            continue;
        }
        r->infinite += isinf(to[i]) != 0;
        to[i] = how == MISSING_ZERO ? 0 : NAN;
        f->missing = how == MISSING_MEAN;
    }
    return 0;
}

static int one_input(struct reading *r, size_t item, struct block *b,
                     struct data_field *f, struct text *text, struct err *err)
{
    struct data_text_style style;
    int as_text = data_spec_text(r->spec, &style, err);
    if (as_text < 0 || read_role(r, "inputs", item, as_text, b, err))
        return -1;
    if (!as_text)
        return whole_field(r, b, f, err) || fill_gaps(r, b, f, err);
    size_t column = 0;
    r->rows = b->rows;
    return data_text_field(r, block_words(r, b, &column, 1)[0], &style, text, f,
                           err);
}

static int wide_label(struct reading *r, const struct block *b,
                      struct data_field *f, struct err *err)
{
    size_t *columns = arena_array(r->scratch, b->columns + 1, sizeof(*columns));
    bool table = b->source[0].m.has;
    for (size_t c = 0; c < b->columns; c++)
        columns[c] = c;
    if (table)
        return data_wide_label(r, b, columns, b->columns, f, err);
    if (whole_field(r, b, f, err))
        return -1;
    for (size_t i = 0; i < b->rows * b->columns; i++)
        if (!isfinite(f->numbers[i]) &&
            (r->bad ? reading_fail_label(r, b, i / b->columns, i % b->columns,
                                         isnan(f->numbers[i]), err,
                                         "the label is infinite")
                    : block_fail_gap(b, i / b->columns, i % b->columns, NULL,
                                     err)))
            return -1;
    return 0;
}

static int one_label(struct reading *r, size_t item, struct block *b,
                     struct data_field *f, struct err *err)
{
    if (read_role(r, "labels", item, false, b, err))
        return -1;
    r->rows = b->rows;
    if (b->columns == 1)
        return data_classes(r, b, 0, f, err);
    return wide_label(r, b, f, err);
}

static size_t count_of(const struct value *v)
{
    return !v ? 0 : v->kind == VALUE_OBJECT ? v->count : 1;
}

static struct str name_of(struct reading *r, const struct value *v, size_t i,
                          const char *otherwise)
{
    return v->kind == VALUE_OBJECT ? arena_str(r->set->arena, v->keys[i])
                                   : str_of(otherwise);
}

static int known_label(struct reading *r, size_t item,
                       const struct block *first, struct data_field *f,
                       struct err *err)
{
    struct block b;
    if (read_role(r, "labels", item, false, &b, err) ||
        same_rows(r, &b, first, err))
        return -1;
    if (f->columns == 1) {
        if (data_known_classes(r, &b, 0, f, err))
            return -1;
        reading_show_label(r, f);
        return 0;
    }
    struct data_field own = *f;
    if (wide_label(r, &b, &own, err))
        return -1;
    reading_show_label(r, &own);
    f->numbers = own.numbers;
    f->shown = own.shown;
    return (int64_t)b.columns == f->columns
               ? 0
               : err_set(err, ERR_INPUT,
                         "%s: labels of %zu numbers, the model has %lld",
                         b.source[0].path, b.columns, (long long)f->columns);
}

/* Rows of another day may come without their labels. */
static int known_labels(struct reading *r, const struct value *files,
                        const struct block *first, struct err *err)
{
    struct data_set *s = r->set;
    const struct value *known = value_get(r->fitted, STR("labels"));
    struct data_field *labels =
        arena_array(s->arena, known->count + 2, sizeof(*labels));
    if (files && count_of(files) != known->count)
        return err_set_at(err, "data",
                          ": %zu files of labels; the model has %zu labels",
                          count_of(files), known->count);
    for (size_t i = 0; i < known->count; i++) {
        data_fitted_label(s, known->items[i], &labels[i]);
        if (files && known_label(r, i, first, &labels[i], err))
            return -1;
    }
    s->table.labels = labels;
    s->table.label_count = known->count;
    s->label_is_input = value_get(r->fitted, STR("label_is_input"));
    return 0;
}

static int read_labels(struct reading *r, const struct block *first,
                       struct err *err)
{
    const struct value *v = value_get(r->part[0], STR("labels"));
    struct data_set *s = r->set;
    if (data_spec_labels_are_inputs(r->spec)) {
        s->label_is_input = true;
        v = NULL;
    }
    if (r->fitted)
        return known_labels(r, v, first, err);
    size_t count = count_of(v);
    struct data_field *labels =
        arena_array(s->arena, count + 2, sizeof(*labels));
    for (size_t i = 0; i < count; i++) {
        struct block b;
        if (one_label(r, i, &b, &labels[i], err) ||
            same_rows(r, &b, first, err))
            return -1;
        labels[i].name = name_of(r, v, i, "label");
    }
    s->table.labels = labels;
    s->table.label_count = count;
    return 0;
}

static int read_groups(struct reading *r, const struct block *first,
                       struct err *err)
{
    struct block b;
    size_t column = 0;
    if (!value_get(r->part[0], STR("group")))
        return 0;
    if (read_role(r, "group", 0, true, &b, err) || same_rows(r, &b, first, err))
        return -1;
    return data_groups(r, &b, 0, block_words(r, &b, &column, 1)[0], err);
}

/* Inputs of another day, in their order, must be of the shape of training. */
static int fits(struct reading *r, size_t i, const struct block *b,
                const struct data_field *f, struct err *err)
{
    const struct value *known = value_get(r->fitted, STR("inputs"));
    const char *path = b->source[0].path;
    if (value_get(r->fitted, STR("columns")))
        return err_set(err, ERR_INPUT,
                       "%s: the model was trained on a table, not on inputs in "
                       "a file of their own",
                       path);
    const struct value *one = value_at(known, i);
    bool text = value_get(one, STR("words"));
    if (!one || text != !f->numbers)
        return err_set(err, ERR_INPUT,
                       "%s is an input that the model does not have", path);
    return text ? 0 : data_fitted_fits(one, f, path, err);
}

int data_read_pair(struct reading *r, struct err *err)
{
    struct data_set *s = r->set;
    const struct value *v = value_get(r->part[0], STR("inputs"));
    size_t count = count_of(v);
    struct data_field *inputs =
        arena_array(s->arena, count + 1, sizeof(*inputs));
    struct text *texts = arena_array(s->arena, count + 1, sizeof(*texts));
    struct block first = {0};
    for (size_t i = 0; i < count; i++) {
        struct block b;
        if (one_input(r, i, &b, &inputs[i], &texts[i], err))
            return -1;
        if (!i)
            first = b;
        if (same_rows(r, &b, &first, err) ||
            (r->fitted && fits(r, i, &b, &inputs[i], err)))
            return -1;
        inputs[i].name = name_of(r, v, i, "input");
    }
    if (r->fitted && count != value_get(r->fitted, STR("inputs"))->count)
        return err_set_at(err, "data",
                          ": %zu inputs; the model was trained with %zu", count,
                          value_get(r->fitted, STR("inputs"))->count);
    s->table.rows = r->rows;
    reading_note_rows(r, &first);
    s->table.inputs = inputs;
    s->table.input_count = count;
    s->text = value_get(r->spec, STR("text")) ? texts : NULL;
    if (read_labels(r, &first, err) || read_groups(r, &first, err))
        return -1;
    bad_rows_end(r, count == 1 ? &first : NULL);
    return 0;
}
