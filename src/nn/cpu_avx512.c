/* cpu_avx512.c - the kernels of cpu, on CPUs that have AVX512 */
#include "nn/fast.inc"

extern const struct nn_kernels nn_fast_avx512; /* cpu.c asks for it */
const struct nn_kernels nn_fast_avx512 = PLAIN_KERNELS(fast_kernels, fast_loss);
