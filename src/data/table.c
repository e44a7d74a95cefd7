/* table.c - one table whose columns are inputs and labels
 *
 * Every column has one role. Those that nobody names are inputs: numbers as
 * they are, words (a column of nothing else) as one number for each category,
 * of which one is 1. Rows of another day have the columns that the model was
 * trained with, found by name or place; their labels may be missing. */
#include <math.h>

#include "base/num.h"
#include "data/set.h"

#define ONE_HOT_MAX 1000
#define WORDS_NAMED 3 /* columns that one notice names */

enum role { INPUT, LABEL, IGNORED, GROUP, WEIGHT, TEXT, ONE_HOT };

struct columns {
    struct reading *r;
    struct block b;
    unsigned char *role; /* by column */
    struct str **words;  /* by column; NULL where nobody needs them */
    size_t *order;       /* of columns: the inputs come in this one */
    size_t order_count;
    const struct value **categories; /* by column, where they are known */
    struct value *layout;            /* what is found out of them */
    size_t *at; /* rows of another day: where each column of training is */
    enum missing missing;
    size_t gaps; /* numbers that rows lack which are noted for it */
    struct data_text_style style;
};

/* ---- roles ------------------------------------------------------------ */

/* A label that is named may be among the ignored: a study over labels ignores
 * all of them, and each trial learns one. */
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
    bool wins = role == LABEL && t->role[column] == IGNORED &&
                value_get(t->r->spec, STR("label"));
    if (t->role[column] != INPUT && t->role[column] != (unsigned char)role &&
        !wins)
        return err_set_at(err, "data", ": column %zu of %s cannot be %s and %s",
                          column + 1, t->b.source[0].path,
                          names[t->role[column]], names[role]);
    t->role[column] = (unsigned char)role;
    return 0;
}

/* `label: none`, `inputs` and `first`, unless a column has that name. */
static bool label_is(const struct columns *t, const struct value *label,
                     const char *word)
{
    size_t column;
    return str_is(value_text(label), word) &&
           block_column(&t->b, label, &column, NULL) != 0;
}

static const struct value last_column = {.kind = VALUE_INT, .i = -1},
                          first_column = {.kind = VALUE_INT, .i = 1},
                          second_column = {.kind = VALUE_INT, .i = 2};

/* CANDLE's tables of tumours begin with a sample's id and its type. */
static bool begins_with_case(const struct columns *t)
{
    const struct matrix *m = &t->b.source[0].m;
    return m->names && m->columns > 2 && str_is(m->names[0], "case_id") &&
           str_is(m->names[1], "cancer_type");
}

static const struct value *labels_of(const struct columns *t)
{
    const struct value *v = value_get(t->r->spec, STR("label"));
    if (!v)
        return &last_column;
    if (label_is(t, v, "first"))
        return begins_with_case(t) ? &second_column : &first_column;
    return label_is(t, v, "none") || label_is(t, v, "inputs") ? NULL : v;
}

/* ---- the columns that a model was trained with ------------------------ */

#define ABSENT SIZE_MAX

static size_t place_of(const struct value *list, size_t i)
{
    return (size_t)list->items[i]->i;
}

/* By name; of equal ones in their order, the last for all that are left. */
static void find_by_name(const struct columns *t, const struct value *names)
{
    struct map *places = map_new();
    size_t *next = arena_array(t->r->scratch, t->b.columns + 1, sizeof(*next));
    for (size_t i = t->b.columns; i-- > 0;)
        next[i] = (size_t)(uintptr_t)map_set(places, t->b.names[i],
                                             (void *)(uintptr_t)(i + 1));
    for (size_t i = 0; i < names->count; i++) {
        struct str name = names->items[i]->s;
        size_t at = (size_t)(uintptr_t)map_get(places, name);
        t->at[i] = at - 1;
        if (at && next[at - 1])
            map_set(places, name, (void *)(uintptr_t)next[at - 1]);
    }
    map_free(places);
}

/* By place; a table without its labels has the others closed up. */
static int find_by_place(const struct columns *t, size_t count, struct err *err)
{
    const struct value *labels = value_get(t->r->fitted, STR("labels"));
    bool *label = arena_array(t->r->scratch, count + 1, sizeof(*label));
    size_t has = t->b.columns, wanted = count, next = 0;
    for (size_t i = 0; i < labels->count; i++) {
        const struct value *own = value_get(labels->items[i], STR("columns"));
        for (size_t k = 0; k < own->count; k++) {
            wanted -= !label[place_of(own, k)];
            label[place_of(own, k)] = true;
        }
    }
    if (has != count && has != wanted)
        return err_set(err, ERR_INPUT,
                       "%s: rows of %zu columns; the model was trained on %zu, "
                       "%zu without labels",
                       t->b.source[0].path, has, count, wanted);
    for (size_t i = 0; i < count; i++)
        t->at[i] = has == count || !label[i] ? next++ : ABSENT;
    return 0;
}

/* Names may stand twice in a header: then places say which is which. */
static bool same_names(const struct block *b, const struct value *names)
{
    bool same = names->count == b->columns;
    for (size_t i = 0; same && i < names->count; i++)
        same = str_eq(names->items[i]->s, b->names[i]);
    return same;
}

static int find_columns(struct columns *t, struct err *err)
{
    const struct value *names = value_get(t->r->fitted, STR("names"));
    const struct value *columns = value_get(t->r->fitted, STR("columns"));
    if (!columns)
        return err_set(err, ERR_INPUT,
                       "%s is a table; the model was trained on inputs in a "
                       "file of their own",
                       t->b.source[0].path);
    size_t count = (size_t)columns->i;
    t->at = arena_array(t->r->scratch, count + 1, sizeof(*t->at));
    t->order = arena_array(t->r->scratch, count + 1, sizeof(*t->order));
    if (!names || !t->b.names || same_names(&t->b, names))
        return find_by_place(t, count, err);
    find_by_name(t, names);
    return 0;
}

static int know_input(struct columns *t, const struct value *input,
                      struct err *err)
{
    const struct value *own = value_get(input, STR("columns"));
    const struct value *categories = value_get(input, STR("categories"));
    bool text = value_get(input, STR("words"));
    for (size_t k = 0; k < own->count; k++) {
        size_t column = t->at[place_of(own, k)];
        const struct value *known = text ? NULL : categories->items[k];
        if (column == ABSENT)
            return err_set(
                err, ERR_INPUT,
                "%s: there is no column %.*s, which the model was trained with",
                t->b.source[0].path,
                STRF(value_get(t->r->fitted, STR("names"))
                         ->items[place_of(own, k)]
                         ->s));
        bool hot = known && known->kind == VALUE_LIST;
        t->role[column] = text ? TEXT : hot ? ONE_HOT : INPUT;
        t->categories[column] = hot ? known : NULL;
        t->order[t->order_count++] = column;
    }
    return 0;
}

/* A label of which a column is missing, or has no value, is not known. Where
 * rows are to be read as far as they can, it is there as soon as its columns
 * are: what is known of it does not hang on how the file was cut. */
static bool label_is_there(const struct columns *t, const struct value *label)
{
    const struct value *own = value_get(label, STR("columns"));
    for (size_t k = 0; k < own->count; k++) {
        size_t column = t->at[place_of(own, k)];
        if (column == ABSENT || (!t->r->bad && !(block_has(&t->b, column) &
                                                 (HAS_NUMBER | HAS_WORD))))
            return false;
    }
    return true;
}

static int know_roles(struct columns *t, struct err *err)
{
    const struct value *fitted = t->r->fitted;
    const struct value *inputs = value_get(fitted, STR("inputs"));
    const struct value *labels = value_get(fitted, STR("labels"));
    const struct value *weight = value_get(fitted, STR("weight"));
    if (find_columns(t, err))
        return -1;
    memset(t->role, IGNORED, t->b.columns);
    for (size_t i = 0; i < labels->count; i++) {
        const struct value *own = value_get(labels->items[i], STR("columns"));
        for (size_t k = 0;
             label_is_there(t, labels->items[i]) && k < own->count; k++)
            t->role[t->at[place_of(own, k)]] = LABEL;
    }
    if (weight && t->at[weight->i] != ABSENT)
        t->role[t->at[weight->i]] = WEIGHT;
    for (size_t i = 0; i < inputs->count; i++)
        if (know_input(t, inputs->items[i], err))
            return -1;
    return 0;
}

/* ---- the columns of training ------------------------------------------ */

/* pandas writes the index of its rows as a first column without a name. */
static void leave_index_out(struct columns *t)
{
    const struct matrix *m = &t->b.source[0].m;
    if (!m->names || m->names[0].len || t->role[0] != INPUT || m->columns < 2)
        return;
    t->role[0] = IGNORED;
    data_notice(t->r->set,
                "data: the first column of the table has no name: taken as "
                "pandas' index and left out; give it a name to keep it");
}

static void leave_case_out(struct columns *t)
{
    const struct value *label = value_get(t->r->spec, STR("label"));
    bool encodes = label && label_is(t, label, "inputs");
    if (!label || !(encodes || label_is(t, label, "first")) ||
        !begins_with_case(t) || t->role[0] != INPUT)
        return;
    t->role[0] = IGNORED;
    if (encodes && t->role[1] == INPUT)
        t->role[1] = IGNORED;
    data_notice(t->r->set,
                encodes ? "data: case_id and cancer_type are left out"
                        : "data: the label is cancer_type; case_id is left "
                          "out");
}

/* What rows are joined by is a name, no input, unless a key says so. */
static int leave_keys_out(struct columns *t, struct err *err)
{
    for (size_t i = 0; i < t->b.join_count; i++) {
        const struct join *j = &t->b.joins[i];
        if (t->role[j->column] == LABEL)
            return err_set_at(err, "data.label",
                              ": %s joins rows of %s and is the label, too; "
                              "say which column is the label",
                              j->name, j->table->path);
        if (t->role[j->column] == INPUT)
            t->role[j->column] = IGNORED;
    }
    return 0;
}

static int give_roles(struct columns *t, struct err *err)
{
    const struct value *s = t->r->spec;
    struct arena *a = t->r->scratch;
    int text = data_spec_text(s, &t->style, err);
    t->role = arena_alloc(a, t->b.columns + 1);
    t->order = arena_array(a, t->b.columns + 1, sizeof(*t->order));
    t->categories = arena_array(a, t->b.columns + 1, sizeof(*t->categories));
    if (text < 0)
        return -1;
    if (t->r->fitted)
        return know_roles(t, err);
    for (size_t i = 0; i < t->b.columns; i++)
        t->order[t->order_count++] = i;
    if (text && !t->style.column)
        return err_set_at(err, "data.text.column",
                          " is missing: which column of %s is "
                          "text",
                          t->b.source[0].path);
    if (give(t, value_get(s, STR("ignore")), IGNORED, err) ||
        give(t, value_get(s, STR("group")), GROUP, err) ||
        give(t, value_get(s, STR("weight")), WEIGHT, err) ||
        give(t, value_get(s, STR("one_hot")), ONE_HOT, err) ||
        give(t, t->style.column, TEXT, err) ||
        give(t, labels_of(t), LABEL, err))
        return -1;
    leave_index_out(t);
    leave_case_out(t);
    return leave_keys_out(t, err);
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
        if (data_is_missing(word) || num_double(word, &d))
            continue;
        if (t->r->bad && isnan(block_number(&t->b, i, column)))
            reading_fail(t->r, &t->b, i, column, err,
                         "\"%.*s\" where a number belongs",
                         word.len < 60 ? (int)word.len : 60, word.p);
        else if (!t->r->bad)
            return block_fail(&t->b, i, column, err,
                              "\"%.*s\" where a number belongs; name the "
                              "column in one_hot if its values are "
                              "categories, in ignore if it is not needed",
                              word.len < 60 ? (int)word.len : 60, word.p);
    }
    return 0;
}

static void tell_words(struct columns *t, const size_t *column, size_t count)
{
    struct buf names;
    buf_init(&names);
    for (size_t i = 0; i < count && i < WORDS_NAMED; i++) {
        struct str name = block_name(t->r, &t->b, column[i]);
        buf_addf(&names, "%s%.*s", i ? ", " : "", STRF(name));
    }
    if (count > WORDS_NAMED)
        buf_addf(&names, " and %zu more", count - WORDS_NAMED);
    data_notice(t->r->set, "data: %s ha%s words: taken as categories (one_hot)",
                names.p, count == 1 ? "s" : "ve");
    buf_done(&names);
}

/* Columns of words alone are categories; a word among numbers is a fault. */
static int settle_words(struct columns *t, struct err *err)
{
    size_t *found =
        arena_array(t->r->scratch, t->b.columns + 1, sizeof(*found));
    size_t count = 0;
    for (size_t i = 0; i < t->b.columns; i++) {
        unsigned has = block_has(&t->b, i);
        if ((t->role[i] != INPUT && t->role[i] != WEIGHT) || !(has & HAS_WORD))
            continue;
        if (t->r->bad && t->role[i] == WEIGHT)
            continue;
        if (has & HAS_NUMBER || t->role[i] == WEIGHT || t->r->fitted) {
            if (fail_word(t, i, err))
                return -1;
            continue;
        }
        t->role[i] = ONE_HOT;
        found[count++] = i;
    }
    if (count)
        tell_words(t, found, count);
    return 0;
}

static bool is_gap(struct columns *t, size_t row, size_t column)
{
    if (t->words[column])
        return data_is_missing(t->words[column][row]);
    float x = block_number(&t->b, row, column);
    t->r->infinite += isinf(x) != 0;
    return !isfinite(x);
}

static int drop_gaps(struct columns *t, struct err *err)
{
    bool *gap = arena_array(t->r->scratch, t->b.rows + 1, sizeof(*gap));
    for (size_t i = 0; i < t->b.columns; i++)
        for (size_t row = 0;
             t->role[i] != IGNORED && t->role[i] != TEXT && row < t->b.rows;
             row++)
            gap[row] |= is_gap(t, row, i);
    for (size_t i = 0; i < t->b.join_count; i++)
        for (size_t row = 0; row < t->b.rows; row++)
            gap[row] |=
                t->b.joins[i].row_of[row] == t->b.joins[i].table->m.rows;
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
    struct str *names;       /* of its categories */
    size_t width;
};

static int fail_category(const struct columns *t, size_t i, size_t column,
                         struct err *err)
{
    size_t row = reading_row(t->r, i);
    struct str word = t->words[column][row];
    if (data_is_missing(word))
        return reading_fail(t->r, &t->b, row, column, err,
                            "the value is missing%s",
                            t->r->bad ? "" : "; say missing: mean, drop or 0");
    return reading_fail(t->r, &t->b, row, column, err,
                        "the model was not trained with \"%.*s\"",
                        word.len < 60 ? (int)word.len : 60, word.p);
}

/* Words that training rows did not have are none of the categories. */
static void tell_unseen(struct columns *t, size_t column,
                        const int32_t *category)
{
    size_t count = 0, first = 0;
    for (size_t i = 0; i < t->r->rows; i++) {
        size_t row = reading_row(t->r, i);
        if (category[i] >= 0 || data_is_missing(t->words[column][row]))
            continue;
        if (!count++)
            first = row;
    }
    struct str word = count ? t->words[column][first] : STR("");
    struct str name = block_name(t->r, &t->b, column);
    if (count)
        data_notice(t->r->set,
                    "data: %zu row%s in column %.*s what the model was not "
                    "trained with, \"%.*s\" first: taken as none of its "
                    "categories",
                    count, count == 1 ? " has" : "s have", STRF(name),
                    word.len < 60 ? (int)word.len : 60, word.p);
}

static int one_hot_piece(struct columns *t, size_t column, struct piece *p,
                         struct err *err)
{
    const struct value *known = t->categories[column];
    p->column = column;
    if (known) {
        p->category =
            data_known_categories(t->r, t->words[column], known, t->r->scratch);
        p->width = known->count;
        p->names = arena_array(t->r->scratch, p->width + 1, sizeof(*p->names));
        for (size_t i = 0; i < p->width; i++)
            p->names[i] = known->items[i]->s;
    } else {
        p->category = data_categories(t->r, t->words[column], t->r->scratch,
                                      &p->names, &p->width);
    }
    if (p->width > ONE_HOT_MAX) {
        struct str name = block_name(t->r, &t->b, column);
        return err_set(err, ERR_INPUT,
                       "%s: column %.*s has %zu different words; is it a name "
                       "of the row? Then ignore it",
                       t->b.source[0].path, STRF(name), p->width);
    }
    if (known && t->missing != MISSING_ERROR)
        tell_unseen(t, column, p->category);
    if (t->missing != MISSING_ERROR)
        return 0;
    for (size_t i = 0; i < t->r->rows; i++)
        if (p->category[i] < 0 && fail_category(t, i, column, err))
            return -1;
    return 0;
}

/* What a person who uses the model later must know of the columns. */
static void note_pieces(struct columns *t, const struct piece *pieces,
                        size_t count)
{
    struct arena *a = t->r->set->arena;
    struct value *to = value_object(a), *columns = value_list(a);
    struct value *categories = value_list(a);
    for (size_t i = 0; i < count; i++) {
        const struct piece *p = &pieces[i];
        struct value *names = p->category ? value_list(a) : value_null(a);
        for (size_t k = 0; p->category && p->names && k < p->width; k++)
            value_list_add(a, names, value_string(a, p->names[k]));
        value_list_add(a, columns, value_int(a, (int64_t)p->column));
        value_list_add(a, categories, names);
    }
    value_set(a, to, STR("columns"), columns);
    value_set(a, to, STR("categories"), categories);
    value_list_add(a, value_get(t->layout, STR("inputs")), to);
}

/* A number that is missing or not finite: filled, left for the view, or
 * refused. */
static int fill_gap(struct columns *t, size_t row, size_t column, float *to,
                    struct data_field *f, struct err *err)
{
    if (t->missing == MISSING_ERROR) {
        t->gaps++;
        *to = 0;
        return reading_fail_gap(t->r, &t->b, row, column, "mean, drop or 0",
                                err);
    }
    t->r->infinite += isinf(*to) != 0;
    *to = t->missing == MISSING_ZERO ? 0 : NAN;
    f->missing |= t->missing != MISSING_ZERO;
    return 0;
}

/* Row i of the table in some of its columns. */
static int fill_row(struct columns *t, const struct piece *pieces, size_t count,
                    size_t i, float *to, struct data_field *f, struct err *err)
{
    size_t row = reading_row(t->r, i);
    for (size_t k = 0; k < count; to += pieces[k++].width) {
        const struct piece *p = &pieces[k];
        if (p->category && p->category[i] >= 0)
            to[p->category[i]] = 1;
        if (p->category)
            continue;
        *to = block_number(&t->b, row, p->column);
        if (!isfinite(*to) && fill_gap(t, row, p->column, to, f, err))
            return -1;
    }
    return 0;
}

static size_t width_of(const struct piece *pieces, size_t count)
{
    size_t width = 0;
    for (size_t k = 0; k < count; k++)
        width += pieces[k].width;
    return width;
}

/* Columns of the table itself. */
static int own_numbers(struct columns *t, const struct piece *pieces,
                       size_t count, float **numbers, struct data_field *f,
                       struct err *err)
{
    size_t width = width_of(pieces, count), rows = t->r->rows;
    float *to = arena_array(t->r->set->arena, rows * width, sizeof(*to));
    for (size_t i = 0; i < rows; i++)
        if (fill_row(t, pieces, count, i, to + i * width, f, err))
            return -1;
    *numbers = to;
    return 0;
}

/* Numbers of rows of a joined table that no row has: they are never used, but
 * equal to those that another join of the table has. */
static void fill_unused(struct columns *t, const struct join *j,
                        const struct piece *pieces, size_t count,
                        const bool *filled, float *to)
{
    const struct matrix *m = &j->table->m;
    for (size_t row = 0; row < m->rows; row++)
        for (size_t k = 0; k < count; to += pieces[k++].width) {
            size_t column = join_column(j, pieces[k].column);
            float x = m->numbers[row * m->columns + column];
            if (filled[row] || pieces[k].category)
                continue;
            *to = isfinite(x) ? x : t->missing == MISSING_MEAN ? NAN : 0;
        }
}

/* Columns of a table that is joined: each of its rows once; the last is that
 * of keys that it lacks. */
static int joined_numbers(struct columns *t, const struct join *j,
                          const struct piece *pieces, size_t count,
                          struct data_piece *p, struct data_field *f,
                          struct err *err)
{
    struct data_set *s = t->r->set;
    size_t width = width_of(pieces, count);
    uint32_t *row_of = arena_array(s->arena, t->r->rows + 1, sizeof(*row_of));
    p->rows = j->table->m.rows + 1;
    float *to = arena_array(t->r->scratch, p->rows * width + 1, sizeof(*to));
    bool *filled = arena_array(t->r->scratch, p->rows, sizeof(*filled));
    bool *lacks = arena_array(t->r->scratch, p->rows, sizeof(*lacks));
    for (size_t i = 0; i < t->r->rows; i++) {
        uint32_t own = row_of[i] = j->row_of[reading_row(t->r, i)];
        size_t before = t->gaps;
        if (filled[own] && !lacks[own])
            continue;
        if (fill_row(t, pieces, count, i, to + own * width, f, err))
            return -1;
        filled[own] = true;
        lacks[own] = t->gaps > before; /* which is a fault of each row */
    }
    fill_unused(t, j, pieces, count, filled, to);
    p->numbers = to;
    p->row_of = row_of;
    return 0;
}

/* Joins of one file often have the same numbers: then they share them. */
static const float *share_numbers(struct columns *t,
                                  const struct data_piece *pieces, size_t i)
{
    const struct data_piece *p = &pieces[i];
    size_t bytes = p->rows * p->columns * sizeof(float);
    for (size_t k = 0; k < i; k++)
        if (pieces[k].row_of && pieces[k].rows == p->rows &&
            pieces[k].columns == p->columns &&
            memcmp(pieces[k].numbers, p->numbers, bytes) == 0)
            return pieces[k].numbers;
    float *kept =
        arena_array(t->r->set->arena, bytes / sizeof(float) + 1, sizeof(float));
    memcpy(kept, p->numbers, bytes);
    return kept;
}

/* Neighbouring columns of one table are a piece of the input. */
static int joined_input(struct columns *t, const struct piece *pieces,
                        size_t count, struct data_field *f, struct err *err)
{
    struct data_piece *to =
        arena_array(t->r->set->arena, count + 1, sizeof(*to));
    size_t at = 0, made = 0;
    for (size_t k = 0, end; k < count; k = end) {
        const struct join *j = block_join(&t->b, pieces[k].column);
        struct data_piece *p = &to[made];
        float *own = NULL;
        for (end = k + 1; end < count; end++)
            if (block_join(&t->b, pieces[end].column) != j)
                break;
        *p = (struct data_piece){.at = at,
                                 .columns = width_of(pieces + k, end - k)};
        if (j ? joined_numbers(t, j, pieces + k, end - k, p, f, err)
              : own_numbers(t, pieces + k, end - k, &own, f, err))
            return -1;
        if (j) {
            p->numbers = share_numbers(t, to, made);
        } else {
            p->numbers = own;
            p->rows = t->r->rows;
        }
        at += p->columns;
        made += p->columns > 0;
    }
    f->pieces = to;
    f->piece_count = made;
    return 0;
}

/* The columns that are numbers or categories, in their order. */
static int find_pieces(struct columns *t, struct piece *pieces, size_t *count,
                       struct err *err)
{
    *count = 0;
    for (size_t k = 0; k < t->order_count; k++) {
        size_t i = t->order[k];
        if (t->role[i] != INPUT && t->role[i] != ONE_HOT)
            continue;
        pieces[*count] = (struct piece){.column = i, .width = 1};
        if (t->role[i] == ONE_HOT && one_hot_piece(t, i, &pieces[*count], err))
            return -1;
        ++*count;
    }
    return 0;
}

static int number_input(struct columns *t, struct data_field *f,
                        struct err *err)
{
    struct piece *pieces =
        arena_array(t->r->scratch, t->b.columns + 1, sizeof(*pieces));
    size_t count;
    float *own = NULL;
    if (find_pieces(t, pieces, &count, err))
        return -1;
    size_t width = width_of(pieces, count);
    if (!width)
        return 0;
    note_pieces(t, pieces, count);
    *f = (struct data_field){.name = STR("input"),
                             .rank = 1,
                             .dim = {(int64_t)width},
                             .columns = (int64_t)width};
    if (t->b.join_count ? joined_input(t, pieces, count, f, err)
                        : own_numbers(t, pieces, count, &own, f, err))
        return -1;
    f->numbers = own;
    return 1;
}

static void note_columns(struct columns *t, const char *key,
                         const size_t *columns, size_t count)
{
    struct arena *a = t->r->set->arena;
    struct value *to = value_object(a), *list = value_list(a);
    for (size_t i = 0; i < count; i++)
        value_list_add(a, list, value_int(a, (int64_t)columns[i]));
    value_set(a, to, STR("columns"), list);
    value_list_add(a, value_get(t->layout, str_of(key)), to);
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
    for (size_t k = 0; k < t->order_count; k++) {
        size_t i = t->order[k];
        if (t->role[i] != TEXT)
            continue;
        note_columns(t, "inputs", &i, 1);
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

static int one_label(struct columns *t, const struct value *v,
                     struct data_field *f, struct err *err)
{
    bool wide = v->kind == VALUE_LIST;
    size_t count = wide ? v->count : 1;
    size_t *column = arena_array(t->r->scratch, count + 1, sizeof(*column));
    for (size_t k = 0; k < count; k++)
        if (block_column(&t->b, wide ? v->items[k] : v, &column[k], err))
            return -1;
    note_columns(t, "labels", column, count);
    return wide ? data_wide_label(t->r, &t->b, column, count, f, err)
                : data_classes(t->r, &t->b, column[0], f, err);
}

static int known_label(struct columns *t, const struct value *v,
                       struct data_field *f, struct err *err)
{
    const struct value *own = value_get(v, STR("columns"));
    size_t *column =
        arena_array(t->r->scratch, own->count + 1, sizeof(*column));
    data_fitted_label(t->r->set, v, f);
    if (!label_is_there(t, v))
        return 0;
    for (size_t k = 0; k < own->count; k++)
        column[k] = t->at[place_of(own, k)];
    if (own->count > 1
            ? data_wide_label(t->r, &t->b, column, own->count, f, err)
            : data_known_classes(t->r, &t->b, column[0], f, err))
        return -1;
    reading_show_label(t->r, f);
    return 0;
}

static int known_labels(struct columns *t, struct err *err)
{
    struct data_set *s = t->r->set;
    const struct value *v = value_get(t->r->fitted, STR("labels"));
    struct data_field *labels =
        arena_array(s->arena, v->count + 2, sizeof(*labels));
    for (size_t i = 0; i < v->count; i++)
        if (known_label(t, v->items[i], &labels[i], err))
            return -1;
    s->table.labels = labels;
    s->table.label_count = v->count;
    s->label_is_input = value_get(t->r->fitted, STR("label_is_input"));
    return 0;
}

static int make_labels(struct columns *t, struct err *err)
{
    struct data_set *s = t->r->set;
    if (t->r->fitted)
        return known_labels(t, err);
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

/* A label has one table. */
static int check_label(const struct columns *t, struct err *err)
{
    if (!t->r->set->label_is_input || !t->b.join_count)
        return 0;
    return err_set_at(err, "data.label",
                      ": inputs that are joined cannot be the label as well: "
                      "write the joined table into a file first");
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
        value_set(s->arena, t->layout, STR("weight"),
                  value_int(s->arena, (int64_t)c));
        float *w = arena_array(s->arena, t->r->rows + 1, sizeof(*w));
        for (size_t i = 0; i < t->r->rows; i++) {
            size_t row = reading_row(t->r, i);
            w[i] = block_number(&t->b, row, c);
            bool sound = w[i] >= 0 && !isinf(w[i]);
            if (!sound && t->r->bad)
                w[i] = 0; /* nothing that is predicted hangs on it */
            else if (!sound)
                return block_fail(&t->b, row, c, err,
                                  "a weight must be a finite number from 0");
        }
        s->weights = w;
    }
    return 0;
}

static void begin_layout(struct columns *t)
{
    struct arena *a = t->r->set->arena;
    const struct str *own = t->b.names;
    struct value *names = value_list(a);
    t->layout = value_object(a);
    value_set(a, t->layout, STR("columns"),
              value_int(a, (int64_t)t->b.columns));
    for (size_t i = 0; own && i < t->b.columns; i++)
        value_list_add(a, names, value_string(a, own[i]));
    if (own)
        value_set(a, t->layout, STR("names"), names);
    if (t->b.source[0].m.has)
        value_set(a, t->layout, STR("separator"),
                  value_string(a, str_n(&t->b.source[0].m.separator, 1)));
    value_set(a, t->layout, STR("inputs"), value_list(a));
    value_set(a, t->layout, STR("labels"), value_list(a));
    t->r->set->layout = t->layout;
}

/* A table of one text and its label may come without the label: then nothing
 * in it shows what separates columns, and commas of the text must not. */
static void know_separator(struct reading *r)
{
    const struct value *labels = value_get(r->fitted, STR("labels"));
    const struct value *count = value_get(r->fitted, STR("columns"));
    struct str mark = value_text(value_get(r->fitted, STR("separator")));
    int64_t left = count ? count->i : 0;
    for (size_t i = 0; count && i < labels->count; i++)
        left -= (int64_t)value_get(labels->items[i], STR("columns"))->count;
    if (left == 1 && mark.len && !r->style.separator)
        r->style.separator = mark.p[0];
}

/* Which names a header of rows of another day has: none, where that of
 * training had none. */
static void know_names(struct reading *r)
{
    const struct value *names = value_get(r->fitted, STR("names"));
    if (r->fitted)
        r->style.names = names ? names : value_list(r->scratch);
}

/* How many cells a row without a header has: with labels, or without. */
static void know_cells(struct reading *r)
{
    const struct value *labels = value_get(r->fitted, STR("labels"));
    const struct value *count = value_get(r->fitted, STR("columns"));
    if (!r->bad || !count || value_get(r->spec, STR("join")))
        return;
    size_t left = (size_t)count->i;
    r->style.fits[0] = left;
    for (size_t i = 0; i < labels->count; i++)
        left -= value_get(labels->items[i], STR("columns"))->count;
    r->style.fits[1] = left;
}

/* A row of another day that lacks a value is noted, and not just left out. */
static int spec_missing(struct columns *t, struct err *err)
{
    if (data_spec_missing(t->r->spec, &t->missing, err))
        return -1;
    if (t->r->bad && t->missing == MISSING_DROP)
        t->missing = MISSING_ERROR;
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
    know_separator(r);
    know_names(r);
    know_cells(r);
    if (block_read(r, paths, false, r->scratch, &t.b, err) ||
        spec_missing(&t, err) || data_join(r, &t.b, t.missing, err) ||
        give_roles(&t, err))
        return -1;
    for (size_t i = 0; i < r->part_count; i++)
        r->set->part_rows[r->parts[i]] = t.b.source[i].m.rows;
    r->rows = t.b.rows;
    begin_layout(&t);
    read_words(&t);
    if (settle_words(&t, err) ||
        (t.missing == MISSING_DROP && drop_gaps(&t, err)))
        return -1;
    r->set->table.rows = r->rows;
    reading_note_rows(r, &t.b);
    if (make_labels(&t, err) || check_label(&t, err) || make_weights(&t, err) ||
        make_inputs(&t, err))
        return -1;
    bad_rows_end(r, &t.b);
    return 0;
}
