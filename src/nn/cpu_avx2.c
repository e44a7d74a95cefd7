/* cpu_avx2.c - the device cpu, on CPUs that have AVX2 */
#include "nn/fast.inc"

const struct nn_device nn_device_avx2 =
    PLAIN_DEVICE("cpu", fast_kernels, fast_loss);
