/* cuda_made.h - models that kernels of the device cuda are tested with
 *
 * As made_text has them; NULL-terminated. */
#ifndef THRONG_TESTS_NN_CUDA_MADE_H
#define THRONG_TESTS_NN_CUDA_MADE_H

#include "nn/trainer.h"

/* Large layers whose steps are taken in tiles, the last ones of which are not
 * whole, beside layers that are not large; rows that do not come in fours;
 * several places of a row; a gradient that a regularizer asks for, too. */
extern const char *const cuda_stepped[];
/* Dropout behind a max pooling, which the pooling may do (test_lower), after
 * all that may come before it, and with others who take what it makes. */
extern const char *const cuda_dropped[];
/* Whose products may be of numbers of 11 bits, or of 8. */
extern const char *const cuda_rounded[];
/* Metrics of every kind: of classes, of one number, of a yes or no each, of
 * numbers; on small networks and on others; with a head of its own each. */
extern const char *const cuda_judged[];

/* Every third weight of member 0 stays zero. */
void cuda_mask(struct nn_trainer *t);

#endif
