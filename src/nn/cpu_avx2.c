/* cpu_avx2.c - the kernels of cpu, on CPUs that have AVX2 */
#include "nn/fast.inc"

extern const struct nn_kernels nn_fast_avx2; /* cpu.c asks for it */
const struct nn_kernels nn_fast_avx2 = PLAIN_KERNELS(fast_kernels, fast_loss);
