/* init.h - the first weights of a member. Inside nn only. */
#ifndef THRONG_NN_INIT_H
#define THRONG_NN_INIT_H

#include "nn/graph.h"

/* Fills all g->weights numbers: a function of the graph and the seed. */
void nn_init_weights(const struct nn_graph *g, uint64_t seed, double *weights);

#endif
