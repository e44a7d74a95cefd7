/* kernel.h - how a kernel is written, for a GPU and for machines without one
 *
 * Kernels are C that nvcc takes as CUDA C++ and the C compiler as it is: on a
 * GPU threads and blocks run side by side, elsewhere one after another
 * (host.c). So their arithmetic is tested wherever the tests run. */
#ifndef THRONG_NN_CUDA_KERNEL_H
#define THRONG_NN_CUDA_KERNEL_H

#include <math.h>
#include <stdbool.h>
#include <stddef.h>
#include "nn/cuda/work.h"

/* Four numbers that are read and written at once. */
#ifdef __CUDACC__
struct __align__(16) four
#else
struct __attribute__((aligned(16))) four
#endif
{
    float x[4];
};

#ifdef __CUDACC__

#define KERNEL(name)                                                           \
    extern "C" __global__ void __launch_bounds__(GPU_THREADS)                  \
        kernel_##name(const struct gpu_op o, struct gpu_slot *slots)
#define KERNEL_OF(name) KERNEL(name)
/* Two blocks share a multiprocessor: 128 registers a thread. */
#define KERNEL_WIDE_OF(name) KERNEL_WIDE(name)
#define KERNEL_WIDE(name)                                                      \
    extern "C" __global__ void __launch_bounds__(GPU_THREADS, 2)               \
        kernel_##name(const struct gpu_op o, struct gpu_slot *slots)
/* So many do. */
#define KERNEL_TALL_OF(name, blocks) KERNEL_TALL(name, blocks)
#define KERNEL_TALL(name, blocks)                                              \
    extern "C" __global__ void __launch_bounds__(GPU_THREADS, blocks)          \
        kernel_##name(const struct gpu_op o, struct gpu_slot *slots)
#define INLINE static __device__ __forceinline__
#define SHARED __shared__
#define FAST(name) extern __shared__ struct four name[]
#define KERNEL_FEW(name)                                                       \
    extern "C" __global__ void __launch_bounds__(GPU_FEW)                      \
        kernel_##name(const struct gpu_op o, struct gpu_slot *slots)
/* With as many threads as the launch says. */
#define KERNEL_MANY(name)                                                      \
    extern "C" __global__ void __launch_bounds__(GPU_MANY)                     \
        kernel_##name(const struct gpu_op o, struct gpu_slot *slots)
#define THREAD ((int)threadIdx.x)
#define THREADS ((int)blockDim.x)
#define BLOCK ((int)blockIdx.x)
#define BLOCKS ((int)gridDim.x)
#define SLOT ((int)blockIdx.y)
#define SYNC() __syncthreads()
#define UNROLL _Pragma("unroll")
#define UNROLL_SOME _Pragma("unroll 8")
/* A number of the device's memory that no kernel running now writes. Said so
 * where nvcc, which sees pointers to fast memory beside it, would take it for
 * one of those. */
#define FROM_SLOW(p) __ldg(p)

#else

struct gpu_where {
    int thread, threads, block, blocks, slot;
};
extern struct gpu_where gpu_where; /* of the thread that runs now */
extern struct four *gpu_fast;      /* memory of the block that runs now */
void gpu_wait(void);               /* until the others of the block do, too */

#define KERNEL(name)                                                           \
    static void kernel_##name(__attribute__((unused)) const struct gpu_op o,   \
                              struct gpu_slot *slots)
#define KERNEL_OF(name) KERNEL(name)
#define KERNEL_WIDE_OF(name) KERNEL(name)
#define KERNEL_TALL_OF(name, blocks) KERNEL(name)
#define INLINE static inline
#define SHARED static
#define FAST(name) struct four *name = gpu_fast
#define KERNEL_FEW(name) KERNEL(name)
#define KERNEL_MANY(name) KERNEL(name)
#define THREAD (gpu_where.thread)
#define THREADS (gpu_where.threads)
#define BLOCK (gpu_where.block)
#define BLOCKS (gpu_where.blocks)
#define SLOT (gpu_where.slot)
#define SYNC() gpu_wait()
#define UNROLL
#define UNROLL_SOME
#define FROM_SLOW(p) (*(p))

#endif

/* The indices below `count` that belong to this thread. */
#define EACH(i, count)                                                         \
    for (int i = BLOCK * GPU_THREADS + THREAD, end_##i = (int)(count);         \
         i < end_##i; i += BLOCKS * GPU_THREADS)

/* The begin of most kernels: a member whose rows are at their end does
 * nothing. */
#define MEMBER                                                                 \
    struct gpu_slot *s = &slots[SLOT];                                         \
    int batch = (int)s->batch;                                                 \
    if (batch == 0)                                                            \
    return

INLINE float *at(const struct gpu_slot *s, int64_t offset)
{
    return s->frame + offset;
}

INLINE float begun(const float *to, int i, int add)
{
    return add ? to[i] : 0.0f;
}

INLINE struct four no_four(void)
{
    struct four f = {{0, 0, 0, 0}};
    return f;
}

INLINE void add_product(struct four *sum, float x, struct four w)
{
    UNROLL
    for (int e = 0; e < 4; e++)
        sum->x[e] += x * w.x[e];
}

/* The sum of what the threads of a block have, the same whoever runs beside
 * it. All threads call it. */
INLINE double block_sum(double mine, double *parts)
{
    SYNC();
    parts[THREAD] = mine;
    SYNC();
    for (int half = GPU_THREADS / 2; half > 0; half /= 2) {
        if (THREAD < half)
            parts[THREAD] += parts[THREAD + half];
        SYNC();
    }
    return parts[0];
}

#endif
