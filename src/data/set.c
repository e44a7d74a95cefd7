/* set.c - a model file's `data:` as a table
 *
 *   file: table.csv, label: species      one table; labels are columns of it
 *   inputs: x.idx.gz, labels: y.idx.gz   two files, row by row
 *
 * Labels of words are categories, in the order of the alphabet. Whole numbers
 * from 0 are categories too, and numbers as well: the loss decides. */
#include <math.h>
#include <stdlib.h>

#include "base/map.h"
#include "base/num.h"
#include "data/matrix.h"
#include "sys/sys.h"

#define CLASSES_MAX 100000

struct data_set {
    struct arena *arena;
    struct data_table table;
};

static int path_of(struct data_set *s, const struct value *spec,
                   const char *key, const char *folder, const char **path,
                   struct err *err)
{
    struct str text = value_text(value_get(spec, str_of(key)));
    if (!text.len)
        return err_set(err, ERR_INPUT, "data.%s must be the path of a file",
                       key);
    *path = text.p[0] == '/'
                ? arena_cstr(s->arena, text)
                : path_join(s->arena, folder, arena_cstr(s->arena, text));
    return 0;
}

static int header_of(const struct value *spec)
{
    const struct value *v = value_get(spec, STR("header"));
    return v && v->kind == VALUE_BOOL ? v->boolean : -1;
}

/* A column by name, or by number: from 1, or from the end below 0. */
static int column_of(const struct matrix *m, const struct value *v,
                     const char *path, size_t *column, struct err *err)
{
    for (size_t i = 0; v->kind == VALUE_STRING && m->names && i < m->columns;
         i++)
        if (str_eq(m->names[i], v->s)) {
            *column = i;
            return 0;
        }
    if (v->kind == VALUE_INT && v->i != 0 &&
        llabs(v->i) <= (long long)m->columns) {
        *column = v->i > 0 ? (size_t)v->i - 1 : m->columns - (size_t)-v->i;
        return 0;
    }
    if (v->kind == VALUE_STRING)
        return err_set(err, ERR_INPUT, "%s: there is no column %.*s%s", path,
                       STRF(v->s), m->names ? "" : "; it has no header row");
    return err_set(err, ERR_INPUT,
                   "%s: a column is its name or a number from 1 to %zu", path,
                   m->columns);
}

static int by_text(const void *a, const void *b)
{
    return str_cmp(*(const struct str *)a, *(const struct str *)b);
}

/* Distinct words of a column, sorted, and the number of each row's. */
static int word_classes(struct arena *a, const struct matrix *m, size_t column,
                        const char *path, struct data_field *f, struct err *err)
{
    struct map *seen = map_new();
    VEC(struct str) names = {0};
    int32_t *to = arena_array(a, m->rows, sizeof(*to));
    int rc = 0;
    for (size_t r = 0; r < m->rows && !rc; r++) {
        struct str word = m->words[r * m->columns + column];
        if (!word.p) {
            struct buf b;
            buf_init(&b);
            num_print(&b, (double)m->numbers[r * m->columns + column]);
            word = arena_str(a, buf_str(&b));
            buf_done(&b);
        }
        if (names.len > CLASSES_MAX)
            rc = err_set(err, ERR_LIMIT,
                         "%s: a label column with more than %d words", path,
                         CLASSES_MAX);
        if (!map_has(seen, word)) {
            map_set(seen, word, (void *)1);
            vec_push(&names, word);
        }
    }
    if (names.len)
        qsort(names.p, names.len, sizeof(*names.p), by_text);
    for (size_t i = 0; i < names.len; i++)
        map_set(seen, names.p[i], (void *)(uintptr_t)(i + 1));
    for (size_t r = 0; r < m->rows && !rc; r++) {
        struct str word = m->words[r * m->columns + column];
        to[r] = word.p ? (int32_t)((uintptr_t)map_get(seen, word) - 1) : 0;
    }
    struct str *kept = arena_array(a, names.len + 1, sizeof(*kept));
    if (names.len)
        memcpy(kept, names.p, names.len * sizeof(*kept));
    f->class_names = kept;
    f->classes = (int64_t)names.len;
    f->categories = to;
    vec_done(&names);
    map_free(seen);
    return rc;
}

static bool column_has_words(const struct matrix *m, size_t column)
{
    for (size_t r = 0; m->words && r < m->rows; r++)
        if (m->words[r * m->columns + column].p)
            return true;
    return false;
}

/* Whole numbers from 0 up to few: categories as they are. */
static void number_classes(struct arena *a, const float *numbers, size_t rows,
                           struct data_field *f)
{
    float most = 0;
    for (size_t r = 0; r < rows; r++) {
        if (!(numbers[r] >= 0) || numbers[r] != floorf(numbers[r]) ||
            numbers[r] >= CLASSES_MAX)
            return;
        most = numbers[r] > most ? numbers[r] : most;
    }
    int32_t *to = arena_array(a, rows, sizeof(*to));
    for (size_t r = 0; r < rows; r++)
        to[r] = (int32_t)numbers[r];
    f->categories = to;
    f->classes = (int64_t)most + 1;
}

static float *column_numbers(struct arena *a, const struct matrix *m,
                             size_t column)
{
    float *to = arena_array(a, m->rows, sizeof(*to));
    for (size_t r = 0; r < m->rows; r++)
        to[r] = m->numbers[r * m->columns + column];
    return to;
}

static int label_column(struct data_set *s, const struct matrix *m,
                        size_t column, const char *path, struct data_field *f,
                        struct err *err)
{
    *f = (struct data_field){.rank = 1, .dim = {1}, .columns = 1};
    f->name = m->names
                  ? m->names[column]
                  : str_of(arena_printf(s->arena, "column_%zu", column + 1));
    if (column_has_words(m, column))
        return word_classes(s->arena, m, column, path, f, err);
    float *numbers = column_numbers(s->arena, m, column);
    for (size_t r = 0; r < m->rows; r++)
        if (isnan(numbers[r]))
            return err_set(err, ERR_INPUT, "%s: row %zu has no label", path,
                           r + 1);
    f->numbers = numbers;
    number_classes(s->arena, numbers, m->rows, f);
    return 0;
}

/* All columns that are no labels, as one input of numbers. */
static int input_columns(struct data_set *s, const struct matrix *m,
                         const bool *taken, const char *path, struct err *err)
{
    struct data_field *f = arena_new_of(s->arena, struct data_field);
    size_t columns = 0;
    for (size_t i = 0; i < m->columns; i++)
        columns += !taken[i];
    if (!columns)
        return err_set(err, ERR_INPUT, "%s: no column is left for inputs",
                       path);
    float *to = arena_array(s->arena, m->rows * columns, sizeof(*to));
    for (size_t r = 0, at = 0; r < m->rows; r++)
        for (size_t i = 0; i < m->columns; i++) {
            if (taken[i])
                continue;
            size_t from = r * m->columns + i;
            if (m->words && m->words[from].p)
                return err_set(err, ERR_INPUT,
                               "%s: row %zu, column %zu: \"%.*s\" where a "
                               "number belongs",
                               path, r + 1, i + 1, STRF(m->words[from]));
            to[at++] = m->numbers[from];
        }
    *f = (struct data_field){.name = STR("input"),
                             .rank = 1,
                             .dim = {(int64_t)columns},
                             .columns = (int64_t)columns,
                             .numbers = to};
    s->table.inputs = f;
    s->table.input_count = 1;
    return 0;
}

static int read_table(struct data_set *s, const struct value *spec,
                      const char *folder, struct err *err)
{
    struct matrix m;
    const char *path;
    const struct value *label = value_get(spec, STR("label"));
    struct value last = {.kind = VALUE_INT, .i = -1};
    if (path_of(s, spec, "file", folder, &path, err) ||
        data_matrix(path, header_of(spec), s->arena, &m, err))
        return -1;
    size_t count = label && label->kind == VALUE_LIST ? label->count : 1;
    struct data_field *labels =
        arena_array(s->arena, count + 1, sizeof(*labels));
    bool *taken = arena_array(s->arena, m.columns + 1, sizeof(*taken));
    for (size_t i = 0; i < count; i++) {
        const struct value *v = !label                      ? &last
                                : label->kind == VALUE_LIST ? label->items[i]
                                                            : label;
        size_t column = 0;
        if (column_of(&m, v, path, &column, err) ||
            label_column(s, &m, column, path, &labels[i], err))
            return -1;
        taken[column] = true;
    }
    s->table.rows = m.rows;
    s->table.labels = labels;
    s->table.label_count = count;
    return input_columns(s, &m, taken, path, err);
}

static struct data_field whole_field(const struct matrix *m, const char *name)
{
    struct data_field f = {.name = str_of(name),
                           .rank = m->rank,
                           .columns = (int64_t)m->columns,
                           .numbers = m->numbers};
    memcpy(f.dim, m->dim, sizeof(f.dim));
    return f;
}

static int read_pair(struct data_set *s, const struct value *spec,
                     const char *folder, struct err *err)
{
    struct matrix x, y;
    const char *inputs, *labels;
    struct data_field *fields = arena_array(s->arena, 2, sizeof(*fields));
    if (path_of(s, spec, "inputs", folder, &inputs, err) ||
        path_of(s, spec, "labels", folder, &labels, err) ||
        data_matrix(inputs, header_of(spec), s->arena, &x, err) ||
        data_matrix(labels, header_of(spec), s->arena, &y, err))
        return -1;
    if (x.words)
        return err_set(err, ERR_INPUT, "%s: words where numbers belong",
                       inputs);
    if (x.rows != y.rows)
        return err_set(err, ERR_INPUT, "%s has %zu rows, %s has %zu", inputs,
                       x.rows, labels, y.rows);
    fields[0] = whole_field(&x, "input");
    fields[1] = whole_field(&y, "label");
    if (y.columns == 1 && label_column(s, &y, 0, labels, &fields[1], err))
        return -1;
    fields[1].name = STR("label");
    s->table = (struct data_table){x.rows, fields, fields + 1, 1, 1};
    return 0;
}

struct data_set *data_open(const struct value *spec, const char *folder,
                           struct err *err)
{
    struct data_set *s = xcalloc(1, sizeof(*s));
    s->arena = arena_new();
    int rc;
    if (value_get(spec, STR("file")))
        rc = read_table(s, spec, folder, err);
    else if (value_get(spec, STR("inputs")))
        rc = read_pair(s, spec, folder, err);
    else
        rc = err_set(err, ERR_INPUT,
                     "data: say a `file`, or `inputs` and `labels`");
    if (rc) {
        data_close(s);
        return NULL;
    }
    return s;
}

void data_close(struct data_set *s)
{
    if (!s)
        return;
    arena_free(s->arena);
    free(s);
}

const struct data_table *data_set_table(const struct data_set *s)
{
    return &s->table;
}
