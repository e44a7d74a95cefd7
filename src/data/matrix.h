/* matrix.h - what a file holds, before it becomes fields
 *
 * Inside data only. A file is rows of equal shape. Binary formats hold
 * numbers; a table of text (CSV, TSV, lines) may hold words as well: its
 * numbers are read in one quick pass that only notes which columns have
 * words, and the words of those few columns are read in a second one. */
#ifndef THRONG_DATA_MATRIX_H
#define THRONG_DATA_MATRIX_H

#include "data/data.h"

/* The bytes of a file: mapped, or unpacked into memory of our own. */
struct file_bytes {
    struct str text;
    bool mapped;
    bool cut; /* a gzip file that ends too early: this is what it had */
};
int file_bytes_open(struct file_bytes *f, const char *path, struct err *err);
void file_bytes_close(struct file_bytes *f);

/* What a column of a table of text was seen to have. */
enum { HAS_NUMBER = 1, HAS_WORD = 2, HAS_MISSING = 4 };

/* What was guessed of a table of text, which a person should know. */
enum { NOTE_WORDS_ARE_NAMES = 1, NOTE_WORDS_ARE_A_ROW = 2, NOTE_CR = 4 };

struct matrix {
    size_t rows;
    int rank;       /* of one row */
    int64_t dim[4]; /* columns is their product */
    size_t columns;
    float *numbers;          /* rows × columns; NaN: missing, or a word */
    const struct str *names; /* of columns, or NULL */
    /* Tables of text only: */
    const unsigned char *has; /* by column, or NULL */
    struct str bytes;         /* what was read */
    size_t body;              /* where the first row of data begins */
    size_t body_line;         /* its line */
    char separator;
    unsigned notes;
    bool empty; /* it is an error for lack of rows alone */
    const struct matrix_fault *faults; /* rows that are none, in their order */
    size_t fault_count;
};
/* A row of text whose numbers are all NaN, since it is not one. */
struct matrix_fault {
    size_t row, cells;
    const char *what; /* NULL: it has so many cells */
};

/* How a table of text is to be read. */
struct table_style {
    int header;                /* 1 there is one, 0 there is none, -1 look */
    const struct value *spec;  /* whose column names a header has; or NULL */
    const struct value *names; /* those that its columns must have; or NULL */
    char separator;            /* 0: look */
    bool lines;                /* each line is one field of text */
    size_t skip;               /* lines at the start that do not count */
    bool readable;             /* rows that are none are noted, not refused */
    size_t fits[2];            /* of that: cells that rows without a header may
                                  have; 0: nobody knows */
};

/* spec.c: a column that a key of `data:` names. */
bool data_spec_names(const struct value *spec, struct str word);

/* Each reads the bytes of one format; `path` stands in errors. Numbers and
 * names are in the arena; a matrix of text keeps pointing to the bytes. */
int data_read_csv(struct str bytes, const char *path,
                  const struct table_style *style, struct arena *a,
                  struct matrix *m, struct err *err);
/* The same without the rows, of which there is one at least. */
int data_look_csv(struct str bytes, const char *path,
                  const struct table_style *style, struct arena *a,
                  struct matrix *m, struct err *err);
/* Why its columns are not those that a model was trained with, as LINE: REASON
 * in the arena, by its text of fitting (fitted.c); NULL: they may be. */
const char *data_misfit(const struct value *fitted, const struct matrix *m,
                        struct arena *a);
int data_read_idx(struct str bytes, const char *path, struct arena *a,
                  struct matrix *m, struct err *err);
int data_read_npy(struct str bytes, const char *path, struct arena *a,
                  struct matrix *m, struct err *err);
bool data_is_idx(struct str bytes);
bool data_is_npy(struct str bytes);
bool data_is_packed(struct str bytes); /* by gzip */
/* Where the rows of an npy file lie, by its beginning. */
struct data_npy {
    size_t from, rows, row_bytes;
    bool row_by_row; /* else in Fortran's order */
};
int data_npy_look(struct str bytes, const char *path, struct data_npy *to,
                  struct err *err);
/* Appends the header of the same array with another number of rows. */
int data_npy_head(struct buf *b, struct str bytes, uint64_t rows,
                  const char *path, struct err *err);
/* Appends a header: the type as Python writes it, and the axes behind that of
 * the rows, as " 3, 4" or nothing. */
void data_npy_begin(struct buf *b, struct str type, uint64_t rows,
                    struct str axes);

/* foreign.c: an error that says what to do, where the bytes are of a format
 * that is not read; of those of a zip archive, where it is a workbook. */
int data_refuse_foreign(struct str bytes, const char *path, struct err *err);
int data_refuse_workbook(struct str bytes, const char *path, struct err *err);

/* Reads bytes of any format that is known, by how they begin. `member` names
 * an array of an npz file. */
int data_matrix(const struct file_bytes *f, const char *path, struct str member,
                const struct table_style *style, struct arena *a,
                struct matrix *m, struct err *err);

/* The texts of some columns of a table of text, as they stand in the file
 * less blanks around them: words[k][row] is column columns[k]. Copies only
 * what has doubled quotes. */
void data_words(const struct matrix *m, const size_t *columns, size_t count,
                struct arena *a, struct str *const *words);
bool data_is_missing(struct str word);
/* The line of a row of a table of text, from 1. */
size_t data_line(const struct matrix *m, size_t row);
/* The same of several, in one go: rows rise. */
void data_lines(const struct matrix *m, struct data_bad_row *rows,
                size_t count);

#endif
