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
/* Two of them. */
#ifdef __CUDACC__
struct __align__(8) two
#else
struct __attribute__((aligned(8))) two
#endif
{
    float x[2];
};

#ifdef __CUDACC__

/* A kernel's threads, at most, and blocks that share a multiprocessor, at
 * least, which says how many registers a thread has. Compiled for the shapes of
 * one model (special.h) it is a body that special_source.c gives an op. */
#ifdef GPU_SPECIAL
#define KERNEL_FOR(name, threads, blocks)                                      \
    enum { threads_of_##name = threads, blocks_of_##name = blocks };           \
    INLINE void body_of_##name(const struct gpu_op &o, struct gpu_slot *slots)
#else
#define KERNEL_FOR(name, threads, blocks)                                      \
    extern "C" __global__ void __launch_bounds__(threads, blocks)              \
        kernel_##name(const __grid_constant__ struct gpu_op o,                 \
                      struct gpu_slot *slots)
#endif
#define KERNEL(name) KERNEL_FOR(name, GPU_THREADS, 1)
#define KERNEL_OF(name) KERNEL(name)
#define KERNEL_FEW(name) KERNEL_FOR(name, GPU_FEW, 1)
/* With as many threads as the launch says. */
#define KERNEL_MANY(name) KERNEL_FOR(name, GPU_MANY, 1)
/* With up to 168 registers a thread. */
#define KERNEL_MOST(name) KERNEL_FOR(name, GPU_MOST, 1)
/* Two blocks share a multiprocessor: 128 registers a thread. */
#define KERNEL_WIDE(name) KERNEL_FOR(name, GPU_THREADS, 2)
#define KERNEL_WIDE_OF(name) KERNEL_WIDE(name)
/* Three do, each with up to a third of the fast memory. */
#define KERNEL_STEPS(name) KERNEL_FOR(name, GPU_FEW, 3)
#define KERNEL_STEPS_OF(name) KERNEL_STEPS(name)
/* Two do, of 160 threads. */
#define KERNEL_STRIP(name) KERNEL_FOR(name, GPU_FEW + 32, 2)
/* So many do, of 192 threads. */
#define KERNEL_PARTS(name, blocks) KERNEL_FOR(name, GPU_PARTS, blocks)
/* So many do. */
#define KERNEL_TALL(name, blocks) KERNEL_FOR(name, GPU_THREADS, blocks)
#define KERNEL_TALL_OF(name, blocks) KERNEL_TALL(name, blocks)
#define INLINE static __device__ __forceinline__
/* What is rarely run stands once, so that the rest stays in the cache of
 * instructions. */
#define APART static __device__ __noinline__
#define SHARED __shared__
#define FAST(name) extern __shared__ struct four name[]
#define THREAD ((int)threadIdx.x)
#define THREADS ((int)blockDim.x)
#define BLOCK ((int)blockIdx.x)
#define BLOCKS ((int)gridDim.x)
#define SLOT ((int)blockIdx.y)
#define SYNC() __syncthreads()
#define UNROLL _Pragma("unroll")
#define UNROLL_SOME _Pragma("unroll 8")
#define UNROLL_FOUR _Pragma("unroll 4")
#define UNROLL_TWO _Pragma("unroll 2")
/* a × b + c, rounded once. Nothing else is: nvcc is told not to, since a kernel
 * that is compiled for one model's shapes must come to the same bits. */
#define FUSED(a, b, c) __fmaf_rn(a, b, c)
/* u + more, or u where that is larger, as numbers with a sign: one instruction
 * since compute capability 9.0. In assembler, where sums may overflow: a
 * compiler takes it that they never do, and would leave out the comparison. */
INLINE uint32_t ADD_OR_KEEP(uint32_t u, uint32_t more)
{
    uint32_t larger;
    asm("{ .reg .s32 sum;\n"
        "add.s32 sum, %1, %2;\n"
        "max.s32 %0, sum, %1; }"
        : "=r"(larger)
        : "r"(u), "r"(more));
    return larger;
}
/* To 2 units of the last place; what is too small to be a normal number is
 * zero. */
#define QUOTIENT(a, b) __fdividef(a, b)
/* 1 / x, rounded once. */
#define INVERSE(x) __frcp_rn(x)
INLINE float root_of(float x)
{
    float y;
    asm("sqrt.approx.ftz.f32 %0, %1;" : "=f"(y) : "f"(x));
    return y;
}
/* Four numbers to fast memory; they are there for this thread after
 * FETCHED. */
#define FETCH_FOUR(to, from)                                                   \
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(            \
                     (unsigned)__cvta_generic_to_shared(to)),                  \
                 "l"(from)                                                     \
                 : "memory")
#define FETCHED() asm volatile("cp.async.wait_all;" ::: "memory")
/* The same, or zeros: then nothing is read, wherever `from` is. */
#define FETCH_FOUR_IF(to, from, on)                                            \
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"(        \
                     (unsigned)__cvta_generic_to_shared(to)),                  \
                 "l"(from), "r"((on) ? 16 : 0)                                 \
                 : "memory")
/* A warp's 16 × 8 sums and 16 × 8 by 8 × 8 numbers: tensor.inc. Nobody looks at
 * the sums before TENSOR_MADE. */
#define TENSOR_PRODUCT(d, a, b)                                                \
    asm("mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32 "                  \
        "{%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"      \
        : "+f"((d)[0]), "+f"((d)[1]), "+f"((d)[2]), "+f"((d)[3])               \
        : "r"(__float_as_uint((a)[0])), "r"(__float_as_uint((a)[1])),          \
          "r"(__float_as_uint((a)[2])), "r"(__float_as_uint((a)[3])),          \
          "r"(__float_as_uint((b)[0])), "r"(__float_as_uint((b)[1])))
#define TENSOR_MADE()
/* What was asked for until now is a lot; all but the last `lots` are there. */
#define ASKED() asm volatile("cp.async.commit_group;" ::: "memory")
#define FETCHED_BUT(lots)                                                      \
    asm volatile("cp.async.wait_group %0;" ::"n"(lots) : "memory")
/* A place in fast memory that threads wait at. Its turns follow each other, 0,
 * 1, 0 …; a turn is over when as many have reached it as it was made for. */
struct gate {
    uint64_t bits;
};
enum { WARP_THREADS = 32 };
INLINE unsigned gate_at(struct gate *g)
{
    return (unsigned)__cvta_generic_to_shared(g);
}
/* All threads wait (SYNC) before they use it. */
INLINE void MAKE_GATE(struct gate *g, int reached)
{
    asm volatile("mbarrier.init.shared.b64 [%0], %1;" ::"r"(gate_at(g)),
                 "r"(reached)
                 : "memory");
}
INLINE void REACH_GATE(struct gate *g)
{
    asm volatile(
        "{ .reg .b64 was; mbarrier.arrive.shared.b64 was, [%0]; }" ::"r"(
            gate_at(g))
        : "memory");
}
/* This thread reaches it when all that it has asked for is there. */
INLINE void FETCHED_TO_GATE(struct gate *g)
{
    asm volatile(
        "cp.async.mbarrier.arrive.noinc.shared.b64 [%0];" ::"r"(gate_at(g))
        : "memory");
}
/* Until turn `turn` is over. */
INLINE void PASS_GATE(struct gate *g, int turn)
{
    unsigned over = 0;
    while (!over)
        asm volatile("{ .reg .pred over;\n"
#if __CUDA_ARCH__ >= 900
                     "mbarrier.try_wait.parity.shared.b64 over, [%1], %2;\n"
#else
                     "mbarrier.test_wait.parity.shared.b64 over, [%1], %2;\n"
#endif
                     "selp.u32 %0, 1, 0, over; }"
                     : "=r"(over)
                     : "r"(gate_at(g)), "r"(turn)
                     : "memory");
}
#define WARP_SYNC() __syncwarp()
/* A number of the device's memory that no kernel running now writes. Said so
 * where nvcc, which sees pointers to fast memory beside it, would take it for
 * one of those. */
#define FROM_SLOW(p) __ldg(p)
#define KEEP_LEAST(to, x) atomicMin(to, x)
INLINE struct four four_from_slow(const float *p)
{
    const float4 f = __ldg((const float4 *)p);
    return {{f.x, f.y, f.z, f.w}};
}

#else

struct gpu_where {
    int thread, threads, block, blocks, slot;
};
extern struct gpu_where gpu_where; /* of the thread that runs now */
extern struct four *gpu_fast;      /* memory of the block that runs now */
/* Until the others of the block, or of the warp, do, too. */
void gpu_wait(void);
void gpu_wait_for_warp(void);
/* As the device copies by itself; from NULL: zeros. */
void gpu_fetch_four(void *to, const void *from);
void gpu_ask_for_lot(void);
void gpu_wait_for_lots(int but); /* ALL_LOTS: what is no lot yet, too */
enum { ALL_LOTS = -1 };
struct gate {
    uint16_t reached, all, turn;
};
void gpu_make_gate(struct gate *g, int reached);
void gpu_reach_gate(struct gate *g);
void gpu_reach_gate_when_fetched(struct gate *g);
void gpu_pass_gate(const struct gate *g, int turn);
void gpu_take_from_slow(const void *p, size_t size);
void gpu_keep_least(unsigned *to, unsigned x);

#define KERNEL(name)                                                           \
    static void kernel_##name(__attribute__((unused)) const struct gpu_op o,   \
                              struct gpu_slot *slots)
#define KERNEL_OF(name) KERNEL(name)
#define KERNEL_MOST(name) KERNEL(name)
#define KERNEL_STRIP(name) KERNEL(name)
#define KERNEL_STEPS(name) KERNEL(name)
#define KERNEL_STEPS_OF(name) KERNEL(name)
#define KERNEL_PARTS(name, blocks) KERNEL(name)
#define KERNEL_WIDE(name) KERNEL(name)
#define KERNEL_WIDE_OF(name) KERNEL(name)
#define KERNEL_TALL(name, blocks) KERNEL(name)
#define KERNEL_TALL_OF(name, blocks) KERNEL(name)
#define INLINE static inline
#define APART static
#define SHARED static __attribute__((section("gpu_fast_here")))
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
#define UNROLL_FOUR
#define UNROLL_TWO
#define FUSED(a, b, c) ((a) * (b) + (c))
INLINE uint32_t ADD_OR_KEEP(uint32_t u, uint32_t more)
{
    return (int32_t)(u + more) > (int32_t)u ? u + more : u;
}
#define QUOTIENT(a, b) ((a) / (b))
#define INVERSE(x) (1 / (x))
#define root_of(x) sqrtf(x)
#define FETCH_FOUR(to, from) gpu_fetch_four(to, from)
#define FETCHED() gpu_wait_for_lots(ALL_LOTS)
#define FETCH_FOUR_IF(to, from, on) gpu_fetch_four(to, (on) ? (from) : NULL)
void gpu_tensor_product(float d[4], const float a[4], const float b[2]);
void gpu_tensor_made(void);
#define TENSOR_PRODUCT(d, a, b) gpu_tensor_product(d, a, b)
#define TENSOR_MADE() gpu_tensor_made()
#define ASKED() gpu_ask_for_lot()
#define FETCHED_BUT(lots) gpu_wait_for_lots(lots)
enum { WARP_THREADS = 32 };
#define MAKE_GATE(g, count) gpu_make_gate(g, count)
#define FETCHED_TO_GATE(g) gpu_reach_gate_when_fetched(g)
#define REACH_GATE(g) gpu_reach_gate(g)
#define PASS_GATE(g, turn) gpu_pass_gate(g, turn)
#define WARP_SYNC() gpu_wait_for_warp()
#define FROM_SLOW(p) (gpu_take_from_slow(p, sizeof(*(p))), *(p))
#define KEEP_LEAST(to, x) gpu_keep_least(to, x)
#define four_from_slow(p) FROM_SLOW((const struct four *)(p))

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
        sum->x[e] = FUSED(x, w.x[e], sum->x[e]);
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
