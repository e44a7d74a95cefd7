/* files.c - numbers from files of trials, or of other programs */
#include "figure/files.h"

#include <math.h>
#include "base/csv.h"
#include "base/num.h"
#include "data/data.h"
#include "study/study.h"

#define FILE_MAX (1u << 30)

/* ---- columns of a CSV file ----------------------------------------------- */

static int no_column(const char *file, const char *const *names,
                     struct err *err)
{
    struct buf b;
    buf_init(&b);
    for (size_t i = 0; names[i]; i++)
        buf_addf(&b, "%s`%s`", i ? " or " : "", names[i]);
    err_set(err, ERR_INPUT, "%s:1: no column %s in its first line", file, b.p);
    buf_done(&b);
    return -1;
}

static int find_columns(const struct csv *c, const char *name,
                        const struct file_column *columns, size_t count,
                        size_t *places, struct err *err)
{
    for (size_t k = 0; k < count; k++) {
        places[k] = SIZE_MAX;
        for (size_t i = 0; i < c->fields.len && places[k] == SIZE_MAX; i++)
            if (str_among(str_trim(c->fields.p[i]), columns[k].names))
                places[k] = i;
        if (places[k] == SIZE_MAX)
            return no_column(name, columns[k].names, err);
    }
    return 0;
}

static int take_cell(const struct csv *c, const char *name, struct str cell,
                     struct file_column *k, size_t row, struct arena *a,
                     struct err *err)
{
    struct str text = str_trim(cell);
    if (k->texts) {
        k->text[row] = arena_cstr(a, text);
        return 0;
    }
    k->numbers[row] = NAN;
    if (!text.len || num_double(text, &k->numbers[row]))
        return 0;
    return err_set(err, ERR_INPUT,
                   "%s:%llu: `%.*s` in column `%s` is no number", name,
                   (unsigned long long)c->line,
                   (int)(text.len < 40 ? text.len : 40), text.p, k->names[0]);
}

static size_t count_lines(struct str text)
{
    size_t n = 1;
    for (size_t i = 0; i < text.len; i++)
        n += text.p[i] == '\n';
    return n;
}

static int take_rows(struct csv *c, const char *name,
                     struct file_column *columns, size_t count,
                     const size_t *places, size_t *rows, struct arena *a,
                     struct err *err)
{
    int got;
    *rows = 0;
    while ((got = csv_next(c, err)) > 0) {
        for (size_t k = 0; k < count; k++) {
            if (places[k] >= c->fields.len)
                return err_set(err, ERR_INPUT, "%s:%llu: too few cells", name,
                               (unsigned long long)c->line);
            if (take_cell(c, name, c->fields.p[places[k]], &columns[k], *rows,
                          a, err))
                return -1;
        }
        (*rows)++;
    }
    return got < 0 ? err_wrap(err, "%s", name) : 0;
}

static int from_csv(struct str text, const char *name,
                    struct file_column *columns, size_t count, size_t *rows,
                    struct arena *a, struct err *err)
{
    size_t places[8], most = count_lines(text);
    struct csv c;
    require(count <= 8);
    csv_init(&c, text, ',');
    int got = csv_next(&c, err);
    int rc = got < 0 ? err_wrap(err, "%s", name)
             : !got  ? err_set(err, ERR_INPUT, "%s is empty", name)
                     : find_columns(&c, name, columns, count, places, err);
    for (size_t k = 0; k < count && !rc; k++) {
        columns[k].numbers = arena_array(a, most + 1, sizeof(double));
        columns[k].text = arena_array(a, most + 1, sizeof(char *));
    }
    if (!rc)
        rc = take_rows(&c, name, columns, count, places, rows, a, err);
    csv_done(&c);
    if (!rc && !*rows)
        return err_set(err, ERR_INPUT, "%s has no row below its first line",
                       name);
    return rc;
}

/* ---- columns of NumPy's files ---------------------------------------------
 */

static void take_array(struct file_column *k, const struct data_array *array,
                       size_t column, struct arena *a)
{
    struct buf b;
    buf_init(&b);
    k->numbers = arena_array(a, array->rows, sizeof(double));
    k->text = arena_array(a, array->rows, sizeof(char *));
    for (size_t i = 0; i < array->rows; i++) {
        k->numbers[i] = (double)array->numbers[i * array->columns + column];
        if (!k->texts)
            continue;
        buf_reset(&b);
        num_print_short(&b, k->numbers[i], 9);
        k->text[i] = arena_cstr(a, buf_str(&b));
    }
    buf_done(&b);
}

/* One array, whose columns are those in their order. */
static int from_npy(struct str bytes, const char *name,
                    struct file_column *columns, size_t count, size_t *rows,
                    struct arena *a, struct err *err)
{
    struct data_array array;
    struct buf b;
    if (data_numpy(bytes, name, STR(""), &array, a, err))
        return -1;
    if (array.columns != count) {
        buf_init(&b);
        for (size_t k = 0; k < count; k++)
            buf_addf(&b, "%s%s", k ? ", " : "", columns[k].names[0]);
        err_set(err, ERR_INPUT, "%s: has %zu columns, not %zu: %s", name,
                array.columns, count, b.p);
        buf_done(&b);
        return -1;
    }
    for (size_t k = 0; k < count; k++)
        take_array(&columns[k], &array, k, a);
    *rows = array.rows;
    return 0;
}

/* An array for each column, by name. */
static int from_npz(struct str bytes, const char *name,
                    struct file_column *columns, size_t count, size_t *rows,
                    struct arena *a, struct err *err)
{
    for (size_t k = 0; k < count; k++) {
        struct data_array array;
        struct err first = {0}, other = {0};
        int rc = data_numpy(bytes, name, str_of(columns[k].names[0]), &array, a,
                            &first);
        for (size_t i = 1; rc && columns[k].names[i]; i++)
            rc = data_numpy(bytes, name, str_of(columns[k].names[i]), &array, a,
                            &other);
        if (rc) {
            *err = first;
            return -1;
        }
        if (array.columns != 1 || (k && array.rows != *rows))
            return err_set(err, ERR_INPUT,
                           "%s: `%s` is %zu × %zu numbers, not one for each "
                           "row%s",
                           name, columns[k].names[0], array.rows, array.columns,
                           k ? " of the others" : "");
        take_array(&columns[k], &array, 0, a);
        *rows = array.rows;
    }
    return 0;
}

int file_columns(struct str bytes, const char *name,
                 struct file_column *columns, size_t count, size_t *rows,
                 struct arena *a, struct err *err)
{
    return (data_is_numpy_archive(bytes) ? from_npz
            : data_is_numpy(bytes)
                ? from_npy
                : from_csv)(bytes, name, columns, count, rows, a, err);
}

/* ---- whose file ------------------------------------------------------------
 */

static int find_trial(const struct figure_asked *asked, int64_t *trial,
                      struct arena *a, struct err *err)
{
    struct query q = {.selector = asked->trials ? asked->trials : "best:1",
                      .limit = 1};
    struct trial t;
    (void)a;
    struct rows *rows = store_rows(asked->store, &q, err);
    int got = rows ? rows_next(rows, &t, err) : -1;
    if (got > 0)
        *trial = t.id;
    rows_close(rows);
    if (got == 0 && !asked->trials)
        return err_set(err, ERR_MISSING,
                       "no trial has a value, so that none is the best; "
                       "--trials N names one, --from FILE a file");
    if (got == 0)
        return err_set(err, ERR_MISSING, "there is no trial `%s`", q.selector);
    return got < 0 ? -1 : 0;
}

/* The first of these files that the trial has. */
static int read_trial_file(const struct figure_asked *asked, int64_t trial,
                           const char *const *names, struct buf *b,
                           struct arena *a, struct err *err)
{
    const char *folder = store_trial_folder(asked->store, trial, a);
    for (size_t i = 0; names[i]; i++) {
        const char *path = path_join(a, folder, names[i]);
        if (file_exists(path))
            return file_read(path, FILE_MAX, b, err);
    }
    struct packs *packs = packs_open(store_folder(asked->store));
    int rc = -1;
    for (size_t i = 0; rc && names[i]; i++)
        rc = packs_read(packs, trial, names[i], b, NULL);
    packs_close(packs);
    return rc ? err_set(err, ERR_MISSING,
                        "trial %lld has no %s; --trials N names another, "
                        "--from FILE a file",
                        (long long)trial, names[0])
              : 0;
}

int figure_file(const struct figure_asked *asked, const char *const *names,
                struct buf *b, const char **where, struct arena *a,
                struct err *err)
{
    int64_t trial;
    if (asked->file) {
        *where = asked->file;
        return file_read(asked->file, FILE_MAX, b, err);
    }
    if (find_trial(asked, &trial, a, err))
        return -1;
    *where = arena_printf(a, "%s, trial %lld%s", asked->study, (long long)trial,
                          asked->trials ? "" : ", the best");
    return read_trial_file(asked, trial, names, b, a, err);
}
