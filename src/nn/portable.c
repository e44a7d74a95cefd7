/* portable.c - plain kernels in single precision, the same bits on every kind
 * of CPU: no fused multiply-add, no vector code that reorders sums */
#define real float
#define REAL_IS_FLOAT
#include "nn/plain.inc"

const struct nn_kernels *nn_kernels_portable(void)
{
    static const struct nn_kernels k = PLAIN_KERNELS(plain_kernels, head_loss);
    return &k;
}

DEVICE(portable, .runner = &nn_stepwise, .kernels = nn_kernels_portable);
