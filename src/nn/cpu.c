/* cpu.c - which kernels fit the CPU that we run on */
#include "nn/kernels.h"

extern const struct nn_kernels nn_fast_avx2, nn_fast_avx512;

const struct nn_kernels *nn_kernels_avx512(void)
{
    return __builtin_cpu_supports("avx512f") &&
                   __builtin_cpu_supports("avx512bw") &&
                   __builtin_cpu_supports("avx512dq") &&
                   __builtin_cpu_supports("avx512vl")
               ? &nn_fast_avx512
               : NULL;
}

const struct nn_kernels *nn_kernels_avx2(void)
{
    return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")
               ? &nn_fast_avx2
               : NULL;
}

static const struct nn_kernels *kernels_that_fit(void)
{
    const struct nn_kernels *k = nn_kernels_avx512();
    if (!k)
        k = nn_kernels_avx2();
    return k ? k : nn_kernels_portable();
}

DEVICE(cpu, .runner = &nn_stepwise, .kernels = kernels_that_fit);
DEVICE(avx2, .runner = &nn_stepwise, .kernels = nn_kernels_avx2);
DEVICE(avx512, .runner = &nn_stepwise, .kernels = nn_kernels_avx512);
