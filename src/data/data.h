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

/* One input or label: `columns` numbers a row. */
struct data_field {
    struct str name;
    int rank;       /* of a row's shape; channels last */
    int64_t dim[4]; /* columns is their product */
    int64_t columns;
    int64_t classes;           /* category numbers 0..classes-1; 0: numbers */
    const float *numbers;      /* rows × columns, or NULL */
    const int32_t *categories; /* rows × columns, or NULL: labels of classes,
                                  tokens of a text (0 is padding) */
    const struct str *class_names; /* `classes` of them, or NULL */
};
struct data_table {
    size_t rows;
    const struct data_field *inputs, *labels;
    size_t input_count, label_count;
};

struct data_part {
    const uint32_t *rows; /* numbers of rows of the table */
    size_t count;
};
struct data_view {
    const struct data_table *table;
    struct data_part train, validation, test;
    /* By input, by column: (x - shift) × scale; NULL: as it is. */
    const float *const *shift, *const *scale;
    const float *row_weights; /* by row of the table, or NULL */
};

struct data_set;

/* Reads what a model file's `data:` names; relative paths start at `folder`.
 * Errors name the file and the row. */
struct data_set *data_open(const struct value *spec, const char *folder,
                           struct err *err);
void data_close(struct data_set *s);
const struct data_table *data_set_table(const struct data_set *s);

/* Splits and scales as the spec says: a function of the set, the spec and the
 * seed. What it points to lives in the arena. */
int data_view_make(struct data_view *v, const struct data_set *s,
                   const struct value *spec, uint64_t seed, struct arena *a,
                   struct err *err);

#endif
