/* cpu_avx512.c - the device cpu, on CPUs that have AVX512 */
#include "nn/fast.inc"

const struct nn_device nn_device_avx512 =
    PLAIN_DEVICE("cpu", fast_kernels, fast_loss);
