/* labels.h - what is true of the rows of a batch, in the form that losses take
 *
 * Inside nn only. */
#ifndef THRONG_NN_LABELS_H
#define THRONG_NN_LABELS_H

#include "nn/kernels.h"

/* Room for the labels of one batch. */
struct nn_label_room {
    const struct nn_kernels *kernels;
    const struct nn_graph *graph;
    int32_t *categories;
    void *targets; /* numbers of the kernels */
    float *row_weights;
    double *numbers; /* as many as the widest head has of a batch; anybody's
                        between two calls */
};
int nn_label_room_open(struct nn_label_room *room,
                       const struct nn_kernels *kernels,
                       const struct nn_graph *graph, size_t batch,
                       struct err *err);
void nn_label_room_done(struct nn_label_room *room);

/* Numbers of a row of the widest head. */
size_t nn_widest_label(const struct nn_graph *g);
/* NULL: none is wanted, or it is not known. */
const struct data_field *nn_label_of(const struct data_view *v,
                                     const struct nn_head *h);
/* Rows of another day may have no labels: then there is no loss. */
bool nn_labels_there(const struct nn_graph *g, const struct data_view *v);
/* The loss of a frame's rows over all heads, each a mean; `adds` by head, or
 * NULL where nothing is trained. */
double nn_labels_loss(struct nn_label_room *room, const struct data_view *v,
                      const struct nn_frame *f, const unsigned *adds,
                      const uint32_t *rows);

#endif
