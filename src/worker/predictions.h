/* predictions.h - files that are made of predictions, piece by piece
 *
 * predictions.c has the table of all rows, confusion.c which classes were taken
 * for which. What of them grows with the rows is on the disk. */
#ifndef THRONG_WORKER_PREDICTIONS_H
#define THRONG_WORKER_PREDICTIONS_H

#include "base/arena.h"
#include "data/data.h"
#include "nn/nn.h"

/* Columns of numbers that a table has behind those of a head, or of all. */
struct predicted_more {
    const char *const *names;
    size_t count;
    size_t flags; /* so many of them, the last ones, are 0 or 1 */
};

/* What is predicted, and for which rows. */
struct predicted {
    const struct nn_model *model;
    const struct data_table *table;
    const struct data_part *part;
    const char *rows;   /* what they are called: "test" */
    uint64_t first_row; /* of a shard: its place in its file, from 0 */
    struct str file;    /* the same: the name of the file; empty: it is the only
                           one */
    /* By head, and one of the whole row behind them; NULL: none. */
    const struct predicted_more *more;
    bool exact; /* the numbers are doubles, and no floats that became some */
    const bool *unread; /* by row: it cannot be read, and nor can its label;
                           NULL: all can */
};
/* Numbers of a row in all columns of `more`. */
size_t predicted_more_count(const struct predicted *what);
/* The columns in which one model that is asked once says how much the truth
 * varies (spreads.c); NULL: it does not. Lives in the arena. */
const struct predicted_more *predicted_spreads(const struct predicted *what,
                                               struct arena *a);
/* Their numbers of one row; `more` of what are those columns. */
void predicted_spreads_fill(const struct predicted *what, const double *outputs,
                            double *more);

/* How far off a row's numbers are from those of a label that is known: the mean
 * of the squares, in the units that the model was trained in. */
double predicted_error(const struct nn_head_facts *h, const float *truth,
                       const double *p);

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
 * ensemble.h's opinions; out of fold behind who may say something. */
struct predictions *predictions_passes(const char *path,
                                       const struct predicted *what,
                                       bool out_of_fold, struct err *err);
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

/* -1: none, since a number is NaN. */
int64_t predicted_class(const struct nn_head_facts *h, const double *p);

#endif
