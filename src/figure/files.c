/* files.c - numbers from files of trials, or of other programs */
#include "figure/files.h"

#include <math.h>
#include "base/csv.h"
#include "base/num.h"
#include "study/study.h"

#define FILE_MAX (1u << 30)

/* ---- columns of a CSV file ----------------------------------------------- */

static int find_columns(const struct csv *c, const char *name,
                        const struct csv_column *columns, size_t count,
                        size_t *places, struct err *err)
{
    for (size_t k = 0; k < count; k++) {
        places[k] = SIZE_MAX;
        for (size_t i = 0; i < c->fields.len && places[k] == SIZE_MAX; i++)
            if (str_among(str_trim(c->fields.p[i]), columns[k].names))
                places[k] = i;
        if (places[k] == SIZE_MAX)
            return err_set(err, ERR_INPUT,
                           "%s:1: no column `%s` in its first line", name,
                           columns[k].names[0]);
    }
    return 0;
}

static int take_cell(const struct csv *c, const char *name, struct str cell,
                     struct csv_column *k, size_t row, struct arena *a,
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
                     struct csv_column *columns, size_t count,
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

int csv_columns(struct str text, const char *name, struct csv_column *columns,
                size_t count, size_t *rows, struct arena *a, struct err *err)
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
    if (got == 0)
        return err_set(err, ERR_MISSING, "there is no trial `%s`", q.selector);
    return got < 0 ? -1 : 0;
}

static int read_trial_file(const struct figure_asked *asked, int64_t trial,
                           const char *name, struct buf *b, struct arena *a,
                           struct err *err)
{
    const char *path =
        path_join(a, store_trial_folder(asked->store, trial, a), name);
    if (file_exists(path))
        return file_read(path, FILE_MAX, b, err);
    struct packs *packs = packs_open(store_folder(asked->store));
    int rc = packs_read(packs, trial, name, b, NULL);
    packs_close(packs);
    return rc ? err_set(err, ERR_MISSING,
                        "trial %lld has no %s; --trials N names another, "
                        "--from FILE a file",
                        (long long)trial, name)
              : 0;
}

int figure_file(const struct figure_asked *asked, const char *name,
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
    return read_trial_file(asked, trial, name, b, a, err);
}
