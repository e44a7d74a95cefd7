/* judge.h - metrics over many batches of predictions
 *
 * Inside nn only. */
#ifndef THRONG_NN_JUDGE_H
#define THRONG_NN_JUDGE_H

#include "data/data.h"
#include "nn/model.h"

struct nn_judge;

/* For all metrics of the model. Yours to free. */
struct nn_judge *nn_judge_new(const struct nn_model *m);
void nn_judge_free(struct nn_judge *j);
/* At most so many rows are to come. What grows with them is AUC's: 16 bytes for
 * each score. An error when there is no memory for those. */
int nn_judge_begin(struct nn_judge *j, size_t rows, struct err *err);
/* Predictions of head `head` for some rows: rows × width numbers; label may
 * be NULL (a head without one). */
void nn_judge_batch(struct nn_judge *j, size_t head, const double *outputs,
                    size_t width, const struct data_field *label,
                    const uint32_t *rows, size_t count);
/* One number per metric of the model, NaN where there was nothing to judge;
 * valid until the next call. */
const double *nn_judge_end(struct nn_judge *j);

/* A device may judge by itself where no metric keeps scores (AUC): it goes on
 * with the numbers that are given, and they are taken again. Metric after
 * metric: struct nn_sums, then a struct nn_counted for each class. */
enum { NN_SUMS = sizeof(struct nn_sums) / sizeof(double) };
size_t nn_judge_numbers(const struct nn_model *m); /* of all metrics */
size_t nn_metric_classes(const struct nn_model *model,
                         const struct nn_metric *m); /* that it counts */
void nn_judge_give(struct nn_judge *j, double *to);
void nn_judge_take(struct nn_judge *j, const double *from);
#endif
