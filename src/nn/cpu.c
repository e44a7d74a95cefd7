/* cpu.c - the device cpu: which kernels fit the CPU that we run on */
#include "nn/device.h"

extern const struct nn_device nn_device_avx2, nn_device_avx512;

static bool has_avx512(void)
{
    return __builtin_cpu_supports("avx512f") &&
           __builtin_cpu_supports("avx512bw") &&
           __builtin_cpu_supports("avx512dq") &&
           __builtin_cpu_supports("avx512vl");
}

static bool has_avx2(void)
{
    return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
}

const struct nn_device *nn_device_cpu(void)
{
    if (has_avx512())
        return &nn_device_avx512;
    return has_avx2() ? &nn_device_avx2 : &nn_device_portable;
}

const struct nn_device *nn_device_kind(struct str name)
{
    if (str_is(name, "avx512") && has_avx512())
        return &nn_device_avx512;
    return str_is(name, "avx2") && has_avx2() ? &nn_device_avx2 : NULL;
}
