/* bad_rows.c - rows of another day that cannot be read, where the others are
 * wanted
 *
 * Whoever finds a fault of a row notes it and goes on with any value: the row
 * is in the table as others are. Which faults a row has does not
 * hang on other rows, and the one that is noted first is told, so that the same
 * is told of a row however its file is cut. Of very many the first are told, in
 * the order of rows; the places in their file are found in one go. */
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "data/set.h"

struct bad_rows {
    bool *is;           /* by row; NULL: none is */
    size_t rows, count; /* of all, and of those that are */
    bool *unknown;      /* by row, of one label; NULL: all is known */
    size_t odd;         /* labels of it that are there, and not understood */
    char first[256];    /* what is wrong with the first of them */
    struct data_bad_row told[DATA_BAD_TOLD];
    size_t told_count;
};

struct bad_rows *bad_rows_new(void)
{
    return xcalloc(1, sizeof(struct bad_rows));
}

void bad_rows_free(struct bad_rows *b)
{
    free(b);
}

/* A place among the rows that are told; NULL: those are others. The last one
 * makes room. */
static struct data_bad_row *tell(struct bad_rows *bad, size_t row)
{
    size_t at = bad->told_count;
    while (at > 0 && bad->told[at - 1].row > row)
        at--;
    if (at == DATA_BAD_TOLD)
        return NULL;
    size_t last =
        bad->told_count < DATA_BAD_TOLD ? bad->told_count : DATA_BAD_TOLD - 1;
    memmove(bad->told + at + 1, bad->told + at,
            (last - at) * sizeof(*bad->told));
    bad->told_count = last + 1;
    return &bad->told[at];
}

static const char *column_of(struct reading *r, const struct block *b,
                             size_t column)
{
    struct arena *a = r->set->arena;
    if (column >= b->columns)
        return "";
    return b->names && b->names[column].len
               ? arena_cstr(a, b->names[column])
               : arena_printf(a, "%zu", column + 1);
}

static void note(struct reading *r, const struct block *b, size_t row,
                 size_t column, const char *what)
{
    struct bad_rows *bad = r->bad;
    if (!bad->is) {
        bad->is = arena_array(r->set->arena, b->rows + 1, sizeof(*bad->is));
        bad->rows = b->rows;
    }
    if (row >= bad->rows || bad->is[row])
        return;
    bad->is[row] = true;
    bad->count++;
    struct data_bad_row *to = tell(bad, row);
    if (to)
        *to = (struct data_bad_row){
            .row = row,
            .column = column_of(r, b, column),
            .what = arena_cstr(r->set->arena, str_of(what))};
}

int reading_fail(struct reading *r, const struct block *b, size_t row,
                 size_t column, struct err *err, const char *fmt, ...)
{
    char text[512];
    va_list ap;
    va_start(ap, fmt);
    vsnprintf(text, sizeof text, fmt, ap);
    va_end(ap);
    if (!r->bad)
        return block_fail(b, row, column, err, "%s", text);
    note(r, b, row, column, text);
    return 0;
}

int reading_fail_gap(struct reading *r, const struct block *b, size_t row,
                     size_t column, const char *ways, struct err *err)
{
    if (!r->bad)
        return block_fail_gap(b, row, column, ways, err);
    note(r, b, row, column,
         isnan(block_number(b, row, column))
             ? "the value is missing"
             : "the number is infinite or beyond 3.4e38, the most that a "
               "number of 32 bits holds");
    return 0;
}

/* ---- labels ---------------------------------------------------------------
 */

int reading_fail_label(struct reading *r, const struct block *b, size_t i,
                       size_t column, bool missing, struct err *err,
                       const char *fmt, ...)
{
    struct bad_rows *bad = r->bad;
    size_t row = reading_row(r, i);
    char text[256];
    va_list ap;
    va_start(ap, fmt);
    vsnprintf(text, sizeof text, fmt, ap);
    va_end(ap);
    if (!bad)
        return block_fail(b, row, column, err, "%s", text);
    if (bad->is && row < bad->rows && bad->is[row])
        return 0;
    if (!bad->unknown)
        bad->unknown =
            arena_array(r->set->arena, r->rows + 1, sizeof(*bad->unknown));
    bad->unknown[i] = true;
    if (!missing && !bad->odd++)
        memcpy(bad->first, text, sizeof text);
    return 0;
}

void reading_show_label(struct reading *r, struct data_field *f)
{
    struct bad_rows *bad = r->bad;
    if (!bad || !bad->unknown)
        return;
    struct data_shown *shown = arena_new_of(r->set->arena, struct data_shown);
    *shown = (struct data_shown){f->numbers, f->categories, bad->unknown};
    f->numbers = NULL;
    f->categories = NULL;
    f->shown = shown;
    if (bad->odd)
        data_notice(r->set, "data: %s; %zu such label%s left empty", bad->first,
                    bad->odd, bad->odd == 1 ? " is" : "s are");
    bad->unknown = NULL;
    bad->odd = 0;
}

/* ---- all of them ----------------------------------------------------------
 */

void bad_rows_note(struct reading *r, const struct block *b)
{
    const struct matrix *m = &b->source[0].m;
    char text[128];
    for (size_t i = 0; i < m->fault_count; i++) {
        const struct matrix_fault *f = &m->faults[i];
        snprintf(text, sizeof text, "%zu cell%s where %zu belong", f->cells,
                 f->cells == 1 ? "" : "s", m->columns);
        note(r, b, f->row, SIZE_MAX, f->what ? f->what : text);
    }
}

void bad_rows_end(struct reading *r, const struct block *b)
{
    struct bad_rows *bad = r->bad;
    const char *file = b ? b->source[0].path : NULL;
    if (bad)
        r->set->bad.file = file;
    if (!bad || !bad->count)
        return;
    if (b && b->source[0].m.has)
        data_lines(&b->source[0].m, bad->told, bad->told_count);
    size_t bytes = bad->told_count * sizeof(*bad->told);
    struct data_bad_row *told = arena_alloc(r->set->arena, bytes);
    memcpy(told, bad->told, bytes);
    r->set->bad = (struct data_bad_rows){.count = bad->count,
                                         .is = bad->is,
                                         .told = told,
                                         .told_count = bad->told_count,
                                         .file = file};
}
