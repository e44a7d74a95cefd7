/* host_kernels.c - the kernels of the device cuda as the C compiler takes them
 *
 * A file of their own: compiled once more, every read and write of theirs is
 * seen (tests/nn/touches.c). */
#include "nn/cuda/host.h"
#include "nn/cuda/kernels.inc"

const struct gpu_kernel_here gpu_kernels_here[GPU_KERNEL_COUNT] = {
#define KERNEL_ROW(name, waits, special)                                       \
    [GPU_##name] = {#name, kernel_##name, waits},
    GPU_KERNELS(KERNEL_ROW)};
