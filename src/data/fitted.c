/* fitted.c - what was fitted on training rows, for rows of another day
 *
 * Whoever uses a model needs no training data: a text (JSON) says which
 * columns its rows have, the categories of words, the classes of labels, the
 * means that fill gaps, the scaling and the known words:
 *
 *   {"columns": 4, "names": ["a", "colour", "note", "kind"], "weight": 3,
 *    "separator": ",",
 *    "inputs": [{"name": "input", "dims": [3], "columns": [0, 1],
 *                "categories": [null, ["red", "white"]],
 *                "low": …, "high": …, "means": …, "drawn": [0, 2],
 *                "quantiles": …, "shift": …, "scale": …},
 *               {"name": "note", "columns": [2], "words": […],
 *                "classes": 400, "length": 30}],
 *    "labels": [{"name": "kind", "dims": [1], "columns": [3], "classes": 2,
 *                "names": ["no", "yes"]}]}
 *
 * A label of several columns may say "column_names", and in "values" the two
 * words that are its 0 and 1.
 *
 * Sets of files of their own have no columns. Numbers by column are a list, or
 * one number where all are equal. The text is checked as a whole before it is
 * used: everybody else may rely on its form. */
#include <float.h>
#include <math.h>
#include <stdlib.h>

#include "base/json.h"
#include "base/num.h"
#include "data/set.h"

#define COLUMNS_MAX (1 << 28)
#define TABLE_MAX (1 << 22) /* columns */
#define LENGTH_MAX 100000

/* ---- writing ---------------------------------------------------------- */

/* The number of so many digits that is nearest to x: what its text reads as,
 * since whole numbers and powers of ten up to these are exact, and their
 * quotient or product is rounded once. False: it is too small or too large for
 * that. */
static bool round_to(float x, int digits, double *rounded)
{
    static const double tens[] = {
        1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,  1e8,  1e9,  1e10, 1e11,
        1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};
    double size = fabs((double)x);
    if (!(size >= 1e-12 && size < 1e12))
        return false;
    int places = digits - 1; /* behind the point */
    for (double s = size; s < 1; s *= 10)
        places++;
    for (double s = size; s >= 10; s /= 10)
        places--;
    double ten = tens[places < 0 ? -places : places];
    double whole = nearbyint(places < 0 ? size / ten : size * ten);
    size = places < 0 ? whole * ten : whole / ten;
    *rounded = x < 0 ? -size : size;
    return true;
}

/* The shortest number that is the same float. */
static struct value *float_value(struct arena *a, float x)
{
    struct buf b;
    double d = (double)x;
    for (int digits = 6; digits <= 9 && round_to(x, digits, &d); digits++)
        if ((float)d == x)
            return value_double(a, d);
    buf_init(&b);
    for (int digits = 6; digits <= 9; digits++) {
        buf_reset(&b);
        buf_addf(&b, "%.*g", digits, (double)x);
        if (num_double(buf_str(&b), &d) && (float)d == x)
            break;
    }
    buf_done(&b);
    return value_double(a, d);
}

static void set_floats(struct arena *a, struct value *to, const char *key,
                       const float *x, size_t count)
{
    struct value *list;
    bool equal = true;
    if (!x)
        return;
    for (size_t i = 1; i < count; i++)
        equal &= x[i] == x[0];
    list = equal && count ? float_value(a, x[0]) : value_list(a);
    for (size_t i = 0; !equal && i < count; i++)
        value_list_add(a, list, float_value(a, x[i]));
    value_set(a, to, str_of(key), list);
}

static void set_texts(struct arena *a, struct value *to, const char *key,
                      const struct str *texts, size_t count)
{
    struct value *list = value_list(a);
    for (size_t i = 0; i < count; i++)
        value_list_add(a, list, value_string(a, texts[i]));
    value_set(a, to, str_of(key), list);
}

static void set_shape(struct arena *a, struct value *to,
                      const struct data_field *f)
{
    struct value *dims = value_list(a);
    value_set(a, to, STR("name"), value_string(a, f->name));
    for (int i = 0; i < f->rank; i++)
        value_list_add(a, dims, value_int(a, f->dim[i]));
    value_set(a, to, STR("dims"), dims);
}

/* Tokens 0 and 1 are no words; those behind the last word neither. */
static void set_words(struct arena *a, struct value *to,
                      const struct data_field *f)
{
    size_t count = (size_t)f->classes;
    while (count > 2 && !f->class_names[count - 1].len)
        count--;
    value_set(a, to, STR("name"), value_string(a, f->name));
    value_set(a, to, STR("classes"), value_int(a, f->classes));
    value_set(a, to, STR("length"), value_int(a, f->columns));
    set_texts(a, to, "words", f->class_names + 2, count > 2 ? count - 2 : 0);
}

static void set_input(struct arena *a, struct value *to,
                      const struct data_set *s, const struct value *spec,
                      const struct data_view *v, size_t i)
{
    const struct data_field *read = &s->table.inputs[i];
    const struct data_field *f = &v->table->inputs[i];
    const size_t *drawn = v->drawn ? v->drawn[i] : NULL;
    const struct data_fitting *fit = &v->fitting[i];
    size_t columns = (size_t)read->columns;
    enum missing missing;
    if (!data_has_numbers(f)) {
        set_words(a, to, f);
        return;
    }
    set_shape(a, to, read);
    set_floats(a, to, "low", fit->low, columns);
    set_floats(a, to, "high", fit->high, columns);
    if (data_spec_missing(spec, &missing, NULL) == 0 && missing == MISSING_MEAN)
        set_floats(a, to, "means",
                   fit->means ? fit->means : data_means(v, read, a), columns);
    if (drawn) {
        struct value *list = value_list(a);
        for (int64_t k = 0; k < f->columns; k++)
            value_list_add(a, list, value_int(a, (int64_t)drawn[k]));
        value_set(a, to, STR("drawn"), list);
    }
    set_floats(a, to, "quantiles", fit->landmarks,
               (size_t)f->columns * DATA_LANDMARKS);
    set_floats(a, to, "shift", v->shift ? v->shift[i] : NULL,
               (size_t)f->columns);
    set_floats(a, to, "scale", v->scale ? v->scale[i] : NULL,
               (size_t)f->columns);
}

static void set_label(struct arena *a, struct value *to,
                      const struct data_field *f, bool as_class)
{
    bool classes = as_class || !f->numbers;
    set_shape(a, to, f);
    value_set(a, to, STR("classes"), value_int(a, classes ? f->classes : 0));
    if (classes && f->class_names)
        set_texts(a, to, "names", f->class_names, (size_t)f->classes);
    if (f->column_names)
        set_texts(a, to, "column_names", f->column_names, (size_t)f->columns);
    if (f->words)
        set_texts(a, to, "values", f->words, 2);
}

/* Item i of a list of the layout, or a new object. */
static struct value *item_of(struct arena *a, struct value *list, size_t i)
{
    if (i == list->count)
        value_list_add(a, list, value_object(a));
    return list->items[i];
}

static struct value *list_of(struct arena *a, struct value *to, const char *key)
{
    if (!value_get(to, str_of(key)))
        value_set(a, to, str_of(key), value_list(a));
    return value_get(to, str_of(key));
}

void data_fitted_print(struct buf *b, const struct data_set *s,
                       const struct value *spec, const struct data_view *v,
                       const bool *as_class)
{
    struct arena *a = arena_new();
    struct value *to = s->layout ? value_copy(a, s->layout) : value_object(a);
    struct value *inputs = list_of(a, to, "inputs");
    struct value *labels = list_of(a, to, "labels");
    for (size_t i = 0; i < s->table.input_count; i++)
        set_input(a, item_of(a, inputs, i), s, spec, v, i);
    for (size_t i = 0; !s->label_is_input && i < s->table.label_count; i++)
        set_label(a, item_of(a, labels, i), &s->table.labels[i], as_class[i]);
    if (s->label_is_input)
        value_set(a, to, STR("label_is_input"), value_bool(a, true));
    json_print(b, to);
    arena_free(a);
}

/* The columns of a table that a field is, from *at on, less those between. */
static void set_columns(struct arena *a, struct value *to, int64_t columns,
                        int64_t *at, int64_t skip_at, int64_t skip)
{
    struct value *list = value_list(a), *none = value_list(a);
    for (int64_t i = 0; i < columns; i++) {
        if (*at == skip_at)
            *at += skip;
        value_list_add(a, list, value_int(a, (*at)++));
        value_list_add(a, none, value_null(a));
    }
    value_set(a, to, STR("columns"), list);
    value_set(a, to, STR("categories"), none);
}

void data_fitted_plain(struct buf *b, const struct data_table *fields,
                       int64_t label)
{
    struct arena *a = arena_new();
    struct value *to = value_object(a);
    struct value *inputs = list_of(a, to, "inputs");
    struct value *labels = list_of(a, to, "labels");
    int64_t all = 0, at = 0, from = label - 1;
    for (size_t i = 0; i < fields->label_count; i++)
        all += fields->labels[i].columns;
    for (size_t i = 0; i < fields->label_count; i++) {
        struct value *one = item_of(a, labels, i);
        set_label(a, one, &fields->labels[i], true);
        if (label > 0)
            set_columns(a, one, fields->labels[i].columns, &from, -1, 0);
    }
    for (size_t i = 0; i < fields->input_count; i++) {
        struct value *one = item_of(a, inputs, i);
        set_shape(a, one, &fields->inputs[i]);
        if (label > 0)
            set_columns(a, one, fields->inputs[i].columns, &at, label - 1, all);
    }
    if (label > 0)
        value_set(a, to, STR("columns"), value_int(a, at > from ? at : from));
    json_print(b, to);
    arena_free(a);
}

/* ---- checking --------------------------------------------------------- */

/* A whole number from `least` to `most`, or -1. */
static int64_t whole(const struct value *v, int64_t least, int64_t most)
{
    return v && v->kind == VALUE_INT && v->i >= least && v->i <= most ? v->i
                                                                      : -1;
}

static bool is_list(const struct value *v)
{
    return v && v->kind == VALUE_LIST;
}

static bool texts_ok(const struct value *v)
{
    for (size_t i = 0; is_list(v) && i < v->count; i++)
        if (v->items[i]->kind != VALUE_STRING)
            return false;
    return is_list(v);
}

/* Places below `below`; ordered: each above the one before it. */
static bool places_ok(const struct value *v, int64_t below, bool ordered)
{
    for (size_t i = 0; is_list(v) && i < v->count; i++)
        if (whole(v->items[i], 0, below - 1) < 0 ||
            (ordered && i && v->items[i]->i <= v->items[i - 1]->i))
            return false;
    return is_list(v) && v->count;
}

static bool is_float(const struct value *v)
{
    return fabs(value_number(v)) <= (double)FLT_MAX;
}

static bool floats_ok(const struct value *v, int64_t count)
{
    if (!v || value_is_number(v))
        return !v || is_float(v);
    for (size_t i = 0; is_list(v) && i < v->count; i++)
        if (!is_float(v->items[i]))
            return false;
    return is_list(v) && (int64_t)v->count == count;
}

static int64_t width_of(const struct value *v)
{
    const struct value *dims = value_get(v, STR("dims"));
    int64_t width = is_list(dims) && dims->count && dims->count <= 4 ? 1 : -1;
    for (size_t i = 0; width > 0 && i < dims->count; i++) {
        int64_t one = whole(dims->items[i], 1, COLUMNS_MAX);
        width = one < 0 || one > COLUMNS_MAX / width ? -1 : width * one;
    }
    return width;
}

/* Numbers that the columns of a table become. */
static int64_t pieces_width(const struct value *columns,
                            const struct value *categories)
{
    int64_t width = 0;
    if (!is_list(categories) || categories->count != columns->count)
        return -1;
    for (size_t i = 0; i < columns->count; i++) {
        const struct value *one = categories->items[i];
        if (one->kind != VALUE_NULL && !texts_ok(one))
            return -1;
        width += one->kind == VALUE_NULL ? 1 : (int64_t)one->count;
    }
    return width;
}

/* Words are neither filled in, nor drawn, nor scaled. */
static bool text_input_ok(const struct value *v, const struct value *columns)
{
    static const char *const of_numbers[] = {
        "low", "high", "means", "drawn", "quantiles", "shift", "scale"};
    const struct value *words = value_get(v, STR("words"));
    int64_t classes = whole(value_get(v, STR("classes")), 2, COLUMNS_MAX);
    for (size_t i = 0; i < sizeof(of_numbers) / sizeof(*of_numbers); i++)
        if (value_get(v, str_of(of_numbers[i])))
            return false;
    return texts_ok(words) && (int64_t)words->count <= classes - 2 &&
           whole(value_get(v, STR("length")), 1, LENGTH_MAX) > 0 &&
           (!columns || columns->count == 1);
}

/* The landmarks of a column rise. */
static bool quantiles_ok(const struct value *v, int64_t columns)
{
    if (!floats_ok(v, columns * DATA_LANDMARKS))
        return false;
    for (size_t i = 1; is_list(v) && i < v->count; i++)
        if (i % DATA_LANDMARKS &&
            value_number(v->items[i]) < value_number(v->items[i - 1]))
            return false;
    return true;
}

static bool input_ok(const struct value *v, int64_t columns)
{
    const struct value *from = columns ? value_get(v, STR("columns")) : NULL;
    const struct value *drawn = value_get(v, STR("drawn"));
    const struct value *shift = value_get(v, STR("shift"));
    const struct value *scale = value_get(v, STR("scale"));
    if (!value_get(v, STR("name")) ||
        (columns && !places_ok(from, columns, false)))
        return false;
    if (value_get(v, STR("words")))
        return text_input_ok(v, from);
    int64_t width = width_of(v);
    if (width < 0 ||
        (from && pieces_width(from, value_get(v, STR("categories"))) != width))
        return false;
    int64_t left = drawn ? (int64_t)drawn->count : width;
    const struct value *low = value_get(v, STR("low"));
    const struct value *high = value_get(v, STR("high"));
    return floats_ok(low, width) && floats_ok(high, width) && !low == !high &&
           quantiles_ok(value_get(v, STR("quantiles")), left) &&
           floats_ok(value_get(v, STR("means")), width) &&
           (!drawn || (places_ok(drawn, width, true) &&
                       value_get(v, STR("dims"))->count == 1)) &&
           floats_ok(shift, left) && floats_ok(scale, left) && !shift == !scale;
}

static bool texts_are(const struct value *v, int64_t count)
{
    return !v || (texts_ok(v) && (int64_t)v->count == count);
}

/* A class is one column. */
static bool label_ok(const struct value *v, int64_t columns)
{
    const struct value *from = columns ? value_get(v, STR("columns")) : NULL;
    const struct value *names = value_get(v, STR("names"));
    int64_t width = width_of(v);
    int64_t classes = whole(value_get(v, STR("classes")), 0, COLUMNS_MAX);
    return value_get(v, STR("name")) && width > 0 && classes >= 0 &&
           (!columns || (places_ok(from, columns, false) &&
                         (int64_t)from->count == width)) &&
           (width == 1 || (!classes && !names)) && texts_are(names, classes) &&
           texts_are(value_get(v, STR("column_names")), width) &&
           texts_are(value_get(v, STR("values")), 2);
}

/* No column is two things; texts come first, then at most one input of
 * numbers. */
static bool roles_ok(const struct value *inputs, const struct value *labels)
{
    struct idmap *used = idmap_new();
    bool ok = true;
    for (size_t i = 0; i < inputs->count + labels->count; i++) {
        const struct value *one = i < inputs->count
                                      ? inputs->items[i]
                                      : labels->items[i - inputs->count];
        const struct value *own = value_get(one, STR("columns"));
        ok &= i + 1 >= inputs->count || value_get(one, STR("words"));
        for (size_t k = 0; k < own->count; k++)
            ok &= !idmap_set(used, (uint64_t)own->items[k]->i + 1, used);
    }
    idmap_free(used);
    return ok;
}

static bool fitted_ok(const struct value *v)
{
    const struct value *inputs = value_get(v, STR("inputs"));
    const struct value *labels = value_get(v, STR("labels"));
    const struct value *count = value_get(v, STR("columns"));
    const struct value *names = value_get(v, STR("names"));
    const struct value *weight = value_get(v, STR("weight"));
    struct str mark = value_text(value_get(v, STR("separator")));
    int64_t columns = count ? whole(count, 1, TABLE_MAX) : 0;
    if (mark.len > 1 || str_is(mark, "\"") || str_is(mark, "\n") ||
        columns < 0 || !is_list(inputs) || !inputs->count || !is_list(labels) ||
        (names && (!texts_ok(names) || (int64_t)names->count != columns)) ||
        (weight && whole(weight, 0, columns - 1) < 0))
        return false;
    for (size_t i = 0; i < inputs->count; i++)
        if (!input_ok(inputs->items[i], columns))
            return false;
    for (size_t i = 0; i < labels->count; i++)
        if (!label_ok(labels->items[i], columns))
            return false;
    return !columns || roles_ok(inputs, labels);
}

struct value *data_fitted_parse(struct arena *a, struct str text,
                                const char *path, struct err *err)
{
    struct value *v = json_parse(a, text, path, true, err);
    if (!v || fitted_ok(v))
        return v;
    err_set(err, ERR_INPUT,
            "%s: what it says of its data is damaged; train it again", path);
    return NULL;
}

/* ---- reading ---------------------------------------------------------- */

const float *data_fitted_floats(const struct value *v, size_t count,
                                struct arena *a)
{
    if (!v)
        return NULL;
    float *to = arena_array(a, count + 1, sizeof(*to));
    for (size_t i = 0; i < count; i++)
        to[i] = (float)value_number(is_list(v) ? v->items[i] : v);
    return to;
}

/* NULL: there are none. */
static const struct str *texts_of(struct arena *a, const struct value *v,
                                  const char *key)
{
    const struct value *list = value_get(v, str_of(key));
    if (!list)
        return NULL;
    struct str *to = arena_array(a, list->count + 1, sizeof(*to));
    for (size_t i = 0; i < list->count; i++)
        to[i] = arena_str(a, list->items[i]->s);
    return to;
}

static void label_of(struct arena *a, const struct value *v,
                     struct data_field *f)
{
    const struct value *dims = value_get(v, STR("dims"));
    *f = (struct data_field){
        .name = arena_str(a, value_text(value_get(v, STR("name")))),
        .rank = (int)dims->count,
        .columns = width_of(v),
        .classes = value_get(v, STR("classes"))->i};
    for (int i = 0; i < f->rank; i++)
        f->dim[i] = dims->items[i]->i;
    f->class_names = texts_of(a, v, "names");
    f->column_names = texts_of(a, v, "column_names");
    f->words = texts_of(a, v, "values");
}

void data_fitted_label(struct data_set *s, const struct value *v,
                       struct data_field *f)
{
    label_of(s->arena, v, f);
}

static void input_of(struct arena *a, const struct value *v,
                     struct data_field *f)
{
    const struct value *dims = value_get(v, STR("dims"));
    const struct value *drawn = value_get(v, STR("drawn"));
    bool words = value_get(v, STR("words"));
    *f = (struct data_field){
        .name = arena_str(a, value_text(value_get(v, STR("name")))),
        .rank = dims && !drawn ? (int)dims->count : 1,
        .classes = words ? value_get(v, STR("classes"))->i : 0};
    f->dim[0] = words ? value_get(v, STR("length"))->i : 0;
    for (int i = 0; dims && i < f->rank; i++)
        f->dim[i] = dims->items[i]->i;
    if (drawn)
        f->dim[0] = (int64_t)drawn->count;
    f->columns = 1;
    for (int i = 0; i < f->rank; i++)
        f->columns *= f->dim[i];
}

/* Its columns become numbers by more than shift and scale. */
static bool needs_more(const struct value *v)
{
    static const char *const others[] = {"words", "low",  "means",
                                         "drawn", "high", "quantiles"};
    const struct value *categories = value_get(v, STR("categories"));
    for (size_t i = 0; i < sizeof(others) / sizeof(*others); i++)
        if (value_get(v, str_of(others[i])))
            return true;
    for (size_t i = 0; categories && i < categories->count; i++)
        if (categories->items[i]->kind != VALUE_NULL)
            return true;
    return false;
}

int data_fitted_view(struct str fitted, const char *path, struct arena *a,
                     struct data_view *v, bool *more, struct err *err)
{
    const struct value *known = data_fitted_parse(a, fitted, path, err);
    if (!known)
        return -1;
    const struct value *inputs = value_get(known, STR("inputs"));
    const struct value *labels = value_get(known, STR("labels"));
    struct data_table *t = arena_new_of(a, struct data_table);
    struct data_field *in = arena_array(a, inputs->count + 1, sizeof(*in));
    struct data_field *out = arena_array(a, labels->count + 2, sizeof(*out));
    const float **shift = arena_array(a, inputs->count + 1, sizeof(*shift));
    const float **scale = arena_array(a, inputs->count + 1, sizeof(*scale));
    *more = false;
    for (size_t i = 0; i < inputs->count; i++) {
        const struct value *one = inputs->items[i];
        input_of(a, one, &in[i]);
        size_t columns = (size_t)in[i].columns;
        shift[i] = data_fitted_floats(value_get(one, STR("shift")), columns, a);
        scale[i] = data_fitted_floats(value_get(one, STR("scale")), columns, a);
        *more = *more || needs_more(one);
    }
    for (size_t i = 0; i < labels->count; i++)
        label_of(a, labels->items[i], &out[i]);
    *t = (struct data_table){.inputs = in,
                             .labels = out,
                             .input_count = inputs->count,
                             .label_count = labels->count};
    if (value_get(known, STR("label_is_input"))) {
        out[0] = in[0];
        t->label_count = 1;
        t->label_is_input = true;
    }
    *v = (struct data_view){.table = t, .shift = shift, .scale = scale};
    return 0;
}

static void print_shape(struct buf *b, const struct value *dims)
{
    for (size_t i = 0; i < dims->count; i++)
        buf_addf(b, "%s%lld", i ? " x " : "", (long long)dims->items[i]->i);
}

int data_fitted_fits(const struct value *v, const struct data_field *f,
                     const char *path, struct err *err)
{
    const struct value *dims = value_get(v, STR("dims"));
    struct buf has, wants;
    bool same = (int)dims->count == f->rank;
    for (int i = 0; same && i < f->rank; i++)
        same = dims->items[i]->i == f->dim[i];
    if (same)
        return 0;
    buf_init(&has);
    buf_init(&wants);
    for (int i = 0; i < f->rank; i++)
        buf_addf(&has, "%s%lld", i ? " x " : "", (long long)f->dim[i]);
    print_shape(&wants, dims);
    err_set(err, ERR_INPUT,
            "%s: its rows are %s numbers, the model was trained on rows of %s",
            path, has.p, wants.p);
    buf_done(&has);
    buf_done(&wants);
    return -1;
}

static struct data_set *open_fitted(const struct value *spec,
                                    const char *folder, struct str fitted,
                                    const char *path, bool readable,
                                    struct data_view *v, struct err *err)
{
    struct arena *a = arena_new();
    const struct value *known = data_fitted_parse(a, fitted, path, err);
    struct data_set *s =
        known ? data_read(spec, folder, known, readable, err) : NULL;
    if (s && data_fit_known(v, s, spec, known, err)) {
        data_close(s);
        s = NULL;
    }
    arena_free(a);
    return s;
}

struct data_set *data_open_fitted(const struct value *spec, const char *folder,
                                  struct str fitted, const char *path,
                                  struct data_view *v, struct err *err)
{
    return open_fitted(spec, folder, fitted, path, false, v, err);
}

struct data_set *data_open_readable(const struct value *spec,
                                    const char *folder, struct str fitted,
                                    const char *path, struct data_view *v,
                                    struct err *err)
{
    return open_fitted(spec, folder, fitted, path, true, v, err);
}
