/* reference.c - plain kernels in double precision: the truth */
#define real double
#include "nn/plain.inc"

const struct nn_device nn_device_reference =
    PLAIN_DEVICE("reference", plain_kernels, head_loss);
