/* layer_rows.c - the numbers of a layer, row by row, as a task has written them
 */
#include <math.h>
#include <stdlib.h>

#include "base/num.h"
#include "study/study.h"

struct layer_rows {
    const char *path;
    struct str text;
    struct csv csv;
    size_t columns;
    uint64_t row;    /* its number in its file, from 1 */
    double *numbers; /* of the row last read */
};

static void close_rows(struct layer_rows *l)
{
    csv_done(&l->csv);
    file_unmap(l->text);
}

static int open_rows(struct layer_rows *l, const char *folder, struct arena *a,
                     struct err *err)
{
    const char *path = path_join(a, folder, "output/predictions.csv");
    *l = (struct layer_rows){.path = path};
    if (file_map(path, &l->text, err))
        return -1;
    csv_init(&l->csv, l->text, ',');
    if (csv_next(&l->csv, err) > 0 && l->csv.fields.len > 1) {
        l->columns = l->csv.fields.len - 1;
        l->numbers = arena_array(a, l->columns, sizeof(*l->numbers));
        return 0;
    }
    close_rows(l);
    return err_set(err, ERR_CORRUPT, "%s has no numbers", path);
}

/* 1: there is one; 0: the end; -1: err. What is no number there is none here.
 */
static int next_row(struct layer_rows *l, struct err *err)
{
    int got = csv_next(&l->csv, err);
    if (got <= 0)
        return got;
    if (l->csv.fields.len != l->columns + 1 ||
        !num_uint(l->csv.fields.p[0], &l->row))
        return err_set(err, ERR_CORRUPT, "%s:%llu: no row of a layer", l->path,
                       (unsigned long long)l->csv.line);
    for (size_t i = 0; i < l->columns; i++)
        if (!num_double(l->csv.fields.p[i + 1], &l->numbers[i]))
            l->numbers[i] = NAN;
    return 1;
}

/* Nothing is predicted of it: a row that is infinite in places is none. */
static bool is_gap(const struct layer_rows *l)
{
    for (size_t i = 0; i < l->columns; i++)
        if (!isnan(l->numbers[i]))
            return false;
    return true;
}

static int add_row(struct layer_table *t, const struct layer_rows *l,
                   size_t *room, struct err *err)
{
    if (t->rows == *room) {
        *room = *room ? *room * 2 : 1024;
        double *more =
            realloc(t->numbers, *room * t->columns * sizeof(*t->numbers));
        uint64_t *row = realloc(t->row, *room * sizeof(*t->row));
        t->numbers = more ? more : t->numbers;
        t->row = row ? row : t->row;
        if (!more || !row)
            return err_set(err, ERR_LIMIT,
                           "no memory for %zu rows of %zu numbers", t->rows,
                           t->columns);
    }
    for (size_t i = 0; i < l->columns; i++) {
        if (!isfinite(l->numbers[i]))
            return err_set(err, ERR_INPUT,
                           "row %llu has a number that is not finite",
                           (unsigned long long)l->row);
        t->numbers[t->rows * t->columns + i] = l->numbers[i];
    }
    t->row[t->rows++] = l->row;
    return 0;
}

int layer_table_read(struct layer_table *t, const char *folder, bool gaps,
                     struct arena *a, struct err *err)
{
    struct layer_rows l;
    size_t room = 0;
    int got;
    *t = (struct layer_table){0};
    if (open_rows(&l, folder, a, err))
        return -1;
    t->columns = l.columns;
    while ((got = next_row(&l, err)) > 0)
        if (gaps && is_gap(&l))
            vec_push(&t->gaps, ((struct layer_gap){l.row, t->rows}));
        else if ((got = add_row(t, &l, &room, err)) < 0)
            break;
    close_rows(&l);
    if (got < 0)
        layer_table_done(t);
    return got;
}

void layer_table_done(struct layer_table *t)
{
    free(t->numbers);
    free(t->row);
    vec_done(&t->gaps);
    *t = (struct layer_table){0};
}
