/* matrix.h - what a file of numbers holds, before it becomes fields
 *
 * Inside data only. */
#ifndef THRONG_DATA_MATRIX_H
#define THRONG_DATA_MATRIX_H

#include "data/data.h"

/* Rows of equal shape. Either numbers or, for columns of text, words. */
struct matrix {
    size_t rows;
    int rank;       /* of one row */
    int64_t dim[4]; /* columns is their product */
    size_t columns;
    float *numbers;          /* rows × columns; NaN where `words` counts */
    struct str *words;       /* rows × columns, or NULL: all are numbers */
    const struct str *names; /* of columns, or NULL */
};

/* The bytes of a file, unpacked if it is gzipped; in the arena. */
int data_bytes(const char *path, struct arena *a, struct str *bytes,
               struct err *err);
/* Reads a file of any kind that is known, by its first bytes and its name.
 * header: 1 there is one, 0 there is none, -1 look. */
int data_matrix(const char *path, int header, struct arena *a, struct matrix *m,
                struct err *err);
int data_read_csv(struct str bytes, const char *path, int header,
                  struct arena *a, struct matrix *m, struct err *err);
int data_read_idx(struct str bytes, const char *path, struct arena *a,
                  struct matrix *m, struct err *err);

#endif
