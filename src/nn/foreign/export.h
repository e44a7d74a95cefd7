/* export.h - a model's weights for other programs. Inside nn only. */
#ifndef THRONG_NN_FOREIGN_EXPORT_H
#define THRONG_NN_FOREIGN_EXPORT_H

#include "nn/foreign/foreign.h"

/* All numbers of a model, in the graph's order, out of its weights file; yours
 * to free. NULL and err. */
double *export_numbers(const struct nn_graph *g, const char *path,
                       struct err *err);

#endif
