/* predictions.h - files that are made of predictions, piece by piece
 *
 * predictions.c has the table of all rows, confusion.c which classes were taken
 * for which. What of them grows with the rows is on the disk. */
#ifndef THRONG_WORKER_PREDICTIONS_H
#define THRONG_WORKER_PREDICTIONS_H

#include "data/data.h"
#include "nn/nn.h"

/* Columns of numbers that a table has behind those of a head, or of all. */
struct predicted_more {
    const char *const *names;
    size_t count;
};

/* What is predicted, and for which rows. */
struct predicted {
    const struct nn_model *model;
    const struct data_table *table;
    const struct data_part *part;
    const char *rows; /* what they are called: "test" */
    /* By head, and one of the whole row behind them; NULL: none. */
    const struct predicted_more *more;
    bool exact; /* the numbers are doubles, and no floats that became some */
};
/* Numbers of a row in all columns of `more`. */
size_t predicted_more_count(const struct predicted *what);

struct predictions;

/* A CSV file with a line for each row: its number in its file (from 1, a header
 * not counted), then for every head the label where it is known, what is
 * predicted, for classes the probability of each, and what `more` names, empty
 * where it is NaN. */
struct predictions *predictions_table(const char *path,
                                      const struct predicted *what,
                                      struct err *err);
/* How often each class was taken for each, by head, as JSON: {"rows": 9,
 * "part": "test", "heads": [{"name": …, "classes": […], "counts": [[…]]}]};
 * counts are by truth, then by prediction. */
struct predictions *predictions_confusion(const char *path,
                                          const struct predicted *what);
/* What every pass says of each row, beside the truth, in the form of
 * ensemble.h's opinions. */
struct predictions *predictions_passes(const char *path,
                                       const struct predicted *what,
                                       struct err *err);
/* The predictions of the next rows of the part, row by row; `more` has the
 * numbers of the columns of that name. */
int predictions_add(struct predictions *p, const double *outputs,
                    const double *more, size_t count, struct err *err);
/* After the last row: the file is there. */
int predictions_end(struct predictions *p, struct err *err);
/* No file is left of what has not ended. NULL is accepted. */
void predictions_free(struct predictions *p);

/* ---- for the files that make them ---- */

struct predictions {
    struct predicted what;
    size_t done; /* rows */
    int (*add)(struct predictions *p, const double *outputs, const double *more,
               size_t count, struct err *err);
    int (*end)(struct predictions *p, struct err *err);
    void (*free)(struct predictions *p);
};

/* NULL: it has none. */
const struct data_field *predicted_label(const struct predicted *what,
                                         const struct nn_head_facts *h);
/* One output for each class, or one that says how likely the second is. Of a
 * loss on numbers two values of a label are two numbers. */
bool predicted_is_class(const struct data_field *label,
                        const struct nn_head_facts *h);
int64_t predicted_class(const struct nn_head_facts *h, const double *p);
/* The class that number k of a head is the probability of, or the label's
 * column that it predicts. */
void predicted_output_name(struct buf *b, const struct data_field *label,
                           const struct nn_head_facts *h, size_t k);

#endif
