/* table.c - one table whose columns are inputs and labels
 *
 * Every column has one role. Those that nobody names are inputs: numbers as
 * they are, words (a column of nothing else) as one number for each category,
 * of which one is 1. */
#include <math.h>

#include "base/num.h"
#include "data/set.h"

#define ONE_HOT_MAX 1000

enum role { INPUT, LABEL, IGNORED, GROUP, WEIGHT, TEXT, ONE_HOT };

struct columns {
    struct reading *r;
    struct block b;
    unsigned char *role; /* by column */
    struct str **words;  /* by column; NULL where nobody needs them */
    enum missing missing;
    struct data_text_style style;
};

/* ---- roles ------------------------------------------------------------ */

static int give(struct columns *t, const struct value *v, enum role role,
                struct err *err)
{
    static const char *const names[] = {"an input", "a label",  "ignored",
                                        "a group",  "a weight", "text",
                                        "one_hot"};
    size_t column;
    if (!v)
        return 0;
    if (v->kind == VALUE_LIST || v->kind == VALUE_OBJECT) {
        for (size_t i = 0; i < v->count; i++)
            if (give(t, v->items[i], role, err))
                return -1;
        return 0;
    }
    if (block_column(&t->b, v, &column, err))
        return -1;
    if (t->role[column] != INPUT && t->role[column] != (unsigned char)role)
        return err_set(err, ERR_INPUT,
                       "data: column %zu of %s cannot be %s and %s", column + 1,
                       t->b.source[0].path, names[t->role[column]],
                       names[role]);
    t->role[column] = (unsigned char)role;
    return 0;
}

/* `label: none` and `label: inputs`, unless a column has that name. */
static bool label_is(const struct columns *t, const struct value *label,
                     const char *word)
{
    size_t column;
    return str_is(value_text(label), word) &&
           block_column(&t->b, label, &column, NULL) != 0;
}

static const struct value last_column = {.kind = VALUE_INT, .i = -1};

static const struct value *labels_of(const struct columns *t)
{
    const struct value *v = value_get(t->r->spec, STR("label"));
    if (!v)
        return &last_column;
    return label_is(t, v, "none") || label_is(t, v, "inputs") ? NULL : v;
}

static int give_roles(struct columns *t, struct err *err)
{
    const struct value *s = t->r->spec;
    int text = data_spec_text(s, &t->style, err);
    t->role = arena_alloc(t->r->scratch, t->b.columns + 1);
    if (text < 0)
        return -1;
    if (text && !t->style.column)
        return err_set(err, ERR_INPUT,
                       "data.text.column is missing: which column of %s is "
                       "text",
                       t->b.source[0].path);
    if (give(t, value_get(s, STR("ignore")), IGNORED, err) ||
        give(t, value_get(s, STR("group")), GROUP, err) ||
        give(t, value_get(s, STR("weight")), WEIGHT, err) ||
        give(t, value_get(s, STR("one_hot")), ONE_HOT, err) ||
        give(t, t->style.column, TEXT, err) ||
        give(t, labels_of(t), LABEL, err))
        return -1;
    return 0;
}

/* ---- words ------------------------------------------------------------ */

static void read_words(struct columns *t)
{
    struct arena *a = t->r->scratch;
    size_t *wanted = arena_array(a, t->b.columns + 1, sizeof(*wanted));
    size_t count = 0;
    t->words = arena_array(a, t->b.columns + 1, sizeof(*t->words));
    for (size_t i = 0; i < t->b.columns; i++) {
        bool always =
            t->role[i] == GROUP || t->role[i] == TEXT || t->role[i] == ONE_HOT;
        if (t->role[i] != IGNORED && (always || block_has(&t->b, i) & HAS_WORD))
            wanted[count++] = i;
    }
    if (!count)
        return;
    struct str **words = block_words(t->r, &t->b, wanted, count);
    for (size_t k = 0; k < count; k++)
        t->words[wanted[k]] = words[k];
}

static int fail_word(const struct columns *t, size_t column, struct err *err)
{
    double d;
    for (size_t i = 0; i < t->b.rows; i++) {
        struct str word = t->words[column][i];
        if (!data_is_missing(word) && !num_double(word, &d))
            return block_fail(&t->b, i, column, err,
                              "\"%.*s\" where a number belongs; name the "
                              "column in one_hot if its values are "
                              "categories, in ignore if it is not needed",
                              word.len < 60 ? (int)word.len : 60, word.p);
    }
    return 0;
}

/* Columns of words alone are categories; a word among numbers is a fault. */
static int settle_words(struct columns *t, struct err *err)
{
    for (size_t i = 0; i < t->b.columns; i++) {
        unsigned has = block_has(&t->b, i);
        if ((t->role[i] != INPUT && t->role[i] != WEIGHT) || !(has & HAS_WORD))
            continue;
        if (has & HAS_NUMBER || t->role[i] == WEIGHT)
            return fail_word(t, i, err);
        t->role[i] = ONE_HOT;
        struct str name = block_name(t->r, &t->b, i);
        data_notice(t->r->set,
                    "data: %.*s has words: taken as categories (one_hot)",
                    STRF(name));
    }
    return 0;
}

static bool is_gap(const struct columns *t, size_t row, size_t column)
{
    return t->words[column] ? data_is_missing(t->words[column][row])
                            : isnan(block_row(&t->b, row)[column]);
}

static int drop_gaps(struct columns *t, struct err *err)
{
    bool *gap = arena_array(t->r->scratch, t->b.rows + 1, sizeof(*gap));
    for (size_t i = 0; i < t->b.columns; i++)
        for (size_t row = 0;
             t->role[i] != IGNORED && t->role[i] != TEXT && row < t->b.rows;
             row++)
            gap[row] |= is_gap(t, row, i);
    reading_drop(t->r, &t->b, gap);
    if (!t->r->rows)
        return err_set(err, ERR_INPUT,
                       "%s: every row has a missing value: none is left",
                       t->b.source[0].path);
    if (t->r->rows < t->b.rows)
        data_notice(t->r->set,
                    "data: %zu of %zu rows have missing values and are left "
                    "out",
                    t->b.rows - t->r->rows, t->b.rows);
    return 0;
}

/* ---- inputs ----------------------------------------------------------- */

struct piece { /* of the input: a column, or its categories */
    size_t column;
    const int32_t *category; /* by row; NULL: a number */
    size_t width;
};

static int one_hot_piece(struct columns *t, size_t column, struct piece *p,
                         struct err *err)
{
    struct str *names;
    p->column = column;
    p->category = data_categories(t->r, t->words[column], t->r->scratch, &names,
                                  &p->width);
    if (p->width > ONE_HOT_MAX)
        return err_set(err, ERR_LIMIT,
                       "%s: column %zu has %zu different words; is it a name "
                       "of the row? Then ignore it",
                       t->b.source[0].path, column + 1, p->width);
    if (t->missing != MISSING_ERROR)
        return 0;
    for (size_t i = 0; i < t->r->rows; i++)
        if (p->category[i] < 0)
            return block_fail(&t->b, reading_row(t->r, i), column, err,
                              "is missing; say missing: mean, drop or 0");
    return 0;
}

/* A number that is missing: filled, left for the view, or refused. */
static int fill_gap(struct columns *t, size_t row, size_t column, float *to,
                    struct data_field *f, struct err *err)
{
    if (t->missing == MISSING_ERROR)
        return block_fail(&t->b, row, column, err,
                          "is missing; say missing: mean, drop or 0");
    if (t->missing == MISSING_ZERO)
        *to = 0;
    else
        f->missing = true;
    return 0;
}

static int fill_row(struct columns *t, const struct piece *pieces, size_t count,
                    size_t i, float *to, struct data_field *f, struct err *err)
{
    size_t row = reading_row(t->r, i);
    const float *from = block_row(&t->b, row);
    for (size_t k = 0; k < count; to += pieces[k++].width) {
        const struct piece *p = &pieces[k];
        if (p->category && p->category[i] >= 0)
            to[p->category[i]] = 1;
        if (p->category)
            continue;
        *to = from[p->column];
        if (isnan(*to) && fill_gap(t, row, p->column, to, f, err))
            return -1;
    }
    return 0;
}

static int number_input(struct columns *t, struct data_field *f,
                        struct err *err)
{
    struct arena *a = t->r->scratch;
    struct piece *pieces = arena_array(a, t->b.columns + 1, sizeof(*pieces));
    size_t count = 0, width = 0;
    for (size_t i = 0; i < t->b.columns; i++) {
        if (t->role[i] != INPUT && t->role[i] != ONE_HOT)
            continue;
        pieces[count] = (struct piece){.column = i, .width = 1};
        if (t->role[i] == ONE_HOT && one_hot_piece(t, i, &pieces[count], err))
            return -1;
        width += pieces[count++].width;
    }
    if (!width)
        return 0;
    float *to = arena_array(t->r->set->arena, t->r->rows * width, sizeof(*to));
    *f = (struct data_field){.name = STR("input"),
                             .rank = 1,
                             .dim = {(int64_t)width},
                             .columns = (int64_t)width,
                             .numbers = to};
    for (size_t i = 0; i < t->r->rows; i++)
        if (fill_row(t, pieces, count, i, to + i * width, f, err))
            return -1;
    return 1;
}

static int make_inputs(struct columns *t, struct err *err)
{
    struct data_set *s = t->r->set;
    struct data_field *inputs =
        arena_array(s->arena, t->b.columns + 1, sizeof(*inputs));
    struct text *texts =
        arena_array(s->arena, t->b.columns + 1, sizeof(*texts));
    size_t count = 0;
    bool any = false;
    for (size_t i = 0; i < t->b.columns; i++) {
        if (t->role[i] != TEXT)
            continue;
        if (data_text_field(t->r, t->words[i], &t->style, &texts[count],
                            &inputs[count], err))
            return -1;
        inputs[count++].name = block_name(t->r, &t->b, i);
        any = true;
    }
    int numbers = number_input(t, &inputs[count], err);
    if (numbers < 0)
        return -1;
    count += (size_t)numbers;
    if (!count)
        return err_set(err, ERR_INPUT, "%s: no column is left for inputs",
                       t->b.source[0].path);
    s->table.inputs = inputs;
    s->table.input_count = count;
    s->text = any ? texts : NULL;
    return 0;
}

/* ---- labels ----------------------------------------------------------- */

/* A label of several columns: their numbers, side by side. */
static int wide_label(struct columns *t, const struct value *list,
                      struct data_field *f, struct err *err)
{
    size_t *column =
        arena_array(t->r->scratch, list->count + 1, sizeof(*column));
    for (size_t k = 0; k < list->count; k++)
        if (block_column(&t->b, list->items[k], &column[k], err))
            return -1;
    float *to = arena_array(t->r->set->arena, t->r->rows * list->count + 1,
                            sizeof(*to));
    *f = (struct data_field){.rank = 1,
                             .dim = {(int64_t)list->count},
                             .columns = (int64_t)list->count,
                             .numbers = to};
    for (size_t i = 0; i < t->r->rows; i++)
        for (size_t k = 0; k < list->count; k++, to++) {
            *to = block_row(&t->b, reading_row(t->r, i))[column[k]];
            if (isnan(*to))
                return block_fail(&t->b, reading_row(t->r, i), column[k], err,
                                  "a label of several columns must be "
                                  "numbers");
        }
    return 0;
}

static int one_label(struct columns *t, const struct value *v,
                     struct data_field *f, struct err *err)
{
    size_t column;
    if (v->kind == VALUE_LIST)
        return wide_label(t, v, f, err);
    return block_column(&t->b, v, &column, err)
               ? -1
               : data_classes(t->r, &t->b, column, f, err);
}

static int make_labels(struct columns *t, struct err *err)
{
    struct data_set *s = t->r->set;
    const struct value *v = labels_of(t);
    bool several = v && (v->kind == VALUE_LIST || v->kind == VALUE_OBJECT);
    size_t count = !v ? 0 : several ? v->count : 1;
    struct data_field *labels =
        arena_array(s->arena, count + 2, sizeof(*labels));
    for (size_t i = 0; i < count; i++) {
        if (one_label(t, several ? v->items[i] : v, &labels[i], err))
            return -1;
        if (v->kind == VALUE_OBJECT)
            labels[i].name = arena_str(s->arena, v->keys[i]);
    }
    if (!v && label_is(t, value_get(t->r->spec, STR("label")), "inputs"))
        s->label_is_input = true;
    s->table.labels = labels;
    s->table.label_count = count;
    return 0;
}

static int make_weights(struct columns *t, struct err *err)
{
    struct data_set *s = t->r->set;
    for (size_t c = 0; c < t->b.columns; c++) {
        if (t->role[c] == GROUP &&
            data_groups(t->r, &t->b, c, t->words[c], err))
            return -1;
        if (t->role[c] != WEIGHT)
            continue;
        float *w = arena_array(s->arena, t->r->rows + 1, sizeof(*w));
        for (size_t i = 0; i < t->r->rows; i++) {
            size_t row = reading_row(t->r, i);
            w[i] = block_row(&t->b, row)[c];
            if (!(w[i] >= 0))
                return block_fail(&t->b, row, c, err,
                                  "a weight must be a number from 0");
        }
        s->weights = w;
    }
    return 0;
}

int data_read_table(struct reading *r, struct err *err)
{
    const struct value *paths[PARTS];
    struct columns t = {.r = r};
    for (size_t i = 0; i < r->part_count; i++)
        paths[i] = r->part[i]->kind == VALUE_STRING
                       ? r->part[i]
                       : value_get(r->part[i], STR("file"));
    if (block_read(r, paths, false, r->scratch, &t.b, err) ||
        data_spec_missing(r->spec, &t.missing, err) || give_roles(&t, err))
        return -1;
    for (size_t i = 0; i < r->part_count; i++)
        r->set->part_rows[r->parts[i]] = t.b.source[i].m.rows;
    r->rows = t.b.rows;
    read_words(&t);
    if (settle_words(&t, err) ||
        (t.missing == MISSING_DROP && drop_gaps(&t, err)))
        return -1;
    r->set->table.rows = r->rows;
    return make_labels(&t, err) || make_weights(&t, err) || make_inputs(&t, err)
               ? -1
               : 0;
}
