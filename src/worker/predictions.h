/* predictions.h - predictions as a table */
#ifndef THRONG_WORKER_PREDICTIONS_H
#define THRONG_WORKER_PREDICTIONS_H

#include "data/data.h"
#include "nn/nn.h"

/* Writes a CSV file with a line for each row of the part: its number in
 * its file (from 1, a header not counted), then for every head the label where
 * it is known, what is predicted, and for classes the probability of each.
 * `outputs` are the predictions, row by row. */
int predictions_write(const char *path, const struct nn_model *m,
                      const struct data_table *table,
                      const struct data_part *part, const float *outputs,
                      struct err *err);
/* Writes how often each class was taken for each, by head, as JSON:
 * {"rows": 9, "part": "test", "heads": [{"name": …, "classes": […],
 * "counts": [[…]]}]}; counts are by truth, then by prediction. */
int predictions_confusion(const char *path, const struct nn_model *m,
                          const struct data_table *table,
                          const struct data_part *part, const char *part_name,
                          const float *outputs, struct err *err);

#endif
