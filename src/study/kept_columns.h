/* kept_columns.h - whether rules of what is kept go by columns that predictions
 * will have */
#ifndef THRONG_STUDY_KEPT_COLUMNS_H
#define THRONG_STUDY_KEPT_COLUMNS_H

#include "ensemble/ensemble.h"
#include "study/study.h"

/* What the columns depend on. */
struct kept_columns {
    const char *weights; /* of the first model, where there are some */
    const char *layer;   /* of it, whose numbers are predicted; NULL: none */
    size_t members, samples;
    const double *quantiles; /* that are told */
    size_t quantile_count;
    struct keep_more more;
};

/* Reads the rules as well. *fault (may be NULL) is then what was said of a
 * column that there is none of, where it has a place in a file; the error names
 * those that there are. */
int kept_columns_check(const struct kept_columns *k, const struct value *keep,
                       const struct value **fault, struct arena *a,
                       struct err *err);

struct data_table;
struct nn_model;
/* The same of a model that has no weights yet, and of the rows that it will be
 * trained on. */
int kept_columns_check_model(const struct kept_columns *k,
                             const struct nn_model *m,
                             const struct data_table *t,
                             const struct value *keep,
                             const struct value **fault, struct arena *a,
                             struct err *err);

/* The quantiles that predictions tell of several passes. */
#define INFERENCE_QUANTILES                                                    \
    {                                                                          \
        0.05, 0.5, 0.95                                                        \
    }
#define INFERENCE_QUANTILE_COUNT 3

#endif
