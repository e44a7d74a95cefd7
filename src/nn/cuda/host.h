/* host.h - kernels that run in this process, and who looks on
 *
 * For tests: tests/nn/touches.c is told what threads wait for, so that it knows
 * which of their reads and writes a GPU may do in any order. */
#ifndef THRONG_NN_CUDA_HOST_H
#define THRONG_NN_CUDA_HOST_H

#include "nn/cuda/gpu.h"

typedef void gpu_kernel_fn(const struct gpu_op op, struct gpu_slot *slots);

/* As the C compiler takes it. */
struct gpu_kernel_here {
    const char *name;
    gpu_kernel_fn *run;
    bool waits; /* its threads, for each other */
};
extern const struct gpu_kernel_here gpu_kernels_here[GPU_KERNEL_COUNT];

/* The arrays that kernels name as fast memory. */
extern char __start_gpu_fast_here[], __stop_gpu_fast_here[];

/* gpu_where says whose thread it is. */
struct gpu_watcher {
    void (*allocated)(const void *memory, size_t bytes);
    void (*released)(const void *memory);
    void (*launch)(const struct gpu_kernel_here *k, const struct gpu_launch *l);
    void (*launched)(void);
    void (*block)(void);
    void (*all_wait)(void); /* the threads of the block */
    void (*warp_waits)(int warp);
    /* Four numbers; from NULL: zeros. `code`: of the kernel. */
    void (*fetch)(void *to, const void *from, const void *code);
    /* Will be read as what no kernel running now writes. */
    void (*slow)(const void *from, size_t size, const void *code);
    void (*lot)(void);
    void (*fetched)(int but);
    void (*gate_made)(const void *gate, const void *code);
    /* fetched: by what this thread has asked for until now. */
    void (*gate_reached)(const void *gate, bool fetched, const void *code);
    void (*gate_over)(const void *gate, int turn);
    void (*gate_passed)(const void *gate, int turn, const void *code);
};
extern const struct gpu_watcher *gpu_watcher; /* NULL: nobody */

/* All blocks of all slots. */
void gpu_run_here(const struct gpu_kernel_here *k, const struct gpu_launch *l,
                  struct gpu_slot *slots, int slot_count);

#endif
