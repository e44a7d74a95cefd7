/* data.h - data sets: tables of numbers and categories, and views of them
 *
 * A table is read once and never changed; all workers of a machine share one
 * copy. A view says which of its rows are for training, validation and test,
 * and how inputs are scaled: scaling is fitted on training rows only, so it
 * belongs to the view. */
#ifndef THRONG_DATA_DATA_H
#define THRONG_DATA_DATA_H

#include <stdint.h>
#include "base/arena.h"
#include "base/err.h"
#include "base/value.h"

/* Neighbouring columns of an input that lie in a table of their own: the rows
 * of a table that is joined are there once, whoever shares them. */
struct data_piece {
    const float *numbers;   /* rows × columns */
    const uint32_t *row_of; /* by row of the input; NULL: the same row */
    size_t rows;
    size_t at, columns; /* where they stand in a row of the input */
};

/* One input or label: `columns` numbers a row. */
struct data_field {
    struct str name;
    int rank;       /* of a row's shape; channels last */
    int64_t dim[4]; /* columns is their product */
    int64_t columns;
    int64_t classes;      /* category numbers 0..classes-1; 0: numbers */
    const float *numbers; /* rows × columns, or NULL */
    const struct data_piece *pieces; /* numbers of an input of several tables,
                                        in the order of its columns; NULL: it
                                        has one, which is `numbers` */
    size_t piece_count;
    const int32_t *categories; /* rows × columns, or NULL: labels of classes,
                                  tokens of a text (0 is padding) */
    const struct str *class_names; /* `classes` of them, or NULL */
    /* Of a label of several columns that have names: `columns` of them; and
     * the two words that its values are, 0 and 1, where they are words. */
    const struct str *column_names, *words;
    bool missing; /* some numbers are NaN: to be filled by the view */
    /* Of a label that is not known of all rows, to be shown: then it has
     * neither numbers nor categories, and nothing is judged by it. */
    const struct data_shown *shown;
    const float *vectors; /* of tokens: first numbers of an embedding, classes
                             × vector_columns, NaN where a word has none; or
                             NULL */
    int64_t vector_columns;
};
struct data_shown {
    const float *numbers;      /* as in the field */
    const int32_t *categories; /* the same */
    const bool *unknown;       /* by row */
};
static inline bool data_has_numbers(const struct data_field *f)
{
    return f->numbers || f->pieces;
}
/* The pieces of an input of `rows` rows of numbers; *whole is filled in where
 * it is one, and returned. */
static inline const struct data_piece *data_pieces(const struct data_field *f,
                                                   size_t rows,
                                                   struct data_piece *whole,
                                                   size_t *count)
{
    *whole = (struct data_piece){
        .numbers = f->numbers, .rows = rows, .columns = (size_t)f->columns};
    *count = f->pieces ? f->piece_count : f->numbers != NULL;
    return f->pieces ? f->pieces : whole;
}
static inline const float *data_piece_row(const struct data_piece *p,
                                          size_t row)
{
    return p->numbers + (p->row_of ? p->row_of[row] : row) * p->columns;
}
/* One number of an input. */
static inline float data_number(const struct data_field *f, size_t row,
                                size_t column)
{
    const struct data_piece *p = f->pieces;
    if (!p)
        return f->numbers[row * (size_t)f->columns + column];
    while (column >= p->at + p->columns)
        p++;
    return data_piece_row(p, row)[column - p->at];
}

struct data_table {
    size_t rows;
    const struct data_field *inputs, *labels;
    size_t input_count, label_count;
    /* Each row's number in its file, from 0, a header not counted; NULL: row i
     * is row i. */
    const uint32_t *file_rows;
    bool label_is_input; /* the only label is the first input */
};
static inline size_t data_row_in_file(const struct data_table *t, size_t row)
{
    return t->file_rows ? t->file_rows[row] : row;
}

struct data_set;

struct data_part {
    const uint32_t *rows; /* numbers of rows of the table */
    size_t count;
};
/* What a model is trained and judged on. */
struct data_view {
    const struct data_table *table; /* the set's, or the view's own where
                                       something in it is fitted on training
                                       rows: tokens, means of columns */
    const struct data_set *set;     /* that it is made from; NULL: none */
    struct data_part train, validation, test;
    /* By input, by column: (x - shift) × scale; NULL: as it is. */
    const float *const *shift, *const *scale;
    bool scaling_said; /* by the spec, even if it is `none` */
    /* By input: its columns, where some were drawn; NULL: all. */
    const size_t *const *drawn;
    const float *row_weights;           /* by row of the table, or NULL */
    const struct data_fitting *fitting; /* by input: inside data only */
    const char *notice; /* what a person should know of it, or NULL */
    bool in_order;      /* epochs take rows as they are */
};

/* "FILE: row 3: column NAME", where that number of an input comes from. */
void data_place(struct buf *b, const struct data_view *v, size_t input,
                size_t row, size_t column);

/* The name of the column that a number of an input comes from, or its number
 * there, from 1; of several inputs that are arrays, behind the input's name. A
 * column of categories became several numbers. */
void data_column_name(struct buf *b, const struct data_view *v, size_t input,
                      size_t column);

/* Where prepared sets are kept, so that all processes of a machine map one
 * copy. */
struct data_cache {
    const char *folder;
    uint64_t least_bytes; /* smaller sets are not worth a file */
    uint64_t most_bytes;  /* of all files; the longest unused go first */
};

/* Reads what a model file's `data:` names, or maps it where it is prepared;
 * relative paths start at `folder`; cache may be NULL. Errors name the file
 * and the row. */
struct data_set *data_open(const struct value *spec, const char *folder,
                           const struct data_cache *cache, struct err *err);
void data_close(struct data_set *s);
/* Specs of equal keys read the same set, however they split it. */
uint64_t data_reading_key(const struct value *spec);
/* As it was read. Inputs of text have no tokens before there is a view. */
const struct data_table *data_set_table(const struct data_set *s);
/* What a person should know: notice i, or NULL when there are no more. */
const char *data_set_notice(const struct data_set *s, size_t i);

/* What tells the views of one set and one spec apart. */
struct data_choice {
    uint64_t seed; /* the trial's */
    double subset; /* fraction of the training rows to use; 0: all */
};
/* Splits and scales as the spec says: a function of the set, the spec and the
 * choice. What it points to lives as long as both the set and the arena. */
int data_view_make(struct data_view *v, struct data_set *s,
                   const struct value *spec, const struct data_choice *choice,
                   struct arena *a, struct err *err);

/* What other rows need to become what a model knows (columns, categories,
 * classes, means, scaling, words) as JSON. as_class: by label, true when its
 * classes count and not its numbers. */
void data_fitted_print(struct buf *b, const struct data_set *s,
                       const struct value *spec, const struct data_view *v,
                       const bool *as_class);
/* Reads rows of another day by such a text, which `path` carried: no training
 * data is needed. All rows are in the view's test part; what it points to
 * lives as long as the set. A label that they lack has neither numbers nor
 * categories. */
struct data_set *data_open_fitted(const struct value *spec, const char *folder,
                                  struct str fitted, const char *path,
                                  struct data_view *v, struct err *err);
/* The same, but rows that cannot be read (a word where a number belongs, a
 * value that is missing, a category that training did not have, more or fewer
 * cells than belong) are noted, and have any numbers. A label that a row lacks
 * is not known of it (data_shown). */
struct data_set *data_open_readable(const struct value *spec,
                                    const char *folder, struct str fitted,
                                    const char *path, struct data_view *v,
                                    struct err *err);
/* What is wrong with such a row. */
struct data_bad_row {
    size_t row;         /* of the table */
    size_t line;        /* of the file, from 1; 0: it has none */
    const char *column; /* its name or number; empty: it is the row itself */
    const char *what;
};
#define DATA_BAD_TOLD 1000
struct data_bad_rows {
    size_t count;
    const bool *is; /* by row of the table; NULL: none is */
    /* Of the first of them, in their order: at most DATA_BAD_TOLD. */
    const struct data_bad_row *told;
    size_t told_count;
    const char *file; /* that they are of; NULL: there are several */
};
/* Lives as long as s. */
const struct data_bad_rows *data_bad_rows(const struct data_set *s);
/* A view of no rows: the fields that such a text has, and how inputs are
 * scaled; `more`: its rows become numbers by more than that (categories, words,
 * means, bounds, columns that were drawn). In the arena. */
int data_fitted_view(struct str fitted, const char *path, struct arena *a,
                     struct data_view *v, bool *more, struct err *err);
/* Such a text of fields that nothing was fitted for: rows as they are. In a
 * table (label > 0) the labels stand from that column on, from 1. */
void data_fitted_plain(struct buf *b, const struct data_table *fields,
                       int64_t label);
/* The parsed text when all of it is sound; for tests. */
struct value *data_fitted_parse(struct arena *a, struct str text,
                                const char *path, struct err *err);

/* ---- rows that a model was trained on -------------------------------------
 */

/* What tells each row of a set from others: a hash of its inputs and labels, as
 * they were read. NULL: there is no memory for them. Lives as long as s. */
const uint64_t *data_row_hashes(struct data_set *s);
/* Appends which rows of the set the view trains on, as a short text; `before`:
 * such a text of an earlier training that this one goes on from, or empty.
 * Nothing, where there is no memory for it. */
void data_trained_print(struct buf *b, struct data_set *s,
                        const struct data_view *v, struct str before);
struct data_trained;
/* In the arena; `path` stands in errors. */
const struct data_trained *data_trained_parse(struct str text, const char *path,
                                              struct arena *a, struct err *err);
/* Of a row that has not trained it wrongly true once in a million times. */
bool data_trained_has(const struct data_trained *t, uint64_t hash);
/* The view trains on exactly these rows, and nothing was trained before. */
bool data_trained_matches(const struct data_trained *t, struct data_set *s,
                          const struct data_view *v);

/* True when the rows or columns of a view depend on the trial's own seed. */
bool data_draws(const struct value *spec);

/* Is of inputs and labels in files of their own, not of one table. */
bool data_spec_is_pair(const struct value *spec);

/* ---- products of tables --------------------------------------------------
 */

/* All combinations of the rows of tables, the last one's going round first,
 * with their columns side by side: for a model of such a text (see above),
 * which `path` carried. They are never written down: the view has `window` rows
 * in its test part, which are those of the product that it was moved to. What
 * it points to lives as long as the product. */
struct data_product;
struct data_product *data_product_open(const char *const *paths, size_t count,
                                       struct str fitted, const char *path,
                                       size_t window, struct data_view *v,
                                       struct err *err);
void data_product_close(struct data_product *p); /* NULL is accepted */
/* How many rows it will have, where no model is there yet. */
int data_product_count(const char *const *paths, size_t count, uint64_t *rows,
                       struct err *err);
uint64_t data_product_rows(const struct data_product *p);
/* The first `count` rows of the view are those of the product from `first` on.
 */
void data_product_move(struct data_product *p, uint64_t first, size_t count);
/* Which rows a row of the product is of, as fields of CSV: by the name that a
 * table's first column has, else by number, from 1; or, with `titles`, what
 * these fields are called. */
void data_product_name(const struct data_product *p, uint64_t row, bool titles,
                       struct buf *b);

/* ---- NumPy's arrays, for readers that train nothing ----------------------
 */

struct data_array {
    size_t rows, columns;
    const float *numbers; /* row by row */
};
/* An npy file, or an npz file of several. */
bool data_is_numpy(struct str bytes);
bool data_is_numpy_archive(struct str bytes);
/* The array of such bytes, of an archive the one of this name; `path` stands in
 * errors. In the arena. */
int data_numpy(struct str bytes, const char *path, struct str member,
               struct data_array *array, struct arena *a, struct err *err);

/* A file of arrays (npy, npz, IDX, also gzipped; `set.npz:x` is one in it), not
 * a table of text, nor one that cannot be read. */
bool data_is_array_file(const char *path);

/* A table of text as a structured array (npy): a column of numbers is one of
 * float64, NaN where a cell is empty; `row` and `rows` are int64; what has
 * other cells is text. Its memory is that of the longest piece and of the
 * columns. */
struct data_npy_table;
struct data_npy_table *data_npy_table_begin(const char *path, struct err *err);
/* Some whole rows as CSV; the first one of all are the names of the columns. */
int data_npy_table_add(struct data_npy_table *t, struct str text,
                       struct err *err);
/* Then the array is at its path. Frees t whether it succeeds or not; _drop
 * leaves what was at the path. */
int data_npy_table_end(struct data_npy_table *t, struct err *err);
void data_npy_table_drop(struct data_npy_table *t); /* NULL is accepted */

/* ---- the rows of a file, cut into stretches -------------------------------
 */

/* What of a file a stretch is: */
enum data_form {
    DATA_WHOLE, /* all of it: the file itself is read */
    DATA_TEXT,  /* lines, with those before the first row in front */
    DATA_NPY,   /* rows of an array */
};
struct data_cut {
    enum data_form form;
    uint64_t head;        /* bytes before the file's first row */
    uint64_t from, bytes; /* the stretch */
    uint64_t first, rows; /* the number of its first row, from 0; how many */
    bool header;          /* of a table: it has names of columns */
    uint64_t size;        /* of the file when it was cut, … */
    int64_t changed_ns;   /* … and its time; 0: neither is known */
    uint64_t hash;        /* of head and stretch; 0: it is not known */
    uint64_t lines;       /* of text, between head and stretch */
};
/* How its rows are read. */
struct data_reading_as {
    const struct value *spec; /* header, separator, skip; or NULL */
    struct str fitted;        /* of a model: data_fitted_print; or empty */
    bool lines;               /* each line is a row, whatever is in it */
    bool hashed;              /* stretches know their bytes: all are read */
    bool may_be_empty;        /* a table without rows is no error */
};
struct data_cutter;
/* Its memory does not grow with the file, unless that is packed. */
struct data_cutter *data_cut_open(const char *path,
                                  const struct data_reading_as *as,
                                  struct err *err);
void data_cut_close(struct data_cutter *c);
/* Why its columns are not the model's, as LINE: REASON; NULL: they may be.
 * Lives as long as c. */
const char *data_cut_misfit(const struct data_cutter *c);
/* The next stretch, of at most so many rows. 1, 0: there are no more rows, -1.
 */
int data_cut_next(struct data_cutter *c, uint64_t most, struct data_cut *to,
                  struct err *err);
/* -1 where the file is no longer as it was when it was cut. */
int data_cut_check(const char *path, const struct data_cut *cut,
                   struct err *err);
/* Makes a file of a stretch, which is read as the whole file is. There is none
 * where the file has changed, also meanwhile. */
int data_cut_write(const char *path, const struct data_cut *cut, const char *to,
                   struct err *err);

/* ---- zip archives --------------------------------------------------------
 */

bool data_is_zip(struct str bytes);
/* The bytes of one file in it (`.npy` at its end is no part of the name), by
 * name; empty: the only one. They lie in the archive or in the arena. */
int data_read_zip(struct str bytes, const char *path, struct str name,
                  struct arena *a, struct str *member, struct err *err);
/* The name of the first file that ends so; empty: there is none. */
struct str data_zip_find(struct str bytes, struct str ending);

/* One that is written: its files follow what the buf has already. */
struct data_zip {
    struct buf *to, directory;
    size_t from, count;
};
void data_zip_begin(struct data_zip *z, struct buf *to);
void data_zip_add(struct data_zip *z, struct str name, struct str bytes);
void data_zip_end(struct data_zip *z);

#endif
