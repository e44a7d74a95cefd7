/* reference.c - plain kernels in double precision: the truth */
#define real double
#include "nn/plain.inc"

const struct nn_kernels *nn_kernels_reference(void)
{
    static const struct nn_kernels k = PLAIN_KERNELS(plain_kernels, head_loss);
    return &k;
}

DEVICE(reference, .runner = &nn_stepwise, .kernels = nn_kernels_reference);
