/* cpu.c - the device cpu: which kernels fit the CPU that we run on */
#include "nn/device.h"

extern const struct nn_device nn_device_avx2, nn_device_avx512;

const struct nn_device *nn_device_cpu(void)
{
    if (__builtin_cpu_supports("avx512f") &&
        __builtin_cpu_supports("avx512bw") &&
        __builtin_cpu_supports("avx512dq") &&
        __builtin_cpu_supports("avx512vl"))
        return &nn_device_avx512;
    if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"))
        return &nn_device_avx2;
    return &nn_device_portable;
}
